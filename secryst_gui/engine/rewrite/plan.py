"""Rewritten graphs as files: made once for a graph, checked, remembered, and made again when they are gone.

A plan lives in a folder named by the graph's digest, the version of the rewriting and that of ONNX Runtime, so that
neither an update nor another file can meet a wrong one. The folder is a cache: it, or any file in it, may be deleted
or damaged at any time; what is not as it was written is made again.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import onnx
import onnxruntime as ort
from filelock import FileLock

from secryst_gui import paths
from secryst_gui.engine.rewrite.accuracy import round_products
from secryst_gui.engine.rewrite.attention import attend_by_row
from secryst_gui.engine.rewrite.hoist import hoist
from secryst_gui.engine.rewrite.kernels import kernels
from secryst_gui.engine.rewrite.rows import quantize_by_row
from secryst_gui.engine.rewrite.shapes import inferred

#: Raise it when the rewriting changes.
VERSION = 15
#: Plans that are kept; the least recently used go first.
KEPT = 16
#: Graphs above this are rewritten in a process of their own.
LARGE_BYTES = 24 << 20
_NOTES, _DONE = "notes.json", "done"
_PROLOGUE, _STEP, _ROWS, _COARSE = "prologue.onnx", "step.onnx", "rows.onnx", "coarse.onnx"
_DIGEST = re.compile(r"[0-9a-f]{64}")

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Plan:
    """Files to open instead of a graph. None: there was nothing to do.

    ``step``: one token a call. ``rows``: the same, every token quantized by itself, for passes. ``coarse``: the step
    with rounded products, for drafting. ``notes``: what was found when the plan was checked, empty before.
    """

    folder: Path
    step: Path
    prologue: Path | None
    rows: Path | None
    coarse: Path | None
    notes: dict[str, Any]

    def note(self, **notes: Any) -> None:
        """Remember what a check found; where that cannot be written it is found again next time."""
        self.notes.update(notes)
        try:
            temporary = self.folder / f"{_NOTES}.part"
            temporary.write_text(json.dumps(self.notes), "utf-8")
            temporary.replace(self.folder / _NOTES)
        except OSError:
            log.info("could not remember the check of %s", self.folder, exc_info=True)


def planned(graph: Path) -> Plan | None:
    """The plan for ``graph``, from the cache or made now; None where it can only be opened as it is."""
    try:
        root = paths.work_dir() / "rewrites"
        root.mkdir(parents=True, exist_ok=True)
        folder = root / f"{_digest(graph)[:40]}-{VERSION}-{ort.__version__}"
        with FileLock(root / ".lock"):
            if not _is_as_written(folder):
                _make(graph, folder)
                _trim(root, folder)
            (folder / _DONE).touch()
            return _read(graph, folder)
    except Exception as error:  # a rewriting is a courtesy: whatever goes wrong, the graph itself is still right
        log.warning("%s is opened as it is: it could not be rewritten (%s)", graph.name, error)
        return None


def _make(graph: Path, folder: Path) -> None:
    temporary = folder.with_suffix(".part")
    shutil.rmtree(temporary, ignore_errors=True)
    temporary.mkdir()
    if graph.stat().st_size > LARGE_BYTES:
        _write_forms_apart(graph, temporary)
    else:
        write_forms(graph, temporary)
    (temporary / _DONE).write_text(json.dumps(_stamps(temporary)), "utf-8")
    shutil.rmtree(folder, ignore_errors=True)
    temporary.rename(folder)


def write_forms(graph: Path, folder: Path) -> None:
    """Write the forms of ``graph`` into ``folder``, which is there and empty. Raises what reading it may raise."""
    products = kernels(graph, folder)
    model = onnx.load(str(graph))
    split = hoist(model, products)
    step = split.step if split is not None else model
    if split is not None:
        onnx.save(split.prologue, str(folder / _PROLOGUE))
        onnx.save(split.step, str(folder / _STEP))
    types = inferred(model)
    if quantize_by_row(step):
        attend_by_row(step, products, types)
        onnx.save(step, str(folder / _ROWS))
    elif round_products(step):
        onnx.save(step, str(folder / _COARSE))


def _write_forms_apart(graph: Path, folder: Path) -> None:
    """The same in a process of its own, because parsing a large graph holds Python's lock, and a window with it."""
    program = [sys.executable] if getattr(sys, "frozen", False) else [sys.executable, "-m", "secryst_gui"]
    hidden = getattr(subprocess, "CREATE_NO_WINDOW", 0)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry)}
    done = subprocess.run(
        [*program, "rewrite", str(graph), str(folder)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        creationflags=hidden,
        env=environment,
        check=False,
    )
    if done.returncode:
        lines = done.stderr.decode("utf-8", "replace").split("\n")
        raise OSError(next((line for line in reversed(lines) if line.strip()), f"exit code {done.returncode}"))


def _stamps(folder: Path) -> dict[str, list[int]]:
    """Size and modification time of each graph in ``folder``."""
    found = ((path.name, path.stat()) for path in sorted(folder.glob("*.onnx")))
    return {name: [stat.st_size, stat.st_mtime_ns] for name, stat in found}


def _is_as_written(folder: Path) -> bool:
    try:
        return bool(json.loads((folder / _DONE).read_text("utf-8")) == _stamps(folder))
    except (OSError, ValueError):
        return False


def _read(graph: Path, folder: Path) -> Plan | None:
    def there(name: str) -> Path | None:
        return folder / name if (folder / name).exists() else None

    try:
        notes = json.loads((folder / _NOTES).read_text("utf-8"))
    except (OSError, ValueError):
        notes = {}
    return Plan(folder, there(_STEP) or graph, there(_PROLOGUE), there(_ROWS), there(_COARSE), notes)


def _digest(graph: Path) -> str:
    if _DIGEST.fullmatch(graph.stem):
        return graph.stem  # laid out under its own, verified digest
    with graph.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _trim(root: Path, keep: Path) -> None:
    folders = [folder for folder in root.iterdir() if folder.is_dir() and folder != keep]
    folders.sort(key=lambda folder: (folder / _DONE).stat().st_mtime if (folder / _DONE).exists() else 0.0)
    for folder in folders[: max(0, len(folders) - KEPT + 1)]:
        shutil.rmtree(folder, ignore_errors=True)
