"""Node, which comes with the virtual environment, for the tests of the page's scripts."""

import subprocess
import sys
from pathlib import Path

from paths import TESTS
from waiting import WAIT_S

FOLDER = TESTS / "web" / "js"


def node(*arguments: str | Path) -> str:
    """What Node prints; a failure shows all of it."""
    program = Path(sys.executable).with_name("node")
    # The scripts stand in no npm package, whose file would say that they are modules.
    quiet = "--disable-warning=MODULE_TYPELESS_PACKAGE_JSON"
    command = [program, quiet, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=WAIT_S, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
