"""Servers of one house on PostgreSQL as programs, and players who come to any of them."""

import json
import os
import random
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import quote, urlsplit

import httpx
import sqlalchemy as sa
from websockets.exceptions import WebSocketException
from websockets.sync.client import ClientConnection, connect

from postgres import free_port
from waiting import DEEP_S, WAIT_S, living, until
from wartable.server.records import database
from wartable.server.records.servers import running

COMMAND = [
    *(sys.executable, "-c", "from wartable.cli import main; main()", "serve"),
    *("--iterations", "1"),
]
SECRET = bytes(range(32))
SILENT_S = 5
"""How long a player waits for a server that says nothing before trying another."""
PASSING = {"busy", "closing", "database", "fenced", "no_answer", "too_fast"}
"""Refusals after which the same id is sent again."""
AWAY = {"database", "no_answer"}
"""Refusals after which a player tries another server."""
WAITS = "Another server has this house open"
OPEN = "Wartable is open at"
LATE = frozenset({"bets_closed", "no_round", "other_round", "held", "not_seated"})
"""Refusals of a bet that came when the table took none."""

Json = dict[str, Any]


class Relay:
    """What lies between a server and the database: it can be cut, and then nothing arrives."""

    def __init__(self, address: str) -> None:
        found = urlsplit(address)
        self._there = (found.hostname or "", found.port or 5432)
        self._listening = socket.create_server(("127.0.0.1", 0))
        port = self._listening.getsockname()[1]
        self.address = address.replace(f"@{found.netloc.rpartition('@')[2]}", f"@127.0.0.1:{port}")
        self._sides: set[socket.socket] = set()
        self._whole = threading.Event()
        self._whole.set()
        self._threads: list[threading.Thread] = []
        self._begin(self._take)

    def _begin(self, work: Callable[..., None], *sides: socket.socket) -> None:
        thread = threading.Thread(target=work, args=sides, daemon=True)
        self._threads = [*(each for each in self._threads if each.is_alive()), thread]
        thread.start()

    def _take(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._listening.accept()
                far = socket.create_connection(self._there, WAIT_S)
                far.settimeout(None)
                self._sides |= {near, far}
                for pair in ((near, far), (far, near)):
                    self._begin(self._pass_on, *pair)

    def _pass_on(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65_536):
                self._whole.wait(WAIT_S)
                target.sendall(data)
        self._sides -= {source, target}
        for side in (source, target):
            with suppress(OSError):
                side.shutdown(socket.SHUT_RDWR)
        source.close()  # the other way closes the other one

    def cut(self) -> None:
        """Let nothing pass."""
        self._whole.clear()

    def mend(self) -> None:
        """Let connections pass again; those from before are lost with what they held."""
        for side in list(self._sides):
            with suppress(OSError):
                side.shutdown(socket.SHUT_RDWR)
        self._whole.set()

    def end(self) -> None:
        """Take no more connections, and end those that there are."""
        with suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)
        self.mend()
        for thread in self._threads:
            thread.join(WAIT_S)
        self._listening.close()


