"""IMF graphs written by hand: small, exact, and able to do what random weights never do, such as ending.

Every encoder here hands the ids over as the hidden state (int64 [B,S], as in the public parity kit).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from onnx import TensorProto, helper, numpy_helper

Graph = Any  # onnx ships no types
OPSET = 14
PAST, PRESENT = "past_ids", "present_ids"


def encoder() -> Graph:
    """The source's ids as they are."""
    nodes = [helper.make_node("Identity", ["input_ids"], ["last_hidden_state"])]
    return _model(nodes, [_ids("input_ids", "S")], [_ids("last_hidden_state", "S")])


def copier(*, kv: bool = True, vocabulary: int = 260, fixed_place: bool = False) -> Graph:
    """Writes the source, and an end token after it.

    ``fixed_place``: the mistake of an exporter that traced one token: all tokens of a pass are read as if they stood
    where the first one does.
    """
    nodes = [*_places(kv), *_last_place(), helper.make_node("Min", ["places", "last"], ["inside"])]
    if fixed_place:
        nodes[-1:] = [
            helper.make_node("Mul", ["places", "zero"], ["nothing"]),
            helper.make_node("Add", ["nothing", "past_length"], ["first"]),
            helper.make_node("Min", ["first", "last"], ["inside"]),
        ]
    nodes += [
        helper.make_node("Gather", ["encoder_hidden_states", "inside"], ["chosen"], axis=1),
        helper.make_node("OneHot", ["chosen", "vocabulary", "off_on"], ["logits"]),
    ]
    return _decoder(nodes, kv=kv, vocabulary=vocabulary)


def chain(*, kv: bool = True, vocabulary: int = 16, factor: int = 7, history: bool = True) -> Graph:
    """The next token depends on every token before it, on its place and on the source, with no pattern to guess.

    So anything lost from, or left in, the keys and values changes all that follows. It ends about once in
    ``vocabulary`` tokens, or falls into a loop. ``history``: without it only the last token counts.
    """
    nodes = [*_places(kv), helper.make_node("CumSum", ["input_ids", "one"], ["sums"])]
    if kv and history:
        nodes += [
            helper.make_node("ReduceSum", [PAST, "all_axes"], ["past_sum"], keepdims=0),
            helper.make_node("Cast", ["past_sum"], ["past_total"], to=TensorProto.INT64),
            helper.make_node("Add", ["sums", "past_total"], ["totals"]),
        ]
    else:
        nodes.append(helper.make_node("Identity", ["sums" if history else "input_ids"], ["totals"]))
    nodes += [
        helper.make_node("ReduceSum", ["encoder_hidden_states", "one_axis"], ["source"], keepdims=1),
        helper.make_node("Mul", ["totals", "factor"], ["scaled"]),
        helper.make_node("Mul", ["places", "five"], ["placed"]),
        helper.make_node("Add", ["scaled", "placed"], ["mixed"]),
        helper.make_node("Add", ["mixed", "source"], ["all"]),
        helper.make_node("Mod", ["all", "vocabulary"], ["chosen"]),
        helper.make_node("OneHot", ["chosen", "vocabulary", "off_on"], ["logits"]),
    ]
    return _decoder(nodes, kv=kv, vocabulary=vocabulary, factor=factor)


def short_sighted(places: int, vocabulary: int = 260) -> Graph:
    """A copier that knows ``places`` places: the runtime fails at the next one."""
    nodes = [
        *_places(kv=True),
        helper.make_node("Gather", ["table", "places"], ["known"]),
        *_last_place(),
        helper.make_node("Min", ["known", "last"], ["inside"]),
        helper.make_node("Gather", ["encoder_hidden_states", "inside"], ["chosen"], axis=1),
        helper.make_node("OneHot", ["chosen", "vocabulary", "off_on"], ["logits"]),
    ]
    table = numpy_helper.from_array(np.arange(places), "table")
    return _decoder(nodes, kv=True, vocabulary=vocabulary, more=[table])


def endless(patience: int, vocabulary: int = 260) -> Graph:
    """A copier whose every call takes minutes once the source has more than ``patience`` tokens."""
    body = helper.make_graph(
        [helper.make_node("Identity", ["go"], ["go_on"]), helper.make_node("Add", ["x", "x"], ["twice"])],
        "body",
        [
            helper.make_tensor_value_info("number", TensorProto.INT64, []),
            helper.make_tensor_value_info("go", TensorProto.BOOL, []),
            helper.make_tensor_value_info("x", TensorProto.INT64, []),
        ],
        [
            helper.make_tensor_value_info("go_on", TensorProto.BOOL, []),
            helper.make_tensor_value_info("twice", TensorProto.INT64, []),
        ],
    )
    nodes = [
        *_places(kv=True),
        *_last_place(),
        helper.make_node("Sub", ["last", "patience"], ["excess"]),
        helper.make_node("Max", ["excess", "zero"], ["too_long"]),
        helper.make_node("Mul", ["too_long", "many"], ["trips"]),
        helper.make_node("Loop", ["trips", "", "zero"], ["nothing"], body=body),
        helper.make_node("Add", ["places", "nothing"], ["known"]),
        helper.make_node("Min", ["known", "last"], ["inside"]),
        helper.make_node("Gather", ["encoder_hidden_states", "inside"], ["chosen"], axis=1),
        helper.make_node("OneHot", ["chosen", "vocabulary", "off_on"], ["logits"]),
    ]
    more = [_scalar("patience", patience), _scalar("many", 1 << 40)]
    return _decoder(nodes, kv=True, vocabulary=vocabulary, more=more)


