"""``secryst-gui trace``: a saved run as a table, and as the same JSON lines again."""

from __future__ import annotations

import unicodedata
from pathlib import Path

from secryst_gui.records import Trace, trace_lines
from tests.commands.conftest import Run
from tests.records import examples


def saved(path: Path, trace: Trace) -> Path:
    path.write_text("".join(f"{line}\n" for line in trace_lines(trace.header, trace.events)), "utf-8")
    return path


def test_the_table_tells_every_block(run: Run, tmp_path: Path) -> None:
    """Pair and K; a row for each block: draft, verdicts, correction or bonus, smallest gap, time; then the sum."""
    result = run("trace", saved(tmp_path / "run.jsonl", examples.trace()))
    lines = result.out.splitlines()
    assert (result.code, result.err) == (0, "")
    assert lines[0].split() == ["verifier", "large-1.0", "(int8)"]
    assert lines[1].split() == ["drafter", "lookup"]
    assert lines[2].split() == ["K", "4"]
    assert lines[5].split("  ")[-3:] == ["correction or bonus", " gap", " ms"]
    assert lines[6].split() == ["1", "1", "4", "3", "abcd", "|", "abca", "correction", "a", "0.12", "3.0"]
    assert lines[7].split() == ["1", "2", "4", "4", "abcd", "|", "abcd", "bonus", "‹04›", "0.12", "3.0"]
    assert lines[-1] == "5 tokens in 2 passes, 3 of 5 drafted tokens accepted (60%), 1.00 s"


def test_columns_stay_in_place_with_arabic(run: Run, tmp_path: Path) -> None:
    """A cell of Arabic is isolated, so that its neighbours keep their order; its marks take no column."""
    arabic = tuple(byte + 3 for byte in "قَالَ".encode())
    trace = examples.trace()
    first, second = trace.blocks
    changed = (first, type(second)(**vars(second) | {"draft": arabic, "verdicts": arabic}))
    out = run("trace", saved(tmp_path / "run.jsonl", Trace(trace.header, changed))).out
    header, plain, reading = (
        "".join(one for one in line if unicodedata.category(one) not in ("Mn", "Cf")) for line in out.splitlines()[5:8]
    )
    assert "\u2068قَالَ\u2069 | \u2068قَالَ\u2069" in out
    assert header.index("correction or") == plain.index("correction a") == reading.index("bonus ‹")


def test_json_gives_the_same_lines(run: Run, verifier: Path, drafter: Path, tmp_path: Path) -> None:
    """What 'translate --trace' wrote comes out as it went in."""
    path = tmp_path / "run.jsonl"
    run("translate", "one\nقال", "--verifier", verifier, "--drafter", drafter, "--max-len", 12, "--trace", path)
    result = run("trace", path, "--json")
    assert (result.code, result.err) == (0, "")
    assert result.out == path.read_text("utf-8")
    assert "fixture-verifier-1.0" in run("trace", path).out


def test_what_is_missing_is_said(run: Run, tmp_path: Path) -> None:
    """A trace that is cut off is shown as far as it goes, with one line on standard error."""
    path = saved(tmp_path / "run.jsonl", examples.trace())
    path.write_bytes(path.read_bytes()[:-10])
    for arguments in ((path,), (path, "--json")):
        result = run("trace", *arguments)
        assert result.code == 0
        assert result.out
        assert result.err == f"secryst-gui: {path} is cut off in line 5; what stands before it is shown\n"


def test_a_run_of_nothing_is_told(run: Run, tmp_path: Path) -> None:
    """No block: no division by zero, but a line that says so."""
    trace = Trace(examples.header(""), ())
    assert "0 tokens, nothing was drafted" in run("trace", saved(tmp_path / "run.jsonl", trace)).out


def test_another_file_gets_one_line(run: Run, tmp_path: Path) -> None:
    """Exit 1, one line, nothing on standard output."""
    path = tmp_path / "text.txt"
    path.write_text("hello")
    result = run("trace", path)
    assert (result.code, result.out, result.err.count("\n")) == (1, "", 1)
    assert result.err.startswith("secryst-gui: expected a trace")
