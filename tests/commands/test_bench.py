"""``secryst-gui bench``: interleaved runners, figures, and exactness."""

from __future__ import annotations

import json
from pathlib import Path

from tests.commands.conftest import Run


def test_every_runner_is_timed_and_compared(run: Run, verifier: Path, drafter: Path, tmp_path: Path) -> None:
    """Plain, the pair, and the public runtime where it is installed decode the same tokens; figures are there."""
    inputs = tmp_path / "inputs.txt"
    inputs.write_text("hello\n\nworld\n", "utf-8")
    options = ("--verifier", verifier, "--drafter", drafter, "--rounds", 2, "--inputs", inputs)
    report = json.loads(run("bench", *options, "--json").out)
    assert report["inputs"] == 2
    assert [row["name"] for row in report["runners"]][:2] == ["plain", f"drafter {drafter.stem}"]
    for row in report["runners"]:
        assert row["exact"] is True
        assert row["tokens"] > 0
        assert row["tokens_per_s_min"] <= row["tokens_per_s"] <= row["tokens_per_s_max"]
    assert report["runners"][0]["ratio_to_plain"] == 1.0
    table = run("bench", *options).out
    assert table.count("yes") == len(report["runners"])
