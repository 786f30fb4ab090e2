"""``secryst-gui translate``: line by line, streaming while it decodes."""

from __future__ import annotations

import argparse
import json
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TextIO

from secryst_gui import __version__
from secryst_gui.commands import pairing, source
from secryst_gui.engine import BlockEvent, DecodeEvent, DecodeOptions, DoneEvent, SpeculativeModel
from secryst_gui.errors import InputError
from secryst_gui.records import JoinedRun, ModelRecord, SourceLine, TraceHeader, TraceWriter

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
        "--trace",
        type=Path,
        metavar="FILE",
        help="write every block's draft and verdicts as JSON lines ('secryst-gui trace' shows them)",
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


class Tracing:
    """Writes the runs of all lines as the trace of one run."""

    def __init__(self, file: TextIO, header: TraceHeader) -> None:
        self._writer = TraceWriter(file, header)
        self._tells_lines = header.input is None
        self._joined = JoinedRun()

    def begin(self, number: int, line: str) -> None:
        """A line is about to be decoded."""
        if self._tells_lines:
            self._writer.write(SourceLine(number, line))

    def take(self, event: DecodeEvent) -> None:
        """An event of the line."""
        moved = self._joined.take(event)
        if moved is not None:
            self._writer.write(moved)

    def end(self) -> None:
        """No more lines come."""
        self._writer.write(self._joined.done())


def header(pair: pairing.Pair, block_size: int | None, decoding: DecodeOptions, lines: list[str] | None) -> TraceHeader:
    """What the trace says first."""
    drafters = tuple(ModelRecord(each) if isinstance(each, str) else ModelRecord.of(each) for each in pair.drafts)
    text = None if lines is None else "\n".join(lines)
    verifier = ModelRecord.of(pair.verifier.manifest)
    return TraceHeader(__version__, verifier, drafters, block_size, decoding, text, datetime.now(UTC))


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
        decoding = DecodeOptions(max_len=options.max_len, raw=options.raw)
        trace: Tracing | None = None
        if options.trace:
            known = None if count is None else list(lines)
            lines = lines if known is None else iter(known)
            trace = Tracing(writer(options.trace, stack), header(pair, options.block_size, decoding, known))
        model = SpeculativeModel(pair.drafters, pair.verifier, options.block_size)
        pressed = stack.enter_context(stopping(model))
        live = not options.json and out is sys.stdout and out.isatty()
        progress = Progress(count, quiet=live)
        for number, line in enumerate(lines):
            done: DoneEvent | None = None
            if trace is not None:
                trace.begin(number, line)
            for event in model.decode(line, decoding, lambda: bool(pressed)):
                if trace is not None:
                    trace.take(event)
                if isinstance(event, BlockEvent):
                    if live:
                        print(event.text, end="", file=out, flush=True)
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
        if trace is not None:
            trace.end()
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
