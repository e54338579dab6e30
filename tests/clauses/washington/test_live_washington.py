"""Washington's clauses at live tables: settled from the right, three units at war, own burns."""

from collections.abc import Iterator

import pytest

from clauses import proves
from live_tables import STACK, Cards, People, of, people, settled
from wartable.money import Transfer

WA = "washington"


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[People]:
    """One house for all tests of this file."""
    with people(tmp_path_factory.mktemp("house"), WA, 3) as running:
        yield running


@proves("live", "WA-1", "WA-3", "WA-4")
def test_live_WA_1_each_box_against_the_house(house: People) -> None:
    """Cards go face up from the left with the dealer last; the house settles from the right."""
    ann, bob, cat = house.players
    with house.opened("house", Cards("<><")) as table:
        table.bet(cat, 3, 300).bet(ann, 1, 100).bet(bob, 2, 200)
        events = table.deal()
        dealt = of(events, "dealt")
        assert [event["box"] for event in dealt] == [1, 2, 3, 0]
        assert table.state()["round"]["cards"] == {str(e["box"]): e["card"] for e in dealt}
        assert "??" not in {event["card"] for event in dealt}
        assert settled(events) == [
            (3, "primary", "lost", 0),
            (2, "primary", "won", 400),
            (1, "primary", "lost", 0),
        ]
        assert table.transfers()[-4:] == [
            Transfer("felt", "house", 300),
            Transfer("felt", f"stack:{bob.name}", 200),
            Transfer("house", f"stack:{bob.name}", 200),
            Transfer("felt", "house", 100),
        ]
        assert [table.stack(who) - STACK for who in house.players] == [-100, 200, -300]
        assert (table.recall().banker, table.recall().house) == ("house", 200)


@proves("live", "WA-2a", "WA-2b")
def test_live_WA_2_primary_and_tie(house: People) -> None:
    """No card without a primary bet; a tie wager only beside it, before the deal, none at war."""
    ann, bob, _ = house.players
    with house.opened("wagers", Cards("=", "<")) as table:
        assert table.code(table.dealer, "close_bets") == "no_wagers"
        assert table.code(ann, "bet", box=1, wager="tie", amount=100) == "primary_required"
        table.bet(ann, 1, 500).bet(ann, 1, 100, "tie")
        assert table.code(bob, "bet", box=2, wager="tie", amount=100) == "primary_required"
        events = table.deal()
        assert [event["box"] for event in of(events, "dealt")] == [1, 0]
        assert settled(events) == [(1, "tie", "won", 1_100)]
        assert table.code(ann, "bet", box=1, wager="tie", amount=100) == "bets_closed"
        war = next(move for move in table.moves(ann) if move.get("choice") == "war")
        assert war["war_tie"] is None
        assert table.code(ann, "choose", box=1, choice="war", war_tie=100) == "not_offered"
        table.choose(ann, 1, "war")
        table.proceed()
        assert [paid.wager for paid in table.recall().wagers] == ["primary", "tie", "war"]


@proves("live", "WA-4c-2", "WA-4c-i")
def test_live_WA_4c_the_choice(house: People) -> None:
    """Each tied seat is asked for surrender or war; a surrender costs half, the odd cent less."""
    ann, bob, cat = house.players
    with house.opened("choice", Cards("=>=")) as table:
        table.bet(ann, 1, 101).bet(bob, 2, 100).bet(cat, 3, 100)
        table.deal()
        asked = [(due["what"], due["player"], due["box"]) for due in table.due()]
        assert sorted(asked) == sorted([("choice", ann.name, 1), ("choice", cat.name, 3)])
        choices = [move["choice"] for move in table.moves(ann) if "choice" in move]
        assert sorted(choices) == ["surrender", "war"]
        assert not [move for move in table.moves(bob) if "choice" in move]
        table.choose(ann, 1, "surrender")
        events = table.choose(cat, 3, "surrender")
        assert settled(events) == [
            (3, "primary", "surrendered", 50),
            (1, "primary", "surrendered", 51),
        ]
        assert [table.stack(who) - STACK for who in house.players] == [-50, 100, -50]


