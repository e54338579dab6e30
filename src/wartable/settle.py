"""What a worked round should have paid: its cards and choices fed to the engine."""

from collections import Counter
from typing import Any

import msgspec
from msgspec.structs import replace

from wartable.cards import HIDDEN, RANKS
from wartable.game import (
    Bet,
    Burn,
    Choose,
    CloseBets,
    Deal,
    Decline,
    DueBurn,
    DueCard,
    DueChoice,
    DueMeter,
    DueWheel,
    GameCommand,
    GameEvent,
    Hand,
    Illegal,
    Leave,
    Open,
    ReadMeter,
    Round,
    Spin,
    VoidBox,
    VoidRound,
    awaits,
    step,
)
from wartable.game.messages import MeterName
from wartable.game.wagers import BEFORE_DEAL, SIDE_BETS
from wartable.rules import Book, RulesError, load_any, with_options
from wartable.rules.model import RuleBook, WagerKind
from wartable.table.state import meters_of
from wartable.worked import Malformed, Stakes, WorkedHand, WorkedRound

__all__ = ["HandRefusal", "Settlement", "differences", "settle"]

BANKER = "player/dealer"
STAKED = [each.kind for each in BEFORE_DEAL]


class HandRefusal(msgspec.Struct, frozen=True):
    """Why the engine refused a hand."""

    code: str
    message: str


class Settlement(msgspec.Struct, frozen=True):
    """A settled round: its book, its last state and the refused hands."""

    worked: WorkedRound
    book: Book
    state: Round
    refusals: dict[int, HandRefusal]
    steps: tuple[tuple[GameCommand, tuple[GameEvent, ...]], ...]

    def hand(self, index: int) -> Hand | None:
        """The engine's hand for an entry of the input; None if it was refused."""
        entry = self.worked.hands[index]
        return None if index in self.refusals else self.state.hand(entry.player, entry.box)

    def nets(self, index: int) -> dict[str, int]:
        """The net of each wager of an entry, with `main` (primary and war) and `net`."""
        hand = self.hand(index)
        if hand is None:
            return {"net": 0}
        nets: dict[str, int] = {wager.kind: wager.net for wager in hand.wagers}
        if hand.envy:
            nets["envy"] = hand.envy
        main = nets.get("primary", 0) + nets.get("war", 0)
        return {**nets, "main": main, "net": hand.net}

    def as_json(self) -> dict[str, Any]:
        """Every hand with the net of each wager, or why it was refused; and the banker's net."""
        hands: list[dict[str, Any]] = []
        for index, entry in enumerate(self.worked.hands):
            hand: dict[str, Any] = {"box": entry.box, "player": entry.player}
            if refusal := self.refusals.get(index):
                hand |= {"refused": refusal.code, "message": refusal.message}
            hands.append({**hand, **self.nets(index)})
        return {"id": self.worked.id, "hands": hands, "banker": self.state.banker_net}


def settle(worked: WorkedRound) -> Settlement:
    """The round as the engine settles it; raises `Malformed` if it cannot be played."""
    book = _book_for(worked)
    refusals: dict[int, HandRefusal] = {}
    _check_entries(worked)
    while True:
        feeder = _Feeder(worked, book.rules, refusals)
        try:
            feeder.play()
        except _RefusedHand as refused:
            refusals[refused.index] = refused.refusal
            continue
        return Settlement(worked, book, feeder.state, refusals, tuple(feeder.steps))


def differences(settlement: Settlement) -> list[str]:
    """A sentence for each difference between the settlement and what the round expects."""
    expect = settlement.worked.expect
    if expect is None:
        raise Malformed("the round has no `expect` to check.")
    if len(expect.hands) != len(settlement.worked.hands):
        hands = len(settlement.worked.hands)
        return [f"expect.hands: it lists {len(expect.hands)} hands, but the round has {hands}."]
    found = []
    for index, wanted in enumerate(expect.hands):
        refusal = settlement.refusals.get(index)
        if wanted.refused and refusal is None:
            found.append(
                f"hand {index + 1}: the engine accepted it, but the round expects a refusal."
            )
            continue
        if refusal is not None and not wanted.refused:
            found.append(
                f"hand {index + 1}: the engine refused it ({refusal.code}): {refusal.message}"
            )
            continue
        nets = settlement.nets(index)
        for name in [field for field in wanted.__struct_fields__ if field != "refused"]:
            value = getattr(wanted, name)
            if value is not None and value != nets.get(name, 0):
                found.append(f"hand {index + 1}: {name} is {nets.get(name, 0)}, expected {value}.")
    if expect.banker != settlement.state.banker_net:
        found.append(f"banker: the net is {settlement.state.banker_net}, expected {expect.banker}.")
    return found


