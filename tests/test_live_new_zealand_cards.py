"""New Zealand's cards at a live table: sets and shufflers, and the opening step by step."""

import pytest

from clauses import proves
from pits import House

NZ = "new-zealand"
BOOKS = (NZ,)


@proves("live", "NZ-3.4b")
@pytest.mark.parametrize("number", [1, 2])
def test_live_NZ_3_4b_cutting_cards(house: House, number: int) -> None:
    """One cutting card or two: one always marks where the cards are shuffled again."""
    assert "one or two" in house.refused(book=NZ, settings={"shoe.cutting_cards": 3})
    settings = {"shoe.cutting_cards": number, "shoe.cover_from_bottom": "24/25"}
    with house.pit(NZ, 1, settings=settings) as pit:
        assert pit.book()["rules"]["shoe"]["cutting_cards"] == number
        pit.open(lambda cards: cards[0][0] != cards[1][0])
        assert [event["low"] for event in pit.told("shoe_loaded")] == [12]
        assert pit.state()["shoe"]["cover"]["position"] == 12
        while not pit.told("shoe_ended"):
            pit.start()
            for box in range(1, 8):
                pit.bet(pit.players[0], box, 10)
            pit.dealt()
            for due in pit.due():
                if due["what"] == "choice":
                    pit.choose(pit.players[0], due["box"], "surrender")
        assert pit.told("shoe_ended")[0]["reason"] == "cover card"
        assert pit.kinds("cover_card_out", "closed", "shoe_ended")[-2:] == ["closed", "shoe_ended"]


@proves("live", "NZ-3.4c")
@pytest.mark.parametrize(("decks", "beyond"), [(4, 3), (8, 9)])
def test_live_NZ_3_4c_the_shoe_holds_all_cards(house: House, decks: int, beyond: int) -> None:
    """The shoe has every card of the decks in use, also where the shuffler is part of it."""
    for method in ("shoe", "batches"):
        with house.pit(NZ, 1, decks=decks, options={"shuffle": method}) as pit:
            pit.open()
            shoe = pit.hosted.house.floor.places[pit.name].live.state.shoe
            assert shoe is not None
            assert len(shoe.cards) == decks * 52
            assert all(shoe.cards.count(card) == decks for card in set(shoe.cards))
            assert pit.state()["shoe"]["terms"]["method"] == method
            assert pit.state()["shoe"]["terms"]["decks"] == decks
    assert "4, 5, 6, 7, 8 decks" in house.refused(book=NZ, decks=beyond)


@proves("live", "NZ-3.5-1")
def test_live_NZ_3_5_1_two_coloured_sets(house: House) -> None:
    """With a shuffler two sets of different colours take turns, and everybody sees which."""
    with house.pit(NZ, 1, options={"shuffle": "batches"}) as pit:
        for _ in range(3):
            pit.open()
            pit.must(pit.floor, "order_reshuffle", reason="the next set")
        backs = [event["terms"]["batch"] for event in pit.told("shoe_started")]
        assert backs == ["red", "blue", "red"]
        assert pit.book()["batches"] == ["red", "blue"]


@proves("live", "NZ-3.5-2")
def test_live_NZ_3_5_2_a_continuous_shuffler(house: House) -> None:
    """A continuous shuffler has one set, takes the cards back after each round, and no cut."""
    with house.pit(NZ, 1, options={"shuffle": "continuous"}) as pit:
        for _ in range(2):
            pit.open(lambda cards: cards[0][0] != cards[1][0])
            assert pit.state()["shoe"]["cover"] is None
            pit.play(lambda _: True, {"primary": 100})
        ended = [event["reason"] for event in pit.told("shoe_ended")]
        assert ended == ["one round", "one round"]
        assert {event["terms"]["batch"] for event in pit.told("shoe_started")} == {""}
        assert not pit.told("cut_offered", "cut_made")


@proves("live", "NZ-6.1", "NZ-6.2-1", "NZ-6.3", "NZ-6.3a-c")
def test_live_NZ_6_the_opening(house: House) -> None:
    """Two people inspect, the first player views, then turn, wash, stack and riffle in order."""
    with house.pit(NZ, 1, 2) as pit:
        ann, bob = pit.players
        pit.must(pit.dealer, "receive_decks")
        assert pit.what() == "prepare inspect"
        assert pit.code(pit.dealer, "prepare", step="spread") == "wrong_step"
        pit.must(pit.dealer, "prepare", step="inspect")
        assert pit.code(pit.dealer, "prepare", step="verify") == "same_person"
        assert pit.code(pit.dealer, "prepare", step="spread") == "wrong_step"
        pit.must(pit.floor, "prepare", step="verify")
        pit.must(pit.dealer, "prepare", step="spread")
        assert pit.what() == "prepare view"
        assert pit.code(pit.dealer, "prepare", step="turn") == "wrong_step"
        assert pit.code(bob, "prepare", step="view") == "not_first"
        pit.must(ann, "prepare", step="view")
        for step in ("turn", "wash", "stack", "riffle"):
            assert pit.what() == f"prepare {step}"
            assert pit.code(pit.dealer, "shuffle_cards") == "not_prepared"
            pit.must(pit.dealer, "prepare", step=step)
        assert pit.what() == "shuffle"
        told = [(event["step"], event["by"]) for event in pit.told("prepared")]
        dealer, floor = pit.dealer.name, pit.floor.name
        assert told == [
            ("inspect", dealer), ("verify", floor), ("spread", dealer), ("view", ann.name),
            ("turn", dealer), ("wash", dealer), ("stack", dealer), ("riffle", dealer),
        ]  # fmt: skip  # a list of steps
        pit.must(pit.dealer, "shuffle_cards")
        assert "cards" not in pit.state()["shoe"] or not pit.state()["shoe"]["cards"]
        assert len(pit.told("shoe_started")) == 1


@proves("live", "NZ-6.4")
def test_live_NZ_6_4_a_shuffler_needs_no_view(house: House) -> None:
    """With a shuffler no player views the cards; each set is washed, stacked and riffled."""
    with house.pit(NZ, 1, options={"shuffle": "batches"}) as pit:
        for batch in ("red", "blue"):
            steps = pit.prepare("new")
            assert steps == ["inspect", "verify", "wash", "stack", "riffle"]
            pit.shuffle()
            assert pit.told("shoe_started")[-1]["terms"]["batch"] == batch
            pit.must(pit.players[0], "refuse_cut")
            pit.must(pit.dealer, "load_shoe")
            pit.must(pit.floor, "order_reshuffle", reason="the other set")
        named = {(event["step"], event["batch"]) for event in pit.told("prepared")}
        assert {("riffle", "red"), ("riffle", "blue")} <= named


@proves("live", "NZ-6.5-2", "NZ-6.5-3")
@pytest.mark.parametrize(
    ("condition", "steps"),
    [("preshuffled", ["riffle"]), ("preinspected", ["wash", "stack", "riffle"])],
)
def test_live_NZ_6_5_cards_checked_before(house: House, condition: str, steps: list[str]) -> None:
    """Cards shuffled or checked before they came are mixed at the table before the cut."""
    with house.pit(NZ, 1) as pit:
        pit.must(pit.dealer, "receive_decks", condition=condition)
        assert pit.code(pit.dealer, "shuffle_cards") == "not_prepared"
        assert pit.prepare() == steps
        assert [event["step"] for event in pit.told("prepared")] == steps
        assert pit.code(pit.players[0], "cut", position=100) == "not_offered"
        pit.shuffle()
        assert pit.what() == "cut"
