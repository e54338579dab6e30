"""Reality checks: how long somebody has played in a session, and what it cost so far."""

from collections.abc import Callable

from wartable.server.clock import Clock
from wartable.server.house.protection import Protection
from wartable.server.house.sessions import Reality, Session
from wartable.server.records.counting import MINUTE_MS


class RealityChecks:
    """Stops wagers at intervals until the player has read what the session cost."""

    def __init__(
        self, clock: Clock, protection: Protection, in_play: Callable[[str], int], minutes: int
    ) -> None:
        """`in_play` is what a player has at stake now; a check is due after that many `minutes`."""
        self._clock, self._protection, self._in_play = clock, protection, in_play
        self._minutes = minutes

    def due(self, session: Session) -> Reality | None:
        """The session's reality check, if it is due; it stops wagers until it is read."""
        now_ms, name = self._clock.now_ms(), session.account.name
        if session.lost_before is None:
            session.lost_before = self.lost(name) + session.won_earlier
        minutes = (now_ms - session.opened_ms) // MINUTE_MS
        if minutes - session.reality_minutes >= self._minutes:
            session.reality_minutes = minutes
            self._protection.unread.add(name)
        elif name not in self._protection.unread:
            return None
        return Reality(minutes, session.lost_before - self.lost(name))

    def lost(self, name: str) -> int:
        """What a player has lost over all counted days; what is still in play is not lost."""
        return self._protection.limits.lost(name) - self._in_play(name)
