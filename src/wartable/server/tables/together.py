"""The rows written together with a command: the platform's immediate acts, and the next commands.

Each row is decided from the version before it, and nothing is written here.
"""

from collections.abc import Callable, Container

from wartable.game import Bet, CloseBets, Decline, Withdraw
from wartable.refusal import Refusal
from wartable.server.records.answers import PendingCommand
from wartable.server.records.rows import Claim
from wartable.server.tables.meters import Meters
from wartable.server.tables.platform import Platform
from wartable.server.tables.queue import CommandQueue
from wartable.server.tables.versions import PendingRow, TableChain, TableVersion
from wartable.table import PLATFORM

STEPS_MAX = 16
"""How many rows of a table commit together."""

JOINED = frozenset({Bet, Withdraw, Decline, CloseBets})
"""Commands that may be written with the one before them: they belong to open betting, and whether
they are permitted does not depend on anything that earlier ones of them change."""

Permitted = Callable[..., tuple[list[PendingRow], Claim | None]]
"""A function that decides a command at a version, if its sender may give it now."""


class Together:
    """The rows after those of a command that commit with them."""

    def __init__(
        self,
        chain: TableChain,
        platform: Platform,
        permitted: Permitted,
        meters: Meters | None,
    ) -> None:
        self._chain, self._platform = chain, platform
        self._permitted, self._meters = permitted, meters

    def go_on(self, rows: list[PendingRow], now_ms: int) -> None:
        """Add what the platform does at once after these rows."""
        if self._platform.held:
            return
        while len(rows) < STEPS_MAX and (then := self._then(rows[-1].after, now_ms)) is not None:
            rows.append(then)

    def _then(self, at: TableVersion, now_ms: int) -> PendingRow | None:
        """What the platform does at once in this position; None if it waits."""
        command = self._platform.act(at, self._chain.timing, now_ms).command
        if command is None:
            return None
        try:
            row = self._chain.row(at, now_ms, PLATFORM, own_id(at), command)
        except Refusal:
            return None
        return None if self._moves_meters(at, row) else row

    def _moves_meters(self, at: TableVersion, row: PendingRow) -> bool:
        return self._meters is not None and row.after.state.meters != at.state.meters

    def join(
        self,
        before: TableVersion,
        rows: list[PendingRow],
        now_ms: int,
        queue: CommandQueue,
        answered: Container[str],
    ) -> list[PendingCommand]:
        """Take the commands whose turn is next and add their rows to these; return those commands.

        A command waits for its turn if it is refused, claims anything, is not about the same
        betting or has an id that was used.
        """
        taken: list[PendingCommand] = []
        number = before.state.rounds
        while (asked := queue.next()) is not None and type(asked.command) in JOINED:
            at = rows[-1].after
            if asked.id in answered or any(asked.id == row.entry.row.command_id for row in rows):
                break
            if at.state.rounds != number or asked.meant not in (None, number):
                break
            given = asked.actor, asked.id, asked.command, asked.deals
            try:
                more, claim = self._permitted(at, now_ms, *given)
            except Refusal:
                break
            room = len(rows) + len(more) <= STEPS_MAX
            if not room or claim is not None or self._moves_meters(at, more[-1]):
                break
            rows += more
            self.go_on(rows, now_ms)
            queue.get_nowait()
            taken.append(asked)
        return taken


def own_id(at: TableVersion) -> str:
    """The id of the platform's command in this position."""
    return f"platform-{at.head[0] + 1}"
