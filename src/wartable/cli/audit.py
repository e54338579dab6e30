"""`wartable audit`: a house's records verified, recalled and exported."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from wartable.cli import BadInput
from wartable.cli.house import (
    address_of,
    closed_house,
    key_of,
    located,
    period_of,
    records_of,
    spanned,
)
from wartable.cli.output import console, money, printable

LARGE_WIN = 100_000
OPEN_HOUSE = (
    "This house is open. Nothing was changed. Send POST /selfcheck to have it check itself."
)


@click.group("audit")
def command() -> None:
    """Check and read a house's records, whether it is open or not.

    Example: wartable audit verify
    """


@command.command("verify")
@located
@click.option("--json", "as_json", is_flag=True, help="The result as JSON.")
@click.option(
    "--marks",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Check that all rows marked in this file still exist, then mark the new ones.",
)
def verify(data: str, database: str, as_json: bool, marks: Path | None) -> None:
    """Check chains, codes, decisions, money, meters and rights. Exit 1 at the first bad row.

    Example: wartable audit verify --data wartable-data --marks /media/safe/marks
    """
    with records_of(data, database) as engine:
        import msgspec

        from wartable.server.audit import verify
        from wartable.server.audit.marks import FILE
        from wartable.server.records.journal import Broken

        try:
            found = verify.verify(engine, key_of(data))
            _check_marks(engine, Path(data) / FILE, key_of(data).signed)
            if marks is not None:
                _mark(engine, marks, key_of(data))
        except Broken as error:
            row = None if error.row is None else [error.row.table_name, error.row.number]
            told = {"whole": False, "row": row, "reason": error.reason}
            sentence = printable(f"Not whole: {error}.")
            click.echo(msgspec.json.encode(told) if as_json else sentence)
            raise click.exceptions.Exit(1) from None
        counted = msgspec.structs.asdict(found)
        if as_json:
            click.echo(msgspec.json.encode({"whole": True, **counted}))
        else:
            click.echo(
                f"Whole: {found.tables} tables, {found.rows} rows and {found.transfers} transfers"
                " checked and decided again."
            )


def _check_marks(engine: Any, path: Path, signed: Any) -> list[Any]:
    """Check that the journal still has its marked rows; return the marks."""
    from wartable.server.audit import marks

    known = marks.read(path, signed)
    marks.check(engine, known)
    return known


def _mark(engine: Any, path: Path, key: Any) -> None:
    """Check that the journal still has its marked rows, and mark the new ones."""
    from wartable.server.audit import marks
    from wartable.server.clock import SystemClock

    known = _check_marks(engine, path, key.signed)
    marks.add(engine, path, known, key, SystemClock().now_ms())


@command.command("witness")
@click.argument("marks", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--public-key", required=True, help="The house's, as `audit public-key` prints it.")
@located
def witness(marks: Path, public_key: str, data: str, database: str) -> None:
    """Check without the house's key that it signed MARKS and that every marked row is there.

    This proves that no marked row was changed or lost. It decides no row again.

    Example: wartable audit witness /media/safe/marks --public-key 5f3a...
    """
    with records_of(data, database) as engine:
        from functools import partial

        from wartable.server.audit import verify
        from wartable.server.records.journal import Broken
        from wartable.server.records.keys import signed_by

        try:
            rows = verify.check_chains(engine)
            found = _check_marks(engine, marks, partial(signed_by, public_key))
        except Broken as error:
            click.echo(printable(f"Not whole: {error}."))
            raise click.exceptions.Exit(1) from None
    if not found or not all(mark.signature for mark in found):
        raise BadInput(f"{marks} has no marks that a house signed.")
    click.echo(f"All marked rows are there: {rows} rows in unbroken chains, {len(found)} marks.")


@command.command("public-key")
@located
def public_key(data: str, database: str) -> None:  # noqa: ARG001  # all commands say where
    """Print the key that anybody can check the house's marks with.

    Example: wartable audit public-key
    """
    from wartable.cli.house import speaking

    with speaking():
        click.echo(key_of(data).public)


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
            raise _not_whole(error) from None
        if as_json:
            click.echo(msgspec.json.encode(found))
        else:
            _show(found)


def _not_whole(error: Exception) -> BadInput:
    return BadInput(printable(f"the records are not whole: {error}; run: wartable audit verify"))


def _show(found: Any) -> None:
    """The round for people."""
    from wartable.server.period import utc

    ended = "not over yet" if found.ended_ms is None else f"ended {utc(found.ended_ms)}"
    edition = f" ({found.edition} of the document)" if found.edition else ""
    bank = "" if found.bank is None else f", posted {money(found.bank)}, {_bank(found.banker_net)}"
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
            from rich.table import Table

            table = Table(title=title, title_justify="left", title_style="bold")
            for number, column in enumerate(columns):
                left = number == 0 or column in ("why (clauses)", "what", "who", "choice", "by")
                table.add_column(column, justify="left" if left else "right", overflow="fold")
            for row in rows:
                table.add_row(*map(printable, row))
            screen.print("", table)


def _bank(net: int) -> str:
    """What a player/dealer's bank won or lost."""
    return f"{'lost' if net < 0 else 'won'} {money(abs(net))}" if net else "broke even"


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
            raise _not_whole(error) from None
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
            raise _not_whole(error) from None
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
        from wartable.server.clock import SystemClock
        from wartable.server.records import migrations

        found = manifest.manifest()
        if reason is not None:
            _approve(data, address_of(data, database), engine, reason, actor, found)
        wrong = checks.problems(engine, found)
        if as_json:
            told = {"whole": not wrong, "digest": manifest.digest_of(found), "problems": wrong}
            click.echo(msgspec.json.encode(told))
        else:
            for sentence in wrong:
                click.echo(printable(sentence))
            if not wrong:
                click.echo(f"All {len(found)} files are as approved: {manifest.digest_of(found)}")
        if list(migrations.busy(engine, SystemClock().now_ms())):
            click.echo(OPEN_HOUSE, err=True)
        if wrong:
            raise click.exceptions.Exit(1)


