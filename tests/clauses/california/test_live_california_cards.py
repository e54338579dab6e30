"""California's clauses at live tables: two batches, the machine, cuts, burns, the cover card."""

from collections.abc import Iterator

import msgspec
import pytest

from clauses import proves
from hosting import Client
from live_tables import Cards, People, StaffedTable, of, people
from wartable import game
from wartable.table.events import CardBurned, DealerChanged, ShoeEnded, ShoeStarted
from wartable.verify import verify_bytes

CA = "california"
COVER = 234
"""Six decks less the quarter below the cover card."""


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[People]:
    """One house for all tests of this file."""
    with people(tmp_path_factory.mktemp("house"), CA, 3) as running:
        yield running


def opened(house: People, name: str) -> StaffedTable:
    """Two players at a table without cards."""
    return house.table(name).join(*house.players[:2])


@proves("live", "CA-decks-1")
def test_live_CA_decks_1_only_the_machine(house: People) -> None:
    """The cards come from the machine alone: no other method is taken up, not even if it fails."""
    with opened(house, "machine") as table:
        assert table.state()["method"] == "batches"
        for method in ("shoe", "every_round", "continuous"):
            assert table.code(table.floor, "change_method", method=method) == "no_such_method"
        table.must(table.dealer, "fail_device", reason="no power")
        assert table.state()["device_failed"] == "no power"
        assert table.due()[0]["what"] == "device"
        assert table.code(table.dealer, "shuffle_cards") == "device_failed"
        table.must(table.dealer, "mark_device", mark="signed")
        assert table.state()["device_mark"] == "signed"
        assert table.code(table.floor, "change_method", method="shoe") == "no_such_method"
        table.must(table.floor, "repair_device")
        assert table.state()["device_failed"] is None
        table.must(table.dealer, "shuffle_cards")


@proves("live", "CA-decks-3b", "CA-decks-3c", "CA-decks-3d", "CA-decks-3e")
def test_live_CA_decks_3_two_batches(house: People) -> None:
    """Two colours take turns: one in play while the other is in the device, each rack its own."""
    ann, bob, _ = house.players
    with opened(house, "batches") as table:
        table.load(Cards("<"))
        assert of(table.told(), "shoe_started")[0]["terms"]["batch"] == "red"
        table.must(table.dealer, "shuffle_cards")
        state = table.state()
        assert (state["shoe"]["terms"]["batch"], state["stored"]["terms"]["batch"]) == (
            "red",
            "blue",
        )
        assert (bool(state["shoe"]["drawn"]), state["stored"]["drawn"]) == (True, [])
        assert table.code(table.dealer, "shuffle_cards") == "shoe_in_use"
        table.bank(ann, 1_000).bet(bob, 2, 100)
        table.deal()
        assert len(table.state()["shoe"]["discards"]) == 3
        table.must(table.floor, "order_reshuffle", reason="a test")
        state = table.state()
        assert state["shoe"]["terms"]["batch"] == "blue"
        assert (state["shoe"]["discards"], state["stored"]) == ([], None)
        assert table.code(table.dealer, "start_round") == "no_shoe"
        table.must(who_cuts(table, house), "cut", position=100)
        table.must(table.dealer, "load_shoe")
        assert table.state()["shoe"]["discards"] == [0]
        table.must(table.floor, "order_reshuffle", reason="a test")
        assert table.state()["shoe"] is None
        assert table.due()[0]["what"] == "shuffle"
        assert table.code(table.dealer, "load_shoe") == "no_stack"
        assert table.code(table.dealer, "start_round") == "no_shoe"
        table.must(table.dealer, "shuffle_cards")
        started = [event for _, event in table.stored() if isinstance(event, ShoeStarted)]
        assert [event.terms.batch for event in started] == ["red", "blue", "red"]


def test_two_shoes_that_end_together_are_one_page(house: People) -> None:
    """New cards end both batches in one row: their records are in order and come in one answer."""
    with opened(house, "new cards") as table:
        table.load(Cards("<"))
        table.must(table.dealer, "shuffle_cards")
        told = table.receive("inspected_and_shuffled")
        assert [event["number"] for event in of(told, "shoe_ended")] == [1, 2]
        page = table.spectator.get(f"/tables/{table.name}/shoes?limit=1")
        shoes = page["record"]["shoes"]
        assert [shoe["terms"]["batch"] for shoe in shoes] == ["red", "blue"]
        if page["after"] is not None:
            rest = table.spectator.get(f"/tables/{table.name}/shoes?after={page['after']}")
            assert (rest["record"]["shoes"], rest["after"]) == ([], None)
        steps = verify_bytes(msgspec.json.encode(page["record"]))
        assert all(step.ok for step in steps), steps


