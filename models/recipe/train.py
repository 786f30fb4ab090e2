"""Steps 2 and 3: train a tier, first its encoder on the marks alone, then its decoder on the bytes.

    python -m models.recipe.train --data DATA --out RUN --tier verifier --stage encoder --minutes 60
    python -m models.recipe.train --data DATA --out RUN --tier verifier --stage decoder --minutes 30

The encoder decides the marks, one decision a letter, so an hour spent on it alone sees five times the text that
training everything together would. The decoder then learns to spell those decisions out as bytes. ``--stage joint``
trains both. The learning rate follows the clock, not the step, so that a run ends well on any machine; a run
resumes from its last checkpoint, with the time already spent. ``--device cuda`` uses a GPU.
"""

from __future__ import annotations

import argparse
import math
import time
from pathlib import Path

import torch
from torch.nn import functional

from models.recipe.batches import Batch, Pair, collate, load, stream
from models.recipe.marks import split
from models.recipe.model import TIERS, Tier
from models.recipe.muon import Muon

STAGES = ("encoder", "decoder", "joint")
PEAK = {"encoder": 2e-3, "decoder": 2e-3, "joint": 5e-4}


def losses(tier: Tier, batch: Batch, stage: str, dropout: float) -> tuple[torch.Tensor, float, float]:
    """The loss in nats, and the accuracy on marks and on bytes (nan where the stage has none)."""
    with torch.set_grad_enabled(stage != "decoder" and torch.is_grad_enabled()):
        states = tier.encode(batch.characters, dropout if stage != "decoder" else 0.0)
    loss = torch.zeros((), device=states.device)
    mark_accuracy = byte_accuracy = float("nan")
    if stage != "decoder":
        logits = tier.marks(states)
        loss = loss + functional.cross_entropy(logits.flatten(0, 1), batch.labels.flatten(), label_smoothing=0.02)
        known = batch.labels >= 0
        mark_accuracy = (logits.argmax(-1) == batch.labels)[known].float().mean().item()
    if stage != "encoder":
        rows = tier.rows(states, batch.owner, batch.source)
        logits, _ = tier.decode(batch.tokens, batch.place, rows)
        loss = loss + functional.cross_entropy(logits.flatten(0, 1), batch.targets.flatten())
        known = batch.targets >= 0
        byte_accuracy = (logits.argmax(-1) == batch.targets)[known].float().mean().item()
    return loss, mark_accuracy, byte_accuracy


def to(batch: Batch, device: str) -> Batch:
    return batch if device == "cpu" else Batch(*(getattr(batch, f).to(device) for f in Batch.__annotations__))


def optimizers(tier: Tier, stage: str, muon: bool) -> list[torch.optim.Optimizer]:
    """Muon for the hidden matrices, AdamW for the rest."""
    chosen = [
        (name, p)
        for name, p in tier.named_parameters()
        if stage == "joint" or (name.startswith(("encoder.", "marks."))) == (stage == "encoder")
    ]
    matrices = [p for name, p in chosen if muon and p.ndim == 2 and "layers" in name]
    rest = [p for name, p in chosen if not any(p is matrix for matrix in matrices)]
    result: list[torch.optim.Optimizer] = [
        torch.optim.AdamW(rest, lr=PEAK[stage], betas=(0.9, 0.98), weight_decay=0.01)
    ]
    if matrices:
        result.append(Muon(matrices, lr=PEAK[stage]))
    return result


def held(data: Path, name: str, count: int = 60) -> list[list[Pair]]:
    lines = (data / f"held-{name}.txt").read_text("utf-8").splitlines()
    pairs = [split(line[:700]) for line in lines[:count]]
    pairs.sort(key=lambda pair: len(pair[0]))
    return [pairs[i : i + 12] for i in range(0, len(pairs), 12)]


