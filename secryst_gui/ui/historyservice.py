"""The history's thread: a database may be slow, locked by another window or on a sleeping disk; the window must not be.

Traces in files of their own are read and written here too, for the same reason.

As with decoding, frozen requests go one way and frozen answers the other. Answers repeat their request's number, so
that the list of an earlier search is told from the latest one's.
"""

from __future__ import annotations

import itertools
import logging
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QObject, QThread, Signal, Slot

from secryst_gui.errors import SecrystError
from secryst_gui.records import Entry, History, Keep, Record, Summary, Trace, read_trace, save_trace

log = logging.getLogger(__name__)

CLOSE_TIMEOUT_MS = 8000


@dataclass(frozen=True, slots=True)
class Search:
    """Ask for the translations that hold ``text``; all, if it is empty."""

    number: int
    text: str


@dataclass(frozen=True, slots=True)
class Fetch:
    """Ask for one translation in full."""

    number: int
    entry: int
    with_trace: bool


@dataclass(frozen=True, slots=True)
class Add:
    """Keep a translation."""

    number: int
    record: Record


@dataclass(frozen=True, slots=True)
class Remove:
    """Remove one translation, or all of them (None)."""

    number: int
    entry: int | None


@dataclass(frozen=True, slots=True)
class ReadTrace:
    """Ask for the trace in a file."""

    number: int
    path: Path


@dataclass(frozen=True, slots=True)
class SaveTrace:
    """Write a trace to a file."""

    number: int
    path: Path
    trace: Trace


@dataclass(frozen=True, slots=True)
class Configure:
    """From now on keep so much."""

    number: int
    keep: Keep


@dataclass(frozen=True, slots=True)
class Finish:
    """The last request: end the thread once all before it are served."""

    number: int


HistoryRequest = Search | Fetch | Add | Remove | ReadTrace | SaveTrace | Configure | Finish


@dataclass(frozen=True, slots=True)
class Found:
    """The answer to `Search`, the newest first."""

    text: str
    entries: tuple[Summary, ...]


@dataclass(frozen=True, slots=True)
class Fetched:
    """The answer to `Fetch`."""

    entry: Entry


@dataclass(frozen=True, slots=True)
class Changed:
    """Something was added or removed: a list that is shown is no longer right."""


@dataclass(frozen=True, slots=True)
class TraceRead:
    """The answer to `ReadTrace`; its ``remark`` says what is missing, if anything."""

    trace: Trace


@dataclass(frozen=True, slots=True)
class TraceSaved:
    """The answer to `SaveTrace`."""

    path: Path


@dataclass(frozen=True, slots=True)
class HistoryFailed:
    """The request could not be served; ``message`` is one readable line."""

    message: str


@dataclass(frozen=True, slots=True)
class Remarked:
    """One line the user should know, such as that a damaged file was set aside."""

    message: str


HistoryEvent = Found | Fetched | Changed | TraceRead | TraceSaved | HistoryFailed | Remarked


@dataclass(frozen=True, slots=True)
class HistoryAnswer:
    """One answer to the request with that number."""

    number: int
    event: HistoryEvent


