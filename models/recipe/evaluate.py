"""Step 4: measure the exported tiers as the application runs them, and write the report that the zips carry.

    python -m models.recipe.evaluate --data DATA --run RUN --zips RUN/zips --report RUN/report.json

Every text is decoded greedily by the application's own engine. ``first`` are held-out documents of the first source,
``lines`` held-out lines of the second, ``everyday`` the inputs in ``everyday.txt``. Acceptance is accepted over
drafted tokens at K=8, the drafter and the verifier of one precision, with the drafter's head and, in ``decoded``,
with its decoder. text2tashkeel is scored on the same texts. Parity compares the exported graphs with the torch
model's own greedy output, as character error rate.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import torch

from models.recipe.batches import collate
from models.recipe.export import IDS, PRECISIONS, load
from models.recipe.marks import REMOVED, split
from models.recipe.model import EOS, TIERS, Tier, step_of
from models.recipe.prepare import segments
from models.recipe.score import Score, character_error
from secryst_gui.engine import HeadDrafter, IMFModel, ModelDrafter, SpeculativeModel

BLOCK_SIZE = 8
#: Tokens for a window: more than any window of 1400 bytes can become with its marks.
MAX_LEN = 4096
PARITY_SAMPLES = 500
#: Texts of each set that acceptance is measured on, by the head and, slower, by the decoder.
ACCEPTANCE_TEXTS, DECODED_TEXTS = 100, 30
PARTS = (*TIERS, "acceptance", "teacher")


def texts(data: Path, limit: int | None) -> dict[str, list[str]]:
    return {name: (data / f"held-{name}.txt").read_text("utf-8").splitlines()[:limit] for name in ("first", "lines")}


def everyday() -> list[str]:
    lines = (Path(__file__).parent / "everyday.txt").read_text("utf-8").splitlines()
    return [line for line in lines if line.strip()]


def bare(text: str) -> str:
    return REMOVED.sub("", text)


@torch.no_grad()
def torch_greedy(tier: Tier, text: str, hint: str) -> str:
    """The torch model's greedy output for ``text``.

    ``hint`` is a guess: where the model, reading it, agrees at every position, it *is* the greedy output, found in
    one pass. Otherwise the output is decoded token by token.
    """
    batch = collate([split(text)])
    rows = tier.rows(tier.encode(batch.characters), batch.owner, batch.source)
    guess = collate([split(hint)])
    if bytes(i - 3 for i in guess.targets[0].tolist()[:-1]) == hint.encode():
        logits, _ = tier.decode(guess.tokens, guess.place, rows)
        if torch.equal(logits.argmax(-1), guess.targets):
            return hint
    output: list[int] = []
    while len(output) < MAX_LEN:
        tokens = torch.tensor([[0, *output]])
        before = torch.cat((torch.zeros_like(tokens[:, :1]), tokens[:, :-1]), 1)
        logits, _ = tier.decode(tokens, step_of(tokens, before).cumsum(1), rows)
        token = int(logits[0, -1].argmax())
        if token == EOS:
            break
        output.append(token)
    return bytes((i - 3) % 256 for i in output if i > 2).decode("utf-8", "replace")


def measure(model: IMFModel, tier: Tier, held: dict[str, list[str]]) -> dict[str, Any]:
    """Error rates, changed letters and parity of one exported tier.

    Its own draft head drafts for it: the output is the plain greedy one, four times sooner.
    """
    greedy = SpeculativeModel(HeadDrafter(model), model, None)
    result: dict[str, Any] = {}
    for name, lines in held.items():
        score = Score()
        for line in lines:
            score.add(line, greedy.translate(bare(line), max_len=MAX_LEN))
        result[name] = score.as_dict()
    changed = [line for line in everyday() if split(greedy.translate(line, max_len=MAX_LEN))[0] != split(line)[0]]
    result["everyday"] = {"lines": len(everyday()), "changed": len(changed), "which": changed}
    pieces = [bare(piece) for lines in held.values() for line in lines for piece in segments(line)]
    samples = [piece for piece in pieces if len(piece) > 20][:PARITY_SAMPLES]
    errors = []
    for text in samples:
        output = greedy.translate(text, max_len=MAX_LEN)
        errors.append(character_error(torch_greedy(tier, text, output), output))
    result["parity"] = {"samples": len(errors), "cer_delta": round(100 * sum(errors) / len(errors), 4)}
    return result


def acceptance(drafter: IMFModel, verifier: IMFModel, lines: list[str], *, head: bool) -> float:
    """Accepted over drafted tokens, 0..1, at K=8, by the drafter's head or by its decoder."""
    pair = SpeculativeModel(ModelDrafter(drafter, head=head), verifier, BLOCK_SIZE)
    drafted = accepted = 0
    for line in lines:
        pair.translate(bare(line), max_len=MAX_LEN)
        drafted += pair.stats.drafted
        accepted += pair.stats.accepted
    return accepted / max(1, drafted)


