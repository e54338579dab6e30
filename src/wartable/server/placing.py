"""Which server of a house a table belongs to."""

import asyncio
import hashlib
from collections.abc import Callable, Collection
from contextlib import suppress

import sqlalchemy as sa

from wartable.server.carrying import HOUSE, Carrier
from wartable.server.house.limits import PlayerLimits
from wartable.server.opening import owner_of
from wartable.server.records import database, servers
from wartable.server.records.keys import HouseKey
from wartable.server.records.servers import Presence
from wartable.server.tables.floor import Floor


class Placing:
    """Where tables are: shared ones at the server that has the house, private ones at any.

    The private tables of players with a limit are at the server that has the house, because only
    that one counts what they lose everywhere.
    """

    def __init__(
        self,
        engine: sa.Engine,
        key: HouseKey,
        owner: str,
        floor: Floor,
        limits: PlayerLimits,
        leads: bool,
    ) -> None:
        """`owner` is the name of this server, and `leads` says whether it has the house."""
        self._engine, self._key, self._owner = engine, key, owner
        self._floor, self._limits = floor, limits
        self._house = None if leads else HOUSE
        self.carrier: Carrier | None = None
        """The ways to the other servers; a house in a SQLite file has none."""
        self.free: Callable[[], None] = lambda: None
        """What a thread calls as long as nobody has the house."""
        self.presence: Presence | None = None
        """This server's entry among them."""

    def carry(self) -> Carrier:
        """Begin to carry what belongs to other servers of this house."""
        self.carrier = Carrier(self._engine, self._key, self.free)
        self.carrier.begin()
        return self.carrier

    def enter(self, address: str) -> None:
        """Tell the other servers of this house where they reach this one."""
        self.presence = Presence(self._engine, self._key, self._owner, address, self._connections)

    def _connections(self) -> int:
        """How many connections this server has, and carries."""
        carried = 0 if self.carrier is None else len(self.carrier.carried)
        return self._floor.connected + carried

    def leave(self) -> bool:
        """Leave tables and house to another server, if one runs; return whether one does."""
        if self.presence is None:
            return False
        with suppress(sa.exc.SQLAlchemyError):
            if any(each.name != self._owner for each in servers.running(self._engine)):
                self.presence.end()
                return True
        return False

    def end(self) -> None:
        """Carry no more, and leave the servers."""
        if self.carrier is not None:
            self.carrier.end()
        if self.presence is not None:
            self.presence.end()

    async def of(self, name: str, without: Collection[str] = ()) -> str | None:
        """The server to which a table belongs, by its name; None if that is this one.

        Private tables that nobody has open spread by their owners' names, without the servers that
        could not open them.
        """
        if self.carrier is None or name in self._floor.places:
            return None
        if (player := owner_of(name)) is None:
            return self._house
        has = await asyncio.to_thread(database.server_of, self._engine, name)
        if has is None:
            if self._limits.limited(player):
                return self._house
            running = self.carrier.servers.items()
            open_ = [each for each, address in running if address and each not in without]
            has = max(open_, key=lambda each: _lot(each, player), default=self._owner)
        return None if has == self._owner else has


def _lot(server: str, player: str) -> bytes:
    """What draws a server for a player: all servers draw the same, whichever others there are."""
    return hashlib.sha256(f"{server} {player}".encode()).digest()
