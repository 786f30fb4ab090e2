"""The acceptance rule of greedy speculative decoding, as a pure function.

A draft token is accepted while it is the verifier's own choice; at the first divergence the verifier's choice is the
correction. So what is emitted is what the verifier alone would have emitted, whoever drafted (Leviathan et al. 2023,
arxiv.org/abs/2211.17192, for the greedy case; Stern et al. 2018, arxiv.org/abs/1811.03115).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Acceptance(NamedTuple):
    """``accepted``: leading tokens that agree, 0..len(block). ``correction``: None when all of them do."""

    accepted: int
    correction: int | None


def accept_block(verdicts: Sequence[int], block: Sequence[int]) -> Acceptance:
    """Compare a drafted ``block`` with the verifier's ``verdicts``, one for each of its positions.

    The end token compares like any other. The empty block gives ``(0, None)``. Verdicts may end early, after the
    first divergence. Raises ValueError when they end before one.
    """
    for accepted, token in enumerate(block):
        if accepted >= len(verdicts):
            raise ValueError(f"expected a verdict for each of {len(block)} tokens, found {len(verdicts)}")
        if verdicts[accepted] != token:
            return Acceptance(accepted, verdicts[accepted])
    return Acceptance(len(block), None)
