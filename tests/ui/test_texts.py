"""Direction, fonts and the growth of the texts."""

from __future__ import annotations

from PySide6.QtGui import QFontInfo, QTextCursor
from pytestqt.qtbot import QtBot

from secryst_gui.engine import BlockEvent, LineEvent, Statistics
from secryst_gui.ui import theme
from secryst_gui.ui.texts import OutputView, ReadingEdit, TextStream


def block(line: int, text: str, index: int = 0) -> BlockEvent:
    """A block event in which only line and text matter."""
    return BlockEvent(index, line, 0, 0, (), (), 0, None, None, (), (), text, 0.0, 0.0, Statistics(), None)


def start_of(view: ReadingEdit, paragraph: int) -> int:
    """The x of the cursor at the start of a paragraph."""
    cursor = QTextCursor(view.document().findBlockByNumber(paragraph))
    return view.cursorRect(cursor).center().x()


def test_each_paragraph_begins_on_the_side_of_its_script(qtbot: QtBot) -> None:
    """Arabic and Hebrew begin at the right, Latin at the left, digits and marks do not decide."""
    view = OutputView()
    qtbot.addWidget(view)
    view.resize(400, 300)
    view.show()
    view.setPlainText("سلام\nhello\n(1) שלום\n12 hello سلام")
    middle = view.viewport().width() // 2
    assert [start_of(view, n) > middle for n in range(4)] == [True, False, True, False]


def test_direction_does_not_depend_on_how_the_text_arrived(qtbot: QtBot) -> None:
    """A paragraph that streams in block by block is aligned as one that was set at once."""
    view = OutputView()
    qtbot.addWidget(view)
    view.resize(400, 300)
    view.show()
    view.begin()
    view.add([block(0, "سَ")])
    view.add([block(0, "لَام"), LineEvent(0, "سَلَام"), block(1, "abc")])
    middle = view.viewport().width() // 2
    assert [start_of(view, n) > middle for n in range(2)] == [True, False]


def test_reading_font_ships_and_leaves_room_for_marks(qtbot: QtBot) -> None:
    """The naskh face that ships is in use, and its line is much taller than a Latin one of that size."""
    view = OutputView()
    qtbot.addWidget(view)
    assert QFontInfo(view.font()).family() == "Noto Naskh Arabic"
    assert view.fontMetrics().height() > 1.5 * QFontInfo(theme.reading_font()).pixelSize()


def test_stream_joins_blocks_and_lines() -> None:
    """Blocks follow each other, lines are parted by their breaks, and a line without blocks keeps its place."""
    events: list[BlockEvent | LineEvent] = [
        LineEvent(0, ""),
        block(1, "a"),
        block(1, "b"),
        LineEvent(1, "ab "),
        LineEvent(2, ""),
        block(3, "c"),
        LineEvent(3, "c"),
    ]
    stream = TextStream()
    assert "".join(stream.take(event) for event in events) == "\nab \n\nc"


def test_selection_and_place_survive_growth(qtbot: QtBot) -> None:
    """Who reads or selects in the middle of a growing text is left alone; who is at the end follows it."""
    view = OutputView()
    qtbot.addWidget(view)
    view.resize(300, 150)
    view.show()
    view.begin()
    view.add([block(n, f"line {n}") for n in range(40)])
    bar = view.verticalScrollBar()
    assert bar.value() == bar.maximum()
    bar.setValue(10)
    cursor = view.textCursor()
    cursor.setPosition(0)
    cursor.setPosition(4, QTextCursor.MoveMode.KeepAnchor)
    view.setTextCursor(cursor)
    bar.setValue(10)
    view.add([block(n, f"line {n}") for n in range(40, 60)])
    assert bar.value() == 10
    assert view.textCursor().selectedText() == "line"


def test_text_is_exact(qtbot: QtBot) -> None:
    """No-break spaces and blank lines come out of the view as they went in."""
    view = OutputView()
    qtbot.addWidget(view)
    view.setPlainText("a\u00a0b\n\n c \n")
    assert view.text() == "a\u00a0b\n\n c \n"
