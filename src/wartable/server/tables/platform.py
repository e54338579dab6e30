"""The platform at a live table: what it does without being asked, and when."""

from collections.abc import Callable

from wartable.croupier import Act, Timing, act, first_due
from wartable.game import CloseBets
from wartable.links import Links
from wartable.server.tables.calculation import Calculation
from wartable.server.tables.ready import ReadyPlayers
from wartable.server.tables.versions import TableVersion
from wartable.table import Setup, Table

HOLD_MS = 1_000
"""How often to check whether a held table may continue, or the bank can be offered to somebody."""


class Platform:
    """The automatic dealer of one live table, with its links and the calculation of its orders."""

    def __init__(
        self,
        setup: Setup,
        *,
        links: Links | None,
        calculation: Calculation,
        new_seed: Callable[[], str],
        attended: Callable[[Table], bool],
        held: Callable[[], bool],
        ready: ReadyPlayers,
    ) -> None:
        self.links = links
        self._setup, self._calculation = setup, calculation
        self._new_seed, self._attended, self._held, self._ready = new_seed, attended, held, ready

    def calculate(self, at: TableVersion) -> None:
        """Begin the calculation that is due, from a list that is in the journal."""
        due = first_due(self._setup, at.due)
        if due.what == "cards" and self.links is not None and self._calculation.needed(at.state):
            self._calculation.begin(at.state, self.links.next(at.state))

    @property
    def held(self) -> bool:
        """Whether the platform does nothing now, because the time is doubted."""
        return self._held()

    def act(self, at: TableVersion, timing: Timing, now_ms: int) -> Act:
        """The platform's next command at this version if it is not held, or when to check again."""
        due = first_due(self._setup, at.due)
        if due.what == "taker" and not self._attended(at.state):
            return Act(wake_ms=now_ms + HOLD_MS)
        if due.what == "bets" and not self._setup.staffed and self._ready.all(at.state):
            return Act(CloseBets())
        seed = key = ""
        if self.links is not None and (chain := self.links.chain(self._setup, at.state)):
            return Act(chain)
        if due.what == "shuffle" and self.links is None and not self._setup.staffed:
            # Drawn only when needed, as the system's randomness costs more than a whole command.
            seed = self._new_seed()
        elif due.what in ("cards", "number"):
            assert self.links is not None
            seed = self.links.next(at.state)
        if due.what == "cards" and self._calculation.needed(at.state):
            key = self._calculation.key(at.state, seed)
            if not key:
                return Act()
        return act(self._setup, at.state, due, timing, at.since_ms, now_ms, seed, key)
