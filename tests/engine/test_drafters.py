"""Drafters without a model, and drafts from an outline."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from secryst_gui.engine import LookupDrafter, lookup, tokens
from secryst_gui.engine.outline import Outline
from secryst_gui.engine.place import Place
from secryst_gui.engine.tokens import EOS, PAD, encode

IDS = st.lists(st.integers(0, 383), max_size=40)


def begun(source: str) -> LookupDrafter:
    drafter = LookupDrafter()
    drafter.begin(source, encode(source))
    return drafter


def test_lookup_copies_the_source_and_ends_after_it() -> None:
    """Where nothing is known, the next letters are the source's; after the last one comes the end token, once."""
    assert begun("قال").propose([], 32) == encode("قال")
    assert begun("قال").propose(encode("قَا")[:-1], 2) == encode("ل")[:2]
    assert begun("a").propose(encode("a")[:-1], 8) == [EOS]


def test_lookup_learns_the_marks_of_this_window() -> None:
    """A word seen before is drafted with the marks that the verifier gave it."""
    word, marked = "كتاب ", "كِتَابٌ "
    drafter = begun(word * 3)
    prefix = encode(marked + marked[:2])[:-1]
    drafter.observe(prefix)
    assert tokens.decode(drafter.propose(prefix, 12)).startswith("تَابٌ")


def taught(*, session: bool) -> LookupDrafter:
    """Has seen a word with its marks, and is at the beginning of another window with the same one."""
    drafter = LookupDrafter(session=session)
    drafter.begin("كتاب كتاب", encode("كتاب كتاب"))
    drafter.observe(encode("كِتَابٌ كِتَابٌ")[:-1])
    drafter.begin("ان كتاب", encode("ان كتاب"))
    return drafter


def test_lookup_learns_over_the_windows_of_a_request() -> None:
    """A word of an earlier line has its marks in a later one."""
    prefix = encode("ان كِتَ")[:-1]
    assert tokens.decode(taught(session=False).propose(prefix, 6)) == "ابٌ"


def test_lookup_forgets_between_requests() -> None:
    """What one request taught does not show in the next, unless the two belong together."""
    prefix = encode("ان كِتَ")[:-1]
    alone, together = taught(session=False), taught(session=True)
    for drafter in (alone, together):
        drafter.forget()
    assert tokens.decode(alone.propose(prefix, 4)) == "اب"
    assert tokens.decode(together.propose(prefix, 6)) == "ابٌ"


def test_a_session_remembers_no_more_than_it_may(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond a number of runs the next request begins anew: an application may run for weeks."""
    monkeypatch.setattr(lookup, "MOST_RUNS", 3)
    drafter = taught(session=True)
    drafter.forget()
    assert tokens.decode(drafter.propose(encode("ان كِتَ")[:-1], 4)) == "اب"


@given(st.text(), IDS, st.integers(1, 32))
def test_lookup_keeps_its_bounds(source: str, prefix: list[int], k: int) -> None:
    """Whatever the output so far: at most k tokens, and none after an end token."""
    prefix = [token for token in prefix if token != EOS]
    draft = begun(source).propose(prefix, k)
    assert len(draft) <= k
    assert EOS not in draft[:-1]


@given(st.text(alphabet="قالaé ", min_size=1), st.data())
def test_a_place_follows_letters_and_marks(source: str, data: st.DataObject) -> None:
    """After the source with any marks put in, the place is at its end; after another letter it is lost."""
    marks = [data.draw(st.sampled_from(["", "َ", "ّ", "ِّ"])) for _ in source]
    place = Place(source)
    for token in encode("".join(a + b for a, b in zip(source, marks, strict=True)))[:-1]:
        place.feed(token)
    assert (place.at, place.lost) == (len(source), False)
    for token in encode("z")[:-1]:
        place.feed(token)
    assert place.lost


def outlined(source: str, marked: list[str]) -> Outline:
    rows = []
    for character, marks in zip(source, marked, strict=True):
        size = len(character.encode())
        ids = encode(marks)[:-1]
        rows += [[PAD] * 4] * (size - 1) + [ids + [PAD] * (4 - len(ids))]
    return Outline(source, rows)


def test_an_outline_is_the_source_with_its_insertions() -> None:
    """Drafted in pieces along its own text, it gives that text and the end token."""
    whole = encode("قَالَّ a")
    outline = outlined("قال a", ["َ", "", "َّ", "", ""])
    prefix: list[int] = []
    while len(prefix) < len(whole):
        prefix += outline.after(prefix, 3)
    assert prefix == whole


def test_an_outline_goes_on_after_a_correction() -> None:
    """Other marks than outlined, fewer or more of them: the next letters are still drafted."""
    for given_marks, expected in (("ُ", "ال"), ("", "ال"), ("ِّ", "ال")):
        outline = outlined("قال", ["َ", "", ""])
        prefix = encode("ق" + given_marks)[:-1]
        if given_marks:
            assert outline.after(prefix, 32) == encode(expected)
        else:
            assert outline.after(prefix, 32) == encode("َ" + expected)


@given(st.text(max_size=12), IDS, st.integers(1, 32))
def test_an_outline_keeps_its_bounds(source: str, prefix: list[int], k: int) -> None:
    """Whatever the output so far: at most k tokens, and none after an end token."""
    draft = outlined(source, [""] * len(source)).after([t for t in prefix if t != EOS], k)
    assert len(draft) <= k
    assert EOS not in draft[:-1]
