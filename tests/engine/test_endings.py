"""Decoding with models that end, repeat and remember, which random weights never do.

The copier writes its source and an end token, so every text has a known output. The chain's next token depends on
every token before it, so whatever is lost from the keys and values, or left in them, changes the rest.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from secryst_gui import paths
from secryst_gui.engine import (
    BlockEvent,
    DecodeOptions,
    DoneEvent,
    EngineOptions,
    IMFModel,
    LookupDrafter,
    SpeculativeModel,
    Statistics,
    tokens,
)
from secryst_gui.engine.session import Session
from secryst_gui.engine.stopper import Stopper
from tests.support import graphs
from tests.support.drafters import Prompter, Scripted
from tests.support.imf import write_imf

SIZES = (1, 2, 3, 5, 8, 16, 32)
TEXT = "قَالَ رَسُولُ اللَّهِ 👍🏽 café"
RAW = DecodeOptions(max_len=400, raw=True, guard=False)
#: A vocabulary and a factor for each chain: some end soon, some late, some fall into a loop.
CHAINS = [(16, 7), (17, 3), (23, 11), (64, 13)]
FEW = settings(deadline=None, max_examples=60)
Opened = Callable[[str], IMFModel]


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory, work: Path) -> Iterator[Opened]:
    """Open a hand-written model by its name, once: ``copier``, ``copier-plain``, ``chain-V-F``, ``plain-V-F``."""
    folder = tmp_path_factory.mktemp("models")
    models: dict[str, IMFModel] = {}

    def get(name: str) -> IMFModel:
        if name not in models:
            kind, *numbers = name.split("-")
            kv = "plain" not in name
            if kind == "copier":
                graph = graphs.copier(kv=kv)
            else:
                vocabulary, factor = map(int, numbers)
                graph = graphs.chain(kv=kv, vocabulary=vocabulary, factor=factor)
            path = write_imf(folder / f"{name.replace('-', 'x')}.zip", graph, kv=kv)
            with pytest.MonkeyPatch.context() as patch:
                patch.setenv(paths.WORK, str(work))
                models[name] = IMFModel.load(path, EngineOptions(threads=1))
        return models[name]

    yield get
    for model in models.values():
        model.close()


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int]]:
    """Every run of a graph from here on: ``kv``, ``plain`` or ``encoder``, and the number of ids fed."""
    seen: list[tuple[str, int]] = []
    run = Session.run

    def counted(self: Session, names: Sequence[str], feed: dict[str, np.ndarray]) -> list[np.ndarray]:
        if "input_ids" in feed:  # a prologue is fed none
            kind = "kv" if any(name.startswith("past_") for name in feed) else "plain" if len(feed) > 1 else "encoder"
            seen.append((kind, feed["input_ids"].shape[1]))
        return run(self, names, feed)

    monkeypatch.setattr(Session, "run", counted)
    return seen


def plain(model: IMFModel, text: str, max_len: int, guard: bool) -> tuple[list[int], str]:
    """Tokens of plain decoding and why it stopped."""
    output = model.generate(text, max_len, raw=True, guard=guard)
    stopper = Stopper(max_len, guard)
    for token in output:
        stopper.push(token)
    return output, stopper.reason or "eos"


def decoded(pair: SpeculativeModel, text: str, options: DecodeOptions = RAW) -> tuple[list[BlockEvent], DoneEvent]:
    *events, done = pair.decode(text, options)
    assert isinstance(done, DoneEvent)
    return [event for event in events if isinstance(event, BlockEvent)], done


@pytest.mark.parametrize("name", ["copier", "copier-plain"])
def test_text_comes_through_whole_at_every_block_size(opened: Opened, name: str) -> None:
    """Lines, breaks, marks, emoji: the copier's output is its input, and no piece shows half a character."""
    model, text = opened(name), f"{TEXT}\r\n\n  \n{TEXT}\n"
    for k in range(1, 33):
        for drafter in (LookupDrafter(), model, None):
            blocks, done = decoded(SpeculativeModel(drafter, model, k), text)
            assert (done.output, done.stop) == (text, "eos")
            assert not any("\ufffd" in block.text for block in blocks)


