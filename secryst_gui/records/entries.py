"""What goes into the history and comes out of it. Frozen, because it crosses threads."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from secryst_gui.records.trace import Trace

LEAST_KEPT, MOST_KEPT, USUALLY_KEPT = 1, 10_000, 1000


@dataclass(frozen=True, slots=True)
class Keep:
    """What is kept: nothing unless ``on``; at most ``count`` translations, 1..10000, none older than ``days`` (None:
    however old).
    """

    on: bool = True
    count: int = USUALLY_KEPT
    days: int | None = None


@dataclass(frozen=True, slots=True)
class Record:
    """A translation to keep. ``verifier``, ``drafter``: how the two are called. ``time``: None for now.

    ``growing``: made while the user was typing, so that the next one may only be this text, further on.
    """

    source: str
    output: str
    verifier: str
    drafter: str
    trace: Trace | None = None
    time: datetime | None = None
    growing: bool = False


@dataclass(frozen=True, slots=True)
class Summary:
    """A line of the history: ``source`` and ``output`` may be just their beginnings; ``time`` in UTC."""

    id: int
    time: datetime
    source: str
    output: str
    verifier: str
    drafter: str
    traced: bool


@dataclass(frozen=True, slots=True)
class Entry:
    """A kept translation in full. ``trace`` is None where there is none or it was not asked for; ``remark`` says why
    a trace that is there cannot be read.
    """

    id: int
    time: datetime
    source: str
    output: str
    verifier: str
    drafter: str
    trace: Trace | None = None
    remark: str | None = None