class Server:
    """One of the servers, in a folder of its own, which can be started again."""

    def __init__(self, folder: Path, address: str, relayed: bool = True) -> None:
        """`relayed` says whether it can be cut off from the database at that address."""
        folder.mkdir()
        self.relay = Relay(address) if relayed else None
        self._address = address if self.relay is None else self.relay.address
        self.folder, self.port = folder, free_port()
        self.lines: list[str] = []
        self._ending = ExitStack()

    def start(self, *options: str, program: Path | None = None) -> None:
        """Start it, from another folder of programs if one is given, and keep what it says."""
        words = ["--data", str(self.folder / "data"), "--port", str(self.port), *options]
        environment = os.environ | {
            "WARTABLE_KEY": SECRET.hex(),
            "WARTABLE_DATABASE": self._address,
        }
        if program is not None:
            environment["PYTHONPATH"] = str(program)
        log = self._ending.enter_context((self.folder / "log").open("a"))
        self.process = subprocess.Popen(
            [*COMMAND, *words], stdout=subprocess.PIPE, stderr=log, text=True, env=environment
        )
        self._ending.enter_context(living(self.process, DEEP_S))
        self.lines = []
        threading.Thread(target=self._read, args=(self.process, self.lines), daemon=True).start()

    def _read(self, process: subprocess.Popen[str], lines: list[str]) -> None:
        assert process.stdout is not None
        lines.extend(process.stdout)

    def said(self, words: str) -> int:
        """How often it has said this."""
        return sum(line.startswith(words) for line in list(self.lines))

    def wait_said(self, words: str, count: int = 1) -> None:
        """Wait until it has said this so often."""
        until(lambda: self.said(words) >= count or self.process.poll() is not None, f"no {words}")
        assert self.said(words) >= count, self.log[-2000:]

    def hit(self, fault: str) -> None:
        """Freeze it, or cut it off from the database."""
        if fault == "freeze":
            self.process.send_signal(signal.SIGSTOP)
        else:
            assert self.relay is not None
            self.relay.cut()

    def heal(self, fault: str) -> None:
        """Let it go on."""
        if fault == "freeze":
            self.process.send_signal(signal.SIGCONT)
        else:
            assert self.relay is not None
            self.relay.mend()

    def end(self) -> None:
        """End it and whatever it holds."""
        self._ending.close()
        if self.relay is not None:
            self.relay.end()

    def stop(self) -> None:
        """Stop it in order."""
        self.process.send_signal(signal.SIGTERM)
        # One that is just taking the house over closes it, and then ends by the signal.
        assert self.process.wait(WAIT_S) in (0, -signal.SIGTERM), self.log[-2000:]

    @property
    def log(self) -> str:
        """What it has logged."""
        return (self.folder / "log").read_text()

    def logged(self, trace: str) -> list[Json]:
        """The lines of its log about what has this trace, as an operator finds them."""
        return [json.loads(line) for line in self.log.splitlines() if trace in line]

    @property
    def owner(self) -> str:
        """The name under which it has the house."""
        return (self.folder / "data" / "owner").read_text().partition(" ")[0]


def _unless_busy(answer: httpx.Response) -> httpx.Response | None:
    return None if answer.status_code == httpx.codes.SERVICE_UNAVAILABLE else answer


class Door(Protocol):
    """Where players come in: a server, or the proxy before several."""

    port: int


