"""R7: meters that several tables share: one value, every cent accounted for, in one order."""

import asyncio
import hashlib
import itertools
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from unittest import mock

import pytest
import sqlalchemy as sa
from msgspec.structs import replace

from hosting import WIDE, Hosted
from tampering import drop_triggers
from waiting import WAIT_S, in_time, until
from wartable import game, table
from wartable.croupier import Timing
from wartable.game import Illegal
from wartable.rules import WagerKind
from wartable.rules.load import build, shipped_raw
from wartable.rules.settings import configured
from wartable.server.audit import backup, verify
from wartable.server.house.cashier import Cashier
from wartable.server.records import database, journal, messages, schema, table_leases
from wartable.server.records.answers import Accepted, RefusedCommand
from wartable.server.records.journal import Broken
from wartable.server.records.keys import HouseKey
from wartable.server.records.messages import PayIn
from wartable.server.records.rows import CASHIER
from wartable.server.records.writer import Writer
from wartable.server.tables.live import LiveTable
from wartable.server.tables.meters import Meters, SharedMeters, sharing
from wartable.server.tables.versions import PendingRow
from wartable.table import commands as c
from wartable.table.meters import show_meters
from wartable.table.state import MeterState

KEY = HouseKey(bytes(32))
OWN_PACE = Timing(None, None, None, None, seed_ms=0, number_ms=0, pause_ms=0)
TABLES = ("one", "two", "three")
WHEEL = "wagers.bonus_spin.wheel.hot_spot"
CONTENT, LIMITS = configured(
    shipped_raw("maryland"),
    {},
    {f"{WHEEL}.none": 1, f"{WHEEL}.jackpot_primary": 5_000, f"{WHEEL}.jackpot_secondary": 4_999},
    WIDE,
)
"""Maryland with a wheel that nearly always stops at a meter."""
BOOK = replace(build(CONTENT), rules=replace(build(CONTENT).rules, limits=LIMITS))


class Clock:
    """A clock that goes on by itself."""

    def __init__(self, last_ms: int) -> None:
        self._ms = itertools.count(max(last_ms, 1_800_000_000_000))

    def now_ms(self) -> int:
        """The time."""
        return next(self._ms)


def seed_of(table: str, number: int) -> str:
    """The seed of a table's shoe: the same cards in every run."""
    return hashlib.sha256(f"{table} {number}".encode()).hexdigest()


class Room:
    """Some tables of one book with their meters, on one database."""

    def __init__(
        self,
        address: str,
        owner: str = "room",
        kind: type[LiveTable] = LiveTable,
        tables: tuple[str, ...] = TABLES,
    ) -> None:
        self.owner, self.kind, self._names = owner, kind, tables
        self.engine = database.engine_for(address)
        database.create(self.engine)
        self.clock = Clock(database.last_ms(self.engine))
        self.writer = Writer(address)
        commit = self.writer.commit
        self.shared = SharedMeters(self.engine, commit, self.clock, KEY)
        self.tables: dict[str, LiveTable] = {}
        self.refused: Counter[str] = Counter()
        """How often players' commands were refused, by code."""

    @property
    def meters(self) -> Meters:
        """The meters that all the tables share."""
        (found,) = self.shared.opened.values()
        return found

    async def open(self) -> None:
        """Every table, restored from its journal or new."""
        for name in self._names:
            await self.open_one(name)

    async def open_one(self, name: str) -> LiveTable:
        """A table, restored from its journal or new."""
        setup = sharing(table.new_setup(BOOK.rules, name), BOOK.digest)
        await self.shared.open_for(BOOK, setup, CONTENT)
        fence, new = table_leases.open_table(self.engine, self.owner, BOOK, CONTENT, setup)
        live = self.kind(
            setup,
            OWN_PACE,
            commit=self.writer.commit,
            clock=self.clock,
            new_seed=partial(self._seed, name),
            key=KEY,
            fence=fence,
            meters=self.meters,
        )
        live.restore(database.rows_of(self.engine, name))
        if live.head[0] == 0:
            await live.open(BOOK.digest, new)
        self.tables[name] = live
        return live

    def _seed(self, name: str) -> str:
        return seed_of(name, self.tables[name].state.shoes + 1)

    async def sit(self, live: LiveTable, seats: int = 4) -> None:
        """Players at a table."""
        head = database.head_of(self.engine, CASHIER)
        cashier = Cashier(self.writer.commit, self.clock, KEY, head)
        for seat in range(1, seats + 1):
            player = f"{live.setup.name}-{seat}"
            if player not in live.state.guests:
                await cashier.carry_out("test", f"fund {player}", PayIn(player, 10**9))
                await live.submit(player, f"join {player}", c.Join(player, 10**9, seat))

    async def play(self, live: LiveTable, rounds: int) -> None:
        """Rounds with side bets on every box, by who sits there."""
        last = live.state.rounds + rounds
        for number in itertools.count():
            due = table.awaits(live.setup, live.state)[0]
            if live.state.rounds >= last and not live.state.in_round:
                return
            for actor, command in answers(live, due):
                answer = await live.submit(actor, f"{actor} {live.head[0]} {number}", command)
                if isinstance(answer, RefusedCommand):
                    self.refused[answer.code] += 1
            await asyncio.sleep(0)

    async def close(self) -> None:
        """Write everything."""
        await self.writer.close()
        self.engine.dispose()


