"""The history keeps what it is told to, finds it again, and loses nothing to damage or to a second window."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from secryst_gui.errors import HistoryError
from secryst_gui.records import History, Keep, Record, schema
from tests.records import examples

RECORD = Record("قال رسول الله", "قَالَ رَسُولُ اللَّهِ", "large-1.0", "small-1.0")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "history.sqlite"


@pytest.fixture
def history(path: Path) -> Iterator[History]:
    with History(path) as one:
        yield one


def kept(number: int, **changes: Any) -> Record:
    """A translation that differs from all others."""
    return replace(RECORD, source=f"text {number}", output=f"reading {number}", **changes)


def sources(history: History, text: str = "") -> list[str]:
    return [one.source for one in history.search(text)]


def test_what_is_added_is_found_newest_first(history: History) -> None:
    """Everything of a translation comes back; the list has the newest first."""
    first = history.add(replace(RECORD, time=examples.MADE))
    second = history.add(kept(2))
    assert first is not None
    assert [one.id for one in history.search()] == [second, first]
    assert history.search()[1].time == examples.MADE
    entry = history.entry(first)
    assert (entry.source, entry.output, entry.verifier, entry.drafter, entry.time, entry.trace) == (
        *(RECORD.source, RECORD.output, RECORD.verifier, RECORD.drafter, examples.MADE, None),
    )


@pytest.mark.parametrize("typed", ["رسول", "رَسُول", "ال رس", "الله", "  رسول  "])
def test_the_unvowelled_word_finds_its_reading(history: History, typed: str) -> None:
    """Marks make no difference, on either side, nor does it matter whether source or output holds the word."""
    history.add(replace(RECORD, source="x", output="قَالَ رَسُولُ اللَّهِ"))
    history.add(replace(RECORD, source="قال رسول الله", output="y"))
    history.add(kept(3))
    assert sources(history, typed) == ["قال رسول الله", "x"]


def test_what_looks_like_a_pattern_is_searched_as_it_stands(history: History) -> None:
    """No wildcard, no quote has a meaning; source and output are not run together."""
    for text in ("100 %", "100 ", "a_b", "a'b", 'a"b', "axb"):
        history.add(replace(RECORD, source=text, output="tail"))
    assert sources(history, "%") == ["100 %"]
    assert sources(history, "a_b") == ["a_b"]
    assert sources(history, "A'B") == ["a'b"]
    assert sources(history, 'a"b') == ['a"b']
    assert sources(history, "axb tail") == []


def test_the_trace_comes_back(history: History) -> None:
    """Reopened, a translation has the run's own events; the list says that it has."""
    trace = examples.trace()
    number = history.add(replace(RECORD, trace=trace))
    assert number is not None
    assert history.search()[0].traced
    assert history.entry(number).trace is None
    assert history.entry(number, with_trace=True).trace == trace


def test_a_trace_that_cannot_be_read_leaves_the_texts(history: History, path: Path) -> None:
    """The texts are there all the same, with one line on the trace."""
    number = history.add(replace(RECORD, trace=examples.trace()))
    assert number is not None
    with sqlite3.connect(path) as db:
        db.execute("UPDATE trace SET data = x'00'")
    db.close()
    entry = history.entry(number, with_trace=True)
    assert (entry.output, entry.trace) == (RECORD.output, None)
    assert entry.remark is not None
    assert entry.remark.startswith("expected a stored trace")


def test_any_text_can_be_kept(history: History) -> None:
    """NUL, half characters, line breaks, a megabyte: kept, listed by its beginning, and in full on demand."""
    odd = "a\0b\ud800\r\n\u2028"
    long = "كلمة " * 100_000
    for text in (odd, long):
        number = history.add(replace(RECORD, source=text, output=text))
        assert number is not None
        assert history.entry(number).output == text.replace("\ud800", "?")
        assert len(history.search()[0].output) <= 300
    assert history.search("كلمة")[0].source.startswith("كلمة كلمة")
    assert sources(history, "ab")


