"""Arabic vowel marks as labels."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from models.recipe.marks import LABELS, UNKNOWN, join, split, vowelled_share, without_gaps

TEXTS = st.text(alphabet="قال aé1" + "".join(LABELS[1:8]) + "\u0651")


@given(TEXTS)
def test_labels_and_letters_are_the_text(text: str) -> None:
    """Split and joined, a text is its canonical spelling, and that stays as it is."""
    letters, labels = split(text)
    spelling = join(letters, labels)
    assert split(spelling) == (letters, labels)
    assert not set(letters) & set("".join(LABELS))


def test_a_shadda_comes_before_its_vowel() -> None:
    """Either order of shadda and vowel is one label; signs that the ladder does not write are dropped."""
    assert split("رَّ") == split("رَّ") == ("ر", [LABELS.index("\u0651\u064e")])
    assert split("هٰذا") == ("هذا", [0, 0, 0])


def test_words_that_an_edition_left_bare_teach_nothing() -> None:
    """Their letters are unknown; what has marks, a single letter, Latin and digits stay known."""
    letters, labels = split("قَالَ الله و abc 12")
    found = without_gaps(letters, labels)
    assert [label == UNKNOWN for label in found] == [False] * 4 + [True] * 4 + [False] * 9
    assert join(letters, found) == "قَالَ الله و abc 12"


def test_the_share_of_vowelled_words() -> None:
    """Words of two letters or more count; a text without any is whole."""
    assert vowelled_share("قَالَ الله و") == 0.5
    assert vowelled_share("abc 12") == 1.0
