"""`wartable serve`: the live house."""

import re
import sys
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import click
from msgspec.structs import replace

from wartable.cli import BadInput, needs, serving
from wartable.proof import ITERATIONS_MAX
from wartable.rules import NAMES
from wartable.rules.load import build, read_raw, whole_of
from wartable.rules.model import Limits
from wartable.rules.settings import HOUSE_LIMITS, LIMITED

PORT_MAX = 65_535
WORKERS_MAX = 64
BETWEEN = re.compile(r"([0-9.]+|\[[0-9a-fA-F:.]+\])(?::([0-9]{1,5}))?")
ORIGIN = re.compile(r"(https?)://([a-z0-9.-]+|\[[0-9a-f:.]+\])(?::([0-9]{1,5}))?/?")


NEEDED = (
    "litestar", "uvicorn", "sqlalchemy", "argon2", "cryptography", "websockets", "uvloop",
)  # fmt: skip  # a list of names


@click.command("serve")
@click.option("--data", default="wartable-data", show_default=True, help="The folder of the house.")
@click.option(
    "--database",
    default="",
    envvar="WARTABLE_DATABASE",
    help="PostgreSQL's address, or another SQLite file.",
)
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option(
    "--port",
    type=click.IntRange(0, PORT_MAX),
    default=8000,
    show_default=True,
    help="The port; 0 takes a free one.",
)
@click.option(
    "--money",
    type=click.Choice(["play", "deposited"]),
    default="play",
    show_default=True,
    help="The house's kind of money, which can never change.",
)
@click.option("--operator", default="Wartable", show_default=True, help="The name on the felt.")
@click.option(
    "--locale",
    default="en-US",
    show_default=True,
    help="How the pages write figures, and their language if it is en or es: such as es-MX.",
)
@click.option("--currency", default="USD", show_default=True, help="The currency of the pages.")
@click.option(
    "--layout",
    default="",
    metavar="REFERENCE",
    help="The reference under which the tables' layout was approved, where a book needs it.",
)
@click.option("--plain-felt", is_flag=True, help="Show payouts on a sign, not on the felt.")
@click.option(
    "--book",
    "books",
    multiple=True,
    type=click.Path(path_type=Path),
    help="A book of your own to play beside the five; may be repeated.",
)
@click.option(
    "--ceiling",
    metavar="AMOUNT",
    default="300",
    show_default=True,
    help="The maximum of any single wager in this house, or none.",
)
@click.option(
    "--second-approval",
    metavar="AMOUNT",
    help="Have two people approve a meter's award from this amount on.  [default: one always]",
)
@click.option(
    "--public-address",
    metavar="ADDRESS",
    default="",
    help="The address that people open, such as https://table.example.",
)
@click.option(
    "--origin",
    "origins",
    multiple=True,
    help="Another site whose pages may connect; may be repeated.",
)
@click.option(
    "--secure", is_flag=True, help="Serve behind TLS: cookies and headers for https only."
)
@click.option(
    "--proxy",
    "proxies",
    metavar="ADDRESS",
    multiple=True,
    help="A proxy on another machine that may report clients' addresses; may be repeated.",
)
@click.option(
    "--connections-per-address",
    default=200,
    show_default=True,
    type=click.IntRange(min=1),
    help="How many connections to tables one address may have.",
)
@click.option(
    "--between",
    metavar="ADDRESS[:PORT]",
    default="127.0.0.1",
    show_default=True,
    help="Where the other servers of this house reach this one, on PostgreSQL.",
)
@click.option(
    "--workers",
    type=click.IntRange(1, WORKERS_MAX),
    default=1,
    show_default=True,
    help="How many servers of the house to start here behind one port, on PostgreSQL.",
)
@click.option("--any-port", is_flag=True, help="Take a free port if this one is taken.")
@click.option("--no-bots", is_flag=True, help="Allow no bots at the tables.")
@click.option(
    "--order",
    type=click.Choice(["shoe", "after_bets"]),
    default="shoe",
    show_default=True,
    help="When cards of shared tables are ordered: once a shoe, or after every 'no more bets'.",
)
@click.option(
    "--iterations",
    type=click.IntRange(1, ITERATIONS_MAX),
    default=5_000_000,
    show_default=True,
    help="How long the order of a shared table's cards is calculated.",
)
@click.option(
    "--approve", metavar="REASON", help="Approve the program as it is now, for this reason."
)
def command(
    data: str,
    database: str,
    host: str,
    port: int,
    money: str,
    operator: str,
    locale: str,
    currency: str,
    layout: str,
    plain_felt: bool,
    books: tuple[Path, ...],
    ceiling: str,
    second_approval: str | None,
    public_address: str,
    origins: tuple[str, ...],
    secure: bool,
    proxies: tuple[str, ...],
    connections_per_address: int,
    between: str,
    workers: int,
    any_port: bool,
    no_bots: bool,
    order: str,
    iterations: int,
    approve: str | None,
) -> None:
    """Run a house with live tables of all five books, for play money or deposited money.

    Example: wartable serve --port 8000
    """
    needs("server", *NEEDED)
    if database.startswith("postgresql://"):
        needs("postgres", "psycopg")
    from wartable.server import logs
    from wartable.server.config import Config

    if approve is not None and not approve.strip():
        raise BadInput("an approval needs a reason.")
    logs.set_up(sys.stderr)
    own = _own_books(books)
    config = Config(
        Path(data),
        database,
        (*NAMES, *own),
        own,
        _limits(ceiling),
        money=money,  # type: ignore[arg-type]  # one of the choices
        operator=operator,
        locale=_locale(locale),
        currency=_currency(currency),
        layout=layout.strip(),
        inscribed=not plain_felt,
        public=_origin(public_address, secure),
        origins=tuple(origins),
        secure=secure,
        proxies=tuple(map(_machine, proxies)),
        connections_per_address=connections_per_address,
        second_approval=_second(second_approval),
        bots=not no_bots,
        order=order,  # type: ignore[arg-type]  # one of the choices
        iterations=iterations,
        approve=approve or "",
    )
    place = _place(between)
    _check_workers(workers, config, place)
    with serving.bound(host, port, any_port) as listening:
        serving.run(config, listening, host, place, workers)


