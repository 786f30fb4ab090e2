"""The live plot: nothing is lost, little is drawn, colours follow the palette."""

from __future__ import annotations

import time

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from secryst_gui.engine import BlockEvent, Statistics
from secryst_gui.ui import theme
from secryst_gui.ui.plot import FOLLOWED_BLOCKS, AcceptancePlot


def block(index: int, drafted: int, accepted: int) -> BlockEvent:
    """A block event in which only the counts matter."""
    draft = tuple(range(3, 3 + drafted))
    return BlockEvent(
        index, 0, 0, 0, draft, draft, accepted, None, None, (), (), "", 0.0, 0.0, Statistics(blocks=index + 1), None
    )


@pytest.fixture
def plot(qtbot: QtBot) -> AcceptancePlot:
    """A plot on the screen."""
    one = AcceptancePlot()
    qtbot.addWidget(one)
    one.resize(500, 300)
    one.show()
    return one


def test_title_and_axes_use_the_vocabulary(plot: AcceptancePlot) -> None:
    """Title and labels say what is shown, with K as it was set."""
    plot.begin(5)
    item = plot.getPlotItem()
    assert "Acceptance per block" in item.titleLabel.text
    labels = {side: item.getAxis(side).labelText for side in ("left", "bottom", "right")}
    assert labels == {
        "left": "accepted tokens of K = 5",
        "bottom": "block",
        "right": "running acceptance rate",
    }


def test_running_rate(plot: AcceptancePlot) -> None:
    """The rate is accepted over drafted of all blocks so far, and none before anything was drafted."""
    rates = [plot.running_rate]
    plot.add([block(0, 8, 8), block(1, 8, 2), block(2, 0, 0)])
    plot.redraw()
    assert plot.blocks == 3
    rates.append(plot.running_rate)
    assert "62.5 %" in plot.accessibleDescription()
    plot.begin(8)
    assert plot.blocks == 0
    rates.append(plot.running_rate)
    assert rates == [None, 10 / 16, None]


def test_every_event_counts_and_only_what_is_in_view_is_drawn(plot: AcceptancePlot) -> None:
    """20,000 blocks are all kept, while a redraw hands over no more than the blocks in view, and stays quick."""
    plot.add([block(n, 8, n % 9) for n in range(20_000)])
    began = time.perf_counter()
    plot.redraw()
    took = time.perf_counter() - began
    assert plot.blocks == 20_000
    assert len(plot._accepted_item.yData) <= FOLLOWED_BLOCKS + 4
    assert took < 0.25  # some 5 ms on an idle machine


def test_it_follows_until_the_user_moves_it(plot: AcceptancePlot) -> None:
    """The newest block is in view, unless the user looks at another place; the next run follows again."""
    plot.add([block(n, 8, 8) for n in range(300)])
    plot.redraw()
    assert plot._box.viewRange()[0][1] == pytest.approx(300.5)
    plot._box.setXRange(0, 50, padding=0)
    plot._box.sigRangeChangedManually.emit([True, False])
    plot.add([block(n, 8, 8) for n in range(300, 400)])
    plot.redraw()
    assert plot._box.viewRange()[0][1] == pytest.approx(50)
    plot.begin(8)
    plot.add([block(n, 8, 8) for n in range(300)])
    plot.redraw()
    assert plot._box.viewRange()[0][1] == pytest.approx(300.5)


def test_colours_follow_the_palette_live(plot: AcceptancePlot) -> None:
    """A dark palette gives a dark ground and light text at once; accepted stands off the ground in both."""
    dark = QPalette(QColor("#35383d"), QColor("#2b2d31"))
    dark.setColor(QPalette.ColorRole.Base, QColor("#1f2124"))
    for palette in (plot.palette(), dark):
        plot.setPalette(palette)
        colours = theme.plot_colours(palette)
        assert plot.backgroundBrush().color() == colours.ground
        assert theme.contrast(colours.accepted, colours.ground) > 2.5
        assert theme.contrast(colours.rate, colours.ground) > 4.5
        assert theme.contrast(colours.text, colours.ground) > 4.5


def test_nothing_is_drawn_past_the_edge(plot: AcceptancePlot) -> None:
    """At its least width, title and both axes still lie inside the widget."""
    plot.resize(plot.minimumSize())
    QApplication.processEvents()
    needed = plot.getPlotItem().effectiveSizeHint(Qt.SizeHint.MinimumSize)
    assert needed.width() <= plot.viewport().width()
    assert needed.height() <= plot.viewport().height()
