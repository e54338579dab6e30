"""Tables as staff see them: what is due, who plays, cards, limits, bank, meters, awards."""

import msgspec

from wartable import game, table
from wartable.game.wagers import SIDE_BETS
from wartable.inscription import decks_in_use, words
from wartable.rules import Book, WagerKind
from wartable.rules.model import Limits, RuleBook
from wartable.server.denied import Denied
from wartable.server.house.closures import Closure
from wartable.server.tables.incidents import TableIncident
from wartable.server.tables.place import LateWager, RunningTable
from wartable.shoe import Shoe, left
from wartable.table import Due, Setup, Table
from wartable.table.commands import Approve
from wartable.table.people import rules_for
from wartable.table.procedure import HOUR_MS, batches_in_use, next_batch, next_steps


class BatchShown(msgspec.Struct, frozen=True):
    """The cards of one back: where they are, how many are left and racked, and what they need."""

    name: str
    where: str
    left: int
    racked: int
    steps: tuple[str, ...]


class BankShown(msgspec.Struct, frozen=True):
    """The bank: who has it or is offered it, what is posted, and how many rounds in a row."""

    banker: str | None
    offered: str | None
    passed: tuple[str, ...]
    posted: int
    rounds: int
    rounds_max: int
    rotation: str


class FloorTable(msgspec.Struct, frozen=True):
    """An open table as the floor sees it: what it awaits, and what is unusual.

    `time_up_ms` says when time can be called for the choice of each player who is asked,
    `cards_until_ms` until when the cards in use may be dealt.
    """

    name: str
    owner: str | None
    book: str
    decks: int
    decks_in_use: str
    staffed: bool
    side_bets: dict[str, str]
    """The side bets that are counted here, each with the book's name for it."""
    methods: tuple[str, ...]
    method: str
    rounds: int
    in_round: bool
    players: tuple[str, ...]
    dealer: str | None
    due: tuple[Due, ...]
    time_up_ms: dict[str, int]
    locked: bool
    """Whether the side bets of the round are locked, as they are after "no more bets"."""
    late: tuple[LateWager, ...]
    """The wagers of this round that were refused because they came after "no more bets"."""
    miscounted: bool
    award: str | None
    approved_by: str
    """The first person who approved the award, where two people must."""
    reshuffle: str | None
    device_failed: str | None
    device_mark: str | None
    idle: bool
    closed: str | None
    boxes: int
    seats: dict[int, str]
    staked: int
    limits: Limits
    boxes_per_player: int
    players_per_box: int | None
    restrictions: dict[str, int]
    player_box_maximums: dict[str, int]
    sets: tuple[str, ...]
    condition: str
    cards_since_ms: int | None
    cards_until_ms: int | None
    batches: tuple[BatchShown, ...]
    cover_card_out: bool
    burn_due: bool
    bank: BankShown | None
    meters: dict[str, int]
    house: int
    """What the house won or lost on the wagers of the last round, or of this one so far."""
    incidents: tuple[TableIncident, ...]
    """The irregularities of the last 24 hours, newest first."""


class AwardShare(msgspec.Struct, frozen=True):
    """What somebody gets when the award is approved, and why."""

    player: str
    box: int
    wager: str
    amount: int
    words: str
    clauses: tuple[str, ...]


class AwardShown(msgspec.Struct, frozen=True):
    """An award that waits for approval: the evidence, and what approving it would pay."""

    table: str
    round: int
    meter: str
    before: int
    after: int
    cards: dict[int, tuple[str, ...]]
    lamps: tuple[int, ...]
    """The boxes whose side bet the system accepted."""
    hot_spot: int | None
    symbol: str | None
    community: str | None
    shares: tuple[AwardShare, ...]
    approved_by: str = ""
    """The first person who approved it, where two people must."""


def floor_table(
    place: RunningTable, closure: Closure | None, now_ms: int, approved_by: str
) -> FloorTable:
    """The table as the floor sees it now."""
    setup, state = place.live.setup, place.live.state
    rules = rules_for(setup, state, "")
    due = table.awaits(setup, state)
    asked = [each.player for each in due if each.what == "choice" and each.player is not None]
    times = {player: place.time_up_ms(player, now_ms) for player in asked}
    since_ms = None if state.decks is None else state.decks.at_ms
    hours = rules.shoe.deck_hours_max
    return FloorTable(
        name=setup.name,
        owner=place.owner,
        book=rules.name,
        decks=setup.decks,
        decks_in_use=decks_in_use(setup.decks, state.method),
        staffed=setup.staffed,
        side_bets=_side_bets(rules),
        methods=rules.shoe.methods,
        method=state.method,
        rounds=state.rounds,
        in_round=state.in_round,
        players=tuple(state.guests),
        dealer=state.dealer,
        due=due,
        time_up_ms={player: at_ms for player, at_ms in times.items() if at_ms is not None},
        locked=state.in_round and state.round is not None and state.round.bets_closed,
        late=tuple(each for each in place.late if each.round == state.rounds),
        miscounted=state.in_round and state.miscounted,
        award=state.award,
        approved_by=approved_by,
        reshuffle=state.reshuffle,
        device_failed=state.device_failed,
        device_mark=state.device_mark,
        idle=state.idle,
        closed=None if closure is None else f"{closure.scope} {closure.name}".strip(),
        boxes=rules.community or rules.table.boxes,
        seats=state.seats,
        staked=_staked(state),
        limits=rules.limits,
        boxes_per_player=rules.table.boxes_per_player,
        players_per_box=rules.table.players_per_box,
        restrictions={str(limit): value for limit, value in state.restrictions.items()},
        player_box_maximums=dict(state.player_box_maximums),
        sets=state.sets,
        condition="" if state.decks is None else state.decks.condition,
        cards_since_ms=since_ms,
        cards_until_ms=None if since_ms is None or hours is None else since_ms + hours * HOUR_MS,
        batches=_batches(setup, state),
        cover_card_out=state.cover_box is not None,
        burn_due=state.dealer_burn_due,
        bank=_bank(setup, state),
        meters={name: meter.shown for name, meter in place.live.meters.items()},
        house=_house(state),
        incidents=_incidents(place, now_ms),
    )


