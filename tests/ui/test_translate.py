"""Translating in the real window with real models."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest

from secryst_gui.engine import BlockEvent, DecodeOptions, DoneEvent, IMFModel, LookupDrafter, SpeculativeModel
from secryst_gui.ui.requests import BuiltinDrafter, Delivery, DrafterChoice
from tests.ui.conftest import DRAFTER, SETTLE_MS, VERIFIER, Bench

TEXT = "بسم الله\n\nسلام\nabc"


def test_output_is_the_engines(bench: Bench, conformance: Path) -> None:
    """What the window shows in the end is exactly what the engine yields for the same pair, text and K."""
    assert bench.translate(TEXT).startswith("Done")
    with (
        IMFModel.load(conformance / "imf" / VERIFIER) as verifier,
        IMFModel.load(conformance / "imf" / DRAFTER) as drafter,
    ):
        events = list(SpeculativeModel(drafter, verifier, block_size=8).decode(TEXT, DecodeOptions()))
    done = events[-1]
    assert isinstance(done, DoneEvent)
    assert bench.window.output.text() == done.output
    blocks = [event for event in events if isinstance(event, BlockEvent)]
    assert bench.window.plot.blocks == len(blocks)
    model = bench.window.table.model()
    assert model.rowCount() == len(blocks)
    accepted = [model.index(row, 2).data() for row in range(len(blocks))]
    assert accepted == [f"{event.accepted} of {len(event.draft)}" if event.draft else "–" for event in blocks]


@pytest.mark.parametrize("drafter", [BuiltinDrafter.AUTO, BuiltinDrafter.LOOKUP, BuiltinDrafter.NONE])
def test_drafters_without_a_model(bench: Bench, drafter: BuiltinDrafter) -> None:
    """Auto, lookup and none translate too, and none of them changes the output."""
    bench.translate(TEXT)
    expected = bench.window.output.text()
    bench.choose(drafter)
    bench.translate(TEXT)
    assert bench.window.output.text() == expected
    rate = bench.figure("statusAcceptance")
    assert (rate == "nothing drafted") == (drafter is BuiltinDrafter.NONE)


def test_blocks_stream_in_order(bench: Bench) -> None:
    """Blocks reach the output in order, several times before the end, and what is shown only ever grows."""
    indexes: list[int] = []
    shown: list[str] = []

    def collect(delivery: Delivery) -> None:
        if isinstance(delivery.event, BlockEvent):
            indexes.append(delivery.event.index)

    bench.window._service.happened.connect(collect)
    bench.window.output.textChanged.connect(lambda: shown.append(bench.window.output.text()))
    bench.translate("\n".join([TEXT] * 6))
    assert indexes == list(range(len(indexes)))
    assert len(shown) > 2
    # The first change is the clearing; every later text continues the one before.
    assert all(later.startswith(earlier) for earlier, later in itertools.pairwise(shown[1:]))


def test_stop_keeps_what_was_streamed(bench: Bench) -> None:
    """Esc ends a long run early, keeps the text so far, and the next translation works."""
    window, qtbot = bench.window, bench.qtbot
    window.source.setPlainText("\n".join([TEXT] * 500))
    with qtbot.waitSignal(window.output.textChanged, timeout=SETTLE_MS, check_params_cb=lambda: window.plot.blocks > 0):
        window.translate_action.trigger()
    with qtbot.waitSignal(window.settled, timeout=SETTLE_MS) as settled:
        QTest.keyClick(window.source, Qt.Key.Key_Escape)
    assert settled.args[0].startswith("Stopped")
    kept = window.output.text()
    assert kept
    assert kept.count("\n") < window.source.text().count("\n")
    assert not window.stop_action.isEnabled()
    assert bench.translate("abc").startswith("Done")


def test_close_during_work(bench: Bench) -> None:
    """Closing in the middle of a run ends the worker, without a warning or a crash."""
    window = bench.window
    window.source.setPlainText("\n".join([TEXT] * 500))
    with bench.qtbot.waitSignal(window.output.textChanged, timeout=SETTLE_MS):
        window.translate_action.trigger()
    window.close()
    assert window.is_worker_done


def test_close_while_loading(open_bench: Callable[[], Bench], add_model: Callable[[str], Path]) -> None:
    """Closing before anything is loaded ends the worker as well."""
    add_model(VERIFIER)
    one = open_bench()
    one.window.look_for_models()
    one.window.close()
    assert one.window.is_worker_done


def test_a_model_that_goes_away_is_said_in_one_line(bench: Bench) -> None:
    """A zip deleted after it was listed gives one readable line, no traceback; text and window live on."""
    window = bench.window
    pair = window.settings.pair
    assert pair is not None
    pair.verifier.unlink()
    window.settings.threads.setValue(1)  # makes the models be opened anew
    window.output.setPlainText("earlier")
    bench.translate("abc")
    assert window.message.text
    assert "\n" not in window.message.text
    assert "Traceback" not in window.message.text
    assert window.source.text() == "abc"
    assert window.translate_action.isEnabled()


def test_a_damaged_model_is_said_in_one_line(open_bench: Callable[[], Bench], add_model: Callable[[str], Path]) -> None:
    """A graph whose bytes were changed is refused when it is loaded, with the reason in the message bar."""
    path = add_model(VERIFIER)
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0xFF
    path.write_bytes(bytes(data))
    one = open_bench()
    one.look()
    assert one.window.message.text
    assert "\n" not in one.window.message.text


def test_copy_output(bench: Bench) -> None:
    """The copied output has plain line breaks, and is the whole of it."""
    bench.translate(TEXT)
    bench.window.copy_action.trigger()
    copied = QGuiApplication.clipboard().text()
    assert copied == bench.window.output.text()
    assert "\u2029" not in copied


def test_raw_and_block_size_are_forwarded(bench: Bench, conformance: Path) -> None:
    """The raw box and K reach the engine: marks in the input change the output, and blocks get longer."""
    text = "بِسْمِ"
    bench.window.settings.block_size.setValue(3)
    bench.window.settings.raw.setChecked(True)
    drafts: list[int] = []

    def collect(delivery: Delivery) -> None:
        if isinstance(delivery.event, BlockEvent):
            drafts.append(len(delivery.event.draft))

    bench.window._service.happened.connect(collect)
    bench.translate(text)
    with IMFModel.load(conformance / "imf" / VERIFIER) as verifier:
        expected = SpeculativeModel(LookupDrafter(), verifier, block_size=3)
        *_, done = expected.decode(text, DecodeOptions(raw=True))
    assert isinstance(done, DoneEvent)
    assert bench.window.output.text() == done.output
    assert max(drafts) == 3


@pytest.mark.parametrize("drafter", [None, BuiltinDrafter.NONE])
def test_status_figures(bench: Bench, drafter: DrafterChoice | None) -> None:
    """After a run the status bar tells acceptance, tokens per pass and tokens a second."""
    if drafter is not None:
        bench.choose(drafter)
    bench.translate(TEXT)
    texts = {name: bench.figure(name) for name in ("statusAcceptance", "statusSpeed")}
    assert texts["statusSpeed"].endswith("tokens/s")
    assert texts["statusAcceptance"] == "nothing drafted" or texts["statusAcceptance"].startswith("acceptance rate ")


def test_an_adaptive_block_size_changes_blocks_and_not_the_output(bench: Bench) -> None:
    """With K chosen for each block the output stays; the axis goes to the largest K, and the number is greyed."""
    bench.translate(TEXT)
    expected = bench.window.output.text()
    pane = bench.window.settings
    pane.adaptive.setChecked(True)
    assert not pane.block_size.isEnabled()
    assert pane.chosen_block_size is None
    bench.translate(TEXT)
    assert bench.window.output.text() == expected
    pane.adaptive.setChecked(False)
    assert pane.block_size.isEnabled()
    assert pane.chosen_block_size == pane.block_size.value()
