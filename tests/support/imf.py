"""IMF zips around hand-written graphs."""

from __future__ import annotations

import hashlib
import zipfile
from pathlib import Path

import yaml

from tests.support.graphs import Graph, encoder


def write_imf(path: Path, decoder: Graph, *, kv: bool = True, **fields: object) -> Path:
    """Write a zip with the encoder that hands ids over and with ``decoder``; ``fields`` change its metadata."""
    members = {"encoder.onnx": encoder(), "decoder-kv.onnx" if kv else "decoder.onnx": decoder}
    if kv:
        members["decoder.onnx"] = decoder  # the format asks for one; the engine must not open it
    contents = {name: graph.SerializeToString() for name, graph in members.items()}
    metadata = {
        "format": "imf-v1",
        "id": f"{path.stem}-1.0",
        "task": "translit",
        "tokenizer": "bytes",
        "opset": 14,
        "decoder": "kv" if kv else "plain",
        "precision": "fp32",
        "sha256": {name: hashlib.sha256(content).hexdigest() for name, content in contents.items()},
        **fields,
    }
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("metadata.yaml", yaml.safe_dump(metadata))
        for name, content in contents.items():
            file.writestr(name, content)
    return path
