"""What the window remembers between starts: settings and geometry in an ini file, the source text in a text file.

Nothing here may keep the window from opening: a settings file that cannot be understood is moved aside, a value of the
wrong kind gives the default, a folder that cannot be written is logged.
"""

from __future__ import annotations

import logging
from pathlib import Path

from PySide6.QtCore import QByteArray, QSaveFile, QSettings

from secryst_gui.records import Keep
from secryst_gui.records.entries import LEAST_KEPT, MOST_KEPT, USUALLY_KEPT
from secryst_gui.ui.requests import BuiltinDrafter, DrafterChoice

log = logging.getLogger(__name__)

MIN_BLOCK_SIZE, MAX_BLOCK_SIZE, DEFAULT_BLOCK_SIZE = 1, 32, 8
MAX_THREADS = 64
MAX_DAYS = 36500


class WindowMemory:
    """Reads and writes ``settings.ini`` and ``source.txt`` in one folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._settings = _open_settings(folder / "settings.ini")

    @property
    def source_text(self) -> str | None:
        """The text of the last time, None when there was none."""
        try:
            return (self._folder / "source.txt").read_text(encoding="utf-8", errors="replace")
        except OSError:
            return None

    @source_text.setter
    def source_text(self, text: str) -> None:
        # QSaveFile writes beside the file and renames: a crash or a full disk leaves the old text.
        file = QSaveFile(str(self._folder / "source.txt"))
        data = text.encode("utf-8", errors="replace")
        self._make_folder()
        if not (file.open(QSaveFile.OpenModeFlag.WriteOnly) and file.write(data) == len(data) and file.commit()):
            log.warning("the source text could not be saved: %s", file.errorString())

    @property
    def verifier(self) -> Path | None:
        """The verifier chosen last."""
        text = self._text("pair/verifier")
        return Path(text) if text else None

    @verifier.setter
    def verifier(self, path: Path | None) -> None:
        self._settings.setValue("pair/verifier", "" if path is None else str(path))

    @property
    def drafter(self) -> DrafterChoice | None:
        """The drafter chosen last."""
        text = self._text("pair/drafter")
        if text in tuple(BuiltinDrafter):
            return BuiltinDrafter(text)
        return Path(text) if text else None

    @drafter.setter
    def drafter(self, value: DrafterChoice | None) -> None:
        self._settings.setValue("pair/drafter", "" if value is None else str(value))

    @property
    def block_size(self) -> int:
        """K, 1..32."""
        return self._number("decode/block_size", DEFAULT_BLOCK_SIZE, MIN_BLOCK_SIZE, MAX_BLOCK_SIZE)

    @block_size.setter
    def block_size(self, value: int) -> None:
        self._settings.setValue("decode/block_size", value)

    @property
    def adaptive(self) -> bool:
        """Whether K is chosen for each block."""
        return self._text("decode/adaptive") != "false"

    @adaptive.setter
    def adaptive(self, value: bool) -> None:
        self._settings.setValue("decode/adaptive", "true" if value else "false")

    @property
    def threads(self) -> int:
        """Threads of the runtime, 0 for as many as there are cores."""
        return self._number("decode/threads", 0, 0, MAX_THREADS)

    @threads.setter
    def threads(self, value: int) -> None:
        self._settings.setValue("decode/threads", value)

    @property
    def raw(self) -> bool:
        """Whether the input's normalisation is skipped."""
        return self._text("decode/raw") == "true"

    @raw.setter
    def raw(self, value: bool) -> None:
        self._settings.setValue("decode/raw", "true" if value else "false")

    @property
    def live(self) -> bool:
        """Whether the text is translated while it is typed."""
        return self._text("decode/live") != "false"

    @live.setter
    def live(self, value: bool) -> None:
        self._settings.setValue("decode/live", "true" if value else "false")

    @property
    def history(self) -> Keep:
        """What the history keeps."""
        return Keep(
            on=self._text("history/on") != "false",
            count=self._number("history/count", USUALLY_KEPT, LEAST_KEPT, MOST_KEPT),
            days=self._number("history/days", 0, 0, MAX_DAYS) or None,
        )

    @history.setter
    def history(self, keep: Keep) -> None:
        self._settings.setValue("history/on", "true" if keep.on else "false")
        self._settings.setValue("history/count", keep.count)
        self._settings.setValue("history/days", keep.days or 0)

    def layout(self, name: str) -> QByteArray | None:
        """Qt's own description of a geometry, dock or splitter state."""
        value = self._settings.value(f"layout/{name}")
        return value if isinstance(value, QByteArray) else None

    def set_layout(self, name: str, value: QByteArray) -> None:
        """Remember it."""
        self._settings.setValue(f"layout/{name}", value)

    def save(self) -> None:
        """Write the settings to disk now."""
        self._make_folder()
        self._settings.sync()
        if self._settings.status() != QSettings.Status.NoError:
            log.warning("the settings could not be saved in %s", self._folder)

    def _make_folder(self) -> None:
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            log.warning("the settings folder could not be made: %s", error)

    def _text(self, key: str) -> str:
        value = self._settings.value(key, "")
        return value if isinstance(value, str) else ""

    def _number(self, key: str, default: int, low: int, high: int) -> int:
        try:
            number = int(self._text(key) or str(self._settings.value(key, default)))
        except ValueError:
            return default
        return number if low <= number <= high else default


def _open_settings(path: Path) -> QSettings:
    """The settings in ``path``; a file that is not one is moved to ``settings.ini.broken`` and started anew."""
    try:
        if path.exists() and not _is_settings(path):
            path.replace(path.with_suffix(".ini.broken"))
            log.warning("%s could not be understood and was moved aside; settings start from the defaults", path)
    except OSError as error:
        log.warning("the settings could not be read: %s", error)
    return QSettings(str(path), QSettings.Format.IniFormat)


def _is_settings(path: Path) -> bool:
    # Qt reads nearly anything as an ini file, so what it would silently half understand is sorted out here: what
    # Qt wrote is ASCII or UTF-8 text that begins with a section.
    try:
        text = path.read_bytes().decode("utf-8")
    except UnicodeDecodeError:
        return False
    if text.strip() and not text.lstrip().startswith("["):
        return False
    settings = QSettings(str(path), QSettings.Format.IniFormat)
    settings.allKeys()
    return "\0" not in text and settings.status() == QSettings.Status.NoError
