"""Maryland's irregularities at a live table: cards seen or missed, jams, devices out of order."""

import pytest

from clauses import proves
from pits import BUY_IN, House, Pit, Stack, ties
from wartable import shoe as shoes

MD = "maryland"
BOOKS = (MD,)
SIDE = {"primary": 100, "tie": 50, "progressive": 500}


def no_tie(cards: Stack) -> bool:
    """No card among the next five is like another."""
    return len({card[0] for card in cards[:5]}) == 5


def next_cards(pit: Pit, number: int) -> list[str]:
    """The cards on top of the shoe, which only the house knows."""
    shoe = pit.hosted.house.floor.places[pit.name].live.state.shoe
    assert shoe is not None
    return list(shoe.cards[len(shoe.drawn) : len(shoe.drawn) + number])


def dealt(pit: Pit) -> list[tuple[int, str]]:
    """Box and card, as everybody was told."""
    return [(event["box"], event["card"]) for event in pit.told("dealt")]


@proves("live", "MD-11-A")
def test_live_MD_11_A_a_card_face_up(house: House) -> None:
    """A card found face up goes to the rack for all to see, and the next takes its place."""
    with house.pit(MD, 1) as pit:
        pit.ready(no_tie, {"primary": 100})
        first, second, third = next_cards(pit, 3)
        assert pit.code(pit.players[0], "find_face_up") == "not_your_part"
        pit.must(pit.dealer, "find_face_up")
        aside = pit.told("card_set_aside")[0]
        assert (aside["why"], aside["card"]) == ("face_up", first)
        rack = [pit.state()["shoe"]["drawn"][place] for place in pit.state()["shoe"]["discards"]]
        assert (rack[-1]["card"], rack[-1]["use"]) == (first, "set_aside")
        pit.proceed()
        assert dealt(pit) == [(1, second), (0, third)]


@proves("live", "MD-11-B")
def test_live_MD_11_B_a_card_drawn_in_error(house: House) -> None:
    """A card drawn in error is the next card while nobody saw it, else it goes to the rack."""
    with house.pit(MD, 1) as pit:
        pit.ready(no_tie, {"primary": 100})
        first, second, third = next_cards(pit, 3)
        pit.must(pit.dealer, "draw_in_error", exposed=False)
        pit.must(pit.dealer, "proceed", steps=1)
        assert dealt(pit) == [(1, first)]
        assert not pit.told("card_set_aside")
        pit.must(pit.dealer, "draw_in_error", exposed=True)
        assert [(e["why"], e["card"]) for e in pit.told("card_set_aside")] == [("exposed", second)]
        pit.proceed()
        assert dealt(pit) == [(1, first), (0, third)]


@proves("live", "MD-11-C")
def test_live_MD_11_C_a_missed_box(house: House) -> None:
    """A box without a card has its wagers back, side bets too, while the others play on."""
    with house.pit(MD, 1, 2, 3) as pit:
        pit.ready(no_tie, {"primary": 100}, SIDE, {"primary": 100})
        meter = pit.state()["meters"]["progressive"]["shown"]
        pit.must(pit.dealer, "proceed", steps=1)
        assert pit.code(pit.players[1], "miss_box", box=2) == "not_your_part"
        assert pit.code(pit.dealer, "miss_box", box=1) == "box_done"
        pit.must(pit.dealer, "miss_box", box=2)
        assert pit.held(1) == BUY_IN
        assert pit.state()["meters"]["progressive"]["shown"] == meter - 15
        pit.proceed()
        assert [box for box, _ in dealt(pit)] == [1, 3, 0]
        assert sorted(box for box, *_ in pit.settled()) == [1, 3]
        missed = [each for each in pit.recall().wagers if each.box == 2]
        assert [each.outcome for each in missed] == ["not_dealt"] * 3


@proves("live", "MD-11-D", "MD-11-D-2")
@pytest.mark.parametrize("method", ["every_round", "batches"])
def test_live_MD_11_D_a_jam(house: House, method: str) -> None:
    """A jam voids the round, gives everything back, and the device's cards are shuffled again."""
    with house.pit(MD, 1, 2, options={"shuffle": method}) as pit:
        pit.ready(no_tie, SIDE, {"primary": 300})
        before = pit.state()["meters_before"]
        if method == "batches":
            pit.shuffle(cut=False)
        pit.must(pit.dealer, "proceed", steps=2)
        assert pit.code(pit.players[0], "jam") == "not_your_part"
        told = pit.must(pit.dealer, "jam")
        assert [event["type"] for event in told][:2] == ["jammed", "round_voided"]
        assert pit.state()["round"]["void"] == "the shuffler jammed"
        assert (pit.held(0), pit.held(1)) == (BUY_IN, BUY_IN)
        assert pit.state()["meters"] == before
        assert pit.recall().void == "the shuffler jammed"
        assert pit.recall().house == 0
        ended = pit.told("shoe_ended")
        assert [event["reason"] for event in ended] == ["the shuffler jammed"]
        jammed = next(
            e for e in pit.told("shoe_started") if e["terms"]["number"] == ended[0]["number"]
        )
        if method == "every_round":
            assert pit.what() == "shuffle"
            assert pit.code(pit.dealer, "start_round") == "no_shoe"
        else:
            assert pit.state()["stored"] is None
        pit.shuffle(cut=False)
        again = pit.told("shoe_started")[-1]["terms"]
        assert again["batch"] == jammed["terms"]["batch"]
        if method == "every_round":
            pit.must(pit.dealer, "load_shoe")
            shoe = pit.hosted.house.floor.places[pit.name].live.state.shoe
            assert shoe is not None
            assert shoes.composition_problems(shoe.cards, 6) == []


@proves("live", "MD-11-E", "MD-11-E-2")
def test_live_MD_11_E_a_device_out_of_order(house: House) -> None:
    """No other method is used before the device is marked; the sign stays until it is repaired."""
    with house.pit(MD, 1, options={"shuffle": "batches"}) as pit:
        pit.open(no_tie)
        pit.must(pit.dealer, "fail_device", reason="no light")
        assert pit.what() == "device mark"
        assert pit.code(pit.dealer, "start_round") == "device_failed"
        change = {"method": "shoe"}
        assert pit.code(pit.floor, "change_method", **change) == "device_not_marked"
        pit.must(pit.dealer, "mark_device", mark="signed")
        assert pit.what() == "device method"
        assert pit.code(pit.dealer, "change_method", **change) == "not_your_part"
        pit.must(pit.floor, "change_method", **change)
        assert pit.state()["device_mark"] == "signed"
        assert pit.state()["device_failed"] == "no light"
        pit.open(no_tie)
        pit.play(no_tie, {"primary": 100})
        assert pit.state()["device_mark"] == "signed"
        pit.must(pit.floor, "repair_device")
        assert pit.state()["device_mark"] is None
        assert not ties(*[card for _, card in dealt(pit)])
