"""Files that the window opens and saves."""

from __future__ import annotations

import codecs
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from secryst_gui.errors import InputError
from secryst_gui.ui import files
from secryst_gui.ui.files import read_text, write_text

TEXT = "قال\nabc\n"


@pytest.mark.parametrize(
    "data",
    [
        TEXT.encode(),
        TEXT.encode("utf-8-sig"),
        TEXT.encode("utf-16"),
        codecs.BOM_UTF16_BE + TEXT.encode("utf-16-be"),
        TEXT.encode("utf-32"),
        TEXT.replace("\n", "\r\n").encode(),
        TEXT.replace("\n", "\r").encode(),
    ],
)
def test_a_text_is_read_whatever_its_line_breaks_and_marks(tmp_path: Path, data: bytes) -> None:
    """UTF-8, with a byte order mark or without, and the wider forms with one."""
    path = tmp_path / "t.txt"
    path.write_bytes(data)
    assert read_text(path) == TEXT


@pytest.mark.parametrize(
    ("data", "said"), [(TEXT.encode("cp1256"), "another encoding"), (b"a\0b", "zero bytes"), (None, "readable file")]
)
def test_what_is_no_text_is_refused_in_one_line(tmp_path: Path, data: bytes | None, said: str) -> None:
    """Nothing is guessed and nothing is shown as rubbish."""
    path = tmp_path / "t.txt"
    if data is not None:
        path.write_bytes(data)
    with pytest.raises(InputError, match=said) as error:
        read_text(path)
    assert "\n" not in str(error.value)


def test_a_file_for_the_command_line_is_named_as_such(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Too long for an editor; the line says what to do instead."""
    monkeypatch.setattr(files, "MOST_BYTES", 10)
    path = tmp_path / "t.txt"
    path.write_text("a" * 11, "utf-8")
    with pytest.raises(InputError, match=r"secryst-gui translate -i t\.txt"):
        read_text(path)


@given(st.text(alphabet=st.characters(exclude_characters="\0\r", exclude_categories=["Cs"])))
def test_what_was_written_is_read(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    """Any text comes back as it was."""
    path = tmp_path_factory.mktemp("files") / "t.txt"
    write_text(path, text)
    assert read_text(path) == text.removeprefix("\ufeff")


@pytest.mark.skipif(os.name == "nt", reason="permissions of folders are another matter there")
def test_a_place_that_cannot_be_written_keeps_what_was_there(tmp_path: Path) -> None:
    """One line, and the old file as it was."""
    path = tmp_path / "no" / "t.txt"
    with pytest.raises(InputError, match="place to write"):
        write_text(path, TEXT)
    assert not path.parent.exists()
