"""How far an output has come in its source, where the output is the source with marks put after its characters.

In diacritization the letters of the output *are* the source's. Fed the output token by token, a place says which
source character comes next and what has been put after the last one; an output that is something else loses it.
"""

from __future__ import annotations

import unicodedata

from secryst_gui.engine.tokens import EOS, OFFSET, PAD, UNK


def character_tokens(character: str) -> list[int]:
    """The tokens of one character."""
    return [byte + OFFSET for byte in character.encode("utf-8", "replace")]


class Place:
    """``at``: source characters the output has come past. ``lost``: the output is not the source with marks.

    ``since``: tokens after the last of them: marks, and the beginning (``pending`` bytes) of a character.
    """

    def __init__(self, source: str) -> None:
        self.source = source
        self.at = 0
        self.lost = False
        self.since: tuple[int, ...] = ()
        self.pending = b""

    def copy(self) -> Place:
        other = Place(self.source)
        other.at, other.lost, other.since, other.pending = self.at, self.lost, self.since, self.pending
        return other

    def feed(self, token: int) -> None:
        """Follow one output token."""
        if self.lost or token in (PAD, EOS, UNK):
            return
        self.since = (*self.since, token)
        self.pending += bytes(((token - OFFSET) % 256,))
        try:
            character = self.pending.decode()
        except UnicodeDecodeError as error:
            self.lost = error.reason != "unexpected end of data"
            return
        self.pending = b""
        if self.at < len(self.source) and character == self.source[self.at]:
            self.at += 1
            self.since = ()
        elif not unicodedata.combining(character):
            self.lost = True

    def copied(self) -> int | None:
        """The next token if the next source character is copied; the end token after the last one; None if unknown."""
        if self.lost:
            return None
        if self.at >= len(self.source):
            return EOS if not self.pending else None
        wanted = self.source[self.at].encode("utf-8", "replace")
        return wanted[len(self.pending)] + OFFSET if wanted.startswith(self.pending) else None
