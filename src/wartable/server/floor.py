"""The floor: the tables that are open, who is there, and what the lobby shows of them."""

import asyncio
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from wartable.players import is_bot
from wartable.rules.model import Limits
from wartable.server.listeners import Snapshot, Told
from wartable.server.live import Clock, LiveTable
from wartable.server.protection import Closure, why
from wartable.server.wire import TAKEN, Awaited, Lobby, TableCard, Wagering, encode
from wartable.table import Table, view
from wartable.table.commands import BuyIn, Command, TakeBank

if TYPE_CHECKING:
    from wartable.server.bots import Bots

ABSENT_MS = 5 * 60_000
IDLE_MS = 10 * 60_000
LOBBY_MS = 1_000
ENCODED_MAX = 64
CROWDED = "No place is free at tables of these limits; let each player play one box."


class Place:
    """An open table with the task that runs it, its owner if it is private, and who is there."""

    def __init__(
        self, live: LiveTable, digest: str, owner: str | None, fence: int, now_ms: int
    ) -> None:
        self.live, self.digest, self.owner, self.fence = live, digest, owner, fence
        self.used_ms = now_ms
        self.closed = False
        self.task: asyncio.Task[None] | None = None
        self.present: Counter[str] = Counter()
        self.left_ms: dict[str, int] = {}
        self.bots: Bots | None = None
        self._awaited: tuple[int, bytes] = (-1, b"")
        self._encoded: OrderedDict[tuple[type, int], bytes] = OrderedDict()

    def renew(self, live: LiveTable) -> None:
        """Go on with a table that was built anew; listeners stay and get the whole table."""
        live.listeners, live.queue = self.live.listeners, self.live.queue
        self.live, self._awaited = live, (-1, b"")
        for listener in live.listeners:
            listener.tell(Snapshot(live.setup.name, live.head[0], view(live.state)))

    def awaited(self) -> bytes:
        """What the table awaits now, encoded once for all who are told."""
        number = self.live.head[0]
        if self._awaited[0] != number:
            message = Awaited(self.live.setup.name, number, self.live.due, self.live.until_ms())
            self._awaited = (number, encode(message))
        return self._awaited[1]

    def encoded(self, told: Told) -> bytes:
        """What is told, encoded once for all who are told it."""
        key = (type(told), told.number)
        found = self._encoded.get(key)
        if found is None:
            found = self._encoded[key] = encode(told)
            if len(self._encoded) > ENCODED_MAX:
                self._encoded.popitem(last=False)
        return found

    def wagering(self, closure: Closure | None) -> Wagering:
        """Whether new wagers are taken at the table, where that is disabled."""
        return TAKEN if closure is None else Wagering(closure.scope, why(closure))

    def playing(self) -> set[str]:
        """Who has something at stake in the round that goes on."""
        state = self.live.state
        if state.round is None or not state.in_round:
            return set()
        banker = () if state.round.banker is None else (state.round.banker,)
        return {*banker, *(hand.player for hand in state.round.hands)}

    def enter(self, name: str) -> None:
        """Somebody's connection follows the table."""
        self.present[name] += 1
        self.left_ms.pop(name, None)

    def heard(self, name: str, now_ms: int) -> None:
        """Somebody gave a command, with or without a connection."""
        if name not in self.present:
            self.left_ms[name] = now_ms

    def exit(self, name: str, now_ms: int) -> None:
        """Somebody's connection is gone."""
        self.present[name] -= 1
        if self.present[name] <= 0:
            del self.present[name]
            self.left_ms[name] = now_ms