def answers(live: LiveTable, due: table.Due) -> Iterator[tuple[str, c.Command]]:
    """What players do about what is due."""
    player = due.player or ""
    match due.what:
        case "cut":
            yield player, c.RefuseCut(player)
        case "choice":
            assert due.box is not None
            yield player, game.Choose(player, due.box, "surrender")
        case "bets":
            for guest in live.state.guests.values():
                for kind, amount in (("primary", 500), ("progressive", 100), ("bonus_spin", 500)):
                    yield guest.player, game.Bet(guest.player, guest.seat or 1, kind, amount)  # type: ignore[arg-type]  # names of wagers
            yield "platform", game.CloseBets()


@asynccontextmanager
async def running(room: Room) -> AsyncIterator[Room]:
    """The room with its tables open and going, stopped afterwards."""
    await room.open()
    tasks = [asyncio.create_task(live.run()) for live in room.tables.values()]
    try:
        yield room
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await room.close()


async def play_all(room: Room, rounds: int) -> None:
    """All tables at once."""
    await asyncio.gather(*(room.sit(live) for live in room.tables.values()))
    async with asyncio.timeout(WAIT_S):
        await asyncio.gather(*(room.play(live, rounds) for live in room.tables.values()))


def events_of(engine: sa.Engine, name: str) -> list[messages.JournalEvent]:
    """All that happened at a table, or to the meters."""
    return [
        event for row in database.rows_of(engine, name) for event in journal.read_row(row, KEY)[1]
    ]


def test_R7_tables_feed_and_win_the_same_meters(address: str) -> None:
    """Three tables at once: what is fed, seeded, paid and shown agrees to the cent, over all."""

    async def run() -> None:
        async with running(Room(address)) as room:
            await play_all(room, 25)
            verify.verify(room.engine, KEY)
            events = [event for name in TABLES for event in events_of(room.engine, name)]
            won = [event for event in events if isinstance(event, game.MeterRead)]
            assert len(won) >= 2, "the seeds lead to wins"
            balances = database.balances(room.engine)
            for name, value in room.meters.values.items():
                paid = sum(event.amount for event in won if event.meter == name)
                fed = sum(
                    event.amount
                    for event in events
                    if isinstance(event, table.events.MeterFed) and event.meter == name
                )
                assert (value.fed, value.paid) == (fed, paid)
                assert value.fed + value.seeded == value.paid + value.shown
                assert balances[f"{room.meters.name}/meter:{name}"] == value.shown
            moves = [
                event
                for event in events_of(room.engine, room.meters.name)
                if isinstance(event, messages.MetersMoved)
            ]
            assert {event.table for event in moves} == set(TABLES), "the order is in one chain"
            assert len(moves) >= 3 * 25

    in_time(run())


def test_R7_the_meters_outlive_their_process(address: str, tmp_path: Path) -> None:
    """Another run goes on from the journal with the same values; a backup of it restores."""

    async def run() -> None:
        async with running(Room(address)) as room:
            await play_all(room, 2)
            values, head = room.meters.values, room.meters.head
        async with running(Room(address)) as again:
            assert (again.meters.values, again.meters.head) == (values, head)
            await play_all(again, 2)
            assert again.meters.head[0] > head[0]
            whole = verify.verify(again.engine, KEY)
            backup.back_up(address, tmp_path / "kept")
            restored = backup.restore(tmp_path / "kept", str(tmp_path / "new.sqlite"), KEY, 2**41)
            assert restored.tables == whole.tables

    in_time(run())


