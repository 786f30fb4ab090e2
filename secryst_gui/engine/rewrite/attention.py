"""Framing invariance of attention: each fed token's products computed as if it had been fed alone.

Quantization by row (``rows.py``) leaves one difference between a pass over several tokens and single steps: a product
of floating-point matrices adds its terms in another order when it has one row than when it has several. The last bit
that differs can move a value by a whole quantization step. So attention is given one row at a time here: the tokens
go where the batch was, and every product has one row, as in a single step. The keys of later tokens are still there;
their scores are masked and their weights are zero, which changes no sum, but for one thing: the runtime's products of
one row take four columns, or four terms, at a time and what is left over otherwise (measured, and seen in
``SgemmKernelM1*.asm`` of ONNX Runtime's mlas: the left over are taken as two, then one). Alone, a token's left-over
ones are the last keys before and with its own; those are computed by themselves, in the same groups.

A product that is scaled by a constant is left as it is: the runtime computes it, for one row as for several, by a
kernel that adds in one order. Whether all this comes out equal, to the bit, is measured when a model is opened.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from secryst_gui.engine.rewrite.hoist import inputs_of
from secryst_gui.engine.rewrite.kernels import Kernel

IDS, PAST = "input_ids", "past_"
#: The runtime's products of one row take so many at a time.
_GROUP = 4
#: What may stand between scores and softmax, or between softmax and the product of its weights.
_THROUGH = {"Add", "Sub", "Mul", "Div", "Where", "Cast", "Identity", "Max", "Min"}
_SWAP_ROWS_AND_BATCH = [2, 1, 0, 3]
#: The domain of the runtime's own operators.
_RUNTIME = "com.microsoft"


def attend_by_row(
    model: onnx.ModelProto, products: Mapping[str, Kernel], types: Mapping[str, onnx.ValueInfoProto]
) -> int:
    """Rewrite the products of ``model``'s attention in place; returns how many. Without pasts nothing changes.

    ``products``: the kernels that the runtime takes for the graph that single steps must equal. ``types``: what is
    known of the tensors' shapes.
    """
    graph = model.graph
    past = next((value.name for value in graph.input if value.name.startswith(PAST)), None)
    if past is None or all(value.name != IDS for value in graph.input):
        return 0
    makers = {name: node for node in graph.node for name in node.output}
    found = _products(graph, makers, types)
    late = _depending(graph, [value.name for value in graph.input if value.name == IDS or value.name.startswith(PAST)])
    rewritten: list[onnx.NodeProto] = []
    count = 0
    for node in graph.node:
        kernel = products.get(node.output[0]) if node.output else None
        if kernel is None or kernel.scaled or id(node) not in found:
            rewritten.append(node)
            continue
        if found[id(node)] == "scores":
            keys = makers[node.input[1]].input[0] if kernel.turned else None
            rewritten += _scores(node, keys, own=node.input[1] in late)
        else:
            rewritten += _mix(node, own=node.input[1] in late)
        count += 1
    if not count:
        return 0
    del graph.node[:]
    graph.node.extend([*_places(past), *rewritten])
    graph.initializer.extend(_constants())
    if all(opset.domain != _RUNTIME for opset in model.opset_import):
        model.opset_import.append(helper.make_opsetid(_RUNTIME, 1))
    return count


def _products(
    graph: onnx.GraphProto, makers: Mapping[str, onnx.NodeProto], types: Mapping[str, onnx.ValueInfoProto]
) -> dict[int, str]:
    """By ``id``: ``scores`` of queries and transposed keys, ``mixes`` of weights and values, around each softmax."""
    users: dict[str, list[onnx.NodeProto]] = {}
    for node in graph.node:
        for name in node.input:
            users.setdefault(name, []).append(node)

    def before(name: str) -> Iterator[onnx.NodeProto]:
        node = makers.get(name)
        if node is not None and node.op_type == "MatMul" and _has_heads(types.get(node.input[1])):
            yield node
        elif node is not None and node.op_type in _THROUGH:
            for each in node.input:
                yield from before(each)

    def after(name: str) -> Iterator[onnx.NodeProto]:
        for node in users.get(name, []):
            if node.op_type == "MatMul" and node.input[0] == name and _has_heads(types.get(node.input[1])):
                yield node
            elif node.op_type in ("Cast", "Identity"):
                yield from after(node.output[0])

    softmaxes = [node for node in graph.node if node.op_type == "Softmax"]
    scores = {id(node): "scores" for softmax in softmaxes for node in before(softmax.input[0])}
    return scores | {id(node): "mixes" for softmax in softmaxes for node in after(softmax.output[0])}


def _has_heads(value: onnx.ValueInfoProto | None) -> bool:
    """Whether a tensor is [1,H,..,..] with several heads: the runtime takes one alone for rows of one matrix."""
    sizes = list(value.type.tensor_type.shape.dim) if value is not None else []
    return len(sizes) == 4 and sizes[1].dim_value != 1


def _constants() -> list[TensorProto]:
    values: dict[str, NDArray[Any]] = {
        "zero": np.array(0, np.int64),
        "one": np.array(1, np.int64),
        "two": np.array(2, np.int64),
        "three": np.array(3, np.int64),
        "group": np.array(_GROUP, np.int64),
        "axis_0": np.array([0], np.int64),
        "axis_1": np.array([1], np.int64),
        "last_axes": np.array([1, 2, 3], np.int64),
        "nothing": np.array(0, np.float32),
    }
    return [numpy_helper.from_array(value, f"attend_{name}") for name, value in values.items()]


def _places(past: str) -> list[onnx.NodeProto]:
    """Where each fed token stands, and which keys were left over when it stood alone; computed once a pass.

    ``attend_own`` [N]: its own key. ``attend_pair`` [N,2]: the left-over keys that are taken as two. Masks over the
    keys, [N,1,1,T]: ``attend_single`` (its own key, left over alone), ``attend_first`` and ``attend_second`` (the
    two), ``attend_odd`` (its own key, where three terms are left over).
    """

    def node(kind: str, inputs: Sequence[str], output: str, **attributes: Any) -> onnx.NodeProto:
        return helper.make_node(kind, [f"attend_{name}" for name in inputs], [f"attend_{output}"], **attributes)

    def at(place: str, when: str, mask: str) -> list[onnx.NodeProto]:
        return [
            node("Unsqueeze", [place, "last_axes"], f"{mask}_at"),
            node("Equal", ["keys", f"{mask}_at"], f"{mask}_here"),
            node("Unsqueeze", [when, "last_axes"], f"{mask}_when"),
            node("And", [f"{mask}_here", f"{mask}_when"], mask),
        ]

    return [
        helper.make_node("Shape", [past], ["attend_past_shape"]),
        helper.make_node("Shape", [IDS], ["attend_ids_shape"]),
        node("Gather", ["past_shape", "two"], "length", axis=0),
        node("Gather", ["ids_shape", "one"], "count", axis=0),
        node("Add", ["length", "count"], "total"),
        node("Range", ["length", "total", "one"], "own"),
        node("Range", ["zero", "total", "one"], "keys"),
        node("Add", ["own", "one"], "alone"),
        node("Mod", ["alone", "group"], "over"),
        node("Equal", ["over", "three"], "is_three"),
        node("Equal", ["over", "two"], "is_two"),
        node("Equal", ["over", "one"], "is_one"),
        node("Or", ["is_three", "is_two"], "has_pair"),
        node("Or", ["is_three", "is_one"], "has_single"),
        node("Cast", ["is_three"], "shift", to=TensorProto.INT64),
        node("Sub", ["own", "shift"], "second_place"),
        node("Sub", ["second_place", "one"], "first_place"),
        node("Max", ["second_place", "zero"], "second_key"),
        node("Max", ["first_place", "zero"], "first_key"),
        node("Unsqueeze", ["first_key", "axis_1"], "first_column"),
        node("Unsqueeze", ["second_key", "axis_1"], "second_column"),
        node("Concat", ["first_column", "second_column"], "pair", axis=1),
        *at("own", "has_single", "single"),
        *at("own", "is_three", "odd"),
        *at("first_place", "has_pair", "first"),
        *at("second_place", "has_pair", "second"),
    ]


def _scores(node: onnx.NodeProto, keys: str | None, *, own: bool) -> list[onnx.NodeProto]:
    """Queries [1,H,N,Dk] x transposed keys [1,H,Dk,T].

    ``keys`` [1,H,T,Dk]: where the runtime reads them transposed. ``own``: the tokens' own keys are among them, and the
    last ones may have been left over.
    """
    (query, transposed), output = node.input, node.output[0]
    rows, whole = f"{output}_queries", f"{output}_whole"
    nodes = [helper.make_node("Transpose", [query], [rows], perm=_SWAP_ROWS_AND_BATCH)]
    if keys is None:
        nodes.append(helper.make_node("MatMul", [rows, transposed], [whole]))
    else:
        nodes.append(_turned(rows, keys, whole))
    if keys is not None and own:
        nodes += [
            helper.make_node("Gather", [keys, "attend_own"], [f"{output}_own"], axis=2),
            helper.make_node("Transpose", [f"{output}_own"], [f"{output}_own_rows"], perm=_SWAP_ROWS_AND_BATCH),
            helper.make_node("Gather", [keys, "attend_pair"], [f"{output}_pairs"], axis=2),
            helper.make_node("Squeeze", [f"{output}_pairs", "attend_axis_0"], [f"{output}_pair"]),
            helper.make_node("Transpose", [f"{output}_pair"], [f"{output}_pair_rows"], perm=[1, 0, 2, 3]),
            _turned(rows, f"{output}_own_rows", f"{output}_single"),
            _turned(rows, f"{output}_pair_rows", f"{output}_two"),
            helper.make_node("Split", [f"{output}_two"], [f"{output}_first", f"{output}_second"], axis=3),
            helper.make_node("Where", ["attend_single", f"{output}_single", whole], [f"{output}_mended1"]),
            helper.make_node("Where", ["attend_first", f"{output}_first", f"{output}_mended1"], [f"{output}_mended2"]),
            helper.make_node("Where", ["attend_second", f"{output}_second", f"{output}_mended2"], [f"{output}_mended"]),
        ]
        whole = f"{output}_mended"
    return [*nodes, helper.make_node("Transpose", [whole], [output], perm=_SWAP_ROWS_AND_BATCH)]


def _turned(one: str, other: str, output: str) -> onnx.NodeProto:
    """The product that the runtime fuses from transposing ``other`` and multiplying: said outright, to be sure."""
    return helper.make_node("FusedMatMul", [one, other], [output], domain=_RUNTIME, transB=1)


def _mix(node: onnx.NodeProto, *, own: bool) -> list[onnx.NodeProto]:
    """Weights [1,H,N,T] x values [1,H,T,Dk]; ``own``: the last of a token's terms may have been left over alone."""
    (weights, values), output = node.input, node.output[0]
    rows, mixed = f"{output}_weights", f"{output}_rows"
    nodes = [helper.make_node("Transpose", [weights], [rows], perm=_SWAP_ROWS_AND_BATCH)]
    if not own:
        nodes.append(helper.make_node("MatMul", [rows, values], [mixed]))
    else:
        nodes += [
            helper.make_node("Where", ["attend_odd", "attend_nothing", rows], [f"{output}_grouped"]),
            helper.make_node("MatMul", [f"{output}_grouped", values], [f"{output}_most"]),
            helper.make_node("Sub", [rows, f"{output}_grouped"], [f"{output}_over"]),
            helper.make_node("ReduceMax", [f"{output}_over"], [f"{output}_weight"], axes=[3], keepdims=1),
            helper.make_node("Gather", [values, "attend_own"], [f"{output}_own"], axis=2),
            helper.make_node("Transpose", [f"{output}_own"], [f"{output}_value"], perm=_SWAP_ROWS_AND_BATCH),
            helper.make_node("Mul", [f"{output}_weight", f"{output}_value"], [f"{output}_term"]),
            helper.make_node("Add", [f"{output}_most", f"{output}_term"], [mixed]),
        ]
    return [*nodes, helper.make_node("Transpose", [mixed], [output], perm=_SWAP_ROWS_AND_BATCH)]


def _depending(graph: onnx.GraphProto, names: Iterable[str]) -> set[str]:
    """Every tensor that follows from one of ``names``."""
    found = set(names)
    for node in graph.node:
        if found & set(inputs_of(node)):
            found |= set(node.output)
    return found
