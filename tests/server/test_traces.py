"""A request or command is logged under one id by every server that it passes, up to its row."""

import json
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import httpx
import pytest
import sqlalchemy as sa
from websockets.sync.client import connect

from recorded_houses import new_database
from several_servers import OPEN, SECRET, WAITS, Json, Server
from tampering import altered
from waiting import WAIT_S, until
from wartable.server.carrying import first_line
from wartable.server.records import database, servers, table_leases
from wartable.server.records.keys import HouseKey

pytestmark = pytest.mark.slow("starts the program")

TRACE = "x-wartable-trace"
FORGED = "feedfacefeedface"
LONG = "x" * 5_000


class TwoServers:
    """A server that has the house, a wing, and a guest whose table is at the wing."""

    def __init__(self, house: Server, wing: Server, engine: sa.Engine) -> None:
        self.house, self.wing, self.engine = house, wing, engine
        self.both = (house, wing)
        self.token, self.table, self.came, self.opened = "", "", "", ""

    def come(self) -> None:
        """Have guests come to the wing until one has a table there."""

        def at_wing() -> bool:
            with httpx.Client(base_url=self.address(self.wing), timeout=WAIT_S) as http:
                guest = http.post("/guest")
                if guest.is_server_error:
                    return False
                self.token, self.came = guest.json()["token"], guest.headers[TRACE]
                private, bearer = {"book": "online"}, {"Authorization": f"Bearer {self.token}"}
                opened = http.post("/tables/private", json=private, headers=bearer)
                if opened.is_server_error:
                    return False
                self.table = opened.raise_for_status().json()["name"]
                self.opened = opened.headers[TRACE]
            return table_leases.server_of(self.engine, self.table) == self.wing.owner

        until(at_wing, "no table is at the wing")

    def address(self, server: Server) -> str:
        """Where clients find a server."""
        return f"http://127.0.0.1:{server.port}"

    def command(self, server: Server, message: Json, **headers: str) -> httpx.Response:
        """The answer to a command that is sent to a server over HTTP."""
        bearer = {"Authorization": f"Bearer {self.token}"}
        url = f"{self.address(server)}/tables/{self.table}/commands"
        return httpx.post(url, json=message, headers=bearer | headers, timeout=WAIT_S)

    def events(self, server: Server, trace: str) -> list[str]:
        """What a server has logged under an id, once it has logged the request or the row."""
        return [line["event"] for line in server.logged(trace)]

    def answered(self, trace: str) -> bool:
        """Whether the server that has the house has logged a request under this id."""
        return "request" in self.events(self.house, trace)

    def row(self, server: Server, trace: str) -> Json:
        """The line about the row that was written under this id."""
        written = until(
            lambda: [each for each in server.logged(trace) if each["event"] == "row written"],
            "no row is logged",
        )
        assert written is not None
        return written[-1]


@pytest.fixture
def two(tmp_path: Path, postgres_server: str) -> Iterator[TwoServers]:
    """Two servers of one house."""
    folder, address = tmp_path, new_database(postgres_server)
    with ExitStack() as ending:
        engine = database.engine_for(address)
        ending.callback(engine.dispose)
        both = [Server(folder / name, address, relayed=False) for name in ("one", "two")]
        for server in both:
            ending.callback(server.end)
            server.start()
            server.wait_said(OPEN if server is both[0] else WAITS)
        until(lambda: len(servers.running(engine)) == 2, "not both are entered")
        found = TwoServers(both[0], both[1], engine)
        found.come()
        yield found


def test_one_id_at_every_server(two: TwoServers) -> None:
    """What a client asks can be followed from the first server to the row, and nobody forges it."""
    a_request_that_is_carried(two)
    a_command_that_is_forwarded(two)
    a_command_over_a_websocket_that_is_carried(two)
    no_client_chooses_an_id(two)
    an_id_of_somebody_else_is_not_believed(two)


def a_request_that_is_carried(two: TwoServers) -> None:
    """The server that it came to and the one that answers it have the same id; so has the row."""
    connection, _, number = two.came.partition("-")
    assert number == "1"
    first = two.wing.logged(connection)[0]
    assert (first["event"], first["trace"]) == ("carried", connection)
    assert first["to"] == two.house.owner
    until(partial(two.answered, two.came), "no request is logged")
    rows = [each for each in two.house.logged(two.came) if each["event"] == "row written"]
    assert {each["table"] for each in rows} == {"office", "cashier"}
    for each in rows:
        row = next(database.rows_of(two.engine, each["table"], each["number"] - 1))
        assert row.number == each["number"]
    assert all(each["trace"] == two.came for each in two.house.logged(two.came))


