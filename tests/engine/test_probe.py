"""Whether a pass over several tokens may stand for several passes over one."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from secryst_gui.engine import EngineOptions, IMFModel, LookupDrafter, SpeculativeModel, tokens
from tests.engine.conftest import FIXTURES, Load
from tests.support import graphs
from tests.support.imf import write_imf

#: What the near-tie bound must stay above: both rows of a gap may be off, each by the largest difference seen.
BOTH_ROWS = 2


def test_tokens_of_a_pass_that_are_all_read_at_its_first_place(tmp_path: Path) -> None:
    """Causal, yet wrong but for single steps: found out when opened, said in words, and decoded exactly."""
    path = write_imf(tmp_path / "m.zip", graphs.copier(fixed_place=True))
    with IMFModel.load(path, EngineOptions(threads=1)) as model:
        assert not model.multi_token
        assert "disagrees with single steps" in str(model.multi_token_reason)
        pair = SpeculativeModel(LookupDrafter(), model, 8)
        assert pair.translate("hello world", raw=True) == "hello world"
        assert pair.stats.acceptance_rate == 1.0


def test_operators_that_fuse_quantization_are_not_trusted_either(tmp_path: Path) -> None:
    """Tools rewrite the quantizing nodes into one operator of their own; it still takes one scale for a pass."""
    path = write_imf(tmp_path / "m.zip", graphs.fused_quantized(), kv=False)
    with IMFModel.load(path, EngineOptions(threads=1)) as model:
        assert not model.multi_token
        assert "one scale" in str(model.multi_token_reason)


@pytest.mark.parametrize("name", [name for name in FIXTURES if "int8" not in name])
def test_the_near_tie_bound_is_above_what_framings_differ_by(load: Load, name: str) -> None:
    """Over long outputs, after rejected drafts, at many sizes: single steps never differ from a pass by half of it."""
    model, chance = load(name), random.Random(0)
    worst = 0.0
    for text in ("A", "hello world", "قال رسول الله"):
        encoded = model.encode(text, raw=True)
        assert encoded is not None
        output = model.generate(text, 120, raw=True, guard=False)
        steps = np.concatenate([encoded.steps.logits(output[:end]) for end in range(len(output) + 1)])
        at = 0
        while at < len(output):
            k = min(chance.choice((1, 2, 3, 5, 8, 16, 32)), len(output) - at)
            wrong = [chance.randrange(tokens.OFFSET, 259) for _ in range(k)]
            encoded.passes.logits([*output[:at], *wrong], k + 1)
            found = encoded.passes.logits(output[: at + k], k + 1)
            worst = max(worst, float(np.abs(found.astype(float) - steps[at : at + k + 1].astype(float)).max()))
            at += k
    assert BOTH_ROWS * worst < model.near_tie
