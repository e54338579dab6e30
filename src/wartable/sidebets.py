"""Progressive and bonus spin: which line four cards make, and what a wheel's stop pays."""

from collections.abc import Callable

from wartable.cards import Card, color
from wartable.rules.model import BonusSpin, Line, Options, RuleBook, Trigger

JACKPOT = "jackpot_"
NO_HOT_SPOT = "none"

Cards4 = tuple[Card, Card, Card | None, Card | None]
"""The player's and the dealer's card of the original deal, then of the war deal if it was dealt."""


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
"""Every progressive line by name, each asked of cards whose original deal ties."""


def progressive_line(rules: RuleBook, cards: Cards4) -> Line | None:
    """The highest line that the cards make, or None where the original deal does not tie."""
    progressive = rules.wagers.progressive
    if progressive is None or cards[0][0] != cards[1][0]:
        return None
    for line in progressive.lines:
        if LINES[line](cards, rules.options):
            return line
    return None


def triggers(trigger: Trigger, card: Card) -> bool:
    """Whether the dealer's original card starts the bonus spin."""
    return card[0] == trigger.rank and color(card) == trigger.color


def face_value(symbol: str) -> int:
    """The figure on a wheel's symbol in cents: `$1,000` is 100000."""
    return int(symbol.removeprefix("$").replace(",", "")) * 100


def stop_pays(rules: RuleBook, spin: BonusSpin, symbol: str, hot_spot: bool, stake: int) -> int:
    """What a stake gets for a symbol with a fixed payment, in proportion to the printed stake."""
    if hot_spot:
        amount = spin.hot_spot[symbol]
    elif rules.options.community_pays == "face":
        amount = face_value(symbol)
    else:
        amount = spin.community[symbol]
    return amount * stake // spin.per
