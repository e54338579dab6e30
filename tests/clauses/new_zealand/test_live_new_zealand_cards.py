"""New Zealand's cards at a live table: sets and shufflers, and the opening step by step."""

import pytest

from clauses import proves
from staffed_tables import House

NZ = "new-zealand"
BOOKS = (NZ,)


@proves("live", "NZ-3.4b")
@pytest.mark.parametrize("number", [1, 2])
def test_live_NZ_3_4b_cutting_cards(house: House, number: int) -> None:
    """One cutting card or two: one always marks where the cards are shuffled again."""
    assert "one or two" in house.refused(book=NZ, settings={"shoe.cutting_cards": 3})
    settings = {"shoe.cutting_cards": number, "shoe.cover_from_bottom": "24/25"}
    with house.table(NZ, 1, settings=settings) as table:
        assert table.book()["rules"]["shoe"]["cutting_cards"] == number
        table.open(lambda cards: cards[0][0] != cards[1][0])
        assert [event["low"] for event in table.told("shoe_loaded")] == [12]
        assert table.state()["shoe"]["cover"]["position"] == 12
        while not table.told("shoe_ended"):
            table.start()
            for box in range(1, 8):
                table.bet(table.players[0], box, 10)
            table.dealt()
            for due in table.due():
                if due["what"] == "choice":
                    table.choose(table.players[0], due["box"], "surrender")
        assert table.told("shoe_ended")[0]["reason"] == "cover card"
        assert table.kinds("cover_card_out", "closed", "shoe_ended")[-2:] == [
            "closed",
            "shoe_ended",
        ]


@proves("live", "NZ-3.4c")
@pytest.mark.parametrize(("decks", "beyond"), [(4, 3), (8, 9)])
def test_live_NZ_3_4c_the_shoe_holds_all_cards(house: House, decks: int, beyond: int) -> None:
    """The shoe has every card of the decks in use, also where the shuffler is part of it."""
    for method in ("shoe", "batches"):
        with house.table(NZ, 1, decks=decks, options={"shuffle": method}) as table:
            table.open()
            shoe = table.hosted.house.floor.places[table.name].live.state.shoe
            assert shoe is not None
            assert len(shoe.cards) == decks * 52
            assert all(shoe.cards.count(card) == decks for card in set(shoe.cards))
            assert table.state()["shoe"]["terms"]["method"] == method
            assert table.state()["shoe"]["terms"]["decks"] == decks
    assert "4, 5, 6, 7, 8 decks" in house.refused(book=NZ, decks=beyond)


@proves("live", "NZ-3.5-1")
def test_live_NZ_3_5_1_two_coloured_sets(house: House) -> None:
    """With a shuffler two sets of different colours take turns, and everybody sees which."""
    with house.table(NZ, 1, options={"shuffle": "batches"}) as table:
        for _ in range(3):
            table.open()
            table.must(table.floor, "order_reshuffle", reason="the next set")
        backs = [event["terms"]["batch"] for event in table.told("shoe_started")]
        assert backs == ["red", "blue", "red"]
        assert table.book()["batches"] == ["red", "blue"]


@proves("live", "NZ-3.5-2")
def test_live_NZ_3_5_2_a_continuous_shuffler(house: House) -> None:
    """A continuous shuffler has one set, takes the cards back after each round, and no cut."""
    with house.table(NZ, 1, options={"shuffle": "continuous"}) as table:
        for _ in range(2):
            table.open(lambda cards: cards[0][0] != cards[1][0])
            assert table.state()["shoe"]["cover"] is None
            table.play(lambda _: True, {"primary": 100})
        ended = [event["reason"] for event in table.told("shoe_ended")]
        assert ended == ["one round", "one round"]
        assert {event["terms"]["batch"] for event in table.told("shoe_started")} == {""}
        assert not table.told("cut_offered", "cut_made")


@proves("live", "NZ-6.1", "NZ-6.2-1", "NZ-6.3", "NZ-6.3a-c")
def test_live_NZ_6_the_opening(house: House) -> None:
    """Two people inspect, the first player views, then turn, wash, stack and riffle in order."""
    with house.table(NZ, 1, 2) as table:
        ann, bob = table.players
        table.receive()
        assert table.what() == "prepare inspect"
        assert table.code(table.dealer, "prepare", step="spread") == "wrong_step"
        table.must(table.dealer, "prepare", step="inspect")
        assert table.code(table.dealer, "prepare", step="verify") == "not_your_part"
        assert table.code(table.dealer, "prepare", step="spread") == "wrong_step"
        table.must(table.floor, "prepare", step="verify")
        table.must(table.dealer, "prepare", step="spread")
        assert table.what() == "prepare view"
        assert table.code(table.dealer, "prepare", step="turn") == "wrong_step"
        assert table.code(bob, "prepare", step="view") == "not_first"
        table.must(ann, "prepare", step="view")
        for step in ("turn", "wash", "stack", "riffle"):
            assert table.what() == f"prepare {step}"
            assert table.code(table.dealer, "shuffle_cards") == "not_prepared"
            table.must(table.dealer, "prepare", step=step)
        assert table.what() == "shuffle"
        told = [(event["step"], event["by"]) for event in table.told("prepared")]
        dealer, floor = table.dealer.name, table.floor.name
        assert told == [
            ("inspect", dealer), ("verify", floor), ("spread", dealer), ("view", ann.name),
            ("turn", dealer), ("wash", dealer), ("stack", dealer), ("riffle", dealer),
        ]  # fmt: skip  # a list of steps
        table.must(table.dealer, "shuffle_cards")
        assert "cards" not in table.state()["shoe"] or not table.state()["shoe"]["cards"]
        assert len(table.told("shoe_started")) == 1


@proves("live", "NZ-6.4")
def test_live_NZ_6_4_a_shuffler_needs_no_view(house: House) -> None:
    """With a shuffler no player views the cards; each set is washed, stacked and riffled."""
    with house.table(NZ, 1, options={"shuffle": "batches"}) as table:
        steps = ["inspect", "verify", "wash", "stack", "riffle"]
        assert table.prepare("new") == [*steps, *steps]
        for batch in ("red", "blue"):
            table.shuffle()
            assert table.told("shoe_started")[-1]["terms"]["batch"] == batch
            table.must(table.players[0], "refuse_cut")
            table.must(table.dealer, "load_shoe")
            table.must(table.floor, "order_reshuffle", reason="the other set")
        named = {(event["step"], event["batch"]) for event in table.told("prepared")}
        assert {("riffle", "red"), ("riffle", "blue")} <= named


@proves("live", "NZ-6.5-2", "NZ-6.5-3")
@pytest.mark.parametrize(
    ("condition", "steps"),
    [
        ("shuffled", ["riffle"]),
        ("inspected_and_shuffled", ["riffle"]),
        ("inspected", ["wash", "stack", "riffle"]),
    ],
)
def test_live_NZ_6_5_cards_checked_before(house: House, condition: str, steps: list[str]) -> None:
    """Cards shuffled or checked before they came are mixed at the table before the cut."""
    with house.table(NZ, 1) as table:
        table.receive(condition)
        assert table.code(table.dealer, "shuffle_cards") == "not_prepared"
        assert table.prepare() == steps
        assert [event["step"] for event in table.told("prepared")] == steps
        assert table.code(table.players[0], "cut", position=100) == "not_offered"
        table.shuffle()
        assert table.what() == "cut"
