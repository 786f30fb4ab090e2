"""The one object that lives on the worker thread: it loads models, decodes, and tells what happened.

Loading and decoding take from milliseconds to minutes; on the window's thread either would freeze it. The worker
keeps the models of its last request, because most requests differ from the one before in their text alone.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from secryst_gui.errors import SecrystError
from secryst_gui.ui.requests import (
    BuiltinDrafter,
    Compare,
    Compared,
    Decoding,
    Delivery,
    Failed,
    Loaded,
    Loading,
    Notice,
    Pair,
    Prepare,
    Request,
    Stopped,
    Survey,
    Surveyed,
    Sweep,
    SweepEnded,
    Swept,
    Translate,
)

if TYPE_CHECKING:
    from secryst_gui.artifacts import Store
    from secryst_gui.engine import DecodeEvent, Drafter, IMFModel, SpeculativeModel

log = logging.getLogger(__name__)

ModelKey = tuple[Path, int, int, int, bool]  # path, size, mtime_ns, threads, drafting: what makes a loaded model stale


class DecodingWorker(QObject):
    """Serves one request after the other; everything it has to say leaves through ``happened``.

    Only `cancel_up_to` may be called from another thread.
    """

    # Not `event`: that would shadow QObject.event and break the object's event handling.
    happened = Signal(object)

    def __init__(self, store: Store) -> None:
        super().__init__()
        self._store = store
        self._models: dict[ModelKey, IMFModel] = {}
        self._running: SpeculativeModel | None = None
        self._cancelled_up_to = -1  # an int is replaced in one step, so no lock is needed

    def cancel_up_to(self, number: int) -> None:
        """End all requests up to ``number``, also one inside a decoder call. Thread-safe, returns at once."""
        self._cancelled_up_to = max(self._cancelled_up_to, number)
        running = self._running
        if running is not None:
            running.cancel()

    @Slot(object)
    def serve(self, request: Request) -> None:
        """Do what is asked; an error becomes a `Failed`, so that nothing ever leaves the thread as an exception."""
        try:
            if self._is_cancelled(request):
                self._tell(request, Stopped())
            elif isinstance(request, Survey):
                self._survey(request)
            elif isinstance(request, Prepare):
                self._prepare(request)
            else:
                self._decode(request)
        except SecrystError as error:
            self._tell(request, Failed(str(error)))
        except OSError as error:  # a model on a disk that went away, an unreadable folder
            log.warning("request failed", exc_info=True)
            self._tell(request, Failed(f"A file could not be read: {_one_line(error)}. Check it and try again."))
        except Exception as error:
            # The last resort on this thread: an exception that leaves a slot is printed and lost, and the window
            # would say "Translating" for ever.
            log.exception("request failed unexpectedly")
            kind = type(error).__name__
            self._tell(request, Failed(f"Something unexpected went wrong ({kind}: {_one_line(error)}); try again."))

    def release(self) -> None:
        """Close every model. Call it on the worker's thread, or once that thread has ended."""
        for model in self._models.values():
            model.close()
        self._models.clear()

    def _tell(self, request: Request, event: DecodeEvent | Notice) -> None:
        self.happened.emit(Delivery(request.number, event))

    def _is_cancelled(self, request: Request) -> bool:
        return request.number <= self._cancelled_up_to

    def _survey(self, request: Survey) -> None:
        listings = tuple(self._store.list())
        self._tell(request, Surveyed(listings, self._store.default_pair()))

    def _prepare(self, request: Prepare) -> None:
        verifier, drafters = self._load(request)
        self._tell(request, _loaded(request.pair, verifier, drafters))

    def _decode(self, request: Decoding) -> None:
        verifier, drafters = self._load(request)
        if self._is_cancelled(request):
            self._tell(request, Stopped())
            return
        self._tell(request, _loaded(request.pair, verifier, drafters))
        try:
            if isinstance(request, Translate):
                self._translate(request, verifier, drafters)
            elif isinstance(request, Compare):
                self._compare(request, verifier, drafters)
            else:
                self._sweep(request, verifier, drafters)
        finally:
            self._running = None

    def _translate(self, request: Translate, verifier: IMFModel, drafters: Sequence[IMFModel | Drafter]) -> None:
        from secryst_gui.engine import DecodeOptions, SpeculativeModel

        pair = self._running = SpeculativeModel(drafters, verifier, block_size=request.block_size)
        options = DecodeOptions(raw=request.raw)
        for event in pair.decode(request.text, options, lambda: self._is_cancelled(request)):
            self._tell(request, event)

    def _compare(self, request: Compare, verifier: IMFModel, drafters: Sequence[IMFModel | Drafter]) -> None:
        from secryst_gui.engine import DecodeOptions, SpeculativeModel, compare

        pair = self._running = SpeculativeModel(drafters, verifier, block_size=request.block_size)
        options = DecodeOptions(raw=request.raw)
        found = compare(pair, request.text, options, lambda: self._is_cancelled(request))
        self._tell(request, Compared(found) if found is not None else Stopped())

    def _sweep(self, request: Sweep, verifier: IMFModel, drafters: Sequence[IMFModel | Drafter]) -> None:
        from secryst_gui.engine import DecodeOptions, sweep

        points = sweep(
            verifier,
            drafters,
            request.text,
            request.sizes,
            DecodeOptions(raw=request.raw),
            lambda: self._is_cancelled(request),
            self._run,
        )
        total, done = len(drafters) * len(request.sizes), 0
        for done, point in enumerate(points, 1):
            self._tell(request, Swept(point, done, total))
        self._tell(request, SweepEnded(cancelled=done < total))

    def _run(self, model: SpeculativeModel) -> None:
        """``model`` is what a cancellation has to reach from now on."""
        self._running = model

    def _load(self, request: Prepare | Decoding) -> tuple[IMFModel, list[IMFModel | Drafter]]:
        """The request's models, from those kept or from disk. What the request does not use is closed first."""
        pair, threads = request.pair, request.threads
        # A model that drafts for itself is the same one, opened once.
        drafting = self._drafting(pair)
        wanted = {
            _key(pair.verifier, threads, False),
            *(_key(path, threads, path != pair.verifier) for path in drafting),
        }
        for key in self._models.keys() - wanted:
            self._models.pop(key).close()
        verifier = self._model(request, pair.verifier, drafting=False)
        models = [self._model(request, path, drafting=path != pair.verifier) for path in drafting]
        return verifier, [*_builtin(pair, verifier), *models, *_fallback(pair)]

    def _drafting(self, pair: Pair) -> list[Path]:
        """The zips that draft: the chosen one; for auto the smallest that fits."""
        if isinstance(pair.drafter, Path):
            return [pair.drafter]
        if pair.drafter is not BuiltinDrafter.AUTO:
            return []
        from secryst_gui.artifacts import fitting

        verifier = self._store.find(str(pair.verifier))
        return [one.path for one in fitting(verifier, self._store.list())[:1]]

    def _model(self, request: Prepare | Decoding, path: Path, *, drafting: bool) -> IMFModel:
        # Imported here, not above: the runtime takes a third of a second to import, and the window should be seen
        # before that.
        from secryst_gui.engine import EngineOptions, IMFModel

        key = _key(path, request.threads, drafting)
        if key not in self._models:
            self._tell(request, Loading(path.name))
            self._models[key] = IMFModel.load(path, EngineOptions(threads=request.threads, drafting=drafting))
        return self._models[key]


