"""``secryst-gui models``: what is there, checked, imported, removed."""

from __future__ import annotations

import json
from pathlib import Path

from tests.commands.conftest import Run


def listed(run: Run) -> dict[str, dict[str, object]]:
    objects = [json.loads(line) for line in run("models", "--json").out.splitlines()]
    return {each["filename"]: each for each in objects if not each["shipped"]}


def test_import_list_verify_remove(run: Run, verifier: Path) -> None:
    """A model goes in, is listed and verified by its name, and goes out again; the original stays."""
    assert run("models", "import", verifier).code == 0
    assert listed(run)[verifier.name]["precision"] == "fp32"
    assert run("models", "verify", verifier.stem).code == 0
    assert run("models", "remove", verifier.stem).code == 0
    assert listed(run) == {}
    assert verifier.exists()


def test_json_may_stand_before_or_after_the_action(run: Run, verifier: Path) -> None:
    """``models --json list`` and ``models list --json`` say the same."""
    run("models", "import", verifier)
    assert run("models", "--json", "list").out == run("models", "list", "--json").out != ""


def test_a_broken_model_is_listed_with_its_reason_and_fails_to_verify(run: Run, verifier: Path) -> None:
    """A truncated file in the cache is shown, not hidden; verifying exits with 1; the others still work."""
    run("models", "import", verifier)
    cached = Path(str(listed(run)[verifier.name]["path"]))
    broken = cached.with_name("broken.zip")
    broken.write_bytes(verifier.read_bytes()[:5000])
    assert "truncated" in str(listed(run)["broken.zip"]["problem"])
    assert "broken.zip" in run("models").out
    assert run("models", "verify").code == 1
    assert run("models", "verify", verifier.stem).code == 0


def test_importing_something_else_leaves_the_cache_as_it_was(run: Run, tmp_path: Path) -> None:
    """One line, exit 1, nothing cached."""
    other = tmp_path / "photo.zip"
    other.write_bytes(b"no zip at all")
    result = run("models", "import", other)
    assert (result.code, result.out, result.err.count("\n")) == (1, "", 1)
    assert listed(run) == {}


def test_removing_what_is_not_there_says_what_is(run: Run) -> None:
    """An unknown name exits with 1 and lists the known ones."""
    result = run("models", "remove", "khm-latn-9.9")
    assert result.code == 1
    assert "there are" in result.err
