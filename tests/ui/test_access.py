"""The window for those who use no mouse, no sight, or a narrow screen."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QMenu, QSplitter, QWidget

from tests.ui.conftest import SETTLE_MS, Bench

NAMES = (
    "sourceEdit outputView acceptancePlot blockTable settingsPane drafterCombo verifierCombo blockSizeSpin "
    "statusAcceptance statusSpeed progressBar"
)


def test_object_names(open_bench: Callable[[], Bench]) -> None:
    """Every promised name is there, and actions too; none is used twice."""
    window = open_bench().window
    for name in NAMES.split():
        assert len(window.findChildren(QWidget, name)) == 1, name
    for name in ("translateAction", "stopAction"):
        assert len(window.findChildren(QAction, name)) == 1, name


def test_every_control_has_an_accessible_name(open_bench: Callable[[], Bench]) -> None:
    """Whatever can take the focus, and whatever shows a figure, tells a screen reader what it is."""
    window = open_bench().window
    nameless = []
    for widget in window.findChildren(QWidget):
        reachable = widget.focusPolicy() != Qt.FocusPolicy.NoFocus
        own = not widget.objectName().startswith("qt_")  # Qt's inner parts are named through their owners
        if own and (reachable or widget.objectName() in NAMES.split()):
            interface = QAccessible.queryAccessibleInterface(widget)
            if not (interface and interface.text(QAccessible.Text.Name)):
                nameless.append(f"{type(widget).__name__} {widget.objectName()} in {widget.parent()}")
    assert not [one for one in nameless if not one.startswith(("QLineEdit", "QTableCornerButton"))]


def test_mnemonics_are_unique(open_bench: Callable[[], Bench]) -> None:
    """No two labels, boxes or menus of the window share an Alt key."""
    window = open_bench().window
    texts = [label.text() for label in window.findChildren(QLabel) if label.buddy() is not None]
    texts += [action.text() for action in window.menuBar().actions()]
    texts.append(window.settings.raw.text())
    keys = [text[text.index("&") + 1].lower() for text in texts if "&" in text]
    assert len(keys) == len(texts)
    assert len(set(keys)) == len(keys)


def test_every_action_is_in_a_menu(open_bench: Callable[[], Bench]) -> None:
    """Whatever the toolbar offers is in a menu too, with its shortcut in the tooltip."""
    window = open_bench().window
    in_menus = {action.objectName() for menu in window.findChildren(QMenu) for action in menu.actions()}
    for name in ("translateAction", "stopAction", "copyAction", "settingsAction"):
        assert name in in_menus
        action = window.findChild(QAction, name)
        assert action is not None
        assert "(" in action.toolTip()


def test_tab_walks_through_all_and_is_caught_nowhere(open_bench: Callable[[], Bench]) -> None:
    """From the source, Tab reaches output, table and settings in this order, and comes back."""
    one = open_bench()
    window, pane = one.window, one.window.settings
    window.source.setFocus()
    visited: list[str] = []
    for _ in range(12):
        focused = QApplication.focusWidget()
        assert focused is not None
        visited.append(focused.objectName())
        if len(visited) > 1 and focused is window.source:
            break
        QTest.keyClick(focused, Qt.Key.Key_Tab)
    # Without models both combo boxes are disabled, and so no stops.
    assert visited == [
        "sourceEdit",
        "outputView",
        "blockTable",
        "adaptiveCheck",
        "threadsSpin",
        "rawCheck",
        "sourceEdit",
    ]
    assert not pane.verifier.isEnabled()


def test_a_run_with_the_keyboard_only(bench: Bench) -> None:
    """Typing, Ctrl+Enter, reading and copying need no mouse."""
    window, qtbot = bench.window, bench.qtbot
    window.source.setFocus()
    QTest.keyClick(window.source, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClicks(window.source, "abc")
    with qtbot.waitSignal(window.settled, timeout=SETTLE_MS) as settled:
        QTest.keyClick(window.source, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert settled.args[0].startswith("Done")
    assert window.source.text() == "abc"
    assert window.output.text()
    QTest.keyClick(window.source, Qt.Key.Key_Tab)
    assert QApplication.focusWidget() is window.output
    QTest.keyClick(window.output, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClick(window.output, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QApplication.clipboard().text() == window.output.text()


def test_narrow_window_stacks_its_panes(open_bench: Callable[[], Bench]) -> None:
    """Narrow, the panes stand under each other and nothing is pushed out of the window; wide, beside each other."""
    window = open_bench().window
    splitter = window.findChild(QSplitter, "textSplitter")
    assert splitter is not None
    assert splitter.orientation() == Qt.Orientation.Horizontal
    window.resize(600, 700)
    assert splitter.orientation() == Qt.Orientation.Vertical
    assert window.width() == 600
    window.resize(1200, 700)
    assert splitter.orientation() == Qt.Orientation.Horizontal


def test_samples_can_be_undone(open_bench: Callable[[], Bench]) -> None:
    """Choosing a sample replaces the text, and Ctrl+Z brings the user's own back."""
    window = open_bench().window
    window.source.setPlainText("mine")
    action = next(action for action in window.findChildren(QAction) if action.objectName() == "sample-verse")
    action.trigger()
    assert window.source.text() != "mine"
    window.source.undo()
    assert window.source.text() == "mine"
