"""`wartable settle`: what a hand should have paid."""

import sys
from pathlib import Path
from typing import Any, BinaryIO

import click
import msgspec
from rich.console import Console
from rich.table import Table

from wartable import settle
from wartable.settle import Malformed, Settlement

INPUT_BYTES_MAX = 64 * 2**20


@click.command("settle")
@click.argument("file", default="-", type=click.Path(path_type=Path, allow_dash=True))
@click.option("--json", "as_json", is_flag=True, help="Results (and errors) as JSON.")
@click.option("--check", is_flag=True, help="Compare with `expect`; exit 1 on any difference.")
def command(file: Path, as_json: bool, check: bool) -> None:
    """Settle one worked round or a list of them from FILE, or from standard input.

    Amounts are cents. The format is described in docs/settle.md.

    Example: wartable settle rounds.json --check
    """
    errors: list[dict[str, str]] = []
    results: list[tuple[Settlement, list[str]]] = []
    rounds, single = _read(file, as_json)
    for number, value in enumerate(rounds, 1):
        name = _name(value, number)
        try:
            settlement = settle.settle(settle.read_round(value))
            results.append((settlement, settle.differences(settlement) if check else []))
        except Malformed as error:
            errors.append({"id": name, "message": f"{name}: {error}"})
    if errors:
        _fail(errors, as_json)
    if as_json:
        shown = [_as_json(settlement, found, check) for settlement, found in results]
        click.echo(msgspec.json.encode(shown[0] if single else shown))
    else:
        _show([settlement for settlement, _ in results])
        for settlement, found in results:
            for sentence in found:
                click.echo(f"{settlement.worked.id}: {sentence}")
        if check:
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
    except OSError as error:
        _fail([{"id": "", "message": f"{file} cannot be read: {error.strerror}."}], as_json)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        _fail([{"id": "", "message": f"the input is not JSON: {error}."}], as_json)
    except Malformed as error:
        _fail([{"id": "", "message": str(error)}], as_json)
    if isinstance(value, list):
        return value, False
    return [value], True


def _limited(source: BinaryIO) -> bytes:
    data = source.read(INPUT_BYTES_MAX + 1)
    if len(data) > INPUT_BYTES_MAX:
        raise Malformed(f"the input is larger than {INPUT_BYTES_MAX} bytes; settle it in parts.")
    return data


def _name(value: Any, number: int) -> str:
    name = value.get("id") if isinstance(value, dict) else None
    return name if isinstance(name, str) and name else f"round {number}"


def _fail(errors: list[dict[str, str]], as_json: bool) -> Any:
    """Say what is wrong on standard error and end with 2; nothing on standard output."""
    if as_json:
        click.echo(msgspec.json.encode({"errors": errors}), err=True)
    else:
        for error in errors:
            click.echo(f"wartable: {error['message']}", err=True)
    raise click.exceptions.Exit(2)


def _as_json(settlement: Settlement, found: list[str], check: bool) -> dict[str, Any]:
    hands: list[dict[str, Any]] = []
    for index, entry in enumerate(settlement.worked.hands):
        hand: dict[str, Any] = {"box": entry.box, "player": entry.player}
        if refusal := settlement.refusals.get(index):
            hand |= {"refused": refusal.code, "message": refusal.message}
        hands.append({**hand, **settlement.nets(index)})
    result: dict[str, Any] = {"id": settlement.worked.id, "hands": hands}
    result["banker"] = settlement.state.banker_net
    if check:
        result["differences"] = found
    return result


def _show(settlements: list[Settlement]) -> None:
    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=140)
    for settlement in settlements:
        worked = settlement.worked
        title = " ".join(part for part in (worked.id, worked.rules, worked.title) if part)
        table = Table(title=title, title_justify="left", caption_justify="left")
        for name in ("box", "player", "wager"):
            table.add_column(name)
        table.add_column("staked", justify="right")
        table.add_column("net", justify="right")
        table.add_column("why")
        table.add_column("clauses")
        for index in range(len(worked.hands)):
            for row in _rows(settlement, index):
                table.add_row(*row)
        table.caption = f"banker {money(settlement.state.banker_net)}"
        console.print(table)


def _rows(settlement: Settlement, index: int) -> list[tuple[str, ...]]:
    """One line for each wager of an entry, with the reason and clauses of its payment."""
    entry, book = settlement.worked.hands[index], settlement.book
    head = (str(entry.box), entry.player)
    if refusal := settlement.refusals.get(index):
        return [(*head, "-", "-", "0.00", f"refused ({refusal.code}): {refusal.message}", "")]
    hand = settlement.hand(index)
    if hand is None:
        return []
    rows: list[tuple[str, ...]] = []
    for wager in hand.wagers:
        label = book.rules.labels.get(wager.kind, wager.kind)
        why = book.rules.outcomes[wager.kind].get(wager.outcome, wager.outcome)
        if wager.uncovered and wager.outcome not in ("uncovered", "unmatched"):
            why = f"{why} ({money(wager.uncovered)} not covered, returned)"
        clauses = ", ".join(book.clauses(wager.kind, wager.outcome))
        rows.append((*head, label, money(wager.staked), money(wager.net, "+"), why, clauses))
    if hand.envy:
        label = book.rules.labels.get("envy", "envy")
        why = book.rules.outcomes["envy"]["won"]
        clauses = ", ".join(book.clauses("envy", "won"))
        rows.append((*head, label, "-", money(hand.envy, "+"), why, clauses))
    return rows


def money(cents: int, sign: str = "") -> str:
    """Cents as an amount with two places: 1250 is 12.50."""
    whole, part = divmod(abs(cents), 100)
    mark = "-" if cents < 0 else sign if cents else ""
    return f"{mark}{whole:,}.{part:02}"