def teacher(held: dict[str, list[str]]) -> dict[str, Any]:
    from text2tashkeel import Diacritizer

    model, result = Diacritizer(), {}
    for name, lines in held.items():
        score = Score()
        for line in lines:
            score.add(line, " ".join(model.diacritize(piece) for piece in segments(bare(line), 300)))
        result[name] = score.as_dict()
    return result


def table(report: dict[str, Any], zips: Path) -> str:
    """The report as the model cards show it."""
    lines = [
        "| model | precision | MB | first DER | WER | changed | lines DER | WER | changed | accepted first | lines |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]

    def scores(measured: dict[str, Any]) -> str:
        cells = []
        for kind in ("first", "lines"):
            each = measured[kind]
            cells += [f"{each['der']:.2%}", f"{each['wer']:.2%}", f"{each['changed']} of {each['lines']}"]
        return " | ".join(cells)

    for name in TIERS:
        for precision in PRECISIONS:
            size = (zips / f"{IDS[name]}-{precision}.zip").stat().st_size / 1e6
            rates = report["acceptance"][precision]
            accepted = [f"{rates[kind]:.3f}" if name == "drafter" else "" for kind in ("first", "lines")]
            cells = [IDS[name], precision, f"{size:.1f}", scores(report[name][precision]), *accepted]
            lines.append(f"| {' | '.join(cells)} |")
    if "text2tashkeel" in report:
        lines.append(f"| text2tashkeel 0.1 | | | {scores(report['text2tashkeel'])} | | |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--run", type=Path, required=True, help="the folder with the checkpoints")
    parser.add_argument("--zips", type=Path, required=True, help="the folder that models.recipe.export wrote to")
    parser.add_argument("--report", type=Path, required=True)
    parser.add_argument("--limit", type=int, help="use so many texts of each set only")
    parser.add_argument("--parts", nargs="*", choices=PARTS, default=PARTS, help="what to measure (default: all)")
    options = parser.parse_args()
    held = texts(options.data, options.limit)
    report: dict[str, Any] = json.loads(options.report.read_text("utf-8")) if options.report.exists() else {}

    def keep() -> None:
        options.report.write_text(json.dumps(report, indent=1, ensure_ascii=False), "utf-8")

    for precision in PRECISIONS:
        models = {name: IMFModel.load(options.zips / f"{IDS[name]}-{precision}.zip") for name in TIERS}
        for name in (name for name in TIERS if name in options.parts):
            report.setdefault(name, {})[precision] = measure(models[name], load(options.run, name), held)
            print(name, precision, report[name][precision], flush=True)
            keep()
        if "acceptance" in options.parts:
            pair = (models["drafter"], models["verifier"])
            rates = {kind: acceptance(*pair, lines[:ACCEPTANCE_TEXTS], head=True) for kind, lines in held.items()}
            decoded = {kind: acceptance(*pair, lines[:DECODED_TEXTS], head=False) for kind, lines in held.items()}
            report.setdefault("acceptance", {})[precision] = rates | {"decoded": decoded}
            print("acceptance", precision, report["acceptance"][precision], flush=True)
            keep()
    if "teacher" in options.parts:
        report["text2tashkeel"] = teacher(held)
        keep()
    if all(part in report for part in (*TIERS, "acceptance")):
        print(table(report, options.zips))


if __name__ == "__main__":
    main()
