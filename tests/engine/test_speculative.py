"""The theorem: with any drafter, K and limit, the output is the verifier's own, and it stops for the same reason."""

from __future__ import annotations

import dataclasses
import itertools
import threading
from collections.abc import Sequence

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from secryst_gui.engine import (
    BlockEvent,
    DecodeEvent,
    DecodeOptions,
    DoneEvent,
    IMFModel,
    LineEvent,
    LookupDrafter,
    SpeculativeModel,
    Statistics,
    tokens,
)
from secryst_gui.engine.drafters import Drafter
from secryst_gui.errors import PairError
from tests.engine.conftest import FIXTURES, Load, Plain

BLOCK_SIZES = (1, 2, 3, 5, 8, 16, 32)
TEXTS = ("hello world", "قال رسول الله", "A")
VERIFIER, DRAFTER = FIXTURES[0], FIXTURES[4]
SLOW = settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])


class Replay:
    """Drafts from a given output, with a chosen share of it right."""

    name = "replay"

    def __init__(self, output: Sequence[int], wrong_every: int = 0) -> None:
        self.output, self.wrong_every = output, wrong_every

    def begin(self, source: str, source_ids: Sequence[int]) -> None:
        pass

    def propose(self, prefix: Sequence[int], k: int) -> list[int]:
        ahead = [*self.output, tokens.EOS][len(prefix) : len(prefix) + k]
        every = self.wrong_every
        return [token if not every or (len(prefix) + i + 1) % every else 7 for i, token in enumerate(ahead)]

    def observe(self, decided: Sequence[int]) -> None:
        pass


class Hostile:
    """Proposes whatever it was told to, whether or not it may."""

    name = "hostile"

    def __init__(self, blocks: list[list[int]]) -> None:
        self.blocks = itertools.cycle(blocks or [[]])

    def begin(self, source: str, source_ids: Sequence[int]) -> None:
        pass

    def propose(self, prefix: Sequence[int], k: int) -> list[int]:  # noqa: ARG002 - on purpose
        return next(self.blocks)

    def observe(self, decided: Sequence[int]) -> None:
        pass


def drafter_named(name: str, load: Load) -> IMFModel | Drafter | None:
    return {"lookup": LookupDrafter(), "none": None}[name] if name in ("lookup", "none") else load(name)


def run(model: SpeculativeModel, text: str, options: DecodeOptions) -> tuple[list[DecodeEvent], DoneEvent]:
    events = list(model.decode(text, options))
    done = events[-1]
    assert isinstance(done, DoneEvent)
    return events, done


def agree(load: Load, plain: Plain, verifier: str, drafter: str, k: int, text: str, max_len: int, guard: bool) -> None:
    model = SpeculativeModel(drafter_named(drafter, load), load(verifier), k)
    output, reason = plain(verifier, text, max_len, guard)
    assert model.generate(text, max_len, raw=True, guard=guard) == output
    _, done = run(model, text, DecodeOptions(max_len=max_len, raw=True, guard=guard))
    assert (list(done.tokens), done.stop) == (output, reason)
    if drafter == verifier:
        assert done.stats.acceptance_rate in (1.0, None)


@pytest.mark.parametrize("verifier", FIXTURES)
def test_every_drafter_and_k_gives_the_verifiers_own_output(load: Load, plain: Plain, verifier: str) -> None:
    """Each fixture verifies for each fixture, for lookup and for none, at each K; limits and guard vary over them."""
    variations = itertools.cycle(itertools.product(TEXTS, (40, 7, 1), (False, True)))
    for drafter in [*FIXTURES, "lookup", "none"]:
        for k, (text, max_len, guard) in zip(BLOCK_SIZES, variations, strict=False):
            agree(load, plain, verifier, drafter, k, text, max_len, guard)


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("drafter", [*FIXTURES, "lookup", "none"])
@pytest.mark.parametrize("verifier", FIXTURES)
def test_the_whole_matrix(load: Load, plain: Plain, verifier: str, drafter: str) -> None:
    """The same for every combination of drafter, K, text, limit and guard."""
    for k, text, max_len, guard in itertools.product(BLOCK_SIZES, TEXTS, (1, 7, 40, 200), (False, True)):
        agree(load, plain, verifier, drafter, k, text, max_len, guard)


