"""Drafters that know the output beforehand: what the best and the worst drafter there could be would give.

For the bench alone: they cost next to nothing, and are wrong exactly as often as they are told to be.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from secryst_gui.engine import IMFModel
from secryst_gui.engine.tokens import EOS, OFFSET


class ReplayDrafter:
    """Proposes the output of ``verifier``, a share ``wrong`` (0..1) of it replaced by other tokens.

    Which ones is drawn from a fixed seed, so that every round meets the same. A source is decoded when it is met
    first: let a round go by before measuring.
    """

    def __init__(self, verifier: IMFModel, wrong: float, max_len: int) -> None:
        self._verifier, self._wrong, self._max_len = verifier, wrong, max_len
        self._known: dict[str, list[int]] = {}
        self._output: list[int] = []

    @property
    def name(self) -> str:
        return f"replay, {self._wrong:.0%} wrong"

    def begin(self, source: str, source_ids: Sequence[int]) -> None:  # noqa: ARG002 - the text is enough
        if source not in self._known:
            output = np.array([*self._verifier.generate(source, self._max_len, raw=True, guard=False), EOS])
            wrong = np.random.default_rng(0).random(len(output)) < self._wrong
            self._known[source] = np.where(wrong, np.where(output == OFFSET, OFFSET + 1, OFFSET), output).tolist()
        self._output = self._known[source]

    def propose(self, prefix: Sequence[int], k: int) -> list[int]:
        return self._output[len(prefix) : len(prefix) + k]

    def observe(self, decided: Sequence[int]) -> None:
        """Nothing to learn: it knows."""