def test_no_letter_is_shown_before_its_marks(opened: Opened) -> None:
    """Each piece begins with a letter: the marks that belong to one came with it, even when blocks split them."""
    for k in SIZES:
        blocks, _ = decoded(SpeculativeModel(LookupDrafter(), opened("copier"), k), TEXT)
        assert all(block.text[:1] not in set("\u064e\u064f\u0650\u0651\U0001f3fd") for block in blocks if block.text)


def test_long_lines_come_through_in_windows(opened: Opened) -> None:
    """Words of a line longer than a window are joined by one space, pieces of one endless word by nothing."""
    model = opened("copier")
    options = DecodeOptions(max_len=100, raw=True, guard=False, window_bytes=64)
    for text in ("word " * 99 + "end", "مُ" * 300):
        blocks, done = decoded(SpeculativeModel(LookupDrafter(), model), text, options)
        assert done.output == text
        assert {block.window for block in blocks} == set(range(max(block.window for block in blocks) + 1))
        assert all(len(block.emitted) <= 64 for block in blocks)


def test_the_end_token_ends_in_every_role(opened: Opened) -> None:
    """Accepted inside a block with more behind it, as a correction, as a bonus: once, and nothing after it."""
    model, output = opened("copier"), tokens.encode(TEXT)[:-1]
    for k in SIZES:
        for drafted in ([*output, tokens.EOS, 50, 51], [*output, 60, 61, 62], output, [*output[:5], tokens.EOS]):
            blocks, done = decoded(SpeculativeModel(Prompter(drafted), model, k), TEXT)
            assert (list(done.tokens), done.stop) == (output, "eos")
            assert [block.stop for block in blocks].count("eos") == 1
            assert all(tokens.EOS not in block.draft[:-1] for block in blocks)
            assert done.stats.emitted == len(output)


@pytest.mark.parametrize(("vocabulary", "factor"), CHAINS)
def test_keys_and_values_are_all_there_and_nothing_else(opened: Opened, vocabulary: int, factor: int) -> None:
    """With keys and values or without, by any of them as drafter, at every K: one output, and acceptance 1."""
    kept, whole = opened(f"chain-{vocabulary}-{factor}"), opened(f"plain-{vocabulary}-{factor}")
    for text in ("a", "b", "hello"):
        expected = whole.generate(text, 60, raw=True, guard=False)
        assert kept.generate(text, 60, raw=True, guard=False) == expected
        for k in SIZES:
            for drafter, verifier in ((kept, kept), (whole, kept), (kept, whole)):
                pair = SpeculativeModel(drafter, verifier, k)
                assert pair.generate(text, 60, raw=True, guard=False) == expected
                assert pair.stats.acceptance_rate == 1.0


@FEW
@given(
    chain=st.sampled_from(CHAINS),
    blocks=st.lists(st.lists(st.integers(-2, 70), max_size=36), max_size=6),
    wrong=st.integers(0, 6),
    prompted=st.booleans(),
    k=st.integers(1, 32),
    max_len=st.integers(0, 90),
    guard=st.booleans(),
    text=st.text(max_size=6),
)
def test_the_theorem(
    opened: Opened,
    chain: tuple[int, int],
    blocks: list[list[int]],
    wrong: int,
    prompted: bool,
    k: int,
    max_len: int,
    guard: bool,
    text: str,
) -> None:
    """Whatever is drafted: the verifier's own output, its reason to stop, and events that add up to the statistics."""
    model = opened(f"chain-{chain[0]}-{chain[1]}")
    output, reason = plain(model, text, max_len, guard)
    drafter = Prompter([*output, tokens.EOS, 5, 5], wrong) if prompted else Scripted(blocks)
    pair = SpeculativeModel(drafter, model, k)
    assert pair.generate(text, max_len, raw=True, guard=guard) == output
    if "\n" in text or "\r" in text or not text.strip():
        return
    found, done = decoded(pair, text, DecodeOptions(max_len=max_len, raw=True, guard=guard))
    assert (list(done.tokens), done.stop) == (output, reason)
    stats = done.stats
    assert stats.drafted == sum(len(block.draft) for block in found)
    assert stats.accepted == sum(block.accepted for block in found) <= stats.drafted
    assert stats.corrections == sum(block.correction is not None for block in found)
    assert stats.bonus == sum(block.bonus is not None and bool(block.draft) for block in found)
    assert stats.emitted == sum(len(block.emitted) for block in found) == len(output)
    assert all(len(block.draft) <= min(k, max_len - block.position) for block in found)