def _key(path: Path, threads: int, drafting: bool) -> ModelKey:
    """Identifies an artifact as it is on disk now; a file that is gone keeps a key, so that opening it says why."""
    try:
        found = path.stat()
    except OSError:
        return (path, -1, -1, threads, drafting)
    return (path, found.st_size, found.st_mtime_ns, threads, drafting)


def _builtin(pair: Pair, verifier: IMFModel) -> list[Drafter]:
    """Drafters without a zip of their own that go before models."""
    from secryst_gui.engine import HeadDrafter, LookupDrafter

    if pair.drafter is BuiltinDrafter.LOOKUP:
        return [LookupDrafter()]
    if pair.drafter is BuiltinDrafter.HEAD or (pair.drafter is BuiltinDrafter.AUTO and verifier.has_head):
        return [HeadDrafter(verifier)]
    return []


def _fallback(pair: Pair) -> list[Drafter]:
    """What auto tries after everything else."""
    from secryst_gui.engine import LookupDrafter

    return [LookupDrafter()] if pair.drafter is BuiltinDrafter.AUTO else []


def _loaded(pair: Pair, verifier: IMFModel, drafters: Sequence[IMFModel | Drafter]) -> Loaded:
    from secryst_gui.engine import IMFModel
    from secryst_gui.records import ModelRecord

    drafting = [
        ModelRecord.of(drafter.manifest) if isinstance(drafter, IMFModel) else ModelRecord(drafter.name)
        for drafter in drafters
    ]
    return Loaded(pair, _remark(verifier), ModelRecord.of(verifier.manifest), tuple(drafting))


def _remark(verifier: IMFModel) -> str | None:
    if verifier.multi_token:
        return None
    return verifier.multi_token_reason


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split())