def test_switched_off_nothing_is_written(path: Path) -> None:
    """Not even a file; and switched off later, what is there stays and can still be read and removed."""
    with History(path, Keep(on=False)) as history:
        assert history.add(RECORD) is None
        assert history.search() == []
        history.remove(1)
        history.clear()
        with pytest.raises(HistoryError):
            history.entry(1)
        assert not path.parent.exists()
        history.keep = Keep()
        number = history.add(RECORD)
        assert number is not None
        history.keep = Keep(on=False, count=1, days=0)
        assert history.add(kept(2)) is None
        history.trim()
        assert sources(history) == [RECORD.source]
        history.remove(number)
        assert sources(history) == []


def test_blank_text_is_not_kept(history: History, path: Path) -> None:
    """Nothing was translated, so there is nothing to find again."""
    assert history.add(replace(RECORD, source=" \n")) is None
    assert not path.exists()


def test_limits(history: History) -> None:
    """At most so many, the newest; none older than so many days; traces go with their translations."""
    now = datetime.now(UTC)
    history.keep = Keep(count=3)
    for number in range(5):
        history.add(kept(number, time=now - timedelta(days=4 - number), trace=examples.trace()))
    assert sources(history) == ["text 4", "text 3", "text 2"]
    history.keep = Keep(days=1, count=100)
    history.trim()
    assert sources(history) == ["text 4"]
    assert rows(history.path, "trace") == 1


def rows(path: Path, table: str) -> int:
    db = sqlite3.connect(path)
    count: int = db.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
    db.close()
    return count


def test_what_is_removed_is_gone_from_the_disk(history: History, path: Path) -> None:
    """Removed, then cleared: no byte of the texts is left in the file or beside it; numbers are not used again."""
    history.add(replace(RECORD, source="first secret", output="read"))
    number = history.add(replace(RECORD, source="second secret", output="read", trace=examples.trace("second secret")))
    assert number is not None
    history.remove(number)
    history.remove(number)
    assert sources(history) == ["first secret"]
    assert "second secret" not in on_disk(path)
    history.clear()
    assert sources(history) == []
    assert "secret" not in on_disk(path)
    later = history.add(RECORD)
    assert later is not None
    assert later > number
    with pytest.raises(HistoryError, match="has been removed"):
        history.entry(number)


def on_disk(path: Path) -> str:
    return "".join(one.read_bytes().decode("latin-1") for one in path.parent.iterdir())


@pytest.mark.skipif(os.name == "nt", reason="Windows keeps a user's folder from others by itself")
def test_nobody_else_may_read_it(history: History, path: Path) -> None:
    """The file, and what SQLite lays beside it, are the user's alone."""
    history.add(RECORD)
    assert {one.stat().st_mode & 0o077 for one in path.parent.iterdir()} == {0}


def test_the_same_again_is_kept_once(history: History) -> None:
    """The newest gives way to itself, with its later trace; another output or verifier is another translation."""
    history.add(RECORD)
    history.add(replace(RECORD, trace=examples.trace()))
    assert [one.traced for one in history.search()] == [True]
    history.add(replace(RECORD, output="other"))
    history.add(replace(RECORD, output="other", verifier="third-1.0"))
    assert len(history.search()) == 3


def test_a_text_that_is_typed_is_kept_once(history: History) -> None:
    """Translated while typing, a text that only grew replaces itself; one that lost words, or grew later, does not."""
    start = datetime.now(UTC) - timedelta(hours=1)
    for seconds, text in enumerate(["one", "one two", "one two three", "one"]):
        history.add(replace(RECORD, source=text, time=start + timedelta(seconds=seconds), growing=True))
    assert sources(history) == ["one", "one two three"]


