"""The composition root: the one place where the store, the worker and the window are put together."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Sequence

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from secryst_gui import paths
from secryst_gui.artifacts import Store
from secryst_gui.ui import theme
from secryst_gui.ui.memory import WindowMemory
from secryst_gui.ui.samples import load_samples
from secryst_gui.ui.service import DecodingService
from secryst_gui.ui.window import MainWindow

log = logging.getLogger(__name__)


def build_window(store: Store | None = None) -> MainWindow:
    """The window with everything it needs, not shown yet; an application object must exist."""
    theme.load_fonts()
    service = DecodingService(Store() if store is None else store)
    return MainWindow(service, WindowMemory(paths.config_dir()), load_samples())


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
    # After the first paint: what looking for models and loading them takes is not added to the start.
    QTimer.singleShot(0, window.look_for_models)
    code = application.exec()
    if not window.is_worker_done:
        # A decoder call that cannot be interrupted outlived the wait. Qt would abort on destroying its thread;
        # everything has been saved, so leave without destroying.
        log.warning("the worker did not end in time")
        sys.stdout.flush()
        os._exit(code)
    return code
