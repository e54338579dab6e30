"""The floor: the tables that are open, who is there, and what the lobby shows of them."""

import asyncio
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from wartable.game import Bet, Choose, Hand, Illegal, Leave, Round
from wartable.players import is_bot
from wartable.rules.model import Limits, RuleBook
from wartable.server.clock import Clock
from wartable.server.house.protection import Closure, why
from wartable.server.http.wire import TAKEN, Awaited, Lobby, TableCard, Wagering, encode
from wartable.server.tables.listeners import Snapshot, Told
from wartable.server.tables.live import LiveTable
from wartable.table import PLATFORM, Table, legal, prices, view
from wartable.table.commands import BuyIn, Command, TakeBank

if TYPE_CHECKING:
    from wartable.server.tables.bots import Bots

ABSENT_MS = 5 * 60_000
IDLE_MS = 10 * 60_000
LOBBY_MS = 1_000
ENCODED_MAX = 64
CROWDED = "No place is free at tables of these limits; let each player play one box."


class RunningTable:
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
        self._awaited: dict[str, bytes] = {}
        self._awaited_at: tuple[int, int | None] = (-1, None)
        self._encoded: OrderedDict[tuple[type, int], bytes] = OrderedDict()

    def renew(self, live: LiveTable) -> None:
        """Go on with a table that was built anew; listeners stay and get the whole table."""
        live.listeners, live.queue = self.live.listeners, self.live.queue
        self.live, self._awaited_at = live, (-1, None)
        for listener in live.listeners:
            listener.tell(Snapshot(live.setup.name, live.head[0], view(live.state)))

    def awaited(self, name: str) -> bytes:
        """What the table awaits, and what the player may do if it is one of the table's; kept."""
        live, at = self.live, (self.live.head[0], self.live.until_ms())
        if self._awaited_at != at:
            self._awaited, self._awaited_at = {}, at
        player = name if name in live.state.guests else ""
        found = self._awaited.get(player)
        if found is None:
            may = legal(live.setup, live.state, player), prices(live.setup, live.state, player)
            message = Awaited(live.setup.name, at[0], live.due, at[1], *may)
            found = self._awaited[player] = encode(message)
        return found

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

    def free_to_go(self, name: str) -> bool:
        """Whether somebody here has no wager in play, nor a bank against which others have."""
        round_ = self.live.state.round
        here = name in self.live.state.guests
        return here and (name not in self.playing() or round_ is None or not round_.hands)

    def stand_up(self, name: str) -> None:
        """Let somebody leave the table with all their money here."""
        self.live.submit(PLATFORM, f"leave-{self.live.head[0]}-{name}", Leave(name))

    def enter(self, name: str) -> None:
        """Somebody's connection follows the table."""
        self.present[name] += 1
        self.left_ms.pop(name, None)

    def heard(self, name: str, now_ms: int) -> None:
        """Somebody gave a command, with or without a connection."""
        if name not in self.present:
            self.left_ms[name] = now_ms

    def away_ms(self, name: str, now_ms: int) -> int:
        """How long somebody has neither a connection nor given a command."""
        return 0 if name in self.present else now_ms - self.left_ms.setdefault(name, now_ms)

    def exit(self, name: str, now_ms: int) -> None:
        """Somebody's connection is gone."""
        self.present[name] -= 1
        if self.present[name] <= 0:
            del self.present[name]
            self.left_ms[name] = now_ms


class Floor:
    """All open tables by name."""

    def __init__(self, clock: Clock) -> None:
        self.places: dict[str, RunningTable] = {}
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

    def exposure(self, name: str) -> int:
        """What somebody's stacks may still have to pay without any new command of theirs."""
        return sum(_exposure(place.live, name) for place in self.places.values())

    def added_exposure(self, table: str, command: Command) -> int:
        """How a command changes that: a bank may match all that its owner has at the table."""
        place = self.places.get(table)
        if place is None:
            return 0
        live, state = place.live, place.live.state
        match command:
            case TakeBank(player):
                return state.guests[player].stack
            case BuyIn(player, amount) if state.bank.taken == player:
                return amount
            case Bet(player, box, "primary", amount) if state.round is not None:
                return amount if _others_choose(live.setup.rules, state.round, player, box) else 0
            case Choose(player, box) if state.round is not None:
                hand = state.round.hand(player, box)
                return 0 if hand is None else -_war_exposure(live.setup.rules, state.round, hand)
            case _:
                return 0

    def stand_up(self, name: str) -> None:
        """Let somebody leave all tables where they are free to go."""
        for place in self.places.values():
            if place.free_to_go(name):
                place.stand_up(name)

    def check_leaving(self, table: str, actor: str, command: Command) -> None:
        """Refuse that the platform lets somebody leave a wager that was made since it looked."""
        place = self.places.get(table)
        if place is None or actor != PLATFORM or not isinstance(command, Leave):
            return
        if not place.free_to_go(command.player):
            raise Illegal("in_round", f"{command.player} leaves when the round is over.")

    def to_stand_up(self, barred: Callable[[str], bool]) -> Iterator[tuple[RunningTable, str]]:
        """Who is free to go, and barred from wagers or for long away from a shared table."""
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
        """Whether anybody who sits at the table is there to answer."""
        place = self.places.get(name)
        seated = state.seats.values()
        return place is not None and any(each in place.present or is_bot(each) for each in seated)

    def bots(self) -> set[str]:
        """The bots that sit at any table."""
        guests = (name for place in self.places.values() for name in place.live.state.guests)
        return set(filter(is_bot, guests))

    def idle(self) -> list[RunningTable]:
        """The private tables that nobody follows for long; their journal keeps them."""
        since_ms = self._clock.now_ms() - IDLE_MS
        return [
            place
            for place in self.places.values()
            if place.owner is not None and not place.present and place.used_ms < since_ms
        ]

    async def close(self, place: RunningTable) -> None:
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


def _exposure(live: LiveTable, name: str) -> int:
    """The stack of who took the bank, then what it may still have to match; wars of others' choice.

    Whose bank is taken has no hand in that round.
    """
    state = live.state
    if state.bank.taken == name:
        return state.guests[name].stack
    round_ = state.round
    if round_ is None or not state.in_round:
        return 0
    if round_.banker == name:
        matched = sum(wager.matched for hand in round_.hands for wager in hand.wagers)
        return (round_.bank_stack or 0) - matched
    hands = (hand for hand in round_.hands if hand.player == name)
    return sum(_war_exposure(live.setup.rules, round_, hand) for hand in hands)


def _war_exposure(rules: RuleBook, round_: Round, hand: Hand) -> int:
    """The war wager that somebody else may choose for a hand."""
    primary = hand.open("primary")
    if primary is None or hand.choice is not None:
        return 0
    return primary.at_risk if _others_choose(rules, round_, hand.player, hand.box) else 0


def _others_choose(rules: RuleBook, round_: Round, player: str, box: int) -> bool:
    """Whether the platform or the box's seated player may go to war with a player's money."""
    options = rules.options
    seated_chooses = options.box_choice == "seated_player" and round_.seats.get(box) != player
    return options.timeout == "war" or seated_chooses


Kind = tuple[str, Limits]
"""Tables of the same game at the same limits."""


def _kind(live: LiveTable) -> Kind:
    return live.setup.rules.name, live.setup.rules.limits


def _card(place: RunningTable, closure: Closure | None, free: Counter[Kind]) -> TableCard:
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
