"""The training loop that training and distilling share: a clock, a schedule, a checkpoint, a log.

The learning rate follows the time spent, not the step, so that a run ends well on any machine. A run resumes from
its last checkpoint, with the time already spent; the log's lines are its curve.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import torch

from models.recipe.batches import Batch, Pair, collate, load, stream
from models.recipe.marks import split, without_gaps
from models.recipe.model import TIERS, Tier

STAGES = ("encoder", "decoder")
#: How often a stage sees text with strangers in it: the decoder must copy every byte there is.
FOREIGN = {"encoder": 0.12, "decoder": 0.35}
#: The share of a stage's time in which the learning rate rises.
WARM_UP = 0.03
REPORT_SECONDS, SAVE_SECONDS = 60, 180
#: The loss to follow, and the accuracy on marks and on bytes (nan where a stage has none).
Objective = Callable[[Tier, Batch, float], tuple[torch.Tensor, float, float]]


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--data", type=Path, required=True, help="the folder that models.recipe.prepare wrote")
    parser.add_argument("--out", type=Path, required=True, help="the folder for checkpoints")
    parser.add_argument("--stage", choices=STAGES, required=True)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--rate", type=float, default=2e-3, help="the highest learning rate")
    parser.add_argument("--characters", type=int, default=3000, help="characters in a batch")
    parser.add_argument("--dropout", type=float, default=0.05)
    parser.add_argument("--device", default="cpu", help="cpu or cuda")
    parser.add_argument("--threads", type=int, default=0, help="0: as many as torch chooses")
    parser.add_argument("--seed", type=int, default=1)


def trained(tier: Tier, stage: str) -> list[torch.nn.Parameter]:
    """The parameters that a stage changes."""
    return [
        parameter
        for name, parameter in tier.named_parameters()
        if name.startswith(("encoder.", "marks.")) == (stage == "encoder")
    ]


def held(data: Path, name: str, count: int = 60) -> list[list[Pair]]:
    """Held-out texts in batches of similar length, cut at 700 characters."""
    lines = (data / f"held-{name}.txt").read_text("utf-8").splitlines()
    pairs = [
        (letters, without_gaps(letters, labels))
        for letters, labels in map(split, (each[:700] for each in lines[:count]))
    ]
    pairs.sort(key=lambda pair: len(pair[0]))
    return [pairs[i : i + 12] for i in range(0, len(pairs), 12)]


@torch.no_grad()
def measure(tier: Tier, options: argparse.Namespace, objective: Objective) -> str:
    tier.eval()
    report = []
    for name in ("first", "lines"):
        batches = [collate(pairs).to(options.device) for pairs in held(options.data, name)]
        scores = [objective(tier, batch, 0.0)[1:] for batch in batches]
        marks, spelt = (sum(score[i] for score in scores) / len(scores) for i in (0, 1))
        report.append(f"{name}: marks {marks:.4f} bytes {spelt:.4f}")
    tier.train()
    return "; ".join(report)


def fit(name: str, options: argparse.Namespace, objective: Objective) -> None:
    """Train the tier ``name`` on ``objective`` for ``options.minutes``, keeping ``<out>/<name>.pt``."""
    if options.threads:
        torch.set_num_threads(options.threads)
    torch.manual_seed(options.seed)
    options.out.mkdir(parents=True, exist_ok=True)
    checkpoint = options.out / f"{name}.pt"
    tier = Tier(TIERS[name]).to(options.device)
    parameters = trained(tier, options.stage)
    optimizer = torch.optim.AdamW(parameters, lr=options.rate, betas=(0.9, 0.98), weight_decay=0.01)
    budget, spent, step = options.minutes * 60, 0.0, 0
    if checkpoint.exists():
        saved: dict[str, Any] = torch.load(checkpoint, map_location=options.device, weights_only=True)
        tier.load_state_dict(saved["model"])
        if saved["stage"] == options.stage and saved["spent"] < saved["budget"]:
            optimizer.load_state_dict(saved["optimizer"])
            spent, step = saved["spent"], saved["step"]
        print(f"resumed {checkpoint} ({saved['stage']}, {saved['spent'] / 60:.0f} min)", flush=True)
    print(f"{sum(p.numel() for p in tier.parameters()) / 1e6:.2f} M parameters", flush=True)

    def save() -> None:
        temporary = checkpoint.with_suffix(".part")
        state = {"model": tier.state_dict(), "optimizer": optimizer.state_dict(), "stage": options.stage}
        torch.save(state | {"spent": spent, "step": step, "budget": budget}, temporary)
        temporary.replace(checkpoint)

    batches: Iterator[list[Pair]] = stream(
        load(options.data / "train.tsv"), options.characters, options.seed + step, FOREIGN[options.stage]
    )
    last = saved_at = reported = time.monotonic()
    seen, running = 0, 0.0
    while spent < budget:
        done = spent / budget
        rate = min(1.0, (done + 1e-4) / WARM_UP) * (0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * done)))
        for group in optimizer.param_groups:
            group["lr"] = options.rate * rate
        pairs = next(batches)
        loss, marks, spelt = objective(tier, collate(pairs).to(options.device), options.dropout)
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()
        step += 1
        seen += sum(len(letters) for letters, _ in pairs)
        accuracy = marks if options.stage == "encoder" else spelt
        running = accuracy if step == 1 else 0.98 * running + 0.02 * accuracy
        now = time.monotonic()
        spent, last = spent + now - last, now
        if now - reported > REPORT_SECONDS:
            print(
                f"{name} {options.stage} step {step} min {spent / 60:.1f} loss {loss.item():.4f} "
                f"accuracy {running:.4f} characters/s {seen / (now - reported):.0f} | "
                f"{measure(tier, options, objective)}",
                flush=True,
            )
            seen, reported = 0, time.monotonic()
            last = reported
        if now - saved_at > SAVE_SECONDS:
            save()
            saved_at = now
    save()
    print(f"finished: {measure(tier, options, objective)}", flush=True)
