"""The words on felt and records: what each wager pays and how it ended, by the book in force."""

import msgspec

from wartable.game.messages import money
from wartable.game.wagers import WAGER, WAGERS
from wartable.game.wagers.shape import PayLine
from wartable.game.wagers.war import printed_odds
from wartable.rules import NAMES, Book, RuleBook, WagerKind, load
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
    source, label = book.sources[line.key], book.rules.label(wager)
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
    dealer = rules.label("dealer")
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


def printed_war(book: Book) -> str:
    """What the document prints on a war's payment; empty if this book pays another one."""
    base = _document_of(book.rules)
    if base is None or base.options.war_pays == book.rules.options.war_pays:
        return printed_odds(book.rules)
    same = book.rules.wagers.war.printed == base.wagers.war.printed
    return "" if same else printed_odds(book.rules)


def words(book: Book, wager: str, outcome: str) -> str:
    """The book's words for a wager's outcome, or the outcome's name if it has none.

    A document's words hold for what the document pays. Where the book in force pays otherwise and
    has no words of its own, the odds in force take their place.
    """
    rules, base = book.rules, _document_of(book.rules)
    said = rules.outcomes.get(wager, {}).get(outcome, outcome)
    pays = _pays(rules, wager, outcome)
    if pays is None:
        return said
    if base is not None and said == base.outcomes.get(wager, {}).get(outcome, outcome):
        said = said if _same(rules, base, wager, outcome) else f"{said.partition(',')[0]}, {pays}"
    return said + _cut(rules, wager) if "paid" in pays else said


def outcomes(book: Book) -> dict[str, dict[str, str]]:
    """The words for every outcome of every wager."""
    return {
        wager: {outcome: words(book, wager, outcome) for outcome in found}
        for wager, found in book.rules.outcomes.items()
    }


def _document_of(rules: RuleBook) -> RuleBook | None:
    """The shipped book whose words the rules use."""
    return load(rules.document_book).rules if rules.document_book in NAMES else None


def _pays(rules: RuleBook, wager: str, outcome: str) -> str | None:
    """What the outcome pays, in words; None if it is not paid by odds."""
    return WAGER[wager].outcome_pays(rules, outcome) if wager in WAGER else None


def _same(rules: RuleBook, base: RuleBook, wager: str, outcome: str) -> bool:
    """Whether both books pay the outcome alike; words on a war may speak of both its wagers."""
    kinds = ("primary", "war") if wager in ("primary", "war") else (wager,)
    return all(_pays(rules, each, outcome) == _pays(base, each, outcome) for each in kinds)


def _cut(rules: RuleBook, wager: str) -> str:
    """What may cut a payment by odds: a payout limit, or a bank that can run out of money."""
    if wager not in WAGER or WAGER[wager].side_bet:
        return ""
    if rules.limits.payout_max is not None:
        return f", up to the payout limit of {money(rules.limits.payout_max)}"
    banked = rules.banker == "player" and rules.options.bank_cover in ("running", "payoffs_only")
    return ", as far as the bank reaches" if banked else ""
