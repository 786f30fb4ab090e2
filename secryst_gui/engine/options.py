"""What a caller may choose, for a model and for a request. Frozen, because both cross threads."""

from __future__ import annotations

from dataclasses import dataclass

#: The budget that the byte models of this format are trained on.
WINDOW_BYTES = 1400


@dataclass(frozen=True)
class EngineOptions:
    """How sessions are opened.

    ``threads``: for one call of a graph; 0 means one for small graphs and all physical cores for large ones.
    ``rewrite``: move what depends on the source alone out of the step, and make passes over quantized graphs exact;
    False opens graphs as they are. ``drafting``: the model only drafts, so 4-bit products may be rounded where that is
    sooner on this machine.
    """

    threads: int = 0
    rewrite: bool = True
    drafting: bool = False


@dataclass(frozen=True)
class DecodeOptions:
    """How one request is decoded.

    ``max_len``: tokens at most for a window, the end token not counted; None: four for each source byte, and 32, more
    than a reading needs. ``raw``: skip normalisation. ``guard``: stop a model that repeats itself; None: yes, but not
    in diacritization, where the output repeats whatever the text repeats and the limit ends a loop.
    ``window_bytes``: longer lines are split at spaces into windows of at most so many bytes. ``confidence``, 0..1:
    a drafting model stops where it is less sure of its draft than this; None: where K is chosen for each block, it
    stops where going on is not expected to pay, else it drafts all K.
    """

    max_len: int | None = None
    raw: bool = False
    guard: bool | None = None
    window_bytes: int = WINDOW_BYTES
    confidence: float | None = None

    def limit(self, source_bytes: int) -> int:
        """Tokens at most for a window of ``source_bytes``."""
        return self.max_len if self.max_len is not None else 4 * source_bytes + 32

    def guards(self, task: str) -> bool:
        """Whether the repetition guard is on for a model of ``task``."""
        return self.guard if self.guard is not None else task != "diacritization"
