"""What is kept of a run after it: its trace as JSON lines, and the history of translations. No Qt, no models.

from secryst_gui.records import read_trace

for block in read_trace(Path("run.jsonl")).blocks:
    print(block.index, block.accepted, "of", len(block.draft))

Importing this package imports no runtime: the engine's events are looked up when the first one is read or written.
"""

from secryst_gui.records.entries import Entry, Keep, Record, Summary
from secryst_gui.records.events import SourceLine
from secryst_gui.records.header import ModelRecord, TraceHeader
from secryst_gui.records.history import History
from secryst_gui.records.joined import JoinedRun
from secryst_gui.records.trace import (
    Trace,
    TraceReader,
    TraceWriter,
    gather,
    open_trace,
    packed,
    read_trace,
    save_trace,
    trace_lines,
    unpacked,
)

__all__ = [
    "Entry",
    "History",
    "JoinedRun",
    "Keep",
    "ModelRecord",
    "Record",
    "SourceLine",
    "Summary",
    "Trace",
    "TraceHeader",
    "TraceReader",
    "TraceWriter",
    "gather",
    "open_trace",
    "packed",
    "read_trace",
    "save_trace",
    "trace_lines",
    "unpacked",
]
