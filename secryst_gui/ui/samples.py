"""The sample texts that ship with the program."""

from __future__ import annotations

from secryst_gui.paths import resources_dir


def load_samples() -> dict[str, str]:
    """Name → text, in the order of the numbers that the file names begin with; empty when the folder is missing."""
    samples = {}
    for path in sorted((resources_dir() / "samples").glob("*.txt")):
        samples[path.stem.partition("-")[2]] = path.read_text(encoding="utf-8").rstrip("\n")
    return samples
