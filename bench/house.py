"""The loads that people would bring to a house, on one or several servers.

python bench/house.py [rounds] [shared] [followers] [signins] [--servers N] [--scale X] [--sqlite]

rounds     64 connections that play at own tables without a pause
shared     2,000 players at 300 shared tables, who take up to 9 s to bet and 2 s to choose
followers  5,000 connections that follow one table
signins    20,000 sign-ins in a minute

Without words all of them. Each is a new house, on a PostgreSQL of its own or on SQLite, which has
one server. --scale 0.1 brings a tenth of everybody. Clients are two processes that cost little.
Prints rates, how long answers take, the processor and memory of the servers for each player, and
what was busiest.
"""

import asyncio
import json
import os
import platform
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from pathlib import Path
from typing import Any

import cheap
import clients
import msgspec
import uvloop

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "setup"))

from postgres import cluster
from wartable.croupier import Timing

KEY = bytes(range(32)).hex()
ADDRESS = re.compile("^(?:Wartable is open|Another server).* at http://([0-9.:]+)")
PROCESSES = 2
OPENING_AT_ONCE = 20
SECONDS = 20.0
WARM_S = 3.0
BET_S, CHOOSE_S = 9.0, 2.0
SEATS = 7
WAIT_S = 600
SHARED = Timing(bets_ms=10_000, choice_ms=4_000, cut_ms=0, bank_ms=0, seed_ms=0, number_ms=0)
COUNTS = {"rounds": 64, "shared": 2_000, "followers": 5_000, "signins": 20_000}
SIGN_IN_S = 60.0
NAMES = 100
"""How many accounts each client process signs in again and again."""


class Told(msgspec.Struct):
    """What a client reads of a message."""

    type: str
    id: str = ""
    code: str = ""
    number: int = 0
    at_ms: int = 0
    due: list[dict[str, Any]] = []


_told = msgspec.json.Decoder(Told).decode


class Found(msgspec.Struct):
    """What the clients of one process saw."""

    done: int = 0
    seconds: float = 0.0
    waits_s: list[float] = []
    refused: dict[str, int] = {}
    lost: int = 0
    processor_s: float = 0.0


class Player:
    """Somebody who plays at a table, at once or with a person's pauses."""

    def __init__(self, pauses: bool) -> None:
        self._pauses, self._asked = pauses, dict[str, float]()
        self.waits_s: list[float] = []
        self.refused: Counter[str] = Counter()
        self.rounds = self._count = 0
        self._bet_in, self._bet = -1, False
        self.name = ""

    async def come(self, host: str, table: str | None, seat: int) -> None:
        """Sit down, at an own table if none is named."""
        http = cheap.Http(host)
        _, signed = await http.post("/guest", {})
        self.name, self._seat = signed["name"], seat
        if table is None:
            _, opened = await http.post("/tables/private", {"book": "online"}, signed["token"])
            table = opened["name"]
        http.close()
        self.socket = await cheap.connected(host, signed["token"], self._hear)
        self.socket.say(type="hello", table=table)
        self._ask("join", amount=90_000, seat=seat)

    def _ask(self, type_: str, **fields: Any) -> None:
        self._count += 1
        id_ = str(self._count)
        self._asked[id_] = time.perf_counter()
        self.socket.say(type=type_, id=id_, **fields)

    def _hear(self, data: bytes) -> None:
        if data.startswith(b'{"type":"happened"'):
            self.rounds += b'"type":"closed"' in data
            return
        if not data.startswith((b'{"type":"awaited"', b'{"type":"accepted"', b'{"type":"refused"')):
            return
        message = _told(data)
        if message.id in self._asked:
            self.waits_s.append(time.perf_counter() - self._asked.pop(message.id))
        if message.type == "refused":
            self.refused[message.code] += 1
            self._bet = False
        elif message.type == "awaited":
            self._answer(message)

    def _answer(self, message: Told) -> None:
        loop, due = asyncio.get_running_loop(), message.due[0]
        if due["what"] != "bets":
            self._bet = False
        if due["what"] == "bets" and not self._bet and not self._asked:
            self._bet = True
            if self._pauses:
                loop.call_later(random.uniform(0, BET_S), self._wager)
            else:
                self._wager()
                self._ask("close_bets")
        elif due["what"] == "choice" and not self._asked:
            mine = [each for each in message.due if each.get("player") == self.name]
            if mine and self._pauses:
                loop.call_later(random.uniform(0, CHOOSE_S), self._choose, mine[0]["box"])
            elif mine:
                self._choose(mine[0]["box"])

    def _wager(self) -> None:
        self._ask("bet", box=self._seat, wager="primary", amount=500)

    def _choose(self, box: int) -> None:
        self._ask("choose", box=box, choice="war")


