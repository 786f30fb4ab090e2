"""The status bar: what is going on, how far it is, and the three figures of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QProgressBar, QSizePolicy, QStatusBar, QWidget

if TYPE_CHECKING:
    from secryst_gui.engine import Statistics

# What `DoneEvent.stop` means to a reader.
STOP_WORDS = {
    "eos": "Done",
    "length": "Done, but a part reached the length limit",
    "repetition": "Done, but a part was ended where the model began to repeat itself",
    "cancelled": "Stopped; what was decoded so far is kept",
}


class StatusLine(QStatusBar):
    """State on the left; progress, acceptance rate, tokens per pass and tokens per second on the right."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state = QLabel()
        self._state.setObjectName("statusState")
        self._state.setAccessibleName("State")
        self._state.setTextFormat(Qt.TextFormat.PlainText)
        # A long sentence gives way to the figures instead of widening the window.
        self._state.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.progress = QProgressBar()
        self.progress.setObjectName("progressBar")
        self.progress.setAccessibleName("Lines done")
        self.progress.setFormat("%v of %m lines")
        self.progress.setMinimumWidth(70)
        self.progress.setMaximumWidth(150)
        self.progress.hide()
        self._acceptance = _figure("statusAcceptance", "Acceptance rate", "Accepted tokens of those drafted")
        self._per_pass = _figure("statusTokensPerPass", "Tokens per pass", "Tokens emitted for each verifier pass")
        self._speed = _figure("statusSpeed", "Speed", "Tokens emitted per second, the whole run")
        self.addWidget(self._state, 1)
        for widget in (self.progress, self._acceptance, self._per_pass, self._speed):
            self.addPermanentWidget(widget)
        self.clear_figures()

    @property
    def state(self) -> str:
        """What is going on, as shown."""
        return self._state.text()

    def set_state(self, text: str) -> None:
        """Say what is going on."""
        self._state.setText(text)
        self._state.setToolTip(text)

    def clear_figures(self) -> None:
        """Before a run: no figures, and no zero that could be taken for a measurement."""
        for label in (self._acceptance, self._per_pass, self._speed):
            label.setText("")
            label.hide()
        self.progress.hide()

    def show_figures(self, stats: Statistics) -> None:
        """The running statistics of the engine; what cannot be told yet is left out, not shown as zero."""
        rate, per_pass, speed = stats.acceptance_rate, stats.tokens_per_pass, stats.tokens_per_s
        self._acceptance.setText("nothing drafted" if rate is None else f"acceptance rate {100 * rate:.1f} %")
        self._per_pass.setText("" if per_pass is None else f"{per_pass:.1f} tokens per pass")
        self._speed.setText("" if speed is None else f"{speed:,.0f} tokens/s")
        for label in (self._acceptance, self._per_pass, self._speed):
            label.setVisible(bool(label.text()))

    def hide_progress(self) -> None:
        """After a run: the text itself shows how far it came."""
        self.progress.hide()

    def show_progress(self, done: int, lines: int) -> None:
        """A bar when there is more than one line."""
        self.progress.setRange(0, lines)
        self.progress.setValue(done)
        self.progress.setVisible(lines > 1)


def _figure(name: str, accessible: str, tip: str) -> QLabel:
    label = QLabel()
    label.setObjectName(name)
    label.setAccessibleName(accessible)
    label.setToolTip(tip)
    label.setContentsMargins(8, 0, 4, 0)
    return label
