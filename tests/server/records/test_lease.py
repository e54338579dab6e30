"""One of several servers on PostgreSQL has the house; one that lost it writes no row."""

from collections.abc import Iterator

import pytest
import sqlalchemy as sa

from waiting import in_time, until
from wartable.server.audit import verify
from wartable.server.clock import HouseClock
from wartable.server.house.cashier import Cashier
from wartable.server.house.office import Office
from wartable.server.records import database, lease, schema
from wartable.server.records.answers import Accepted, RefusedCommand
from wartable.server.records.keys import HouseKey
from wartable.server.records.lease import HouseLease, HouseTaken
from wartable.server.records.messages import Note, PayIn
from wartable.server.records.rows import CASHIER, OFFICE
from wartable.server.records.store import CommitRefused
from wartable.server.records.writer import Writer

pytestmark = pytest.mark.parametrize("address", ["postgres"], indirect=True)

KEY = HouseKey(bytes(32))


@pytest.fixture
def engine(address: str) -> Iterator[sa.Engine]:
    """An empty PostgreSQL database."""
    found = database.engine_for(address)
    database.create(found)
    yield found
    found.dispose()


@pytest.fixture
def now_ms(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The database's clock, in the test's hand."""
    shown_ms = [1_800_000_000_000]
    monkeypatch.setattr(lease, "clock_ms", lambda _: shown_ms[0])
    return shown_ms


def test_one_server_has_the_house(engine: sa.Engine, now_ms: list[int]) -> None:
    """Another gets it when the lease has run out by the database's clock, and not before."""
    first = lease.take(engine, "first")
    for _ in range(3):
        now_ms[0] += lease.LEASE_MS
        with pytest.raises(HouseTaken):
            lease.take(engine, "second")
        assert lease.renew(engine, first)
    now_ms[0] += lease.LEASE_MS + 1
    second = lease.take(engine, "second")
    assert second > first
    assert not lease.renew(engine, first)
    assert not lease.release(engine, first), "who lost the house gives nothing up"
    with pytest.raises(HouseTaken):
        lease.take(engine, "first")


def test_a_house_that_is_given_up_is_free(engine: sa.Engine) -> None:
    """After an orderly end the next server need not wait; a restart takes its own lease back."""
    first = lease.take(engine, "first")
    again = lease.take(engine, "first")
    assert again > first
    assert not lease.renew(engine, first)
    assert lease.release(engine, again)
    assert not lease.renew(engine, again)
    assert lease.take(engine, "second") > again


def test_no_lease_keeps_a_house_closed_for_ever(engine: sa.Engine) -> None:
    """An end far ahead was written by a clock that was wrong, or by nobody's server."""
    old = lease.take(engine, "first")
    with engine.begin() as connection:
        now_ms = database.clock_ms(connection)
        far = schema.lease.update().values(until_ms=now_ms + 24 * 3_600_000)
        connection.execute(far)
    assert lease.take(engine, "second") > old
    assert not lease.renew(engine, old)


def test_who_lost_the_house_writes_no_row(engine: sa.Engine, address: str) -> None:
    """Neither a movement of money nor an event of the office is written under an old fence."""
    old = lease.take(engine, "first")

    async def run() -> None:
        clock, writer = HouseClock(), Writer(address, old)
        cashier = Cashier(writer.commit, clock, KEY, None)
        office = Office(writer.commit, clock, KEY, None)
        assert isinstance(await cashier.carry_out("a", "1", PayIn("ann", 5)), Accepted)
        await office.note("a", Note("house_opened", "first"))
        with engine.begin() as connection:
            connection.execute(schema.lease.update().values(until_ms=0))
        new = Writer(address, lease.take(engine, "second"))
        refused = await cashier.carry_out("a", "2", PayIn("ann", 5))
        assert isinstance(refused, RefusedCommand)
        assert (refused.code, refused.sentence) == ("fenced", "Another server has the house now.")
        with pytest.raises(CommitRefused, match="Another server has the house now"):
            await office.note("a", Note("house_closed", "first"))
        head = database.head_of(engine, CASHIER)
        other = Cashier(new.commit, clock, KEY, head)
        assert await other.carry_out("a", "3", PayIn("ann", 5)) == Accepted("3", 2)
        await writer.close()
        await new.close()

    in_time(run())
    assert database.balances(engine)["wallet:ann"] == 10
    assert database.head_of(engine, OFFICE) is not None
    assert len(list(database.rows_of(engine, OFFICE))) == 1


class Behind:
    """A server's clock that shows another time than the others'."""

    def __init__(self, now_ms: int) -> None:
        self._now_ms = now_ms

    def now_ms(self) -> int:
        """The time."""
        return self._now_ms


def test_rows_of_servers_whose_clocks_differ_never_go_back(address: str) -> None:
    """Whoever writes after another server writes no earlier time, and the audit is whole."""
    engine = database.engine_for(address)
    database.create(engine)

    async def run() -> None:
        writer = Writer(address)
        fast = Cashier(writer.commit, Behind(2_000), KEY, None)
        slow = Cashier(writer.commit, Behind(1_000), KEY, None)
        for number, cashier in enumerate((fast, slow, slow, fast, slow)):
            paid = await cashier.carry_out("a", str(number), PayIn("ann", 5))
            assert paid == Accepted(str(number), number + 1)
        await writer.close()

    in_time(run())
    times = [row.at_ms for row in database.rows_of(engine, CASHIER)]
    assert times == [2_000] * 5
    verify.verify(engine, KEY)
    engine.dispose()


def test_the_lease_renews_itself(engine: sa.Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """A thread keeps the lease while the house opens or computes, until another has it."""
    monkeypatch.setattr(lease, "RENEW_S", 0.01)
    held = HouseLease(engine, "first")

    def until_ms() -> int:
        with engine.connect() as connection:
            return int(connection.execute(sa.select(schema.lease.c.until_ms)).scalar_one())

    before_ms = until_ms()
    until(lambda: until_ms() > before_ms, "it is not renewed")
    assert not held.lost
    with engine.begin() as connection:
        connection.execute(schema.lease.update().values(owner="second", fence=held.fence + 1))
    until(lambda: held.lost, "the loss is not noticed")
    held.end()
    assert held.lost
    with pytest.raises(HouseTaken):
        lease.take(engine, "first")
