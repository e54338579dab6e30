"""`wartable session`: what a session does to a bankroll."""

import csv
import sys
from pathlib import Path
from typing import Any

import click
import msgspec

from wartable.cli import BadInput, needs
from wartable.cli.simulate import Money, RoundsType, book_of, seed_of, threads_of

SYSTEMS = ("flat", "martingale", "paroli", "dalembert", "fibonacci", "labouchere")
TABLES = (".csv", ".parquet")
CHARTS = (".svg", ".png")
DRAWN_PATHS = 12
SAVED_ROWS_MAX = 10**8


@click.command()
@click.argument("rules")
@click.option(
    "--bankroll", type=Money(), default="500", show_default=True, help="The starting money."
)
@click.option("--bet", type=Money(), default="10", show_default=True, help="The primary wager.")
@click.option(
    "--rounds",
    type=RoundsType(),
    default="200",
    show_default=True,
    help="The most rounds in a session.",
)
@click.option(
    "--paths", type=RoundsType(), default="1e5", show_default=True, help="How many sessions."
)
@click.option("--system", type=click.Choice(SYSTEMS), default="flat", show_default=True)
@click.option("--table-max", type=Money(), help="The table's limit.  [default: 100 bets]")
@click.option("--tie", type=Money(), default="0", help="A tie wager every round.")
@click.option("--war-tie", type=Money(), default="0", help="A tie wager at every war.")
@click.option("--progressive", type=Money(), default="0", help="A progressive wager every round.")
@click.option("--meter", type=int, help="The progressive meter, in cents.  [default: its reset]")
@click.option("--policy", type=click.Choice(["war", "surrender"]), default="war")
@click.option("--target", type=Money(), help="Stop when the bankroll reaches this.")
@click.option("--stop-win", type=Money(), help="Stop after winning this.")
@click.option("--stop-loss", type=Money(), help="Stop after losing this.")
@click.option("--rounds-per-hour", type=int, default=60, show_default=True)
@click.option("--decks", type=int, help="The number of decks; any number, for study.")
@click.option("--option", "options", multiple=True, help="A named option of the book: name=value.")
@click.option("--seed", type=int, help="The same seed gives the same paths.")
@click.option("--threads", type=int, help="How many threads.  [default: all cores]")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="A chart: .svg or .png.")
@click.option("--save", type=click.Path(path_type=Path), help="The paths: .csv or .parquet.")
@click.option("--save-paths", type=RoundsType(), default="1000", show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print JSON, amounts in cents.")
def command(
    rules: str,
    output: Path | None,
    save: Path | None,
    save_paths: int,
    seed: int | None,
    threads: int | None,
    rounds_per_hour: int,
    as_json: bool,
    **settings: Any,
) -> None:
    """Play many sessions and show what they do to a bankroll.

    Every round is dealt from a fresh shoe. A player who cannot pay for a war surrenders. A player
    who cannot pay for the next bet is ruined.

    Example: wartable session online --bankroll 500 --bet 10 --rounds 200 -o fan.svg
    """
    needs("sim", "numba")
    _check_files(output, save, rounds_per_hour)
    from wartable.odds import OddsError
    from wartable.sim.session import check, tables_of, walk
    from wartable.sim.setup import SetupError
    from wartable.sim.summary import summary

    try:
        session = _session(rules, settings)
        check(session)
        tables = tables_of(session)
    except (SetupError, OddsError) as error:
        raise BadInput(str(error)) from None
    chosen = seed_of(seed)
    if not as_json and sys.stderr.isatty():
        from wartable.sim.show import bar

        with bar(session.paths, True, "sessions") as progress:
            walked = walk(session, tables, chosen, threads_of(threads), progress)
    else:
        walked = walk(session, tables, chosen, threads_of(threads))
    if not walked.paths:
        raise BadInput("No session was finished before the interruption.")
    document = summary(session, tables, walked, chosen, rounds_per_hour)
    _write(session, tables, chosen, document, output, save, save_paths)
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(document)).decode())
    else:
        from wartable.sim.show import show_session

        show_session(document)


