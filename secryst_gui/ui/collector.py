"""Python's cyclic garbage is collected on the window's thread only.

Python collects on whichever thread happens to allocate. When that is the worker, a cycle that holds widgets
(pyqtgraph and signal connections make such cycles) has its C++ objects destroyed on the wrong thread, and the process
crashes, once in a while and far from the cause. So automatic collection is off while a window lives, and a slow timer
does its work.
"""

from __future__ import annotations

import gc

from PySide6.QtCore import QObject, Qt, QTimer, Slot

INTERVAL_MS = 1000


class GarbageCollector(QObject):
    """Create it on the window's thread; `release` gives collecting back to Python."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        # What exists by now stays for good; not walking it keeps a full collection short.
        gc.collect()
        gc.freeze()
        gc.disable()
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.VeryCoarseTimer)
        self._timer.timeout.connect(self.collect)
        self._timer.start(INTERVAL_MS)

    @Slot()
    def collect(self) -> None:
        """Collect the oldest generation whose count is above Python's own threshold, if any."""
        counts, thresholds = gc.get_count(), gc.get_threshold()
        for generation in (2, 1, 0):
            if counts[generation] > thresholds[generation]:
                gc.collect(generation)
                break

    def release(self) -> None:
        """Back to automatic collection."""
        self._timer.stop()
        gc.enable()
        gc.unfreeze()
