"""Drafters that a test tells what to propose."""

from __future__ import annotations

import itertools
from collections.abc import Sequence


class Scripted:
    """Proposes the given blocks in turn, whether or not it may: too long, out of the vocabulary, past the end."""

    name = "scripted"

    def __init__(self, blocks: Sequence[Sequence[int]]) -> None:
        self._blocks = itertools.cycle(blocks or [[]])

    def begin(self, source: str, source_ids: Sequence[int]) -> None:
        """Nothing is read."""

    def propose(self, prefix: Sequence[int], k: int) -> list[int]:  # noqa: ARG002 - on purpose
        return list(next(self._blocks))

    def observe(self, decided: Sequence[int]) -> None:
        """Nothing is learnt."""


class Prompter:
    """Knows the output and what to say after it; every ``wrong_every``-th token is another one (0: none is)."""

    name = "prompter"

    def __init__(self, output: Sequence[int], wrong_every: int = 0) -> None:
        self._output, self._wrong_every = list(output), wrong_every

    def begin(self, source: str, source_ids: Sequence[int]) -> None:
        """Nothing is read."""

    def propose(self, prefix: Sequence[int], k: int) -> list[int]:  # noqa: ARG002 - it may say more than it should
        at = len(prefix)
        return [
            token + 1 if self._wrong_every and place % self._wrong_every == 0 else token
            for place, token in enumerate(self._output[at:], at + 1)
        ]

    def observe(self, decided: Sequence[int]) -> None:
        """Nothing is learnt."""
