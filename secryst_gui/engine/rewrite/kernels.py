"""Which kernels the runtime takes for a graph's products of floating-point matrices.

Two products of the same numbers may round differently: the runtime fuses transposing the second matrix, or a constant
factor, into some products and not into others, depending on what else it finds around them, and each form has a
kernel of its own. A rewritten graph gives the same bits only with the same kernels; so the runtime is asked.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import onnx
import onnxruntime as ort

_FATAL_ONLY = 4


class Kernel(NamedTuple):
    """``turned``: the second matrix is read transposed; ``scaled``: with a factor, which takes the general kernel."""

    turned: bool
    scaled: bool


def kernels(graph: Path, scratch: Path) -> dict[str, Kernel]:
    """The kernel of each product in ``graph``, by the name of its output. ``scratch`` is a folder to work in.

    Raises what the runtime raises for a graph that it cannot open.
    """
    optimised = scratch / "optimised.onnx"
    settings = ort.SessionOptions()
    settings.log_severity_level = _FATAL_ONLY
    settings.intra_op_num_threads = 1
    settings.optimized_model_filepath = str(optimised)
    try:
        ort.InferenceSession(str(graph), settings, providers=["CPUExecutionProvider"])
        nodes = onnx.load(str(optimised), load_external_data=False).graph.node
    finally:
        optimised.unlink(missing_ok=True)
    return {node.output[0]: _kernel(node) for node in nodes if node.op_type in ("MatMul", "FusedMatMul")}


def _kernel(node: onnx.NodeProto) -> Kernel:
    attributes = {attribute.name: attribute for attribute in node.attribute}
    turned = attributes["transB"].i == 1 if "transB" in attributes else False
    return Kernel(turned, attributes["alpha"].f != 1.0 if "alpha" in attributes else False)
