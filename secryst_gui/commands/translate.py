"""``secryst-gui translate``: line by line, streaming while it decodes."""

from __future__ import annotations

import argparse
import json
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TextIO

from secryst_gui.commands import pairing, source
from secryst_gui.engine import BlockEvent, DecodeOptions, DoneEvent, SpeculativeModel
from secryst_gui.errors import InputError

INTERRUPTED = 130
#: Seconds between two lines of progress where standard error is no terminal.
PROGRESS_SECONDS = 10.0


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("translate", help="translate a text, a file or standard input, line by line")
    parser.add_argument("text", nargs="?", metavar="TEXT", help="the text; without it, -i or standard input is read")
    parser.add_argument("-i", "--input", type=Path, metavar="FILE", help="a UTF-8 text file")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="write there, not to standard output")
    pairing.add_options(parser)
    parser.add_argument(
        "--max-len",
        type=length,
        metavar="N",
        help="at most N tokens for a window (default: what its source can need)",
    )
    parser.add_argument("--raw", action="store_true", help="do not normalise the source (keep its vowel marks)")
    parser.add_argument("--json", action="store_true", help="one JSON object for each line, with statistics")
    parser.add_argument(
        "--trace", type=Path, metavar="FILE", help="write every block's draft and verdicts as JSON lines"
    )
    parser.set_defaults(run=run, parser=parser)


def length(value: str) -> int:
    number = int(value)
    if number < 1:
        raise argparse.ArgumentTypeError(f"expected a number above 0, found {number}")
    return number


def writer(path: Path | None, stack: ExitStack) -> TextIO:
    if path is None:
        return sys.stdout
    try:
        return stack.enter_context(path.open("w", encoding="utf-8", newline="\n"))
    except OSError as error:
        raise InputError(f"expected a file to write, found {path} ({error.strerror}); choose another place") from None


@contextmanager
def stopping(model: SpeculativeModel) -> Iterator[list[bool]]:
    """The first Ctrl+C ends the line being decoded, so that what is there can be written; a second one ends at once."""
    pressed: list[bool] = []

    def handle(*_: object) -> None:
        if pressed:
            raise KeyboardInterrupt
        pressed.append(True)
        model.cancel()

    before = signal.signal(signal.SIGINT, handle)
    try:
        yield pressed
    finally:
        signal.signal(signal.SIGINT, before)


class Progress:
    """``line 12 of 200`` on standard error, while there is more than one line."""

    def __init__(self, lines: int | None, quiet: bool) -> None:
        self.lines = lines
        self.quiet = quiet or lines is None or lines < 2
        self.terminal = sys.stderr.isatty()
        self.last = time.monotonic()

    def show(self, done: int) -> None:
        if self.quiet or (not self.terminal and time.monotonic() - self.last < PROGRESS_SECONDS):
            return
        self.last = time.monotonic()
        print(f"line {done} of {self.lines}", end="\r" if self.terminal else "\n", file=sys.stderr, flush=True)

    def close(self) -> None:
        if self.terminal and not self.quiet:
            print("\x1b[2K", end="\r", file=sys.stderr, flush=True)


def same_file(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except OSError:
        return False


def run(options: argparse.Namespace) -> int:
    if options.text is not None and options.input is not None:
        options.parser.error("expected TEXT or -i FILE, found both; leave one out")
    if options.input is not None and options.output is not None and same_file(options.input, options.output):
        raise InputError(f"expected two files, found {options.input} both read and written; change -o")
    lines, count = source.read(options.text, options.input)
    with ExitStack() as stack:
        pair = stack.enter_context(pairing.opened(options, session=True))
        out = writer(options.output, stack)
        trace = writer(options.trace, stack) if options.trace else None
        model = SpeculativeModel(pair.drafters, pair.verifier, options.block_size)
        pressed = stack.enter_context(stopping(model))
        live = not options.json and out is sys.stdout and out.isatty()
        progress = Progress(count, quiet=live)
        decoding = DecodeOptions(max_len=options.max_len, raw=options.raw)
        for number, line in enumerate(lines):
            done: DoneEvent | None = None
            for event in model.decode(line, decoding, lambda: bool(pressed)):
                if isinstance(event, BlockEvent):
                    if live:
                        print(event.text, end="", file=out, flush=True)
                    if trace is not None:
                        print(json.dumps(traced(event, number)), file=trace, flush=True)
                elif isinstance(event, DoneEvent):
                    done = event
            assert done is not None
            if options.json:
                print(json.dumps(described(line, done, pair, options), ensure_ascii=False), file=out, flush=True)
            else:
                print("" if live else done.output, file=out, flush=True)
            if pressed:
                break
            progress.show(number + 1)
        progress.close()
    if pressed:
        print("secryst-gui: interrupted; what was written so far is kept", file=sys.stderr)
        return INTERRUPTED
    return 0


def described(line: str, done: DoneEvent, pair: pairing.Pair, options: argparse.Namespace) -> dict[str, object]:
    return {
        "input": line,
        "output": done.output,
        "tokens": list(done.tokens),
        "verifier": pair.verifier.artifact.path.stem,
        "drafter": pair.drafter_name,
        "block_size": options.block_size or pairing.AUTO,
        "stop": done.stop,
        "stats": done.stats.as_dict(),
    }


def traced(event: BlockEvent, line: int) -> dict[str, object]:
    return asdict(event) | {"line": line, "stats": event.stats.as_dict()}
