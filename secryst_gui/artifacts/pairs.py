"""Which drafter fits which verifier, and the sentence that says why another does not."""

from __future__ import annotations

from collections.abc import Iterable

from secryst_gui.artifacts.manifest import Manifest
from secryst_gui.artifacts.store import Listing


def fits(drafter: Manifest, verifier: Manifest, drafter_size: int, verifier_size: int) -> str | None:
    """None when ``drafter`` can draft for ``verifier``, else one sentence that says why not.

    Both must do the same task from the same script to the same target, with the same tokens, and the drafter must not
    be the larger one (sizes in bytes): then it could only cost time. That their vocabularies have one size is checked
    when the graphs are opened.
    """
    compared = (
        ("reads tokens of kind", drafter.tokenizer, verifier.tokenizer),
        ("does", drafter.task, verifier.task),
        ("reads the script", drafter.source_script, verifier.source_script),
        ("writes", drafter.target, verifier.target),
    )
    for verb, ours, theirs in compared:
        if ours != theirs:
            return f"{drafter.id} {verb} {ours or 'nothing it names'}, while {verifier.id} needs {theirs or 'none'}"
    if drafter_size > verifier_size:
        return (
            f"{drafter.id} ({drafter.precision}, {drafter_size / 1e6:.1f} MB) is larger than "
            f"{verifier.id} ({verifier.precision}, {verifier_size / 1e6:.1f} MB), so it would only cost time"
        )
    return None


def drafters_for(verifier: Listing, listings: Iterable[Listing]) -> list[tuple[Listing, str | None]]:
    """Every other model with the reason why it cannot draft for ``verifier`` (None: it can), fitting ones first."""
    found: list[tuple[Listing, str | None]] = []
    for listing in listings:
        if listing.path == verifier.path:
            continue
        reason = listing.problem
        if listing.manifest is not None and verifier.manifest is not None:
            reason = fits(listing.manifest, verifier.manifest, listing.size, verifier.size)
        found.append((listing, reason))
    return sorted(found, key=lambda pair: (pair[1] is not None, pair[0].filename))


def fitting(verifier: Listing, listings: Iterable[Listing]) -> list[Listing]:
    """The models that can draft for ``verifier``, the smallest first: a cheap draft is what pays."""
    found = [listing for listing, reason in drafters_for(verifier, listings) if reason is None]
    return sorted(found, key=lambda listing: listing.size)
