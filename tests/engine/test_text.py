"""Text that grows token by token."""

from hypothesis import given
from hypothesis import strategies as st

from secryst_gui.engine import tokens
from secryst_gui.engine.text import IncrementalText

ANY = st.lists(st.integers(0, 383), max_size=60)
WRITTEN = st.text(alphabet="قال لَهُمُ اللَّهُ aé👍🏽\n ")


def pieces(ids: list[int], cuts: list[int]) -> list[str]:
    text, edges = IncrementalText(), [0, *sorted(cut % (len(ids) + 1) for cut in cuts), len(ids)]
    shown = [text.push(ids[a:b]) for a, b in zip(edges, edges[1:], strict=False)]
    return [*shown, text.finish()]


@given(ANY, st.lists(st.integers(0, 100)))
def test_the_pieces_together_are_the_decoded_text(ids: list[int], cuts: list[int]) -> None:
    """However the tokens come, the shown text ends up the same."""
    assert "".join(pieces(ids, cuts)) == tokens.decode(ids)


@given(WRITTEN, st.lists(st.integers(0, 100)))
def test_a_split_character_is_never_shown_broken(text: str, cuts: list[int]) -> None:
    """No piece of valid text has a replacement character, and none begins with a mark."""
    for piece in pieces(tokens.encode(text)[:-1], cuts):
        assert "\ufffd" not in piece
        assert (
            not piece or piece[0] not in "\u064b\u064c\u064d\u064e\u064f\u0650\u0651\u0652" or text.startswith(piece[0])
        )


def test_a_letter_waits_for_its_marks() -> None:
    """A letter at the end of a block is held back until what follows shows that it is complete."""
    text = IncrementalText()
    assert text.push(tokens.encode("قَا")[:-1]) == "قَ"
    assert text.push(tokens.encode("َل")[:-1]) == "اَ"
    assert text.finish() == "ل"
