"""Bots at a live table: they see and do only what any player can."""

import asyncio
from collections.abc import Awaitable, Callable, Collection
from contextlib import suppress
from random import Random

from wartable import game, players, table
from wartable.refusal import Refusal
from wartable.server.clock import Clock
from wartable.server.denied import Denied
from wartable.server.house.accounts import Account
from wartable.server.logs import LOG
from wartable.server.records.answers import Accepted, Answer, RefusedCommand
from wartable.server.tables.listeners import Listener, TableMessage
from wartable.server.tables.place import RunningTable
from wartable.server.upkeep import apart
from wartable.table import PLATFORM, Due, Setup, Table, view
from wartable.table import commands as c
from wartable.table.commands import Command

LONELY_MS = 60_000
"""How long bots stay at a table without a person."""

LET_GO_S = 30
"""How long it may take all bots of a table to leave."""

LOOK_S = 1.0
"""How often bots look at the table when nothing happens."""

COMPANY = 2
"""How many bots join a private table of a game that one player cannot play alone."""

Provide = Callable[[str, int, str], Awaitable[object]]
"""Top up a bot's wallet to an amount; the id is for the payment, if one is needed."""


class Wake(Listener):
    """A listener that only wakes the bots, which then read the table's view."""

    def __init__(self) -> None:
        super().__init__()
        self.rung = asyncio.Event()

    def tell(self, message: TableMessage | None) -> None:  # noqa: ARG002  # only the wake-up matters
        """Wake the bots."""
        self.rung.set()


def wish(
    setup: Setup, seen: Table, due: tuple[Due, ...], names: Collection[str], seed: str
) -> tuple[str, Command] | None:
    """The next command of one of these bots, from its policy and the public view."""
    for each in due:
        asked = each.player or ""
        if each.what == "bets":
            for name in names:
                policy = players.bot_named(name).policy
                bet = players.next_bet(policy, setup, seen, name, seed)
                if bet is not None:
                    return name, bet
        elif each.what == "prepare" and each.step == "view":
            first = min(seen.guests.values(), key=lambda guest: guest.arrival).player
            if first in names:
                return first, c.Prepare(first, "view", each.batch)
        elif each.what in ("cut", "bank", "choice") and asked in names:
            policy = players.bot_named(asked).policy
            return asked, players.answer(policy, setup, seen, each, asked, seed)
    return None


def instead(name: str, command: Command) -> tuple[str, Command] | None:
    """The command to give after a bot's was refused, so that the table does not wait for it."""
    match command:
        case c.Cut():
            return name, c.RefuseCut(name)
        case c.TakeBank():
            return name, c.PassBank(name)
        case game.Choose(box=box):
            return PLATFORM, game.Timeout(name, box)
        case _:
            return None


def playing(seen: Table, name: str) -> bool:
    """Whether a bot must stay, because it banks the round or has a hand after no more bets."""
    round_ = seen.round
    if round_ is None or round_.closed:
        return False
    hands = any(hand.player == name for hand in round_.hands)
    return round_.banker == name or (hands and round_.bets_closed)


def check_asker(place: RunningTable, account: Account) -> None:
    """Deny calling or dismissing bots to anyone who neither plays there nor runs the floor."""
    here = account.name in place.live.state.guests or account.name == place.owner
    if not here and account.role not in ("floor", "admin"):
        raise Denied("not_seated", "Only players at this table may ask for bots; sit down first.")


