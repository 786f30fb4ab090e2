"""``secryst-gui models``: what is on this machine, checked, imported, removed."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from secryst_gui.artifacts import Listing, Store
from secryst_gui.errors import SecrystError


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("models", help="list, verify, import or remove models on this machine")
    actions = parser.add_subparsers(dest="action", metavar="ACTION")
    listing = actions.add_parser("list", help="what is there (the default)")
    verify = actions.add_parser("verify", help="check every graph against its digest")
    verify.add_argument("id", nargs="?", help="one model only (default: all)")
    importing = actions.add_parser("import", help="check a model zip and copy it into the cache")
    importing.add_argument("file", type=Path)
    removing = actions.add_parser("remove", help="remove a model from the cache")
    removing.add_argument("id", help="an id or a file name, as 'list' shows them")
    for each in (parser, listing, verify, importing, removing):
        # SUPPRESS: 'models --json list' and 'models list --json' are the same; the inner default must not win.
        each.add_argument(
            "--json", action="store_true", default=argparse.SUPPRESS, help="one JSON object for each model"
        )
    parser.set_defaults(run=run)


def described(listing: Listing) -> dict[str, object]:
    manifest = listing.manifest
    return {
        "id": listing.id,
        "filename": listing.filename,
        "path": str(listing.path),
        "size": listing.size,
        "task": manifest.task if manifest else None,
        "precision": manifest.precision if manifest else None,
        "shipped": listing.shipped,
        "problem": listing.problem,
    }


def show(listings: list[Listing], as_json: bool) -> None:
    if as_json:
        for listing in listings:
            print(json.dumps(described(listing), ensure_ascii=False))
        return
    if not listings:
        print("no models on this machine; import one with 'secryst-gui models import FILE'")
        return
    width = max(len(listing.filename) for listing in listings)
    for listing in listings:
        origin = "shipped" if listing.shipped else "cached"
        about = listing.problem or (
            f"{listing.manifest.task}, {listing.manifest.precision}" if listing.manifest else ""
        )
        state = "cannot be used: " if listing.problem else ""
        print(f"{listing.filename:<{width}}  {listing.size / 1e6:7.1f} MB  {origin:<7}  {state}{about}")


def verify(store: Store, name: str | None, as_json: bool) -> int:
    listings = [store.find(name)] if name else store.list()
    bad = 0
    for listing in listings:
        problem: str | None = None
        try:
            store.verify(listing)
        except SecrystError as error:
            problem, bad = str(error), bad + 1
        if as_json:
            print(json.dumps(described(listing) | {"problem": problem}, ensure_ascii=False))
        else:
            print(f"{listing.filename}: {problem or 'every graph matches its digest'}")
    return 1 if bad else 0


def run(options: argparse.Namespace) -> int:
    store = Store()
    as_json = getattr(options, "json", False)
    if options.action == "verify":
        return verify(store, options.id, as_json)
    if options.action == "import":
        show([store.import_file(options.file)], as_json)
    elif options.action == "remove":
        listing = store.find(options.id)
        store.remove(listing)
        print(json.dumps(described(listing), ensure_ascii=False) if as_json else f"removed {listing.path}")
    else:
        show(store.list(), as_json)
    return 0
