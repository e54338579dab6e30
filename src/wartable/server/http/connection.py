"""One WebSocket connection: what the client says, what it is told, and when it is dropped."""

import asyncio
import time
from collections import Counter
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any

from litestar import WebSocket
from litestar.exceptions import WebSocketDisconnect

from wartable import table
from wartable.game import Choose, Illegal
from wartable.server.house.accounts import Denied, Session
from wartable.server.http import wire
from wartable.server.running import House
from wartable.server.tables.floor import RunningTable
from wartable.server.tables.live import Refusal

SEND_S = 10
LOBBY_S = 2
EXCESS_MAX = 200
CONNECTIONS_MAX = 10_000
CONNECTIONS_PER_ACCOUNT = 20
CLOSE_SIGNED_OUT = 4401
CLOSE_TOO_MANY = 4429
CLOSE_SLOW = 4408
CLOSE_TABLE = 4410
CLOSE_FULL = 4503


class Dropped(Exception):
    """A connection that is ended from our side: a code, why in a word, and a sentence for people.

    The sentence goes into a frame that has 123 bytes for it.
    """

    def __init__(self, code: int, reason: str, sentence: str) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason
        self.sentence = sentence


class Rate:
    """So many messages a second, with as many saved up for a burst."""

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
            told = "These were too many messages a second."
            raise Dropped(CLOSE_TOO_MANY, "flood", told)
        return False


