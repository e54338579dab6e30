"""The load that people bring to a house on PostgreSQL, with one server, two and three.

python bench/house.py [KIND] [SIZE] [SECONDS] [SERVERS ...]

KIND is play (64 connections at tables of their own, without a pause), half (the same, and then so
many pauses that the house is half as busy), people (2,000 players at shared tables, with the pauses
of people), follow (5,000 who follow one table) or guests (20,000 sign-ins a minute); without it all
are measured. Two processes of clients, written to cost little.
"""

import asyncio
import json
import os
import platform
import random
import secrets
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import msgspec

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "setup"))

from clients import SHARED, WAIT_S, _many_files, memory_kb

from postgres import cluster
from wartable.cli import serving
from wartable.croupier import Timing
from wartable.server.config import Config
from wartable.server.upkeep import run

KINDS: dict[str, tuple[int, float]] = {
    "play": (64, 10.0),
    "half": (64, 10.0),
    "people": (2_000, 60.0),
    "follow": (5_000, 10.0),
    "guests": (20_000, 60.0),
}
"""What is measured, with its size and seconds."""
SERVERS = (1, 2, 3)
CLIENTS = 2
"""How many processes of clients there are."""
SEATS = 7
"""How many people sit at a shared table: 2,000 at about 300."""
SIGNING_AT_ONCE = 20
WARM_S = 3.0
PEOPLE = Timing(
    bets_ms=10_000, choice_ms=2_000, cut_ms=0, bank_ms=0, seed_ms=0, number_ms=0, pause_ms=100
)
BUSY = 503
MASKED = 0x80
FRAME = 0x81
TEXT = 1

Json = dict[str, Any]


class Heard(msgspec.Struct):
    """What a client needs of a message."""

    type: str
    id: str = ""
    number: int = 0
    at_ms: int = 0
    due: list[Json] = []
    events: list[Json] = []
    code: str = ""


_DECODE = msgspec.json.Decoder(Heard).decode


class Wire(asyncio.Protocol):
    """A WebSocket with no more than a client of this house needs."""

    def __init__(self, head: bytes, hear: Any) -> None:
        self._head, self._hear, self._early = head, hear, b""
        self.opened = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # a stream's
        """Ask for a WebSocket."""
        self._transport = transport
        transport.write(self._head)

    def data_received(self, data: bytes) -> None:
        """Hear every whole message."""
        data = self._early + data
        if not self.opened.done():
            head, ended, data = data.partition(b"\r\n\r\n")
            if not ended:
                self._early = head
                return
            assert b" 101 " in head.partition(b"\r\n")[0], head
            self.opened.set_result(None)
        place = 0
        while (found := _frame(data, place)) is not None:
            kind, start, place = found
            if kind == TEXT:
                self._hear(_DECODE(data[start:place]))
        self._early = data[place:]

    def say(self, message: Json) -> None:
        """Send a message; a mask of zeros changes nothing."""
        data = msgspec.json.encode(message)
        size = len(data)
        length = bytes((MASKED | size,)) if size < 126 else b"\xfe" + size.to_bytes(2)
        self._transport.write(bytes((FRAME,)) + length + bytes(4) + data)

    def close(self) -> None:
        """End it."""
        self._transport.abort()


def _frame(data: bytes, place: int) -> tuple[int, int, int] | None:
    """The kind of a frame, and where its content begins and ends; None if it is not whole."""
    if len(data) < place + 2:
        return None
    length, start = data[place + 1], place + 2
    if length >= 126:
        wide = 2 if length == 126 else 8
        length, start = int.from_bytes(data[start : start + wide]), start + wide
    return None if len(data) < start + length else (data[place] & 15, start, start + length)


async def connected(host: str, token: str, table: str, hear: Any) -> Wire:
    """A connection that follows a table."""
    address, _, port = host.partition(":")
    head = (
        f"GET /play?table={quote(table)} HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\n"
        "Connection: Upgrade\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
        "Sec-WebSocket-Version: 13\r\n"
    )
    head += f"Authorization: Bearer {token}\r\n\r\n" if token else "\r\n"
    loop = asyncio.get_running_loop()
    _, wire = await loop.create_connection(partial(Wire, head.encode(), hear), address, int(port))
    await wire.opened
    wire.say({"type": "hello", "table": table})
    return wire


