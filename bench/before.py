"""Rounds, tables, connections beside an earlier commit, both measured in turns.

python bench/before.py [COMMIT] [SECONDS] [TURNS] [KIND] [BOOKS] [CONNECTIONS]

KIND is rounds, tables, own, pure, live or connections; without it all of them are measured. BOOKS,
with commas between them, limit own, pure and connections to these books; CONNECTIONS is how many
players are connected. Pure is what a server does for a round at an own table without database and
network: decode, decide, apply, account, encode and chain.

Each turn starts a process for the earlier commit and one for this tree. Rates are per second of
the processor, and the ratio is the median of the turns' ratios, so that other work on the machine
hits both alike.
"""

import asyncio
import importlib
import importlib.util
import os
import secrets
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import msgspec
from engine import LINES, Script, drawn, engine_round, processor, rounds_per_second

from wartable import croupier, game, ledger, table
from wartable.rules import load
from wartable.table import commands as c

ROOT = Path(__file__).parent.parent
BEFORE = "2b967d3"
"""The commit before the house was put in order."""
SECONDS = 1.0
TURNS = 5
TABLES = (("online", 1), ("washington", 5), ("maryland", 7))
"""Books and how many players, each with a primary and a tie wager at the own seat."""
OWN = ("online", "washington", "new-zealand", "maryland")
"""The books with tables of one's own: one shuffles for every round, the others have a shoe."""
LIVE_TABLES = 200
CONNECTIONS = 64
MONEY = 10**10


def play_rounds(book: str, boxes: int) -> Callable[[], int]:
    """Play a round of the engine alone."""
    rules, cards = load(book).rules, drawn(load(book).rules.shoe.decks)
    script = Script(rules, boxes)
    return lambda: engine_round(rules, script, cards)


class Play:
    """A table of players who always go to war, with everything accounted for."""

    def __init__(self, book: str, players: int) -> None:
        self.setup = table.new_setup(load(book).rules, "bench")
        self.state = table.start(self.setup)
        self.players = {f"player {seat}": seat for seat in range(1, players + 1)}
        for player, seat in self.players.items():
            self.do(c.Join(player, MONEY, seat))

    def do(self, command: c.Command) -> None:
        """Decide, apply and account; an earlier version does one after the other."""
        if hasattr(ledger, "step"):
            self.state = ledger.step(self.setup, self.state, command).state
            return
        for event in table.decide(self.setup, self.state, command):
            ledger.transfers(self.state, event)
            self.state = table.apply(self.state, event)

    def round(self) -> int:
        """Play a whole round, with the shuffle before it if that is due."""
        number = self.state.rounds
        while self.state.rounds == number or self.state.in_round:
            for command in self.answers(table.awaits(self.setup, self.state)[0]):
                self.do(command)
        return number

    def answers(self, due: table.Due) -> Iterator[c.Command]:
        """What people and platform do about it."""
        match due.what:
            case "decks":
                yield c.ReceiveDecks("dealer", 0)
            case "prepare":
                by = next(iter(self.players)) if due.step == "view" else due.step
                yield c.Prepare(by, due.step, due.batch)  # type: ignore[arg-type]  # a due step is one
            case "shuffle":
                yield c.ShuffleCards(secrets.token_hex(32))
            case "cut":
                yield c.RefuseCut(due.player or "")
            case "load":
                yield c.LoadShoe("dealer")
            case "start":
                yield c.StartRound(0)
            case "bets":
                for player, seat in self.players.items():
                    yield game.Bet(player, seat, "primary", 1000)
                    yield game.Bet(player, seat, "tie", 500)
                yield game.CloseBets()
            case "proceed":
                yield c.Proceed()
            case "choice":
                yield game.Choose(due.player or "", due.box or 0, "war")
            case _:
                raise AssertionError(f"nothing here answers {due}")


