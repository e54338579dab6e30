"""The rows of cashier and office: those that wait for one another commit together."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from waiting import in_time
from wartable.server.clock import HouseClock
from wartable.server.house.cashier import Cashier
from wartable.server.records import journal
from wartable.server.records.answers import Accepted, RefusedCommand
from wartable.server.records.chain import TOGETHER_MAX
from wartable.server.records.keys import HouseKey
from wartable.server.records.messages import PayIn, PayOut
from wartable.server.records.rows import Entry
from wartable.server.records.store import CommitRefused, Overtaken, Unsure

KEY = HouseKey(bytes(32))
POOR = CommitRefused("insufficient", "The wallet does not hold that much money.")


class Paper:
    """The records of a cashier, kept as a list of transactions, which a test may hold up."""

    def __init__(self) -> None:
        self.transactions: list[tuple[Entry, ...]] = []
        self.open = asyncio.Event()
        self.open.set()
        self.look: Callable[[tuple[Entry, ...]], None] = lambda _: None
        self.cashier = Cashier(self.commit, HouseClock(), KEY, None)

    async def commit(self, entry: Entry) -> None:
        """Write everything that is to be written together, or nothing."""
        await self.open.wait()
        entries = entry.together()
        self.look(entries)
        self.transactions.append(entries)

    def pay(self, *numbers: int) -> list[asyncio.Task[object]]:
        """Payments under these numbers, all asked for at once."""
        return [asyncio.create_task(self._pay(number)) for number in numbers]

    async def _pay(self, number: int) -> object:
        return await self.cashier.carry_out("ann", f"{number}", PayIn("ann", number))

    @property
    def amounts(self) -> list[list[int]]:
        """What was paid in, by transactions."""
        return [[_amount(each) for each in entries] for entries in self.transactions]

    def check(self) -> None:
        """All rows make one chain, which ends at the head."""
        rows = [each.row for entries in self.transactions for each in entries]
        assert list(journal.check_chain(rows, self.cashier.head)) == rows


def _amount(entry: Entry) -> int:
    command = journal.read_command(entry.row.command)
    assert isinstance(command, PayIn | PayOut)
    return command.amount


def run(test: Callable[[Paper], Awaitable[None]]) -> Paper:
    """Run a test with records of its own; they are a chain at the end."""

    async def whole() -> Paper:
        paper = Paper()
        await test(paper)
        paper.check()
        return paper

    return in_time(whole())


async def answers(tasks: list[asyncio.Task[object]]) -> list[str]:
    """How each payment ended: its row, or why there is none."""
    found = await asyncio.gather(*tasks, return_exceptions=True)
    return [
        str(each.number)
        if isinstance(each, Accepted)
        else each.code
        if isinstance(each, RefusedCommand)
        else type(each).__name__
        for each in found
    ]


def test_rows_that_wait_commit_together() -> None:
    """One is being written; the others follow in one transaction, in the order of asking."""

    async def test(paper: Paper) -> None:
        paper.open.clear()
        first = paper.pay(1)
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        others = paper.pay(2, 3, 4)
        await asyncio.sleep(0)
        paper.open.set()
        assert await answers([*first, *others]) == ["1", "2", "3", "4"]

    assert run(test).amounts == [[1], [2, 3, 4]]


def test_no_transaction_has_too_many() -> None:
    """However many wait, each transaction has a limit."""

    async def test(paper: Paper) -> None:
        await answers(paper.pay(*range(1, 2 * TOGETHER_MAX + 2)))

    assert [len(each) for each in run(test).amounts] == [TOGETHER_MAX, TOGETHER_MAX, 1]


def test_a_refused_row_takes_no_other_with_it() -> None:
    """Who cannot pay is told so, and everybody else's row is written, each once."""

    async def test(paper: Paper) -> None:
        def look(entries: tuple[Entry, ...]) -> None:
            if 2 in map(_amount, entries):
                raise POOR

        paper.look = look
        assert await answers(paper.pay(1, 2, 3)) == ["1", "insufficient", "2"]

    assert run(test).amounts == [[1], [3]]


@pytest.mark.parametrize("began", [True, False])
def test_who_leaves_stops_nobody(began: bool) -> None:
    """Somebody who waits no more is not written if not begun; the others are, once, either way."""

    async def test(paper: Paper) -> None:
        paper.open.clear()
        first = paper.pay(1)
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        others = paper.pay(2, 3)
        await asyncio.sleep(0)
        (first if began else others)[0].cancel()
        await asyncio.sleep(0)
        paper.open.set()
        ended = await answers([*first, *others])
        assert ended == (["CancelledError", "2", "3"] if began else ["1", "CancelledError", "2"])

    assert run(test).amounts == ([[1], [2, 3]] if began else [[1], [3]])


def test_a_commit_of_unknown_end_is_told_to_all_of_it() -> None:
    """Nobody waits for ever, and the next rows go on from what the database has."""

    async def test(paper: Paper) -> None:
        def fail(entries: tuple[Entry, ...]) -> None:
            paper.look = overtaken
            paper.transactions.append(entries)
            raise Unsure("the connection was lost")

        def overtaken(entries: tuple[Entry, ...]) -> None:
            paper.look = lambda _: None
            last = paper.transactions[-1][-1].row
            raise Overtaken(entries[0].row, (last.number, last.hash), last.at_ms)

        paper.look = fail
        assert await answers(paper.pay(1, 2)) == ["Unsure", "Unsure"]
        assert await answers(paper.pay(3, 4)) == ["3", "4"]

    assert run(test).amounts == [[1, 2], [3, 4]]


def test_the_end_of_the_house_ends_the_waiting() -> None:
    """If the writing itself is ended, everybody who waits hears of it."""

    async def test(paper: Paper) -> None:
        paper.open.clear()
        first = paper.pay(1)
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        others = paper.pay(2)
        await asyncio.sleep(0)
        assert paper.cashier._writing is not None
        paper.cashier._writing.cancel()
        assert await answers([*first, *others]) == ["CancelledError", "CancelledError"]

    assert run(test).amounts == []
