"""Tables played tersely: a driver that checks everything after each event, and a second account."""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

import msgspec
from msgspec.structs import replace

from wartable import game, ledger, table
from wartable import shoe as shoes
from wartable.cards import DECK
from wartable.game import Illegal
from wartable.links import Links
from wartable.money import Amount
from wartable.proof import When
from wartable.rules import RuleBook, WagerKind, load, with_options
from wartable.rules.check import problems_of
from wartable.rules.load import shipped_raw
from wartable.rules.model import Limits
from wartable.shoe import Shoe
from wartable.table import Command, Due, Event, Setup, Table
from wartable.table import commands as c
from wartable.table import events as e
from wartable.table.older import OlderCommand
from wartable.table.state import meters_of

DEALER, FLOOR = "dan", "flo"
BUY_IN = 100_000
APPROVAL = "approval 1"
ANSWERS_MAX = 400
"""Far more than any way to the next round needs: reaching it means that the table is stuck."""

Spot = tuple[str, int, str]
METER: Spot = ("", 0, "meter")
"""Where a meter's money lies while its winner is being paid."""


def rules_of(name: str, **options: str) -> RuleBook:
    """A shipped book with other options."""
    return with_options(load(name), options).rules


def limited(rules: RuleBook, **limits: Any) -> RuleBook:
    """The book with an operator's limits: `primary={"min": 500}`, `ceiling=30000`."""
    return replace(rules, limits=msgspec.convert(limits, Limits))


def with_values(name: str, **values: object) -> Any:
    """A shipped book, undecoded, in which other values stand: `shoe__decks=5`."""
    whole: Any = msgspec.json.decode(msgspec.json.encode(shipped_raw(name)))
    for path, value in values.items():
        *sections, key = path.split("__")
        place = whole
        for section in sections:
            place = place.setdefault(section, {})
        if value is None:
            del place[key]
        else:
            place[key] = value
    return whole


def problems(name: str, **values: object) -> list[str]:
    """What is wrong with a shipped book in which other values stand."""
    return problems_of(with_values(name, **values))


def seed(number: object) -> str:
    """A house's seed that a test may repeat."""
    return hashlib.sha256(f"seed {number}".encode()).hexdigest()


