"""Reading the user's text: an argument, a file or standard input, as UTF-8 lines."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from secryst_gui.errors import InputError


def decoded(data: bytes, name: str) -> str:
    """UTF-8 text, with or without a byte order mark; InputError names the first line that is something else."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"expected UTF-8 text, found byte 0x{data[error.start]:02x} in line {line} of {name}; "
            "save the file as UTF-8 and try again"
        ) from None


def read_file(path: Path) -> str:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(
            f"expected a text file, found {path} which cannot be read ({error.strerror}); check the name"
        ) from None
    return decoded(data, str(path))


def lines_of(text: str) -> list[str]:
    r"""Lines without their ends (``\n``, ``\r\n``); a last end adds no empty line."""
    lines = text.replace("\r\n", "\n").split("\n")
    return lines[:-1] if len(lines) > 1 and not lines[-1] else lines


def standard_input() -> Iterator[str]:
    """Lines of standard input as they come, so that a pipe that stays open is answered line by line."""
    for number, line in enumerate(sys.stdin.buffer, 1):
        yield decoded(line, f"standard input (line {number})").rstrip("\r\n")


def read(text: str | None, path: Path | None) -> tuple[Iterator[str], int | None]:
    """The lines to translate, and how many there are (None: not known yet)."""
    if text is not None:
        lines = lines_of(text)
    elif path is not None:
        lines = lines_of(read_file(path))
    else:
        return standard_input(), None
    return iter(lines), len(lines)
