"""The byte table."""

from hypothesis import given
from hypothesis import strategies as st

from secryst_gui.engine import tokens


@given(st.text())
def test_text_survives_the_round_trip(text: str) -> None:
    """Encoding and decoding give the text back, every id is in the table, and one end token closes it."""
    ids = tokens.encode(text)
    assert tokens.decode(ids) == text
    assert ids[-1] == tokens.EOS
    assert all(tokens.OFFSET <= token < 259 for token in ids[:-1])


@given(st.lists(st.integers(0, 383)))
def test_any_ids_decode_without_failing(ids: list[int]) -> None:
    """A bad model may emit any id of its vocabulary, those above the byte table included."""
    assert isinstance(tokens.decode(ids), str)


def test_the_table_is_that_of_the_format() -> None:
    """Byte b is b + 3; decoding stops at the end token, skips pad and unknown, and wraps ids above 258."""
    assert tokens.encode("A") == [68, 1]
    assert tokens.encode("") == [1]
    assert tokens.decode([68, 0, 2, 69, 1, 70]) == "AB"
    assert tokens.to_bytes([259]) == b"\x00"
    assert tokens.decode([0xFF + 3]) == "\ufffd"
    assert tokens.encode("\ud800") == [ord("?") + 3, 1]