async def _together(work: list[Callable[[], Awaitable[None]]]) -> None:
    """Do all of it, some at a time."""
    some = asyncio.Semaphore(OPENING_AT_ONCE)

    async def one(each: Callable[[], Awaitable[None]]) -> None:
        async with some:
            await each()

    await asyncio.gather(*(one(each) for each in work))


def _begin() -> None:
    """Say that everybody is there, and wait for the word to begin."""
    print("ready", flush=True)
    sys.stdin.readline()


async def play(hosts: list[str], part: int, count: int, seconds: float, shared: bool) -> Found:
    """Play at own tables, or at shared ones with pauses."""
    players = [Player(pauses=shared) for _ in range(count)]

    def comes(at: int) -> Callable[[], Awaitable[None]]:
        whole = part * count + at
        table = f"load {whole // SEATS + 1}" if shared else None
        seat = whole % SEATS + 1 if shared else 1
        return lambda: players[at].come(hosts[whole % len(hosts)], table, seat)

    await _together([comes(at) for at in range(count)])
    await asyncio.to_thread(_begin)
    await asyncio.sleep(WARM_S)
    before = sum(each.rounds for each in players)
    for each in players:
        each.waits_s.clear()
        each.refused.clear()
    began_s, used_s = time.perf_counter(), time.process_time()
    await asyncio.sleep(seconds)
    passed_s, used_s = time.perf_counter() - began_s, time.process_time() - used_s
    done = sum(each.rounds for each in players) - before
    refused: Counter[str] = sum((each.refused for each in players), Counter())
    waits_s = [wait_s for each in players for wait_s in each.waits_s]
    lost = sum(each.socket.lost for each in players)
    return Found(done, passed_s, waits_s, dict(refused), lost, used_s)


async def follow(hosts: list[str], count: int, seconds: float) -> Found:
    """Follow one table; a wait is from the time of a row to when it was told."""
    found, sockets = Found(waits_s=[]), list[cheap.Socket]()

    def hear(data: bytes) -> None:
        if data.startswith(b'{"type":"happened"'):
            found.done += 1
            found.waits_s.append(time.time() - _told(data).at_ms / 1000)

    async def one(host: str) -> None:
        socket = await cheap.connected(host, "", hear)
        socket.say(type="hello", table=clients.TABLE)
        sockets.append(socket)

    await _together([lambda at=at: one(hosts[at % len(hosts)]) for at in range(count)])  # type: ignore[misc]  # a default binds it
    await asyncio.to_thread(_begin)
    began_s, used_s = time.perf_counter(), time.process_time()
    await asyncio.sleep(seconds)
    found.seconds, found.processor_s = time.perf_counter() - began_s, time.process_time() - used_s
    found.lost = sum(each.lost for each in sockets)
    return found


