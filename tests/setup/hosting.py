"""A house on a loopback port of its own for tests, and clients that speak to it as any would."""

import json
import os
import socket
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import httpx
import msgspec
import uvicorn
from websockets.sync.client import ClientConnection, connect

from waiting import WAIT_S, until
from wartable.croupier import PRIVATE, Timing
from wartable.rules.model import Limit, Limits
from wartable.server.clock import HouseClock, Machine
from wartable.server.config import Config
from wartable.server.http.app import Application, settings_for
from wartable.server.running import House
from wartable.server.upkeep import run

Json = dict[str, Any]

FAST = Timing(
    bets_ms=400,
    choice_ms=3_000,
    cut_ms=50,
    bank_ms=1_000,
    seed_ms=0,
    pause_ms=0,
    bot_ms=0,
    number_ms=0,
)
OWN_PACE = msgspec.structs.replace(PRIVATE, bot_ms=0)
ANY = Limit(1, 10**9)
WIDE = Limits(ANY, ANY, ANY, ceiling=10**9)
"""Limits of a house in which tests may stake what they like."""
ADDRESS = ("127.0.0.1", 0)
"""Where houses listen, at any port unless one is free that the browser knows."""
OF_PAGES = {"money", "locale", "currency"}
"""What makes the pages of a house differ from those of another one."""
PASSWORD = "correct horse battery"
"""Of every account that is registered here."""
NO_KEEPING = httpx.Limits(max_keepalive_connections=0)
"""A kept connection may be sent on just when the server, who waited long enough, closes it."""
ASK_S = 1
"""After so long without a word a client asks what the table awaits."""
TOO_LATE = ("bets_closed", "no_round", "held")
"""Refusals of a bet that came when the table took none."""


class TestClock(HouseClock):
    """The machine's time, plus what a test lets pass; nobody doubts it."""

    __test__ = False

    def __init__(self) -> None:
        super().__init__()
        self.ahead_ms = 0

    def start(self, last_ms: int, doubted: bool) -> None:
        """Show the machine's time whatever is on record."""

    def not_before(self, at_ms: int) -> bool:  # noqa: ARG002  # the test lets pass what it likes
        """Show the machine's time whatever another server has written."""
        return True

    def now_ms(self) -> int:
        """Milliseconds since the epoch."""
        return time.time_ns() // 1_000_000 + self.ahead_ms


def listening(address: tuple[str, int]) -> socket.socket:
    """A socket that listens there, or at any port of loopback if somebody else does."""
    for each in (address, ("127.0.0.1", 0)):
        found = socket.socket(proto=socket.IPPROTO_TCP)
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            found.bind(each)
            found.listen()
        except OSError:
            found.close()
        else:
            return found
    raise OSError("no port is free")