@torch.no_grad()
def measure(tier: Tier, data: Path, stage: str, device: str) -> str:
    tier.eval()
    report = []
    for name in ("first", "lines"):
        scores = [losses(tier, to(collate(pairs), device), stage, 0.0)[1:] for pairs in held(data, name)]
        marks, bytes_ = (sum(s[i] for s in scores) / len(scores) for i in (0, 1))
        report.append(f"{name}: marks {marks:.4f} bytes {bytes_:.4f}")
    tier.train()
    return "; ".join(report)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--tier", choices=TIERS, required=True)
    parser.add_argument("--stage", choices=STAGES, required=True)
    parser.add_argument("--train-file", default="train.tsv")
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--characters", type=int, default=3000, help="characters in a batch")
    parser.add_argument("--dropout", type=float, default=0.05)
    parser.add_argument("--optimizer", choices=("muon", "adamw"), default="muon")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--threads", type=int, default=0, help="0: as many as torch chooses")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if options.threads:
        torch.set_num_threads(options.threads)
    torch.manual_seed(options.seed)
    options.out.mkdir(parents=True, exist_ok=True)
    checkpoint = options.out / f"{options.tier}.pt"
    tier = Tier(TIERS[options.tier]).to(options.device)
    used = optimizers(tier, options.stage, options.optimizer == "muon")
    spent, step = 0.0, 0
    if checkpoint.exists():
        saved = torch.load(checkpoint, map_location=options.device, weights_only=True)
        tier.load_state_dict(saved["model"])
        if saved["stage"] == options.stage and saved["spent"] < saved["budget"]:
            for optimizer, state in zip(used, saved["optimizers"], strict=True):
                optimizer.load_state_dict(state)
            spent, step = saved["spent"], saved["step"]
        print(f"resumed {checkpoint} ({saved['stage']}, {saved['spent'] / 60:.0f} min)", flush=True)
    print(f"{sum(p.numel() for p in tier.parameters()) / 1e6:.2f} M parameters", flush=True)

    def save() -> None:
        temporary = checkpoint.with_suffix(".part")
        state = {"model": tier.state_dict(), "optimizers": [o.state_dict() for o in used], "stage": options.stage}
        torch.save(state | {"spent": spent, "step": step, "budget": options.minutes * 60}, temporary)
        temporary.replace(checkpoint)

    batches = stream(load(options.data / options.train_file), options.characters, options.seed + step)
    last = saved_at = reported = time.monotonic()
    seen, running = 0, 0.0
    while spent < options.minutes * 60:
        progress = spent / (options.minutes * 60)
        rate = min(1.0, (step + 1) / 200) * (0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * progress)))
        for optimizer in used:
            for group in optimizer.param_groups:
                group["lr"] = PEAK[options.stage] * rate
        pairs = next(batches)
        loss, marks, bytes_ = losses(tier, to(collate(pairs), options.device), options.stage, options.dropout)
        for optimizer in used:
            optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_([p for o in used for g in o.param_groups for p in g["params"]], 1.0)
        for optimizer in used:
            optimizer.step()
        step += 1
        seen += sum(len(letters) for letters, _ in pairs)
        accuracy = marks if options.stage == "encoder" else bytes_
        running = accuracy if step == 1 else 0.98 * running + 0.02 * accuracy
        now = time.monotonic()
        spent += now - last
        last = now
        if now - reported > 20:
            speed = seen / (now - reported)
            print(
                f"{options.tier} {options.stage} step {step} min {spent / 60:.1f} loss {loss.item():.4f} "
                f"accuracy {running:.4f} characters/s {speed:.0f} | "
                f"{measure(tier, options.data, options.stage, options.device)}",
                flush=True,
            )
            seen, reported = 0, time.monotonic()
            last = reported
        if now - saved_at > 180:
            save()
            saved_at = now
    save()
    print(f"finished: {measure(tier, options.data, options.stage, options.device)}", flush=True)


if __name__ == "__main__":
    main()