class _RefusedHand(Exception):
    """The engine refused part of an entry, so the whole entry does not count."""

    def __init__(self, index: int, error: Illegal) -> None:
        super().__init__(error.sentence)
        self.index = index
        self.refusal = HandRefusal(error.code, error.sentence)


def _book_for(worked: WorkedRound) -> Book:
    """The round's book with its settings; restrictions on boxes do not apply."""
    options = dict(worked.settings.options)
    if worked.settings.community_cards is not None:
        count = str(worked.settings.community_cards)
        if options.setdefault("electronic", count) != count:
            raise Malformed(
                "settings: community_cards and the option electronic have different values."
            )
    try:
        book = with_options(load_any(worked.rules), options)
    except RulesError as error:
        raise Malformed(str(error)) from None
    rules = book.rules
    wagers = rules.wagers
    for each in SIDE_BETS:
        if (offer := each.offer(rules)) is not None:
            changed: dict[str, Any] = {"offered": True}
            if each.by_wheel and worked.settings.spin_trigger is not None:
                changed["trigger"] = worked.settings.spin_trigger
            wagers = replace(wagers, **{each.kind: replace(offer, **changed)})
    table = replace(rules.table, boxes=9, players_per_box=None, boxes_per_player=9, adjacent=False)
    return replace(book, rules=replace(rules, wagers=wagers, table=table))


def _check_entries(worked: WorkedRound) -> None:
    """Refuse entries that contradict each other."""
    seen: set[tuple[int, str]] = set()
    for number, hand in enumerate(worked.hands, 1):
        if (hand.box, hand.player) in seen:
            raise Malformed(f"hand {number}: {hand.player} is on box {hand.box} twice.")
        seen.add((hand.box, hand.player))
        cards = _box_cards(worked, hand.box)
        if hand.cards != cards[: len(hand.cards)]:
            raise Malformed(f"hand {number}: box {hand.box} has other cards in another entry.")


def _box_cards(worked: WorkedRound, box: int) -> tuple[str, ...]:
    """The box's cards: the longest list among the entries that share the box."""
    return max((hand.cards for hand in worked.hands if hand.box == box), key=len, default=())


