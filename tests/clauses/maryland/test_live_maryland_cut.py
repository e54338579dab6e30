"""Maryland's cut at a live table: who is asked, where it may lie, recuts, the cover card."""

import pytest

from clauses import proves
from live_tables import Stack
from staffed_tables import House, SeatedTable, ties

MD = "maryland"
BOOKS = (MD,)
BET = {"primary": 10}


def no_ties(cards: Stack) -> bool:
    """Three rounds of three boxes end without a tie."""
    rounds = (cards[0:4], cards[4:8], cards[8:12])
    return not any(ties(card, dealer) for *boxes, dealer in rounds for card in boxes)


def asked(table: SeatedTable) -> int:
    """The seat of the player who is offered the cut."""
    due = table.due()[0]
    assert due["what"] == "cut"
    assert table.told("cut_offered")[-1]["player"] == due["player"]
    seat: int = table.state()["guests"][due["player"]]["seat"]
    return seat


def refusals(table: SeatedTable) -> list[int]:
    """The seats that are asked one after the other, when everybody refuses."""
    seats = []
    while table.due()[0]["what"] == "cut":
        seats.append(asked(table))
        table.must(table.players[seats[-1] - 1], "refuse_cut")
    return seats


@proves("live", "MD-5-E-2", "MD-5-E-3", "MD-5-E-4", "MD-5-D", "MD-5-H-1", "MD-8-G")
@pytest.mark.parametrize(
    ("cover", "box", "seats"), [("302/312", 2, [2, 1, 3]), ("300/312", 0, [3, 2, 1])]
)
def test_live_MD_5_E_the_cover_card_says_who_cuts(
    house: House, cover: str, box: int, seats: list[int]
) -> None:
    """The cover card ends the shoe after the round; its box, or the far right, is asked first."""
    with house.table(MD, 1, 2, 3, settings={"shoe.cover_from_bottom": cover}) as table:
        for _ in range(3):
            assert not table.told("shoe_ended")
            told = table.play(no_ties, BET, BET, BET)
        kinds = [(event["type"], event.get("box")) for event in told]
        boxes = [1, 2, 3, 0]
        dealt = [("dealt", each) for each in boxes]
        dealt.insert(boxes.index(box), ("cover_card_out", box))
        assert [each for each in kinds if each[0] in ("dealt", "cover_card_out")] == dealt
        names = [name for name, _ in kinds]
        assert names.index("closed") < names.index("shoe_ended")
        assert len([name for name in names if name == "settled"]) == 3
        assert table.told("shoe_ended")[0]["reason"] == "cover card"
        assert table.state()["cover_box"] == box
        table.shuffle()
        assert refusals(table) == seats
        assert table.told("cut_made")[-1]["player"] is None
        assert table.what() == "load"
        table.must(table.dealer, "load_shoe")


@proves("live", "MD-5-E-1")
@pytest.mark.finding(12)
def test_live_MD_5_E_1_the_first_to_arrive_at_an_automatic_table(house: House) -> None:
    """The automatic dealer shuffles when somebody is there, who is then offered the cut."""
    guest = house.guests[0]
    empty = guest.get("/tables/maryland 1")["state"]
    assert (empty["decks"]["condition"], empty["shoe"]) == ("inspected_and_shuffled", None)
    guest.hello("maryland 1")
    guest.must("join", amount=1_000, seat=4)
    state = guest.get("/tables/maryland 1")["state"]
    assert state["cut"]["offered"] == guest.name
    guest.must("cut", position=100)
    cuts = guest.get("/tables/maryland 1")["state"]["shoe"]["cuts"]
    assert cuts == [{"player": guest.name, "position": 100}]
    guest.must("leave")


@proves("live", "MD-5-E-5", "MD-5-E-6")
def test_live_MD_5_E_5_after_the_floors_order(house: House) -> None:
    """After the floor's reshuffle the far right is asked first, then counterclockwise."""
    with house.table(MD, 1, 2, 3) as table:
        table.open()
        table.must(table.floor, "order_reshuffle", reason="worn")
        table.shuffle()
        assert refusals(table) == [3, 2, 1]


@proves("live", "MD-5-F")
def test_live_MD_5_F_where_the_cut_may_lie(house: House) -> None:
    """A cut within ten cards of either end is refused, and the player is asked again."""
    with house.table(MD, 1) as table:
        table.prepare()
        table.shuffle()
        for position in (0, 9, 303, 312):
            assert table.code(table.players[0], "cut", position=position) == "cut"
            assert asked(table) == 1
        table.must(table.players[0], "cut", position=302)
        table.must(table.floor, "order_recut", who="last", reason="once more")
        table.must(table.players[0], "cut", position=10)


@proves("live", "MD-5-G", "MD-5-G-2")
@pytest.mark.parametrize(("who", "seat"), [("last", 1), ("next", 3)])
def test_live_MD_5_G_a_recut(house: House, who: str, seat: int) -> None:
    """Between cut and load the floor may order a recut, with its reason; then it is loaded."""
    with house.table(MD, 1, 2, 3) as table:
        table.prepare()
        table.shuffle()
        order = {"who": who, "reason": "not cut well"}
        assert table.code(table.floor, "order_recut", **order) == "no_recut"
        table.must(table.players[0], "cut", position=100)
        assert table.code(table.dealer, "order_recut", **order) == "not_your_part"
        table.must(table.floor, "order_recut", **order)
        assert table.told("recut_ordered")[0]["reason"] == "not cut well"
        assert table.code(table.dealer, "load_shoe") == "cut_due"
        assert asked(table) == seat
        table.must(table.players[seat - 1], "cut", position=200)
        table.must(table.dealer, "load_shoe")
        assert [each["player"] for each in table.told("cut_made")] == [
            table.players[0].name,
            table.players[seat - 1].name,
        ]
        assert table.code(table.floor, "order_recut", **order) == "no_recut"
        assert table.commands("order_recut")[0]["actor"] == table.floor.name
        table.start()
