"""Tiny decoder graphs with the faults and oddities that real exporters leave behind."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

V = 12
HIDDEN: list[str | int | None] = ["batch", "source", 4]


def save(path: Path, nodes: Sequence[onnx.NodeProto], *, inputs: list, outputs: list, constants: dict) -> Path:  # type: ignore[type-arg]
    values = [numpy_helper.from_array(value, name) for name, value in constants.items()]
    graph = helper.make_graph(list(nodes), "tiny", inputs, outputs, values)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)], ir_version=8)
    onnx.checker.check_model(model)
    onnx.save(model, str(path))
    return path


def ids() -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["batch", "tokens"])


def hidden() -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info("encoder_hidden_states", TensorProto.FLOAT, HIDDEN)


def logits() -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", "tokens", V])


def table() -> np.ndarray:
    """Token i is followed by (3 i + 1) mod V, by far."""
    rows = np.zeros((V, V), np.float32)
    rows[np.arange(V), (3 * np.arange(V) + 1) % V] = 5
    return rows


def counting(path: Path, heads: int | str = 1, present_heads: int | str = 1, *, follows: bool = False) -> Path:
    """Keeps the fed ids in a past of shape [B,H,P,1], H = 1; the logits depend on their running sum.

    ``heads``, ``present_heads``: what the graph says of H. ``follows``: whatever H its past has, it takes, so that its
    shapes do not tell either.
    """
    past = helper.make_tensor_value_info("past_key_0", TensorProto.FLOAT, ["batch", heads, "past", 1])
    present = helper.make_tensor_value_info("present_key_0", TensorProto.FLOAT, ["batch", present_heads, "total", 1])
    nodes = [
        helper.make_node("Cast", ["input_ids"], ["fed"], to=TensorProto.FLOAT),
        helper.make_node("Unsqueeze", ["fed", "axes"], ["single" if follows else "fed4"]),
        helper.make_node("Concat", ["past_key_0", "fed4"], ["present_key_0"], axis=2),
        helper.make_node("CumSum", ["present_key_0", "two"], ["sums"]),
        helper.make_node("Shape", ["input_ids"], ["shape"]),
        helper.make_node("Gather", ["shape", "one"], ["n"]),
        helper.make_node("Neg", ["n"], ["minus_n"]),
        helper.make_node("Slice", ["sums", "minus_n", "end", "two1"], ["last4"]),
        helper.make_node("Squeeze", ["last4", "axes"], ["last"]),
        helper.make_node("Cast", ["last"], ["whole"], to=TensorProto.INT64),
        helper.make_node("Mod", ["whole", "v"], ["row"]),
        helper.make_node("Gather", ["table", "row"], ["logits"]),
    ]
    if follows:
        nodes[2:2] = [
            helper.make_node("Shape", ["past_key_0"], ["past_shape"]),
            helper.make_node("Gather", ["past_shape", "one"], ["found_heads"]),
            helper.make_node("Concat", ["one", "found_heads", "one", "one"], ["wide"], axis=0),
            helper.make_node("Expand", ["single", "wide"], ["fed4"]),
        ]
    constants = {
        "axes": np.array([1, 3]),
        "two": np.array(2),
        "two1": np.array([2]),
        "one": np.array([1]),
        "end": np.array([2**31]),
        "v": np.array(V),
        "table": table(),
    }
    return save(path, nodes, inputs=[ids(), hidden(), past], outputs=[logits(), present], constants=constants)


def looking_ahead(path: Path) -> Path:
    """No keys and values, and no mask: every row sees the sum over all fed ids."""
    nodes = [
        helper.make_node("ReduceSum", ["input_ids", "one"], ["sum"], keepdims=1),
        helper.make_node("Add", ["input_ids", "sum"], ["seen"]),
        helper.make_node("Mod", ["seen", "v"], ["row"]),
        helper.make_node("Gather", ["table", "row"], ["logits"]),
    ]
    constants = {"one": np.array([1]), "v": np.array(V), "table": table()}
    return save(path, nodes, inputs=[ids(), hidden()], outputs=[logits()], constants=constants)
