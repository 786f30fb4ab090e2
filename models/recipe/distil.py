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

from models.recipe.batches import Batch
from models.recipe.loop import add_options, fit
from models.recipe.model import TIERS, Tier
from models.recipe.train import NAN, agreement, own_spelling


def mark_objective(verifier: Tier, tier: Tier, batch: Batch, dropout: float) -> tuple[Tensor, float, float]:
    """Cross-entropy of the drafter's marks under the verifier's distribution, in nats."""
    with torch.no_grad():
        wanted = verifier.marks(verifier.encode(batch.characters))
    logits = tier.marks(tier.encode(batch.characters, dropout))
    loss = functional.cross_entropy(logits[batch.real], wanted[batch.real].softmax(-1))
    return loss, agreement(logits, torch.where(batch.real, wanted.argmax(-1), -100)), NAN


def spelling_objective(verifier: Tier, tier: Tier, batch: Batch, _: float) -> tuple[Tensor, float, float]:
    """Cross-entropy of the drafter's next byte against the verifier's verdict on its own spelling, in nats."""
    with torch.no_grad():
        states, spelt = own_spelling(verifier, batch)
        decided, _presents = verifier.decode(
            spelt.tokens, spelt.place, verifier.rows(states, spelt.owner, spelt.source)
        )
        verdicts = torch.where(spelt.targets >= 0, decided.argmax(-1), -100)
        states = tier.encode(spelt.characters)
    logits, _presents = tier.decode(spelt.tokens, spelt.place, tier.rows(states, spelt.owner, spelt.source))
    return functional.cross_entropy(logits.flatten(0, 1), verdicts.flatten()), NAN, agreement(logits, verdicts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--verifier", type=Path, help="the verifier's checkpoint (default: verifier.pt in --out)")
    add_options(parser)
    options = parser.parse_args()
    verifier = Tier(TIERS["verifier"]).to(options.device).eval()
    path = options.verifier or options.out / "verifier.pt"
    verifier.load_state_dict(torch.load(path, map_location=options.device, weights_only=True)["model"])
    fit("drafter", options, partial(mark_objective if options.stage == "encoder" else spelling_objective, verifier))


if __name__ == "__main__":
    main()
