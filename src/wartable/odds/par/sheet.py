"""The content of a PAR sheet: every figure comes from the odds, every rule from the book."""

from collections.abc import Iterator

from wartable import __version__
from wartable.game.wagers import ENVY_BET, WAGER, WAGERS
from wartable.inscription import printed_war, words
from wartable.odds.floor import FLOOR, decks_text, floor_problems, floors
from wartable.odds.par.bank import bank_section
from wartable.odds.par.blocks import Block, Cell, Figure, Sheet, SheetSection, SheetTable, Text
from wartable.odds.par.returns import (
    decks_section,
    probability_section,
    return_section,
    round_section,
    volatility_section,
)
from wartable.odds.par.sidebets import SECTIONS
from wartable.odds.readings import readings
from wartable.odds.report import favourable_depths, notes
from wartable.odds.shoe import favourable_chance, war_gain, war_never_worse
from wartable.odds.wagers import Odds
from wartable.rules import Book


def make_sheet(book: Book, date: str, decks: int | None = None, stake: int | None = None) -> Sheet:
    """The PAR sheet of a book for a fresh shoe, as of a date."""
    odds = Odds(book, decks, stake=stake)
    rules = book.rules
    sections = [
        identification(odds, date),
        SheetSection("Rules as offered", list(_rules(odds))),
        SheetSection("Paytable", list(_paytable(odds))),
        probability_section(odds),
        return_section(odds),
        round_section(odds),
        volatility_section(odds),
        decks_section(odds),
    ]
    sections += [section(odds) for kind, section in SECTIONS.items() if WAGER[kind].offered(rules)]
    if rules.banker == "player":
        sections.append(bank_section(odds))
    sections += [_floor(odds), _readings(odds), _shoe(odds), _method(odds), sign_off(odds, date)]
    return Sheet(
        f"PAR sheet: Casino War, {rules.title}",
        f"{decks_text(odds.decks)}; rule book {rules.name} {rules.version}; {date}",
        f"{rules.name} {rules.version}, digest {book.digest}; wartable {__version__}; {date}",
        sections,
    )


def identification(odds: Odds, date: str) -> SheetSection:
    """Which book, document and program the sheet describes."""
    book, rules = odds.book, odds.rules
    rows: list[list[Cell]] = [
        ["Rule book", f"{rules.name} {rules.version}"],
        ["Title", rules.title],
        ["Document", f"{rules.document.title} ({rules.document.source})"],
        ["Digest (SHA-256)", book.digest],
        ["Program", f"wartable {__version__}"],
        ["Date", date],
        ["Decks", f"{odds.decks} of 52 cards; the book allows {_list(rules.shoe.decks_allowed)}"],
    ]
    if rules.document.version:
        rows.insert(3, ["Document version", f"{rules.document.version} {rules.document.date}"])
    blocks: list[Block] = [SheetTable("", ["Item", "As filed"], rows, words=2)]
    blocks += [Text(note) for note in notes(odds, 1)]
    if rules.document.notice:
        blocks.append(Text(rules.document.notice))
    return SheetSection("Identification", blocks)


def _list(values: tuple[int, ...]) -> str:
    return ", ".join(map(str, values))


def _rules(odds: Odds) -> Iterator[Block]:
    """How the game is dealt, by the book's values and options."""
    rules = odds.rules
    shoe, table, deal = rules.shoe, rules.table, rules.deal
    banker = "the house" if rules.banker == "house" else "a player/dealer"
    rows: list[list[Cell]] = [
        ["Banker", banker],
        ["Boxes", f"{table.boxes}; up to {table.boxes_per_player} for each player"],
        ["Shuffle", rules.options.shuffle.replace("_", " ")],
        ["Cover card", f"{_share(shoe.cover_from_bottom)} of the cards from the bottom"],
        ["Burned at war", f"{deal.war_burn} cards, {rules.options.war_burn.replace('_', ' ')}"],
        ["Dealt", f"{deal.order}, the dealer last; settled {deal.settle}"],
        ["Ranks", "ace high to two; suits have no rank"],
    ]
    for name, limit in _limits(odds):
        rows.append([name, limit])
    yield SheetTable("", ["Rule", "As offered"], rows, words=2)


def _share(ratio: object) -> str:
    return str(ratio).replace(" to ", "/")


def _limits(odds: Odds) -> Iterator[tuple[str, str]]:
    limits = odds.rules.limits
    for name in ("primary", "tie", "war_tie"):
        limit = getattr(limits, name)
        if limit.min > 1 or limit.max is not None:
            most = "without maximum" if limit.max is None else f"to {limit.max} cents"
            yield f"Limits of the {name} wager", f"{limit.min} {most}"
    if limits.payout_max is not None:
        yield "Payout limit of a hand", f"{limits.payout_max} cents"


def _paytable(odds: Odds) -> Iterator[Block]:
    """The odds, and every outcome of a wager, with the document's clauses."""
    book, rules = odds.book, odds.rules
    yield SheetTable("Odds", ["Wager", "Pays", "Clauses"], list(_pays(odds)), words=3)
    rows: list[list[Cell]] = []
    kinds: list[str] = [each.kind for each in WAGERS if each.offered(rules)]
    for kind in [*kinds, "envy"] if ENVY_BET.offered(rules) else kinds:
        label = rules.label(kind)
        for outcome in rules.outcomes.get(kind, {}):
            clauses = ", ".join(book.clauses(kind, outcome))
            rows.append([label, words(book, kind, outcome), clauses])
    columns = ["Wager", "Outcome and payment", "Clauses or readings"]
    yield SheetTable("Outcomes", columns, rows, words=3)