async def sign_in(hosts: list[str], count: int, seconds: float) -> Found:
    """Sign in so often within this time, evenly."""
    found, refused = Found(waits_s=[]), Counter[str]()
    known = list[tuple[str, str]]()

    async def new(at: int) -> None:
        http = cheap.Http(hosts[at % len(hosts)])
        _, signed = await http.post("/guest", {})
        known.append((signed["name"], signed["password"]))
        http.close()

    await _together([lambda at=at: new(at) for at in range(NAMES)])  # type: ignore[misc]  # a default binds it
    ways = [cheap.Http(hosts[at % len(hosts)]) for at in range(NAMES)]
    await asyncio.to_thread(_begin)
    began_s, used_s = time.perf_counter(), time.process_time()

    async def one(way: int) -> None:
        name, password = known[way]
        for at in range(way, count, NAMES):
            await asyncio.sleep(max(0, began_s + at * seconds / count - time.perf_counter()))
            asked_s = time.perf_counter()
            status, answer = await ways[way].post("/sign-in", {"name": name, "password": password})
            found.waits_s.append(time.perf_counter() - asked_s)
            found.done += status < 300
            if status >= 300:
                refused[answer["code"]] += 1

    await asyncio.gather(*(one(way) for way in range(NAMES)))
    found.seconds, found.processor_s = time.perf_counter() - began_s, time.process_time() - used_s
    found.refused = dict(refused)
    return found


def client(load: str, hosts: list[str], part: int, count: int, seconds: float) -> None:
    """One process of clients, which prints what it saw."""
    work = {
        "rounds": lambda: play(hosts, part, count, seconds, shared=False),
        "shared": lambda: play(hosts, part, count, seconds, shared=True),
        "followers": lambda: follow(hosts, count, seconds),
        "signins": lambda: sign_in(hosts, count, SIGN_IN_S),
    }[load]
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        print(json.dumps(msgspec.to_builtins(runner.run(work()))), flush=True)


def serve(folder: str, address: str) -> None:
    """One server of the house, as `wartable serve` runs it, without limits for one address."""
    from wartable.cli import serve as program  # noqa: PLC0415  # only a server needs it
    from wartable.server import logs  # noqa: PLC0415
    from wartable.server.config import Config  # noqa: PLC0415

    speeds = ("guests_per_minute", "attempts_per_minute", "messages_per_s", "requests_per_s")
    many = dict.fromkeys((*speeds, "connections_per_address"), 10**6)
    house: Any = {"books": ("online",), "bots": False, "shared": SHARED, "iterations": 1, **many}
    config = Config(Path(folder), address, **house)
    with Path(folder, "log").open("a") as log:
        logs.set_up(log)
        program._keep_open(config, ("127.0.0.1", 0), False, ("127.0.0.1", 0))


@contextmanager
def served(count: int, address: str) -> Iterator[tuple[list[subprocess.Popen[str]], list[str]]]:
    """The servers' processes and where they listen."""
    with ExitStack() as ending:
        folder = Path(ending.enter_context(tempfile.TemporaryDirectory()))
        processes, hosts = [], []
        for number in range(count):
            own = folder / str(number)
            own.mkdir()
            words = [sys.executable, __file__, "serve", str(own), address]
            environment = os.environ | {"WARTABLE_KEY": KEY}
            process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=environment)
            ending.callback(process.wait, WAIT_S)
            ending.callback(process.terminate)
            assert process.stdout is not None
            while (found := ADDRESS.search(line := process.stdout.readline())) is None:
                assert line, "the server ended"
            processes.append(process)
            hosts.append(found[1])
        yield processes, hosts


async def prepare(load: str, host: str, folder: Path, tables: int) -> None:
    """Open the shared tables that a load needs."""
    if load != "shared":
        return
    http, password = cheap.Http(host), (folder / "admin-password").read_text().strip()
    _, signed = await http.post("/sign-in", {"name": "admin", "password": password})
    for number in range(1, tables + 1):
        asked = {"name": f"load {number}", "book": "online"}
        status, answer = await http.post("/tables", asked, signed["token"])
        assert status < 300, answer
    http.close()


