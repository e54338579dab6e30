"""What a table's felt says: every wager that is offered with what it pays, from the live book."""

from collections.abc import Iterator

import msgspec

from wartable.game.messages import money
from wartable.rules import Book, RuleBook
from wartable.sidebets import NO_HOT_SPOT, stop_pays

WAR_WORDS = {
    "both_units": "Won: 1 to 1 on the {war}, the {primary} back; tied: 2 to 1, the {primary} back",
    "no_bonus": "Won or tied: 1 to 1 on the {war}, the {primary} back",
    "each_wager": "Won: 1 to 1 on the {primary}, 1 to 2 on the {war}; tied: 1 to 1 on the {war}",
    "war_only": "Won: 1 to 2 on the {war}, the {primary} back; tied: 1 to 1",
    "primary_lost": "The {primary} is lost; won: 1 to 1 on the {war}, tied: 2 to 1",
}
"""What a war pays, by the book's option."""

GENERIC_LIMIT = "The posted payout limit applies to each hand."


class Pay(msgspec.Struct, frozen=True):
    """One line of the paytable: a wager, one of its winning lines if it has many, what it pays."""

    wager: str
    label: str
    line: str
    pays: str
    clauses: tuple[str, ...] = ()
    readings: tuple[str, ...] = ()


def paytable(book: Book) -> tuple[Pay, ...]:
    """Everything that is offered and what it pays, in the book's order."""
    return (*_wagers(book), *_progressive(book), *_spin(book))


def inscription(book: Book) -> tuple[str, ...]:
    """The lines on the felt, one for each line of the paytable, and the payout limit last."""
    lines = []
    for pay in paytable(book):
        line = f" {pay.line}" if pay.line else ""
        if pay.wager == "war":
            lines.append(f"{pay.label}: {pay.pays[0].lower()}{pay.pays[1:]}")
        else:
            lines.append(f"{pay.label}{line} pays {pay.pays}")
    return (*lines, payout_limit(book.rules))


def payout_limit(rules: RuleBook) -> str:
    """The most that one hand is paid, or the words that refer to it."""
    most = rules.limits.payout_max
    return GENERIC_LIMIT if most is None else f"Payout limit for each hand: {money(most)}."


def _pay(book: Book, wager: str, pays: str, key: str, line: str = "") -> Pay:
    source, label = book.sources[key], book.rules.labels.get(wager, wager)
    return Pay(wager, label, line, pays, source.clauses, source.readings)


def _wagers(book: Book) -> Iterator[Pay]:
    rules = book.rules
    labels = {kind: rules.labels.get(kind, kind) for kind in ("primary", "war")}
    yield _pay(book, "primary", str(rules.wagers.primary.pays), "wagers.primary.pays")
    yield _pay(book, "tie", str(rules.wagers.tie.pays), "wagers.tie.pays")
    words = WAR_WORDS[rules.options.war_pays].format(**labels)
    yield _pay(book, "war", words, "options.war_pays")
    if rules.options.war_tie_wager != "none":
        yield _pay(book, "war_tie", str(rules.wagers.war_tie.pays), "wagers.war_tie.pays")


def _progressive(book: Book) -> Iterator[Pay]:
    progressive = book.rules.wagers.progressive
    if progressive is None or not progressive.offered:
        return
    word = "to" if book.rules.options.progressive_odds == "to_1" else "for"
    for line, ratio in progressive.lines.items():
        meter = " and the meter" if line == progressive.meter_line else ""
        pays = f"{ratio.over} {word} {ratio.under}{meter}"
        key = f"wagers.progressive.lines.{line}"
        yield _pay(book, "progressive", pays, key, line.replace("_", " "))
    envy = progressive.envy
    if envy.pays:
        pays = f"{money(envy.pays)} for each {money(envy.per)} wagered"
        yield _pay(book, "envy", pays, "wagers.progressive.envy.pays", envy.line.replace("_", " "))


def _spin(book: Book) -> Iterator[Pay]:
    spin = book.rules.wagers.bonus_spin
    if spin is None or not spin.offered:
        return
    for_stake = f" for {money(spin.per)}"
    for symbol in spin.wheel.hot_spot:
        if symbol == NO_HOT_SPOT:
            continue
        key = f"wagers.bonus_spin.hot_spot.{symbol}"
        if symbol in spin.hot_spot:
            pays = money(stop_pays(book.rules, spin, symbol, True, spin.per)) + for_stake
        else:
            meter = symbol.rpartition("_")[2]
            key, pays = f"wagers.bonus_spin.wheel.hot_spot.{symbol}", f"the {meter} meter"
        yield _pay(book, "bonus_spin", pays, key, f"hot spot {symbol.replace('_', ' ')}")
    for symbol in spin.community:
        pays = money(stop_pays(book.rules, spin, symbol, False, spin.per)) + for_stake
        key = f"wagers.bonus_spin.community.{symbol}"
        yield _pay(book, "bonus_spin", pays, key, f"community {symbol}")
