"""Disputes: a player says that a round is wrong, and the floor answers."""

import asyncio
from collections.abc import Callable

import sqlalchemy as sa

from wartable.game.messages import money
from wartable.server.clock import Clock
from wartable.server.denied import Denied
from wartable.server.house.accounts import Account
from wartable.server.house.cage import Cage
from wartable.server.house.complaints import Complaints, Dispute
from wartable.server.house.guard import Guard
from wartable.server.house.office import Office
from wartable.server.records import results
from wartable.server.records.answers import Accepted
from wartable.server.records.counting import DAY_MS
from wartable.server.records.facts import AnswerFacts, DisputeEnd, DisputeFacts
from wartable.server.records.journal import Broken
from wartable.server.records.messages import Correct, Note
from wartable.server.records.results import RoundResult

OPEN_MAX = 10
"""How many disputes of one player may wait for an answer."""

DAY_MAX = 20
"""How many disputes one player may raise within a day."""

FLOOR_MAX = 1_200_00
"""What the floor may pay for a dispute; an administrator may pay more."""


class Disputes:
    """The disputes, and the only code that writes one or its answer."""

    def __init__(
        self,
        engine: sa.Engine,
        office: Office,
        clock: Clock,
        guard: Guard,
        cage: Cage,
        net: Callable[[str, int, str], int | None],
    ) -> None:
        """`net` is what a round of a table brought a player, by the house's own rows."""
        self._engine, self._office, self._clock = engine, office, clock
        self._guard, self._cage, self._net = guard, cage, net
        self._turn = asyncio.Lock()

    @property
    def known(self) -> Complaints:
        """Every dispute, by the office's rows."""
        return self._guard.rights.complaints

    def find(self, number: int) -> Dispute:
        """The dispute of that number."""
        found = self.known.all.get(number)
        if found is None:
            raise Denied("no_dispute", f"There is no dispute {number}.")
        return found

    def result(self, dispute: Dispute) -> RoundResult | None:
        """What the player's disputed round cost and returned."""
        return results.result_of(self._engine, dispute.table, dispute.round, dispute.player)

    async def dispute(self, player: Account, table: str, number: int, words: str) -> Dispute:
        """Record that a player disputes a round in which they took part."""
        async with self._turn:
            own = await asyncio.to_thread(
                results.result_of, self._engine, table, number, player.name
            )
            if own is None:
                raise Denied("no_round", "You have no such round.")
            self._check(player.name, table, number)
            facts = DisputeFacts(table, number)
            after = f"{table}, round {number}"
            note = Note("round_disputed", player.name, words, after=after, facts=facts)
            return self.find(await self._office.note(player.name, note))

    def _check(self, player: str, table: str, number: int) -> None:
        """Refuse a dispute that is already open, and too many disputes."""
        waiting = self.known.open(player)
        if any((each.table, each.round) == (table, number) for each in waiting):
            raise Denied("disputed", "You have disputed this round already; the floor will answer.")
        if len(waiting) >= OPEN_MAX:
            raise Denied(
                "too_many_disputes", f"{OPEN_MAX} of your disputes wait; wait for an answer."
            )
        since_ms = self._clock.now_ms() - DAY_MS
        own = [each for each in self.known.all.values() if each.player == player]
        if sum(each.at_ms > since_ms for each in own) >= DAY_MAX:
            raise Denied(
                "too_many_disputes", f"You may dispute {DAY_MAX} rounds a day; wait until tomorrow."
            )

    async def answer(
        self, by: Account, number: int, end: DisputeEnd, amount: int, words: str, banked: bool
    ) -> Dispute:
        """Answer a dispute, and pay what its round cost (`void`) or an amount (`corrected`).

        `banked` says that players bank the table's rounds, so that the house may not pay.
        """
        async with self._turn:
            found = self.find(number)
            if found.answer is not None:
                raise Denied("answered", f"{found.answer.by} has answered this dispute.")
            if by.name == found.player:
                raise Denied("own_dispute", "Somebody else must answer your dispute.")
            pays = await self._amount(found, end, amount, banked)
            if by.role != "admin" and pays > FLOOR_MAX:
                most = f"The floor may pay {money(FLOOR_MAX)} for a dispute"
                raise Denied("too_much", f"{most}; an administrator may pay more.")
            await self._pay(by, found, pays)
            facts = AnswerFacts(number, end, pays)
            before = f"{found.table}, round {found.round}"
            after = f"{end}, {money(pays)}" if pays else end
            note = Note("dispute_answered", found.player, words, before, after, facts)
            await self._office.note(by.name, note)
            return self.find(number)

    async def _amount(self, dispute: Dispute, end: DisputeEnd, amount: int, banked: bool) -> int:
        """What the house pays for this end of a dispute."""
        if end == "stands":
            if amount:
                raise Denied("stands", "A round that stands is paid nothing more.")
            return 0
        if banked:
            sentence = "Players bank the rounds of this table, so the house may not pay for them."
            raise Denied("not_banked", sentence)
        if end == "corrected":
            if not amount:
                raise Denied("no_amount", "Say how much the house pays.")
            return amount
        if amount:
            raise Denied("void", "A void round pays back what it cost; name no other amount.")
        net = await asyncio.to_thread(self._lost, dispute)
        if net is None or net >= 0:
            raise Denied("nothing_lost", "The round cost the player nothing, so it stays as it is.")
        return -net

    def _lost(self, dispute: Dispute) -> int | None:
        """What the round brought the player; refused if the stored result says otherwise."""
        stored, subject = self.result(dispute), f"{dispute.table}, round {dispute.round}"
        try:
            net = self._net(dispute.table, dispute.round, dispute.player)
        except Broken as error:
            raise self._guard.refused(subject, str(error)) from None
        if stored is not None and stored.net != net:
            raise self._guard.refused(subject, f"its result is {stored.net}, by its rows {net}")
        return net

    async def _pay(self, by: Account, dispute: Dispute, amount: int) -> None:
        """Pay once, even if a crash came between an earlier payment and its answer."""
        paid = await asyncio.to_thread(self._cage.corrected, dispute.number)
        if paid is not None and paid.amount != amount:
            sentence = f"The house has already paid {money(paid.amount)} for this dispute"
            raise Denied("already_paid", f"{sentence}; answer with a correction of that amount.")
        if amount and paid is None:
            command = Correct(dispute.player, amount, dispute.number)
            answer = await self._cage.correct(by.name, command)
            if not isinstance(answer, Accepted):
                raise Denied(answer.code, answer.sentence)
