"""A house over the wire: whole rounds at 64 connections, and 2,000 clients that follow a table.

python bench/clients.py [SECONDS] [CONNECTIONS] [FOLLOWERS] [IDLE]

The rounds are measured twice: alone, and with IDLE tables open at which nobody plays.

The server and the followers are processes of their own.
"""

import asyncio
import json
import os
import platform
import re
import resource
import secrets
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import uvicorn
from websockets.asyncio.client import ClientConnection, connect

from wartable.croupier import Timing
from wartable.server.config import Config
from wartable.server.http.app import Application, settings_for
from wartable.server.running import House
from wartable.server.upkeep import collect_seldom, run

SECONDS = 10.0
CONNECTIONS = 64
FOLLOWERS = 2_000
IDLE = 9_900
FOLLOWER_PROCESSES = 2
FOLLOWED_ROUNDS = 10
OPENING_AT_ONCE = 50
FILES_MAX = 16_384
WAIT_S = 600
WARM_S = 2
LATE_S = 60
BOOK = "online"
TABLE = "online 1"
SHARED = Timing(
    bets_ms=1_000, choice_ms=60_000, cut_ms=0, bank_ms=0, seed_ms=0, number_ms=0, pause_ms=100
)

Json = dict[str, Any]


async def serve(folder: str, idle: int = 0) -> None:
    """The house on a free port, which is printed; no limit on what one address does.

    So many private tables are open, at which nobody plays.
    """
    collect_seldom()  # as `wartable serve` does
    speeds = ("guests_per_minute", "messages_per_s", "requests_per_s")
    many = dict.fromkeys((*speeds, "connections_per_address"), 10**6)
    quick = many | {"iterations": 1}
    house = House(Config(Path(folder), books=("online",), bots=False, shared=SHARED, **quick))  # type: ignore[arg-type]  # whole numbers
    settings = settings_for(Application(house))
    settings.port = 0
    server = uvicorn.Server(settings)
    serving = asyncio.create_task(server.serve())
    while not server.started:
        await asyncio.sleep(0.01)
    for _ in range(idle):
        account, _, _ = await house.new_guest("127.0.0.1")
        await house.pit.open_private(account, BOOK)
    print(server.servers[0].sockets[0].getsockname()[1], flush=True)
    await serving


@contextmanager
def served(idle: int = 0) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The server's process and where it listens."""
    with (
        tempfile.TemporaryDirectory() as folder,
        started(Path(__file__), folder, idle=idle) as found,
    ):
        yield found


@contextmanager
def started(
    script: Path, folder: str, environment: dict[str, str] | None = None, idle: int = 0
) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The process of a script that serves a house in this folder, and where it listens."""
    process = subprocess.Popen(
        [sys.executable, str(script), "serve", folder, *([str(idle)] if idle else ())],
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
    )
    assert process.stdout is not None
    try:
        yield process, f"127.0.0.1:{int(process.stdout.readline())}"
    finally:
        process.terminate()
        process.wait(WAIT_S)


def processor_s(pid: int) -> tuple[float, float]:
    """The seconds of the processor that a process has used, and those that its children have."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()

    def used(process: int) -> float:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    return used(pid), sum(used(int(child)) for child in children)


def _many_files() -> None:
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(FILES_MAX, most), most))


def _started(*words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, __file__, *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=None,
        text=True,
    )


