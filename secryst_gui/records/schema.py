"""The history's tables, and how a file of an earlier version becomes one of this version."""

from __future__ import annotations

import sqlite3

from secryst_gui.errors import HistoryError

#: ``application_id`` of the file, so that another program's database is told from ours.
APPLICATION = 0x53435259

#: One script for each version, run in order; a file that has run the first N has ``user_version`` N. A script is never
#: changed once it was released: the next version adds one.
MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        # AUTOINCREMENT: the number of a removed translation is not given to another one, which a second window that
        # still shows the first would then open in its place.
        "CREATE TABLE entry (id INTEGER PRIMARY KEY AUTOINCREMENT, time REAL NOT NULL, source TEXT NOT NULL, "
        "output TEXT NOT NULL, verifier TEXT NOT NULL, drafter TEXT NOT NULL, folded TEXT NOT NULL)",
        # A table of its own: searching reads every entry, and should not have to step over traces.
        "CREATE TABLE trace (entry INTEGER PRIMARY KEY REFERENCES entry ON DELETE CASCADE, data BLOB NOT NULL)",
        "CREATE INDEX entry_time ON entry (time)",
    ),
)
#: What the statements of this version need; asking for it shows whether the tables are all there.
NEEDED = (
    "SELECT id, time, source, output, verifier, drafter, folded FROM entry LIMIT 0",
    "SELECT entry, data FROM trace LIMIT 0",
)


class ForeignError(Exception):
    """The file is a database, but not a history, or one with tables missing."""


def migrate(db: sqlite3.Connection) -> None:
    """Bring the tables to this version, in one transaction.

    Raises HistoryError for a file of a later version, which is left as it is; ForeignError for another database.
    """
    if _version(db) < len(MIGRATIONS):
        db.execute("BEGIN IMMEDIATE")
        try:
            # Asked again: another window may have done it while this one waited for its turn.
            version = _version(db)
            for step in MIGRATIONS[version:]:
                for statement in step:
                    db.execute(statement)
            db.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
            db.execute(f"PRAGMA application_id = {APPLICATION}")
            db.execute("COMMIT")
        except BaseException:
            db.execute("ROLLBACK")
            raise
    try:
        for statement in NEEDED:
            db.execute(statement)
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode == sqlite3.SQLITE_ERROR:
            raise ForeignError from None
        raise


def _version(db: sqlite3.Connection) -> int:
    version: int = db.execute("PRAGMA user_version").fetchone()[0]
    application: int = db.execute("PRAGMA application_id").fetchone()[0]
    empty = db.execute("SELECT 1 FROM sqlite_master").fetchone() is None
    if application != APPLICATION and not empty:
        raise ForeignError
    if version > len(MIGRATIONS):
        raise HistoryError(
            f"expected a history of version {len(MIGRATIONS)} or older, found version {version}, which a newer "
            "Secryst Desktop wrote; use that one, or nothing is kept here"
        )
    return 0 if empty else version