class Connection:
    """A client that follows a table or the lobby, and may give commands if it is signed in."""

    def __init__(
        self,
        house: House,
        socket: WebSocket[Any, Any, Any],
        session: Session | None,
        address: str,
    ) -> None:
        self._house, self._socket, self._session = house, socket, session
        self._address = address
        self._place: RunningTable | None = None
        self._pump: asyncio.Task[None] | None = None
        self._task: asyncio.Task[Any] | None = None
        self._failed: BaseException | None = None
        self._name = "" if session is None else session.account.name
        self._rate = Rate(house.config.messages_per_s)

    async def run(self) -> None:
        """Read and answer until the client goes or is dropped."""
        floor = self._house.floor
        try:
            self._check_room()
        except Dropped as drop:  # who is not let in does not count
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
        """Drop who would be one too many; neither an address nor an account takes all there are."""
        floor, most = self._house.floor, self._house.config.connections_per_address
        own, near = floor.of_account.get(self._name, 0), floor.from_address.get(self._address, 0)
        if floor.connected >= CONNECTIONS_MAX:
            told = "The house has as many connections as it can serve; come back later."
            raise Dropped(CLOSE_FULL, "full", told)
        if self._name and own >= (mine := CONNECTIONS_PER_ACCOUNT):
            told = f"This account has {own} of {mine} connections open: close another page of it."
            raise Dropped(CLOSE_TOO_MANY, "too_many", told)
        if near >= most:
            told = f"This address has {near} of {most} connections open: close another page there."
            raise Dropped(CLOSE_TOO_MANY, "too_many", told)

    async def _drop(self, drop: Dropped) -> None:
        """Say goodbye if the client still listens; the connection ends either way."""
        self._house.metrics.dropped[drop.reason] += 1
        with suppress(Exception):
            async with asyncio.timeout(1):
                await self._socket.close(drop.code, drop.sentence)

    async def _read(self) -> None:
        """One message after the other, so that a client's commands keep their order."""
        while True:
            received: Any = await self._socket.receive()
            if received["type"] != "websocket.receive":
                return
            data = received.get("text")
            data = received.get("bytes") if data is None else data
            if self._rate.take():
                await self._answer(data or b"")
            else:
                await self._send(wire.encode(too_fast(data or b"", self._now_ms())))

    def _start(self, pump: Coroutine[Any, Any, None]) -> None:
        """Tell the client what it follows; when that fails, the whole connection ends."""
        self._pump = asyncio.create_task(pump)
        self._pump.add_done_callback(self._pumped)

    def _pumped(self, pump: asyncio.Task[None]) -> None:
        if pump.cancelled() or isinstance(pump.exception(), OSError | WebSocketDisconnect):
            return
        self._failed = pump.exception()
        if self._task is not None:
            self._task.cancel()

    async def _answer(self, data: bytes | str) -> None:
        try:
            message = wire.decode(data)
        except wire.MalformedMessage as error:
            await self._refuse(error.id, "malformed", error.sentence)
            return
        try:
            if self._session is not None and not isinstance(message, wire.Ping):
                self._house.accounts.check(self._session)
            match message:
                case wire.Hello():
                    await self._follow(message)
                case wire.Ping():
                    await self._send(wire.encode(wire.Pong(message.id, self._now_ms())))
                case wire.AskPrice():
                    await self._price(message)
                case wire.Acknowledge():
                    self._house.protection.unread.discard(self._name)
                    await self._send(wire.encode(wire.Pong(message.id, self._now_ms())))
                case _:
                    await self._command(message)
        except Denied as error:
            await self._refuse(getattr(message, "id", ""), error.code, error.sentence)

    async def _command(self, message: Any) -> None:
        if self._session is None:
            raise Denied(401, "signed_out", "Sign in to play; a spectator gives no commands.")
        self._house.accounts.touch(self._session)
        if self._place is None:
            raise Denied(404, "no_table", "Say hello to a table first.")
        reality = self._house.reality(self._session)
        if reality is not None:
            await self._send(wire.encode(reality))
        name = self._place.live.setup.name
        answer = await self._house.command(self._session, name, message)
        await self._send(wire.encode(answer))

    async def _price(self, message: wire.AskPrice) -> None:
        if self._place is None:
            raise Denied(404, "no_table", "Say hello to a table first.")
        live, war = self._place.live, Choose(self._name, message.box, "war", message.war_tie)
        try:
            price = table.price(live.setup, live.state, war)
        except Illegal as error:
            await self._refuse(message.id, error.code, error.sentence)
        else:
            await self._send(wire.encode(wire.Priced(message.id, live.head[0], price)))

    async def _follow(self, hello: wire.Hello) -> None:
        """Follow that table, or the lobby, instead of what was followed before."""
        account = None if self._session is None else self._session.account
        name, role = (None, None) if account is None else (account.name, account.role)
        place = None
        if hello.table is not None:
            place = await self._house.find(hello.table, account)
        await self._unfollow()
        now_ms = self._now_ms()
        if place is None:
            await self._send(wire.encode(wire.Welcome(now_ms, name, role, None)))
            self._start(self._tell_lobby())
            return
        live, rules = place.live, place.live.setup.rules
        self._place = place
        place.enter(self._name)
        welcome = wire.Welcome(
            now_ms, name, role, hello.table, rules.name, place.digest, live.head[0]
        )
        await self._send(wire.encode(welcome))
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
        """Send what happens as long as the client takes it; who fell behind gets the table."""
        awaited, wagering = b"", wire.TAKEN
        closure_of = self._house.protection.closure
        # Not before this runs: a task that is cancelled before would leave the listener behind.
        listener = place.live.listen(after)
        try:
            while True:
                if place.closed:
                    told = "This table was closed here; connect again to have it opened."
                    raise Dropped(CLOSE_TABLE, "table_closed", told)
                rules = place.live.setup.rules.name
                closure = closure_of(rules, place.live.setup.name, self._name)
                if (now_wagering := place.wagering(closure)) != wagering:
                    wagering = now_wagering
                    await self._send(wire.encode(wagering))
                if listener.outbox.empty() and listener.behind:
                    place.live.listeners.pop(listener, None)
                    listener = place.live.listen(None)
                if (
                    listener.outbox.empty()
                    and (now_awaited := place.awaited(self._name)) != awaited
                ):
                    awaited = now_awaited
                    await self._send(awaited)
                news = await listener.outbox.get()
                if place.owner and self._session is not None and self._session.ended:
                    told = "The session has ended; sign in again."
                    raise Dropped(CLOSE_SIGNED_OUT, "signed_out", told)
                if news is not None:
                    await self._send(place.encoded(news))
        finally:
            place.live.listeners.pop(listener, None)

    async def _tell_lobby(self) -> None:
        shown = None
        while True:
            lobby = self._house.lobby()
            now_shown = (lobby.connected, lobby.tables)
            if now_shown != shown:
                shown = now_shown
                await self._send(wire.encode(lobby))
            await asyncio.sleep(LOBBY_S)

    async def _refuse(self, id_: str, code: str, sentence: str) -> None:
        self._house.metrics.refused[code] += 1
        await self._send(wire.encode(Refusal(id_, code, sentence, self._now_ms())))

    async def _send(self, data: bytes) -> None:
        """Send, or drop a client that takes nothing."""
        try:
            async with asyncio.timeout(SEND_S):
                await self._socket.send(
                    {"type": "websocket.send", "bytes": None, "text": data.decode()}
                )
        except TimeoutError:
            told = f"Nothing was taken of what was sent for {SEND_S} seconds."
            raise Dropped(CLOSE_SLOW, "slow", told) from None

    def _now_ms(self) -> int:
        return self._house.clock.now_ms()


def _one_less(counts: Counter[str], key: str) -> None:
    """Count one less, and forget who has none."""
    counts[key] -= 1
    if not counts[key]:
        del counts[key]


def too_fast(data: bytes | str, now_ms: int) -> Refusal:
    """The answer to a message over the rate, which was not carried out."""
    id_ = "" if len(data) > wire.MESSAGE_BYTES_MAX else wire.id_of(data)
    told = "These are too many messages a second; this one was not read."
    return Refusal(id_, "too_fast", told, now_ms)
