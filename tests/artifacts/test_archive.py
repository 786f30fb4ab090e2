"""Zips that anyone may have made."""

from __future__ import annotations

import os
import stat
import struct
import subprocess
import sys
import zipfile
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from secryst_gui.artifacts import open_artifact
from secryst_gui.artifacts.archive import opened
from secryst_gui.artifacts.artifact import check
from secryst_gui.errors import (
    ArtifactError,
    DigestMismatchError,
    ManifestError,
    MissingMemberError,
    NotAnArtifactError,
    UncoveredMemberError,
    UnsafeArtifactError,
)
from tests.support import zips

IN_TMP = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def refused(path: Path, kind: type[ArtifactError]) -> str:
    """The one line with which ``path`` is refused, by opening and by checking alike."""
    with pytest.raises(kind, match="expected") as error:
        open_artifact(path)
    with pytest.raises(kind):
        check(path)
    message = str(error.value)
    assert "found" in message
    assert "\n" not in message
    return message


def link() -> zipfile.ZipInfo:
    info = zipfile.ZipInfo("link")
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    return info


@pytest.mark.parametrize(
    "name", ["../evil.onnx", "/etc/evil", "a/../../evil", "..\\evil", "C:\\evil", "C:/evil", "a\\b"]
)
def test_no_member_leaves_its_folder(tmp_path: Path, name: str) -> None:
    """Names that climb, are absolute, or have a drive are refused, and nothing is written anywhere."""
    refused(zips.make(tmp_path / "in" / "m.zip", extra=[(name, b"evil")]), UnsafeArtifactError)
    assert [path.name for path in tmp_path.rglob("*") if "evil" in path.name] == []


def test_links_and_repeated_members_are_refused(tmp_path: Path) -> None:
    """A link could point anywhere; of two members of one name, one would be checked and the other used."""
    assert "link" in refused(zips.make(tmp_path / "a.zip", extra=[(link(), b"/etc/passwd")]), UnsafeArtifactError)
    twice = zips.make(tmp_path / "b.zip", extra=[("encoder.onnx", b"other")])
    assert "twice" in refused(twice, UnsafeArtifactError)
    assert "twice" in refused(zips.make(tmp_path / "c.zip", extra=[("Encoder.ONNX", b"other")]), UnsafeArtifactError)


def test_encrypted_members_are_refused(tmp_path: Path) -> None:
    """The flag in the directory is enough: no password is asked for."""
    path = zips.make(tmp_path / "m.zip")
    data = bytearray(path.read_bytes())
    at = data.rfind(b"PK\x01\x02")
    struct.pack_into("<H", data, at + 8, struct.unpack_from("<H", data, at + 8)[0] | 1)
    path.write_bytes(data)
    assert "encrypted" in refused(path, UnsafeArtifactError)


def test_a_bomb_is_refused_before_it_unpacks(tmp_path: Path) -> None:
    """A hundred kilobytes that stand for a hundred megabytes are refused by their directory entry alone."""
    path = zips.make(tmp_path / "m.zip", extra=[("weights.bin", bytes(100 << 20))])
    assert path.stat().st_size < 1 << 20
    assert "unpacks to 100 MiB" in refused(path, UnsafeArtifactError)


def test_too_many_members_are_refused(tmp_path: Path) -> None:
    """A model has five."""
    extra: list[tuple[str | zipfile.ZipInfo, bytes]] = [(f"{number}.txt", b"") for number in range(1100)]
    refused(zips.make(tmp_path / "m.zip", extra=extra), UnsafeArtifactError)


def test_a_flipped_byte_is_found(tmp_path: Path) -> None:
    """Also where the zip's own checksum was made to fit: the manifest's digest does not."""
    path = zips.stored(tmp_path / "m.zip")
    zips.flip(path, zips.GRAPHS["decoder.onnx"])
    assert "decoder.onnx" in refused(path, DigestMismatchError)


def test_a_damaged_member_is_found(tmp_path: Path) -> None:
    """A byte flipped in the file, with the zip's checksum left as it was."""
    path = zips.stored(tmp_path / "m.zip")
    data = bytearray(path.read_bytes())
    data[data.find(zips.GRAPHS["encoder.onnx"]) + 5] ^= 1
    path.write_bytes(data)
    refused(path, NotAnArtifactError)


