"""One visitor's sitting at a table; every command is saved before its events are shown."""

import hashlib
import secrets
import time
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from itertools import islice

from msgspec import Struct
from msgspec.structs import replace

from wartable import croupier, game, ledger, players, rng, stream
from wartable.game import Illegal
from wartable.game.state import Round
from wartable.game.wagers import SIDE_BETS
from wartable.links import Links
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
    new_setup,
    start,
    steps,
    view,
    view_event,
)
from wartable.table import apply as apply_event
from wartable.table import awaits as table_awaits
from wartable.table import commands as c
from wartable.table.events import Departed, ShoeEnded
from wartable.terminal.journal import Journal, JournalError, JournalLine, SittingHeader

HISTORY_MAX = 20
GAP_MS_MAX = 300_000  # a longer silence is not time at the table
STEPS_MAX = 10_000  # between two questions to the visitor
APPROVAL = "wartable play"  # there is nothing at stake here for a regulator to approve


class PublicEvent(Struct, frozen=True):
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


def book_of(header: SittingHeader) -> Book:
    """The sitting's rule book."""
    return with_options(load_any(header.book), header.options)


def setup_of(header: SittingHeader, book: Book) -> Setup:
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
        self, header: SittingHeader, journal: Journal, entries: Iterable[JournalLine] = ()
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
        self._links = Links(self.book.digest, header.visitor, self._new_root)
        self._at_ms = header.started_ms
        self._staged: list[JournalLine] = []
        self._happened: list[PublicEvent] = []
        for entry in entries:
            self._pass_time(entry.at_ms)
            for event in entry.events:
                self._go_on(event, apply_event(self.state, event), tell=False)

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
        before = self.state, self.accounts, len(self._staged), len(self._happened)
        kept = self.totals, self.last_bets, len(self.finished), list(self.history)
        try:
            for command in given:
                taken = steps(self.setup, self.state, command)
                events = tuple(event for event, _ in taken)
                self._staged.append(JournalLine(now_ms(), command, events))
                for event, after in taken:
                    self._go_on(event, after)
        except Illegal:
            self.state, self.accounts, staged, happened = before
            self.totals, self.last_bets, finished, history = kept
            del self._staged[staged:], self._happened[happened:], self.finished[finished:]
            self.history = deque(history, maxlen=HISTORY_MAX)
            raise

    def commit(self) -> list[PublicEvent]:
        """Save what is staged and return it to be shown."""
        self.journal.append(self._staged)
        for entry in self._staged:
            self._pass_time(entry.at_ms)
        self._staged.clear()
        happened, self._happened = self._happened, []
        return happened

    def _pass_time(self, at_ms: int) -> None:
        self.played_ms += min(max(0, at_ms - self._at_ms), GAP_MS_MAX)
        self._at_ms = at_ms

    def _go_on(self, event: Event, after: Table, *, tell: bool = True) -> None:
        """Move on to the table after the event, and check the accounts."""
        before, self.state = self.state, after
        self.accounts = ledger.balances(ledger.transfers(before, event), self.accounts)
        ledger.check(after, self.accounts)
        self._note(before, event)
        if tell:
            self._happened.append(PublicEvent(view_event(event), view(before), view(after)))

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

    def advance(self) -> Iterator[list[PublicEvent]]:
        """What happens until the visitor must answer, in parts, each saved before it is shown."""
        while True:
            for _ in range(STEPS_MAX):
                if not self._step():
                    break
            happened = self.commit()
            if not happened:
                return
            yield happened

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
            device = croupier.first_due(self.setup, table_awaits(self.setup, self.state))
            if device.batch:
                self.give(*self._answers(device))
                return True
            bet = self.bots_bet() if asked.what == "bets" else None
            if bet is not None:
                self.give(bet)
            return bet is not None
        self.give(
            *self._answers(croupier.first_due(self.setup, table_awaits(self.setup, self.state)))
        )
        return True

    def _answers(self, due: Due) -> tuple[Command, ...]:
        """The answering commands: of bots, of the visitor, or of the automatic dealer."""
        if due.player in self._bots():
            return (self._bot_answer(due),)
        if due.what == "number":
            return (c.SendNumber(self.visitor, self.number()),)
        if due.what == "bets":
            return self._bets()
        chain = self._links.chain(self.setup, self.state) if due.what == "shuffle" else None
        if chain is not None:
            return (chain,)
        link = self._links.next(self.state) if due.what == "cards" else ""
        acted = croupier.act(self.setup, self.state, due, croupier.PRIVATE, 0, now_ms(), link)
        if acted.command is None:
            raise AssertionError(f"nothing answers {due}")
        return (acted.command,)

    def _bets(self) -> tuple[Command, ...]:
        """A bot's next bet, or the end of betting if the visitor banks."""
        bet = self.bots_bet()
        return (game.CloseBets(self.number()),) if bet is None else (bet,)

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
        """The visitor's seat; None if the visitor stands behind others."""
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

    def number(self) -> str:
        """The visitor's number for the next cards; empty if an older version shuffled them."""
        shoe = self.state.shoe
        if shoe is None or shoe.proof is None:
            return ""
        if not self.header.repeatable:
            return secrets.token_hex(stream.SEED_BYTES)
        place = (shoe.terms.number, len(shoe.proof.draws))
        return hashlib.sha256(stream.pack("number", self.header.master, *place)).hexdigest()

    def _new_root(self) -> str:
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
