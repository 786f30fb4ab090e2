"""Times in words, and the side where a line begins."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest
from PySide6.QtCore import QLocale, Qt

from secryst_gui.ui.wording import direction_of, since

ZONE = timezone(timedelta(hours=3))
NOW = datetime(2026, 3, 4, 15, 0, 30, tzinfo=ZONE)  # a Wednesday


@pytest.mark.parametrize(
    ("ago", "words"),
    [
        (timedelta(seconds=20), "just now"),
        (timedelta(seconds=-20), "just now"),
        (timedelta(minutes=5, seconds=59), "5 min ago"),
        (timedelta(hours=1), "1 h ago"),
        (timedelta(hours=14, minutes=59), "14 h ago"),
        (timedelta(hours=15, minutes=1), "yesterday, 11:59 PM"),
        (timedelta(days=1), "yesterday, 3:00 PM"),
        (timedelta(days=2), "Monday, 3:00 PM"),
        (timedelta(days=6), "Thursday, 3:00 PM"),
        (timedelta(days=7), "2/25/26"),
        (timedelta(days=-1), "3/5/26"),
    ],
)
def test_since(ago: timedelta, words: str) -> None:
    """The longer ago, the less exact; days begin at midnight of the reader's zone, whichever zone the time is in."""
    locale = QLocale(QLocale.Language.English, QLocale.Country.UnitedStates)
    told = since((NOW - ago).astimezone(timezone.utc), NOW, locale)  # noqa: UP017 - any other zone would do
    assert told.replace("\u202f", " ") == words


@pytest.mark.parametrize(
    ("text", "rightward"),
    [("قال", True), ("(12) שלום abc", True), ("abc قال", False), ("", False), ("12 !", False), ("สวัสดี", False)],
)
def test_direction(text: str, rightward: bool) -> None:
    """The first letter with a direction decides; digits and brackets have none."""
    wanted = Qt.LayoutDirection.RightToLeft if rightward else Qt.LayoutDirection.LeftToRight
    assert direction_of(text) == wanted
