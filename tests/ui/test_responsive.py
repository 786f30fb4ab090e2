"""The window's thread is never held for long while models load and text is decoded."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, Qt, QTimer, Slot

from tests.ui.conftest import DRAFTER, SETTLE_MS, VERIFIER, Bench

GAP_S = 0.050
TRIES = 4


class GapMeter(QObject):
    """Measures the longest time between two ticks of a 2 ms timer on the window's thread."""

    def __init__(self) -> None:
        super().__init__()
        self.longest = 0.0
        self._last = time.perf_counter()
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._tick)
        self._timer.start(2)

    @Slot()
    def _tick(self) -> None:
        now = time.perf_counter()
        self.longest = max(self.longest, now - self._last)
        self._last = now

    def stop(self) -> float:
        """End measuring; the longest gap in seconds."""
        self._timer.stop()
        return self.longest


def test_no_gap_over_50_ms(open_bench: Callable[[], Bench], add_model: Callable[[str], Path]) -> None:
    """Loading a pair, and decoding with it at full speed, leave no gap above 50 ms between two timer ticks.

    A busy machine takes the processor away now and then, which no program can help, so the best of a few tries
    counts: what holds the thread on purpose would do so every time.
    """
    for name in (VERIFIER, DRAFTER):
        add_model(name)
    loading, decoding = [], []
    one = open_bench()
    one.look()
    window = one.window
    for threads in range(1, TRIES + 1):
        meter = GapMeter()
        with one.qtbot.waitSignal(window.settled, timeout=SETTLE_MS):
            window.settings.threads.setValue(threads)  # another thread count: both models are opened anew
        loading.append(meter.stop())
        window.source.setPlainText("بسم الله الرحمن الرحيم\n" * 10)
        meter = GapMeter()
        with one.qtbot.waitSignal(window.settled, timeout=SETTLE_MS):
            window.translate_action.trigger()
        decoding.append(meter.stop())
        if min(loading) <= GAP_S and min(decoding) <= GAP_S:
            break
    assert min(loading) <= GAP_S, loading
    assert min(decoding) <= GAP_S, decoding
