"""The command itself: version, help, no display, no Qt."""

from __future__ import annotations

import os
import subprocess
import sys

from secryst_gui import __version__


def command(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
    kept.pop("QT_QPA_PLATFORM", None)
    return subprocess.run(
        [sys.executable, "-m", "secryst_gui", *arguments],
        env=kept | environment,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


def test_version_and_help() -> None:
    """Both answer at once, with every command named."""
    assert command("--version").stdout.strip() == f"secryst-gui {__version__}"
    shown = command("--help").stdout
    assert all(name in shown for name in ("translate", "trace", "bench", "models"))


def test_commands_need_no_display_and_no_qt() -> None:
    """Every sub-command works where Qt cannot be imported."""
    code = "import sys; sys.modules['PySide6'] = None; from secryst_gui.cli import main; sys.exit(main(['models']))"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (result.returncode, result.stderr) == (0, "")


def test_without_a_display_the_sample_is_read_on_the_terminal() -> None:
    """No window can open: the sample text is translated instead, or one line says that there is no model."""
    result = command(SECRYST_CACHE=os.environ.get("SECRYST_CACHE", ""))
    assert "no display" in result.stderr
    assert "Traceback" not in result.stderr
    assert result.stdout.strip() or "found none" in result.stderr


def test_an_unknown_command_is_a_usage_error() -> None:
    """Exit 2, with the usage."""
    result = command("transalte", "x")
    assert result.returncode == 2
    assert "usage" in result.stderr
