"""When decoding ends: the end token, the length limit, the repetition guard. One object, asked about each token.

Plain and speculative decoding use the same object token by token, so that a block can neither pass a limit nor stop
elsewhere than single steps would. The guard is that of the public crystals (src/ml/imf/guards.ts of interscript-ts):
stop after a token when the last 24 tokens occurred before (from 48 tokens on), or, every 8th token, when the last 16
characters occur 3 times or more (from 48 characters on). Occurrences may overlap.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal

from secryst_gui.engine import tokens

Stop = Literal["eos", "length", "repetition", "cancelled"]
RUN, EVERY, TAIL, TIMES = 24, 8, 16, 3
_WORST: tuple[Stop, ...] = ("cancelled", "repetition", "length", "eos")


def worst(stops: Collection[Stop]) -> Stop:
    """Of several windows or runs the least regular ending is that of the whole."""
    return next((stop for stop in _WORST if stop in stops), "eos")


class Stopper:
    """Collects a window's output. ``limit``: tokens at most, the end token not counted."""

    def __init__(self, limit: int, guard: bool) -> None:
        self.output: list[int] = []
        self.reason: Stop | None = "length" if limit <= 0 else None
        self._limit = limit
        self._guard = guard
        # The output as a string of code points, one a token: finding a run in it is one fast search.
        self._text = ""

    @property
    def remaining(self) -> int:
        """Tokens that may still come."""
        return self._limit - len(self.output)

    def push(self, token: int) -> Stop | None:
        """Take one decided token; the reason if it is the last one. An end token is not kept, others are."""
        if token == tokens.EOS:
            self.reason = "eos"
            return self.reason
        self.output.append(token)
        self._text += chr(token)
        if self._guard and self._repeats():
            self.reason = "repetition"
        elif self.remaining <= 0:
            self.reason = "length"
        return self.reason

    def _repeats(self) -> bool:
        if len(self._text) >= 2 * RUN and self._text.find(self._text[-RUN:]) < len(self._text) - RUN:
            return True
        if len(self.output) % EVERY:
            return False
        text = tokens.decode(self.output)
        return len(text) >= TAIL * TIMES and _occurrences(text, text[-TAIL:]) >= TIMES


def _occurrences(text: str, part: str) -> int:
    """How often ``part`` occurs in ``text``, overlapping occurrences included."""
    count, start = 0, text.find(part)
    while start >= 0:
        count, start = count + 1, text.find(part, start + 1)
    return count
