"""The command line: ``secryst-gui [translate|trace|bench|models]``; without a command it opens the window.

Nothing here needs a display, and Qt is imported only to open the window. Standard output carries results alone;
progress and complaints go to standard error. Exit codes: 0 done, 1 with one readable line, 2 for usage, 130 after
Ctrl+C, when what was already written stays.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence

from secryst_gui import __version__, paths
from secryst_gui.commands import bench, models, rewrite, trace, translate
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
    for module in (translate, trace, bench, models, rewrite):
        module.add_parser(commands)
    return top


def has_display() -> bool:
    """Whether a window can be shown: on Linux and the BSDs some display server must be announced."""
    if sys.platform in ("win32", "darwin"):
        return True
    return any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"))


def open_window() -> int:
    """Open the window; without a display, show on the terminal what it would show first."""
    if not has_display():
        sample = sorted((paths.resources_dir() / "samples").glob("[0-9]*.txt"))[0]
        print("secryst-gui: no display, so here is the sample text, read by the starter pair", file=sys.stderr)
        code = main(["translate", "-i", str(sample)])
        print("secryst-gui: 'secryst-gui translate --help' tells more", file=sys.stderr)
        return code
    try:
        from secryst_gui import app
    except ImportError as error:
        # Qt's own parts are there, but a library of the system is not; its name is all that the error says.
        raise SecrystError(
            f"expected the system libraries that Qt needs, found: {error}; "
            "install them (Debian and Ubuntu: apt install libegl1 libxkbcommon-x11-0 libxcb-cursor0)"
        ) from None
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
