"""What models are on this machine: the shipped ladder, and the caches that the runtimes of this format share.

Listing reads manifests and hashes nothing. A broken zip is listed with the reason, never hidden and never fatal.
"""

from __future__ import annotations

import errno
import hashlib
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from secryst_gui import paths
from secryst_gui.artifacts import archive
from secryst_gui.artifacts.artifact import check
from secryst_gui.artifacts.manifest import Manifest
from secryst_gui.errors import ArtifactError, ModelNotFoundError, ProtectedModelError, StoreError

INDEX = "models.yaml"
#: Which file of an id is meant when only the id is given: the fastest first.
_PREFERRED = ("int8", "fp32", "fp16", "int4")


@dataclass(frozen=True)
class Listing:
    """One zip on this machine; ``problem`` says why it cannot be used (then ``manifest`` may be None)."""

    path: Path
    id: str
    filename: str
    manifest: Manifest | None
    size: int
    shipped: bool
    problem: str | None = None


class Store:
    """The models on this machine. ``roots`` hold ``<id>/<file>.zip``, the first is written to; ``shipped`` is flat."""

    def __init__(self, roots: Sequence[Path] | None = None, shipped: Path | None = None) -> None:
        self._roots = tuple(roots) if roots is not None else paths.model_roots()
        self._shipped = shipped if shipped is not None else paths.shipped_models_dir()

    def list(self) -> list[Listing]:
        """Every zip, the shipped ladder first, then by file name."""
        found = [self._listing(path, shipped=True) for path in _zips(self._shipped)]
        for root in self._roots:
            found += [self._listing(path, shipped=False) for folder in _folders(root) for path in _zips(folder)]
        return sorted(found, key=lambda listing: (not listing.shipped, listing.filename, str(listing.path)))

    def find(self, name: str) -> Listing:
        """The model that ``name`` means: a path, a file name with or without ``.zip``, or an id.

        Of several files of one id, the starter pair's comes first, then int8, fp32, fp16, int4.
        Raises ModelNotFoundError.
        """
        path = Path(name).expanduser()
        if path.is_file() or len(path.parts) > 1:
            if not path.exists():
                raise ModelNotFoundError(f"expected a model zip, found nothing at {path}; check the path")
            return self._listing(path, shipped=self._is_shipped(path))
        listings = self.list()
        for matches in (
            [each for each in listings if name in (each.filename, Path(each.filename).stem)],
            [each for each in listings if each.id == name],
            # The index of published models may know an artifact by a longer id: the folder it is cached in.
            [each for each in listings if not each.shipped and each.path.parent.name == name],
        ):
            if matches:
                return min(matches, key=self._preference)
        known = ", ".join(sorted({each.id for each in listings})[:8]) or "none"
        raise ModelNotFoundError(
            f"expected a model on this machine, found no {name!r} (there are: {known}); import it first"
        )

    def default_pair(self) -> tuple[Listing, Listing] | None:
        """Verifier and drafter of the shipped ladder; None when they are not there."""
        starter = self._index().get("starter")
        if not isinstance(starter, dict):
            return None
        pair = [self._shipped / str(starter.get(role)) for role in ("verifier", "drafter")]
        if not all(path.is_file() for path in pair):
            return None
        verifier, drafter = (self._listing(path, shipped=True) for path in pair)
        return None if verifier.problem or drafter.problem else (verifier, drafter)

    def verify(self, listing: Listing) -> Manifest:
        """Read all of a model and compare every digest; raises an ArtifactError that says what is wrong."""
        return check(listing.path)

    def import_file(self, path: Path) -> Listing:
        """Check the zip at ``path`` and copy it into the cache; whatever goes wrong leaves the cache as it was.

        Raises an ArtifactError for a bad zip, StoreError when it cannot be stored.
        """
        path = Path(path)
        manifest = check(path)
        name = path.name if path.suffix == ".zip" else f"{path.name}.zip"
        folder = self._roots[0] / manifest.id
        target = folder / name
        if target.exists():
            if _digest(target) != _digest(path):
                raise StoreError(
                    f"expected no other model called {name} in the cache, found one with other contents; "
                    f"remove it first with 'secryst-gui models remove {target.stem}'"
                )
            return self._listing(target, shipped=False)
        temporary = target.with_suffix(".part")
        try:
            folder.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, temporary)
            check(temporary)  # what counts is the copy
            temporary.replace(target)
        except OSError as error:
            what = (
                f"{path.stat().st_size / 1e6:.0f} MB free"
                if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
                else "a folder to write to"
            )
            raise StoreError(
                f"expected {what} at {folder}, found: {error.strerror or error}; make room or set {paths.CACHE}"
            ) from None
        finally:
            _discard(temporary, folder)
        return self._listing(target, shipped=False)

    def remove(self, listing: Listing) -> None:
        """Delete a cached model. Raises ProtectedModelError for the shipped ladder, StoreError outside the cache."""
        if listing.shipped or self._is_shipped(listing.path):
            raise ProtectedModelError(
                f"expected a model from the cache, found {listing.filename}, which ships with the program and stays"
            )
        if not any(listing.path.resolve().is_relative_to(root.resolve()) for root in self._roots):
            raise StoreError(f"expected a model from the cache, found {listing.path}; delete that file yourself")
        try:
            listing.path.unlink()
        except FileNotFoundError:
            raise ModelNotFoundError(f"expected {listing.path}, found nothing; it is already gone") from None
        except OSError as error:
            raise StoreError(
                f"expected to remove {listing.path}, found: {error.strerror or error}; close what uses it"
            ) from None
        _discard(listing.path, listing.path.parent)

    def _listing(self, path: Path, shipped: bool) -> Listing:
        folder = path.stem if shipped else path.parent.name
        try:
            size = path.stat().st_size
            with archive.opened(path) as file:
                return Listing(path, file.manifest.id, path.name, file.manifest, size, shipped)
        except ArtifactError as error:
            return Listing(path, folder, path.name, None, _size(path), shipped, str(error))
        except OSError as error:
            problem = f"expected a model zip, found {path.name} which cannot be read ({error.strerror}); check it"
            return Listing(path, folder, path.name, None, 0, shipped, problem)

    def _is_shipped(self, path: Path) -> bool:
        return path.resolve().is_relative_to(self._shipped.resolve())

    def _index(self) -> dict[str, Any]:
        try:
            index = yaml.safe_load((self._shipped / INDEX).read_text("utf-8"))
        except (OSError, ValueError, yaml.YAMLError):
            return {}
        return index if isinstance(index, dict) else {}

    def _preference(self, listing: Listing) -> tuple[bool, bool, int, str]:
        starter = self._index().get("starter") or {}
        precision = listing.manifest.precision if listing.manifest else ""
        rank = _PREFERRED.index(precision) if precision in _PREFERRED else len(_PREFERRED)
        return listing.problem is not None, listing.filename not in starter.values(), rank, listing.filename


def _zips(folder: Path) -> Iterator[Path]:
    try:
        yield from sorted(folder.glob("*.zip"))
    except OSError:
        return


def _folders(root: Path) -> list[Path]:
    try:
        return sorted(path for path in root.iterdir() if path.is_dir())
    except OSError:
        return []


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _discard(path: Path, folder: Path) -> None:
    """Delete a leftover file, and its folder if that leaves it empty."""
    try:
        path.unlink(missing_ok=True)
        folder.rmdir()
    except OSError:
        pass  # not empty, or never made