def who_cuts(table: StaffedTable, house: People) -> Client:
    """The player to whom the cut is offered."""
    asked = table.due()[0]
    assert asked["what"] == "cut"
    return next(player for player in house.players if player.name == asked["player"])


@proves("live", "CA-deal-1a", "CA-deal-4")
def test_live_CA_deal_1a_cut_and_first_burn(house: People) -> None:
    """The cut is all that a player may do with cards; then one card is burned unseen."""
    ann, bob, _ = house.players
    with opened(house, "cut") as table:
        table.must(table.dealer, "shuffle_cards")
        assert table.code(table.dealer, "load_shoe") == "cut_due"
        assert table.due()[0] | {"what": "cut", "player": ann.name} == table.due()[0]
        for type_ in ("shuffle_cards", "load_shoe", "proceed", "close_bets", "start_round", "jam"):
            assert table.code(ann, type_) == "not_your_part"
        assert table.code(ann, "draw_in_error", exposed=True) == "not_your_part"
        assert table.code(ann, "find_face_up") == "not_your_part"
        assert table.code(ann, "miss_box", box=2) == "not_your_part"
        for type_, fields in (("deal", {"card": "As"}), ("burn", {}), ("draw", {})):
            assert table.does(ann, type_, **fields)["code"] == "malformed"
        assert table.code(bob, "cut", position=100) == "not_offered"
        for position in (9, 303):
            assert table.code(ann, "cut", position=position) == "cut"
        table.must(ann, "cut", position=77)
        told = table.must(table.dealer, "load_shoe")
        assert [event["type"] for event in told][:2] == ["shoe_loaded", "card_burned"]
        assert of(told, "card_burned") == [{"type": "card_burned", "why": "first", "card": "??"}]
        assert [card["card"] for card in table.state()["shoe"]["drawn"]] == ["??"]
        (true,) = [event.card for _, event in table.stored() if isinstance(event, CardBurned)]
        shoe = table.hosted.house.floor.places[table.name].live.state.shoe
        assert shoe is not None
        assert true == shoe.cards[0]


@proves("live", "CA-deal-1c")
@pytest.mark.finding(9)
def test_live_CA_deal_1c_a_new_dealer_burns(house: People) -> None:
    """A change of the dealer burns one card unseen before the next round, and only that one."""
    ann, bob, _ = house.players
    dora = house.hosted.staff("dealer")
    with opened(house, "dealers") as table:
        table.load(Cards("<"), skipped=1)
        assert table.code(table.dealer, "change_dealer", dealer=dora.name) == "not_your_part"
        for nobody in ("Dan", ann.name, table.floor.name):
            assert table.code(table.floor, "change_dealer", dealer=nobody) == "no_such_dealer"
        assert table.code(table.floor, "change_dealer", dealer="") == "malformed"
        assert table.state()["dealer"] == table.dealer.name
        table.must(table.floor, "change_dealer", dealer=dora.name)
        assert len(of(table.told(), "card_burned")) == 1
        table.must(ann, "take_bank", amount=1_000)
        started = table.must(dora, "start_round")
        burned = [event for event in started if event["type"] == "card_burned"]
        assert burned == [{"type": "card_burned", "why": "new_dealer", "card": "??"}]
        table.bet(bob, 2, 100)
        for type_ in ("close_bets", "proceed"):
            table.must(dora, type_)
        table.must(ann, "take_bank", amount=1_000)
        table.must(dora, "start_round")
        assert len(of(table.told(), "card_burned")) == 2
        assert table.state()["dealer"] == dora.name


@proves("live", "CA-deal-1c")
@pytest.mark.finding(9)
def test_live_CA_deal_1c_who_deals_is_the_dealer_of_record(house: People) -> None:
    """Another dealer's first command is a change of dealer, with its burn, between rounds only."""
    ann, bob, _ = house.players
    dora = house.hosted.staff("dealer")
    with opened(house, "record") as table:
        dan = table.dealer
        table.load(Cards("<"))
        assert of(table.told(), "dealer_changed") == [
            {"type": "dealer_changed", "dealer": dan.name}
        ]
        table.bank(ann, 1_000).bet(bob, 2, 100)
        assert [each["why"] for each in of(table.told(), "card_burned")] == ["first"]
        assert table.code(dora, "close_bets") == "round_open"
        table.must(dan, "close_bets")
        assert table.code(dora, "proceed") == "round_open"
        assert table.code(table.floor, "change_dealer", dealer=dora.name) == "round_open"
        table.must(dan, "proceed")
        assert table.code(dora, "close_bets") == "no_round"
        table.must(table.floor, "fail_device", reason="no power")
        table.must(table.floor, "repair_device")
        assert table.state()["dealer"] == dan.name
        table.must(ann, "take_bank", amount=1_000)
        started = table.must(dora, "start_round")
        kinds = [event["type"] for event in started]
        assert kinds == ["round_started", "card_burned", "opened"]
        assert of(started, "card_burned")[0]["why"] == "new_dealer"
        changes = [(by, event) for by, event in table.stored() if isinstance(event, DealerChanged)]
        assert changes == [(who.name, DealerChanged(who.name)) for who in (dan, dora)]
        assert table.state()["dealer"] == dora.name


