"""A drafter without a model: it copies the source, and what this output did before in the same situation.

What follows a situation is looked up by the longest run of tokens that was seen before in this request (n-grams, as in
prompt lookup decoding); where none is known, the next source character is copied. An output that is not its source
with marks added is drafted from n-grams alone. Nothing outlives a request, unless requests are said to belong together.
"""

from __future__ import annotations

from collections.abc import Sequence

from secryst_gui.engine.place import Place
from secryst_gui.engine.tokens import EOS

#: Lengths of the runs that are looked up, longest first.
RUNS = (9, 7, 5, 4)
#: Runs that a session remembers, some 50 MB of them; with more it begins anew.
MOST_RUNS = 200_000


class LookupDrafter:
    """See the module. ``name`` is what the command line and the window call it.

    ``session``: requests belong together, as the lines of one file do, and each learns from those before it.
    """

    name = "lookup"

    def __init__(self, *, session: bool = False) -> None:
        self._session = session
        self._next: dict[tuple[int, ...], int] = {}
        self.begin("", ())

    def forget(self) -> None:
        """A new request: what was learnt from others is dropped, unless they belong together."""
        if not self._session or len(self._next) > MOST_RUNS:
            self._next.clear()

    def begin(self, source: str, source_ids: Sequence[int]) -> None:  # noqa: ARG002 - characters, not ids, are copied
        self._place = Place(source)
        self._history: list[int] = []

    def propose(self, prefix: Sequence[int], k: int) -> list[int]:
        self._learn(prefix[len(self._history) :])
        place, history = self._place.copy(), self._history[-max(RUNS) :]
        draft: list[int] = []
        while len(draft) < k and (not draft or draft[-1] != EOS):
            token = self._guess(history, place)
            if token is None:
                break
            draft.append(token)
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

    def _guess(self, history: Sequence[int], place: Place) -> int | None:
        copied = place.copied()
        for run in RUNS:
            known = self._next.get(tuple(history[-run:])) if len(history) >= run else None
            if known is not None and self._plausible(known, copied, place):
                return known
        return copied

    def _plausible(self, token: int, copied: int | None, place: Place) -> bool:
        """Whether ``token`` leaves the place in the source known: the copy itself, or part of a mark."""
        if place.lost or token == copied:
            return True
        after = place.copy()
        after.feed(token)
        return not after.lost and token != EOS
