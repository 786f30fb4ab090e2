"""The history dock over a real database on its own thread."""

from __future__ import annotations

import itertools
import sqlite3
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMainWindow, QMessageBox, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from secryst_gui import paths
from secryst_gui.records import Entry, History, Keep, Record
from secryst_gui.ui.historypane import HistoryPane
from secryst_gui.ui.historyservice import HistoryAnswer, HistoryService
from secryst_gui.ui.memory import WindowMemory
from tests.records import examples
from tests.ui.test_responsive import GapMeter

VERSE = Record("قال رسول الله", "قَالَ رَسُولُ اللَّهِ", "large-1.0", "small-1.0")


def records() -> list[Record]:
    """Three translations, the last one with its trace."""
    now = datetime.now(UTC)
    return [
        replace(VERSE, source="שלום", output="שָׁלוֹם", time=now - timedelta(days=3)),
        replace(VERSE, source="Hello world", output="HELLO WORLD", time=now - timedelta(hours=2)),
        replace(VERSE, trace=examples.trace(VERSE.source, VERSE.output), time=now - timedelta(minutes=5)),
    ]


class Shelf:
    """The dock in a window of its own, and the waits that its thread needs."""

    def __init__(self, qtbot: QtBot, service: HistoryService) -> None:
        self.qtbot = qtbot
        self.service = service
        self.window = QMainWindow()
        qtbot.addWidget(self.window)
        self.other = QPushButton("elsewhere")
        self.window.setCentralWidget(self.other)
        self.pane = HistoryPane(service)
        self.window.addDockWidget(Qt.DockWidgetArea.RightDockWidgetArea, self.pane)
        self.window.resize(700, 600)
        with qtbot.waitSignal(self.pane.listed):
            self.window.show()
        with qtbot.waitActive(self.window):
            self.window.activateWindow()

    @property
    def sources(self) -> list[str]:
        return [one.source for one in self.pane.list.entries.entries]

    def choose(self, row: int) -> None:
        self.pane.list.setFocus()
        self.pane.list.setCurrentIndex(self.pane.list.entries.index(row))

    def press(self, key: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        """A key, wherever the focus is."""
        focused = QApplication.focusWidget()
        assert focused is not None
        QTest.keyClick(focused, key, modifier)

    def question(self) -> QMessageBox:
        box = self.pane.findChild(QMessageBox, "historyQuestion")
        assert box is not None
        return box

    def answer(self, yes: bool) -> None:
        """Answer the question that is open."""
        box = self.question()
        button = box.findChild(QPushButton, "historyConfirm") if yes else box.button(QMessageBox.StandardButton.Cancel)
        assert isinstance(button, QPushButton)
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)


@pytest.fixture
def open_shelf(qtbot: QtBot) -> Iterator[Callable[[], Shelf]]:
    """Opens docks over the test's history file, and sees to it that each one's thread ends."""
    opened: list[HistoryService] = []

    def open_one(keep: Keep | None = None) -> Shelf:
        service = HistoryService(History(paths.history_file(), keep))
        opened.append(service)
        return Shelf(qtbot, service)

    yield open_one
    for service in opened:
        assert service.close()
        assert service.is_closed


@pytest.fixture
def shelf(open_shelf: Callable[[], Shelf]) -> Shelf:
    """A dock with three translations."""
    with History(paths.history_file()) as history:
        for record in records():
            history.add(record)
    return open_shelf()


def test_it_lists_what_was_kept(shelf: Shelf) -> None:
    """The newest first, each with its texts, when it was made, and by whom, also for a screen reader."""
    assert shelf.sources == [VERSE.source, "Hello world", "שלום"]
    index = shelf.pane.list.entries.index(1)
    told = index.data(Qt.ItemDataRole.AccessibleTextRole).replace("\u2068", "").replace("\u2069", "")
    assert told == "Hello world: HELLO WORLD. 2 h ago · large-1.0 + small-1.0"