class HistoryWorker(QObject):
    """Lives on the history's thread and alone uses the database."""

    answered = Signal(object)

    def __init__(self, history: History) -> None:
        super().__init__()
        self._history = history
        self._wanted = -1

    def want(self, number: int) -> None:
        """Let searches before this one be: their lists would not be shown. Thread-safe: an int is replaced at once."""
        self._wanted = number

    @Slot(object)
    def serve(self, request: HistoryRequest) -> None:
        """Do what is asked; an error becomes a `HistoryFailed`."""
        try:
            self._serve(request)
        except SecrystError as error:
            self._tell(request, HistoryFailed(str(error)))
        except Exception as error:
            # The last resort on this thread: what leaves a slot as an exception is lost.
            log.exception("history request failed unexpectedly")
            reason = " ".join(f"{type(error).__name__}: {error}".split())
            self._tell(request, HistoryFailed(f"Something unexpected went wrong with the history ({reason})."))
        remark = self._history.take_remark()
        if remark is not None:
            self._tell(request, Remarked(remark))

    def _serve(self, request: HistoryRequest) -> None:
        if isinstance(request, Search):
            if request.number >= self._wanted:
                self._tell(request, Found(request.text, tuple(self._history.search(request.text))))
        elif isinstance(request, Fetch):
            self._tell(request, Fetched(self._history.entry(request.entry, with_trace=request.with_trace)))
        elif isinstance(request, Add):
            if self._history.add(request.record) is not None:
                self._tell(request, Changed())
        elif isinstance(request, Remove):
            if request.entry is None:
                self._history.clear()
            else:
                self._history.remove(request.entry)
            self._tell(request, Changed())
        elif isinstance(request, ReadTrace):
            self._tell(request, TraceRead(read_trace(request.path)))
        elif isinstance(request, SaveTrace):
            save_trace(request.path, request.trace)
            self._tell(request, TraceSaved(request.path))
        elif isinstance(request, Configure):
            self._history.keep = request.keep
        else:
            self._history.close()
            QThread.currentThread().quit()

    def _tell(self, request: HistoryRequest, event: HistoryEvent) -> None:
        self.answered.emit(HistoryAnswer(request.number, event))


class HistoryService(QObject):
    """Numbers requests and hands them to the history's thread, which the first of them starts.

    Each method returns at once; `close` alone waits, for a bounded time.
    """

    answered = Signal(object)  # HistoryAnswer, on the thread this object lives on
    _requested = Signal(object)

    def __init__(self, history: History, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._keep = history.keep
        self._numbers = itertools.count()
        self._worker = HistoryWorker(history)
        self._thread = QThread(self)
        self._thread.setObjectName("history")
        self._worker.moveToThread(self._thread)
        # Signals and slots of QObjects at both ends: Qt sees their threads, and queues.
        self._requested.connect(self._worker.serve)
        self._worker.answered.connect(self.answered)

    @property
    def keep(self) -> Keep:
        """What is kept, as asked for last."""
        return self._keep

    def search(self, text: str = "") -> int:
        """Ask for the translations that hold ``text``; a `Found` follows, unless a later search comes before it."""
        number = next(self._numbers)
        self._worker.want(number)
        return self._submit(Search(number, text))

    def fetch(self, entry: int, *, with_trace: bool = False) -> int:
        """Ask for one translation in full; a `Fetched` follows, or a `HistoryFailed` if it is gone."""
        return self._submit(Fetch(next(self._numbers), entry, with_trace))

    def add(self, record: Record) -> int | None:
        """Keep a translation; a `Changed` follows. None while history is off: then nothing is even handed over."""
        return self._submit(Add(next(self._numbers), record)) if self._keep.on else None

    def remove(self, entry: int) -> int:
        """Remove one translation; a `Changed` follows."""
        return self._submit(Remove(next(self._numbers), entry))

    def clear(self) -> int:
        """Remove all; a `Changed` follows."""
        return self._submit(Remove(next(self._numbers), None))

    def read_trace(self, path: Path) -> int:
        """Ask for the trace in a file; a `TraceRead` follows, or a `HistoryFailed` for any other file."""
        return self._submit(ReadTrace(next(self._numbers), path))

    def save_trace(self, path: Path, trace: Trace) -> int:
        """Write a trace to a file; a `TraceSaved` follows, or a `HistoryFailed`."""
        return self._submit(SaveTrace(next(self._numbers), path, trace))

    def configure(self, keep: Keep) -> None:
        """Keep so much from now on. A lower limit takes effect with the next translation that is kept."""
        if keep != self._keep:
            self._keep = keep
            self._submit(Configure(next(self._numbers), keep))

    def close(self, timeout_ms: int = CLOSE_TIMEOUT_MS) -> bool:
        """Serve what was handed over, end the thread and close the file; False when that took too long."""
        if not self._thread.isRunning():
            return True
        self._requested.emit(Finish(next(self._numbers)))
        return self._thread.wait(timeout_ms)

    @property
    def is_closed(self) -> bool:
        """Whether no thread is running, not yet or no more."""
        return not self._thread.isRunning()

    def _submit(self, request: HistoryRequest) -> int:
        if not self._thread.isRunning():
            self._thread.start()
        self._requested.emit(request)
        return request.number
