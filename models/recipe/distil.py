"""Step 3: train the drafter to predict the *verifier*, right or wrong.

    python -m models.recipe.distil --data DATA --out RUN --stage encoder --minutes 10
    python -m models.recipe.distil --data DATA --out RUN --stage decoder --minutes 10

The reference's marks are not used. Each batch is first given the verifier's own marks; the drafter's encoder learns
the verifier's distribution over them (Hinton et al. 2015, arxiv.org/abs/1503.02531). Then the verifier reads its own
spelling in one pass, and the drafter's decoder learns the verdict at every position: what acceptance counts.
"""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path

import torch
from torch import Tensor
from torch.nn import functional

from models.recipe.batches import Batch, collate
from models.recipe.loop import add_options, fit
from models.recipe.model import TIERS, Tier
from models.recipe.train import NAN, agreement


def mark_objective(verifier: Tier, tier: Tier, batch: Batch, dropout: float) -> tuple[Tensor, float, float]:
    """Cross-entropy of the drafter's marks under the verifier's distribution, in nats."""
    with torch.no_grad():
        wanted = verifier.marks(verifier.encode(batch.characters))
    logits = tier.marks(tier.encode(batch.characters, dropout))
    known = batch.labels >= 0
    loss = functional.cross_entropy(logits[known], wanted[known].softmax(-1))
    return loss, agreement(logits, torch.where(known, wanted.argmax(-1), -100)), NAN


@torch.no_grad()
def own_spelling(verifier: Tier, batch: Batch) -> tuple[Batch, Tensor]:
    """``batch`` with the verifier's marks in place of the reference's, and its verdicts [B,N] (-100 for padding)."""
    states = verifier.encode(batch.characters)
    labels = verifier.marks(states).argmax(-1)
    pairs = []
    for row, known, ids in zip(labels.tolist(), (batch.labels >= 0).tolist(), batch.characters.tolist(), strict=True):
        length = sum(known)
        letters = bytes(i - 3 for character in ids[:length] for i in character if i).decode()
        pairs.append((letters, row[:length]))
    spelt = collate(pairs).to(str(states.device))
    logits, _ = verifier.decode(spelt.tokens, spelt.place, verifier.rows(states, spelt.owner, spelt.source))
    return spelt, torch.where(spelt.targets >= 0, logits.argmax(-1), -100)


def spelling_objective(
    verifier: Tier, tier: Tier, batch: Batch, dropout: float, stage: str
) -> tuple[Tensor, float, float]:
    """Cross-entropy of the drafter's next byte against the verifier's verdict, in nats."""
    spelt, verdicts = own_spelling(verifier, batch)
    with torch.set_grad_enabled(stage == "joint" and torch.is_grad_enabled()):
        states = tier.encode(spelt.characters, dropout if stage == "joint" else 0.0)
    logits, _ = tier.decode(spelt.tokens, spelt.place, tier.rows(states, spelt.owner, spelt.source))
    loss = functional.cross_entropy(logits.flatten(0, 1), verdicts.flatten())
    return loss, NAN, agreement(logits, verdicts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--verifier", type=Path, help="the verifier's checkpoint (default: verifier.pt in --out)")
    add_options(parser)
    options = parser.parse_args()
    verifier = Tier(TIERS["verifier"]).to(options.device).eval()
    path = options.verifier or options.out / "verifier.pt"
    verifier.load_state_dict(torch.load(path, map_location=options.device, weights_only=True)["model"])
    if options.stage == "encoder":
        fit("drafter", options, partial(mark_objective, verifier))
    else:
        fit("drafter", options, partial(spelling_objective, verifier, stage=options.stage))


if __name__ == "__main__":
    main()
