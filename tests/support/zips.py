"""Small IMF zips, right or wrong in one chosen way. The graphs are arbitrary bytes: nothing here runs them."""

from __future__ import annotations

import hashlib
import warnings
import zipfile
from pathlib import Path
from typing import Any

import yaml

GRAPHS = {"encoder.onnx": b"encoder" * 50, "decoder.onnx": b"decoder" * 50, "decoder-kv.onnx": b"kv" * 90}


def fields(graphs: dict[str, bytes] | None = None, **changes: Any) -> dict[str, Any]:
    """A manifest's fields; ``changes`` replace some, None removes one."""
    graphs = GRAPHS if graphs is None else graphs
    found: dict[str, Any] = {
        "format": "imf-v1",
        "id": "ara-diac-test-1.0",
        "task": "diacritization",
        "source_script": "Arab",
        "target": "Arab",
        "tokenizer": "bytes",
        "opset": 14,
        "decoder": "kv",
        "precision": "fp32",
        "license": "BSD-3-Clause",
        "trained_from": "nothing",
        "sha256": {name: hashlib.sha256(data).hexdigest() for name, data in graphs.items()},
    }
    found |= changes
    return {name: value for name, value in found.items() if value is not None}


def manifest(**changes: Any) -> bytes:
    return yaml.safe_dump(fields(**changes)).encode()


def make(
    path: Path,
    graphs: dict[str, bytes] | None = None,
    metadata: bytes | None = None,
    extra: list[tuple[str | zipfile.ZipInfo, bytes]] | None = None,
    **changes: Any,
) -> Path:
    """Write a zip: the manifest (``metadata`` as it is, or made with ``changes``), ``graphs``, ``extra`` members."""
    graphs = GRAPHS if graphs is None else graphs
    path.parent.mkdir(parents=True, exist_ok=True)
    with warnings.catch_warnings(), zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        warnings.simplefilter("ignore")  # a member written twice is what some tests want
        archive.writestr("metadata.yaml", metadata if metadata is not None else manifest(graphs=graphs, **changes))
        for name, data in [*graphs.items(), *(extra or [])]:
            archive.writestr(name, data)
    return path


def stored(path: Path) -> Path:
    """A right zip whose members are not compressed, so that a byte of a graph is a byte of the file."""
    make(path)
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return path


def flip(path: Path, where: bytes) -> None:
    """Change one byte in the first occurrence of ``where``, and the checksum of the zip with it."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        for name, data in members.items():
            at = data.find(where)
            if at >= 0 and name.endswith(".onnx"):
                data = data[:at] + bytes((data[at] ^ 1,)) + data[at + 1 :]
            archive.writestr(name, data)
