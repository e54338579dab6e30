"""New Zealand's clauses at a live table: wagers, ties, shared boxes and their limits."""

import pytest

from clauses import proves
from hosting import Client
from live_tables import Stack, of
from staffed_tables import BUY_IN, House, ties

NZ = "new-zealand"
BOOKS = (NZ,)
GUESTS = 5


def one_ties(cards: Stack) -> bool:
    """The first box ties with the dealer."""
    return ties(cards[0], cards[1])


def first_two_tie(cards: Stack) -> bool:
    """Of three boxes the first two tie, the third does not."""
    return ties(cards[0], cards[3]) and ties(cards[1], cards[3]) and not ties(cards[2], cards[3])


@proves("live", "NZ-1-casino-war-wager", "NZ-5.1", "NZ-5.12", "NZ-5.14a", "NZ-5.14b")
def test_live_NZ_5_14_wagers_precede_the_cards(house: House) -> None:
    """A wager counts only if it is funded and lies there before no more bets, and then it stays."""
    with house.table(NZ, 1, 2) as table:
        ann, bob = table.players
        assert table.book()["rules"]["labels"]["primary"] == "Casino War Wager"
        table.open(lambda cards: ties(cards[0], cards[1]))
        table.start()
        assert table.code(bob, "bet", box=2, wager="primary", amount=BUY_IN + 1) == "insufficient"
        table.bet(ann, 1, 1_000).bet(ann, 1, 60, "tie")
        table.must(table.dealer, "close_bets")
        for _ in range(3):
            assert table.code(bob, "bet", box=2, wager="primary", amount=500) == "bets_closed"
            assert table.code(ann, "bet", box=1, wager="primary", amount=1) == "bets_closed"
            assert table.code(ann, "withdraw", box=1, wager="primary") == "bets_closed"
            assert table.code(ann, "withdraw", box=1, wager="tie") == "bets_closed"
            table.does(table.dealer, "proceed", steps=1)
        assert table.kinds("bets_closed", "dealt") == ["bets_closed", "dealt", "dealt"]
        table.choose(ann, 1, "war")
        table.proceed()
        late = table.told()[[each["type"] for each in table.told()].index("bets_closed") :]
        assert [(e["wager"], e["amount"]) for e in late if e["type"] == "placed"] == [
            ("war", 1_000)
        ]
        assert table.held(1) == BUY_IN


@proves("live", "NZ-1-go-to-war", "NZ-1-go-to-war-wager", "NZ-5.2", "NZ-5.2a", "NZ-1-tie-wager")
@proves("live", "NZ-5.1a", "NZ-5.1b", "NZ-5.1c")
def test_live_NZ_5_2_only_a_tied_casino_war_wager_has_the_choice(house: House) -> None:
    """Both wagers, or either alone, are played; only a tied Casino War Wager goes to war."""
    with house.table(NZ, 1, 2, 3) as table:
        ann, bob, cat = table.players
        table.play(first_two_tie, {"primary": 1_230, "tie": 60}, {"tie": 500}, {"primary": 1_000})
        dealt = [event["box"] for event in table.told("dealt")]
        assert dealt == [1, 2, 3, 0]
        assert [(due["what"], due["player"]) for due in table.due()] == [("choice", ann.name)]
        assert (1, "tie", "won", 660) in table.settled()
        assert (2, "tie", "won", 5_500) in table.settled()
        assert table.code(bob, "choose", box=2, choice="war") == "no_choice_due"
        assert table.code(cat, "choose", box=3, choice="war") == "no_choice_due"
        assert table.code(ann, "choose", box=1, choice="war", war_tie=60) == "not_offered"
        assert table.code(ann, "bet", box=1, wager="war", amount=1_000) == "bets_closed"
        assert table.code(ann, "bet", box=1, wager="tie", amount=60) == "bets_closed"
        before = table.held()
        table.choose(ann, 1, "war")
        assert table.held() == before - 1_230
        assert table.told("placed")[-1] | {"player": ""} == {
            "type": "placed", "player": "", "box": 1, "wager": "war", "amount": 1_230,
        }  # fmt: skip  # an event in one line
        hand = table.state()["round"]["hands"][0]
        assert {w["kind"]: w["staked"] for w in hand["wagers"] if not w["outcome"]} == {
            "primary": 1_230,
            "war": 1_230,
        }
        table.proceed()
        assert [event["box"] for event in table.told("dealt")] == [*dealt, 1, 0]


