"""Maryland's round at a live table: the deal, its settlement, surrender, War, community cards."""

import pytest

from clauses import proves
from hosting import Json
from staffed_tables import BUY_IN, House, SeatedTable, all_tie, ties, war_of_two, win_lose_win

MD = "maryland"
BOOKS = (MD,)


def racked(table: SeatedTable) -> list[tuple[int | None, str]]:
    """The discards in the order of the rack: each card's box and what it was dealt for."""
    shoe = table.state()["shoe"]
    return [
        (shoe["drawn"][place]["box"], shoe["drawn"][place]["use"]) for place in shoe["discards"]
    ]


def lying(table: SeatedTable) -> set[tuple[int, str]]:
    """The cards that lie on the layout, by box."""
    shoe = table.state()["shoe"]
    dealt = [card for place, card in enumerate(shoe["drawn"]) if place not in shoe["discards"]]
    return {(card["box"], card["card"]) for card in dealt}


@proves("live", "MD-8-F", "MD-9-A", "MD-9-B-1", "MD-9-C", "MD-9-D")
def test_live_MD_9_A_the_original_deal_is_settled(house: House) -> None:
    """Cards go clockwise, settlement counterclockwise; losers are collected, winners paid."""
    with house.table(MD, 1, 2, 3) as table:
        wagers = {"primary": 1_000, "tie": 60}
        table.play(win_lose_win, wagers, wagers, wagers)
        assert [event["box"] for event in table.told("dealt")] == [1, 2, 3, 0]
        assert table.settled() == [
            (3, "primary", "won", 2_000), (3, "tie", "lost", 0),
            (2, "primary", "lost", 0), (2, "tie", "lost", 0),
            (1, "primary", "won", 2_000), (1, "tie", "lost", 0),
        ]  # fmt: skip  # box by box
        assert table.moved("felt", "house") == [60, 1_000, 60, 60]
        assert table.moved("house", "0") == [1_000]
        assert table.moved("house", "2") == [1_000]
        assert [table.held(index) for index in range(3)] == [
            BUY_IN + 940,
            BUY_IN - 1_060,
            BUY_IN + 940,
        ]
        pays = {(row["wager"], row["line"]): row["pays"] for row in table.book()["paytable"]}
        assert pays["primary", ""] == "1 to 1"
        assert table.recall().house == 1_060 - 940 * 2


@proves("live", "MD-9-B-3", "MD-9-E", "MD-9-E-1", "MD-9-E-1a", "MD-9-E-1b", "MD-9-E-1c")
@proves("live", "MD-9-F", "MD-9-F-1", "MD-9-G-1")
def test_live_MD_9_E_ties_and_surrenders(house: House) -> None:
    """Tied boxes choose; surrenders are taken clockwise and leave, the warring box's cards stay."""
    with house.table(MD, 1, 2, 3) as table:
        ann, bob, cat = table.players
        table.play(all_tie, {"primary": 1_000}, {"primary": 1_001}, {"primary": 500, "tie": 60})
        assert table.settled() == [(3, "tie", "won", 660)]
        first = lying(table)
        assert len(first) == 4
        choosers = [ann.name, bob.name, cat.name]
        assert sorted(due["player"] for due in table.due()) == sorted(choosers)
        table.choose(cat, 3, "surrender")
        assert table.code(table.dealer, "proceed") == "nothing_due"
        table.choose(ann, 1, "war")
        assert [due["player"] for due in table.due()] == [bob.name]
        table.choose(bob, 2, "surrender")
        assert table.settled("primary") == [
            (2, "primary", "surrendered", 501),
            (3, "primary", "surrendered", 250),
        ]
        assert table.moved("felt", "house") == [500, 250]
        assert table.moved("felt", "1") == [501]
        assert table.moved("felt", "2")[-1] == 250
        assert table.told("cards_collected")[0]["boxes"] == [3, 2]
        assert racked(table) == [(None, "burn"), (3, "original"), (2, "original")]
        stay = {each for each in first if each[0] in (0, 1)}
        assert lying(table) == stay
        table.must(table.dealer, "proceed", steps=4)
        assert stay < lying(table)
        assert set(table.state()["round"]["cards"]) == {"0", "1", "2", "3"}
        table.proceed()
        assert lying(table) == set()
        assert {box: cards[0] for box, cards in table.recall().cards.items()} == dict(first)


