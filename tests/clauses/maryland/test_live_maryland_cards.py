"""Maryland's cards at a live table: opening, shuffle, batches, age, the idle table, devices."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from clauses import proves
from live_tables import PATIENT, Stack
from staffed_tables import BUY_IN, House, SeatedTable, house_of, ties
from waiting import until
from wartable import shoe as shoes
from wartable.cards import DECK
from wartable.verify import verify_shoe

MD = "maryland"
BOOKS = (MD,)
DAY_MS = 24 * 3_600_000


def no_tie(cards: Stack) -> bool:
    """Two rounds of one box end without a tie."""
    return not ties(cards[0], cards[1]) and not ties(cards[2], cards[3])


@proves("live", "MD-3-A-2", "MD-5-F-3")
def test_live_MD_3_A_2_two_cover_cards(house: House) -> None:
    """One cover card cuts the stack, another marks how deep it is dealt; then it is loaded."""
    with house.table(MD, 1) as table:
        assert table.book()["rules"]["shoe"]["cutting_cards"] == 2
        table.prepare()
        table.shuffle()
        assert table.code(table.dealer, "load_shoe") == "cut_due"
        table.must(table.players[0], "cut", position=100)
        assert table.what() == "load"
        table.must(table.dealer, "load_shoe")
        assert table.kinds("cut_made", "shoe_loaded") == ["cut_made", "shoe_loaded"]
        assert table.told("cut_made")[0]["position"] == 100
        assert table.state()["shoe"]["cover"] == {"position": 234, "low": 234, "high": 234}


@proves("live", "MD-3-B-2", "MD-3-B-3", "MD-3-B-4", "MD-3-B-5", "MD-5-B-1")
def test_live_MD_3_B_batches_take_turns(house: House) -> None:
    """One batch is played while the other waits shuffled in the device; backs and rack tell."""
    with house.table(MD, 1, options={"shuffle": "batches"}) as table:
        table.prepare()
        table.shuffle()
        assert table.what() == "load"
        assert not table.told("cut_offered", "cut_made")
        table.must(table.dealer, "load_shoe")
        for played, waiting in (("red", "blue"), ("blue", "red"), ("red", "blue")):
            shoe = table.state()["shoe"]
            assert shoe["terms"]["batch"] == played
            assert shoe["discards"] == [0]
            assert table.code(table.dealer, "load_shoe") == "no_stack"
            table.shuffle()
            assert table.state()["stored"]["terms"]["batch"] == waiting
            assert table.code(table.dealer, "shuffle_cards") == "shoe_in_use"
            table.start()
            table.bet(table.players[0], 1, 10)
            table.dealt()
            if table.what() == "choice":
                table.choose(table.players[0], 1, "surrender")
            assert len(table.state()["shoe"]["discards"]) == 3
            table.must(table.floor, "order_reshuffle", reason="the other batch")
            assert table.state()["finished"]["terms"]["batch"] == played
            assert table.what() == "load"
            table.must(table.dealer, "load_shoe")
        backs = [event["terms"]["batch"] for event in table.told("shoe_started")]
        assert backs == ["red", "blue", "red", "blue"]


@proves("live", "MD-3-C")
def test_live_MD_3_C_the_cards_age(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No round starts on cards that came 24 hours ago; with new ones the game goes on."""
    monkeypatch.setattr(
        "wartable.server.tables.floor.ABSENT_MS", 2 * DAY_MS
    )  # nobody leaves meanwhile
    with house_of(tmp_path, MD, guests=1) as house, house.table(MD, 1) as table:
        table.open(no_tie)
        table.play(no_tie, {"primary": 100})
        house.hosted.clock.ahead_ms = DAY_MS
        table.dealer = house.hosted.sign_in(table.dealer.name, table.dealer.password)
        guest = house.guests[0]
        table.floor = house.hosted.sign_in(table.floor.name, table.floor.password)
        house.guests[0] = table.players[0] = house.hosted.sign_in(guest.name, guest.password)
        assert table.code(table.dealer, "start_round") == "deck_age"
        table.receive("inspected_and_shuffled")
        table.open()
        table.start()


