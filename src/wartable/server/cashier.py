"""Money between the world outside and the wallets: the one writer of the cashier's rows."""

import asyncio
from collections.abc import Awaitable, Callable

from wartable.server import journal, records
from wartable.server.journal import GENESIS, Entry
from wartable.server.live import Accepted, Answer, Clock, Refusal
from wartable.server.records import CASHIER, PayIn, PayOut
from wartable.server.store import Overtaken, Refused, Repeated

NO_FENCE = 0


class Cashier:
    """Deposits and withdrawals, each once for its id."""

    def __init__(
        self,
        commit: Callable[[Entry], Awaitable[None]],
        clock: Clock,
        key: bytes,
        head: tuple[int, str] | None,
    ) -> None:
        self.head = head or (0, GENESIS)
        self._commit, self._clock, self._key = commit, clock, key
        self._turn = asyncio.Lock()

    async def carry_out(self, actor: str, command_id: str, command: PayIn | PayOut) -> Answer:
        """Write one movement; a wallet that cannot pay refuses it."""
        events = records.decide(None, None, command)
        _, moved = records.moved_by(CASHIER, None, events)
        async with self._turn:
            while True:
                now_ms = self._clock.now_ms()
                row = journal.new_row(
                    self.head, CASHIER, now_ms, actor, command_id, command, events, self._key
                )
                try:
                    await self._commit(Entry(row, moved, NO_FENCE))
                except Repeated as error:
                    if error.command == row.command:
                        return Accepted(command_id, error.number)
                    return Refusal(command_id, "id_used", "This id was used for another movement.")
                except Refused as error:
                    return Refusal(command_id, error.code, error.sentence)
                except Overtaken as error:
                    # Another server's cashier wrote, or we did for somebody who did not wait.
                    self.head = error.head
                    continue
                self.head = (row.number, row.hash)
                return Accepted(command_id, row.number)
