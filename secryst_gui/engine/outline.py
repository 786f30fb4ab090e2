"""A whole window drafted in one pass, from a model's draft head, and how to go on from it after a correction.

A zip may carry one graph more than IMF v1 asks for, ``draft.onnx``: ``input_ids`` [B,S] and ``encoder_hidden_states``
-> ``insertions`` [B,S,M], the ids to insert after each source byte, 0 for none. The source with its insertions is a
draft of the whole output, at the price of one small product instead of one decoder call a token (compare the heads of
Cai et al. 2024, "Medusa", arxiv.org/abs/2401.10774). The verifier decides as ever.
"""

from __future__ import annotations

from collections.abc import Sequence

from secryst_gui.engine.place import Place, character_tokens
from secryst_gui.engine.tokens import EOS, PAD


class Outline:
    """The draft of one source: each character's tokens, and what to insert after it."""

    def __init__(self, source: str, insertions: Sequence[Sequence[int]]) -> None:
        """``insertions``: a row for each source byte; those of a character's bytes are taken together."""
        self._place = Place(source)
        self._fed = 0
        self._copies = [character_tokens(character) for character in source]
        self._inserted: list[list[int]] = []
        at = 0
        for copy in self._copies:
            rows = insertions[at : at + len(copy)]
            self._inserted.append([token for row in rows for token in row if token != PAD])
            at += len(copy)

    def after(self, prefix: Sequence[int], k: int) -> list[int]:
        """At most ``k`` tokens that the outline has after ``prefix``, which grows from call to call."""
        for token in prefix[self._fed :]:
            self._place.feed(token)
        self._fed = len(prefix)
        place = self._place
        if place.lost:
            return []
        draft = self._rest_of_character(place)
        if draft is None:
            return []
        at = place.at + (1 if self._begins_next(place) and not self._continues_marks(place) else 0)
        while len(draft) < k and at < len(self._copies):
            draft += self._copies[at] + self._inserted[at]
            at += 1
        if at >= len(self._copies):
            draft.append(EOS)
        return draft[:k]

    def _continues_marks(self, place: Place) -> bool:
        marks = self._inserted[place.at - 1] if place.at else []
        return tuple(marks[: len(place.since)]) == place.since

    def _begins_next(self, place: Place) -> bool:
        wanted = place.source[place.at : place.at + 1].encode("utf-8", "replace")
        return bool(place.pending) and wanted.startswith(place.pending)

    def _rest_of_character(self, place: Place) -> list[int] | None:
        """What completes the marks, or the character, that the output stands in; None where nothing is known to."""
        marks = self._inserted[place.at - 1] if place.at else []
        if self._continues_marks(place):
            return marks[len(place.since) :]
        if not place.pending:
            return []  # the verifier put other marks; go on with the next character
        if self._begins_next(place):
            return self._copies[place.at][len(place.pending) :] + self._inserted[place.at]
        return None