class StaleReading(LiveTable):
    """Planted: goes by what the table shows, not by what the meters are."""

    def _showing(self, meters: Meters) -> Iterator[PendingRow]:  # noqa: ARG002  # that is the bug
        yield from ()


def test_R7_a_stale_reading_is_found(tmp_path: Path) -> None:
    """A table that moves a meter from an old reading is named by the audit."""

    async def run() -> None:
        async with running(Room(str(tmp_path / "house.sqlite"), kind=StaleReading)) as room:
            await play_all(room, 3)
            with pytest.raises(Broken, match="from a reading that was old"):
                verify.verify(room.engine, KEY)

    in_time(run())


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        ("DELETE FROM journal WHERE table_name = :name AND number = :last", "rows do not know of"),
        ("UPDATE balances SET amount = amount + 1 WHERE account LIKE 'meters %'", "by the journal"),
        ("UPDATE tables SET setup = replace(setup, 'meters ', 'metres ')", "setup than is stored"),
    ],
)
def test_R7_spoiled_records_of_meters_are_found(tmp_path: Path, spoil: str, words: str) -> None:
    """A missing row, a changed balance or another name of the meters is found."""

    async def run() -> None:
        async with running(Room(str(tmp_path / "house.sqlite"))) as room:
            await play_all(room, 1)
            name, (last, _) = room.meters.name, room.meters.head
            verify.verify(room.engine, KEY)
            rows = list(database.rows_of(room.engine, name))
            with room.engine.begin() as connection:
                drop_triggers(connection)
                given = {"name": name, "last": last} if ":name" in spoil else {}
                connection.execute(sa.text(spoil), given)
                if given:
                    heads = schema.heads
                    before = {"number": last - 1, "hash": rows[-2].hash}
                    connection.execute(
                        heads.update().where(heads.c.table_name == name).values(before)
                    )
            with pytest.raises(Broken, match=words):
                verify.verify(room.engine, KEY)

    in_time(run())


@pytest.mark.finding(19)
@pytest.mark.parametrize(("kind", "amount"), [("progressive", 100), ("bonus_spin", 500)])
def test_R7_no_side_bet_while_the_meter_is_out_of_reach(
    tmp_path: Path, kind: WagerKind, amount: int
) -> None:
    """Side bets are refused with a sentence, other wagers are taken, and later all is well."""

    async def run() -> None:
        async with running(Room(str(tmp_path / "house.sqlite"))) as room:
            live = room.tables["one"]
            await room.sit(live, 1)
            while table.awaits(live.setup, live.state)[0].what != "bets":
                for actor, command in answers(live, table.awaits(live.setup, live.state)[0]):
                    await live.submit(actor, f"{actor} {live.head[0]}", command)
                await asyncio.sleep(0.001)
            bet = game.Bet("one-1", 1, "primary", 500)
            assert isinstance(await live.submit("one-1", "a", bet), Accepted)
            unread = mock.patch.object(database, "rows_of", side_effect=sa.exc.TimeoutError)
            with unread:
                await room.shared.look()
            assert not room.meters.reachable
            side = game.Bet("one-1", 1, kind, amount)
            refused = await live.submit("one-1", "b", side)
            assert isinstance(refused, RefusedCommand)
            assert (refused.code, "not available" in refused.sentence) == ("meter_away", True)
            await room.shared.look()
            assert room.meters.reachable
            assert isinstance(await live.submit("one-1", "b", side), Accepted)
            await room.play(live, 0)
            verify.verify(room.engine, KEY)

    in_time(run())


