"""What is kept between starts, and what a damaged file does."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QSize

from secryst_gui.ui.memory import DEFAULT_BLOCK_SIZE, WindowMemory
from secryst_gui.ui.requests import BuiltinDrafter
from secryst_gui.ui.samples import load_samples
from tests.ui.conftest import DRAFTER, VERIFIER, Bench


def test_first_start_shows_the_sample(open_bench: Callable[[], Bench]) -> None:
    """Nothing remembered: the first sample text stands in the source."""
    assert open_bench().window.source.text() == next(iter(load_samples().values()))


def test_settings_text_and_geometry_survive(open_bench: Callable[[], Bench], add_model: Callable[[str], Path]) -> None:
    """A second start finds pair, K, threads, raw, the text with its odd characters, and the window's size."""
    verifier = add_model(VERIFIER)
    drafter = add_model(DRAFTER)
    text = "سطر\n\nخط\u00a0٢ \U0001f600\n"
    first = open_bench()
    first.look()
    pane = first.window.settings
    pane.verifier.choose(drafter)
    pane.drafter.choose(BuiltinDrafter.NONE)
    pane.block_size.setValue(13)
    pane.threads.setValue(2)
    pane.raw.setChecked(True)
    first.window.source.setPlainText(text)
    first.window.resize(780, 640)
    first.window.close()

    second = open_bench()
    second.look()
    pane = second.window.settings
    assert pane.verifier.value == drafter != verifier
    assert pane.drafter.value is BuiltinDrafter.NONE
    assert (pane.block_size.value(), pane.threads.value(), pane.raw.isChecked()) == (13, 2, True)
    assert second.window.source.text() == text
    assert second.window.size() == QSize(780, 640)


def test_cleared_text_stays_cleared(open_bench: Callable[[], Bench]) -> None:
    """Who empties the source does not want the sample back."""
    first = open_bench()
    first.window.source.clear()
    first.window.close()
    assert open_bench().window.source.text() == ""


@pytest.mark.parametrize(
    "content", [b"\x00\xff\xfe garbage \x80", b"just words\nno section", b"[decode]\nblock_size=@Variant(\\0\\0"]
)
def test_damaged_settings_never_stop_the_window(
    open_bench: Callable[[], Bench], tmp_path: Path, content: bytes
) -> None:
    """Whatever stands in the settings file, the window opens with defaults."""
    folder = tmp_path / "config"
    folder.mkdir(exist_ok=True)
    (folder / "settings.ini").write_bytes(content)
    assert open_bench().window.settings.block_size.value() == DEFAULT_BLOCK_SIZE


def test_a_file_that_is_no_settings_file_is_moved_aside(tmp_path: Path) -> None:
    """The damaged file is kept under another name, for whoever wants to look at it."""
    content = b"\x00\xff garbage"
    (tmp_path / "settings.ini").write_bytes(content)
    memory = WindowMemory(tmp_path)
    memory.block_size = 5
    memory.save()
    assert (tmp_path / "settings.ini.broken").read_bytes() == content
    assert WindowMemory(tmp_path).block_size == 5


@pytest.mark.parametrize("value", ["0", "33", "many", "", "1e3"])
def test_a_value_out_of_range_gives_the_default(tmp_path: Path, value: str) -> None:
    """Hand-edited settings are checked one by one."""
    (tmp_path / "settings.ini").write_text(f"[decode]\nblock_size={value}\nthreads=-1\nraw=perhaps\n")
    memory = WindowMemory(tmp_path)
    assert (memory.block_size, memory.threads, memory.raw) == (DEFAULT_BLOCK_SIZE, 0, False)


def test_a_folder_that_cannot_be_made_is_not_fatal(tmp_path: Path) -> None:
    """Settings that cannot be written are lost, and that is all."""
    (tmp_path / "file").write_text("in the way")
    memory = WindowMemory(tmp_path / "file" / "config")
    memory.source_text = "text"
    memory.block_size = 4
    memory.save()
    assert memory.source_text is None


def test_source_text_is_replaced_in_one_step(tmp_path: Path) -> None:
    """Writing the text leaves nothing but the text behind, and invalid bytes on disk do not stop reading it."""
    memory = WindowMemory(tmp_path)
    memory.source_text = "أول"
    memory.source_text = "ثان"
    assert memory.source_text == "ثان"
    assert [path.name for path in tmp_path.glob("source*")] == ["source.txt"]
    (tmp_path / "source.txt").write_bytes(b"a\xffb")
    assert memory.source_text == "a\ufffdb"
