"""A drafter without a model: it copies the source, and what this output did before in the same situation.

In diacritization the letters of the output *are* the source's; only the marks must be guessed. So the drafter keeps
its place in the source: each output character is either the next source character, or a mark put after one. What
follows a situation is looked up by the longest run of tokens that was seen before in this window (n-grams, as in
prompt lookup decoding); where none is known, the next source character is copied. An output that is not its source
with marks added is drafted from n-grams alone. Nothing outlives a window.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from secryst_gui.engine.tokens import EOS, OFFSET, PAD, UNK

#: Lengths of the runs that are looked up, longest first.
RUNS = (9, 7, 5, 4)


class _Place:
    """How far an output has come in a source, fed token by token."""

    def __init__(self, source: str) -> None:
        self._source = source
        self.at = 0
        self.lost = False
        self._bytes = b""

    def copy(self) -> _Place:
        other = _Place(self._source)
        other.at, other.lost, other._bytes = self.at, self.lost, self._bytes
        return other

    def feed(self, token: int) -> None:
        if token in (PAD, EOS, UNK) or token > 0xFF + OFFSET:
            return
        self._bytes += bytes((token - OFFSET,))
        try:
            character = self._bytes.decode()
        except UnicodeDecodeError:
            self.lost = self.lost or len(self._bytes) >= 4
            return
        self._bytes = b""
        if self.at < len(self._source) and character == self._source[self.at]:
            self.at += 1
        elif not unicodedata.combining(character):
            self.lost = True

    def next_token(self) -> int | None:
        """The next token if the source is copied from here; the end token after its last character."""
        if self.lost:
            return None
        if self.at >= len(self._source):
            return EOS if not self._bytes else None
        encoded = self._source[self.at].encode("utf-8", "replace")
        if not encoded.startswith(self._bytes):
            return None
        return encoded[len(self._bytes)] + OFFSET


class LookupDrafter:
    """See the module. ``name`` is what the command line and the window call it."""

    name = "lookup"

    def __init__(self) -> None:
        self.begin("", ())

    def begin(self, source: str, source_ids: Sequence[int]) -> None:  # noqa: ARG002 - characters, not ids, are copied
        self._place = _Place(source)
        self._history: list[int] = []
        self._next: dict[tuple[int, ...], int] = {}

    def propose(self, prefix: Sequence[int], k: int) -> list[int]:
        self._learn(prefix[len(self._history) :])
        place, history = self._place.copy(), self._history[-max(RUNS) :]
        draft: list[int] = []
        while len(draft) < k:
            token = self._guess(history, place)
            if token is None:
                break
            draft.append(token)
            if token == EOS:
                break
            history.append(token)
            place.feed(token)
        return draft

    def observe(self, decided: Sequence[int]) -> None:
        self._learn([token for token in decided if token != EOS])

    def _learn(self, decided: Sequence[int]) -> None:
        for token in decided:
            for run in RUNS:
                if len(self._history) >= run:
                    self._next[tuple(self._history[-run:])] = token
            self._history.append(token)
            self._place.feed(token)

    def _guess(self, history: Sequence[int], place: _Place) -> int | None:
        copied = place.next_token()
        for run in RUNS:
            known = self._next.get(tuple(history[-run:])) if len(history) >= run else None
            if known is not None and self._plausible(known, copied, place):
                return known
        return copied

    def _plausible(self, token: int, copied: int | None, place: _Place) -> bool:
        """Whether ``token`` leaves the place in the source known: the copy itself, or part of a mark."""
        if place.lost or token == copied:
            return True
        after = place.copy()
        after.feed(token)
        return not after.lost and token != EOS
