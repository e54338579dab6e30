"""R11 at all servers of a house: whoever has a limit plays at any of them, and at several at once.

Each server decides by what it knows; the transaction counts what all of them wrote.
"""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from msgspec.structs import replace

from hosting import FAST
from opened_houses import Deaf, opened, opened_wing
from recorded_houses import new_database
from waiting import WAIT_S, in_time
from wartable.game import Bet, Withdraw
from wartable.server import running
from wartable.server import wing as wings
from wartable.server.audit import verify
from wartable.server.house import counted
from wartable.server.house.accounts import Account
from wartable.server.records import database, schema
from wartable.server.records.answers import Accepted, Answer, RefusedCommand
from wartable.server.records.counting import MINUTE_MS, read_play, stored_play
from wartable.server.records.journal import Broken
from wartable.server.records.messages import PayIn
from wartable.server.running import House
from wartable.server.wing import Wing
from wartable.table.commands import BuyIn, CashOut, Join, TakeBank

SECRET = bytes(range(32))
BOOKS = ("online", "washington")
PATIENT = replace(FAST, bets_ms=None, choice_ms=None, seed_ms=0)


@pytest.fixture
def address(postgres_server: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """An empty PostgreSQL database; no server follows the others by itself."""
    monkeypatch.setenv("WARTABLE_KEY", SECRET.hex())
    for where, name in ((wings, "FOLLOW_S"), (wings, "COUNT_S"), (running, "COUNT_S")):
        monkeypatch.setattr(where, name, WAIT_S)
    monkeypatch.setattr(wings, "OfficeListener", Deaf)
    return new_database(postgres_server)


class Servers:
    """The server that has the house, a wing, and a guest with a private table at each."""

    def __init__(self, house: House, wing: Wing, guest: Account) -> None:
        self.house, self.wing, self.guest = house, wing, guest
        self.name = guest.name
        self.tables = {house.owner: f"online@{guest.name}", wing.owner: f"washington@{guest.name}"}
        self._count = 0

    async def ask(self, where: House, command: Any, table: str = "") -> Answer:
        """The answer to the guest's command at a server."""
        self._count += 1
        table = table or self.tables[where.owner]
        return await where.dispatch.command(self.guest, table, str(self._count), command)

    async def bet(self, where: House, amount: int, box: int = 1) -> str:
        """How the guest's bet is refused; empty if it is taken."""
        return code(await self.ask(where, Bet(self.name, box, "primary", amount)))

    async def limit(self, kind: Any, amount: int | None) -> None:
        """Set the guest's own limit, at the server that has the house."""
        await self.house.set_limit(self.name, self.name, kind, "player", amount)


def code(answer: Answer) -> str:
    """How a command was refused; empty if it was carried out."""
    return answer.code if isinstance(answer, RefusedCommand) else ""


def run(
    tmp_path: Path, address: str, work: Callable[[Servers], Awaitable[None]], *more: str
) -> None:
    """Open both servers, have a guest sit down at both, and do this."""

    async def whole() -> None:
        config: dict[str, Any] = {"books": (*BOOKS, *more), "shared": PATIENT}
        house = await opened(tmp_path / "one", address, **config)
        wing = await opened_wing(tmp_path / "two", address, **config)
        try:
            guest, _, _ = await house.new_guest("192.0.2.7")
            servers = Servers(house, wing, guest)
            await wing.follow()
            for where, book in zip((house, wing), BOOKS, strict=True):
                await where.pit.open_private(guest, book)
                joined = await servers.ask(where, Join(guest.name, 20_000, 1))
                assert isinstance(joined, Accepted), joined
            await work(servers)
            verify.verify(house.engine, house.key)
            assert sum(database.balances(house.engine).values()) == 0
        finally:
            await wing.stop()
            await house.stop()

    in_time(whole())


def test_R11_a_loss_limit_holds_over_all_servers(tmp_path: Path, address: str) -> None:
    """To the cent, with what was lost before the limit; a table stays where it is."""

    async def work(servers: Servers) -> None:
        house, wing = servers.house, servers.wing
        assert await servers.bet(wing, 700) == ""
        await servers.limit("loss_day", 1_500)
        assert await servers.bet(house, 801) == "loss_limit"
        assert await servers.bet(house, 500) == ""
        assert await servers.bet(wing, 301, box=2) == "loss_limit"
        assert await servers.bet(wing, 300, box=2) == ""
        for where in (house, wing):
            assert await servers.bet(where, 1, box=3) == "loss_limit"
            assert servers.tables[where.owner] in where.floor.places
        back = await servers.ask(wing, Withdraw(servers.name, 1, "primary"))
        assert isinstance(back, Accepted), "what comes back may be staked again, anywhere"
        assert await servers.bet(house, 701, box=3) == "loss_limit"
        assert await servers.bet(house, 700, box=3) == ""
        play = counted.stored_of(house.engine, servers.name)
        assert play is not None
        assert list(play.lost.values()) == [1_500]

    run(tmp_path, address, work)


def test_R11_who_bets_at_two_servers_at_once_passes_no_limit(tmp_path: Path, address: str) -> None:
    """Again and again one of the two bets is refused, which the other one leaves no room for."""

    async def work(servers: Servers) -> None:
        house, wing = servers.house, servers.wing
        await servers.limit("loss_day", 1_000)
        for _ in range(5):
            both = await asyncio.gather(servers.bet(house, 600), servers.bet(wing, 600))
            assert sorted(both) == ["", "loss_limit"]
            taken = house if both[0] == "" else wing
            back = await servers.ask(taken, Withdraw(servers.name, 1, "primary"))
            assert isinstance(back, Accepted)

    run(tmp_path, address, work)


def test_R11_a_stricter_limit_holds_elsewhere_at_once(tmp_path: Path, address: str) -> None:
    """For the very next wager of a server that nobody has told; so does the operator's for all."""

    async def work(servers: Servers) -> None:
        house, wing = servers.house, servers.wing
        await servers.limit("loss_day", 1_000)
        assert await servers.bet(wing, 400) == ""
        await servers.limit("loss_day", 500)
        assert await servers.bet(wing, 101, box=2) == "loss_limit"
        await house.set_limit("eve", "*", "loss_week", "operator", 450)
        assert await servers.bet(wing, 51, box=2) == "loss_limit"
        assert await servers.bet(wing, 50, box=2) == ""
        other, _, _ = await house.new_guest("192.0.2.8")
        await wing.follow()
        place = await wing.pit.open_private(other, "online")
        name = place.live.setup.name
        for command, expected in (
            (Join(other.name, 5_000, 1), ""),
            (Bet(other.name, 1, "primary", 451), "loss_limit"),
            (Bet(other.name, 1, "primary", 450), ""),
        ):
            answer = await wing.dispatch.command(other, name, str(command), command)
            assert code(answer) == expected

    run(tmp_path, address, work)


def test_R11_time_and_deposits_count_over_all_servers(tmp_path: Path, address: str) -> None:
    """A minute with commands at two servers is one, and the next is too much at each of them."""

    async def work(servers: Servers) -> None:
        house, wing = servers.house, servers.wing
        await servers.limit("deposit_day", 100_500)
        paid = await house.cage.pay("key:till", "1", PayIn(servers.name, 500))
        assert isinstance(paid, Accepted), paid
        assert code(await house.cage.pay("key:till", "2", PayIn(servers.name, 1))) == (
            "deposit_limit"
        )
        for each in (house, wing):  # at the beginning of a minute that nothing was done in
            each.clock.ahead_ms += 2 * MINUTE_MS - house.clock.now_ms() % MINUTE_MS  # type: ignore[attr-defined]  # a test's clock
        play = counted.stored_of(house.engine, servers.name)
        assert play is not None
        used = int(play.minutes, 16).bit_count()
        await servers.limit("minutes_day", used + 1)
        assert await servers.bet(wing, 100) == ""
        assert await servers.bet(house, 100) == ""
        for each in (house, wing):
            each.clock.ahead_ms += MINUTE_MS  # type: ignore[attr-defined]  # a test's clock
        assert await servers.bet(wing, 100, box=2) == "minutes_limit"
        assert await servers.bet(house, 100, box=2) == "minutes_limit"
        await asyncio.to_thread(verify.verify, house.engine, house.key)

    run(tmp_path, address, work)


def test_R11_a_bank_at_another_server_counts_with_all_it_may_match(
    tmp_path: Path, address: str
) -> None:
    """Also one that was taken before the limit; what others may stake is stored with the row."""

    async def work(servers: Servers) -> None:
        house, wing, name = servers.house, servers.wing, servers.name
        assert isinstance(await servers.ask(wing, CashOut(name, 20_000)), Accepted)
        bank = "california 1"
        await house.pit.give_up(bank)
        await wing.placing.shared_now(())
        await wing.pit.claim(bank)
        assert isinstance(await servers.ask(wing, Join(name, 10_000, 1), bank), Accepted)
        other, _, _ = await house.new_guest("192.0.2.8")
        await wing.follow()
        joined = await wing.dispatch.command(other, bank, "1", Join(other.name, 10_000, 2))
        assert isinstance(joined, Accepted), joined
        place = wing.floor.places[bank]
        for guest in (servers.guest, other):  # so that there is somebody to ask
            place.enter(guest.name)
        while place.live.state.bank.offered != name:
            await asyncio.sleep(0.01)
        assert isinstance(await servers.ask(wing, TakeBank(name, 5_000), bank), Accepted)
        await servers.limit("loss_day", 12_000)
        assert await servers.bet(house, 2_001) == "loss_limit"
        assert await servers.bet(house, 2_000) == ""
        assert code(await servers.ask(wing, BuyIn(name, 1), bank)) == "loss_limit"
        verify.verify(house.engine, house.key)
        exposed = schema.exposed
        with house.engine.begin() as connection:
            connection.execute(exposed.update().values(amount=1))
        with pytest.raises(Broken, match=f"{bank}: others may stake"):
            verify.verify(house.engine, house.key)
        await wing.pit.give_up(bank)  # what somebody changed is put right when a table opens
        await house.pit.claim(bank)
        verify.verify(house.engine, house.key)
        assert await servers.bet(house, 1, box=2) == "loss_limit"

    run(tmp_path, address, work, "california")


@pytest.mark.parametrize(
    ("what", "change"),
    [
        ("lost", {"lost": {}}),
        ("deposited", {"deposited": {20_000: 5}}),
        ("minutes", {"minutes": "0"}),
    ],
)
def test_R11_what_is_counted_is_compared_with_the_journal(
    tmp_path: Path, address: str, what: str, change: dict[str, Any]
) -> None:
    """`audit verify` names what somebody changed; what was taken away is counted again."""

    async def work(servers: Servers) -> None:
        house, wing, ours = servers.house, servers.wing, schema.counted
        await servers.limit("loss_day", 1_000)
        assert await servers.bet(wing, 700) == ""
        with house.engine.begin() as connection:
            stored = connection.execute(sa.select(ours.c.play)).scalar_one()
            changed = replace(read_play(stored), **change)
            if what == "deposited":
                changed.deposited = {next(iter(changed.lost)): 5}
            text = stored_play(changed)
            connection.execute(ours.update().values(play=text))
        with pytest.raises(Broken, match=f"{servers.name}: {what} is counted"):
            verify.verify(house.engine, house.key)
        with house.engine.begin() as connection:
            connection.execute(ours.delete())
        assert await servers.bet(house, 301) == "loss_limit"
        assert await servers.bet(house, 300) == ""

    run(tmp_path, address, work)
