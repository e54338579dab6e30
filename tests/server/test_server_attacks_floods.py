"""Floods: what one client sends without end costs the house a bounded amount, and nobody else."""

import socket
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from hosting import Client, Hosted
from waiting import WAIT_S, until
from wartable.server.http.connection import Connection, Dropped

PINGS_BYTES = 16_000_000
KEPT_BYTES_MAX = 2_000_000
STUCK_S = 2


def test_pings_of_a_client_that_never_reads(tmp_path: Path) -> None:
    """Answers to pings that nobody takes do not pile up: the client is not read any further."""
    ping = bytes([0x89, 0x80 | 125, 0, 0, 0, 0]) + b"x" * 125
    many = ping * 1_000
    with Hosted(tmp_path) as hosted, hosted.deaf() as deaf:
        deaf.settimeout(STUCK_S)
        sent = 0
        try:
            while sent < PINGS_BYTES:
                sent += deaf.send(many[sent % len(ping) :])
        except TimeoutError:
            pass
        waiting: list[Any] = list(hosted.server.server_state.connections)
        assert waiting
        assert all(
            each.transport.get_write_buffer_size() < KEPT_BYTES_MAX
            for each in waiting
            if each.transport is not None
        )
        with hosted.guest() as calm:
            calm.private("online")


def test_pings_of_a_client_that_reads(tmp_path: Path) -> None:
    """A client that takes its answers is answered every ping and command, however many it sent."""
    with Hosted(tmp_path) as hosted, hosted.guest() as client:
        client.hello("washington 1")
        pongs = [client.socket.ping(b"%d" % number) for number in range(2_000)]
        client.say("ping", id="after")
        assert client.hear("pong")["id"] == "after"
        assert all(pong.wait(WAIT_S) for pong in pongs)


def test_commands_over_http_have_a_rate(tmp_path: Path) -> None:
    """Commands by HTTP are as limited as those by WebSocket, for each account alone."""
    hosted, path = Hosted(tmp_path, messages_per_s=1), "/tables/washington 1/commands"
    with hosted, hosted.guest() as loud, hosted.guest() as calm:
        codes = []
        for number in range(130):  # a minute may end meanwhile, but not two
            body = {"type": "leave", "id": str(number)}
            codes.append(loud.http.post(path, json=body).status_code)
        assert codes[:60] == [409] * 60
        assert 429 in codes
        assert calm.http.post(path, json={"type": "leave", "id": "1"}).status_code == 409


