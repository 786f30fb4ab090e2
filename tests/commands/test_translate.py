"""``secryst-gui translate``: streams, files, JSON, traces, and bad input in one line."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

from secryst_gui.engine import (
    BlockEvent,
    DecodeEvent,
    DecodeOptions,
    DoneEvent,
    IMFModel,
    ProgressEvent,
    SpeculativeModel,
)
from secryst_gui.records import read_trace
from tests.commands.conftest import Run


def test_the_output_is_the_verifiers_own(run: Run, verifier: Path, drafter: Path) -> None:
    """What is printed is what plain decoding of the verifier gives."""
    with IMFModel.load(verifier) as model:
        expected = model.translate("hello", max_len=24)
    result = run("translate", "hello", "--verifier", verifier, "--drafter", drafter, "--max-len", 24)
    assert (result.code, result.out) == (0, expected + "\n")


def test_json_has_every_name_of_the_contract(run: Run, verifier: Path, drafter: Path) -> None:
    """One object a line, with the ids, the stop reason and the statistics; the drafter and K that were asked for."""
    options = ("--verifier", verifier, "--drafter", drafter, "-k", 3, "--max-len", 24, "--json")
    result = run("translate", "one\ntwo", *options)
    objects = [json.loads(line) for line in result.out.splitlines()]
    assert [each["input"] for each in objects] == ["one", "two"]
    for each in objects:
        assert set(each) == {"input", "output", "tokens", "verifier", "drafter", "block_size", "stop", "stats"}
        assert each["verifier"] == verifier.stem
        assert each["drafter"] == drafter.stem
        assert each["block_size"] == 3
        assert each["stats"]["emitted"] == len(each["tokens"]) <= 24
        assert each["stats"]["drafted"] <= 3 * each["stats"]["blocks"]


def test_every_kind_of_drafter_gives_the_same_output(run: Run, verifier: Path, drafter: Path) -> None:
    """A model, lookup, none, another K: only the statistics may differ."""
    outputs = set()
    for chosen in (drafter, "lookup", "none"):
        for k in (1, 8, 32):
            arguments = ("--verifier", verifier, "--drafter", chosen, "-k", k, "--max-len", 30)
            outputs.add(run("translate", "قال", *arguments).out)
    assert len(outputs) == 1


def test_a_file_of_many_lines_goes_through(run: Run, verifier: Path, tmp_path: Path) -> None:
    """200 lines in, 200 lines out, empty ones in their place, and the output file is UTF-8 with plain line ends."""
    source, target = tmp_path / "in.txt", tmp_path / "out.txt"
    lines = [f"line {number}" if number % 10 else "" for number in range(200)]
    source.write_bytes("\ufeff".encode() + "\r\n".join(lines).encode() + b"\r\n")
    result = run("translate", "-i", source, "-o", target, "--verifier", verifier, "--max-len", 6)
    assert (result.code, result.out) == (0, "")
    written = target.read_bytes().decode().split("\n")
    assert len(written) == 201
    assert [number for number, line in enumerate(written[:-1]) if not line] == list(range(0, 200, 10))


def test_standard_input_is_answered_line_by_line(verifier: Path) -> None:
    """A pipe that stays open gets its first answer before the second line is sent."""
    command = [sys.executable, "-m", "secryst_gui", "translate", "--verifier", str(verifier), "--max-len", "4"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"one\n")
        process.stdin.flush()
        assert process.stdout.readline().endswith(b"\n")
        process.stdin.write(b"two")
        process.stdin.close()
        assert process.stdout.readline().endswith(b"\n")
        assert process.wait() == 0


def test_the_trace_tells_every_block(run: Run, verifier: Path, drafter: Path, tmp_path: Path) -> None:
    """The emitted ids of all blocks are the output's; draft, verdicts and gaps are there; the header names the pair."""
    trace = tmp_path / "trace.jsonl"
    options = ("--verifier", verifier, "--drafter", drafter, "--max-len", 24, "--json", "--trace", trace)
    tokens = json.loads(run("translate", "hello", *options).out)["tokens"]
    header, *events = [json.loads(line) for line in trace.read_text("utf-8").splitlines()]
    assert (header["format"], header["version"], header["input"]) == ("secryst-trace", 1, "hello")
    assert [header["verifier"]["id"], header["drafters"][0]["id"]] == ["fixture-verifier-1.0", "fixture-drafter-1.0"]
    blocks = [event for event in events if event["event"] == "block"]
    assert [token for block in blocks for token in block["emitted"]] == tokens == events[-1]["tokens"]
    assert all({"draft", "verdicts", "gaps", "accepted", "correction", "bonus"} <= set(block) for block in blocks)


def test_the_trace_of_many_lines_is_one_run(run: Run, verifier: Path, drafter: Path, tmp_path: Path) -> None:
    """Lines decoded one after the other leave the trace that decoding the whole text leaves, all but the times."""
    lines, trace = ["one two", "", "قال رسول"], tmp_path / "trace.jsonl"
    options = ("--verifier", verifier, "--drafter", drafter, "--max-len", 12, "--trace", trace)
    run("translate", "\n".join(lines), *options)
    found = read_trace(trace)
    with IMFModel.load(verifier) as large, IMFModel.load(drafter) as small:
        events = list(SpeculativeModel(small, large).decode("\n".join(lines), DecodeOptions(max_len=12)))
    expected = [untimed(event) for event in events if not isinstance(event, ProgressEvent)]
    assert [untimed(event) for event in found.events] == expected
    assert (found.header.input, found.remark) == ("\n".join(lines), None)