class Guest:
    """A guest over HTTP and one WebSocket, who plays as fast as the table goes."""

    def __init__(self, host: str, book: str = BOOK, numbers: bool = True) -> None:
        self.host, self.name, self.token = host, "", ""
        self._book, self._numbers = book, numbers
        self.rounds_s: list[float] = []
        self.answers_s: list[float] = []
        self._socket: ClientConnection | None = None
        self._asked: dict[str, float] = {}
        self._began_s = 0.0
        self._bet_at = -2
        """The row after which the last bet was made; its own row is the next one."""

    async def come(self, table: str | None) -> None:
        """Sit down, at an own table if none is named."""
        async with httpx.AsyncClient(base_url=f"http://{self.host}", timeout=WAIT_S) as http:
            signed = (await http.post("/guest")).raise_for_status().json()
            self.name, self.token = signed["name"], signed["token"]
            bearer = {"Authorization": f"Bearer {self.token}"}
            if table is None:
                opened = await http.post(
                    "/tables/private", json={"book": self._book}, headers=bearer
                )
                table = opened.raise_for_status().json()["name"]
        address = f"ws://{self.host}/play?table={quote(table)}"
        self._socket = await connect(address, additional_headers=bearer)
        await self._say("hello", table=table)
        await self._say("join", id="join", amount=100_000, seat=1)

    async def _say(self, type_: str, **fields: Any) -> None:
        assert self._socket is not None
        if "id" in fields:
            self._asked[fields["id"]] = time.perf_counter()
        await self._socket.send(json.dumps({"type": type_, **fields}))

    async def play(self, deal: bool, rounds: int = 10**9) -> int:
        """Play so many rounds; the number of the last row."""
        assert self._socket is not None
        closed = number = 0
        awaited: Json = {}
        async for data in self._socket:
            message = json.loads(data)
            match message["type"]:
                case "accepted":
                    asked_s = self._asked.pop(message["id"])
                    self.answers_s.append(time.perf_counter() - asked_s)
                    # That bets are awaited may be told before the last deal is answered.
                    if awaited and awaited["due"][0]["what"] == "bets":
                        await self._answer(awaited["number"], awaited["due"][0], deal)
                case "happened":
                    number = message["number"]
                    if any(event["type"] == "closed" for event in message["events"]):
                        closed += 1
                        self.rounds_s.append(time.perf_counter() - self._began_s)
                case "awaited":
                    if message["due"][0]["what"] in ("bets", "start") and closed >= rounds:
                        return number
                    awaited = message
                    await self._answer(message["number"], message["due"][0], deal)
                case "refused":
                    raise AssertionError(message)
        raise AssertionError("the server ended the connection")

    def _asking(self) -> bool:
        """Whether a bet or the deal has no answer yet."""
        return any(id_.startswith(("bet", "deal")) for id_ in self._asked)

    async def _answer(self, number: int, due: Json, deal: bool) -> None:
        match due["what"]:
            case "bets" if number > self._bet_at + 1 and not self._asking():
                self._bet_at = number
                self._began_s = time.perf_counter()
                await self._say("bet", id=f"bet {number}", box=1, wager="primary", amount=500)
                if deal:
                    await self._say("close_bets", id=f"deal {number}", **self._number(deal))
            case "choice":
                id_, own = f"war {number}", self._number(deal)
                await self._say("choose", id=id_, box=due["box"], choice="war", **own)
            case "cut":
                await self._say("refuse_cut", id=f"cut {number}")

    def _number(self, own_table: bool) -> Json:
        """A number of the player's own, as a page sends it at the player's own table."""
        return {"number": secrets.token_hex(32)} if own_table and self._numbers else {}


@asynccontextmanager
async def playing(
    host: str, connections: int, book: str = BOOK, numbers: bool = True
) -> AsyncIterator[list[Guest]]:
    """Guests who play at private tables without a pause, each over its own connection."""
    guests = [Guest(host, book, numbers) for _ in range(connections)]
    for guest in guests:
        await guest.come(None)
    tasks = [asyncio.create_task(guest.play(deal=True)) for guest in guests]
    await asyncio.sleep(WARM_S)
    for guest in guests:
        guest.rounds_s.clear()
        guest.answers_s.clear()
    yield guests
    for task in tasks:
        if task.done():
            task.result()
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def rounds(host: str, server: int, seconds: float, connections: int, idle: int) -> None:
    """Whole rounds a second at private tables."""
    async with playing(host, connections) as guests:
        before_s = sum(processor_s(server))
        await asyncio.sleep(seconds)
        used_s = sum(processor_s(server)) - before_s
    played = [each for guest in guests for each in guest.rounds_s]
    answers = [each for guest in guests for each in guest.answers_s]
    whole, one = statistics.quantiles(played, n=100), statistics.quantiles(answers, n=100)
    print(
        "| connections | idle tables | rounds/s | for a second of the server's processors"
        " | round p50 / p99 ms | answer p50 / p99 ms |"
    )
    print("|---|---|---|---|---|---|")
    print(
        f"| {connections} | {idle:,} | {len(played) / seconds:,.0f} | {len(played) / used_s:,.0f} |"
        f" {whole[49] * 1000:.1f} / {whole[98] * 1000:.1f} |"
        f" {one[49] * 1000:.1f} / {one[98] * 1000:.1f} |",
        flush=True,
    )


