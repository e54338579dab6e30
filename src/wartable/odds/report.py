"""All odds of a book as one JSON document; the printed tables come from it too."""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from types import MappingProxyType
from typing import Any, NamedTuple

from msgspec import structs

from wartable import __version__
from wartable.cards import Card
from wartable.game.wagers import SIDE_BETS, WAGER
from wartable.odds.bank import Participant, bank, rotation
from wartable.odds.boxes import joint
from wartable.odds.classes import deals
from wartable.odds.composition import OddsError
from wartable.odds.figures import Distribution, exact
from wartable.odds.floor import FLOOR, decks_text, floor_problems, floors
from wartable.odds.readings import decks_table, readings
from wartable.odds.seat import seat_json
from wartable.odds.shoe import favourable_chance, tie_is_favourable, war_gain, war_never_worse
from wartable.odds.sidebets import STUDIES
from wartable.odds.slices import Seat
from wartable.odds.wagers import ALONE, Odds, check_wager
from wartable.odds.walk import Plan, TieChoice, unit
from wartable.rules import Book, WagerKind, option_values, with_options

DEPTHS = (Fraction(2, 3), Fraction(3, 4), Fraction(4, 5), Fraction(9, 10))
DEPTH_DECKS_MAX = 12
OPPONENTS = 3
BANK_UNITS = 500
PARTICIPANTS = 4
NOTES = {
    "decks": "For study only: {book} allows {allowed} decks, not {decks}.",
    "hands": "For study only: {book} has {allowed} hands, not {hands}.",
    "shuffle": "For study only: {book} is not shuffled by {method}.",
    "cards": (
        "A round with its burns takes up to {needed} cards, but only {left} are left; these"
        " figures assume that nothing is burned."
    ),
}
"""The notes of a study, each a sentence with slots."""


class Question(NamedTuple):
    """A question about a book's odds."""

    decks: int | None = None
    seen: Sequence[Card] = ()
    meter: int | None = None
    stake: int | None = None
    boxes: int | None = None
    bank: int | None = None
    wagers: Sequence[str] = ()
    stakes: Mapping[str, int] = MappingProxyType({})
    """A seat's wagers in cents; `strategy` is what it does at a tie."""
    strategy: str = "war"


