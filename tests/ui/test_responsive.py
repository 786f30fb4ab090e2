"""The window's thread is never held for long while models load and text is decoded."""

from __future__ import annotations

import math
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, Qt, QTimer, Slot

from tests.ui.conftest import DRAFTER, SETTLE_MS, VERIFIER, Bench

GAP_S = 0.050
TRIES = 8


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


TEXT = "بسم الله الرحمن الرحيم\n" * 3

FROM_THE_START = """
import sys
from PySide6.QtCore import QEventLoop
from PySide6.QtWidgets import QApplication
application = QApplication([])
from secryst_gui.app import build_window
from tests.ui.test_responsive import TEXT, GapMeter
assert "onnxruntime" not in sys.modules
window = build_window()
window.show()
application.processEvents()
meter = GapMeter()
for act in (window.look_for_models, window.translate):
    if act == window.translate:
        window.source.setPlainText(TEXT)
    loop = QEventLoop()
    window.settled.connect(loop.quit)
    act()
    loop.exec()
print(meter.stop())
window.close()
"""


def test_no_gap_over_50_ms(bench: Bench) -> None:
    """Loading a pair, and decoding with it at full speed, leave no gap above 50 ms between two timer ticks.

    A busy machine takes the processor away now and then, which no program can help, so the best of a few tries
    counts: what holds the thread by its own doing does so every time.
    """
    window = bench.window
    window.source.setPlainText(TEXT)
    loading, decoding = [math.inf], [math.inf]
    for threads in range(1, TRIES + 1):
        if min(loading) > GAP_S:
            meter = GapMeter()
            with bench.qtbot.waitSignal(window.settled, timeout=SETTLE_MS):
                window.settings.threads.setValue(threads)  # another thread count: both models are opened anew
            loading.append(meter.stop())
        if min(decoding) > GAP_S:
            meter = GapMeter()
            with bench.qtbot.waitSignal(window.settled, timeout=SETTLE_MS):
                window.translate_action.trigger()
            decoding.append(meter.stop())
    assert min(loading) <= GAP_S, loading
    assert min(decoding) <= GAP_S, decoding


def test_no_gap_after_the_first_paint(add_model: Callable[[str], Path]) -> None:
    """From the first paint of a fresh process on, not even importing the runtime holds the window's thread.

    An extension module is initialised under Python's lock, so a slow one stops every thread: ml_dtypes 0.7.0, which
    onnx imports, takes half a second and more; 0.6.0 takes 15 ms.
    """
    for name in (VERIFIER, DRAFTER):
        add_model(name)
    gaps = [math.inf]
    while min(gaps) > GAP_S and len(gaps) <= TRIES:
        result = subprocess.run(
            [sys.executable, "-c", FROM_THE_START],
            cwd=Path(__file__).parents[2],
            capture_output=True,
            text=True,
            timeout=120,
            check=True,
        )
        gaps.append(float(result.stdout))
    assert min(gaps) <= GAP_S, gaps
