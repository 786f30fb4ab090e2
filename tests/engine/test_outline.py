"""Draft heads in real decoding: a file that carries ``draft.onnx`` drafts for itself and for others."""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from onnx import TensorProto, helper, numpy_helper

from secryst_gui import paths
from secryst_gui.engine import (
    BlockEvent,
    DecodeOptions,
    Drafter,
    EngineOptions,
    HeadDrafter,
    IMFModel,
    LookupDrafter,
    ModelDrafter,
    SpeculativeModel,
    tokens,
)
from secryst_gui.errors import PairError
from tests.engine.conftest import FIXTURES, Load, Plain
from tests.support import graphs
from tests.support.imf import write_imf

TEXT = "قال رسول الله 👍 cafe"
RAW = DecodeOptions(max_len=400, raw=True, guard=False)
SIZES = (1, 2, 3, 5, 8, 16, 32, None)


def head(inserted: int = 0) -> Any:
    """``draft.onnx`` that inserts ``inserted`` after each source byte (0: nothing, the outline is a copy)."""
    nodes = [
        helper.make_node("Unsqueeze", ["input_ids", "axis"], ["columns"]),
        helper.make_node("Mul", ["columns", "zero"], ["zeros"]),
        helper.make_node("Add", ["zeros", "inserted"], ["insertions"]),
    ]
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.INT64, ["B", "S"])
        for name in ("input_ids", "encoder_hidden_states")
    ]
    outputs = [helper.make_tensor_value_info("insertions", TensorProto.INT64, ["B", "S", 1])]
    constants = [
        numpy_helper.from_array(np.array(value), name)
        for name, value in (("axis", [2]), ("zero", 0), ("inserted", inserted))
    ]
    graph = helper.make_graph(nodes, "head", inputs, outputs, constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)], ir_version=8)


def with_head(path: Path, draft: Any, decoder: Any) -> Path:
    """The zip of ``decoder`` with a draft head added, and covered by a digest."""
    plain = write_imf(path.with_name(f"plain{path.name}"), decoder)
    with zipfile.ZipFile(plain) as source, zipfile.ZipFile(path, "w") as target:
        metadata = yaml.safe_load(source.read("metadata.yaml"))
        content = draft.SerializeToString()
        metadata["sha256"]["draft.onnx"] = hashlib.sha256(content).hexdigest()
        metadata["id"] = f"{path.stem}-1.0"
        target.writestr("metadata.yaml", yaml.safe_dump(metadata))
        for name in metadata["sha256"]:
            target.writestr(name, content if name == "draft.onnx" else source.read(name))
    return path


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory, work: Path) -> Iterator[dict[str, IMFModel]]:
    """``right``: a copier whose head copies. ``wrong``: one whose head inserts rubbish. ``small``: 16 token ids."""
    folder = tmp_path_factory.mktemp("heads")
    written = {
        "right": with_head(folder / "right.zip", head(), graphs.copier()),
        "wrong": with_head(folder / "wrong.zip", head(90), graphs.copier()),
        "small": with_head(folder / "small.zip", head(), graphs.chain(vocabulary=16)),
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(paths.WORK, str(work))
        opened = {name: IMFModel.load(path, EngineOptions(threads=1)) for name, path in written.items()}
    yield opened
    for model in opened.values():
        model.close()


@pytest.mark.parametrize("k", SIZES)
def test_any_head_is_exact(models: dict[str, IMFModel], k: int | None) -> None:
    """The verifier's own head, another's, right or wrong, alone or among several: the text comes through whole."""
    verifier = models["right"]
    several: list[Drafter | IMFModel] = [HeadDrafter(verifier), HeadDrafter(models["wrong"]), LookupDrafter()]
    several.append(ModelDrafter(models["wrong"]))
    text = f"{TEXT}\n{TEXT}"
    for drafters in (*([each] for each in several), several):
        assert SpeculativeModel(drafters, verifier, k).translate(text, raw=True, guard=False) == text


def test_a_right_head_is_accepted_and_a_wrong_one_is_not(models: dict[str, IMFModel]) -> None:
    """Drafts really come from the head, and whose they are is told."""
    for name, rate in (("right", 1.0), ("wrong", 0.0)):
        for drafter in (HeadDrafter(models[name]), ModelDrafter(models[name])):
            pair = SpeculativeModel(drafter, models["right"], 8)
            blocks = [event for event in pair.decode("abcdefgh", RAW) if isinstance(event, BlockEvent)]
            assert {block.drafter for block in blocks} == {drafter.name}
            found = pair.stats.acceptance_rate
            assert found is not None
            assert found == rate if rate else found < 0.5


def test_a_model_with_a_head_drafts_for_itself_with_its_decoder(models: dict[str, IMFModel]) -> None:
    """The same model as both: its own greedy output is proposed, so acceptance is exactly 1 however wrong its head."""
    pair = SpeculativeModel(models["wrong"], models["wrong"], 4)
    assert pair.translate(TEXT, raw=True, guard=False) == TEXT
    assert pair.stats.acceptance_rate == 1.0


def test_heads_are_checked(models: dict[str, IMFModel], load: Load) -> None:
    """A file without a head, and a head of another vocabulary, are refused with one line."""
    with pytest.raises(PairError, match="draft head"):
        HeadDrafter(load(FIXTURES[0]))
    with pytest.raises(PairError, match="16"):
        SpeculativeModel(HeadDrafter(models["small"]), models["right"])
    with pytest.raises(PairError, match="16"):
        SpeculativeModel([LookupDrafter(), models["small"]], models["right"])


@pytest.mark.parametrize("name", FIXTURES)
def test_several_drafters_and_a_chosen_block_size_are_exact(load: Load, plain: Plain, name: str) -> None:
    """Which drafter and how many tokens is chosen by measured time, so it varies; the output does not."""
    several: list[Drafter | IMFModel] = [load(FIXTURES[4]), LookupDrafter(), load(FIXTURES[6])]
    for text in ("hello world", "قال رسول الله"):
        output, reason = plain(name, text, 60, True)
        for k in (None, 5):
            pair = SpeculativeModel(several, load(name), k)
            assert pair.generate(text, 60, raw=True, guard=True) == output
            *_, done = pair.decode(text, DecodeOptions(max_len=60, raw=True, guard=True))
            assert (list(done.tokens), done.stop) == (output, reason)  # type: ignore[union-attr]


def test_a_head_may_read_a_source_of_its_own(models: dict[str, IMFModel]) -> None:
    """Begun like any drafter, outside of a pair: it drafts its outline."""
    drafter = HeadDrafter(models["right"])
    assert drafter.propose([], 4) == []
    drafter.begin("ab", tokens.encode("ab"))
    assert drafter.propose([], 8) == tokens.encode("ab")
