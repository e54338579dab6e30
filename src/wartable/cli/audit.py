"""`wartable audit`: a house's records verified, recalled and exported."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from wartable.cli import BadInput, reports, wholeness
from wartable.cli.house import (
    address_of,
    closed_house,
    closed_ms,
    key_of,
    located,
    not_whole,
    period_of,
    records_of,
    spanned,
)
from wartable.cli.output import console, print_table, printable
from wartable.cli.reports import LARGE_WIN
from wartable.telling import money, won_or_lost

OPEN_HOUSE = (
    "This house is open. Nothing was changed. Send POST /selfcheck to have it check itself."
)


@click.group("audit")
def command() -> None:
    """Check and read a house's records, whether it is open or not.

    Example: wartable audit verify
    """


for _each in (
    wholeness.verify,
    wholeness.witness,
    wholeness.public_key,
    reports.returns,
    reports.report,
):
    command.add_command(_each)


@command.command("show")
@click.argument("table")
@click.argument("number", metavar="ROUND", type=click.IntRange(1))
@located
@click.option("--json", "as_json", is_flag=True, help="Everything about the round as JSON.")
def show(table: str, number: int, data: str, database: str, as_json: bool) -> None:
    """Replay a round exactly as it was.

    Example: wartable audit show "maryland 1" 12
    """
    with records_of(data, database) as engine:
        import msgspec

        from wartable.server.audit import recall
        from wartable.server.records.journal import Broken

        try:
            found = recall.recall(engine, key_of(data), table, number)
        except Broken as error:
            raise not_whole(error) from None
        if as_json:
            click.echo(msgspec.json.encode(found))
        else:
            _show(found)


def _show(found: Any) -> None:
    """Print the round for people to read."""
    from wartable.server.period import utc

    ended = "not over yet" if found.ended_ms is None else f"ended {utc(found.ended_ms)}"
    edition = f" ({found.edition} of the document)" if found.edition else ""
    bank = (
        ""
        if found.bank is None
        else f", posted {money(found.bank)}, {won_or_lost(found.banker_net)}"
    )
    lines = [
        f"REPLAY of round {found.round} at {found.table}",
        f"{found.book} {found.version}{edition} {found.digest[:12]}, {found.decks_in_use}",
        f"banker: {found.banker}{bank}",
        f"started {utc(found.started_ms)}, {ended}; rows {found.first_row} to {found.last_row}",
        f"shoe committed to by {found.commitment}",
    ]
    if found.differs:
        lines.insert(2, f"{found.title}. {found.differs}")
    if found.void is not None:
        lines.append(f"void: {found.void}")
    for line in lines:
        click.echo(printable(line))
    screen = console()
    for title, columns, rows in _tables(found):
        if rows:
            texts = ("why (clauses)", "what", "who", "choice", "by")
            left = {0, *(number for number, each in enumerate(columns) if each in texts)}
            print_table(screen, title, columns, rows, left)


def _called(by: str | None) -> str:
    """Who called time for a choice, if a person did."""
    return "" if by is None else f", time called by {by}"


def _tables(found: Any) -> Iterator[tuple[str, list[str], list[list[str]]]]:
    """Every table of a replay: its title, columns and rows."""
    cards = [
        ["dealer" if box == 0 else f"box {box}", " ".join(dealt)]
        for box, dealt in found.cards.items()
    ]
    yield f"Cards (and {found.burned} burned unseen)", ["hand", "cards"], cards
    choices = [
        [f"box {each.box}", each.player, each.choice, f"{each.by}{_called(each.called_by)}"]
        for each in found.choices
    ]
    yield "Choices", ["hand", "who", "choice", "by"], choices
    wagers = [
        [
            f"box {each.box}, {each.player}: {each.label}",
            money(each.staked),
            money(each.returned),
            money(each.net, "+"),
            f"{each.words} ({', '.join(each.clauses) or 'no clause'})",
        ]
        for each in found.wagers
    ]
    yield "Wagers", ["wager", "staked", "returned", "net", "why (clauses)"], wagers
    balances = [
        [f"{each.player}'s stack", money(each.before), money(each.brought), money(each.after)]
        for each in found.stacks
    ]
    balances += [
        [f"meter {name}", money(before), "", money(after)]
        for name, (before, after) in found.meters.items()
    ]
    balances.append(["the house gained", "", "", money(found.house, "+")])
    yield "Balances", ["account", "before", "brought", "after"], balances
    rows = [
        [str(row.number), row.actor, " ".join(type(event).__name__ for event in row.events)]
        for row in found.rows
    ]
    yield "Journal", ["row", "who", "what"], rows


@command.command("bonus")
@located
@click.option("--last", type=click.IntRange(1, 10_000), default=50, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="The events as JSON.")
def bonus(data: str, database: str, last: int, as_json: bool) -> None:
    """List the last events of progressives, envy and bonus spins.

    Example: wartable audit bonus --last 50
    """
    with records_of(data, database) as engine:
        import msgspec

        from wartable.server.audit import recall
        from wartable.server.period import utc
        from wartable.server.records.journal import Broken

        try:
            found = recall.bonus_events(engine, key_of(data), last)
        except Broken as error:
            raise not_whole(error) from None
        if as_json:
            click.echo(msgspec.json.encode(found))
            return
        for each in found:
            what = msgspec.json.encode(each.event).decode()
            where = f"{each.table}, round {each.round}, row {each.row}"
            click.echo(printable(f"{utc(each.at_ms)}  {where}: {what}"))
        if not found:
            click.echo("There were no bonus events.")


@command.command("export")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@located
@spanned
@click.option("--large", type=click.IntRange(1), default=LARGE_WIN, help="A large win, in cents.")
def export(folder: Path, data: str, database: str, since: str, until: str, large: int) -> None:
    """Write rounds, wagers, transfers and significant events as CSV into FOLDER.

    Example: wartable audit export november --from 2026-11-01 --until 2026-12-01
    """
    with records_of(data, database) as engine:
        from wartable.server.audit import export as exports
        from wartable.server.records.journal import Broken

        period = period_of(since, until)
        try:
            counts = exports.export(engine, key_of(data), folder, period, large)
        except Broken as error:
            raise not_whole(error) from None
        for name, count in counts.items():
            click.echo(f"{folder / name}.csv: {count} lines")
        if not counts["rounds"]:
            click.echo(f"There was no play {period.words()}.")


@command.command("selfcheck")
@located
@click.option("--approve", "reason", help="Approve the code as it is now, for this reason.")
@click.option("--by", "actor", default="", help="Who approves.  [default: your user name]")
@click.option("--json", "as_json", is_flag=True, help="The result as JSON.")
def selfcheck(data: str, database: str, reason: str | None, actor: str, as_json: bool) -> None:
    """Compare code, rule books and tables with what was approved. Exit 1 if they differ.

    This changes nothing. Send POST /selfcheck to have an open house check itself.

    Example: wartable audit selfcheck --approve "version 0.2.0 tested"
    """
    with records_of(data, database) as engine:
        import msgspec

        from wartable.server import manifest
        from wartable.server.audit import selfcheck as checks
        from wartable.server.records import table_leases

        found = manifest.manifest()
        if reason is not None:
            _approve(data, address_of(data, database), engine, reason, actor, found)
        wrong = checks.problems(engine, found)
        if as_json:
            result = {"whole": not wrong, "digest": manifest.digest_of(found), "problems": wrong}
            click.echo(msgspec.json.encode(result))
        else:
            for sentence in wrong:
                click.echo(printable(sentence))
            if not wrong:
                click.echo(f"All {len(found)} files are as approved: {manifest.digest_of(found)}")
        if list(table_leases.busy(engine)):
            click.echo(OPEN_HOUSE, err=True)
        if wrong:
            raise click.exceptions.Exit(1)


def _approve(data: str, address: str, engine: Any, reason: str, actor: str, found: Any) -> None:
    """Write the approval into the records of a house that is closed."""
    import getpass

    from wartable.server.audit import selfcheck as checks
    from wartable.server.records import notes

    if not reason.strip():
        raise BadInput("an approval needs a reason.")
    with closed_house(data, engine):
        note, statement = checks.approval(engine, reason, found)
        who = actor or getpass.getuser()
        notes.write_note(
            address, key_of(data), who, note, closed_ms(engine, key_of(data)), statement
        )
