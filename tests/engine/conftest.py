"""Fixture models, opened once, and what plain decoding gives of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from secryst_gui import paths
from secryst_gui.engine import EngineOptions, IMFModel

#: Both ladders at every precision.
FIXTURES = [f"fixture-{tier}-1.0-{p}.zip" for tier in ("verifier", "drafter") for p in ("fp32", "fp16", "int8", "int4")]
ONE_THREAD = EngineOptions(threads=1)
Load = Callable[[str], IMFModel]
Plain = Callable[[str, str, int, bool], tuple[list[int], str]]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """The whole matrix takes many minutes: it runs when asked for with ``-m slow``, and a sample of it always."""
    if not config.option.markexpr:
        for item in items:
            if item.get_closest_marker("slow"):
                item.add_marker(pytest.mark.skip(reason="the whole matrix; run it with -m slow"))


@pytest.fixture(scope="session")
def load(conformance: Path, work: Path) -> Iterator[Load]:
    """Open a fixture by its file name, once for the whole run."""
    opened: dict[str, IMFModel] = {}

    def get(name: str) -> IMFModel:
        if name not in opened:
            with pytest.MonkeyPatch.context() as patch:
                patch.setenv(paths.WORK, str(work))
                folder = "imf" if name.startswith("fixture") else "parity"
                opened[name] = IMFModel.load(conformance / folder / name, ONE_THREAD)
        return opened[name]

    yield get
    for model in opened.values():
        model.close()


@pytest.fixture(scope="session")
def plain(load: Load) -> Plain:
    """Tokens of plain decoding, and the reason why it stopped: decoded once for each question."""
    from secryst_gui.engine.stopper import Stopper

    @cache
    def decode(name: str, text: str, max_len: int, guard: bool) -> tuple[list[int], str]:
        model = load(name)
        output = model.generate(text, max_len, raw=True, guard=guard)
        # The reason, by replaying the output: if nothing stopped it, the next token was the end.
        stopper = Stopper(max_len, guard)
        for token in output:
            stopper.push(token)
        return output, stopper.reason or "eos"

    return decode


@pytest.fixture(scope="session")
def goldens(conformance: Path) -> list[dict[str, Any]]:
    lines = (conformance / "imf" / "goldens.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]
