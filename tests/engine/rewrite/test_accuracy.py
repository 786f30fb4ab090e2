"""4-bit products are rounded where a model only drafts; a verifier's never are."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest

from secryst_gui.engine import EngineOptions, IMFModel, SpeculativeModel
from secryst_gui.engine.rewrite.accuracy import round_products
from tests.engine.conftest import FIXTURES, Load

INT4 = [name for name in FIXTURES if "int4" in name]


@pytest.mark.parametrize("name", INT4)
def test_every_product_is_told_once(load: Load, name: str) -> None:
    """All of them, and none again; graphs without any are left alone."""
    model = onnx.load(str(load(name).artifact.graphs["decoder-kv.onnx"]))
    assert round_products(model) == sum(node.op_type == "MatMulNBits" for node in model.graph.node) > 0
    assert round_products(model) == 0
    assert round_products(onnx.load(str(load(FIXTURES[1]).artifact.graphs["decoder-kv.onnx"]))) == 0


@pytest.mark.parametrize("name", INT4)
def test_a_drafting_model_is_close_and_the_output_the_verifiers(conformance: Path, load: Load, name: str) -> None:
    """Its numbers are those of the exact one but for rounding, whichever is sooner here; what comes out is exact."""
    verifier = load(name)
    path = conformance / "imf" / name
    for _ in range(2):  # measured the first time, remembered the second
        with IMFModel.load(path, EngineOptions(threads=1, drafting=True)) as drafter:
            exact, coarse = verifier.encode("قال abc", raw=True), drafter.encode("قال abc", raw=True)
            assert exact is not None
            assert coarse is not None
            expected, found = exact.steps.logits([70, 80, 90], 3), coarse.steps.logits([70, 80, 90], 3)
            assert np.abs(found - expected).max() < 0.2 * np.abs(expected).max()
            pair = SpeculativeModel(drafter, verifier, 4)
            assert pair.generate("hello", 40, raw=True, guard=False) == verifier.generate("hello", 40, True, False)
            assert pair.stats.accepted > 0
