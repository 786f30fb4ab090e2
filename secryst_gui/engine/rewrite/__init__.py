"""Graphs rewritten when a model is opened: the same numbers, sooner and in any framing. Pure, but for the cache."""

from secryst_gui.engine.rewrite.attention import attend_by_row
from secryst_gui.engine.rewrite.hoist import Split, hoist
from secryst_gui.engine.rewrite.kernels import Kernel, kernels
from secryst_gui.engine.rewrite.plan import Plan, planned
from secryst_gui.engine.rewrite.rows import quantize_by_row

__all__ = ["Kernel", "Plan", "Split", "attend_by_row", "hoist", "kernels", "planned", "quantize_by_row"]
