"""Step 2: train a tier on vowelled text, first its encoder on the marks alone, then its decoder on the bytes.

    python -m models.recipe.train --data DATA --out RUN --tier verifier --stage encoder --minutes 60
    python -m models.recipe.train --data DATA --out RUN --tier verifier --stage decoder --minutes 30

The encoder decides the marks, one decision a letter, so an hour spent on it alone sees five times the text that
training everything together would. The decoder then learns to spell those decisions out as bytes. ``--stage joint``
trains both. ``--device cuda`` uses a GPU.
"""

from __future__ import annotations

import argparse

import torch
from torch.nn import functional

from models.recipe.batches import Batch
from models.recipe.loop import add_options, fit
from models.recipe.model import TIERS, Tier

NAN = float("nan")


def agreement(logits: torch.Tensor, wanted: torch.Tensor) -> float:
    """The share of positions whose argmax is the wanted one; positions wanted as -100 do not count."""
    known = wanted >= 0
    return (logits.argmax(-1) == wanted)[known].float().mean().item()


def losses(tier: Tier, batch: Batch, stage: str, dropout: float) -> tuple[torch.Tensor, float, float]:
    """The loss in nats, and the accuracy on marks and on bytes (nan where the stage has none)."""
    with torch.set_grad_enabled(stage != "decoder" and torch.is_grad_enabled()):
        states = tier.encode(batch.characters, dropout if stage != "decoder" else 0.0)
    loss = torch.zeros((), device=states.device)
    marks = spelt = NAN
    if stage != "decoder":
        logits = tier.marks(states)
        loss = loss + functional.cross_entropy(logits.flatten(0, 1), batch.labels.flatten(), label_smoothing=0.02)
        marks = agreement(logits, batch.labels)
    if stage != "encoder":
        logits, _ = tier.decode(batch.tokens, batch.place, tier.rows(states, batch.owner, batch.source))
        loss = loss + functional.cross_entropy(logits.flatten(0, 1), batch.targets.flatten())
        spelt = agreement(logits, batch.targets)
    return loss, marks, spelt


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tier", choices=TIERS, required=True)
    add_options(parser)
    options = parser.parse_args()
    fit(options.tier, options, lambda tier, batch, dropout: losses(tier, batch, options.stage, dropout))


if __name__ == "__main__":
    main()