class Account:
    """Where the money is, counted from the events alone and apart from ledger and round."""

    def __init__(self, setup: Setup) -> None:
        self.meters = {str(name): meter.initial for name, meter in meters_of(setup.rules).items()}
        self.shares = {
            str(name): (meter.contribution.over, meter.contribution.under)
            for name, meter in meters_of(setup.rules).items()
        }
        self.contributed: Counter[str] = Counter()
        self.seeded: Counter[str] = Counter(self.meters)
        self.paid: Counter[str] = Counter()
        self.house = -sum(self.meters.values())
        self.wallets: Counter[str] = Counter()
        self.stacks: dict[str, int] = {}
        self.felt: dict[Spot, int] = {}
        self.inventory: dict[Spot, int] = {}
        self.banker: str | None = None
        self.bank = 0
        self.bank_put = 0
        self.gained: Counter[str] = Counter()
        self.before: dict[str, Any] = {}

    def total(self) -> int:
        """All money there is, which is always none: it only moves."""
        places = (self.meters, self.wallets, self.stacks, self.felt)
        return self.house + self.bank + sum(sum(place.values()) for place in places)

    def pay(self, player: str, amount: int) -> None:
        """Move money between a player's stack and the round."""
        self.stacks[player] += amount
        self.gained[player] += amount

    def collect(self, amount: int) -> None:
        """Give the bank, or the house where it banks, an amount; a negative one is paid."""
        if self.banker is None:
            self.house += amount
        else:
            self.bank += amount

    def add(self, event: Event) -> None:
        """Count one event."""
        handler = _COUNT.get(type(event))
        if handler is not None:
            handler(self, event)

    def start(self, _: e.RoundStarted) -> None:
        """Remember what a void must restore."""
        self.gained.clear()
        self.felt, self.inventory, self.banker, self.bank_put = {}, {}, None, 0
        kept = ("meters", "contributed", "seeded", "paid")
        self.before = {name: Counter(getattr(self, name)) for name in kept}
        self.before["house"] = self.house

    def open(self, event: game.Opened) -> None:
        """Take the posted bank."""
        self.banker = event.banker
        if event.banker is not None:
            self.put(event.bank or 0)

    def put(self, amount: int) -> None:
        """Move the banker's money to the bank; the house's stays its own."""
        if self.banker is None:
            return
        self.stacks[self.banker] -= amount
        self.bank += amount
        self.bank_put += amount

    def place(self, event: game.Placed) -> None:
        """Put chips on a wager."""
        spot = (event.player, event.box, event.wager)
        self.pay(event.player, -event.amount)
        self.felt[spot] = self.felt.get(spot, 0) + event.amount

    def give_back(self, event: game.Withdrawn | game.Returned) -> None:
        """Take chips from a wager back."""
        spot = (event.player, event.box, event.wager)
        self.felt[spot] -= event.amount
        self.pay(event.player, event.amount)
        if not self.felt[spot]:
            del self.felt[spot]

    def count(self, event: e.SideBetsCounted) -> None:
        """Move the side bets' chips into the inventory; each feeds its meters."""
        for spot in [spot for spot in self.felt if spot[2] in ("progressive", "bonus_spin")]:
            self.inventory[spot] = self.felt.pop(spot)
            self.collect(self.inventory[spot])
            self.contribute(spot, self.inventory[spot])
        kinds = [spot[2] for spot in self.inventory]
        assert kinds.count("progressive") == event.progressive
        assert kinds.count("bonus_spin") == event.bonus_spin

    def contribute(self, spot: Spot, amount: int) -> None:
        """Count a wager's part of each meter, in parts of a cent."""
        names = ["progressive"] if spot[2] == "progressive" else ["primary", "secondary"]
        for name in names:
            if name in self.shares:
                self.contributed[name] += amount * self.shares[name][0]

    def feed(self, event: e.MeterFed | e.MeterUnfed | e.MeterReset) -> None:
        """Move the house's money to a meter, or back."""
        amount = -event.amount if isinstance(event, e.MeterUnfed) else event.amount
        self.house -= amount
        self.meters[event.meter] += amount
        if isinstance(event, e.MeterReset):
            self.seeded[event.meter] += amount

    def settle(self, event: game.Settled) -> None:
        """End a wager: its stake is collected and what goes back is paid."""
        spot = (event.player, event.box, event.wager)
        if spot in self.inventory:
            del self.inventory[spot]
        else:
            self.collect(self.felt.pop(spot))
        self.collect(self.felt.pop(METER, 0))
        self.collect(-event.returned)
        self.pay(event.player, event.returned)

    def hear(self, event: game.MeterRead) -> None:
        """Move a meter's money to the wager that won it."""
        self.meters[event.meter] -= event.amount
        self.paid[event.meter] += event.amount
        self.felt[METER] = event.amount

    def envy(self, event: game.EnvyPaid) -> None:
        """Pay an envy bonus."""
        self.collect(-event.amount)
        self.pay(event.player, event.amount)

    def void_box(self, event: game.BoxVoided) -> None:
        """Give back what lies on a box, side bets from the inventory."""
        for spot in [spot for spot in self.felt if spot[1] == event.box]:
            self.pay(spot[0], self.felt.pop(spot))
        for spot in [spot for spot in self.inventory if spot[1] == event.box]:
            amount = self.inventory.pop(spot)
            self.collect(-amount)
            self.contribute(spot, -amount)
            self.pay(spot[0], amount)

    def void_round(self, _: game.RoundVoided) -> None:
        """Put everything back as it was when the round began, but for the posted bank."""
        for player, amount in self.gained.items():
            if player in self.stacks:
                self.stacks[player] -= amount
        self.gained.clear()
        self.felt, self.inventory, self.bank = {}, {}, self.bank_put
        for name, value in self.before.items():
            setattr(self, name, value)
        self.meters = dict(self.meters)

    def close(self, _: game.Closed) -> None:
        """Give the bank back to the banker."""
        assert not self.felt
        if self.banker is not None:
            self.stacks[self.banker] += self.bank
            self.bank = 0

    def come(self, event: e.Joined | e.BoughtIn) -> None:
        """Bring money to the table."""
        self.wallets[event.player] -= event.amount
        self.stacks[event.player] = self.stacks.get(event.player, 0) + event.amount

    def go(self, event: e.CashedOut | e.Departed) -> None:
        """Take money off the table; all of it when going."""
        self.wallets[event.player] += event.amount
        self.stacks[event.player] -= event.amount
        if isinstance(event, e.Departed):
            assert self.stacks.pop(event.player) == 0
            self.gained.pop(event.player, None)