def a_command_that_is_forwarded(two: TwoServers) -> None:
    """It is carried to the house and forwarded to the wing, which writes: one id at both."""
    join = {"type": "join", "id": "join", "amount": 20_000, "seat": 1}
    answer = two.command(two.wing, join)
    trace, connection = answer.headers[TRACE], answer.headers[TRACE].partition("-")[0]
    assert answer.json()["type"] == "accepted"
    line = two.row(two.wing, trace)
    assert (line["table"], line["number"]) == (two.table, answer.json()["number"])
    row = next(database.rows_of(two.engine, two.table, line["number"] - 1))
    assert row.command_id.endswith("/join")
    assert two.events(two.wing, connection)[0] == "carried"
    assert [each["to"] for each in two.house.logged(trace) if each["event"] == "forwarded"] == [
        two.wing.owner
    ]
    again = two.command(two.house, join)
    assert two.row(two.wing, again.headers[TRACE])["number"] == line["number"], "the same row"


def a_command_over_a_websocket_that_is_carried(two: TwoServers) -> None:
    """Each of its messages has an id of its own, after that of the connection."""
    bearer = {"Authorization": f"Bearer {two.token}"}
    address = f"ws://127.0.0.1:{two.house.port}/play?table={two.table}"
    before = len(two.house.log)
    with connect(address, additional_headers=bearer, open_timeout=WAIT_S) as socket_:
        wager = {"type": "bet", "box": 1, "wager": "primary"}
        messages: list[Json] = [{"type": "hello", "table": two.table}]
        messages.append({"type": "join", "id": "sit", "amount": 20_000, "seat": 1})
        messages.append({**wager, "id": "much", "amount": 10**9})
        messages.append({**wager, "id": "bet", "amount": 500})
        messages.append({"type": "withdraw", "id": "off", "box": 1, "wager": "primary"})
        answers = {}
        for message in messages:
            socket_.send(json.dumps(message))
        while "off" not in answers:
            answer = json.loads(socket_.recv(WAIT_S))
            answers[answer.get("id", "")] = answer
    assert answers["bet"]["type"] == "accepted", answers["bet"]
    until(lambda: '"carried"' in two.house.log[before:], "it is not logged that it was carried")
    lines = map(json.loads, two.house.log[before:].splitlines())
    connection = next(each["trace"] for each in lines if each["event"] == "carried")
    line = two.row(two.wing, f"{connection}-4")
    assert (line["table"], line["number"]) == (two.table, answers["bet"]["number"])
    assert two.row(two.wing, f"{connection}-5")["number"] == answers["off"]["number"]
    opened = [each for each in two.wing.logged(two.opened) if each["event"] == "row written"]
    assert [each["number"] for each in opened] == [1], "what comes later is not of who opened it"
    refused = two.wing.logged(f"{connection}-3")
    assert [each["event"] for each in refused] == ["command refused"]
    assert refused[0]["code"] == answers["much"]["code"]


def no_client_chooses_an_id(two: TwoServers) -> None:
    """Whatever headers it sends; what is logged of its path has a limit."""
    headers = {TRACE: f"{FORGED}-1", "x-request-id": FORGED, "traceparent": FORGED}
    leave = {"type": "withdraw", "id": FORGED, "box": 1, "wager": "primary"}
    for server in two.both:
        answer = two.command(server, leave, **headers)
        assert answer.headers.get_list(TRACE) != [headers[TRACE]]
        assert len(answer.headers.get_list(TRACE)) == 1
        long = httpx.get(f"{two.address(server)}/{LONG}", headers=headers, timeout=WAIT_S)
        until(partial(two.answered, long.headers[TRACE]), "no request is logged")
    assert not any(two.events(each, FORGED) for each in two.both)
    assert not any(LONG[:1_000] in each.log for each in two.both)


def an_id_of_somebody_else_is_not_believed(two: TwoServers) -> None:
    """Only a server of the house names an id to another; without its key nothing is logged."""
    running = {each.name: each.address for each in servers.running(two.engine)}
    host, _, port = running[two.wing.owner].rpartition(":")
    line = first_line(HouseKey(SECRET), two.wing.owner, ("192.0.2.7", 4711), FORGED)
    foreign = first_line(HouseKey(bytes(32)), two.wing.owner, ("192.0.2.7", 4711), FORGED)
    said, _, code = line.rstrip(b"\n").rpartition(b" ")
    changed = said + b" " + altered(code.decode()).encode() + b"\n"
    request = b"GET /metrics/server HTTP/1.1\r\nHost: between\r\nConnection: close\r\n\r\n"
    for each in (foreign, changed, b"GET / HTTP/1.1\r\n", line):
        with socket.create_connection((host, int(port)), WAIT_S) as there:
            there.sendall(each + request)
            answer = there.recv(65_536)
            assert answer.startswith(b"HTTP/1.1 200" if each is line else b""), answer
            assert bool(answer) is (each is line)
        if each is line:
            until(lambda: two.events(two.wing, FORGED), "the house's own is believed")
        assert bool(two.events(two.wing, FORGED)) is (each is line)