class _Feeder:
    """Chance, players and dealer of one worked round; gives the engine what it awaits."""

    def __init__(
        self, worked: WorkedRound, rules: RuleBook, refused: dict[int, HandRefusal]
    ) -> None:
        self.worked = worked
        self.rules = rules
        self.entries = {i: hand for i, hand in enumerate(worked.hands) if i not in refused}
        self.state = Round()
        self.steps: list[tuple[GameCommand, tuple[GameEvent, ...]]] = []
        self.meters_read: set[str] = set()

    def play(self) -> None:
        """Play the round to its end."""
        self.open()
        self.bet()
        if not self.state.hands:
            return
        self.give(CloseBets())
        self.void()
        while due := awaits(self.rules, self.state):
            self.feed(due[0])
        self.check_cards()

    def give(self, command: GameCommand) -> None:
        """Give one command, which must be legal."""
        self.state, events = step(self.rules, self.state, command)
        self.steps.append((command, events))

    def open(self) -> None:
        """Open the round with its seats and, if a player banks, the bank."""
        settings = self.worked.settings
        seats: dict[int, str] = {}
        for hand in self.entries.values():
            seats.setdefault(hand.box, hand.player)
        banker = BANKER if self.rules.banker == "player" else None
        try:
            self.give(Open(seats, banker, settings.bank, settings.bank_stack))
        except Illegal as error:
            raise Malformed(f"settings: {error.sentence}") from None

    def bet(self) -> None:
        """Make all wagers: primaries, the wagers beside them, then lone tie wagers."""
        primaries = {i: hand for i, hand in self.entries.items() if hand.wagers.primary}
        for i, hand in primaries.items():
            self.stake(i, hand, "primary")
        for i, hand in primaries.items():
            for kind in STAKED[1:]:
                self.stake(i, hand, kind)
        if self.rules.wagers.tie.per_box is not None:
            for hand in primaries.values():
                if not hand.wagers.tie:
                    self.give(Decline(hand.player, hand.box))
        for i, hand in self.entries.items():
            if i not in primaries:
                if hand.wagers == Stakes():
                    raise _RefusedHand(i, Illegal("no_wager", "The hand stakes nothing."))
                for kind in STAKED:
                    self.stake(i, hand, kind)

    def stake(self, index: int, hand: WorkedHand, kind: WagerKind) -> None:
        """Make one wager; the engine's refusal refuses the whole entry."""
        if amount := hand.wagers.of(kind):
            try:
                self.give(Bet(hand.player, hand.box, kind, amount))
            except Illegal as error:
                raise _RefusedHand(index, error) from None

    def void(self) -> None:
        """Give the engine the round's irregularity."""
        incident = self.worked.incident
        if incident is None:
            return
        if incident.kind == "shuffler_jam":
            self.give(VoidRound("the shuffler jammed"))
            return
        if incident.box is None:
            raise Malformed("incident: no_card_dealt needs a box.")
        live = any(hand.box == incident.box for hand in self.entries.values())
        if not live and self.refused(incident.box):
            return
        try:
            self.give(VoidBox(incident.box))
        except Illegal as error:
            raise Malformed(f"incident: {error.sentence}") from None

    def feed(self, due: Any) -> None:
        """Give the engine the one thing that it awaits."""
        match due:
            case DueCard():
                self.give(Deal(self.card(due)))
            case DueBurn():
                self.give(Burn())
            case DueChoice():
                self.choose(due)
            case DueWheel():
                self.spin(due)
            case DueMeter():
                self.give(ReadMeter(due.meter, self.reading(due.meter)))

    def card(self, due: DueCard) -> str:
        """The card that is due, from the round's lists."""
        cards = _box_cards(self.worked, due.box) if due.box else self.worked.dealer
        place = 0 if due.deal == "original" else 1
        if place < len(cards):
            return cards[place]
        if due.box and not any(hand.box == due.box for hand in self.state.hands):
            return HIDDEN
        owner = f"box {due.box}" if due.box else "the dealer"
        raise Malformed(f"cards: {owner} has no card for the {due.deal} deal.")

    def choose(self, due: DueChoice) -> None:
        """Make a tied hand's choice."""
        index, hand = next(
            (i, h) for i, h in self.entries.items() if (h.player, h.box) == (due.player, due.box)
        )
        if hand.choice is None:
            raise Malformed(
                f"hand {index + 1}: it ties and needs a choice: war, surrender or leave."
            )
        if hand.choice == "leave":
            if self.rules.options.abandoned == "hold":
                raise Malformed(
                    f"hand {index + 1}: this book holds the hand of a player who leaves;"
                    " give war or surrender."
                )
            self.leave(index, hand)
            return
        war_tie = hand.war_tie if hand.choice == "war" else 0
        try:
            self.give(Choose(hand.player, hand.box, hand.choice, war_tie))
        except Illegal as error:
            raise _RefusedHand(index, error) from None

    def leave(self, index: int, hand: WorkedHand) -> None:
        """Let a player leave; a player who leaves cannot choose on another tied box."""
        for other in self.entries.values():
            tied = self.state.cards.get(other.box, HIDDEN)[0] == self.state.cards[0][0]
            if other.player == hand.player and tied and other.choice in ("war", "surrender"):
                raise Malformed(
                    f"hand {index + 1}: {hand.player} leaves and cannot choose on box {other.box}."
                )
        self.give(Leave(hand.player))

    def refused(self, box: int) -> bool:
        """Whether an entry for the box was refused."""
        return any(h.box == box for i, h in enumerate(self.worked.hands) if i not in self.entries)

    def spin(self, due: DueWheel) -> None:
        """Stop the wheel where the round says; a refused box cannot be the hot spot."""
        wheel = self.worked.settings.wheel
        if wheel is None:
            raise Malformed("settings: the bonus spin is triggered, so `wheel` is needed.")
        box = wheel.hot_spot_box
        if box is not None and box not in due.boxes and self.refused(box):
            wheel = replace(wheel, hot_spot_box=None, hot_spot=None)
        try:
            self.give(Spin(wheel.hot_spot_box, wheel.hot_spot, wheel.community))
        except Illegal as error:
            raise Malformed(f"settings.wheel: {error.sentence}") from None

    def reading(self, meter: MeterName) -> int:
        """What the meter shows: the round's reading for the first winner, then the reset."""
        shown, reset = self.worked.settings.readings[meter]
        first = meter not in self.meters_read
        self.meters_read.add(meter)
        if first and shown is not None:
            return shown
        return meters_of(self.rules)[meter].reset if reset is None else reset

    def check_cards(self) -> None:
        """Refuse cards that the shoe does not hold."""
        decks = self.worked.settings.decks or self.rules.shoe.decks
        dealt = Counter([*self.state.cards.values(), *self.state.war_cards.values()])
        dealt.pop(HIDDEN, None)
        for card in sorted(dealt, key=lambda card: (RANKS.index(card[0]), card[1])):
            if dealt[card] > decks:
                held = f"{decks} decks hold" if decks > 1 else "1 deck holds"
                raise Malformed(f"cards: {card} is dealt {dealt[card]} times, but {held} {decks}.")