@proves("live", "NZ-1-surrender", "NZ-5.2b")
def test_live_NZ_1_surrender(house: House) -> None:
    """Surrender forfeits half to the house and returns the rest, an odd cent to the player."""
    with house.table(NZ, 1) as table:
        table.play(one_ties, {"primary": 1_001})
        table.choose(table.players[0], 1, "surrender")
        assert table.settled() == [(1, "primary", "surrendered", 501)]
        assert table.moved("felt", "house") == [500]
        assert table.held() == BUY_IN - 500
        assert table.recall().wagers[0].words == "surrendered, half returned"


@pytest.mark.finding(13)
@proves("live", "NZ-1-round", "NZ-3.4d")
def test_live_NZ_1_round(house: House) -> None:
    """The first card opens play; when the round closes all cards are racked, and all are there."""
    with house.table(NZ, 1) as table:
        table.open(one_ties)
        table.start()
        table.bet(table.players[0], 1, 100)
        table.must(table.dealer, "close_bets")
        assert table.state()["shoe"]["drawn"] == [
            {"card": "??", "round_number": 1, "use": "burn", "box": None}
        ]
        for step, on_felt in (("proceed", 1), ("proceed", 2), ("war", 2), ("proceed", 0)):
            if step == "war":
                table.choose(table.players[0], 1, "war")
            else:
                table.must(table.dealer, "proceed", steps=1 if on_felt else 0)
            live = table.hosted.house.floor.places[table.name].live.state.shoe
            assert live is not None
            shown = table.state()["shoe"]
            assert len(shown["drawn"]) - len(shown["discards"]) == on_felt
            left = len(live.cards) - len(shown["drawn"])
            assert left + on_felt + len(set(shown["discards"])) == 6 * 52
            assert [dealt.card for dealt in live.drawn] == list(live.cards[: len(live.drawn)])
        told = table.kinds("bets_closed", "dealt", "closed")
        assert told == ["bets_closed", "dealt", "dealt", "dealt", "dealt", "closed"]
        # One row, all of it or nothing, closes the round and racks its last cards.
        last = [row for row in table.spectator.heard if row["type"] == "happened"][-1]
        kinds = [event["type"] for event in last["events"]]
        assert kinds[-2:] == ["cards_collected", "closed"]


@proves("live", "NZ-3.1-1")
def test_live_NZ_3_1_layout(house: House) -> None:
    """A table has one to seven boxes, as it was opened; an eighth is refused."""
    assert "at most 7" in house.refused(book=NZ, settings={"table.boxes": 8})
    with house.table(NZ, 1) as table:
        table.open()
        table.start()
        table.bet(table.players[0], 7, 100)
        assert (
            table.code(table.players[0], "bet", box=8, wager="primary", amount=100) == "no_such_box"
        )
        assert table.code(house.guests[1], "join", amount=100, seat=8) == "no_such_seat"
    with house.table(NZ, 1, settings={"table.boxes": 1}) as table:
        table.open()
        table.start()
        assert (
            table.code(table.players[0], "bet", box=2, wager="primary", amount=100) == "no_such_box"
        )
        assert table.code(house.guests[1], "join", amount=100, seat=2) == "no_such_seat"


@proves("live", "NZ-5.7", "NZ-5.7b", "NZ-5.8")
def test_live_NZ_5_7_more_than_one_box(house: House) -> None:
    """Whether and how many boxes a player may play is the operator's, each with the minimum."""
    with house.table(NZ, 1, settings={"table.boxes_per_player": 1}) as table:
        table.open()
        table.start()
        table.bet(table.players[0], 1, 100)
        code = table.code(table.players[0], "bet", box=2, wager="primary", amount=100)
        assert code == "too_many_boxes"
    with house.table(NZ, 1, settings={"limits.primary.min": 500}) as table:
        ann = table.players[0]
        table.open()
        table.start()
        table.bet(ann, 1, 5_000)
        assert table.code(ann, "bet", box=2, wager="primary", amount=499) == "limit"
        table.bet(ann, 2, 500)
        limit = {"limit": "boxes_per_player", "value": 2}
        assert table.code(ann, "restrict", **limit) == "not_your_part"
        assert table.code(table.dealer, "restrict", **limit) == "not_your_part"
        table.must(table.floor, "restrict", **limit)
        assert table.code(ann, "bet", box=3, wager="primary", amount=500) == "too_many_boxes"
        logged = table.commands("restrict")
        assert [(each["actor"], each["limit"], each["value"]) for each in logged] == [
            (table.floor.name, "boxes_per_player", 2)
        ]
        table.must(table.floor, "restrict", limit="boxes_per_player", value=3)
        table.bet(ann, 3, 500)


