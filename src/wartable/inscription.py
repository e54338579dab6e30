"""What a table's felt says: every offered wager and what it pays, from the table's book."""

import msgspec

from wartable.game.messages import money
from wartable.game.wagers import WAGERS
from wartable.game.wagers.shape import PayLine
from wartable.rules import Book, RuleBook, WagerKind

GENERIC_LIMIT = "The posted payout limit applies to each hand."


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
    return (*lines, payout_limit(book.rules))


def payout_limit(rules: RuleBook) -> str:
    """The maximum payout of one hand, or the words that refer to it."""
    most = rules.limits.payout_max
    return GENERIC_LIMIT if most is None else f"Payout limit for each hand: {money(most)}."
