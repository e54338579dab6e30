"""The one clock of a house."""

import threading
import time
from typing import Protocol

STEP_MS = 10_000
"""How far the machine's clock may get ahead of the time that has passed before it is doubted."""

DRIFT = 10_000
"""A machine's clock may also gain one part in this many, as a poor quartz does."""

CHANGED_MS = 1_000
"""The smallest step of the machine's clock that counts as somebody setting it."""

_MS_NS = 1_000_000
_PASSED = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
"""The clock of elapsed time; where the system has one, a clock that keeps running during sleep."""


class Clock(Protocol):
    """The one clock of the server."""

    def now_ms(self) -> int:
        """Milliseconds since the epoch, never going back."""


class Machine:
    """The machine's two clocks: what time it shows, and how much time has passed."""

    def shows_ns(self) -> int:
        """Nanoseconds since the epoch, as somebody set them."""
        return time.time_ns()

    def passed_ns(self) -> int:
        """Nanoseconds since an arbitrary moment; nobody can set them."""
        return time.clock_gettime_ns(_PASSED)


class HouseClock:
    """The machine's time, but it never goes back and never jumps.

    It follows what the machine shows at half the speed of passing time at the least, and at a
    tenth above it at the most. A machine's clock that gets further ahead than that explains is
    doubted: then this clock only counts the time that passes, until somebody confirms the time.
    """

    def __init__(self, machine: Machine | None = None) -> None:
        self._machine = machine or Machine()
        self._turn = threading.Lock()
        self._doubted = False
        shows_ns, passed_ns = self._read()
        self._last_ns, self._at_ns = shows_ns, passed_ns
        self._base_ns, self._since_ns = shows_ns - passed_ns, passed_ns
        """This clock's time minus the time passed, when the machine's clock was last believed."""
        self._first_ns = self._looked_ns = self._noted_ns = self._base_ns

    def _read(self) -> tuple[int, int]:
        # In this order, because a pause in between must not look like a clock that got ahead.
        return self._machine.shows_ns(), self._machine.passed_ns()

    def start(self, last_ms: int, doubted: bool) -> None:
        """Continue from the newest time on record; only from there while the machine is doubted."""
        with self._turn:
            last_ns = last_ms * _MS_NS
            self._last_ns = last_ns if doubted else max(last_ns, self._last_ns)
            self._base_ns = self._last_ns - self._at_ns
            self._doubted = doubted

    def not_before(self, at_ms: int) -> bool:
        """Continue from this time of another server, unless that is too far ahead to be right."""
        with self._turn:
            self._go_on(*self._read())
            if at_ms * _MS_NS - self._last_ns > STEP_MS * _MS_NS:
                return False
            self._last_ns = max(self._last_ns, at_ms * _MS_NS)
            return True

    def now_ms(self) -> int:
        """Milliseconds since the epoch."""
        # One command asks a dozen times, so the answer stays the same within a millisecond.
        if 0 <= self._machine.passed_ns() - self._at_ns < _MS_NS:
            return self._last_ns // _MS_NS
        with self._turn:
            shows_ns, passed_ns = self._read()
            self._go_on(shows_ns, passed_ns)
            return self._last_ns // _MS_NS

    def _go_on(self, shows_ns: int, passed_ns: int) -> None:
        step_ns = max(0, passed_ns - self._at_ns)
        real_ns = self._last_ns + step_ns
        if self._too_far(shows_ns, passed_ns):
            self._doubted = True
        self._at_ns += step_ns
        if self._doubted:
            self._last_ns = real_ns
        else:
            slow_ns, fast_ns = real_ns - step_ns // 2, real_ns + step_ns // 10
            self._last_ns = min(max(shows_ns, slow_ns), fast_ns)

    def _too_far(self, shows_ns: int, passed_ns: int) -> bool:
        """Whether the machine's clock is ahead of the time that can have passed."""
        ahead_ns = shows_ns - passed_ns - self._base_ns
        return ahead_ns > STEP_MS * _MS_NS + (passed_ns - self._since_ns) // DRIFT

    @property
    def doubted(self) -> bool:
        """Whether somebody must confirm the time before the machine's clock is believed again."""
        # This is asked before every row, so the clock is not followed more than once a millisecond.
        shows_ns, passed_ns = self._read()
        followed = 0 <= passed_ns - self._at_ns < _MS_NS
        if followed and not self._doubted and not self._too_far(shows_ns, passed_ns):
            return False
        with self._turn:
            self._go_on(*self._read())
            return self._doubted

    def shows_ms(self) -> int:
        """What the machine's clock shows, whether it is believed or not."""
        return self._machine.shows_ns() // _MS_NS

    def confirm(self) -> None:
        """Believe what the machine's clock shows now."""
        with self._turn:
            shows_ns, passed_ns = self._read()
            self._go_on(shows_ns, passed_ns)
            self._doubted = False
            self._last_ns = max(self._last_ns, shows_ns)
            self._base_ns, self._since_ns = self._last_ns - passed_ns, passed_ns

    def changed(self) -> tuple[int, int] | None:
        """What the machine's clock should show and what it shows, if it was set or went wrong.

        A clock that drifts is reported again only when it is wrong by twice as much.
        """
        with self._turn:
            shows_ns, passed_ns = self._read()
            offset_ns = shows_ns - passed_ns
            set_ns, self._looked_ns = offset_ns - self._looked_ns, offset_ns
            wrong_ns = offset_ns - self._noted_ns
            told_ns = STEP_MS * _MS_NS + abs(self._noted_ns - self._first_ns)
            if abs(set_ns) < CHANGED_MS * _MS_NS and abs(wrong_ns) < told_ns:
                return None
            self._noted_ns = offset_ns
            return (shows_ns - wrong_ns) // _MS_NS, shows_ns // _MS_NS
