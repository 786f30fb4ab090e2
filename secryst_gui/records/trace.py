"""A run as JSON lines: first the header, then one line an event; readable years later, without the models.

Written as it happens and flushed line by line, so that a run that is killed leaves all it has decided. Read the same
way, and forgiving where that loses nothing: a file that is cut off or damaged in the middle gives what stands before
the damage, and a remark. A file that is something else, or of a later version, raises InputError.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, TextIO

from secryst_gui.errors import InputError
from secryst_gui.records import fields
from secryst_gui.records.events import SourceLine, as_fields, read_event
from secryst_gui.records.fields import MalformedError
from secryst_gui.records.header import FORMAT, VERSION, TraceHeader, read_header

if TYPE_CHECKING:
    from secryst_gui.engine import BlockEvent, DoneEvent, LineEvent, ProgressEvent

#: No line of a trace is longer: whatever is, is another file. Bytes.
LONGEST_LINE = 1 << 28
UNFINISHED = "the run had not ended when this trace was written; what it had decided is shown"


@dataclass(frozen=True)
class Trace:
    """A whole run. ``events``: blocks, lines and the end, in order. ``remark``: one line on what is missing, if any."""

    header: TraceHeader
    events: tuple[BlockEvent | LineEvent | DoneEvent, ...]
    remark: str | None = None

    @property
    def blocks(self) -> tuple[BlockEvent, ...]:
        """The blocks, in order."""
        from secryst_gui.engine import BlockEvent

        return tuple(event for event in self.events if isinstance(event, BlockEvent))

    @property
    def done(self) -> DoneEvent | None:
        """The end; None when the run did not come so far."""
        from secryst_gui.engine import DoneEvent

        last = self.events[-1] if self.events else None
        return last if isinstance(last, DoneEvent) else None

    @property
    def output(self) -> str:
        """The whole output, as far as the run came."""
        from secryst_gui.engine import BlockEvent

        if self.done is not None:
            return self.done.output
        texts: dict[int, str] = {}
        for event in self.events:
            if isinstance(event, BlockEvent):
                texts[event.line] = texts.get(event.line, "") + event.text
            else:
                texts[event.line] = event.text  # type: ignore[union-attr]  # no DoneEvent: it would be the last
        return "\n".join(texts.get(line, "") for line in range(max(texts, default=-1) + 1))


class TraceWriter:
    """Writes one trace to an open text file: the header at once, then every event it is given, each flushed."""

    def __init__(self, file: TextIO, header: TraceHeader) -> None:
        self._file = file
        self._put(fields.write(header.as_fields()))

    def write(self, event: SourceLine | BlockEvent | LineEvent | ProgressEvent | DoneEvent) -> None:
        """Append an event; progress is not kept, since the lines tell it."""
        line = _line(event)
        if line is not None:
            self._put(line)

    def _put(self, line: str) -> None:
        self._file.write(line + "\n")
        self._file.flush()


class TraceReader:
    """An opened trace: its ``header``, and its events one by one, once. ``remark`` is complete after the last one.

    Raises InputError, when made, for anything but a trace of this version.
    """

    def __init__(self, file: BinaryIO, name: str) -> None:
        self._file = file
        self._name = name
        self.header = self._header()
        self.remark: str | None = None

    def __iter__(self) -> Iterator[SourceLine | BlockEvent | LineEvent | DoneEvent]:
        from secryst_gui.engine import DoneEvent

        number, ended = 1, False
        while line := self._next():
            number += 1
            try:
                event = read_event(fields.parse(line))
            except MalformedError as error:
                if line.endswith(b"\n"):
                    self.remark = f"line {number} of {self._name} {error}; what stands before it is shown"
                else:
                    self.remark = f"{self._name} is cut off in line {number}; what stands before it is shown"
                return
            if event is not None:
                ended = isinstance(event, DoneEvent)
                yield event
            if ended:
                return  # what comes after the end is no part of the run
        self.remark = UNFINISHED

    def _header(self) -> TraceHeader:
        line = self._next()
        # Looked at before it is read as JSON: the file may be anything, of any size.
        if not line.startswith(b"{"):
            raise self._other("does not begin with a header" if line else "is empty")
        try:
            found = fields.parse(line)
            if not found.has("format") or found.text("format") != FORMAT:
                raise self._other("does not begin with a header")
            version = found.count("version")
            if version != VERSION:
                raise InputError(
                    f"expected a trace of version {VERSION}, found version {version} in {self._name}; "
                    "open it with a newer Secryst Desktop"
                )
            return read_header(found)
        except MalformedError as error:
            raise self._other(f"has a first line that {error}") from None

    def _next(self) -> bytes:
        try:
            line = self._file.readline(LONGEST_LINE)
        except OSError as error:
            raise _unreadable(self._name, error) from None
        return line.removeprefix(b"\xef\xbb\xbf")

    def _other(self, found: str) -> InputError:
        return InputError(
            f"expected a trace, as 'translate --trace' writes it, found {self._name}, which {found}; "
            "choose another file"
        )


@contextmanager
def open_trace(path: Path) -> Iterator[TraceReader]:
    """Open a trace to read it event by event. Raises InputError."""
    try:
        file = path.open("rb")
    except OSError as error:
        raise _unreadable(str(path), error) from None
    with file:
        yield TraceReader(file, str(path))


def read_trace(path: Path) -> Trace:
    """All of a trace. Raises InputError."""
    with open_trace(path) as reader:
        return gather(reader)


def save_trace(path: Path, trace: Trace) -> None:
    """Write a whole trace; a file of that name is replaced once all is written, so that no half trace takes its place.

    Raises InputError.
    """
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        try:
            with part.open("w", encoding="utf-8", newline="\n") as file:
                file.writelines(f"{line}\n" for line in trace_lines(trace.header, trace.events))
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        raise InputError(f"expected a file to write, found {path} ({error.strerror}); choose another place") from None


def gather(reader: TraceReader) -> Trace:
    """All that ``reader`` has to tell; an input that was told line by line becomes the header's."""
    sources: list[str] = []
    events: list[BlockEvent | LineEvent | DoneEvent] = []
    for event in reader:
        if isinstance(event, SourceLine):
            sources.append(event.text)
        else:
            events.append(event)
    header = reader.header
    if header.input is None:
        header = replace(header, input="\n".join(sources))
    return Trace(header, tuple(events), reader.remark)


