"""Collects what a run in the window yields, so that it can be kept in the history and saved as a trace."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from secryst_gui import __version__
from secryst_gui.records import ModelRecord, Record, Trace, TraceHeader

if TYPE_CHECKING:
    from secryst_gui.engine import BlockEvent, DoneEvent, LineEvent


class RunRecorder:
    """One run, from :meth:`begin` to :meth:`end`; ``trace`` is that of the last one that ended, or was read."""

    def __init__(self) -> None:
        self.trace: Trace | None = None
        self._header: TraceHeader | None = None
        self._events: list[BlockEvent | LineEvent | DoneEvent] = []

    def begin(
        self,
        verifier: ModelRecord,
        drafters: tuple[ModelRecord, ...],
        block_size: int | None,
        raw: bool,
        text: str,
    ) -> None:
        """A run begins; what was collected of another is dropped."""
        from secryst_gui.engine import DecodeOptions

        self.trace = None
        self._events = []
        self._header = TraceHeader(
            app=__version__,
            verifier=verifier,
            drafters=drafters,
            block_size=block_size,
            options=DecodeOptions(raw=raw),
            input=text,
            time=datetime.now(UTC),
        )

    def take(self, event: BlockEvent | LineEvent | DoneEvent) -> None:
        """An event of the run."""
        self._events.append(event)

    def end(self, *, growing: bool) -> Record | None:
        """The run as a record for the history; None when it has no output. ``growing``: the user was typing."""
        header, self._header = self._header, None
        if header is None or header.input is None:
            return None
        self.trace = Trace(header, tuple(self._events))
        self._events = []
        output = self.trace.output
        if not output.strip():
            return None
        return Record(
            header.input,
            output,
            str(header.verifier),
            header.drafter,
            trace=self.trace,
            time=header.time,
            growing=growing,
        )
