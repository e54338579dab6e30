"""The online operator's clauses at live tables: a table of one's own, three hands, no hurry."""

from collections.abc import Iterator

import pytest

from clauses import proves
from hosting import Hosted
from live_tables import STACK, Cards, OwnTable, listing, of, ordering, settled
from wartable.server.audit import verify
from wartable.table.events import CardsDecided, ShoeEnded, ShoeStarted

ON = "online"


@pytest.fixture(scope="module")
def hosted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosted]:
    """One server for all tests of this file; its records are verified at the end."""
    with Hosted(tmp_path_factory.mktemp("house"), books=(ON,)) as running:
        yield running
        verify.verify(running.house.engine, running.house.key)


def net(table: OwnTable) -> int:
    """What the player has more than they came with."""
    return table.stack(table.player) - STACK


@proves("live", "ON-overview-2")
def test_live_ON_overview_2_a_new_shuffle_for_every_round(hosted: Hosted) -> None:
    """Each round has a shuffle of six decks of its own, and nothing of the one before."""
    with OwnTable(hosted, hosted.guest(), ON, Cards("<"), Cards(">"), Cards("<")) as table:
        for _ in range(3):
            state = table.state()
            assert (state["shoe"]["drawn"], state["shoe"]["discards"]) == ([], [])
            assert (state["shoe"]["terms"]["decks"], state["shoe"]["cover"]) == (6, None)
            table.bet(1, 100).deal()
        events = [event for _, event in table.stored()]
        started = [event for event in events if isinstance(event, ShoeStarted)]
        assert [event.terms.number for event in started] == [1, 2, 3, 4]
        decided = [event for event in events if isinstance(event, CardsDecided)]
        assert len({event.link for event in decided} - {""}) == 3
        ended = [event for event in events if isinstance(event, ShoeEnded)]
        assert [(event.number, event.reason) for event in ended] == [
            (1, "one round"), (2, "one round"), (3, "one round"),
        ]  # fmt: skip  # a list of pairs


@proves("live", "ON-overview-3", "ON-deal-2", "ON-overview-6", "ON-bet-1")
def test_live_ON_overview_3_one_to_three_hands(hosted: Hosted) -> None:
    """Up to three hands of one player, each with its own bet, meet one card of the house."""
    with OwnTable(hosted, hosted.guest(), ON, Cards("<>>"), Cards("<")) as table:
        assert table.code(table.player, "close_bets") == "no_wagers"
        table.bet(1, 100).bet(2, 200).bet(3, 300)
        fourth = table.does(table.player, "bet", box=4, wager="primary", amount=100)
        assert (fourth["type"], fourth["code"]) == ("refused", "no_such_box")
        with hosted.guest() as other:
            answer = table.does(other, "bet", box=1, wager="primary", amount=100)
            assert answer["code"] == "no_table"
        events = table.deal()
        assert [event["box"] for event in of(events, "dealt")] == [1, 2, 3, 0]
        assert settled(events) == [
            (1, "primary", "lost", 0),
            (2, "primary", "won", 400),
            (3, "primary", "won", 600),
        ]
        assert net(table) == 400
        table.bet(2, 100)
        assert [event["box"] for event in of(table.deal(), "dealt")] == [2, 0]


@proves("live", "ON-bet-1")
def test_live_ON_bet_1_limits_are_the_operators(hosted: Hosted) -> None:
    """The operator opens a table with limits of its own, which hold for each hand's bet."""
    limits = {"limits.primary.min": 200, "limits.primary.max": 1_000}
    with hosted.admin() as admin, hosted.guest() as player:
        admin.post("/tables", 201, name="limited", book=ON, settings=limits)
        player.hello("limited")
        player.must("join", amount=STACK, seat=1)
        player.until("bets")
        for box in (1, 2):
            for amount in (199, 1_001):
                refused = player.do("bet", box=box, wager="primary", amount=amount)
                assert refused["code"] == "limit"
            player.must("bet", box=box, wager="primary", amount=1_000)


