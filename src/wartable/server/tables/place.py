"""An open table with its task and its connections."""

import asyncio
from collections import Counter, OrderedDict, deque

import msgspec

from wartable.game import Bet, Leave
from wartable.server.denied import Denied
from wartable.server.house.closures import Closure, why
from wartable.server.records.answers import NO_ANSWER, Answer, RefusedCommand
from wartable.server.tables.listeners import (
    TAKEN,
    Awaited,
    Snapshot,
    TableMessage,
    Wagering,
    encode,
)
from wartable.server.tables.live import LiveTable
from wartable.table import PLATFORM, legal, prices, view

Standing = Wagering | Awaited
"""The messages about the current state of a table, each sent again when it has changed."""
ASSUMED = (encode(TAKEN), b"")
"""What a client assumes of each of these until one is sent."""
ENCODED_MAX = 64
NEVER = (-1, None, ())
ABSENT_MS = 5 * 60_000
"""How long somebody without a connection may be away."""


LATE_MAX = 20
"""How many wagers that came too late are remembered of a table."""


class LateWager(msgspec.Struct, frozen=True):
    """A wager that was refused because it came after "no more bets"."""

    at_ms: int
    round: int
    player: str
    box: int
    wager: str


class RunningTable:
    """An open table with its task, its owner if it is private, and the people there."""

    def __init__(
        self, live: LiveTable, digest: str, owner: str | None, fence: int, now_ms: int
    ) -> None:
        self.live, self.digest, self.owner, self.fence = live, digest, owner, fence
        self.used_ms = now_ms
        self.closed = False
        self.task: asyncio.Task[None] | None = None
        self.present: Counter[str] = Counter()
        self.left_ms: dict[str, int] = {}
        self.late: deque[LateWager] = deque(maxlen=LATE_MAX)
        self._awaited: dict[str, bytes] = {}
        self._awaited_at: tuple[int, int | None, tuple[str, ...]] = NEVER
        self._encoded: OrderedDict[tuple[type, int], bytes] = OrderedDict()

    def renew(self, live: LiveTable) -> None:
        """Continue with a rebuilt table; listeners stay and get the whole table."""
        live.listeners, live.queue = self.live.listeners, self.live.queue
        self.live, self._awaited_at = live, NEVER
        for listener in live.listeners:
            listener.tell(Snapshot(live.setup.name, live.head[0], view(live.state)))

    def awaited(self, name: str) -> bytes:
        """What the table awaits and what the player, if at the table, may do; cached."""
        live, ready = self.live, self.live.ready.names(self.live.state)
        at = (live.head[0], live.until_ms(), ready)
        if self._awaited_at != at:
            self._awaited, self._awaited_at = {}, at
        player = name if name in live.state.guests else ""
        found = self._awaited.get(player)
        if found is None:
            may = legal(live.setup, live.state, player), prices(live.setup, live.state, player)
            message = Awaited(live.setup.name, at[0], live.due, at[1], *may, ready)
            found = self._awaited[player] = encode(message)
        return found

    def encoded(self, message: TableMessage) -> bytes:
        """The encoded message, encoded once for all its listeners."""
        key = (type(message), message.number)
        found = self._encoded.get(key)
        if found is None:
            found = self._encoded[key] = encode(message)
            if len(self._encoded) > ENCODED_MAX:
                self._encoded.popitem(last=False)
        return found

    def standing(self, name: str, closure: Closure | None) -> tuple[bytes, ...]:
        """The current messages for a connection, one of each of `Standing`, encoded."""
        wagering = ASSUMED[0] if closure is None else encode(Wagering(closure.scope, why(closure)))
        return wagering, self.awaited(name)

    def ready(self, name: str, meant: int) -> None:
        """Note that a player will bet no more in that round; betting ends when all are ready."""
        live = self.live
        if self.owner is not None or live.setup.staffed:
            raise Denied("unattended", "Players can be ready only where the clock deals.")
        if name not in live.state.guests:
            raise Denied("not_here", "Only players at this table can be ready; sit down first.")
        if live.due[0].what != "bets" or live.state.rounds != meant:
            raise Denied("other_round", f"No bets are taken in round {meant} now.")
        live.is_ready(name)

    def came_late(self, bet: Bet, now_ms: int) -> None:
        """Remember a wager that was refused after "no more bets", for the floor."""
        number = self.live.state.rounds
        self.late.append(LateWager(now_ms, number, bet.player, bet.box, bet.wager))

    def playing(self) -> set[str]:
        """The players with something at stake in the running round."""
        state = self.live.state
        if state.round is None or not state.in_round:
            return set()
        banker = () if state.round.banker is None else (state.round.banker,)
        return {*banker, *(hand.player for hand in state.round.hands)}

    def free_to_go(self, name: str) -> bool:
        """Whether a player here has neither a wager in play nor a bank that others play against."""
        round_ = self.live.state.round
        here = name in self.live.state.guests
        return here and (name not in self.playing() or round_ is None or not round_.hands)

    def stand_up(self, name: str) -> asyncio.Future[Answer]:
        """Have a player leave the table with all their money here."""
        return self.live.submit(PLATFORM, f"leave-{self.live.head[0]}-{name}", Leave(name))

    def forsake(self) -> None:
        """Answer the commands no longer carried out here; clients may send the same ids again."""
        queue = self.live.queue
        while not queue.empty():
            request = queue.get_nowait()
            if request is not None and not request.answer.done():
                request.answer.set_result(RefusedCommand(request.id, *NO_ANSWER))

    def time_up_ms(self, name: str, now_ms: int) -> int | None:
        """When time can be called for a player's choice that is due; None if it cannot.

        Where choices have no time limit, it can be called only for somebody who has long been away.
        """
        if self.live.setup.rules.options.timeout == "hold":
            return None
        if (until_ms := self.live.choosing_until_ms()) is not None:
            return until_ms
        if name in self.present:
            return None
        return now_ms - self.away_ms(name, now_ms) + ABSENT_MS

    def enter(self, name: str) -> None:
        """Note that a connection of this player now follows the table."""
        self.present[name] += 1
        self.left_ms.pop(name, None)

    def heard(self, name: str, now_ms: int) -> None:
        """Note that a player gave a command, with or without a connection."""
        if name not in self.present:
            self.left_ms[name] = now_ms

    def away_ms(self, name: str, now_ms: int) -> int:
        """How long a player has had no connection and given no command."""
        return 0 if name in self.present else now_ms - self.left_ms.setdefault(name, now_ms)

    def exit(self, name: str, now_ms: int) -> None:
        """Note that a connection of this player is gone."""
        self.present[name] -= 1
        if self.present[name] <= 0:
            del self.present[name]
            self.left_ms[name] = now_ms
