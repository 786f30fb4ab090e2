"""What is counted while decoding. Each rate has its formula here and nowhere else."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Statistics:
    """Counts and seconds, of a block, a line or a run; they add up.

    ``blocks``: decided blocks. ``passes``: verifier calls; one a block, and more where a near-tie was decided again
    or a block is verified token by token. ``drafted``, ``accepted``: draft tokens and how many of them were the
    verifier's own. ``corrections``: blocks with a divergence. ``bonus``: fully accepted blocks that yielded one token
    more. ``emitted``: tokens of the output, without end tokens. ``rechecked``: near-ties decided again by single
    steps. ``encode_s``, ``draft_s``, ``verify_s``: seconds in the encoders, the drafter, the verifier; ``total_s``:
    from beginning to end.
    """

    blocks: int = 0
    passes: int = 0
    drafted: int = 0
    accepted: int = 0
    bonus: int = 0
    corrections: int = 0
    emitted: int = 0
    rechecked: int = 0
    encode_s: float = 0.0
    draft_s: float = 0.0
    verify_s: float = 0.0
    total_s: float = 0.0

    def __add__(self, other: Statistics) -> Statistics:
        return Statistics(*(getattr(self, name) + getattr(other, name) for name in self.__dataclass_fields__))

    @property
    def acceptance_rate(self) -> float | None:
        """Accepted over drafted, 0..1; None when nothing was drafted."""
        return self.accepted / self.drafted if self.drafted else None

    @property
    def tokens_per_pass(self) -> float | None:
        """Emitted tokens over verifier calls; None before the first call."""
        return self.emitted / self.passes if self.passes else None

    @property
    def tokens_per_s(self) -> float | None:
        """Emitted tokens a second, encoders included; None before any time has passed."""
        return self.emitted / self.total_s if self.total_s else None

    def as_dict(self) -> dict[str, float | int | None]:
        """Every count and rate by name, for JSON."""
        counts = {name: getattr(self, name) for name in self.__dataclass_fields__}
        rates = {name: getattr(self, name) for name in ("acceptance_rate", "tokens_per_pass", "tokens_per_s")}
        return counts | rates
