"""The core runs without Qt, and reads artifacts without a runtime."""

from __future__ import annotations

import importlib
import subprocess
import sys
import types

import pytest


@pytest.mark.parametrize(
    ("module", "blocked"),
    [
        ("secryst_gui.engine", ["PySide6", "pyqtgraph"]),
        ("secryst_gui.cli", ["PySide6", "pyqtgraph"]),
        ("secryst_gui.records", ["PySide6", "pyqtgraph", "onnxruntime", "onnx", "numpy"]),
        ("secryst_gui.artifacts", ["PySide6", "pyqtgraph", "onnxruntime", "onnx", "numpy"]),
    ],
)
def test_a_layer_imports_without_what_it_must_not_know(module: str, blocked: list[str]) -> None:
    """Imported in a fresh interpreter in which those packages cannot be imported."""
    block = "; ".join(f"sys.modules[{name!r}] = None" for name in blocked)
    code = f"import sys; {block}; import {module}"
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("name", ["secryst_gui.artifacts", "secryst_gui.engine", "secryst_gui.records"])
def test_public_names_are_complete(name: str) -> None:
    """``__all__`` is sorted and names just what the package offers."""
    module = importlib.import_module(name)
    offered = {
        each
        for each, value in vars(module).items()
        if not each.startswith("_") and not isinstance(value, types.ModuleType)
    }
    assert set(module.__all__) == offered
    assert list(module.__all__) == sorted(module.__all__)
