"""What models are on this machine."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from secryst_gui.artifacts import Store
from secryst_gui.errors import ArtifactError, DigestMismatchError, ModelNotFoundError, ProtectedModelError, StoreError
from tests.support import zips

ID = "ara-diac-test-1.0"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "models"


@pytest.fixture
def shipped(tmp_path: Path) -> Path:
    folder = tmp_path / "shipped"
    for name, precision in (("big", "fp32"), ("big", "int8"), ("small", "fp32")):
        zips.make(folder / f"ara-{name}-1.0-{precision}.zip", id=f"ara-{name}-1.0", precision=precision)
    starter = {"verifier": "ara-big-1.0-fp32.zip", "drafter": "ara-small-1.0-fp32.zip"}
    (folder / "models.yaml").write_text(yaml.safe_dump({"version": 1, "models": [], "starter": starter}), "utf-8")
    return folder


@pytest.fixture
def store(root: Path, shipped: Path) -> Store:
    return Store([root], shipped)


def test_everything_is_listed_the_shipped_first(store: Store, root: Path) -> None:
    """Several files of one id, from several places; a missing cache is an empty one."""
    assert [each.shipped for each in store.list()] == [True] * 3
    zips.make(root / ID / "a-int8.zip", precision="int8")
    zips.make(root / ID / "a-fp32.zip")
    listed = store.list()
    assert [each.filename for each in listed][3:] == ["a-fp32.zip", "a-int8.zip"]
    assert {each.id for each in listed[3:]} == {ID}
    assert all(each.problem is None for each in listed)


def test_broken_models_are_listed_with_their_reason(store: Store, root: Path) -> None:
    """Truncated, of another format, or a folder with the name of a zip: shown, not hidden, not fatal."""
    zips.make(root / ID / "a.zip")
    (root / ID / "b.zip").write_bytes((root / ID / "a.zip").read_bytes()[:300])
    zips.make(root / "other-1.0" / "c.zip", format="imf-v9")
    (root / ID / "d.zip").mkdir()
    problems = {each.filename: each.problem for each in store.list() if not each.shipped}
    assert problems["a.zip"] is None
    assert "truncated" in str(problems["b.zip"])
    assert "imf-v9" in str(problems["c.zip"])
    assert "folder" in str(problems["d.zip"])


def test_listing_hashes_nothing_and_opening_does(store: Store, root: Path) -> None:
    """A flipped byte in a graph does not show in the list; verifying finds it."""
    path = zips.stored(zips.make(root / ID / "a.zip"))
    zips.flip(path, zips.GRAPHS["encoder.onnx"])
    found = store.find("a")
    assert found.problem is None
    with pytest.raises(DigestMismatchError):
        store.verify(found)


def test_a_model_is_found_by_what_a_user_would_type(store: Store, root: Path, tmp_path: Path) -> None:
    """A path, a file name with or without its ending, an id; of one id the starter's file, then int8 first."""
    zips.make(root / ID / "x-fp32.zip")
    zips.make(root / ID / "x-int8.zip", precision="int8")
    other = zips.make(tmp_path / "elsewhere" / "y.zip")
    assert store.find(str(other)).path == other
    assert store.find("x-fp32.zip").filename == "x-fp32.zip"
    assert store.find("x-fp32").filename == "x-fp32.zip"
    assert store.find(ID).filename == "x-int8.zip"
    assert store.find("ara-big-1.0").filename == "ara-big-1.0-fp32.zip"
    zips.make(root / f"{ID}-int4" / "model.zip", precision="int4")
    assert store.find(f"{ID}-int4").filename == "model.zip"
    for name in ("nothing-1.0", str(tmp_path / "none.zip")):
        with pytest.raises(ModelNotFoundError, match="expected") as error:
            store.find(name)
        assert "\n" not in str(error.value)


