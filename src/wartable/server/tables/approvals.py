"""Large awards, which two people approve: the first approval is recorded, the second one pays."""

import asyncio

import sqlalchemy as sa

from wartable.game import Illegal
from wartable.game.messages import money
from wartable.game.wagers import SIDE_BETS
from wartable.server.house.guard import Guard
from wartable.server.house.office import Office
from wartable.server.records import database
from wartable.server.records.facts import ApprovalFacts
from wartable.server.records.messages import Note
from wartable.server.tables.overview import award
from wartable.server.tables.place import RunningTable
from wartable.table import Table


class Approvals:
    """The first approvals of large awards, by the office's rows, whichever server wrote them."""

    def __init__(self, engine: sa.Engine, office: Office, guard: Guard, least: int | None) -> None:
        """`least` is the amount from which on an award needs two people; None if none does."""
        self._engine, self._office, self._guard, self.least = engine, office, guard, least

    def first(self, table: str, state: Table) -> str:
        """The name of the first person to approve a table's waiting award; empty if nobody has."""
        known = self._guard.approved(table)
        return known[1] if known is not None and known[0] == _waiting(state) else ""

    async def check(self, by: str, place: RunningTable) -> None:
        """Record a first approval of two, and refuse to pay the award until the second."""
        state = place.live.state
        if self.least is None or state.award is None:
            return
        amount = await asyncio.to_thread(self._amount, place)
        if amount < self.least:
            return
        await asyncio.to_thread(self._guard.catch_up)
        name, waiting = place.live.setup.name, _waiting(state)
        first = self.first(name, state)
        if first == by:
            raise Illegal("second_approval", "You have approved this award; another person must.")
        if first:
            return
        said = f"{money(amount)} in round {state.rounds}"
        await self._office.note(by, Note("award_approved", name, after=said, facts=waiting))
        await asyncio.to_thread(self._guard.catch_up)
        needs = f"Awards from {money(self.least)} on need two people"
        raise Illegal("second_approval", f"{needs}. You have approved it; another person must.")

    def _amount(self, place: RunningTable) -> int:
        """The total that approving the award would pay."""
        name = place.live.setup.name
        book, _ = database.opened_with(self._engine, name)
        if book.digest != place.digest:
            raise self._guard.refused(name, "its rule book was changed")
        shares = award(book, place.live.setup, place.live.state).shares
        return sum(each.amount for each in shares)


def _waiting(state: Table) -> ApprovalFacts:
    """Which award waits at a table."""
    hands = () if state.round is None else state.round.hands
    side_bets = [hand.wager(each.kind) for hand in hands for each in SIDE_BETS]
    settled = sum(wager is not None and bool(wager.outcome) for wager in side_bets)
    return ApprovalFacts(state.rounds, settled)
