"""Text files into the window and out of it: read whole and checked, written beside the target and renamed."""

from __future__ import annotations

import codecs
from pathlib import Path

from PySide6.QtCore import QSaveFile

from secryst_gui.errors import InputError

#: More than this is a file for the command line: the editor would take seconds to lay it out.
MOST_BYTES = 4 << 20
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def read_text(path: Path) -> str:
    """The text of a file in UTF-8, or in UTF-16 or UTF-32 with a byte order mark; line breaks become ``\\n``.

    Raises InputError in one line: unreadable, too large, or another encoding.
    """
    try:
        size = path.stat().st_size
        if size > MOST_BYTES:
            raise InputError(
                f"expected a text of at most {MOST_BYTES >> 20} MB, found {path.name} with {size >> 20} MB; "
                f"translate it with 'secryst-gui translate -i {path.name}'"
            )
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"expected a readable file, found {path.name} ({error.strerror}); choose another") from None
    encoding = next((name for mark, name in _MARKS if data.startswith(mark)), "utf-8")
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        raise InputError(
            f"expected text in UTF-8, found another encoding in {path.name} (at byte {error.start}); "
            "save it as UTF-8 and open it again"
        ) from None
    if "\0" in text:
        raise InputError(f"expected a text, found zero bytes in {path.name}; choose another file")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def write_text(path: Path, text: str) -> None:
    """Write ``text`` in UTF-8, all or nothing. Raises InputError where it cannot be written."""
    data = text.encode("utf-8", "replace")
    file = QSaveFile(str(path))
    if not (file.open(QSaveFile.OpenModeFlag.WriteOnly) and file.write(data) == len(data) and file.commit()):
        raise InputError(f"expected a place to write, found {path.name} ({file.errorString()}); choose another")
