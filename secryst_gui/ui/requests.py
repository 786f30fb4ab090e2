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
    from secryst_gui.engine import DecodeEvent


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


Request = Survey | Prepare | Translate


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
    """A pair is open. ``remark`` says in one sentence what the user should know about how it runs, if anything."""

    pair: Pair
    remark: str | None


@dataclass(frozen=True, slots=True)
class Stopped:
    """The request was cancelled before decoding began, so no ``DoneEvent`` follows."""


@dataclass(frozen=True, slots=True)
class Failed:
    """The request ended with an error; ``message`` is one readable line, never a traceback."""

    message: str


Notice = Surveyed | Loading | Loaded | Stopped | Failed


@dataclass(frozen=True, slots=True)
class Delivery:
    """One event of the request with that number."""

    number: int
    event: DecodeEvent | Notice
