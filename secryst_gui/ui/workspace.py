"""The middle of the window: texts above, instruments below, beside each other or stacked as the width allows."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel, QSplitter, QStackedWidget, QVBoxLayout, QWidget

from secryst_gui.ui.blocktable import BlockTable
from secryst_gui.ui.labels import EmptyState, MessageBar
from secryst_gui.ui.plot import AcceptancePlot
from secryst_gui.ui.texts import OutputView, SourceEdit

NARROW = 600  # pixels of width below which panes stand under, not beside, each other


class Workspace(QWidget):
    """Owns the views and their arrangement; what they show is the window's affair."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.source = SourceEdit()
        self.output = OutputView()
        self.plot = AcceptancePlot()
        self.table = BlockTable()
        self.message = MessageBar()
        self.empty = EmptyState()
        self._output_stack = QStackedWidget()
        self._output_stack.addWidget(self.output)
        self._output_stack.addWidget(self.empty)
        self._texts = _splitter(
            "textSplitter",
            Qt.Orientation.Horizontal,
            _titled("&Source text", self.source, self.source),
            _titled("&Output", self._output_stack, self.output),
        )
        self._instruments = _splitter("instrumentSplitter", Qt.Orientation.Horizontal, self.plot, self.table)
        self._main = _splitter("mainSplitter", Qt.Orientation.Vertical, self._texts, self._instruments)
        # Before a splitter is shown its sizes are shares of whatever room it gets.
        self._main.setSizes([360, 340])
        self._texts.setSizes([400, 400])
        self._instruments.setSizes([500, 400])
        column = self._column = QVBoxLayout(self)
        column.setContentsMargins(8, 4, 8, 4)
        column.setSpacing(6)
        column.addWidget(self.message)
        column.addWidget(self._main, 1)

    def splitters(self) -> Iterator[QSplitter]:
        """Those whose positions are worth remembering."""
        yield from (self._main, self._texts, self._instruments)

    def show_instruments(self, shown: bool) -> None:
        """Show or hide the plot and the block table."""
        self._instruments.setVisible(shown)

    def show_empty(self, empty: bool) -> None:
        """Put the empty state, or the output, in the output's place."""
        self._output_stack.setCurrentWidget(self.empty if empty else self.output)

    def minimumSizeHint(self) -> QSize:
        """The width that the stacked panes need: the window may always get so narrow, since then they are stacked."""
        widths = [pane.minimumWidth() for pane in (self.source, self.output, self.plot, self.table)]
        margins = self.contentsMargins() + self._column.contentsMargins()
        return QSize(max(widths) + margins.left() + margins.right(), super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Stack the panes where they would get too narrow."""
        super().resizeEvent(event)
        self.arrange()

    def arrange(self) -> None:
        """Choose the orientation for the width at hand; also after splitters were restored from an earlier one."""
        wanted = Qt.Orientation.Horizontal if self.width() >= NARROW else Qt.Orientation.Vertical
        for splitter in (self._texts, self._instruments):
            if splitter.orientation() != wanted:
                splitter.setOrientation(wanted)


def _splitter(name: str, orientation: Qt.Orientation, *panes: QWidget) -> QSplitter:
    splitter = QSplitter(orientation)
    splitter.setObjectName(name)
    splitter.setChildrenCollapsible(False)
    for pane in panes:
        splitter.addWidget(pane)
    return splitter


def _titled(title: str, content: QWidget, buddy: QWidget) -> QWidget:
    """``content`` under a label whose mnemonic leads to ``buddy``."""
    label = QLabel(title)
    label.setBuddy(buddy)
    label.setContentsMargins(2, 0, 2, 0)
    column = QVBoxLayout()
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(3)
    column.addWidget(label)
    column.addWidget(content, 1)
    pane = QWidget()
    pane.setLayout(column)
    return pane
