"""The floor: the open tables, the people there, and what they may still have to pay."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Iterator
from functools import partial
from typing import Any, NamedTuple

from wartable.game import Illegal, Leave, Timeout
from wartable.players import is_bot
from wartable.server.clock import Clock
from wartable.server.tables.awake import Awake
from wartable.server.tables.bots import Bots
from wartable.server.tables.exposure import added
from wartable.server.tables.lobby import ClosureOf, ListedTable, Lobby, listed, lobby_of
from wartable.server.tables.overview import AwardShown, FloorTable
from wartable.server.tables.place import ABSENT_MS, RunningTable
from wartable.table import PLATFORM, Table
from wartable.table.commands import CashOut, Command

IDLE_MS = 10 * 60_000
LOBBY_MS = 1_000
ELSEWHERE_MS = 10_000
"""How long after its last report the lobby shows a table that another server has or may have."""


class TableElsewhere(NamedTuple):
    """A shared table that another server of this house has, as last reported."""

    listed: ListedTable
    server: str
    seen_ms: int


async def _nowhere(_: str) -> bool:
    return False


async def _nothing() -> list[Any]:
    return []


class Floor:
    """All open tables by name."""

    def __init__(self, clock: Clock) -> None:
        self.places: dict[str, RunningTable] = {}
        self.shared: dict[str, RunningTable] = {}
        """The shared tables among them."""
        self.awake = Awake()
        self._tables_of: dict[str, dict[str, None]] = {}
        """The names of the open tables where each guest is, to avoid searching all tables."""
        self.company: dict[str, Bots] = {}
        """The bots of each open table."""
        self.from_address: Counter[str] = Counter()
        """The number of connections from each address."""
        self.of_account: Counter[str] = Counter()
        """The number of connections of each account."""
        self.elsewhere: dict[str, TableElsewhere] = {}
        """The shared tables that other servers of this house have."""
        self.connected_elsewhere: dict[str, int] = {}
        """The number of connections at each of these servers."""
        self.playing_elsewhere: Callable[[str], Awaitable[bool]] = _nowhere
        """Whether somebody has something at stake at another server of this house."""
        self.shown_elsewhere: Callable[[], Awaitable[list[FloorTable]]] = _nothing
        """The tables of the other servers, as the floor sees them."""
        self.awards_elsewhere: Callable[[], Awaitable[list[AwardShown]]] = _nothing
        """The awards that wait at the tables of the other servers."""
        self._clock = clock
        self._lobby: Lobby | None = None

    def add(self, place: RunningTable) -> None:
        """Add an open table to the floor."""
        name = place.live.setup.name
        self.places[name] = place
        if place.owner is None:
            self.shared[name] = place
        self.follow(place, ())

    def follow(self, place: RunningTable, before: Iterable[str]) -> None:
        """Keep track of who is at a table; `before` are those who were there at the last check."""
        name = place.live.setup.name
        self._moved(name, before, place.live.state.guests)
        place.live.guests_changed = partial(self._moved, name)

    def _moved(self, table: str, before: Iterable[str], after: Iterable[str]) -> None:
        for guest in before:
            tables = self._tables_of.get(guest, {})
            tables.pop(table, None)
            if not tables:
                self._tables_of.pop(guest, None)
        for guest in after:
            self._tables_of.setdefault(guest, {})[table] = None

    def remove(self, place: RunningTable) -> None:
        """Take a table off the floor, so that it gets no more commands."""
        name = place.live.setup.name
        if self.places.get(name) is place:
            del self.places[name]
            if self.shared.pop(name, None) is not None:
                self.saw_elsewhere(listed(place), "")
            self.awake.forget(place)
            self._moved(name, place.live.state.guests, ())
            place.live.guests_changed = lambda *_: None

    def tables_of(self, name: str) -> list[RunningTable]:
        """The open tables where somebody is."""
        return [self.places[table] for table in self._tables_of.get(name, ())]

    @property
    def connected(self) -> int:
        """The number of connections."""
        return self.from_address.total()

    def running(self) -> bool:
        """Whether a round is running that ends without a player's command."""
        return any(
            place.live.state.in_round and place.live.until_ms() is not None
            for place in self.places.values()
            if place.live.state.round is not None and place.live.state.round.hands
        )

    def playing(self, name: str) -> bool:
        """Whether somebody has something at stake at any table that is open here."""
        return any(name in place.playing() for place in self.tables_of(name))

    async def playing_anywhere(self, name: str) -> bool:
        """Whether somebody has something at stake at any open table of the house."""
        return self.playing(name) or await self.playing_elsewhere(name)

    def in_play(self, name: str) -> int:
        """What a player has on the felts and in the banks, not decided yet."""
        return sum(_in_play(place.live.state, name) for place in self.tables_of(name))

    def added_exposure(self, table: str, command: Command) -> int:
        """What others may additionally stake for a player because of a command."""
        place = self.places.get(table)
        return 0 if place is None else added(place.live.setup, place.live.state, command)

    def stand_up(self, name: str) -> None:
        """Have a player leave all tables where they are free to go."""
        for place in self.tables_of(name):
            if place.free_to_go(name):
                place.stand_up(name)

    def check_leaving(self, table: str, actor: str, command: Command) -> None:
        """Refuse to remove a player who has made a wager since the platform looked."""
        if actor != PLATFORM or type(command) is not Leave:
            return
        place = self.places.get(table)
        if place is None:
            return
        if not place.free_to_go(command.player):
            raise Illegal("in_round", f"{command.player} leaves when the round is over.")

    def only_leaves(self, table: str, command: Command) -> bool:
        """Whether a command only takes a player's own money off the table, or also the player."""
        if not isinstance(command, Leave | CashOut):
            return False
        place = self.places.get(table)
        return place is not None and place.free_to_go(command.player)

    def check_time(self, table: str, actor: str, command: Command) -> None:
        """Refuse to call time for a choice before its time is over."""
        if actor == PLATFORM or type(command) is not Timeout:
            return
        place = self.places.get(table)
        if place is None:
            return
        now_ms = self._clock.now_ms()
        until_ms = place.time_up_ms(command.player, now_ms)
        if until_ms is not None and until_ms <= now_ms:
            return
        if place.live.timing.choice_ms is None:
            minutes = ABSENT_MS // 60_000
            sentence = (
                "This table sets no time for a choice; time can be called for a player who has"
                f" been away for {minutes} minutes."
            )
            raise Illegal("no_time_limit", sentence)
        left_s = -(-((until_ms or now_ms) - now_ms) // 1000)
        sentence = f"{command.player} has {left_s} s left to choose; call time after that."
        raise Illegal("too_early", sentence)

    def to_stand_up(self, barred: Callable[[str], bool]) -> Iterator[tuple[RunningTable, str]]:
        """The players who are free to go, and are barred from wagers or long away."""
        now_ms = self._clock.now_ms()
        for place in self.places.values():
            guests = place.live.state.guests
            place.left_ms = {who: at_ms for who, at_ms in place.left_ms.items() if who in guests}
            for player in guests:
                if is_bot(player):
                    continue
                away = place.owner is None and place.away_ms(player, now_ms) >= ABSENT_MS
                if (away or barred(player)) and place.free_to_go(player):
                    yield place, player

    def attended(self, name: str, state: Table) -> bool:
        """Whether anybody seated at the table is present to answer."""
        place = self.places.get(name)
        seated = state.seats.values()
        return place is not None and any(each in place.present or is_bot(each) for each in seated)

    def bots(self) -> set[str]:
        """The bots that sit at any table."""
        return set(filter(is_bot, self._tables_of))

    def gauges(self) -> dict[str, int]:
        """The current metrics of the tables and the people there."""
        states = [place.live for place in self.places.values()]
        return {
            "connections": self.connected,
            "tables": len(states),
            "rounds_open": sum(live.state.in_round for live in states),
            "guests": sum(len(live.state.guests) for live in states),
            "bots": len(self.bots()),
            "commands_waiting": sum(live.queue.qsize() for live in states),
        }

    def idle(self) -> list[RunningTable]:
        """The private tables that nobody has followed for a long time; the journal keeps them."""
        since_ms = self._clock.now_ms() - IDLE_MS
        return [
            place
            for place in self.places.values()
            if place.owner is not None and not place.present and place.used_ms < since_ms
        ]

    async def close(self, place: RunningTable) -> None:
        """Close a table and release its followers, who find it again where it opens next."""
        self.remove(place)
        place.closed = True
        for listener in place.live.listeners:
            listener.tell(None)
        bots = self.company.pop(place.live.setup.name, None)
        if bots is not None:
            await bots.stop()
        if place.task is not None:
            place.task.cancel()
            await asyncio.gather(place.task, return_exceptions=True)
        place.forsake()

    async def close_all(self) -> None:
        """Close all tables."""
        for place in list(self.places.values()):
            await self.close(place)

    def look_again(self) -> None:
        """Have every listener at the tables check whether new wagers are taken."""
        for place in self.places.values():
            for listener in place.live.listeners:
                listener.tell(None)

    def go_on(self) -> None:
        """Let rounds continue that were held, each with the whole time for what is due."""
        for place in self.places.values():
            place.live.wait_again()
        self.look_again()

    def lobby(self, closure: ClosureOf) -> Lobby:
        """The shared tables, at most a second old."""
        now_ms = self._clock.now_ms()
        if self._lobby is None or now_ms - self._lobby.at_ms >= LOBBY_MS:
            elsewhere = self.seen_elsewhere()
            tables = [each.listed for each in elsewhere] + list(map(listed, self.shared.values()))
            if elsewhere:
                tables.sort(key=lambda each: each.card.name)
            connected = self.connected + sum(self.connected_elsewhere.values())
            self._lobby = lobby_of(tables, now_ms, connected, closure)
        return self._lobby

    def saw_elsewhere(self, table: ListedTable, server: str) -> None:
        """Note that another server has a table; which one is empty while it moves."""
        self.elsewhere[table.card.name] = TableElsewhere(table, server, self._clock.now_ms())

    def seen_elsewhere(self) -> list[TableElsewhere]:
        """The shared tables that other servers have, if they were reported lately."""
        since_ms = self._clock.now_ms() - ELSEWHERE_MS
        self.elsewhere = {
            name: each
            for name, each in self.elsewhere.items()
            if each.seen_ms >= since_ms and name not in self.shared
        }
        return list(self.elsewhere.values())


def _in_play(state: Table, name: str) -> int:
    """What a player has at stake in a table's open round: undecided wagers, or the bank."""
    round_ = state.round
    if round_ is None or round_.closed:
        return 0
    open_ = [(hand, wager) for hand in round_.hands for wager in hand.wagers if not wager.outcome]
    staked = sum(wager.staked - wager.returned for hand, wager in open_ if hand.player == name)
    bank = (round_.bank or 0) + sum(wager.matched for _, wager in open_)
    return staked + (bank if round_.banker == name else 0)
