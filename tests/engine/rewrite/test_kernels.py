"""The runtime is asked which kernels it takes, not guessed at."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from secryst_gui.engine.rewrite import Kernel, kernels


def graph(*, turned: bool, scale: float) -> onnx.ModelProto:
    nodes = [
        helper.make_node("Transpose", ["b"], ["t"], perm=[0, 1, 3, 2])
        if turned
        else helper.make_node("Identity", ["b"], ["t"]),
        helper.make_node("MatMul", ["a", "t"], ["y"]),
        helper.make_node("Mul", ["y", "scale"], ["z"]),
    ]
    values = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 2, 4, 4]) for name in ("a", "b", "z")]
    constants = [numpy_helper.from_array(np.array(scale, np.float32), "scale")]
    made = helper.make_graph(nodes, "g", values[:2], values[2:], constants)
    return helper.make_model(made, opset_imports=[helper.make_opsetid("", 14)], ir_version=8)


@pytest.mark.parametrize("turned", [False, True])
def test_what_is_fused_into_a_product_is_told(tmp_path: Path, turned: bool) -> None:
    """Transposing, and a factor other than one; the folder is left empty."""
    path = tmp_path / "g.onnx"
    onnx.save(graph(turned=turned, scale=0.5), str(path))
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    (kernel,) = kernels(path, scratch).values()
    assert kernel == Kernel(turned, True)
    assert list(scratch.iterdir()) == []


def test_a_product_alone_is_plain(tmp_path: Path) -> None:
    """No factor, nothing turned."""
    model = graph(turned=False, scale=1.0)
    path = tmp_path / "g.onnx"
    onnx.save(model, str(path))
    (kernel,) = kernels(path, tmp_path).values()
    assert kernel == Kernel(False, False)
