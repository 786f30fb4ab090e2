"""The block table."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from secryst_gui.engine import BlockEvent, Statistics
from secryst_gui.ui.blocktable import HEADERS, BlockTable


def block(
    index: int, draft: tuple[int, ...], accepted: int, correction: int | None = None, bonus: int | None = None
) -> BlockEvent:
    """A block event with what the table shows."""
    return BlockEvent(
        index, 0, 0, 0, draft, draft, accepted, correction, bonus, (), (), "", 0.0, 0.0, Statistics(), None
    )


@pytest.fixture(params=[280, 600])
def table(qtbot: QtBot, request: pytest.FixtureRequest) -> BlockTable:
    """A table on the screen, narrow and wide."""
    one = BlockTable()
    qtbot.addWidget(one)
    one.resize(request.param, 200)
    one.show()
    return one


def test_cells(table: BlockTable) -> None:
    """Each column says what its header promises; without a draft there is a dash, not a zero."""
    a, b, c = (ord(one) + 3 for one in "abc")
    table.add([block(0, (a, b), 1, correction=c), block(1, (a,), 1, bonus=b), block(2, (), 0, bonus=1)])
    model = table.model()
    rows = [[model.index(row, column).data() for column in range(len(HEADERS))] for row in range(3)]
    assert rows == [
        ["1", "ab", "1 of 2", "correction c"],
        ["2", "a", "1 of 1", "bonus b"],
        ["3", "–", "–", "bonus ⟨end⟩"],
    ]
    titles = [model.headerData(n, Qt.Orientation.Horizontal) for n in range(len(HEADERS))]
    assert titles == list(HEADERS)
    table.begin()
    assert model.rowCount() == 0


def test_it_follows_the_newest_unless_the_reader_scrolled(table: BlockTable, qtbot: QtBot) -> None:
    """At the end it stays at the end, batch after batch; scrolled away it stays where it is."""
    bar = table.verticalScrollBar()
    for start in range(0, 60, 3):
        table.add([block(n, (100,), 1) for n in range(start, start + 3)])
        qtbot.waitUntil(lambda: bar.value() >= bar.maximum() - 2)
    bar.setValue(5)
    table.add([block(n, (100,), 1) for n in range(60, 90)])
    assert bar.value() == 5
