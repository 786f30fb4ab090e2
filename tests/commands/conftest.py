"""Commands run in this process, on real fixture models."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from secryst_gui import cli


class Result(NamedTuple):
    code: int
    out: str
    err: str


Run = Callable[..., Result]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Call the command line; usage errors come back as exit code 2."""

    def call(*arguments: object) -> Result:
        try:
            code = cli.main([str(argument) for argument in arguments])
        except SystemExit as end:
            code = int(end.code or 0)
        return Result(code, *capsys.readouterr())

    return call


@pytest.fixture
def verifier(conformance: Path) -> Path:
    return conformance / "imf" / "fixture-verifier-1.0-fp32.zip"


@pytest.fixture
def drafter(conformance: Path) -> Path:
    return conformance / "imf" / "fixture-drafter-1.0-fp32.zip"