@pytest.mark.parametrize("name", FIXTURES)
def test_a_model_that_drafts_for_itself_is_always_accepted(load: Load, name: str) -> None:
    """Acceptance is exactly 1 at every precision and K: nothing is fed twice, late or wrongly."""
    for k in BLOCK_SIZES:
        model = SpeculativeModel(load(name), load(name), k)
        model.generate("hello world", 60, raw=True, guard=False)
        assert model.stats.acceptance_rate == 1.0
        assert model.stats.corrections == 0


@SLOW
@given(
    blocks=st.lists(st.lists(st.integers(-5, 400), max_size=40), max_size=5),
    k=st.integers(1, 32),
    max_len=st.integers(1, 40),
    guard=st.booleans(),
    text=st.sampled_from(TEXTS),
)
def test_a_hostile_drafter_changes_nothing(
    load: Load, plain: Plain, blocks: list[list[int]], k: int, max_len: int, guard: bool, text: str
) -> None:
    """Too long, out of the vocabulary, end tokens in the middle, nothing at all: the output stays."""
    model = SpeculativeModel(Hostile(blocks), load(VERIFIER), k)
    assert model.generate(text, max_len, raw=True, guard=guard) == plain(VERIFIER, text, max_len, guard)[0]
    assert model.stats.drafted <= k * model.stats.blocks


@SLOW
@given(k=st.integers(1, 32), wrong=st.integers(0, 9), max_len=st.integers(1, 60), name=st.sampled_from(FIXTURES))
def test_a_drafter_that_is_partly_right_changes_nothing(
    load: Load, plain: Plain, k: int, wrong: int, max_len: int, name: str
) -> None:
    """Blocks are accepted in part, in full, past the limit: same output, and statistics that add up."""
    output, _ = plain(name, "hello world", max_len, False)
    model = SpeculativeModel(Replay(output, wrong), load(name), k)
    events, done = run(model, "hello world", DecodeOptions(max_len=max_len, raw=True, guard=False))
    assert list(done.tokens) == output
    blocks = [event for event in events if isinstance(event, BlockEvent)]
    assert sum(len(block.emitted) for block in blocks) == done.stats.emitted == len(output) <= max_len
    assert sum(block.accepted for block in blocks) == done.stats.accepted <= done.stats.drafted
    assert sum(block.correction is not None for block in blocks) == done.stats.corrections
    assert [block.index for block in blocks] == list(range(done.stats.blocks))
    assert all(len(block.draft) <= k for block in blocks)


def test_a_block_costs_one_verifier_call(load: Load, plain: Plain) -> None:
    """The correction or bonus travels in the next feed; without near-ties there is no other call."""
    output, _ = plain(VERIFIER, "hello world", 40, False)
    model = SpeculativeModel(Replay(output, wrong_every=5), load(VERIFIER), 8)
    model.generate("hello world", 40, raw=True, guard=False)
    assert model.stats.rechecked == 0
    assert model.stats.passes == model.stats.blocks < len(output)


def test_events_tell_the_text_as_it_is(load: Load) -> None:
    """The texts of a line's blocks are the line's output, the lines with their breaks the whole; all frozen."""
    text = "one two\r\n\n" + "word " * 40 + "\nthree"
    options = DecodeOptions(max_len=20, window_bytes=60)
    for drafter in (load(DRAFTER), LookupDrafter(), None):
        events, done = run(SpeculativeModel(drafter, load(VERIFIER), 5), text, options)
        shown = [event for event in events if isinstance(event, LineEvent)]
        for line in shown:
            blocks = [event for event in events if isinstance(event, BlockEvent) and event.line == line.line]
            assert "".join(block.text for block in blocks) == line.text
        assert "\r\n".join([shown[0].text, ""]) + "\n".join(line.text for line in shown[1:]) == done.output
        assert {event.window for event in events if isinstance(event, BlockEvent) and event.line == 2} == {0, 1, 2, 3}
        with pytest.raises(dataclasses.FrozenInstanceError):
            done.stop = "eos"  # type: ignore[misc]


