"""Three servers on one PostgreSQL database are one house: players come to any of them.

One has the house, and another takes it over. Private tables are at all of them.
"""

import json
import os
import random
import signal
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, nullcontext
from pathlib import Path
from typing import NamedTuple

import httpx
import pytest
import sqlalchemy as sa
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from recorded_houses import new_database
from several_servers import (
    OPEN,
    SECRET,
    WAITS,
    Json,
    Player,
    Server,
    SharedPlayer,
    all_play_on,
    check,
    has_house,
    names,
)
from staffed_player import StaffedPlayer
from waiting import WAIT_S, until
from wartable.rules import NAMES
from wartable.server.audit import verify
from wartable.server.records import database, journal, spread, table_leases
from wartable.server.records.keys import HouseKey
from wartable.server.records.messages import Note
from wartable.server.records.rows import OFFICE
from wartable.server.records.servers import running

pytestmark = pytest.mark.slow("starts and kills the program")

FAULTS = (("kill", True), ("freeze", True), ("stop", True), ("kill", False), ("cut", True))
"""What happens to the server that has the house, or to another one."""
FAULTS_ANY = ("kill", "freeze", "stop", "cut")
"""What happens in the long variant, to any server: it may also be cut off from the database."""
LIMITS_EVERY = 20
"""After how many faults a player tries again to pass a limit from two servers at once."""
PAUSE_S = 0.5
"""How long a player pauses before each round in the short variant, which needs only some."""
FAULTS_DEEP = 200
SHARED = "online 1"
"""The shared table that somebody plays at, wherever it is."""
STAFFED = "staffed"
"""The table with staff that somebody plays at, wherever it is."""


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


def owner_of(worker: int, data: Path) -> str:
    """The name of the server that a worker is, by the folder whose lock it has."""
    handles = Path(f"/proc/{worker}/fd").iterdir()
    locks = (each.readlink() for each in handles if each.is_symlink())
    folder = next(
        each.parent for each in locks if each.is_relative_to(data) and each.name == "lock"
    )
    return (folder / "owner").read_text().partition(" ")[0]


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
            floor: Json = {}

            def shown(http: httpx.Client = http, floor: Json = floor) -> bool:
                tables = http.get("/staff").raise_for_status().json()["tables"]
                floor.clear()
                floor.update({each["name"]: each for each in tables})
                return floor.keys() >= {*spread.shared(engine), player.table}

            # A table that moves is at no server for a moment; and nobody may ask without a pause.
            until(shown, "the floor does not show a table", lambda: time.sleep(0.2))
            assert len(floor[SHARED]["players"]) == 1
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
            owners = {table_leases.server_of(engine, name) for name in opened}
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
        assert {table_leases.server_of(engine, name) for name in opened} == owners
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
        all_play_on(players)

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
        coming = {book: Player(servers, random.Random(book)) for book in NAMES}
        coming[SHARED] = SharedPlayer(servers, random.Random(SHARED))
        if deep:
            password = (servers[0].folder / "data" / "admin-password").read_text().strip()
            staff = ("admin", password)
            coming[STAFFED] = StaffedPlayer(servers, random.Random(STAFFED), staff)
        for book, player in coming.items():
            ending.callback(player.leave)
            player.pause_s = 0 if deep else PAUSE_S
            player.come(chance.choice(servers), book)
        staff_acts(servers, coming["online"])
        shared_tables_spread(servers, engine, coming[SHARED])
        limits_hold(servers, engine)
        players = [*coming.values()]
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
            all_play_on(players)
            for each in players:
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


def test_workers_are_servers_of_one_house_behind_one_port(
    tmp_path: Path, postgres_server: str
) -> None:
    """Players come to any; one that dies is started again, and all end with the first process.

    Who came to one and was handed over to another stays connected when the first one dies.
    """
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
        owners = {player: table_leases.server_of(engine, player.table) for player in players}
        assert set(owners.values()) == {each.name for each in running(engine)}, "at both"

        def handed_over() -> bool:
            """Whether one has come to another worker than that of their table by now."""
            for player in players:
                player.leave()
                player.play_on_for(1)
            return '"event": "handed over"' in server.log

        until(handed_over, "nobody is handed over")
        worker = next(each for each in children(server.process.pid) if each.group_leader)
        dying = owner_of(worker.pid, server.folder / "data")
        connected = {each: each.connected for each in players if owners[each] != dying}
        assert 0 < len(connected) < len(players)
        os.kill(worker.pid, signal.SIGKILL)
        until(
            lambda: worker.pid not in {each.pid for each in children(server.process.pid)}, "lives"
        )
        for player in players:
            player.play_on_for(1)
        assert connected == {each: each.connected for each in connected}, "nobody else noticed"
        until(lambda: len(running(engine)) == 2, "it is not started again")
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(WAIT_S) == 0
        assert not running(engine)
        verify.verify(engine, HouseKey(SECRET))