def _pays(odds: Odds) -> Iterator[list[Cell]]:
    """What each wager pays, as the book states it; envy and wheel have their own sections."""
    book, rules = odds.book, odds.rules
    for each in WAGERS:
        for line in each.pay_lines(rules):
            if line.label or each.by_wheel:
                continue
            pays, key = f"{line.line}: {line.pays}" if line.line else line.pays, line.key
            if each.kind == "war" and printed_war(book):
                pays, key = printed_war(book), "wagers.war.printed"
            label = rules.label(each.kind)
            yield [label, pays, ", ".join(book.sources[key].clauses)]


def _floor(odds: Odds) -> SheetSection:
    """The return floor."""
    rows: list[list[Cell]] = [
        [
            each.wager,
            each.when.strip() or f"at ${each.stake / 100:g}",
            Figure(f"floor.{each.wager}", each.worst, "percent"),
            "reached" if each.holds else "BELOW",
        ]
        for each in floors(odds.book, odds.decks)
    ]
    problems = floor_problems(odds.book, odds.decks)
    verdict = (
        "A table may open with these wagers."
        if not problems
        else "No table may open with this configuration. " + " ".join(problems)
    )
    floor = f"{100 * float(FLOOR):.0f} %"
    return SheetSection(
        "Return floor",
        [
            Text(
                f"Every wager must return at least {floor} at its worst parameters: always war,"
                " meters at their reset, no envy counted."
            ),
            SheetTable("", ["Wager", "At", "Worst return", f"Floor of {floor}"], rows, words=2),
            Text(verdict),
        ],
    )


def _readings(odds: Odds) -> SheetSection:
    """The named options, each with the edges of its alternatives."""
    rows: list[list[Cell]] = []
    for each in readings(odds):
        for one in each.alternatives:
            chosen = one.value == each.value
            rows.append(
                [
                    each.option,
                    f"{one.value} (in force)" if chosen else one.value,
                    each.measure,
                    ", ".join(each.source.readings),
                    Figure(f"readings.{each.option}.{one.value}", one.edge, "percent"),
                ]
            )
    columns = ["Option", "Value", "Measured by", "Readings", "Edge"]
    return SheetSection(
        "Readings and their alternatives",
        [
            Text(
                "Where the document is unclear, the book names an option. The table has the edge of"
                " each value, with everything else as in this sheet; a dash means that the value"
                " does not allow the wager."
            ),
            SheetTable("", columns, rows, words=4),
        ],
    )


def _shoe(odds: Odds) -> SheetSection:
    """The effect of the cards already dealt."""
    cards, tie = 52 * odds.decks, odds.rules.wagers.tie.pays
    rows: list[list[Cell]] = []
    for dealt in favourable_depths(odds):
        chance = favourable_chance(odds, dealt)
        key = f"shoe.favourable.{dealt}"
        one_in = Figure(f"{key}.one_in", 1 / chance if chance else None, "one_in")
        rows.append([f"{dealt} of {cards} cards", Figure(key, chance, "tiny"), one_in])
    least, rise = war_gain(odds)
    gains: list[list[Cell]] = [
        ["war over surrender, without a war tie", Figure("shoe.war.least", least, "exact")],
        ["added by a certain war tie", Figure("shoe.war.rise", rise, "exact")],
    ]
    never = "never" if war_never_worse(odds) else "sometimes"
    return SheetSection(
        "Composition of the shoe",
        [
            Text(
                f"With n cards of each rank left among m, the tie wager at {tie} is favourable"
                f" exactly when {tie.over + tie.under} times the sum of n(n - 1) exceeds"
                f" {'' if tie.under == 1 else f'{tie.under} times '}m(m - 1). The exact chance that"
                " this happens in a fresh shoe after a number of dealt cards:"
            ),
            SheetTable("", ["Dealt", "Chance of a favourable tie wager", "One in"], rows),
            Text(f"War is {never} worse than surrender, whatever cards are left."),
            SheetTable("", ["Per unit of the primary wager, given a tie", "Gain"], gains),
        ],
    )


def sign_off(odds: Odds, date: str) -> SheetSection:
    """Which revision this is, and room for the signatures of those responsible for it."""
    rules = odds.rules
    revision: list[list[Cell]] = [
        ["Revision", f"rule book {rules.name} {rules.version}, wartable {__version__}"],
        ["Digest of the rule book", odds.book.digest],
        ["Date of this revision", date],
        ["Replaces", ""],
    ]
    people: list[list[Cell]] = [
        [what, "", "", ""] for what in ("Prepared by", "Reviewed by", "Approved by")
    ]
    return SheetSection(
        "Revision and sign-off",
        [
            SheetTable("Revision", ["Item", "As filed"], revision, words=2),
            SheetTable("Sign-off", ["", "Name", "Signature", "Date"], people, words=4),
        ],
    )


def _method(odds: Odds) -> SheetSection:
    """How the figures are computed."""
    return SheetSection(
        "Method",
        [
            Text(
                "Probabilities are exact: classes of deals are counted without replacement from"
                f" the {odds.composition.size} cards, and the game's own engine says what each"
                f" class pays. Edge is the {odds.rules.edge_holder}'s expectation per unit of the"
                " wager before the deal; return is one minus the edge; element of risk is the"
                " expectation per unit of all money put down, war wagers included. Hold bands"
                " assume that rounds are independent and that the sum of many rounds is normally"
                " distributed."
            )
        ],
    )
