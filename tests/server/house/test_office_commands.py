"""Whatever the office is asked, the house opens again, somebody runs it, and no cent is lost."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path

import pytest
import sqlalchemy as sa

from opened_houses import opened
from waiting import DEEP_S, LIFE_S, in_time
from wartable import game
from wartable.refusal import Refusal
from wartable.server.audit import verify
from wartable.server.config import Money
from wartable.server.house.accounts import Account
from wartable.server.house.limits import LIMIT_KINDS
from wartable.server.house.roles import ROLES
from wartable.server.records import database, schema
from wartable.server.records.counting import DAY_MS
from wartable.server.records.messages import PayIn, PayOut
from wartable.table.commands import Command, Join

TABLE = "online 1"
NAMES = ("anna", "berta", "carla", "dora")
PASSWORD = "correct horse battery"
STEPS = 12


class Walk:
    """A house that is asked one thing after the other, and what its people would remember."""

    def __init__(self, folder: Path, address: str, money: Money, seed: int) -> None:
        self.folder, self.address, self.money = folder, address, money
        self.chance = random.Random(seed)
        self.passwords: dict[str, str] = {}
        self.done: list[str] = []
        self.ids = 0

    async def open(self) -> None:
        """Open the house."""
        self.house = await opened(self.folder, self.address, money=self.money)
        made = list(self.folder.glob("*-password"))
        assert [each.name for each in made] == ["admin-password"], "it lost its administrators"
        self.passwords.setdefault("admin", made[0].read_text().strip())

    def id(self) -> str:
        """An id that was not used before."""
        self.ids += 1
        return f"walk {self.ids}"

    def accounts(self) -> dict[str, Account]:
        """Every account by its name."""
        rows = schema.accounts.c
        query = sa.select(rows.name, rows.role, rows.money, rows.opened_ms)
        with self.house.engine.connect() as connection:
            return {row.name: Account(*row) for row in connection.execute(query)}

    def somebody(self) -> Account:
        """Any account."""
        return self.chance.choice(list(self.accounts().values()))

    def admin(self) -> str:
        """Any administrator."""
        accounts = self.accounts().values()
        return self.chance.choice([each.name for each in accounts if each.role == "admin"])

    async def open_account(self) -> None:
        """Somebody gets an account, with any role and any kind of money asked for."""
        name, role = self.chance.choice(NAMES), self.chance.choice(ROLES)
        money: Money | None = self.chance.choice([None, "play", "deposited"])
        await self.house.accounts.open(self.admin(), name, PASSWORD, role, money)
        self.passwords[name] = PASSWORD

    async def change_role(self) -> None:
        """Somebody gets another role, the administrator too."""
        role = self.chance.choice(ROLES)
        await self.house.change_role(self.admin(), self.somebody().name, role, "walk")

    async def depose_each_other(self) -> None:
        """All administrators make each other players at the same time."""
        admins = [each.name for each in self.accounts().values() if each.role == "admin"]
        asked = [(by, of) for by in admins for of in admins]
        change = self.house.change_role
        changes = (change(by, of, "player", "walk") for by, of in asked)
        await asyncio.gather(*changes, return_exceptions=True)

    async def new_password(self) -> None:
        """An administrator makes a password for somebody."""
        name = self.somebody().name
        made = await self.house.sessions.new_password(self.admin(), name, "walk")
        self.passwords[name] = made

    async def exclude(self) -> None:
        """Somebody excludes themselves, the administrator too."""
        until_ms = self.house.clock.now_ms() + DAY_MS
        await self.house.exclude(self.somebody(), until_ms, "walk")

    async def disable(self) -> None:
        """Something is disabled: a player may be the administrator."""
        scope, name = self.chance.choice(
            [("gaming", ""), ("book", "online"), ("table", TABLE), ("player", self.somebody().name)]
        )
        act = self.chance.choice([self.house.disable, self.house.enable])
        await act(self.admin(), scope, name, "walk")  # type: ignore[arg-type]  # one of the scopes

    async def limit(self) -> None:
        """The operator sets a limit for somebody or for everybody."""
        kind, amount = self.chance.choice(LIMIT_KINDS), self.chance.choice([None, 0, 50_000])
        account = self.chance.choice(["*", self.somebody().name])
        await self.house.set_limit(self.admin(), account, kind, "operator", amount)

    async def pay(self) -> None:
        """Money comes from outside or goes there, or the house gives some away."""
        somebody, amount = self.somebody(), self.chance.randrange(1, 100_000)
        if self.chance.random() < 0.3:
            await self.house.cage.refill(somebody, self.id())
        elif somebody.money == "deposited":
            name = somebody.name
            payment = self.chance.choice((PayIn(name, amount), PayOut(name, amount)))
            await self.house.cage.pay("key:desk", self.id(), payment)
        elif self.house.config.money == "play":
            await self.house.cage.welcome(somebody)

    async def play(self) -> None:
        """Somebody sits down, with money on the table, or leaves, or wagers."""
        somebody = self.somebody()
        name, seat = somebody.name, self.chance.randrange(1, 3)
        asked: tuple[Command, ...] = (
            Join(name, 500, seat),
            game.Leave(name),
            game.Bet(name, 1, "primary", 500),
        )
        await self.house.dispatch.command(somebody, TABLE, self.id(), self.chance.choice(asked))

    async def guess(self) -> None:
        """A stranger guesses somebody's password, oftener than is allowed."""
        name = self.somebody().name
        for _ in range(6):
            with suppress(Refusal):
                await self.house.sessions.sign_in(name, "not the password", "192.0.2.66")

    async def step(self) -> None:
        """Ask one thing, and look; close the house, open it again, and look again."""
        acts: tuple[Callable[[], Awaitable[None]], ...] = (
            self.open_account, self.open_account, self.change_role, self.change_role,
            self.depose_each_other, self.new_password, self.exclude, self.disable, self.limit,
            self.pay, self.pay, self.play, self.play, self.guess,
        )  # fmt: skip  # a list of names
        act = self.chance.choice(acts)
        self.done.append(act.__name__)
        with suppress(Refusal):
            await act()
        await self.check()
        await self.house.stop()
        await self.open()
        await self.check()

    async def check(self) -> None:
        """Somebody runs the house, and every cent came from somewhere."""
        signed_in = await self.house.sessions.sign_in(
            name := self.admin(), self.passwords[name], "192.0.2.1"
        )
        assert signed_in[0].role == "admin", self.done
        assert sum(database.balances(self.house.engine).values()) == 0, self.done
        assert TABLE in self.house.floor.places, self.done
        assert {each.money for each in self.accounts().values()} == {self.house.config.money}


@pytest.mark.parametrize("money", ["play", "deposited"])
def test_a_house_opens_after_every_command_of_the_office(
    tmp_path: Path, address: str, money: Money, deep: bool
) -> None:
    """After each of many random commands the house opens, has an administrator and its money."""

    async def walk(seed: int) -> None:
        walking = Walk(tmp_path, address, money, seed)
        await walking.open()
        for _ in range(STEPS * 25 if deep else STEPS):
            await walking.step()
        verify.verify(walking.house.engine, walking.house.key)
        await walking.house.stop()

    in_time(walk(random.randrange(2**32) if deep else 7), DEEP_S if deep else LIFE_S)
