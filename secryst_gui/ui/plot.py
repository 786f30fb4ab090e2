"""The live plot: per block, how many of the K drafted tokens the verifier accepted, and the running rate.

Events only append to a list; the window's timer asks for a redraw, about 30 times a second at most, and a redraw
draws the blocks in view. So the cost of a block does not grow with the length of a run.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, Qt, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from secryst_gui.ui import theme
from secryst_gui.ui.memory import MAX_BLOCK_SIZE

if TYPE_CHECKING:
    from secryst_gui.engine import BlockEvent

FOLLOWED_BLOCKS = 120
FIRST_BLOCKS = 24
ONE_LINE_TITLE_EMS = 30
MIN_WIDTH = 335  # below it title and both axes have no room, and pyqtgraph would draw past the edge
RATE_TICKS = (0, 25, 50, 75, 100)
NO_STEPS = (np.array([0.0, 0.0]), np.array([0.0]))  # a step curve has one edge more than values, also an empty one


class AcceptancePlot(pg.PlotWidget):  # type: ignore[misc]  # pyqtgraph has no type hints
    """Bars of drafted and accepted tokens over the block number; a line for the running acceptance rate."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("acceptancePlot")
        self.setAccessibleName("Acceptance per block")
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the block table holds the same numbers for the keyboard
        self.viewport().setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setFrameShape(self.Shape.StyledPanel)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(MIN_WIDTH, 150)
        self._drafted: list[int] = []
        self._accepted: list[int] = []
        self._rate: list[float] = []
        self._total_drafted = 0
        self._total_accepted = 0
        self._block_size = 8
        self._is_adaptive = False
        self._following = True
        self._stale = False

        # Line items with a step fill: one path each, where a BarGraphItem would draw rectangle by rectangle.
        self._drafted_item = pg.PlotCurveItem(*NO_STEPS, stepMode="center", fillLevel=0)
        self._accepted_item = pg.PlotCurveItem(*NO_STEPS, stepMode="center", fillLevel=0)
        self._rate_item = pg.PlotCurveItem(antialias=True)
        for item in (self._drafted_item, self._accepted_item, self._rate_item):
            self.addItem(item)
        item = self.getPlotItem()
        item.setMenuEnabled(False)
        item.hideButtons()
        item.showAxis("right")
        item.setContentsMargins(4, 2, 6, 2)
        self._box = item.getViewBox()
        self._box.setMouseEnabled(x=True, y=False)
        self._box.setLimits(xMin=0.0, yMin=0.0)
        self._box.sigRangeChangedManually.connect(self._stop_following)
        self._box.sigXRangeChanged.connect(self._mark_stale)
        self.begin(self._block_size)

    @property
    def _is_built(self) -> bool:
        """Whether there is something to draw on: events come in before pyqtgraph is done, and after it has closed."""
        return hasattr(self, "_box") and self.plotItem is not None

    @property
    def blocks(self) -> int:
        """How many blocks have been added since `begin`."""
        return len(self._drafted)

    @property
    def running_rate(self) -> float | None:
        """Accepted tokens over drafted tokens so far, 0..1; None while nothing was drafted."""
        return self._total_accepted / self._total_drafted if self._total_drafted else None

    def begin(self, block_size: int | None) -> None:
        """Forget the last run; the left axis goes from 0 to ``block_size``, or to the largest K if it is adaptive."""
        self._drafted.clear()
        self._accepted.clear()
        self._rate.clear()
        self._total_drafted = self._total_accepted = 0
        self._is_adaptive = block_size is None
        block_size = MAX_BLOCK_SIZE if block_size is None else block_size
        self._block_size = block_size
        self._following = True
        self._box.setYRange(0, block_size, padding=0.06)
        step = max(1, math.ceil(block_size / 8))
        ticks = [(float(n), str(n)) for n in range(0, block_size + 1, step)]
        self.getAxis("left").setTicks([ticks])
        self.getAxis("right").setTicks([[(block_size * n / 100, f"{n} %") for n in RATE_TICKS]])
        self.recolour()
        self._stale = True
        self.redraw()

    def add(self, events: Iterable[BlockEvent]) -> None:
        """Collect blocks; nothing is drawn before `redraw`."""
        for event in events:
            self._drafted.append(len(event.draft))
            self._accepted.append(event.accepted)
            self._total_drafted += len(event.draft)
            self._total_accepted += event.accepted
            rate = self.running_rate
            self._rate.append(math.nan if rate is None else rate)
            self._stale = True

    def redraw(self) -> None:
        """Draw what was collected, if anything changed since the last time."""
        if not self._stale:
            return
        self._stale = False
        count = self.blocks
        if self._following:
            end = max(count, FIRST_BLOCKS)
            self._box.setXRange(max(0, end - FOLLOWED_BLOCKS) + 0.5, end + 0.5, padding=0.0)
        low, high = self._box.viewRange()[0]
        first, last = max(0, math.floor(low) - 1), min(count, math.ceil(high) + 1)
        numbers = np.arange(first, last, dtype=float) + 1.0
        edges = np.arange(first, last + 1, dtype=float) + 0.5
        if last > first:
            self._drafted_item.setData(edges, np.asarray(self._drafted[first:last], dtype=float))
            self._accepted_item.setData(edges, np.asarray(self._accepted[first:last], dtype=float))
            rates = np.asarray(self._rate[first:last]) * self._block_size
            self._rate_item.setData(numbers, rates, connect="finite")
        else:
            for item in (self._drafted_item, self._accepted_item):
                item.setData(*NO_STEPS)
            self._rate_item.setData(np.array([]), np.array([]))
        rate = self.running_rate
        told = "nothing drafted" if rate is None else f"running acceptance rate {100 * rate:.1f} %"
        self.setAccessibleDescription(f"{count} blocks, {told}")

    def recolour(self) -> None:
        """Take the colours of the palette in force."""
        colours = theme.plot_colours(self.palette())
        sharpness = self.devicePixelRatioF()  # pyqtgraph's pens are measured in the screen's own pixels
        self.setBackground(colours.ground)
        none = pg.mkPen(None)
        self._drafted_item.setPen(none)
        self._drafted_item.setBrush(pg.mkBrush(colours.drafted))
        # A thin line of the ground's colour parts neighbouring bars.
        self._accepted_item.setPen(pg.mkPen(colours.ground, width=sharpness))
        self._accepted_item.setBrush(pg.mkBrush(colours.accepted))
        self._rate_item.setPen(pg.mkPen(colours.rate, width=2 * sharpness))
        text = colours.text.name()
        item = self.getPlotItem()
        for name in ("left", "bottom", "right"):
            axis = item.getAxis(name)
            axis.setPen(pg.mkPen(colours.grid))
            axis.setTextPen(pg.mkPen(colours.text))
            axis.setStyle(tickFont=theme.small_font(self.font()), tickLength=-4)
        label: dict[str, Any] = {"color": text, "font-size": f"{self.font().pointSizeF() * 0.92:.1f}pt"}
        sizes = f"adaptive K ≤ {self._block_size}" if self._is_adaptive else f"K = {self._block_size}"
        item.setLabel("left", f"accepted tokens of {sizes}", **label)
        item.setLabel("bottom", "block", **label)
        item.setLabel("right", "running acceptance rate", **label)
        self._retitle()

    def _retitle(self) -> None:
        colours = theme.plot_colours(self.palette())
        size = f"{self.font().pointSizeF() * 0.92:.1f}pt"
        keys = (
            f"<span style='color:{colours.accepted.name()}'>■</span> accepted"
            f"&nbsp; <span style='color:{colours.drafted.name()}'>■</span> drafted"
            f"&nbsp; <span style='color:{colours.rate.name()}'>━</span> running rate"
        )
        # A title wider than the widget would push the axes out of view.
        joint = "&nbsp;&nbsp; " if self.width() >= ONE_LINE_TITLE_EMS * self.fontMetrics().height() else "<br>"
        self.getPlotItem().setTitle(f"Acceptance per block{joint}{keys}", color=colours.text.name(), size=size)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Break the title into two lines where one has no room."""
        if self._is_built:
            self._retitle()
        super().resizeEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        """Follow a change of the palette or font live."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.FontChange) and self._is_built:
            self.recolour()

    def event(self, event: QEvent) -> bool:
        """Follow a move to a screen of another resolution."""
        if event.type() == QEvent.Type.DevicePixelRatioChange and self._is_built:
            self.recolour()
        return bool(super().event(event))

    @Slot()
    def _stop_following(self, *_: object) -> None:
        self._following = False

    @Slot()
    def _mark_stale(self, *_: object) -> None:
        self._stale = True
