"""The lobby: the shared tables as it shows them."""

from collections import Counter
from collections.abc import Callable, Collection

import msgspec
from msgspec.structs import replace

from wartable.inscription import decks_in_use
from wartable.money import Amount
from wartable.players import is_bot
from wartable.rules.differences import differs
from wartable.rules.model import Limits, RuleBook
from wartable.server.house.closures import Closure, why
from wartable.server.records.results import LastRound
from wartable.server.tables.place import RunningTable
from wartable.table.commands import Milliseconds
from wartable.table.people import rules_for

CROWDED = "All places at tables with these limits are taken, so each player may play only one box."


class TableCard(msgspec.Struct, frozen=True):
    """A table in the lobby."""

    name: str
    book: str
    title: str
    differs: str
    digest: str
    decks: int
    decks_in_use: str
    staffed: bool
    seats: int
    backline: bool
    seated: int
    guests: int
    bots: int
    watching: int
    rounds: int
    awaits: str
    minimum: Amount
    maximum: Amount | None
    ceiling: Amount | None
    meters: dict[str, Amount]
    free_places: int
    betting_ms: Milliseconds | None = None
    closed: str | None = None
    reason: str | None = None
    warning: str | None = None
    last: tuple[LastRound, ...] = ()


class Lobby(msgspec.Struct, frozen=True, tag="lobby"):
    """The shared tables, with live counts and meters."""

    at_ms: Milliseconds
    connected: int
    tables: tuple[TableCard, ...]


class ListedTable(msgspec.Struct, frozen=True):
    """A table for the lobby, before it is compared with the others and with what is closed."""

    card: TableCard
    limits: Limits
    """The limits in force there now, with any restrictions by the floor."""
    boxes_per_player: int
    free: int
    """How many of its places are free."""


LobbyGroup = tuple[str, Limits]
"""Tables of the same game at the same limits."""


def _kind(table: ListedTable) -> LobbyGroup:
    return table.card.book, table.limits


ClosureOf = Callable[[str, str, str], Closure | None]
"""The closure that stops a player's wagers by a book at a table, if there is one."""


def lobby_of(
    tables: Collection[ListedTable], now_ms: int, connected: int, closure: ClosureOf
) -> Lobby:
    """The lobby of these shared tables."""
    closures = [closure(each.card.book, each.card.name, "") for each in tables]
    free: Counter[LobbyGroup] = Counter()
    for table, closed in zip(tables, closures, strict=True):
        if closed is None:
            free[_kind(table)] += table.free
    cards = (_compared(*each, free) for each in zip(tables, closures, strict=True))
    return Lobby(now_ms, connected, tuple(cards))


def _compared(table: ListedTable, closure: Closure | None, free: Counter[LobbyGroup]) -> TableCard:
    """A table's card, once all tables are known."""
    crowded = not free[_kind(table)] and table.boxes_per_player > 1
    return replace(
        table.card,
        free_places=free[_kind(table)],
        warning=CROWDED if crowded else None,
        closed=None if closure is None else f"{closure.scope} {closure.name}".strip(),
        reason=None if closure is None else why(closure),
    )


def listed(place: RunningTable) -> ListedTable:
    """An open table for the lobby."""
    live = place.live
    rules, state = rules_for(live.setup, live.state, ""), live.state
    free = live.setup.rules.table.seats - len(state.seats)
    return ListedTable(_card(place, rules), rules.limits, rules.table.boxes_per_player, free)


def _card(place: RunningTable, rules: RuleBook) -> TableCard:
    live, state = place.live, place.live.state
    bots = sum(map(is_bot, state.guests))
    return TableCard(
        name=live.setup.name,
        book=rules.name,
        title=rules.title,
        differs=differs(rules),
        digest=place.digest,
        decks=live.setup.decks,
        decks_in_use=decks_in_use(live.setup.decks, state.method),
        staffed=live.setup.staffed,
        seats=rules.table.seats,
        backline=rules.table.backline,
        seated=len(state.seats),
        guests=len(state.guests) - bots,
        bots=bots,
        watching=place.present.total(),
        rounds=state.rounds,
        awaits=live.due[0].what,
        minimum=rules.limits.primary.min,
        maximum=rules.limits.primary.max,
        ceiling=rules.limits.ceiling,
        meters={name: meter.shown for name, meter in live.meters.items()},
        free_places=0,
        betting_ms=None if live.setup.staffed else live.timing.bets_ms,
        last=tuple(live.last),
    )
