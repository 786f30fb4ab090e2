"""A decoder graph behind one face, whether or not it keeps keys and values.

Contract (IMF v1): ``input_ids`` [B,N], ``encoder_hidden_states`` -> ``logits`` [B,N,V]; with keys and values also
``past_*`` in and ``present_*`` out, the sequence on axis 2. Which pairs there are, their heads, widths and types are
read from the graph: a graph may carry more pairs than layers, and nothing here guesses.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx

from secryst_gui.engine.session import Array, Session
from secryst_gui.engine.tokens import PAD
from secryst_gui.errors import DecodeError, GraphError

IDS, HIDDEN, LOGITS = "input_ids", "encoder_hidden_states", "logits"
PAST, PRESENT = "past_", "present_"
_CHUNK = 1 << 22


class Decoder:
    """The decoder of one model; :meth:`read` takes a source, :meth:`state` begins a sequence over it.

    ``prologue``: a graph that makes, of the hidden states, what ``session`` takes in their place.
    """

    def __init__(self, session: Session, prologue: Session | None = None) -> None:
        self.session = session
        self.prologue = prologue
        carried = list(prologue.outputs) if prologue is not None else []
        needed = (IDS, *carried) if carried else (IDS, HIDDEN)
        missing = [name for name in needed if name not in session.inputs]
        missing += [] if LOGITS in session.outputs else [LOGITS]
        if missing:
            found = ", ".join([*session.inputs, *session.outputs])
            raise GraphError(f"expected {', '.join(missing)} in {session.path.name}, found {found}; get another export")
        self.pasts = {name: name.replace(PAST, PRESENT, 1) for name in session.inputs if name.startswith(PAST)}
        unknown = [name for name in session.inputs if name not in (IDS, HIDDEN, *carried, *self.pasts)]
        lost = [present for present in self.pasts.values() if present not in session.outputs]
        if unknown or lost:
            found = ", ".join(unknown + lost)
            raise GraphError(f"expected a past for each present and nothing else in {session.path.name}, found {found}")
        self._empty = {name: self._zero(name) for name in self.pasts}

    @property
    def has_kv(self) -> bool:
        return bool(self.pasts)

    def read(self, hidden: Array) -> dict[str, Array]:
        """What every call takes of a source: its hidden states [1,S,D] or [1,S], or what the prologue makes of them."""
        if self.prologue is None:
            return {HIDDEN: hidden}
        names = list(self.prologue.outputs)
        carried = dict(zip(names, self.prologue.run(names, {HIDDEN: hidden}), strict=True))
        return carried | ({HIDDEN: hidden} if HIDDEN in self.session.inputs else {})

    def state(self, source: dict[str, Array], *, single: bool, several: Decoder | None = None) -> DecoderState:
        """A fresh sequence over a source. ``single``: feed one token a call, whatever is asked for. ``several``: the
        form of this decoder that is fed when there are several, if that is another one."""
        return DecoderState(self, source, dict(self._empty), single=single, several=several)

    def quantizes_per_pass(self) -> bool:
        """Whether activations get one scale for a whole pass, so that its tokens change each other's rounding.

        ``DynamicQuantizeLinear`` does, and so do the operators that ONNX Runtime's tools fuse it into
        (``DynamicQuantizeMatMul``, ``DynamicQuantizeLSTM``). A graph has one or not; the names stand in the file as
        they are.
        """
        return _occurs(self.session.path, b"DynamicQuantize")

    def _zero(self, name: str) -> Array:
        shape = list(self.session.inputs[name].shape)
        if len(shape) != 4:
            raise GraphError(
                f"expected 4 axes for {name} in {self.session.path.name}, found {len(shape)}; get another export"
            )
        for axis in (1, 3):
            if not isinstance(shape[axis], int):
                shape[axis] = self._fixed(self.pasts[name], axis)
        return np.zeros((1, shape[1], 0, shape[3]), self.session.dtype(name))

    def _fixed(self, present: str, axis: int) -> int:
        """The size of an axis that the input leaves open: from the output, or by following the graph's shapes."""
        size = self.session.outputs[present].shape[axis]
        if not isinstance(size, int):
            size = _inferred(self.session.path, present, axis)
        if not isinstance(size, int):
            raise GraphError(
                f"expected a fixed size for axis {axis} of {present} in {self.session.path.name}, found none; "
                "get an export that states its head count"
            )
        return size


