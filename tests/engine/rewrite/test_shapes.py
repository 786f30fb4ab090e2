"""Shapes that a batch of one makes constant, found and folded; open lengths stay open."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from secryst_gui.engine.rewrite.shapes import fix_batch, fold_shapes, inferred


def decoder(
    nodes: Sequence[onnx.NodeProto], output: Sequence[str | int | None], **constants: NDArray[Any]
) -> onnx.ModelProto:
    graph = helper.make_graph(
        list(nodes),
        "g",
        [
            helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["batch", "tokens"]),
            helper.make_tensor_value_info("encoder_hidden_states", TensorProto.FLOAT, ["batch", "tokens", 8]),
        ],
        [helper.make_tensor_value_info("y", TensorProto.INT64, list(output))],
        [numpy_helper.from_array(value, name) for name, value in constants.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)], ir_version=8)


def sizes(value: onnx.ValueInfoProto) -> list[int]:
    return [dimension.dim_value for dimension in value.type.tensor_type.shape.dim]


def test_the_batch_of_one_is_written_down_and_false_names_are_dropped() -> None:
    """The exporter called the source's length and the tokens' by one name; nothing may rely on that."""
    model = decoder([helper.make_node("Identity", ["input_ids"], ["y"])], ["batch", "tokens"])
    fix_batch(model)
    for value in (*model.graph.input, *model.graph.output):
        assert sizes(value)[0] == 1
        assert all(not dimension.dim_param for dimension in value.type.tensor_type.shape.dim)


def test_a_hidden_batch_is_found() -> None:
    """``view(-1, tokens)``: inference with open lengths cannot tell that the first axis is one."""
    nodes = [
        helper.make_node("Shape", ["input_ids"], ["shape"]),
        helper.make_node("Gather", ["shape", "one"], ["tokens"]),
        helper.make_node("Concat", ["open", "tokens"], ["target"], axis=0),
        helper.make_node("Reshape", ["input_ids", "target"], ["viewed"]),
        helper.make_node("Identity", ["viewed"], ["y"]),
    ]
    model = decoder(nodes, ["a", "b"], one=np.array([1]), open=np.array([-1]))
    fix_batch(model)
    assert sizes(inferred(model)["viewed"]) == [1, 0]


def test_a_length_that_varies_is_never_taken_for_one() -> None:
    """The fed tokens may be one, but need not be; so may the source."""
    nodes = [
        helper.make_node("Shape", ["encoder_hidden_states"], ["shape"]),
        helper.make_node("Gather", ["shape", "one"], ["y"]),
    ]
    model = decoder(nodes, [1], one=np.array([1]))
    fix_batch(model)
    assert fold_shapes(model) == 0
    assert [node.op_type for node in model.graph.node] == ["Shape", "Gather"]


def test_what_is_known_is_folded() -> None:
    """The batch and the width, through indexing, joining and arithmetic; as the type that its users take."""
    nodes = [
        helper.make_node("Shape", ["encoder_hidden_states"], ["shape"]),
        helper.make_node("Gather", ["shape", "two"], ["width"]),
        helper.make_node("Gather", ["shape", "zero"], ["batch"]),
        helper.make_node("Mul", ["width", "width"], ["square"]),
        helper.make_node("Concat", ["batch", "square"], ["y"], axis=0),
    ]
    model = decoder(nodes, [2], zero=np.array([0]), two=np.array([2]))
    fix_batch(model)
    assert fold_shapes(model) > 0
    folded = {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    assert folded["y"].tolist() == [1, 64]
    assert folded["y"].dtype == np.int64
