"""The worker thread and its life, seen from the window's thread."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QThread, Signal

from secryst_gui.ui.requests import Compare, Pair, Prepare, Request, Survey, Sweep, Translate
from secryst_gui.ui.worker import DecodingWorker

if TYPE_CHECKING:
    from secryst_gui.artifacts import Store

CLOSE_TIMEOUT_MS = 8000


class DecodingService(QObject):
    """Numbers requests, hands them to the worker in order, and passes on what it delivers.

    Each method returns at once; `close` alone waits, for a bounded time.
    """

    happened = Signal(object)  # Delivery, on the thread this object lives on
    _requested = Signal(object)

    def __init__(self, store: Store, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._numbers = itertools.count()
        self._last = -1
        self._worker = DecodingWorker(store)
        self._thread = QThread(self)
        self._thread.setObjectName("decoding")
        self._worker.moveToThread(self._thread)
        # Both ends are signals or slots of QObjects: Qt sees their threads and queues. A lambda in between would
        # run on the worker's thread.
        self._requested.connect(self._worker.serve)
        self._worker.happened.connect(self.happened)

    def survey(self) -> int:
        """Ask for the models on this machine; a `Surveyed` follows."""
        return self._submit(Survey(self._next()))

    def prepare(self, pair: Pair, threads: int) -> int:
        """Load a pair in the background; a `Loaded` or `Failed` follows."""
        return self._submit(Prepare(self._next(), pair, threads))

    def translate(self, pair: Pair, threads: int, text: str, block_size: int | None, raw: bool) -> int:
        """Decode a text; the engine's events follow, and a `DoneEvent`, `Stopped` or `Failed` is the last."""
        return self._submit(Translate(self._next(), pair, threads, text, block_size, raw))

    def compare(self, pair: Pair, threads: int, text: str, block_size: int | None, raw: bool) -> int:
        """Time a text with the verifier alone and with the pair; a `Compared`, `Stopped` or `Failed` is the last."""
        return self._submit(Compare(self._next(), pair, threads, text, block_size, raw))

    def sweep(self, pair: Pair, threads: int, text: str, sizes: tuple[int, ...], raw: bool) -> int:
        """Time a text at each K; `Swept` events follow, and a `SweepEnded`, `Stopped` or `Failed` is the last."""
        return self._submit(Sweep(self._next(), pair, threads, text, sizes, raw))

    def cancel(self) -> None:
        """End every request handed over so far."""
        self._worker.cancel_up_to(self._last)

    def close(self, timeout_ms: int = CLOSE_TIMEOUT_MS) -> bool:
        """Cancel, end the thread and close the models; False when the thread did not end in time."""
        self.cancel()
        self._thread.quit()
        if not self._thread.wait(timeout_ms):
            return False
        self._worker.release()
        return True

    @property
    def is_closed(self) -> bool:
        """Whether no worker thread is running, not yet or no more."""
        return not self._thread.isRunning()

    def _next(self) -> int:
        self._last = next(self._numbers)
        return self._last

    def _submit(self, request: Request) -> int:
        if not self._thread.isRunning():  # started by the first request: until then there is nothing to end
            self._thread.start()
        self._requested.emit(request)
        return request.number
