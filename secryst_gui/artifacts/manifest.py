"""``metadata.yaml`` of an IMF v1 zip, checked at the edge so that everything behind it can trust the types.

Strict about what decoding needs (format, id, tokenizer, decoder, precision, digests), lenient about what is only
shown: the format's own parity kit has no scripts, and the task ``parity``. Fields: the public IMF v1 specification,
SPEC.md of interscript-ml.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import yaml

from secryst_gui.errors import ManifestError, WrongFormatError, WrongTokenizerError

FORMAT = "imf-v1"
TOKENIZER = "bytes"
DECODERS = ("plain", "kv")
PRECISIONS = ("fp32", "fp16", "int8", "int4")
#: A real manifest has a kilobyte or two.
SIZE_LIMIT = 1 << 20
_ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*-\d+\.\d+(-(int8|int4|fp16|fp32))?")
_DIGEST = re.compile(r"[0-9a-f]{64}")


class _Loader(yaml.SafeLoader):
    """Plain YAML without aliases, which no manifest needs and with which ten lines can stand for gigabytes."""

    def compose_node(self, parent: yaml.nodes.Node | None, index: int) -> yaml.nodes.Node | None:
        if self.check_event(yaml.events.AliasEvent):
            raise yaml.YAMLError("aliases are not allowed")
        return super().compose_node(parent, index)


@dataclass(frozen=True)
class Metric:
    """One evaluated number, as the artifact states it."""

    name: str
    value: float
    protocol: str = ""
    source: str = ""


@dataclass(frozen=True)
class Manifest:
    """What an artifact says of itself."""

    id: str
    task: str
    source_script: str
    target: str
    tokenizer: str
    opset: int
    decoder: str
    precision: str
    license: str
    trained_from: str
    metrics: tuple[Metric, ...]
    parity: Mapping[str, Any]
    sha256: Mapping[str, str]

    @classmethod
    def parse(cls, data: bytes) -> Manifest:
        """Read ``metadata.yaml``.

        Raises ManifestError for text that is not YAML, missing fields and wrong types; WrongFormatError and
        WrongTokenizerError for an artifact that is valid, but not for this program.
        """
        fields = _mapping(data)
        found = fields.get("format")
        if found != FORMAT:
            raise WrongFormatError(
                f"expected format {FORMAT}, found {_shown(found)}; get an {FORMAT} export of this model"
            )
        tokenizer = fields.get("tokenizer")
        if tokenizer != TOKENIZER:
            raise WrongTokenizerError(
                f"expected tokenizer {TOKENIZER}, found {_shown(tokenizer)}; only byte-level models can be opened"
            )
        return cls(
            id=_id(fields),
            task=_text(fields, "task"),
            source_script=_text(fields, "source_script"),
            target=_text(fields, "target"),
            tokenizer=TOKENIZER,
            opset=_opset(fields),
            decoder=_choice(fields, "decoder", DECODERS),
            precision=_choice(fields, "precision", PRECISIONS),
            license=_text(fields, "license"),
            trained_from=_text(fields, "trained_from"),
            metrics=_metrics(fields),
            parity=MappingProxyType(parity if isinstance(parity := fields.get("parity"), dict) else {}),
            sha256=_digests(fields),
        )


def _mapping(data: bytes) -> dict[Any, Any]:
    if len(data) > SIZE_LIMIT:
        raise ManifestError(
            f"expected a metadata.yaml of a few kilobytes, found {len(data)} bytes; get the model again"
        )
    try:
        fields = yaml.load(data.decode("utf-8"), Loader=_Loader)
    except (yaml.YAMLError, ValueError, RecursionError, OverflowError) as error:
        reason = " ".join(str(error).split())[:120]
        raise ManifestError(
            f"expected YAML in metadata.yaml, found something else ({reason}); get the model again"
        ) from None
    if not isinstance(fields, dict):
        raise ManifestError(f"expected fields in metadata.yaml, found {type(fields).__name__}; get the model again")
    return fields


def _shown(value: object) -> str:
    return "none" if value is None else repr(value)[:60]


def _wrong(name: str, expected: str, value: object) -> ManifestError:
    return ManifestError(f"expected {expected} as {name} in metadata.yaml, found {_shown(value)}; get the model again")


def _text(fields: Mapping[Any, Any], name: str) -> str:
    value = fields.get(name)
    if value is None:
        return ""
    if not isinstance(value, str | int | float):
        raise _wrong(name, "text", value)
    return str(value)


def _id(fields: Mapping[Any, Any]) -> str:
    value = fields.get("id")
    if not isinstance(value, str) or not _ID.fullmatch(value):
        raise _wrong("id", "a name like khm-latn-1.0", value)
    return value


def _choice(fields: Mapping[Any, Any], name: str, allowed: tuple[str, ...]) -> str:
    value = fields.get(name)
    if not isinstance(value, str) or value not in allowed:
        raise _wrong(name, f"one of {', '.join(allowed)}", value)
    return value


def _opset(fields: Mapping[Any, Any]) -> int:
    value = fields.get("opset")
    if not isinstance(value, int) or isinstance(value, bool) or not 7 <= value <= 14:
        raise _wrong("opset", "a number from 7 to 14", value)
    return value


def _digests(fields: Mapping[Any, Any]) -> Mapping[str, str]:
    value = fields.get("sha256")
    if not isinstance(value, dict) or not value:
        raise _wrong("sha256", "a digest for each graph", value)
    for name, digest in value.items():
        if not isinstance(name, str) or not isinstance(digest, str) or not _DIGEST.fullmatch(digest.lower()):
            raise _wrong(f"sha256 of {_shown(name)}", "64 hexadecimal digits", digest)
    return MappingProxyType({name: digest.lower() for name, digest in value.items()})


def _metrics(fields: Mapping[Any, Any]) -> tuple[Metric, ...]:
    """Shown only, so an entry that cannot be read is left out."""
    entries = fields.get("metrics")
    metrics = []
    for entry in entries if isinstance(entries, list) else []:
        if isinstance(entry, dict) and isinstance(entry.get("value"), int | float):
            texts = {key: str(entry.get(key) or "") for key in ("name", "protocol", "source")}
            metrics.append(Metric(value=float(entry["value"]), **texts))
    return tuple(metrics)