async def asked(http: httpx.AsyncClient, path: str, body: Json | None, headers: Json) -> Json:
    """The answer to a request, which is sent again as long as the house is too slow."""
    while (answer := await http.post(path, json=body, headers=headers)).status_code == BUSY:
        await asyncio.sleep(0.2)
    found: Json = answer.raise_for_status().json()
    return found


class Person:
    """Somebody who plays at a table: at their own at once, or as people do at another."""

    def __init__(self, own: bool, seat: int, pause_s: float = 0.0) -> None:
        """`pause_s` is how long they wait on average before a round at their own table."""
        self._own, self._seat, self._pause_s = own, seat, pause_s
        self.rounds = 0
        self.answers_s: list[float] = []
        self.refused: list[str] = []
        self._asked: dict[str, float] = {}
        self._bet_at = -2

    async def come(self, host: str, http: httpx.AsyncClient, table: str) -> None:
        """Sign in, and sit down."""
        signed = await asked(http, "/guest", None, {})
        bearer = {"Authorization": f"Bearer {signed['token']}"}
        if self._own:
            opened = await asked(http, "/tables/private", {"book": "online"}, bearer)
            table = opened["name"]
        self._wire = await connected(host, signed["token"], table, self._hear)
        self._say("join", "join", amount=100_000, seat=self._seat)

    def _say(self, type_: str, id_: str, **fields: Any) -> None:
        self._asked[id_] = time.perf_counter()
        self._wire.say({"type": type_, "id": id_, **fields})

    def _hear(self, message: Heard) -> None:
        match message.type:
            case "accepted" | "refused":
                asked_s = self._asked.pop(message.id, None)
                if asked_s is not None:
                    self.answers_s.append(time.perf_counter() - asked_s)
                if message.type == "refused":
                    self.refused.append(message.code)
            case "happened":
                self.rounds += any(each["type"] == "closed" for each in message.events)
            case "awaited":
                self._answer(message.number, message.due)

    def _answer(self, number: int, due: list[Json]) -> None:
        """Do what is awaited of this person, at once or after a while."""
        what = due[0]["what"] if due else ""
        loop = asyncio.get_running_loop()
        if what == "bets" and self._own and number > self._bet_at + 1:
            self._bet_at = number
            if self._pause_s:
                loop.call_later(random.uniform(0, 2 * self._pause_s), self._deal, number)
            else:
                self._deal(number)
        elif what == "bets" and not self._own and number > self._bet_at + SEATS + 2:
            self._bet_at = number
            loop.call_later(random.uniform(0.2, 8), self._bet, number)
        elif what == "choice":
            mine = [each for each in due if self._own or each.get("box") == self._seat]
            for each in mine:
                wait_s = 0 if self._own else random.uniform(0.2, 1.5)
                loop.call_later(wait_s, self._war, number, each["box"])

    def _deal(self, number: int) -> None:
        self._say("bet", f"bet {number}", box=1, wager="primary", amount=500)
        self._say("close_bets", f"deal {number}", number=secrets.token_hex(32))

    def _bet(self, number: int) -> None:
        self._say("bet", f"bet {number}", box=self._seat, wager="primary", amount=500)

    def _war(self, number: int, box: int) -> None:
        own = {"number": secrets.token_hex(32)} if self._own else {}
        self._say("choose", f"war {number}", box=box, choice="war", **own)


def counted(times_s: Iterable[float]) -> dict[int, int]:
    """How often each time came, in tenths of a millisecond."""
    return dict(Counter(int(each * 10_000) for each in times_s))


def within_ms(counts: Counter[int], part: float) -> float:
    """The time within which this part of the answers came."""
    left = counts.total() * part
    for tenths, count in sorted(counts.items()):
        left -= count
        if left <= 0:
            return tenths / 10
    return 0.0