async def follow(host: str, count: int) -> None:
    """Follow the table over so many connections; at the end say what each was told."""
    _many_files()
    some = asyncio.Semaphore(OPENING_AT_ONCE)
    seen: list[list[int]] = [[] for _ in range(count)]
    ready = asyncio.Semaphore(0)

    async def one(numbers: list[int]) -> None:
        async with some:
            address = f"ws://{host}/play?table={quote(TABLE)}"
            socket = await connect(address, open_timeout=WAIT_S, ping_interval=None)
            await socket.send(json.dumps({"type": "hello", "table": TABLE}))
        async for data in socket:
            message = json.loads(data)
            if message["type"] == "snapshot":
                ready.release()
            if message["type"] in ("snapshot", "happened"):
                numbers.append(message["number"])

    tasks = [asyncio.create_task(one(numbers)) for numbers in seen]
    for _ in range(count):
        await ready.acquire()
    print("ready", flush=True)
    end = int(await asyncio.to_thread(sys.stdin.readline))
    until_s = time.monotonic() + LATE_S
    while any(each[-1] < end for each in seen) and time.monotonic() < until_s:
        await asyncio.sleep(0.01)
    # A snapshot in between would jump over numbers: only rows, each once, count as whole.
    whole = sum(each[: end - each[0] + 1] == list(range(each[0], end + 1)) for each in seen)
    told = sum(len(each) - 1 for each in seen)
    print(json.dumps({"whole": whole, "told": told}), flush=True)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def memory_kb(pid: int) -> int:
    """The resident memory of a process."""
    found = re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())
    assert found is not None
    return int(found[1])


async def followers(host: str, server: int, count: int) -> None:
    """Connect the followers, play rounds before them, and count what each was told."""
    before_kb = memory_kb(server)
    began_s = time.perf_counter()
    each = count // FOLLOWER_PROCESSES
    processes = [_started("follow", host, str(each)) for _ in range(FOLLOWER_PROCESSES)]
    for process in processes:
        assert process.stdout is not None
        assert await asyncio.to_thread(process.stdout.readline) == "ready\n"
    connected_s = time.perf_counter() - began_s
    after_kb = memory_kb(server)
    guest = Guest(host)
    await guest.come(TABLE)
    end = await guest.play(deal=False, rounds=FOLLOWED_ROUNDS)
    played_s = time.perf_counter()
    told: list[Json] = []
    for process in processes:
        out, _ = await asyncio.to_thread(process.communicate, f"{end}\n", WAIT_S)
        told.append(json.loads(out))
    behind_s = time.perf_counter() - played_s
    whole, rows = sum(part["whole"] for part in told), sum(part["told"] for part in told)
    print(
        "| clients | connected in s | memory, KB a client | rows told | told every row | last s |"
    )
    print("|---|---|---|---|---|---|")
    print(
        f"| {count:,} | {connected_s:.1f} | {(after_kb - before_kb) / count:.1f} | {rows:,} |"
        f" {whole:,} | {behind_s:.2f} |",
        flush=True,
    )
    assert whole == count, "not every event was delivered to every client"


def main() -> None:
    """Everything in one run."""
    words = sys.argv[1:]
    if words[:1] == ["serve"]:
        _many_files()
        run(serve(words[1], int((words[2:] or ["0"])[0])))
        return
    if words[:1] == ["follow"]:
        asyncio.run(follow(words[1], int(words[2])))
        return
    seconds = float(words[0]) if words else SECONDS
    connections = int(words[1]) if len(words) > 1 else CONNECTIONS
    count = int(words[2]) if len(words) > 2 else FOLLOWERS
    idle = int(words[3]) if len(words) > 3 else IDLE
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores, {seconds:g} s")
    for number in (0, idle):
        with served(number) as (process, host):
            asyncio.run(rounds(host, process.pid, seconds, connections, number))
    with served() as (process, host):
        asyncio.run(followers(host, process.pid, count))


if __name__ == "__main__":
    main()
