"""A choice has its time: when a dealer may call it at a live table, and what the record says."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from hosting import Client, Hosted, Json
from live_tables import PATIENT, Cards, Staff, StaffedTable
from tables import Play
from waiting import until
from wartable import game
from wartable.croupier import CALL_MS, Timing, act
from wartable.server.audit import verify
from wartable.server.tables.place import ABSENT_MS
from wartable.table import Due

pytestmark = pytest.mark.finding(3)

BOOK = "washington"
CHOICE_MS = 10 * 60_000
LIMITED = Timing(bets_ms=None, choice_ms=CHOICE_MS, cut_ms=None, seed_ms=0, number_ms=0, pause_ms=0)


def hosted_with(folder: Path, timing: Timing) -> Hosted:
    """A house whose shared tables have this timing."""
    return Hosted(folder, books=(BOOK,), shared=timing, shared_meters=False)


@pytest.fixture(scope="module")
def hosted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosted]:
    """A house with ten minutes for a choice."""
    with hosted_with(tmp_path_factory.mktemp("house"), LIMITED) as running:
        yield running
        verify.verify(running.house.engine, running.house.key)


def tied(hosted: Hosted, name: str, players: int = 2) -> tuple[StaffedTable, list[Client]]:
    """A table with staff whose players' hands have all tied."""
    staff = Staff(hosted.staff("dealer"), hosted.staff("floor"))
    table = StaffedTable(hosted, staff, name, BOOK)
    guests = [hosted.guest() for _ in range(players)]
    table.join(*guests).load(Cards("=" * players)).start()
    for box, guest in enumerate(guests, 1):
        table.bet(guest, box, 1_000)
    table.deal()
    return table, guests


def times(table: StaffedTable) -> Json:
    """When time can be called for each player who is asked, as the floor sees it."""
    tables = {each["name"]: each for each in table.floor.get("/staff")["tables"]}
    found: Json = tables[table.name]["time_up_ms"]
    return found


def test_time_is_called_only_when_it_is_over(hosted: Hosted) -> None:
    """Too early is refused with the time that is left; later the record names the dealer."""
    table, (ann, bob) = tied(hosted, "late")
    with table:
        dealt_ms = table.told_ms()
        assert times(table) == {ann.name: dealt_ms + CHOICE_MS, bob.name: dealt_ms + CHOICE_MS}
        call = {"player": ann.name, "box": 1}
        answer = table.does(table.dealer, "timeout", **call)
        assert answer["code"] == "too_early"
        assert answer["sentence"].startswith(f"{ann.name} has ")
        assert answer["sentence"].endswith(" s left to choose; call time after that.")
        for who in (table.floor, ann, bob):
            assert table.code(who, "timeout", **call) == "not_your_part"
        assert table.code(table.dealer, "timeout", by="platform", **call) == "malformed"
        hosted.clock.ahead_ms += CHOICE_MS
        (chosen, *_) = table.must(table.dealer, "timeout", **call)
        assert (chosen["choice"], chosen["by"]) == ("surrender", "platform")
        assert chosen["called_by"] == table.dealer.name
        kept = [(who, each) for who, each in table.stored() if isinstance(each, game.Chosen)]
        assert [(who, each.called_by) for who, each in kept] == [(table.dealer.name,) * 2]
        (recalled,) = table.recall().choices
        assert recalled.called_by == table.dealer.name


def test_a_choice_that_comes_meanwhile(hosted: Hosted) -> None:
    """A late choice counts until time is called, and gives the others their time anew."""
    table, (ann, bob) = tied(hosted, "meanwhile")
    with table:
        hosted.clock.ahead_ms += CHOICE_MS
        (chosen, *_) = table.choose(ann, 1, "surrender")
        assert (chosen["by"], chosen["called_by"]) == ("player", None)
        code = table.code(table.dealer, "timeout", player=ann.name, box=1)
        assert code == "no_choice_due"
        assert table.code(table.dealer, "timeout", player=bob.name, box=2) == "too_early"
        assert times(table) == {bob.name: table.told_ms() + CHOICE_MS}
        hosted.clock.ahead_ms += CHOICE_MS
        table.must(table.dealer, "timeout", player=bob.name, box=2)
        assert not times(table)


def test_without_a_time_limit_only_for_who_is_long_away(tmp_path: Path) -> None:
    """Where nobody is hurried, time is called only for a player without a connection."""
    with hosted_with(tmp_path, PATIENT) as hosted:
        table, (ann, bob) = tied(hosted, "patient")
        with table:
            there = [Client(hosted, player.name, player.token) for player in (ann, bob)]
            for page in there:
                page.hello(table.name)
                page.hear("awaited")
            hosted.clock.ahead_ms += ABSENT_MS
            answer = table.does(table.dealer, "timeout", player=ann.name, box=1)
            assert answer["code"] == "no_time_limit"
            assert "away for 5 minutes." in answer["sentence"]
            assert times(table) == {}
            there[0].close()
            until(lambda: ann.name in times(table), "the house does not notice that Ann has gone")
            assert table.code(table.dealer, "timeout", player=ann.name, box=1) == "no_time_limit"
            hosted.clock.ahead_ms += ABSENT_MS
            table.must(table.dealer, "timeout", player=ann.name, box=1)
            assert table.code(table.dealer, "timeout", player=bob.name, box=2) == "no_time_limit"


def test_after_a_restart_the_time_begins_anew(tmp_path: Path) -> None:
    """Nobody loses time to a house that was closed: the whole time runs again."""
    with hosted_with(tmp_path, LIMITED) as hosted:
        table, (ann,) = tied(hosted, "restarted", players=1)
        dealer = table.dealer
        hosted.clock.ahead_ms += CHOICE_MS
    again = hosted_with(tmp_path, LIMITED)
    again.clock.ahead_ms = CHOICE_MS
    with again:
        called = {"type": "timeout", "player": ann.name, "box": 1}
        with again.sign_in(dealer.name, dealer.password) as back:

            def answer(number: int) -> Json:
                path, body = f"/tables/{table.name}/commands", {**called, "id": f"late {number}"}
                found: Json = back.http.post(path, json=body).json()
                return found

            assert answer(1)["code"] == "too_early"
            again.clock.ahead_ms += CHOICE_MS
            assert answer(2)["type"] == "accepted"
            verify.verify(again.house.engine, again.house.key)


@pytest.mark.parametrize("staffed", [False, True])
def test_the_platform_calls_time_if_the_dealer_does_not(staffed: bool) -> None:
    """At once where there is no dealer, and otherwise after the dealer had time to do it."""
    play = Play(BOOK, staffed=staffed).join("ann").start().bet("ann", 1, primary=1000).close()
    play.rig("9s 9d").proceed()
    due, over = Due("choice", "ann", 1), CHOICE_MS + CALL_MS * staffed
    assert play.due == (due,)

    def acts(now_ms: int) -> object:
        return act(play.setup, play.state, due, LIMITED, 0, now_ms, "").command

    assert acts(over - 1) is None
    command = acts(over)
    assert command == game.Timeout("ann", 1)
    play.do(game.Timeout("ann", 1))
    assert play.of(game.Chosen) == [game.Chosen("ann", 1, "surrender", "platform", called_by=None)]
