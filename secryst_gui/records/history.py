"""The history of translations: one SQLite file, which several windows may use at once.

What is written is committed at once, what is removed is overwritten with zeros. The file is made by the first
translation that is kept, so that whoever switches the history off never has one. A damaged file is set aside under
another name, never deleted, and a new one begun.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import TypeVar

import filelock

from secryst_gui.errors import HistoryError, InputError
from secryst_gui.records.entries import LEAST_KEPT, MOST_KEPT, Entry, Keep, Record, Summary
from secryst_gui.records.folding import folded
from secryst_gui.records.schema import ForeignError, migrate
from secryst_gui.records.trace import Trace, packed, unpacked

#: How long to wait for another window that writes.
BUSY_S = 5.0
#: Characters of a text that its line in the list has room for, and more.
BEGINNING = 300
#: Within so many seconds a longer text is the same text, typed further.
GROWING_S = 60.0
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_Result = TypeVar("_Result")


class History:
    """The translations kept in one file; ``keep`` may be changed at any time.

    Used from one thread at a time. Every method raises HistoryError, in one line, where the file can be neither used
    nor set aside. ``remark``: one line on a file that was set aside, until it is taken.
    """

    def __init__(self, path: Path, keep: Keep | None = None) -> None:
        self.path = path
        self.keep = keep if keep is not None else Keep()
        self._remark: str | None = None
        self._db: sqlite3.Connection | None = None

    def __enter__(self) -> History:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def add(self, record: Record) -> int | None:
        """Keep a translation; returns its number, or None where history is off or there is nothing to keep.

        The newest translation gives way when the same text gave the same output again, or when its text has only been
        typed further within a minute. What is over the limits is removed.
        """
        if not self.keep.on or not record.source.strip():
            return None
        data = packed(record.trace) if record.trace is not None else None
        then = record.time.timestamp() if record.time is not None else time.time()
        source, output = _storable(record.source), _storable(record.output)
        # A line break cannot be in what is searched for, so nothing is found across the border of the two.
        search = f"{folded(source)}\n{folded(output)}"
        values = (then, source, output, record.verifier, record.drafter, search)

        def act(db: sqlite3.Connection) -> int:
            with _writing(db):
                self._give_way(db, record, source, output, then)
                insert = "INSERT INTO entry (time, source, output, verifier, drafter, folded) VALUES (?, ?, ?, ?, ?, ?)"
                number = db.execute(insert, values).lastrowid
                assert number is not None
                if data is not None:
                    db.execute("INSERT INTO trace (entry, data) VALUES (?, ?)", (number, data))
                self._trim(db)
            return number

        return self._do(act)

    def search(self, text: str = "", limit: int = MOST_KEPT) -> list[Summary]:
        """The translations whose source or output holds ``text``, marks and case apart; the newest first."""
        if not self.path.exists():
            return []
        select = (
            "SELECT id, time, substr(source, 1, ?), substr(output, 1, ?), verifier, drafter, "
            "EXISTS (SELECT 1 FROM trace WHERE trace.entry = entry.id) FROM entry "
            "WHERE ? = '' OR instr(folded, ?) ORDER BY id DESC LIMIT ?"
        )
        wanted = folded(text)
        rows = self._do(lambda db: db.execute(select, (BEGINNING, BEGINNING, wanted, wanted, limit)).fetchall())
        return [
            Summary(number, _moment(then), source, output, verifier, drafter, bool(traced))
            for number, then, source, output, verifier, drafter, traced in rows
        ]

    def entry(self, number: int, *, with_trace: bool = False) -> Entry:
        """A translation in full. Raises HistoryError when it is no longer there."""
        select = "SELECT time, source, output, verifier, drafter FROM entry WHERE id = ?"
        row = self._do(lambda db: db.execute(select, (number,)).fetchone()) if self.path.exists() else None
        if row is None:
            raise HistoryError("expected a translation that was kept, found that it has been removed; choose another")
        then, source, output, verifier, drafter = row
        trace, remark = self._trace(number) if with_trace else (None, None)
        return Entry(number, _moment(then), source, output, verifier, drafter, trace, remark)

    def remove(self, number: int) -> None:
        """Remove a translation and its trace; one that is gone already is no error."""
        if self.path.exists():
            self._do(lambda db: _forgotten(db, "DELETE FROM entry WHERE id = ?", (number,)))

    def clear(self) -> None:
        """Remove all of them, and give their room on disk back."""
        if self.path.exists():
            self._do(lambda db: _forgotten(db, "DELETE FROM entry", ()))

    def trim(self) -> None:
        """Remove what is over the limits; `add` does so by itself."""
        if self.keep.on and self.path.exists():
            self._do(self._trim)

    def take_remark(self) -> str | None:
        """The remark, once."""
        remark, self._remark = self._remark, None
        return remark

    def close(self) -> None:
        """Close the file; it is opened again when it is needed again."""
        if self._db is not None:
            self._db.close()
            self._db = None

    def _trace(self, number: int) -> tuple[Trace | None, str | None]:
        row = self._do(lambda db: db.execute("SELECT data FROM trace WHERE entry = ?", (number,)).fetchone())
        if row is None:
            return None, None
        try:
            return unpacked(row[0]), None
        except InputError as error:
            return None, str(error)

    def _give_way(self, db: sqlite3.Connection, record: Record, source: str, output: str, then: float) -> None:
        select = "SELECT id, time, source, output FROM entry WHERE verifier = ? ORDER BY id DESC LIMIT 1"
        newest = db.execute(select, (record.verifier,)).fetchone()
        if newest is None:
            return
        number, before, earlier, reading = newest
        again = (earlier, reading) == (source, output)
        further = record.growing and source.startswith(earlier) and 0 <= then - before <= GROWING_S
        if again or further:
            db.execute("DELETE FROM entry WHERE id = ?", (number,))

    def _trim(self, db: sqlite3.Connection) -> None:
        first_over = "SELECT id FROM entry ORDER BY id DESC LIMIT 1 OFFSET ?"
        db.execute(f"DELETE FROM entry WHERE id <= ({first_over})", (max(LEAST_KEPT, self.keep.count),))
        if self.keep.days is not None:
            db.execute("DELETE FROM entry WHERE time < ?", (time.time() - 86400 * self.keep.days,))

    def _do(self, act: Callable[[sqlite3.Connection], _Result]) -> _Result:
        """Run ``act`` on the open file; a damaged one is set aside, and ``act`` run once more on a new one."""
        try:
            try:
                return act(self._opened())
            except (sqlite3.DatabaseError, ForeignError) as error:
                if not _is_damage(error):
                    raise
                self._set_aside()
                return act(self._opened())
        except (sqlite3.Error, ForeignError, OSError, filelock.Timeout) as error:
            self.close()
            raise HistoryError(
                f"expected a history that can be read and written, found {self.path} ({_reason(error)}); "
                "check the place, or switch the history off"
            ) from None

    def _opened(self) -> sqlite3.Connection:
        if self._db is None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            # Made before SQLite makes it: what someone translates is nobody else's to read.
            with contextlib.suppress(FileExistsError):
                os.close(os.open(self.path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            self._db = _connected(self.path)
        return self._db

    def _set_aside(self) -> None:
        self.close()
        # Two windows may find the damage at once: only the first one to come sets the file aside.
        with filelock.FileLock(f"{self.path}.lock", timeout=BUSY_S):
            if _is_sound(self.path):
                return
            aside = _free_name(self.path)
            for suffix in ("-wal", "-shm", ""):
                with contextlib.suppress(FileNotFoundError):
                    Path(f"{self.path}{suffix}").rename(f"{aside}{suffix}")
        self._remark = f"The history was damaged. It has been kept as {aside}, and a new one begun."


def _connected(path: Path) -> sqlite3.Connection:
    # Several threads may use it one after the other (the window closes what its worker has used); no two at once.
    db = sqlite3.connect(path, timeout=BUSY_S, isolation_level=None, check_same_thread=False)
    try:
        db.execute("PRAGMA foreign_keys = ON")
        db.execute("PRAGMA secure_delete = ON")
        if db.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
            # Readers and a writer at once. Another window that opens the file just now may have the turn: it sets
            # the same mode, which is the file's, not the connection's.
            with contextlib.suppress(sqlite3.OperationalError):
                db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = NORMAL")
        migrate(db)
    except BaseException:
        db.close()
        raise
    return db


@contextmanager
def _writing(db: sqlite3.Connection) -> Iterator[None]:
    # IMMEDIATE: to wait for the turn before reading, since a reader that begins to write may not wait.
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        with contextlib.suppress(sqlite3.Error):
            db.execute("ROLLBACK")
        raise
    db.execute("COMMIT")


def _forgotten(db: sqlite3.Connection, statement: str, values: tuple[int, ...]) -> None:
    """Run a deletion, and take what it deleted out of the write-ahead log too."""
    db.execute(statement, values)
    # Another window that reads just now keeps the log; then the next removal, or the last window to close, does it.
    with contextlib.suppress(sqlite3.OperationalError):
        if not values:
            db.execute("VACUUM")
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


def _is_damage(error: Exception) -> bool:
    if isinstance(error, ForeignError):
        return True
    # Some kinds have more than one code; the lower byte is what they have in common.
    return isinstance(error, sqlite3.Error) and getattr(error, "sqlite_errorcode", 0) & 0xFF in _DAMAGED


def _is_sound(path: Path) -> bool:
    try:
        db = _connected(path)
        try:
            return bool(db.execute("PRAGMA quick_check(1)").fetchone()[0] == "ok")
        finally:
            db.close()
    except (sqlite3.DatabaseError, ForeignError) as error:
        if _is_damage(error):
            return False
        raise


def _free_name(path: Path) -> Path:
    stamp = f"{datetime.now(UTC):%Y%m%d-%H%M%S}"
    names = (path.with_name(f"{path.stem}-damaged-{stamp}{more}{path.suffix}") for more in _numbered())
    return next(name for name in names if not name.exists())


def _numbered() -> Iterator[str]:
    yield ""
    number = 2
    while True:
        yield f"-{number}"
        number += 1


def _storable(text: str) -> str:
    """Half characters as ``?``: SQLite keeps UTF-8."""
    return text.encode("utf-8", "replace").decode()


def _moment(then: float) -> datetime:
    return datetime.fromtimestamp(then, UTC)


def _reason(error: Exception) -> str:
    if isinstance(error, ForeignError):
        return "another kind of database"
    return " ".join(str(getattr(error, "strerror", None) or error).split())
