"""The verifier alone beside the pair: same tokens, measured times, points that come one by one."""

from __future__ import annotations

import pytest

from secryst_gui.engine import DecodeOptions, LookupDrafter, SpeculativeModel, Statistics
from secryst_gui.engine.measure import Comparison, SweepPoint, compare, sweep
from tests.engine.conftest import FIXTURES, Load

TEXT = "hello world\n\nقال رسول الله\n"
OPTIONS = DecodeOptions(max_len=24)


@pytest.mark.parametrize("name", FIXTURES)
def test_the_pair_gives_what_the_verifier_gives_alone(load: Load, name: str) -> None:
    """Line by line and window by window, with times of both."""
    found = compare(SpeculativeModel(LookupDrafter(), load(name), 4), TEXT, OPTIONS)
    assert found is not None
    assert found.difference is None
    assert found.plain_tokens == found.pair_tokens
    assert len(found.plain_tokens) == found.stats.emitted > 0
    assert found.speed_up == found.plain_s / found.pair_s > 0


def test_a_difference_is_told_where_it_begins() -> None:
    """The first token that differs, or the end of the shorter one."""

    def between(one: tuple[int, ...], other: tuple[int, ...]) -> int | None:
        return Comparison(1.0, 1.0, one, other, Statistics()).difference

    assert between((5, 6, 7), (5, 6, 7)) is None
    assert between((5, 6, 7), (5, 9, 7)) == 1
    assert between((5, 6), (5, 6, 7)) == 2
    assert between((), ()) is None


def test_nothing_to_decode_is_no_sooner(load: Load) -> None:
    """An empty text: no tokens, no division."""
    found = compare(SpeculativeModel(LookupDrafter(), load(FIXTURES[0])), "\n", OPTIONS)
    assert found is not None
    assert (found.plain_tokens, found.speed_up) == ((), 1.0)


def test_a_sweep_measures_every_drafter_at_every_size(load: Load) -> None:
    """In order, each with its speed-up, its acceptance, what the formula expects, and the same output."""
    verifier = load(FIXTURES[4])
    points = list(sweep(verifier, [verifier, LookupDrafter()], TEXT, (1, 4), OPTIONS))
    assert [(point.drafter, point.block_size) for point in points] == [
        *((verifier.artifact.path.stem, size) for size in (1, 4)),
        *(("lookup", size) for size in (1, 4)),
    ]
    assert all(point.identical and point.speed_up > 0 for point in points)
    assert [point.acceptance_rate for point in points[:2]] == [1.0, 1.0]
    assert all(point.expected is not None and point.expected > 0 for point in points[:2])


def test_what_is_cancelled_ends(load: Load) -> None:
    """Asked between calls: no comparison, no further point; the model works as before."""
    verifier = load(FIXTURES[0])
    pair = SpeculativeModel(LookupDrafter(), verifier)
    assert compare(pair, TEXT, OPTIONS, lambda: True) is None
    points: list[SweepPoint] = []
    points.extend(sweep(verifier, [LookupDrafter()], TEXT, range(1, 33), OPTIONS, lambda: len(points) == 2))
    assert len(points) == 2
    assert compare(pair, TEXT, OPTIONS) is not None
