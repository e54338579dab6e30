"""The tie wager on the war deal: made by going to war, won if the war ties."""

from collections.abc import Iterator

from wartable.game.amounts import Amounts
from wartable.game.messages import STAKE_MAX, Illegal
from wartable.game.state import Hand, Round, Wager
from wartable.game.wagers.shape import LOST, Moment, PayLine, Verdict, WagerType
from wartable.rules.model import Ratio, RuleBook, WagerKind


class WarTieWager(WagerType):
    """The wager that the war deal will tie."""

    kind = "war_tie"
    moments = ("war",)
    before_deal = False
    letter = "X"

    def offered(self, rules: RuleBook) -> bool:
        """Whether the book takes it at all."""
        return rules.options.war_tie_wager != "none"

    def beside(self, rules: RuleBook) -> WagerKind | None:
        """It needs the war wager."""
        return "war"

    def bank_odds(self, rules: RuleBook) -> Ratio:
        """Its odds."""
        return rules.wagers.war_tie.pays

    def verdict(
        self, rules: RuleBook, state: Round, hand: Hand, wager: Wager, at: Moment
    ) -> Verdict | None:
        """Won on a second tie and lost otherwise."""
        if state.compare(hand.box, "war"):
            return LOST
        return Verdict("won", rules.wagers.war_tie.pays)

    def outcome_pays(self, rules: RuleBook, outcome: str) -> str | None:
        """Its odds."""
        return f"paid {rules.wagers.war_tie.pays}" if outcome == "won" else None

    def pay_lines(self, rules: RuleBook) -> Iterator[PayLine]:
        """Its odds."""
        if self.offered(rules):
            yield PayLine(str(rules.wagers.war_tie.pays), "wagers.war_tie.pays")


def war_tie_amounts(rules: RuleBook, hand: Hand) -> Amounts:
    """The amounts that a tie wager on the war deal may have, or `Illegal`."""
    offered = rules.options.war_tie_wager
    primary = hand.open("primary")
    if offered == "none" or primary is None:
        raise Illegal("not_offered", "This book offers no tie wager on the war deal.")
    if offered == "equal_primary":
        return Amounts(only=(primary.at_risk,))
    limit = rules.limits.war_tie
    return Amounts(limit.min, min(limit.max or STAKE_MAX, rules.limits.ceiling or STAKE_MAX))
