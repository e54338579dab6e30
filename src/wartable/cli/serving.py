"""The program that serves a house or a wing of it: its sockets, its workers, its change of role."""

import asyncio
import errno
import socket
import sys
import time
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import click

from wartable.cli import BadInput
from wartable.cli.house import speaking

AGAIN_S = 1
"""How long a server waits before it tries a database again that it could not reach."""
OPEN = "Wartable is open at {}"
CARRYING = (
    "Another server has this house open; the one at {} has tables of it, carries everything"
    " else there, and waits to take over."
)
BACKLOG = 2_048
LINUX = sys.platform == "linux"
NEIGHBORS = "neighbors"
"""The folder, in that of the house, in which the servers of one machine find each other."""


def run(
    config: Any, listening: socket.socket, host: str, between: tuple[str, int], count: int
) -> None:
    """Serve in this process, or in this many workers."""
    from wartable.cli import workers

    address = f"http://{host}:{listening.getsockname()[1]}"
    # Servers hand connections over through /proc, which only Linux has; elsewhere they carry them.
    machine = config.folder / NEIGHBORS if count > 1 and LINUX else None

    def serve(own: Any, begun: Any = lambda: None) -> None:
        _keep_open(own, listening, address, between, machine, begun)

    if count == 1:
        serve(config)
    else:
        shared = f"{count} servers of this house answer at {address}"
        workers.run(config, count, serve, lambda: click.echo(shared))


def _keep_open(
    config: Any,
    listening: socket.socket,
    address: str,
    between: tuple[str, int],
    machine: Path | None,
    begun: Any,
) -> None:
    """Serve the house, or a wing while another server has the house open; report once it serves.

    `machine` is the folder in which the servers of this machine find each other.
    """
    from wartable.server import upkeep
    from wartable.server.records.store import is_postgres

    upkeep.collect_seldom()
    with ExitStack() as ending:
        inner = None
        if is_postgres(config.database):
            inner = ending.enter_context(bound(*between, any_port=False, option="--between"))
        house = _opened(config, listening)
        while upkeep.run(_serve(house, listening, inner, address, machine, begun)):
            house = _again(config, listening, house)


def _opened(config: Any, listening: socket.socket, lease: Any = None) -> Any:
    """The house, or a wing of it if another server has it open."""
    from wartable.server.records.lease import HouseTaken
    from wartable.server.running import House
    from wartable.server.wing import Wing

    with speaking():
        try:
            return House(config, lease=lease)
        except HouseTaken:
            listening.listen()  # connections queue from now on
            return Wing(config)


def _again(config: Any, listening: socket.socket, before: Any) -> Any:
    """What a server that won or lost the house serves next, once the database answers."""
    from sqlalchemy.exc import OperationalError

    from wartable.server.logs import LOG

    lease = before.won()
    while True:
        try:
            return _opened(config, listening, lease)
        except OperationalError:  # the database cannot be reached, perhaps only for a moment
            LOG.warning("database not reached")
            lease = None
            time.sleep(AGAIN_S)


def _told(inner: socket.socket) -> str:
    """The address of a socket, in the form that other servers are given."""
    host, port = inner.getsockname()[:2]
    return f"{host}:{port}"


def bound(host: str, port: int, any_port: bool, option: str = "--host and --port") -> Any:
    """A socket at this address, so that a taken port is reported before anything is opened.

    It refuses connections until the house is open, here or elsewhere.
    """
    # Only if a socket names TCP as its protocol does asyncio send small messages without delay.
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
    except OSError as error:
        if error.errno != errno.EADDRINUSE or not any_port:
            listening.close()
            hint = f"choose another with {option}, or a free port with --any-port"
            if option == "--between":
                hint = "choose another with --between"
            raise BadInput(f"{host}:{port} cannot be used: {error.strerror}; {hint}.") from None
        listening.bind((host, 0))
    return listening


async def _take(
    server: Any,
    house: Any,
    listening: socket.socket,
    inner: socket.socket,
    machine: Path | None,
) -> None:
    """Accept the connections of clients, and those that other servers carry here or hand over."""
    from wartable.server.handing import Neighbors
    from wartable.server.http.carried import CarriedConnection, HandedConnection
    from wartable.server.http.routed import RoutedConnection

    parts = {
        "config": server.config,
        "server_state": server.server_state,
        "app_state": server.lifespan.state,
    }
    carried = partial(CarriedConnection, house.key, house.answers_to, **parts)
    carrier, neighbors = house.placing.carry(), None
    if machine is not None:
        neighbors = Neighbors(machine, carrier, house.owner, house.answers_to)
        neighbors.begin(partial(HandedConnection, **parts))
        server.servers.append(neighbors)
    routed = partial(RoutedConnection, house, carrier, neighbors, **parts)
    loop = asyncio.get_running_loop()
    for way, taken in ((carried, inner), (routed, listening)):
        taking = loop.create_server(way, sock=taken.dup(), backlog=BACKLOG)
        server.servers.append(await taking)
    await asyncio.to_thread(house.placing.enter, _told(inner))


async def _serve(
    house: Any,
    listening: socket.socket,
    inner: socket.socket | None,
    address: str,
    machine: Path | None,
    begun: Any,
) -> bool:
    """Serve until a signal; then let rounds end before connections are closed.

    `inner` accepts what other servers carry here. Return whether this server continues in the
    other role: with the house, or without it.
    """
    import uvicorn

    from wartable.server.http.app import Application, settings_for

    class Server(uvicorn.Server):
        """A server that drains the house before it exits."""

        draining: asyncio.Task[None] | None = None

        def handle_exit(self, sig: int, frame: Any) -> None:
            """Drain at the first signal, exit at once at the second."""
            if self.draining is not None or not self.started:
                super().handle_exit(sig, frame)
                return
            self.draining = asyncio.ensure_future(house.drain())
            self.draining.add_done_callback(lambda _: setattr(self, "should_exit", True))

        async def on_tick(self, counter: int) -> bool:
            """End as soon as another server has the house, or this one has taken it."""
            return await super().on_tick(counter) or house.turned

        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            """Start, accept what other servers carry here, and print where the house is open."""
            await super().startup([] if inner is not None else sockets)
            if not self.started:
                return
            if inner is not None:
                await _take(self, house, listening, inner, machine)
            click.echo((OPEN if house.leads else CARRYING).format(address))
            for sentence in house.notices():
                click.echo(sentence)
            sys.stdout.flush()
            begun()

        async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
            """Accept no more connections, unless this server continues in the other role."""
            if not house.turned or self.draining is not None:
                listening.close()
            await super().shutdown(sockets)

    server = Server(settings_for(Application(house)))
    await server.serve([listening.dup()])
    if server.draining is None and house.turned:
        return True
    if (lease := house.won()) is not None:
        lease.end()
    return False