def test_a_body_that_does_not_come(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A request whose body comes too slowly is refused instead of held for ever."""
    for place in ("app", "sockets"):
        monkeypatch.setattr(f"wartable.server.http.{place}.BODY_S", 0.2)
    with (
        Hosted(tmp_path) as hosted,
        socket.create_connection(hosted.listening.getsockname(), WAIT_S) as slow,
    ):
        slow.sendall(
            f"POST /sign-in HTTP/1.1\r\nHost: {hosted.host}\r\nContent-Type: application/json\r\n"
            "Content-Length: 100\r\n\r\n{".encode()
        )
        assert slow.recv(1_000).startswith(b"HTTP/1.1 408 ")


def test_a_head_that_does_not_come(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who connects and does not say what for is let go; who has said it stays."""
    monkeypatch.setattr("wartable.server.http.sockets.HEAD_S", 0.5)
    get = f"GET /health HTTP/1.1\r\nHost: {{}}\r\nX-Long: {'x' * 100}\r\n\r\n"
    with Hosted(tmp_path, books=("online",)) as hosted, hosted.guest() as calm:
        calm.hello("online 1")
        head = get.format(hosted.host).encode()
        for begun in (b"", head[:9], head + head[:-2]):
            with socket.create_connection(hosted.listening.getsockname(), WAIT_S) as slow:
                slow.sendall(begun)
                answered = b""
                while more := slow.recv(10_000):
                    answered += more
                assert answered.count(b" 200 OK") == (len(begun) > len(head))
        assert calm.hello("online 1")["table"] == "online 1"
        assert calm.get("/me")["name"] == calm.name


def test_more_tables_than_the_house_can_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beyond the limit of open tables a new one is refused; those that are open go on."""
    with Hosted(tmp_path) as hosted, hosted.guest() as one, hosted.guest() as two:
        one.private("online")
        monkeypatch.setattr("wartable.server.pit.TABLES_MAX", len(hosted.house.floor.places))
        assert two.post("/tables/private", 503, book="online")["code"] == "full"
        one.play(1, deal=True)


def from_address(hosted: Hosted, address: str) -> ClientConnection:
    """A connection of nobody's that a proxy passes on from that address."""
    headers = {"X-Forwarded-For": address}
    return connect(
        f"ws://{hosted.host}/play", additional_headers=headers, open_timeout=WAIT_S, max_queue=None
    )


def let_in(socket_: ClientConnection) -> bool:
    """Whether the house answers the connection, and does not close it as one too many."""
    try:
        socket_.send('{"type":"ping","id":"1"}')
        return "pong" in str(socket_.recv(WAIT_S))
    except ConnectionClosed:
        told = socket_.close_reason or ""
        return (socket_.close_code, "connections open; close" in told) != (4429, True)


def test_one_address_does_not_take_all_connections(tmp_path: Path) -> None:
    """Beyond its number an address gets no connection, another still does, and a place is freed."""
    hosted = Hosted(tmp_path, books=("online",), connections_per_address=3)
    with hosted, ExitStack() as open_:

        def come(address: str) -> ClientConnection:
            return open_.enter_context(from_address(hosted, address))

        crowd = [come("192.0.2.7") for _ in range(3)]
        assert all(map(let_in, crowd))
        one_more = come("192.0.2.7")
        assert not let_in(one_more)
        told = "This address has 3 of 3 connections open; close a page there."
        assert one_more.close_reason == told
        assert let_in(come("192.0.2.8"))
        assert all(map(let_in, crowd))
        crowd.pop().close()
        floor = hosted.house.floor
        until(lambda: floor.from_address["192.0.2.7"] == 2, "who has gone is still counted")
        assert let_in(come("192.0.2.7"))
        with hosted.http() as http:
            shown = http.get("/metrics").text
        assert 'wartable_connections_dropped_total{reason="too_many"} 1' in shown


def test_one_account_does_not_take_all_connections(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An account has so many connections, from wherever; another account is not concerned."""
    monkeypatch.setattr("wartable.server.http.connection.CONNECTIONS_PER_ACCOUNT", 2)
    drop, counted = Connection._drop, list[int]()

    async def watched(self: Connection, why: Dropped) -> None:
        counted.append(hosted.house.floor.of_account[self._name])
        await drop(self, why)

    monkeypatch.setattr(Connection, "_drop", watched)
    with Hosted(tmp_path, books=("online",)) as hosted, hosted.guest() as other:
        one = hosted.guest()
        devices = [Client(hosted, one.name, one.token) for _ in range(3)]
        assert [let_in(device.socket) for device in devices] == [True, True, False]
        told = "This account has 2 of 2 connections open; close one of its pages."
        assert devices[2].socket.close_reason == told
        assert counted == [2], "who is not let in counts for no moment"
        assert let_in(other.socket)
        assert all(let_in(Client(hosted, "", None).socket) for _ in range(3)), "spectators"


def signing_in(http: httpx.Client, address: str) -> int:
    """The status of a try to sign in that a proxy passes on from that address."""
    body = {"name": "nobody-here", "password": "wrong password"}
    answer = http.post("/sign-in", json=body, headers={"X-Forwarded-For": address})
    return answer.status_code


def test_tries_are_counted_by_the_address_behind_the_proxy(tmp_path: Path) -> None:
    """Everybody behind the proxy has tries of their own; of IPv6 a subscriber's network counts."""
    hosted = Hosted(tmp_path, books=("online",), attempts_per_minute=1)
    with hosted, hosted.http() as http:

        def counted_together(*addresses: str) -> bool:
            # Three, because a minute may end meanwhile, but not two.
            return 429 in [signing_in(http, address) for address in addresses]

        assert not counted_together("192.0.2.1", "192.0.2.2", "192.0.2.3")
        assert counted_together("192.0.2.4", "::ffff:192.0.2.4", "192.0.2.4:8000")
        assert not counted_together("2001:db8:0:1::1", "2001:db8:0:2::1", "2001:db8:0:3::1")
        assert counted_together("2001:db8::1", "2001:db8::2", "2001:db8::ffff:0:0:1")


def test_requests_have_a_rate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who asks for anything too often is refused, and somebody elsewhere is answered as before."""
    monkeypatch.setattr("wartable.server.http.app.BURST_S", 60)
    hosted = Hosted(tmp_path, books=("online",), requests_per_s=1)
    with hosted, hosted.http() as http:

        def ask(path: str, address: str) -> httpx.Response:
            return http.get(path, headers={"X-Forwarded-For": address})

        # A minute may end meanwhile, but not two.
        loud = [ask(path, "192.0.2.1") for path in ("/books/online", "/lobby") * 65]
        assert [each.status_code for each in loud[:60]] == [200] * 60
        refused = next(each for each in loud if each.status_code != 200)
        assert (refused.status_code, refused.json()["code"]) == (429, "too_many")
        assert refused.json()["sentence"] == "Too many requests; wait 60 seconds."
        assert ask("/lobby", "192.0.2.2").status_code == 200


def test_only_a_proxy_on_this_machine_is_believed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who is no proxy cannot make up addresses to get more tries, whatever the environment says."""
    monkeypatch.setenv("FORWARDED_ALLOW_IPS", "*")
    elsewhere = httpx.HTTPTransport(local_address="127.0.0.2")
    with Hosted(tmp_path, books=("online",), attempts_per_minute=1) as hosted:
        address = f"http://{hosted.host}"
        with httpx.Client(base_url=address, transport=elsewhere, timeout=WAIT_S) as http:
            made_up = [signing_in(http, f"192.0.2.{number}") for number in range(4)]
    assert 429 in made_up


def drip(slow: socket.socket, byte: bytes = b" ") -> bytes:
    """Send a byte at a time until the server closes the connection; what it answered."""
    slow.settimeout(0.05)
    answered, closed = b"", False
    until_s = time.monotonic() + WAIT_S
    while not closed:
        assert time.monotonic() < until_s, "the connection is not closed"
        try:
            slow.sendall(byte)
            more = slow.recv(10_000)
            answered, closed = answered + more, not more
        except TimeoutError:
            continue
        except OSError:
            closed = True
    return answered


DRIPS = {
    "POST /guest HTTP/1.1\r\nContent-Length: 100000\r\n": b" 201 ",
    "POST /sign-in HTTP/1.1\r\nContent-Length: 100000\r\n": b" 413 ",
    "POST /me/refill HTTP/1.1\r\nTransfer-Encoding: chunked\r\n": b" 408 ",
    "GET /health HTTP/1.1\r\nContent-Length: 100000\r\n": b" 200 ",
    "POST /nowhere HTTP/1.1\r\nContent-Length: 100000\r\n": b" 404 ",
}


def test_a_body_that_drips_after_the_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who has an answer and goes on sending, a byte at a time, is let go after a moment."""
    monkeypatch.setattr("wartable.server.http.sockets.GOODBYE_S", 0.3)
    for place in ("app", "sockets"):
        monkeypatch.setattr(f"wartable.server.http.{place}.BODY_S", 0.3)
    with Hosted(tmp_path, books=("online",)) as hosted, hosted.guest() as calm:
        calm.hello("online 1")
        served = hosted.server.server_state
        for head, status in DRIPS.items():
            with socket.create_connection(hosted.listening.getsockname(), WAIT_S) as slow:
                kind = "Content-Type: application/json\r\n"
                slow.sendall(f"{head}Host: {hosted.host}\r\n{kind}\r\n".encode())
                assert status in drip(slow), head
                until(lambda: len(served.connections) == 1, "it holds a place")
        assert calm.hello("online 1")["table"] == "online 1", "a WebSocket stays open"


def test_a_client_that_reads_no_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who asks for much and reads nothing is let go, and holds no answer in memory."""
    monkeypatch.setattr("wartable.server.http.sockets.READ_S", 0.3)
    with Hosted(tmp_path, books=("online",)) as hosted, socket.socket() as deaf:
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        deaf.connect(tuple(hosted.listening.getsockname()))
        ask = f"GET /schema/openapi.json HTTP/1.1\r\nHost: {hosted.host}\r\n\r\n".encode()
        served = hosted.server.server_state
        until(lambda: served.connections, "it is not connected")
        asked = ask * 200
        deaf.settimeout(WAIT_S)
        deaf.sendall(asked)
        until(lambda: not served.connections, "who reads nothing stays")
