"""Coarser products of 4-bit weights, for models that only draft.

Without an accuracy level the runtime's ``MatMulNBits`` computes with floating-point activations; level 4 lets it round
them to 8 bits (ONNX Runtime, contrib operators, MatMulNBits). The numbers change a little, which a drafter may.
"""

from __future__ import annotations

import onnx
from onnx import helper

LEVEL, INT8 = "accuracy_level", 4


def round_products(model: onnx.ModelProto) -> int:
    """Let every product of 4-bit weights in ``model`` round its activations, in place; returns how many did not yet."""
    changed = 0
    for node in model.graph.node:
        if node.op_type != "MatMulNBits" or any(each.name == LEVEL and each.i == INT8 for each in node.attribute):
            continue
        others = [each for each in node.attribute if each.name != LEVEL]
        del node.attribute[:]
        node.attribute.extend([*others, helper.make_attribute(LEVEL, INT8)])
        changed += 1
    return changed
