"""A trace comes back as it was written; a damaged one gives what it can, another file one clear line."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from secryst_gui.engine import (
    BlockEvent,
    DecodeOptions,
    DoneEvent,
    IMFModel,
    LineEvent,
    ProgressEvent,
    SpeculativeModel,
    Statistics,
)
from secryst_gui.errors import InputError
from secryst_gui.records import (
    ModelRecord,
    SourceLine,
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
from secryst_gui.records.trace import UNFINISHED
from tests.records import examples

COUNT = st.integers(0, 1 << 40)
SECONDS = st.floats(0, 1e6)
IDS = st.lists(st.integers(0, 383), max_size=5).map(tuple)
TEXT = st.text(st.characters(), max_size=12)  # lone surrogates too: a model may put half a character anywhere
STATISTICS = st.builds(Statistics, *[COUNT] * 8, *[SECONDS] * 4)
STOP = st.sampled_from(["eos", "length", "repetition", "cancelled"])
BLOCK = st.builds(
    BlockEvent, COUNT, COUNT, COUNT, COUNT, IDS, IDS, COUNT, st.none() | COUNT, st.none() | COUNT,
    st.lists(SECONDS, max_size=5).map(tuple), IDS, TEXT, SECONDS, SECONDS, STATISTICS, st.none() | STOP,
    st.none() | TEXT,
)  # fmt: skip
EVENTS = st.lists(BLOCK | st.builds(LineEvent, COUNT, TEXT), max_size=4)
DONE = st.builds(DoneEvent, TEXT, IDS, STOP, STATISTICS)


def write(path: Path, trace: Trace) -> Path:
    """``trace`` in a file."""
    with path.open("w", encoding="utf-8", newline="\n") as file:
        writer = TraceWriter(file, trace.header)
        for event in trace.events:
            writer.write(event)
    return path


@given(EVENTS, DONE, TEXT, st.none() | st.integers(1, 32), st.builds(DecodeOptions, st.none() | COUNT, st.booleans()))
def test_what_is_written_is_read(
    events: list[BlockEvent | LineEvent], done: DoneEvent, text: str, k: int | None, options: DecodeOptions
) -> None:
    """Whatever the events hold, equal ones come back, and so does the header."""
    header = replace(examples.header(text), block_size=k, options=options)
    trace = Trace(header, (*events, done))
    assert unpacked(packed(trace)) == trace


def test_a_real_run_comes_back(conformance: Path, tmp_path: Path) -> None:
    """What the engine yields is what a reader gets, so that the views which showed it can show it again."""
    with (
        IMFModel.load(conformance / "imf" / "fixture-verifier-1.0-fp32.zip") as verifier,
        IMFModel.load(conformance / "imf" / "fixture-drafter-1.0-fp32.zip") as drafter,
    ):
        options = DecodeOptions(max_len=20)
        events = list(SpeculativeModel(drafter, verifier).decode("قال\n\nrun", options))
        models = [ModelRecord.of(each.manifest) for each in (verifier, drafter)]
    header = replace(examples.header("قال\n\nrun"), verifier=models[0], drafters=(models[1],), options=options)
    path = tmp_path / "run.jsonl"
    with path.open("w", encoding="utf-8") as file:
        writer = TraceWriter(file, header)
        for event in events:
            writer.write(event)
    found = read_trace(path)
    assert found.header == header
    assert set(found.header.verifier.sha256) >= {"encoder.onnx"}
    assert list(found.events) == [event for event in events if not isinstance(event, ProgressEvent)]
    assert (found.done, found.remark) == (events[-1], None)


def test_every_event_is_on_disk_at_once(tmp_path: Path) -> None:
    """A program that is killed leaves what it has written: each line is flushed."""
    trace = examples.trace()
    path = tmp_path / "run.jsonl"
    with path.open("w", encoding="utf-8") as file:
        writer = TraceWriter(file, trace.header)
        assert len(path.read_bytes().splitlines()) == 1
        writer.write(trace.events[0])
        assert len(path.read_bytes().splitlines()) == 2


def test_a_file_cut_off_anywhere_gives_what_is_whole(tmp_path: Path) -> None:
    """At whatever byte after the header the file ends, the events before come back, with one line of remark."""
    trace = examples.trace()
    data = write(tmp_path / "run.jsonl", trace).read_bytes()
    first = data.index(b"\n") + 1
    for end in range(first, len(data) - 1):
        found = gather(TraceReader(io.BytesIO(data[:end]), "run.jsonl"))
        whole = data[first:end].count(b"\n")
        # An event is whole as soon as its object is closed, also without its line break.
        assert found.events in (trace.events[:whole], trace.events[: whole + 1]), end
        assert found.remark
        assert "\n" not in found.remark
    cut = gather(TraceReader(io.BytesIO(data[: first + 40]), "run.jsonl"))
    assert cut.remark == "run.jsonl is cut off in line 2; what stands before it is shown"


@pytest.mark.parametrize(
    "damage", [b"\xff\xfe\n", b"[1]\n", b'{"event": "block", "index": -1}\n', b"[" * 100_000 + b"\n"]
)
def test_damage_in_the_middle_is_named(damage: bytes) -> None:
    """What stands before it comes back; the remark names the line."""
    trace = examples.trace()
    lines = [f"{line}\n".encode() for line in trace_lines(trace.header, trace.events)]
    found = gather(TraceReader(io.BytesIO(b"".join([*lines[:2], damage, *lines[2:]])), "run.jsonl"))
    assert found.events == trace.events[:1]
    assert found.remark is not None
    assert found.remark.startswith("line 3 of run.jsonl ")


def test_a_run_that_was_stopped_is_told(tmp_path: Path) -> None:
    """Without its end a trace still has its output, put together from its blocks, and says that there is no end."""
    trace = examples.trace()
    found = read_trace(write(tmp_path / "run.jsonl", replace(trace, events=trace.events[:2])))
    assert (found.done, found.remark) == (None, UNFINISHED)
    assert found.output == trace.output


def test_a_later_version_is_refused_by_its_number(tmp_path: Path) -> None:
    """The message says which version it is, and what to do."""
    path = tmp_path / "run.jsonl"
    path.write_text(json.dumps({"format": "secryst-trace", "version": 7, "new": "shape"}) + "\n")
    with pytest.raises(InputError, match=r"expected a trace of version 1, found version 7 .*; open it with a newer"):
        read_trace(path)


def test_new_kinds_and_fields_of_this_version_are_passed_over(tmp_path: Path) -> None:
    """A later program of the same version may add to it: what is known is still read."""
    trace = examples.trace()
    head, *rest = trace_lines(trace.header, trace.events)
    more = [json.dumps(json.loads(line) | {"more": 1}) for line in rest]
    path = tmp_path / "run.jsonl"
    path.write_text("\n".join([head, '{"event": "weather"}', *more]), "utf-8")
    assert read_trace(path) == trace


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\n",
        b"PK\x03\x04 a zip",
        b"{}\n",
        b'{"format": "other"}\n',
        b'{"format": "secryst-trace"}\n',
        b'{"format": "secryst-trace", "version": 1}\n',
        b'{"index": 0, "draft": []}\n',
        b"{" * 100_000,
        "نص\n".encode(),
    ],
)
def test_another_file_gets_one_clear_line(tmp_path: Path, content: bytes) -> None:
    """Not a trace: expected, found, what to do; whatever the file holds."""
    path = tmp_path / "run.jsonl"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"^expected a trace, .* found .*run\.jsonl, which .*; choose another file$"):
        read_trace(path)


def test_a_folder_or_nothing_gets_one_clear_line(tmp_path: Path) -> None:
    """What cannot be opened says so."""
    for path in (tmp_path, tmp_path / "none"):
        with pytest.raises(InputError, match=r"expected a trace, found .* cannot be read"):
            read_trace(path)


def test_saving_replaces_a_file_as_a_whole(tmp_path: Path) -> None:
    """Saved and read it is equal; where it cannot be written, one line says so, and no part of it is left."""
    path = tmp_path / "run.jsonl"
    path.write_text("before")
    save_trace(path, examples.trace())
    assert read_trace(path) == examples.trace()
    (tmp_path / "folder").mkdir()
    for place in (tmp_path / "folder", tmp_path / "no" / "where"):
        with pytest.raises(InputError, match="expected a file to write"):
            save_trace(place, examples.trace())
    assert sorted(one.name for one in tmp_path.iterdir()) == ["folder", "run.jsonl"]


def test_a_pipes_lines_become_the_input(tmp_path: Path) -> None:
    """Source lines are told between the events, kept when written again, and gathered into the header."""
    header = examples.header(None)
    events = (SourceLine(0, "ا"), LineEvent(0, "اَ"), SourceLine(1, ""), LineEvent(1, ""))
    path = tmp_path / "run.jsonl"
    path.write_text("\n".join(trace_lines(header, events)) + "\n", "utf-8")
    with open_trace(path) as reader:
        assert (reader.header, tuple(reader)) == (header, events)
    found = read_trace(path)
    assert found.header.input == "ا\n"
    assert found.output == "اَ\n"


def test_a_stored_trace_that_is_damaged_says_so() -> None:
    """Bytes that are no packed trace raise InputError, not zlib's own error."""
    with pytest.raises(InputError, match="expected a stored trace"):
        unpacked(b"nothing of the kind")
