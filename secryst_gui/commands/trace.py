"""``secryst-gui trace``: a saved run as a table of its blocks. Needs the file alone, not the models."""

from __future__ import annotations

import argparse
import sys
import unicodedata
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from secryst_gui.records import Trace, TraceHeader, gather, open_trace, trace_lines
from secryst_gui.ui.tokens import tokens_as_text

if TYPE_CHECKING:
    from secryst_gui.engine import BlockEvent

COLUMNS = ("line", "block", "drafted", "accepted", "draft | verdicts", "correction or bonus", "gap", "ms")
#: Cells of text begin at the left, numbers end at the right.
_TEXTS = ("draft | verdicts", "correction or bonus")
#: First strong isolate and its end: what is right-to-left stays in its cell, and the cells stay in their order.
_ISOLATE, _END = "\u2068", "\u2069"


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("trace", help="show the blocks of a run that 'translate --trace' has saved")
    parser.add_argument("file", type=Path, metavar="FILE")
    parser.add_argument("--json", action="store_true", help="the same JSON lines again, checked")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    with open_trace(options.file) as reader:
        if options.json:
            for line in trace_lines(reader.header, reader):
                print(line)
            remark = reader.remark
        else:
            trace = gather(reader)
            remark = trace.remark
            for line in told(trace):
                print(line)
    if remark:
        print(f"secryst-gui: {remark}", file=sys.stderr)
    return 0


def told(trace: Trace) -> Iterable[str]:
    """The lines to print: the models, the blocks, the sum."""
    yield from _head(trace.header)
    rows = [_row(block) for block in trace.blocks if block.draft or block.bonus is not None]
    yield ""
    yield from _table(COLUMNS, rows)
    yield ""
    yield _sum(trace)


def _head(header: TraceHeader) -> Iterable[str]:
    yield f"verifier  {header.verifier}"
    yield f"drafter   {header.drafter}"
    yield f"K         {header.block_size or 'auto'}"
    yield f"run       {header.time:%Y-%m-%d %H:%M %Z}, version {header.app}"


def _row(block: BlockEvent) -> list[str]:
    extra = ""
    if block.correction is not None:
        extra = f"correction {_isolated(tokens_as_text((block.correction,)))}"
    elif block.bonus is not None:
        extra = f"bonus {_isolated(tokens_as_text((block.bonus,)))}"
    texts = [_isolated(tokens_as_text(part)) for part in (block.draft, block.verdicts)]
    return [
        str(block.line + 1),
        str(block.index + 1),
        str(len(block.draft)),
        str(block.accepted),
        " | ".join(texts) if block.draft else "–",
        extra,
        f"{min(block.gaps):.2f}" if block.gaps else "–",
        f"{1000 * (block.draft_s + block.verify_s):.1f}",
    ]


def _sum(trace: Trace) -> str:
    stats = trace.done.stats if trace.done else trace.blocks[-1].stats if trace.blocks else None
    if stats is None or stats.acceptance_rate is None:
        return f"{stats.emitted if stats else 0} tokens, nothing was drafted"
    return (
        f"{stats.emitted} tokens in {stats.passes} passes, {stats.accepted} of {stats.drafted} drafted tokens accepted "
        f"({stats.acceptance_rate:.0%}), {stats.total_s:.2f} s"
    )


def _table(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterable[str]:
    widths = [max(map(_width, column)) for column in zip(titles, *rows, strict=True)]
    for row in (titles, *rows):
        cells = []
        for title, cell, width in zip(titles, row, widths, strict=True):
            room = " " * (width - _width(cell))
            cells.append(cell + room if title in _TEXTS else room + cell)
        yield "  ".join(cells).rstrip()


def _isolated(text: str) -> str:
    rightward = any(unicodedata.bidirectional(one) in ("R", "AL", "AN") for one in text)
    return f"{_ISOLATE}{text}{_END}" if rightward else text


def _width(text: str) -> int:
    """Columns of a terminal: marks and marks of direction take none, wide letters two."""
    return sum(
        0 if unicodedata.category(one) in ("Mn", "Me", "Cf") else 2 if unicodedata.east_asian_width(one) in "WF" else 1
        for one in text
    )