def test_a_model_that_drafts_for_itself_is_accepted_whole_when_the_guard_stops_it(opened: Opened) -> None:
    """The guard ends a window inside a block: what was drafted behind it was not judged, so it is no rejection."""
    model = opened("copier")
    for k in SIZES:
        pair = SpeculativeModel(model, model, k)
        _, done = decoded(pair, "abc " * 30, DecodeOptions(max_len=400, raw=True, guard=True))
        assert (done.stop, done.stats.acceptance_rate) == ("repetition", 1.0)


def test_a_block_is_one_call_that_feeds_only_what_is_new(opened: Opened, runs: list[tuple[str, int]]) -> None:
    """The verifier's call after a block feeds its correction or bonus and the next draft: K + 1 tokens, no more."""
    model = opened("copier")
    output = tokens.encode(TEXT)
    for wrong in (0, 3):
        runs.clear()
        blocks, done = decoded(SpeculativeModel(Prompter(output, wrong), model, 8), TEXT)
        fed = [count for name, count in runs if name == "kv"]
        assert fed == [1 + len(block.draft) for block in blocks]
        assert done.stats.passes == done.stats.blocks == len(blocks)
        assert done.stats.rechecked == 0


def test_a_drafter_steps_once_for_each_drafted_token_and_what_it_missed(
    opened: Opened, runs: list[tuple[str, int]]
) -> None:
    """With everything accepted, one more step catches up with the bonus; nothing is fed twice."""
    model = opened("copier-plain")
    drafter = opened("copier")
    _, done = decoded(SpeculativeModel(drafter, model, 4), TEXT)
    fed = [count for name, count in runs if name == "kv"]
    assert set(fed) == {1}
    assert len(fed) <= done.stats.drafted + done.stats.bonus


def test_each_model_reads_a_window_once(opened: Opened, runs: list[tuple[str, int]]) -> None:
    """One run of each encoder for a window, whatever the number of blocks."""
    verifier, drafter = opened("copier"), opened("copier-plain")
    decoded(SpeculativeModel(drafter, verifier, 3), "one line\nanother")
    assert Counter(name for name, _ in runs)["encoder"] == 2 * 2


def test_nothing_to_decode_counts_nothing(opened: Opened) -> None:
    """Empty input after a real one: no output and statistics that are all zero, seconds included."""
    pair = SpeculativeModel(LookupDrafter(), opened("copier"))
    for text in ("", "\u064e"):
        pair.generate("hello")
        assert pair.generate(text) == []
        assert pair.stats == Statistics()
    for text in ("", "\n\r\n", "  \n"):
        pair.translate("hello")
        assert pair.translate(text) == text
        assert pair.stats == Statistics()


def test_lookup_drafts_a_copy_without_a_mistake(opened: Opened) -> None:
    """Where the output is the source, without marks to guess, all is accepted, and a pass gives more than K tokens."""
    pair, text = SpeculativeModel(LookupDrafter(), opened("copier"), 8), "قال رسول الله 👍 cafe, قال رسول"
    assert pair.translate(text, raw=True, guard=False) == text
    assert pair.stats.acceptance_rate == 1.0
    assert pair.stats.tokens_per_pass is not None
    assert pair.stats.tokens_per_pass > 8


def test_tokens_are_plain_numbers(opened: Opened) -> None:
    """A drafter that computes in numpy's numbers leaves none of them in events, which go to JSON."""
    numbers: list[int] = list(np.array(tokens.encode("hello")))
    blocks, done = decoded(SpeculativeModel(Prompter(numbers), opened("copier"), 3), "hello")
    assert {type(token) for block in blocks for token in (*block.draft, *block.emitted)} == {int}
    assert {type(token) for token in done.tokens} == {int}