async def play(
    host: str, own: bool, count: int, first: int, seconds: float, pause_s: float = 0.0
) -> Json:
    """So many people, at tables of their own or seven at each shared one."""
    people = [Person(own, 1 if own else number % SEATS + 1, pause_s) for number in range(count)]
    some = asyncio.Semaphore(SIGNING_AT_ONCE)
    async with httpx.AsyncClient(base_url=f"http://{host}", timeout=WAIT_S) as http:

        async def come(number: int, person: Person) -> None:
            async with some:
                await person.come(host, http, f"bench {(first + number) // SEATS}")

        await asyncio.gather(*(come(*each) for each in enumerate(people)))
    print("ready", flush=True)
    await asyncio.to_thread(sys.stdin.readline)
    for person in people:
        person.rounds, person.answers_s, person.refused = 0, [], []
    await asyncio.sleep(seconds)
    return {
        "done": sum(person.rounds for person in people),
        "times": counted(each for person in people for each in person.answers_s),
        "refused": sum(len(person.refused) for person in people),
    }


async def follow(host: str, count: int, seconds: float) -> Json:
    """So many who follow one table; a row's age is how long after its time they are told."""
    ages_s: list[float] = []
    ready = asyncio.Semaphore(0)

    def hear(message: Heard) -> None:
        if message.type == "snapshot":
            ready.release()
        elif message.type == "happened":
            ages_s.append(time.time() - message.at_ms / 1000)

    some = asyncio.Semaphore(50)

    async def one() -> None:
        async with some:
            await connected(host, "", "online 1", hear)

    await asyncio.gather(*(one() for _ in range(count)))
    for _ in range(count):
        await ready.acquire()
    print("ready", flush=True)
    await asyncio.to_thread(sys.stdin.readline)
    ages_s.clear()
    await asyncio.sleep(seconds)
    return {"done": len(ages_s), "times": counted(ages_s), "refused": 0}


