"""What every test stands on: folders of its own, and the conformance files where they are."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

from secryst_gui import paths

# The same examples for everyone; HYPOTHESIS_PROFILE=explore draws new ones.
settings.register_profile("same", derandomize=True, deadline=None)
settings.register_profile("explore", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))

CONFORMANCE = "SECRYST_CONFORMANCE"


@pytest.fixture(scope="session")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Laid-out graphs of the whole run: shared, because every test may open the same models."""
    return tmp_path_factory.mktemp("work")


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test reads or writes what belongs to the person who runs it."""
    monkeypatch.setenv(paths.CACHE, str(tmp_path / "cache"))
    monkeypatch.setenv(paths.WORK, str(work))
    monkeypatch.setenv(paths.CONFIG, str(tmp_path / "config"))


@pytest.fixture(scope="session")
def conformance() -> Path:
    """The folder of real artifacts with reference outputs."""
    folder = os.environ.get(CONFORMANCE)
    if not folder:
        pytest.skip(f"{CONFORMANCE} is not set; it names the folder with real artifacts and their reference outputs")
    return Path(folder)