def distributions(wagers: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every wager of a document that has odds, by name and choice."""
    for name, odds in wagers.items():
        if "ev" in odds:
            yield name, odds
        for choice in ("war", "surrender"):
            if choice in odds:
                yield f"{name}, {choice}", odds[choice]


def study(book: Book, question: Question) -> dict[str, Any]:
    """The whole document."""
    odds = Odds(book, question.decks, question.seen, meter=question.meter, stake=question.stake)
    kinds = [check_wager(book, name) for name in question.wagers] or list(odds.offered)
    document: dict[str, Any] = {
        "book": identification(book),
        "program": __version__,
        "decks": odds.decks,
        "cards": odds.composition.size,
        "deals": deals(odds.composition),
        "seen": list(question.seen),
        "options": structs.asdict(book.rules.options),
        "notes": list(notes(odds, question.boxes or 1)),
        "noted": list(noted(odds, question.boxes or 1)),
        "wagers": {kind: wager_json(odds, kind) for kind in kinds},
    }
    if question.boxes is not None:
        document["boxes"] = boxes_json(odds, question.boxes)
    if question.stakes:
        document["seat"] = seat_json(odds, question.stakes, question.strategy)
    if question.bank is not None and book.rules.banker != "player":
        raise OddsError(f"The house banks {book.rules.name}; leave the bank out.")
    if question.wagers:
        return document
    document["plans"] = [
        {"wagers": list(wagers), "choice": plan.choice, **whole_json(distribution)}
        for wagers, plan, distribution in plans(odds)
    ]
    for kind, study_json in STUDIES.items():
        if WAGER[kind].offered(book.rules):
            document[kind] = study_json(odds)
    if book.rules.banker == "player":
        document["bank"] = bank_json(odds, question.bank, question.boxes or OPPONENTS)
    document["by_decks"] = {
        str(decks): {name: exact(edge) for name, edge in row.items()}
        for decks, row in decks_table(odds).items()
    }
    document["readings"] = readings_json(odds)
    document["shoe"] = shoe_json(odds)
    document["floor"] = floor_json(book, odds.decks)
    return document


def as_lines(document: dict[str, Any]) -> str:
    """The document as CSV, one figure a line."""
    text = io.StringIO()
    lines = csv.writer(text, lineterminator="\n")
    lines.writerow(("figure", "exact", "value"))
    lines.writerows(_figures(document, ""))
    return text.getvalue()


def _figures(value: Any, key: str) -> Iterator[tuple[str, Any, Any]]:
    """Every figure of a document: its dotted key, its fraction if it is exact, and its value."""
    if isinstance(value, dict) and value.keys() == {"exact", "value"}:
        yield key, value["exact"], value["value"]
    elif isinstance(value, dict | list):
        parts = value.items() if isinstance(value, dict) else enumerate(value, 1)
        for name, part in parts:
            yield from _figures(part, f"{key}.{name}".removeprefix("."))
    else:
        yield key, "", "" if value is None else value


def identification(book: Book) -> dict[str, str]:
    """Which book this is."""
    rules = book.rules
    return {
        "name": rules.name,
        "version": rules.version,
        "title": rules.title,
        "document": rules.document.title,
        "source": rules.document.source,
        "digest": book.digest,
    }


def notes(odds: Odds, boxes: int) -> Iterator[str]:
    """The notes as sentences."""
    for each in noted(odds, boxes):
        yield NOTES[each["note"]].format(**each)


def noted(odds: Odds, boxes: int) -> Iterator[dict[str, str]]:
    """What the book would not allow at a table, and what the cards are too few for.

    Each has the name of its sentence in `NOTES`, and the values of the sentence's slots.
    """
    rules = odds.rules
    if odds.decks not in rules.shoe.decks_allowed:
        allowed = ", ".join(map(str, rules.shoe.decks_allowed))
        yield {"note": "decks", "book": rules.name, "allowed": allowed, "decks": str(odds.decks)}
    most = rules.boxes_in_play
    if boxes > most:
        yield {"note": "hands", "book": rules.name, "allowed": str(most), "hands": str(boxes)}
    if rules.options.shuffle not in rules.shoe.methods:
        yield {"note": "shuffle", "book": rules.name, "method": rules.options.shuffle}
    times = {"once": 1, "before_dealer": 2, "each_card": boxes + 1}[rules.options.war_burn]
    needed = 2 * (boxes + 1) + rules.deal.war_burn * times
    left = odds.composition.size
    if left < needed:
        yield {"note": "cards", "needed": str(needed), "left": str(left)}


def wager_json(odds: Odds, kind: WagerKind) -> dict[str, Any]:
    """One wager's odds, for war and for surrender if the choice changes them."""
    if not WAGER[kind].by_choice:
        try:
            return counted_json(odds, kind, odds.wager(kind))
        except OddsError as error:
            return {"impossible": str(error)}
    shown: dict[str, Any] = {
        "war": counted_json(odds, kind, odds.wager(kind)),
        "surrender": counted_json(odds, kind, odds.wager(kind, "surrender")),
    }
    if kind == "primary":
        best = odds.best(odds.plan_for("primary"))
        shown["best"] = {"by_rank": best.by_rank, **best.odds.as_json()}
    else:
        outcomes = odds.wager(kind).outcomes
        shown["lines"] = {
            line: {"probability": exact(outcomes.get(line, Fraction(0)))}
            for line in WAGER[kind].lines(odds.rules)
        }
    return shown


def counted_json(odds: Odds, kind: WagerKind, found: Distribution) -> dict[str, Any]:
    """One wager's odds with the ordered deals behind each outcome."""
    counts = {name: combinations(odds, kind, chance) for name, chance in found.outcomes.items()}
    return {**found.as_json(), "combinations": counts}


def combinations(odds: Odds, name: str, chance: Fraction) -> int | None:
    """The ordered deals behind a probability; None where a wheel decides as well."""
    total = Fraction(deals(odds.composition))
    if name == "war_tie":  # its odds are given a tie
        total *= odds.tie_probability()
    found = chance * total
    return int(found) if found.denominator == 1 else None


def plans(odds: Odds) -> Iterator[tuple[tuple[WagerKind, ...], Plan, Distribution]]:
    """Whole seats: the primary with more and more wagers beside it, all equal."""
    seats: list[tuple[tuple[WagerKind, ...], TieChoice]] = [
        (("primary",), "war"),
        (("primary",), "surrender"),
        (("primary", "tie"), "war"),
        (("primary", "tie"), "surrender"),
        (("primary", "war_tie"), "war"),
        (("primary", "tie", "war_tie"), "war"),
        *((("primary", each.kind), "war") for each in SIDE_BETS),
        (tuple(each.kind for each in ALONE), "war"),
    ]
    base = max(odds.plan_for(kind).stake(kind) for kind in odds.offered)
    for wagers, choice in seats:
        if all(WAGER[kind].offered(odds.rules) for kind in wagers):
            plan = Plan.of(dict.fromkeys(wagers, base), choice)
            with suppress(OddsError):  # a limit of the book may not allow equal wagers
                yield wagers, plan, odds.plan(plan)


def whole_json(distribution: Distribution) -> dict[str, Any]:
    """The odds of several wagers together; their return is per unit of all money put down."""
    return {**distribution.as_json(), "return": exact(1 - distribution.element_of_risk)}


def boxes_json(odds: Odds, boxes: int) -> dict[str, Any]:
    """Several boxes against one dealer card, unit primaries at war."""
    found = joint(odds, boxes)
    return {
        "count": boxes,
        "covariance": exact(found.covariance),
        "correlation": exact(found.correlation),
        **whole_json(found.total),
    }


def bank_amounts(odds: Odds, opponents: int) -> list[int]:
    """Posted amounts worth comparing: one opponent's wager, half of all and all of them."""
    stake = bank_stake(odds)
    return sorted({stake, opponents * stake // 2, opponents * stake})


def bank_stake(odds: Odds) -> int:
    """Each opponent's wager in the bank's tables."""
    return BANK_UNITS * unit(odds.rules, "primary")


def bank_json(odds: Odds, posted: int | None, opponents: int) -> dict[str, Any]:
    """The banker against equal primaries, for each posted amount and each reading."""
    stake = bank_stake(odds)
    seats = [Seat(box, f"player {box}", stake) for box in range(1, opponents + 1)]
    amounts = bank_amounts(odds, opponents) if posted is None else [posted]
    table: dict[str, Any] = {}
    for cover in option_values("bank_cover"):
        other = Odds(
            with_options(odds.book, {"bank_cover": cover}),
            odds.decks,
            composition=odds.composition,
        )
        table[cover] = {}
        for amount in amounts:
            found = bank(other, seats, amount)
            table[cover][str(amount)] = {
                "ev": exact(found.net.ev / stake),
                "variance": exact(found.net.variance / stake**2),
                "sd": found.net.sd / stake,
                "action": exact(found.action / stake),
                "edge": exact(found.edge),
            }
    return {"opponents": opponents, "wager": stake, "readings": table, "rotation": _rotation(odds)}


def _rotation(odds: Odds) -> dict[str, Any]:
    """Equal participants, with and without the last of them declining the bank."""
    stake = bank_stake(odds)
    return {
        name: {
            each: {
                "banks": turn.banks,
                "as_banker": exact(turn.as_banker / stake),
                "as_player": exact(turn.as_player / stake),
                "ev": exact(turn.ev / stake),
                "variance": exact(turn.variance / stake**2),
            }
            for each, turn in rotation(odds, participants(stake, declines)).items()
        }
        for name, declines in (("all_bank", False), ("last_declines", True))
    }


def participants(stake: int, last_declines: bool) -> list[Participant]:
    """Equal participants, of whom the last may decline the bank."""
    return [
        Participant(f"player {number}", stake, declines=last_declines and number == PARTICIPANTS)
        for number in range(1, PARTICIPANTS + 1)
    ]


def readings_json(odds: Odds) -> list[dict[str, Any]]:
    """Each named option with its alternatives."""
    return [
        {
            "option": each.option,
            "measure": each.measure,
            "value": each.value,
            "changes_money": each.changes_money,
            "readings": list(each.source.readings),
            "alternatives": {one.value: exact(one.edge) for one in each.alternatives},
        }
        for each in readings(odds)
    ]


def favourable_depths(odds: Odds) -> list[int]:
    """The numbers of dealt cards at which to look for a favourable tie wager."""
    return [int(52 * odds.decks * depth) for depth in DEPTHS if odds.decks <= DEPTH_DECKS_MAX]


def shoe_json(odds: Odds) -> dict[str, Any]:
    """The effect of the cards already dealt."""
    least, rise = war_gain(odds)
    return {
        "tie_is_favourable": tie_is_favourable(odds),
        "tie_favourable_chance": {
            str(dealt): exact(favourable_chance(odds, dealt)) for dealt in favourable_depths(odds)
        },
        "war_never_worse": war_never_worse(odds),
        "war_over_surrender": {"constant": exact(least), "per_war_tie": exact(rise)},
    }


def floor_json(book: Book, decks: int) -> dict[str, Any]:
    """The return floor by wager."""
    return {
        "least": exact(FLOOR),
        "decks": decks_text(decks),
        "wagers": {
            each.wager: {
                "stake": each.stake,
                "return": exact(each.worst),
                "holds": each.holds,
                "when": each.when.strip(),
            }
            for each in floors(book, decks)
        },
        "problems": floor_problems(book, decks),
    }
