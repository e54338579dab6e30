"""Single keys from a terminal, with the standard library."""

import contextlib
import os
import select
import sys
import termios
import tty
from typing import Any

ESCAPE_WAIT_S = 0.03  # the rest of an arrow key's code has arrived by then
RESIZE_WAIT_S = 0.5  # how soon a changed window is noticed

CODES = {
    "[A": "up",
    "[B": "down",
    "[C": "right",
    "[D": "left",
    "OA": "up",
    "OB": "down",
    "OC": "right",
    "OD": "left",
    "[5~": "page_up",
    "[6~": "page_down",
    "[Z": "back_tab",
    "[H": "home",
    "[F": "end",
}
NAMES = {
    "\r": "enter",
    "\n": "enter",
    "\t": "tab",
    "\x7f": "backspace",
    "\x08": "backspace",
    "\x04": "end_of_input",
}


class Keys:
    """The keyboard while this program uses it; the earlier settings are restored afterwards."""

    def __init__(self) -> None:
        self._descriptor = sys.stdin.fileno()
        self._before: list[Any] | None = None

    def hold(self) -> None:
        """Take single keys without echo; Ctrl-C still interrupts."""
        self._before = termios.tcgetattr(self._descriptor)
        tty.setcbreak(self._descriptor)

    def release(self) -> None:
        """Restore the keyboard's settings."""
        if self._before is not None:
            with contextlib.suppress(termios.error):  # a terminal that was closed needs nothing
                termios.tcsetattr(self._descriptor, termios.TCSADRAIN, self._before)
            self._before = None

    def wait(self, seconds: float) -> bool:
        """Whether a key is pressed within the time."""
        return bool(select.select([self._descriptor], [], [], seconds)[0])

    def read(self) -> str | None:
        """The next key by its name or character; None if none came for a while."""
        if not self.wait(RESIZE_WAIT_S):
            return None
        character = self._character()
        if character == "\x1b":
            return self._escape()
        return NAMES.get(character, character)

    def _character(self) -> str:
        try:
            data = os.read(self._descriptor, 1)
        except OSError:
            data = b""
        if not data:  # the terminal was closed; the visitor did not ask to leave
            raise KeyboardInterrupt
        more = {0b110: 1, 0b1110: 2, 0b11110: 3}
        for shift, count in ((5, 1), (4, 2), (3, 3)):
            if more.get(data[0] >> shift) == count:
                data += os.read(self._descriptor, count)
                break
        return data.decode("utf-8", "replace")

    def _escape(self) -> str:
        code = ""
        while len(code) < 8 and self.wait(ESCAPE_WAIT_S):
            code += self._character()
            if code[-1].isalpha() or code[-1] == "~":
                if code == "O":
                    continue
                break
        return CODES.get(code, "escape" if not code else "unknown")
