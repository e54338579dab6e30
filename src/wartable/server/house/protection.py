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
from wartable.server.house.limits import MINUTE_MS, PlayerLimits
from wartable.table import PLATFORM
from wartable.table import commands as c
from wartable.table.commands import Command

BANK_WOULD = "A bank can cost its owner everything they have at the table, and this would"


class Protection:
    """Limits, exclusions and closures, and the players who have not read the reality check."""

    def __init__(
        self,
        engine: sa.Engine,
        clock: Clock,
        exposure: Callable[[str], int],
        added_exposure: Callable[[str, Command], int],
        guard: Guard,
        kept: CountedPlay | None = None,
    ) -> None:
        """`exposure` is what others may still stake for a player; a command adds to it."""
        self._clock, self._exposure, self._added_exposure = clock, exposure, added_exposure
        known = guard.rights
        self.excluded = {
            name: each.excluded_until_ms
            for name, each in known.accounts.items()
            if each.excluded_until_ms
        }
        self.staff: set[str] = set()
        """Who has another role than a player's, and so makes no wagers."""
        self.closures = Closures({which: each.closure for which, each in known.closures.items()})
        self.limits = PlayerLimits(engine, clock, guard.limits(), kept)
        self.unread: set[str] = set()
        """The players who have not acknowledged their reality check."""
        self.ending = False
        self._waiting: dict[str, tuple[str, int]] = {}
        """The one stake that each table is writing now, which does not yet count as lost."""

    def follow(self, guard: Guard, excluded: str = "") -> None:
        """Follow what another server restricted, such as the player whom it excluded."""
        if excluded:
            self.excluded[excluded] = guard.rights.accounts[excluded].excluded_until_ms
            return
        self.closures.clear()
        self.closures.update(guard.closures())
        self.limits.held = guard.limits()

    def done(self, table: str) -> None:
        """Forget the stake of the table's last command, which is written or refused."""
        self._waiting.pop(table, None)

    def check_deposit(self, player: str, amount: int) -> None:
        """Refuse a deposit by an excluded player or over a limit, whatever is closed."""
        self._check_excluded(player)
        self.limits.check(player, "deposit", amount)

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
    ) -> None:
        """Refuse wagers that are not allowed; let through whatever concludes a running round."""
        if actor == PLATFORM:
            return
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
            minute = self._clock.now_ms() // MINUTE_MS
            self.limits.check(
                actor, "minutes", int(self.limits.played[actor].last_minute != minute)
            )
        if stake > 0:
            waiting = sum(each for who, each in self._waiting.values() if who == actor)
            subject = BANK_WOULD if isinstance(command, c.TakeBank | c.BuyIn) else "This would"
            risk = stake + waiting + self._exposure(actor)
            self.limits.check(actor, "loss", risk, subject)
            self._waiting[table] = (actor, stake)

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
