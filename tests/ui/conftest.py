"""The real window over a real store: fixture models are copied into a cache of the test's own."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from secryst_gui.app import build_window
from secryst_gui.artifacts import Store
from secryst_gui.ui.requests import BuiltinDrafter, DrafterChoice
from secryst_gui.ui.window import MainWindow

VERIFIER = "fixture-verifier-1.0-fp32.zip"
DRAFTER = "fixture-drafter-1.0-fp32.zip"
SETTLE_MS = 90_000  # a bound for a busy machine, not an expectation


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let one warning pass that the offscreen platform prints for every window with a least size."""
    here = Path(__file__).parent
    for item in items:
        if item.path.is_relative_to(here):
            item.add_marker(pytest.mark.qt_log_ignore("propagateSizeHints", extend=True))


@pytest.fixture(scope="session")
def conformance() -> Path:
    """The folder of fixture models."""
    folder = os.environ.get("SECRYST_CONFORMANCE")
    if not folder:
        pytest.skip("SECRYST_CONFORMANCE does not name the folder of fixture models")
    return Path(folder)


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cache, work files, settings and history of this test alone; nothing is translated before a test asks for it."""
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "settings.ini").write_text("[decode]\nlive=false\n", "utf-8")
    monkeypatch.setenv("SECRYST_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("SECRYST_GUI_WORK", str(tmp_path / "work"))
    monkeypatch.setenv("SECRYST_GUI_CONFIG", str(tmp_path / "config"))


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    """The test's cache of models, empty."""
    folder = tmp_path / "cache" / "models"
    folder.mkdir(parents=True)
    return folder


@pytest.fixture
def add_model(cache: Path, conformance: Path) -> Callable[[str], Path]:
    """Copies ``imf/NAME`` or ``parity/NAME`` into the cache, as an import would lay it out."""

    def add(name: str) -> Path:
        source = next(path for folder in ("imf", "parity") if (path := conformance / folder / name).exists())
        target = cache / source.stem / name
        target.parent.mkdir(exist_ok=True)
        shutil.copyfile(source, target)
        return target

    return add


class Bench:
    """A window under test, with the waits that its asynchronous life needs."""

    def __init__(self, qtbot: QtBot, window: MainWindow) -> None:
        self.qtbot = qtbot
        self.window = window

    def look(self) -> str:
        """Look for models and wait until the window has settled; returns the state it shows."""
        with self.qtbot.waitSignal(self.window.settled, timeout=SETTLE_MS) as settled:
            self.window.look_for_models()
        return str(settled.args[0])

    def translate(self, text: str) -> str:
        """Translate and wait for the end; returns the state."""
        self.window.source.setPlainText(text)
        with self.qtbot.waitSignal(self.window.settled, timeout=SETTLE_MS) as settled:
            self.window.translate_action.trigger()
        return str(settled.args[0])

    def figure(self, name: str) -> str:
        """The text of a label in the status bar."""
        label = self.window.status.findChild(QLabel, name)
        assert label is not None
        return label.text()

    def choose(self, drafter: DrafterChoice = BuiltinDrafter.LOOKUP) -> None:
        """Choose a drafter and wait until the pair is loaded."""
        if self.window.settings.drafter.value != drafter:
            with self.qtbot.waitSignal(self.window.settled, timeout=SETTLE_MS):
                self.window.settings.drafter.choose(drafter)


@pytest.fixture
def open_bench(qtbot: QtBot) -> Iterator[Callable[[], Bench]]:
    """Opens windows, and sees to it that each is closed and its worker has ended."""
    opened: list[MainWindow] = []

    def open_one() -> Bench:
        window = build_window(Store(shipped=Path(os.environ["SECRYST_CACHE"]) / "nothing-ships"))
        opened.append(window)
        window.show()
        with qtbot.waitActive(window, timeout=SETTLE_MS):
            window.activateWindow()
        return Bench(qtbot, window)

    yield open_one
    for window in opened:
        window.close()
        assert window.is_worker_done


@pytest.fixture
def bench(open_bench: Callable[[], Bench], add_model: Callable[[str], Path]) -> Bench:
    """A window that has found and loaded the fp32 fixture pair."""
    add_model(VERIFIER)
    add_model(DRAFTER)
    one = open_bench()
    assert one.look() == "Ready"
    one.window.settings.adaptive.setChecked(False)  # blocks that do not depend on how busy the machine is
    return one