class Hosted:
    """A running server in a thread; `house` may be looked at from the test."""

    def __init__(self, folder: Path, machine: Machine | None = None, **config: Any) -> None:
        """A house with a clock of the test's own, or with the real one on that machine."""
        self.clock = TestClock()
        # One address makes all the tests' attempts, and the tests that count them set their own.
        many = {"guests_per_minute": 10**9, "attempts_per_minute": 10**9}
        many |= {"requests_per_s": 10**9, "connections_per_address": 10**9}
        quick: Json = {"shared": FAST, "private": OWN_PACE, "stop_s": 0.2, "limits": WIDE}
        quick |= {"iterations": 1}  # nothing is waited for where nothing is tried
        quick |= {"answer_s": WAIT_S}  # a busy machine is no database that stalls
        chosen: Json = quick | many | config
        settings = Config(folder, **chosen)
        self.clients: list[Client] = []
        clock = self.clock if machine is None else HouseClock(machine)
        self.house = House(settings, clock)
        usual = not OF_PAGES & config.keys()
        self.listening = listening(ADDRESS if usual else ("127.0.0.1", 0))
        self.host = f"127.0.0.1:{self.listening.getsockname()[1]}"
        served = settings_for(Application(self.house))
        served.ws_ping_timeout = WAIT_S  # nor one whose answer lies behind ten thousand others
        self.server = uvicorn.Server(served)
        self.thread = threading.Thread(target=self._run, daemon=True)

    def _run(self) -> None:
        run(self.server.serve([self.listening]))

    def __enter__(self) -> Self:
        self.thread.start()
        until(lambda: self.server.started or not self.thread.is_alive(), "it does not start")
        assert self.server.started, "the server did not start"
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        for client in self.clients:
            client.close()
        self.server.should_exit = True
        self.thread.join(WAIT_S)
        assert not self.thread.is_alive(), "the server does not stop"

    def http(self, token: str | None = None) -> httpx.Client:
        """A client of its own, without cookies."""
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        return httpx.Client(
            base_url=f"http://{self.host}",
            headers=headers,
            timeout=WAIT_S,
            limits=NO_KEEPING,
            verify=False,  # nothing is encrypted, and certificates take longer to read than answers
        )

    @contextmanager
    def deaf(self) -> Iterator[socket.socket]:
        """A WebSocket connection of nobody's, whose client takes nothing after the greeting."""
        with socket.socket() as raw:
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
            raw.settimeout(WAIT_S)
            raw.connect(tuple(self.listening.getsockname()))
            raw.sendall(
                f"GET /play HTTP/1.1\r\nHost: {self.host}\r\nUpgrade: websocket\r\n"
                "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n".encode()
            )
            assert b" 101 " in raw.recv(200)
            yield raw

    def guest(self) -> "Client":
        """A new guest, signed in."""
        with self.http() as http:
            signed = http.post("/guest").raise_for_status().json()
        return Client(self, signed["name"], signed["token"], signed["password"])

    def admin(self) -> "Client":
        """The first administrator, signed in."""
        password = (self.house.config.folder / "admin-password").read_text().strip()
        return self.sign_in("admin", password)

    def sign_in(self, name: str, password: str) -> "Client":
        """Somebody signed in."""
        with self.http() as http:
            body = {"name": name, "password": password}
            signed = http.post("/sign-in", json=body).raise_for_status().json()
        return Client(self, name, signed["token"], password)

    def register(self, name: str) -> "Client":
        """A new account of a player's, signed in."""
        with self.http() as http:
            body = {"name": name, "password": PASSWORD}
            signed = http.post("/register", json=body).raise_for_status().json()
        return Client(self, name, signed["token"], PASSWORD)

    def significant(self, kind: str, subject: str | None = None) -> list[Json]:
        """The significant events of one kind, about somebody or all."""
        found: list[Json] = []
        with self.admin() as admin:
            while more := admin.get(
                f"/records/significant?after={found[-1]['number'] if found else 0}"
            ):
                found += more
        return [
            each for each in found if each["kind"] == kind and subject in (None, each["subject"])
        ]

    def staff(self, role: str) -> "Client":
        """A new account of that role, signed in."""
        name, password = f"{role}-{os.urandom(3).hex()}", os.urandom(12).hex()
        body = {"name": name, "password": password, "role": role}
        with self.admin() as admin:
            admin.post("/accounts", 201, **body)
        return self.sign_in(name, password)


