"""``secryst-gui bench``: every way to decode, interleaved in one run, and whether all give the same tokens.

Each runner decodes each input once a round, in turn, so that whatever else the machine does hits all alike. A speed
is the median over rounds, given with its smallest and largest; a ratio is the median of the rounds' own ratios. What
the encoders take is the same for all, so the time after them is compared too.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from secryst_gui import paths
from secryst_gui.commands import pairing, source
from secryst_gui.commands.replay import ReplayDrafter
from secryst_gui.engine import EngineOptions, HeadDrafter, IMFModel, LookupDrafter, SpeculativeModel, Statistics
from secryst_gui.engine.drafters import Drafter
from secryst_gui.engine.normalise import normalise
from secryst_gui.engine.pace import expected_tokens

#: Tokens at most for one input: the public runtime has no windows, so inputs are short lines.
MAX_LEN = 1024
#: How often the replaying drafters of ``--bounds`` are wrong: the best and the worst of them.
BEST, WORST = 0.02, 1.0
SWEEP = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32)
PLAIN, PUBLIC = "plain", "public runtime"


class Decoded(NamedTuple):
    """One output: its tokens, the seconds it took, those of them that its encoders took, and statistics if any."""

    tokens: list[int]
    seconds: float
    encode_s: float
    stats: Statistics = Statistics()


Decode = Callable[[str], Decoded]


@dataclass
class Runner:
    """One way to decode, and what was measured of it: tokens, and of each round the seconds in all and in encoders."""

    name: str
    decode: Decode
    seconds: list[float] = field(default_factory=list)
    encode_s: list[float] = field(default_factory=list)
    outputs: list[list[int]] = field(default_factory=list)
    stats: Statistics = field(default_factory=Statistics)
    block_size: int | None = None

    def round(self, inputs: Sequence[str]) -> None:
        decoded = [self.decode(text) for text in inputs]
        self.outputs = [one.tokens for one in decoded]
        self.seconds.append(sum(one.seconds for one in decoded))
        self.encode_s.append(sum(one.encode_s for one in decoded))
        self.stats = sum((one.stats for one in decoded), self.stats)

    @property
    def tokens(self) -> int:
        return sum(map(len, self.outputs))

    def row(self, plain: Runner, public: Runner | None) -> dict[str, Any]:
        """The figures of a table row; seconds are parts of the whole time."""
        speeds = [self.tokens / seconds for seconds in self.seconds]
        whole, stats = sum(self.seconds), self.stats
        return {
            "name": self.name,
            "tokens": self.tokens,
            "tokens_per_s": statistics.median(speeds),
            "tokens_per_s_min": min(speeds),
            "tokens_per_s_max": max(speeds),
            "ratio_to_plain": self._ratio(plain),
            "ratio_to_public": self._ratio(public) if public is not None else None,
            "decode_ratio_to_plain": self._decode_ratio(plain),
            "decode_ratio_to_public": self._decode_ratio(public) if public is not None else None,
            "acceptance_rate": stats.acceptance_rate,
            "tokens_per_pass": stats.tokens_per_pass,
            "rechecked": stats.rechecked if stats.passes else None,
            "encode_share": sum(self.encode_s) / whole,
            "draft_share": stats.draft_s / whole if stats.passes else None,
            "verify_share": stats.verify_s / whole if stats.passes else None,
            "expected_decode_ratio": self._expected(plain),
            "exact": self.outputs == plain.outputs,
        }

    def _ratio(self, other: Runner) -> float:
        return statistics.median(theirs / ours for theirs, ours in zip(other.seconds, self.seconds, strict=True))

    def _decode_ratio(self, other: Runner) -> float:
        return statistics.median(
            theirs / ours for theirs, ours in zip(other._after_encoding(), self._after_encoding(), strict=True)
        )

    def _expected(self, plain: Runner) -> float | None:
        """S(K) = E(K) / (K c + v(K+1)), with the chance of acceptance, c and v that this runner showed itself.

        c and v, the times of a drafted token and of a pass, are taken in single steps of ``plain``; E(K) is what a
        block emits on average (Leviathan et al. 2023, arxiv.org/abs/2211.17192, section 3).
        """
        stats, size = self.stats, self.block_size
        if size is None or not stats.drafted or not plain.tokens:
            return None
        step_s = sum(plain._after_encoding()) / (plain.tokens * len(plain.seconds))
        tried = stats.accepted + stats.corrections
        c, v = stats.draft_s / stats.drafted / step_s, stats.verify_s / stats.blocks / step_s
        return expected_tokens(stats.accepted / tried if tried else 1.0, size) / (size * c + v)

    def _after_encoding(self) -> list[float]:
        # Where encoding is timed by itself, a hiccup can make it take longer than the whole.
        return [max(whole - encode_s, 1e-6) for whole, encode_s in zip(self.seconds, self.encode_s, strict=True)]


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("bench", help="time every way to decode in one run, and compare their outputs")
    parser.add_argument("--inputs", type=Path, metavar="FILE", help="UTF-8 lines to decode (default: sample lines)")
    parser.add_argument("--rounds", type=count, default=5, metavar="N")
    parser.add_argument(
        "--max-len", type=count, default=MAX_LEN, metavar="N", help=f"tokens at most for one input (default: {MAX_LEN})"
    )
    parser.add_argument(
        "--bounds",
        action="store_true",
        help="also two drafters that know the output and cost nothing: one nearly always right, one always wrong",
    )
    parser.add_argument("--sweep", action="store_true", help="the drafter at every K from 1 to 32, instead of the rest")
    pairing.add_options(parser)
    parser.add_argument("--json", action="store_true", help="one JSON object with every figure")
    parser.set_defaults(run=run)


def count(value: str) -> int:
    number = int(value)
    if number < 1:
        raise argparse.ArgumentTypeError(f"expected a number above 0, found {number}")
    return number


def greedy(model: IMFModel, max_len: int) -> Decode:
    def decode(text: str) -> Decoded:
        started = time.perf_counter()
        encoded = model.encode(text)
        encode_s = time.perf_counter() - started
        tokens = model.greedy(encoded, max_len, guard=False) if encoded is not None else []
        return Decoded(tokens, time.perf_counter() - started, encode_s)

    return decode


def speculative(
    drafters: Sequence[IMFModel | Drafter], verifier: IMFModel, block_size: int | None, max_len: int
) -> Decode:
    model = SpeculativeModel(drafters, verifier, block_size)

    def decode(text: str) -> Decoded:
        started = time.perf_counter()
        tokens = model.generate(text, max_len=max_len, guard=False)
        return Decoded(tokens, time.perf_counter() - started, model.stats.encode_s, model.stats)

    return decode


def public_runtime(path: Path, max_len: int) -> Decode | None:
    """The runtime ``secryst`` on the same file, where it is installed (it has no option for threads).

    It does not tell what its encoder takes: asked for no tokens, it does nothing but encode.
    """
    try:
        import secryst
    except ImportError:
        return None
    model = secryst.Model.load(path)

    def decode(text: str) -> Decoded:
        source = normalise(text)
        started = time.perf_counter()
        model.generate(source, max_len=0)
        encoded = time.perf_counter()
        tokens = model.generate(source, max_len=max_len)
        return Decoded(tokens, time.perf_counter() - encoded, encoded - started)

    return decode


def runners(pair: pairing.Pair, untouched: IMFModel, options: argparse.Namespace) -> list[Runner]:
    """Every way to decode with this pair."""
    verifier, k, max_len = pair.verifier, options.block_size, options.max_len

    def speculating(name: str, drafters: Sequence[IMFModel | Drafter], block_size: int | None) -> Runner:
        size = f"K={block_size or pairing.AUTO}"
        decode = speculative(drafters, verifier, block_size, max_len)
        return Runner(f"{name}, {size}", decode, block_size=block_size)

    plain = Runner(PLAIN, greedy(verifier, max_len))
    if options.sweep:
        return [plain, *(speculating(pair.drafter_name, pair.drafters, size) for size in SWEEP)]
    found = [Runner("plain, graph as it is", greedy(untouched, max_len)), plain]
    public = public_runtime(verifier.artifact.path, max_len)
    if public is not None:
        found.insert(0, Runner(PUBLIC, public))
    models = [drafter for drafter in pair.drafters if isinstance(drafter, IMFModel)]
    heads: list[Drafter] = [HeadDrafter(verifier)] if verifier.has_head else []
    found += [speculating(model.artifact.path.stem, [model], k) for model in models]
    found += [speculating("head", heads, k) for _ in heads]
    found += [speculating("lookup", [LookupDrafter()], k)]
    found += [speculating("auto", [*heads, *models, LookupDrafter()], None)]
    if options.bounds:
        best, worst = (ReplayDrafter(verifier, wrong, max_len) for wrong in (BEST, WORST))
        found += [speculating(best.name, [best], k), speculating(worst.name, [worst], None)]
    return found


def run(options: argparse.Namespace) -> int:
    path = options.inputs or paths.resources_dir() / "samples" / "bench.txt"
    inputs = [line for line in source.lines_of(source.read_file(path)) if line.strip()]
    with ExitStack() as stack:
        pair = stack.enter_context(pairing.opened(options))
        engine = EngineOptions(threads=options.threads, rewrite=False)
        untouched = stack.enter_context(IMFModel.load(pair.verifier.artifact.path, engine))
        entered = runners(pair, untouched, options)
        for runner in entered:  # what is opened late is opened now, what replays learns what to
            for text in inputs if options.bounds else inputs[:1]:
                runner.decode(text)
        for number in range(options.rounds):
            for runner in entered:
                runner.round(inputs)
            if sys.stderr.isatty():
                print(f"round {number + 1} of {options.rounds}", end="\r", file=sys.stderr, flush=True)
        by_name = {runner.name: runner for runner in entered}
        rows = [runner.row(by_name[PLAIN], by_name.get(PUBLIC)) for runner in entered]
        report: dict[str, Any] = {
            "verifier": pair.verifier.artifact.path.stem,
            "drafter": pair.drafter_name,
            "block_size": options.block_size or pairing.AUTO,
            "inputs": len(inputs),
            "rounds": options.rounds,
            "compared_tokens": sum(runner.tokens for runner in entered if runner.name != PLAIN),
            "peak_memory_mb": peak_memory_mb(),
            "runners": rows,
        }
    print(json.dumps(report, ensure_ascii=False) if options.json else table(report))
    return 0 if all(row["exact"] for row in rows) else 1


def peak_memory_mb() -> float | None:
    """The largest memory of this process so far; None where the system does not tell."""
    try:
        import resource
    except ImportError:
        return None
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6


def table(report: dict[str, Any]) -> str:
    """The report for people."""

    def number(value: float | None, form: str) -> str:
        return "" if value is None else format(value, form)

    lines = [
        f"verifier {report['verifier']}, {report['inputs']} inputs, {report['rounds']} rounds, one process; "
        f"{report['compared_tokens']} tokens compared; peak memory {number(report['peak_memory_mb'], '.0f')} MB",
        f"{'':40} {'tokens/s':>8} {'(min to max)':>15} {'plain':>7} {'public':>7} {'decode':>7} {'accepted':>8} "
        f"{'per pass':>8} {'encode':>6} {'draft':>6} {'verify':>6} {'expected':>8}  exact",
    ]
    against = "decode_ratio_to_plain" if report["runners"][0]["name"] == PLAIN else "decode_ratio_to_public"
    for row in report["runners"]:
        spread = f"({row['tokens_per_s_min']:.0f} to {row['tokens_per_s_max']:.0f})"
        ratios = [
            number(row[name], ".2f") + "x" * (row[name] is not None)
            for name in ("ratio_to_plain", "ratio_to_public", against)
        ]
        shares = [number(row[f"{name}_share"], ".0%") for name in ("encode", "draft", "verify")]
        lines.append(
            f"{row['name']:<40} {row['tokens_per_s']:8.0f} {spread:>15} {ratios[0]:>7} {ratios[1]:>7} {ratios[2]:>7} "
            f"{number(row['acceptance_rate'], '.3f'):>8} {number(row['tokens_per_pass'], '.2f'):>8} "
            f"{shares[0]:>6} {shares[1]:>6} {shares[2]:>6} "
            f"{number(row['expected_decode_ratio'], '.2f'):>8}  {'yes' if row['exact'] else 'NO'}"
        )
    return "\n".join(lines)
