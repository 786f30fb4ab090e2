"""What we rely on in the Qt binding itself."""

from __future__ import annotations

import sys

from PySide6.QtCore import QObject, Signal

EMISSIONS = 1000


class Sender(QObject):
    """Something that emits."""

    sent = Signal(object)


def test_emitting_costs_no_references() -> None:
    """An emission leaves the reference counts of True and None as they were.

    PySide6 6.12.0 takes one from True each time; before Python 3.12, where such objects became immortal, the program
    dies after a few thousand block events with "deallocating True or False". A release that does so must not be used.
    """
    sender = Sender()
    before = sys.getrefcount(True), sys.getrefcount(None)
    for _ in range(EMISSIONS):
        sender.sent.emit(None)
    after = sys.getrefcount(True), sys.getrefcount(None)
    assert all(abs(one - other) < EMISSIONS // 2 for one, other in zip(before, after, strict=True))