def test_truncated_files_folders_and_other_files_are_no_artifacts(tmp_path: Path) -> None:
    """Each says what it is instead."""
    path = zips.make(tmp_path / "m.zip")
    whole = path.read_bytes()
    for length in (0, 4, 200, len(whole) - 30):
        path.write_bytes(whole[:length])
        refused(path, NotAnArtifactError)
    assert "folder" in refused(tmp_path, NotAnArtifactError)
    assert "cannot be read" in refused(tmp_path / "none.zip", NotAnArtifactError)
    path.write_bytes(b"a photo")
    refused(path, NotAnArtifactError)


@pytest.mark.skipif(sys.platform == "win32", reason="permissions are not bits there")
def test_an_unreadable_file_says_so(tmp_path: Path) -> None:
    """Permission denied is one line (tried as another user, since an administrator may read everything)."""
    path = zips.make(tmp_path / "m.zip")
    path.chmod(0)
    drop = "import os; os.setgroups([]); os.setgid(65534); os.setuid(65534)" if os.getuid() == 0 else ""
    # Another user may not reach the temporary folder either: the file is opened through its parent, made passable.
    for folder in (tmp_path, *tmp_path.parents):
        if folder != folder.parent and folder.stat().st_uid == os.getuid():
            folder.chmod(folder.stat().st_mode | 0o111)
    code = (
        f"import sys; sys.path[:] = {sys.path!r}\n"
        "from pathlib import Path\n"
        "from secryst_gui.artifacts.artifact import check\n"
        "from secryst_gui.errors import NotAnArtifactError\n"
        f"{drop}\n"
        f"try: check(Path({str(path)!r}))\n"
        "except NotAnArtifactError as error: print(error)\n"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "cannot be read (Permission denied)" in result.stdout
    assert result.stdout.count("\n") == 1


def test_what_the_manifest_promises_must_be_there(tmp_path: Path) -> None:
    """A missing graph, a missing manifest, a kv decoder that is declared only."""
    graphs = {name: data for name, data in zips.GRAPHS.items() if name != "decoder-kv.onnx"}
    assert "decoder-kv.onnx" in refused(zips.make(tmp_path / "a.zip", graphs), MissingMemberError)
    only = {"encoder.onnx": b"e"}
    assert "decoder.onnx" in refused(zips.make(tmp_path / "b.zip", only, decoder="plain"), MissingMemberError)
    with zipfile.ZipFile(tmp_path / "c.zip", "w") as archive:
        archive.writestr("encoder.onnx", b"e")
    assert "metadata.yaml" in refused(tmp_path / "c.zip", MissingMemberError)
    promised = zips.fields()["sha256"] | {"other.onnx": "0" * 64}
    assert "other.onnx" in refused(zips.make(tmp_path / "d.zip", sha256=promised), MissingMemberError)


def test_a_graph_without_a_digest_is_not_opened(tmp_path: Path) -> None:
    """One that nobody asked for, and one of the usual three."""
    extra = zips.make(tmp_path / "a.zip", extra=[("extra.onnx", b"unchecked")])
    assert "extra.onnx" in refused(extra, UncoveredMemberError)
    digests = {name: digest for name, digest in zips.fields()["sha256"].items() if name != "decoder.onnx"}
    assert "decoder.onnx" in refused(zips.make(tmp_path / "b.zip", sha256=digests), UncoveredMemberError)


def test_a_bad_manifest_is_an_error_of_the_artifact(tmp_path: Path) -> None:
    """YAML that multiplies, or that is none."""
    refused(zips.make(tmp_path / "a.zip", metadata=b"a: &a [1]\nb: [*a, *a]\n"), ManifestError)
    refused(zips.make(tmp_path / "b.zip", metadata=b"\x00\x01"), ManifestError)


@IN_TMP
@given(st.binary(max_size=400))
def test_any_file_is_refused_in_one_line(tmp_path: Path, data: bytes) -> None:
    """Random bytes never raise anything but an ArtifactError."""
    path = tmp_path / "m.zip"
    path.write_bytes(b"PK\x03\x04" + data)
    with pytest.raises(ArtifactError):
        check(path)


@IN_TMP
@given(st.lists(st.tuples(st.integers(0, 3000), st.integers(0, 255)), min_size=1, max_size=8))
def test_any_damage_is_refused_or_harmless(tmp_path: Path, changes: list[tuple[int, int]]) -> None:
    """Bytes changed anywhere: an ArtifactError, or a zip whose graphs are still what the manifest promises."""
    path = zips.make(tmp_path / "m.zip")
    data = bytearray(path.read_bytes())
    for at, value in changes:
        data[at % len(data)] = value
    path.write_bytes(data)
    with suppress(ArtifactError):
        check(path)
        with opened(path) as archive:
            assert set(archive.graphs) <= set(archive.manifest.sha256)
