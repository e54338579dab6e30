"""What a table's felt and rules say in words: wagers and payments, cards, burns, limits."""

import msgspec

from wartable.game.messages import money
from wartable.game.wagers import WAGERS
from wartable.game.wagers.shape import PayLine
from wartable.rules import Book, RuleBook, WagerKind
from wartable.rules.model import Shuffle

NUMBERS = {6: "six", 7: "seven", 8: "eight", 9: "nine", 10: "ten", 11: "eleven", 12: "twelve"}


class Pay(msgspec.Struct, frozen=True):
    """One line of the paytable: a wager, its winning line if it has several, and what it pays."""

    wager: str
    label: str
    line: str
    pays: str
    clauses: tuple[str, ...] = ()
    readings: tuple[str, ...] = ()


def paytable(book: Book) -> tuple[Pay, ...]:
    """Every offered wager and what it pays, in the book's order."""
    return tuple(
        _pay(book, each.kind, line) for each in WAGERS for line in each.pay_lines(book.rules)
    )


def _pay(book: Book, kind: WagerKind, line: PayLine) -> Pay:
    wager = line.label or kind
    source, label = book.sources[line.key], book.rules.labels.get(wager, wager)
    return Pay(wager, label, line.line, line.pays, source.clauses, source.readings)


def inscription(book: Book) -> tuple[str, ...]:
    """The lines on the felt: one for each line of the paytable, then the payout limit."""
    lines = []
    for pay in paytable(book):
        line = f" {pay.line}" if pay.line else ""
        if pay.wager == "war":
            lines.append(f"{pay.label}: {pay.pays[0].lower()}{pay.pays[1:]}")
        else:
            lines.append(f"{pay.label}{line} pays {pay.pays}")
    return (*lines, *filter(None, [payout_limit(book.rules)]))


def payout_limit(rules: RuleBook) -> str:
    """The posted maximum payout of one hand; nothing if none is posted."""
    most = rules.limits.payout_max
    return "" if most is None else f"Payout limit for each hand: {money(most)}."


def decks_in_use(decks: int, method: Shuffle) -> str:
    """How many decks are at a table whose shoe has this many: two batches are twice as many."""
    if method == "batches":
        return f"{2 * decks} decks in two batches of {NUMBERS.get(decks, decks)}"
    return f"{decks} deck{'' if decks == 1 else 's'}"


def burns(rules: RuleBook) -> tuple[str, ...]:
    """Which cards are burned when: in the shoe, then before the war's cards."""
    shoe, war = rules.shoe, rules.deal.war_burn
    dealer = rules.labels.get("dealer", "dealer")
    at_war = {
        "once": "before the war's cards",
        "before_dealer": f"before the players' war cards, and {war} more before the {dealer}'s",
        "each_card": "before every war card",
    }
    moments = {
        "when a shoe begins": shoe.burn_first,
        "when the dealer changes": shoe.burn_new_dealer,
        at_war[rules.options.war_burn]: war,
    }
    return tuple(
        f"{count} card{' is' if count == 1 else 's are'} burned {when}."
        for when, count in moments.items()
        if count
    )