@proves("live", "NZ-5.7a")
def test_live_NZ_5_7a_places_at_tables_of_equal_limits(house: House) -> None:
    """The lobby counts the free places at tables of equal limits, and warns when none is left."""
    limits = {"limits.primary.max": 77_700, "table.boxes": 2}
    with house.table(NZ, 1, settings=limits) as first, house.table(NZ, settings=limits) as second:
        assert free_places(house, first.name) == (3, None)
        third, fourth = house.guests[2:4]
        second.must(third, "join", amount=100, seat=1)
        second.must(fourth, "join", amount=100, seat=2)
        assert free_places(house, first.name) == (1, None)
        first.must(house.guests[1], "join", amount=100, seat=2)
        places, warning = free_places(house, first.name)
        assert places == 0
        assert warning is not None
        assert "one box" in warning
        first.must(first.floor, "restrict", limit="boxes_per_player", value=1)
        assert free_places(house, first.name) == (0, None)


@proves("live", "NZ-5.7a")
@pytest.mark.finding(13)
def test_live_NZ_5_7a_a_place_that_nobody_may_take_is_not_free(house: House) -> None:
    """A table that is disabled, or restricted to other limits, has no place at these limits."""
    limits = {"limits.primary.max": 88_800, "table.boxes": 2}
    with house.table(NZ, 1, settings=limits) as first, house.table(NZ, settings=limits) as second:
        floor, why = first.floor, {"scope": "table", "name": second.name, "reason": "a test"}
        assert free_places(house, first.name) == (3, None)
        floor.post("/disable", 200, **why)
        assert free_places(house, first.name) == (1, None)
        first.must(house.guests[1], "join", amount=100, seat=2)
        places, warning = free_places(house, first.name)
        assert (places, warning is None) == (0, False)
        floor.post("/enable", 200, **why)
        assert free_places(house, first.name) == (2, None)
        second.must(second.floor, "restrict", limit="box_max", value=500)
        assert free_places(house, first.name)[0] == 0
        assert free_places(house, second.name)[0] == 2
        first.must(first.floor, "restrict", limit="box_max", value=500)
        assert free_places(house, first.name)[0] == 2
        second.must(second.floor, "restrict", limit="box_max", value=0)
        assert free_places(house, first.name)[0] == 0


def free_places(house: House, name: str) -> tuple[int, str | None]:
    """The free places and the warning of a table's card in the lobby, as it is now."""
    house.hosted.clock.ahead_ms += 1_000
    lobby = house.staff.floor.get("/lobby")
    card = next(each for each in lobby["tables"] if each["name"] == name)
    return card["free_places"], card["warning"]


@proves("live", "NZ-5.9-1", "NZ-5.11a")
@pytest.mark.finding(13)
def test_live_NZ_5_9_the_box_of_who_sat_down_in_betting(house: House) -> None:
    """Who sits down during betting has a place on the box, and lies nearest the dealer there."""
    with house.table(NZ, 1, None, None) as table:
        third, first, second = table.players
        seated = house.guests[3]
        table.open()
        table.start()
        table.bet(first, 4, 100).bet(second, 4, 100)
        table.must(seated, "join", amount=BUY_IN, seat=4)
        told = table.does(third, "bet", box=4, wager="primary", amount=100)
        assert told["code"] == "place_kept"
        assert f"kept for {seated.name}" in told["sentence"]
        assert not any(move.get("box") == 4 for move in table.moves(third))
        table.bet(seated, 4, 100)
        line = [hand["player"] for hand in table.state()["round"]["hands"]]
        assert line == [seated.name, first.name, second.name]
        assert table.code(third, "bet", box=4, wager="primary", amount=100) == "box_full"


