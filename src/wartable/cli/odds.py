"""`wartable odds`: the exact odds of a rule book."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

import click

from wartable.cli import BadInput
from wartable.game.wagers import SIDE_BETS

Json = dict[str, Any]


@click.command("odds")
@click.argument("rules")
@click.option("--decks", type=int, help="The number of decks; any number from 1, for study.")
@click.option("--option", "options", multiple=True, help="A named option: key=value.")
@click.option("--meter", type=int, help="What the progressive meter shows, in cents.")
@click.option("--stake", type=int, help="A side bet's wager in cents; 500 is $5.")
@click.option("--boxes", type=int, help="This many boxes, each with a unit primary, always war.")
@click.option("--seen", default="", help='Cards that have left the shoe: "9s 9d Th".')
@click.option("--bank", type=int, help="What a player's bank has posted, in cents.")
@click.option("--wager", "wagers", multiple=True, help="Only this wager; may be repeated.")
@click.option("--bet", "bets", multiple=True, help="A wager of a whole seat: primary=1000.")
@click.option("--strategy", default="war", help="The seat's choice: war, surrender or best.")
@click.option("--json", "as_json", is_flag=True, help="Everything as JSON, exact figures too.")
@click.option("--csv", "as_csv", is_flag=True, help="Everything as CSV, one figure a line.")
def command(
    rules: str,
    decks: int | None,
    options: Sequence[str],
    meter: int | None,
    stake: int | None,
    boxes: int | None,
    seen: str,
    bank: int | None,
    wagers: Sequence[str],
    bets: Sequence[str],
    strategy: str,
    as_json: bool,
    as_csv: bool,
) -> None:
    """Compute the exact odds of every wager. RULES is a book, name@digest or a .toml file.

    Example: wartable odds maryland --decks 8 --boxes 3
    """
    from wartable.odds.report import Question, as_lines, study
    from wartable.odds.seat import check_strategy, stakes_of

    if as_json and as_csv:
        raise BadInput("Choose --json or --csv, not both.")
    book = chosen_book(rules, options)
    cards = tuple(seen.replace(",", " ").split())
    stakes = stakes_of(pairs_of(bets, "A bet"))
    choice = check_strategy(strategy)
    question = Question(decks, cards, meter, stake, boxes, bank, wagers, stakes, choice)
    document = study(book, question)
    if as_json:
        click.echo(json.dumps(document, indent=1, ensure_ascii=False))
    elif as_csv:
        click.echo(as_lines(document), nl=False)
    else:
        _show(document)


def chosen_book(name: str, options: Sequence[str]) -> Any:
    """The book with the options set, or a refusal."""
    from wartable.rules import load_any, with_options

    return with_options(load_any(name), pairs_of(options, "An option"))


def pairs_of(texts: Sequence[str], what: str) -> dict[str, str]:
    """The keys and values that were written `key=value`, or a refusal."""
    pairs = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals:
            raise BadInput(f"{what} is written key=value, not {text!r}.")
        pairs[key.strip()] = value.strip()
    return pairs


def _show(document: Json) -> None:
    """Print the tables."""
    from wartable.cli.output import console, print_table

    screen = console()
    book = document["book"]
    screen.print(
        f"{book['title']} ({book['name']} {book['version']}, digest {book['digest'][:12]})"
    )
    screen.print(f"{document['decks']} decks, {document['cards']} cards in the shoe")
    for note in document["notes"]:
        screen.print(f"Note: {note}")
    for title, columns, rows in _tables(document):
        print_table(screen, title, columns, rows, left=(0,))
    for sentence in _sentences(document):
        screen.print(sentence)


def _tables(document: Json) -> Iterator[tuple[str, list[str], list[list[str]]]]:
    """Every table: its title, columns and rows."""
    from wartable.odds.report import distributions

    rows = [[name, *_odds_row(odds)] for name, odds in distributions(document["wagers"])]
    yield "Wagers, per unit of the wager", ["wager", *ODDS_COLUMNS], rows
    rows = [
        [f"{name}: {outcome}", figure["exact"], percent(figure), one_in(figure)]
        for name, odds in distributions(document["wagers"])
        for outcome, figure in odds["outcomes"].items()
    ]
    yield "Outcomes", ["wager and outcome", "probability", "%", "1 in"], rows
    rows = [
        [name, net, figure["exact"], percent(figure)]
        for name, odds in distributions(document["wagers"])
        for net, figure in odds["pmf"].items()
        if len(odds["pmf"]) <= NETS_MAX
    ]
    yield "Net results", ["wager", "net", "probability", "%"], rows
    if "seat" in document:
        seat = document["seat"]
        bets = " + ".join(f"{kind} {cents(stake)}" for kind, stake in seat["wagers"].items())
        title = f"The seat, per unit of {cents(seat['unit'])}"
        yield title, ["seat", *ODDS_COLUMNS], [[f"{bets}, {seat['strategy']}", *_odds_row(seat)]]
    if "plans" in document:
        rows = [
            [f"{' + '.join(plan['wagers'])}, {plan['choice']}", *_odds_row(plan)]
            for plan in document["plans"]
        ]
        yield "Whole seats, equal wagers, per unit", ["plan", *ODDS_COLUMNS], rows
    if "boxes" in document:
        yield from _boxes_tables(document["boxes"])
    for each in SIDE_BETS:
        if each.kind in document:
            shown = document[each.kind]
            rows = _wheel_rows(shown) if each.by_wheel else _meter_rows(shown)
            title = f"{each.kind.replace('_', ' ').capitalize()} at {cents(shown['stake'])}"
            yield title, ["figure", "% or dollars"], rows
    if "bank" in document:
        yield from _bank_tables(document["bank"])
    if "by_decks" in document:
        rows = [
            [decks, *(percent(row[name]) for name in ("war", "no_bonus", "surrender", "tie"))]
            for decks, row in document["by_decks"].items()
        ]
        columns = ["decks", "always war", "without bonus", "surrender", "tie wager"]
        yield "Edge in % by number of decks", columns, rows
        rows = [
            [row["option"], _in_force(row, value), percent(edge), row["measure"]]
            for row in document["readings"]
            for value, edge in row["alternatives"].items()
        ]
        columns = ["option", "value (* in force)", "edge %", "measured by"]
        yield "Readings and their alternatives", columns, rows


def _boxes_tables(boxes: Json) -> Iterator[tuple[str, list[str], list[list[str]]]]:
    title = f"{boxes['count']} boxes against one dealer card, always war"
    rows = [[net, figure["exact"], percent(figure)] for net, figure in boxes["pmf"].items()]
    yield title, ["net of all", "probability", "%"], rows
    rows = [
        ["expectation", boxes["ev"]["exact"], number(boxes["ev"])],
        ["variance", boxes["variance"]["exact"], number(boxes["variance"])],
        ["covariance of two", boxes["covariance"]["exact"], number(boxes["covariance"])],
        ["correlation of two", boxes["correlation"]["exact"], number(boxes["correlation"])],
    ]
    yield f"{title}: figures", ["figure", "exact", "value"], rows


def _meter_rows(shown: Json) -> list[list[str]]:
    run = shown["long_run"]
    rows = [
        [f"return at the meter of {cents(shown['meter'])}", percent(shown["return"])],
        ["long-run return", percent(run["return"])],
        ["  of which fixed odds", percent(run["fixed"])],
        ["  of which the house's re-seeding", percent(run["reseeded"])],
        ["  of which contributions", percent(run["contributed"])],
        ["each other player's envy", percent(shown["envy"]["each_other_player"])],
    ]
    for name, key in (("break-even", "break_even_meter"), ("mean", "typical_meter")):
        if shown[key] is not None:
            rows.append([f"{name} meter", cents(shown[key]["value"])])
    return rows


def _wheel_rows(shown: Json) -> list[list[str]]:
    rows = [
        ["probability of the trigger card", percent(shown["trigger"])],
        ["mean payment of the wheel", cents(shown["mean_payment"]["value"])],
        ["return, one box betting, meters at reset", percent(shown["return"])],
        ["long-run return", percent(shown["long_run"]["return"])],
    ]
    if shown["break_even_payment"] is not None:
        payment = cents(shown["break_even_payment"]["value"])
        rows.insert(2, ["mean payment of an even wager", payment])
    for bettors, figure in shown["return_by_bettors"].items():
        rows.append([f"return with {bettors} boxes betting", percent(figure)])
    return rows


def _bank_tables(shown: Json) -> Iterator[tuple[str, list[str], list[list[str]]]]:
    rows = [
        [
            f"{reading}, {cents(int(posted))} posted",
            number(row["ev"]),
            f"{row['sd']:.4f}",
            number(row["action"]),
            percent(row["edge"]),
        ]
        for reading, amounts in shown["readings"].items()
        for posted, row in amounts.items()
    ]
    title = f"The bank against {shown['opponents']} wagers of {cents(shown['wager'])}, in wagers"
    yield title, ["reading", "expectation", "deviation", "action", "edge %"], rows
    rows = [
        [
            f"{case}: {name}",
            str(turn["banks"]),
            *(number(turn[key]) for key in ("as_banker", "as_player", "ev")),
        ]
        for case, turns in shown["rotation"].items()
        for name, turn in turns.items()
    ]
    columns = ["participant", "banks", "as banker", "as player", "together"]
    yield "One rotation of the bank among four equal participants, in wagers", columns, rows


def _sentences(document: Json) -> Iterator[str]:
    """What is best said in words."""
    best = document["wagers"].get("primary", {}).get("best")
    if best is not None:
        choices = set(best["by_rank"].values())
        what = choices.pop() if len(choices) == 1 else str(best["by_rank"])
        yield f"Best choice at a tie: {what}; edge {percent(best['edge'])} %."
    if "shoe" not in document:
        return
    shoe = document["shoe"]
    favourable = "favourable" if shoe["tie_is_favourable"] else "not favourable"
    yield f"The tie wager is {favourable} at these cards."
    for dealt, figure in shoe["tie_favourable_chance"].items():
        yield f"After {dealt} cards of a fresh shoe, it is with probability {figure['value']:.3g}."
    never = "never" if shoe["war_never_worse"] else "sometimes"
    yield f"War is {never} worse than surrender."
    yield from document["floor"]["problems"] or ["Every wager reaches the return floor of 75 %."]


def _in_force(row: Json, value: str) -> str:
    return f"{value} *" if value == row["value"] else value


ODDS_COLUMNS = ["expectation", "edge %", "return %", "deviation", "skewness", "hits %", "risk %"]
NETS_MAX = 12


def _odds_row(odds: Json) -> list[str]:
    exact = odds["ev"]["exact"]
    return [
        exact if len(exact) <= EXACT_CHARACTERS_MAX else number(odds["ev"]),
        percent(odds["edge"]),
        percent(odds["return"]),
        f"{odds['sd']:.4f}",
        f"{odds['skewness']:.3f}",
        percent(odds["hit_frequency"]),
        percent(odds["element_of_risk"]),
    ]


EXACT_CHARACTERS_MAX = 24


def percent(figure: Json | None) -> str:
    """A figure in per cent."""
    return "-" if figure is None else f"{100 * figure['value']:.4f}"


def number(figure: Json) -> str:
    """A figure as a decimal number."""
    return f"{figure['value']:.6f}"


def one_in(figure: Json) -> str:
    """A probability as odds, such as 1 in 13."""
    return f"{1 / figure['value']:,.1f}" if figure["value"] else "-"


def cents(amount: float) -> str:
    """Cents as dollars."""
    return f"${amount / 100:,.2f}"
