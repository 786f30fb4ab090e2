"""Translating while typing: the newest text wins, half-composed words wait, and nothing is done twice."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtGui import QInputMethodEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from secryst_gui.engine import IMFModel
from tests.ui.conftest import SETTLE_MS, VERIFIER, Bench


@pytest.fixture
def live(bench: Bench) -> Bench:
    """A window without a text that translates what is typed."""
    bench.window.source.clear()
    bench.window.live_action.setChecked(True)
    return bench


def expected(conformance: Path, text: str) -> str:
    with IMFModel.load(conformance / "imf" / VERIFIER) as verifier:
        # A view shows every kind of line break as one.
        return verifier.translate(text, max_len=4 * len(text.encode()) + 32).replace("\r", "\n")


def test_a_pause_in_typing_translates(live: Bench, conformance: Path) -> None:
    """Without a key pressed; the same text is not translated again."""
    with live.qtbot.waitSignal(live.window.settled, timeout=SETTLE_MS):
        QTest.keyClicks(live.window.source, "hello")
    assert live.window.output.text() == expected(conformance, "hello")
    with live.qtbot.waitSignal(live.window.source.paused, timeout=SETTLE_MS):
        QTest.keyClicks(live.window.source, " ")
        live.window.source.undo()
    assert live.window._translating is None


def test_the_newest_text_wins(live: Bench, conformance: Path) -> None:
    """Typing on while a long text is decoded ends that within a call; the last text's output is what is shown."""
    long = "\n".join(f"line {number} of a long text" for number in range(400))
    with live.qtbot.waitSignal(live.window.output.textChanged, timeout=SETTLE_MS):
        live.window.source.setPlainText(long)
    with live.qtbot.waitSignal(live.window.settled, timeout=SETTLE_MS):
        live.window.source.setPlainText("short")
    assert live.window.output.text() == expected(conformance, "short")


def test_a_word_that_is_being_composed_waits(bench: Bench) -> None:
    """An input method's half-word starts nothing; its last form does."""
    source = bench.window.source
    source.clear()
    with bench.qtbot.waitSignal(source.paused, timeout=SETTLE_MS):
        QTest.keyClicks(source, "a")
    QApplication.sendEvent(source, QInputMethodEvent("に", []))
    assert not source._pause.isActive()
    done = QInputMethodEvent("", [])
    done.setCommitString("日")
    with bench.qtbot.waitSignal(source.paused, timeout=SETTLE_MS):
        QApplication.sendEvent(source, done)
    assert source.text() == "a日"


def test_the_choice_is_remembered(bench: Bench, open_bench: Callable[[], Bench]) -> None:
    """On or off, at the next start."""
    for chosen in (True, False):
        bench.window.live_action.setChecked(chosen)
        bench.window._remember()
        assert open_bench().window.live_action.isChecked() is chosen
