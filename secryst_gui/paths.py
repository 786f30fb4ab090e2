"""Where things are: what ships with the program, and the places that the user's system gives it.

The one module that knows. A checkout keeps ``resources/`` and ``models/`` at its root; a wheel and an installer carry
them inside the package, as ``_resources`` and ``_models``.
"""

from __future__ import annotations

import os
import tempfile
from functools import cache
from pathlib import Path

import platformdirs

#: Environment variables: the cache of model zips (shared with other runtimes), our own work files, our settings.
CACHE, WORK, CONFIG = "SECRYST_CACHE", "SECRYST_GUI_WORK", "SECRYST_GUI_CONFIG"
APP = "secryst-gui"
_PACKAGE = Path(__file__).parent


def _shipped(inside: str, checkout: str) -> Path:
    packaged = _PACKAGE / inside
    return packaged if packaged.is_dir() else _PACKAGE.parent / checkout


def resources_dir() -> Path:
    """Icons, sample texts, fonts."""
    return _shipped("_resources", "resources")


def shipped_models_dir() -> Path:
    """The starter ladder: ``models.yaml`` and the zips it names."""
    return _shipped("_models", "models")


def cache_dir() -> Path:
    """Where imported models go: ``$SECRYST_CACHE``, or the user cache that the runtimes of this format share."""
    given = os.environ.get(CACHE)
    return Path(given).expanduser() if given else Path(platformdirs.user_cache_dir("secryst", appauthor=False))


def model_roots() -> tuple[Path, ...]:
    """Folders that hold cached models as ``<root>/<id>/<file>.zip``; the first is the one to write to.

    With ``$SECRYST_CACHE`` set it is the only one, as for the other runtimes of this format.
    """
    roots = [cache_dir()]
    if not os.environ.get(CACHE):
        roots += [Path.home() / ".cache" / name for name in ("secryst", "interscript")]
    return tuple(dict.fromkeys(root / "models" for root in roots))


def work_dir() -> Path:
    """A writable folder for what can be made again: verified graphs, remembered digests. Created when missing."""
    given = os.environ.get(WORK)
    if given:
        return _created(Path(given).expanduser())
    usual = Path(platformdirs.user_cache_dir(APP, appauthor=False))
    try:
        created = _created(usual)
        with tempfile.TemporaryFile(dir=created):
            return created
    except OSError:
        return _fallback()


def config_dir() -> Path:
    """Settings, window geometry, the text being worked on. Not created."""
    given = os.environ.get(CONFIG)
    return Path(given).expanduser() if given else Path(platformdirs.user_config_dir(APP, appauthor=False))


def history_file() -> Path:
    """The history of translations: beside given settings, else in the folder for what a user would miss. Not created.

    Not among the settings by default: where those follow a user from machine to machine, a long history should not.
    """
    given = os.environ.get(CONFIG)
    folder = config_dir() if given else Path(platformdirs.user_data_dir(APP, appauthor=False))
    return folder / "history.sqlite"


def log_dir() -> Path:
    """Log files. Not created."""
    return Path(platformdirs.user_log_dir(APP, appauthor=False))


def _created(path: Path) -> Path:
    path.mkdir(parents=True, exist_ok=True)
    return path


@cache
def _fallback() -> Path:
    """One folder for this process, where the user's cache cannot be written (a read-only home, a full quota)."""
    return Path(tempfile.mkdtemp(prefix=f"{APP}-"))
