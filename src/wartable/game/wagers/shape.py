"""The interface of a wager to the rest of the program."""

from collections.abc import Iterator
from typing import ClassVar, Literal, NamedTuple

from msgspec import Struct

from wartable.cards import Card
from wartable.game.messages import EnvyPaid, Illegal, MeterName, Player
from wartable.game.state import Hand, Round, Wager
from wartable.rules.model import (
    Limit,
    Meter,
    Ratio,
    RuleBook,
    SideBetOffer,
    WagerKind,
)

Moment = Literal["original", "wheel", "surrender", "war"]
"""When wagers are settled: after the original deal, the wheel, the choices and the war deal."""

MOMENTS: tuple[Moment, ...] = ("original", "wheel", "surrender", "war")

EVEN = Ratio(1, 1)

Cards4 = tuple[Card, Card, Card | None, Card | None]
"""The player's and the dealer's card of the original deal, then of the war deal, if dealt."""


class Verdict(Struct, frozen=True, gc=False):
    """A wager's outcome: won at these odds or, without odds, with this much returned."""

    outcome: str
    odds: Ratio | None = None
    returned: int = 0


LOST = Verdict("lost")


class PayLine(NamedTuple):
    """What one line of a wager pays, in words, and the rule book's key for it."""

    pays: str
    key: str
    line: str = ""
    label: str = ""
    """The label shown, if it is not the wager's own."""


class WagerType:
    """One wager of the rules; the methods here are the defaults of most wagers."""

    kind: ClassVar[WagerKind]
    moments: ClassVar[tuple[Moment, ...]]
    """The moments that may settle it, in order."""
    before_deal: ClassVar[bool] = True
    """Whether it is made before the deal and covered by a bank, or else at war and matched."""
    side_bet: ClassVar[bool] = False
    """Whether a device takes and counts it, and its own table pays it without limit."""
    by_suits: ClassVar[bool] = False
    """Whether suits matter to it."""
    by_wheel: ClassVar[bool] = False
    """Whether a wheel pays it, spun once for all boxes that bet on it."""
    pays_envy: ClassVar[bool] = False
    """Whether envy bonuses belong to it."""
    meter: ClassVar[MeterName | None] = None
    """Its meter, if it is the one that a question about odds may set."""
    label_words: ClassVar[int] = 2
    """How many words of its label are printed on its spot."""
    letter: ClassVar[str] = ""
    """The letter that marks it on a felt of text."""
    short_names: ClassVar[tuple[str, ...]] = ()
    """Its other names in line commands."""

    @property
    def by_choice(self) -> bool:
        """Whether the choice between war and surrender changes what it pays."""
        return "surrender" in self.moments

    def offered(self, rules: RuleBook) -> bool:
        """Whether the book offers it."""
        return True

    def beside(self, rules: RuleBook) -> WagerKind | None:
        """The wager that it needs beside it."""
        return None

    def denominations(self, rules: RuleBook) -> tuple[int, ...]:
        """The only sizes it may have; none if limits apply instead."""
        return ()

    def limit(self, rules: RuleBook) -> Limit:
        """Its minimum and maximum."""
        limit: Limit = getattr(rules.limits, self.kind)
        return limit

    def step(self, rules: RuleBook) -> int:
        """What its amount must be a multiple of."""
        return 1

    def check_claim(
        self, rules: RuleBook, state: Round, hand: Hand | None, player: Player, box: int
    ) -> None:
        """Refuse a player without a claim to its spot on the box."""

    def gives_way(self, rules: RuleBook, state: Round, hand: Hand | None, box: int) -> Hand | None:
        """The hand that leaves its spot on the box to this one, which has the first claim."""
        return None

    def bank_odds(self, rules: RuleBook) -> Ratio:
        """The money that the player/dealer needs for each unit of it."""
        return EVEN

    def verdict(
        self, rules: RuleBook, state: Round, hand: Hand, wager: Wager, at: Moment
    ) -> Verdict | None:
        """Its outcome at this moment, or None if the moment does not decide it."""
        raise NotImplementedError

    def decided(self, state: Round, hand: Hand) -> bool:
        """Whether its result is fixed before it is settled, so that leaving cannot lose it."""
        if hand.choice == "war":
            return 0 in state.war_cards and hand.box in state.war_cards
        return hand.choice == "surrender"

    def meters(self, rules: RuleBook) -> dict[MeterName, Meter]:
        """The meters that it feeds and wins, if it is offered."""
        return {}

    def awaited_meter(
        self, rules: RuleBook, state: Round, hand: Hand, wager: Wager
    ) -> MeterName | None:
        """The meter whose reading it must be paid with."""
        return None

    def envy(self, rules: RuleBook, state: Round, holder: Hand) -> Iterator[EnvyPaid]:
        """What a tied hand, once settled, pays to others who made the wager."""
        return iter(())

    def paying_option(self, outcome: str) -> str | None:
        """The option that changes what an outcome pays."""
        return None

    def lines(self, rules: RuleBook) -> tuple[str, ...]:
        """The outcomes that its table of lines pays; none if it has no such table."""
        return ()

    def reaches_others(self, rules: RuleBook, cards: Cards4) -> bool:
        """Whether a hand with these cards changes what it pays on other boxes."""
        return False

    def outcome_pays(self, rules: RuleBook, outcome: str) -> str | None:
        """What an outcome pays by the book's odds, in words; None if it is paid otherwise."""
        return None

    def pay_lines(self, rules: RuleBook) -> Iterator[PayLine]:
        """What it pays, line by line, if it is offered."""
        raise NotImplementedError


class SideBet(WagerType):
    """A wager beside the primary that the book may offer in a few sizes."""

    side_bet = True

    def offer(self, rules: RuleBook) -> SideBetOffer | None:
        """The book's section on it; None if the book has none."""
        offer: SideBetOffer | None = getattr(rules.wagers, self.kind)
        return offer

    def offered(self, rules: RuleBook) -> bool:
        """Whether the operator offers it."""
        return bool(self.denominations(rules))

    def beside(self, rules: RuleBook) -> WagerKind | None:
        """It needs the primary wager."""
        return "primary"

    def denominations(self, rules: RuleBook) -> tuple[int, ...]:
        """The sizes it may have; none if it is not offered."""
        offer = self.offer(rules)
        return offer.denominations if offer is not None and offer.offered else ()

    def check_claim(
        self, rules: RuleBook, state: Round, hand: Hand | None, player: Player, box: int
    ) -> None:
        """Refuse a second one: it is made once, in one of its sizes."""
        if hand is not None and hand.wager(self.kind) is not None:
            raise Illegal("already_placed", f"The {self.kind} wager has already been made.")
