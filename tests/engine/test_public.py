"""The public surface."""

from __future__ import annotations

import subprocess
import sys
from types import ModuleType

from secryst_gui import engine


def test_every_public_name_is_listed_and_there() -> None:
    """What can be imported from the package without an underscore, modules aside, is exactly what it lists."""
    names = {name for name, value in vars(engine).items() if name[0] != "_" and not isinstance(value, ModuleType)}
    assert names == set(engine.__all__)


def test_it_runs_without_qt_and_without_a_network() -> None:
    """Decoding needs no display library and opens no connection: neither is even imported."""
    code = "import sys; sys.modules['PySide6'] = None; import secryst_gui.engine; print(*sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"PySide6.QtCore", "pyqtgraph", "httpx", "requests", "urllib3"} & set(found)
