"""The list of kept translations: for each a line of its source, one of its output, and when and by whom."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from PySide6.QtCore import QAbstractListModel, QLocale, QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QPalette, QTextOption
from PySide6.QtWidgets import QAbstractItemView, QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from secryst_gui.records import Summary
from secryst_gui.ui import theme
from secryst_gui.ui.wording import direction_of, since

Index = QModelIndex | QPersistentModelIndex
NO_INDEX = QModelIndex()
SUMMARY = Qt.ItemDataRole.UserRole
SOURCE_POINTS, OUTPUT_POINTS = 11, 12
PADDING = 6
#: Keep what may be Latin in one piece within a line that may be Arabic.
_ISOLATE, _END = "\u2068", "\u2069"


class HistoryModel(QAbstractListModel):
    """The translations found, in the order in which they were found."""

    def __init__(self) -> None:
        super().__init__()
        self._entries: tuple[Summary, ...] = ()

    @property
    def entries(self) -> tuple[Summary, ...]:
        """All of them."""
        return self._entries

    def show(self, entries: Sequence[Summary]) -> None:
        """Replace all."""
        self.beginResetModel()
        self._entries = tuple(entries)
        self.endResetModel()

    def row_of(self, number: int) -> int:
        """The row of the translation with that number, -1 if it is not among them."""
        return next((row for row, one in enumerate(self._entries) if one.id == number), -1)

    def rowCount(self, parent: Index = NO_INDEX) -> int:
        """One row for each."""
        return 0 if parent.isValid() else len(self._entries)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """The summary itself for the delegate; words for everyone else."""
        if not index.isValid():
            return None
        one = self._entries[index.row()]
        if role == SUMMARY:
            return one
        if role == Qt.ItemDataRole.DisplayRole:
            return first_line(one.source)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{first_line(one.source)}: {first_line(one.output)}. {told(one)}"
        if role == Qt.ItemDataRole.ToolTipRole:
            return told(one, full=True)
        return None


def first_line(text: str) -> str:
    """The beginning of a text, as one line."""
    return " ".join(text.split())


def told(one: Summary, *, full: bool = False) -> str:
    """When it was made and by which pair; ``full``: to the second, a line each."""
    now = datetime.now().astimezone()
    pair = [f"{_ISOLATE}{name}{_END}" for name in (one.verifier, one.drafter) if name]
    if full:
        return "\n".join([one.time.astimezone(now.tzinfo).strftime("%Y-%m-%d %H:%M:%S"), *pair])
    return f"{_ISOLATE}{since(one.time, now, QLocale())}{_END} · {' + '.join(pair)}"


class HistoryDelegate(QStyledItemDelegate):
    """Paints three lines. Each text begins on the side where its own script begins; the third follows the window."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._fonts = (
            theme.reading_font(SOURCE_POINTS),
            theme.reading_font(OUTPUT_POINTS),
            theme.small_font(parent.font()),
        )
        self._heights = [QFontMetrics(font).height() for font in self._fonts]

    def sizeHint(self, _option: QStyleOptionViewItem, _index: Index) -> QSize:
        """The same for every row; the width is the list's."""
        return QSize(120, sum(self._heights) + 2 * PADDING)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Ground, selection and focus as the style draws them, then the lines."""
        own = QStyleOptionViewItem(option)
        self.initStyleOption(own, index)
        own.text = ""
        widget: QWidget = option.widget
        style = widget.style()
        style.drawControl(QStyle.ControlElement.CE_ItemViewItem, own, painter, widget)

        state: QStyle.StateFlag = option.state
        palette: QPalette = option.palette
        rect: QRect = option.rect
        selected = bool(state & QStyle.StateFlag.State_Selected)
        active = bool(state & QStyle.StateFlag.State_Active)
        group = QPalette.ColorGroup.Active if active else QPalette.ColorGroup.Inactive
        strong = palette.color(group, QPalette.ColorRole.HighlightedText if selected else QPalette.ColorRole.Text)
        ground = palette.color(group, QPalette.ColorRole.Highlight if selected else QPalette.ColorRole.Base)
        muted = theme.mix(strong, ground, 0.1 if selected else 0.3)

        one: Summary = index.data(SUMMARY)
        lines = (
            (first_line(one.source), muted, direction_of(one.source)),
            (first_line(one.output), strong, direction_of(one.output)),
            (told(one), muted, widget.layoutDirection()),
        )
        room = QRectF(rect.adjusted(PADDING + 2, PADDING, -PADDING - 2, -PADDING))
        painter.save()
        for font, height, (text, colour, direction) in zip(self._fonts, self._heights, lines, strict=True):
            option_of_text = QTextOption(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
            option_of_text.setTextDirection(direction)  # in a right-to-left line, left means where it begins
            option_of_text.setWrapMode(QTextOption.WrapMode.NoWrap)
            painter.setFont(font)
            painter.setPen(colour)
            shown = QFontMetrics(font).elidedText(text, Qt.TextElideMode.ElideRight, int(room.width()))
            painter.drawText(QRectF(room.left(), room.top(), room.width(), height), shown, option_of_text)
            room.setTop(room.top() + height)
        painter.restore()


class HistoryList(QListView):
    """The list; while it is empty it says why."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("historyList")
        self.setAccessibleName(self.tr("Kept translations"))
        self.entries = HistoryModel()
        self.setModel(self.entries)
        self.setItemDelegate(HistoryDelegate(self))
        self.setUniformItemSizes(True)  # thousands of rows are laid out by multiplying
        self.setAlternatingRowColors(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setMinimumSize(180, 90)
        self._empty = ""

    @property
    def current(self) -> Summary | None:
        """The translation that is selected."""
        found: Summary | None = self.currentIndex().data(SUMMARY)
        return found

    def show_entries(self, entries: Sequence[Summary], empty: str) -> None:
        """Show other entries; what was selected stays so where it is still there, else its neighbour is."""
        before = self.current
        place = self.currentIndex().row()
        self._empty = empty
        self.setAccessibleDescription("" if entries else empty)
        self.entries.show(entries)
        if before is not None and entries:
            row = self.entries.row_of(before.id)
            self.setCurrentIndex(self.entries.index(row if row >= 0 else min(place, len(entries) - 1)))

    def paintEvent(self, event: QPaintEvent) -> None:
        """The rows, or in their place why there are none."""
        super().paintEvent(event)
        if not self.entries.entries and self._empty:
            painter = QPainter(self.viewport())
            painter.setPen(self.palette().color(QPalette.ColorRole.PlaceholderText))
            room = self.viewport().rect().adjusted(16, 16, -16, -16)
            painter.drawText(room, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, self._empty)
            painter.end()
