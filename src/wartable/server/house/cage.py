"""The cage: it moves money into and out of wallets, once for each id, and gives play money."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable

import sqlalchemy as sa

from wartable import ledger
from wartable.game import Illegal
from wartable.game.messages import money
from wartable.refusal import Refusal
from wartable.server.config import Money
from wartable.server.house.accounts import Account
from wartable.server.house.cashier import ID_USED, Cashier, CashierCommand
from wartable.server.house.guard import Guard
from wartable.server.house.protection import Protection
from wartable.server.records import database, journal, schema
from wartable.server.records.answers import NO_ANSWER, Accepted, Answer, RefusedCommand
from wartable.server.records.decisions import of_house
from wartable.server.records.messages import Correct, PayIn
from wartable.server.records.rows import CASHIER
from wartable.server.records.store import CommitRefused, Repeated
from wartable.table import PLATFORM

GUEST_MONEY = 1_000_00
BROKE_BELOW = 5_00
KEYS = "key"
"""The prefix of operators' keys' names."""


class Cage:
    """The way to the cashier, after limits and exclusions are checked."""

    def __init__(
        self,
        engine: sa.Engine,
        cashier: Cashier,
        protection: Protection,
        guard: Guard,
        tables: Callable[[str], Iterable[str]],
        playing: Callable[[str], Awaitable[bool]],
        kind: Money,
    ) -> None:
        """`kind` is the house's kind of money."""
        self._kind = kind
        self._engine, self._cashier, self._protection = engine, cashier, protection
        self._guard = guard
        self._tables, self._playing = tables, playing
        self._refilling = asyncio.Lock()

    async def pay(
        self, actor: str, id_: str, command: CashierCommand, broke: bool = False
    ) -> Answer:
        """Move money into or out of a wallet, once for each id; all keys share their ids.

        With `broke`, only if the player has nothing left.
        """
        try:
            if (old := await self._repeated(actor, id_, command)) is not None:
                return old
            if broke:
                await self._check_broke(command.player)
            claim = None
            if isinstance(command, PayIn):
                claim = self._protection.permit_deposit(command.player, command.amount)
        except Refusal as error:
            return RefusedCommand(id_, error.code, error.sentence)
        whole, decision = f"{_owner(actor)}/{id_}", of_house(CASHIER, command)
        try:
            number = await self._cashier.write(actor, whole, decision, claim=claim)
        except Repeated:
            # It was written meanwhile: by another request, by another server, or by a forger.
            return await self._repeated(actor, id_, command) or RefusedCommand(id_, *NO_ANSWER)
        except CommitRefused as error:
            return RefusedCommand(id_, error.code, error.sentence)
        return Accepted(id_, number)

    async def _repeated(self, actor: str, id_: str, command: CashierCommand) -> Answer | None:
        """The answer to an id that was used before; None for a new one."""
        old = await asyncio.to_thread(self._written, actor, id_)
        for number, written in old:
            if journal.read_command(written) == command:
                return Accepted(id_, number)
        return RefusedCommand(id_, *ID_USED) if old else None

    def _written(self, actor: str, id_: str) -> list[tuple[int, str]]:
        """The movements carried out under an id, as each row's number and command.

        A payment that is sent again after its key was replaced is still the same payment. In older
        rows the id contains the name of the key, so there may be one row for each key.
        """
        owners = [_owner(actor)]
        if owners[0] == KEYS:
            owners += [f"{KEYS}:{name}" for name in list(self._guard.rights.keys)]
        found = (self._guard.carried_out(CASHIER, f"{owner}/{id_}") for owner in owners)
        return [each for each in found if each is not None]

    async def correct(self, by: str, command: Correct) -> Answer:
        """Pay what a dispute found missing, once for each dispute, whoever answers it."""
        return await self._cashier.carry_out(by, _dispute_id(command.dispute), command)

    def corrected(self, dispute: int) -> Correct | None:
        """What was paid for a dispute, if anything was."""
        found = self._guard.carried_out(CASHIER, _dispute_id(dispute))
        command = None if found is None else journal.read_command(found[1])
        return command if isinstance(command, Correct) else None

    async def welcome(self, account: Account) -> None:
        """Pay out the play money that a new account begins with."""
        await self.pay(PLATFORM, f"welcome-{account.name}", PayIn(account.name, GUEST_MONEY))

    async def provide(self, bot: str, amount: int, id_: str) -> None:
        """Top up a bot's wallet to this amount with the platform's money."""
        held = (await asyncio.to_thread(self.money, bot))["wallet"]
        if held < amount:
            await self.pay(PLATFORM, id_, PayIn(bot, amount - held))

    async def refill(self, account: Account, id_: str) -> Answer:
        """New play money for somebody who has none left."""
        if (self._kind, account.money, account.role) != ("play", "play", "player"):
            return RefusedCommand(
                id_, "no_play_money", "Only players with play money get new play money."
            )
        async with self._refilling:  # or two could look before either is paid
            return await self.pay(account.name, id_, PayIn(account.name, GUEST_MONEY), broke=True)

    async def _check_broke(self, name: str) -> None:
        """Refuse a player who has money left, in the wallet or in play."""
        if await self._playing(name):
            raise Illegal("not_broke", "You have money in play; finish the round first.")
        held = await asyncio.to_thread(self._held, name)
        if held >= BROKE_BELOW:
            raise Illegal("not_broke", f"You have {money(held)} left; play it first.")

    def _held(self, name: str) -> int:
        """All that a player has at one moment, including money at other servers' tables."""
        with database.snapshot(self._engine) as source:
            return sum(self.money(name, source).values()) + self._laid(name, source)

    def _laid(self, name: str, source: sa.Connection) -> int:
        """The money on the felts and in the banks of the player's private tables, open or not."""
        own = [place for place in self._tables(name) if place.endswith(f"@{name}")]
        accounts = [f"{place}/{each}" for place in own for each in (ledger.FELT, ledger.BANK)]
        balances = schema.balances
        query = sa.select(sa.func.sum(balances.c.amount)).where(balances.c.account.in_(accounts))
        return int(source.execute(query).scalar() or 0)

    def money(self, name: str, source: database.Queryable | None = None) -> dict[str, int]:
        """A player's money, in the wallet and at each table."""
        accounts = {f"{place}/{ledger.stack(name)}": place for place in self._tables(name)}
        accounts[ledger.wallet(name)] = "wallet"
        balances = schema.balances
        query = sa.select(balances).where(balances.c.account.in_(list(accounts)))
        with database.reading(source or self._engine) as connection:
            found = {accounts[row.account]: row.amount for row in connection.execute(query)}
        return {"wallet": 0} | {place: amount for place, amount in found.items() if amount}


def _dispute_id(dispute: int) -> str:
    """The id of a dispute's payment; no account's name has a colon."""
    return f"dispute:/{dispute}"


def _owner(actor: str) -> str:
    """The prefix of an id: the actor's own, or the one that all keys share."""
    return KEYS if actor.startswith(f"{KEYS}:") else actor
