"""``metadata.yaml``: what is needed is checked, what is only shown is not."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from secryst_gui.artifacts import Manifest
from secryst_gui.errors import ManifestError, WrongFormatError, WrongTokenizerError
from tests.support import zips

DIGEST = "0" * 64
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)


def test_a_manifest_is_read() -> None:
    """Every field of the specification arrives, with its type."""
    metrics = [{"name": "der", "value": 0.03, "protocol": "greedy", "source": "README.md#results"}]
    parsed = Manifest.parse(zips.manifest(metrics=metrics, parity={"samples": 500, "cer_delta": 0.1}))
    assert (parsed.id, parsed.task, parsed.precision, parsed.decoder) == (
        "ara-diac-test-1.0",
        "diacritization",
        "fp32",
        "kv",
    )
    assert parsed.metrics[0].value == 0.03
    assert parsed.parity["samples"] == 500
    assert set(parsed.sha256) == set(zips.GRAPHS)


def test_the_parity_kits_manifest_is_enough() -> None:
    """No scripts, another task, no metrics: a loader is lenient about what it does not need."""
    parsed = Manifest.parse(zips.manifest(id="parity-tiny-1.0", task="parity", source_script=None, target=None))
    assert (parsed.task, parsed.source_script) == ("parity", "")


@pytest.mark.parametrize(
    ("changes", "kind", "found"),
    [
        ({"format": "imf-v2"}, WrongFormatError, "imf-v2"),
        ({"format": None}, WrongFormatError, "none"),
        ({"tokenizer": "sentencepiece"}, WrongTokenizerError, "sentencepiece"),
        ({"id": "Khmer Latin"}, ManifestError, "Khmer Latin"),
        ({"id": 7}, ManifestError, "7"),
        ({"decoder": "cached"}, ManifestError, "cached"),
        ({"precision": ["int8"]}, ManifestError, "int8"),
        ({"opset": "14"}, ManifestError, "14"),
        ({"opset": 15}, ManifestError, "15"),
        ({"opset": True}, ManifestError, "True"),
        ({"task": {"a": 1}}, ManifestError, "task"),
        ({"sha256": None}, ManifestError, "none"),
        ({"sha256": [DIGEST]}, ManifestError, "sha256"),
        ({"sha256": {"encoder.onnx": "12"}}, ManifestError, "12"),
        ({"sha256": {"encoder.onnx": 12}}, ManifestError, "12"),
    ],
)
def test_what_is_needed_is_checked(changes: dict[str, Any], kind: type[ManifestError], found: str) -> None:
    """Each wrong field is its own error: one line that says what was expected and found."""
    with pytest.raises(kind, match="expected") as error:
        Manifest.parse(zips.manifest(**changes))
    assert found in str(error.value)
    assert "\n" not in str(error.value)


BOMB = b"a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n"


@pytest.mark.parametrize(
    "data", [b"", b"- a\n- b", b"text", b"a: [", b"\xff\xfe\x00", b"{" * 5000, BOMB, b"a" * (2 << 20)]
)
def test_what_is_no_manifest_says_so(data: bytes) -> None:
    """Not YAML, not a mapping, not UTF-8, nested without end, aliases that multiply, or megabytes: one clear line."""
    with pytest.raises(ManifestError, match="expected") as error:
        Manifest.parse(data)
    assert "\n" not in str(error.value)


@given(st.binary(max_size=300))
def test_any_bytes_are_a_manifest_or_an_error(data: bytes) -> None:
    """Nothing but ManifestError comes out, whatever goes in."""
    with pytest.raises(ManifestError):
        Manifest.parse(data)


@given(st.dictionaries(st.sampled_from(sorted(zips.fields())), VALUES, max_size=4))
def test_any_field_may_hold_anything(changes: dict[str, Any]) -> None:
    """A field of any type gives a manifest or a ManifestError, never another exception."""
    with suppress(ManifestError):
        Manifest.parse(yaml.safe_dump(zips.fields() | changes).encode())
