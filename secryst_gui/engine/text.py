"""Text that grows: what may be shown of the tokens so far.

A character may be split over blocks, and a letter's marks may come a block later than the letter. So the last
letter with its marks is held back until something else follows or the window ends; what was shown is never changed.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterable

import regex

from secryst_gui.engine.tokens import EOS, to_bytes

_CLUSTERS = regex.compile(r"\X")


class IncrementalText:
    """Turns tokens into text as they come. All returned pieces together are ``tokens.decode`` of all tokens."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._held = ""
        self._ended = False

    def push(self, tokens: Iterable[int]) -> str:
        """What has become certain with ``tokens``; tokens after an end token are nothing."""
        kept: list[int] = []
        for token in tokens:
            self._ended = self._ended or token == EOS
            if not self._ended:
                kept.append(token)
        self._held += self._decoder.decode(to_bytes(kept))
        clusters = _CLUSTERS.findall(self._held)
        # A space waits too: a mark that comes after it belongs to it.
        return self._take(len(self._held) - len(clusters[-1])) if clusters else ""

    def finish(self) -> str:
        """The rest, when no more tokens come."""
        self._held += self._decoder.decode(b"", final=True)
        return self._take(len(self._held))

    def cut(self) -> str:
        """The rest, when decoding was ended before its time: a character that is not whole is left out."""
        return self._take(len(self._held))

    def _take(self, length: int) -> str:
        shown, self._held = self._held[:length], self._held[length:]
        return shown
