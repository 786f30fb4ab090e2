"""Counts and rates."""

from hypothesis import given
from hypothesis import strategies as st

from secryst_gui.engine import Statistics


def test_nothing_counted_divides_nothing() -> None:
    """Rates of an empty run are None, not an error and not zero."""
    empty = Statistics()
    assert (empty.acceptance_rate, empty.tokens_per_pass, empty.tokens_per_s) == (None, None, None)


@given(st.lists(st.builds(Statistics, *[st.integers(0, 9)] * 8)))
def test_statistics_add_up(parts: list[Statistics]) -> None:
    """The sum of parts counts what the parts count."""
    total = sum(parts, Statistics())
    assert total.drafted == sum(part.drafted for part in parts)
    assert total.emitted == sum(part.emitted for part in parts)


def test_each_rate_has_its_formula() -> None:
    """Accepted over drafted; emitted over verifier calls; emitted over seconds; and JSON has them all by name."""
    stats = Statistics(blocks=2, passes=4, drafted=10, accepted=7, emitted=8, total_s=2.0)
    assert (stats.acceptance_rate, stats.tokens_per_pass, stats.tokens_per_s) == (0.7, 2.0, 4.0)
    assert stats.as_dict()["acceptance_rate"] == 0.7
    assert set(stats.as_dict()) >= {"blocks", "drafted", "accepted", "bonus", "corrections", "emitted", "total_s"}