def test_two_windows_see_each_other(path: Path) -> None:
    """What one adds or removes, the other finds at once; a removal of what is gone is no error."""
    with History(path) as one, History(path) as other:
        first = one.add(kept(1))
        second = other.add(kept(2))
        assert first is not None
        assert second is not None
        assert sources(one) == sources(other) == ["text 2", "text 1"]
        other.remove(first)
        one.remove(first)
        one.clear()
        assert sources(other) == []


WRITER = """
import sys
from pathlib import Path
from secryst_gui.records import History, Record
with History(Path(sys.argv[1])) as history:
    for number in range(40):
        history.add(Record(f"{sys.argv[2]} {number}", "reading", "large", "small"))
        history.search("reading")
"""


def test_processes_that_write_at_once_lose_nothing(path: Path) -> None:
    """Four at once from the very first file on: each entry of each is there."""
    command = [sys.executable, "-c", WRITER, str(path)]
    processes = [subprocess.Popen([*command, name], stderr=subprocess.PIPE) for name in "abcd"]
    assert [process.communicate()[1] for process in processes] == [b""] * 4
    with History(path) as history:
        found = sources(history)
    assert sorted(found) == sorted(f"{name} {number}" for name in "abcd" for number in range(40))


def test_it_waits_for_another_window(history: History, path: Path) -> None:
    """While another window writes, adding waits for it instead of failing."""
    history.add(kept(1))
    other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    ending = threading.Timer(0.2, lambda: other.execute("COMMIT"))
    ending.start()
    started = time.monotonic()
    assert history.add(kept(2)) is not None
    assert time.monotonic() - started > 0.1
    ending.join()
    other.close()


def test_one_that_never_ends_is_told(history: History, monkeypatch: pytest.MonkeyPatch) -> None:
    """After the wait there is one line, and the next try works."""
    monkeypatch.setattr("secryst_gui.records.history.BUSY_S", 0.05)
    history.add(kept(1))
    history.close()
    other = sqlite3.connect(history.path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(HistoryError, match="locked") as told:
        history.add(kept(2))
    assert "\n" not in str(told.value)
    other.execute("COMMIT")
    other.close()
    assert history.add(kept(2)) is not None


@pytest.mark.parametrize("content", [b"no database at all" * 100, b"SQLite format 3\0" + b"\xff" * 4000])
def test_a_damaged_file_is_set_aside(path: Path, content: bytes) -> None:
    """Under another name, byte for byte; one line says so, once; and a new history begins."""
    path.parent.mkdir()
    path.write_bytes(content)
    with History(path) as history:
        assert history.search() == []
        remark = history.take_remark()
        assert remark is not None
        assert "\n" not in remark
        assert history.take_remark() is None
        history.add(RECORD)
        assert sources(history) == [RECORD.source]
    aside = list(path.parent.glob("history-damaged-*.sqlite"))
    assert [one.read_bytes() for one in aside] == [content]
    assert str(aside[0]) in remark


def test_damage_inside_is_found_while_it_is_used(path: Path) -> None:
    """A file whose pages were overwritten below an open window: set aside at the first error, by one window only."""
    with History(path) as history:
        for number in range(300):
            history.add(kept(number))
    data = bytearray(path.read_bytes())
    data[4096 : len(data)] = b"\xee" * (len(data) - 4096)
    path.write_bytes(data)
    with History(path) as one, History(path) as other:
        assert one.search() == []
        one.add(RECORD)
        assert sources(other) == [RECORD.source]
        assert one.take_remark()
        assert other.take_remark() is None
    assert len(list(path.parent.glob("history-damaged-*.sqlite"))) == 1


def test_a_second_window_does_not_set_a_new_file_aside(path: Path) -> None:
    """A window that still holds the damaged file finds the other one's new file sound, and goes on with it."""
    with History(path) as one, History(path) as other:
        for number in range(300):
            one.add(kept(number))
        sources(other)
        other._db.close()  # type: ignore[union-attr]  # its next call fails as it would on a page gone bad
        other._db = sqlite3.connect(damaged(path.parent / "elsewhere.sqlite"), isolation_level=None)
        assert len(sources(other)) == 300
        assert other.take_remark() is None
    assert not list(path.parent.glob("history-damaged-*"))


def damaged(path: Path) -> Path:
    path.write_bytes(b"gone bad" * 1000)
    return path


def test_another_programs_database_is_set_aside(path: Path) -> None:
    """A database that is no history, or lacks a table, is not written into."""
    path.parent.mkdir()
    foreign = sqlite3.connect(path)
    foreign.execute("CREATE TABLE entry (other TEXT)")
    foreign.commit()
    foreign.close()
    with History(path) as history:
        history.add(RECORD)
        assert sources(history) == [RECORD.source]
        assert history.take_remark()
    aside = next(path.parent.glob("history-damaged-*.sqlite"))
    assert rows(aside, "entry") == 0


def test_an_earlier_version_is_brought_up(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of this version gains what the next one adds, and keeps its translations."""
    with History(path) as history:
        history.add(RECORD)
    added = ("ALTER TABLE entry ADD COLUMN note TEXT NOT NULL DEFAULT ''",)
    monkeypatch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, added))
    with History(path) as history, History(path) as other:
        assert sources(history) == sources(other) == [RECORD.source]
    db = sqlite3.connect(path)
    assert db.execute("SELECT note FROM entry").fetchall() == [("",)]
    assert db.execute("PRAGMA user_version").fetchone() == (2,)
    db.close()


def test_a_migration_that_fails_changes_nothing(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All of it or nothing: the old program can still use the file."""
    with History(path) as history:
        history.add(RECORD)
    broken = ("ALTER TABLE entry ADD COLUMN note TEXT", "CREATE TABLE entry (again TEXT)")
    with monkeypatch.context() as patch:
        patch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, broken))
        with History(path) as history, pytest.raises(HistoryError):
            history.search()
    with History(path) as history:
        assert sources(history) == [RECORD.source]


