"""The way of a command to its table, and of the answer back."""

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
from wartable.table.commands import Approve, ChangeDealer, Command, Join, ReceiveDecks

ANSWER_S = 30
"""How long a table may take to answer."""


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
        """Carry out somebody's command at a table; the answer has the sender's id.

        `meant` is the round that the command was meant for; in any other it is refused.
        """
        place = await self._pit.find(name, account, address)
        place.heard(account.name, place.used_ms)
        try:
            owns, here = place.owner == account.name, account.name in place.live.state.guests
            may_command(account.role, command, place.live.setup, owns, here)
            may_bring(account.money, command, self._money)
            if isinstance(command, Approve):
                await self._approvals.check(account.name, place)
            if isinstance(command, ChangeDealer):
                await self._check_dealer(command.dealer)
            if isinstance(command, Join):
                self._protection.permit(
                    place.live.setup.rules.name, name, account.name, command, ()
                )
                self._protection.check_time(account.name)
                if await self._floor.company[name].make_room(command):
                    raise Illegal(
                        "seat_taken", "A bot leaves this seat after the round; ask again then."
                    )
        except Refusal as error:
            answer: Answer = RefusedCommand(id_, error.code, error.sentence)
        else:
            whole = f"{account.name}/{id_}"
            if isinstance(command, ReceiveDecks):
                answer = await self._bring(place.live, account, whole, command)
            else:
                answer = await self._ask(place.live, account, whole, command, meant)
        if isinstance(answer, Accepted):
            answer = msgspec.structs.replace(answer, id=id_)
            self._metrics.accepted[type(command).__name__] += 1
            log_row(name, answer.number)
        else:
            answer = msgspec.structs.replace(answer, id=id_, at_ms=self._clock.now_ms())
            self._metrics.refused[answer.code] += 1
            extra = {"table": name, "account": account.name, "code": answer.code}
            LOG.info("command refused", extra=extra)
            if answer.code == "bets_closed" and isinstance(command, Bet):
                place.came_late(command, answer.at_ms)
        return answer

    async def _check_dealer(self, name: str) -> None:
        """Refuse a change of dealer to somebody who is not a dealer."""
        row = await self._pulse.in_time(asyncio.to_thread(self._accounts.row, name))
        if row is None or row.role != "dealer":
            sentence = f"{name} is not a dealer; name an account with the role dealer."
            raise Illegal("no_such_dealer", sentence)

    async def _ask(
        self,
        live: LiveTable,
        account: Account,
        id_: str,
        command: Command,
        meant: int | None = None,
    ) -> Answer:
        """The table's answer, if it comes in time; a late one may still be carried out."""
        try:
            deals = account.role == "dealer" and "dealer" in roles_for(command)
            asked = live.submit(account.name, id_, command, deals, meant)
            if not await self._pulse.outlasts(asked, COMMAND_PART, ANSWER_S):
                return RefusedCommand(id_, *NO_ANSWER)
            answer = asked.result()
            if isinstance(answer, Accepted) or answer.code in PASSING:
                return answer
            old = await self._carried_out(live.setup.name, id_)
        except sa.exc.SQLAlchemyError:
            return RefusedCommand(id_, *NO_ANSWER)
        except Denied as error:
            return RefusedCommand(id_, error.code, error.sentence)
        return answer if old is None else repeated(id_, command, *old)

    async def _bring(self, live: LiveTable, account: Account, id_: str, command: Command) -> Answer:
        """The table's answer to cards from the inventory, while no set can be moved."""
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
            return await self._ask(live, account, id_, brought)

    async def _carried_out(self, table: str, id_: str) -> tuple[int, str] | None:
        """The table's row with this id, if there is one and the database answers in time."""
        return await self._pulse.in_time(asyncio.to_thread(self._guard.carried_out, table, id_))
