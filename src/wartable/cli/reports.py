"""`wartable audit report` and `returns`: a period's play, and its returns against theory."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from wartable.cli.house import key_of, located, not_whole, period_of, records_of, spanned
from wartable.cli.output import console, print_table
from wartable.telling import money

LARGE_WIN = 100_000
GROUPINGS = ("game", "table", "wager", "player", "bank", "paytable")


@click.command("returns")
@located
@spanned
@click.option("--json", "as_json", is_flag=True, help="Everything as JSON.")
def returns(data: str, database: str, since: str, until: str, as_json: bool) -> None:
    """Compare what each wager returned with theory, and say whether chance explains it.

    The exit code is 1 if a return calls for an investigation.

    Example: wartable audit returns --from 2026-11-01
    """
    with records_of(data, database) as engine:
        import msgspec

        from wartable.server.audit import returns as monitor
        from wartable.server.records.journal import Broken

        try:
            found = monitor.returns(engine, key_of(data), period_of(since, until))
        except Broken as error:
            raise not_whole(error) from None
        if as_json:
            click.echo(msgspec.json.encode(found))
        elif not found:
            click.echo("No wager was decided in this period.")
        else:
            columns = ["where", "wager", "rounds", "theory %", "actual %", "band %", "off", "state"]
            rows = [
                [
                    f"{line.by} {line.name}",
                    line.wager,
                    str(line.rounds),
                    _percent(line.theory),
                    _percent(line.actual),
                    f"{_percent(line.low)} to {_percent(line.high)}",
                    f"{line.off:+.2f}",
                    line.state if line.judged else "too few rounds",
                ]
                for line in found
            ]
            print_table(console(), "Returns", columns, rows, left=(0, 1))
    if any(line.state == "investigate" for line in found):
        raise SystemExit(1)


@click.command("report")
@located
@spanned
@click.option(
    "--by",
    type=click.Choice(GROUPINGS),
    help="Only this grouping.",
)
@click.option("--large", type=click.IntRange(1), default=LARGE_WIN, help="A large win, in cents.")
@click.option("--json", "as_json", is_flag=True, help="Everything as JSON.")
@click.option(
    "--csv", "folder", type=click.Path(path_type=Path, file_okay=False), help="CSV into a folder."
)
def report(
    data: str,
    database: str,
    since: str,
    until: str,
    by: str | None,
    large: int,
    as_json: bool,
    folder: Path | None,
) -> None:
    """Report actual and theoretical returns, liability, large wins and significant events.

    Example: wartable audit report --from 2026-11-01 --until 2026-12-01 --by game
    """
    with records_of(data, database) as engine:
        import msgspec

        from wartable.server.audit import reports as made
        from wartable.server.records.journal import Broken

        period = period_of(since, until)
        try:
            found = made.report(engine, key_of(data), period, large)
        except Broken as error:
            raise not_whole(error) from None
        if by is not None:
            lines = tuple(line for line in found.lines if line.by == by)
            found = msgspec.structs.replace(found, lines=lines)
        if folder is not None:
            for name, count in made.write_csv(found, folder).items():
                click.echo(f"{folder / name}.csv: {count} lines", err=as_json)
        if as_json:
            click.echo(msgspec.json.encode(found))
        elif folder is None:
            _show_report(found)


def _show_report(found: Any) -> None:
    """Print the report for people to read."""
    click.echo(f"Report {found.period.words()}; amounts as money, times in UTC")
    if not found.active:
        click.echo("There was no activity in this period.")
    else:
        rounds = f"{found.rounds} rounds, {found.void} void, {found.unfinished} not over"
        if not found.rounds + found.void + found.unfinished:
            rounds = "No round was played in this period"
        click.echo(
            f"{rounds}; paid in {money(found.deposited)}, paid out {money(found.withdrawn)},"
            f" paid after disputes {money(found.corrected)};"
            f" the house {money(found.house, '+')}{_meters(found.put_on_meters)}"
        )
    screen = console()
    for title, columns, rows in _report_tables(found):
        if rows:
            print_table(screen, title, columns, rows, left=(0, 1))


def _meters(put: int) -> str:
    """How much of the house's result went to meters rather than to players, if any did."""
    if not put:
        return ""
    if put > 0:
        return f", after it put {money(put)} on meters"
    return f", after it took {money(-put)} back from meters"


def _report_tables(found: Any) -> Iterator[tuple[str, list[str], list[list[str]]]]:
    """Every table of a report: its title, columns and rows."""
    from wartable.server.period import utc

    columns = ["group", "wager", "wagers", "staked", "net", "return %", "theory %", "off by sd"]
    for by in GROUPINGS:
        rows = [
            [
                line.name,
                line.wager,
                str(line.wagers),
                money(line.staked),
                money(line.net, "+"),
                _percent(line.actual),
                _percent(line.theoretical),
                "" if line.deviation is None else f"{line.deviation:+.2f}",
            ]
            for line in found.lines
            if line.by == by
        ]
        yield f"Returns by {by}; theory: always war, meters at reset", columns, rows
    owed = [[name, "", money(amount)] for name, amount in found.liability.items()]
    yield "Liability at the end of the period", ["what", "", "amount"], owed
    wins = [[utc(each.at_ms), each.subject, each.reason] for each in found.large_wins]
    yield "Large wins", ["when", "who", "what"], wins
    events = [[kind, "", str(count)] for kind, count in found.events.items()]
    yield "Significant events", ["kind", "", "how many"], events


def _percent(figure: float | None) -> str:
    return "" if figure is None else f"{100 * figure:.2f}"