@pytest.mark.parametrize("k", [1, 4, 32])
def test_cancelled_at_any_moment_the_text_is_a_clean_beginning(opened: Opened, k: int) -> None:
    """Asked to end at each question in turn, inside words, between windows and lines: what is kept is a beginning of
    the whole with nothing added, its last block says so, and the next request is whole."""
    model = opened("copier")
    text = "قَالَ word two\n\nthree four five"
    options = DecodeOptions(max_len=100, raw=True, guard=False, window_bytes=12)
    pair = SpeculativeModel(LookupDrafter(), model, k)
    for after in itertools.count():
        asked = itertools.count()
        blocks, done = decoded_until(pair, text, options, lambda: next(asked) >= after)  # noqa: B023 - used at once
        shown = "".join(block.text for block in blocks if block.line == 0)
        assert done.output.startswith(shown)
        assert [block.index for block in blocks] == list(range(len(blocks)))
        assert done.stats.emitted == len(done.tokens) == sum(len(block.emitted) for block in blocks)
        if done.stop == "eos":
            assert done.output == text
            break
        assert done.stop == "cancelled"
        kept = done.output.removesuffix("\n")
        assert text.startswith(kept)
        assert blocks[-1].stop == "cancelled"
        assert blocks[-1].position or not blocks[-1].text, "no separator before a window of which nothing came"
        assert (blocks[-1].draft, blocks[-1].emitted) == ((), ())
    assert after > 4


def decoded_until(
    pair: SpeculativeModel, text: str, options: DecodeOptions, is_cancelled: Callable[[], bool]
) -> tuple[list[BlockEvent], DoneEvent]:
    *events, done = pair.decode(text, options, is_cancelled)
    assert isinstance(done, DoneEvent)
    return [event for event in events if isinstance(event, BlockEvent)], done


@pytest.mark.parametrize("max_len", [0, 1, 2, 3, 7])
def test_a_limit_inside_a_block_is_kept_by_every_drafter(opened: Opened, max_len: int) -> None:
    """Blocks, corrections and bonuses end at the limit, in each window anew; nothing past it is drafted or counted."""
    model = opened("copier")
    drafters = (LookupDrafter(), Prompter(tokens.encode("abcdefgh")), Scripted([[97 + 3, 5, 5, 5]]), model, None)
    for k, drafter in itertools.product(SIZES, drafters):
        pair = SpeculativeModel(drafter, model, k)
        blocks, done = decoded(pair, "abcdefgh", DecodeOptions(max_len=max_len, raw=True, guard=False))
        assert (done.output, done.stop) == ("abcdefgh"[:max_len], "length")
        assert all(block.position + len(block.draft) <= max_len for block in blocks)
        assert sum(len(block.emitted) for block in blocks) == max_len
        if drafter is model and max_len:
            assert done.stats.acceptance_rate == 1.0


def test_the_end_comes_exactly_at_the_limit(opened: Opened) -> None:
    """A text of as many tokens as the limit ends for the limit, as in plain decoding: nobody asks for the end token."""
    model = opened("copier")
    for k, drafter in itertools.product(SIZES, (LookupDrafter(), model, None)):
        for max_len, stop in ((5, "length"), (6, "eos")):
            _, done = decoded(
                SpeculativeModel(drafter, model, k), "hello", DecodeOptions(max_len=max_len, raw=True, guard=False)
            )
            assert (done.output, done.stop) == ("hello", stop)


def test_the_worst_ending_of_several_windows_is_the_runs(opened: Opened) -> None:
    """One window that loops or is cut short is not hidden by the next one that ends well."""
    pair = SpeculativeModel(LookupDrafter(), opened("copier"), 8)
    for text, stop in (("ab\ncd", "eos"), (f"{'abc ' * 30}\nab", "repetition"), (f"{'xyz' * 40}\nab", "repetition")):
        _, done = decoded(pair, text, DecodeOptions(max_len=110, raw=True, guard=True))
        assert done.stop == stop
    _, done = decoded(pair, "abcdefgh\nab", DecodeOptions(max_len=4, raw=True, guard=True))
    assert (done.output, done.stop) == ("abcd\nab", "length")


def test_lookup_is_poisoned_by_no_other_window(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every window begins a drafter anew, so one instance in two pairs, or two windows, never mixes what it saw."""
    shared = LookupDrafter()
    begun: list[str] = []
    begin = shared.begin

    def noted(source: str, ids: Sequence[int]) -> None:
        begun.append(source)
        begin(source, ids)

    monkeypatch.setattr(shared, "begin", noted)
    text = "abab abab\nabac abac\nabab"
    for name in ("copier", "copier-plain"):
        pair = SpeculativeModel(shared, opened(name), 8)
        assert pair.translate(text, raw=True, guard=False) == text
        assert pair.stats.acceptance_rate == 1.0
    assert begun == text.split("\n") * 2
