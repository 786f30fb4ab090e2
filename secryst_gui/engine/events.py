"""What decoding reports while it goes on. Frozen, so that they may cross threads; facts only, no looks."""

from __future__ import annotations

from dataclasses import dataclass

from secryst_gui.engine.statistics import Statistics
from secryst_gui.engine.stopper import Stop


@dataclass(frozen=True)
class BlockEvent:
    """One decided block.

    ``index`` counts blocks of the run, ``line`` and ``window`` tell where it belongs, ``position`` is the number of
    tokens before it in its window. ``draft``: the K or fewer drafted ids. ``verdicts``: the verifier's argmax at each
    (they may end at the first divergence). ``accepted``, ``correction``, ``bonus``: see the acceptance rule; without
    a draft the verifier's one token is the bonus. ``gaps``: top-1 minus top-2 logit at each verdict, and of the bonus.
    ``emitted``: the ids that became output. ``text``: what may be shown now; the texts of a line's blocks together
    are the line's output. ``stop``: why the window ends with this block, or None. ``stats``: of the run so far.
    ``drafter``: who proposed the draft; None for a single step.
    """

    index: int
    line: int
    window: int
    position: int
    draft: tuple[int, ...]
    verdicts: tuple[int, ...]
    accepted: int
    correction: int | None
    bonus: int | None
    gaps: tuple[float, ...]
    emitted: tuple[int, ...]
    text: str
    draft_s: float
    verify_s: float
    stats: Statistics
    stop: Stop | None
    drafter: str | None = None


@dataclass(frozen=True)
class LineEvent:
    """A line is complete; ``text`` without its line break."""

    line: int
    text: str


@dataclass(frozen=True)
class ProgressEvent:
    """``line`` of ``lines`` lines are done."""

    line: int
    lines: int


@dataclass(frozen=True)
class DoneEvent:
    """The end. ``output`` has the line breaks of the input; ``tokens`` are all emitted ids. Cancelled inside a
    character, ``output`` ends before it.

    ``stop``: ``cancelled``; or ``repetition`` or ``length`` if any window ended so; else ``eos``.
    """

    output: str
    tokens: tuple[int, ...]
    stop: Stop
    stats: Statistics


DecodeEvent = BlockEvent | LineEvent | ProgressEvent | DoneEvent
