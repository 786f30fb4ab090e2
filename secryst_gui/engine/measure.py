"""The verifier alone beside the pair, on a text of the user's: how much sooner, and whether identical.

``plain`` here is the loop of :meth:`IMFModel.greedy`, without events and statistics, so that the pair is compared with
the quickest way to do without it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from secryst_gui.engine.drafters import Drafter
from secryst_gui.engine.events import DoneEvent
from secryst_gui.engine.model import IMFModel
from secryst_gui.engine.normalise import normalise
from secryst_gui.engine.options import DecodeOptions
from secryst_gui.engine.pace import expected_tokens
from secryst_gui.engine.session import Cancelled
from secryst_gui.engine.speculative import SpeculativeModel, never
from secryst_gui.engine.statistics import Statistics
from secryst_gui.engine.windows import lines, windows


@dataclass(frozen=True)
class Comparison:
    """Seconds and tokens of both; ``difference``: the place of the first token that differs, None: identical."""

    plain_s: float
    pair_s: float
    plain_tokens: tuple[int, ...]
    pair_tokens: tuple[int, ...]
    stats: Statistics

    @property
    def difference(self) -> int | None:
        if self.plain_tokens == self.pair_tokens:
            return None
        pairs = zip(self.plain_tokens, self.pair_tokens, strict=False)
        same = min(len(self.plain_tokens), len(self.pair_tokens))
        return next((place for place, (one, other) in enumerate(pairs) if one != other), same)

    @property
    def speed_up(self) -> float:
        """How many times sooner the pair was done; 1 where nothing was decoded."""
        return self.plain_s / self.pair_s if self.pair_s else 1.0


@dataclass(frozen=True)
class SweepPoint:
    """One drafter at one K. ``speed_up``: of the whole, encoders included; ``expected``: by S(K) = E(K)/(K c + v(K+1)).

    ``acceptance_rate`` is None where nothing was drafted, ``expected`` too.
    """

    drafter: str
    block_size: int
    speed_up: float
    acceptance_rate: float | None
    expected: float | None
    identical: bool


def compare(
    pair: SpeculativeModel, text: str, options: DecodeOptions, is_cancelled: Callable[[], bool] = never
) -> Comparison | None:
    """Decode ``text`` with the verifier alone, then with ``pair``; None when cancelled. ``pair.cancel`` ends either.

    Raises DecodeError when the runtime fails.
    """
    plain = _plain(pair.verifier, text, options, is_cancelled)
    done = _done(pair, text, options, is_cancelled) if plain is not None else None
    if plain is None or done is None:
        return None
    return Comparison(plain[1], done.stats.total_s, plain[0], done.tokens, done.stats)


def sweep(
    verifier: IMFModel,
    drafters: Sequence[IMFModel | Drafter],
    text: str,
    sizes: Sequence[int],
    options: DecodeOptions,
    is_cancelled: Callable[[], bool] = never,
    running: Callable[[SpeculativeModel], None] = lambda _: None,
) -> Iterator[SweepPoint]:
    """A point for each drafter and K, as soon as it is measured; fewer when cancelled.

    ``running`` is handed each model before it decodes, for whoever wants to ``cancel`` inside a decoder call.
    """
    alone = SpeculativeModel(None, verifier)
    running(alone)
    _plain(verifier, text, options, is_cancelled)  # what is opened late is opened now
    plain = _plain(verifier, text, options, is_cancelled)
    for drafter in drafters:
        for size in sizes:
            pair = SpeculativeModel(drafter, verifier, size)
            running(pair)
            done = _done(pair, text, options, is_cancelled) if plain is not None else None
            if plain is None or done is None:
                return
            tokens, plain_s = plain
            stats = done.stats
            speed_up = plain_s / stats.total_s if stats.total_s else 1.0
            expected = _expected(stats, size, plain_s, len(tokens))
            name = pair.drafters[0].name
            yield SweepPoint(name, size, speed_up, stats.acceptance_rate, expected, done.tokens == tokens)


def _expected(stats: Statistics, size: int, plain_s: float, tokens: int) -> float | None:
    """What the formula gives for the whole, with the acceptance and the costs that this run showed."""
    tried = stats.accepted + stats.corrections
    if not (tried and stats.drafted and stats.blocks and tokens):
        return None
    # The plain run encodes once too; what remains of it are single steps.
    step_s = max(plain_s - stats.encode_s, 0.0) / tokens or plain_s / tokens
    per_block = size * stats.draft_s / stats.drafted + stats.verify_s / stats.blocks
    decode_s = tokens * per_block / expected_tokens(stats.accepted / tried, size)
    return (stats.encode_s + tokens * step_s) / (stats.encode_s + decode_s)


def _plain(
    verifier: IMFModel, text: str, options: DecodeOptions, is_cancelled: Callable[[], bool]
) -> tuple[tuple[int, ...], float] | None:
    """The tokens and the seconds of plain decoding; None when cancelled."""
    output: list[int] = []
    guard = options.guards(verifier.task)
    verifier.interrupt.arm()
    started = time.perf_counter()
    try:
        for line, _ in lines(text):
            for window in (
                windows(line if options.raw else normalise(line), options.window_bytes) if line.strip() else ()
            ):
                encoded = verifier.encode(window.text, raw=True)
                if is_cancelled():
                    return None
                if encoded is not None:
                    limit = options.limit(len(window.text.encode("utf-8", "replace")))
                    output += verifier.greedy(encoded, limit, guard)
    except Cancelled:
        return None
    finally:
        verifier.interrupt.disarm()
    return tuple(output), time.perf_counter() - started


def _done(
    pair: SpeculativeModel, text: str, options: DecodeOptions, is_cancelled: Callable[[], bool]
) -> DoneEvent | None:
    """The end of a run; None when it was cancelled."""
    done: DoneEvent | None = None
    for event in pair.decode(text, options, is_cancelled):
        if isinstance(event, DoneEvent):
            done = event
    return done if done is not None and done.stop != "cancelled" else None