def _approve(data: str, address: str, engine: Any, reason: str, actor: str, found: Any) -> None:
    """Write the approval into the records of a house that is closed."""
    import getpass

    from wartable.server.audit import selfcheck as checks
    from wartable.server.clock import SystemClock
    from wartable.server.records import notes

    if not reason.strip():
        raise BadInput("an approval needs a reason.")
    now_ms = SystemClock().now_ms()
    with closed_house(data, engine, now_ms):
        note, statement = checks.approval(engine, reason, found)
        who = actor or getpass.getuser()
        notes.write_note(address, key_of(data), who, note, now_ms, statement)


@command.command("report")
@located
@spanned
@click.option(
    "--by", type=click.Choice(["game", "table", "player", "paytable"]), help="Only this grouping."
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

        from wartable.server.audit import reports
        from wartable.server.records.journal import Broken

        period = period_of(since, until)
        try:
            found = reports.report(engine, key_of(data), period, large)
        except Broken as error:
            raise _not_whole(error) from None
        if by is not None:
            lines = tuple(line for line in found.lines if line.by == by)
            found = msgspec.structs.replace(found, lines=lines)
        if folder is not None:
            for name, count in reports.write_csv(found, folder).items():
                click.echo(f"{folder / name}.csv: {count} lines", err=as_json)
        if as_json:
            click.echo(msgspec.json.encode(found))
        elif folder is None:
            _show_report(found)


def _show_report(found: Any) -> None:
    """The report for people."""
    from rich.table import Table

    click.echo(f"Report {found.period.words()}; amounts as money, times in UTC")
    if not found.active:
        click.echo("There was no activity in this period.")
    else:
        rounds = f"{found.rounds} rounds, {found.void} void, {found.unfinished} not over"
        if not found.rounds + found.void + found.unfinished:
            rounds = "No round was played in this period"
        click.echo(
            f"{rounds}; paid in {money(found.deposited)}, paid out {money(found.withdrawn)};"
            f" the house {money(found.house, '+')}{_meters(found.put_on_meters)}"
        )
    screen = console()
    for title, columns, rows in _report_tables(found):
        if rows:
            table = Table(title=title, title_justify="left", title_style="bold")
            for number, column in enumerate(columns):
                table.add_column(column, justify="left" if number < 2 else "right")
            for row in rows:
                table.add_row(*map(printable, row))
            screen.print("", table)


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
    for by in ("game", "table", "player", "paytable"):
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
