"""The table of blocks: what was drafted, how much of it was accepted, and what the verifier put instead or after."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from secryst_gui.ui import theme
from secryst_gui.ui.tokens import tokens_as_text

if TYPE_CHECKING:
    from secryst_gui.engine import BlockEvent

Index = QModelIndex | QPersistentModelIndex
HEADERS = ("Block", "Draft", "Accepted", "Correction / bonus")
TEXT_POINTS = 11
NO_INDEX = QModelIndex()  # one shared invalid index, since a call in a default argument is a trap elsewhere


class BlockModel(QAbstractTableModel):
    """The blocks of one run, in order; it keeps the events and makes text only of the rows that are shown."""

    def __init__(self) -> None:
        super().__init__()
        self._events: list[BlockEvent] = []
        self._font = theme.reading_font(TEXT_POINTS)

    def clear(self) -> None:
        """Forget the last run."""
        self.beginResetModel()
        self._events.clear()
        self.endResetModel()

    def add(self, events: Sequence[BlockEvent]) -> None:
        """Append blocks."""
        if events:
            first = len(self._events)
            self.beginInsertRows(NO_INDEX, first, first + len(events) - 1)
            self._events.extend(events)
            self.endInsertRows()

    def rowCount(self, parent: Index = NO_INDEX) -> int:
        """One row for each block."""
        return 0 if parent.isValid() else len(self._events)

    def columnCount(self, parent: Index = NO_INDEX) -> int:
        """The columns of `HEADERS`."""
        return 0 if parent.isValid() else len(HEADERS)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> str | None:
        """Column titles; rows have none."""
        if role == Qt.ItemDataRole.DisplayRole and orientation == Qt.Orientation.Horizontal:
            return HEADERS[section]
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Text and alignment of a cell; the tooltip names the exact token ids."""
        event = self._events[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return _cell(event, index.column())
        if role == Qt.ItemDataRole.TextAlignmentRole:
            numbers = index.column() in (0, 2)
            return Qt.AlignmentFlag.AlignCenter if numbers else Qt.AlignmentFlag.AlignVCenter
        if role == Qt.ItemDataRole.FontRole and index.column() == 1:
            return self._font
        if role == Qt.ItemDataRole.ToolTipRole:
            return f"draft {list(event.draft)}\nverdicts {list(event.verdicts)}"
        return None


def _cell(event: BlockEvent, column: int) -> str:
    if column == 0:
        return str(event.index + 1)
    if column == 1:
        return tokens_as_text(event.draft) if event.draft else "–"
    if column == 2:
        return f"{event.accepted} of {len(event.draft)}" if event.draft else "–"
    if event.correction is not None:
        return f"correction {tokens_as_text((event.correction,))}"
    if event.bonus is not None:
        return f"bonus {tokens_as_text((event.bonus,))}"
    return ""


class BlockTable(QTableView):
    """A read-only view of `BlockModel` that follows the newest block unless the reader scrolled away."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("blockTable")
        self.setAccessibleName("Blocks")
        self.setAccessibleDescription("For each block: the draft, how much was accepted, the correction or bonus")
        self._model = BlockModel()
        self.setModel(self._model)
        self.setShowGrid(False)
        self.setAlternatingRowColors(True)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)  # Tab leaves the table: it is no trap for the keyboard
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setMinimumSize(260, 110)
        rows = self.verticalHeader()
        rows.setVisible(False)
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)  # measuring each row would cost with thousands
        rows.setDefaultSectionSize(QFontMetrics(theme.reading_font(TEXT_POINTS)).height() + 2)
        columns = self.horizontalHeader()
        columns.setHighlightSections(False)
        columns.setMinimumSectionSize(50)
        columns.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        columns.setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)
        for column, widest in ((0, "00000"), (2, HEADERS[2]), (3, HEADERS[3])):
            columns.resizeSection(column, columns.fontMetrics().horizontalAdvance(widest) + 20)

    def begin(self) -> None:
        """Forget the last run."""
        self._model.clear()

    def add(self, events: Sequence[BlockEvent]) -> None:
        """Append blocks, and keep the newest in view if it was."""
        bar = self.verticalScrollBar()
        # A row or two of slack: the end moves when a horizontal scroll bar comes and takes its height.
        follow = bar.value() >= bar.maximum() - 2
        self._model.add(events)
        if follow:
            self.scrollToBottom()