class Player:
    """Somebody who plays on at a table of their own, at any server that answers."""

    late: frozenset[str] = frozenset()
    """Refusals that only mean that the moment has passed."""

    def __init__(self, servers: Sequence[Door], chance: random.Random) -> None:
        self._servers, self._count, self._chance = servers, 0, chance
        self._closing = ExitStack()
        self.told: dict[int, Json] = {}
        self._awaited: Json = {}
        self._socket: ClientConnection | None = None
        self.rounds = self.connected = 0
        self.enough = threading.Event()
        self.failure: BaseException | None = None
        self.longest_s = 0.0
        self.pause_s = 0.0
        """How long to wait before each round, where a test needs no more of them."""
        self.token = self.table = self._name = ""
        self._round = 0

    def come(self, first: Door, book: str) -> None:
        """Open a table of one's own, and sit down there."""
        with httpx.Client(base_url=f"http://127.0.0.1:{first.port}", timeout=WAIT_S) as http:
            self._come_as_guest(http)
            bearer = {"Authorization": f"Bearer {self.token}"}
            asked = partial(http.post, "/tables/private", json={"book": book}, headers=bearer)
            opened = until(lambda: _unless_busy(asked()), "no server opens a table")
            assert opened is not None
            assert opened.is_success, opened.text
            self.table = opened.raise_for_status().json()["name"]
        self.do("join", amount=100_000, seat=1)

    def _come_as_guest(self, http: httpx.Client) -> None:
        guest = http.post("/guest").raise_for_status().json()
        self.token, self._name = guest["token"], guest["name"]

    def _connect(self) -> None:
        """Go to any server, and follow the table from the last known row."""
        for server in self._chance.sample(self._servers, len(self._servers)):
            try:
                connecting = connect(
                    f"ws://127.0.0.1:{server.port}/play?table={quote(self.table)}",
                    additional_headers={"Authorization": f"Bearer {self.token}"},
                    open_timeout=SILENT_S,
                    close_timeout=0,
                )
                self._socket = self._closing.enter_context(connecting)
                after = max(self.told, default=None)
                self._say({"type": "hello", "table": self.table, "after": after})
                while self._read()["type"] != "welcome":
                    pass
                self.connected += 1
                return
            except (OSError, TimeoutError, WebSocketException):
                self.leave()

    def leave(self) -> None:
        """Close the connection, if there is one."""
        self._closing.close()
        self._socket = None

    def _say(self, message: Json) -> None:
        assert self._socket is not None
        self._socket.send(json.dumps(message))

    def _read(self) -> Json:
        """The next message; a row that was told before must be the same now."""
        assert self._socket is not None
        message: Json = json.loads(self._socket.recv(SILENT_S))
        if message["type"] == "happened":
            assert self.told.setdefault(message["number"], message) == message
            self.rounds += any(event["type"] == "closed" for event in message["events"])
            for event in message["events"]:
                self._round = event["number"] if event["type"] == "round_started" else self._round
        if message["type"] == "snapshot":
            self._round = message["state"]["rounds"]
        if message["type"] == "awaited":
            self._awaited = message
        return message

    def _asked(self, message: Json) -> Json | None:
        """The answer of whoever has the house; None if there is none yet."""
        try:
            if self._socket is None:
                self._connect()
            if self._socket is None:
                return None
            self._say(message)
            while True:
                answer = self._read()
                if answer.get("id") == message["id"]:
                    break
        except (OSError, TimeoutError, WebSocketException):
            self.leave()
            return None
        if answer["type"] == "refused" and answer["code"] in PASSING:
            if answer["code"] in AWAY:
                self.leave()  # another server may reach the database
            return None
        return answer

    def do(self, type_: str, **fields: Any) -> bool:
        """Give a command under one id, until it is answered; False if there is no money for it."""
        self._count += 1
        message = {"type": type_, "id": str(self._count), **fields}
        began_s = time.monotonic()
        answer = until(lambda: self._asked(message), f"no answer to {type_}")
        assert answer is not None
        if answer.get("code") in {"insufficient", *self.late}:
            return False
        assert answer["type"] == "accepted", answer
        self.longest_s = max(self.longest_s, time.monotonic() - began_s)
        self._follow(answer["number"])
        return True

    def _follow(self, number: int) -> None:
        """Wait until it is known what is awaited after a row."""

        def caught_up() -> bool:
            try:
                if self._socket is None:
                    self._connect()
                elif self._awaited.get("number", 0) < number:
                    self._read()
            except (OSError, TimeoutError, WebSocketException):
                self.leave()
            return bool(self._awaited.get("number", 0) >= number)

        until(caught_up, f"nothing is awaited after row {number}")

    def play_on(self) -> None:
        """Play round after round until told to stop; what goes wrong is kept."""
        try:
            while not self.enough.wait(self.pause_s):
                self._play()
        except BaseException as error:  # whatever it is, the test tells it
            self.failure = error

    def play_on_for(self, rounds: int) -> None:
        """Play so many rounds to their end."""
        before = self.rounds
        while self.rounds < before + rounds:
            self._play()

    def tell_longest(self, fault: str) -> None:
        """Print how long the longest answer since the last time took, for whoever looks."""
        print(f"{fault}: the longest wait for an answer was {self.longest_s:.1f} s")
        self.longest_s = 0.0

    def wait_rounds(self, more: int) -> None:
        """Wait until so many more rounds are played."""
        all_play_on([self], more)

    def _wait(self, *what: str) -> Json:
        """What is due from this player, once it is one of these."""

        def found() -> Json | None:
            due: Json = self._awaited.get("due", [{}])[0]
            return due if due.get("what") in what and due["player"] in (None, self._name) else None

        def due() -> Json | None:
            try:
                if self._socket is None:
                    self._connect()
                elif found() is None:
                    self._read()
            except (OSError, TimeoutError, WebSocketException):
                self.leave()
            return found()

        awaited = until(due, f"never {what}")
        assert awaited is not None
        return awaited

    def _play(self) -> None:
        """Do what is due until a round is over; who has lost everything gets new money."""
        before = self.rounds
        while self.rounds == before:
            due = self._wait("cut", "bank", "bets", "choice")
            match due["what"]:
                case "cut":
                    self.do("refuse_cut")
                case "bank":
                    self.do("pass_bank")
                case "bets":
                    while not self.do("bet", box=1, wager="primary", amount=500):
                        self._refill()
                    self.do("close_bets")
                case _:
                    if not self.do("choose", box=due["box"], choice="war"):
                        self.do("choose", box=due["box"], choice="surrender")

    def _refill(self) -> None:
        """Take new play money to the table, from whatever server answers, unless some is there."""
        self._count += 1
        id_ = f"refill {self._count}"

        def answered() -> Json | None:
            address = f"http://127.0.0.1:{self._chance.choice(self._servers).port}/me/refill"
            bearer = {"Authorization": f"Bearer {self.token}"}
            try:
                answer = httpx.post(address, json={"id": id_}, headers=bearer, timeout=SILENT_S)
                said: Json = answer.json()
            except (httpx.HTTPError, ValueError):
                return None
            return said if answer.is_success or said["code"] == "not_broke" else None

        said = until(answered, "no new money")
        if said is not None and said.get("code") != "not_broke":
            self.do("buy_in", amount=100_000)


