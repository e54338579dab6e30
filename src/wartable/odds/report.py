"""All odds of a book as one document for JSON, from which the tables are printed too."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from fractions import Fraction
from typing import Any, NamedTuple

from msgspec import structs

from wartable import __version__
from wartable.cards import Card
from wartable.game.wagers import BONUS_SPIN, PROGRESSIVE, SIDE_BETS, WAGER
from wartable.odds.bank import Participant, bank, rotation
from wartable.odds.boxes import joint
from wartable.odds.composition import OddsError
from wartable.odds.figures import Distribution, exact
from wartable.odds.floor import FLOOR, decks_text, floor_problems, floors
from wartable.odds.readings import decks_table, readings
from wartable.odds.shoe import favourable_chance, tie_is_favourable, war_gain, war_never_worse
from wartable.odds.sidebets import LongRun, bonus_spin, progressive
from wartable.odds.slices import Seat
from wartable.odds.wagers import ALONE, Odds, check_wager
from wartable.odds.walk import Choice, Plan, unit
from wartable.rules import Book, WagerKind, option_values, with_options

DEPTHS = (Fraction(2, 3), Fraction(3, 4), Fraction(4, 5), Fraction(9, 10))
DEPTH_DECKS_MAX = 12
OPPONENTS = 3
OTHERS_MAX = 8
BANK_UNITS = 500


class Question(NamedTuple):
    """What is asked about a book."""

    decks: int | None = None
    seen: Sequence[Card] = ()
    meter: int | None = None
    stake: int | None = None
    boxes: int | None = None
    bank: int | None = None
    wagers: Sequence[str] = ()


def study(book: Book, question: Question) -> dict[str, Any]:
    """The whole document."""
    odds = Odds(book, question.decks, question.seen, meter=question.meter, stake=question.stake)
    kinds = [check_wager(book, name) for name in question.wagers] or list(odds.offered)
    document: dict[str, Any] = {
        "book": identification(book),
        "program": __version__,
        "decks": odds.decks,
        "cards": odds.composition.size,
        "seen": list(question.seen),
        "options": structs.asdict(book.rules.options),
        "notes": list(notes(odds, question.boxes or 1)),
        "wagers": {kind: wager_json(odds, kind) for kind in kinds},
    }
    if question.boxes is not None:
        document["boxes"] = boxes_json(odds, question.boxes)
    if question.bank is not None and book.rules.banker != "player":
        raise OddsError(f"The house banks {book.rules.name}; leave the bank out.")
    if question.wagers:
        return document
    document["plans"] = [
        {"wagers": list(wagers), "choice": plan.choice, **whole_json(distribution)}
        for wagers, plan, distribution in plans(odds)
    ]
    for each, study_json in ((PROGRESSIVE, progressive_json), (BONUS_SPIN, spin_json)):
        if each.offered(book.rules):
            document[each.kind] = study_json(odds)
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
    """What the book would not allow at a table, or the cards would not suffice for."""
    rules = odds.rules
    if odds.decks not in rules.shoe.decks_allowed:
        allowed = ", ".join(map(str, rules.shoe.decks_allowed))
        yield f"For study only: {rules.name} allows {allowed} decks, not {odds.decks}."
    if boxes > rules.boxes_in_play:
        yield f"For study only: {rules.name} has {rules.boxes_in_play} hands, not {boxes}."
    if rules.options.shuffle not in rules.shoe.methods:
        yield f"For study only: {rules.name} is not shuffled by {rules.options.shuffle}."
    times = {"once": 1, "before_dealer": 2, "each_card": boxes + 1}[rules.options.war_burn]
    needed = 2 * (boxes + 1) + rules.deal.war_burn * times
    if odds.composition.size < needed:
        yield (
            f"A round with its burns takes up to {needed} cards and {odds.composition.size} are"
            " left; the figures are as if nothing were burned."
        )


def wager_json(odds: Odds, kind: WagerKind) -> dict[str, Any]:
    """One wager's odds; those that a choice changes are given for war and for surrender."""
    if not WAGER[kind].by_choice:
        try:
            return odds.wager(kind).as_json()
        except OddsError as error:
            return {"impossible": str(error)}
    shown: dict[str, Any] = {
        "war": odds.wager(kind).as_json(),
        "surrender": odds.wager(kind, "surrender").as_json(),
    }
    if kind == "primary":
        best = odds.best(odds.plan_for("primary"))
        shown["best"] = {"by_rank": best.by_rank, **best.odds.as_json()}
    else:
        shown["lines"] = {
            line: {"probability": exact(chance)} for line, chance in progressive(odds).lines.items()
        }
    return shown


