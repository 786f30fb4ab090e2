"""The history's thread: answers carry their numbers, and trace files are read and written there too."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from secryst_gui import paths
from secryst_gui.records import History, Keep, Record
from secryst_gui.ui.historyservice import (
    Found,
    HistoryAnswer,
    HistoryEvent,
    HistoryFailed,
    HistoryService,
    HistoryWorker,
    Search,
    TraceRead,
    TraceSaved,
)
from tests.records import examples


@pytest.fixture
def service(qtbot: QtBot) -> Iterator[HistoryService]:  # noqa: ARG001 - threads and signals need its application
    one = HistoryService(History(paths.history_file()))
    yield one
    assert one.close()


def answered(qtbot: QtBot, service: HistoryService, number: int | None) -> HistoryEvent:
    """The answer to the request with that number, which was just handed over."""
    found: list[HistoryEvent] = []

    def is_it(answer: HistoryAnswer) -> bool:
        if answer.number == number:
            found.append(answer.event)
        return bool(found)

    with qtbot.waitSignal(service.answered, check_params_cb=is_it):
        pass
    return found[0]


def test_a_trace_goes_to_a_file_and_comes_back(qtbot: QtBot, service: HistoryService, tmp_path: Path) -> None:
    """Saved, then read: equal. Another file gives one line."""
    path = tmp_path / "run.jsonl"
    saved = answered(qtbot, service, service.save_trace(path, examples.trace()))
    assert saved == TraceSaved(path)
    assert answered(qtbot, service, service.read_trace(path)) == TraceRead(examples.trace())
    path.write_text("text")
    failed = answered(qtbot, service, service.read_trace(path))
    assert isinstance(failed, HistoryFailed)
    assert failed.message.startswith("expected a trace")
    assert not paths.history_file().exists()


def test_a_search_names_its_text(qtbot: QtBot, service: HistoryService) -> None:
    """Of several handed over at once the last is answered, with the text it was asked for."""
    service.add(Record("one two", "ONE TWO", "large", "small"))
    numbers = [service.search(text) for text in ("one", "one t", "two")]
    event = answered(qtbot, service, numbers[-1])
    assert isinstance(event, Found)
    assert (event.text, [one.source for one in event.entries]) == ("two", ["one two"])


def test_a_search_that_was_overtaken_is_passed_over() -> None:
    """Whoever types fast waits for the last search alone."""
    worker = HistoryWorker(History(paths.history_file()))
    seen: list[HistoryAnswer] = []
    worker.answered.connect(seen.append)
    worker.want(2)
    for number in range(3):
        worker.serve(Search(number, "text"))
    assert [answer.number for answer in seen] == [2]


def test_switched_off_no_thread_is_needed(qtbot: QtBot) -> None:  # noqa: ARG001 - as above
    """Nothing is handed over, nothing runs, nothing is written."""
    service = HistoryService(History(paths.history_file(), Keep(on=False)))
    assert service.add(Record("one", "ONE", "large", "small")) is None
    assert service.is_closed
    assert service.close()
    assert not paths.history_file().exists()
