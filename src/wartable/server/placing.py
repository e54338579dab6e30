"""Which server of a house a table belongs to."""

import asyncio
import hashlib
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from contextlib import suppress
from typing import NamedTuple

import sqlalchemy as sa

from wartable.server.carrying import HOUSE, Carrier
from wartable.server.opening import owner_of
from wartable.server.records import servers, spread, table_leases
from wartable.server.records.keys import HouseKey
from wartable.server.records.servers import Presence
from wartable.server.records.spread import Owners
from wartable.server.tables.floor import Floor

KNOWN_S = 30
"""How long the list of shared tables is used before it is read again; a new table shows at once."""
SPARE = 8
"""How many more connections than the least busy server one may have and still get new tables."""
SPARE_PART = 0.25
"""The same as a part of the fewest, because counts are two seconds old and so not exact."""


class SharedNow(NamedTuple):
    """Which server has each shared table, and which servers there are."""

    owners: Owners
    servers: tuple[str, ...]
    """The servers that take tables."""
    leader: str
    """The server that has the house; empty if none is known to."""

    def chosen(self) -> dict[str, str]:
        """The server that each free table goes to: the one with the fewest, drawn among equals.

        Servers that see the same counts choose the same; otherwise the lease decides.
        """
        counts = self._counts()
        found = {}
        for name in sorted(each for each, owner in self.owners.items() if owner is None):
            if counts:
                to = min(counts, key=lambda each: (counts[each], _lot(each, name)))
                counts[to] += 1
            else:
                to = self.leader
            found[name] = to
        return found

    def surplus(self, server: str) -> list[str]:
        """The servers to which a server hands the tables above its share, one for each table."""
        counts = self._counts()
        if len(counts) < 2 or server not in counts:
            return []
        share = -(-counts.total() // len(counts))
        found = []
        while counts[server] > share:
            to = min(counts, key=lambda each: (counts[each], each))
            found.append(to)
            counts[to] += 1
            counts[server] -= 1
        return found

    def _counts(self) -> Counter[str]:
        """How many shared tables each server has."""
        counts = Counter(dict.fromkeys(self.servers, 0))
        counts.update(owner for owner in self.owners.values() if owner and owner in counts)
        return counts


class Placing:
    """Where tables are: at any server."""

    def __init__(
        self,
        engine: sa.Engine,
        key: HouseKey,
        owner: str,
        floor: Floor,
        leads: bool,
    ) -> None:
        """`owner` is the name of this server, and `leads` says whether it has the house."""
        self._engine, self._key, self.owner = engine, key, owner
        self._floor = floor
        self._house = None if leads else HOUSE
        self.carrier: Carrier | None = None
        """The ways to the other servers; a house in a SQLite file has none."""
        self.free: Callable[[], None] = lambda: None
        """The function that a thread calls repeatedly while no server has the house."""
        self.takes: Callable[[], bool] = lambda: True
        """Whether this server takes tables."""
        self.presence: Presence | None = None
        """This server's entry in the list of servers."""
        self.shared: frozenset[str] = frozenset()
        """Every shared table."""
        self._known_s = -float(KNOWN_S)

    def carry(self) -> Carrier:
        """Begin to carry what belongs to other servers of this house."""
        self.carrier = Carrier(self._engine, self._key, self.free)
        self.carrier.begin()
        return self.carrier

    def enter(self, address: str) -> None:
        """Publish the address at which the other servers of this house reach this one."""
        how = (self._connections, self.takes)
        self.presence = Presence(self._engine, self._key, self.owner, address, *how)

    def _connections(self) -> int:
        """How many connections this server has, including those it carries."""
        carried = 0 if self.carrier is None else len(self.carrier.carried)
        return self._floor.connected + carried

    @property
    def silent(self) -> bool:
        """Whether this server's entry is so old that other servers may have its tables."""
        return self.presence is not None and self.presence.silent

    def leave(self) -> bool:
        """Leave the tables and the house to another server; return whether one runs."""
        if self.presence is None:
            return False
        with suppress(sa.exc.SQLAlchemyError):
            if any(each.name != self.owner for each in servers.running(self._engine)):
                self.presence.end()
                return True
        return False

    def end(self) -> None:
        """Stop carrying, and end this server's entry."""
        if self.carrier is not None:
            self.carrier.end()
        if self.presence is not None:
            self.presence.end()

    @property
    def leader(self) -> str:
        """The name of the server that has the house; empty if it is not known."""
        if self._house is None:
            return self.owner
        holder = None if self.carrier is None else self.carrier.holder
        return "" if holder is None else holder.name

    def forget_shared(self) -> None:
        """Read the list of shared tables again the next time that it is needed."""
        self._known_s = -float(KNOWN_S)

    async def shared_now(self, running: Iterable[str]) -> SharedNow:
        """Where the shared tables are, if these servers take tables."""
        if time.monotonic() - self._known_s >= KNOWN_S:
            self._known_s = time.monotonic()
            self.shared = frozenset(await asyncio.to_thread(spread.shared, self._engine))
        owners = await asyncio.to_thread(spread.owners, self._engine, sorted(self.shared))
        return SharedNow(owners, tuple(sorted(running)), self.leader)

    async def at_opening(self) -> set[str]:
        """The servers that take tables while this one opens the house, before others can see it."""
        seen = await asyncio.to_thread(servers.seen, self._engine, self._key)
        return {self.owner, *(name for name, address in seen.running.items() if address)}

    def running(self, without: Collection[str] = ()) -> list[str]:
        """The servers that take tables."""
        known = {} if self.carrier is None else self.carrier.servers
        return [name for name, address in known.items() if address and name not in without]

    async def of(self, name: str, without: Collection[str] = ()) -> str | None:
        """The server to which a table belongs, by its name; None if that is this one.

        Tables that no server has open are spread, except to servers that could not open them.
        """
        if self.carrier is None or name in self._floor.places:
            return None
        if owner_of(name) is not None:
            has = await self._of_private(name, without)
        elif name in self.shared:
            now = await self.shared_now(self.running(without))
            has = now.owners.get(name) or now.chosen().get(name, HOUSE)
        else:
            return self._house
        if has in (HOUSE, self.leader):
            return self._house
        return None if has == self.owner else has

    async def _of_private(self, name: str, without: Collection[str]) -> str:
        """The server of a private table, drawn by the table's name if no server has it."""
        has = await asyncio.to_thread(table_leases.server_of, self._engine, name)
        if has is not None:
            return has
        running = self.running(without)
        return max(self._idle(running), key=lambda each: _lot(each, name), default=self.owner)

    def _idle(self, running: Collection[str]) -> list[str]:
        """The servers with few connections, among which new tables are drawn."""
        counts = {} if self.carrier is None else self.carrier.connections
        fewest = min((counts.get(each, 0) for each in running), default=0)
        most = fewest + max(SPARE, int(fewest * SPARE_PART))
        return [each for each in running if counts.get(each, 0) <= most]


def _lot(server: str, name: str) -> bytes:
    """The lot by which tables draw servers; every server computes the same lots."""
    return hashlib.sha256(f"{server} {name}".encode()).digest()
