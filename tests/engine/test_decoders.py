"""The forms of a decoder: checked, remembered, and never a reason for a model not to work."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from secryst_gui import paths
from secryst_gui.engine import EngineOptions, IMFModel, LookupDrafter, SpeculativeModel, decoders
from secryst_gui.engine.decoder import Decoder
from secryst_gui.engine.rewrite import Plan, plan, planned
from secryst_gui.engine.session import Session
from tests.engine.conftest import FIXTURES

Open = Callable[..., IMFModel]
INT8, FP32 = (f"fixture-verifier-1.0-{precision}.zip" for precision in ("int8", "fp32"))
TEXT, LENGTH = "hello world", 24


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A work folder that no other test has filled; what is rewritten lies under it."""
    folder = tmp_path / "own-work"
    monkeypatch.setenv(paths.WORK, str(folder))
    return folder


@pytest.fixture
def reopened(conformance: Path, cache: Path) -> Open:  # noqa: ARG001 - the folder must be another one
    """Open a fixture as after a restart of the program."""

    def get(name: str, *, rewrite: bool = True) -> IMFModel:
        return IMFModel.load(conformance / "imf" / name, EngineOptions(threads=1, rewrite=rewrite))

    return get


def exact(model: IMFModel) -> bool:
    """Whether blocks of this model give what single steps give."""
    output = model.generate(TEXT, LENGTH, raw=True, guard=False)
    pairs = [SpeculativeModel(drafter, model, 5) for drafter in (LookupDrafter(), model)]
    return all(pair.generate(TEXT, LENGTH, raw=True, guard=False) == output for pair in pairs)


@pytest.mark.parametrize("name", FIXTURES)
def test_single_steps_do_not_depend_on_rewriting(reopened: Open, name: str) -> None:
    """As it is or rewritten, measured or remembered: the same output."""
    with reopened(name, rewrite=False) as untouched:
        expected = untouched.generate(TEXT, LENGTH, raw=True, guard=False)
    for _ in ("measured", "remembered"):
        with reopened(name) as model:
            assert model.generate(TEXT, LENGTH, raw=True, guard=False) == expected
            assert exact(model)


def test_what_was_measured_is_remembered(reopened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second start compares nothing again, and knows the same."""
    with reopened(INT8) as model:
        found = model.vocabulary, model.multi_token_reason, model.near_tie
    monkeypatch.setattr(decoders, "probe", None)
    with reopened(INT8) as model:
        assert (model.vocabulary, model.multi_token_reason, model.near_tie) == found


@pytest.mark.parametrize("member", ["prologue.onnx", "step.onnx", "rows.onnx", "notes.json", "done"])
@pytest.mark.parametrize("damage", ["cut", "gone"])
def test_a_damaged_cache_is_made_again(reopened: Open, cache: Path, member: str, damage: str) -> None:
    """A rewritten file that was cut short or deleted costs a little time, never the model."""
    reopened(INT8).close()
    (folder,) = (path for path in (cache / "rewrites").iterdir() if path.is_dir())
    path = folder / member
    content = path.read_bytes()
    path.unlink()
    if damage == "cut":
        path.write_bytes(content[: len(content) // 2])
    with reopened(INT8) as model:
        assert model.multi_token
        assert exact(model)
    assert path.exists()


@pytest.mark.parametrize("name", [INT8, FP32])
def test_an_open_model_outlives_its_cache(reopened: Open, cache: Path, name: str) -> None:
    """All work files disappear after the second start, when some were not opened yet: output stays exact."""
    reopened(name).close()
    with reopened(name) as model:
        shutil.rmtree(cache)
        assert exact(model)


def test_a_cache_that_is_emptied_while_a_model_is_opened(
    reopened: Open, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Another process trims the folder between the plan and its use: the graph is opened as it is, exact."""
    reopened(INT8).close()

    def emptied(graph: Path) -> Plan | None:
        plan = planned(graph)
        assert plan is not None
        shutil.rmtree(plan.folder)
        return plan

    monkeypatch.setattr(decoders, "planned", emptied)
    with caplog.at_level(logging.WARNING), reopened(INT8) as model:
        assert "rewritten form is gone" in caplog.text
        assert "one scale" in str(model.multi_token_reason)
        assert exact(model)


def test_a_cache_that_cannot_be_used_is_no_obstacle(reopened: Open, cache: Path) -> None:
    """A file stands where the folder should be: the graph is opened as it is."""
    cache.mkdir(parents=True)
    (cache / "rewrites").write_text("in the way")
    with reopened(FP32) as model:
        assert model.multi_token
        assert exact(model)


def test_a_rewriting_that_computes_something_else_is_not_used(
    reopened: Open, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, conformance: Path
) -> None:
    """It is compared with the untouched graph before it is trusted; the log says by how much it is off."""
    with IMFModel.load(conformance / "imf" / "fixture-verifier-1.0-fp16.zip") as other:
        wrong = planned(other.artifact.graphs["decoder-kv.onnx"])
    assert wrong is not None
    with reopened(FP32, rewrite=False) as untouched:
        expected = untouched.generate(TEXT, LENGTH, raw=True, guard=False)
    bad = Plan(wrong.folder, wrong.step, wrong.prologue, None, None, {})
    monkeypatch.setattr(decoders, "planned", lambda _: bad)
    with caplog.at_level(logging.WARNING), reopened(FP32) as model:
        assert "is opened as it is" in caplog.text
        assert model.generate(TEXT, LENGTH, raw=True, guard=False) == expected


def test_passes_share_the_prologue_of_steps(reopened: Open) -> None:
    """The weights that read the source are opened once for both forms, also after a restart."""
    reopened(INT8).close()
    with reopened(INT8) as model:
        encoded = model.encode(TEXT)
        assert encoded is not None
        steps, passes = encoded.decoders.steps, encoded.decoders.passes
        assert isinstance(steps.prologue, Session)
        assert isinstance(passes, Decoder)
        assert passes is not steps
        assert passes.prologue is steps.prologue


def test_a_large_graph_is_rewritten_in_a_process_of_its_own(
    reopened: Open, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same files come of it, to the byte; this process parses nothing meanwhile."""
    reopened(INT8).close()
    (folder,) = (path for path in (cache / "rewrites").iterdir() if path.is_dir())
    here = {path.name: path.read_bytes() for path in folder.glob("*.onnx")}
    shutil.rmtree(cache)
    monkeypatch.setattr(plan, "LARGE_BYTES", 0)
    monkeypatch.setattr(plan, "write_forms", None)
    with reopened(INT8) as model:
        assert exact(model)
    assert {path.name: path.read_bytes() for path in folder.glob("*.onnx")} == here


def test_a_process_that_fails_says_why(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A graph that cannot be read is opened as it is (and fails there in its turn); the log has the reason."""
    monkeypatch.setattr(plan, "LARGE_BYTES", 0)
    graph = tmp_path / "broken.onnx"
    graph.write_bytes(b"no graph")
    with caplog.at_level(logging.WARNING):
        assert planned(graph) is None
    assert "broken.onnx" in caplog.text
    assert "could not be rewritten" in caplog.text
    assert not [path for path in (cache / "rewrites").iterdir() if path.is_dir() and path.suffix != ".part"]
