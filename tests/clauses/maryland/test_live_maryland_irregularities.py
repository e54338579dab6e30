"""Maryland's irregularities at a live table: cards seen or missed, jams, devices out of order."""

import pytest

from clauses import proves
from live_tables import Stack
from staffed_tables import BUY_IN, House, SeatedTable, ties
from wartable import shoe as shoes

MD = "maryland"
BOOKS = (MD,)
SIDE = {"primary": 100, "tie": 50, "progressive": 500}


def no_tie(cards: Stack) -> bool:
    """No card among the next five is like another."""
    return len({card[0] for card in cards[:5]}) == 5


def next_cards(table: SeatedTable, number: int) -> list[str]:
    """The cards on top of the shoe, which only the house knows."""
    shoe = table.hosted.house.floor.places[table.name].live.state.shoe
    assert shoe is not None
    return list(shoe.cards[len(shoe.drawn) : len(shoe.drawn) + number])


def dealt(table: SeatedTable) -> list[tuple[int, str]]:
    """Box and card, as everybody was told."""
    return [(event["box"], event["card"]) for event in table.told("dealt")]


@proves("live", "MD-11-A")
def test_live_MD_11_A_a_card_face_up(house: House) -> None:
    """A card found face up goes to the rack for all to see, and the next takes its place."""
    with house.table(MD, 1) as table:
        table.ready(no_tie, {"primary": 100})
        first, second, third = next_cards(table, 3)
        assert table.code(table.players[0], "find_face_up") == "not_your_part"
        table.must(table.dealer, "find_face_up")
        aside = table.told("card_set_aside")[0]
        assert (aside["why"], aside["card"]) == ("face_up", first)
        rack = [
            table.state()["shoe"]["drawn"][place] for place in table.state()["shoe"]["discards"]
        ]
        assert (rack[-1]["card"], rack[-1]["use"]) == (first, "set_aside")
        table.proceed()
        assert dealt(table) == [(1, second), (0, third)]


@proves("live", "MD-11-B")
def test_live_MD_11_B_a_card_drawn_in_error(house: House) -> None:
    """A card drawn in error is the next card while nobody saw it, else it goes to the rack."""
    with house.table(MD, 1) as table:
        table.ready(no_tie, {"primary": 100})
        first, second, third = next_cards(table, 3)
        table.must(table.dealer, "draw_in_error", exposed=False)
        table.must(table.dealer, "proceed", steps=1)
        assert dealt(table) == [(1, first)]
        assert not table.told("card_set_aside")
        table.must(table.dealer, "draw_in_error", exposed=True)
        assert [(e["why"], e["card"]) for e in table.told("card_set_aside")] == [
            ("exposed", second)
        ]
        table.proceed()
        assert dealt(table) == [(1, first), (0, third)]


@proves("live", "MD-11-C")
def test_live_MD_11_C_a_missed_box(house: House) -> None:
    """A box without a card has its wagers back, side bets too, while the others play on."""
    with house.table(MD, 1, 2, 3) as table:
        table.ready(no_tie, {"primary": 100}, SIDE, {"primary": 100})
        meter = table.state()["meters"]["progressive"]["shown"]
        table.must(table.dealer, "proceed", steps=1)
        assert table.code(table.players[1], "miss_box", box=2) == "not_your_part"
        assert table.code(table.dealer, "miss_box", box=1) == "box_done"
        table.must(table.dealer, "miss_box", box=2)
        assert table.held(1) == BUY_IN
        assert table.state()["meters"]["progressive"]["shown"] == meter - 15
        table.proceed()
        assert [box for box, _ in dealt(table)] == [1, 3, 0]
        assert sorted(box for box, *_ in table.settled()) == [1, 3]
        missed = [each for each in table.recall().wagers if each.box == 2]
        assert [each.outcome for each in missed] == ["not_dealt"] * 3


@proves("live", "MD-11-D", "MD-11-D-2")
@pytest.mark.parametrize("method", ["every_round", "batches"])
def test_live_MD_11_D_a_jam(house: House, method: str) -> None:
    """A jam voids the round, gives everything back, and the device's cards are shuffled again."""
    with house.table(MD, 1, 2, options={"shuffle": method}) as table:
        table.ready(no_tie, SIDE, {"primary": 300})
        before = table.state()["meters_before"]
        if method == "batches":
            table.shuffle()
        table.must(table.dealer, "proceed", steps=2)
        assert table.code(table.players[0], "jam") == "not_your_part"
        told = table.must(table.dealer, "jam")
        assert [event["type"] for event in told][:2] == ["jammed", "round_voided"]
        assert table.state()["round"]["void"] == "the shuffler jammed"
        assert (table.held(0), table.held(1)) == (BUY_IN, BUY_IN)
        assert table.state()["meters"] == before
        assert table.recall().void == "the shuffler jammed"
        assert table.recall().house == 0
        ended = table.told("shoe_ended")
        assert [event["reason"] for event in ended] == ["the shuffler jammed"]
        jammed = next(
            e for e in table.told("shoe_started") if e["terms"]["number"] == ended[0]["number"]
        )
        if method == "every_round":
            assert table.what() == "shuffle"
            assert table.code(table.dealer, "start_round") == "no_shoe"
        else:
            assert table.state()["stored"] is None
        table.shuffle()
        again = table.told("shoe_started")[-1]["terms"]
        assert again["batch"] == jammed["terms"]["batch"]
        if method == "every_round":
            table.must(table.dealer, "load_shoe")
            shoe = table.hosted.house.floor.places[table.name].live.state.shoe
            assert shoe is not None
            assert shoes.composition_problems(shoe.cards, 6) == []


@proves("live", "MD-11-E", "MD-11-E-2")
def test_live_MD_11_E_a_device_out_of_order(house: House) -> None:
    """No other method is used before the device is marked; the sign stays until it is repaired."""
    with house.table(MD, 1, options={"shuffle": "batches"}) as table:
        table.open(no_tie)
        table.must(table.dealer, "fail_device", reason="no light")
        assert table.what() == "device mark"
        assert table.code(table.dealer, "start_round") == "device_failed"
        change = {"method": "shoe"}
        assert table.code(table.floor, "change_method", **change) == "device_not_marked"
        table.must(table.dealer, "mark_device", mark="signed")
        assert table.what() == "device method"
        assert table.code(table.dealer, "change_method", **change) == "not_your_part"
        table.must(table.floor, "change_method", **change)
        assert table.state()["device_mark"] == "signed"
        assert table.state()["device_failed"] == "no light"
        table.open(no_tie)
        table.play(no_tie, {"primary": 100})
        assert table.state()["device_mark"] == "signed"
        table.must(table.floor, "repair_device")
        assert table.state()["device_mark"] is None
        assert not ties(*[card for _, card in dealt(table)])