class Bots:
    """The bots of one table; the journal shows which ones sit there, even after a restart.

    `taken` returns the names of bots that sit at any table.
    """

    def __init__(
        self,
        place: RunningTable,
        clock: Clock,
        provide: Provide,
        taken: Callable[[], Collection[str]],
        allowed: bool = True,
    ) -> None:
        self._place, self._clock, self._provide = place, clock, provide
        self._taken, self._allowed = taken, allowed
        self._company_ms = clock.now_ms()
        self._chance = Random(place.live.setup.name)
        self._going: set[str] = set()
        self._sitting_out: dict[str, int] = {}
        self._count = 0
        self._bettor = ""
        self._wake = Wake()
        self._task: asyncio.Task[None] | None = None
        alone = place.live.setup.rules.table.players_min == 1
        self._by_themselves = allowed and place.owner is not None and not alone
        if self._by_themselves or self.names:
            self.start()

    @property
    def names(self) -> list[str]:
        """The bots at the table."""
        guests = self._place.live.state.guests.values()
        return [each.player for each in guests if players.is_bot(each.player) and not each.leaving]

    def start(self) -> None:
        """Start the bots, unless they are already playing."""
        if self._task is None or self._task.done():
            self._task = apart(self.run())

    async def stop(self) -> None:
        """Stop the bots where they sit."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def come(self, count: int) -> list[str]:
        """Seat this many more bots, each with its own money; return their names."""
        if not self._allowed:
            raise Denied("no_bots", "This house has no bots.")
        setup = self._place.live.setup
        came: list[str] = []
        for _ in range(count):
            seats = self._place.live.state.seats
            free = [seat for seat in range(setup.rules.table.seats, 0, -1) if seat not in seats]
            if not free:
                break
            bot = players.new_bot({*self._taken(), *came}, players.unit(setup))
            await self._provide(bot.name, bot.buy_in, self._id(bot.name))
            answer = await self._give(bot.name, c.Join(bot.name, bot.buy_in, free[0]))
            if isinstance(answer, RefusedCommand):
                raise Denied(answer.code, answer.sentence)
            self._going.discard(bot.name)
            came.append(bot.name)
        if not came:
            raise Denied("table_full", "There is no free seat at this table.")
        self._company_ms = self._clock.now_ms()
        self.start()
        return came

    def dismiss(self, count: int | None = None) -> list[str]:
        """Have this many bots, or all, leave as soon as they can; return their names."""
        self._by_themselves = False
        staying = [name for name in self.names if name not in self._going]
        going = staying if count is None else staying[-count:]
        self._going.update(going)
        self._ring()
        return going

    async def make_room(self, join: c.Join) -> bool:
        """Have a bot give up its seat for a person at a full table; return whether it must wait.

        It leaves at once, or after the round it is playing.
        """
        state, seats = self._place.live.state, self._place.live.setup.rules.table.seats
        holder = state.seats.get(join.seat or 0, "")
        if len(state.seats) < seats or not players.is_bot(holder):
            return False
        self._going.add(holder)
        if not playing(state, holder):
            await self._give(holder, game.Leave(holder))
        self._ring()
        return holder in self._place.live.state.guests

    async def let_go(self) -> None:
        """Have all bots that can leave do so, unless the table does not answer."""
        await self.stop()
        with suppress(TimeoutError):
            async with asyncio.timeout(LET_GO_S):
                for name in self.names:
                    if not playing(self._place.live.state, name):
                        await self._give(name, game.Leave(name))

    async def run(self) -> None:
        """Play until no bot is left and none would join."""
        wake = self._wake
        self._place.live.listeners[wake] = None
        try:
            while self.names or self._by_themselves:
                wake.rung.clear()
                try:
                    acted = await self._act()
                except Refusal as error:
                    LOG.warning("bots refused", extra={"code": error.code})
                    acted = False
                except Exception:
                    LOG.exception("bots failed", extra={"table": self._place.live.setup.name})
                    acted = False
                if not acted:
                    await self._look_up(wake)
        finally:
            self._place.live.listeners.pop(wake, None)

    async def _look_up(self, wake: Wake) -> None:
        """Wait until something happens, or only briefly if time alone can change something."""
        timely = self.names or self._place.owner in self._place.live.state.guests
        try:
            async with asyncio.timeout(LOOK_S if timely else None):
                await wake.rung.wait()
        except TimeoutError:
            return

    def _ring(self) -> None:
        self._wake.rung.set()

    async def _act(self) -> bool:
        """Do one thing for a bot; return whether anything was done."""
        self._keep_company()
        seen = view(self._place.live.state)
        for name in self.names:
            if name in self._going and not playing(seen, name):
                return isinstance(await self._give(name, game.Leave(name)), Accepted)
        if self._by_themselves and self._place.owner in seen.guests and not self.names:
            return bool(await self.come(COMPANY))
        if not seen.in_round and (short := self._short(seen)) is not None:
            return await self._bring_money(short)
        wished = self._wish()
        if wished is None:
            return False
        await self._pause(*wished)
        wished = self._wish()
        return wished is None or await self._carry_out(*wished)

    def _keep_company(self) -> None:
        """Have all bots leave a table without a person, or one that does not allow bots."""
        now_ms = self._clock.now_ms()
        guests = self._place.live.state.guests
        if self._place.present or any(not players.is_bot(each) for each in guests):
            self._company_ms = now_ms
        if now_ms - self._company_ms >= LONELY_MS or not self._allowed:
            self._going.update(self.names)

    def _short(self, seen: Table) -> str | None:
        """A bot with too little money for the next round."""
        setup = self._place.live.setup
        banked = setup.rules.banker == "player"
        least = (players.BANK_UNITS_MIN if banked else players.RESERVE) * players.unit(setup)
        return next((name for name in self.names if seen.guests[name].stack < least), None)

    async def _bring_money(self, name: str) -> bool:
        buy_in = players.bot_named(name, players.unit(self._place.live.setup)).buy_in
        await self._provide(name, buy_in, self._id(name))
        return isinstance(await self._give(name, c.BuyIn(name, buy_in)), Accepted)

    def _wish(self) -> tuple[str, Command] | None:
        live = self._place.live
        due = table.awaits(live.setup, live.state)
        names = self.names
        if due[0].what == "bets":
            round_ = live.state.rounds
            names = [name for name in names if self._sitting_out.get(name) != round_]
        return wish(live.setup, view(live.state), due, names, live.setup.name)

    async def _pause(self, name: str, command: Command) -> None:
        """Wait as long as a person would; further wagers of the same bot follow at once."""
        bettor = name if isinstance(command, game.Bet) else ""
        if not bettor or bettor != self._bettor:
            wait_ms = self._place.live.timing.bot_ms * self._chance.uniform(0.4, 1.0)
            await asyncio.sleep(wait_ms / 1000)
        self._bettor = bettor

    async def _carry_out(self, name: str, command: Command) -> bool:
        answer = await self._give(name, command)
        if isinstance(answer, Accepted):
            return True
        other = instead(name, command)
        if other is not None:
            return isinstance(await self._give(*other), Accepted)
        if isinstance(command, game.Bet):
            self._sitting_out[name] = self._place.live.state.rounds
        return False

    async def _give(self, actor: str, command: Command) -> Answer:
        return await self._place.live.submit(actor, self._id(actor), command)

    def _id(self, name: str) -> str:
        """An unused id; it counts the journal's rows, which grow with every used one."""
        self._count += 1
        place = self._place.live
        return f"{name}/{place.setup.name}/{place.head[0]}.{self._count}.{self._clock.now_ms()}"