async def guests(host: str, count: int, seconds: float) -> Json:
    """Guests who sign in, as many in this time as asked for, or as can."""
    times_s: list[float] = []
    print("ready", flush=True)
    await asyncio.to_thread(sys.stdin.readline)
    until_s = time.perf_counter() + seconds
    async with httpx.AsyncClient(base_url=f"http://{host}", timeout=WAIT_S) as http:

        async def some(number: int) -> None:
            for _ in range(number):
                asked_s = time.perf_counter()
                if asked_s > until_s:
                    return
                (await http.post("/guest")).raise_for_status()
                times_s.append(time.perf_counter() - asked_s)

        await asyncio.gather(*(some(count // SIGNING_AT_ONCE) for _ in range(SIGNING_AT_ONCE)))
    return {"done": len(times_s), "times": counted(times_s), "refused": 0}


def serve(folder: str, address: str, count: int, kind: str) -> None:
    """So many servers behind a free port, which the first says; no limit on one address."""
    speeds = ("guests_per_minute", "messages_per_s", "requests_per_s", "attempts_per_minute")
    many: Any = dict.fromkeys((*speeds, "connections_per_address"), 10**6)
    shared = PEOPLE if kind == "people" else SHARED
    config = Config(
        Path(folder), address, books=("online",), bots=False, shared=shared, iterations=1, **many
    )
    with serving.bound("127.0.0.1", 0, any_port=False) as listening:
        serving.run(config, listening, "127.0.0.1", ("127.0.0.1", 0), count)


@contextmanager
def served(address: str, count: int, kind: str) -> Iterator[tuple[int, str, Path]]:
    """The first process of the servers, where they listen, and the house's folder."""
    with tempfile.TemporaryDirectory() as folder:
        words = [sys.executable, __file__, "serve", folder, address, str(count), kind]
        process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=-3, text=True)
        assert process.stdout is not None
        try:
            wanted = "servers of this house answer at" if count > 1 else "Wartable is open at"
            line = next(line for line in process.stdout if wanted in line)
            yield process.pid, line.split("http://")[1].strip(), Path(folder)
        finally:
            process.terminate()
            process.wait(WAIT_S)


def family(pid: int) -> list[int]:
    """A process and all that it and its children have started."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [pid, *(each for child in children for each in family(int(child)))]


def used_s(pids: Sequence[int]) -> float:
    """The seconds of the processor that these have used."""
    ticks = 0
    for pid in pids:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def open_tables(host: str, folder: Path, count: int) -> None:
    """Have an administrator open so many shared tables."""
    password = (folder / "admin-password").read_text().strip()
    with httpx.Client(base_url=f"http://{host}", timeout=WAIT_S) as http:
        signing = {"name": "admin", "password": password}
        token = http.post("/sign-in", json=signing).raise_for_status().json()["token"]
        http.headers["Authorization"] = f"Bearer {token}"
        for number in range(count):
            asked = {"name": f"bench {number}", "book": "online"}
            http.post("/tables", json=asked).raise_for_status()


def measure(
    kind: str, size: int, seconds: float, address: str, servers: int, pause_s: float = 0.0
) -> float:
    """Print one line: what the clients saw, and what the servers used; the rate that they saw."""
    with served(address, servers, kind) as (pid, host, folder):
        if kind == "people":
            open_tables(host, folder, -(-size // SEATS))
        before_kb = sum(map(memory_kb, family(pid)))
        each = size // CLIENTS
        words = [(kind, host, each, number * each, seconds, pause_s) for number in range(CLIENTS)]
        clients = [
            subprocess.Popen(
                [sys.executable, __file__, "client", *map(str, word)],
                stdin=-1,
                stdout=-1,
                text=True,
            )
            for word in words
        ]
        for client in clients:
            assert client.stdout is not None
            assert client.stdout.readline() == "ready\n"
        grown_kb = sum(map(memory_kb, family(pid))) - before_kb
        player = host if kind == "follow" else ""
        feeding = subprocess.Popen([sys.executable, __file__, "feed", player]) if player else None
        time.sleep(0 if kind == "guests" else WARM_S)
        pids = family(pid)
        began_s = used_s(pids)
        heard = []
        for client in clients:
            assert client.stdin is not None
            client.stdin.write("go\n")
            client.stdin.flush()
        time.sleep(seconds)
        processor_s = used_s(pids) - began_s
        for client in clients:
            out, _ = client.communicate(timeout=WAIT_S)
            heard.append(json.loads(out))
        if feeding is not None:
            feeding.terminate()
            feeding.wait(WAIT_S)
    times: Counter[int] = Counter()
    for part in heard:
        times.update({int(tenths): count for tenths, count in part["times"].items()})
    done = sum(part["done"] for part in heard)
    refused = sum(part["refused"] for part in heard)
    late = [within_ms(times, part) for part in (0.5, 0.99, 0.999)]
    print(
        f"| {kind}, {size:,} | {servers} | {done / seconds:,.0f} | {done / processor_s:,.0f} |"
        f" {late[0]:.1f} / {late[1]:.1f} / {late[2]:.1f} | {processor_s / seconds:.2f} |"
        f" {grown_kb / size:.1f} | {refused} |",
        flush=True,
    )
    return done / seconds


async def feed(host: str) -> None:
    """Somebody who plays on at the table that others follow."""
    person = Person(own=False, seat=1)
    async with httpx.AsyncClient(base_url=f"http://{host}", timeout=WAIT_S) as http:
        await person.come(host, http, "online 1")
    await asyncio.sleep(WAIT_S)


def main() -> None:
    """Everything that is asked for, as a table for bench/results.md."""
    words = sys.argv[1:]
    _many_files()
    match words:
        case ["serve", folder, address, count, kind]:
            serve(folder, address, int(count), kind)
            return
        case ["feed", host]:
            run(feed(host))
            return
        case ["client", kind, host, count, first, lasting, pause]:
            own = partial(play, host, True, int(count), 0, float(lasting))
            work = {
                "play": own,
                "half": partial(own, float(pause)),
                "people": partial(play, host, False, int(count), int(first), float(lasting)),
                "follow": partial(follow, host, int(count), float(lasting)),
                "guests": partial(guests, host, int(count), float(lasting)),
            }
            print(json.dumps(run(work[kind]())))
            return
    asked = dict(enumerate(words))
    servers = [int(each) for each in words[3:]] or list(SERVERS)
    print(f"Python {platform.python_version()}, load {os.getloadavg()[0]:.1f}\n")
    print("| load | servers | a second | for a second of the servers' processors |", end="")
    print(" p50 / p99 / p99.9 ms | processors used | KB for each | refused |")
    print("|---|---|---|---|---|---|---|---|")
    for kind in [words[0]] if words else list(KINDS):
        size, seconds = int(asked.get(1, KINDS[kind][0])), float(asked.get(2, KINDS[kind][1]))
        for each in servers:
            pause_s = 0.0
            if kind == "half":
                with cluster() as found:
                    pause_s = 2 * size / measure("play", size, seconds, found, each)
            with cluster() as found:
                measure(kind, size, seconds, found, each, pause_s)


if __name__ == "__main__":
    main()
