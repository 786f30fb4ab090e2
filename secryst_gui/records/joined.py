"""Many runs of one line each, told as the one run of a text with many lines.

A pipe is decoded line by line as it comes, each line a run of its own. Its trace should still be one run: views that
show it count blocks from beginning to end.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from secryst_gui.engine import BlockEvent, DoneEvent, LineEvent, ProgressEvent
    from secryst_gui.engine.stopper import Stop


class JoinedRun:
    """Moves the events of one run after the other to their place in the whole."""

    def __init__(self) -> None:
        from secryst_gui.engine import Statistics

        self._before = Statistics()
        self._first = 0  # of the run going on; a run may have more than one line
        self._lines = 0
        self._outputs: list[str] = []
        self._tokens: list[int] = []
        self._stops: list[Stop] = []

    def take(self, event: BlockEvent | LineEvent | ProgressEvent | DoneEvent) -> BlockEvent | LineEvent | None:
        """``event`` of the run going on, as an event of the whole; None for what only `done` will tell."""
        from secryst_gui.engine import BlockEvent, DoneEvent, LineEvent

        if isinstance(event, BlockEvent):
            index, line = self._before.blocks + event.index, self._first + event.line
            return replace(event, index=index, line=line, stats=self._before + event.stats)
        if isinstance(event, LineEvent):
            self._lines = self._first + event.line + 1
            return LineEvent(self._first + event.line, event.text)
        if isinstance(event, DoneEvent):
            self._first = self._lines
            self._before += event.stats
            self._outputs.append(event.output)
            self._tokens += event.tokens
            self._stops.append(event.stop)
        return None

    def done(self) -> DoneEvent:
        """The end of the whole, after the end of its last run."""
        from secryst_gui.engine import DoneEvent
        from secryst_gui.engine.stopper import worst

        return DoneEvent("\n".join(self._outputs), tuple(self._tokens), worst(self._stops), self._before)