def test_a_later_version_is_left_alone(path: Path) -> None:
    """What a newer program wrote is neither changed nor set aside; one line says what to do."""
    with History(path) as history:
        history.add(RECORD)
    db = sqlite3.connect(path)
    db.execute("PRAGMA user_version = 9")
    db.close()
    with History(path) as history:
        for act in (history.search, lambda: history.add(RECORD), history.clear):
            with pytest.raises(HistoryError, match=r"found version 9, .* newer"):
                act()
    assert rows(path, "entry") == 1
    assert not list(path.parent.glob("*damaged*"))


def test_a_place_that_cannot_be_used_is_told(tmp_path: Path) -> None:
    """A file in the folder's way, a folder in the file's: one line each, and nothing is lost."""
    (tmp_path / "file").write_text("in the way")
    (tmp_path / "folder.sqlite").mkdir()
    for path in (tmp_path / "file" / "history.sqlite", tmp_path / "folder.sqlite"):
        with History(path) as history, pytest.raises(HistoryError, match="expected a history") as told:
            history.add(RECORD)
        assert "\n" not in str(told.value)
    assert (tmp_path / "file").read_text() == "in the way"


def test_ten_thousand_are_searched_soon(history: History) -> None:
    """The largest history there may be is searched in a moment, word for word, without an index."""
    history.add(RECORD)
    db = sqlite3.connect(history.path)
    row = (0.0, "نص طويل " * 20, "نَصٌّ طَوِيلٌ " * 20, "v", "d", "نص طويل " * 40)
    insert = "INSERT INTO entry (time, source, output, verifier, drafter, folded) VALUES (?, ?, ?, ?, ?, ?)"
    with db:
        db.executemany(insert, [row] * 9999)
    db.close()
    started = time.monotonic()
    assert sources(history, "رسول") == [RECORD.source]
    assert time.monotonic() - started < 1.0
