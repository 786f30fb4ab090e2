"""Arabic vowel marks as labels: a line is a row of characters, each with the marks written after it.

The recipe's whole view of diacritization is this file: eight marks (U+064B to U+0652), at most one shadda and one
vowel after a character, the shadda first. Everything else a text may hold (digits, Latin, brackets, emoji) is a
character with no marks, so that it is copied.
"""

from __future__ import annotations

import re

SHADDA = "\u0651"
VOWELS = "\u064b\u064c\u064d\u064e\u064f\u0650\u0652"
#: Label 0 is "no mark"; 1..7 a vowel; 8 a shadda alone; 9..15 a shadda and a vowel.
LABELS: tuple[str, ...] = ("", *VOWELS, SHADDA, *(SHADDA + vowel for vowel in VOWELS))
INDEX = {label: index for index, label in enumerate(LABELS)}
#: What normalisation removes from a source: the marks above and the Quranic signs (see engine/normalise.py).
REMOVED = re.compile("[\u064b-\u0652\u0670\u0653-\u065f\u06d6-\u06ed]")
#: Signs that are removed from targets too: the ladder writes the eight marks only.
_UNUSED = re.compile("[\u0670\u0653-\u065f\u06d6-\u06ed\u0640\u200b-\u200f\u202a-\u202e\ufeff]")
ARABIC_LETTER = re.compile("[\u0621-\u064a\u0671]")


def canonical(marks: str) -> str:
    """The label nearest to ``marks``: one shadda if there is any, then the first vowel."""
    shadda = SHADDA if SHADDA in marks else ""
    vowel = next((mark for mark in marks if mark in VOWELS), "")
    return shadda + vowel


#: The label of a letter whose marks the reference leaves out: nothing is learnt from it, nor counted.
UNKNOWN = -100


def split(text: str) -> tuple[str, list[int]]:
    """``text`` as its characters without marks and a label index for each of them.

    Marks before the first character, and signs the ladder does not write, are dropped.
    """
    letters: list[str] = []
    marks: list[str] = []
    for char in _UNUSED.sub("", text):
        if char in VOWELS or char == SHADDA:
            if marks:
                marks[-1] += char
        else:
            letters.append(char)
            marks.append("")
    return "".join(letters), [INDEX[canonical(group)] for group in marks]


def join(letters: str, labels: list[int]) -> str:
    """The inverse of :func:`split`; a letter with unknown marks gets none."""
    return "".join(letter + LABELS[max(label, 0)] for letter, label in zip(letters, labels, strict=True))


def without_gaps(letters: str, labels: list[int]) -> list[int]:
    """``labels`` with those of bare words unknown.

    Editions leave some words of a vowelled text bare, formulas above all. A word of two letters or more without any
    mark says that the edition left it out, not that it has none.
    """
    found = list(labels)
    for word in re.finditer(r"\S+", letters):
        places = range(*word.span())
        arabic = [i for i in places if ARABIC_LETTER.match(letters[i])]
        if len(arabic) >= 2 and not any(labels[i] for i in places):
            for i in arabic:
                found[i] = UNKNOWN
    return found


def vowelled_share(text: str) -> float:
    """The share of Arabic words of two letters or more that carry at least one mark (1.0 if there are none)."""
    words = [word for word in text.split() if len(ARABIC_LETTER.findall(word)) >= 2]
    if not words:
        return 1.0
    return sum(1 for word in words if REMOVED.search(word)) / len(words)
