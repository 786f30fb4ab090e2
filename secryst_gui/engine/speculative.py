"""The loop: a drafter proposes a block, the verifier decides it, what is decided is emitted. To be read downwards."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from secryst_gui.engine import tokens
from secryst_gui.engine.acceptance import accept_block
from secryst_gui.engine.drafters import Drafter, HeadDrafter, LookupDrafter, ModelDrafter
from secryst_gui.engine.events import BlockEvent, DecodeEvent, DoneEvent, LineEvent, ProgressEvent
from secryst_gui.engine.model import Encoded, IMFModel
from secryst_gui.engine.normalise import normalise
from secryst_gui.engine.options import DecodeOptions
from secryst_gui.engine.pace import Pace
from secryst_gui.engine.session import Cancelled
from secryst_gui.engine.statistics import Statistics
from secryst_gui.engine.stopper import Stop, Stopper, worst
from secryst_gui.engine.text import IncrementalText
from secryst_gui.engine.windows import Window, lines, windows
from secryst_gui.errors import PairError

BLOCK_SIZES = range(1, 33)


def never() -> bool:
    """The ``is_cancelled`` of a caller who does not cancel."""
    return False


class SpeculativeModel:
    """A verifier with a drafter. The output is the verifier's own greedy output, whatever the drafter says.

    ``drafter``: a smaller model, any :class:`Drafter`, several of them (the one that pays most is asked, block by
    block), or None for the verifier alone, token by token. ``block_size``: K, the tokens drafted for a verifier pass,
    1..32, or None to choose it for each block from what this request has shown. Raises ValueError for another K,
    PairError when a drafting model does not share the verifier's vocabulary.
    """

    def __init__(
        self,
        drafter: IMFModel | Drafter | Sequence[IMFModel | Drafter] | None,
        verifier: IMFModel,
        block_size: int | None = 8,
    ) -> None:
        if block_size is not None and block_size not in BLOCK_SIZES:
            raise ValueError(f"expected a block size from 1 to 32, found {block_size}")
        self.verifier = verifier
        given = [] if drafter is None else list(drafter) if isinstance(drafter, Sequence) else [drafter]
        self.drafters: list[Drafter] = [self._drafter(each) for each in given]
        self.block_size = block_size
        self.stats = Statistics()

    def _drafter(self, given: IMFModel | Drafter) -> Drafter:
        if isinstance(given, IMFModel):
            # A model that drafts for itself proposes its own greedy output, not its head's guess: all is accepted.
            given = ModelDrafter(given, head=given.manifest.sha256 != self.verifier.manifest.sha256)
        if isinstance(given, ModelDrafter | HeadDrafter) and given.model.vocabulary != self.verifier.vocabulary:
            raise PairError(
                f"expected a drafter with {self.verifier.vocabulary} tokens, as {self.verifier.id} has, found "
                f"{given.model.id} with {given.model.vocabulary}; choose a drafter of the same ladder"
            )
        return given

    def translate(self, text: str, max_len: int = 256, raw: bool = False, guard: bool | None = None) -> str:
        """The text's reading; line breaks survive. ``max_len``: tokens at most for a window."""
        output = ""
        for event in self.decode(text, DecodeOptions(max_len=max_len, raw=raw, guard=guard)):
            if isinstance(event, DoneEvent):
                output = event.output
        return output

    def generate(self, text: str, max_len: int = 256, raw: bool = False, guard: bool | None = None) -> list[int]:
        """The ids of ``text`` as one window; equal to ``verifier.generate``, token for token."""
        options = DecodeOptions(max_len=max_len, raw=raw, guard=guard)
        run = self._run(options, never)
        self._begin()
        source = text if raw else normalise(text)
        stopper = Stopper(max_len, options.guards(self.verifier.task))
        try:
            for _ in self._window(run, Window(source, ""), stopper):
                pass
        finally:
            self._disarm()
        self.stats = run.stats
        return stopper.output

    def cancel(self) -> None:
        """End the decoding in progress within one decoder call. Safe to call from any thread."""
        for model in self._models():
            model.interrupt.request()

    def decode(
        self, text: str, options: DecodeOptions | None = None, is_cancelled: Callable[[], bool] = never
    ) -> Iterator[DecodeEvent]:
        """Decode ``text``, yielding an event for each block as soon as it is decided; a DoneEvent is the last.

        ``is_cancelled`` is asked before every block. Raises DecodeError when the runtime fails.
        """
        self._begin()
        run = self._run(options or DecodeOptions(), is_cancelled)
        events = self._text(run, text)
        try:
            while True:
                run.resume()
                event = next(events, None)
                run.pause()  # the time that the caller takes over an event is not ours
                self.stats = run.stats
                if event is None:
                    return
                yield event
        finally:
            self._disarm()

    def _text(self, run: _Run, text: str) -> Iterator[DecodeEvent]:
        guard = run.options.guards(self.verifier.task)
        split = lines(text)
        output: list[str] = []
        emitted: list[int] = []
        stops: set[Stop] = set()
        for number, (line, ending) in enumerate(split):
            run.line = number
            if not line.strip():
                shown = line
            else:
                shown = ""
                source = line if run.options.raw else normalise(line)
                for place, window in enumerate(windows(source, run.options.window_bytes)):
                    run.window = place
                    stopper = Stopper(run.options.limit(len(window.text.encode("utf-8", "replace"))), guard)
                    for event in self._window(run, window, stopper):
                        shown += event.text
                        yield event
                    emitted += stopper.output
                    stops.add(stopper.reason or "eos")
                    if stopper.reason == "cancelled":
                        break
            yield LineEvent(number, shown)
            output += [shown, ending]
            if "cancelled" in stops:
                break
            yield ProgressEvent(number + 1, len(split))
        yield DoneEvent("".join(output), tuple(emitted), worst(stops), run.stats)

    def _window(self, run: _Run, window: Window, stopper: Stopper) -> Iterator[BlockEvent]:
        """Decode one window into ``stopper``. This is speculative decoding; the rest is bookkeeping."""
        if not window.text:
            return
        text = IncrementalText()
        before = window.before
        try:
            run.check()
            with run.timing("encode_s"):
                encoded = self.verifier.encode(window.text, raw=True)
                if encoded is None:
                    return
            begun: list[Drafter] = []
            while stopper.reason is None:
                run.check()
                prefix = stopper.output
                position = len(prefix)
                drafter, k = run.pace.choose()
                if drafter is not None and drafter not in begun:
                    with run.timing("encode_s"):
                        self._begin_drafter(drafter, encoded)
                    begun.append(drafter)
                if isinstance(drafter, ModelDrafter):
                    drafter.confidence = run.confidence(drafter)
                with run.timing("draft_s"):
                    draft = self._draft(drafter, prefix, min(k, stopper.remaining))
                draft_s = run.last
                with run.timing("verify_s"):
                    review = self.verifier.review(encoded, prefix, draft)
                verify_s = run.last

                accepted, correction = accept_block(review.verdicts, draft)
                bonus = review.after if correction is None and tokens.EOS not in draft else None
                extra = correction if correction is not None else bonus
                decided = [*draft[:accepted], *([extra] if extra is not None else [])]

                taken = 0
                while taken < len(decided) and stopper.reason is None:
                    stopper.push(decided[taken])
                    taken += 1
                for each in begun:
                    each.observe(decided[:taken])
                run.pace.saw(drafter, len(draft), accepted, draft_s, verify_s)

                emitted = tuple(stopper.output[position:])
                shown = before + text.push(emitted) + (text.finish() if stopper.reason else "")
                before = ""
                # A limit or the guard may end the window inside the block: what came after was neither used nor judged.
                used, whole = min(accepted, taken), taken == len(decided)
                judged = len(draft) if whole else used
                run.count(
                    blocks=1,
                    passes=review.passes,
                    drafted=judged,
                    accepted=used,
                    corrections=int(correction is not None and whole),
                    bonus=int(bonus is not None and bool(draft) and whole),
                    emitted=len(emitted),
                    rechecked=review.rechecked,
                )
                yield BlockEvent(
                    index=run.blocks - 1,
                    line=run.line,
                    window=run.window,
                    position=position,
                    draft=tuple(draft[:judged]),
                    verdicts=review.verdicts[:judged],
                    accepted=used,
                    correction=correction if whole else None,
                    bonus=bonus if whole else None,
                    gaps=review.gaps[: judged + 1],
                    emitted=emitted,
                    text=shown,
                    draft_s=draft_s,
                    verify_s=verify_s,
                    stats=run.stats,
                    stop=stopper.reason,
                    drafter=drafter.name if drafter is not None else None,
                )
        except Cancelled:
            stopper.reason = "cancelled"
            # The letter that was held back is part of what was decided: a last event hands it over.
            held = text.cut()
            yield run.ending(len(stopper.output), before + held if held else "")

    def _begin_drafter(self, drafter: Drafter, encoded: Encoded) -> None:
        """Hand a drafter the source; the verifier's own draft head takes what the verifier has read."""
        if isinstance(drafter, HeadDrafter) and drafter.model is self.verifier:
            drafter.read(encoded)
        else:
            drafter.begin(encoded.source, encoded.ids)

    def _draft(self, drafter: Drafter | None, prefix: Sequence[int], k: int) -> list[int]:
        """The drafter's proposal, cut to what a block may hold: ``k`` known tokens, none after an end token."""
        proposed = drafter.propose(prefix, k) if drafter is not None else []
        draft: list[int] = []
        for token in proposed[:k]:
            if not 0 <= token < self.verifier.vocabulary:
                break
            draft.append(int(token))  # a drafter may compute in numpy's numbers, which JSON does not know
            if token == tokens.EOS:
                break
        return draft

    def _models(self) -> list[IMFModel]:
        return [self.verifier, *(each.model for each in self.drafters if isinstance(each, ModelDrafter | HeadDrafter))]

    def _run(self, options: DecodeOptions, is_cancelled: Callable[[], bool]) -> _Run:
        return _Run(options, is_cancelled, Pace(self.drafters, self.block_size))

    def _begin(self) -> None:
        self.stats = Statistics()
        for drafter in self.drafters:
            if isinstance(drafter, LookupDrafter):
                drafter.forget()
        for model in self._models():
            model.interrupt.arm()

    def _disarm(self) -> None:
        for model in self._models():
            model.interrupt.disarm()