def _incidents(place: RunningTable, now_ms: int) -> tuple[TableIncident, ...]:
    since_ms = now_ms - 24 * HOUR_MS
    return tuple(each for each in reversed(place.live.incidents) if each.at_ms >= since_ms)


def _side_bets(rules: RuleBook) -> dict[str, str]:
    return {each.kind: rules.label(each.kind) for each in SIDE_BETS if each.offered(rules)}


def _staked(state: Table) -> int:
    """The money on the felt in wagers that are not settled."""
    hands = state.round.hands if state.round is not None and state.in_round else ()
    return sum(wager.staked for hand in hands for wager in hand.wagers if not wager.outcome)


def _house(state: Table) -> int:
    """The house's result on the round's wagers; nothing where a player banks them."""
    round_ = state.round
    return 0 if round_ is None or round_.banker is not None else round_.banker_net


def _batches(setup: Setup, state: Table) -> tuple[BatchShown, ...]:
    """The cards in play and in the device; a single batch has no name."""
    found = []
    for name in batches_in_use(setup, state):
        where, shoe = _where(setup, state, name)
        racked = 0 if shoe is None else len(shoe.discards)
        steps = next_steps(setup, state, name)
        found.append(BatchShown(name, where, 0 if shoe is None else left(shoe), racked, steps))
    return tuple(found)


def _where(setup: Setup, state: Table, batch: str) -> tuple[str, Shoe | None]:
    """Where a batch is, and its shuffled cards."""
    for where, shoe in (("in play", state.shoe), ("in the device", state.stored)):
        if shoe is not None and shoe.terms.batch == batch:
            loaded = shoe.cards or where == "in the device"
            return (where if loaded else "shuffled"), shoe
    return ("next" if next_batch(setup, state) == batch else "waiting"), None


def _bank(setup: Setup, state: Table) -> BankShown | None:
    limits, bank = setup.rules.bank, state.bank
    if limits is None:
        return None
    playing = state.round if state.in_round else None
    banker = playing.banker if playing is not None else bank.taken
    posted = (playing.bank or 0) if playing is not None else bank.posted
    rounds = bank.rounds if banker in (None, bank.button) else 0
    return BankShown(
        banker, bank.offered, bank.passed, posted, rounds, limits.rounds_max, limits.rotation
    )


def award(book: Book, setup: Setup, state: Table) -> AwardShown:
    """The award that waits at a table, as the engine would pay it; `Denied` if there is none."""
    round_, meter = state.round, state.award
    if round_ is None or meter is None:
        raise Denied("no_award", "No meter's award is waiting at this table.")
    after, events = table.step(setup, state, Approve("floor"))
    shares = []
    for event in events:
        if isinstance(event, game.Settled) and event.returned and event.wager in _feeding():
            said = words(book, event.wager, event.outcome)
            sources = book.clauses(event.wager, event.outcome)
            shares.append(
                AwardShare(event.player, event.box, event.wager, event.returned, said, sources)
            )
        elif isinstance(event, game.EnvyPaid):
            said, sources = words(book, "envy", "won"), book.clauses("envy", "won")
            shares.append(AwardShare(event.player, event.box, "envy", event.amount, said, sources))
    boxes = sorted({*round_.cards, *round_.war_cards})
    deals = (round_.cards, round_.war_cards)
    accepted = {
        hand.box for hand in round_.hands for kind in _feeding() if hand.wager(kind) is not None
    }
    spun = round_.spun
    return AwardShown(
        table=setup.name,
        round=state.rounds,
        meter=meter,
        before=state.meters[meter].shown,
        after=after.meters[meter].shown,
        cards={box: tuple(deal[box] for deal in deals if box in deal) for box in boxes},
        lamps=tuple(sorted(accepted)),
        hot_spot=None if spun is None else spun.hot_spot_box,
        symbol=None if spun is None else spun.hot_spot,
        community=None if spun is None else spun.community,
        shares=tuple(shares),
    )


def _feeding() -> tuple[WagerKind, ...]:
    """The wagers that feed meters."""
    return tuple(each.kind for each in SIDE_BETS)
