"""Which drafter, and how many tokens, for the next block: the choice that is expected to emit the most a second.

With a the chance that a drafted token is accepted, c the time to draft one, and v(n) the time of a verifier pass over
n tokens, a block of K emits E(K) = (1 - a^(K+1)) / (1 - a) tokens on average and takes K c + v(K+1) (Leviathan et al.
2023, arxiv.org/abs/2211.17192, section 3). All three are measured in this request and forgotten with it. Where no
drafter is expected to pay, single steps are taken, and now and then a short block tries again, and a longer one as
long as all of it is accepted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from secryst_gui.engine.drafters import Drafter

#: Block sizes that are considered.
SIZES = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32)
#: The first block, before anything is known.
FIRST = 8
#: Before it is measured, a token is taken to be accepted so often (as if seen for so many tokens), and a pass over n
#: tokens to cost 1 + SLOPE (n - 1) single steps.
PRIOR, PRIOR_WEIGHT, SLOPE = 0.8, 2.5, 0.1
#: How much of the past counts, a block later.
MEMORY = 0.95
#: Single steps before drafters that did not pay are tried again (at first, then twice as many each time, up to a
#: limit: a text may change), and the size of such a try.
PATIENCE, LONGEST_PATIENCE, TRY = 16, 48, 2


@dataclass
class _Rating:
    """What one drafter has shown: acceptance as weighted counts, and seconds a token."""

    hits: float = PRIOR * PRIOR_WEIGHT
    trials: float = PRIOR_WEIGHT
    seconds: float = 0.0
    tokens: float = 0.0

    @property
    def acceptance(self) -> float:
        return min(0.999, self.hits / self.trials)

    @property
    def cost(self) -> float:
        return self.seconds / self.tokens if self.tokens else 0.0

    def saw(self, drafted: int, accepted: int, seconds: float) -> None:
        tried = min(accepted + 1, drafted)
        self.hits, self.trials = MEMORY * self.hits + accepted, MEMORY * self.trials + tried
        self.seconds, self.tokens = MEMORY * self.seconds + seconds, MEMORY * self.tokens + drafted


@dataclass
class _PassCost:
    """v(n): a mean for single steps, which may have a graph of their own, and a straight line over recent passes."""

    steps: float = 0.0
    step_s: float = 0.0
    count: float = 0.0
    n: float = 0.0
    nn: float = 0.0
    t: float = 0.0
    nt: float = 0.0

    def saw(self, tokens: int, seconds: float) -> None:
        if tokens == 1:
            self.steps, self.step_s = MEMORY * self.steps + 1, MEMORY * self.step_s + seconds
            return
        self.count, self.n, self.nn = MEMORY * self.count + 1, MEMORY * self.n + tokens, MEMORY * self.nn + tokens**2
        self.t, self.nt = MEMORY * self.t + seconds, MEMORY * self.nt + tokens * seconds

    def __call__(self, tokens: int) -> float:
        """Seconds of a pass over ``tokens``; in any unit as long as nothing was seen."""
        base, slope = self.line()
        return self.step_s / self.steps if tokens == 1 and self.steps else base + slope * tokens

    def line(self) -> tuple[float, float]:
        """Seconds of a pass, and of each of its tokens: fitted by least squares."""
        spread = self.count * self.nn - self.n**2
        if spread > 1e-6 * self.nn * self.count:
            slope = max(0.0, (self.count * self.nt - self.n * self.t) / spread)
            base = (self.t - slope * self.n) / self.count
            if base > 0:
                return base, slope
        # One size seen so far, or a fit that makes no sense: scale the usual shape to what was seen.
        if self.count:
            scale = self.t / ((1 - SLOPE) * self.count + SLOPE * self.n)
        else:
            scale = self.step_s / self.steps if self.steps else 1.0
        return scale * (1 - SLOPE), scale * SLOPE


def expected_tokens(acceptance: float, size: int) -> float:
    """E(K): tokens that a block of ``size`` emits on average, its correction or bonus included."""
    return (1 - acceptance ** (size + 1)) / (1 - acceptance) if acceptance < 1 else size + 1.0


@dataclass
class Pace:
    """The choices of one request. ``fixed``: K, or None to choose it too."""

    drafters: Sequence[Drafter]
    fixed: int | None
    _ratings: list[_Rating] = field(init=False)
    _passes: _PassCost = field(default_factory=_PassCost)
    _resting: int = 0
    _patience: int = PATIENCE
    _rested: bool = False
    _trying: int = 0

    def __post_init__(self) -> None:
        self._tried: Drafter | None = None
        self._ratings = [_Rating() for _ in self.drafters]

    def choose(self) -> tuple[Drafter | None, int]:
        """The next block's drafter and size; (None, 0) for a single step."""
        if not self.drafters:
            return None, 0
        if self.fixed is not None:
            return max(zip(self._rates(self.fixed), self.drafters, strict=True), key=lambda pair: pair[0])[
                1
            ], self.fixed
        if not self._passes.count and not self._passes.steps:
            return self.drafters[0], FIRST
        if self._trying:  # the last one was accepted in full: what did not pay before may pay now
            return self._tried, self._trying
        if self._resting > 0:
            self._resting -= 1
            return None, 0
        options = [
            (rate, drafter, size)
            for size in SIZES
            for rate, drafter in zip(self._rates(size), self.drafters, strict=True)
        ]
        rate, drafter, size = max(options, key=lambda option: option[0])
        if rate > 1 / self._passes(1):
            self._rested, self._patience = False, PATIENCE
            return drafter, size
        if self._rested:
            self._rested, self._trying, self._tried = False, TRY, drafter
            return drafter, TRY
        self._resting, self._rested = self._patience - 1, True
        self._patience = min(2 * self._patience, LONGEST_PATIENCE)
        return None, 0

    def saw(self, drafter: Drafter | None, drafted: int, accepted: int, draft_s: float, verify_s: float) -> None:
        """What came of a block: tokens drafted and accepted, and the seconds that drafting and verifying took."""
        self._passes.saw(drafted + 1, verify_s)
        if self._trying:
            whole = drafted == accepted > 0
            self._trying = min(2 * self._trying, SIZES[-1]) if whole else 0
            self._patience = PATIENCE if whole else self._patience
        if drafter is not None:
            rating = self._ratings[self.drafters.index(drafter)]
            if drafted:
                rating.saw(drafted, accepted, draft_s)
            else:
                rating.saw(1, 0, draft_s)  # nothing to propose is as good as wrong

    def least_confidence(self, drafter: Drafter) -> float:
        """How likely all drafted tokens must be right for one more to pay: what it costs, in tokens emitted meanwhile.

        0 where K is fixed.
        """
        if self.fixed is not None or not self._passes.count:
            return 0.0
        rating = self._ratings[self.drafters.index(drafter)]
        best = max(rate for size in SIZES for rate in self._rates(size))
        return min(0.9, best * (rating.cost + self._passes.line()[1]))

    def _rates(self, size: int) -> list[float]:
        return [
            expected_tokens(rating.acceptance, size) / (size * rating.cost + self._passes(size + 1))
            for rating in self._ratings
        ]
