"""Every token quantized by itself: one row gives the untouched numbers, several rows give each its own."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import onnxruntime as ort
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import TensorProto, helper, numpy_helper

from secryst_gui.engine.rewrite import quantize_by_row

WIDTH, OUT = 16, 5
FEW = settings(deadline=None, max_examples=60)


def product(*, offset: int | None = 3, shared: bool = False, leak: bool = False) -> onnx.ModelProto:
    """A quantized product as exporters write it; ``shared``: two of one input; ``leak``: the numbers go elsewhere."""
    chance = np.random.default_rng(1)
    constants = [
        numpy_helper.from_array(chance.integers(-128, 128, (WIDTH, OUT), dtype=np.int8), "w"),
        numpy_helper.from_array(np.array(0.02, np.float32), "w_scale"),
    ]
    if offset is not None:
        constants.append(numpy_helper.from_array(np.array(offset, np.int8), "w_zero"))
    nodes = [helper.make_node("DynamicQuantizeLinear", ["x"], ["q", "scale", "zero"])]
    outputs = []
    for name in ("y", "z") if shared else ("y",):
        inputs = ["q", "w", "zero", *(["w_zero"] if offset is not None else [])]
        nodes += [
            helper.make_node("MatMulInteger", inputs, [f"{name}_whole"]),
            helper.make_node("Cast", [f"{name}_whole"], [f"{name}_float"], to=TensorProto.FLOAT),
            helper.make_node("Mul", ["scale", "w_scale"], [f"{name}_scale"]),
            helper.make_node("Mul", [f"{name}_float", f"{name}_scale"], [name]),
        ]
        outputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, "N", OUT]))
    if leak:
        nodes.append(helper.make_node("DequantizeLinear", ["q", "scale", "zero"], ["again"]))
        outputs.append(helper.make_tensor_value_info("again", TensorProto.FLOAT, [1, "N", WIDTH]))
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, "N", WIDTH])
    graph = helper.make_graph(nodes, "g", [x], outputs, constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)], ir_version=8)


def run(model: onnx.ModelProto, x: np.ndarray[Any, Any]) -> list[np.ndarray[Any, Any]]:
    session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return [np.asarray(value) for value in session.run(None, {"x": x})]


@pytest.mark.parametrize("offset", [None, 0, 3])
@pytest.mark.parametrize("shared", [False, True])
def test_a_row_gives_what_it_gave_alone(offset: int | None, shared: bool) -> None:
    """To the bit: alone as in the untouched graph, and in company of rows a thousand times as large as alone."""
    before, after = product(offset=offset, shared=shared), product(offset=offset, shared=shared)
    assert quantize_by_row(after) == 1
    onnx.checker.check_model(after)
    x = np.random.default_rng(2).normal(size=(1, 6, WIDTH)).astype(np.float32)
    x[0, 1] *= 1000
    x[0, 2] = 0
    x[0, 3] = np.abs(x[0, 3])
    x[0, 4] = -np.abs(x[0, 4])
    x[0, 5] *= 1e-6
    alone = [run(before, x[:, at : at + 1]) for at in range(6)]
    together = run(after, x)
    for number, whole in enumerate(together):
        for at in range(6):
            assert np.array_equal(whole[:, at : at + 1], alone[at][number])
            assert np.array_equal(run(after, x[:, at : at + 1])[number], alone[at][number])


@FEW
@given(st.lists(st.lists(st.floats(-1e3, 1e3, width=32), min_size=WIDTH, max_size=WIDTH), min_size=1, max_size=4))
def test_any_rows_give_what_they_gave_alone(rows: list[list[float]]) -> None:
    """Whatever the numbers, those at the border between two whole numbers included."""
    before, after = product(), product()
    quantize_by_row(after)
    x = np.array([rows], np.float32)
    (together,) = run(after, x)
    for at in range(len(rows)):
        (alone,) = run(before, x[:, at : at + 1])
        assert np.array_equal(together[:, at : at + 1], alone)


def test_what_it_does_not_know_is_left_alone() -> None:
    """Quantized numbers that something else uses as well stay as they are, and so do graphs without any."""
    leaking = product(leak=True)
    text = leaking.SerializeToString()
    assert quantize_by_row(leaking) == 0
    assert leaking.SerializeToString() == text
