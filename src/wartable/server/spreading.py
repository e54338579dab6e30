"""Shared tables are spread over the servers of a house: each server opens those that belong to it.

A table that no server has goes to the server with the fewest. A server that has more than its share
hands some on, between rounds if possible; the clients that follow such a table are sent there.
"""

import time
from collections.abc import Iterable

from wartable.refusal import Refusal
from wartable.server.logs import LOG
from wartable.server.opening import ELSEWHERE
from wartable.server.pit import Pit
from wartable.server.placing import Placing, SharedNow
from wartable.server.tables.floor import Floor
from wartable.server.tables.place import RunningTable

LOOK_S = 1
"""How often a server looks for tables to open or to hand on."""
MOVES_MAX = 8
"""How many tables a server hands on at a time."""
AGAIN_S = 30
"""How long to wait before trying again a table that could not open."""


class Spreading:
    """Opens the shared tables that belong to this server, and hands on those above its share."""

    def __init__(
        self,
        pit: Pit,
        floor: Floor,
        placing: Placing,
        books: Iterable[str],
    ) -> None:
        """Each of the `books` has a first table."""
        self._pit, self._floor, self._placing = pit, floor, placing
        self._first = [f"{book} 1" for book in books]
        self._failed_s: dict[str, float] = {}
        """When each table that could not open was last tried."""

    async def open_house(self) -> None:
        """Open the shared tables of a house that is opening, restored or new.

        Other running servers keep theirs, and open their part of those that no server has.
        """
        now = await self._placing.shared_now(await self._placing.at_opening())
        new = [each for each in self._first if each not in now.owners]
        await self._open([*self._own(now), *new])
        self._placing.forget_shared()  # the list that was read lacks the new ones

    def _own(self, now: SharedNow) -> list[str]:
        """The tables that this server has to open."""
        chosen = now.chosen()
        own = self._placing.owner
        return [name for name, owner in now.owners.items() if own in (owner, chosen.get(name))]

    async def _open(self, names: Iterable[str]) -> None:
        """Open these tables, unless they are open; one that cannot open stays closed."""
        for name in names:
            failed_s = self._failed_s.get(name, -float(AGAIN_S))
            if name in self._floor.places or time.monotonic() - failed_s < AGAIN_S:
                continue
            try:
                await self._pit.claim(name)
            except Refusal as error:
                if error.code != ELSEWHERE:
                    self._failed_s[name] = time.monotonic()
                    fields = {"table": name, "code": error.code, "reason": error.sentence}
                    LOG.error("table stays closed", extra=fields)
                await self._pit.pass_on(name, self._placing.leader)

    async def look(self) -> None:
        """Open the tables that this server has to open, and hand on those above its share."""
        running = self._placing.running()
        if not self._placing.takes():
            await self._hand_back(await self._placing.shared_now(running))
            return
        if self._placing.owner not in running or not self._placing.leader:
            return
        if not self._placing.shared >= self._floor.shared.keys():
            self._placing.forget_shared()
        now = await self._placing.shared_now(running)
        await self._open(self._own(now))
        free = sorted(self._floor.shared.values(), key=_disturbed)
        for place, to in zip(free, now.surplus(self._placing.owner)[:MOVES_MAX], strict=False):
            name = place.live.setup.name
            LOG.info("table handed on", extra={"table": name})
            await self._pit.give_up(name, to)

    async def _hand_back(self, now: SharedNow) -> None:
        """Hand back tables that came here before other servers knew that this one takes none."""
        for name, owner in now.owners.items():
            if owner == self._placing.owner and name not in self._floor.places:
                await self._pit.pass_on(name, self._placing.leader)


def _disturbed(place: RunningTable) -> tuple[bool, int, str]:
    """A key that sorts tables by how much it would disturb people to move them now."""
    live = place.live
    playing = live.state.in_round and live.state.round is not None and bool(live.state.round.hands)
    return playing, len(live.listeners), live.setup.name
