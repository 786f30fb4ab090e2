"""Graphs rewritten when a model is opened: the same numbers, sooner and in any framing. Pure, but for the cache."""

from secryst_gui.engine.rewrite.hoist import Split, hoist
from secryst_gui.engine.rewrite.plan import Plan, planned
from secryst_gui.engine.rewrite.rows import quantize_by_row

__all__ = ["Plan", "Split", "hoist", "planned", "quantize_by_row"]
