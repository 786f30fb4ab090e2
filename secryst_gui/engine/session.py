"""ONNX Runtime sessions, opened and run so that an application stays responsive.

Opened from a *path*: from bytes, opening would hold Python's lock for up to half a second. Threads spin while a run is
on (measured: a step of a decoder of 90 MB takes 2.9 ms so, 4.4 ms else, and 2.9 ms with the other's threads spinning
on), and stop spinning when it ends: drafter and verifier take turns, spinning threads of one would take the cores of
the other, and an idle application uses none. Every run can be ended from another thread.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime as ort
import psutil
from numpy.typing import NDArray

from secryst_gui.engine.options import EngineOptions
from secryst_gui.errors import DecodeError, GraphError

Array = NDArray[Any]
#: numpy types of ONNX Runtime's tensor type names, as far as graphs of this format have them.
DTYPES: dict[str, type[np.generic]] = {
    "tensor(float)": np.float32,
    "tensor(float16)": np.float16,
    "tensor(double)": np.float64,
    "tensor(int64)": np.int64,
    "tensor(int32)": np.int32,
}
#: A decoder below this is done with its products before a second thread has brought anything.
SMALL_GRAPH_BYTES = 32 << 20
#: What goes wrong is raised; a run that is ended on request would else leave a line on standard error.
_FATAL_ONLY = 4


class Cancelled(Exception):  # noqa: N818 - not an error: the caller asked for it
    """A run was ended on request. Never leaves the engine."""


class Interrupt:
    """Ends the run in progress, and those after it, while a request is being served. Safe to call from any thread.

    Outside of a request it does nothing: one that comes too late must not end what is asked for next.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: ort.RunOptions | None = None
        self._armed = False
        self._requested = False

    def request(self) -> None:
        with self._lock:
            self._requested = self._armed
            if self._armed and self._running is not None:
                self._running.terminate = True

    def arm(self) -> None:
        """A request begins, which may be ended."""
        with self._lock:
            self._armed, self._requested = True, False

    def disarm(self) -> None:
        """It is over, however it ended."""
        with self._lock:
            self._armed = self._requested = False

    @property
    def requested(self) -> bool:
        return self._requested

    def begin(self) -> ort.RunOptions:
        """Options for one run; they are fresh, because a terminated one stays terminated."""
        with self._lock:
            if self._requested:
                raise Cancelled
            self._running = ort.RunOptions()
            return self._running

    def end(self) -> None:
        with self._lock:
            self._running = None


def physical_cores() -> int:
    """Physical cores that this process may use, at least 1."""
    cores = psutil.cpu_count(logical=False) or 1
    try:
        allowed = len(psutil.Process().cpu_affinity())
    except (AttributeError, psutil.Error):  # not every system has affinities
        return cores
    return max(1, min(cores, allowed))


def suitable_threads(path: Path, *, whole: bool) -> int:
    """All physical cores for a large graph, or one that takes a ``whole`` source at once; else one thread."""
    return physical_cores() if whole or path.stat().st_size > SMALL_GRAPH_BYTES else 1


class Session:
    """One graph, opened. ``inputs`` and ``outputs`` map names to ONNX Runtime's descriptions (type and shape).

    ``whole``: it is run over a whole source, once, not token by token.
    """

    def __init__(self, path: Path, options: EngineOptions, interrupt: Interrupt, *, whole: bool = False) -> None:
        settings = ort.SessionOptions()
        settings.intra_op_num_threads = options.threads or suitable_threads(path, whole=whole)
        settings.inter_op_num_threads = 1
        settings.log_severity_level = _FATAL_ONLY
        settings.add_session_config_entry("session.force_spinning_stop", "1")
        try:
            self._session = ort.InferenceSession(str(path), settings, providers=["CPUExecutionProvider"])
        except Exception as error:  # ONNX Runtime's own exceptions share no base but Exception
            raise GraphError(
                f"expected a graph that ONNX Runtime {ort.__version__} can open, found {path.name} ({_line(error)}); "
                "get another export of this model"
            ) from None
        self._interrupt = interrupt
        self.path = path
        self.inputs = {each.name: each for each in self._session.get_inputs()}
        self.outputs = {each.name: each for each in self._session.get_outputs()}

    def run(self, names: Sequence[str], feed: Mapping[str, Array]) -> list[Array]:
        """The outputs ``names``. Raises Cancelled when interrupted, DecodeError when the runtime fails."""
        options = self._interrupt.begin()
        try:
            return list(self._session.run(names, feed, options))
        except Exception as error:
            if self._interrupt.requested:
                raise Cancelled from None
            raise DecodeError(
                f"expected an answer from {self.path.name}, found a failure of the runtime ({_line(error)}); "
                "verify the model with 'secryst-gui models verify'"
            ) from None
        finally:
            self._interrupt.end()

    def dtype(self, name: str) -> type[np.generic]:
        """The numpy type of an input or output; GraphError if it is one that graphs of this format never have."""
        described = self.inputs.get(name) or self.outputs[name]
        if described.type not in DTYPES:
            raise GraphError(
                f"expected numbers as {name} in {self.path.name}, found {described.type}; get another export"
            )
        return DTYPES[described.type]


def _line(error: BaseException) -> str:
    return " ".join(str(error).split())[:160]
