"""The cage: money into and out of wallets, once for each id; play money; what a player holds."""

import asyncio
from collections.abc import Callable, Iterable

import msgspec
import sqlalchemy as sa

from wartable import ledger
from wartable.game import Illegal
from wartable.server import schema
from wartable.server.accounts import Account
from wartable.server.cashier import Cashier
from wartable.server.live import Accepted, Answer, Refusal
from wartable.server.protection import Protection
from wartable.server.records import CASHIER, PayIn, PayOut
from wartable.table import PLATFORM

GUEST_MONEY = 1_000_00
BROKE_BELOW = 5_00


class Cage:
    """The way to the cashier, past limits and exclusions."""

    def __init__(
        self,
        engine: sa.Engine,
        cashier: Cashier,
        protection: Protection,
        tables: Callable[[str], Iterable[str]],
    ) -> None:
        self._engine, self._cashier, self._protection = engine, cashier, protection
        self._tables = tables
        self._paying = asyncio.Lock()

    async def pay(self, actor: str, id_: str, command: PayIn | PayOut) -> Answer:
        """Move money into or out of a wallet, once for each id of the actor."""
        whole = f"{actor}/{id_}"
        async with self._paying:
            old = await asyncio.to_thread(self._paid, whole)
            if old is not None:
                if old[1] != command:
                    return Refusal(id_, "id_used", "This id was used for another movement.")
                return Accepted(id_, old[0])
            if isinstance(command, PayIn):
                try:
                    self._protection.check_deposit(command.player, command.amount)
                except Illegal as error:
                    return Refusal(id_, error.code, error.sentence)
            answer = await self._cashier.carry_out(actor, whole, command)
        return msgspec.structs.replace(answer, id=id_)

    def _paid(self, command_id: str) -> tuple[int, PayIn | PayOut] | None:
        journal = schema.journal
        query = sa.select(journal.c.number, journal.c.command).where(
            journal.c.table_name == CASHIER, journal.c.command_id == command_id
        )
        with self._engine.connect() as connection:
            found = connection.execute(query).first()
        if found is None:
            return None
        return found.number, msgspec.json.decode(found.command, type=PayIn | PayOut)

    async def welcome(self, account: Account) -> None:
        """The play money that a new account begins with."""
        await self.pay(PLATFORM, f"welcome-{account.name}", PayIn(account.name, GUEST_MONEY))

    async def refill(self, account: Account, id_: str) -> Answer:
        """New play money for somebody who has none left."""
        if account.money != "play" or account.role != "player":
            return Refusal(id_, "no_play_money", "Only players with play money get it for nothing.")
        held = sum((await asyncio.to_thread(self.money, account.name)).values())
        if held >= BROKE_BELOW:
            return Refusal(id_, "not_broke", f"There are {held} left; play them first.")
        return await self.pay(account.name, id_, PayIn(account.name, GUEST_MONEY))

    def money(self, name: str) -> dict[str, int]:
        """What a player has: in the wallet, and on each table."""
        accounts = {f"{place}/{ledger.stack(name)}": place for place in self._tables(name)}
        accounts[ledger.wallet(name)] = "wallet"
        balances = schema.balances
        query = sa.select(balances).where(balances.c.account.in_(list(accounts)))
        with self._engine.connect() as connection:
            found = {accounts[row.account]: row.amount for row in connection.execute(query)}
        return {"wallet": 0} | {place: amount for place, amount in found.items() if amount}
