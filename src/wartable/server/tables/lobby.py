"""The lobby: the shared tables as it shows them."""

from collections import Counter
from collections.abc import Callable, Collection

import msgspec

from wartable.inscription import decks_in_use
from wartable.money import Amount
from wartable.players import is_bot
from wartable.rules.differences import differs
from wartable.rules.model import Limits
from wartable.server.house.closures import Closure, why
from wartable.server.records.results import LastRound
from wartable.server.tables.live import LiveTable
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


LobbyGroup = tuple[str, Limits]
"""Tables of the same game at the same limits."""


def _kind(live: LiveTable) -> LobbyGroup:
    """The table's kind, by the limits that hold there now, restricted by the floor or not."""
    rules = rules_for(live.setup, live.state, "")
    return rules.name, rules.limits


ClosureOf = Callable[[str, str, str], Closure | None]
"""The closure that stops a player's wagers by a book at a table, if there is one."""


def lobby_of(
    shared: Collection[RunningTable], now_ms: int, connected: int, closure: ClosureOf
) -> Lobby:
    """The lobby of these shared tables."""
    closures = [closure(each.live.setup.rules.name, each.live.setup.name, "") for each in shared]
    free: Counter[LobbyGroup] = Counter()
    for place, closed in zip(shared, closures, strict=True):
        if closed is None:
            live = place.live
            free[_kind(live)] += live.setup.rules.table.seats - len(live.state.seats)
    cards = (_card(*each, free) for each in zip(shared, closures, strict=True))
    return Lobby(now_ms, connected, tuple(cards))


def _card(place: RunningTable, closure: Closure | None, free: Counter[LobbyGroup]) -> TableCard:
    live = place.live
    rules, state = rules_for(live.setup, live.state, ""), live.state
    bots = sum(map(is_bot, state.guests))
    crowded = not free[_kind(live)] and rules.table.boxes_per_player > 1
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
        free_places=free[_kind(live)],
        betting_ms=None if live.setup.staffed else live.timing.bets_ms,
        warning=CROWDED if crowded else None,
        closed=None if closure is None else f"{closure.scope} {closure.name}".strip(),
        reason=None if closure is None else why(closure),
        last=tuple(live.last),
    )
