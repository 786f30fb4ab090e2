"""The history dock: find a kept translation, look at it, open it again with its trace, copy it, remove it.

It holds no translation but those it shows: all that it does is asked of a `HistoryService`, whose answers it takes.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QAction, QGuiApplication, QKeyEvent, QKeySequence, QShowEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QDockWidget,
    QHBoxLayout,
    QLineEdit,
    QMessageBox,
    QSpinBox,
    QSplitter,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from secryst_gui.records import Entry, Keep
from secryst_gui.records.entries import LEAST_KEPT, MOST_KEPT
from secryst_gui.ui import theme
from secryst_gui.ui.historylist import HistoryList, first_line
from secryst_gui.ui.historyservice import (
    Changed,
    Fetched,
    Found,
    HistoryAnswer,
    HistoryFailed,
    HistoryService,
    Remarked,
)
from secryst_gui.ui.labels import Caption
from secryst_gui.ui.texts import ReadingEdit

SEARCH_DELAY_MS = 150
PREVIEW_DELAY_MS = 60  # running through the list with an arrow key need not fetch each row it passes
PREVIEW_LETTERS = 4000  # of each text: a preview that lays out a book would hold the window
NAMED_LETTERS = 40


class HistoryPane(QDockWidget):
    """``opened`` carries the `Entry` to show again, its trace included where it has one."""

    opened = Signal(object)
    copied = Signal(str)  # the output that is now on the clipboard
    keep_changed = Signal(object)  # Keep, to be remembered
    listed = Signal()  # the list is up to date with what was asked last

    def __init__(self, service: HistoryService, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("historyPane")
        self.setWindowTitle(self.tr("History"))
        self.setAccessibleName(self.tr("History of translations"))
        self._service = service
        self._searching: int | None = None
        self._previewing: int | None = None
        self._opening: int | None = None
        self._copying: int | None = None
        self._asking: QMessageBox | None = None
        self._has_failed = False

        self.search = QLineEdit()
        self.search.setObjectName("historySearch")
        self.search.setAccessibleName(self.tr("Search the history"))
        self.search.setPlaceholderText(self.tr("Search, with or without vowel marks"))
        self.search.setClearButtonEnabled(True)
        self.search.installEventFilter(self)
        self.list = HistoryList()
        self.preview = ReadingEdit("historyPreview", self.tr("Preview: the source, then the output"))
        self.preview.setReadOnly(True)
        self.preview.setUndoRedoEnabled(False)
        self.preview.setFont(theme.reading_font(12))
        self.preview.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.message = Caption()
        self.message.setObjectName("historyMessage")
        self.keep = QCheckBox(self.tr("Keep translations"))
        self.keep.setObjectName("historyKeep")
        self.count = QSpinBox()
        self.count.setObjectName("historyCount")
        self.count.setAccessibleName(self.tr("Translations kept at most"))
        self.count.setPrefix(self.tr("at most "))
        self.count.setRange(LEAST_KEPT, MOST_KEPT)
        self.count.setSingleStep(100)
        self.count.setKeyboardTracking(False)  # half a number that is being typed is no limit
        self._build_actions()
        self._build_layout()
        self._show_keep(service.keep)

        self._search_timer = self._timer(SEARCH_DELAY_MS, self.refresh)
        self._preview_timer = self._timer(PREVIEW_DELAY_MS, self._fetch_preview)
        service.answered.connect(self._take)
        self.search.textChanged.connect(self._search_timer.start)
        self.list.selectionModel().currentChanged.connect(self._selected)
        self.list.entries.modelReset.connect(self._selected)
        self.list.doubleClicked.connect(self.open_current)
        self.keep.toggled.connect(self._keep_edited)
        self.count.valueChanged.connect(self._keep_edited)
        self._selected()

    # ------------------------------------------------------------------------------------------ building

    def _build_actions(self) -> None:
        self.open_action = self._action(self.tr("Open"), "historyOpenAction", ["Return", "Enter"], self.open_current)
        self.copy_action = self._action(
            self.tr("Copy output"), "historyCopyAction", [QKeySequence.StandardKey.Copy], self.copy_current
        )
        self.remove_action = self._action(
            self.tr("Remove"), "historyRemoveAction", [QKeySequence.StandardKey.Delete], self.ask_to_remove
        )
        self.clear_action = self._action(self.tr("Clear…"), "historyClearAction", [], self.ask_to_clear)
        self.copy_action.setIconText(self.tr("Copy"))  # what a button shows; the dock should get narrow
        self.clear_action.setIconText(self.clear_action.text())  # of itself Qt would take the dots away
        self.list.addActions([self.open_action, self.copy_action, self.remove_action, self.clear_action])
        self.list.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)

    def _action(
        self, text: str, name: str, keys: list[str | QKeySequence.StandardKey], does: Callable[[], None]
    ) -> QAction:
        action = QAction(text, self)
        action.setObjectName(name)
        action.setShortcuts([QKeySequence(key) for key in keys])
        # In the list only: elsewhere in the window these keys mean something else.
        action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        action.triggered.connect(does)
        if keys:
            shown = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
            action.setToolTip(f"{text} ({shown})")
        return action

    def _build_layout(self) -> None:
        buttons = QHBoxLayout()
        buttons.setSpacing(4)
        self._buttons: list[QToolButton] = []
        for action in (self.open_action, self.copy_action, self.remove_action):
            buttons.addWidget(self._button(action))
        buttons.addStretch(1)
        buttons.addWidget(self._button(self.clear_action))
        keeping = QHBoxLayout()
        keeping.addWidget(self.keep)
        keeping.addWidget(self.count)
        keeping.addStretch(1)
        lower = QWidget()
        under = QVBoxLayout(lower)
        under.setContentsMargins(0, 0, 0, 0)
        under.addWidget(self.preview, 1)
        under.addLayout(buttons)
        parts = QSplitter(Qt.Orientation.Vertical)
        parts.setObjectName("historySplitter")
        parts.setChildrenCollapsible(False)
        parts.addWidget(self.list)
        parts.addWidget(lower)
        parts.setStretchFactor(0, 2)
        parts.setStretchFactor(1, 1)
        content = QWidget()
        column = QVBoxLayout(content)
        column.setContentsMargins(8, 6, 8, 8)
        column.setSpacing(6)
        column.addWidget(self.search)
        column.addWidget(parts, 1)
        column.addWidget(self.message)
        column.addLayout(keeping)
        self.setWidget(content)
        order: list[QWidget] = [self.search, self.list, self.preview, *self._buttons, self.keep, self.count]
        for before, after in itertools.pairwise(order):
            QWidget.setTabOrder(before, after)

    def _button(self, action: QAction) -> QToolButton:
        button = QToolButton()
        button.setDefaultAction(action)
        button.setObjectName(action.objectName().replace("Action", "Button"))
        button.setAccessibleName(action.text())
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._buttons.append(button)
        return button

    def _timer(self, interval: int, does: Callable[[], None]) -> QTimer:
        timer = QTimer(self)
        timer.setSingleShot(True)
        timer.setInterval(interval)
        timer.timeout.connect(does)
        return timer

    # ------------------------------------------------------------------------------------------ what the user does

    @Slot()
    def refresh(self) -> None:
        """Ask for the list again, as the search field stands."""
        self._search_timer.stop()
        self._searching = self._service.search(self.search.text())

    @Slot()
    def open_current(self) -> None:
        """Ask for the selected translation with its trace; `opened` follows."""
        current = self.list.current
        if current is not None:
            self._opening = self._service.fetch(current.id, with_trace=True)

    @Slot()
    def copy_current(self) -> None:
        """Put all of the selected translation's output on the clipboard; `copied` follows."""
        current = self.list.current
        if current is not None:
            self._copying = self._service.fetch(current.id)

    @Slot()
    def ask_to_remove(self) -> None:
        """Remove the selected translation, if the user says so."""
        current = self.list.current
        if current is not None:
            named = first_line(current.source)
            named = named if len(named) <= NAMED_LETTERS else f"{named[:NAMED_LETTERS]}…"
            # Isolated: an Arabic name must not turn the question around it.
            question = self.tr("Remove “\u2068{name}\u2069” from the history?").format(name=named)
            self._ask(question, self.tr("Remove"), lambda: self._service.remove(current.id))

    @Slot()
    def ask_to_clear(self) -> None:
        """Remove all translations, if the user says so."""
        question = self.tr("Remove every translation from the history? They cannot be brought back.")
        self._ask(question, self.tr("Remove all"), self._service.clear)

    def _ask(self, question: str, yes: str, does: Callable[[], object]) -> None:
        """Ask without stopping what goes on; the answer that changes nothing is the one that Enter gives."""
        if self._asking is not None:
            return
        box = QMessageBox(self)
        box.setObjectName("historyQuestion")
        box.setAccessibleName(self.tr("History"))
        box.setWindowTitle(self.tr("History"))
        box.setIcon(QMessageBox.Icon.Question)
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.setText(question)
        doing = box.addButton(yes, QMessageBox.ButtonRole.DestructiveRole)
        doing.setObjectName("historyConfirm")
        keeping = box.addButton(QMessageBox.StandardButton.Cancel)
        box.setDefaultButton(keeping)
        doing.clicked.connect(does)
        box.finished.connect(self._answered)
        self._asking = box
        box.open()

    @Slot()
    def _answered(self) -> None:
        if self._asking is not None:
            self._asking.deleteLater()
            self._asking = None
        self.list.setFocus()

    @Slot()
    def _keep_edited(self) -> None:
        keep = replace(self._service.keep, on=self.keep.isChecked(), count=self.count.value())
        if keep != self._service.keep:
            self._service.configure(keep)
            self._show_keep(keep)
            self.keep_changed.emit(keep)

    def _show_keep(self, keep: Keep) -> None:
        self.keep.setChecked(keep.on)
        self.count.setValue(keep.count)
        self.count.setEnabled(keep.on)
        off = self.tr("Nothing new is kept. What is here stays until you remove it.")
        self.message.setText("" if keep.on else off)
        self._has_failed = False

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """From the search field: Down and Enter lead to the list, Escape empties the field."""
        if watched is self.search and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() in (Qt.Key.Key_Down, Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._enter_list()
                return True
            if event.key() == Qt.Key.Key_Escape and self.search.text():
                self.search.clear()
                return True
        return super().eventFilter(watched, event)

    def _enter_list(self) -> None:
        if not self.list.currentIndex().isValid() and self.list.entries.entries:
            self.list.setCurrentIndex(self.list.entries.index(0))
        self.list.setFocus()

    def showEvent(self, event: QShowEvent) -> None:
        """Another window may have added something: look again."""
        super().showEvent(event)
        self.refresh()

    # ------------------------------------------------------------------------------------------ what the history tells

    @Slot(object)
    def _take(self, answer: HistoryAnswer) -> None:
        event, number = answer.event, answer.number
        if isinstance(event, Found):
            if number == self._searching:
                self._show_found(event)
        elif isinstance(event, Fetched):
            self._fetched(number, event.entry)
        elif isinstance(event, Changed):
            if self.isVisible():
                self.refresh()
        elif isinstance(event, HistoryFailed | Remarked):
            self.message.setText(event.message)
            self._has_failed = isinstance(event, HistoryFailed)
            if self._has_failed and number == self._searching:
                self._searching = None
                self.list.show_entries((), self.tr("The history cannot be read."))
                self.listed.emit()

    def _show_found(self, event: Found) -> None:
        self._searching = None
        if self._has_failed:  # what went wrong goes right again; a remark stays, it was said only once
            self._show_keep(self._service.keep)
        wanted = self.tr("Nothing kept holds “{text}”.").format(text=f"\u2068{event.text}\u2069")
        nothing = self.tr("No translation has been kept yet.")
        self.list.show_entries(event.entries, wanted if event.text.strip() else nothing)
        self.listed.emit()

    def _fetched(self, number: int, entry: Entry) -> None:
        if number == self._opening:
            self._opening = None
            if entry.remark is not None:
                self.message.setText(entry.remark)
            self.opened.emit(entry)
        elif number == self._copying:
            self._copying = None
            QGuiApplication.clipboard().setText(entry.output)
            self.copied.emit(entry.output)
        elif number == self._previewing:
            self._previewing = None
            self.preview.setPlainText(f"{_begun(entry.source)}\n\n{_begun(entry.output)}")

    @Slot()
    def _selected(self) -> None:
        chosen = self.list.current is not None
        for action in (self.open_action, self.copy_action, self.remove_action):
            action.setEnabled(chosen)
        self.clear_action.setEnabled(bool(self.list.entries.entries) or bool(self.search.text()))
        if chosen:
            self._preview_timer.start()
        else:
            self._previewing = None
            self.preview.clear()

    @Slot()
    def _fetch_preview(self) -> None:
        current = self.list.current
        if current is not None:
            self._previewing = self._service.fetch(current.id)


def _begun(text: str) -> str:
    return text if len(text) <= PREVIEW_LETTERS else f"{text[:PREVIEW_LETTERS]}…"
