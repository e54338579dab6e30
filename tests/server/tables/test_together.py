"""Commands that wait for the same betting are written together, and each has its own answer."""

import asyncio
from pathlib import Path

import pytest

from hosting import Hosted
from paper import BET, Paper
from waiting import in_time, until
from wartable import game, table
from wartable.server.records.answers import Accepted, Answer, RefusedCommand
from wartable.server.records.rows import Ceiling, Claim, Entry
from wartable.server.records.store import CommitRefused, Unsure
from wartable.server.tables.listeners import Happened
from wartable.server.tables.place import RunningTable
from wartable.table import commands as c

MORE = game.Bet("ann", 1, "tie", 500)
TOO_MUCH = game.Bet("ann", 1, "primary", 200_000)


async def together(paper: Paper, *commands: c.Command) -> list[Answer]:
    """The answers to commands that wait at the table at the same time."""
    asked = [paper.live.submit("ann", str(place), each) for place, each in enumerate(commands)]
    return [await each for each in asked]


def codes(answers: list[Answer]) -> list[str]:
    """The codes of refusals, empty for what was carried out."""
    return [each.code if isinstance(each, RefusedCommand) else "" for each in answers]


def check(paper: Paper, answers: list[Answer]) -> None:
    """Each accepted command has its own row, and the rows lead to the state."""
    rows = {entry.row.command_id: entry.row.number for entry in paper.entries}
    assert all(each.number == rows[each.id] for each in answers if isinstance(each, Accepted))
    assert len(rows) == len(paper.entries)
    assert paper.live.state == table.fold(paper.events(), table.start(paper.live.setup))


def test_a_bet_and_the_deal_are_one_transaction() -> None:
    """Two bets and the deal that wait together are written at once, and told row by row."""
    paper = Paper("online")

    async def play() -> None:
        async with paper.running():
            await paper.bets_open()
            listener, before = paper.live.listen(paper.live.head[0]), paper.live.head[0]
            paper.commits.clear()
            answers = await together(paper, BET, MORE, game.CloseBets())
            assert codes(answers) == ["", "", ""]
            (written,) = paper.commits
            assert [entry.row.number for entry in written][:3] == [before + n for n in (1, 2, 3)]
            told = listener.take()[: len(written)]
            assert all(isinstance(each, Happened) for each in told)
            assert [each and each.number for each in told] == [each.row.number for each in written]
            check(paper, answers)

    in_time(play())


def test_a_refused_command_in_the_middle_hurts_nobody() -> None:
    """A bet that cannot be paid is refused alone; what waits before and after is carried out."""
    paper = Paper("online")

    async def play() -> None:
        async with paper.running():
            await paper.bets_open()
            answers = await together(paper, BET, TOO_MUCH, MORE, game.CloseBets())
            assert codes(answers) == ["", "insufficient", "", ""]
            check(paper, answers)

    in_time(play())


@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_refused_transaction_is_tried_command_by_command(place: int) -> None:
    """If the database refuses one of the rows, only its command is refused."""
    paper = Paper("online")

    def refuse(entry: Entry) -> None:
        if any(each.row.command_id == str(place) for each in entry.together()):
            raise CommitRefused("conflict", "The records do not allow this.")

    async def play() -> None:
        async with paper.running():
            await paper.bets_open()
            paper.before = refuse
            answers = await together(paper, BET, BET, BET)
            assert codes(answers) == ["conflict" if n == place else "" for n in range(3)]
            check(paper, answers)
            assert paper.live.state.guests["ann"].stack == 98_000

    in_time(play())


def test_an_id_that_waits_twice_is_carried_out_once() -> None:
    """The same id behind itself gets the same answer, and another command under it is refused."""
    paper = Paper("online")

    async def play() -> None:
        async with paper.running():
            await paper.bets_open()
            given = (("a", BET), ("a", BET), ("a", MORE), ("b", MORE))
            asked = [paper.live.submit("ann", *each) for each in given]
            answers = [await each for each in asked]
            assert codes(answers) == ["", "", "id_used", ""]
            assert answers[0] == answers[1]
            check(paper, answers)

    in_time(play())