class OwnPlay:
    """A table of one's own, played by the platform in the way of its tree: by seeds or by links."""

    def __init__(self, book: str) -> None:
        self.setup = table.new_setup(load(book).rules, f"{book}@ann")
        self.state = table.start(self.setup)
        made = importlib.util.find_spec("wartable.links") and importlib.import_module(
            "wartable.links"
        ).Links("digest", "ann", partial(secrets.token_hex, 32))
        self.links = made
        self.number = {"number": "0" * 64} if made else {}
        self.do(c.Join("ann", MONEY, 1))

    def do(self, command: c.Command) -> None:
        """Carry a command out."""
        self.state = table.step(self.setup, self.state, command)[0]

    def round(self) -> int:
        """Play a whole round, with the shuffle before it if that is due."""
        number = self.state.rounds
        while self.state.rounds == number or self.state.in_round:
            self.do(self.next())
        return number

    def next(self) -> c.Command:
        """What the player or the platform does next."""
        due = table.awaits(self.setup, self.state)[0]
        if self.links and (chain := self.links.chain(self.setup, self.state)):
            return chain
        if due.what == "bets" and not (self.state.round and self.state.round.hands):
            return game.Bet("ann", 1, "primary", 1_000)
        if due.what == "bets":
            return game.CloseBets(**self.number)
        if due.what == "choice":
            return game.Choose("ann", due.box or 1, "war", **self.number)
        if due.what == "cut":
            return c.RefuseCut("ann")
        seed = ""
        if due.what == "cards":
            seed = self.links.next(self.state)
        elif due.what == "shuffle" and not self.links:
            seed = secrets.token_hex(32)
        return croupier.act(self.setup, self.state, due, croupier.PRIVATE, 0, 10**12, seed).command


class PurePlay(OwnPlay):
    """The same, each command decoded and its row made as a server does."""

    def __init__(self, book: str) -> None:
        self.key = importlib.import_module("wartable.server.records.keys").HouseKey(bytes(32))
        self.new_row = importlib.import_module("wartable.server.records.journal").new_row
        self.decide = importlib.import_module("wartable.server.records.decisions").of_table
        self.decode = msgspec.json.Decoder(c.Command).decode
        self.head = (0, "0" * 64)
        super().__init__(book)

    def do(self, command: c.Command) -> None:
        """Decode the command, decide it, and make its row."""
        decoded = self.decode(msgspec.json.encode(command))
        self.state, decision = self.decide(self.setup, self.state, decoded)
        what = decision.command, decision.events
        row = self.new_row(self.head, self.setup.name, 0, "ann", "id", *what, self.key)
        self.head = (row.number, row.hash)


def measured(kind: str, book: str, number: int, seconds: float) -> float:
    """Rounds per second of this process's tree."""
    plays = {"round": play_rounds, "table": lambda *of: Play(*of).round}
    owns = {"own": OwnPlay, "pure": PurePlay}
    play = plays[kind](book, number) if kind in plays else owns[kind](book).round
    return rounds_per_second(play, seconds)


ROUNDS = """
import before, sys
kind, book, number, seconds = sys.argv[1:]
print(before.measured(kind, book, int(number), float(seconds)))
"""

LIVE = """
import asyncio, resource, server, sys
server.collect_seldom()
with server.sqlite() as address:
    run = server.Run(address, int(sys.argv[1]))
    with server.recorded(run.batches):
        asyncio.run(run.play(float(sys.argv[2])))
used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
print(sum(map(len, run.batches)) / sum(each.ru_utime + each.ru_stime for each in used))
"""


def rate(tree: Path, kind: str, book: str, number: int, seconds: float) -> float:
    """Rounds per second of a tree, measured by this script in a process of its own."""
    return _run(tree, ROOT, ROUNDS, kind, book, number, seconds)


def live_rate(tree: Path, seconds: float) -> float:
    """Durable rows of a tree's live tables by its own script, per second of all its processors."""
    return _run(tree, tree, LIVE, LIVE_TABLES, seconds)


