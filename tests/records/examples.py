"""Traces with everything that a trace can hold, made without a model."""

from __future__ import annotations

from datetime import UTC, datetime

from secryst_gui.engine import BlockEvent, DecodeOptions, DoneEvent, LineEvent, Statistics
from secryst_gui.records import ModelRecord, Trace, TraceHeader

STATS = Statistics(2, 2, 5, 3, 1, 1, 5, 0, 0.25, 0.125, 0.5, 1.0)
MADE = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)


def header(text: str | None = "قال ab") -> TraceHeader:
    """A pair with digests, and a drafter without a file."""
    verifier = ModelRecord("large-1.0", "int8", {"encoder.onnx": "0" * 64})
    return TraceHeader("0.1.0", verifier, (ModelRecord("lookup"),), 4, DecodeOptions(max_len=64), text, MADE)


def block(index: int, text: str, *, line: int = 0, correction: int | None = None) -> BlockEvent:
    """A block of four drafted tokens, all accepted, or all but the last."""
    draft = tuple(ord(one) + 3 for one in "abcd")
    verdicts = draft if correction is None else (*draft[:3], correction)
    return BlockEvent(
        index, line, 0, 4 * index, draft, verdicts, 4 if correction is None else 3, correction,
        7 if correction is None else None, (0.5, 1.25, 2.0, 0.125), draft, text, 0.001, 0.002, STATS, None, "lookup",
    )  # fmt: skip


def trace(text: str = "قال ab", output: str = "قَالَ ab") -> Trace:
    """A finished run of one line and two blocks."""
    half = len(output) // 2
    blocks = (block(0, output[:half], correction=100), block(1, output[half:]))
    done = DoneEvent(output, (5, 6, 7), "eos", STATS)
    return Trace(header(text), (*blocks, LineEvent(0, output), done))
