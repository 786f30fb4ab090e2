"""When something was, in words, and which way a text runs: for views that paint a line of it themselves."""

from __future__ import annotations

import unicodedata
from datetime import datetime, timedelta

from PySide6.QtCore import QCoreApplication, QDate, QLocale, Qt, QTime

MINUTE, HOUR = 60, 3600


def since(then: datetime, now: datetime, locale: QLocale) -> str:
    """``then`` as seen from ``now``, both with time zones: minutes, then hours, yesterday, a weekday, at last a date.

    Days are those of the calendar of ``now``'s time zone. What lies ahead (a clock that was set back) is a date.
    """
    local = then.astimezone(now.tzinfo)
    seconds = (now - local).total_seconds()
    days = (now.date() - local.date()).days
    clock = locale.toString(QTime(local.hour, local.minute), QLocale.FormatType.ShortFormat)
    date = QDate(local.year, local.month, local.day)
    if -MINUTE < seconds < MINUTE:
        return QCoreApplication.translate("wording", "just now")
    if 0 < seconds < HOUR:
        return QCoreApplication.translate("wording", "{count} min ago").format(count=int(seconds // MINUTE))
    if days == 0 and seconds > 0:
        return QCoreApplication.translate("wording", "{count} h ago").format(count=int(seconds // HOUR))
    if days == 1:
        return QCoreApplication.translate("wording", "yesterday, {time}").format(time=clock)
    if timedelta(days=1) < timedelta(days=days) < timedelta(days=7):
        return f"{locale.dayName(date.dayOfWeek())}, {clock}"
    return locale.toString(date, QLocale.FormatType.ShortFormat)


def direction_of(text: str) -> Qt.LayoutDirection:
    """Where a line of ``text`` begins: the side of its first letter that has a direction."""
    for one in text:
        kind = unicodedata.bidirectional(one)
        if kind in ("R", "AL"):
            return Qt.LayoutDirection.RightToLeft
        if kind == "L":
            break
    return Qt.LayoutDirection.LeftToRight
