"""One WebSocket connection: what the client sends and receives, and when it is dropped."""

import asyncio
import time
from collections import Counter
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any, Protocol

from litestar import WebSocket
from litestar.exceptions import WebSocketDisconnect
from sqlalchemy.exc import InternalError, OperationalError

from wartable.refusal import Refusal
from wartable.server.denied import Denied
from wartable.server.dispatch import Given
from wartable.server.house.sessions import Session
from wartable.server.http import wire
from wartable.server.http.access import way_of
from wartable.server.logs import LOG, TRACED, Trace
from wartable.server.opening import ELSEWHERE
from wartable.server.records.answers import RefusedCommand
from wartable.server.records.pulse import UNREACHED
from wartable.server.running import House
from wartable.server.tables.listeners import encode
from wartable.server.tables.place import ASSUMED, RunningTable
from wartable.server.tables.together import JOINED

SEND_S = 10
OUTLET = "wartable.outlet"
"""The name of the ASGI extension in which a connection finds its outlet."""
LOBBY_S = 2
EXCESS_MAX = 200
GIVEN_MAX = 16
"""How many commands of a connection may wait at the table."""
ANSWERED = (OperationalError, InternalError, Refusal)
"""Errors with one message that are answered rather than ending the connection."""
CONNECTIONS_MAX = 10_000
CONNECTIONS_PER_ACCOUNT = 20
CLOSE_SIGNED_OUT = 4401
CLOSE_TOO_MANY = 4429
CLOSE_SLOW = 4408
CLOSE_TABLE = 4410
CLOSE_FULL = 4503
CUT_OFF = "This server does not reach the database; connect again, to another one."
MOVED = "Another server of this house has the table; connect again."


class Outlet(Protocol):
    """A WebSocket as its connection uses it: to send to the client, and to see what has arrived."""

    writable: asyncio.Event
    """Set while the client reads what it is sent."""

    def arrived(self) -> bool:
        """Whether the client has sent something that is not read yet."""

    def tell(self, data: bytes) -> None:
        """Queue a text, to be sent by the end of this turn of the event loop."""

    def send_told(self) -> None:
        """Send the queued texts now."""


class Dropped(Exception):
    """The end of a connection by the server: a close code, a one-word reason, and a sentence.

    The sentence is for people; the close frame has 123 bytes for it.
    """

    def __init__(self, code: int, reason: str, sentence: str) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason
        self.sentence = sentence


class Rate:
    """A number of messages a second, with as many saved up for a burst."""

    def __init__(self, per_s: int) -> None:
        self._per_s = per_s
        self._left = float(2 * per_s)
        self._at = time.monotonic()
        self._excess = 0

    def take(self) -> bool:
        """Whether one more message is within the rate; `Dropped` for a flood."""
        now = time.monotonic()
        self._left = min(2.0 * self._per_s, self._left + (now - self._at) * self._per_s)
        self._at = now
        if self._left >= 1:
            self._left -= 1
            self._excess = 0
            return True
        self._excess += 1
        if self._excess > EXCESS_MAX:
            sentence = "The client sent too many messages a second."
            raise Dropped(CLOSE_TOO_MANY, "flood", sentence)
        return False


