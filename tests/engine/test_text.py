"""Text that grows token by token."""

import itertools
import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from secryst_gui.engine import tokens
from secryst_gui.engine.text import IncrementalText

ANY = st.lists(st.integers(0, 383), max_size=60)
WRITTEN = st.text(alphabet="قال لَهُمُ اللَّهُ aé👍🏽\n ")


def pieces(ids: list[int], cuts: list[int]) -> list[str]:
    text, edges = IncrementalText(), [0, *sorted(cut % (len(ids) + 1) for cut in cuts), len(ids)]
    shown = [text.push(ids[a:b]) for a, b in itertools.pairwise(edges)]
    return [*shown, text.finish()]


@given(ANY, st.lists(st.integers(0, 100)))
def test_the_pieces_together_are_the_decoded_text(ids: list[int], cuts: list[int]) -> None:
    """However the tokens come, the shown text ends up the same."""
    assert "".join(pieces(ids, cuts)) == tokens.decode(ids)


@given(WRITTEN, st.lists(st.integers(0, 100)))
def test_a_split_character_is_never_shown_broken(text: str, cuts: list[int]) -> None:
    """No piece of valid text has a replacement character, nor begins with a mark that belongs to what was shown."""
    shown = ""
    for piece in pieces(tokens.encode(text)[:-1], cuts):
        assert "\ufffd" not in piece
        assert not piece or not unicodedata.combining(piece[0]) or not shown or shown.endswith("\n")
        shown += piece


def test_a_letter_waits_for_its_marks() -> None:
    """A letter at the end of a block is held back until what follows shows that it is complete."""
    text = IncrementalText()
    assert text.push(tokens.encode("قَا")[:-1]) == "قَ"
    assert text.push(tokens.encode("َل")[:-1]) == "اَ"
    assert text.finish() == "ل"


@given(WRITTEN, st.data())
def test_cut_short_it_is_a_beginning(text: str, data: st.DataObject) -> None:
    """Ended after any token, what was shown is whole characters from the beginning of the text, all that had come."""
    ids = tokens.encode(text)[:-1]
    length = data.draw(st.integers(0, len(ids)))
    growing = IncrementalText()
    shown = growing.push(ids[:length]) + growing.cut()
    assert text.startswith(shown)
    assert 0 <= length - len(shown.encode()) < 4