class DecoderState:
    """What a decoder has been fed for one source, with its keys and values.

    Asked for the logits after any sequence, it crops to what it has in common with what was fed and feeds only the
    rest. So a caller cannot misfeed it: there is no cursor to keep.
    """

    def __init__(
        self,
        decoder: Decoder,
        source: dict[str, Array],
        pasts: dict[str, Array],
        *,
        single: bool,
        several: Decoder | None = None,
    ) -> None:
        self._decoder = decoder
        self._several = several or decoder
        self._source = source
        self._pasts = pasts
        self._single = single
        self._fed: list[int] = []
        self.calls = 0

    def logits(self, sequence: Sequence[int], count: int = 1) -> Array:
        """Logits [count,V] after each of the last ``count`` positions of the start token and ``sequence``."""
        wanted = [PAD, *sequence]
        if not self._decoder.has_kv:
            return self._whole(wanted, count)
        start = min(_common(self._fed, wanted), len(wanted) - count)
        self._crop(start)
        step = 1 if self._single else len(wanted)
        rows = [self._feed(wanted[at : at + step]) for at in range(start, len(wanted), step)]
        return (rows[0] if len(rows) == 1 else np.concatenate(rows))[-count:]

    def missing(self, sequence: Sequence[int]) -> int:
        """How many tokens would be fed to tell what comes after ``sequence``."""
        wanted = [PAD, *sequence]
        return len(wanted) - min(_common(self._fed, wanted), len(wanted) - 1)

    def _feed(self, ids: list[int]) -> Array:
        names = list(self._decoder.pasts.values())
        logits, *presents = self._run(ids, [LOGITS, *names], self._pasts)
        self._pasts = dict(zip(self._pasts, presents, strict=True))
        self._fed += ids
        return logits[0]  # type: ignore[no-any-return]

    def _whole(self, wanted: list[int], count: int) -> Array:
        """Without keys and values: the whole sequence in each call, and one call a token where ``single``."""
        if not self._single or count == 1:
            return self._run(wanted, [LOGITS], {})[0][0][-count:]  # type: ignore[no-any-return]
        ends = range(len(wanted) - count + 1, len(wanted) + 1)
        return np.stack([self._run(wanted[:end], [LOGITS], {})[0][0][-1] for end in ends])

    def _run(self, ids: list[int], names: list[str], pasts: dict[str, Array]) -> list[Array]:
        session = (self._decoder if len(ids) == 1 else self._several).session
        self.calls += 1
        feed = {IDS: np.array([ids], session.dtype(IDS)), **self._source, **pasts}
        outputs = session.run(names, feed)
        # A table of places that runs out need not fail: after optimisation it may give fewer rows, each then taken
        # for another token's.
        if outputs[0].ndim != 3 or outputs[0].shape[1] != len(ids):
            raise DecodeError(
                f"expected {LOGITS} [1,{len(ids)},V] from {session.path.name}, found {list(outputs[0].shape)}; "
                "the text may be longer than this model can write: try shorter lines"
            )
        return outputs

    def _crop(self, length: int) -> None:
        """Forget all but the first ``length`` fed tokens, in every pair alike."""
        if length < len(self._fed):
            self._fed = self._fed[:length]
            self._pasts = {name: np.ascontiguousarray(past[:, :, :length]) for name, past in self._pasts.items()}


def _common(one: Sequence[int], other: Sequence[int]) -> int:
    """The length of the common prefix."""
    if one == other[: len(one)]:  # the usual case, compared at once
        return len(one)
    length = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        length += 1
    return length


def _occurs(path: Path, name: bytes) -> bool:
    """Whether ``name`` stands in the file; read in pieces, so that other threads get their turn."""
    tail = b""
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            if name in tail + chunk:
                return True
            tail = chunk[-len(name) :]
    return False


def _inferred(path: Path, output: str, axis: int) -> int | None:
    try:
        graph = onnx.shape_inference.infer_shapes(onnx.load(str(path), load_external_data=False)).graph
    except Exception:  # inference is a courtesy: without it the caller says what is missing
        return None
    for value in graph.output:
        dimensions = value.type.tensor_type.shape.dim
        if value.name == output and axis < len(dimensions) and dimensions[axis].HasField("dim_value"):
            return int(dimensions[axis].dim_value)
    return None
