"""Framing invariance: every token quantized by itself, so that a pass over several rounds like passes over one.

``DynamicQuantizeLinear`` takes one scale for a whole tensor: the tokens of a pass change each other's rounding, and
on int8 graphs 2 to 7 per cent of the verdicts flip. Here each such node that feeds ``MatMulInteger`` becomes its own
formula over the last axis (ONNX operator specification, DynamicQuantizeLinear: min and max include 0, scale =
(max - min) / 255, zero point = round(-min / scale)), one row a token:

    q = QuantizeLinear(x, scale, zero, axis=1)
    y = (MatMulInteger(q, W) - zero * column_sum(W)) * scale * weight_scale

With one row the numbers are those of the untouched graph, to the bit. Products that share an input share its
quantization. The batch must be one.
"""

from __future__ import annotations

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

#: A row of zeros has no scale; any will do, since all its products are zero.
_LEAST_SCALE = np.float32(1e-35)


def quantize_by_row(model: onnx.ModelProto) -> int:
    """Rewrite ``model`` in place; returns how many quantizations were rewritten. Others are left as they are."""
    graph = model.graph
    weights = {tensor.name: tensor for tensor in graph.initializer}
    consumers: dict[str, list[onnx.NodeProto]] = {}
    for node in graph.node:
        for name in node.input:
            consumers.setdefault(name, []).append(node)
    plans = {
        node.output[0]: node
        for node in graph.node
        if node.op_type == "DynamicQuantizeLinear" and _feeds_products_only(node, consumers, weights)
    }
    if not plans:
        return 0
    rewritten: list[onnx.NodeProto] = []
    for node in graph.node:
        if node.op_type == "DynamicQuantizeLinear" and node.output[0] in plans:
            rewritten += _by_row(node)
        elif node.op_type == "MatMulInteger" and node.input[0] in plans:
            rewritten += _product(node, graph, weights)
        else:
            rewritten.append(node)
    for name, value in (("row_255", np.float32(255)), ("row_least", _LEAST_SCALE)):
        graph.initializer.append(numpy_helper.from_array(np.array(value), name))
    graph.initializer.append(numpy_helper.from_array(np.array([1], np.int64), "row_axis"))
    del graph.node[:]
    graph.node.extend(rewritten)
    return len(plans)


def _feeds_products_only(
    node: onnx.NodeProto, consumers: dict[str, list[onnx.NodeProto]], weights: dict[str, TensorProto]
) -> bool:
    """Whether the quantized tensor goes into products with constant matrices, and its zero point nowhere else."""
    quantized, scale, zero = node.output
    products = consumers.get(quantized, [])
    return (
        bool(products)
        and all(
            product.op_type == "MatMulInteger"
            and product.input[0] == quantized
            and len(weights[product.input[1]].dims) == 2
            and (len(product.input) < 4 or not product.input[3] or product.input[3] in weights)
            if product.op_type == "MatMulInteger" and product.input[1] in weights
            else False
            for product in products
        )
        and all(product in products for product in consumers.get(zero, []))
        and all(user.op_type == "Mul" for user in consumers.get(scale, []))
    )


def _by_row(node: onnx.NodeProto) -> list[onnx.NodeProto]:
    """Quantize ``x`` [1,N,D] by row: under the old names the tensor, its scale [N,1], its zero point int32 [N,1]."""
    x, (quantized, scale, zero) = node.input[0], node.output
    name = quantized + "_row"
    return [
        helper.make_node("ReduceMax", [x], [f"{name}_max"], axes=[0, 2], keepdims=0),
        helper.make_node("ReduceMin", [x], [f"{name}_min"], axes=[0, 2], keepdims=0),
        helper.make_node("Relu", [f"{name}_max"], [f"{name}_high"]),
        helper.make_node("Neg", [f"{name}_min"], [f"{name}_neg"]),
        helper.make_node("Relu", [f"{name}_neg"], [f"{name}_low"]),
        helper.make_node("Add", [f"{name}_high", f"{name}_low"], [f"{name}_range"]),
        helper.make_node("Div", [f"{name}_range", "row_255"], [f"{name}_scale0"]),
        helper.make_node("Max", [f"{name}_scale0", "row_least"], [f"{name}_scale"]),
        helper.make_node("Div", [f"{name}_low", f"{name}_scale"], [f"{name}_zero0"]),
        helper.make_node("Round", [f"{name}_zero0"], [f"{name}_zero1"]),
        helper.make_node("Cast", [f"{name}_zero1"], [f"{name}_zero"], to=TensorProto.UINT8),
        helper.make_node("QuantizeLinear", [x, f"{name}_scale", f"{name}_zero"], [quantized], axis=1),
        helper.make_node("Unsqueeze", [f"{name}_scale", "row_axis"], [scale]),
        helper.make_node("Cast", [f"{name}_zero1"], [f"{name}_zero2"], to=TensorProto.INT32),
        helper.make_node("Unsqueeze", [f"{name}_zero2", "row_axis"], [zero]),
    ]


def _product(node: onnx.NodeProto, graph: onnx.GraphProto, weights: dict[str, TensorProto]) -> list[onnx.NodeProto]:
    """The product without the row's zero point, which is subtracted afterwards, as whole numbers."""
    quantized, weight = node.input[:2]
    matrix = numpy_helper.to_array(weights[weight]).astype(np.int64)
    offset = node.input[3] if len(node.input) > 3 else ""
    if offset:
        matrix = matrix - numpy_helper.to_array(weights[offset]).astype(np.int64)
    sums = f"{node.output[0]}_sums"
    graph.initializer.append(numpy_helper.from_array(matrix.sum(0, dtype=np.int64).astype(np.int32)[None], sums))
    zero = node.input[2]
    product = f"{node.output[0]}_product"
    inputs = [quantized, weight, *(["", offset] if offset else [])]
    return [
        helper.make_node("MatMulInteger", inputs, [product]),
        helper.make_node("Mul", [zero, sums], [f"{node.output[0]}_shift"]),
        helper.make_node("Sub", [product, f"{node.output[0]}_shift"], [node.output[0]]),
    ]