def test_an_empty_history_says_so(open_shelf: Callable[[], Shelf]) -> None:
    """Nothing to choose, nothing to do, one sentence in the list's place; and looking makes no file."""
    shelf = open_shelf()
    assert shelf.sources == []
    assert shelf.pane.list.accessibleDescription() == "No translation has been kept yet."
    actions = (shelf.pane.open_action, shelf.pane.copy_action, shelf.pane.remove_action, shelf.pane.clear_action)
    assert not any(action.isEnabled() for action in actions)
    assert not paths.history_file().exists()


def test_searching_ignores_marks_and_the_latest_wins(shelf: Shelf) -> None:
    """Typed without marks it finds the vowelled reading; what matches nothing says so; cleared, all are back."""
    pane = shelf.pane
    pane.search.setFocus()
    found = []
    pane.listed.connect(lambda: found.append(shelf.sources))
    for typed, expected in (("رسول", [VERSE.source]), ("nowhere", []), ("HELLO w", ["Hello world"])):
        with shelf.qtbot.waitSignal(pane.listed):
            pane.search.clear()
            pane.search.insert(typed)
        assert shelf.sources == expected
    assert len(found) == 3  # typing asks once, when it pauses
    with shelf.qtbot.waitSignal(pane.listed):
        shelf.press(Qt.Key.Key_Escape)
    assert pane.search.text() == ""
    assert len(shelf.sources) == 3


def test_opening_brings_the_trace(shelf: Shelf) -> None:
    """Return in the list: the whole translation, with the run's own events."""
    shelf.choose(0)
    with shelf.qtbot.waitSignal(shelf.pane.opened) as opened:
        shelf.press(Qt.Key.Key_Return)
    entry = opened.args[0]
    assert isinstance(entry, Entry)
    assert (entry.source, entry.output) == (VERSE.source, VERSE.output)
    assert entry.trace == records()[2].trace


def test_a_double_click_opens(shelf: Shelf) -> None:
    """The mouse does what Return does; without a trace there is none."""
    rect = shelf.pane.list.visualRect(shelf.pane.list.entries.index(1))
    viewport = shelf.pane.list.viewport()
    with shelf.qtbot.waitSignal(shelf.pane.opened) as opened:
        QTest.mouseClick(viewport, Qt.MouseButton.LeftButton, pos=rect.center())
        QTest.mouseDClick(viewport, Qt.MouseButton.LeftButton, pos=rect.center() + QPoint(1, 0))
    assert (opened.args[0].output, opened.args[0].trace) == ("HELLO WORLD", None)