def test_streamed_text_equals_plain_translation(load: Load) -> None:
    """``translate`` of the pair and of the verifier are one."""
    text = "hello\n" + "word " * 290  # just more than a window: long sources are slow to read
    for name in FIXTURES:
        expected = load(name).translate(text, max_len=6)
        assert SpeculativeModel(LookupDrafter(), load(name), 4).translate(text, max_len=6) == expected


def test_empty_input_is_empty_and_leaves_no_old_statistics(load: Load) -> None:
    """After a run that counted something, an empty one counts nothing."""
    model = SpeculativeModel(load(DRAFTER), load(VERIFIER))
    model.generate("hello", 12)
    assert model.stats.emitted > 0
    for text in ("", "\n", "   \n\t"):
        _, done = run(model, text, DecodeOptions())
        assert (done.output, done.tokens, done.stop) == (text, (), "eos")
        assert dataclasses.replace(model.stats, total_s=0) == Statistics()


def test_one_request_leaves_nothing_to_the_next(load: Load) -> None:
    """The same text twice gives the same blocks, whatever was decoded in between."""
    model = SpeculativeModel(LookupDrafter(), load(VERIFIER), 8)

    def blocks() -> list[tuple[int, ...]]:
        events = model.decode("hello world", DecodeOptions(max_len=40))
        return [event.draft for event in events if isinstance(event, BlockEvent)]

    first = blocks()
    model.generate("something else entirely", 60)
    assert blocks() == first


def test_cancelled_before_and_between_blocks(load: Load, plain: Plain) -> None:
    """Asked before every block; what was decided is kept, the reason says so, and the next request is whole."""
    output, _ = plain(VERIFIER, "hello world", 40, False)
    options = DecodeOptions(max_len=40, raw=True, guard=False)
    for after in (0, 1, 3):
        model = SpeculativeModel(load(DRAFTER), load(VERIFIER), 2)
        asked = itertools.count()
        events = list(model.decode("hello world", options, lambda: next(asked) > after))  # noqa: B023 - used at once
        done = events[-1]
        assert isinstance(done, DoneEvent)
        assert done.stop == "cancelled"
        assert list(done.tokens) == output[: len(done.tokens)]
        assert tokens.decode(done.tokens).removesuffix("\ufffd").startswith(done.output.removesuffix("\ufffd"))
        assert model.generate("hello world", 40, raw=True, guard=False) == output


def test_cancelled_from_another_thread(load: Load, plain: Plain) -> None:
    """A call in progress is ended; the models can be used again at once."""
    model = SpeculativeModel(load(DRAFTER), load(VERIFIER), 4)
    started = threading.Event()

    def cancel() -> None:
        started.wait(10)
        model.cancel()

    thread = threading.Thread(target=cancel)
    thread.start()
    done = None
    for event in model.decode("some words\n" * 3000, DecodeOptions(max_len=100, guard=False)):
        started.set()
        done = event
    thread.join()
    assert isinstance(done, DoneEvent)
    assert done.stop == "cancelled"
    output, _ = plain(VERIFIER, "hello world", 40, False)
    assert model.generate("hello world", 40, raw=True, guard=False) == output


def test_pairs_and_block_sizes_are_checked(load: Load) -> None:
    """Another vocabulary, or a K that no block can have, is refused with a clear line."""
    with pytest.raises(PairError, match="expected a drafter with 384 tokens"):
        SpeculativeModel(load("tiny-1.0.zip"), load(VERIFIER))
    for size in (0, 33):
        with pytest.raises(ValueError, match="1 to 32"):
            SpeculativeModel(None, load(VERIFIER), size)