@proves("live", "ON-bet-2", "ON-deal-1")
def test_live_ON_bet_2_bets_then_cards(hosted: Hosted) -> None:
    """A tie bet stands beside its hand's main bet; the deal locks all bets before any card."""
    with OwnTable(hosted, hosted.guest(), ON, Cards("=<")) as table:
        table.bet(1, 500)
        assert table.code(table.player, "bet", box=2, wager="tie", amount=50) == "primary_required"
        table.bet(2, 500).bet(1, 50, "tie").bet(2, 70, "tie")
        assert not of(table.told(), "dealt")
        assert table.state()["shoe"]["drawn"] == []
        events = table.deal()
        kinds = [event["type"] for event in events]
        assert kinds[0] == "bets_closed"
        assert kinds.index("dealt") > 0
        for box, wager in ((1, "primary"), (1, "tie"), (3, "primary")):
            code = table.code(table.player, "bet", box=box, wager=wager, amount=50)
            assert code == "bets_closed"
        assert table.code(table.player, "withdraw", box=1, wager="primary") == "bets_closed"
        assert table.code(table.player, "close_bets") == "bets_closed"
        assert settled(events) == [
            (1, "tie", "won", 550),
            (2, "primary", "lost", 0),
            (2, "tie", "lost", 0),
        ]


@proves("live", "ON-overview-5", "ON-tie-choice", "ON-surrender")
def test_live_ON_tie_choice(hosted: Hosted) -> None:
    """Each tied hand is asked, nothing is chosen for it by the clock, and it resumes later."""
    player = hosted.guest()
    with OwnTable(hosted, player, ON, Cards("=<=")) as table:
        table.bet(1, 1_001).bet(2, 100).bet(3, 500)
        table.deal()
        asked = [(due["what"], due["box"]) for due in table.due()]
        assert asked == [("choice", 1), ("choice", 3)]
        offered = [(m["box"], m["choice"]) for m in table.moves(player) if "choice" in m]
        assert sorted(offered) == [(1, "surrender"), (1, "war"), (3, "surrender"), (3, "war")]
        hosted.clock.ahead_ms += 20 * 60_000  # longer, and the session would be over
        player.close()
        with hosted.sign_in(player.name, player.password) as again:
            again.hello(table.name)
            assert [due["box"] for due in again.until("choice")["due"]] == [1, 3]
            assert table.recall().ended_ms is None
            table.must(again, "choose", box=3, choice="surrender")
            table.must(again, "choose", box=1, choice="surrender")
        told = settled(table.told())
        assert told[-2:] == [
            (1, "primary", "surrendered", 501),
            (3, "primary", "surrendered", 250),
        ]
        assert net(table) == -500 - 100 - 250


@pytest.mark.finding(4)
@proves("live", "ON-tie-choice")
def test_live_ON_tie_choice_after_leaving(hosted: Hosted) -> None:
    """Who leaves finds the hand still open, goes to war, and the wallet has what it brings."""
    player = hosted.guest()
    with OwnTable(hosted, player, ON, Cards("=", ">")) as table:
        table.bet(1, 1_000)
        table.deal()
        wallet = player.get("/me")["holds"]["wallet"]
        table.must(player, "leave")
        assert [(due["what"], due["box"]) for due in table.due()] == [("choice", 1)]
        assert {move["choice"] for move in table.moves(player)} == {"war", "surrender"}
        assert player.get("/me")["holds"]["wallet"] == wallet
        table.must(player, "choose", box=1, choice="war")
        while not (gone := table.spectator.events("departed")):
            table.spectator.read()
        assert [event["amount"] for event in gone] == [STACK + 1_000]
        assert player.get("/me")["holds"]["wallet"] == wallet + STACK + 1_000


@proves("live", "ON-tie-choice")
def test_live_ON_tie_choice_by_nobody_else(hosted: Hosted) -> None:
    """Where a clock closes the bets it still chooses for nobody: the tied hand stays open."""
    with hosted.admin() as admin, hosted.guest() as player:
        admin.post("/tables", 201, name="held", book=ON)
        live = hosted.house.floor.places["held"].live
        with listing(live):
            player.hello("held")
            player.must("join", amount=STACK, seat=1)
            player.until("number")
            found = ordering(live, lambda cards: cards[0][0] == cards[1][0])
            player.must("send_number", number=found[player.name])
        player.until("bets")
        player.must("bet", box=1, wager="primary", amount=500)
        player.until("choice")
        hosted.clock.ahead_ms += 60_000
        for _ in range(2):  # after each the platform looks whether anything is due to it
            assert player.do("withdraw", box=1, wager="primary")["code"] == "bets_closed"
        assert player.get("/tables/held")["state"]["round"]["hands"][0]["choice"] is None
        player.must("choose", box=1, choice="surrender")