@proves("live", "MD-9-H", "MD-9-H-2", "MD-9-I", "MD-9-J", "MD-9-J-1", "MD-9-J-2", "MD-9-J-3")
@proves("live", "MD-9-K")
def test_live_MD_9_H_the_war(house: House) -> None:
    """Three hidden burns, war cards clockwise, settled counterclockwise, the progressive last."""
    with house.table(MD, 1, 2, 3) as table:
        ann, _, cat = table.players
        side = {"primary": 1_000, "progressive": 500}
        original = table.play(war_of_two, side, side, side)
        done = [(e["box"], e["wager"]) for e in original if e["type"] == "settled"]
        assert done == [(2, "primary"), (2, "progressive")]
        assert not table.told("cards_collected")
        assert 2 in {box for box, _ in lying(table)}
        table.choose(ann, 1, "war", war_tie=40)
        table.choose(cat, 3, "war", war_tie=40)
        assert [event["boxes"] for event in table.told("cards_collected")] == [[2]]
        told = table.proceed()
        assert [event["card"] for event in told if event["type"] == "burned"] == ["??"] * 3
        order = [(e["type"], e.get("box")) for e in told if e["type"] in ("burned", "dealt")]
        assert order == [("burned", None)] * 3 + [("dealt", 1), ("dealt", 3), ("dealt", 0)]
        settled = [
            (e["box"], e["wager"], e["outcome"], e["returned"])
            for e in told
            if e["type"] == "settled"
        ]
        assert settled == [
            (3, "primary", "war_lost", 0), (3, "war", "war_lost", 0), (3, "war_tie", "lost", 0),
            (3, "progressive", "tie", 3_000),
            (1, "primary", "war_won", 1_000), (1, "war", "war_won", 2_000),
            (1, "war_tie", "lost", 0), (1, "progressive", "tie", 3_000),
        ]  # fmt: skip  # box by box
        kinds = [event["type"] for event in told]
        assert max(index for index, kind in enumerate(kinds) if kind == "settled") < kinds.index(
            "cards_collected"
        )
        # The side bets, box 2's wager, box 3's two and its tie wager, box 1's tie wager.
        assert table.moved("felt", "house") == [1_500, 1_000, 1_000, 1_000, 40, 40]
        assert table.held(0) == BUY_IN + 1_000 - 40 + 2_500
        assert table.held(2) == BUY_IN - 2_000 - 40 + 2_500
        recalled = table.recall()
        assert {box: len(cards) for box, cards in recalled.cards.items()} == {
            0: 2,
            1: 2,
            2: 1,
            3: 2,
        }
        dealt = {e["box"]: e["card"] for e in told if e["type"] == "dealt"}
        assert {box: cards[1] for box, cards in recalled.cards.items() if len(cards) == 2} == dealt
        assert sorted(each for each in racked(table) if each[1] == "war") == [
            (0, "war"), (1, "war"), (3, "war"),
        ]  # fmt: skip  # one line of cards


@proves("live", "MD-9-H", "MD-9-H-2")
def test_live_MD_9_H_burns_before_each_card_by_setting(house: House) -> None:
    """Three cards are burned before every war card only where the table is so set."""
    with house.table(MD, 1, options={"war_burn": "each_card"}) as table:
        table.play(lambda cards: ties(cards[0], cards[1]), {"primary": 100})
        table.choose(table.players[0], 1, "war")
        told = [event["type"] for event in table.proceed() if event["type"] in ("burned", "dealt")]
        assert told == ["burned"] * 3 + ["dealt"] + ["burned"] * 3 + ["dealt"]


@proves("live", "MD-9-L", "MD-9-L-1", "MD-9-L-2")
@pytest.mark.parametrize("number", [3, 5, 7])
def test_live_MD_9_L_community_cards(house: House, number: int) -> None:
    """In the electronic version many bet on three, five or seven cards against one dealer card."""
    for refused in ("4", "9"):
        assert "electronic" in house.refused(book=MD, options={"electronic": refused})
    with house.table(MD, 1, 2, options={"electronic": str(number)}) as table:
        ann, bob = table.players
        table.open(lambda cards: not any(ties(card, cards[number]) for card in cards[:number]))
        table.start()
        table.bet(ann, number, 100).bet(bob, number, 300).bet(bob, 1, 100)
        beyond: Json = {"box": number + 1, "wager": "primary", "amount": 100}
        assert table.code(ann, "bet", **beyond) == "no_such_box"
        table.dealt()
        assert [event["box"] for event in table.told("dealt")] == [*range(1, number + 1), 0]
        outcomes = {(e["player"], e["box"]): e["outcome"] for e in table.told("settled")}
        assert outcomes[ann.name, number] == outcomes[bob.name, number]
        assert (bob.name, 1) in outcomes
        assert table.book()["community"] == number
    with house.table(MD, 1) as table:
        assert table.book()["community"] == 0
