"""Customers of a simulated house: impatient, forgetful, badly connected, and never deceived."""

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING

from wartable import game, table
from wartable.rules import WagerKind
from wartable.server.records.answers import Accepted, Answer, RefusedCommand
from wartable.server.records.messages import PayIn, PayOut
from wartable.server.records.rows import CASHIER
from wartable.server.records.store import Unsure
from wartable.server.tables.listeners import Happened, Listener, Snapshot
from wartable.server.tables.live import LiveTable
from wartable.table import commands as c

if TYPE_CHECKING:
    from simulated_server import Process, World

FUNDS = 50_000
WAIT_S = 3
OPEN_MAX = 5
WAGERS: tuple[WagerKind, ...] = ("primary", "primary", "primary", "progressive", "bonus_spin")
UNCERTAIN = ("busy", "fenced", "no_answer")
"""Refusals after which the same id is sent again."""


class Customer:
    """Somebody who plays at one table at a time and checks whatever is said."""

    def __init__(self, world: "World", name: str, table: str = "", ids: str = "") -> None:
        """`ids` begins the ids of somebody who is at two tables at once."""
        self.world, self.name, self._ids = world, name, ids or name
        self.table = table or world.chance.choice(world.names)
        self.last: int | None = None
        self._open = 0
        self._count = 0
        self._process: Process | None = None

    def content(self) -> bool:
        """Whether nothing is owed: every command answered, every row of the journal heard."""
        head = self.world.memory.one("SELECT number FROM heads WHERE table_name = ?", self.table)
        return not self._open and self.last == head

    async def play(self) -> None:
        """Connect, follow and give commands for a while, lose the connection, begin again."""
        while True:
            await asyncio.sleep(self.world.chance.random() * 0.2)
            process = self.world.front(self.table)
            if process is None or self.table not in process.tables:
                continue
            self._process = process
            after = self._resume_at()
            listener = process.tables[self.table].listen(after)
            self.last = after
            hearing = self.world.spawn(self._hear(process, listener))
            await self._command_for_a_while(process)
            hearing.cancel()
            if self.table in process.tables:
                process.tables[self.table].listeners.pop(listener, None)

    def _resume_at(self) -> int | None:
        """Where to go on: mostly where we were, sometimes anywhere, even in the future."""
        if self.last is None or self.world.happens(0.1):
            return None
        if self.world.happens(0.3):
            return self.world.chance.randrange(self.last + 20)
        return self.last

    async def _command_for_a_while(self, process: "Process") -> None:
        chance = self.world.chance
        until_s = self.world.loop.time() + chance.uniform(0.5, 4)
        while self.world.loop.time() < until_s or not self.world.rough:
            await asyncio.sleep(chance.expovariate(12))
            if not process.ready or self.table not in process.tables:
                return
            if self.world.rough and self._open < OPEN_MAX:
                self._give(process.tables[self.table])

    def _give(self, live: LiveTable) -> None:
        """Send one command, or money to or from the cashier, without waiting for the last."""
        self._count += 1
        id_ = f"{self._ids}/{self._count}"
        if self.world.chance.random() < 0.1 or self._count == 1:
            self.world.spawn(self._insist_on_payment(id_))
        else:
            self.world.spawn(self._insist(id_, self._wish(live)))

    def _wish(self, live: LiveTable) -> c.Command:
        """A command that makes sense now, mostly."""
        chance, state, name = self.world.chance, live.state, self.name
        guest = state.guests.get(name)
        if guest is None:
            return c.Join(name, chance.randrange(100, FUNDS // 2), chance.randrange(1, 3))
        due = table.awaits(live.setup, state)[0]
        if chance.random() < 0.1:
            return chance.choice((game.Leave(name), c.BuyIn(name, 500), c.CashOut(name, 500)))
        if due.what == "bank" and due.player is not None:
            return c.TakeBank(due.player, 2_000)
        if due.what == "choice" and due.player is not None and due.box is not None:
            return game.Choose(due.player, due.box, chance.choice(("war", "surrender")))
        wager = chance.choice(WAGERS)
        return game.Bet(name, guest.seat or 1, wager, chance.choice((100, 500)))

    async def _insist(self, id_: str, command: c.Command) -> None:
        """Send a command until there is an answer, sometimes twice at once, losing messages."""
        chance, name = self.world.chance, self.table
        self._open += 1
        wait_s = 0.02
        while True:
            await asyncio.sleep(wait_s * chance.random())
            wait_s = min(2 * WAIT_S, wait_s * 3)
            process = self.world.front(name)
            if process is None or name not in process.tables:
                continue
            waiting = process.tables[name].submit(self.name, id_, command)
            if self.world.happens(0.2):
                self.world.loop.call_later(
                    chance.random(), self._repeat, process, name, id_, command
                )
            with suppress(TimeoutError):
                async with asyncio.timeout(WAIT_S * chance.random() + 0.1):
                    answer = await waiting
                if process.alive and not self.world.happens(0.1):
                    answer = process.looked_up(name, id_, answer)
                    self._check_answer(name, id_, answer)
                    if not (isinstance(answer, RefusedCommand) and answer.code in UNCERTAIN):
                        break
        self._open -= 1

    def _repeat(self, process: "Process", name: str, id_: str, command: c.Command) -> None:
        """The same message arrives again, as long as its process lives."""
        if process.alive and name in process.tables:
            process.tables[name].submit(self.name, id_, command)

    async def _insist_on_payment(self, id_: str) -> None:
        """Pay in or out; who got no answer looks into the records before asking again."""
        amount = FUNDS if id_.endswith("/1") else self.world.chance.randrange(1, 900)
        kind = self.world.chance.choice((PayIn, PayOut)) if amount < FUNDS else PayIn
        self._open += 1
        while not self._row_of(CASHIER, id_):
            await asyncio.sleep(self.world.chance.random() * 0.1)
            process = self.world.front(CASHIER)
            if process is None or self._row_of(CASHIER, id_):
                continue
            paying = self.world.loop.create_task(
                process.cashier.carry_out(self.name, id_, kind(self.name, amount))
            )
            done, _ = await asyncio.wait([paying], timeout=WAIT_S)
            if done and process.alive and not isinstance(paying.exception(), Unsure):
                self._check_answer(CASHIER, id_, paying.result())
                break
            paying.cancel()
        self._open -= 1

    def _row_of(self, name: str, id_: str) -> int | None:
        found: int | None = self.world.memory.one(
            "SELECT number FROM journal WHERE table_name = ? AND command_id = ?", name, id_
        )
        return found

    def _check_answer(self, name: str, id_: str, answer: Answer) -> None:
        """What is said to be done is in the journal, what is refused is not."""
        row = self._row_of(name, id_)
        if isinstance(answer, Accepted):
            self.world.require(answer.number == row, f"{id_} is row {row}, not {answer.number}")
        elif answer.code not in UNCERTAIN:
            self.world.require(row is None, f"{id_} was refused ({answer.code}) and is row {row}")

    async def _hear(self, process: "Process", listener: Listener) -> None:
        """Read what is told, sometimes too slowly; every row must follow the one before."""
        chance = self.world.chance
        while True:
            for told in await listener.told():
                if not process.alive:
                    return
                if told is not None:
                    self._check_told(told)
                if self.world.happens(0.03):
                    await asyncio.sleep(chance.expovariate(1))
            if listener.behind and not listener.outbox:
                live = process.tables.get(self.table)
                if live is None:
                    return
                live.listeners.pop(listener, None)
                listener = live.listen(None)

    def _check_told(self, told: Happened | Snapshot) -> None:
        head = self.world.memory.one("SELECT number FROM heads WHERE table_name = ?", self.table)
        self.world.require(
            told.number <= (head or 0), f"{self.table} row {told.number} was told, not written"
        )
        if isinstance(told, Happened):
            expected = (self.last or 0) + 1
            self.world.require(
                told.number == expected, f"row {told.number} was told instead of {expected}"
            )
        self.last = told.number
        self.world.heard.append(told)
