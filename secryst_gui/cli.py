"""The command line: ``secryst-gui [translate|bench|models]``; without a command it opens the window.

Nothing here needs a display, and Qt is imported only to open the window. Standard output carries results alone;
progress and complaints go to standard error. Exit codes: 0 done, 1 with one readable line, 2 for usage, 130 after
Ctrl+C, when what was already written stays.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence

from secryst_gui import __version__
from secryst_gui.commands import bench, models, translate
from secryst_gui.errors import SecrystError

INTERRUPTED = 130


def parser() -> argparse.ArgumentParser:
    """The whole grammar, as in ``--help``."""
    top = argparse.ArgumentParser(
        prog="secryst-gui",
        description="Reveal the reading of a text: vowel marks, romanization, pronunciation. "
        "Without a command, opens the window.",
    )
    top.add_argument("--version", action="version", version=f"secryst-gui {__version__}")
    commands = top.add_subparsers(dest="command", metavar="COMMAND")
    for module in (translate, bench, models):
        module.add_parser(commands)
    return top


def open_window() -> int:
    from secryst_gui import app

    return app.run(sys.argv[:1])


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="replace")
    options = parser().parse_args(argv)
    command: Callable[[argparse.Namespace], int] = getattr(options, "run", lambda _: open_window())
    try:
        return command(options)
    except SecrystError as error:
        print(f"secryst-gui: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("secryst-gui: interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        # The reader (head, less) has seen enough. Python would complain when it flushes at exit, so give it a sink.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
