"""One visitor's sitting at a table; every command is saved before its events are shown."""

import hashlib
import secrets
import time
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from itertools import islice

from msgspec import Struct
from msgspec.structs import replace

from wartable import game, ledger, players, rng, stream
from wartable.croupier import first_due
from wartable.game import Illegal
from wartable.game.state import Round
from wartable.game.wagers import SIDE_BETS
from wartable.rules import Book, WagerKind, load_any, with_options
from wartable.rules.model import Limit
from wartable.rules.settings import HOUSE_LIMITS, within
from wartable.shoe import Shoe
from wartable.table import (
    Command,
    Due,
    Event,
    Setup,
    Table,
    decide,
    new_setup,
    start,
    view,
    view_event,
)
from wartable.table import apply as apply_event
from wartable.table import awaits as table_awaits
from wartable.table import commands as c
from wartable.table.events import Departed, ShoeEnded
from wartable.terminal.journal import Header, Journal, JournalError, JournalLine

HISTORY_MAX = 20
GAP_MS_MAX = 300_000  # a longer silence is not time at the table
STEPS_MAX = 10_000  # between two questions to the visitor
DEALER = "dealer"
FLOOR = "floorperson"
APPROVAL = "wartable play"  # there is nothing at stake here for a regulator to approve


class Told(Struct, frozen=True):
    """A public event, with the public view of the table before and after it."""

    event: Event
    before: Table
    after: Table


class Past(Struct, frozen=True):
    """A finished round."""

    number: int
    round: Round


class Totals(Struct, frozen=True):
    """The totals of the visitor's finished rounds; `bank` is the result of banking."""

    rounds: int = 0
    staked: int = 0
    returned: int = 0
    bank: int = 0

    @property
    def net(self) -> int:
        """The net result, negative for a loss."""
        return self.returned - self.staked + self.bank


def book_of(header: Header) -> Book:
    """The sitting's rule book."""
    return with_options(load_any(header.book), header.options)


def setup_of(header: Header, book: Book) -> Setup:
    """The table that the header describes, with the limits of the house."""
    rules, ceiling = book.rules, HOUSE_LIMITS.ceiling
    if header.limits is not None:
        least, most = header.limits
        rules = replace(rules, limits=replace(rules.limits, primary=Limit(least, most)))
        ceiling = max(most, *(max(each.denominations(rules), default=0) for each in SIDE_BETS))
    elif rules.limits.primary.max is not None:
        ceiling = rules.limits.primary.max
    rules = within(rules, replace(HOUSE_LIMITS, ceiling=ceiling))
    return new_setup(rules, header.table, approval=APPROVAL)


