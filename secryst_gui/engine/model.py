"""One artifact, opened: encode, draft, review, and plain greedy decoding, the oracle of everything else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import NamedTuple

import numpy as np

from secryst_gui.artifacts import Artifact, open_artifact
from secryst_gui.engine import tokens
from secryst_gui.engine.decoder import HIDDEN, IDS, DecoderState
from secryst_gui.engine.decoders import Decoders
from secryst_gui.engine.normalise import normalise
from secryst_gui.engine.options import WINDOW_BYTES, DecodeOptions, EngineOptions
from secryst_gui.engine.outline import Outline
from secryst_gui.engine.probe import TEXT
from secryst_gui.engine.session import Array, Interrupt, Session
from secryst_gui.engine.stopper import Stopper
from secryst_gui.engine.windows import lines, windows
from secryst_gui.errors import DecodeError, GraphError

ENCODER, DECODER, KV_DECODER, DRAFT = "encoder.onnx", "decoder.onnx", "decoder-kv.onnx", "draft.onnx"
INSERTIONS = "insertions"
#: Single steps that are worth taking to be able to go on with single steps.
CATCH_UP = 32


@dataclass(frozen=True)
class Encoded:
    """A source that one model has read, with the decoder states that grow over it. ``hidden``: [1,S,D] or [1,S]."""

    source: str
    ids: tuple[int, ...]
    hidden: Array
    decoders: Decoders

    @cached_property
    def steps(self) -> DecoderState:
        """Fed one token a call, so that its logits are those of plain decoding, to the bit."""
        return self.decoders.steps.state(self._read, single=True)

    @cached_property
    def passes(self) -> DecoderState:
        """Fed a block a call."""
        return self.decoders.pass_state(self._read)

    @cached_property
    def _read(self) -> dict[str, Array]:
        return self.decoders.steps.read(self.hidden)


class Review(NamedTuple):
    """A verifier's answer to a block.

    ``verdicts``: its argmax at each position of the block; they may end after the first divergence. ``after``: its
    token after the block, None if they ended. ``gaps``: top-1 minus top-2 logit of each of these. ``passes``: decoder
    calls that it took. ``rechecked``: near-ties decided by single steps.
    """

    verdicts: tuple[int, ...]
    after: int | None
    gaps: tuple[float, ...]
    passes: int
    rechecked: int


class IMFModel:
    """An opened model. Use :meth:`load`; close it, or use it in a ``with``. One thread at a time may decode with it."""

    def __init__(self, artifact: Artifact, options: EngineOptions) -> None:
        self.artifact = artifact
        self.manifest = artifact.manifest
        self.interrupt = Interrupt()
        self._encoder: Session | None = Session(artifact.graphs[ENCODER], options, self.interrupt, whole=True)
        if len(self._encoder.inputs) != 1:
            raise GraphError(
                f"expected {ENCODER} with the one input input_ids, found {', '.join(self._encoder.inputs)}; "
                "get another export of this model"
            )
        name = KV_DECODER if artifact.has_kv else DECODER
        self._head = (
            Session(artifact.graphs[DRAFT], options, self.interrupt, whole=True) if DRAFT in artifact.graphs else None
        )
        read = self._hidden(tokens.encode(TEXT))
        self._decoders = Decoders(artifact.graphs[name], options, self.interrupt, read)
        self._probe = self._decoders.probe

    @classmethod
    def load(cls, path: Path | str, options: EngineOptions | None = None) -> IMFModel:
        """Open the zip at ``path``: every member's digest is verified before a session is opened.

        Raises an ArtifactError, StoreError or GraphError that says what is wrong.
        """
        artifact = open_artifact(path, only=(ENCODER, KV_DECODER, DRAFT))
        if not artifact.has_kv:
            artifact = open_artifact(path, only=(ENCODER, DECODER, DRAFT))
        return cls(artifact, options or EngineOptions())

    @property
    def id(self) -> str:
        return self.manifest.id

    @property
    def task(self) -> str:
        return self.manifest.task

    @property
    def precision(self) -> str:
        return self.manifest.precision

    @property
    def vocabulary(self) -> int:
        """V, the number of token ids that the decoder knows."""
        return self._probe.vocabulary

    @property
    def multi_token(self) -> bool:
        """Whether a block is verified in one pass (else token by token: exact too, but not faster)."""
        return self._probe.multi_token

    @property
    def multi_token_reason(self) -> str | None:
        """Why it is not; None if it is."""
        return self._probe.reason

    @property
    def near_tie(self) -> float:
        """The gap, in logits, below which a verdict of a pass is decided again by single steps; 0 where passes and
        single steps agree to the bit."""
        return self._probe.near_tie

    @property
    def has_head(self) -> bool:
        """Whether the file has a draft head, which outlines a whole output in one pass."""
        return self._head is not None

    def outline(self, encoded: Encoded) -> Outline | None:
        """The whole output as the draft head guesses it; None without a head. One pass, whatever the length."""
        if self._head is None:
            return None
        feed = {IDS: np.array([encoded.ids], self._head.dtype(IDS)), HIDDEN: encoded.hidden}
        (insertions,) = self._head.run([INSERTIONS], feed)
        return Outline(encoded.source, insertions[0].tolist())

    def encode(self, text: str, raw: bool = False) -> Encoded | None:
        """Read a source: normalised once (unless ``raw``), tokenised, encoded. None for empty text."""
        source = text if raw else normalise(text)
        if not source:
            return None
        ids = tokens.encode(source)
        return Encoded(source, tuple(ids), self._hidden(ids), self._decoders)

    def draft(self, encoded: Encoded, prefix: Sequence[int], k: int, confidence: float = 0.0) -> list[int]:
        """The greedy continuation of ``prefix``, at most ``k`` tokens, ending at an end token.

        ``confidence``: it ends too before a token that makes the product of the tokens' probabilities, 0..1, fall
        below this.
        """
        draft: list[int] = []
        sure = 1.0
        while len(draft) < k and (not draft or draft[-1] != tokens.EOS):
            logits = encoded.steps.logits([*prefix, *draft])[-1]
            token = int(logits.argmax())
            if confidence > 0:
                sure /= float(np.exp(logits.astype(np.float64) - float(logits[token])).sum())
                if sure < confidence:
                    break
            draft.append(token)
        return draft

    def review(self, encoded: Encoded, prefix: Sequence[int], block: Sequence[int]) -> Review:
        """Decide ``block`` after ``prefix``: one decoder call, and single steps for near-ties.

        Where a pass cannot be trusted, positions are decided by single steps up to the first divergence.
        """
        steps, passes = encoded.steps, encoded.passes
        before = steps.calls + passes.calls
        wanted = [*block, None]
        verdicts: list[int] = []
        gaps: list[float] = []
        # Where passes have a form of their own, a single token is decided sooner, and finally, by the form for steps,
        # unless that has fallen far behind. Where the forms agree to the bit, the sequence takes either by itself.
        separate = self._decoders.passes is not self._decoders.steps and not self._decoders.agree
        stepping = not block and separate and steps.missing(prefix) <= CATCH_UP
        if self.multi_token and not stepping:
            verdicts, gaps = decided(passes.logits([*prefix, *block], len(wanted)))
        rechecked = 0
        for place, token in enumerate(wanted):
            if not self.multi_token or stepping or gaps[place] < self.near_tie:
                verdict, gap = decided(steps.logits([*prefix, *block[:place]]))
                verdicts[place : place + 1], gaps[place : place + 1] = verdict, gap
                rechecked += self.multi_token and not stepping
            if verdicts[place] != token or token == tokens.EOS:
                break
        after = verdicts[len(block)] if len(verdicts) > len(block) else None
        calls = steps.calls + passes.calls - before
        return Review(tuple(verdicts[: len(block)]), after, tuple(gaps), calls, rechecked)

    def generate(self, text: str, max_len: int = 256, raw: bool = False, guard: bool | None = None) -> list[int]:
        """Plain greedy decoding, one token a step, of ``text`` as one window. The end token is not kept.

        ``guard``: see :class:`DecodeOptions`.
        """
        encoded = self.encode(text, raw)
        return self.greedy(encoded, max_len, guard) if encoded is not None else []

    def greedy(self, encoded: Encoded, max_len: int = 256, guard: bool | None = None) -> list[int]:
        """What :meth:`generate` does with a source that has been read."""
        stopper = Stopper(max_len, DecodeOptions(guard=guard).guards(self.task))
        while stopper.reason is None:
            stopper.push(int(encoded.steps.logits(stopper.output)[-1].argmax()))
        return stopper.output

    def translate(self, text: str, max_len: int = 256, raw: bool = False, guard: bool | None = None) -> str:
        """Plain greedy decoding, line by line and window by window; line breaks survive. ``max_len``: for a window."""
        pieces: list[str] = []
        for line, ending in lines(text):
            if not line.strip():
                pieces.append(line)
            else:
                for window in windows(line if raw else normalise(line), WINDOW_BYTES):
                    output = self.generate(window.text, max_len, raw=True, guard=guard)
                    pieces += [window.before, tokens.decode(output)]
            pieces.append(ending)
        return "".join(pieces)

    def close(self) -> None:
        """Let go of the sessions; the model cannot encode any more."""
        self._encoder = self._head = None
        self.__dict__.pop("_decoders", None)  # closing twice is no mistake

    def __enter__(self) -> IMFModel:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _hidden(self, ids: Sequence[int]) -> Array:
        encoder = self._encoder
        if encoder is None:
            raise DecodeError(f"expected an open model, found {self.id} closed; load it again")
        (name,) = encoder.inputs
        return encoder.run([next(iter(encoder.outputs))], {name: np.array([ids], encoder.dtype(name))})[0]


def decided(logits: Array) -> tuple[list[int], list[float]]:
    """The argmax of each row of ``logits`` [N,V], and its gap: top-1 minus top-2, at least 0."""
    best = logits.argmax(-1).tolist()
    gaps: list[float] = []
    for row, place in zip(logits, best, strict=True):  # hiding the maximum takes a fifth of what partitioning takes
        top = row[place]
        row[place] = -np.inf
        gaps.append(float(top) - float(row.max()))
        row[place] = top
    return best, gaps
