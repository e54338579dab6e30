"""Who may wager now, given closures, exclusions, reality checks and limits."""

from collections.abc import Callable, Iterable

import sqlalchemy as sa

from wartable import game
from wartable.game import Illegal
from wartable.money import Transfer
from wartable.server.clock import Clock
from wartable.server.house.closures import Closures, why
from wartable.server.house.counted import CountedPlay
from wartable.server.house.guard import Guard
from wartable.server.house.limits import PlayerLimits
from wartable.server.records.counting import MINUTE_MS
from wartable.server.records.rows import Ceiling, Claim
from wartable.table import PLATFORM
from wartable.table import commands as c
from wartable.table.commands import Command

Permit = Callable[[str, Command, tuple[Transfer, ...]], Claim | None]
"""A function that refuses what somebody may not do, and returns the claim of the row."""
BANK_WOULD = "A bank can cost its owner everything they have at the table, and this would"


class Protection:
    """Limits, exclusions and closures, and the players who have not read the reality check."""

    def __init__(
        self,
        engine: sa.Engine,
        clock: Clock,
        added_exposure: Callable[[str, Command], int],
        guard: Guard,
        kept: CountedPlay | None = None,
    ) -> None:
        """`added_exposure` is what others may stake for a player because of a command."""
        self._clock, self._added_exposure = clock, added_exposure
        known = guard.rights
        self.excluded = {
            name: each.excluded_until_ms
            for name, each in known.accounts.items()
            if each.excluded_until_ms
        }
        self.staff: set[str] = set()
        """The accounts whose role is not player, and which therefore make no wagers."""
        self.closures = Closures({which: each.closure for which, each in known.closures.items()})
        self.limits = PlayerLimits(engine, clock, guard.limits(), kept)
        self.unread: set[str] = set()
        """The players who have not acknowledged their reality check."""
        self.ending = False

    def follow(self, guard: Guard, excluded: str = "") -> None:
        """Follow what another server restricted, such as the player whom it excluded."""
        if excluded:
            self.excluded[excluded] = guard.rights.accounts[excluded].excluded_until_ms
            return
        self.closures.clear()
        self.closures.update(guard.closures())
        self.limits.held = guard.limits()

    def permit_deposit(self, player: str, amount: int) -> Claim | None:
        """Refuse a deposit by an excluded player, whatever is closed; return its claim."""
        self._check_excluded(player)
        return _claim(player, self.limits.ceilings(player, "deposit", amount))

    def check_time(self, player: str) -> None:
        """Refuse somebody whose time is over by this server's count, before anything is done.

        The counts of all servers are compared when the row is written.
        """
        now_ms = self._clock.now_ms()
        new = int(not self.limits.played[player].acted(now_ms // MINUTE_MS))
        for each in self.limits.ceilings(player, "minutes", new):
            if self.limits.used(player, "minutes_day") + new > each.most:
                raise Illegal("minutes_limit", each.sentence)

    def _check_excluded(self, player: str) -> None:
        if self._is_excluded(player):
            raise Illegal("excluded", f"{player} is excluded from play and can only withdraw.")

    def _is_excluded(self, player: str) -> bool:
        return self.excluded.get(player, 0) > self._clock.now_ms()

    def barred(self, player: str) -> bool:
        """Whether a player is barred from all wagers."""
        closed = player in self.staff or ("player", player) in self.closures
        return closed or self._is_excluded(player)

    def permit(
        self, book: str, table: str, actor: str, command: Command, transfers: Iterable[Transfer]
    ) -> Claim | None:
        """Refuse wagers that are not allowed; let through whatever concludes a running round.

        Return the claim of a wager that is let through, if the player has limits.
        """
        if actor == PLATFORM:
            return None
        ceilings: list[Ceiling] = []
        stake = self._stake(table, actor, command, transfers)
        new = isinstance(command, game.Bet | c.TakeBank | c.Join | c.BuyIn)
        if new or (isinstance(command, game.Choose) and command.war_tie):
            if self.ending:
                raise Illegal("closing", "The house is closing and takes no new wager.")
            closure = self.closures.of(book, table, actor)
            if closure is not None:
                raise Illegal("disabled", why(closure))
            self._check_excluded(actor)
            if actor in self.unread:
                raise Illegal("reality_check", "Read and acknowledge the reality check first.")
            ceilings += self.limits.ceilings(actor, "minutes", 1)
        if stake > 0:
            subject = BANK_WOULD if isinstance(command, c.TakeBank | c.BuyIn) else "This would"
            ceilings += self.limits.ceilings(actor, "loss", stake, subject)
        return _claim(actor, ceilings)

    def _stake(
        self, table: str, actor: str, command: Command, transfers: Iterable[Transfer]
    ) -> int:
        """The new money that the actor puts at risk."""
        own = f"{table}/stack:{actor}"
        return self._added_exposure(table, command) + sum(
            each.amount
            for each in transfers
            if each.source == own and not each.target.startswith("wallet:")
        )


def _claim(account: str, ceilings: Iterable[Ceiling]) -> Claim | None:
    """What a row claims about an account; nothing if it has no limits."""
    found = tuple(ceilings)
    return Claim(account, found) if found else None