def test_a_bet_behind_the_deal_waits_for_its_turn() -> None:
    """A bet behind the deal is not written with it, and never counts in a round not meant."""
    paper = Paper("online")

    async def play() -> None:
        async with paper.running():
            await paper.bets_open()
            live, number = paper.live, paper.live.state.rounds
            paper.commits.clear()
            given = (("1", BET), ("2", game.CloseBets()), ("3", BET))
            asked = [live.submit("ann", id_, each, meant=number) for id_, each in given]
            answers = [await each for each in asked]
            assert codes(answers)[:2] == ["", ""]
            assert codes(answers)[2] in ("other_round", "bets_closed")
            assert len(paper.commits) == 1
            check(paper, answers)

    in_time(play())


def test_what_claims_anything_is_written_alone() -> None:
    """A wager of somebody with limits has a transaction of its own, which compares its claim."""
    claim = Claim("ann", (Ceiling("loss", 0, 1, 1_000_000, "Too much."),))
    paper = Paper("online", permit=lambda _, command, __: claim if command == MORE else None)

    async def play() -> None:
        async with paper.running():
            await paper.bets_open()
            paper.commits.clear()
            answers = await together(paper, BET, MORE, BET)
            assert codes(answers) == ["", "", ""]
            assert [len(each) for each in paper.commits] == [1, 1, 1]
            assert [each[0].claim for each in paper.commits] == [None, claim, None]

    in_time(play())


@pytest.mark.parametrize("stored", [False, True])
def test_a_table_that_fails_between_leaves_nothing_half(stored: bool) -> None:
    """If nobody knows whether the transaction was written, the journal answers for each command."""
    paper, again = Paper("online"), Paper("online")

    def fail(_: Entry) -> None:
        raise Unsure("The connection broke.")

    async def play() -> None:
        async with paper.running():
            await paper.bets_open()
        place = RunningTable(paper.live, "digest", None, 1, 0)
        listener, before = paper.live.listen(paper.live.head[0]), len(paper.entries)
        if stored:
            paper.after = fail
        else:
            paper.before = fail
        asked = [place.live.submit("ann", str(n), each) for n, each in enumerate((BET, MORE))]
        with pytest.raises(Unsure):
            await place.live.run()
        assert not listener.outbox
        assert codes([await asked[0]]) == ["no_answer"]
        assert not asked[1].done()
        assert len(paper.entries) - before == (2 if stored else 0)
        again.live.restore(entry.row for entry in paper.entries)
        again.entries += paper.entries
        place.renew(again.live)
        repeated = place.live.submit("ann", "0", BET)
        task = asyncio.create_task(place.live.run())
        answers = [await repeated, await asked[1]]
        task.cancel()
        # Without the bet there is nothing that a tie wager could go with.
        assert codes(answers) == (["", ""] if stored else ["", "primary_required"])
        check(again, answers)

    in_time(play())


def test_what_a_client_sends_at_once_is_answered_in_its_order(tmp_path: Path) -> None:
    """A bet, one that is refused, another, a ping and the deal: each answer comes in its turn.

    What a client sent before it left is carried out, too.
    """
    with Hosted(tmp_path, books=("online",)) as hosted, hosted.guest() as player:
        name = player.private("online")
        number = player.until("bets")["number"]
        for id_, box, wager in (("1", 1, "primary"), ("2", 9, "primary"), ("3", 1, "tie")):
            player.say("bet", id=id_, box=box, wager=wager, amount=500)
        player.say("ping", id="4")
        heard = [player.hear("accepted", "refused", "pong") for _ in range(4)]
        assert [each["id"] for each in heard] == ["1", "2", "3", "4"]
        assert [each["type"] for each in heard] == ["accepted", "refused", "accepted", "pong"]
        assert [heard[0]["number"], heard[2]["number"]] == [number + 1, number + 2]
        live = hosted.house.floor.places[name].live
        rounds = live.state.rounds
        player.say("bet", id="5", box=1, wager="primary", amount=500)
        player.say("close_bets", id="6")
        player.close()
        until(lambda: live.state.rounds > rounds or live.due[0].what == "choice")
        # The state is there a moment before the answers are remembered.
        until(lambda: {"5", "6"} <= {each.split("/")[1] for each in list(live._answers)})
