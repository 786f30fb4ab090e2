"""Step 2: train a tier on vowelled text, first its encoder on the marks alone, then its decoder on the bytes.

    python -m models.recipe.train --data DATA --out RUN --tier verifier --stage encoder --minutes 60
    python -m models.recipe.train --data DATA --out RUN --tier verifier --stage decoder --minutes 30

The encoder decides the marks, one decision a letter, so an hour spent on it alone sees five times the text that
training everything together would. The decoder then learns to spell those decisions, right or wrong, as bytes: what
it writes is what the encoder decided, and every byte of the source is copied. ``--device cuda`` uses a GPU.
"""

from __future__ import annotations

import argparse

import torch
from torch.nn import functional

from models.recipe.batches import Batch, collate
from models.recipe.loop import add_options, fit
from models.recipe.model import TIERS, Tier

NAN = float("nan")


def agreement(logits: torch.Tensor, wanted: torch.Tensor) -> float:
    """The share of positions whose argmax is the wanted one; positions wanted as -100 do not count."""
    known = wanted >= 0
    return (logits.argmax(-1) == wanted)[known].float().mean().item()


def mark_objective(tier: Tier, batch: Batch, dropout: float) -> tuple[torch.Tensor, float, float]:
    """Cross-entropy of the marks of known letters, in nats."""
    logits = tier.marks(tier.encode(batch.characters, dropout))
    loss = functional.cross_entropy(logits.flatten(0, 1), batch.labels.flatten(), label_smoothing=0.02)
    return loss, agreement(logits, batch.labels), NAN


def spelling_objective(tier: Tier, batch: Batch, _: float) -> tuple[torch.Tensor, float, float]:
    """Cross-entropy of the bytes that spell the encoder's own decisions, in nats."""
    states, spelt = own_spelling(tier, batch)
    logits, _presents = tier.decode(spelt.tokens, spelt.place, tier.rows(states, spelt.owner, spelt.source))
    return (
        functional.cross_entropy(logits.flatten(0, 1), spelt.targets.flatten()),
        NAN,
        agreement(logits, spelt.targets),
    )


@torch.no_grad()
def own_spelling(tier: Tier, batch: Batch) -> tuple[torch.Tensor, Batch]:
    """The states [B,L,D] of ``batch``, and ``batch`` with the marks that ``tier``'s encoder decides on."""
    states = tier.encode(batch.characters)
    labels = tier.marks(states).argmax(-1)
    pairs = []
    for row, real, ids in zip(labels.tolist(), batch.real.tolist(), batch.characters.tolist(), strict=True):
        length = sum(real)
        letters = bytes(i - 3 for character in ids[:length] for i in character if i).decode()
        pairs.append((letters, row[:length]))
    return states, collate(pairs).to(str(states.device))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tier", choices=TIERS, required=True)
    add_options(parser)
    options = parser.parse_args()
    fit(options.tier, options, mark_objective if options.stage == "encoder" else spelling_objective)


if __name__ == "__main__":
    main()