class _Run:
    """The bookkeeping of one request: where it is, what was counted, the time it took."""

    def __init__(self, options: DecodeOptions, is_cancelled: Callable[[], bool], pace: Pace) -> None:
        self.options = options
        self.pace = pace
        self.line = 0
        self.window = 0
        self.last = 0.0
        self._is_cancelled = is_cancelled
        self._counts: dict[str, int] = {}
        self._seconds: dict[str, float] = {}
        self._spent = 0.0
        self._since = time.perf_counter()

    @property
    def blocks(self) -> int:
        return self._counts.get("blocks", 0)

    @property
    def stats(self) -> Statistics:
        if not self._seconds:
            return Statistics()  # nothing to decode, so no time was spent decoding
        running = time.perf_counter() - self._since if self._since else 0.0
        encode_s, draft_s, verify_s = (self._seconds.get(name, 0.0) for name in ("encode_s", "draft_s", "verify_s"))
        return Statistics(
            **self._counts, encode_s=encode_s, draft_s=draft_s, verify_s=verify_s, total_s=self._spent + running
        )

    def confidence(self, drafter: Drafter) -> float:
        """How sure of its draft a model must be to go on with it."""
        given = self.options.confidence
        return given if given is not None else self.pace.least_confidence(drafter)

    def check(self) -> None:
        if self._is_cancelled():
            raise Cancelled

    def resume(self) -> None:
        self._since = time.perf_counter()

    def pause(self) -> None:
        self._spent += time.perf_counter() - self._since
        self._since = 0.0

    @contextmanager
    def timing(self, name: str) -> Iterator[None]:
        """Add the time of the body to the statistic ``name``, and keep it as ``last``."""
        started = time.perf_counter()
        try:
            yield
        finally:
            self.last = time.perf_counter() - started
            self._seconds[name] = self._seconds.get(name, 0.0) + self.last

    def count(self, **counts: int) -> None:
        for name, value in counts.items():
            self._counts[name] = self._counts.get(name, 0) + value

    def ending(self, position: int, text: str) -> BlockEvent:
        """An event without a block, for text that is still to be shown when a window is cancelled."""
        stats = self.stats
        return BlockEvent(
            index=stats.blocks,
            line=self.line,
            window=self.window,
            position=position,
            draft=(),
            verdicts=(),
            accepted=0,
            correction=None,
            bonus=None,
            gaps=(),
            emitted=(),
            text=text,
            draft_s=0.0,
            verify_s=0.0,
            stats=stats,
            stop="cancelled",
        )
