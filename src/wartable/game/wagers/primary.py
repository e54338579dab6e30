"""The primary wager: the higher card wins it, a tie leads to war or surrender."""

from collections.abc import Iterator

from wartable.game.state import Hand, Round, Wager
from wartable.game.wagers.shape import EVEN, LOST, Moment, PayLine, Verdict, WagerType
from wartable.game.wagers.war import WON_AT_WAR, war_pays_words, war_result
from wartable.rules.model import Ratio, RuleBook


class PrimaryWager(WagerType):
    """The wager that takes part in the round."""

    kind = "primary"
    moments = ("original", "surrender", "war")

    def step(self, rules: RuleBook) -> int:
        """An even amount if the book refuses an odd half."""
        return 2 if rules.options.odd_half == "refuse" else 1

    def bank_odds(self, rules: RuleBook) -> Ratio:
        """Its odds if they are above even money, because a loss at war is even."""
        pays = rules.wagers.primary.pays
        return pays if pays.over > pays.under else EVEN

    def verdict(
        self, rules: RuleBook, state: Round, hand: Hand, wager: Wager, at: Moment
    ) -> Verdict | None:
        """Won or lost by the original deal, half of it kept on surrender, or decided at war."""
        if at == "original":
            relation = state.compare(hand.box, "original")
            if relation > 0:
                return Verdict("won", rules.wagers.primary.pays)
            return LOST if relation else None
        if at == "surrender":
            if hand.choice != "surrender":
                return None
            kept = wager.at_risk - forfeit(rules, wager.at_risk)
            return Verdict("surrendered", returned=kept)
        outcome, odds, _ = war_result(rules, state, hand)
        return Verdict(outcome, odds)

    def paying_option(self, outcome: str) -> str | None:
        """The option that decides what a war pays on it."""
        return "war_pays" if outcome in WON_AT_WAR else None

    def outcome_pays(self, rules: RuleBook, outcome: str) -> str | None:
        """Its odds on the original deal, and what a war pays on it."""
        if outcome == "won":
            return f"paid {rules.wagers.primary.pays}"
        return war_pays_words(rules, outcome, 0)

    def pay_lines(self, rules: RuleBook) -> Iterator[PayLine]:
        """Its odds."""
        yield PayLine(str(rules.wagers.primary.pays), "wagers.primary.pays")


def forfeit(rules: RuleBook, amount: int) -> int:
    """Half of a surrendered wager, an odd half by the book's rounding."""
    return (amount + 1) // 2 if rules.options.odd_half == "up" else amount // 2
