"""The requests between a house's servers: for their tables, who plays there, which awards wait."""

import asyncio
import hmac
from typing import Any
from urllib.parse import parse_qs, quote

import h11
import msgspec
from msgspec.structs import replace

from wartable.server.denied import Denied
from wartable.server.http.forwarding import Forwarding
from wartable.server.logs import LOG
from wartable.server.records import database
from wartable.server.records.answers import NO_ANSWER
from wartable.server.running import House
from wartable.server.tables.listeners import encode
from wartable.server.tables.lobby import ListedTable, listed
from wartable.server.tables.overview import AwardShown, FloorTable, award, floor_table
from wartable.server.tables.place import RunningTable
from wartable.table import Setup, Table

ASK_S = 1
"""How often the server that has the house asks the others for their tables."""
ANSWER_S = 2
"""How long another server may take to answer."""
LISTED, FLOOR = "/between/listed", "/between/floor"
PLAYING, AWARDS = "/between/playing", "/between/awards"
CODE = b"x-wartable-between"
"""The header with the house's authentication code, which no client has."""
FAILURES = (OSError, TimeoutError, h11.RemoteProtocolError, msgspec.MsgspecError)


class ServerTables(msgspec.Struct, frozen=True):
    """The shared tables of a server, and how many connections it has."""

    connected: int
    tables: tuple[ListedTable, ...]


def shown(house: House, place: RunningTable) -> FloorTable:
    """A table of this server, as the floor sees it."""
    setup = place.live.setup
    closure = house.protection.closures.of(setup.rules.name, setup.name, "")
    first = house.approvals.first(setup.name, place.live.state)
    return floor_table(place, closure, house.clock.now_ms(), first)


async def waiting(house: House) -> list[AwardShown]:
    """The awards that wait for approval at this server's tables, with their evidence."""
    found = [(each.live.setup, each.live.state) for each in house.floor.places.values()]
    return [
        await asyncio.to_thread(_award, house, setup, state)
        for setup, state in found
        if state.award is not None
    ]


def _award(house: House, setup: Setup, state: Table) -> AwardShown:
    book, _ = database.opened_with(house.engine, setup.name)
    shown = award(replace(book, rules=setup.rules), setup, state)
    return replace(shown, approved_by=house.approvals.first(setup.name, state))


class Between:
    """Asks the other servers of a house, and answers them."""

    def __init__(self, house: House, forwarding: Forwarding) -> None:
        self._house, self._forwarding = house, forwarding
        self._code = house.key.alias("asked between servers").encode()

    def lead_here(self) -> None:
        """Have the house ask the other servers through this object."""
        floor = self._house.floor
        floor.playing_elsewhere, floor.shown_elsewhere = self.playing, self.floor
        floor.awards_elsewhere = self.awards

    async def answer(self, scope: Any) -> bytes | None:
        """The answer to another server of this house; None if the request is a client's."""
        if scope["path"] not in (LISTED, FLOOR, PLAYING, AWARDS):
            return None
        said = dict(scope["headers"]).get(CODE, b"")
        if not hmac.compare_digest(said, self._code):
            return None
        path, floor = scope["path"], self._house.floor
        if path == LISTED:
            tables = tuple(map(listed, floor.shared.values()))
            return encode(ServerTables(floor.connected, tables))
        if path == FLOOR:
            return encode([shown(self._house, place) for place in floor.places.values()])
        if path == AWARDS:
            return encode(await waiting(self._house))
        name = parse_qs(scope["query_string"].decode("latin-1")).get("name", [""])[0]
        return encode(floor.playing(name))

    async def look(self) -> None:
        """Ask every other server for its shared tables, which lobby and overview show."""
        if not self._house.leads:
            return
        floor, asked = self._house.floor, self._others()
        answers = await asyncio.gather(*(self._ask(to, LISTED, ServerTables) for to in asked))
        found = {to: each for to, each in zip(asked, answers, strict=True) if each is not None}
        floor.connected_elsewhere = {to: each.connected for to, each in found.items()}
        for to, each in found.items():
            for table in each.tables:
                floor.saw_elsewhere(table, to)

    async def floor(self) -> list[FloorTable]:
        """The tables of all other servers that answer, as the floor sees them."""
        return await self._all(FLOOR, list[FloorTable])

    async def awards(self) -> list[AwardShown]:
        """The awards that wait at all other servers that answer."""
        return await self._all(AWARDS, list[AwardShown])

    async def playing(self, name: str) -> bool:
        """Whether somebody has something at stake at another server; `Denied` if one is silent."""
        path = f"{PLAYING}?name={quote(name)}"
        found = await asyncio.gather(*(self._ask(to, path, bool) for to in self._others()))
        if any(found):
            return True
        if None in found:
            raise Denied(*NO_ANSWER)
        return False

    async def _all(self, path: str, kind: Any) -> list[Any]:
        """The items that all other servers answer with; a server that does not answer has none."""
        asking = (self._ask(to, path, kind) for to in self._others())
        return [each for found in await asyncio.gather(*asking) for each in found or ()]

    def _others(self) -> list[str]:
        carrier = self._house.placing.carrier
        return [] if carrier is None else [to for to in carrier.servers if to != self._house.owner]

    async def _ask(self, to: str, path: str, kind: Any) -> Any:
        """Another server's answer; None if there is none, or not one of this kind."""
        path, _, query = path.partition("?")
        scope = {
            "method": "GET",
            "raw_path": path.encode(),
            "query_string": query.encode(),
            "headers": [(b"host", b"between"), (CODE, self._code)],
            "client": None,
        }
        try:
            async with asyncio.timeout(ANSWER_S):
                answer = await self._forwarding.forward(to, scope, b"")
            if answer is not None and answer[0] == 200:
                return msgspec.json.decode(answer[2], type=kind)
        except FAILURES as problem:
            LOG.warning("server not reached", extra={"error": type(problem).__name__})
        return None
