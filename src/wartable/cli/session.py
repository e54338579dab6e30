"""`wartable session`: what a session does to a bankroll."""

import sys
from pathlib import Path
from typing import Any

import click
import msgspec

from wartable.answer import CallAnswer, check_saved
from wartable.cli import BadInput, needs
from wartable.cli.odds import chosen_book
from wartable.cli.simulate import (
    Interrupted,
    MoneyType,
    RoundsType,
    interruptions,
    progress_bar,
    seed_of,
    threads_of,
)
from wartable.game.wagers import SIDE_BETS

SYSTEMS = ("flat", "martingale", "paroli", "dalembert", "fibonacci", "labouchere")
CHARTS = (".svg", ".png")
DRAWN_PATHS = 12
SESSION_BETS = tuple(each for each in SIDE_BETS if not each.by_wheel)
SAVED_ROWS_MAX = 10**8


def _side_bet_options(function: Any) -> Any:
    """An option for the stake on each side bet that cards alone decide."""
    for each in SESSION_BETS:
        name = each.kind.replace("_", "-")
        text = f"A {each.kind.replace('_', ' ')} wager every round."
        function = click.option(f"--{name}", type=MoneyType(), default="0", help=text)(function)
    return function


@click.command()
@click.argument("rules")
@click.option(
    "--bankroll", type=MoneyType(), default="500", show_default=True, help="The starting money."
)
@click.option("--bet", type=MoneyType(), default="10", show_default=True, help="The primary wager.")
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
@click.option("--table-max", type=MoneyType(), help="The table's limit.  [default: 100 bets]")
@click.option("--tie", type=MoneyType(), default="0", help="A tie wager every round.")
@click.option("--war-tie", type=MoneyType(), default="0", help="A tie wager at every war.")
@_side_bet_options
@click.option("--meter", type=int, help="The progressive meter, in cents.  [default: its reset]")
@click.option("--policy", type=click.Choice(["war", "surrender"]), default="war")
@click.option("--target", type=MoneyType(), help="Stop when the bankroll reaches this.")
@click.option("--stop-win", type=MoneyType(), help="Stop after winning this.")
@click.option("--stop-loss", type=MoneyType(), help="Stop after losing this.")
@click.option("--rounds-per-hour", type=int, default=60, show_default=True)
@click.option("--decks", type=int, help="The number of decks; any number, for study.")
@click.option("--option", "options", multiple=True, help="A named option of the book: name=value.")
@click.option("--seed", type=int, help="The same seed gives the same paths.")
@click.option("--threads", type=int, help="How many threads.  [default: all cores]")
@click.option("--cluster", help="The address of a Dask scheduler, such as tcp://host:8786.")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="A chart: .svg or .png.")
@click.option("--save", type=click.Path(path_type=Path), help="The paths: .csv, .json or .parquet.")
@click.option("--save-paths", type=RoundsType(), default="1000", show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print JSON, amounts in cents.")
def command(
    rules: str,
    output: Path | None,
    save: Path | None,
    save_paths: int,
    seed: int | None,
    threads: int | None,
    cluster: str | None,
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
    from wartable.sim.planning import plan_session
    from wartable.sim.session import tables_of
    from wartable.sim.summary import summary

    session = plan_session(chosen_book(rules, settings.pop("options")), **settings)
    chosen, workers = seed_of(seed), threads_of(threads)
    with interruptions("session"):
        tables = tables_of(session)
        walked = _walked(session, tables, chosen, workers, cluster)
        if not walked.paths:
            raise Interrupted("interrupted before any session was finished.")
        if walked.interruption:
            click.echo(f"wartable: {walked.interruption}; the result is partial.", err=True)
        document = summary(session, tables, walked, chosen, rounds_per_hour)
    _write(session, tables, chosen, document, output, save, save_paths)
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(document)).decode())
    else:
        from wartable.sim.show import show_session

        show_session(document)
    sys.exit(3 if walked.partial else 0)


def _walked(session: Any, tables: Any, seed: int, threads: int, cluster: str | None) -> Any:
    """All sessions, walked here or on a cluster."""
    with progress_bar(session.paths, True, "sessions") as progress:
        if cluster is None:
            from wartable.sim.session import walk

            return walk(session, tables, seed, threads, progress)
        needs("cluster", "distributed")
        from wartable.sim.cluster import connected, walk_on

        with connected(cluster) as client:
            return walk_on(client, session, tables, seed, progress)


def _check_files(output: Path | None, save: Path | None, rounds_per_hour: int) -> None:
    if output is not None and output.suffix not in CHARTS:
        raise BadInput(f"A chart's file ends in .svg or .png, unlike {output.name}.")
    if output is not None and not output.absolute().parent.is_dir():
        raise BadInput(f"There is no directory {output.parent} to write {output.name} to.")
    if save is not None:
        check_saved(save)
    if not 1 <= rounds_per_hour <= 10**6:
        raise BadInput(f"The rounds per hour must be 1 to 1000000, not {rounds_per_hour}.")
    if output is not None:
        needs("plots", "matplotlib")


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
    columns = {
        "path": numbers.ravel() + 1,
        "round": rounds.ravel(),
        "bankroll": paths.ravel(),
    }
    listed = file.suffix == ".json"
    document = {name: column.tolist() for name, column in columns.items()} if listed else {}
    CallAnswer("paths", document, {"paths": columns}).save(file)
