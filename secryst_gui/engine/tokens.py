"""The byte table of IMF v1: byte b is token b + 3; 0 pads and starts the decoder, 1 ends, 2 is unknown.

Source: docs/imf-v1.md of the public interscript-ml. The vocabulary has 384 ids; a model may emit one above 258, and
the format maps it by (id - 3) mod 256.
"""

from __future__ import annotations

from collections.abc import Iterable

PAD, EOS, UNK = 0, 1, 2
OFFSET = 3


def encode(text: str) -> list[int]:
    """Token ids of ``text``, each 3..258, and the end token. Lone surrogates become ``?``."""
    return [byte + OFFSET for byte in text.encode("utf-8", "replace")] + [EOS]


def to_bytes(tokens: Iterable[int]) -> bytes:
    """The bytes that ``tokens`` stand for, up to the end token; pad and unknown stand for none."""
    found = bytearray()
    for token in tokens:
        if token == EOS:
            break
        if token not in (PAD, UNK):
            found.append((token - OFFSET) % 256)
    return bytes(found)


def decode(tokens: Iterable[int]) -> str:
    """Text of ``tokens``; bytes that are no UTF-8 become U+FFFD."""
    return to_bytes(tokens).decode("utf-8", "replace")
