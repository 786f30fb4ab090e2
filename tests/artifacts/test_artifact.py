"""Opening: verified, laid out as files, remembered."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from secryst_gui import paths
from secryst_gui.artifacts import artifact as module
from secryst_gui.artifacts import open_artifact
from secryst_gui.errors import DigestMismatchError, StoreError
from tests.support import zips


@pytest.fixture(autouse=True)
def own_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """These tests look into the work folder, so each has its own."""
    monkeypatch.setenv(paths.WORK, str(tmp_path / "work"))
    return tmp_path / "work"


def test_graphs_are_laid_out_as_they_are_in_the_zip(tmp_path: Path) -> None:
    """Each graph is a file with its bytes; only those asked for are laid out."""
    path = zips.make(tmp_path / "m.zip")
    opened = open_artifact(path)
    assert {name: file.read_bytes() for name, file in opened.graphs.items()} == zips.GRAPHS
    assert opened.has_kv
    assert (opened.id, opened.task, opened.precision) == ("ara-diac-test-1.0", "diacritization", "fp32")
    assert set(open_artifact(path, only=["encoder.onnx", "nothing.onnx"]).graphs) == {"encoder.onnx"}


def test_also_graphs_that_are_not_asked_for_are_verified(tmp_path: Path) -> None:
    """A zip is right as a whole or not at all."""
    path = zips.stored(tmp_path / "m.zip")
    zips.flip(path, zips.GRAPHS["decoder.onnx"])
    with pytest.raises(DigestMismatchError):
        open_artifact(path, only=["encoder.onnx"])


def test_a_verified_file_is_not_read_again_until_it_changes(tmp_path: Path) -> None:
    """Remembered by path, size and modification time: a change that keeps all three is not seen, others are."""
    path = zips.stored(tmp_path / "m.zip")
    stamp = path.stat().st_mtime_ns
    open_artifact(path)
    zips.flip(path, zips.GRAPHS["decoder.onnx"])
    os.utime(path, ns=(stamp, stamp))
    open_artifact(path)
    os.utime(path, ns=(stamp, stamp + 1))
    with pytest.raises(DigestMismatchError):
        open_artifact(path)


@pytest.mark.parametrize("harm", ["delete", "shorten", "change", "forget"])
def test_the_laid_out_files_are_a_cache(tmp_path: Path, own_work: Path, harm: str) -> None:
    """Deleted or changed at any time, they are laid out again; without the memory everything is checked again."""
    path = zips.make(tmp_path / "m.zip")
    graph = open_artifact(path).graphs["encoder.onnx"]
    if harm == "delete":
        graph.unlink()
    elif harm == "shorten":
        graph.write_bytes(b"")
    elif harm == "change":
        graph.write_bytes(b"x" * len(zips.GRAPHS["encoder.onnx"]))
    else:
        (own_work / "verified.json").write_text('{"zips": 3', "utf-8")
    assert open_artifact(path).graphs["encoder.onnx"].read_bytes() == zips.GRAPHS["encoder.onnx"]


def test_a_zip_that_fails_leaves_no_graph_behind(tmp_path: Path, own_work: Path) -> None:
    """Nothing of a wrong graph stays where an opened model could find it."""
    path = zips.stored(tmp_path / "m.zip")
    zips.flip(path, zips.GRAPHS["decoder.onnx"])
    with pytest.raises(DigestMismatchError):
        open_artifact(path)
    wrong = path.read_bytes()[path.read_bytes().find(b"decnder") :][:10] if b"decnder" in path.read_bytes() else b"?"
    assert all(wrong not in file.read_bytes() for file in own_work.rglob("*.onnx"))
    assert list(own_work.rglob("*.part")) == []


def test_the_oldest_graphs_make_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, own_work: Path) -> None:
    """The folder keeps to its limit, and what was just opened stays whatever its size."""
    monkeypatch.setattr(module, "MEMBERS_LIMIT", 3000)
    for number in range(6):
        graphs = {name: data + b"%d" % number for name, data in zips.GRAPHS.items()}
        opened = open_artifact(zips.make(tmp_path / f"{number}.zip", graphs))
        assert all(file.exists() for file in opened.graphs.values())
    assert sum(file.stat().st_size for file in own_work.rglob("*.onnx")) <= 3000
    monkeypatch.setattr(module, "MEMBERS_LIMIT", 1)
    assert all(file.exists() for file in open_artifact(tmp_path / "0.zip").graphs.values())


def test_two_processes_may_open_one_zip_at_once(tmp_path: Path) -> None:
    """Both get every graph whole."""
    path = zips.make(tmp_path / "m.zip", {**zips.GRAPHS, "encoder.onnx": os.urandom(4 << 20)})
    code = (
        "import sys, hashlib\n"
        "from secryst_gui.artifacts import open_artifact\n"
        "opened = open_artifact(sys.argv[1])\n"
        "for name, file in opened.graphs.items():\n"
        "    assert hashlib.sha256(file.read_bytes()).hexdigest() == opened.manifest.sha256[name]\n"
    )
    started = [subprocess.Popen([sys.executable, "-c", code, str(path)]) for _ in range(3)]
    assert [process.wait() for process in started] == [0, 0, 0]


@pytest.mark.skipif(sys.platform == "win32", reason="there is no limit on file sizes to set")
def test_a_full_disk_is_told_in_one_line(tmp_path: Path) -> None:
    """Where graphs cannot be laid out, the message names the folder, and no half file stays."""
    path = zips.make(tmp_path / "m.zip", {**zips.GRAPHS, "encoder.onnx": os.urandom(1 << 20)})
    code = (
        "import resource, signal, sys\n"
        "from secryst_gui.artifacts import open_artifact\n"
        "from secryst_gui.errors import StoreError\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, resource.RLIM_INFINITY))\n"
        "try: open_artifact(sys.argv[1])\n"
        "except StoreError as error: print(error)\n"
    )
    result = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True)
    assert result.stdout.startswith("expected ")
    assert result.stdout.count("\n") == 1
    assert list((tmp_path / "work").rglob("*.part")) == []


def test_a_work_folder_that_cannot_be_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file where the folder should be: one line, no traceback."""
    (tmp_path / "file").write_text("x")
    monkeypatch.setenv(paths.WORK, str(tmp_path / "file" / "work"))
    with pytest.raises(StoreError, match="expected a folder that can be written"):
        open_artifact(zips.make(tmp_path / "m.zip"))