@proves("live", "NZ-5.9-1", "NZ-5.9-2", "NZ-5.11a")
def test_live_NZ_5_9_several_players_on_one_box(house: House) -> None:
    """Up to three wager on a box, the seated one first in line; the supervisor may take fewer."""
    with house.table(NZ, None, 1, None, None) as table:
        standing, seated, third, fourth = table.players
        table.open()
        table.start()
        table.bet(standing, 1, 100).bet(third, 1, 100).bet(seated, 1, 100)
        assert table.code(fourth, "bet", box=1, wager="primary", amount=100) == "box_full"
        line = [hand["player"] for hand in table.state()["round"]["hands"]]
        assert line == [seated.name, standing.name, third.name]
        assert table.code(seated, "restrict", limit="players_per_box", value=2) == "not_your_part"
        assert (
            table.code(table.floor, "restrict", limit="players_per_box", value=4) == "restriction"
        )
        table.must(table.floor, "restrict", limit="players_per_box", value=2)
        table.bet(standing, 2, 100).bet(third, 2, 100)
        assert table.code(fourth, "bet", box=2, wager="primary", amount=100) == "box_full"
        assert table.commands("restrict")[0]["actor"] == table.floor.name


@proves("live", "NZ-5.10-1", "NZ-5.10-2", "NZ-5.10-3")
def test_live_NZ_5_10_maxima_of_box_and_player(house: House) -> None:
    """Maxima for a box, or for named players on it, bind first wagers and stand for all to see."""
    with house.table(NZ, 1, None) as table:
        ann, bob = table.players
        table.open(one_ties)
        table.start()
        table.must(table.floor, "restrict", limit="box_max", value=1_500)
        table.bet(ann, 1, 1_000)
        assert table.code(bob, "bet", box=1, wager="primary", amount=501) == "limit"
        table.bet(bob, 1, 450).bet(ann, 1, 50, "tie")
        table.must(table.floor, "restrict", limit="player_box_max", value=300, whom=bob.name)
        assert table.code(bob, "bet", box=2, wager="primary", amount=301) == "limit"
        table.bet(bob, 2, 300).bet(ann, 3, 1_500)
        with Client(table.hosted, "", None) as visitor:
            visitor.hello(table.name)
            sign = visitor.hear("snapshot")["state"]
        assert sign["restrictions"] == {"box_max": 1_500}
        assert sign["player_box_maximums"] == {bob.name: 300}
        told = [(each["limit"], each["value"]) for each in table.told("restricted")]
        assert told == [("box_max", 1_500), ("player_box_max", 300)]
        table.must(table.floor, "void_round", reason="the maxima are set")
        table.must(table.floor, "restrict", limit="box_max", value=1_000)
        table.start()
    # A go to war wager is beside the maximum: it must equal the first one.
    with house.table(NZ, 1, settings={"limits.box_max": 1_000}) as table:
        table.play(one_ties, {"primary": 1_000})
        table.choose(table.players[0], 1, "war")
        assert table.book()["rules"]["limits"]["box_max"] == 1_000


@proves("live", "NZ-5.11b")
def test_live_NZ_5_11b_the_tie_spot(house: House) -> None:
    """The tie spot of a box is first for who has a Casino War Wager there; others take it after."""
    with house.table(NZ, 1, None) as table:
        ann, bob = table.players
        table.open()
        table.start()
        table.bet(ann, 1, 1_000)
        assert table.code(bob, "bet", box=1, wager="tie", amount=60) == "tie_entitlement"
        table.must(ann, "decline", box=1)
        assert table.code(ann, "bet", box=1, wager="tie", amount=60) == "tie_declined"
        table.bet(bob, 1, 60, "tie")
        assert table.code(ann, "bet", box=1, wager="tie", amount=60) == "tie_spot_taken"
        table.bet(ann, 2, 1_000).bet(ann, 2, 60, "tie")
        assert table.code(bob, "bet", box=2, wager="tie", amount=60) == "tie_spot_taken"


@pytest.mark.finding(2)
@proves("live", "NZ-5.11b")
def test_live_NZ_5_11b_who_bets_on_the_tie_alone_gives_way(house: House) -> None:
    """The tie-only wager is back in its owner's stack, and all are told to whom it gave way."""
    with house.table(NZ, 1, None) as table:
        ann, bob = table.players
        table.open()
        table.start()
        table.bet(bob, 1, 60, "tie").bet(ann, 1, 1_000)
        told = table.must(ann, "bet", box=1, wager="tie", amount=50)
        (gone,) = of(told, "withdrawn")
        assert (gone["player"], gone["gives_way_to"], gone["amount"]) == (bob.name, ann.name, 60)
        assert table.state()["guests"][bob.name]["stack"] == BUY_IN
        assert [hand["player"] for hand in table.state()["round"]["hands"]] == [ann.name]
