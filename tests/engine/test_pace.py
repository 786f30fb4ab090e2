"""Which drafter, and how many tokens: measured in this request, and forgotten with it."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from secryst_gui.engine.pace import PATIENCE, SIZES, Pace, expected_tokens


class Named:
    """A drafter that only has a name: a pace asks for no more."""

    def __init__(self, name: str) -> None:
        self.name = name

    def begin(self, source: str, source_ids: Sequence[int]) -> None: ...

    def propose(self, prefix: Sequence[int], k: int) -> list[int]:
        return [0] * min(k, len(prefix))

    def observe(self, decided: Sequence[int]) -> None: ...


def verify_s(n: int) -> float:
    return 0.9 + 0.1 * n


def simulate(pace: Pace, acceptance: dict[str, float], cost: dict[str, float], blocks: int) -> tuple[float, list[int]]:
    """Seconds for each emitted token, and the sizes chosen, when a drafter's tokens are right at regular distances."""
    seconds, emitted, sizes, drawn = 0.0, 0, [], 0.0
    for _ in range(blocks):
        drafter, k = pace.choose()
        accepted = 0
        if drafter is not None:
            while accepted < k:
                drawn += 1 - acceptance[drafter.name]
                if drawn >= 1:
                    drawn -= 1
                    break
                accepted += 1
        draft_s = k * cost[drafter.name] if drafter is not None else 0.0
        pace.saw(drafter, k, accepted, draft_s, verify_s(k + 1))
        seconds += draft_s + verify_s(k + 1)
        emitted += accepted + 1
        sizes.append(k)
    return seconds / emitted, sizes


@given(st.floats(0, 0.999), st.integers(1, 32))
def test_expected_tokens_is_the_sum_of_chances(acceptance: float, size: int) -> None:
    """E(K) = 1 + a + a² + … + a^K."""
    total = sum(acceptance**i for i in range(size + 1))
    assert abs(expected_tokens(acceptance, size) - total) < 1e-6 * total
    assert expected_tokens(1.0, size) == size + 1


def test_a_fixed_size_stays() -> None:
    """Whatever comes of it, K is what was asked for; without a drafter there is nothing to draft."""
    pace = Pace([Named("a")], 5)
    assert all(size == 5 for size in simulate(pace, {"a": 0.0}, {"a": 1.0}, 50)[1])
    assert Pace([], None).choose() == (None, 0)


def test_good_drafts_get_long_blocks_and_bad_ones_single_steps() -> None:
    """Nearly always right and free: the longest. Always wrong: hardly ever asked, and 15 % at most are lost by it."""
    _, sizes = simulate(Pace([Named("a")], None), {"a": 0.995}, {"a": 0.0}, 60)
    assert sizes[-1] == max(SIZES)
    seconds, sizes = simulate(Pace([Named("a")], None), {"a": 0.0}, {"a": 0.3}, 400)
    assert sizes[-PATIENCE:].count(0) >= PATIENCE - 2
    assert seconds < verify_s(1) / 0.85


def test_the_drafter_that_pays_is_chosen() -> None:
    """Of a slow good one and a free fair one, the one that emits more a second."""
    acceptance, cost = {"slow": 0.97, "free": 0.9}, {"slow": 0.9, "free": 0.0}
    pace = Pace([Named("slow"), Named("free")], None)
    simulate(pace, acceptance, cost, 60)
    chosen, _ = pace.choose()
    assert chosen is not None
    assert chosen.name == "free"


def test_a_request_knows_nothing_of_the_one_before() -> None:
    """A new pace begins as the first did, however bad the drafter was."""
    drafters = [Named("a")]
    first = Pace(drafters, None).choose()
    simulate(Pace(drafters, None), {"a": 0.0}, {"a": 0.3}, 50)
    assert Pace(drafters, None).choose() == first


def test_a_draft_goes_on_as_long_as_it_pays() -> None:
    """The surer a model must be, the more its tokens cost; nothing is asked where K is fixed or nothing known."""

    def least(cost: float, fixed: int | None = None) -> float:
        pace = Pace([Named("a")], fixed)
        simulate(pace, {"a": 0.8}, {"a": cost}, 60)
        return pace.least_confidence(pace.drafters[0])

    assert 0 < least(0.05) < least(0.3) <= 0.9
    assert least(0.3, fixed=8) == 0.0
    assert Pace([Named("a")], None).least_confidence(Named("a")) == 0.0


def test_single_steps_have_a_cost_of_their_own() -> None:
    """Where passes are another graph, a step may be much cheaper than the line through them says."""
    pace = Pace([Named("a")], None)
    for size in (8, 4, 2, 8, 4, 2):
        pace.saw(pace.drafters[0], size, 0, 0.0, verify_s(size + 1))
    for _ in range(20):
        pace.saw(None, 0, 0, 0.0, 0.2)
    assert abs(pace._passes(1) - 0.2) < 1e-9
    assert abs(pace._passes(9) - verify_s(9)) < 1e-6


def test_a_text_that_changes_is_noticed() -> None:
    """A drafter that was always wrong, and then is always right, is soon asked for long blocks again."""
    pace = Pace([Named("a")], None)
    simulate(pace, {"a": 0.0}, {"a": 0.0}, 300)
    _, sizes = simulate(pace, {"a": 0.999}, {"a": 0.0}, 80)
    assert sizes[-1] >= 16
