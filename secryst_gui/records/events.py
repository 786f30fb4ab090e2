"""The engine's events as JSON objects, and back to equal frozen dataclasses.

The engine is imported when the first event is read or written, not before: that takes a third of a second, and the
window wants to be seen sooner.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, cast, get_args

from secryst_gui.records.fields import Fields, MalformedError

if TYPE_CHECKING:
    from secryst_gui.engine import BlockEvent, DoneEvent, LineEvent, Statistics
    from secryst_gui.engine.stopper import Stop


@dataclass(frozen=True)
class SourceLine:
    """A line of the input, told just before it is decoded, where the header could not tell the whole text."""

    line: int
    text: str


def as_fields(event: SourceLine | BlockEvent | LineEvent | DoneEvent) -> dict[str, Any]:
    """One event for JSON; ``event`` names its kind."""
    from secryst_gui.engine import BlockEvent, DoneEvent

    if isinstance(event, BlockEvent | DoneEvent):
        kind = "block" if isinstance(event, BlockEvent) else "done"
        # Not `asdict`: it copies deeply, which for 20,000 blocks takes longer than all the rest.
        return {"event": kind} | vars(event) | {"stats": event.stats.as_dict()}
    return {"event": "source" if isinstance(event, SourceLine) else "line"} | vars(event)


def read_event(found: Fields) -> SourceLine | BlockEvent | LineEvent | DoneEvent | None:
    """The event that ``found`` tells; None for a kind that this version has nothing to do with."""
    from secryst_gui.engine import DoneEvent, LineEvent

    kind = found.text("event")
    if kind == "block":
        return _block(found)
    if kind == "line":
        return LineEvent(found.count("line"), found.text("text"))
    if kind == "source":
        return SourceLine(found.count("line"), found.text("text"))
    if kind == "done":
        stop = _stop(found)
        if stop is None:
            raise MalformedError("has no 'stop'")
        return DoneEvent(found.text("output"), found.counts("tokens"), stop, _statistics(found.inner("stats")))
    return None


def _block(found: Fields) -> BlockEvent:
    from secryst_gui.engine import BlockEvent

    return BlockEvent(
        index=found.count("index"),
        line=found.count("line"),
        window=found.count("window"),
        position=found.count("position"),
        draft=found.counts("draft"),
        verdicts=found.counts("verdicts"),
        accepted=found.count("accepted"),
        correction=found.count("correction") if found.has("correction") else None,
        bonus=found.count("bonus") if found.has("bonus") else None,
        gaps=found.numbers("gaps"),
        emitted=found.counts("emitted"),
        text=found.text("text"),
        draft_s=found.number("draft_s"),
        verify_s=found.number("verify_s"),
        stats=_statistics(found.inner("stats")),
        stop=_stop(found),
        drafter=found.text("drafter") if found.has("drafter") else None,
    )


def _statistics(found: Fields) -> Statistics:
    """Counts and seconds; rates follow from them, and a count that is not there was not counted."""
    from secryst_gui.engine import Statistics

    values: dict[str, Any] = {}
    for each in fields(Statistics):
        if found.has(each.name):
            values[each.name] = (found.count if isinstance(each.default, int) else found.number)(each.name)
    return Statistics(**values)


def _stop(found: Fields) -> Stop | None:
    from secryst_gui.engine.stopper import Stop

    if not found.has("stop"):
        return None
    stop = found.text("stop")
    if stop not in get_args(Stop):
        raise MalformedError(f"has a 'stop' that is {stop!r}")
    return cast("Stop", stop)
