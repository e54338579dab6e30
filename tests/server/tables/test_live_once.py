"""A live table applies a command's events once, and takes the new state only when it is stored."""

import msgspec
import pytest

from applied import applied
from paper import BET, Paper
from waiting import in_time
from wartable import game, table
from wartable.table import commands as c
from wartable.table import events as e


@pytest.mark.parametrize("book", ["online", "maryland"])
def test_a_live_bet_is_applied_once(book: str) -> None:
    """From the queue to the journal a bet's event is applied once, and so is the whole deal."""
    paper = Paper(book)

    async def play() -> None:
        async with paper.running():
            await paper.bets_open()
            for command in (BET, game.CloseBets()):
                rows = len(paper.entries)
                with applied() as seen:
                    assert await paper.do(command) == ""
                seen.check(paper.events(rows))
            dealt = {event.box for event in paper.events() if isinstance(event, game.Dealt)}
            assert dealt >= {0, 1}

    in_time(play())
    assert paper.live.state == table.fold(paper.events(), table.start(paper.live.setup))


def test_what_is_not_stored_has_not_happened() -> None:
    """A bet that is refused, or decided and then not stored, leaves the table as it was."""
    paper = Paper("online")

    async def play() -> None:
        async with paper.running():
            await paper.bets_open()
            listener = paper.live.listen(paper.live.head[0])
            before = paper.live.state, paper.live.head, paper.live.due
            assert await paper.do(game.Bet("ann", 1, "primary", 200_000)) == "insufficient"
            paper.full = True
            assert await paper.do(BET) == "full"
            assert (paper.live.state, paper.live.head, paper.live.due) == before
            assert not listener.outbox
            paper.full = False
            assert await paper.do(BET) == ""
            assert listener.outbox
            assert paper.live.state.guests["ann"].stack == 99_000

    in_time(play())
    assert paper.live.state == table.fold(paper.events(), table.start(paper.live.setup))


@pytest.mark.parametrize("staffed", [False, True])
def test_only_a_shuffle_draws_random_bytes(staffed: bool) -> None:
    """The system's randomness is asked once for each shuffle by the platform, else never."""
    paper = Paper("washington", staffed=staffed)

    async def play() -> None:
        async with paper.running():
            if not staffed:
                await paper.bets_open()
                return
            while paper.live.due[0].what != "shuffle":
                due = paper.live.due[0]
                assert due.what == "prepare", due
                step = msgspec.convert(due.step, c.Preparation)
                await paper.do(c.Prepare("dan", step, due.batch), "dan")
            for seat, name in enumerate(("ann", "bob", "cat"), 1):
                assert await paper.do(c.Join(name, 10_000, seat), name) == ""

    in_time(play())
    shuffles = sum(isinstance(event, e.ShoeStarted) for event in paper.events())
    assert (shuffles, paper.seeds) == ((0, 0) if staffed else (1, 1))


def test_a_dealers_first_command_is_decided_once() -> None:
    """The change of dealer and the command behind it are applied once, and stored together."""
    paper = Paper("washington", staffed=True)

    async def play() -> None:
        async with paper.running():
            assert await paper.do(c.Join("ann", 10_000, 1)) == ""
            rows = len(paper.entries)
            with applied() as seen:
                assert await paper.do(c.OrderReshuffle("dan", "x"), "dan", deals=True) == "no_shoe"
                assert paper.live.state.dealer is None
                assert not paper.events(rows)
                seen.to_tables.clear()
                assert await paper.do(c.Join("dan", 10_000, 2), "dan", deals=True) == ""
            seen.check(paper.events(rows))
            assert paper.live.state.dealer == "dan"

    in_time(play())