class Connection:
    """A client that follows a table or the lobby, and can give commands if it is signed in."""

    def __init__(
        self,
        house: House,
        socket: WebSocket[Any, Any, Any],
        session: Session | None,
        address: str,
    ) -> None:
        self._house, self._socket, self._session = house, socket, session
        extensions: Any = socket.scope["extensions"]
        self._outlet: Outlet = extensions[OUTLET]
        self._address = address
        self._place: RunningTable | None = None
        self._pump: asyncio.Task[None] | None = None
        self._task: asyncio.Task[Any] | None = None
        self._failed: BaseException | None = None
        self._name = "" if session is None else session.account.name
        self._rate = Rate(house.config.messages_per_s)
        self._way = way_of(socket)
        self._given: list[tuple[Trace, Given]] = []
        """The commands that wait at the table, to be answered in their order."""
        self._named = "table" in socket.query_params
        """Whether its address names a table, so that it reaches the server that has that table."""

    async def run(self) -> None:
        """Read and answer until the client leaves or is dropped."""
        floor = self._house.floor
        try:
            self._check_room()
        except Dropped as drop:  # a client that was not let in is not counted
            await self._drop(drop)
            return
        floor.from_address[self._address] += 1
        floor.of_account[self._name] += 1
        self._task = asyncio.current_task()
        try:
            await self._read()
        except asyncio.CancelledError:
            if not isinstance(self._failed, Dropped):
                raise
            await self._drop(self._failed)
        except Dropped as drop:
            await self._drop(drop)
        except (WebSocketDisconnect, OSError):
            pass
        finally:
            _one_less(floor.from_address, self._address)
            _one_less(floor.of_account, self._name)
            await self._unfollow()

    def _check_room(self) -> None:
        """Drop a connection over the limit of the house, of its address or of its account."""
        self._check_reach()
        floor, most = self._house.floor, self._house.config.connections_per_address
        own, near = floor.of_account.get(self._name, 0), floor.from_address.get(self._address, 0)
        if floor.connected >= CONNECTIONS_MAX:
            sentence = "The house has no free connection; come back later."
            raise Dropped(CLOSE_FULL, "full", sentence)
        if self._name and own >= (mine := CONNECTIONS_PER_ACCOUNT):
            sentence = f"This account has {own} of {mine} connections open; close one of its pages."
            raise Dropped(CLOSE_TOO_MANY, "too_many", sentence)
        if near >= most:
            sentence = f"This address has {near} of {most} connections open; close a page there."
            raise Dropped(CLOSE_TOO_MANY, "too_many", sentence)

    def _check_reach(self) -> None:
        """Drop a connection to a server that is cut off; another one may have the house by now."""
        if self._house.cut_off:
            raise Dropped(CLOSE_TABLE, "cut_off", CUT_OFF)

    async def _drop(self, drop: Dropped) -> None:
        """Send the close frame if the client still listens; the connection ends either way."""
        self._house.metrics.dropped[drop.reason] += 1
        with suppress(Exception):
            self._outlet.send_told()
            async with asyncio.timeout(1):
                await self._socket.close(drop.code, drop.sentence)

    async def _read(self) -> None:
        """Handle one message after the other, so that a client's commands keep their order."""
        while True:
            received: Any = await self._socket.receive()
            if received["type"] != "websocket.receive":
                await self._settle()  # commands given before are carried out all the same
                return
            data = received.get("text")
            data = received.get("bytes") if data is None else data
            if self._rate.take():
                await self._answer(data or b"")
            else:
                await self._send(encode(too_fast(data or b"", self._now_ms())))
            if len(self._given) >= GIVEN_MAX or not self._outlet.arrived():
                await self._settle()

    def _start(self, pump: Coroutine[Any, Any, None]) -> None:
        """Send the client what it follows; if that fails, end the whole connection."""
        self._pump = asyncio.create_task(pump)
        self._pump.add_done_callback(self._pumped)

    def _pumped(self, pump: asyncio.Task[None]) -> None:
        if pump.cancelled() or isinstance(pump.exception(), OSError | WebSocketDisconnect):
            return
        self._failed = pump.exception()
        if self._task is not None:
            self._task.cancel()

    async def _answer(self, data: bytes | str) -> None:
        TRACED.set(self._way.next())
        try:
            message = wire.decode(data)
            if wire.FORMS.get(type(message)) not in JOINED:  # commands are carried out in order
                await self._settle()
            if self._session is not None and not isinstance(message, wire.Ping):
                self._house.sessions.check(self._session)
            match message:
                case wire.Hello():
                    await self._house.pulse.in_time(self._follow(message))
                case wire.Inquiry():
                    asker = wire.Asker(self._house, self._name, self._place)
                    await self._send(encode(message.answer(asker)))
                case _:
                    await self._command(message)
        except ANSWERED as problem:
            await self._settle()
            await self._refuse(wire.id_of(data), problem)

    async def _settle(self) -> None:
        """Answer the commands that wait at the table."""
        given, self._given = self._given, []
        for trace, each in given:
            TRACED.set(trace)
            try:
                await self._send(encode(await self._house.dispatch.answer(each)))
            except ANSWERED as problem:
                await self._refuse(each.id, problem)

    async def _refuse(self, id_: str, problem: Exception) -> None:
        """Refuse a message because of this problem."""
        if isinstance(problem, OperationalError | InternalError):
            LOG.warning("database not reached", extra={"error": type(problem.orig).__name__})
            answer = RefusedCommand(id_, "database", UNREACHED, self._now_ms())
        else:
            assert isinstance(problem, Refusal)
            if problem.code == ELSEWHERE and self._named:
                raise Dropped(CLOSE_TABLE, "table_moved", MOVED) from None
            self._house.metrics.refused[problem.code] += 1
            answer = RefusedCommand(id_, problem.code, problem.sentence, self._now_ms())
        await self._send(encode(answer))

    async def _command(self, message: Any) -> None:
        if self._session is None:
            raise Denied("signed_out", "Sign in to play; spectators cannot give commands.")
        self._house.sessions.touch(self._session)
        if self._place is None:
            raise Denied("no_table", "Say hello to a table first.")
        reality = self._house.reality.due(self._session)
        if reality is not None:
            await self._send(encode(reality))
        name = self._place.live.setup.name
        house, account = self._house, self._session.account
        command = wire.to_command(message, account.name, house.clock.now_ms(), house.new_seed)
        meant = getattr(message, "round", None)
        giving = house.dispatch.give(account, name, message.id, command, self._address, meant)
        # The command waits for the database before its turn only if the table must be opened.
        is_open = house.floor.places.get(name) is self._place
        given = await (giving if is_open else house.pulse.in_time(giving))
        self._given.append((TRACED.get(), given))

    async def _follow(self, hello: wire.Hello) -> None:
        """Follow that table or the lobby instead of the previous one."""
        account = None if self._session is None else self._session.account
        name, role = (None, None) if account is None else (account.name, account.role)
        place = None
        if hello.table is not None:
            place = await self._house.pit.find(hello.table, account, self._address)
        await self._unfollow()
        now_ms = self._now_ms()
        if place is None:
            await self._send(encode(wire.Welcome(now_ms, name, role, None)))
            self._start(self._tell_lobby())
            return
        live, rules = place.live, place.live.setup.rules
        self._place = place
        place.enter(self._name)
        welcome = wire.Welcome(
            now_ms, name, role, hello.table, rules.name, place.digest, live.head[0]
        )
        await self._send(encode(welcome))
        self._start(self._tell(place, hello.after))

    async def _unfollow(self) -> None:
        if self._pump is not None:
            self._pump.cancel()
            await asyncio.gather(self._pump, return_exceptions=True)
            self._pump = None
        if self._place is not None:
            self._place.exit(self._name, self._now_ms())
            self._place = None

    async def _tell(self, place: RunningTable, after: int | None) -> None:
        """Send what happens while the client reads; one that fell behind gets the whole table."""
        told: tuple[bytes, ...] = ASSUMED
        closure_of = self._house.protection.closures.of
        # Listen only here, because a task cancelled before it runs would leave the listener behind.
        listener = place.live.listen(after)
        try:
            while True:
                if place.closed:
                    sentence = "This server closed the table; connect again to reopen it."
                    raise Dropped(CLOSE_TABLE, "table_closed", sentence)
                if listener.behind and not listener.outbox:
                    place.live.listeners.pop(listener, None)
                    listener = place.live.listen(None)
                if not listener.outbox:
                    setup = place.live.setup
                    closure = closure_of(setup.rules.name, setup.name, self._name)
                    before, told = told, place.standing(self._name, closure)
                    for old, new in zip(before, told, strict=True):
                        if new != old:
                            await self._send(new)
                waiting = await listener.told()
                if place.owner and self._session is not None and self._session.ended:
                    sentence = "The session has ended; sign in again."
                    raise Dropped(CLOSE_SIGNED_OUT, "signed_out", sentence)
                for news in waiting:
                    if news is not None:
                        await self._send(place.encoded(news))
        finally:
            place.live.listeners.pop(listener, None)

    async def _tell_lobby(self) -> None:
        shown = None
        while True:
            self._check_reach()
            lobby = self._house.lobby()
            now_shown = (lobby.connected, lobby.tables)
            if now_shown != shown:
                shown = now_shown
                await self._send(encode(lobby))
            await asyncio.sleep(LOBBY_S)

    async def _send(self, data: bytes) -> None:
        """Send, or drop a client that has stopped reading."""
        writable = self._outlet.writable
        if not writable.is_set():
            try:
                async with asyncio.timeout(SEND_S):
                    await writable.wait()
            except TimeoutError:
                sentence = f"The client read nothing for {SEND_S} seconds."
                raise Dropped(CLOSE_SLOW, "slow", sentence) from None
        self._outlet.tell(data)

    def _now_ms(self) -> int:
        return self._house.clock.now_ms()


def _one_less(counts: Counter[str], key: str) -> None:
    """Lower a count by one, and remove the name if none is left."""
    counts[key] -= 1
    if not counts[key]:
        del counts[key]


def too_fast(data: bytes | str, now_ms: int) -> RefusedCommand:
    """The answer to a message over the rate limit, which is not carried out."""
    sentence = "You sent too many messages a second; this one was ignored."
    return RefusedCommand(wire.id_of(data), "too_fast", sentence, now_ms)