class Sitting:
    """A table with a visitor and bots; it plays on until the visitor must answer."""

    def __init__(
        self, header: Header, journal: Journal, entries: Iterable[JournalLine] = ()
    ) -> None:
        self.header = header
        self.journal = journal
        self.book = book_of(header)
        if self.book.digest != header.digest:
            raise JournalError(f"The rule book {header.book} is not the one this was played by.")
        self.setup = setup_of(header, self.book)
        self.state = start(self.setup)
        self.accounts: Counter[str] = ledger.balances(ledger.opening(self.state))
        self.totals = Totals()
        self.history: deque[Past] = deque(maxlen=HISTORY_MAX)
        self.last_bets: dict[tuple[int, WagerKind], int] = {}
        self.finished: list[Shoe] = []
        self.left_with = 0
        self.played_ms = 0
        self._at_ms = header.started_ms
        self._staged: list[JournalLine] = []
        self._told: list[Told] = []
        for entry in entries:
            self._pass_time(entry.at_ms)
            self._fold(entry.events, tell=False)

    @property
    def visitor(self) -> str:
        """The visitor's name."""
        return self.header.visitor

    @property
    def stack(self) -> int:
        """The visitor's money at the table, without what is on the felt."""
        guest = self.state.guests.get(self.visitor)
        return 0 if guest is None else guest.stack

    @property
    def at_stake(self) -> int:
        """The visitor's money in the open round."""
        return at_stake_of(self.state, self.visitor)

    @property
    def brought(self) -> int:
        """The money that the visitor brought, less what they took away."""
        return -self.accounts[ledger.wallet(self.visitor)]

    @property
    def over(self) -> bool:
        """Whether the visitor has come and gone."""
        return self.state.arrivals > 0 and self.visitor not in self.state.guests

    def give(self, *given: Command) -> None:
        """Decide the commands and stage their events: all, or none if one is `Illegal`."""
        before = self.state, self.accounts, len(self._staged), len(self._told)
        kept = self.totals, self.last_bets, len(self.finished), list(self.history)
        try:
            for command in given:
                events = decide(self.setup, self.state, command)
                self._staged.append(JournalLine(now_ms(), command, events))
                self._fold(events)
        except Illegal:
            self.state, self.accounts, staged, told = before
            self.totals, self.last_bets, finished, history = kept
            del self._staged[staged:], self._told[told:], self.finished[finished:]
            self.history = deque(history, maxlen=HISTORY_MAX)
            raise

    def commit(self) -> list[Told]:
        """Save what is staged and return it to be shown."""
        self.journal.append(self._staged)
        for entry in self._staged:
            self._pass_time(entry.at_ms)
        self._staged.clear()
        told, self._told = self._told, []
        return told

    def _pass_time(self, at_ms: int) -> None:
        self.played_ms += min(max(0, at_ms - self._at_ms), GAP_MS_MAX)
        self._at_ms = at_ms

    def _fold(self, events: Iterable[Event], *, tell: bool = True) -> None:
        """Fold the events, and check the accounts after each."""
        for event in events:
            before = self.state
            moved = ledger.transfers(before, event)
            self.state = apply_event(before, event)
            self.accounts = ledger.balances(moved, self.accounts)
            ledger.check(self.state, self.accounts)
            self._note(before, event)
            if tell:
                self._told.append(Told(view_event(event), view(before), view(self.state)))

    def _note(self, before: Table, event: Event) -> None:
        """What the sitting remembers beyond the table: results, the last bets, finished shoes."""
        round_ = before.round
        if isinstance(event, game.BetsClosed) and round_ is not None:
            bets = {
                (hand.box, wager.kind): wager.staked
                for hand in round_.hands
                if hand.player == self.visitor
                for wager in hand.wagers
            }
            self.last_bets = bets or self.last_bets
        elif isinstance(event, game.Closed) and round_ is not None:
            self.history.append(Past(before.rounds, round_))
            self.totals = _counted(self.totals, round_, self.visitor)
        elif isinstance(event, ShoeEnded) and self.state.finished is not None:
            self.finished.append(self.state.finished)
        elif isinstance(event, Departed) and event.player == self.visitor:
            self.left_with = event.amount

    def advance(self) -> Iterator[list[Told]]:
        """What happens until the visitor must answer, in parts, each saved before it is shown."""
        while True:
            for _ in range(STEPS_MAX):
                if not self._step():
                    break
            told = self.commit()
            if not told:
                return
            yield told

    def question(self) -> Due | None:
        """What is due from the visitor; None while others must act."""
        if self.visitor not in self.state.guests:
            return None
        due = table_awaits(self.setup, self.state)[0]
        if due.what == "bets":
            banking = self.state.round is not None and self.state.round.banker == self.visitor
            return None if banking else due
        asked = due.what in ("choice", "cut", "bank") and due.player == self.visitor
        return due if asked else None

    def _step(self) -> bool:
        """Answer the next thing that is due; False if the visitor must answer."""
        if self.over:
            return False
        if not self.state.guests:
            self.give(c.Join(self.visitor, self.header.bankroll, self._own_seat()))
            return True
        if not self.state.in_round and (tended := self._tend()) is not None:
            self.give(*tended)
            return True
        if (asked := self.question()) is not None:
            device = first_due(self.setup, table_awaits(self.setup, self.state))
            if device.batch:
                self.give(*self._answers(device))
                return True
            bet = self.bots_bet() if asked.what == "bets" else None
            if bet is not None:
                self.give(bet)
            return bet is not None
        self.give(*self._answers(first_due(self.setup, table_awaits(self.setup, self.state))))
        return True

    def _answers(self, due: Due) -> tuple[Command, ...]:
        """The answering commands of dealer, platform and bots."""
        match due.what:
            case "decks":
                return (c.ReceiveDecks(DEALER, now_ms()),)
            case "prepare":
                return (c.Prepare(self._preparer(due.step), due.step, due.batch),)  # type: ignore[arg-type]  # the table names its own steps
            case "shuffle":
                return (self._seal(), c.ShuffleCards(self._shuffle_seed(), DEALER))
            case "seed":
                return (c.OpenSeed(self.visitor, self._own_seed(self.state.shoes).hex()),)
            case "load":
                return (c.LoadShoe(DEALER),)
            case "taker":
                return (c.OfferBank(),)
            case "start":
                return self._start()
            case "bets":
                return self._bets()
            case "proceed":
                return (c.Proceed(at_ms=now_ms()),)
            case _:
                return (self._bot_answer(due),)

    def _preparer(self, step: str) -> str:
        if step == "view":
            return min(self.state.guests.values(), key=lambda guest: guest.arrival).player
        return FLOOR if step == "verify" else DEALER

    def _start(self) -> tuple[Command, ...]:
        now = now_ms()
        try:
            decide(self.setup, self.state, c.StartRound(now))
        except Illegal as refusal:
            if refusal.code == "deck_age":
                return (c.ReceiveDecks(DEALER, now),)
            raise
        return (c.StartRound(now),)

    def _bets(self) -> tuple[Command, ...]:
        """A bot's next bet, or the end of betting if the visitor banks."""
        bet = self.bots_bet()
        return (game.CloseBets(),) if bet is None else (bet,)

    def bots_bet(self) -> game.Bet | None:
        """The next wager that a bot wants to make."""
        shown = view(self.state)
        for name, bot in self._bots().items():
            bet = players.next_bet(bot.policy, self.setup, shown, name, self.header.master)
            if bet is not None:
                return bet
        return None

    def _bot_answer(self, due: Due) -> Command:
        bot = self._bots()[due.player or ""]
        shown = view(self.state)
        return players.answer(bot.policy, self.setup, shown, due, bot.name, self.header.master)

    def _bots(self) -> dict[str, players.Bot]:
        """The bots at the table."""
        unit = players.unit(self.setup)
        came = (players.bot(number, unit) for number in range(self.state.arrivals))
        return {bot.name: bot for bot in came if bot.name in self.state.guests}

    def bot(self, name: str) -> players.Bot | None:
        """The bot of that name; None if it is not a bot."""
        return self._bots().get(name)

    def _tend(self) -> tuple[Command, ...] | None:
        """A bot's arrival, its buying in, or its leaving for lack of money."""
        present = self._bots()
        need = players.BANK_UNITS_MIN * players.unit(self.setup)
        for name, bot in present.items():
            if self.state.guests[name].stack >= need:
                continue
            left = bot.purse + self.accounts[ledger.wallet(name)]
            amount = min(left, bot.buy_in)
            return (c.BuyIn(name, amount),) if amount >= need else (game.Leave(name),)
        if len(present) < self.header.bots:
            # The visitor came first and does not count as a bot.
            newcomer = players.bot(self.state.arrivals - 1, players.unit(self.setup))
            return (c.Join(newcomer.name, newcomer.buy_in, self._bot_seats()[0]),)
        return None

    def _own_seat(self) -> int | None:
        """The visitor's seat; None for one who stands behind those of others."""
        if not self.header.boxes:
            return None
        seat = self.header.boxes[0]
        return seat if seat <= self.setup.rules.table.seats else 1

    def _bot_seats(self) -> list[int]:
        """The free seats for bots, those farthest from the visitor's boxes last."""
        own = {*(() if self.setup.rules.community else self.header.boxes)}
        if (sat := self._own_seat()) is not None:
            own.add(sat)
        seats = range(1, self.setup.rules.table.seats + 1)
        free = [seat for seat in seats if seat not in own and seat not in self.state.seats]
        near = own or {(len(seats) + 1) // 2}
        return sorted(free, key=lambda seat: (min(abs(seat - box) for box in near), seat))

    def _seal(self) -> Command:
        number = self.state.shoes + 1
        seal = stream.seal(self.header.table, number, self.visitor, self._own_seed(number))
        return c.SealSeed(self.visitor, seal.hex())

    def _own_seed(self, number: int) -> bytes:
        """The seed that the visitor's side contributes to a shuffle."""
        return hashlib.sha256(stream.pack("own seed", self.header.master, number)).digest()

    def _shuffle_seed(self) -> str:
        if not self.header.repeatable:
            return secrets.token_hex(stream.SEED_BYTES)
        seeds = rng.repeatable_seeds(bytes.fromhex(self.header.master))
        return next(islice(seeds, self.state.shoes, None)).hex()


def at_stake_of(table: Table, visitor: str) -> int:
    """The visitor's money in the open round: wagers, or what the bank holds."""
    round_ = table.round
    if round_ is None or round_.closed:
        return 0
    if round_.banker == visitor:
        matched = sum(wager.matched for hand in round_.hands for wager in hand.wagers)
        return (round_.bank or 0) + matched + round_.banker_net
    return sum(
        wager.staked - wager.returned
        for hand in round_.hands
        if hand.player == visitor
        for wager in hand.wagers
        if not wager.outcome
    )


def _counted(totals: Totals, round_: Round, visitor: str) -> Totals:
    hands = [hand for hand in round_.hands if hand.player == visitor]
    banked = round_.banker == visitor
    if not hands and not banked:
        return totals
    staked = sum(wager.staked for hand in hands for wager in hand.wagers)
    back = sum(wager.returned for hand in hands for wager in hand.wagers)
    back += sum(hand.envy for hand in hands)
    return Totals(
        totals.rounds + 1,
        totals.staked + staked,
        totals.returned + back,
        totals.bank + (round_.banker_net if banked else 0),
    )


def now_ms() -> int:
    """The time of day in milliseconds."""
    return time.time_ns() // 1_000_000
