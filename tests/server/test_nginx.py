"""Three servers behind nginx, which knows nothing of tables, as docs/operate.md sets them up."""

import json
import random
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path

import httpx
import pytest
import sqlalchemy as sa
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

import nginx
from recorded_houses import new_database
from several_servers import (
    OPEN,
    SECRET,
    WAITS,
    Player,
    Server,
    SharedPlayer,
    all_play_on,
    check,
    has_house,
)
from waiting import WAIT_S, until
from wartable.server.audit import verify
from wartable.server.records import database
from wartable.server.records.keys import HouseKey
from wartable.server.records.servers import running

pytestmark = pytest.mark.slow("starts the program behind nginx")

PROXY = "127.0.0.2"
"""Where servers see the proxy: not where they believe everybody."""
CONNECTIONS_MAX = 4
PAUSE_S = 0.2
SHARED = "online 1"
TRACE = "x-wartable-trace"
TOO_MANY = 4429


class Behind:
    """Three servers, and the proxy in front of them."""

    def __init__(self, servers: list[Server], proxy: nginx.Proxy, engine: sa.Engine) -> None:
        self.servers, self.proxy, self.engine = servers, proxy, engine


@pytest.fixture
def behind(tmp_path: Path, postgres_server: str) -> Iterator[Behind]:
    """Three servers that believe a proxy at one address, behind it."""
    address = new_database(postgres_server)
    with ExitStack() as ending:
        engine = database.engine_for(address)
        ending.callback(engine.dispose)
        servers = [Server(tmp_path / name, address, relayed=False) for name in ("a", "b", "c")]
        most = ("--connections-per-address", str(CONNECTIONS_MAX))
        for server in servers:
            ending.callback(server.end)
            server.start("--proxy", PROXY, *most)
            server.wait_said(OPEN if server is servers[0] else WAITS)
        until(lambda: len(running(engine)) == len(servers), "not all servers are entered")
        ports = [server.port for server in servers]
        proxy = ending.enter_context(nginx.running(tmp_path / "nginx", ports, PROXY))
        yield Behind(servers, proxy, engine)


def lobby(port: int, source: str, ending: ExitStack, **headers: str) -> ClientConnection:
    """Somebody at this address who looks at the lobby."""
    way = socket.create_connection(("127.0.0.1", port), WAIT_S, (source, 0))
    there = connect(
        f"ws://127.0.0.1:{port}/play", sock=way, additional_headers=headers, open_timeout=WAIT_S
    )
    socket_ = ending.enter_context(there)
    with suppress(ConnectionClosed):  # it may be refused by now
        socket_.send(json.dumps({"type": "hello"}))
    return socket_


def let_in(socket_: ClientConnection) -> bool:
    """Whether somebody is let in; otherwise there are too many from that address."""
    try:
        return bool(json.loads(socket_.recv(WAIT_S))["type"] == "welcome")
    except ConnectionClosed as closed:
        if closed.rcvd is None or closed.rcvd.code != TOO_MANY:
            raise
        return False


def test_three_servers_behind_nginx(behind: Behind) -> None:
    """They are one house for whoever comes to the proxy, and know who that is."""
    the_same_id_is_logged(behind)
    the_client_is_who_the_proxy_says(behind)
    nobody_notices_which_server_it_is(behind)


def nobody_notices_which_server_it_is(behind: Behind) -> None:
    """One is stopped and one is killed: all play on, through the same address."""
    with ExitStack() as ending:
        doors = [behind.proxy]
        players = [Player(doors, random.Random(1)), SharedPlayer(doors, random.Random(2))]
        for player, book in zip(players, ("online", SHARED), strict=True):
            ending.callback(player.leave)
            player.pause_s = PAUSE_S
            player.come(behind.proxy, book)
        threads = [threading.Thread(target=each.play_on, daemon=True) for each in players]
        for thread in threads:
            thread.start()
        all_play_on(players)
        stopped = next(each for each in behind.servers if not has_house(behind.engine, each))
        stopped.stop()
        all_play_on(players)
        killed = next(each for each in behind.servers if has_house(behind.engine, each))
        killed.process.send_signal(signal.SIGKILL)
        (left,) = (each for each in behind.servers if each not in (stopped, killed))
        until(lambda: has_house(behind.engine, left), "nobody takes over")
        all_play_on(players)
        for player, thread in zip(players, threads, strict=True):
            player.enough.set()
            thread.join(WAIT_S)
            assert player.failure is None
            check(behind.engine, player)
    verify.verify(behind.engine, HouseKey(SECRET))


def the_client_is_who_the_proxy_says(behind: Behind) -> None:
    """Only the proxy that was named is believed, and clients of it cannot say who they are."""
    port = behind.proxy.port
    with ExitStack() as ending:
        seven = [lobby(port, "127.0.0.7", ending) for _ in range(CONNECTIONS_MAX)]
        assert all(map(let_in, seven)), "through whichever server"
        told = {"X-Forwarded-For": "127.0.0.99"}
        assert not let_in(lobby(port, "127.0.0.7", ending, **told)), "whatever it says"
        assert let_in(lobby(port, "127.0.0.8", ending))
    for server in behind.servers[:2]:  # the one that has the house, and one that carries
        with ExitStack() as ending:
            forged = [f"127.0.1.{number}" for number in range(CONNECTIONS_MAX + 1)]
            came = [
                lobby(server.port, "127.0.0.9", ending, **{"X-Forwarded-For": each})
                for each in forged
            ]
            assert [let_in(each) for each in came] == [True] * CONNECTIONS_MAX + [False]
        until(lambda: _nobody(behind), "they do not leave")


def _nobody(behind: Behind) -> bool:
    """Whether nobody is connected."""
    with ExitStack() as ending:
        came = [lobby(behind.servers[0].port, "127.0.0.9", ending) for _ in range(CONNECTIONS_MAX)]
        return all(map(let_in, came))


def _logged(behind: Behind, trace: str) -> bool:
    return trace in behind.proxy.log


def _requests(behind: Behind, trace: str) -> list[str]:
    """The paths of the requests that the servers have logged under this id."""
    found = [line for each in behind.servers for line in each.logged(trace)]
    return [line["path"] for line in found if line["event"] == "request"]


def the_same_id_is_logged(behind: Behind) -> None:
    """Metrics are not for the public; every other request can be followed from the proxy on."""
    with httpx.Client(base_url=f"http://127.0.0.1:{behind.proxy.port}", timeout=WAIT_S) as http:
        for path in ("/metrics", "/metrics/server"):
            assert http.get(path).status_code == httpx.codes.FORBIDDEN
        traces = {http.get("/lobby").raise_for_status().headers[TRACE] for _ in behind.servers}
    assert len(traces) == len(behind.servers)
    for trace in traces:
        until(partial(_logged, behind, trace), "nginx does not log it")
        # A server logs a request after its answer, which nginx may have logged already.
        until(partial(_requests, behind, trace), "no server logs it")
        assert _requests(behind, trace) == ["/lobby"]
