"""``secryst-gui bench``: the verifier alone against the pair, interleaved in one run, and whether they agree.

Every runner decodes every input once a round, in turn, so that whatever else the machine does hits all alike. A
speed is the median over rounds, given with its smallest and largest, and as a ratio to plain decoding in this run.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from secryst_gui import paths
from secryst_gui.commands import pairing, source
from secryst_gui.engine import SpeculativeModel, Statistics
from secryst_gui.engine.normalise import normalise

#: Tokens at most for one input: the public runtime has no windows, so inputs are short lines.
MAX_LEN = 1024
Decode = Callable[[str], tuple[list[int], Statistics | None]]


@dataclass
class Runner:
    """One way to decode, and what was measured of it: seconds and tokens of each round."""

    name: str
    decode: Decode
    seconds: list[float] = field(default_factory=list)
    tokens: int = 0
    outputs: list[list[int]] = field(default_factory=list)
    drafted: int = 0
    accepted: int = 0
    passes: int = 0
    emitted: int = 0

    def round(self, inputs: Sequence[str]) -> None:
        outputs: list[list[int]] = []
        started = time.perf_counter()
        for text in inputs:
            tokens, stats = self.decode(text)
            outputs.append(tokens)
            if stats is not None:
                self.drafted += stats.drafted
                self.accepted += stats.accepted
                self.passes += stats.passes
                self.emitted += stats.emitted
        self.seconds.append(time.perf_counter() - started)
        self.outputs = outputs
        self.tokens = sum(map(len, outputs))

    @property
    def speeds(self) -> list[float]:
        """Tokens a second of each round."""
        return [self.tokens / seconds for seconds in self.seconds]

    def row(self, plain: Runner) -> dict[str, object]:
        ratios = [other / own for other, own in zip(plain.seconds, self.seconds, strict=True)]
        return {
            "name": self.name,
            "tokens": self.tokens,
            "tokens_per_s": statistics.median(self.speeds),
            "tokens_per_s_min": min(self.speeds),
            "tokens_per_s_max": max(self.speeds),
            "ratio_to_plain": statistics.median(ratios),
            "acceptance_rate": self.accepted / self.drafted if self.drafted else None,
            "tokens_per_pass": self.emitted / self.passes if self.passes else None,
            "exact": self.outputs == plain.outputs,
        }


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("bench", help="time the verifier alone against the pair, and compare their outputs")
    parser.add_argument("--inputs", type=Path, metavar="FILE", help="UTF-8 lines to decode (default: sample lines)")
    parser.add_argument("--rounds", type=rounds, default=5, metavar="N")
    pairing.add_options(parser)
    parser.add_argument("--json", action="store_true", help="one JSON object with every figure")
    parser.set_defaults(run=run)


def rounds(value: str) -> int:
    number = int(value)
    if number < 1:
        raise argparse.ArgumentTypeError(f"expected a number above 0, found {number}")
    return number


def speculative(pair: pairing.Pair, block_size: int | None) -> Decode:
    model = SpeculativeModel(pair.drafters, pair.verifier, block_size)

    def decode(text: str) -> tuple[list[int], Statistics | None]:
        return model.generate(text, max_len=MAX_LEN, guard=False), model.stats

    return decode


def public_runtime(pair: pairing.Pair) -> Decode | None:
    """The runtime ``secryst`` on the same file, where it is installed (it has no option for threads)."""
    try:
        import secryst
    except ImportError:
        return None
    model = secryst.Model.load(pair.verifier.artifact.path)

    def decode(text: str) -> tuple[list[int], Statistics | None]:
        return model.generate(normalise(text), max_len=MAX_LEN), None

    return decode


def run(options: argparse.Namespace) -> int:
    path = options.inputs or paths.resources_dir() / "samples" / "bench.txt"
    inputs = [line for line in source.lines_of(source.read_file(path)) if line.strip()]
    with pairing.opened(options) as pair:
        plain = Runner("plain", lambda text: (pair.verifier.generate(text, max_len=MAX_LEN, guard=False), None))
        runners = [plain]
        if pair.drafters:
            runners.append(Runner(f"drafter {pair.drafter_name}", speculative(pair, options.block_size)))
        runtime = public_runtime(pair)
        if runtime is not None:
            runners.append(Runner("public runtime", runtime))
        for runner in runners:
            runner.decode(inputs[0])
        for number in range(options.rounds):
            for runner in runners:
                runner.round(inputs)
            if sys.stderr.isatty():
                print(f"round {number + 1} of {options.rounds}", end="\r", file=sys.stderr, flush=True)
        rows = [runner.row(plain) for runner in runners]
        report = {
            "verifier": pair.verifier.artifact.path.stem,
            "drafter": pair.drafter_name,
            "block_size": options.block_size or pairing.AUTO,
            "inputs": len(inputs),
            "rounds": options.rounds,
            "runners": rows,
        }
    if options.json:
        print(json.dumps(report, ensure_ascii=False))
    else:
        print_table(report, rows)
    return 0 if all(row["exact"] for row in rows) else 1


def print_table(report: dict[str, object], rows: list[dict[str, object]]) -> None:
    print(
        f"verifier {report['verifier']}, K={report['block_size']}, "
        f"{report['inputs']} inputs, {report['rounds']} rounds; speeds are medians over rounds"
    )
    print(f"{'':34} {'tokens/s':>9} {'(min to max)':>17} {'ratio':>6} {'accepted':>9} {'per pass':>9}  exact")
    for row in rows:
        spread = f"({row['tokens_per_s_min']:.0f} to {row['tokens_per_s_max']:.0f})"
        rate = "" if row["acceptance_rate"] is None else f"{row['acceptance_rate']:.3f}"
        depth = "" if row["tokens_per_pass"] is None else f"{row['tokens_per_pass']:.2f}"
        print(
            f"{row['name']!s:<34} {row['tokens_per_s']:9.0f} {spread:>17} {row['ratio_to_plain']:5.2f}x "
            f"{rate:>9} {depth:>9}  {'yes' if row['exact'] else 'NO'}"
        )
