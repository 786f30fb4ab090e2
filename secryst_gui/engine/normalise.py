"""What the Arabic tiers expect of a source: no vowel marks, no presentation ligatures.

Removed: U+064B to U+065F (vowel marks, and the signs that join them), U+0670 (the dagger alif), U+06D6 to U+06ED
(Quranic signs). Expanded: the lam-alef ligatures U+FEF5 to U+FEFC. Source: the public crystals, whose models were
trained on text prepared like this. Other scripts pass through untouched.
"""

from __future__ import annotations

_REMOVED = [*range(0x064B, 0x0660), 0x0670, *range(0x06D6, 0x06EE)]
_LIGATURES = {
    code: "\u0644" + alef
    for codes, alef in (
        ((0xFEF5, 0xFEF6), "\u0622"),
        ((0xFEF7, 0xFEF8), "\u0623"),
        ((0xFEF9, 0xFEFA), "\u0625"),
        ((0xFEFB, 0xFEFC), "\u0627"),
    )
    for code in codes
}
_TABLE: dict[int, str | None] = {**dict.fromkeys(_REMOVED), **_LIGATURES}


def normalise(text: str) -> str:
    """``text`` as the Arabic tiers read it."""
    return text.translate(_TABLE)
