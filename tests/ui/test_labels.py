"""Messages and captions."""

from __future__ import annotations

from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from secryst_gui.ui.labels import Caption, MessageBar
from secryst_gui.ui.theme import contrast, is_dark


def test_message_and_caption_follow_the_palette_live(qtbot: QtBot) -> None:
    """After a change to a dark palette, ground and text of both are dark and light at once."""
    parent = QWidget()
    qtbot.addWidget(parent)
    message, caption = MessageBar(), Caption("a caption")
    column = QVBoxLayout(parent)
    column.addWidget(message)
    column.addWidget(caption)
    message.say("something went wrong")
    parent.resize(400, 120)
    parent.show()
    dark = QPalette(QColor("#35383d"), QColor("#2b2d31"))
    grounds = []
    for palette in (parent.palette(), dark):
        parent.setPalette(palette)
        QApplication.processEvents()
        image = message.grab().toImage()
        grounds.append(image.pixelColor(image.width() // 2, image.height() - 4))
        assert is_dark(caption.palette()) == is_dark(palette)
        assert contrast(caption.palette().color(caption.foregroundRole()), palette.color(QPalette.ColorRole.Window)) > 3
    assert grounds[0].lightness() > 150 > 100 > grounds[1].lightness()


def test_a_caption_hides_while_it_has_nothing_to_say(qtbot: QtBot) -> None:
    """No empty line is kept free for it."""
    caption = Caption()
    qtbot.addWidget(caption)
    assert caption.isHidden()
    caption.setText("now")
    assert not caption.isHidden()
    assert caption.plain == "now"


def test_a_message_can_be_dismissed(qtbot: QtBot) -> None:
    """It stays until the user or the next translation takes it away."""
    message = MessageBar()
    qtbot.addWidget(message)
    message.say("one")
    assert message.text == "one"
    message.dismiss()
    assert message.text == ""