def plans(odds: Odds) -> Iterator[tuple[tuple[WagerKind, ...], Plan, Distribution]]:
    """Whole seats: the primary with more and more beside it, all wagers equal."""
    seats: list[tuple[tuple[WagerKind, ...], Choice]] = [
        (("primary",), "war"),
        (("primary",), "surrender"),
        (("primary", "tie"), "war"),
        (("primary", "tie"), "surrender"),
        (("primary", "war_tie"), "war"),
        (("primary", "tie", "war_tie"), "war"),
        *((("primary", each.kind), "war") for each in SIDE_BETS),
        (tuple(each.kind for each in ALONE), "war"),
    ]
    base = max(odds.plan_for(kind)[_FIELD[kind]] for kind in odds.offered)
    for wagers, choice in seats:
        if all(WAGER[kind].offered(odds.rules) for kind in wagers):
            stakes: dict[str, Any] = dict.fromkeys(wagers, base)
            plan = Plan(**stakes, choice=choice)
            with suppress(OddsError):  # a limit of the book may not take equal wagers
                yield wagers, plan, odds.plan(plan)


_FIELD = {name: index for index, name in enumerate(Plan._fields)}


def whole_json(distribution: Distribution) -> dict[str, Any]:
    """The odds of several wagers together, whose return is of all money put down."""
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


def progressive_json(odds: Odds) -> dict[str, Any]:
    """The progressive's meter, long run and envy."""
    found = progressive(odds)
    return {
        "stake": found.stake,
        "meter": found.meter,
        "return": exact(found.odds.player_return),
        "break_even_meter": exact(found.break_even_meter),
        "typical_meter": exact(found.typical_meter),
        "long_run": long_run_json(found.long_run),
        "envy": {
            "each_other_player": exact(found.envy_each),
            "break_even_meter": {
                str(others): exact(found.break_even_with(others))
                for others in range(1, OTHERS_MAX + 1)
            },
        },
    }


def long_run_json(long_run: LongRun) -> dict[str, Any]:
    """A return in its parts."""
    return {
        "fixed": exact(long_run.fixed),
        "reseeded": exact(long_run.reseeded),
        "contributed": exact(long_run.contributed),
        "return": exact(long_run.total),
    }


def spin_json(odds: Odds) -> dict[str, Any]:
    """The bonus spin's trigger, wheel and meters."""
    found = bonus_spin(odds)
    most = odds.rules.boxes_in_play
    by_bettors = {}
    for bettors in range(1, most + 1):
        other = Odds(odds.book, odds.decks, composition=odds.composition, bettors=bettors)
        stake = found.stake
        by_bettors[str(bettors)] = exact(other.wager(BONUS_SPIN.kind, stake=stake).player_return)
    return {
        "stake": found.stake,
        "trigger": exact(found.trigger),
        "mean_payment": exact(found.mean_payment),
        "break_even_payment": exact(found.break_even_payment),
        "return": exact(found.odds.player_return),
        "typical_meters": {name: exact(value) for name, value in found.typical_meters.items()},
        "long_run": long_run_json(found.long_run),
        "return_by_bettors": by_bettors,
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
    """Four equal participants, the last of whom declines the bank."""
    stake = bank_stake(odds)
    everybody = [Participant(f"player {number}", stake) for number in range(1, 5)]
    last = everybody[-1]._replace(declines=True)
    return {
        name: {
            each: {
                "banks": turn.banks,
                "as_banker": exact(turn.as_banker / stake),
                "as_player": exact(turn.as_player / stake),
                "ev": exact(turn.ev / stake),
                "variance": exact(turn.variance / stake**2),
            }
            for each, turn in rotation(odds, participants).items()
        }
        for name, participants in (
            ("all_bank", everybody),
            ("last_declines", [*everybody[:-1], last]),
        )
    }


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
    """The numbers of cards after which a favourable tie wager is looked for."""
    return [int(52 * odds.decks * depth) for depth in DEPTHS if odds.decks <= DEPTH_DECKS_MAX]


def shoe_json(odds: Odds) -> dict[str, Any]:
    """What the cards already gone do."""
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
