"""The shape of a wager: all that the rest of the program asks one."""

from collections.abc import Iterator
from typing import ClassVar, Literal, NamedTuple

from msgspec import Struct

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


class Verdict(Struct, frozen=True, gc=False):
    """How a wager ends: won at these odds or, without odds, with this much returned."""

    outcome: str
    odds: Ratio | None = None
    returned: int = 0


LOST = Verdict("lost")


class PayLine(NamedTuple):
    """What one line of a wager pays in words, and the key of the rule book that says so."""

    pays: str
    key: str
    line: str = ""
    label: str = ""
    """The label that is shown, where it is not the wager's own."""


class WagerType:
    """One wager as the rules know it; what a method does not say is as most wagers have it."""

    kind: ClassVar[WagerKind]
    moments: ClassVar[tuple[Moment, ...]]
    """When it may be settled, in order."""
    before_deal: ClassVar[bool] = True
    """Whether it is bet before the deal, and covered by a bank; else at war, and matched."""
    side_bet: ClassVar[bool] = False
    """Whether a device takes and counts it, and it is paid by its own table without limit."""
    by_suits: ClassVar[bool] = False
    """Whether suits matter to it."""
    by_wheel: ClassVar[bool] = False
    """Whether a wheel pays it, which is spun once for all boxes that bet on it."""
    letter: ClassVar[str] = ""
    """The letter that marks it on a felt of text."""
    short_names: ClassVar[tuple[str, ...]] = ()
    """What it may be called in a line of commands, beside its name."""

    @property
    def by_choice(self) -> bool:
        """Whether the choice between war and surrender changes what it pays."""
        return "surrender" in self.moments

    def offered(self, rules: RuleBook) -> bool:
        """Whether the book offers it."""
        return True

    def beside(self, rules: RuleBook) -> WagerKind | None:
        """The wager that it may only stand beside."""
        return None

    def denominations(self, rules: RuleBook) -> tuple[int, ...]:
        """The only sizes it is taken in; none where limits say how much it may be."""
        return ()

    def limit(self, rules: RuleBook) -> Limit:
        """The least and the most that it may be."""
        limit: Limit = getattr(rules.limits, self.kind)
        return limit

    def step(self, rules: RuleBook) -> int:
        """What its amount must be a multiple of."""
        return 1

    def check_claim(
        self, rules: RuleBook, state: Round, hand: Hand | None, player: Player, box: int
    ) -> None:
        """Refuse a player who has no claim to its spot on the box."""

    def bank_odds(self, rules: RuleBook) -> Ratio:
        """What the player/dealer must have for each unit of it."""
        return EVEN

    def verdict(
        self, rules: RuleBook, state: Round, hand: Hand, wager: Wager, at: Moment
    ) -> Verdict | None:
        """How it ends at this moment, or None where the moment does not decide it."""
        raise NotImplementedError

    def meters(self, rules: RuleBook) -> dict[MeterName, Meter]:
        """The meters that it feeds and wins, where it is offered."""
        return {}

    def awaited_meter(
        self, rules: RuleBook, state: Round, hand: Hand, wager: Wager
    ) -> MeterName | None:
        """The meter whose reading it must be paid with."""
        return None

    def envy(self, rules: RuleBook, state: Round, holder: Hand) -> Iterator[EnvyPaid]:
        """What a hand that tied brings to others who made the wager, once its own are settled."""
        return iter(())

    def pay_lines(self, rules: RuleBook) -> Iterator[PayLine]:
        """What it pays, line by line, where it is offered."""
        raise NotImplementedError


class SideBet(WagerType):
    """A wager beside the primary that the book may offer in a few sizes."""

    side_bet = True

    def started_by(self, rules: RuleBook) -> str:
        """What must happen before it pays, in words that take `{dealer}`."""
        return ""

    def offer(self, rules: RuleBook) -> SideBetOffer | None:
        """The book's section about it, None where the book does not know it."""
        offer: SideBetOffer | None = getattr(rules.wagers, self.kind)
        return offer

    def offered(self, rules: RuleBook) -> bool:
        """Whether the operator offers it."""
        return bool(self.denominations(rules))

    def beside(self, rules: RuleBook) -> WagerKind | None:
        """It needs the primary wager."""
        return "primary"

    def denominations(self, rules: RuleBook) -> tuple[int, ...]:
        """The sizes that it is taken in, none where it is not offered."""
        offer = self.offer(rules)
        return offer.denominations if offer is not None and offer.offered else ()

    def check_claim(
        self, rules: RuleBook, state: Round, hand: Hand | None, player: Player, box: int
    ) -> None:
        """It is made once, in one of its sizes."""
        if hand is not None and hand.wager(self.kind) is not None:
            raise Illegal("already_placed", f"The {self.kind} wager is made already.")
