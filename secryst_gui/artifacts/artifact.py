"""Opening an artifact: every graph checked against its digest, then laid out as a file of its own.

Graphs become files named by their digest, because ONNX Runtime opens a *path* without holding Python's lock (from
bytes it would hold it for up to half a second) and because two zips that share a graph share the file. The files
are a cache: they may be deleted at any time, and the folder keeps to a limit. What was checked is remembered by path,
size and modification time, so that the second start pays nothing; a file that changed is checked again.
"""

from __future__ import annotations

import errno
import json
import os
import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock

from secryst_gui import paths
from secryst_gui.artifacts import archive
from secryst_gui.artifacts.manifest import Manifest
from secryst_gui.errors import StoreError

#: Bytes that the laid-out graphs may take together; the least recently opened go first.
MEMBERS_LIMIT = 4 << 30
#: A full disk, a used-up quota, a limit on file sizes.
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
Stamp = list[int]


@dataclass(frozen=True)
class Artifact:
    """A verified model: its manifest, and a file for each of its graphs."""

    manifest: Manifest
    path: Path
    size: int
    graphs: Mapping[str, Path]

    @property
    def id(self) -> str:
        return self.manifest.id

    @property
    def task(self) -> str:
        return self.manifest.task

    @property
    def precision(self) -> str:
        return self.manifest.precision

    @property
    def has_kv(self) -> bool:
        """Whether the decoder with keys and values is the one to use."""
        return self.manifest.decoder == "kv"


class _Memory:
    """``verified.json``: zips that were checked, and laid-out graphs as they were when written."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.zips: dict[str, Stamp] = {}
        self.members: dict[str, Stamp] = {}
        try:
            saved = json.loads(path.read_text("utf-8"))
            self.zips, self.members = dict(saved["zips"]), dict(saved["members"])
        except (OSError, ValueError, KeyError, TypeError):
            pass  # only a memory: without it everything is checked again

    def save(self) -> None:
        temporary = self._path.with_suffix(".part")
        temporary.write_text(json.dumps({"zips": self.zips, "members": self.members}), "utf-8")
        temporary.replace(self._path)


def _stamp(path: Path) -> Stamp | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return [found.st_size, found.st_mtime_ns]


def check(path: Path) -> Manifest:
    """Read every graph of the zip at ``path`` and compare its digest, without storing anything.

    Raises an ArtifactError that says what is wrong.
    """
    with archive.opened(path) as file:
        for name in file.graphs:
            file.copy_graph(name, None)
        return file.manifest


def open_artifact(path: Path | str, only: Collection[str] | None = None) -> Artifact:
    """Open the zip at ``path``; every graph in it is verified before this returns.

    ``only`` names the graphs to lay out as files (those the zip lacks are passed over); None means all.
    Raises an ArtifactError that says what is wrong with the zip, StoreError when its graphs cannot be written.
    """
    path = Path(path)
    with archive.opened(path) as file:
        wanted = [name for name in file.graphs if only is None or name in only]
        try:
            graphs = _laid_out(file, wanted)
        except OSError as error:
            size = (sum(info.file_size for info in file.infos(wanted)) >> 20) + 1
            what = f"{size} MiB free" if error.errno in _FULL else "a folder that can be written"
            place = error.filename or "the folder for work files"
            raise StoreError(
                f"expected {what} for {path.name}, found: {error.strerror or error} ({place}); "
                f"make room, or set {paths.WORK} to another folder"
            ) from None
        return Artifact(file.manifest, path, path.stat().st_size, graphs)


def _laid_out(file: archive.Archive, wanted: list[str]) -> dict[str, Path]:
    folder = paths.work_dir() / "members"
    folder.mkdir(parents=True, exist_ok=True)
    digests = file.manifest.sha256
    graphs = {name: folder / f"{digests[name]}.onnx" for name in wanted}
    with FileLock(folder / ".lock"):
        memory = _Memory(folder.parent / "verified.json")
        key, stamp = str(file.path.resolve()), _stamp(file.path)
        known = stamp is not None and memory.zips.get(key) == stamp
        for name in file.graphs:
            target = graphs.get(name)
            if target is not None and not (known and _is_as_written(target, memory.members)):
                _write(file, name, target)
                memory.members[target.name] = _stamp(target) or []
            elif target is None and not known:
                file.copy_graph(name, None)
        if stamp is not None:
            memory.zips[key] = stamp
        _touch(graphs.values())
        _trim(folder, set(graphs.values()), memory.members)
        memory.save()
    return graphs


def _is_as_written(path: Path, members: Mapping[str, Stamp]) -> bool:
    stamp = _stamp(path)
    return stamp is not None and members.get(path.name) == stamp


def _write(file: archive.Archive, name: str, target: Path) -> None:
    temporary = target.with_suffix(".part")
    try:
        with temporary.open("wb") as out:
            file.copy_graph(name, out)
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


def _touch(graphs: Collection[Path]) -> None:
    """Note the use in the access time; the modification time stays what it was, for it is remembered."""
    for graph in graphs:
        os.utime(graph, ns=(time.time_ns(), graph.stat().st_mtime_ns))


def _trim(folder: Path, keep: set[Path], members: dict[str, Stamp]) -> None:
    files = [(path.stat(), path) for path in folder.glob("*.onnx")]
    total = sum(found.st_size for found, _ in files)
    for found, path in sorted(files, key=lambda pair: pair[0].st_atime_ns):
        if total <= MEMBERS_LIMIT:
            break
        if path in keep:
            continue
        try:
            path.unlink()
        except OSError:
            continue  # open elsewhere, on a system that does not let go of open files
        total -= found.st_size
        members.pop(path.name, None)
