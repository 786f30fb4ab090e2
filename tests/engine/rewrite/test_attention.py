"""Attention one row at a time: the same bits as when the token had been fed alone, whatever is fed with it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import onnxruntime as ort
import pytest
from onnx import TensorProto, helper, numpy_helper

from secryst_gui.engine.rewrite import Kernel, attend_by_row, kernels
from secryst_gui.engine.rewrite.shapes import inferred
from tests.engine.conftest import FIXTURES, Load

HEADS, WIDTH = 4, 16


def attention(*, scale: float | None = None, heads: int = HEADS) -> onnx.ModelProto:
    """Causal self-attention over a past, as exporters write it; the queries, keys and values are looked up by token."""
    chance = np.random.default_rng(3)
    constants = [
        *(numpy_helper.from_array(chance.normal(size=(400, heads * WIDTH)).astype(np.float32), n) for n in "qkv"),
        numpy_helper.from_array(np.array([1, -1, heads, WIDTH]), "split"),
        numpy_helper.from_array(np.array(0), "zero"),
        numpy_helper.from_array(np.array(1), "one"),
        numpy_helper.from_array(np.array(2), "two"),
        numpy_helper.from_array(np.array([1]), "columns"),
        numpy_helper.from_array(np.array(np.finfo(np.float32).min), "never"),
        numpy_helper.from_array(np.array(0, np.float32), "nothing"),
        numpy_helper.from_array(np.array(scale or 1, np.float32), "scale"),
    ]
    nodes = []
    for name in "qkv":
        nodes += [
            helper.make_node("Gather", [name, "input_ids"], [f"{name}_rows"], axis=0),
            helper.make_node("Reshape", [f"{name}_rows", "split"], [f"{name}_split"]),
            helper.make_node("Transpose", [f"{name}_split"], [f"{name}_new"], perm=[0, 2, 1, 3]),
        ]
    nodes += [
        helper.make_node("Concat", ["past_key_0", "k_new"], ["present_key_0"], axis=2),
        helper.make_node("Concat", ["past_value_0", "v_new"], ["present_value_0"], axis=2),
        helper.make_node("Transpose", ["present_key_0"], ["turned"], perm=[0, 1, 3, 2]),
        helper.make_node("MatMul", ["q_new", "turned"], ["plain_scores"]),
        helper.make_node("Mul", ["plain_scores", "scale"], ["scores"])
        if scale is not None
        else helper.make_node("Identity", ["plain_scores"], ["scores"]),
        helper.make_node("Shape", ["past_key_0"], ["past_shape"]),
        helper.make_node("Gather", ["past_shape", "two"], ["past"]),
        helper.make_node("Shape", ["input_ids"], ["ids_shape"]),
        helper.make_node("Gather", ["ids_shape", "one"], ["count"]),
        helper.make_node("Add", ["past", "count"], ["total"]),
        helper.make_node("Range", ["past", "total", "one"], ["own_flat"]),
        helper.make_node("Range", ["zero", "total", "one"], ["keys"]),
        helper.make_node("Unsqueeze", ["own_flat", "columns"], ["own"]),
        helper.make_node("Greater", ["keys", "own"], ["later"]),
        helper.make_node("Where", ["later", "never", "nothing"], ["mask"]),
        helper.make_node("Add", ["scores", "mask"], ["masked"]),
        helper.make_node("Softmax", ["masked"], ["weights"], axis=-1),
        helper.make_node("MatMul", ["weights", "present_value_0"], ["logits"]),
    ]
    pasts = [f"past_{kind}_0" for kind in ("key", "value")]
    kept: list[str | int | None] = [1, heads, "P", WIDTH]
    graph = helper.make_graph(
        nodes,
        "g",
        [
            helper.make_tensor_value_info("input_ids", TensorProto.INT64, [1, "N"]),
            *(helper.make_tensor_value_info(past, TensorProto.FLOAT, kept) for past in pasts),
        ],
        [
            helper.make_tensor_value_info("logits", TensorProto.FLOAT, [1, heads, "N", WIDTH]),
            *(
                helper.make_tensor_value_info(past.replace("past", "present"), TensorProto.FLOAT, None)
                for past in pasts
            ),
        ],
        constants,
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)], ir_version=8)


def opened(model: onnx.ModelProto) -> ort.InferenceSession:
    return ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])


def rewritten(model: onnx.ModelProto, folder: Path) -> tuple[onnx.ModelProto, int]:
    """By row, with the kernels that the runtime takes for ``model``."""
    path = folder / "graph.onnx"
    onnx.save(model, str(path))
    changed = onnx.load(str(path))
    return changed, attend_by_row(changed, kernels(path, folder), inferred(changed))


def test_every_token_gets_what_it_got_alone(tmp_path: Path) -> None:
    """To the bit, at every length up to 330 and some beyond, in passes of any size: all groups and what they leave."""
    whole = attention()
    changed, count = rewritten(whole, tmp_path)
    assert count == 2
    alone, together = opened(whole), opened(changed)
    chance = np.random.default_rng(5)
    for start, end, sizes in ((0, 330, (2, 3, 9, 33)), (1021, 1040, (5, 17)), (4093, 4101, (8,))):
        ids = chance.integers(0, 400, end)
        shape = (1, HEADS, start, WIDTH)
        past = {f"past_{kind}_0": chance.normal(size=shape).astype(np.float32) for kind in ("key", "value")}
        expected, kept = [], dict(past)
        for token in ids[start:]:
            logits, key, value = alone.run(None, {"input_ids": [[token]], **kept})
            expected.append(logits[:, :, 0])
            kept = {"past_key_0": key, "past_value_0": value}
        for size in sizes:
            kept, found = dict(past), []
            for at in range(start, end, size):
                logits, key, value = together.run(None, {"input_ids": ids[None, at : min(at + size, end)], **kept})
                found += [logits[:, :, row] for row in range(logits.shape[2])]
                kept = {"past_key_0": key, "past_value_0": value}
            assert all(np.array_equal(a, b) for a, b in zip(found, expected, strict=True)), size


def test_without_it_the_bits_differ() -> None:
    """The graph as it is does not give a token in company what it gives it alone: else all this were for nothing."""
    session = opened(attention())
    past = {f"past_{kind}_0": np.zeros((1, HEADS, 0, WIDTH), np.float32) for kind in ("key", "value")}
    ids = np.arange(40)[None]
    together = session.run(["logits"], {"input_ids": ids, **past})[0]
    first = session.run(["logits"], {"input_ids": ids[:, :1], **past})[0]
    kept = past
    differ = 0
    for at in range(40):
        logits, key, value = session.run(None, {"input_ids": ids[:, at : at + 1], **kept})
        differ += not np.array_equal(logits[:, :, 0], together[:, :, at])
        kept = {"past_key_0": key, "past_value_0": value}
    assert first.shape == (1, HEADS, 1, WIDTH)
    assert differ > 0


def test_a_product_with_a_factor_is_left_as_it_is(tmp_path: Path) -> None:
    """The runtime takes another kernel for it, whose sums do not depend on the rows: only the mix is rewritten."""
    _, count = rewritten(attention(scale=0.25), tmp_path)
    assert count == 1


@pytest.mark.parametrize("change", ["one head", "no past", "unknown kernels"])
def test_where_it_does_not_apply_nothing_changes(change: str) -> None:
    """One head is taken for rows of a matrix; without a past single steps have other shapes; nothing is guessed."""
    model = attention(heads=1 if change == "one head" else HEADS)
    if change == "no past":
        for value in model.graph.input:
            value.name = value.name.replace("past", "before")
        for node in model.graph.node:
            node.input[:] = [name.replace("past_", "before_") for name in node.input]
    before = model.SerializeToString()
    known = {} if change == "unknown kernels" else {name: Kernel(True, False) for name in ("plain_scores", "logits")}
    assert attend_by_row(model, known, inferred(model)) == 0
    assert model.SerializeToString() == before


@pytest.mark.parametrize("name", [name for name in FIXTURES if "int8" in name])
def test_quantized_exports_agree_to_the_bit(load: Load, name: str) -> None:
    """Of another tool's exporter: passes of any size give the logits of single steps, so nothing is decided twice."""
    model = load(name)
    assert model.near_tie == 0.0
    encoded, other = model.encode("قال abc", raw=True), model.encode("قال abc", raw=True)
    assert encoded is not None
    assert other is not None
    ids = np.random.default_rng(7).integers(3, 259, 210).tolist()
    steps = encoded.steps.logits(ids, len(ids) + 1)
    at = 0
    for size in (1, 4, 32, 2, 9, 17, 3, 8, 33, 1, 1, 30, 7, 19, 33):
        found = other.passes.logits(ids[: at + size - 1], size)
        assert np.array_equal(found, steps[at : at + size])
        at += size
