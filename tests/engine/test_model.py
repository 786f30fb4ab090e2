"""Plain decoding: the oracle of everything else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from secryst_gui import paths
from secryst_gui.engine import EngineOptions, IMFModel
from secryst_gui.errors import DecodeError
from tests.engine.conftest import FIXTURES, Load


@pytest.mark.parametrize("name", FIXTURES)
def test_plain_decoding_gives_the_reference_tokens(
    load: Load, goldens: list[dict[str, Any]], conformance: Path, name: str
) -> None:
    """Token for token what the public runtime gave; where integer kernels differ, what it gives on this machine."""
    public = None
    for row in (row for row in goldens if row["zip"] == name):
        found = load(name).generate(row["input"], row["max_len"], raw=True, guard=False)
        if found != row["tokens"]:
            assert "int" in name, "floating-point references hold on any machine"
            secryst = pytest.importorskip("secryst")
            public = public or secryst.Model.load(conformance / "imf" / name)
            assert found == public.generate(row["input"], row["max_len"])


def test_the_parity_kit_is_met_byte_for_byte(load: Load, conformance: Path) -> None:
    """Hidden states of whole numbers, no keys and values, no scripts: output equals the reference."""
    for line in (conformance / "parity" / "golden.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        assert load("tiny-1.0.zip").translate(row["input"], max_len=8, raw=True) == row["output"]


def test_line_breaks_survive_and_empty_lines_stay_empty(load: Load) -> None:
    """A text comes back with its own line breaks, and blank lines are not decoded."""
    model = load(FIXTURES[0])
    one, two = (model.translate(text, max_len=6) for text in ("one", "two"))
    assert "\n" not in one + two
    assert model.translate("one\r\n\n  \ntwo\n", max_len=6) == f"{one}\r\n\n  \n{two}\n"
    assert model.translate("", max_len=6) == ""
    assert model.generate("", max_len=6) == []


def test_marks_are_normalised_unless_raw(load: Load) -> None:
    """The source is read without vowel marks, or as it stands."""
    model = load(FIXTURES[0])
    plain, vowelled = model.encode("قال"), model.encode("قَالَ")
    raw = model.encode("قَالَ", raw=True)
    assert plain is not None
    assert vowelled is not None
    assert raw is not None
    assert plain.ids == vowelled.ids != raw.ids
    assert model.encode("\u064e") is None


def test_drafting_is_greedy_continuation(load: Load) -> None:
    """From any prefix of the output, a draft is how the output goes on, and it ends at the end token."""
    for name in FIXTURES:
        model = load(name)
        encoded = model.encode("hello world", raw=True)
        assert encoded is not None
        output = model.generate("hello world", 20, raw=True, guard=False)
        for start in (0, 7, 3, 12):
            assert model.draft(encoded, output[:start], 6) == output[start : start + 6]


@pytest.mark.parametrize("name", FIXTURES)
def test_a_draft_ends_where_the_model_is_not_sure(load: Load, name: str) -> None:
    """A part of the whole draft, shorter the surer it must be; none where nothing is sure enough; 0 asks nothing."""
    model = load(name)

    def draft(confidence: float) -> list[int]:
        encoded = model.encode("hello", raw=True)
        assert encoded is not None
        return model.draft(encoded, [], 12, confidence)

    whole = draft(0.0)
    lengths = [len(draft(confidence)) for confidence in (1e-30, 0.001, 0.1, 0.9, 1.0)]
    assert lengths == sorted(lengths, reverse=True)
    assert (lengths[0], lengths[-1]) == (len(whole), 0)
    assert all(draft(confidence) == whole[: len(draft(confidence))] for confidence in (0.001, 0.1))


def test_a_model_may_be_deleted_while_it_is_in_use(conformance: Path, tmp_path: Path, monkeypatch: Any) -> None:
    """The zip and the laid-out graphs disappear; the open model goes on."""
    monkeypatch.setenv(paths.WORK, str(tmp_path / "work"))
    copy = tmp_path / FIXTURES[0]
    copy.write_bytes((conformance / "imf" / FIXTURES[0]).read_bytes())
    with IMFModel.load(copy, EngineOptions(threads=1)) as model:
        before = model.generate("hello", 12)
        copy.unlink()
        for graph in model.artifact.graphs.values():
            graph.unlink()
        assert model.generate("hello", 12) == before


def test_a_closed_model_says_so(conformance: Path) -> None:
    """Using it is a caller's mistake with a clear line, not a crash."""
    model = IMFModel.load(conformance / "imf" / FIXTURES[4])
    model.close()
    with pytest.raises(DecodeError, match="closed"):
        model.encode("x")
