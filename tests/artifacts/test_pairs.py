"""Which drafter fits which verifier."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from secryst_gui.artifacts import Listing, Manifest, drafters_for, fits, fitting
from tests.support import zips


def model(**changes: Any) -> Manifest:
    return Manifest.parse(zips.manifest(**changes))


def test_tiers_of_one_ladder_fit() -> None:
    """Same task, scripts and tokens; the precision does not matter, and equal sizes are allowed."""
    assert fits(model(precision="int4"), model(precision="int8"), 5, 9) is None
    assert fits(model(), model(), 9, 9) is None


def test_a_misfit_is_told_in_one_sentence() -> None:
    """Another task, script or target, or a drafter that is the larger one: the sentence names what differs."""
    cases: list[tuple[dict[str, Any], int, str]] = [
        ({"task": "g2p"}, 1, "g2p"),
        ({"source_script": "Hebr"}, 1, "Hebr"),
        ({"source_script": None}, 1, "Arab"),
        ({"target": "Latn"}, 1, "Latn"),
        ({}, 10, "larger"),
    ]
    for changes, size, named in cases:
        reason = fits(model(**changes), model(), size, 9)
        assert reason is not None
        assert named in reason
        assert "\n" not in reason


def test_every_other_model_is_offered_with_its_reason() -> None:
    """Fitting ones first; broken ones keep their own reason; the verifier itself is not offered."""
    verifier = Listing(Path("v.zip"), "v", "v.zip", model(), 9, False)
    small = Listing(Path("s.zip"), "s", "s.zip", model(), 3, False)
    big = Listing(Path("b.zip"), "b", "b.zip", model(), 30, False)
    broken = Listing(Path("a.zip"), "a", "a.zip", None, 3, False, "truncated")
    offered = drafters_for(verifier, [broken, big, verifier, small])
    assert [listing.filename for listing, _ in offered] == ["s.zip", "a.zip", "b.zip"]
    assert [reason is None for _, reason in offered] == [True, False, False]
    assert offered[1][1] == "truncated"
    assert [listing.filename for listing in fitting(verifier, [broken, big, verifier, small])] == ["s.zip"]
