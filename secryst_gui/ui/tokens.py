"""Token ids as something a person can read, for the inspector only: decoding for the output is the engine's work."""

from __future__ import annotations

from collections.abc import Iterable
from unicodedata import combining

SPECIAL = {0: "⟨pad⟩", 1: "⟨end⟩", 2: "⟨unk⟩"}
DOTTED_CIRCLE = "◌"
VISIBLE_CONTROLS = {"\n": "⏎", "\t": "⇥", " ": "␣"}


def tokens_as_text(tokens: Iterable[int]) -> str:
    """Text of a few token ids of the byte table.

    A block may begin or end inside a character: its stray bytes are shown as ``‹D9›``. A mark that begins the block
    stands on a dotted circle, a lone space is shown as ``␣``.
    """
    parts: list[str] = []
    waiting = bytearray()
    for token in tokens:
        if token in SPECIAL:
            parts.append(_bytes_as_text(bytes(waiting)))
            waiting.clear()
            parts.append(SPECIAL[token])
        else:
            waiting.append((token - 3) % 256)
    parts.append(_bytes_as_text(bytes(waiting)))
    text = "".join(parts)
    if text in VISIBLE_CONTROLS:
        return VISIBLE_CONTROLS[text]
    return DOTTED_CIRCLE + text if text and combining(text[0]) else text


def _bytes_as_text(data: bytes) -> str:
    text = data.decode("utf-8", errors="surrogateescape")
    shown = (f"‹{ord(one) - 0xDC00:02X}›" if "\udc80" <= one <= "\udcff" else _printable(one) for one in text)
    return "".join(shown)


def _printable(one: str) -> str:
    if one in "\n\t":
        return VISIBLE_CONTROLS[one]
    return one if one.isprintable() or combining(one) else f"‹{ord(one):02X}›"
