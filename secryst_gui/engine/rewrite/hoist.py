"""What depends on the source alone, moved out of the step: a prologue, run once, and a step that takes its results.

A decoder graph recomputes the keys and values of its cross-attention from ``encoder_hidden_states`` in every call;
at 1000 source bytes that is most of the work. The rule is data flow, not names: every node that depends on the
hidden states and on no other input belongs to the prologue, whole chains of quantizing, multiplying, reshaping and
transposing included. Where there is no such node, nothing changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

import onnx

from secryst_gui.engine.rewrite.kernels import Kernel
from secryst_gui.engine.rewrite.shapes import fix_batch, fold_shapes, inferred

HIDDEN = "encoder_hidden_states"
#: What these give is as cheap to make as to fetch: alone they are no reason for a prologue.
_FREE = {"Shape", "Cast", "Identity", "Gather", "Unsqueeze", "Squeeze", "Slice", "Concat"}


class Split(NamedTuple):
    """``prologue``: hidden states in, ``carried`` tensors out. ``step``: those in, instead of the hidden states."""

    prologue: onnx.ModelProto
    step: onnx.ModelProto
    carried: tuple[str, ...]


def hoist(model: onnx.ModelProto, products: Mapping[str, Kernel]) -> Split | None:
    """Split ``model``, which is changed on the way (batch fixed to one, shapes folded). None: nothing to move.

    ``products``: the kernels that the runtime takes for ``model`` as it is.
    """
    fix_batch(model)
    fold_shapes(model)
    graph = model.graph
    constants = {tensor.name for tensor in graph.initializer}
    others = {value.name for value in graph.input} - constants - {HIDDEN}
    early = {HIDDEN}
    late = set(others)
    prologue: list[onnx.NodeProto] = []
    rest: list[onnx.NodeProto] = []
    kept = _kept(graph, products)
    for node in graph.node:
        used = set(inputs_of(node))
        if used & early and not used & late and node.output[0] not in kept:
            early |= set(node.output)
            prologue.append(node)
        else:
            if used & (late | early):
                late |= set(node.output)
            rest.append(node)
    wanted = {name for node in rest for name in inputs_of(node)} | {value.name for value in graph.output}
    carried = sorted((early & wanted) - {""})
    if carried == [HIDDEN] or all(node.op_type in _FREE for node in prologue):
        return None
    types = inferred(model)
    if any(name not in types or not types[name].type.tensor_type.elem_type for name in carried):
        return None
    return Split(
        _part(model, prologue, rest, [_input(graph, HIDDEN)], [types[name] for name in carried if name != HIDDEN]),
        _part(
            model,
            rest,
            prologue,
            [value for value in graph.input if value.name in others] + [_bare(types[name]) for name in carried],
            list(graph.output),
        ),
        tuple(name for name in carried if name != HIDDEN),
    )


def _kept(graph: onnx.GraphProto, products: Mapping[str, Kernel]) -> set[str]:
    """Transposed matrices that the runtime never makes, but reads transposed in the products that use them.

    Moved into the prologue they would be made, and the products be computed by another kernel, which rounds otherwise.
    """
    return {
        node.input[1]
        for node in graph.node
        if node.op_type == "MatMul" and products.get(node.output[0], Kernel(False, False)).turned
    }


def inputs_of(node: onnx.NodeProto) -> Iterator[str]:
    """The tensors that a node uses, those that its subgraphs take from outside included."""
    yield from (name for name in node.input if name)
    for attribute in node.attribute:
        for graph in (*([attribute.g] if attribute.HasField("g") else []), *attribute.graphs):
            made = {value.name for value in graph.input} | {tensor.name for tensor in graph.initializer}
            for inner in graph.node:
                yield from (name for name in inputs_of(inner) if name not in made)
                made |= set(inner.output)


def _input(graph: onnx.GraphProto, name: str) -> onnx.ValueInfoProto:
    found: onnx.ValueInfoProto = next(value for value in graph.input if value.name == name)
    return found


def _bare(value: onnx.ValueInfoProto) -> onnx.ValueInfoProto:
    """A tensor's name and type without its shape, which inference may have got from one example."""
    return onnx.helper.make_tensor_value_info(value.name, value.type.tensor_type.elem_type, None)


def _part(
    model: onnx.ModelProto,
    nodes: list[onnx.NodeProto],
    others: list[onnx.NodeProto],
    inputs: list[onnx.ValueInfoProto],
    outputs: Iterable[onnx.ValueInfoProto],
) -> onnx.ModelProto:
    """A model of ``nodes``, with the constant nodes of the other part that they need, and the weights they use."""
    made = {name for node in nodes for name in node.output}
    makers = {name: node for node in others for name in node.output}
    given = {value.name for value in inputs}
    needed: list[onnx.NodeProto] = []
    pending = [name for node in nodes for name in inputs_of(node)]
    while pending:
        name = pending.pop()
        maker = makers.get(name)
        if maker is None or name in made or name in given:
            continue
        made |= set(maker.output)
        needed.append(maker)
        pending += inputs_of(maker)
    chosen = {id(node) for node in (*nodes, *needed)}
    ordered = [node for node in model.graph.node if id(node) in chosen]
    part = onnx.ModelProto()
    part.ir_version = model.ir_version
    part.opset_import.extend(model.opset_import)
    part.graph.name = model.graph.name
    part.graph.node.extend(ordered)
    part.graph.input.extend(inputs)
    part.graph.output.extend(
        _bare(value) if value.name not in _names(model.graph.output) else value for value in outputs
    )
    used = {name for node in ordered for name in inputs_of(node)}
    part.graph.initializer.extend(tensor for tensor in model.graph.initializer if tensor.name in used)
    return part


def _names(values: Iterable[onnx.ValueInfoProto]) -> set[str]:
    return {value.name for value in values}
