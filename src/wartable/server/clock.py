"""The one clock of a house."""

import threading
import time
from typing import Protocol


class Clock(Protocol):
    """The one clock of the server."""

    def now_ms(self) -> int:
        """Milliseconds since the epoch, never going back."""


class SystemClock:
    """The machine's time, which never goes back, nor behind what is already written.

    While the machine's time is behind, this clock runs at half speed, so that it neither stops
    nor stays ahead for ever.
    """

    def __init__(self, last_ms: int = 0) -> None:
        self._last_ns = last_ms * 1_000_000
        self._passed_ns = time.monotonic_ns()
        self._turn = threading.Lock()

    def now_ms(self) -> int:
        """Milliseconds since the epoch."""
        with self._turn:
            passed_ns = time.monotonic_ns()
            slow_ns = self._last_ns + (passed_ns - self._passed_ns) // 2
            self._last_ns, self._passed_ns = max(slow_ns, time.time_ns()), passed_ns
            return self._last_ns // 1_000_000
