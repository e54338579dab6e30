"""The progressive: four cards are paid for the highest line they make; one line pays the meter."""

from collections.abc import Callable, Iterator

from wartable.game.messages import EnvyPaid, MeterName, money
from wartable.game.state import Hand, Round, Wager
from wartable.game.wagers.shape import LOST, Cards4, Moment, PayLine, SideBet, Verdict
from wartable.rules.model import Line, Meter, Options, Progressive, RuleBook


class ProgressiveWager(SideBet):
    """The wager on the four cards of player and dealer."""

    kind = "progressive"
    moments = ("original", "surrender", "war")
    letter = "P"
    by_suits = True
    label_words = 1
    short_names = ("prog",)
    pays_envy = True
    meter = "progressive"

    def verdict(
        self, rules: RuleBook, state: Round, hand: Hand, wager: Wager, at: Moment
    ) -> Verdict | None:
        """Lost without a tie, otherwise paid by its line, after the war if there is one."""
        if at == "original":
            return LOST if state.compare(hand.box, "original") else None
        progressive = rules.wagers.progressive
        if progressive is None or (at == "surrender" and _at_war(hand)):
            return None
        line = progressive_line(rules, cards_of(state, hand))
        if line is None:
            return LOST
        returned = progressive.lines[line].of(wager.staked)
        if rules.options.progressive_odds == "to_1":
            returned += wager.staked
        if line == progressive.meter_line:
            if state.reading is None:
                return None
            returned += state.reading.amount
        return Verdict(line, returned=returned)

    def decided(self, state: Round, hand: Hand) -> bool:
        """Whether the hand has tied, which is a line already; a war can only make a higher one."""
        return 0 in state.cards and hand.box in state.cards

    def meters(self, rules: RuleBook) -> dict[MeterName, Meter]:
        """Its one meter."""
        progressive = rules.wagers.progressive
        return {self.meter: progressive.meter} if progressive and progressive.offered else {}

    def awaited_meter(
        self, rules: RuleBook, state: Round, hand: Hand, wager: Wager
    ) -> MeterName | None:
        """The meter, once the hand's main wagers are settled and it has the meter's line."""
        progressive = rules.wagers.progressive
        if progressive is None or hand.open("primary"):
            return None
        line = progressive_line(rules, cards_of(state, hand))
        return self.meter if line == progressive.meter_line else None

    def envy(self, rules: RuleBook, state: Round, holder: Hand) -> Iterator[EnvyPaid]:
        """The bonus for every other player's wager when a hand has the envy line."""
        progressive = rules.wagers.progressive
        if progressive is None:
            return
        if rules.options.envy_holder == "must_wager" and holder.wager(self.kind) is None:
            return
        if progressive_line(rules, cards_of(state, holder)) != progressive.envy.line:
            return
        for hand in state.in_order(rules.deal.settle):
            wager = hand.wager(self.kind)
            if hand.player == holder.player or wager is None:
                continue
            if wager.outcome in ("abandoned", "not_dealt"):
                continue
            amount = progressive.envy.pays * wager.staked // progressive.envy.per
            yield EnvyPaid(hand.player, hand.box, holder.player, holder.box, amount)

    def paying_option(self, outcome: str) -> str | None:
        """The option that says whether the lines pay to one or for one."""
        return "progressive_odds" if outcome in LINES else None

    def lines(self, rules: RuleBook) -> tuple[str, ...]:
        """Its lines from the highest."""
        progressive = rules.wagers.progressive
        return () if progressive is None else tuple(progressive.lines)

    def reaches_others(self, rules: RuleBook, cards: Cards4) -> bool:
        """Whether the cards make the line that empties the meter or the one that pays envy."""
        progressive = rules.wagers.progressive
        if progressive is None:
            return False
        line = progressive_line(rules, cards)
        return line in (progressive.meter_line, progressive.envy.line)

    def outcome_pays(self, rules: RuleBook, outcome: str) -> str | None:
        """The odds of a line."""
        progressive = rules.wagers.progressive
        if progressive is None:
            return None
        lines = (line for line in progressive.lines if line == outcome)
        return next((_line_pays(rules, progressive, line) for line in lines), None)

    def pay_lines(self, rules: RuleBook) -> Iterator[PayLine]:
        """Every line from the highest, then the envy bonus."""
        progressive = rules.wagers.progressive
        if progressive is None or not progressive.offered:
            return
        for line in progressive.lines:
            pays = _line_pays(rules, progressive, line)
            yield PayLine(pays, f"wagers.progressive.lines.{line}", line.replace("_", " "))
        envy = progressive.envy
        if envy.pays:
            pays = f"{money(envy.pays)} for each {money(envy.per)} wagered"
            key, line_words = "wagers.progressive.envy.pays", envy.line.replace("_", " ")
            yield PayLine(pays, key, line_words, "envy")


def _line_pays(rules: RuleBook, progressive: Progressive, line: Line) -> str:
    """A line's odds, and the meter if it pays that."""
    ratio, word = progressive.lines[line], rules.options.progressive_odds.removesuffix("_1")
    meter = " and the meter" if line == progressive.meter_line else ""
    return f"{ratio.over} {word} {ratio.under}{meter}"


def _at_war(hand: Hand) -> bool:
    """Whether a war decides the hand's progressive; not if its war was unmatched or abandoned."""
    war = hand.wager("war")
    return war is not None and war.outcome not in ("unmatched", "abandoned")


def cards_of(state: Round, hand: Hand) -> Cards4:
    """The hand's cards with the dealer's; the war cards only if the hand went to war."""
    if hand.choice == "war":
        return (
            state.cards[hand.box],
            state.cards[0],
            state.war_cards.get(hand.box),
            state.war_cards.get(0),
        )
    return (state.cards[hand.box], state.cards[0], None, None)


def _tie(cards: Cards4, options: Options) -> bool:
    return cards[0][0] == cards[1][0]


def _suited_tie(cards: Cards4, options: Options) -> bool:
    return cards[0] == cards[1]


def _double_tie(cards: Cards4, options: Options) -> bool:
    return cards[2] is not None and cards[3] is not None and cards[2][0] == cards[3][0]


def _four_of_a_kind(cards: Cards4, options: Options) -> bool:
    return _double_tie(cards, options) and cards[2] is not None and cards[2][0] == cards[0][0]


def _suited_double_tie(cards: Cards4, options: Options) -> bool:
    if cards[2] is None or cards[0] != cards[1] or cards[2] != cards[3]:
        return False
    return options.progressive_suited == "pairwise" or cards[0][1] == cards[2][1]


def _suited_four_of_a_kind(cards: Cards4, options: Options) -> bool:
    return cards[0] == cards[1] == cards[2] == cards[3]


LINES: dict[Line, Callable[[Cards4, Options], bool]] = {
    "suited_four_of_a_kind": _suited_four_of_a_kind,
    "suited_double_tie": _suited_double_tie,
    "four_of_a_kind": _four_of_a_kind,
    "double_tie": _double_tie,
    "suited_tie": _suited_tie,
    "tie": _tie,
}
"""A test for every line by name, for cards whose original deal ties."""


def progressive_line(rules: RuleBook, cards: Cards4) -> Line | None:
    """The highest line that the cards make; None if the original deal does not tie."""
    progressive = rules.wagers.progressive
    if progressive is None or cards[0][0] != cards[1][0]:
        return None
    for line in progressive.lines:
        if LINES[line](cards, rules.options):
            return line
    return None
