"""Constant shapes: a decoder that only ever sees a batch of one has many shapes that need no computing.

Exporters compute the shapes of reshapes from their inputs, at every step. With the batch fixed to one most of them
are constants, and what looked as if it depended on the fed tokens depends on the source alone. Only whole small
integer vectors are evaluated here, element by element, each known or not; no tensor arithmetic is done.
"""

from __future__ import annotations

from collections.abc import Callable, MutableSequence, Sequence

import numpy as np
import onnx
from onnx import numpy_helper

#: A vector of which some elements are known; a scalar is a vector of one with the flag set.
Elements = tuple[int | None, ...]
Known = tuple[Elements, bool]
#: Initializers above this size are weights, and are kept out of what shape inference copies.
SMALL_BYTES = 1024
#: Lengths of fed tokens, pasts and source, with nothing in common.
SAMPLES = ((1, 0, 1), (3, 5, 7), (17, 601, 1201))
_INTEGERS = (onnx.TensorProto.INT64, onnx.TensorProto.INT32)


def fix_batch(model: onnx.ModelProto) -> None:
    """Say that the first axis of every input and output is 1, in place.

    What else the exporter noted of shapes is dropped: it may have given the fed tokens and the source the same name
    for their lengths, and a runtime that can compute sizes from that would share buffers between them.
    """
    del model.graph.value_info[:]
    for value in (*model.graph.input, *model.graph.output):
        dimensions = value.type.tensor_type.shape.dim
        for dimension in dimensions:
            dimension.ClearField("dim_param")
        if len(dimensions):
            dimensions[0].dim_value = 1


def inferred(model: onnx.ModelProto) -> dict[str, onnx.ValueInfoProto]:
    """Types, and shapes as far as they follow, of every tensor; weights are passed by shape only.

    An exporter may hide the batch: ``view(-1, tokens)`` has an axis that is one, but inference with open lengths
    cannot tell. With lengths given it can: an axis that it leaves open, and that is one at every length of
    :data:`SAMPLES`, is taken to be one.
    """
    light = _without_weights(model)
    found = _inferred(light)
    samples = [_inferred(_with_lengths(light, *lengths)) for lengths in SAMPLES]
    for name, value in found.items():
        shapes = [sample[name].type.tensor_type.shape.dim for sample in samples if name in sample]
        dimensions = value.type.tensor_type.shape.dim
        if len(shapes) < len(SAMPLES) or any(len(shape) != len(dimensions) for shape in shapes):
            continue
        for axis, dimension in enumerate(dimensions):
            if all(shape[axis].dim_value == 1 for shape in shapes):
                dimension.dim_value = 1
    return found


def _inferred(light: onnx.ModelProto) -> dict[str, onnx.ValueInfoProto]:
    found = onnx.shape_inference.infer_shapes(light, data_prop=True).graph
    return {value.name: value for value in (*found.input, *found.value_info, *found.output)}


def _with_lengths(light: onnx.ModelProto, fed: int, past: int, source: int) -> onnx.ModelProto:
    """A copy with the lengths of the fed tokens, of the pasts and of the source filled in."""
    copy = onnx.ModelProto()
    copy.CopyFrom(light)
    for value in copy.graph.input:
        for dimension in value.type.tensor_type.shape.dim:
            if not dimension.HasField("dim_value"):
                length = fed if value.name == "input_ids" else past if value.name.startswith("past_") else source
                dimension.dim_value = length
    return copy


def _without_weights(model: onnx.ModelProto) -> onnx.ModelProto:
    light = onnx.ModelProto()
    light.ir_version = model.ir_version
    light.opset_import.extend(model.opset_import)
    light.graph.name = model.graph.name
    kinds = {tensor.name: tensor.data_type for tensor in model.graph.initializer}
    for node in model.graph.node:
        light.graph.node.append(_standard(node, kinds, light.graph.input))
    light.graph.input.extend(model.graph.input)
    light.graph.output.extend(model.graph.output)
    for tensor in model.graph.initializer:
        if tensor.ByteSize() <= SMALL_BYTES:
            light.graph.initializer.append(tensor)
        else:
            light.graph.input.append(
                onnx.helper.make_tensor_value_info(tensor.name, tensor.data_type, list(tensor.dims))
            )
    return light


def _standard(
    node: onnx.NodeProto, kinds: dict[str, int], inputs: MutableSequence[onnx.ValueInfoProto]
) -> onnx.NodeProto:
    """A node that inference knows: the runtime's own 4-bit product stands for a plain one of the same shape."""
    if node.op_type != "MatMulNBits":
        return node
    sizes = [_attribute(node, name, 0) for name in ("K", "N")]
    weight = f"{node.output[0]}_weight"
    inputs.append(onnx.helper.make_tensor_value_info(weight, kinds.get(node.input[2], onnx.TensorProto.FLOAT), sizes))
    return onnx.helper.make_node("MatMul", [node.input[0], weight], list(node.output))


