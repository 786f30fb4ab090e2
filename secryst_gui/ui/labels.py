"""Small labels, the message bar and the empty state: what the window says to the user in words."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal, Slot
from PySide6.QtGui import QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QToolButton, QVBoxLayout, QWidget

from secryst_gui.ui import theme


class Caption(QLabel):
    """A small, muted, wrapping line; hidden while it has nothing to say."""

    def __init__(self, text: str = "") -> None:
        super().__init__()
        self._plain = ""
        self.setWordWrap(True)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setFont(theme.small_font(self.font()))
        # A role, not a colour: so it follows the palette by itself.
        self.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self.setText(text)

    @property
    def plain(self) -> str:
        """The text as it was given."""
        return self._plain

    def setText(self, text: str) -> None:
        """Show ``text``."""
        self._plain = text
        # A path has no spaces to wrap at: zero-width ones after its separators let it, but no name breaks at hyphens.
        super().setText(text.replace("/", "/\u200b").replace("\\", "\\\u200b").replace("-", "\u2060-\u2060"))
        self.setVisible(bool(text))


class MessageBar(QFrame):
    """One line above the texts for what went wrong; it blocks nothing and goes away when dismissed."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("messageBar")
        self.setAccessibleName("Message")
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self._label = QLabel()
        self._label.setObjectName("messageText")
        self._label.setAccessibleName("Message text")
        self._label.setWordWrap(True)
        self._label.setTextFormat(Qt.TextFormat.PlainText)
        # So that a message can be selected and sent to someone.
        self._label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._close = QToolButton()
        self._close.setObjectName("messageDismiss")
        self._close.setAutoRaise(True)
        self._close.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._close.setAccessibleName("Dismiss message")
        self._close.setToolTip("Dismiss message")
        self._close.clicked.connect(self.dismiss)
        row = QHBoxLayout(self)
        row.setContentsMargins(10, 4, 4, 4)
        row.addWidget(self._label, 1)
        row.addWidget(self._close, 0, Qt.AlignmentFlag.AlignTop)
        self._tint_icon()
        self.hide()

    @property
    def text(self) -> str:
        """What it says, empty while hidden."""
        return "" if self.isHidden() else self._label.text()

    def say(self, text: str) -> None:
        """Show one line."""
        self._label.setText(text)
        self.setAccessibleDescription(text)
        self.show()

    @Slot()
    def dismiss(self) -> None:
        """Take it away."""
        self.hide()

    def paintEvent(self, event: QPaintEvent) -> None:
        """A breath of the warning colour over whatever ground the palette gives."""
        painter = QPainter(self)
        tint = theme.plot_colours(self.palette()).rate
        tint.setAlphaF(0.2)
        painter.fillRect(self.rect(), tint)
        painter.end()
        super().paintEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        """Follow the palette."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._tint_icon()

    def _tint_icon(self) -> None:
        self._close.setIcon(theme.tinted_icon("close", self.palette()))


class EmptyState(QFrame):
    """What stands in the output's place while there is no model: what is missing, and what to do about it."""

    look_again = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("emptyState")
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.setAutoFillBackground(True)
        self.setBackgroundRole(QPalette.ColorRole.Base)
        self._label = QLabel()
        self._label.setObjectName("emptyStateText")
        self._label.setAccessibleName("How to add a model")
        self._label.setWordWrap(True)
        self._label.setTextFormat(Qt.TextFormat.PlainText)
        self._label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        button = QPushButton("&Look again")
        button.setObjectName("lookAgainButton")
        button.setAccessibleName("Look again for models")
        button.clicked.connect(self.look_again)
        column = QVBoxLayout(self)
        column.setContentsMargins(18, 16, 18, 16)
        column.addWidget(self._label)
        column.addSpacing(6)
        column.addWidget(button, 0, Qt.AlignmentFlag.AlignLeft)
        column.addStretch(1)

    @property
    def text(self) -> str:
        """What it says."""
        return self._label.text().replace("\u200b", "")

    def explain(self, folder: str, broken: list[str]) -> None:
        """Say that no model can be used: none found, or only ``broken`` ones, and where models belong."""
        if broken:
            first = "None of the models on this machine can be used:\n" + "\n".join(f"• {one}" for one in broken)
        else:
            first = "There is no model on this machine yet, so nothing can be translated so far."
        todo = (
            "A model is a zip file in the IMF format. Add one with\n"
            "    secryst-gui models import FILE\n"
            f"or put it at\n    {folder}/ID/FILE.zip\nand look again. Your text stays where it is."
        )
        self._label.setText(f"{first}\n\n{todo}".replace("/", "/\u200b"))