def test_R7_two_servers_move_the_same_meters(address: str) -> None:
    """Tables of both at once: each move is decided by the last reading, in one order, to the cent.

    A server that does not move them sees what the other did when it looks.
    """

    async def run() -> None:
        async with (
            running(Room(address)) as one,
            running(Room(address, "another", tables=("four", "five"))) as two,
        ):
            await asyncio.gather(play_all(one, 15), play_all(two, 15))
            verify.verify(one.engine, KEY)
            moves = [
                event
                for event in events_of(one.engine, one.meters.name)
                if isinstance(event, messages.MetersMoved)
            ]
            assert {event.table for event in moves} == {*TABLES, "four", "five"}
            turns = [event.table in TABLES for event in moves]
            changes = sum(before != after for before, after in itertools.pairwise(turns))
            assert changes > 2, "they played at the same time"
            assert "conflict" not in one.refused | two.refused, "who came second decided again"
            for room in (one, two):
                await room.shared.look()
            assert one.meters.values == two.meters.values == moves[-1].meters
            balances = database.balances(one.engine)
            for name, value in one.meters.values.items():
                assert value.fed + value.seeded == value.paid + value.shown
                assert balances[f"{one.meters.name}/meter:{name}"] == value.shown

    in_time(run())


def test_R7_a_table_that_moves_takes_no_meter_back(address: str) -> None:
    """A server takes a table in the middle of a round, and has read less of the meters than it."""

    async def run() -> None:
        async with running(Room(address, "another", tables=("four",))) as two:
            async with running(Room(address, tables=("one",))) as one:
                live = one.tables["one"]
                await one.sit(live)
                await one.play(live, 1)
                async with asyncio.timeout(WAIT_S):
                    while live.due[0].what != "bets":
                        await asyncio.sleep(0)
                for number, (actor, command) in enumerate(answers(live, live.due[0])):
                    await live.submit(actor, f"{actor} last {number}", command)
                moved = one.meters.head[0]
            assert live.state.in_round
            assert two.meters.head[0] < moved, "it has not read that yet"
            table_leases.release(two.engine, one.owner)
            two.clock = one.clock
            taken = await two.open_one("one")
            task = asyncio.create_task(taken.run())
            try:
                async with asyncio.timeout(WAIT_S):
                    await two.play(taken, 1)
            finally:
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)
            events = events_of(two.engine, "one")
            shown = [each.number for each in events if isinstance(each, table.events.MetersShown)]
            assert all(number >= moved for number in shown), "the first server needed to show none"
            verify.verify(two.engine, KEY)

    in_time(run())


def test_R7_a_clock_that_is_behind_turns_no_meter_back(tmp_path: Path) -> None:
    """The rows of meters that two servers write never go back in time."""

    async def run() -> None:
        async with running(Room(str(tmp_path / "house.sqlite"))) as room:
            await play_all(room, 1)
            room.meters._clock = Clock(0)
            room.meters._clock._ms = itertools.count(1)
            await play_all(room, 1)
            verify.verify(room.engine, KEY)

    in_time(run())


async def displayed(room: Room, live: LiveTable) -> None:
    """Wait until a table shows the meters as they are."""
    async with asyncio.timeout(WAIT_S):
        while live.state.meters != room.meters.values:
            await asyncio.sleep(0.01)


def test_R7_displays_follow_where_somebody_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A table that somebody follows shows what the others did; one without anybody is silent."""
    monkeypatch.setattr("wartable.server.tables.live.DISPLAY_MS", 20)

    async def run() -> None:
        async with running(Room(str(tmp_path / "house.sqlite"))) as room:
            one, two, three = (room.tables[name] for name in TABLES)
            two.listen(None)
            await room.sit(one)
            await room.play(one, 3)
            await displayed(room, two)
            assert three.meters == room.meters.values, "the lobby knows"
            assert not any(
                isinstance(event, table.events.MetersShown)
                for event in events_of(room.engine, "three")
            )
            settled = two.head[0]
            await asyncio.sleep(0.2)  # long enough for many displays, were there any
            assert two.head[0] == settled, "nothing moved, nothing is written"
            verify.verify(room.engine, KEY)

    in_time(run())


def test_R7_displays_follow_meters_that_were_lost_for_a_while(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once the meters are read again the displays follow, though no table here moves them."""
    monkeypatch.setattr("wartable.server.tables.live.DISPLAY_MS", 20)

    async def run() -> None:
        async with running(Room(str(tmp_path / "house.sqlite"))) as room:
            one, two, _ = (room.tables[name] for name in TABLES)
            await room.sit(one)
            await room.play(one, 1)
            room.shared.lose()
            await room.shared.look()
            assert two.state.meters != room.meters.values
            two.listen(None)
            await displayed(room, two)
            verify.verify(room.engine, KEY)

    in_time(run())