def untimed(event: DecodeEvent) -> DecodeEvent:
    """The event without what the clock decides."""
    if isinstance(event, BlockEvent | DoneEvent):
        event = replace(event, stats=replace(event.stats, encode_s=0.0, draft_s=0.0, verify_s=0.0, total_s=0.0))
    return replace(event, draft_s=0.0, verify_s=0.0) if isinstance(event, BlockEvent) else event


def test_a_pipe_is_traced_line_by_line(verifier: Path, tmp_path: Path) -> None:
    """What is not known when the run begins is told as it comes: the trace knows the whole input afterwards."""
    trace = tmp_path / "trace.jsonl"
    command = [sys.executable, "-m", "secryst_gui", "translate", "--verifier", str(verifier), "--max-len", "4"]
    done = subprocess.run(
        [*command, "--trace", str(trace)], input="one\nدو\n".encode(), capture_output=True, check=True
    )
    found = read_trace(trace)
    assert found.header.input == "one\nدو"
    assert found.output + "\n" == done.stdout.decode()


def test_bad_input_gets_one_line(run: Run, verifier: Path, tmp_path: Path) -> None:
    """Exit 1 and one line that says what was expected, found and to do; nothing on standard output."""
    latin = tmp_path / "latin.txt"
    latin.write_bytes(b"fine\ncaf\xe9\n")
    broken = tmp_path / "broken.zip"
    broken.write_bytes(b"PK")
    attempts = [
        ("translate", "-i", latin, "--verifier", verifier),
        ("translate", "-i", tmp_path, "--verifier", verifier),
        ("translate", "-i", tmp_path / "none.txt", "--verifier", verifier),
        ("translate", "x", "--verifier", "nothing-1.0"),
        ("translate", "x", "--verifier", broken),
        ("translate", "x", "--verifier", tmp_path),
        ("translate", "x", "--verifier", verifier, "-o", tmp_path / "no" / "where"),
        ("translate", "x", "--verifier", verifier, "--trace", tmp_path),
        ("translate", "-i", latin, "-o", latin, "--verifier", verifier),
        ("bench", "--inputs", latin, "--verifier", verifier),
    ]
    for arguments in attempts:
        result = run(*arguments)
        assert (result.code, result.out) == (1, ""), arguments
        assert result.err.startswith("secryst-gui: expected "), result.err
        assert result.err.count("\n") == 1, result.err
        assert "found" in result.err
    assert latin.read_bytes() == b"fine\ncaf\xe9\n"


def test_a_pair_that_does_not_fit_is_refused(run: Run, conformance: Path, verifier: Path, drafter: Path) -> None:
    """Another task, or a drafter larger than the verifier: exit 1 with the reason."""
    other = run("translate", "x", "--verifier", verifier, "--drafter", conformance / "parity" / "tiny-1.0.zip")
    larger = run("translate", "x", "--verifier", drafter, "--drafter", verifier)
    assert (other.code, larger.code) == (1, 1)
    assert "parity" in other.err
    assert "larger" in larger.err


def test_usage_errors_exit_with_2(run: Run, verifier: Path) -> None:
    """Numbers out of range and contradictions are told by the parser."""
    for arguments in (["-k", "0"], ["-k", "33"], ["-k", "x"], ["--threads", "-1"], ["--max-len", "0"], ["-i", "f"]):
        assert run("translate", "x", "--verifier", verifier, *arguments).code == 2


def test_empty_text_gives_an_empty_line(run: Run, verifier: Path) -> None:
    """Nothing in, nothing out, and statistics of zero instead of a division by zero."""
    result = run("translate", "", "--verifier", verifier, "--json")
    found = json.loads(result.out)
    assert (found["output"], found["tokens"], found["stats"]["acceptance_rate"]) == ("", [], None)


def test_ctrl_c_keeps_what_was_written(verifier: Path, tmp_path: Path) -> None:
    """Interrupted in the middle of a long file: exit 130, and the lines so far are in the output."""
    source, target = tmp_path / "in.txt", tmp_path / "out.txt"
    source.write_text("some words to decode\n" * 20000, "utf-8")
    command = [sys.executable, "-m", "secryst_gui", "translate", "-i", str(source), "-o", "/dev/stdout"]
    command += ["--verifier", str(verifier), "--max-len", "20"]
    with target.open("wb") as out:
        reading, writing = os.pipe()
        process = subprocess.Popen(command, stdout=writing, stderr=subprocess.PIPE)
        os.close(writing)
        with os.fdopen(reading, "rb") as pipe:
            out.write(pipe.readline())
            process.send_signal(signal.SIGINT)
            out.write(pipe.read())
        assert process.stderr is not None
        complaint = process.stderr.read().decode()
        process.stderr.close()
    assert process.wait() == 130
    assert "interrupted" in complaint
    assert "Traceback" not in complaint
    assert 1 <= len(target.read_bytes().splitlines()) < 20000