def connected_rate(tree: Path, book: str, connections: int, seconds: float) -> float:
    """Whole rounds over connections to a tree's server, per second of all its processors."""
    import clients  # noqa: PLC0415  # what it imports is not in every tree that is measured

    async def play(host: str, pid: int) -> float:
        numbers = (tree / "src" / "wartable" / "proof.py").exists()
        async with clients.playing(host, connections, book, numbers) as guests:
            before_s = sum(clients.processor_s(pid))
            await asyncio.sleep(seconds)
            used_s = sum(clients.processor_s(pid)) - before_s
            return sum(len(guest.rounds_s) for guest in guests) / used_s

    environment = os.environ | {"PYTHONPATH": str(tree / "src")}
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder, "clients.py")
        source = (tree / "bench" / "clients.py").read_text()
        script.write_text(source.replace('books=("online",)', f'books=("{book}",)'))
        with clients.started(script, folder, environment) as (process, host):
            return asyncio.run(play(host, process.pid))


def _run(tree: Path, scripts: Path, code: str, *given: object) -> float:
    path = os.pathsep.join((str(tree / "src"), str(scripts / "bench")))
    command = [sys.executable, "-c", code, *map(str, given)]
    environment = os.environ | {"PYTHONPATH": path}
    done = subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE, text=True)
    return float(done.stdout)


def compare(what: str, old: Path, measure: Callable[[Path], float], turns: int) -> None:
    """Print the rates of both trees and their ratio; each is first in every second turn."""
    pairs = []
    for turn in range(turns):
        trees = (old, ROOT) if turn % 2 else (ROOT, old)
        found = {tree: measure(tree) for tree in trees}
        pairs.append((found[old], found[ROOT]))
    before, now = (statistics.median(each) for each in zip(*pairs, strict=True))
    ratio = statistics.median(after / first for first, after in pairs)
    print(f"| {what} | {before:,.0f} | {now:,.0f} | {ratio:.2f} |", flush=True)


def main() -> None:
    """Print a table that can be pasted into bench/results.md."""
    given = dict(enumerate(sys.argv[1:]))
    commit, seconds = given.get(0, BEFORE), float(given.get(1, SECONDS))
    turns, kind = int(given.get(2, TURNS)), given.get(3, "")
    books, connections = given.get(4, ",".join(OWN)).split(","), int(given.get(5, CONNECTIONS))
    print(f"Python {sys.version.split()[0]}, {processor()}, {turns} turns of {seconds:g} s\n")
    print(f"| what | {commit}, per second | now | ratio |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        old = Path(folder)
        archive = subprocess.run(["git", "archive", commit], cwd=ROOT, check=True, stdout=-1)
        subprocess.run(["tar", "-x", "-C", folder], input=archive.stdout, check=True)
        for book, boxes in LINES if kind in ("", "rounds") else ():
            asked = {"kind": "round", "book": book, "number": boxes, "seconds": seconds}
            compare(f"rounds, {book}, {boxes} boxes", old, partial(rate, **asked), turns)
        for book, players in TABLES if kind in ("", "tables") else ():
            asked = {"kind": "table", "book": book, "number": players, "seconds": seconds}
            what = f"rounds at a table, {book}, {players} players"
            compare(what, old, partial(rate, **asked), turns)
        for what, name in (("own", "rounds at an own table"), ("pure", "the same, as rows")):
            for book in books if kind in ("", what) else ():
                asked = {"kind": what, "book": book, "number": 1, "seconds": seconds}
                compare(f"{name}, {book}", old, partial(rate, **asked), turns)
        if kind in ("", "live"):
            measure = partial(live_rate, seconds=seconds)
            compare(f"live rows, {LIVE_TABLES} tables, SQLite", old, measure, turns)
        for book in books if kind in ("", "connections") else ():
            asked = {"book": book, "connections": connections, "seconds": seconds}
            what = f"whole rounds over {connections} connections, {book}, SQLite"
            compare(what, old, partial(connected_rate, **asked), turns)


if __name__ == "__main__":
    main()
