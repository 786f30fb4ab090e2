"""What depends on the source alone moves out of the step, and nothing else does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime as ort
import pytest
from onnx import TensorProto, helper, numpy_helper

from secryst_gui.engine.rewrite import hoist, kernels
from tests.engine.conftest import FIXTURES, Load
from tests.support import graphs

HIDDEN = "encoder_hidden_states"


def run(model: onnx.ModelProto, feed: dict[str, Any]) -> dict[str, Any]:
    session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    names = [each.name for each in session.get_outputs()]
    return dict(zip(names, session.run(names, feed), strict=True))


@pytest.mark.parametrize("name", FIXTURES)
def test_the_parts_together_are_the_whole(load: Load, name: str, tmp_path: Path) -> None:
    """Prologue and step give, to the bit, what the untouched graph gives, keys and values included."""
    path: Path = load(name).artifact.graphs["decoder-kv.onnx"]
    whole, split = onnx.load(str(path)), hoist(onnx.load(str(path)), kernels(path, tmp_path))
    assert split is not None
    assert HIDDEN not in {value.name for value in split.step.graph.input}
    chance = np.random.default_rng(0)
    encoded = load(name).encode("a source", raw=True)
    assert encoded is not None
    pasts = {
        value.name: (1, value.type.tensor_type.shape.dim[1].dim_value, 3, value.type.tensor_type.shape.dim[3].dim_value)
        for value in whole.graph.input
        if value.name.startswith("past_")
    }
    kind = encoded.hidden.dtype
    feed: dict[str, Any] = {past: chance.normal(size=shape).astype(kind) for past, shape in pasts.items()}
    feed["input_ids"] = np.array([[70, 71]])
    expected = run(whole, {**feed, HIDDEN: encoded.hidden})
    carried = run(split.prologue, {HIDDEN: encoded.hidden})
    assert tuple(sorted(carried)) == split.carried
    found = run(split.step, {**feed, **carried})
    assert set(found) == set(expected)
    for output, value in expected.items():
        assert np.array_equal(found[output], value), output


def test_products_with_the_source_are_what_moves(load: Load) -> None:
    """The keys and values of each layer's cross-attention: two products a layer are in the prologue."""
    for name, layers in ((FIXTURES[0], 2), (FIXTURES[4], 1)):
        split = hoist(onnx.load(str(load(name).artifact.graphs["decoder-kv.onnx"])), {})
        assert split is not None
        products = [node for node in split.prologue.graph.node if node.op_type == "MatMul"]
        assert len(products) == 2 * layers


@pytest.mark.parametrize("name", FIXTURES)
def test_no_array_as_long_as_the_source_is_made_in_a_step(load: Load, name: str) -> None:
    """What is carried are finished keys and values: the step reads them in products, and turns or copies none."""
    split = hoist(onnx.load(str(load(name).artifact.graphs["decoder-kv.onnx"])), {})
    assert split is not None
    for node in split.step.graph.node:
        touched = set(node.input) & set(split.carried)
        assert not touched or node.op_type in ("MatMul", "Slice", "Concat", "Add"), (node.op_type, touched)


def test_where_there_is_nothing_to_move_nothing_moves() -> None:
    """A graph that does not read its source, or only picks from it by what was fed, stays whole."""
    assert hoist(graphs.fused_quantized(), {}) is None
    nodes = [helper.make_node("Gather", [HIDDEN, "input_ids"], ["logits"], axis=1)]
    inputs = [
        helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["N"]),
        helper.make_tensor_value_info(HIDDEN, TensorProto.FLOAT, ["B", "S", 4]),
    ]
    outputs = [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["B", "N", 4])]
    graph = helper.make_graph(nodes, "g", inputs, outputs)
    assert hoist(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)], ir_version=8), {}) is None


def test_what_depends_on_the_tokens_stays() -> None:
    """A product of the source with what was fed cannot be made before; a constant it needs goes along with its user."""
    constants = [numpy_helper.from_array(np.eye(4, dtype=np.float32), "w")]
    constant = helper.make_node("Constant", [], ["c"], value=numpy_helper.from_array(np.array(2, np.float32)))
    nodes = [
        constant,
        helper.make_node("MatMul", [HIDDEN, "w"], ["keys"]),
        helper.make_node("Mul", ["keys", "c"], ["scaled"]),
        helper.make_node("Cast", ["input_ids"], ["fed"], to=TensorProto.FLOAT),
        helper.make_node("ReduceSum", ["fed"], ["sum"], keepdims=0),
        helper.make_node("Mul", ["scaled", "sum"], ["mixed"]),
        helper.make_node("Mul", ["mixed", "c"], ["logits"]),
    ]
    inputs = [
        helper.make_tensor_value_info("input_ids", TensorProto.INT64, [1, "N"]),
        helper.make_tensor_value_info(HIDDEN, TensorProto.FLOAT, [1, "S", 4]),
    ]
    outputs = [helper.make_tensor_value_info("logits", TensorProto.FLOAT, [1, "S", 4])]
    graph = helper.make_graph(nodes, "g", inputs, outputs, constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)], ir_version=8)
    whole = onnx.ModelProto()
    whole.CopyFrom(model)
    split = hoist(model, {})
    assert split is not None
    assert split.carried == ("scaled",)
    assert [node.op_type for node in split.prologue.graph.node if node.op_type != "Constant"] == ["MatMul", "Mul"]
    hidden, ids = np.ones((1, 3, 4), np.float32), np.array([[5, 6]])
    carried = run(split.prologue, {HIDDEN: hidden})
    expected = run(whole, {HIDDEN: hidden, "input_ids": ids})
    assert np.array_equal(run(split.step, {"input_ids": ids, **carried})["logits"], expected["logits"])