def fold_shapes(model: onnx.ModelProto) -> int:
    """Replace nodes whose small integer output is known by constants, in place; returns how many."""
    types = inferred(model)
    known: dict[str, Known] = {}
    for tensor in model.graph.initializer:
        _note_constant(known, tensor.name, tensor)
    folded: list[onnx.NodeProto] = []
    for node in model.graph.node:
        if node.op_type == "Constant":
            for attribute in node.attribute:
                if attribute.name == "value":
                    _note_constant(known, node.output[0], attribute.t)
            continue
        value = _evaluate(node, known, types)
        if value is None:
            continue
        known[node.output[0]] = value
        if None not in value[0] and node.op_type != "Constant":
            folded.append(node)
    for node in folded:
        elements, scalar = known[node.output[0]]
        kind = types[node.output[0]].type.tensor_type.elem_type if node.output[0] in types else onnx.TensorProto.INT64
        array = np.array(elements, np.int32 if kind == onnx.TensorProto.INT32 else np.int64)
        model.graph.initializer.append(numpy_helper.from_array(array[0] if scalar else array, node.output[0]))
    outputs = {name for node in folded for name in node.output}
    kept = [node for node in model.graph.node if not outputs & set(node.output)]
    del model.graph.node[:]
    model.graph.node.extend(kept)
    return len(folded)


def _note_constant(known: dict[str, Known], name: str, tensor: onnx.TensorProto) -> None:
    if tensor.data_type in _INTEGERS and len(tensor.dims) <= 1 and tensor.ByteSize() <= SMALL_BYTES:
        array = numpy_helper.to_array(tensor)
        known[name] = tuple(int(each) for each in array.reshape(-1)), array.ndim == 0


def _evaluate(node: onnx.NodeProto, known: dict[str, Known], types: dict[str, onnx.ValueInfoProto]) -> Known | None:
    if node.op_type == "Shape" and not node.attribute:
        return _shape(types.get(node.input[0]))
    inputs = [known.get(name) for name in node.input if name]
    rule = _RULES.get(node.op_type)
    if rule is None or not inputs or any(value is None for value in inputs):
        return None
    return rule(node, [value for value in inputs if value is not None])


def _shape(value: onnx.ValueInfoProto | None) -> Known | None:
    if value is None or not value.type.tensor_type.HasField("shape"):
        return None
    dimensions = value.type.tensor_type.shape.dim
    return tuple(each.dim_value if each.HasField("dim_value") else None for each in dimensions), False


def _attribute(node: onnx.NodeProto, name: str, default: int) -> int:
    return next((attribute.i for attribute in node.attribute if attribute.name == name), default)


def _gather(node: onnx.NodeProto, inputs: list[Known]) -> Known | None:
    (data, scalar), (indices, one) = inputs[:2]
    if (
        scalar
        or _attribute(node, "axis", 0) != 0
        or any(at is None or not -len(data) <= at < len(data) for at in indices)
    ):
        return None
    return tuple(data[at] for at in indices if at is not None), one


def _slice(_: onnx.NodeProto, inputs: list[Known]) -> Known | None:
    data, bounds = inputs[0], inputs[1:]
    if data[1] or any(len(value) != 1 or value[0] is None for value, _ in bounds):
        return None
    start, end, axis, step = [value[0] for value, _ in bounds] + [0, 1][len(bounds) - 2 :]
    return (data[0][start:end:step], False) if axis in (0, -1) and step else None


def _concat(node: onnx.NodeProto, inputs: list[Known]) -> Known | None:
    if _attribute(node, "axis", 0) not in (0, -1) or any(scalar for _, scalar in inputs):
        return None
    return tuple(element for value, _ in inputs for element in value), False


def _unsqueeze(_: onnx.NodeProto, inputs: list[Known]) -> Known | None:
    value, scalar = inputs[0]
    return (value, False) if scalar else None


def _squeeze(_: onnx.NodeProto, inputs: list[Known]) -> Known | None:
    value, scalar = inputs[0]
    return (value, True) if not scalar and len(value) == 1 else None


def _cast(node: onnx.NodeProto, inputs: list[Known]) -> Known | None:
    return inputs[0] if _attribute(node, "to", 0) in _INTEGERS else None


def _arithmetic(operation: Callable[[int, int], int]) -> Callable[[onnx.NodeProto, list[Known]], Known | None]:
    def rule(_: onnx.NodeProto, inputs: list[Known]) -> Known | None:
        (one, first), (other, second) = inputs
        if len(one) != len(other) and 1 not in (len(one), len(other)):
            return None
        size = max(len(one), len(other))
        pairs = zip(one * (size // len(one)), other * (size // len(other)), strict=True) if one and other else ()
        found: Sequence[int | None] = [None if a is None or b is None else operation(a, b) for a, b in pairs]
        return tuple(found), first and second

    return rule


_RULES: dict[str, Callable[[onnx.NodeProto, list[Known]], Known | None]] = {
    "Gather": _gather,
    "Slice": _slice,
    "Concat": _concat,
    "Unsqueeze": _unsqueeze,
    "Squeeze": _squeeze,
    "Cast": _cast,
    "Identity": lambda _, inputs: inputs[0],
    "Add": _arithmetic(lambda a, b: a + b),
    "Sub": _arithmetic(lambda a, b: a - b),
    "Mul": _arithmetic(lambda a, b: a * b),
}
