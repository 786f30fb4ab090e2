"""From what a user typed after ``--verifier`` and ``--drafter`` to opened models that fit each other."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from secryst_gui.artifacts import Listing, Manifest, Store, fits, fitting
from secryst_gui.engine import Drafter, EngineOptions, HeadDrafter, IMFModel, LookupDrafter
from secryst_gui.errors import ArtifactError, ModelNotFoundError, PairError

LOOKUP, HEAD, AUTO, NONE = "lookup", "head", "auto", "none"
BUILTIN = (LOOKUP, HEAD, AUTO, NONE)


@dataclass(frozen=True)
class Pair:
    """An opened verifier and what drafts for it (nothing: the verifier alone, token by token)."""

    verifier: IMFModel
    drafters: tuple[IMFModel | Drafter, ...]
    drafter_name: str

    @property
    def drafts(self) -> tuple[Manifest | str, ...]:
        """Who drafts: a model's manifest, or the name of a drafter without a file of its own."""
        return tuple(each.manifest if isinstance(each, IMFModel) else each.name for each in self.drafters)


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--verifier", metavar="ID|PATH", help="the model whose output you get (default: the starter)")
    parser.add_argument(
        "--drafter",
        metavar="ID|PATH|lookup|none",
        help="what proposes tokens to it (default: the starter's, or lookup)",
    )
    parser.add_argument(
        "-k",
        "--block-size",
        type=block_size,
        default=8,
        metavar="N|auto",
        help="tokens drafted for a pass, 1 to 32; auto chooses for each block (default: 8)",
    )
    parser.add_argument(
        "--threads",
        type=threads,
        default=0,
        metavar="N",
        help="0: one for small graphs, all physical cores for large ones",
    )


def block_size(value: str) -> int | None:
    """K, or None for ``auto``."""
    if value == AUTO:
        return None
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
    """The verifier, and a drafter that fits it, or the name of a built-in one.

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
    if drafter in BUILTIN:
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
def opened(options: argparse.Namespace, *, session: bool = False) -> Iterator[Pair]:
    """Open what ``options`` asks for, and close it at the end. ``session``: all that is decoded belongs together."""
    store = Store()
    verifier, drafter = choose(store, options.verifier, options.drafter)
    engine = EngineOptions(threads=options.threads)
    drafting = EngineOptions(threads=options.threads, drafting=True)
    with ExitStack() as stack:
        model = stack.enter_context(IMFModel.load(verifier.path, engine))
        if isinstance(drafter, Listing):
            apart = drafter.path != verifier.path  # a model that drafts for itself is to be right every time
            opened = stack.enter_context(IMFModel.load(drafter.path, drafting if apart else engine))
            yield Pair(model, (opened,), drafter.path.stem)
        elif drafter == AUTO:
            drafters: list[IMFModel | Drafter] = [HeadDrafter(model)] if model.has_head else []
            smaller = fitting(verifier, store.list())[:1]
            drafters += [stack.enter_context(IMFModel.load(listing.path, drafting)) for listing in smaller]
            yield Pair(model, (*drafters, LookupDrafter(session=session)), AUTO)
        elif drafter == HEAD:
            yield Pair(model, (HeadDrafter(model),), HEAD)
        else:
            yield Pair(model, (LookupDrafter(session=session),) if drafter == LOOKUP else (), drafter)