def _check_files(output: Path | None, save: Path | None, rounds_per_hour: int) -> None:
    if output is not None and output.suffix not in CHARTS:
        raise BadInput(f"A chart's file ends in .svg or .png, unlike {output.name}.")
    if save is not None and save.suffix not in TABLES:
        raise BadInput(f"The paths' file ends in .csv or .parquet, unlike {save.name}.")
    for file in (output, save):
        if file is not None and not file.absolute().parent.is_dir():
            raise BadInput(f"There is no directory {file.parent} to write {file.name} to.")
    if not 1 <= rounds_per_hour <= 10**6:
        raise BadInput(f"The rounds per hour must be 1 to 1000000, not {rounds_per_hour}.")
    if output is not None:
        needs("plots", "matplotlib")


def _session(rules: str, settings: dict[str, Any]) -> Any:
    """The session that the options describe."""
    from wartable.game.wagers import PROGRESSIVE, WAGERS
    from wartable.odds.composition import DECKS_MAX
    from wartable.odds.wagers import check_wager, meters_of
    from wartable.sim.session import PATHS_MAX, RANK_DECKS_MAX, ROUNDS_MAX, SessionPlan
    from wartable.sim.setup import SetupError

    book = book_of(rules, settings.pop("options"))
    for each in WAGERS:
        if settings.get(each.kind):
            check_wager(book, each.kind)
    if settings["rounds"] > ROUNDS_MAX or settings["paths"] > PATHS_MAX:
        raise SetupError(
            f"A session has at most {ROUNDS_MAX} rounds, and there are at most 1e9 sessions."
        )
    decks = settings.pop("decks")
    decks = book.rules.shoe.decks if decks is None else decks
    most = DECKS_MAX if settings[PROGRESSIVE.kind] else RANK_DECKS_MAX
    if not 1 <= decks <= most:
        raise SetupError(f"The number of decks may be 1 to {most}, not {decks}.")
    if settings["bet"] < 1:
        raise SetupError("The bet must be at least one cent.")
    table_max = settings.pop("table_max")
    return SessionPlan(
        book=book,
        decks=decks,
        meters=meters_of(book, settings.pop("meter")),
        war=settings.pop("policy") == "war",
        table_max=100 * settings["bet"] if table_max is None else table_max,
        **settings,
    )


def _write(
    session: Any,
    tables: Any,
    seed: int,
    document: dict[str, Any],
    output: Path | None,
    save: Path | None,
    save_paths: int,
) -> None:
    """Write the chart and the paths that were asked for."""
    from wartable.sim.session import first_paths

    try:
        if output is not None:
            from wartable.sim.chart import draw

            drawn = min(DRAWN_PATHS, session.paths) if session.rounds <= 10_000 else 0
            paths = first_paths(session, tables, seed, drawn) if drawn else ()
            draw(document, paths, output)
        if save is not None:
            count = min(save_paths, session.paths)
            if count * (session.rounds + 1) > SAVED_ROWS_MAX:
                raise BadInput(f"That makes more than {SAVED_ROWS_MAX} rows; save fewer paths.")
            _save(first_paths(session, tables, seed, count), save)
    except OSError as error:
        raise BadInput(f"{error.filename} cannot be written: {error.strerror}.") from None


def _save(paths: Any, file: Path) -> None:
    """Write one row per path and round, the bankroll in cents."""
    import numpy as np

    numbers, rounds = np.indices(paths.shape)
    columns = [numbers.ravel() + 1, rounds.ravel(), paths.ravel()]
    names = ["path", "round", "bankroll"]
    if file.suffix == ".parquet":
        from wartable.sim import parquet

        with file.open("wb") as binary:
            parquet.write(binary, names, iter([columns]))
        return
    with file.open("w", encoding="utf-8", newline="") as text:
        writer = csv.writer(text)
        writer.writerow(names)
        writer.writerows(zip(*(column.tolist() for column in columns), strict=True))
