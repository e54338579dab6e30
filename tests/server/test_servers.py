"""Three servers on one PostgreSQL database are one house: players come to any of them.

One has the house, and another takes it over. Private tables are at all of them.
"""

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
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote, urlsplit

import httpx
import pytest
import sqlalchemy as sa
from websockets.exceptions import ConnectionClosed, WebSocketException
from websockets.sync.client import ClientConnection, connect

from postgres import free_port
from recorded_houses import new_database
from waiting import DEEP_S, WAIT_S, living, until
from wartable.server.audit import verify
from wartable.server.records import database, journal, spread
from wartable.server.records.keys import HouseKey
from wartable.server.records.messages import Note
from wartable.server.records.rows import OFFICE
from wartable.server.records.servers import running

pytestmark = pytest.mark.slow("starts and kills the program")

COMMAND = [
    *(sys.executable, "-c", "from wartable.cli import main; main()", "serve", "--no-bots"),
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
FAULTS = (("kill", True), ("freeze", True), ("stop", True), ("kill", False), ("cut", True))
"""What happens to the server that has the house, or to another one."""
FAULTS_ANY = ("kill", "freeze", "stop", "cut")
"""What happens in the long variant, to any server: it may also be cut off from the database."""
LIMITS_EVERY = 20
"""After how many faults a player tries again to pass a limit from two servers at once."""
BOOKS = ("online", "online", "online", "online")
"""What the players play: a book whose next round opens at once, alone."""
FAULTS_DEEP = 200
SHARED = "online 1"
"""The shared table that somebody plays at, wherever it is."""
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

    def __init__(self, folder: Path, address: str) -> None:
        folder.mkdir()
        self.relay = Relay(address)
        self.folder, self._address, self.port = folder, self.relay.address, free_port()
        self.lines: list[str] = []
        self._ending = ExitStack()

    def start(self, *options: str) -> None:
        """Start it, and keep what it says."""
        words = ["--data", str(self.folder / "data"), "--port", str(self.port), *options]
        environment = os.environ | {
            "WARTABLE_KEY": SECRET.hex(),
            "WARTABLE_DATABASE": self._address,
        }
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
        assert self.said(words) >= count, (self.folder / "log").read_text()[-2000:]

    def hit(self, fault: str) -> None:
        """Freeze it, or cut it off from the database."""
        if fault == "freeze":
            self.process.send_signal(signal.SIGSTOP)
        else:
            self.relay.cut()

    def heal(self, fault: str) -> None:
        """Let it go on."""
        if fault == "freeze":
            self.process.send_signal(signal.SIGCONT)
        else:
            self.relay.mend()

    def end(self) -> None:
        """End it and whatever it holds."""
        self._ending.close()
        self.relay.end()

    @property
    def owner(self) -> str:
        """The name under which it has the house."""
        return (self.folder / "data" / "owner").read_text().partition(" ")[0]


def _unless_busy(answer: httpx.Response) -> httpx.Response | None:
    return None if answer.status_code == httpx.codes.SERVICE_UNAVAILABLE else answer


class Player:
    """Somebody who plays on at a table of their own, at any server that answers."""

    late: frozenset[str] = frozenset()
    """Refusals that only mean that the moment has passed."""

    def __init__(self, servers: list[Server], chance: random.Random) -> None:
        self._servers, self._count, self._chance = servers, 0, chance
        self._closing = ExitStack()
        self.told: dict[int, Json] = {}
        self._awaited: Json = {}
        self._socket: ClientConnection | None = None
        self.rounds = 0
        self.enough = threading.Event()
        self.failure: BaseException | None = None
        self.longest_s = 0.0
        self.token = self.table = ""
        self._round = 0

    def come(self, first: Server, book: str) -> None:
        """Open a table of one's own, and sit down there."""
        with httpx.Client(base_url=f"http://127.0.0.1:{first.port}", timeout=WAIT_S) as http:
            self.token = http.post("/guest").raise_for_status().json()["token"]
            bearer = {"Authorization": f"Bearer {self.token}"}
            asked = partial(http.post, "/tables/private", json={"book": book}, headers=bearer)
            opened = until(lambda: _unless_busy(asked()), "no server opens a table")
            assert opened is not None
            self.table = opened.raise_for_status().json()["name"]
        self.do("join", amount=100_000, seat=1)

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
        number = answer["number"]

        def caught_up() -> bool:
            try:
                if self._socket is None:
                    self._connect()
                elif self._awaited.get("number", 0) < number:
                    self._read()
            except (OSError, TimeoutError, WebSocketException):
                self.leave()
            return bool(self._awaited.get("number", 0) >= number)

        until(caught_up, f"nothing is awaited after {type_}")
        return True

    def play_on(self) -> None:
        """Play round after round until told to stop; what goes wrong is kept."""
        try:
            while not self.enough.is_set():
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
        before = self.rounds
        until(lambda: self.failure or self.rounds >= before + more, "the game does not go on")
        if self.failure is not None:
            raise self.failure

    def _play(self) -> None:
        """Play one round to its end; who has lost everything gets new money."""
        while not self.do("bet", box=1, wager="primary", amount=500):
            self._refill()
        self.do("close_bets")
        while (due := self._awaited["due"][0])["what"] == "choice":
            if not self.do("choose", box=due["box"], choice="war"):
                self.do("choose", box=due["box"], choice="surrender")

    def _refill(self) -> None:
        """Take new play money to the table, from whatever server answers."""
        self._count += 1
        id_ = f"refill {self._count}"

        def paid() -> bool:
            address = f"http://127.0.0.1:{self._chance.choice(self._servers).port}/me/refill"
            bearer = {"Authorization": f"Bearer {self.token}"}
            try:
                answer = httpx.post(address, json={"id": id_}, headers=bearer, timeout=SILENT_S)
            except httpx.HTTPError:
                return False
            return bool(answer.is_success)

        until(paid, "no new money")
        self.do("buy_in", amount=100_000)


class SharedPlayer(Player):
    """Somebody who plays on at a shared table, wherever it is."""

    late = LATE

    def come(self, first: Server, book: str) -> None:
        """Sit down at the shared table."""
        with httpx.Client(base_url=f"http://127.0.0.1:{first.port}", timeout=WAIT_S) as http:
            self.token = http.post("/guest").raise_for_status().json()["token"]
        self.table = book
        self.do("join", amount=100_000, seat=1)

    def _wait(self, *what: str) -> Json:
        """What is due, once it is one of these."""

        def due() -> Json | None:
            try:
                if self._socket is None:
                    self._connect()
                elif self._awaited.get("due", [{}])[0].get("what") not in what:
                    self._read()
            except (OSError, TimeoutError, WebSocketException):
                self.leave()
            found: Json = self._awaited.get("due", [{}])[0]
            return found if found.get("what") in what else None

        found = until(due, f"never {what}")
        assert found is not None
        return found

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


class Child(NamedTuple):
    """A process that another has started, and whether it leads a group of its own."""

    pid: int
    group_leader: bool


def children(of: int) -> list[Child]:
    """The processes that a process has started."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            words = stat.read_text().rpartition(")")[2].split()
        except OSError:  # it ended meanwhile
            continue
        pid = int(stat.parent.name)
        if int(words[1]) == of and words[0] != "Z":
            found.append(Child(pid, int(words[2]) == pid))
    return found


def staff_acts(servers: list[Server], player: Player) -> None:
    """What an administrator does at one server holds at the others for the next command."""
    password = (servers[0].folder / "data" / "admin-password").read_text().strip()
    with ExitStack() as ending:
        one, two = (
            ending.enter_context(
                httpx.Client(base_url=f"http://127.0.0.1:{each.port}", timeout=WAIT_S)
            )
            for each in servers[1:]
        )
        signing = {"name": "admin", "password": password}
        token = one.post("/sign-in", json=signing).raise_for_status().json()["token"]
        one.headers["Authorization"] = two.headers["Authorization"] = f"Bearer {token}"
        watched = two.get("/staff/servers").raise_for_status().json()
        assert {each["name"] for each in watched["servers"]} == {each.owner for each in servers}
        having = [each["name"] for each in watched["servers"] if each["has_house"]]
        assert having == [servers[0].owner] == [watched["server"]]
        line = f'wartable_server_has_house{{server="{servers[1].owner}"}} 0\n'
        until(lambda: line in two.get("/metrics").text, "no metrics of that server")
        with httpx.Client(base_url=two.base_url, timeout=WAIT_S) as alone:
            own = alone.get("/metrics/server").raise_for_status().text
            assert "wartable_commit_seconds_count" in own
            assert "wartable_server_has_house" not in own
            elsewhere = alone.get("/lobby")
            assert (elsewhere.status_code, elsewhere.json()["code"]) == (503, "elsewhere")
        closing = {"scope": "table", "name": player.table, "reason": "a test"}
        one.post("/disable", json=closing).raise_for_status()
        path, bearer = f"/tables/{player.table}/commands", f"Bearer {player.token}"
        bet = {"type": "bet", "id": "closed", "box": 1, "wager": "primary", "amount": 500}
        answer = two.post(path, json=bet, headers={"Authorization": bearer}).json()
        assert (answer["type"], answer["code"]) == ("refused", "disabled")
        two.post("/enable", json=closing).raise_for_status()
        again = bet | {"id": "open again"}
        answer = one.post(path, json=again, headers={"Authorization": bearer}).json()
        assert answer["type"] == "accepted", answer
        off = {"type": "withdraw", "id": "off", "box": 1, "wager": "primary"}
        answer = two.post(path, json=off, headers={"Authorization": bearer}).json()
        assert answer["type"] == "accepted", answer


def shared_tables_spread(servers: list[Server], engine: sa.Engine, player: Player) -> None:
    """Every server has some; lobby and floor show all with their players, whichever is asked."""
    password = (servers[0].folder / "data" / "admin-password").read_text().strip()

    def owners() -> set[str | None]:
        return set(spread.owners(engine, list(spread.shared(engine))).values())

    until(lambda: owners() == {each.owner for each in servers}, "they do not spread")
    for server in servers:
        with httpx.Client(base_url=f"http://127.0.0.1:{server.port}", timeout=WAIT_S) as http:

            def guests(http: httpx.Client = http) -> dict[str, int]:
                tables = http.get("/lobby").raise_for_status().json()["tables"]
                return {each["name"]: each["guests"] for each in tables}

            until(lambda: guests().get(SHARED) == 1, "the lobby does not show who plays")
            assert set(guests()) == set(spread.shared(engine))
            signing = {"name": "admin", "password": password}
            token = http.post("/sign-in", json=signing).raise_for_status().json()["token"]
            http.headers["Authorization"] = f"Bearer {token}"
            floor = http.get("/staff").raise_for_status().json()["tables"]
            shown = {each["name"]: each for each in floor}
            assert set(spread.shared(engine)) <= set(shown)
            assert len(shown[SHARED]["players"]) == 1
            assert player.table in shown
            sheet = http.get(f"/staff/tables/{SHARED}").raise_for_status().json()
            assert sheet["name"] == SHARED
            nobody = http.get("/between/floor", headers={"x-wartable-between": "0" * 64})
            assert nobody.status_code in (404, 503), "only a server of the house is answered"


def limits_hold(servers: list[Server], engine: sa.Engine) -> None:
    """A player who bets at two servers at once loses no more than the limit; so with exclusions.

    The player's tables are at two servers, and are not moved because of it.
    """
    with ExitStack() as ending:
        ways = [
            ending.enter_context(
                httpx.Client(base_url=f"http://127.0.0.1:{each.port}", timeout=WAIT_S)
            )
            for each in servers[:2]
        ]
        paths: list[str] = []
        owners: set[str | None] = set()
        while len(owners) < 2:
            token = ways[0].post("/guest").raise_for_status().json()["token"]
            for way in ways:
                way.headers["Authorization"] = f"Bearer {token}"
            opened = [
                way.post("/tables/private", json={"book": book}).raise_for_status().json()["name"]
                for way, book in zip(ways, ("online", "new-zealand"), strict=True)
            ]
            owners = {database.server_of(engine, name) for name in opened}
            paths = [f"/tables/{name}/commands" for name in opened]
        limit = {"kind": "loss_day", "amount": 2_000}
        ways[1].put("/me/limits", json=limit).raise_for_status()
        for way, path in zip(ways, paths, strict=True):
            join = {"type": "join", "id": "join", "amount": 20_000, "seat": 1}
            assert way.post(path, json=join).json()["type"] == "accepted"

        def bet(number: int, id_: str, amount: int) -> Json:
            wager = {"type": "bet", "id": id_, "box": 1, "wager": "primary", "amount": amount}
            answer: Json = ways[number].post(paths[number], json=wager).json()
            return answer

        with ThreadPoolExecutor(2) as threads:
            answers = list(threads.map(lambda number: bet(number, "both", 1_500), (0, 1)))
        assert sorted(each["type"] for each in answers) == ["accepted", "refused"], answers
        late = next(number for number in (0, 1) if answers[number]["type"] == "refused")
        assert answers[late]["code"] == "loss_limit"
        assert bet(late, "too much", 600)["code"] == "loss_limit"
        assert bet(late, "the rest", 500)["type"] == "accepted"
        assert {database.server_of(engine, name) for name in opened} == owners
        ways[late].post("/me/exclude", json={"days": 1}).raise_for_status()
        assert bet(1 - late, "excluded", 500)["code"] == "excluded"


def closings(engine: sa.Engine, owner: str) -> int:
    """How often the records say that this server closed the house."""
    commands = (journal.read_command(row.command) for row in database.rows_of(engine, OFFICE))
    return sum(
        isinstance(note, Note) and (note.kind, note.subject) == ("house_closed", owner)
        for note in commands
    )


def strike(
    fault: str, server: Server, others: list[Server], players: list[Player], engine: sa.Engine
) -> None:
    """Do this to a server; all goes on at the others, and the server comes back."""
    opened = {id(other): other.said(OPEN) for other in others}
    led = has_house(engine, server)
    waits = server.said(WAITS)

    def taken_over() -> bool:
        return any(each.said(OPEN) > opened[id(each)] for each in others)

    def go_on() -> None:
        """Wait until another server has the house, if need be, and all play on."""
        if led:
            until(taken_over, "nobody takes over")
        for player in players:
            player.wait_rounds(1)

    if fault in ("freeze", "cut"):
        with led_elsewhere(server) if fault == "cut" and led else nullcontext():
            server.hit(fault)
            until(lambda: server.owner not in names(engine), "it still counts as running")
        go_on()
        before = closings(engine, server.owner)
        server.heal(fault)
        if led:
            server.wait_said(WAITS, waits + 1)
        until(lambda: server.owner in names(engine), "it does not come back")
        assert closings(engine, server.owner) == before, "it wrote after it had lost the house"
        return
    server.process.send_signal(signal.SIGKILL if fault == "kill" else signal.SIGTERM)
    assert server.process.wait(WAIT_S) == (-signal.SIGKILL if fault == "kill" else 0)
    go_on()
    server.start()
    server.wait_said(WAITS)


@contextmanager
def led_elsewhere(server: Server) -> Iterator[None]:
    """Somebody who looks at the lobby at a server is disconnected while that one is cut off.

    It also says that it is not ready.
    """
    address = f"127.0.0.1:{server.port}"
    with connect(f"ws://{address}/play", open_timeout=WAIT_S, close_timeout=0) as watcher:
        watcher.send(json.dumps({"type": "hello"}))
        yield
        with pytest.raises(ConnectionClosed) as closed:
            until(lambda: not watcher.recv(WAIT_S), "it is not told")
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 4410
    assert httpx.get(f"http://{address}/ready", timeout=WAIT_S).status_code == 503


def names(engine: sa.Engine) -> set[str]:
    """The servers that run."""
    return {each.name for each in running(engine)}


def has_house(engine: sa.Engine, server: Server) -> bool:
    """Whether a server has the house."""
    with engine.connect() as connection:
        owner = connection.exec_driver_sql("SELECT owner FROM lease").scalar_one()
    return bool(owner == server.owner)


def test_another_server_takes_over(tmp_path: Path, postgres_server: str, deep: bool) -> None:
    """Killed, frozen or stopped: all goes on, nothing told is lost or done twice."""
    chance = random.Random(17)
    address = new_database(postgres_server)
    engine = database.engine_for(address)
    with ExitStack() as ending:
        ending.callback(engine.dispose)
        servers = [Server(tmp_path / name, address) for name in ("one", "two", "three")]
        for server in servers:
            ending.callback(server.end)
            server.start()
            server.wait_said(OPEN if server is servers[0] else WAITS)
        until(lambda: len(running(engine)) == len(servers), "not all servers are entered")
        players = [Player(servers, random.Random(book)) for book in BOOKS]
        players.append(SharedPlayer(servers, random.Random(SHARED)))
        for player, book in zip(players, (*BOOKS, SHARED), strict=True):
            ending.callback(player.leave)
            player.come(chance.choice(servers), book)
        staff_acts(servers, players[0])
        shared_tables_spread(servers, engine, players[-1])
        limits_hold(servers, engine)
        playing = [threading.Thread(target=each.play_on, daemon=True) for each in players]
        for thread in playing:
            thread.start()
        chosen = ((chance.choice(FAULTS_ANY), chance.random() < 1 / 3) for _ in range(FAULTS_DEEP))
        for number, (fault, leading) in enumerate(chosen if deep else FAULTS):
            chance.choice(players).wait_rounds(1)
            time.sleep(chance.uniform(0, 0.2))  # anywhere in a round
            server = next(each for each in servers if has_house(engine, each) is leading)
            others = [each for each in servers if each is not server]
            strike(fault, server, others, players, engine)
            for each in players:
                each.wait_rounds(1)
                each.tell_longest(f"{number} {fault}{' of the house' if leading else ''}")
            if number % LIMITS_EVERY == LIMITS_EVERY - 1:
                limits_hold(servers, engine)
        for each, thread in zip(players, playing, strict=True):
            each.enough.set()
            thread.join(WAIT_S)
            assert not thread.is_alive()
            assert each.failure is None
            check(engine, each)
        verify.verify(engine, HouseKey(SECRET))
        assert sum(database.balances(engine).values()) == 0


def check(engine: sa.Engine, player: Player) -> None:
    """All that was told is written, and nothing twice."""
    rows = {row.number: row for row in database.rows_of(engine, player.table)}
    assert max(Counter(row.command_id for row in rows.values()).values()) == 1
    assert player.told.keys() <= rows.keys()
    assert all(rows[number].at_ms == told["at_ms"] for number, told in player.told.items())


def test_workers_are_servers_of_one_house_behind_one_port(
    tmp_path: Path, postgres_server: str
) -> None:
    """Players come to any; one that dies is started again, and all end with the first process."""
    address = new_database(postgres_server)
    engine = database.engine_for(address)
    with ExitStack() as ending:
        ending.callback(engine.dispose)
        server = Server(tmp_path / "one", address)
        ending.callback(server.end)
        server.start("--workers", "2")
        server.wait_said("2 servers of this house answer at")
        until(lambda: len(running(engine)) == 2, "not both are entered")
        players = [Player([server], random.Random(number)) for number in range(8)]
        for player in players:
            ending.callback(player.leave)
            player.come(server, "online")
            player.play_on_for(1)
        owners = {database.server_of(engine, player.table) for player in players}
        assert owners == {each.name for each in running(engine)}, "tables are at both"
        worker = next(each for each in children(server.process.pid) if each.group_leader)
        os.kill(worker.pid, signal.SIGKILL)
        until(
            lambda: worker.pid not in {each.pid for each in children(server.process.pid)}, "lives"
        )
        for player in players:
            player.play_on_for(1)
        until(lambda: len(running(engine)) == 2, "it is not started again")
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(WAIT_S) == 0
        assert not running(engine)
        verify.verify(engine, HouseKey(SECRET))