class Client:
    """Somebody signed in: HTTP by token, and one WebSocket connection when it is needed."""

    def __init__(self, hosted: Hosted, name: str, token: str | None, password: str = "") -> None:
        self.hosted, self.name, self.token, self.password = hosted, name, token, password
        self.http = hosted.http(token)
        hosted.clients.append(self)
        self.heard: list[Json] = []
        self._socket: ClientConnection | None = None
        self._open = ExitStack()
        self._seen = 0
        self._following: str | None = None
        self._ids = (f"{os.urandom(4).hex()}-{number}" for number in count(1))

    @property
    def socket(self) -> ClientConnection:
        """The connection, opened at first use."""
        if self._socket is None:
            headers = {} if self.token is None else {"Authorization": f"Bearer {self.token}"}
            address = f"ws://{self.hosted.host}/play"
            # Unread messages must not hold up the closing.
            opening = connect(
                address,
                additional_headers=headers,
                max_queue=None,
                open_timeout=WAIT_S,
                ping_interval=None,
            )
            self._socket = self._open.enter_context(opening)
        return self._socket

    def close(self) -> None:
        """End the connection."""
        self.http.close()
        self._open.close()
        self._socket = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def get(self, path: str, status: int = 200) -> Any:
        """What a GET request answers."""
        answer = self.http.get(path)
        assert answer.status_code == status, answer.text
        return answer.json()

    def post(self, path: str, status: int = 200, **body: Any) -> Any:
        """What a POST request answers."""
        answer = self.http.post(path, json=body)
        assert answer.status_code == status, answer.text
        return answer.json() if answer.content else None

    def put(self, path: str, status: int = 200, **body: Any) -> Any:
        """What a PUT request answers."""
        answer = self.http.put(path, json=body)
        assert answer.status_code == status, answer.text
        return answer.json() if answer.content else None

    def say(self, type_: str, **fields: Any) -> None:
        """Send a message."""
        self.socket.send(json.dumps({"type": type_, **fields}))

    def read(self, timeout_s: float = WAIT_S) -> Json:
        """The next message."""
        message: Json = msgspec.json.decode(self.socket.recv(timeout_s))
        self.heard.append(message)
        return message

    def hear(self, *types: str, timeout_s: float = WAIT_S) -> Json:
        """The next message of these types; others are kept in `heard`."""
        deadline = time.monotonic() + timeout_s
        while True:
            message = self.read(max(0.0, deadline - time.monotonic()))
            if message["type"] in types:
                return message

    def awaited(self) -> Json:
        """The newest word on what the table awaits that this did not return before.

        Where none comes, because it was told before or a whole round went by, the table is asked.
        """
        deadline = time.monotonic() + WAIT_S
        while True:
            found = [each for each in self.heard[self._seen :] if each["type"] == "awaited"]
            self._seen = len(self.heard)
            if found:
                return found[-1]
            assert time.monotonic() < deadline, "nobody says what the table awaits"
            try:
                self.read(ASK_S)
            except TimeoutError:
                self.hello(self._following, after=self.last)

    def until(self, what: str) -> Json:
        """The word that the table awaits this, or an error where it never does."""
        deadline = time.monotonic() + WAIT_S
        while True:
            awaited = self.awaited()
            if awaited["due"][0]["what"] == what:
                return awaited
            assert time.monotonic() < deadline, f"the table awaits {awaited['due']}, not {what}"

    @property
    def last(self) -> int | None:
        """The number of the last row of the followed table that was heard of."""
        rows = [each for each in self.heard if each["type"] in ("happened", "snapshot")]
        return max((row["number"] for row in rows if row["table"] == self._following), default=None)

    def hello(self, table: str | None = None, after: int | None = None) -> Json:
        """Follow a table, or the lobby."""
        self._following = table
        self.say("hello", table=table, after=after)
        return self.hear("welcome", "refused")

    def do(self, type_: str, **fields: Any) -> Json:
        """Give a command and return its answer."""
        fields.setdefault("id", next(self._ids))
        self.say(type_, **fields)
        while True:
            answer = self.hear("accepted", "refused")
            if answer["id"] == fields["id"]:
                return answer

    def must(self, type_: str, **fields: Any) -> Json:
        """Give a command that is accepted."""
        answer = self.do(type_, **fields)
        assert answer["type"] == "accepted", answer
        return answer

    def bet(self, amount: int = 500, box: int = 1, wager: str = "primary") -> str:
        """Bet, in a later round where this one's time is over; the refusal's code, or nothing."""

        def in_time() -> Json:
            answer = self.do("bet", box=box, wager=wager, amount=amount)
            return {} if answer.get("code") in TOO_LATE else answer

        late = "the time for bets is always over"
        answer = until(in_time, late, pause=lambda: self.until("bets"))
        return str(answer.get("code", ""))

    def private(self, book: str, amount: int = 20_000) -> str:
        """Sit down at the own table of a book."""
        name: str = self.post("/tables/private", 201, book=book)["name"]
        self.hello(name)
        self.must("join", amount=amount, seat=1)
        return name

    def events(self, kind: str | None = None) -> list[Json]:
        """The events that were heard, of one kind or all."""
        rows = [row for row in self.heard if row["type"] == "happened"]
        return [event for row in rows for event in row["events"] if kind in (None, event["type"])]

    def play(self, rounds: int, seat: int = 1, deal: bool = False) -> None:
        """Play by what the table awaits until so many more rounds are closed, and no further."""
        wanted = len(self.events("closed")) + rounds
        deadline = time.monotonic() + rounds * WAIT_S
        while len(self.events("closed")) < wanted:
            assert time.monotonic() < deadline, "the rounds do not end"
            before, awaited = self._seen, self.awaited()
            if len(self.events("closed")) >= wanted:
                self._seen = before  # the next round's word, for whoever goes on
                return
            for due in awaited["due"]:
                self._answer(due, seat, deal)

    def see_bets_of(self, players: Iterable[str]) -> None:
        """Play until all of these were heard to bet: who is late in a round bets in another."""
        wanted = {self.name, *players}

        def heard() -> bool:
            return {event["player"] for event in self.events("placed")} >= wanted

        until(heard, f"not all of {wanted} bet", pause=lambda: self.play(1))

    def _has_bet(self) -> bool:
        """Whether the own wager of the open round was heard of."""
        for event in reversed(self.events()):
            if event["type"] == "opened":
                return False
            if event["type"] == "placed" and event["player"] == self.name:
                return True
        return False

    def _answer(self, due: Json, seat: int, deal: bool) -> None:
        mine = due["player"] == self.name
        match due["what"]:
            case "bets" if not self._has_bet():
                self.do("bet", box=seat, wager="primary", amount=500)
                if deal:
                    self.do("close_bets")
            case "choice" if mine:
                self.do("choose", box=due["box"], choice="war")
            case "cut" if mine:
                self.do("refuse_cut")
            case "bank" if mine:
                self.do("take_bank", amount=5_000)