@proves("live", "WA-4c-ii")
def test_live_WA_4c_ii_three_units(house: People) -> None:
    """War debits the same stake again, and everybody sees the house's unit beside the two."""
    ann, bob, _ = house.players
    with house.opened("units", Cards("==", "><")) as table:
        table.bet(ann, 1, 725).bet(bob, 2, 400)
        table.deal()
        fields = {"box": 1, "choice": "war", "amount": 500}
        assert table.does(ann, "choose", **fields)["code"] == "malformed"
        events = table.choose(ann, 1, "war") + table.choose(bob, 2, "war")
        for kind in ("placed", "matched"):
            told = [(e["box"], e["wager"], e["amount"]) for e in of(events, kind)]
            assert told == [(1, "war", 725), (2, "war", 400)]
        assert table.stack(ann) == STACK - 2 * 725
        wagers = table.state()["round"]["hands"][0]["wagers"]
        assert sum(each["staked"] + each["matched"] for each in wagers) == 3 * 725
        table.proceed()
        assert [table.stack(who) - STACK for who in (ann, bob)] == [725, -800]
        moved = table.transfers()
        assert [each for each in moved if each.source == "house"] == [
            Transfer("house", f"stack:{ann.name}", 725)
        ]
        assert moved.count(Transfer("felt", "house", 400)) == 2


@proves("live", "WA-4c-ii-1-player", "WA-4c-ii-1-dealer")
def test_live_WA_4c_ii_1_burns(house: People) -> None:
    """Three hidden burns come before the players' war cards and three more before the dealer's."""
    ann, bob, cat = house.players
    with house.opened("burns", Cards("=<=", "><")) as table:
        table.bet(ann, 1, 100).bet(bob, 2, 100).bet(cat, 3, 100)
        table.deal()
        table.choose(cat, 3, "war")
        table.choose(ann, 1, "war")
        cards = of(table.proceed(), "burned", "dealt")
        turned = ["burn" if e["type"] == "burned" else str(e["box"]) for e in cards]
        assert turned == ["burn"] * 3 + ["1", "3"] + ["burn"] * 3 + ["0"]
        assert {e["card"] for e in of(cards, "burned")} == {"??"}
        assert "??" not in {e["card"] for e in of(cards, "dealt")}
        assert table.state()["round"]["burned"] == ["??"] * 6
        assert table.recall().burned == 6


@proves("live", "WA-4c-iii")
def test_live_WA_4c_iii_pick_or_lay(house: People) -> None:
    """How the house likes its dealers to pay is told with the book; order and money stay."""
    rounds = []
    for payment in ("pick_and_pay", "lay_and_pay"):
        name = payment.replace("_", " ")
        with house.opened(name, Cards("><>"), settings={"deal.payment": payment}) as table:
            for box, player in enumerate(house.players, 1):
                table.bet(player, box, 100)
            rounds.append(settled(table.deal()))
            told = house.players[0].get(f"/tables/{name}/book")["rules"]
            assert told["deal"]["payment"] == payment
            assert [table.stack(who) - STACK for who in house.players] == [100, -100, 100]
    assert [box for box, *_ in rounds[0]] == [3, 2, 1]
    assert rounds[0] == rounds[1]
    body = {"book": WA, "settings": {"deal.payment": "otherwise"}}
    house.staff.floor.post("/tables", 400, name="otherwise", **body)


@proves("live", "WA-limits")
def test_live_WA_limits_the_laws_ceiling(house: People) -> None:
    """No limit of a table is above the ceiling; wagers keep to it, and a war is its own wager."""
    ann, *_ = house.players
    for key in ("limits.primary.max", "limits.tie.max", "limits.primary.min"):
        body = {"book": WA, "settings": {"limits.ceiling": 30_000, key: 30_001}}
        refused = house.staff.floor.post("/tables", 400, name="above", **body)
        assert "the legal ceiling is 30000" in refused["sentence"]
    with house.opened("ceiling", Cards("=", "<"), settings={"limits.ceiling": 10_000}) as table:
        assert table.code(ann, "bet", box=1, wager="primary", amount=10_001) == "limit"
        table.bet(ann, 1, 10_000)
        assert table.code(ann, "bet", box=1, wager="primary", amount=1) == "limit"
        assert table.code(ann, "bet", box=1, wager="tie", amount=10_001) == "limit"
        table.deal()
        war = of(table.choose(ann, 1, "war"), "placed")
        assert [(event["wager"], event["amount"]) for event in war] == [("war", 10_000)]
        table.proceed()
        assert table.stack(ann) == STACK - 20_000
