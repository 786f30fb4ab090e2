"""Error rates, and what they count."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from models.recipe.score import Score, character_error


def test_a_right_output_has_no_errors() -> None:
    """Every letter of a vowelled word counts once, and none is wrong."""
    score = Score()
    score.add("قَالَ الله 12", "قَالَ اللَّهُ 12")
    assert (score.letters, score.words, score.der, score.wer, score.changed) == (3, 1, 0.0, 0.0, 0)


def test_wrong_marks_and_changed_letters_are_told_apart() -> None:
    """A wrong mark is an error of a letter and its word; a lost letter is one too, and the line has changed."""
    marks, letters = Score(), Score()
    marks.add("قَالَ", "قُالَ")
    letters.add("قَالَ", "قَلَ")
    assert (marks.der, marks.wer, marks.changed) == (1 / 3, 1.0, 0)
    assert (letters.der, letters.wer, letters.changed) == (1 / 3, 1.0, 1)


@given(st.text(max_size=30), st.text(max_size=30))
def test_a_character_error_is_zero_for_equals_only(reference: str, output: str) -> None:
    """Never negative, and zero just where nothing differs."""
    error = character_error(reference, output)
    assert error >= 0
    assert (error == 0) == (reference == output)
