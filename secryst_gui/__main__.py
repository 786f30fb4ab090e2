"""``python -m secryst_gui``: the same as the command ``secryst-gui``."""

import sys

from secryst_gui.cli import main

if __name__ == "__main__":
    sys.exit(main())
