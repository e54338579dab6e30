"""The war wager: as much again as the primary, placed by going to war."""

from collections.abc import Iterator

from wartable.game.state import Hand, Round, Wager
from wartable.game.wagers.shape import EVEN, Moment, PayLine, Verdict, WagerType
from wartable.rules.model import Ratio, RuleBook

DOUBLE = Ratio(2, 1)
HALF = Ratio(1, 2)
NOTHING = Ratio(0, 1)

WAR_PAYS: dict[str, dict[str, tuple[Ratio | None, Ratio | None]]] = {
    "both_units": {"war_won": (NOTHING, EVEN), "war_tied": (NOTHING, DOUBLE)},
    "no_bonus": {"war_won": (NOTHING, EVEN), "war_tied": (NOTHING, EVEN)},
    "each_wager": {"war_won": (EVEN, HALF), "war_tied": (NOTHING, EVEN)},
    "war_only": {"war_won": (NOTHING, HALF), "war_tied": (NOTHING, EVEN)},
    "primary_lost": {"war_won": (None, EVEN), "war_tied": (None, DOUBLE)},
}
"""Odds on the primary and on the war wager by reading and outcome; None: the wager is lost."""

WON_AT_WAR = ("war_won", "war_tied")

WAR_WORDS = {
    "both_units": "Won: 1 to 1 on the {war}, the {primary} back; tied: 2 to 1, the {primary} back",
    "no_bonus": "Won or tied: 1 to 1 on the {war}, the {primary} back",
    "each_wager": "Won: 1 to 1 on the {primary}, 1 to 2 on the {war}; tied: 1 to 1 on the {war}",
    "war_only": "Won: 1 to 2 on the {war}, the {primary} back; tied: 1 to 1",
    "primary_lost": "The {primary} is lost; won: 1 to 1 on the {war}, tied: 2 to 1",
}
"""What a war pays, by the book's option."""


def printed_odds(rules: RuleBook) -> str:
    """What the document prints about a war; odds on both wagers together are marked as such."""
    printed = rules.wagers.war.printed
    if rules.options.war_pays == "both_units" and printed.startswith(str(HALF)):
        return f"{printed}, on both wagers together"
    return printed


class WarWager(WagerType):
    """The second wager of a tied hand."""

    kind = "war"
    moments = ("war",)
    before_deal = False
    letter = "W"

    def verdict(
        self, rules: RuleBook, state: Round, hand: Hand, wager: Wager, at: Moment
    ) -> Verdict | None:
        """Decided by the war deal."""
        outcome, _, odds = war_result(rules, state, hand)
        return Verdict(outcome, odds)

    def paying_option(self, outcome: str) -> str | None:
        """The option that decides what a war pays on it."""
        return "war_pays" if outcome in WON_AT_WAR else None

    def outcome_pays(self, rules: RuleBook, outcome: str) -> str | None:
        """What a war pays on it."""
        return war_pays_words(rules, outcome, 1)

    def pay_lines(self, rules: RuleBook) -> Iterator[PayLine]:
        """What a war pays on both wagers."""
        labels = {kind: rules.label(kind) for kind in ("primary", "war")}
        words = WAR_WORDS[rules.options.war_pays].format(**labels)
        yield PayLine(words, "options.war_pays")


def war_pays_words(rules: RuleBook, outcome: str, place: int) -> str | None:
    """What a war's outcome pays on the primary (0) or war wager (1); None for other outcomes."""
    paid = WAR_PAYS[rules.options.war_pays].get(outcome)
    if paid is None:
        return None
    odds = paid[place]
    return "lost" if odds is None else f"paid {odds}" if odds.over else "returned"


def war_result(rules: RuleBook, state: Round, hand: Hand) -> tuple[str, Ratio | None, Ratio | None]:
    """The outcome of the hand's war with the odds on its primary and on its war wager."""
    relation = state.compare(hand.box, "war")
    if relation < 0:
        return "war_lost", None, None
    outcome = "war_won" if relation else "war_tied"
    return outcome, *WAR_PAYS[rules.options.war_pays][outcome]
