"""What counts as the same when texts are searched."""

from __future__ import annotations

import pytest

from secryst_gui.records.folding import folded


@pytest.mark.parametrize(
    ("written", "typed"),
    [
        ("قَالَ رَسُولُ اللَّهِ", "قال رسول الله"),
        ("هٰذَا", "هذا"),
        ("الرَّحْمَـٰنِ", "الرحمن"),
        ("أَحمد إلى آدم", "احمد الى ادم"),
        ("\ufefb", "لا"),  # a presentation form
        ("שָׁלוֹם", "שלום"),
        ("בְּרֵאשִׁ֖ית", "בראשית"),
        ("Straße", "STRASSE"),
        ("muḥammad", "Muhammad"),
        ("a\u200fb\u200d", "ab"),
        ("two\n\twords", "two words"),
        ("  ", ""),
    ],
)
def test_marks_and_case_are_no_difference(written: str, typed: str) -> None:
    """The word as it is typed and the word as it is read compare equal."""
    assert folded(written) == folded(typed)


@pytest.mark.parametrize(
    ("one", "other"), [("กิน", "กน"), ("की", "क"), ("ދިވެހި", "ދވހ"), ("ka", "ga"), ("قال", "قل"), ("a b", "ab")]
)
def test_other_scripts_keep_their_marks(one: str, other: str) -> None:
    """Where a mark is a letter of its own, words that differ by it are different words."""
    assert folded(one) != folded(other)


def test_nothing_that_a_database_stumbles_over() -> None:
    """Half characters and NUL do not get through."""
    assert folded("a\0b\ud800c") == "abc"
