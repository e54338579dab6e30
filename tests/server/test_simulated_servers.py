"""R4: seeded runs of several servers with faults find nothing, and find planted bugs."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import Any

import pytest

from simulated_server import Memory, Violation
from simulated_servers import ServerProcess, SeveralWorld, SharedDisk
from wartable.game import Illegal
from wartable.server.records.connections import Bulk
from wartable.server.records.counting import COUNTED
from wartable.server.records.journal import Broken
from wartable.server.records.rows import Entry
from wartable.server.records.store import Overtaken
from wartable.server.tables.listeners import Happened
from wartable.server.tables.live import LiveTable
from wartable.server.tables.meters import Meters

pytestmark = pytest.mark.slow("plays hours of a simulated house")

SEEDS = 12
SEEDS_DEEP = 10_000
PARTS = 2
PLANTED_SEEDS_MAX = 40


@pytest.fixture(scope="module")
def memory() -> Iterator[Memory]:
    """One database for all seeds."""
    with closing(Memory()) as made:
        yield made


@pytest.mark.parametrize("part", range(PARTS))
def test_R4_no_seed_of_several_servers_finds_a_violation(
    memory: Memory, part: int, deep: bool
) -> None:
    """Tables move, servers die and are cut off, messages are lost: nothing forbidden is written."""
    moves = 0
    for seed in range(part, SEEDS_DEEP if deep else SEEDS, PARTS):
        world = SeveralWorld(seed, memory)
        try:
            world.run()
        except Exception as problem:
            pytest.fail(f"seed {seed}: {type(problem).__name__} {problem}")
        moves += world.moves
    assert moves > PARTS, "tables move"


class WithoutFence(SharedDisk):
    """Planted: whatever fence is shown is the right one."""

    def fences(self, names: Sequence[str]) -> dict[str, int]:
        """What the server believes."""
        return {name: self.process.fences[name] for name in names}


class NeverAsks(ServerProcess):
    """Planted: a wager is not compared with the office inside its transaction."""

    def decided(self, entry: Entry) -> Entry:
        """The entry as it is."""
        return entry


class CountsAlone(SharedDisk):
    """Planted: each server counts towards limits what it wrote itself."""

    def counted(self, accounts: Sequence[str]) -> dict[str, str]:
        """What this server has counted."""
        found = super().counted(accounts)
        return {name: self.process.counts.get(name, text) for name, text in found.items()}

    def run(self, bulk: Bulk, rows: Sequence[tuple[Any, ...]]) -> None:
        """Remember what was counted."""
        super().run(bulk, rows)
        if bulk is COUNTED:
            self.process.counts |= {name: play for play, name in rows}


class StaleLimit(ServerProcess):
    """Planted: a server without the house follows closures, and no limit."""

    def follow(self) -> None:
        """Follow what the office has written, but for limits."""
        super().follow()
        if self.house is None:
            self.limited.clear()


class TrustsItsMeters(Meters):
    """Planted: a server believes what it has read of the meters, until it moves them itself."""

    async def doubt(self) -> None:
        """Doubt nothing."""


class TellsTwice(LiveTable):
    """Planted: who comes back, as after a move, is told the last row again."""

    def _missed(self, number: int) -> list[Happened] | None:
        return super()._missed(max(0, number - 1))


@pytest.mark.parametrize(
    ("planted", "likely"),
    [
        pytest.param({"disk_class": WithoutFence}, 20, id="no fence"),
        pytest.param({"process_class": NeverAsks}, 0, id="a stale closure"),
        pytest.param({"disk_class": CountsAlone}, 0, id="a stale count"),
        pytest.param({"process_class": StaleLimit}, 0, id="a stale limit"),
        pytest.param({"table_class": TellsTwice}, 0, id="a row told twice"),
        pytest.param({"meters_class": TrustsItsMeters}, 18, id="an older meter shown"),
    ],
)
def test_R4_planted_bugs_of_several_servers_are_found(
    memory: Memory, planted: dict[str, Any], likely: int
) -> None:
    """Each bug shows within a few seeds; the one that showed it last is tried first."""
    for seed in (likely, *range(PLANTED_SEEDS_MAX)):
        try:
            SeveralWorld(seed, memory, **planted).run()
        except (Violation, Broken, Overtaken, Illegal) as problem:
            print(f"found with seed {seed}: {problem}")
            return
    pytest.fail("not found")
