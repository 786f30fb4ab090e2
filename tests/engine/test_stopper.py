"""When decoding ends."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from secryst_gui.engine.stopper import Stopper
from secryst_gui.engine.tokens import EOS, encode


def push_all(stopper: Stopper, tokens: list[int]) -> None:
    for token in tokens:
        if stopper.push(token):
            return


@given(st.lists(st.integers(0, 20)), st.integers(0, 30), st.booleans())
def test_the_limit_is_never_passed(tokens: list[int], limit: int, guard: bool) -> None:
    """At most ``limit`` tokens are kept, and the end token is none of them."""
    stopper = Stopper(limit, guard)
    if stopper.reason is None:
        push_all(stopper, tokens)
    assert len(stopper.output) <= limit
    assert EOS not in stopper.output
    assert stopper.reason == "length" or len(stopper.output) < limit


def test_the_end_token_ends_and_is_not_kept() -> None:
    """Also as the very first token."""
    stopper = Stopper(5, True)
    assert stopper.push(EOS) == "eos"
    assert stopper.output == []


def test_a_run_of_24_tokens_that_came_before_ends_it() -> None:
    """The token that completes the run is kept, nothing after it; a shorter output is never stopped by this rule."""
    run = list(range(30, 54))
    stopper = Stopper(1000, True)
    push_all(stopper, run * 3)
    assert stopper.reason == "repetition"
    assert stopper.output == run * 2


def test_sixteen_characters_three_times_end_it_at_every_eighth_token() -> None:
    """Phrases that repeat with changing separators are caught by their text, at a token count divisible by 8."""
    stopper = Stopper(1000, True)
    push_all(stopper, [token for mark in ".,;:!" for token in encode("abcdefghijklmnopqrstuv" + mark)[:-1]])
    assert stopper.reason == "repetition"
    assert len(stopper.output) % 8 == 0


@pytest.mark.parametrize("unit", [[50], [50, 51], list(range(30, 54))])
def test_without_the_guard_anything_may_repeat(unit: list[int]) -> None:
    """Off means off: only the limit ends a loop."""
    stopper = Stopper(200, False)
    push_all(stopper, unit * 300)
    assert stopper.reason == "length"
    assert len(stopper.output) == 200
