"""``secryst-gui bench``: interleaved runners, figures, and exactness."""

from __future__ import annotations

import json
from pathlib import Path

from tests.commands.conftest import Run


def test_every_runner_is_timed_and_compared(run: Run, verifier: Path, drafter: Path, tmp_path: Path) -> None:
    """Plain, the pair, lookup, auto, and the public runtime where it is installed: same tokens, all figures there."""
    inputs = tmp_path / "inputs.txt"
    inputs.write_text("a\n\nb\n", "utf-8")
    options = ("--verifier", verifier, "--drafter", drafter, "--rounds", 2, "--inputs", inputs)
    report = json.loads(run("bench", *options, "--json").out)
    assert report["inputs"] == 2
    rows = {row["name"]: row for row in report["runners"]}
    assert {"plain", "plain, graph as it is", f"{drafter.stem}, K=8", "lookup, K=8", "auto, K=auto"} <= set(rows)
    for row in rows.values():
        assert row["exact"] is True
        assert row["tokens"] > 0
        assert row["tokens_per_s_min"] <= row["tokens_per_s"] <= row["tokens_per_s_max"]
    assert rows["plain"]["ratio_to_plain"] == 1.0
    assert run("bench", *options).out.count("yes") == len(rows)


def test_a_sweep_goes_over_k(run: Run, verifier: Path, drafter: Path, tmp_path: Path) -> None:
    """One row for each K with the speed-up that the formula expects of it, and plain to compare with."""
    inputs = tmp_path / "inputs.txt"
    inputs.write_text("a\n", "utf-8")
    options = ("--verifier", verifier, "--drafter", drafter, "--rounds", 1, "--inputs", inputs, "--sweep")
    rows = json.loads(run("bench", *options, "--json").out)["runners"]
    names = [row["name"] for row in rows]
    assert rows[0]["expected_decode_ratio"] is None
    assert all(row["expected_decode_ratio"] > 0 for row in rows[1:])
    assert names[0] == "plain"
    assert names[1].endswith("K=1")
    assert names[-1].endswith("K=32")


def test_the_bounds_are_those_of_drafters_that_know(run: Run, verifier: Path, drafter: Path, tmp_path: Path) -> None:
    """One that is nearly always right and one that never is, at a length that can be limited; both are exact too."""
    inputs = tmp_path / "inputs.txt"
    inputs.write_text("abcdefgh ijkl\n", "utf-8")
    options = ("--verifier", verifier, "--drafter", drafter, "--rounds", 1, "--inputs", inputs, "--max-len", 60)
    report = json.loads(run("bench", *options, "--bounds", "--json").out)
    rows = {row["name"]: row for row in report["runners"]}
    best, worst = rows["replay, 2% wrong, K=8"], rows["replay, 100% wrong, K=auto"]
    assert best["acceptance_rate"] > 0.5
    assert worst["acceptance_rate"] == 0.0
    for row in rows.values():
        assert row["exact"] is True
        assert row["tokens"] == rows["plain"]["tokens"] <= 60
        assert row["decode_ratio_to_plain"] > 0
