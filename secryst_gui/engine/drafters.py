"""What proposes tokens to a verifier. The output does not depend on it; how soon it comes does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from secryst_gui.engine.lookup import LookupDrafter
from secryst_gui.engine.model import Encoded, IMFModel
from secryst_gui.engine.outline import Outline
from secryst_gui.errors import PairError


class Drafter(Protocol):
    """Three calls: a source begins; a block is proposed; what the verifier decided is observed."""

    @property
    def name(self) -> str:
        """For people: in the window, in JSON."""

    def begin(self, source: str, source_ids: Sequence[int]) -> None:
        """Start a window: forget everything, then read ``source`` (normalised) and its ids with the end token."""

    def propose(self, prefix: Sequence[int], k: int) -> list[int]:
        """At most ``k`` tokens that may follow ``prefix``, none after an end token. May be empty."""

    def observe(self, decided: Sequence[int]) -> None:
        """The tokens that the verifier decided after the last prefix, corrections and bonus included."""


class ModelDrafter:
    """A smaller model drafts, by greedy continuation of what was decided; or its draft head does, at almost no cost.

    ``head``: use the model's draft head where its file has one. ``confidence``, 0..1, may be set before each block:
    the draft ends where the model is less sure of the whole of it; a draft head does not tell.
    """

    def __init__(self, model: IMFModel, *, head: bool = True) -> None:
        self.model = model
        self.confidence = 0.0
        self._head = head and model.has_head
        self._encoded: Encoded | None = None
        self._outline: Outline | None = None

    @property
    def name(self) -> str:
        return self.model.artifact.path.stem

    def begin(self, source: str, source_ids: Sequence[int]) -> None:  # noqa: ARG002 - the model makes its own ids
        self._encoded = self.model.encode(source, raw=True)
        self._outline = self.model.outline(self._encoded) if self._head and self._encoded is not None else None

    def propose(self, prefix: Sequence[int], k: int) -> list[int]:
        if self._outline is not None:
            return self._outline.after(prefix, k)
        return self.model.draft(self._encoded, prefix, k, self.confidence) if self._encoded is not None else []

    def observe(self, decided: Sequence[int]) -> None:
        """Nothing to do: the decoder state finds for itself what it has in common with the next prefix."""


class HeadDrafter:
    """The draft head of a model's own file: the whole output outlined in one pass over what the model has read."""

    name = "head"

    def __init__(self, model: IMFModel) -> None:
        """Raises PairError when the file has no draft head."""
        if not model.has_head:
            raise PairError(f"expected a model with a draft head, found {model.id} without; choose another drafter")
        self.model = model
        self._outline: Outline | None = None

    def begin(self, source: str, source_ids: Sequence[int]) -> None:  # noqa: ARG002 - the model makes its own ids
        encoded = self.model.encode(source, raw=True)
        self._outline = self.model.outline(encoded) if encoded is not None else None

    def read(self, encoded: Encoded) -> None:
        """Begin with what the model has encoded already."""
        self._outline = self.model.outline(encoded)

    def propose(self, prefix: Sequence[int], k: int) -> list[int]:
        return self._outline.after(prefix, k) if self._outline is not None else []

    def observe(self, decided: Sequence[int]) -> None:
        """Nothing to do: the outline finds its place in the next prefix."""


__all__ = ["Drafter", "HeadDrafter", "LookupDrafter", "ModelDrafter"]