class Floor:
    """All open tables by name."""

    def __init__(self, clock: Clock) -> None:
        self.places: dict[str, Place] = {}
        self.from_address: Counter[str] = Counter()
        """How many connections come from each address."""
        self.of_account: Counter[str] = Counter()
        """How many connections each account has."""
        self._clock = clock
        self._lobby: Lobby | None = None

    @property
    def connected(self) -> int:
        """How many connections there are."""
        return self.from_address.total()

    def running(self) -> bool:
        """Whether a round goes on that ends without anybody's doing."""
        return any(
            place.live.state.in_round and place.live.until_ms() is not None
            for place in self.places.values()
            if place.live.state.round is not None and place.live.state.round.hands
        )

    def playing(self, name: str) -> bool:
        """Whether somebody has something at stake at any open table."""
        return any(name in place.playing() for place in self.places.values())

    def promised(self, name: str) -> int:
        """What the banks that somebody has taken may still take of their stacks."""
        return sum(_promised(place.live.state, name) for place in self.places.values())

    def promises(self, table: str, command: Command) -> int:
        """What a command lets a bank take: all that its owner has at the table may be matched."""
        place = self.places.get(table)
        if place is None:
            return 0
        state = place.live.state
        match command:
            case TakeBank(player):
                return state.guests[player].stack
            case BuyIn(player, amount) if state.bank.taken == player:
                return amount
            case _:
                return 0

    def absent(self) -> Iterator[tuple[Place, str]]:
        """Who is at a shared table without a connection or a command for long, and no stake."""
        now_ms = self._clock.now_ms()
        for place in self.places.values():
            if place.owner is not None:
                continue
            playing, guests = place.playing(), place.live.state.guests
            place.left_ms = {who: at_ms for who, at_ms in place.left_ms.items() if who in guests}
            for player in guests:
                if player in place.present or is_bot(player):
                    continue
                since_ms = place.left_ms.setdefault(player, now_ms)
                if now_ms - since_ms >= ABSENT_MS and player not in playing:
                    yield place, player

    def attended(self, name: str, state: Table) -> bool:
        """Whether anybody who sits at the table is there to answer."""
        place = self.places.get(name)
        seated = state.seats.values()
        return place is not None and any(each in place.present or is_bot(each) for each in seated)

    def bots(self) -> set[str]:
        """The bots that sit at any table."""
        guests = (name for place in self.places.values() for name in place.live.state.guests)
        return set(filter(is_bot, guests))

    def idle(self) -> list[Place]:
        """The private tables that nobody follows for long; their journal keeps them."""
        since_ms = self._clock.now_ms() - IDLE_MS
        return [
            place
            for place in self.places.values()
            if place.owner is not None and not place.present and place.used_ms < since_ms
        ]

    async def close(self, place: Place) -> None:
        """Let a table rest; who follows it is let go, to find it where it is opened next."""
        del self.places[place.live.setup.name]
        place.closed = True
        for listener in place.live.listeners:
            listener.tell(None)
        if place.bots is not None:
            await place.bots.stop()
        if place.task is not None:
            place.task.cancel()
            await asyncio.gather(place.task, return_exceptions=True)

    def look_again(self) -> None:
        """Have everybody at the tables told whether new wagers are taken."""
        for place in self.places.values():
            for listener in place.live.listeners:
                listener.tell(None)

    def lobby(self, closure: Callable[[str, str, str], Closure | None]) -> Lobby:
        """The shared tables, not older than a second."""
        now_ms = self._clock.now_ms()
        if self._lobby is None or now_ms - self._lobby.at_ms >= LOBBY_MS:
            free: Counter[Kind] = Counter()
            for place in self.places.values():
                if place.owner is None:
                    live = place.live
                    free[_kind(live)] += live.setup.rules.table.seats - len(live.state.seats)
            cards = tuple(
                _card(place, closure(place.live.setup.rules.name, name, ""), free)
                for name, place in self.places.items()
                if place.owner is None
            )
            self._lobby = Lobby(now_ms, self.connected, cards)
        return self._lobby


def _promised(state: Table, name: str) -> int:
    """The stack of who took the bank; once it is posted, what it may still have to match."""
    if state.bank.taken == name:
        return state.guests[name].stack
    round_ = state.round
    if round_ is None or round_.banker != name or not state.in_round:
        return 0
    matched = sum(wager.matched for hand in round_.hands for wager in hand.wagers)
    return (round_.bank_stack or 0) - matched


Kind = tuple[str, Limits]
"""Tables of the same game at the same limits."""


def _kind(live: LiveTable) -> Kind:
    return live.setup.rules.name, live.setup.rules.limits


def _card(place: Place, closure: Closure | None, free: Counter[Kind]) -> TableCard:
    live = place.live
    rules, state = live.setup.rules, live.state
    bots = sum(map(is_bot, state.guests))
    boxes = state.restrictions.get("boxes_per_player", rules.table.boxes_per_player)
    crowded = not free[_kind(live)] and boxes > 1
    return TableCard(
        name=live.setup.name,
        book=rules.name,
        title=rules.title,
        digest=place.digest,
        decks=live.setup.decks,
        staffed=live.setup.staffed,
        seats=rules.table.seats,
        seated=len(state.seats),
        guests=len(state.guests) - bots,
        bots=bots,
        watching=place.present.total(),
        rounds=state.rounds,
        awaits=live.due[0].what,
        minimum=rules.limits.primary.min,
        maximum=rules.limits.primary.max,
        meters={name: meter.shown for name, meter in live.meters.items()},
        free_places=free[_kind(live)],
        warning=CROWDED if crowded else None,
        closed=None if closure is None else f"{closure.scope} {closure.name}".strip(),
        reason=None if closure is None else why(closure),
        last=tuple(live.last),
    )
