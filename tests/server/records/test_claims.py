"""What counts towards limits is counted in the transaction, whoever writes at the same time."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
import sqlalchemy as sa

from wartable.money import Transfer
from wartable.server.house import counted
from wartable.server.house.counted import CountedPlay
from wartable.server.records import database, schema
from wartable.server.records.connections import WritingConnection
from wartable.server.records.counting import DAY_MS, DAYS_MAX, MINUTE_MS, Play, moved
from wartable.server.records.rows import CASHIER, OUTSIDE, Ceiling, Claim, Entry, Row
from wartable.server.records.store import (
    UNCOUNTED,
    CommitRefused,
    Waiting,
    attempt,
    write_batch,
    writing_connection,
)

DAY = 20_000
NOW_MS = DAY * DAY_MS + 7 * MINUTE_MS
MOST = 1_000
BOTH = 40
"""How many bets two servers write at once."""


class Desk:
    """A server that writes the rows of one table, over a connection of its own."""

    def __init__(self, address: str, name: str) -> None:
        self.name, self._number = name, 0
        self.connection: WritingConnection = writing_connection(address)

    def bet(self, amount: int, claims: bool = True, at_ms: int = NOW_MS) -> Entry:
        """A stake of ann's, who may lose so much a day, or loses without a limit."""
        ceiling = Ceiling("loss", at_ms // DAY_MS, amount, MOST, "Too much.")
        moved = Transfer(f"{self.name}/stack:ann", f"{self.name}/felt", amount)
        claim = Claim("ann", (ceiling,)) if claims else None
        return Entry(self.row(at_ms), (moved,), 1, claim=claim)

    def row(self, at_ms: int = NOW_MS, actor: str = "ann") -> Row:
        """The next row of the table."""
        self._number += 1
        id_ = f"{self.name} {self._number}"
        return Row(self.name, self._number, at_ms, actor, id_, "{}", "[]", None, id_, None)

    def write(self, *entries: Entry) -> list[str]:
        """Write entries as one batch; how each was refused."""
        found: dict[str, str] = {}

        def waiting(entry: Entry) -> Waiting:
            def done(problem: Exception | None) -> None:
                found[entry.row.command_id] = getattr(problem, "code", repr(problem))

            return Waiting(entry, done)

        attempt(self.connection, [waiting(entry) for entry in entries])
        return ["" if found[each.row.command_id] == "None" else found[each.row.command_id]
                for each in entries]  # fmt: skip  # one expression


@pytest.fixture
def desks(address: str) -> Iterator[tuple[sa.Engine, Desk, Desk]]:
    """A database with two tables where ann has money, and a server of each."""
    engine = database.engine_for(address)
    database.create(engine)
    with engine.begin() as connection:
        connection.execute(schema.books.insert().values(digest="d", content="{}"))
        for name in ("one", "two"):
            values = {"name": name, "book": "d", "setup": "{}", "fence": 1}
            connection.execute(schema.tables.insert().values(values))
            connection.execute(
                schema.balances.insert().values(account=f"{name}/stack:ann", amount=10**9)
            )
    one, two = Desk(address, "one"), Desk(address, "two")
    yield engine, one, two
    for each in (one, two):
        each.connection.close()
    engine.dispose()


def begin(engine: sa.Engine) -> None:
    """Count ann from now on, who is unknown to the server that begins."""
    counted.begin(engine, "ann", CountedPlay({}, {"ann": Play()}))


def lost(engine: sa.Engine) -> int:
    """What ann has lost, as it is counted."""
    play = counted.stored_of(engine, "ann")
    assert play is not None
    return sum(play.lost.values())


def test_a_claim_needs_counting_which_begins_with_what_was_before(
    desks: tuple[sa.Engine, Desk, Desk],
) -> None:
    """The first claim of an account is refused, and counted from then on with all rows before."""
    engine, one, two = desks
    assert one.write(one.bet(300, claims=False), two.bet(200, claims=False)) == ["", ""]
    first = one.bet(500)
    assert one.write(first) == [UNCOUNTED]
    begin(engine)
    begin(engine)  # another server did the same
    assert lost(engine) == 500
    assert one.write(first) == [""]
    assert two.write(two.bet(1)) == ["loss_limit"]
    back = Transfer("two/felt", "two/stack:ann", 200)
    two._number -= 1
    assert two.write(Entry(two.row(actor="platform"), (back,), 1)) == [""]
    assert two.write(two.bet(200)) == [""]
    assert lost(engine) == MOST


def test_one_refused_row_leaves_the_others_of_its_batch(
    desks: tuple[sa.Engine, Desk, Desk],
) -> None:
    """They are written together; each claim counts what stands before it in the batch."""
    engine, one, two = desks
    begin(engine)
    assert one.write(one.bet(600), two.bet(600)) == ["", "loss_limit"]
    two._number -= 1
    assert one.write(one.bet(100), two.bet(300)) == ["", ""]
    assert lost(engine) == MOST


def test_a_row_that_was_written_is_not_refused_when_it_is_tried_again(
    desks: tuple[sa.Engine, Desk, Desk],
) -> None:
    """Its answer was lost: it counted itself, and counts once."""
    engine, one, _ = desks
    begin(engine)
    entry = one.bet(MOST)
    write_batch(one.connection, [entry])
    assert one.write(entry) == [""]
    assert lost(engine) == MOST


def test_two_servers_at_once_pass_no_limit(desks: tuple[sa.Engine, Desk, Desk]) -> None:
    """However they interleave, what is counted is what both wrote."""
    engine, one, two = desks
    begin(engine)

    def work(desk: Desk) -> int:
        taken = 0
        for _ in range(BOTH):
            if desk.write(desk.bet(MOST // BOTH - 1)) == [""]:
                taken += 1
            else:
                desk._number -= 1
        return taken

    with ThreadPoolExecutor(2) as threads:
        taken = sum(threads.map(work, (one, two)))
    assert taken == MOST // (MOST // BOTH - 1)
    assert lost(engine) == taken * (MOST // BOTH - 1)


def test_counting_begins_between_two_rows(desks: tuple[sa.Engine, Desk, Desk]) -> None:
    """While another server writes without a claim, no row is counted twice or left out."""
    engine, one, two = desks
    began = threading.Event()

    def work(desk: Desk) -> None:
        for number in range(BOTH):
            desk.write(desk.bet(1, claims=False))
            if number == BOTH // 2:
                began.set()

    with ThreadPoolExecutor(3) as threads:
        writing = [threads.submit(work, desk) for desk in (one, two)]
        assert began.wait(60)
        threads.submit(begin, engine).result()
        for each in writing:
            each.result()
    assert lost(engine) == 2 * BOTH


def test_what_others_may_stake_counts_with_a_loss(desks: tuple[sa.Engine, Desk, Desk]) -> None:
    """At any table, until a row of that table says otherwise; in the order of a batch."""
    engine, one, two = desks
    begin(engine)
    assert one.write(Entry(one.row(), (), 1, exposed=(("ann", 400),))) == [""]
    assert two.write(two.bet(601)) == ["loss_limit"]
    two._number -= 1
    assert two.write(two.bet(500)) == [""]
    assert one.write(Entry(one.row(), (), 1, exposed=(("ann", 0),)), two.bet(500)) == ["", ""]
    assert two.write(two.bet(1)) == ["loss_limit"]


def test_days_and_minutes() -> None:
    """Only days that a limit counts are kept, and only the minutes of the last day."""
    play = Play()
    for day in (DAY, DAY + 1, DAY + DAYS_MAX):
        play.move(day, 100, 7)
    play.forget(DAY + DAYS_MAX)
    assert play.lost == {DAY + 1: 100, DAY + DAYS_MAX: 100}
    assert play.used("loss", DAY + 1, DAY + DAYS_MAX) == 200
    assert play.used("deposit", DAY + DAYS_MAX, DAY + DAYS_MAX) == 7
    minute = DAY * 24 * 60
    for each in (minute, minute + 1, minute, minute + 1439):
        play.act(each)
    assert play.used("minutes", DAY, DAY) == 3
    assert play.acted(minute + 1439)
    assert not play.acted(minute + 2)
    play.act(minute + 1440)
    play.act(minute)
    assert (play.used("minutes", DAY + 1, DAY + 1), play.used("minutes", DAY, DAY)) == (1, 0)


def test_what_counts() -> None:
    """Stakes, what comes back, deposits and corrections; not what moves to and from a wallet."""
    own = "t/stack:ann"
    assert list(moved("t", [Transfer(own, "t/felt", 5), Transfer("t/felt", own, 3)])) == [
        ("ann", 5, 0),
        ("ann", -3, 0),
    ]
    wallet = "wallet:ann"
    assert list(moved("t", [Transfer(own, wallet, 5), Transfer(wallet, own, 3)])) == []
    assert list(
        moved(
            CASHIER,
            [
                Transfer(OUTSIDE, wallet, 5),
                Transfer(wallet, OUTSIDE, 3),
                Transfer("house", wallet, 2),
            ],
        )
    ) == [("ann", 0, 5), ("ann", -2, 0)]


def test_a_refusal_says_what_it_says(desks: tuple[sa.Engine, Desk, Desk]) -> None:
    """The sentence of the limit that would be passed."""
    engine, one, _ = desks
    begin(engine)
    with pytest.raises(CommitRefused, match="Too much"):
        write_batch(one.connection, [one.bet(MOST + 1)])
    assert list(database.rows_of(engine, "one")) == []