@proves("live", "MD-3-C")
@pytest.mark.finding(12)
def test_live_MD_3_C_before_the_first_card(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cards that grow too old while bets are open deal none, and every wager comes back."""
    monkeypatch.setattr("wartable.server.tables.floor.ABSENT_MS", 2 * DAY_MS)
    with house_of(tmp_path, MD, guests=1) as house, house.table(MD, 1) as table:
        table.open()
        table.start()
        table.place({"primary": 100, "progressive": 100})
        house.hosted.clock.ahead_ms = DAY_MS
        table.dealer = house.hosted.sign_in(table.dealer.name, table.dealer.password)
        table.floor = house.hosted.sign_in(table.floor.name, table.floor.password)
        guest = house.guests[0]
        house.guests[0] = table.players[0] = house.hosted.sign_in(guest.name, guest.password)
        table.close_bets()
        told = [event["type"] for event in table.proceed()]
        assert told == ["round_voided", "closed", "shoe_ended", "decks_removed"]
        assert table.held() == BUY_IN
        assert table.what() == "decks"
        assert table.code(table.dealer, "receive_decks") == "deck_age"
        (old,) = table.commands("receive_decks")[0]["sets"]
        table.floor.post(f"/cards/{old}/moves", what="destroyed", place="shredder")
        table.play(no_tie, {"primary": 100})
        assert len(table.told("dealt")) == 2


@proves("live", "MD-3-B-3")
@pytest.mark.finding(10)
def test_live_MD_3_B_3_the_automatic_dealer_stores_the_other_batch(house: House) -> None:
    """At a table without staff the other batch is in the device before anybody bets."""
    body = {"name": "by itself", "book": MD, "options": {"shuffle": "batches"}}
    house.staff.floor.post("/tables", 201, **body)
    live = house.hosted.house.floor.places["by itself"].live
    guest = house.guests[0]
    guest.hello("by itself")
    guest.must("join", amount=1_000, seat=1)  # nothing is ordered without anybody's number
    until(lambda: live.state.stored is not None, "the other batch is not stored")
    state = house.guests[0].get("/tables/by itself")["state"]
    assert state["shoe"]["terms"]["batch"] == "red"
    assert state["stored"]["terms"]["batch"] == "blue"
    assert state["round"] is None or not state["round"]["hands"]
    guest.must("leave")


@proves("live", "MD-4-C-3", "MD-4-D", "MD-5-A-1")
def test_live_MD_4_C_3_stacked_then_shuffled(house: House) -> None:
    """The cards are stacked, and nothing is dealt before they are shuffled and all in the shoe."""
    with house.table(MD, 1) as table:
        table.receive()
        for step in ("inspect", "verify", "spread", "view", "turn", "wash", "stack"):
            assert table.what() == f"prepare {step}"
            assert table.code(table.dealer, "shuffle_cards") == "not_prepared"
            by = {"verify": table.floor, "view": table.players[0]}.get(step, table.dealer)
            table.must(by, "prepare", step=step)
        assert table.what() == "shuffle"
        assert table.code(table.dealer, "start_round") == "no_shoe"
        assert table.code(table.dealer, "load_shoe") == "no_stack"
        table.shuffle()
        table.must(table.players[0], "refuse_cut")
        assert table.code(table.dealer, "start_round") == "no_shoe"
        table.must(table.dealer, "load_shoe")
        shoe = table.hosted.house.floor.places[table.name].live.state.shoe
        assert shoe is not None
        assert sorted(shoe.cards) == sorted(DECK * 6)
        table.start()


@proves("live", "MD-4-E")
def test_live_MD_4_E_each_batch_is_opened(house: House) -> None:
    """With a shuffler both batches go through inspection, spread, mixing and stacking."""
    steps = ["inspect", "verify", "spread", "view", "turn", "wash", "stack"]
    with house.table(MD, 1, options={"shuffle": "batches"}) as table:
        assert table.prepare("new") == [*steps, *steps]
        for batch in ("red", "blue"):
            done = [event["step"] for event in table.told("prepared") if event["batch"] == batch]
            assert done == steps


@proves("live", "MD-4-F", "MD-5-B-2")
@pytest.mark.finding(11)
@pytest.mark.parametrize(
    ("condition", "skipped"),
    [("inspected_and_shuffled", 7), ("inspected", 2), ("shuffled", 0), ("new", 0)],
)
def test_live_MD_4_F_prepared_cards(house: House, condition: str, skipped: int) -> None:
    """Decks inspected and shuffled go straight to the cut, which all need (A18)."""
    steps = ["inspect", "verify", "spread", "view", "turn", "wash", "stack"]
    with house.table(MD, 1) as table:
        assert table.prepare(condition) == steps[skipped:]
        assert table.commands("receive_decks")[0]["condition"] == condition
        table.shuffle()
        assert table.what() == "cut"
        assert table.code(table.dealer, "load_shoe") == "cut_due"
        table.must(table.players[0], "refuse_cut")
        table.must(table.dealer, "load_shoe")


@proves("live", "MD-5-A", "MD-5-B", "MD-5-F-1", "MD-5-A-3")
def test_live_MD_5_A_the_shuffle(house: House) -> None:
    """A shuffle is one stack, committed to before play; its seed, once it is over, proves it."""
    orders = []
    with house.table(MD, 1) as table:
        table.prepare()
        for number, position in ((1, 10), (2, 302)):
            table.must(table.dealer, "shuffle_cards")
            table.must(table.players[0], "cut", position=position)
            table.must(table.dealer, "load_shoe")
            table.play(no_tie, {"primary": 10})
            if table.what() == "choice":
                table.choose(table.players[0], 1, "surrender")
            assert table.code(table.dealer, "order_reshuffle", reason="no") == "not_your_part"
            assert not table.state()["shoe"]["seed"]
            table.must(table.floor, "order_reshuffle", reason="for once")
            started, ended = table.told("shoe_started")[-1], table.told("shoe_ended")[-1]
            assert started["seed"] == ""
            assert ended["reason"] == "reshuffle ordered: for once"
            shoe = table.live.finished[-1]
            assert (shoe.commitment, shoe.seed) == (started["commitment"], ended["seed"])
            assert all(step.ok for step in verify_shoe(shoe))
            order = [dealt.card for dealt in shoe.drawn]
            recalled = table.recall(number).cards
            dealt = [recalled[1][0], recalled[0][0]]
            assert dealt == order[1 : 1 + len(dealt)]
            assert shoe.cuts == (shoes.CutRecord(table.players[0].name, position),)
            orders.append(order)
        assert orders[0] != orders[1]
        assert [each["actor"] for each in table.commands("order_reshuffle")] == [
            table.floor.name
        ] * 2


@proves("live", "MD-5-A-2")
def test_live_MD_5_A_2_a_shuffle_for_every_round(house: House) -> None:
    """Cards are shuffled after each round where the table is so set, else they are played on."""
    with house.table(MD, 1, options={"shuffle": "every_round"}) as table:
        for _ in range(2):
            table.open(no_tie)
            table.play(no_tie, {"primary": 10})
        assert [event["reason"] for event in table.told("shoe_ended")] == ["one round", "one round"]
    with house.table(MD, 1) as table:
        table.open(no_tie)
        for _ in range(2):
            table.play(no_tie, {"primary": 10})
        assert not table.told("shoe_ended")
        assert len(table.told("shoe_started")) == 1


@proves("live", "MD-5-I", "MD-5-I-1", "MD-5-I-2", "MD-5-I-3", "MD-5-D")
def test_live_MD_5_I_the_idle_table(tmp_path: Path) -> None:
    """Where nobody plays the cards are spread face down; who comes sees them, then all anew."""
    impatient = replace(PATIENT, idle_ms=200, cut_ms=300)
    with house_of(tmp_path, MD, guests=2, shared=impatient) as house, house.table(MD, 1) as table:
        table.prepare()
        table.shuffle()
        wait_for(table, "cut_made")
        table.must(table.dealer, "load_shoe")
        table.must(table.players[0], "leave")
        wait_for(table, "table_idle")
        assert table.told("table_idle")[0]["by"] == "platform"
        state = table.state()
        assert state["idle"]
        assert not state["spread_up"]
        assert state["shoe"] is None
        assert state["finished"]["ended"] == "idle table"
        ann, bob = house.guests
        table.must(ann, "join", amount=1_000, seat=4)
        table.must(bob, "join", amount=1_000, seat=5)
        table.players = [ann, bob]
        table.must(bob, "turn_up")
        assert table.state()["spread_up"]
        assert table.code(table.dealer, "start_round") == "no_shoe"
        assert table.code(table.dealer, "shuffle_cards") == "not_prepared"
        assert table.code(bob, "prepare", step="view") == "not_first"
        assert table.prepare() == ["view", "turn", "wash", "stack"]
        table.shuffle()
        # Nobody answers the offer in time: the dealer cuts.
        wait_for(table, "cut_made", 2)
        offered = [event["player"] for event in table.told("cut_offered")]
        assert offered == [ann.name, ann.name, bob.name]
        assert len(table.told("cut_refused")) == 3
        assert table.told("cut_made")[-1]["player"] is None
        table.must(table.dealer, "load_shoe")
        table.start()


def wait_for(table: SeatedTable, kind: str, times: int = 1) -> None:
    """Wait until everybody is told of so many events of this kind."""
    while len(table.spectator.events(kind)) < times:
        table.spectator.read()
    table.number = table.spectator.last or 0


@proves("live", "MD-5-K")
def test_live_MD_5_K_a_continuous_shuffler(house: House) -> None:
    """With a continuous shuffler there is no cut, no cover card, no recut and no idle spread."""
    options = {"shuffle": "continuous"}
    assert "approval" in house.refused(book=MD, options=options)
    with house.table(MD, 1, options=options, approval="Commission 7") as table:
        table.prepare()
        table.shuffle()
        assert table.what() == "load"
        assert table.code(table.players[0], "cut", position=50) == "not_offered"
        assert table.code(table.floor, "order_recut", who="last", reason="none") == "no_recut"
        table.must(table.dealer, "load_shoe")
        assert table.state()["shoe"]["cover"] is None
        assert table.code(table.dealer, "go_idle") == "no_idle_spread"
        table.play(no_tie, {"primary": 10})
        if table.what() == "choice":
            table.choose(table.players[0], 1, "surrender")
        assert not table.told("cut_offered", "cut_made", "cover_card_out", "table_idle")
        assert table.told("shoe_ended")[0]["reason"] == "one round"