def fused_quantized(vocabulary: int = 260) -> Graph:
    """A plain decoder whose one product is ONNX Runtime's fused operator that quantizes a whole pass at once."""
    weights = np.random.default_rng(0).integers(0, 255, (1, vocabulary), dtype=np.uint8)
    nodes = [
        helper.make_node("Cast", ["input_ids"], ["float_ids"], to=TensorProto.FLOAT),
        helper.make_node("Unsqueeze", ["float_ids", "two_axis"], ["columns"]),
        helper.make_node(
            "DynamicQuantizeMatMul", ["columns", "weights", "scale", "point"], ["logits"], domain="com.microsoft"
        ),
    ]
    more = [
        numpy_helper.from_array(weights, "weights"),
        numpy_helper.from_array(np.array(0.01, np.float32), "scale"),
        numpy_helper.from_array(np.array(128, np.uint8), "point"),
    ]
    return _decoder(nodes, kv=False, vocabulary=vocabulary, more=more)


def _places(kv: bool) -> list[Graph]:
    """``places`` [N]: how many tokens stand before each fed one; ``past_length`` and ``count`` are scalars."""
    length = (
        [
            helper.make_node("Shape", [PAST], ["past_shape"]),
            helper.make_node("Gather", ["past_shape", "two"], ["past_length"]),
        ]
        if kv
        else [helper.make_node("Identity", ["zero"], ["past_length"])]
    )
    return [
        *length,
        helper.make_node("Shape", ["input_ids"], ["ids_shape"]),
        helper.make_node("Gather", ["ids_shape", "one"], ["count"]),
        helper.make_node("Add", ["past_length", "count"], ["length"]),
        helper.make_node("Range", ["past_length", "length", "one"], ["places"]),
    ]


def _last_place() -> list[Graph]:
    return [
        helper.make_node("Shape", ["encoder_hidden_states"], ["source_shape"]),
        helper.make_node("Gather", ["source_shape", "one"], ["source_length"]),
        helper.make_node("Sub", ["source_length", "one"], ["last"]),
    ]


def _decoder(nodes: list[Graph], *, kv: bool, vocabulary: int, factor: int = 1, more: Sequence[Graph] = ()) -> Graph:
    inputs = [_ids("input_ids", "N"), _ids("encoder_hidden_states", "S")]
    outputs = [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["B", "N", vocabulary])]
    if kv:
        # The past holds the ids themselves, so that a test can see what was kept.
        nodes = [
            *nodes,
            helper.make_node("Cast", ["input_ids"], ["fed"], to=TensorProto.FLOAT),
            helper.make_node("Unsqueeze", ["fed", "outer_axes"], ["fed_pair"]),
            helper.make_node("Concat", [PAST, "fed_pair"], [PRESENT], axis=2),
        ]
        inputs.append(helper.make_tensor_value_info(PAST, TensorProto.FLOAT, ["B", 1, "P", 1]))
        outputs.append(helper.make_tensor_value_info(PRESENT, TensorProto.FLOAT, ["B", 1, "T", 1]))
    constants = [
        *(_scalar(name, value) for name, value in (("zero", 0), ("one", 1), ("two", 2), ("five", 5))),
        _scalar("vocabulary", vocabulary),
        _scalar("factor", factor),
        numpy_helper.from_array(np.array([1]), "one_axis"),
        numpy_helper.from_array(np.array([2]), "two_axis"),
        numpy_helper.from_array(np.array([1, 3]), "outer_axes"),
        numpy_helper.from_array(np.array([0, 1, 2, 3]), "all_axes"),
        numpy_helper.from_array(np.array([0, 1], np.float32), "off_on"),
        *more,
    ]
    used = {name for node in nodes for name in node.input}
    return _model(nodes, inputs, outputs, [each for each in constants if each.name in used])


def _model(nodes: list[Graph], inputs: list[Graph], outputs: list[Graph], constants: Sequence[Graph] = ()) -> Graph:
    graph = helper.make_graph(nodes, "graph", inputs, outputs, constants)
    opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8)


def _ids(name: str, axis: str) -> Graph:
    return helper.make_tensor_value_info(name, TensorProto.INT64, ["B", axis])


def _scalar(name: str, value: int) -> Graph:
    return numpy_helper.from_array(np.array(value), name)
