"""The decoder's state: as if it had none."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from secryst_gui.engine import EngineOptions, IMFModel
from secryst_gui.engine.decoder import Decoder
from secryst_gui.engine.model import Encoded
from secryst_gui.engine.probe import probe
from secryst_gui.engine.session import Interrupt, Session
from secryst_gui.errors import GraphError
from tests.engine import graphs
from tests.engine.conftest import FIXTURES, Load

SEQUENCES = st.lists(st.lists(st.integers(3, 258), max_size=12), min_size=1, max_size=6)
NOTHING = np.zeros((1, 2, 4), np.float32)
READ = {"encoder_hidden_states": NOTHING}


def tiny(path: Path) -> Decoder:
    return Decoder(Session(path, EngineOptions(threads=1), Interrupt()))


def encoded(model: IMFModel) -> Encoded:
    found = model.encode("hello", raw=True)
    assert found is not None
    return found


@pytest.mark.parametrize("name", FIXTURES)
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(sequences=SEQUENCES, shared=st.integers(0, 8))
def test_a_state_answers_as_a_fresh_one(load: Load, name: str, sequences: list[list[int]], shared: int) -> None:
    """Any sequence of questions, longer, shorter, with common beginnings: single steps to the bit, passes nearly."""
    model = load(name)
    source = encoded(model)
    decoders = source.decoders
    read = decoders.steps.read(source.hidden)
    steps, passes = decoders.steps.state(read, single=True), decoders.passes.state(read, single=False)
    for sequence in sequences:
        asked = sequences[0][:shared] + sequence
        count = min(len(asked), 3) + 1
        fresh = decoders.steps.state(read, single=True).logits(asked, count)
        assert np.array_equal(steps.logits(asked, count), fresh)
        if model.multi_token:
            near = passes.logits(asked, count).astype(np.float64)
            assert np.abs(near - fresh).max() <= max(model.near_tie, 1e-3)


def test_a_pair_that_is_no_layer_is_passed_along(tmp_path: Path) -> None:
    """A running count in a past of shape [B,1,P,1] grows, and is cropped with the rest."""
    decoder = tiny(graphs.counting(tmp_path / "g.onnx"))
    state = decoder.state(READ, single=False)
    for sequence in ([4, 5, 6], [4, 5, 7, 8], [4], [9, 9], [4, 5, 6]):
        sums = np.cumsum([0, *sequence])
        expected = graphs.table()[sums % graphs.V]
        assert np.array_equal(state.logits(sequence, len(sequence) + 1), expected)


def test_head_counts_are_read_and_never_guessed(tmp_path: Path) -> None:
    """A symbolic head count is taken from the output, or from the graph's shapes; if none tells, one line says so."""
    told: tuple[int | str, ...] = (1, "heads")
    for number, present_heads in enumerate(told):
        decoder = tiny(graphs.counting(tmp_path / f"{number}.onnx", heads="heads", present_heads=present_heads))
        assert decoder.state(READ, single=False).logits([4]).shape == (1, graphs.V)
    with pytest.raises(GraphError, match="expected a fixed size for axis 1") as error:
        tiny(graphs.counting(tmp_path / "open.onnx", heads="heads", present_heads="heads", follows=True))
    assert "\n" not in str(error.value)


def test_a_graph_that_looks_ahead_is_found_out(tmp_path: Path) -> None:
    """Where later tokens change earlier verdicts, no pass over several tokens is trusted."""
    ahead, counting = tiny(graphs.looking_ahead(tmp_path / "g.onnx")), tiny(graphs.counting(tmp_path / "h.onnx"))
    assert "later ones change" in str(probe(ahead, ahead, NOTHING).reason)
    assert probe(counting, counting, NOTHING).multi_token


def test_passes_are_trusted_where_they_can_be(load: Load) -> None:
    """fp32, fp16 and int4 graphs agree with single steps, and so do int8 ones whose tokens are quantized one by one."""
    for name in FIXTURES:
        assert load(name).multi_token_reason is None


def test_int8_graphs_as_they_are_verify_token_by_token(conformance: Path) -> None:
    """Opened without rewriting, a graph that quantizes a whole pass with one scale is not trusted with passes."""
    path = conformance / "imf" / "fixture-verifier-1.0-int8.zip"
    with IMFModel.load(path, EngineOptions(threads=1, rewrite=False)) as model:
        assert "one scale" in str(model.multi_token_reason)


def test_a_file_that_is_no_graph_gets_one_line(tmp_path: Path) -> None:
    """Opening says what was expected and found."""
    broken = tmp_path / "g.onnx"
    broken.write_bytes(b"not a graph")
    with pytest.raises(GraphError, match="expected a graph") as error:
        tiny(broken)
    assert "\n" not in str(error.value)
