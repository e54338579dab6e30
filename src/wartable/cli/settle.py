"""`wartable settle`: what a hand should have paid."""

import json
import sys
from pathlib import Path
from typing import Any, BinaryIO, Literal, NoReturn

import click
import msgspec
from rich.box import SIMPLE_HEAD
from rich.table import Table

from wartable import inscription
from wartable.cli.output import console, printable
from wartable.game.wagers import WAGER
from wartable.rules.model import WagerKind
from wartable.settle import Settlement, differences, settle
from wartable.telling import money
from wartable.worked import Malformed, read_round

INPUT_BYTES_MAX = 64 * 2**20


@click.command("settle")
@click.argument("file", default="-", type=click.Path(path_type=Path, allow_dash=True))
@click.option("--json", "as_json", is_flag=True, help="Print results and errors as JSON.")
@click.option("--check", is_flag=True, help="Compare with `expect`; exit 1 on any difference.")
def command(file: Path, as_json: bool, check: bool) -> None:
    """Settle one worked round, or a list of them, from FILE or standard input.

    Amounts are in cents. docs/settle.md describes the format.

    Example: wartable settle rounds.json --check
    """
    errors: list[dict[str, str]] = []
    results: list[tuple[Settlement, list[str]]] = []
    rounds, single = _read(file, as_json)
    for number, value in enumerate(rounds, 1):
        name = _name(value, number)
        try:
            settlement = settle(read_round(value, check))
            results.append((settlement, differences(settlement) if check else []))
        except Malformed as error:
            errors.append({"id": name, "message": f"{name}: {error}"})
    if errors:
        _fail(errors, as_json)
    if as_json:
        shown = [_as_json(settlement, found, check) for settlement, found in results]
        click.echo(msgspec.json.encode(shown[0] if single else shown))
    else:
        for number, (settlement, found) in enumerate(results, 1):
            _show(settlement)
            for sentence in found:
                click.echo(printable(f"{settlement.worked.id or f'round {number}'}: {sentence}"))
        if not results:
            click.echo("The list has no rounds, so there is nothing to settle.")
        elif check:
            wrong = sum(bool(found) for _, found in results)
            click.echo(f"{len(results) - wrong} of {len(results)} rounds are as expected.")
    if any(found for _, found in results):
        raise click.exceptions.Exit(1)


def _read(file: Path, as_json: bool) -> tuple[list[Any], bool]:
    """The rounds of the input, and whether it was one round rather than a list."""
    try:
        if str(file) == "-":
            data = _limited(sys.stdin.buffer)
        else:
            with file.open("rb") as source:
                data = _limited(source)
        value = msgspec.json.decode(data)
        json.loads(data, object_pairs_hook=_unique)
    except OSError as error:
        _fail([{"id": "", "message": f"{file} cannot be read: {error.strerror}."}], as_json)
    except RecursionError:
        _fail([{"id": "", "message": "the input is nested too deeply."}], as_json)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        _fail([{"id": "", "message": f"the input is not JSON: {error}."}], as_json)
    except Malformed as error:
        _fail([{"id": "", "message": str(error)}], as_json)
    if isinstance(value, list):
        return value, False
    return [value], True


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object's keys; a repeated one is refused, since the last would win silently."""
    keys = dict(pairs)
    if len(keys) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise Malformed(f"the input is ambiguous: an object has the key {twice!r} twice.")
    return keys


def _limited(source: BinaryIO) -> bytes:
    data = source.read(INPUT_BYTES_MAX + 1)
    if len(data) > INPUT_BYTES_MAX:
        raise Malformed(f"the input is larger than {INPUT_BYTES_MAX} bytes; settle it in parts.")
    return data


def _name(value: Any, number: int) -> str:
    name = value.get("id") if isinstance(value, dict) else None
    return name if isinstance(name, str) and name else f"round {number}"


def _fail(errors: list[dict[str, str]], as_json: bool) -> NoReturn:
    """Say what is wrong on standard error and end with 2; nothing on standard output."""
    if as_json:
        click.echo(msgspec.json.encode({"errors": errors}), err=True)
    else:
        for error in errors:
            click.echo(printable(f"wartable: {error['message']}"), err=True)
    raise click.exceptions.Exit(2)


def _as_json(settlement: Settlement, found: list[str], check: bool) -> dict[str, Any]:
    return settlement.as_json() | ({"differences": found} if check else {})


def _show(settlement: Settlement) -> None:
    """The table for people: every wager with its net, the reason and the clauses behind it."""
    worked = settlement.worked
    title = "  ".join(part for part in (worked.id, worked.rules, worked.title) if part)
    table = Table(title=printable(title), title_justify="left", title_style="bold", box=SIMPLE_HEAD)
    table.add_column("wager", overflow="fold")
    table.add_column("staked", justify="right", no_wrap=True)
    table.add_column("net", justify="right", no_wrap=True)
    table.add_column("why (clauses)", overflow="fold")
    for index in range(len(worked.hands)):
        for row in _rows(settlement, index):
            table.add_row(*row)
    table.add_row("banker", "", money(settlement.state.banker_net, "+"), _set(settlement))
    console().print(table)


def _set(settlement: Settlement) -> str:
    """The named options that the round sets."""
    options = settlement.worked.settings.options
    return ", ".join(f"option {name} = {value}" for name, value in options.items())


def _rows(settlement: Settlement, index: int) -> list[tuple[str, ...]]:
    """A line for the entry, and one for each wager with the reason of its payment."""
    entry, book = settlement.worked.hands[index], settlement.book
    head = f"box {entry.box}, {printable(entry.player)}"
    if refusal := settlement.refusals.get(index):
        return [(head, "", "0.00", printable(f"refused ({refusal.code}): {refusal.message}"))]
    hand = settlement.hand(index)
    if hand is None:
        return []
    rows: list[tuple[str, ...]] = [(head, "", money(hand.net, "+"), "")]
    for wager in hand.wagers:
        label = book.rules.label(wager.kind)
        why = _why(settlement, wager.kind, wager.outcome)
        if wager.uncovered and wager.outcome not in ("uncovered", "unmatched"):
            why = f"{why}; {money(wager.uncovered)} not covered, returned"
        rows.append((f"  {label}", money(wager.staked), money(wager.net, "+"), why))
    if hand.envy:
        label = book.rules.label("envy")
        rows.append((f"  {label}", "", money(hand.envy, "+"), _why(settlement, "envy", "won")))
    return rows


def _why(settlement: Settlement, wager: WagerKind | Literal["envy"], outcome: str) -> str:
    """The words for an outcome by the book in force, its clauses, and the option behind it."""
    book, options = settlement.book, settlement.worked.settings.options
    words = inscription.words(book, wager, outcome)
    clauses = ", ".join(book.clauses(wager, outcome))
    option = None if wager == "envy" else WAGER[wager].paying_option(outcome)
    if option in options:
        words = f"{words}, by the option {option}"
    return f"{words} ({clauses})" if clauses else f"{words} (no clause: the options allow it)"
