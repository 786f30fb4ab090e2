"""The acceptance rule."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from secryst_gui.engine import Acceptance, accept_block

TOKENS = st.integers(0, 5)


@given(st.lists(TOKENS), st.lists(TOKENS))
def test_the_agreeing_prefix_is_accepted_and_nothing_else(block: list[int], verdicts: list[int]) -> None:
    """``accepted`` leading tokens agree; the next verdict, if the block goes on, differs and is the correction."""
    verdicts += [9] * (len(block) - len(verdicts))
    accepted, correction = accept_block(verdicts, block)
    assert block[:accepted] == verdicts[:accepted]
    if correction is None:
        assert accepted == len(block)
    else:
        assert correction == verdicts[accepted] != block[accepted]


def test_the_empty_block_and_the_end_token() -> None:
    """Nothing drafted, nothing to correct; the end token is a token like any other."""
    assert accept_block([], []) == Acceptance(0, None)
    assert accept_block([7, 1], [7, 1]) == Acceptance(2, None)
    assert accept_block([7, 1], [7, 8]) == Acceptance(1, 1)
    assert accept_block([7, 8], [7, 1]) == Acceptance(1, 8)


def test_verdicts_may_end_after_a_divergence_but_not_before() -> None:
    """What follows a divergence does not matter; a missing verdict on an agreeing block is a caller's mistake."""
    assert accept_block([4], [5, 6, 7]) == Acceptance(0, 4)
    with pytest.raises(ValueError, match="verdict for each"):
        accept_block([5], [5, 6])