def meter(shown: int, carry: int = 0, fed: int = 0, paid: int = 0) -> MeterState:
    """A meter that accounts for every cent."""
    return MeterState(shown, carry, fed, shown + paid - fed, paid)


@pytest.mark.parametrize(
    ("before", "old", "new", "left"),
    [
        (meter(1_000), meter(1_003, 50, 3), meter(1_010, 20, 10), meter(1_006, 70, 6)),
        (meter(1_000, 90), meter(1_003, 10, 3), meter(1_003, 30, 3), meter(1_001, 10, 1)),
        (meter(1_000), meter(1_003, 0, 3), meter(500, 0, 3, 1_003), meter(497, 0, 0, 1_003)),
        (meter(1_000), meter(1_003, 0, 3), meter(1, 0, 3, 1_003), meter(0, 0, 0, 1_003)),
    ],
    ids=["fed by others", "a part of a cent", "won by others", "won and hardly seeded"],
)
def test_R7_a_void_round_leaves_what_others_did(
    before: MeterState, old: MeterState, new: MeterState, left: MeterState
) -> None:
    """A void round takes back what it put in, not what other tables did meanwhile."""
    setup = sharing(table.new_setup(BOOK.rules, "one"), BOOK.digest)
    state = table.start(setup)
    playing = table.Table(
        round=game.Round(),
        meters=state.meters | {"progressive": old},
        meters_before=state.meters | {"progressive": before},
    )
    shown = show_meters(setup, playing, 7, state.meters | {"progressive": new})
    assert shown.before["progressive"] == left
    voided = table.fold((shown, game.RoundVoided("test")), playing)
    assert voided.meters["progressive"] == left
    assert left.fed + left.seeded == left.paid + left.shown


def test_R7_a_reading_that_is_too_old_is_refused() -> None:
    """No row is made of which nobody could say what a void round leaves."""
    setup = sharing(table.new_setup(BOOK.rules, "one"), BOOK.digest)
    state = table.start(setup)
    playing = table.Table(
        round=game.Round(),
        meters=state.meters | {"progressive": meter(1_015, 0, 15)},
        meters_before=state.meters,
    )
    with pytest.raises(Illegal, match="a later reading of the meters"):
        show_meters(setup, playing, 7, state.meters)


def test_a_table_with_its_own_meters_shows_no_others() -> None:
    """Only a table that shares meters takes their reading."""
    setup = table.new_setup(BOOK.rules, "one")
    state = table.start(setup)
    with pytest.raises(Illegal, match="its own meters"):
        show_meters(setup, state, 1, state.meters)


def test_the_shared_tables_of_a_house_share(tmp_path: Path) -> None:
    """Tables of one book have the same meters, private ones their own, and a restart keeps that."""
    for _ in range(2):
        with Hosted(tmp_path, books=("maryland",)) as hosted, hosted.guest() as player:
            with hosted.admin() as admin:
                if "maryland 2" not in hosted.house.floor.places:
                    body = {"name": "maryland 2", "book": "maryland"}
                    assert admin.http.post("/tables", json=body).status_code == 201
                body = {"name": "meters 2", "book": "maryland"}
                assert admin.http.post("/tables", json=body).json()["code"] == "name_taken"
            private = player.post("/tables/private", 201, book="maryland")["name"]
            places = hosted.house.floor.places
            one, two = (places[f"maryland {number}"].live for number in (1, 2))
            assert one.setup.meters == two.setup.meters
            assert one.meters is two.meters
            assert places[private].live.setup.meters == ""
            assert player.get(f"/tables/{one.setup.meters}", 404)["code"] == "no_table"
            player.hello("maryland 1")
            player.must("join", amount=50_000, seat=1)
            # Where the time for bets is over between the two, both are for the next round.
            until(lambda: not player.bet(100) and not player.bet(100, wager="progressive"))
            while not player.events("meter_fed"):
                player.read()
            shown = hosted.house.lobby().tables
            assert len({card.meters["progressive"] for card in shown}) == 1
            player.do("leave")
            verify.verify(hosted.house.engine, hosted.house.key)
