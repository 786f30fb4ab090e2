"""Comparing and sweeping on the worker's thread, with real models."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from secryst_gui.artifacts import Store
from secryst_gui.ui.requests import BuiltinDrafter, Compared, Delivery, Failed, Notice, Pair, Stopped, SweepEnded, Swept
from secryst_gui.ui.service import DecodingService
from tests.ui.conftest import DRAFTER, SETTLE_MS, VERIFIER

TEXT = "hello world"


@pytest.fixture
def service(tmp_path: Path) -> Iterator[DecodingService]:
    one = DecodingService(Store(shipped=tmp_path / "nothing-ships"))
    yield one
    assert one.close()


def answers(
    qtbot: QtBot, service: DecodingService, ask: Callable[[], int], after: Callable[[Notice], None] = lambda _: None
) -> list[Notice]:
    """What comes of one request, to the last; ``after`` is called with each."""
    found: list[Notice] = []

    def take(delivery: Delivery) -> bool:
        found.append(delivery.event)  # type: ignore[arg-type]
        after(delivery.event)  # type: ignore[arg-type]
        return isinstance(delivery.event, Compared | SweepEnded | Stopped | Failed)

    with qtbot.waitSignal(service.happened, timeout=SETTLE_MS, check_params_cb=take):
        ask()
    return found


def test_the_verifier_alone_beside_the_pair(
    qtbot: QtBot, service: DecodingService, add_model: Callable[[str], Path]
) -> None:
    """Both times, identical tokens; the pair is one that was not loaded before."""
    pair = Pair(add_model(VERIFIER), add_model(DRAFTER))
    *_, last = answers(qtbot, service, lambda: service.compare(pair, 1, TEXT, 4, False))
    assert isinstance(last, Compared)
    assert last.comparison.difference is None
    assert last.comparison.plain_s > 0 < last.comparison.pair_s


def test_a_sweep_tells_every_point_and_its_end(
    qtbot: QtBot, service: DecodingService, add_model: Callable[[str], Path]
) -> None:
    """In order, counted; a file that is not there is one readable line."""
    pair = Pair(add_model(VERIFIER), BuiltinDrafter.LOOKUP)
    found = answers(qtbot, service, lambda: service.sweep(pair, 1, TEXT, (1, 4, 9), False))
    points = [event for event in found if isinstance(event, Swept)]
    assert [(event.point.block_size, event.done, event.total) for event in points] == [(1, 1, 3), (4, 2, 3), (9, 3, 3)]
    assert found[-1] == SweepEnded(cancelled=False)
    gone = Pair(pair.verifier.with_name("gone.zip"), BuiltinDrafter.LOOKUP)
    assert isinstance(answers(qtbot, service, lambda: service.sweep(gone, 1, TEXT, (1,), False))[-1], Failed)


def test_a_sweep_can_be_ended(qtbot: QtBot, service: DecodingService, add_model: Callable[[str], Path]) -> None:
    """After a point or two; what was measured stays, and the end says that it is one."""
    pair = Pair(add_model(VERIFIER), BuiltinDrafter.LOOKUP)

    def after(event: Notice) -> None:
        if isinstance(event, Swept):
            service.cancel()

    long = tuple(range(1, 33)) * 20
    found = answers(qtbot, service, lambda: service.sweep(pair, 1, TEXT, long, False), after)
    assert found[-1] == SweepEnded(cancelled=True)
    assert 0 < sum(isinstance(event, Swept) for event in found) < len(long)