def _origin(address: str, secure: bool) -> str:
    """The origin of pages at that address, as browsers write it."""
    if not address:
        return ""
    found = ORIGIN.fullmatch(address.strip().lower())
    if found is None:
        raise BadInput(
            f"{address} is not a public address; give one such as https://table.example."
        )
    scheme, host, port = found.groups()
    if secure and scheme != "https":
        raise BadInput(f"{address} is not behind TLS; with --secure it begins with https://.")
    default = {"http": "80", "https": "443"}[scheme]
    return f"{scheme}://{host}" + (f":{port}" if port and port != default else "")


def _locale(locale: str) -> str:
    """A language and a country, as browsers write them."""
    from wartable.server.config import LOCALE

    if LOCALE.fullmatch(locale) is None:
        raise BadInput(f"{locale} is no locale; give one such as en-US or es-MX.")
    return locale


def _currency(currency: str) -> str:
    """A currency by its code, which must have hundredths as the records do."""
    from wartable.server.config import CURRENCY, NO_HUNDREDTHS

    if CURRENCY.fullmatch(currency) is None or currency in NO_HUNDREDTHS:
        raise BadInput(f"{currency} is no currency with hundredths; give one such as USD or NZD.")
    return currency


def _machine(address: str) -> str:
    """The address of a machine, as connections show it."""
    try:
        return str(ip_address(address.strip()))
    except ValueError:
        raise BadInput(f"{address} is not a proxy's address; give one such as 192.0.2.1.") from None


def _own_books(files: tuple[Path, ...]) -> dict[str, Any]:
    """The content of the house's own books by name."""
    own: dict[str, Any] = {}
    for path in files:
        content = whole_of(read_raw(path))
        name = build(content).rules.name
        if name in own or name in NAMES:
            raise BadInput(f"{path}: there is already a book {name}; give yours another name.")
        own[name] = content
    return own


def _cents(text: str) -> int:
    """An amount of money in cents; nothing if it is none."""
    match = re.fullmatch(r"([0-9]{1,10})(?:\.([0-9]{2}))?", text.replace(",", ""))
    return int(match[1]) * 100 + int(match[2] or 0) if match else 0


def _second(text: str | None) -> int | None:
    """The amount from which on two people approve an award."""
    if text is None:
        return None
    if not (amount := _cents(text)):
        raise BadInput(f"the second approval is an amount such as 5000, not {text}.")
    return amount


def _limits(ceiling: str) -> Limits:
    """The limits of a house with this ceiling; its tables' maximums are no higher."""
    if ceiling == "none":
        return replace(HOUSE_LIMITS, ceiling=None)
    least = max(getattr(HOUSE_LIMITS, kind).min for kind in LIMITED)
    amount = _cents(ceiling)
    if amount < least:
        accepted = f"an amount from {least / 100:.2f}, such as 500, or none"
        raise BadInput(f"the ceiling is {accepted}, not {ceiling}.")
    return replace(HOUSE_LIMITS, ceiling=amount)


def _place(between: str) -> tuple[str, int]:
    """The address and port that other servers connect to; port 0 takes a free one."""
    found = BETWEEN.fullmatch(between.strip())
    if found is None or int(found[2] or 0) > PORT_MAX:
        raise BadInput(f"{between} is no place between servers; give one such as 192.0.2.11:8001.")
    return _machine(found[1].strip("[]")), int(found[2] or 0)


def _check_workers(count: int, config: Any, between: tuple[str, int]) -> None:
    """Refuse workers where there can be only one."""
    if count > 1 and not config.database.startswith("postgresql://"):
        raise BadInput(
            "a SQLite file has one server, because one process locks it; give --workers a"
            " PostgreSQL --database."
        )
    if count > 1 and between[1]:
        raise BadInput("every worker has a port of its own; give --between without a port.")