_COUNT: dict[type[Any], Callable[[Account, Any], None]] = {
    e.Joined: Account.come,
    e.BoughtIn: Account.come,
    e.CashedOut: Account.go,
    e.Departed: Account.go,
    e.RoundStarted: Account.start,
    e.SideBetsCounted: Account.count,
    e.MeterFed: Account.feed,
    e.MeterUnfed: Account.feed,
    e.MeterReset: Account.feed,
    game.Opened: Account.open,
    game.Placed: Account.place,
    game.Withdrawn: Account.give_back,
    game.Returned: Account.give_back,
    game.Matched: lambda account, event: account.put(event.amount),
    game.MeterRead: Account.hear,
    game.Settled: Account.settle,
    game.EnvyPaid: Account.envy,
    game.BoxVoided: Account.void_box,
    game.RoundVoided: Account.void_round,
    game.Closed: Account.close,
}


class Play:
    """A table under way, checked after every event: money, cards, meters."""

    def __init__(
        self,
        rules: RuleBook | str,
        *,
        staffed: bool = False,
        decks: int | None = None,
        name: str = "t1",
        own: str = "",
        shared: When | None = None,
        **options: str,
    ) -> None:
        book = rules_of(rules, **options) if isinstance(rules, str) else rules
        setup = table.new_setup(book, name, staffed, APPROVAL)
        self.setup = setup if decks is None else replace(setup, decks=decks)
        self.state = table.start(self.setup)
        self.accounts = ledger.balances(ledger.opening(self.state))
        self.account = Account(self.setup)
        self.commands: list[Command] = []
        self.events: list[Event] = []
        self.finished: list[Shoe] = []
        self.rigged = False
        self.few: tuple[str, ...] = ()
        self.clock = 0
        self.own = own
        """Whose table it is: then links and this player's numbers decide the cards."""
        self.shared = shared
        """Whether all who are seated give numbers, and when these order the cards."""
        order = shared or "on_deal"
        self.links = Links("digest", own, lambda: seed(f"root {len(self.events)}"), order)

    @property
    def due(self) -> tuple[Due, ...]:
        """What the table awaits."""
        return table.awaits(self.setup, self.state)

    @property
    def what(self) -> str:
        """What the table awaits first, in a word."""
        return self.due[0].what

    def do(self, *commands: Command) -> tuple[Event, ...]:
        """The events of commands that must be legal."""
        all_events: list[Event] = []
        for command in commands:
            events = table.decide(self.setup, self.state, command)
            self.commands.append(command)
            for event in events:
                self._happen(event)
            all_events += events
            self.check_shares()
        return tuple(all_events)

    def again(self, *commands: OlderCommand) -> None:
        """Decide commands again that only the journals of older versions have."""
        for command in commands:
            for event in table.decide(self.setup, self.state, command):
                self._happen(event)

    def _happen(self, event: Event) -> None:
        self.accounts = ledger.balances(ledger.transfers(self.state, event), self.accounts)
        before, self.state = self.state, table.apply(self.state, event)
        self.account.add(event)
        self.events.append(event)
        if self.few and isinstance(event, e.ShoeLoaded) and self.state.shoe is not None:
            few = random.Random(len(self.events)).choices(self.few, k=len(self.state.shoe.cards))
            self.state = replace(self.state, shoe=replace(self.state.shoe, cards=tuple(few)))
            self.rigged = True
        if self.state.finished is not before.finished and self.state.finished is not None:
            self.finished.append(self.state.finished)
        self.check()

    def check(self) -> None:
        """All that must hold after an event."""
        state, account = self.state, self.account
        ledger.check(state, self.accounts)
        assert account.total() == 0
        assert account.stacks == {name: guest.stack for name, guest in state.guests.items()}
        assert min(account.stacks.values(), default=0) >= 0
        assert account.bank == self.accounts[ledger.BANK] >= 0
        assert account.house == self.accounts[ledger.HOUSE]
        assert sum(account.felt.values()) == self.accounts[ledger.FELT] >= 0
        assert account.meters == {name: meter.shown for name, meter in state.meters.items()}
        for name, meter in state.meters.items():
            assert (meter.seeded, meter.paid) == (account.seeded[name], account.paid[name])
            assert meter.fed + meter.seeded == meter.paid + meter.shown
        if state.shoe is not None and state.shoe.cards:
            check_cards(self.setup, state.shoe)

    def check_shares(self) -> None:
        """The meters have their exact part of every counted wager that stands."""
        for name, meter in self.state.meters.items():
            under = self.account.shares[name][1]
            assert meter.fed * under + meter.carry == self.account.contributed[name]
            assert 0 <= meter.carry < under

    def refuses(self, command: Command) -> str:
        """The code with which a command is refused; fails if it is not."""
        illegal = self.refusal(command)
        assert illegal is not None, f"{command} was accepted"
        return illegal.code

    def refusal(self, command: Command) -> Illegal | None:
        """The refusal of a command, None where it would be accepted."""
        try:
            table.decide(self.setup, self.state, command)
        except Illegal as illegal:
            return illegal
        return None

    def of(self, kind: type[Any]) -> list[Any]:
        """The events of one kind, in order."""
        return [event for event in self.events if type(event) is kind]

    def stack(self, player: str) -> int:
        """A player's stack."""
        return self.state.guests[player].stack

    def join(self, *players: str, amount: Amount = BUY_IN) -> Play:
        """Seat players from the lowest free seat on."""
        for player in players:
            seats = range(1, self.setup.rules.table.seats + 1)
            free = next(seat for seat in seats if seat not in self.state.seats)
            self.do(c.Join(player, amount, free))
        return self

    def ready(self, until: str = "start") -> Play:
        """Do what is due in the plainest way until that is due."""
        for _ in range(ANSWERS_MAX):
            if self.what == until:
                return self
            self.do(self.plain(self.due[0]))
        raise AssertionError(f"{until} is never due; {self.due} is")

    def plain(self, due: Due) -> Command:
        """The plainest command that answers what is due."""
        player = due.player or ""
        match due.what:
            case "decks":
                return c.ReceiveDecks(DEALER, self.clock)
            case "prepare":
                step = msgspec.convert(due.step, c.Preparation)
                return c.Prepare(self.preparer(due.step), step, due.batch)
            case "shuffle":
                new = "" if self.own or self.shared else seed(len(self.events))
                return self.chain() or c.ShuffleCards(new, DEALER)
            case "number":
                return c.SendNumber(player, seed(len(self.events)))
            case "list":
                return c.CloseNumbers()
            case "cards":
                return c.DecideCards(self.links.next(self.state))
            case "cut":
                return c.RefuseCut(player)
            case "load":
                return c.LoadShoe(DEALER)
            case "bank":
                return c.TakeBank(player, min(50_000, self.stack(player)))
            case "taker":
                return c.OfferBank()
            case "start":
                return self.start_command()
            case "count":
                return self.counting()
            case "proceed":
                return c.Proceed()
            case "choice":
                return game.Choose(player, due.box or 0, "surrender")
            case "approval":
                return c.Approve("gil" if self.state.dealer == FLOOR else FLOOR)
            case "device":
                return c.RepairDevice(FLOOR)
        raise AssertionError(f"nothing here answers {due}")

    def chain(self) -> Command | None:
        """The commitment to links that is needed before the next shuffle."""
        return self.links.chain(self.setup, self.state) if self.own or self.shared else None

    def start_command(self) -> c.StartRound:
        """Open betting a minute later."""
        self.clock += 60_000
        return c.StartRound(self.clock)

    def counting(self) -> c.CountSideBets:
        """The right count of the side bets."""
        assert self.state.round is not None
        kinds = [w.kind for hand in self.state.round.hands for w in hand.wagers if not w.outcome]
        return c.CountSideBets(DEALER, kinds.count("progressive"), kinds.count("bonus_spin"))

    def preparer(self, step: str) -> str:
        """Who does a step of the preparation."""
        if step == "view":
            return min(self.state.guests.values(), key=lambda guest: guest.arrival).player
        return FLOOR if step == "verify" else DEALER

    def start(self) -> Play:
        """Go to open betting."""
        self.ready().do(self.start_command())
        return self

    def bet(self, player: str, box: int, **wagers: int) -> Play:
        """Make the wagers, in their order."""
        for kind, amount in msgspec.convert(wagers, dict[WagerKind, int]).items():
            self.do(game.Bet(player, box, kind, amount))
        return self

    def close(self) -> Play:
        """Call no more bets, and count at a table with staff."""
        self.do(game.CloseBets())
        if self.state.in_round and self.what == "count":
            self.do(self.counting())
        return self

    def rig(self, cards: str) -> Play:
        """Have these cards lie next in the shoe, others in exchange for them."""
        shoe = self.state.shoe
        assert shoe is not None
        order, place = list(shoe.cards), len(shoe.drawn)
        for card in cards.split():
            at = order.index(card, place) if card in order[place:] else place
            order[at], order[place] = order[place], card
            place += 1
        self.state = replace(self.state, shoe=replace(shoe, cards=tuple(order)))
        self.rigged = True
        return self

    def proceed(self, steps: int = 0) -> Play:
        """Have the shoe give what is due."""
        self.do(c.Proceed(steps))
        return self

    def finish(self) -> Play:
        """Play the round to its end in the plainest way."""
        for _ in range(ANSWERS_MAX):
            if not self.state.in_round:
                return self
            if self.what == "bets":
                hands = self.state.round.hands if self.state.round else ()
                self.do(game.CloseBets() if hands else game.VoidRound("nobody bet"))
            else:
                self.do(self.plain(self.due[0]))
        raise AssertionError(f"the round does not end; {self.due} is due")

    def round(self, cards: str = "", **primary: int) -> Play:
        """A whole round: each player's primary wager on the own seat, cards rigged if given."""
        self.start()
        for player, amount in primary.items():
            self.bet(player, self.state.guests[player].seat or 0, primary=amount)
        self.close()
        if cards:
            self.rig(cards)
        return self.finish()

    def cover(self, left: int) -> Play:
        """Have the cover card lie below so many cards."""
        shoe = self.state.shoe
        assert shoe is not None
        place = len(shoe.drawn) + left
        cover = shoes.Cover(place, place, place)
        self.state = replace(self.state, shoe=replace(shoe, cover=cover))
        self.rigged = True
        return self


def check_cards(setup: Setup, shoe: Shoe) -> None:
    """Every card of the batch is in the shoe, on the felt or in the rack, once."""
    places = [*shoe.cards[len(shoe.drawn) :], *(d.card for d in shoes.felt(shoe))]
    places += [dealt.card for dealt in shoes.rack(shoe)]
    assert len(places) == setup.decks * len(DECK)
    assert len(shoe.discards) + len(shoes.felt(shoe)) + shoes.left(shoe) == len(places)


def composition(shoe: Shoe) -> Counter[str]:
    """How often each card is in the shoe, on the felt or in the rack."""
    places: Iterable[str] = (
        *shoe.cards[len(shoe.drawn) :],
        *(dealt.card for dealt in shoes.felt(shoe)),
        *(dealt.card for dealt in shoes.rack(shoe)),
    )
    return Counter(places)


def refold(play: Play) -> Table:
    """The state that the journal gives after a trip through JSON."""
    data = msgspec.json.encode(play.events)
    return table.fold(msgspec.json.decode(data, type=list[Event]), table.start(play.setup))
