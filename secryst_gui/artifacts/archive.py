"""Reading a zip that anyone may have made: nothing leaves its folder, nothing explodes, every failure is one line."""

from __future__ import annotations

import hashlib
import io
import stat
import struct
import zipfile
import zlib
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from secryst_gui.artifacts.manifest import SIZE_LIMIT, Manifest
from secryst_gui.errors import (
    DigestMismatchError,
    MissingMemberError,
    NotAnArtifactError,
    UncoveredMemberError,
    UnsafeArtifactError,
)

METADATA = "metadata.yaml"
ENCODER, DECODER, KV_DECODER = "encoder.onnx", "decoder.onnx", "decoder-kv.onnx"
#: Far above any model of this format (the largest published zip has 264 MB and five members).
MEMBER_LIMIT, TOTAL_LIMIT = 1024, 8 << 30
#: Weights hardly compress. A small file may (zeros), so the ratio counts only above this size.
RATIO_LIMIT, RATIO_FROM = 100, 64 << 20
_ENCRYPTED = 0x1
_CHUNK = 1 << 20
#: What the standard library raises for a zip that is damaged in one way or another.
_DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    struct.error,
    NotImplementedError,
    RuntimeError,
    ValueError,
    OSError,
)


class Archive:
    """An open, structurally safe IMF zip with its manifest parsed. Use :func:`opened`."""

    def __init__(self, path: Path, file: zipfile.ZipFile) -> None:
        self.path = path
        self._file = file
        self._check_members()
        self.manifest = Manifest.parse(self._metadata())
        self._check_graphs()

    @property
    def graphs(self) -> list[str]:
        """Names of the ``.onnx`` members, sorted."""
        return sorted(name for name in self._file.namelist() if name.endswith(".onnx"))

    def infos(self, names: Collection[str]) -> list[zipfile.ZipInfo]:
        """The directory's entries of ``names``."""
        return [self._file.getinfo(name) for name in names]

    def copy_graph(self, name: str, out: BinaryIO | None) -> None:
        """Write the member ``name`` to ``out`` (None: only check it).

        Raises DigestMismatchError unless it is what the manifest promises, OSError when ``out`` cannot be written.
        """
        digest = hashlib.sha256()
        try:
            with self._file.open(name) as member:
                while chunk := member.read(_CHUNK):
                    digest.update(chunk)
                    if out is not None:
                        out.write(chunk)
        except _DAMAGE as error:
            if isinstance(error, OSError) and error.errno is not None and not isinstance(error, zipfile.BadZipFile):
                raise
            raise self._damaged(error) from None
        expected = self.manifest.sha256[name]
        if digest.hexdigest() != expected:
            raise DigestMismatchError(
                f"expected {name} in {self.path.name} with sha256 {expected[:12]}…, found {digest.hexdigest()[:12]}…; "
                "the file was changed or damaged, get it again"
            )

    def _metadata(self) -> bytes:
        if METADATA not in self._file.namelist():
            raise MissingMemberError(
                f"expected {METADATA} in {self.path.name}, found none; choose a model of format imf-v1"
            )
        try:
            with self._file.open(METADATA) as member:
                return member.read(SIZE_LIMIT + 1)
        except _DAMAGE as error:
            raise self._damaged(error) from None

    def _damaged(self, error: BaseException) -> NotAnArtifactError:
        reason = " ".join(str(error).split()) or type(error).__name__
        return NotAnArtifactError(
            f"expected a whole model zip, found {self.path.name} damaged ({reason}); get it again"
        )

    def _check_members(self) -> None:
        members = self._file.infolist()
        if len(members) > MEMBER_LIMIT:
            raise self._unsafe(f"{len(members)} members", f"at most {MEMBER_LIMIT} members")
        seen: set[str] = set()
        for member in members:
            name = member.filename
            if _leaves(name) or stat.S_ISLNK(member.external_attr >> 16):
                raise self._unsafe(f"{name!r}, which leaves it", "members inside their folder")
            if member.flag_bits & _ENCRYPTED:
                raise self._unsafe(f"{name!r} encrypted", "members that can be read")
            if name.casefold() in seen:
                raise self._unsafe(f"{name!r} twice", "each member once")
            seen.add(name.casefold())
            if member.file_size > RATIO_FROM and member.file_size > RATIO_LIMIT * max(1, member.compress_size):
                raise self._unsafe(
                    f"{name!r}, which unpacks to {member.file_size >> 20} MiB", "members of plausible size"
                )
        total = sum(member.file_size for member in members)
        if total > TOTAL_LIMIT:
            raise self._unsafe(f"{total >> 30} GiB", f"at most {TOTAL_LIMIT >> 30} GiB")

    def _unsafe(self, found: str, expected: str) -> UnsafeArtifactError:
        return UnsafeArtifactError(f"expected {expected} in {self.path.name}, found {found}; do not use this file")

    def _check_graphs(self) -> None:
        names = set(self._file.namelist())
        needed = [ENCODER, DECODER] + [KV_DECODER] * (self.manifest.decoder == "kv")
        for name in [*needed, *self.manifest.sha256]:
            if name not in names:
                raise MissingMemberError(f"expected {name} in {self.path.name}, found none; get the model again")
        for name in self.graphs:
            if name not in self.manifest.sha256:
                raise UncoveredMemberError(
                    f"expected a digest for {name} in {self.path.name}, found none; an unchecked graph is not opened"
                )


def _leaves(name: str) -> bool:
    parts = PurePosixPath(name.replace("\\", "/")).parts
    return not parts or "\\" in name or "\0" in name or ".." in parts or parts[0] == "/" or ":" in parts[0]


@contextmanager
def opened(path: Path) -> Iterator[Archive]:
    """The zip at ``path``; raises an ArtifactError that says what is wrong with it."""
    try:
        file = _file(path)
    except OSError as error:
        raise NotAnArtifactError(
            f"expected a model zip, found {path} which cannot be read ({error.strerror or error}); check the name"
        ) from None
    with file:
        try:
            archive = zipfile.ZipFile(file)
        except _DAMAGE as error:
            reason = " ".join(str(error).split()).lower() or "unreadable"
            raise NotAnArtifactError(
                f"expected a model zip, found {path.name} ({reason}); it is truncated or no zip, get it again"
            ) from None
        with archive:
            yield Archive(path, archive)


def _file(path: Path) -> io.BufferedReader:
    if path.is_dir():
        raise NotAnArtifactError(f"expected a model zip, found the folder {path}; choose a file in it")
    return path.open("rb")
