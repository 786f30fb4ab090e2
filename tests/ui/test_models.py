"""What the settings pane offers for what is on the machine."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt

from secryst_gui.ui.requests import BuiltinDrafter
from tests.ui.conftest import DRAFTER, VERIFIER, Bench


def test_no_models_at_all(open_bench: Callable[[], Bench]) -> None:
    """Without any artifact the window opens, says what to do, and offers nothing that would fail."""
    one = open_bench()
    assert one.look() == "No model can be used yet"
    window = one.window
    assert window.empty.isVisible()
    assert not window.output.isVisible()
    assert "secryst-gui models import FILE" in window.empty.text
    assert not window.translate_action.isEnabled()
    assert window.source.text()  # the sample is there all the same


def test_models_that_arrive_later(open_bench: Callable[[], Bench], add_model: Callable[[str], Path]) -> None:
    """Looking again finds what was added since, and the output takes its place back."""
    one = open_bench()
    one.look()
    add_model(VERIFIER)
    assert one.look() == "Ready"
    assert one.window.output.isVisible()
    assert one.window.settings.drafter.value is BuiltinDrafter.LOOKUP


def test_broken_model_is_listed_with_its_reason(
    open_bench: Callable[[], Bench], add_model: Callable[[str], Path], cache: Path
) -> None:
    """A file that is no model stands in the list, greyed, and both list and pane say why."""
    add_model(VERIFIER)
    broken = cache / "broken-1.0" / "broken-1.0.zip"
    broken.parent.mkdir()
    broken.write_bytes(b"no zip at all")
    one = open_bench()
    one.look()
    combo = one.window.settings.verifier
    row = next(row for row, choice in enumerate(combo.choices) if choice.value == broken)
    assert not combo.model().flags(combo.model().index(row, 0)) & Qt.ItemFlag.ItemIsEnabled
    problem = combo.choices[row].problem
    assert problem
    assert problem in combo.itemData(row, Qt.ItemDataRole.ToolTipRole)
    assert "broken-1.0" in one.window.settings.problems


def test_only_broken_models(open_bench: Callable[[], Bench], cache: Path) -> None:
    """When nothing that was found can be used, the empty state names each file and its reason."""
    (cache / "broken-1.0").mkdir()
    (cache / "broken-1.0" / "broken-1.0.zip").write_bytes(b"no zip at all")
    one = open_bench()
    one.look()
    assert "broken-1.0.zip: " in one.window.empty.text


def test_pair_that_does_not_fit_is_greyed_with_its_reason(
    open_bench: Callable[[], Bench], add_model: Callable[[str], Path]
) -> None:
    """A drafter of another task, or a larger one, cannot be chosen, and its entry says why."""
    verifier, drafter, other = add_model(VERIFIER), add_model(DRAFTER), add_model("tiny-1.0.zip")
    one = open_bench()
    one.look()
    pane = one.window.settings
    pane.verifier.choose(drafter)  # now the larger one is the stranger
    choices = {choice.value: choice for choice in pane.drafter.choices}
    assert not choices[other].usable
    assert "parity" in (choices[other].problem or "")
    assert not choices[verifier].usable
    assert "larger" in (choices[verifier].problem or "")
    row = list(choices).index(other)
    assert not pane.drafter.model().flags(pane.drafter.model().index(row, 0)) & Qt.ItemFlag.ItemIsEnabled
    assert choices[BuiltinDrafter.LOOKUP].usable
    assert choices[BuiltinDrafter.NONE].usable
    assert choices[BuiltinDrafter.AUTO].usable
    assert BuiltinDrafter.HEAD not in choices


def test_changing_the_verifier_keeps_a_pair_that_fits(
    open_bench: Callable[[], Bench], add_model: Callable[[str], Path]
) -> None:
    """Each change of verifier leaves a drafter chosen that fits it, so that no pair can be run that does not."""
    for name in (VERIFIER, DRAFTER, "tiny-1.0.zip"):
        add_model(name)
    one = open_bench()
    one.look()
    pane = one.window.settings
    for choice in pane.verifier.choices:
        assert isinstance(choice.value, Path)
        pane.verifier.choose(choice.value)
        assert pane.pair is not None
        chosen = next(item for item in pane.drafter.choices if item.value == pane.pair.drafter)
        assert chosen.usable


def test_a_chosen_model_that_vanishes_is_replaced_and_said(
    open_bench: Callable[[], Bench], add_model: Callable[[str], Path]
) -> None:
    """When the chosen drafter is gone at the next look, another pair is chosen and the message bar says so."""
    add_model(VERIFIER)
    drafter = add_model(DRAFTER)
    one = open_bench()
    one.look()
    pane = one.window.settings
    one.choose(drafter)
    drafter.unlink()
    assert one.look() == "Ready"
    assert pane.drafter.value is BuiltinDrafter.LOOKUP
    assert "another one was chosen" in one.window.message.text
