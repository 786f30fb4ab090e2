"""Where things are."""

from __future__ import annotations

from pathlib import Path

import pytest

from secryst_gui import paths


def test_the_environment_decides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A given cache is the only one; work and settings go where they are told."""
    for name in (paths.CACHE, paths.WORK, paths.CONFIG):
        monkeypatch.setenv(name, str(tmp_path / name))
    assert paths.model_roots() == (tmp_path / paths.CACHE / "models",)
    assert paths.work_dir() == tmp_path / paths.WORK
    assert paths.work_dir().is_dir()
    assert paths.config_dir() == tmp_path / paths.CONFIG
    assert paths.history_file() == tmp_path / paths.CONFIG / "history.sqlite"
    assert not paths.config_dir().exists()


def test_without_it_the_caches_of_the_other_runtimes_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The user cache comes first, and each folder once."""
    for name in (paths.CACHE, "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    roots = paths.model_roots()
    assert roots[0] == paths.cache_dir() / "models"
    assert tmp_path / ".cache" / "interscript" / "models" in roots
    assert len(set(roots)) == len(roots)


def test_the_history_stays_on_its_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a given folder the history is in the user's data, which settings that roam do not carry along."""
    monkeypatch.delenv(paths.CONFIG)
    monkeypatch.setattr("platformdirs.user_data_dir", lambda *_, **__: str(tmp_path / "data"))
    assert paths.history_file() == tmp_path / "data" / "history.sqlite"
    assert not (tmp_path / "data").exists()


def test_a_cache_that_cannot_be_written_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A read-only or missing home: work files go to a temporary folder, the same one each time."""
    monkeypatch.delenv(paths.WORK)
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setattr("platformdirs.user_cache_dir", lambda *_, **__: str(tmp_path / "file" / "cache"))
    assert paths.work_dir() == paths.work_dir()
    assert paths.work_dir().is_dir()


def test_what_ships_is_there() -> None:
    """Resources and the model folder are found in a checkout and in an installed package."""
    assert (paths.resources_dir() / "samples").is_dir()
    assert paths.shipped_models_dir().is_dir()