def test_copying_takes_all_of_the_output(open_shelf: Callable[[], Shelf]) -> None:
    """Not only the beginning that the list shows; line breaks stay as they are."""
    long = "قَالَ\n" * 400
    with History(paths.history_file()) as history:
        history.add(replace(VERSE, output=long))
    shelf = open_shelf()
    shelf.choose(0)
    with shelf.qtbot.waitSignal(shelf.pane.copied):
        shelf.press(Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QApplication.clipboard().text() == long


def test_the_preview_follows_the_selection(shelf: Shelf) -> None:
    """Source and output of the selected one, each paragraph in its own direction; nothing without a selection."""
    for row, text in ((1, "Hello world\n\nHELLO WORLD"), (0, f"{VERSE.source}\n\n{VERSE.output}")):
        shelf.choose(row)
        shelf.qtbot.waitUntil(partial(_shows, shelf, text))
    with shelf.qtbot.waitSignal(shelf.pane.listed):
        shelf.pane.search.setText("nowhere")
    assert shelf.pane.preview.text() == ""


def _shows(shelf: Shelf, text: str) -> bool:
    return shelf.pane.preview.text() == text


def test_removing_is_asked_first(shelf: Shelf) -> None:
    """Delete asks, naming what would go; Cancel, which Enter gives, keeps it; the neighbour is selected afterwards."""
    shelf.choose(1)
    shelf.press(Qt.Key.Key_Delete)
    assert "Hello world" in shelf.question().text()
    cancel = shelf.question().button(QMessageBox.StandardButton.Cancel)
    shelf.qtbot.waitUntil(lambda: QApplication.focusWidget() is cancel)
    shelf.press(Qt.Key.Key_Return)
    assert len(shelf.sources) == 3
    shelf.qtbot.waitUntil(lambda: shelf.pane.findChild(QMessageBox) is None)
    assert shelf.window.focusWidget() is shelf.pane.list
    with shelf.qtbot.waitActive(shelf.window):
        shelf.window.activateWindow()  # which a desktop does by itself

    shelf.press(Qt.Key.Key_Delete)
    with shelf.qtbot.waitSignal(shelf.pane.listed):
        shelf.answer(yes=True)
    assert shelf.sources == [VERSE.source, "שלום"]
    current = shelf.pane.list.current
    assert current is not None
    assert current.source == "שלום"


def test_clearing_is_asked_first(shelf: Shelf) -> None:
    """All of them go, after the question, and only then."""
    shelf.pane.clear_action.trigger()
    shelf.answer(yes=False)
    shelf.qtbot.waitUntil(lambda: shelf.pane.findChild(QMessageBox) is None)
    with History(paths.history_file()) as history:
        assert len(history.search()) == 3
        shelf.pane.clear_action.trigger()
        with shelf.qtbot.waitSignal(shelf.pane.listed):
            shelf.answer(yes=True)
        assert history.search() == []
    assert shelf.sources == []
    assert not shelf.pane.clear_action.isEnabled()


def test_what_is_added_appears_and_the_selection_stays(shelf: Shelf) -> None:
    """A translation that is kept is in the list at once; what was selected still is."""
    shelf.choose(1)
    with shelf.qtbot.waitSignal(shelf.pane.listed):
        shelf.service.add(replace(VERSE, source="new", output="NEW"))
    assert shelf.sources[0] == "new"
    current = shelf.pane.list.current
    assert current is not None
    assert current.source == "Hello world"


def test_another_windows_translations_are_seen(shelf: Shelf) -> None:
    """Shown again, the dock looks again; one that is gone by then is told in one line."""
    with History(paths.history_file()) as history:
        history.add(replace(VERSE, source="elsewhere", output="ELSEWHERE"))
        shelf.pane.hide()
        with shelf.qtbot.waitSignal(shelf.pane.listed):
            shelf.pane.show()
        assert shelf.sources[0] == "elsewhere"
        history.clear()
    shelf.choose(0)
    shelf.pane.open_action.trigger()
    shelf.qtbot.waitUntil(lambda: "has been removed" in shelf.pane.message.plain)


def test_a_hidden_dock_asks_for_nothing(shelf: Shelf) -> None:
    """What is kept while the dock is hidden is written, but no list is read for it."""
    shelf.pane.hide()
    with (
        shelf.qtbot.assertNotEmitted(shelf.pane.listed),
        shelf.qtbot.waitSignal(shelf.service.answered, check_params_cb=_is_change),
    ):
        shelf.service.add(replace(VERSE, source="new", output="NEW"))
        QApplication.processEvents()
    assert "new" not in shelf.sources


def _is_change(answer: HistoryAnswer) -> bool:
    return type(answer.event).__name__ == "Changed"


def test_switching_off_and_limiting(shelf: Shelf) -> None:
    """The box and the number are the setting; off, nothing is kept, and the dock says that what is there stays."""
    pane, service = shelf.pane, shelf.service
    with shelf.qtbot.waitSignal(pane.keep_changed) as changed:
        pane.count.setValue(2)
    assert changed.args[0] == Keep(count=2)
    with shelf.qtbot.waitSignal(pane.listed):
        service.add(replace(VERSE, source="new", output="NEW"))
    assert shelf.sources == ["new", VERSE.source]
    pane.keep.setFocus()
    with shelf.qtbot.waitSignal(pane.keep_changed) as changed:
        shelf.press(Qt.Key.Key_Space)
    assert changed.args[0] == Keep(on=False, count=2)
    assert not pane.count.isEnabled()
    assert "Nothing new is kept" in pane.message.plain
    assert service.add(VERSE) is None
    with shelf.qtbot.waitSignal(pane.keep_changed):
        pane.keep.click()
    assert pane.message.plain == ""


def test_half_a_number_limits_nothing(shelf: Shelf) -> None:
    """While a limit is being typed no shorter one is in force."""
    seen: list[Keep] = []
    shelf.pane.keep_changed.connect(seen.append)
    shelf.pane.count.setFocus()
    shelf.pane.count.selectAll()
    QTest.keyClicks(shelf.pane.count, "250")
    shelf.press(Qt.Key.Key_Return)
    assert seen == [Keep(count=250)]


def test_everything_works_with_the_keyboard(shelf: Shelf) -> None:
    """Down leads from the search into the list, Tab through all that is enabled and out again."""
    pane = shelf.pane
    pane.search.setFocus()
    shelf.press(Qt.Key.Key_Down)
    assert QApplication.focusWidget() is pane.list
    assert pane.list.currentIndex().row() == 0
    pane.search.setFocus()
    visited: list[str] = []
    for _ in range(12):
        focused = QApplication.focusWidget()
        assert focused is not None
        visited.append(focused.objectName())
        if focused is shelf.other:
            break
        shelf.press(Qt.Key.Key_Tab)
    buttons = [f"history{name}Button" for name in ("Open", "Copy", "Remove", "Clear")]
    names = ["historySearch", "historyList", "historyPreview", *buttons, "historyKeep", "historyCount"]
    assert visited[: len(names)] == names
    assert visited[-1] == shelf.other.objectName()


def test_every_part_has_an_accessible_name(shelf: Shelf) -> None:
    """Whatever can take the focus tells a screen reader what it is."""
    nameless = []
    for widget in shelf.pane.findChildren(QWidget):
        if widget.focusPolicy() != Qt.FocusPolicy.NoFocus and not widget.objectName().startswith("qt_"):
            interface = QAccessible.queryAccessibleInterface(widget)
            if not (interface and interface.text(QAccessible.Text.Name)):
                nameless.append(f"{type(widget).__name__} {widget.objectName()}")
    assert [one for one in nameless if not one.startswith("QLineEdit")] == []


def test_it_fits_into_a_narrow_dock(shelf: Shelf) -> None:
    """No wider than the settings beside it must be."""
    assert shelf.pane.minimumSizeHint().width() <= 290


def test_texts_begin_on_their_own_side(shelf: Shelf) -> None:
    """An Arabic row has its letters at the right end of the list, an English one at the left, in either layout."""
    for layout in (Qt.LayoutDirection.LeftToRight, Qt.LayoutDirection.RightToLeft):
        shelf.window.setLayoutDirection(layout)
        view = shelf.pane.list
        image = view.viewport().grab().toImage()
        for row, at_right in ((0, True), (1, False)):
            rect = view.visualRect(view.entries.index(row))
            left, right = rect.left() + 10, rect.right() - 10
            band = range(rect.top() + 8, rect.top() + rect.height() // 2)
            ground = image.pixelColor(rect.center().x(), rect.top() + 1)
            inked = [x for x in range(left, right) if any(image.pixelColor(x, y) != ground for y in band)]
            assert inked
            near_left, near_right = inked[0] - left < 10, right - inked[-1] < 10
            assert (near_left, near_right) == (not at_right, at_right), (layout, row)


def test_a_damaged_file_is_told_and_the_dock_goes_on(open_shelf: Callable[[], Shelf]) -> None:
    """One line says where the old file is; new translations are kept."""
    paths.history_file().parent.mkdir(parents=True, exist_ok=True)
    paths.history_file().write_bytes(b"damaged " * 500)
    shelf = open_shelf()
    shelf.qtbot.waitUntil(lambda: "has been kept as" in shelf.pane.message.plain)
    with shelf.qtbot.waitSignal(shelf.pane.listed):
        shelf.service.add(VERSE)
    assert shelf.sources == [VERSE.source]
    assert "has been kept as" in shelf.pane.message.plain


def test_a_place_that_cannot_be_used_is_told(open_shelf: Callable[[], Shelf]) -> None:
    """The dock opens, says what is wrong in one line, and is right again when the place is."""
    paths.history_file().mkdir(parents=True)
    shelf = open_shelf()
    assert shelf.pane.message.plain.startswith("expected a history")
    assert shelf.pane.list.accessibleDescription() == "The history cannot be read."
    paths.history_file().rmdir()
    with shelf.qtbot.waitSignal(shelf.pane.listed):
        shelf.pane.refresh()
    assert shelf.pane.message.plain == ""


def test_closing_writes_what_was_handed_over(open_shelf: Callable[[], Shelf]) -> None:
    """A window that closes at once after a translation loses none."""
    shelf = open_shelf()
    for number in range(50):
        shelf.service.add(replace(VERSE, source=f"text {number}", output="reading"))
    assert shelf.service.close()
    with History(paths.history_file()) as history:
        assert len(history.search()) == 50


def test_a_busy_database_does_not_hold_the_window(shelf: Shelf) -> None:
    """While another program holds the file for a fifth of a second, the window's thread goes on."""
    gaps = []
    for number in range(5):
        other = sqlite3.connect(paths.history_file(), isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        meter = GapMeter()
        shelf.service.add(replace(VERSE, source=f"new {number}", output="NEW"))
        until = time.monotonic() + 0.2
        while time.monotonic() < until:
            QApplication.processEvents()
        gaps.append(meter.stop())
        with shelf.qtbot.waitSignal(shelf.pane.listed):
            other.execute("COMMIT")
        other.close()
        assert shelf.sources[0] == f"new {number}"
        if gaps[-1] <= 0.05:
            break
    assert min(gaps) <= 0.05, gaps


def test_the_largest_history_scrolls_at_once(open_shelf: Callable[[], Shelf]) -> None:
    """Ten thousand rows: shown, walked to the end, and painted without measuring each of them."""
    row = (0.0, "نص", "نَصّ", "v", "d", "نص")
    with History(paths.history_file()) as history:
        history.add(VERSE)
    db = sqlite3.connect(paths.history_file())
    insert = "INSERT INTO entry (time, source, output, verifier, drafter, folded) VALUES (?, ?, ?, ?, ?, ?)"
    with db:
        db.executemany(insert, itertools.repeat(row, 9999))
    db.close()
    shelf = open_shelf()
    assert len(shelf.sources) == 10_000
    shelf.choose(0)
    started = time.monotonic()
    shelf.press(Qt.Key.Key_End)
    shelf.pane.list.grab()
    assert time.monotonic() - started < 0.5
    assert shelf.pane.list.currentIndex().row() == 9999


def test_the_setting_is_remembered(tmp_path: Path) -> None:
    """On or off, how many, how old; hand-edited nonsense gives the defaults, and the other settings are untouched."""
    memory = WindowMemory(tmp_path)
    assert memory.history == Keep()
    memory.block_size = 5
    memory.history = Keep(on=False, count=20, days=7)
    memory.save()
    again = WindowMemory(tmp_path)
    assert (again.history, again.block_size) == (Keep(on=False, count=20, days=7), 5)
    (tmp_path / "settings.ini").write_text("[history]\non=perhaps\ncount=0\ndays=-3\n")
    assert WindowMemory(tmp_path).history == Keep()
