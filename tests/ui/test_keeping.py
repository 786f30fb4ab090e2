"""Runs that are kept: in the history, as traces, as files; and shown again without a model."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QFileDialog

from secryst_gui.records import read_trace
from secryst_gui.ui.historyservice import HistoryAnswer, TraceRead, TraceSaved
from tests.ui.conftest import SETTLE_MS, Bench

TEXT = "بسم الله\n\nسلام"


def rows(bench: Bench) -> list[list[str]]:
    model = bench.window.table.model()
    columns = range(model.columnCount())
    return [[str(model.index(row, column).data()) for column in columns] for row in range(model.rowCount())]


def test_a_translation_is_kept_and_shown_again(bench: Bench, cache: Path) -> None:
    """Texts, plot and table come back as they were, though the models are gone."""
    bench.translate(TEXT)
    output, table, blocks = bench.window.output.text(), rows(bench), bench.window.plot.blocks
    bench.translate("another")

    for path in cache.rglob("*.zip"):
        path.unlink()
    with bench.qtbot.waitSignal(bench.window.history.listed, timeout=SETTLE_MS):
        bench.window.history.show()
    listed = bench.window.history.list
    assert listed.model().rowCount() == 2
    listed.setCurrentIndex(listed.model().index(1, 0))
    with bench.qtbot.waitSignal(bench.window.settled, timeout=SETTLE_MS):
        bench.window.history.open_current()
    assert bench.window.source.text() == TEXT
    assert bench.window.output.text() == output
    assert rows(bench) == table
    assert bench.window.plot.blocks == blocks


def test_a_trace_is_saved_and_read_by_another_window(
    bench: Bench, open_bench: Callable[[], Bench], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same views, from a file."""
    bench.translate(TEXT)
    path = tmp_path / "run.jsonl"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(path), ""))

    def saved(answer: HistoryAnswer) -> bool:
        return isinstance(answer.event, TraceSaved)

    def read(answer: HistoryAnswer) -> bool:
        return isinstance(answer.event, TraceRead)

    with bench.qtbot.waitSignal(bench.window._kept.answered, timeout=SETTLE_MS, check_params_cb=saved):
        bench.window.ask_where_to_save_trace()
    trace = read_trace(path)
    assert (trace.header.input, trace.output) == (TEXT, bench.window.output.text())
    other = open_bench()
    with other.qtbot.waitSignal(other.window._kept.answered, timeout=SETTLE_MS, check_params_cb=read):
        other.window.ask_for_trace()
    assert other.window.output.text() == bench.window.output.text()
    assert rows(other) == rows(bench)


def test_files_are_opened_dropped_and_saved(bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A text comes in by the dialog or by dropping it, and Ctrl+Z brings back what was there; the output goes out."""
    path, target = tmp_path / "in.txt", tmp_path / "out.txt"
    path.write_text("من ملف\n", "utf-8")
    bench.window.source.setPlainText("mine")
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(path), ""))
    bench.window.ask_for_text()
    assert bench.window.source.text() == "من ملف\n"
    bench.window.source.undo()
    assert bench.window.source.text() == "mine"
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)), QUrl.fromLocalFile(str(path))])
    drop = QDropEvent(
        QPointF(1, 1), Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    )
    bench.window.dropEvent(drop)
    assert bench.window.source.text() == "من ملف\n\nمن ملف\n"
    bench.translate("سلام")
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(target), ""))
    bench.window.ask_where_to_save()
    assert target.read_text("utf-8") == bench.window.output.text()


def test_a_file_that_cannot_be_read_is_told(bench: Bench, tmp_path: Path) -> None:
    """One line in the message bar; the text that was there stays."""
    bench.window.source.setPlainText("mine")
    bench.window.open_files([tmp_path / "gone.txt"])
    assert "gone.txt" in bench.window.message.text
    assert bench.window.source.text() == "mine"
