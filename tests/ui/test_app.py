"""The composition root, as the command line opens it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

START_AND_INTERRUPT = """
import os, signal, sys, threading
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
from secryst_gui import app
application = QApplication(["secryst-gui"])
# From a thread of its own, as a terminal would: the window's thread is asleep in its event loop.
QTimer.singleShot(0, lambda: threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start())
sys.exit(app.run(["secryst-gui"]))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="a process cannot send itself Ctrl+C there")
def test_ctrl_c_closes_the_window_and_keeps_the_text(tmp_path: Path) -> None:
    """An interrupt ends an idle window as closing it does: exit code 0, nothing on standard error, text saved."""
    environment = dict(os.environ, SECRYST_GUI_CONFIG=str(tmp_path / "config"), QT_LOGGING_RULES="*=false")
    result = subprocess.run(
        [sys.executable, "-c", START_AND_INTERRUPT],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (result.returncode, result.stderr.replace("This plugin does not support propagateSizeHints()", "")) == (
        0,
        "",
    )
    assert (tmp_path / "config" / "source.txt").exists()


def test_the_window_needs_neither_runtime_nor_network_to_open(tmp_path: Path) -> None:
    """Opening imports no ONNX Runtime: that happens in the worker, after the first paint."""
    code = (
        "import sys; from PySide6.QtWidgets import QApplication; a = QApplication([]); from secryst_gui.app import "
        "build_window; w = build_window(); w.show(); a.processEvents(); print('onnxruntime' in sys.modules); w.close()"
    )
    environment = dict(os.environ, SECRYST_GUI_CONFIG=str(tmp_path / "config"))
    result = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60, check=True
    )
    assert result.stdout.split() == ["False"]
