"""What crosses between the window's thread and the worker's: frozen requests one way, frozen deliveries the other.

Every request carries a number that grows; every delivery repeats it, so that a late delivery of a request that has
been replaced or stopped is told from one of the current request by comparing two integers.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from secryst_gui.artifacts import Listing
    from secryst_gui.engine import Comparison, DecodeEvent, SweepPoint
    from secryst_gui.records import ModelRecord


class BuiltinDrafter(enum.StrEnum):
    """Drafters that are no model on disk; the values are those of the command line's ``--drafter``."""

    AUTO = "auto"
    HEAD = "head"
    LOOKUP = "lookup"
    NONE = "none"


DrafterChoice = Path | BuiltinDrafter


@dataclass(frozen=True, slots=True)
class Pair:
    """The verifier's zip, and the drafter: another zip, the model-free one, or none."""

    verifier: Path
    drafter: DrafterChoice


@dataclass(frozen=True, slots=True)
class Survey:
    """Ask what models there are on this machine."""

    number: int


@dataclass(frozen=True, slots=True)
class Prepare:
    """Load a pair and keep it, so that the next translation starts at once. ``threads`` 0: as many as suit its size."""

    number: int
    pair: Pair
    threads: int


@dataclass(frozen=True, slots=True)
class Translate:
    """Decode ``text`` with a pair; ``raw`` skips the normalisation of the input.

    ``block_size``: K, 1..32, or None to let the engine choose it for each block.
    """

    number: int
    pair: Pair
    threads: int
    text: str
    block_size: int | None
    raw: bool


@dataclass(frozen=True, slots=True)
class Compare:
    """Decode ``text`` with the verifier alone and with the pair, and tell both times; see `Translate`."""

    number: int
    pair: Pair
    threads: int
    text: str
    block_size: int | None
    raw: bool


@dataclass(frozen=True, slots=True)
class Sweep:
    """Decode ``text`` at each K of ``sizes`` with each of the pair's drafters."""

    number: int
    pair: Pair
    threads: int
    text: str
    sizes: tuple[int, ...]
    raw: bool


Request = Survey | Prepare | Translate | Compare | Sweep
#: Those that decode, with a pair that is loaded first.
Decoding = Translate | Compare | Sweep


@dataclass(frozen=True, slots=True)
class Surveyed:
    """The answer to `Survey`: every artifact found, and the starter pair (verifier, drafter) where it is complete."""

    listings: tuple[Listing, ...]
    starter: tuple[Listing, Listing] | None


@dataclass(frozen=True, slots=True)
class Loading:
    """A model is being verified and opened; ``name`` is its file name."""

    name: str


@dataclass(frozen=True, slots=True)
class Loaded:
    """A pair is open. ``remark`` says in one sentence what the user should know about how it runs, if anything.

    ``verifier`` and ``drafters`` tell for a trace what was loaded.
    """

    pair: Pair
    remark: str | None
    verifier: ModelRecord
    drafters: tuple[ModelRecord, ...]


@dataclass(frozen=True, slots=True)
class Compared:
    """The answer to `Compare`."""

    comparison: Comparison


@dataclass(frozen=True, slots=True)
class Swept:
    """One point of a `Sweep`; ``done`` of ``total`` are measured."""

    point: SweepPoint
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class SweepEnded:
    """No more points come; ``cancelled`` before all were measured."""

    cancelled: bool


@dataclass(frozen=True, slots=True)
class Stopped:
    """The request was cancelled before decoding began, so no ``DoneEvent`` follows."""


@dataclass(frozen=True, slots=True)
class Failed:
    """The request ended with an error; ``message`` is one readable line, never a traceback."""

    message: str


Notice = Surveyed | Loading | Loaded | Stopped | Failed | Compared | Swept | SweepEnded


@dataclass(frozen=True, slots=True)
class Delivery:
    """One event of the request with that number."""

    number: int
    event: DecodeEvent | Notice
