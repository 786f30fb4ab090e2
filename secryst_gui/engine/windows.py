"""A text in lines, a line in windows that a model can hold; both so that nothing is lost in between."""

from __future__ import annotations

import re
from dataclasses import dataclass

import regex

_BREAK = re.compile(r"(\r\n|\n|\r)")


@dataclass(frozen=True)
class Window:
    """A piece of a line, and what to write before its output (nothing, or one space)."""

    text: str
    before: str


def lines(text: str) -> list[tuple[str, str]]:
    r"""Each line with the break that ends it (``\n``, ``\r\n``, ``\r``, or nothing for the last)."""
    parts = [*_BREAK.split(text), ""]
    return list(zip(parts[::2], parts[1::2], strict=True))


def windows(line: str, limit: int) -> list[Window]:
    """``line`` in windows of at most ``limit`` bytes of UTF-8.

    A line that fits is one window, as it stands. A longer one is split at white space, and the outputs belong
    together with one space; a word that is longer by itself is split between letters (never between a letter and
    its marks, unless one letter alone exceeds the limit), and its pieces belong together as they are.
    """
    if _size(line) <= limit:
        return [Window(line, "")]
    found: list[Window] = []
    words: list[str] = []
    used = 0

    def flush() -> None:
        if words:
            found.append(Window(" ".join(words), " " if found else ""))
            words.clear()

    for word in line.split():
        # A word costs its space too, also the last one: that is how the public runtimes split.
        if words and used + _size(word) + 1 > limit:
            flush()
        if _size(word) <= limit:
            used = (used if words else 0) + _size(word) + 1
            words.append(word)
            continue
        first, *rest = _pieces(word, limit)
        found.append(Window(first, " " if found else ""))
        found += [Window(piece, "") for piece in rest]
    flush()
    return found


def _size(text: str) -> int:
    return len(text.encode("utf-8", "replace"))


def _pieces(word: str, limit: int) -> list[str]:
    pieces = [""]
    for cluster in regex.findall(r"\X", word):
        units = [cluster] if _size(cluster) <= limit else list(cluster)
        for unit in units:
            if pieces[-1] and _size(pieces[-1]) + _size(unit) > limit:
                pieces.append("")
            pieces[-1] += unit
    return pieces
