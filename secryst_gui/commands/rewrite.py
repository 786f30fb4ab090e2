"""``secryst-gui rewrite GRAPH FOLDER``: rewrite one decoder graph. Not listed: the program asks itself for it.

Parsing a large graph holds Python's lock for a second, and a window with it; in a process of its own it holds nothing.
"""

from __future__ import annotations

import argparse
from pathlib import Path


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("rewrite")
    parser.add_argument("graph", type=Path)
    parser.add_argument("folder", type=Path)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from secryst_gui.engine.rewrite.plan import write_forms

    write_forms(options.graph, options.folder)
    return 0
