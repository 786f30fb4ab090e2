"""The pair that ships: it is right, exact, and says what it is."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest
import yaml

from secryst_gui import paths
from secryst_gui.artifacts import Listing, Store
from secryst_gui.engine import DecodeOptions, DoneEvent, Drafter, HeadDrafter, IMFModel, LookupDrafter, SpeculativeModel
from secryst_gui.engine.normalise import normalise

SAMPLES = sorted((paths.resources_dir() / "samples").glob("[0-9]*.txt"))
EVERYDAY = Path(__file__).parents[2] / "models" / "recipe" / "everyday.txt"
SIZE_LIMIT_MB = 48


def shipped() -> list[Listing]:
    return [listing for listing in Store().list() if listing.shipped]


@pytest.fixture(scope="module", params=["fp32", "int8"])
def pair(request: pytest.FixtureRequest) -> Iterator[tuple[IMFModel, IMFModel]]:
    """Verifier and drafter of one precision."""
    folder = paths.shipped_models_dir()
    with (
        IMFModel.load(folder / f"ara-diac-classic-1.0-{request.param}.zip") as verifier,
        IMFModel.load(folder / f"ara-diac-classic-micro-1.0-{request.param}.zip") as drafter,
    ):
        yield verifier, drafter


def test_the_index_says_what_is_there() -> None:
    """Every zip is listed with its size and digest, the starter pair fits, and all together are small."""
    folder = paths.shipped_models_dir()
    index = yaml.safe_load((folder / "models.yaml").read_text("utf-8"))
    assert {entry["filename"] for entry in index["models"]} == {listing.filename for listing in shipped()}
    for entry in index["models"]:
        data = (folder / entry["filename"]).read_bytes()
        assert (len(data), hashlib.sha256(data).hexdigest()) == (entry["size"], entry["sha256"])
    assert Store().default_pair() is not None
    assert sum(listing.size for listing in shipped()) < SIZE_LIMIT_MB * 1e6


def test_the_public_validator_passes_each_zip() -> None:
    """Strictly: structure, digests, opset, metrics with their source, parity."""
    validator = pytest.importorskip("imf.validator")
    for listing in shipped():
        assert validator.validate_zip(listing.path, strict=True).errors == []


def test_every_drafter_gives_the_verifiers_own_output(pair: tuple[IMFModel, IMFModel]) -> None:
    """On the samples, line by line: the smaller model, the head, lookup, all of them, at several K and at K chosen."""
    verifier, drafter = pair
    lines = [line for sample in SAMPLES for line in sample.read_text("utf-8").splitlines()][:6]
    expected = {line: verifier.generate(line, 1024) for line in lines}
    several: list[IMFModel | Drafter] = [drafter, HeadDrafter(verifier), LookupDrafter()]
    for drafters, k in product([*([each] for each in several), several], (1, 8, 32, None)):
        model = SpeculativeModel(drafters, verifier, k)
        assert all(model.generate(line, 1024) == expected[line] for line in lines)


def test_drafts_are_mostly_accepted(pair: tuple[IMFModel, IMFModel]) -> None:
    """Of the smaller model's drafts nine of ten, by its head and by its decoder; its own, all of them."""
    verifier, drafter = pair
    text = SAMPLES[0].read_text("utf-8")
    for model in (drafter, HeadDrafter(verifier)):
        decoding = SpeculativeModel(model, verifier, 8)
        decoding.translate(text, max_len=1024)
        assert (decoding.stats.acceptance_rate or 0) > 0.85
    itself = SpeculativeModel(verifier, verifier, 8)
    itself.translate(text, max_len=1024)
    assert itself.stats.acceptance_rate == 1.0


def test_letters_come_out_as_they_went_in(pair: tuple[IMFModel, IMFModel]) -> None:
    """Everyday input of all kinds (numbers, Latin, emoji, signs) keeps every character; words get marks."""
    verifier, _ = pair
    model = SpeculativeModel(HeadDrafter(verifier), verifier, None)
    marked = 0
    for line in EVERYDAY.read_text("utf-8").splitlines():
        events = list(model.decode(line, DecodeOptions()))
        done = events[-1]
        assert isinstance(done, DoneEvent)
        assert (normalise(done.output), done.stop) == (line, "eos")
        marked += done.output != line
    assert marked > 150