def run(load: str, count: int, seconds: float, servers: int, address: str) -> None:
    """Bring a load, and print what it did."""
    with served(servers, address) as (processes, hosts):
        folder = Path(str(processes[0].args[3]))  # type: ignore[index]  # a list of words
        asyncio.run(prepare(load, hosts[0], folder, -(-count // SEATS)))
        before_kb = [clients.memory_kb(each.pid) for each in processes]
        words = [sys.executable, __file__, "client", load, ",".join(hosts)]
        people = [
            subprocess.Popen(
                [*words, str(part), str(count // PROCESSES), str(seconds)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
            for part in range(PROCESSES)
        ]
        for each in people:
            assert each.stdout is not None
            assert each.stdout.readline() == "ready\n"
        used = [clients.processor_s(each.pid) for each in processes]
        guest = _dealer(load, hosts[0])
        for each in people:
            assert each.stdin is not None
            each.stdin.write("go\n")
            each.stdin.flush()
        found = [
            msgspec.json.decode(each.communicate(timeout=WAIT_S)[0], type=Found) for each in people
        ]
        now = [clients.processor_s(each.pid) for each in processes]
        after_kb = [clients.memory_kb(each.pid) for each in processes]
        if guest is not None:
            guest.terminate()
            guest.wait(WAIT_S)
    loops = [after[0] - before[0] for after, before in zip(now, used, strict=True)]
    writers = [after[1] - before[1] for after, before in zip(now, used, strict=True)]
    grown_kb = sum(after_kb) - sum(before_kb)
    _print(load, count, found, loops, writers, grown_kb)


def _dealer(load: str, host: str) -> subprocess.Popen[str] | None:
    """Somebody who plays at the table that is followed."""
    if load != "followers":
        return None
    return subprocess.Popen([sys.executable, __file__, "dealer", host], text=True)


async def deal(host: str) -> None:
    """Play at the followed table, as fast as it goes."""
    guest = clients.Guest(host)
    await guest.come(clients.TABLE)
    await guest.play(deal=False)


def _print(
    load: str,
    count: int,
    found: list[Found],
    loops: list[float],
    writers: list[float],
    grown_kb: int,
) -> None:
    passed_s = max(each.seconds for each in found)
    done, lost = sum(each.done for each in found), sum(each.lost for each in found)
    waits_s = [wait_s for each in found for wait_s in each.waits_s]
    cuts = statistics.quantiles(waits_s, n=1000) if len(waits_s) > 1 else [0.0] * 999
    refused: Counter[str] = sum((Counter(each.refused) for each in found), Counter())
    used_s = sum(loops) + sum(writers)
    shares = {"a server's loop": max(loops), "a writing process": max(writers)}
    shares["a client process"] = max(each.processor_s for each in found)
    busiest = max(shares, key=lambda name: shares[name])
    print(
        f"| {load} | {count:,} | {len(loops)} | {done / passed_s:,.1f} | {cuts[499] * 1000:.1f} /"
        f" {cuts[989] * 1000:.1f} / {cuts[998] * 1000:.1f} | {done / max(used_s, 0.01):,.0f} |"
        f" {used_s / passed_s / count * 1e6:,.0f} | {grown_kb / count:.1f} | {lost} |"
        f" {dict(refused) or '-'} | {busiest}, {shares[busiest] / passed_s:.0%} of a core |",
        flush=True,
    )


def main() -> None:
    """The loads that are asked for."""
    words = sys.argv[1:]
    if words[:1] == ["serve"]:
        clients._many_files()
        serve(words[1], words[2])
        return
    if words[:1] == ["client"]:
        clients._many_files()
        client(words[1], words[2].split(","), int(words[3]), int(words[4]), float(words[5]))
        return
    if words[:1] == ["dealer"]:
        asyncio.run(deal(words[1]))
        return
    servers = int(words[words.index("--servers") + 1]) if "--servers" in words else 1
    scale = float(words[words.index("--scale") + 1]) if "--scale" in words else 1.0
    if servers > 1 and "--sqlite" in words:
        sys.exit("A house on SQLite has one server: its file is locked by one process.")
    loads = [word for word in words if word in COUNTS] or list(COUNTS)
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores, {servers} servers\n")
    print(
        "| load | clients | servers | done/s | waits p50 / p99 / p99.9 ms | done a processor s |"
        " processor, us/s a client | memory, KB a client | lost | refused | busiest |"
    )
    print("|" + "---|" * 11)
    for load in loads:
        with nullcontext("") if "--sqlite" in words else cluster() as address:
            run(load, max(PROCESSES, round(COUNTS[load] * scale)), SECONDS, servers, address)


if __name__ == "__main__":
    main()