def trace_lines(
    header: TraceHeader, events: Iterable[SourceLine | BlockEvent | LineEvent | DoneEvent]
) -> Iterator[str]:
    """The lines of a trace, without their line breaks."""
    yield fields.write(header.as_fields())
    for event in events:
        line = _line(event)
        if line is not None:
            yield line


def packed(trace: Trace) -> bytes:
    """A trace as compressed bytes, a tenth of its file or less."""
    packer = zlib.compressobj()
    parts = [packer.compress(f"{line}\n".encode()) for line in trace_lines(trace.header, trace.events)]
    return b"".join([*parts, packer.flush()])


def unpacked(data: bytes) -> Trace:
    """The trace that `packed` took. Raises InputError where ``data`` is something else."""
    try:
        text = zlib.decompress(data)
    except zlib.error:
        raise InputError(
            "expected a stored trace, found damaged data; translate the text again for a new one"
        ) from None
    return gather(TraceReader(BytesIO(text), "the stored trace"))


def _line(event: SourceLine | BlockEvent | LineEvent | ProgressEvent | DoneEvent) -> str | None:
    from secryst_gui.engine import ProgressEvent

    return None if isinstance(event, ProgressEvent) else fields.write(as_fields(event))


def _unreadable(name: str, error: OSError) -> InputError:
    return InputError(f"expected a trace, found {name} which cannot be read ({error.strerror}); check the name")
