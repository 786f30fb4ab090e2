"""``python -m tests``: every check there is, the same for people and for CI; arguments go to pytest.

Each check runs even when an earlier one failed, so that one run shows everything; the exit code is 1 if one failed.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
PYTHON = sys.executable
LINT_IMPORTS = "from importlinter.cli import lint_imports_command; lint_imports_command()"
CHECKS: dict[str, list[str]] = {
    "lint": [PYTHON, "-m", "ruff", "check", "."],
    "format": [PYTHON, "-m", "ruff", "format", "--check", "."],
    "types": [PYTHON, "-m", "mypy"],
    "layers": [PYTHON, "-c", LINT_IMPORTS],
    "tests": [PYTHON, "-m", "pytest"],
}


def main(arguments: list[str]) -> int:
    environment = dict(os.environ)
    if sys.platform == "linux" and not (environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY")):
        environment.setdefault("QT_QPA_PLATFORM", "offscreen")
    failed = []
    for name, command in CHECKS.items():
        print(f"== {name}", flush=True)
        extra = arguments if name == "tests" else []
        if subprocess.run([*command, *extra], cwd=ROOT, env=environment, check=False).returncode:
            failed.append(name)
    print(f"failed: {', '.join(failed)}" if failed else "all checks passed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
