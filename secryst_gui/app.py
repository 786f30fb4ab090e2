"""The composition root: the one place where the store, the worker and the window are put together."""

from __future__ import annotations

import logging
import os
import signal
import socket
import sys
from collections.abc import Sequence

from PySide6.QtCore import QObject, QSocketNotifier, QTimer, Slot
from PySide6.QtWidgets import QApplication

from secryst_gui import paths
from secryst_gui.artifacts import Store
from secryst_gui.records import History
from secryst_gui.ui import theme
from secryst_gui.ui.historyservice import HistoryService
from secryst_gui.ui.memory import WindowMemory
from secryst_gui.ui.samples import load_samples
from secryst_gui.ui.service import DecodingService
from secryst_gui.ui.window import MainWindow

log = logging.getLogger(__name__)


def build_window(store: Store | None = None) -> MainWindow:
    """The window with everything it needs, not shown yet; an application object must exist."""
    theme.load_fonts()
    service = DecodingService(Store() if store is None else store)
    memory = WindowMemory(paths.config_dir())
    history = HistoryService(History(paths.history_file(), memory.history))
    return MainWindow(service, history, memory, load_samples())


class Interrupts(QObject):
    """Ctrl+C in the terminal closes the window as the user would, so that text and settings are kept.

    Python runs its signal handlers between two Python instructions, of which an idle window executes none; so the
    signal is made to write to a socket that Qt listens to.
    """

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._reader, self._writer = socket.socketpair()
        self._writer.setblocking(False)
        self._notifier = QSocketNotifier(self._reader.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._close_window)
        self._before = signal.signal(signal.SIGINT, lambda *_: None)
        self._wakeup = signal.set_wakeup_fd(self._writer.fileno())

    @Slot()
    def _close_window(self) -> None:
        self._reader.recv(16)
        self._window.close()

    def release(self) -> None:
        """Give the signal back."""
        self._notifier.setEnabled(False)
        signal.set_wakeup_fd(self._wakeup)
        signal.signal(signal.SIGINT, self._before)
        self._reader.close()
        self._writer.close()


def run(argv: Sequence[str] = ()) -> int:
    """Open the window; returns the exit code once it is closed. ``argv`` begins with the program's name; Qt takes its
    own options from it."""
    existing = QApplication.instance()
    application = existing if isinstance(existing, QApplication) else QApplication(list(argv) or ["secryst-gui"])
    application.setApplicationName("secryst-gui")
    application.setApplicationDisplayName("Secryst Desktop")
    application.setDesktopFileName("secryst-gui")
    application.setWindowIcon(theme.app_icon())
    window = build_window()
    window.show()
    interrupts = Interrupts(window)
    # After the first paint: what looking for models and loading them takes is not added to the start.
    QTimer.singleShot(0, window.look_for_models)
    code = application.exec()
    interrupts.release()
    if not window.is_worker_done:
        # A decoder call that cannot be interrupted outlived the wait. Qt would abort on destroying its thread;
        # everything has been saved, so leave without destroying.
        log.warning("the worker did not end in time")
        sys.stdout.flush()
        os._exit(code)
    return code