class SharedPlayer(Player):
    """Somebody who plays on at a shared table, wherever it is."""

    late = LATE

    def come(self, first: Door, book: str) -> None:
        """Sit down at the shared table."""
        with httpx.Client(base_url=f"http://127.0.0.1:{first.port}", timeout=WAIT_S) as http:
            self._come_as_guest(http)
        self.table = book
        self.do("join", amount=100_000, seat=1)

    def _play(self) -> None:
        """Play one round to its end, as soon as the table takes bets."""
        self._wait("bets")
        if self.do("bet", box=1, wager="primary", amount=500):
            self._count += 1
            ready = {"type": "ready", "id": f"ready {self._count}", "round": self._round}
            self._asked(ready)  # whoever was not heard waits for the end of the betting
        elif self._awaited["due"][0]["what"] == "bets" and not self.do("buy_in", amount=50_000):
            self._refill()
        due = self._wait("bets", "choice", "start")
        if due["what"] == "choice":
            self.do("choose", box=1, choice="surrender")


def all_play_on(players: Sequence[Player], more: int = 2) -> None:
    """Wait until each has ended so many more rounds: the second one began after this was asked."""
    wanted = {player: player.rounds + more for player in players}

    def played_on() -> bool:
        for player in players:
            if player.failure is not None:
                raise player.failure
        return all(player.rounds >= rounds for player, rounds in wanted.items())

    until(played_on, "the game does not go on")


def names(engine: sa.Engine) -> set[str]:
    """The servers that run."""
    return {each.name for each in running(engine)}


def has_house(engine: sa.Engine, server: Server) -> bool:
    """Whether a server has the house."""
    with engine.connect() as connection:
        owner = connection.exec_driver_sql("SELECT owner FROM lease").scalar_one()
    return bool(owner == server.owner)


def check(engine: sa.Engine, player: Player) -> None:
    """All that was told is written, and nothing twice."""
    rows = {row.number: row for row in database.rows_of(engine, player.table)}
    assert max(Counter(row.command_id for row in rows.values()).values()) == 1
    assert player.told.keys() <= rows.keys()
    assert all(rows[number].at_ms == told["at_ms"] for number, told in player.told.items())
