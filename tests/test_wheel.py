"""What reaches a user's machine: the wheel has the program, its resources and its models, and nothing else."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The files of a wheel built from this checkout."""
    out = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(out), str(ROOT)]
    subprocess.run(command, check=True, capture_output=True)
    (wheel,) = out.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        return archive.namelist()


def test_the_program_its_resources_and_its_models_are_in_it(names: list[str]) -> None:
    """Every module and resource, every shipped zip and its index, the licence, and the mark of a typed package."""
    for folder, inside in (("secryst_gui", "secryst_gui"), ("resources", "secryst_gui/_resources")):
        for path in (ROOT / folder).rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                assert f"{inside}/{path.relative_to(ROOT / folder).as_posix()}" in names
    for path in (*(ROOT / "models").glob("*.zip"), ROOT / "models" / "models.yaml"):
        assert f"secryst_gui/_models/{path.name}" in names
    assert "secryst_gui/py.typed" in names
    assert any(name.endswith("licenses/LICENSE") for name in names)


def test_what_only_developers_need_is_not(names: list[str]) -> None:
    """Neither tests, nor the recipe, nor caches."""
    unwanted = ("tests/", "recipe/", "__pycache__", ".pyc", "packaging/")
    assert [name for name in names if any(part in name for part in unwanted)] == []
