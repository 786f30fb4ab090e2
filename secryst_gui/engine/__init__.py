"""Decoding: a drafter proposes, a verifier decides, exactly. No Qt, no network.

from secryst_gui.engine import IMFModel, SpeculativeModel

with IMFModel.load("verifier.zip") as verifier, IMFModel.load("drafter.zip") as drafter:
    print(SpeculativeModel(drafter, verifier).translate("قال رسول الله"))
"""

from secryst_gui.engine.acceptance import Acceptance, accept_block
from secryst_gui.engine.drafters import Drafter, HeadDrafter, LookupDrafter, ModelDrafter
from secryst_gui.engine.events import BlockEvent, DecodeEvent, DoneEvent, LineEvent, ProgressEvent
from secryst_gui.engine.measure import Comparison, SweepPoint, compare, sweep
from secryst_gui.engine.model import Encoded, IMFModel, Review
from secryst_gui.engine.options import DecodeOptions, EngineOptions
from secryst_gui.engine.speculative import SpeculativeModel
from secryst_gui.engine.statistics import Statistics

__all__ = [
    "Acceptance",
    "BlockEvent",
    "Comparison",
    "DecodeEvent",
    "DecodeOptions",
    "DoneEvent",
    "Drafter",
    "Encoded",
    "EngineOptions",
    "HeadDrafter",
    "IMFModel",
    "LineEvent",
    "LookupDrafter",
    "ModelDrafter",
    "ProgressEvent",
    "Review",
    "SpeculativeModel",
    "Statistics",
    "SweepPoint",
    "accept_block",
    "compare",
    "sweep",
]