@proves("live", "ON-tie-choice", "ON-war-raise")
def test_live_ON_tie_choice_without_funds(hosted: Hosted) -> None:
    """Who cannot pay the raise may only surrender."""
    with OwnTable(hosted, hosted.guest(), ON, Cards("=")) as table:
        table.bet(1, 30_000)
        table.deal()
        offered = [m["choice"] for m in table.moves(table.player) if "choice" in m]
        assert offered == ["surrender"]
        assert table.code(table.player, "choose", box=1, choice="war") == "insufficient"
        assert table.stack(table.player) == 10_000
        table.choose(1, "surrender")


@proves("live", "ON-war-raise", "ON-war-tiebet", "ON-war-tiebet-size", "ON-war-options")
def test_live_ON_war_options(hosted: Hosted) -> None:
    """War is a raise of exactly the main bet, alone or with a tie bet of the same size."""
    with OwnTable(hosted, hosted.guest(), ON, Cards("==", "=.")) as table:
        player = table.player
        table.bet(1, 700).bet(2, 400).bet(2, 30, "tie")
        table.deal()
        may = {(m["box"], m["choice"]): m["war_tie"] for m in table.moves(player) if "choice" in m}
        assert may[1, "war"]["only"] == [700]
        assert may[2, "war"]["only"] == [400]
        for amount in (30, 399, 401):
            code = table.code(player, "choose", box=2, choice="war", war_tie=amount)
            assert code == "wrong_size"
        fields = {"box": 2, "choice": "war", "amount": 100}
        assert table.does(player, "choose", **fields)["code"] == "malformed"
        table.must(player, "choose", box=2, choice="war")
        events = table.choose(1, "war", war_tie=700)
        placed = of(table.told(), "placed")[-3:]
        assert [(e["box"], e["wager"], e["amount"]) for e in placed] == [
            (2, "war", 400), (1, "war", 700), (1, "war_tie", 700),
        ]  # fmt: skip  # a list of wagers
        ended = settled(events)
        assert ended[:3] == [
            (1, "primary", "war_tied", 700),
            (1, "war", "war_tied", 2_100),
            (1, "war_tie", "won", 7_700),
        ]
        assert [(box, wager) for box, wager, *_ in ended[3:]] == [(2, "primary"), (2, "war")]


@proves("live", "ON-war-burn", "ON-war-deal", "ON-push")
def test_live_ON_war_deal(hosted: Hosted) -> None:
    """Three hidden burns once, a card to each hand at war and one to the house; a push returns."""
    with OwnTable(hosted, hosted.guest(), ON, Cards("==<", ">>"), Cards("==", "<")) as table:
        table.bet(1, 100).bet(2, 200).bet(3, 300)
        table.deal()
        table.must(table.player, "choose", box=1, choice="war")
        events = table.choose(2, "war")
        turned = of(events, "burned", "dealt")
        assert [event["type"] for event in turned] == ["burned"] * 3 + ["dealt"] * 3
        assert {event["card"] for event in turned[:3]} == {"??"}
        assert [event["box"] for event in turned[3:]] == [1, 2, 0]
        assert (1, "primary", "war_won", 100) in settled(events)
        assert (1, "war", "war_won", 200) in settled(events)
        pushed = next(p for p in table.recall().wagers if (p.box, p.wager) == (1, "primary"))
        assert (pushed.staked, pushed.returned, pushed.net) == (100, 100, 0)
        assert pushed.words == "war won, main bet pushed"
        assert net(table) == 100 + 200 - 300
        table.bet(1, 100).bet(2, 200)
        table.deal()
        table.must(table.player, "choose", box=1, choice="surrender")
        turned = of(table.choose(2, "war"), "burned", "dealt")
        assert [event.get("box") for event in turned] == [None, None, None, 2, 0]
