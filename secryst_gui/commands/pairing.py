"""From what a user typed after ``--verifier`` and ``--drafter`` to opened models that fit each other."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from secryst_gui.artifacts import Listing, Store, fits
from secryst_gui.engine import Drafter, EngineOptions, IMFModel, LookupDrafter
from secryst_gui.errors import ArtifactError, ModelNotFoundError, PairError

LOOKUP, NONE = "lookup", "none"


@dataclass(frozen=True)
class Pair:
    """An opened verifier and what drafts for it (None: the verifier alone, token by token)."""

    verifier: IMFModel
    drafter: IMFModel | Drafter | None
    drafter_name: str


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--verifier", metavar="ID|PATH", help="the model whose output you get (default: the starter)")
    parser.add_argument(
        "--drafter",
        metavar="ID|PATH|lookup|none",
        help="what proposes tokens to it (default: the starter's, or lookup)",
    )
    parser.add_argument("-k", "--block-size", type=block_size, default=8, metavar="N", help="tokens drafted for a pass")
    parser.add_argument("--threads", type=threads, default=0, metavar="N", help="0: as many as physical cores")


def block_size(value: str) -> int:
    number = int(value)
    if not 1 <= number <= 32:
        raise argparse.ArgumentTypeError(f"expected a number from 1 to 32, found {number}")
    return number


def threads(value: str) -> int:
    number = int(value)
    if not 0 <= number <= 256:
        raise argparse.ArgumentTypeError(f"expected a number from 0 to 256, found {number}")
    return number


def choose(store: Store, verifier: str | None, drafter: str | None) -> tuple[Listing, Listing | str]:
    """The verifier, and a drafter that fits it, or ``lookup`` or ``none``.

    Raises ModelNotFoundError when there is no such model, PairError when the two do not fit.
    """
    starter = store.default_pair()
    if verifier is None and starter is None:
        raise ModelNotFoundError(
            "expected a model to translate with, found none on this machine; "
            "import one with 'secryst-gui models import FILE'"
        )
    chosen = store.find(verifier) if verifier is not None else starter[0] if starter else None
    assert chosen is not None
    if drafter in (LOOKUP, NONE):
        return chosen, drafter
    if drafter is not None:
        drafting = store.find(drafter)
        reason = misfit(drafting, chosen)
        if reason is not None:
            raise PairError(reason)
        return chosen, drafting
    if starter is not None and misfit(starter[1], chosen) is None:
        return chosen, starter[1]
    return chosen, LOOKUP


def misfit(drafter: Listing, verifier: Listing) -> str | None:
    """Why ``drafter`` cannot draft for ``verifier``; None when it can."""
    for listing in (drafter, verifier):
        if listing.manifest is None:
            raise ArtifactError(listing.problem or f"{listing.path} cannot be used")
    assert drafter.manifest is not None
    assert verifier.manifest is not None
    return fits(drafter.manifest, verifier.manifest, drafter.size, verifier.size)


@contextmanager
def opened(options: argparse.Namespace) -> Iterator[Pair]:
    """Open what ``options`` asks for, and close it at the end."""
    verifier, drafter = choose(Store(), options.verifier, options.drafter)
    engine = EngineOptions(threads=options.threads)
    with ExitStack() as stack:
        model = stack.enter_context(IMFModel.load(verifier.path, engine))
        if drafter == NONE:
            yield Pair(model, None, NONE)
        elif isinstance(drafter, str):
            yield Pair(model, LookupDrafter(), LOOKUP)
        else:
            yield Pair(model, stack.enter_context(IMFModel.load(drafter.path, engine)), drafter.path.stem)
