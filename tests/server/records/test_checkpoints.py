"""Checkpoints: a table, or a round, found from one is what folding the whole journal gives."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from hosting import Client, Hosted
from recorded_houses import BOOKS, OWN_PACE, Clock, RecordedHouse
from tampering import altered
from waiting import until
from wartable.server import manifest
from wartable.server.audit import recall, verify
from wartable.server.records import checkpoints, database, schema
from wartable.server.records.journal import Broken
from wartable.server.records.keys import HouseKey
from wartable.server.tables.listeners import Happened
from wartable.server.tables.live import LiveTable
from wartable.server.tables.restoring import restore

NAMES = tuple(f"{book} 1" for book in BOOKS)
EVERY = 7
"""So many rows lie between the checkpoints of these tests: some are in the middle of rounds."""


@pytest.fixture
def engine(recorded_house: RecordedHouse) -> Iterator[sa.Engine]:
    """The recorded house's database, a copy."""
    engine = database.engine_for(recorded_house.address)
    yield engine
    engine.dispose()


async def nowhere(*_: Any) -> None:
    """A commit that is not asked for here."""
    raise NotImplementedError


def new_table(engine: sa.Engine, key: HouseKey, name: str) -> LiveTable:
    """A table that stands at its beginning."""
    setup = database.setup_of(engine, name)
    return LiveTable(setup, OWN_PACE, commit=nowhere, clock=Clock(), new_seed=str, key=key, fence=1)


def stands(live: LiveTable) -> tuple[Any, ...]:
    """All that a restart must bring back."""
    told = live.listen(max(0, live.head[0] - 5)).take()
    assert all(isinstance(each, Happened) for each in told)
    return live.checkpoint(), live.due, live._answers, told


def keep_some(engine: sa.Engine, key: HouseKey, name: str) -> list[int]:
    """Keep checkpoints of a table as it is folded; their rows."""
    rows, live = list(database.rows_of(engine, name)), new_table(engine, key, name)
    kept = range(EVERY, len(rows), EVERY)
    for number in kept:
        live.restore(rows[number - EVERY : number])
        checkpoints.keep(engine, key, name, live.checkpoint())
    return list(kept)


@pytest.mark.parametrize("name", NAMES)
def test_R4_a_table_goes_on_from_a_checkpoint_as_from_its_beginning(
    engine: sa.Engine, recorded_house: RecordedHouse, name: str
) -> None:
    """Whichever checkpoint is the last: state, dues, shoes, rounds, ids and what is told."""
    key = recorded_house.key
    whole = new_table(engine, key, name)
    restore(engine, key, whole)
    assert whole.checkpointed == 0
    kept = keep_some(engine, key, name)
    assert len(kept) > 5
    for number in reversed(kept):
        live = new_table(engine, key, name)
        restore(engine, key, live)
        assert live.checkpointed == number
        assert stands(live) == stands(whole)
        with engine.begin() as connection:
            connection.execute(
                schema.checkpoints.delete().where(schema.checkpoints.c.number == number)
            )


@pytest.mark.parametrize("name", NAMES)
def test_R1_a_round_is_recalled_from_a_checkpoint_as_from_the_beginning(
    engine: sa.Engine, recorded_house: RecordedHouse, name: str
) -> None:
    """Every round, the unfinished one too, and the sentence for one that was never played."""
    key = recorded_house.key
    numbers = range(1, new_table_at_end(engine, key, name).state.rounds + 1)
    before = [recall.recall(engine, key, name, number) for number in numbers]
    with pytest.raises(recall.NoRound) as told:
        recall.recall(engine, key, name, 999)
    keep_some(engine, key, name)
    assert checkpoints.latest(engine, key, name, numbers[-1]) is not None
    assert [recall.recall(engine, key, name, number) for number in numbers] == before
    with pytest.raises(recall.NoRound) as told_now:
        recall.recall(engine, key, name, 999)
    assert str(told_now.value) == str(told.value)


def new_table_at_end(engine: sa.Engine, key: HouseKey, name: str) -> LiveTable:
    """The table as its journal has it."""
    live = new_table(engine, key, name)
    restore(engine, key, live)
    return live