def test_the_starter_pair_is_there_or_not(store: Store, shipped: Path, root: Path) -> None:
    """Verifier and drafter by the index; None when the index, or one of them, is missing or broken."""
    pair = store.default_pair()
    assert pair is not None
    assert [each.id for each in pair] == ["ara-big-1.0", "ara-small-1.0"]
    (shipped / "ara-small-1.0-fp32.zip").write_bytes(b"broken")
    assert store.default_pair() is None
    (shipped / "models.yaml").write_text("[1", "utf-8")
    assert store.default_pair() is None
    assert Store([root], root).default_pair() is None


def test_importing_copies_once(store: Store, root: Path, tmp_path: Path) -> None:
    """The copy is where all runtimes look; a second import changes nothing; the original stays."""
    path = zips.make(tmp_path / "m.zip")
    first = store.import_file(path)
    assert first.path == root / ID / "m.zip"
    stamp = first.path.stat().st_mtime_ns
    assert store.import_file(path) == first
    assert first.path.stat().st_mtime_ns == stamp
    assert path.exists()


def test_importing_never_replaces_another_model(store: Store, tmp_path: Path) -> None:
    """Other contents under the same name are refused, and what was cached stays."""
    first = store.import_file(zips.make(tmp_path / "m.zip"))
    before = first.path.read_bytes()
    other = zips.make(tmp_path / "other" / "m.zip", {**zips.GRAPHS, "encoder.onnx": b"another"})
    with pytest.raises(StoreError, match="found one with other contents"):
        store.import_file(other)
    assert first.path.read_bytes() == before


def test_importing_a_bad_file_leaves_the_cache_as_it_was(store: Store, root: Path, tmp_path: Path) -> None:
    """Broken, missing, or a folder: an ArtifactError, and no file or folder is made."""
    bad = zips.stored(tmp_path / "m.zip")
    zips.flip(bad, zips.GRAPHS["encoder.onnx"])
    for path in (bad, tmp_path / "none.zip", tmp_path):
        with pytest.raises(ArtifactError):
            store.import_file(path)
    assert list(root.rglob("*")) == []


@pytest.mark.skipif(sys.platform == "win32", reason="there is no limit on file sizes to set")
def test_a_disk_that_fills_up_leaves_the_cache_as_it_was(root: Path, tmp_path: Path) -> None:
    """The copy cannot be finished: one line, and neither a half file nor an empty folder."""
    path = zips.make(tmp_path / "m.zip", {**zips.GRAPHS, "encoder.onnx": os.urandom(1 << 20)})
    code = (
        "import resource, signal, sys\n"
        "from pathlib import Path\n"
        "from secryst_gui.artifacts import Store\n"
        "from secryst_gui.errors import StoreError\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, resource.RLIM_INFINITY))\n"
        "try: Store([Path(sys.argv[1])]).import_file(Path(sys.argv[2]))\n"
        "except StoreError as error: print(error)\n"
    )
    command = [sys.executable, "-c", code, str(root), str(path)]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    assert result.stdout.startswith("expected ")
    assert result.stdout.count("\n") == 1
    assert [entry for entry in root.rglob("*") if entry.is_file()] == []
    assert not (root / ID).exists()


def test_only_cached_models_are_removed(store: Store, root: Path, tmp_path: Path) -> None:
    """The shipped ladder stays, and so does a file of the user's elsewhere; a second removal says it is gone."""
    cached = store.import_file(zips.make(tmp_path / "m.zip"))
    with pytest.raises(ProtectedModelError):
        store.remove(store.find("ara-big-1.0"))
    with pytest.raises(StoreError, match="delete that file yourself"):
        store.remove(store.find(str(tmp_path / "m.zip")))
    store.remove(cached)
    assert not (root / ID).exists()
    with pytest.raises(ModelNotFoundError, match="already gone"):
        store.remove(cached)


def test_a_name_cannot_lead_out_of_the_cache(store: Store, root: Path, tmp_path: Path) -> None:
    """A path that climbs out of the cache is not in it."""
    outside = zips.make(tmp_path / "m.zip")
    (root / ID).mkdir(parents=True)
    climbing = store.find(str(root / ID / ".." / ".." / ".." / "m.zip"))
    with pytest.raises(StoreError):
        store.remove(climbing)
    assert outside.exists()
