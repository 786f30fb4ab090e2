"""What the Arabic tiers read."""

from hypothesis import given
from hypothesis import strategies as st

from secryst_gui.engine.normalise import normalise


def test_marks_go_and_ligatures_open() -> None:
    """Vowel marks, the dagger alif and Quranic signs are removed; lam-alef ligatures become two letters."""
    assert normalise("قَالَ رَسُولُ اللَّهِ") == "قال رسول الله"
    assert normalise("هٰذا\u06d6\u06ed\u0653\u065f") == "هذا"
    assert normalise("\ufef5\ufef6\ufef7\ufef8\ufef9\ufefa\ufefb\ufefc") == "لآلآلألألإلإلالا"


@given(st.text())
def test_normalising_twice_changes_nothing_more(text: str) -> None:
    """It is idempotent."""
    assert normalise(normalise(text)) == normalise(text)


@given(st.text(alphabet=st.characters(max_codepoint=0x05FF)))
def test_other_scripts_pass_through(text: str) -> None:
    """Latin, Greek, Cyrillic, Hebrew and their marks stay."""
    assert normalise(text) == text