@proves("live", "CA-deal-1c")
@pytest.mark.finding(9)
def test_live_CA_deal_1c_a_dealer_who_vanishes(house: People) -> None:
    """With cards out the floor puts another dealer in, who finishes the round and then burns."""
    ann, bob, _ = house.players
    dora = house.hosted.staff("dealer")
    with opened(house, "vanished") as table:
        table.load(Cards("=", "<"))
        table.bank(ann, 1_000).bet(bob, 2, 100)
        table.deal()
        table.choose(bob, 2, "war")
        told = table.does(dora, "proceed")
        sentence = f"{table.dealer.name} deals this round; a floorperson can put another dealer in."
        assert (told["code"], told["sentence"]) == ("round_open", sentence)
        assert table.code(dora, "change_dealer", dealer=dora.name) == "not_your_part"
        table.must(table.floor, "change_dealer", dealer=dora.name)
        assert table.code(table.dealer, "proceed") == "round_open"
        table.must(dora, "proceed")
        assert table.state()["round"]["closed"]
        assert [each["why"] for each in of(table.told(), "card_burned")] == ["first"]
        table.must(ann, "take_bank", amount=1_000)
        started = table.must(dora, "start_round")
        assert of(started, "card_burned")[0]["why"] == "new_dealer"


@proves("live", "CA-def-burn", "CA-std-6")
def test_live_CA_def_burn_nobody_sees_burned_cards(house: People) -> None:
    """Burned cards are hidden from players, staff and replays until the shoe is revealed."""
    ann, bob, auditor = *house.players[:2], house.hosted.staff("auditor")
    with opened(house, "burns") as table:
        table.load(Cards("=", "<"))
        watching = (ann, table.dealer, table.floor, auditor)
        for who in watching:
            who.hello(table.name)
        table.bank(ann, 1_000).bet(bob, 2, 100)
        table.deal()
        table.choose(bob, 2, "war")
        last = table.proceed()[-1]
        burned = [e.card for _, e in table.stored() if isinstance(e, CardBurned | game.Burned)]
        assert len(burned) == 4
        assert "??" not in burned
        for who in watching:
            while last not in who.events():
                who.read()
            heard = [message for message in who.heard if message.get("table") == table.name]
            told = [e["card"] for m in heard for e in m.get("events", ()) if "burned" in e["type"]]
            assert told == ["??"] * 3
            shown = who.get(f"/tables/{table.name}")["state"]
            drawn = [card["card"] for card in shown["shoe"]["drawn"] if card["use"] == "burn"]
            assert drawn == ["??"] * 4
            assert (shown["shoe"]["seed"], shown["shoe"]["cards"]) == ("", [])
            assert shown["round"]["burned"] == ["??"] * 3
        events = [event for row in table.recall().rows for event in row.events]
        assert [e.card for e in events if isinstance(e, game.Burned)] == ["??"] * 3
        table.must(table.floor, "order_reshuffle", reason="a test")
        drawn = table.state()["finished"]["drawn"]
        assert [card["card"] for card in drawn if card["use"] == "burn"] == burned


@proves("live", "CA-deal-3")
def test_live_CA_deal_3_the_cutting_card(house: People) -> None:
    """The round in which the cutting card comes is played on, its war too; then the shoe ends."""
    ann, bob, _ = house.players
    with opened(house, "cover") as table:
        skipped = COVER - 2
        table.load(Cards("=", "<"), skipped=skipped)
        for _ in range(skipped):
            table.does(table.dealer, "draw_in_error", exposed=True)
        table.bank(ann, 1_000).bet(bob, 2, 100)
        table.deal()
        table.choose(bob, 2, "war")
        events = table.proceed()
        assert of(table.told(), "cover_card_out") == [{"type": "cover_card_out", "box": 0}]
        kinds = [event["type"] for event in events]
        assert kinds.index("closed") < kinds.index("shoe_ended")
        assert of(events, "shoe_ended")[0]["reason"] == "cover card"
        assert {event["deal"] for event in of(table.told(), "dealt")} == {"original", "war"}
        assert table.due()[0]["what"] == "shuffle"
        assert table.code(table.dealer, "start_round") == "no_shoe"
        ended = [event for _, event in table.stored() if isinstance(event, ShoeEnded)]
        assert [event.reason for event in ended] == ["cover card"]
