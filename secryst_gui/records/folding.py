"""The form in which texts are compared when they are searched: without marks, without case.

A reader types the unvowelled word and means its vowelled reading; so what diacritization adds is taken away again.
"""

from __future__ import annotations

import unicodedata

#: Where marks are an addition to the letters: Latin accents, Hebrew points, Arabic and Syriac vowels. Elsewhere, as in
#: Thai or Devanagari, a mark is a letter of its own, and without it another word would be found.
_MARKED = ((0x0300, 0x036F), (0x0591, 0x05C7), (0x0610, 0x06ED), (0x0711, 0x074A), (0x0898, 0x08FF), (0x1DC0, 0x1DFF))
_TATWEEL = "\u0640"


def folded(text: str) -> str:
    """``text`` for comparison: compatible forms made one, case and marks gone, white space as single spaces.

    A hamza or madda on an alef is such a mark too, and so are tatweel and invisible marks of direction.
    """
    letters = unicodedata.normalize("NFKD", text.casefold())
    return " ".join("".join(one for one in letters if not _is_dropped(one)).split())


def _is_dropped(one: str) -> bool:
    if one == _TATWEEL:
        return True
    category = unicodedata.category(one)
    if category == "Mn":
        return any(first <= ord(one) <= last for first, last in _MARKED)
    # Half characters cannot be stored, and a control character that is no white space ends a text for SQLite.
    return category in ("Cf", "Cs") or (category == "Cc" and not one.isspace())
