"""Events: facts that cross threads, so nobody may change them and each can be sent elsewhere."""

from __future__ import annotations

import dataclasses
import pickle
from typing import get_args

import pytest

from secryst_gui.engine import BlockEvent, DecodeEvent, DoneEvent, LineEvent, ProgressEvent, Statistics

BLOCK = BlockEvent(0, 0, 0, 0, (5,), (5,), 1, None, 6, (1.0, 2.0), (5, 6), "\x02", 0.1, 0.2, Statistics(), None)
EVENTS = [BLOCK, LineEvent(0, "a"), ProgressEvent(1, 2), DoneEvent("a", (5,), "eos", Statistics())]


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: type(event).__name__)
def test_events_are_frozen_values(event: DecodeEvent) -> None:
    """No field can be set; equal when made of equals, hashable, and whole after a trip to another process."""
    for field in dataclasses.fields(event):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(event, field.name, None)
    assert dataclasses.replace(event) == event
    assert hash(dataclasses.replace(event)) == hash(event)
    assert pickle.loads(pickle.dumps(event)) == event


def test_there_are_no_other_events() -> None:
    """What a caller tells apart is complete."""
    assert set(get_args(DecodeEvent)) == {type(event) for event in EVENTS}
