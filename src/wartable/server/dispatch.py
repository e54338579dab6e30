"""How a command reaches its table, and how the answer comes back."""

import asyncio

import msgspec
import sqlalchemy as sa

from wartable.game import Bet, Illegal
from wartable.refusal import Refusal
from wartable.server.clock import Clock
from wartable.server.config import Money
from wartable.server.denied import Denied
from wartable.server.house.accounts import Account, Accounts
from wartable.server.house.guard import Guard
from wartable.server.house.inventory import Inventory
from wartable.server.house.protection import Protection
from wartable.server.house.roles import may_bring, may_command, roles_for
from wartable.server.logs import LOG, log_row
from wartable.server.metrics import Metrics
from wartable.server.pit import Pit
from wartable.server.records.answers import (
    NO_ANSWER,
    Accepted,
    Answer,
    RefusedCommand,
    repeated,
)
from wartable.server.records.pulse import COMMAND_PART, Pulse
from wartable.server.tables.approvals import Approvals
from wartable.server.tables.floor import Floor
from wartable.server.tables.live import PASSING, LiveTable
from wartable.server.tables.place import RunningTable
from wartable.table.commands import Approve, ChangeDealer, Command, Join, ReceiveDecks

ANSWER_S = 30
"""How long a table may take to answer."""


class Given(msgspec.Struct, frozen=True, gc=False):
    """A command that somebody gave at a table, with its answer or the future of it."""

    place: RunningTable
    account: Account
    id: str
    command: Command
    asked: "asyncio.Future[Answer] | Answer"


class Dispatch:
    """Takes commands to their tables: checks who gives them, adds cards, returns the answer."""

    def __init__(
        self,
        pit: Pit,
        floor: Floor,
        *,
        accounts: Accounts,
        approvals: Approvals,
        protection: Protection,
        inventory: Inventory,
        guard: Guard,
        pulse: Pulse,
        metrics: Metrics,
        clock: Clock,
        money: Money,
    ) -> None:
        self._pit, self._floor, self._accounts = pit, floor, accounts
        self._approvals = approvals
        self._protection, self._inventory, self._guard = protection, inventory, guard
        self._pulse, self._metrics, self._clock, self._money = pulse, metrics, clock, money

    async def command(
        self,
        account: Account,
        name: str,
        id_: str,
        command: Command,
        address: str = "",
        meant: int | None = None,
    ) -> Answer:
        """Carry out somebody's command at a table; the answer has the sender's id."""
        return await self.answer(await self.give(account, name, id_, command, address, meant))

    async def give(
        self,
        account: Account,
        name: str,
        id_: str,
        command: Command,
        address: str = "",
        meant: int | None = None,
    ) -> Given:
        """Take somebody's command to its table, where it waits for its turn.

        `meant` is the round that the command was meant for; in any other it is refused.
        """
        place = await self._pit.find(name, account, address)
        place.heard(account.name, place.used_ms)
        whole = f"{account.name}/{id_}"
        try:
            await self._check(account, place, command)
        except Refusal as error:
            refused = RefusedCommand(whole, error.code, error.sentence)
            return Given(place, account, id_, command, refused)
        if isinstance(command, ReceiveDecks):
            brought = await self._bring(place.live, account, whole, command)
            return Given(place, account, id_, command, brought)
        asked = self._submit(place.live, account, whole, command, meant)
        return Given(place, account, id_, command, asked)

    async def answer(self, given: Given) -> Answer:
        """The table's answer to a command, under the sender's id."""
        place, command, answer = given.place, given.command, given.asked
        name = place.live.setup.name
        if isinstance(answer, asyncio.Future):
            whole = f"{given.account.name}/{given.id}"
            answer = await self._answered(name, whole, command, answer)
        if isinstance(answer, Accepted):
            answer = msgspec.structs.replace(answer, id=given.id)
            self._metrics.accepted[type(command).__name__] += 1
            log_row(name, answer.number)
        else:
            answer = msgspec.structs.replace(answer, id=given.id, at_ms=self._clock.now_ms())
            self._metrics.refused[answer.code] += 1
            extra = {"table": name, "account": given.account.name, "code": answer.code}
            LOG.info("command refused", extra=extra)
            if answer.code == "bets_closed" and isinstance(command, Bet):
                place.came_late(command, answer.at_ms)
        return answer

    async def _check(self, account: Account, place: RunningTable, command: Command) -> None:
        """Refuse a command that this account may not give at this table."""
        owns, here = place.owner == account.name, account.name in place.live.state.guests
        may_command(account.role, command, place.live.setup, owns, here)
        may_bring(account.money, command, self._money)
        if isinstance(command, Approve):
            await self._approvals.check(account.name, place)
        if isinstance(command, ChangeDealer):
            await self._check_dealer(command.dealer)
        if isinstance(command, Join):
            book, name = place.live.setup.rules.name, place.live.setup.name
            self._protection.permit(book, name, account.name, command, ())
            self._protection.check_time(account.name)
            if await self._floor.company[name].make_room(command):
                raise Illegal(
                    "seat_taken", "A bot leaves this seat after the round; ask again then."
                )

    async def _check_dealer(self, name: str) -> None:
        """Refuse a change of dealer to somebody who is not a dealer."""
        row = await self._pulse.in_time(asyncio.to_thread(self._accounts.row, name))
        if row is None or row.role != "dealer":
            sentence = f"{name} is not a dealer; name an account with the role dealer."
            raise Illegal("no_such_dealer", sentence)

    def _submit(
        self,
        live: LiveTable,
        account: Account,
        id_: str,
        command: Command,
        meant: int | None = None,
    ) -> "asyncio.Future[Answer]":
        deals = account.role == "dealer" and "dealer" in roles_for(command)
        return live.submit(account.name, id_, command, deals, meant)

    async def _answered(
        self, table: str, id_: str, command: Command, asked: "asyncio.Future[Answer]"
    ) -> Answer:
        """The table's answer, if it comes in time; a late one may still be carried out."""
        try:
            none = RefusedCommand(id_, *NO_ANSWER)
            answer = await self._pulse.answer(asked, none, COMMAND_PART, ANSWER_S)
            if answer is none or isinstance(answer, Accepted) or answer.code in PASSING:
                return answer
            old = await self._carried_out(table, id_)
        except sa.exc.SQLAlchemyError:
            return RefusedCommand(id_, *NO_ANSWER)
        except Denied as error:
            return RefusedCommand(id_, error.code, error.sentence)
        return answer if old is None else repeated(id_, command, *old)

    async def _bring(self, live: LiveTable, account: Account, id_: str, command: Command) -> Answer:
        """The table's answer to cards from the inventory; no set can be moved until it is there."""
        assert isinstance(command, ReceiveDecks)
        async with self._inventory.turn:
            try:
                await self._pulse.in_time(self._inventory.look())
                brought = self._inventory.brought(command, live.setup, live.state)
            except sa.exc.SQLAlchemyError:
                return RefusedCommand(id_, *NO_ANSWER)
            except Denied as error:
                old = await self._carried_out(live.setup.name, id_)
                refused = RefusedCommand(id_, error.code, error.sentence)
                return refused if old is None else repeated(id_, command, *old)
            asked = self._submit(live, account, id_, brought)
            return await self._answered(live.setup.name, id_, brought, asked)

    async def _carried_out(self, table: str, id_: str) -> tuple[int, str] | None:
        """The table's row with this id, if there is one and the database answers in time."""
        return await self._pulse.in_time(asyncio.to_thread(self._guard.carried_out, table, id_))
