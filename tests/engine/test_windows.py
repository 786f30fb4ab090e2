"""Lines and windows."""

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from secryst_gui.engine.windows import lines, windows


@given(st.text(alphabet="ab \n\r\u2028"))
def test_lines_with_their_breaks_are_the_text(text: str) -> None:
    """Nothing is lost between lines: every kind of break is kept as it was."""
    split = lines(text)
    assert "".join(line + ending for line, ending in split) == text
    assert all(not {"\n", "\r"} & set(line) for line, _ in split)
    assert all(ending for _, ending in split[:-1])


@given(st.text(alphabet="قَaé \t", max_size=200), st.integers(8, 40))
def test_windows_hold_every_word_within_the_limit(line: str, limit: int) -> None:
    """No window is over the limit, and joined as they say they are the line's words."""
    split = windows(line, limit)
    assert all(len(window.text.encode()) <= limit for window in split)
    joined = "".join(window.before + window.text for window in split)
    assert joined.split() == line.split()


def test_a_line_that_fits_stays_as_it_is() -> None:
    """White space of a short line is not touched."""
    assert [window.text for window in windows("  a  b ", 1400)] == ["  a  b "]


def test_a_long_word_is_split_between_letters() -> None:
    """Pieces of one word belong together without a space, and no piece begins with a mark."""
    split = windows("بَ" * 50, 21)
    assert "".join(window.before + window.text for window in split) == "بَ" * 50
    assert not any(unicodedata.combining(window.text[0]) for window in split)


def test_windows_split_like_the_public_runtimes() -> None:
    """A word costs its bytes and one space, and the budget is not passed."""
    words = ["x" * 6] * 10
    assert [len(window.text.split()) for window in windows(" ".join(words), 21)] == [3, 3, 3, 1]
