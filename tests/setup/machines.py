"""Machines whose clock a test sets, while time passes as it does or as the test lets it."""

import time

from wartable.server.clock import Machine

SECOND_NS = 10**9


class SetMachine(Machine):
    """A machine that shows what a test set; if it begins at a time, nothing passes by itself."""

    def __init__(self, at_s: int | None = None) -> None:
        self._frozen = at_s is not None
        self._began_ns = time.monotonic_ns()
        self._shown_ns = time.time_ns() if at_s is None else at_s * SECOND_NS
        self._let_ns = self._set_ns = 0

    def passed_ns(self) -> int:
        """The time that has passed, here and elsewhere."""
        real_ns = 0 if self._frozen else time.monotonic_ns() - self._began_ns
        return real_ns + self._let_ns

    def shows_ns(self) -> int:
        """What the clock shows."""
        return self._shown_ns + self._set_ns + self.passed_ns()

    def let_pass(self, seconds: float) -> None:
        """Let time pass."""
        self._let_ns += int(seconds * SECOND_NS)

    def set_by(self, seconds: float) -> None:
        """Set the clock forward, or back."""
        self._set_ns += int(seconds * SECOND_NS)
