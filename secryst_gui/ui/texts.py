"""The two text views, and the pure step from events to text that is appended.

`QTextEdit`, though the texts are plain: `QPlainTextEdit` aligns a whole document one way, while here each paragraph
begins on the side where its own script begins. Pasting still brings in nothing but text.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtGui import QInputMethodEvent, QTextCursor, QTextOption
from PySide6.QtWidgets import QTextEdit, QWidget

from secryst_gui.ui import theme

if TYPE_CHECKING:
    from secryst_gui.engine import BlockEvent, LineEvent


PAUSE_MS = 350


class ReadingEdit(QTextEdit):
    """A text editor whose paragraphs take their direction from their own first letter, not from the window's."""

    def __init__(self, name: str, accessible: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setAccessibleName(accessible)
        self.setAcceptRichText(False)
        self.setFont(theme.reading_font())
        option = QTextOption(self.document().defaultTextOption())
        option.setTextDirection(Qt.LayoutDirection.LayoutDirectionAuto)
        # Left means "where a line starts": Qt mirrors it in right-to-left paragraphs.
        option.setAlignment(Qt.AlignmentFlag.AlignLeft)
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.document().setDefaultTextOption(option)
        self.document().setDocumentMargin(10)
        self.setTabChangesFocus(True)
        self.setMinimumSize(180, 90)

    def text(self) -> str:
        """The text exactly, with ``\\n`` between paragraphs; `toPlainText` would turn no-break spaces into spaces."""
        return self.document().toRawText().replace("\u2029", "\n").replace("\u2028", "\n")


class SourceEdit(ReadingEdit):
    """Where the user's text is typed or pasted."""

    paused = Signal()  # a moment after the last change; never inside an input method's composition

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("sourceEdit", "Source text", parent)
        self.setPlaceholderText("Type or paste text here, then press Ctrl+Enter.")
        self._composing = False
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(PAUSE_MS)
        self._pause.timeout.connect(self.paused)
        self.textChanged.connect(self._changed)

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        """A half-composed word is not yet text: nothing is due before it is committed or given up."""
        self._composing = bool(event.preeditString())
        super().inputMethodEvent(event)
        self._changed()

    @Slot()
    def _changed(self) -> None:
        if self._composing:
            self._pause.stop()
        else:
            self._pause.start()


class OutputView(ReadingEdit):
    """What was translated so far; it grows at its end only."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("outputView", "Output", parent)
        self.setReadOnly(True)
        self.setUndoRedoEnabled(False)  # an undo history of a stream costs memory and can never be used
        # Without this the keyboard could reach the output but neither move in it nor select.
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setPlaceholderText("The output appears here, block by block.")
        self._stream = TextStream()

    def begin(self) -> None:
        """Forget the last run."""
        self._stream = TextStream()
        self.clear()

    def add(self, events: Iterable[BlockEvent | LineEvent]) -> None:
        """Append what these events made visible, in one edit; the reader's selection and place stay as they are."""
        text = "".join(self._stream.take(event) for event in events)
        if not text:
            return
        bar = self.verticalScrollBar()
        follow = bar.value() >= bar.maximum()
        cursor = QTextCursor(self.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.insertText(text)
        if follow:
            bar.setValue(bar.maximum())

    def finish(self, output: str) -> None:
        """Make sure that the engine's final word is what is shown."""
        if self.text() != output:
            self.setPlainText(output)


class TextStream:
    """Turns block and line events into the text to append, line breaks included."""

    def __init__(self) -> None:
        self._line = 0
        self._shown = ""

    def take(self, event: BlockEvent | LineEvent) -> str:
        """What this event adds at the end of the output."""
        from secryst_gui.engine import BlockEvent

        breaks = "\n" * (event.line - self._line)
        if breaks:
            self._line, self._shown = event.line, ""
        if isinstance(event, BlockEvent):
            new = event.text
        else:  # the whole line: whatever its blocks have not shown, such as a line that needed no decoding
            new = event.text[len(self._shown) :] if event.text.startswith(self._shown) else ""
        self._shown += new
        return breaks + new
