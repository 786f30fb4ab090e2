"""Token ids as text for the inspector."""

from __future__ import annotations

import pytest

from secryst_gui.ui.tokens import tokens_as_text


def ids(data: bytes) -> list[int]:
    """Byte ``b`` is id ``b + 3``."""
    return [one + 3 for one in data]


@pytest.mark.parametrize(
    ("tokens", "text"),
    [
        ([], ""),
        (ids("سلم".encode()), "سلم"),
        (ids("\u064eا".encode()), "◌\u064eا"),
        (ids("س".encode()[:1]), "‹D8›"),
        ([*ids(b"\xb3a"), 1], "‹B3›a⟨end⟩"),
        (ids(b" "), "␣"),
        (ids(b"a b"), "a b"),
        (ids(b"a\nb\x07"), "a⏎b‹07›"),
        ([0, 2], "⟨pad⟩⟨unk⟩"),
        ([256 + 3 + 65], "A"),
    ],
)
def test_tokens_as_text(tokens: list[int], text: str) -> None:
    """Whole characters as they are; stray bytes, marks at the start, specials and controls made visible."""
    assert tokens_as_text(tokens) == text
