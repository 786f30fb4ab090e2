"""Sessions: how they are opened, how a run is ended from another thread, how failures are told."""

from __future__ import annotations

import itertools
import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from secryst_gui.engine import DecodeOptions, DoneEvent, EngineOptions, IMFModel, SpeculativeModel, tokens
from secryst_gui.engine.session import SMALL_GRAPH_BYTES, Interrupt, Session, physical_cores, suitable_threads
from secryst_gui.errors import DecodeError
from tests.support import graphs
from tests.support.drafters import Prompter
from tests.support.imf import write_imf

#: Tokens of a source from which on a call of the endless model takes minutes.
PATIENCE = 40
RAW = DecodeOptions(max_len=400, raw=True, guard=False)


@pytest.fixture
def model(tmp_path: Path) -> Callable[[graphs.Graph], IMFModel]:
    """Open a hand-written decoder."""
    numbers = itertools.count()

    def opened(graph: graphs.Graph) -> IMFModel:
        return IMFModel.load(write_imf(tmp_path / f"m{next(numbers)}.zip", graph), EngineOptions(threads=1))

    return opened


@pytest.mark.parametrize(("asked", "threads"), [(0, 1), (1, 1), (3, 3)])
def test_threads_and_spinning_reach_the_session(tmp_path: Path, asked: int, threads: int) -> None:
    """What the options say is what the runtime is told, one for a small graph; threads spin while a run is on."""
    path = tmp_path / "g.onnx"
    path.write_bytes(graphs.encoder().SerializeToString())
    settings = Session(path, EngineOptions(threads=asked), Interrupt())._session.get_session_options()
    assert settings.intra_op_num_threads == threads
    assert settings.get_session_config_entry("session.force_spinning_stop") == "1"


def test_a_large_graph_gets_every_core(tmp_path: Path) -> None:
    """By its size on disk; and so does one that takes a whole source at once."""
    path = tmp_path / "g.onnx"
    path.touch()
    assert suitable_threads(path, whole=False) == 1
    assert suitable_threads(path, whole=True) == physical_cores()
    os.truncate(path, SMALL_GRAPH_BYTES + 1)
    assert suitable_threads(path, whole=False) == physical_cores()


def end_the_call(pair: SpeculativeModel, slow: IMFModel, running: threading.Event) -> None:
    """Wait for a decoder call, then end it."""
    running.wait(60)
    while slow.interrupt._running is None:
        os.sched_yield()
    pair.cancel()


@pytest.mark.timeout(60)
@pytest.mark.parametrize("role", ["verifier", "drafter"])
def test_one_long_call_is_ended_from_another_thread(
    model: Callable[[graphs.Graph], IMFModel], capfd: pytest.CaptureFixture[str], role: str
) -> None:
    """A call that would take minutes ends at once, silently; what came before is kept and the next request works."""
    slow, quick = model(graphs.endless(PATIENCE)), model(graphs.copier())
    pair = SpeculativeModel(None, slow, 4) if role == "verifier" else SpeculativeModel(slow, quick, 4)
    running = threading.Event()
    thread = threading.Thread(target=end_the_call, args=(pair, slow, running))
    thread.start()
    asked = itertools.count()

    def is_cancelled() -> bool:
        if next(asked) == 1:  # asked before the encoder, then before the first block
            running.set()
        return False

    *_, done = pair.decode("first\n" + "y" * 80, RAW, is_cancelled)
    thread.join()
    assert isinstance(done, DoneEvent)
    assert done.stop == "cancelled"
    assert "first\n".startswith(done.output.rstrip("\n"))
    assert capfd.readouterr().err == ""
    assert pair.translate("again", raw=True) == "again"


def test_a_cancel_that_comes_too_late_ends_nothing(model: Callable[[graphs.Graph], IMFModel]) -> None:
    """Before, after and between requests it has no effect, neither on the pair nor on its models by themselves."""
    copier = model(graphs.copier())
    pair = SpeculativeModel(copier, copier, 2)
    pair.cancel()
    assert copier.translate("hello", raw=True) == "hello"
    for number, _ in enumerate(pair.decode("hello world", RAW)):
        if number == 2:
            pair.cancel()
    assert copier.translate("hello", raw=True) == "hello"
    assert pair.translate("hello", raw=True) == "hello"
    pair.cancel()
    encoded = copier.encode("hello", raw=True)
    assert encoded is not None
    assert copier.draft(encoded, [], 3) == tokens.encode("hel")[:-1]


def test_an_abandoned_request_leaves_nothing(model: Callable[[graphs.Graph], IMFModel]) -> None:
    """A caller who stops listening may ask again at once, of the pair or of the model."""
    copier = model(graphs.copier())
    pair = SpeculativeModel(copier, copier, 2)
    events = pair.decode("hello world", RAW)
    next(events)
    del events  # nobody will ask it for more
    pair.cancel()
    assert copier.translate("hello", raw=True) == "hello"


@pytest.mark.parametrize("drafted", [0, 8])
def test_a_decoder_that_runs_out_of_places_says_so(model: Callable[[graphs.Graph], IMFModel], drafted: int) -> None:
    """The runtime may then answer with fewer rows: one line instead of wrong output, and the next text works."""
    short = model(graphs.short_sighted(40))
    output = tokens.encode("x" * 60)
    pair = SpeculativeModel(Prompter(output) if drafted else None, short, drafted or 1)
    with pytest.raises(DecodeError, match="expected logits") as error:
        pair.translate("x" * 60, raw=True)
    assert "\n" not in str(error.value)
    with pytest.raises(DecodeError):
        short.translate("x" * 60, raw=True)
    assert pair.translate("hello", raw=True) == short.translate("hello", raw=True) == "hello"


def test_a_model_may_be_closed_twice(model: Callable[[graphs.Graph], IMFModel]) -> None:
    """By hand inside a ``with`` and again at its end; using it afterwards is one clear line."""
    with model(graphs.copier()) as copier:
        copier.close()
    with pytest.raises(DecodeError, match="closed"):
        SpeculativeModel(None, copier).translate("hello")