@pytest.mark.parametrize("what", ["changed", "moved", "of another row", "of a row that is gone"])
def test_R8_a_checkpoint_that_is_not_the_journals_is_passed_over_and_found(
    engine: sa.Engine, recorded_house: RecordedHouse, what: str
) -> None:
    """Who can write into the database but has no key cannot make a table stand otherwise."""
    key, name = recorded_house.key, NAMES[0]
    keep_some(engine, key, name)
    verify.verify(engine, key)
    whole = new_table_at_end(engine, key, name)
    kept = schema.checkpoints
    with engine.begin() as connection:
        last = connection.execute(
            sa.select(kept).where(kept.c.table_name == name).order_by(kept.c.number.desc())
        ).first()
        assert last is not None
        values: dict[str, Any] = {
            "changed": {"sealed": altered(last.sealed)},
            "moved": {"table_name": NAMES[1]},
            "of another row": {"number": last.number - 1},
            "of a row that is gone": {"number": 999_999},
        }[what]
        connection.execute(kept.update().where(kept.c.number == last.number).values(values))
    live = new_table_at_end(engine, key, name)
    assert live.checkpointed < last.number
    assert stands(live) == stands(whole)
    with pytest.raises(Broken, match="checkpoint"):
        verify.verify(engine, key)


def test_R3_a_checkpoint_opens_with_the_houses_key_alone(
    engine: sa.Engine, recorded_house: RecordedHouse
) -> None:
    """It has the undealt cards: neither the database nor a backup may show them."""
    name = NAMES[0]
    keep_some(engine, recorded_house.key, name)
    assert checkpoints.latest(engine, recorded_house.key, name) is not None
    assert checkpoints.latest(engine, HouseKey(bytes(32)), name) is None


def test_a_checkpoint_is_for_the_code_that_kept_it(
    engine: sa.Engine, recorded_house: RecordedHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another version may fold otherwise: it begins at the beginning, and its own go on."""
    key, name = recorded_house.key, NAMES[0]
    keep_some(engine, key, name)
    monkeypatch.setattr(manifest, "running", lambda: "another version")
    live = new_table_at_end(engine, key, name)
    assert live.checkpointed == 0
    verify.verify(engine, key)
    checkpoints.keep(engine, key, name, live.checkpoint())
    assert new_table_at_end(engine, key, name).checkpointed == live.head[0]
    with engine.connect() as connection:
        codes = connection.execute(sa.select(schema.checkpoints.c.code)).scalars().all()
    assert codes == ["another version"]


def test_R4_a_house_keeps_checkpoints_and_opens_from_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While tables are played, again and again; the next start reads what is after the last."""
    monkeypatch.setattr(checkpoints, "ROWS", 10)
    monkeypatch.setattr(checkpoints, "IDS_MAX", 3)
    monkeypatch.setattr("wartable.server.running.RENEW_S", 0.05)
    with Hosted(tmp_path, books=("online",)) as hosted, hosted.guest() as player:
        name = player.private("online")
        live = hosted.house.floor.places[name].live
        for _ in range(2):
            due = live.checkpointed + 10
            while live.head[0] < due:
                player.play(1, deal=True)
            until(lambda: live.checkpointed >= due)  # noqa: B023  # asked before it changes
        who = player.name, player.token
        kept, head, state = live.checkpointed, live.head, live.state
    read: list[int] = []
    rows_of = database.rows_of

    def counted(source: Any, table: str, after: int = 0) -> Iterator[Any]:
        for row in rows_of(source, table, after):
            read.extend([row.number] if table == name else [])
            yield row

    monkeypatch.setattr(database, "rows_of", counted)
    with Hosted(tmp_path, books=("online",)) as hosted, Client(hosted, *who) as player:
        player.hello(name)
        live = hosted.house.floor.places[name].live
        assert (live.checkpointed, live.head, live.state) == (kept, head, state)
        # The first row says what the table is; the last before the checkpoint have known ids.
        assert read == [1, *range(kept - 2, head[0] + 1)]
        player.play(1, deal=True)
        monkeypatch.undo()
        verify.verify(hosted.house.engine, hosted.house.key)
