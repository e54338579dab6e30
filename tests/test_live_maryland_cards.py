"""Maryland's cards at a live table: opening, shuffle, batches, age, the idle table, devices."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from clauses import proves
from livetables import PATIENT
from pits import House, Pit, Stack, house_of, ties
from wartable import shoe as shoes
from wartable import stream
from wartable.cards import DECK

MD = "maryland"
BOOKS = (MD,)
DAY_MS = 24 * 3_600_000


def no_tie(cards: Stack) -> bool:
    """Two rounds of one box end without a tie."""
    return not ties(cards[0], cards[1]) and not ties(cards[2], cards[3])


@proves("live", "MD-3-A-2", "MD-5-F-3")
def test_live_MD_3_A_2_two_cover_cards(house: House) -> None:
    """One cover card cuts the stack, another marks how deep it is dealt; then it is loaded."""
    with house.pit(MD, 1) as pit:
        assert pit.book()["rules"]["shoe"]["cutting_cards"] == 2
        pit.prepare()
        pit.shuffle()
        assert pit.code(pit.dealer, "load_shoe") == "cut_due"
        pit.must(pit.players[0], "cut", position=100)
        assert pit.what() == "load"
        pit.must(pit.dealer, "load_shoe")
        assert pit.kinds("cut_made", "shoe_loaded") == ["cut_made", "shoe_loaded"]
        assert pit.told("cut_made")[0]["position"] == 100
        assert pit.state()["shoe"]["cover"] == {"position": 234, "low": 234, "high": 234}


@proves("live", "MD-3-B-2", "MD-3-B-3", "MD-3-B-4", "MD-3-B-5", "MD-5-B-1")
def test_live_MD_3_B_batches_take_turns(house: House) -> None:
    """One batch is played while the other waits shuffled in the device; backs and rack tell."""
    with house.pit(MD, 1, options={"shuffle": "batches"}) as pit:
        pit.prepare()
        pit.shuffle(cut=False)
        assert pit.what() == "load"
        assert not pit.told("cut_offered", "cut_made")
        pit.must(pit.dealer, "load_shoe")
        for played, waiting in (("red", "blue"), ("blue", "red"), ("red", "blue")):
            shoe = pit.state()["shoe"]
            assert shoe["terms"]["batch"] == played
            assert shoe["discards"] == [0]
            assert pit.code(pit.dealer, "load_shoe") == "no_stack"
            pit.shuffle(cut=False)
            assert pit.state()["stored"]["terms"]["batch"] == waiting
            assert pit.code(pit.dealer, "shuffle_cards") == "shoe_in_use"
            pit.start()
            pit.bet(pit.players[0], 1, 10)
            pit.dealt()
            if pit.what() == "choice":
                pit.choose(pit.players[0], 1, "surrender")
            assert len(pit.state()["shoe"]["discards"]) == 3
            pit.must(pit.floor, "order_reshuffle", reason="the other batch")
            assert pit.state()["finished"]["terms"]["batch"] == played
            assert pit.what() == "load"
            pit.must(pit.dealer, "load_shoe")
        backs = [event["terms"]["batch"] for event in pit.told("shoe_started")]
        assert backs == ["red", "blue", "red", "blue"]


@proves("live", "MD-3-C")
def test_live_MD_3_C_the_cards_age(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No round starts on cards that came 24 hours ago; with new ones the game goes on."""
    monkeypatch.setattr(
        "wartable.server.tables.floor.ABSENT_MS", 2 * DAY_MS
    )  # nobody leaves meanwhile
    with house_of(tmp_path, MD, guests=1) as house, house.pit(MD, 1) as pit:
        pit.open(no_tie)
        pit.play(no_tie, {"primary": 100})
        house.hosted.clock.ahead_ms = DAY_MS
        pit.dealer = house.hosted.sign_in(pit.dealer.name, pit.dealer.password)
        guest = house.guests[0]
        pit.floor = house.hosted.sign_in(pit.floor.name, pit.floor.password)
        house.guests[0] = pit.players[0] = house.hosted.sign_in(guest.name, guest.password)
        assert pit.code(pit.dealer, "start_round") == "deck_age"
        pit.must(pit.dealer, "receive_decks", condition="preshuffled")
        pit.open()
        pit.start()


@proves("live", "MD-4-C-3", "MD-4-D", "MD-5-A-1")
def test_live_MD_4_C_3_stacked_then_shuffled(house: House) -> None:
    """The cards are stacked, and nothing is dealt before they are shuffled and all in the shoe."""
    with house.pit(MD, 1) as pit:
        pit.must(pit.dealer, "receive_decks")
        for step in ("inspect", "verify", "spread", "view", "turn", "wash", "stack"):
            assert pit.what() == f"prepare {step}"
            assert pit.code(pit.dealer, "shuffle_cards") == "not_prepared"
            by = {"verify": pit.floor, "view": pit.players[0]}.get(step, pit.dealer)
            pit.must(by, "prepare", step=step)
        assert pit.what() == "shuffle"
        assert pit.code(pit.dealer, "start_round") == "no_shoe"
        assert pit.code(pit.dealer, "load_shoe") == "no_stack"
        pit.shuffle()
        pit.must(pit.players[0], "refuse_cut")
        assert pit.code(pit.dealer, "start_round") == "no_shoe"
        pit.must(pit.dealer, "load_shoe")
        shoe = pit.hosted.house.floor.places[pit.name].live.state.shoe
        assert shoe is not None
        assert sorted(shoe.cards) == sorted(DECK * 6)
        pit.start()


@proves("live", "MD-4-E")
def test_live_MD_4_E_each_batch_is_opened(house: House) -> None:
    """With a shuffler both batches go through inspection, spread, mixing and stacking."""
    steps = ["inspect", "verify", "spread", "view", "turn", "wash", "stack"]
    with house.pit(MD, 1, options={"shuffle": "batches"}) as pit:
        for batch in ("red", "blue"):
            assert pit.prepare("new") == steps
            pit.shuffle(cut=False)
            pit.must(pit.dealer, "load_shoe")
            pit.must(pit.floor, "order_reshuffle", reason="the other batch")
            done = [event["step"] for event in pit.told("prepared") if event["batch"] == batch]
            assert done == steps


@proves("live", "MD-4-F", "MD-5-B-2")
@pytest.mark.parametrize("condition", ["preshuffled", "preinspected", "new"])
def test_live_MD_4_F_preshuffled_cards(house: House, condition: str) -> None:
    """Preshuffled decks go straight to the cut, which they need like those shuffled by hand."""
    with house.pit(MD, 1) as pit:
        steps = pit.prepare(condition)
        assert (not steps) == (condition == "preshuffled")
        assert pit.commands("receive_decks")[0]["condition"] == condition
        pit.shuffle()
        assert pit.what() == "cut"
        assert pit.code(pit.dealer, "load_shoe") == "cut_due"
        pit.must(pit.players[0], "refuse_cut")
        pit.must(pit.dealer, "load_shoe")


@proves("live", "MD-5-A", "MD-5-B", "MD-5-F-1", "MD-5-A-3")
def test_live_MD_5_A_the_shuffle(house: House) -> None:
    """A shuffle is one stack, committed to before play; its seed, once it is over, proves it."""
    orders = []
    with house.pit(MD, 1) as pit:
        pit.prepare()
        for number, position in ((1, 10), (2, 302)):
            pit.must(pit.dealer, "shuffle_cards")
            pit.must(pit.players[0], "cut", position=position)
            pit.must(pit.dealer, "load_shoe")
            pit.play(no_tie, {"primary": 10})
            if pit.what() == "choice":
                pit.choose(pit.players[0], 1, "surrender")
            assert pit.code(pit.dealer, "order_reshuffle", reason="no") == "not_your_part"
            assert not pit.state()["shoe"]["seed"]
            pit.must(pit.floor, "order_reshuffle", reason="for once")
            started, ended = pit.told("shoe_started")[-1], pit.told("shoe_ended")[-1]
            assert started["seed"] == ""
            assert ended["reason"] == "reshuffle ordered: for once"
            terms = shoes.Terms(**started["terms"])
            shoe = shoes.start(terms, bytes.fromhex(ended["seed"]))
            assert shoe.commitment == started["commitment"]
            order = stream.order(bytes.fromhex(ended["seed"]), shoes.heard(shoe), 6)
            assert sorted(order) == sorted(DECK * 6)
            lifted = order[position:] + order[:position]
            recalled = pit.recall(number).cards
            dealt = [recalled[1][0], recalled[0][0]]
            assert dealt == list(lifted[1 : 1 + len(dealt)])
            orders.append(order)
        assert orders[0] != orders[1]
        assert [each["actor"] for each in pit.commands("order_reshuffle")] == [pit.floor.name] * 2


@proves("live", "MD-5-A-2")
def test_live_MD_5_A_2_a_shuffle_for_every_round(house: House) -> None:
    """Cards are shuffled after each round where the table is so set, else they are played on."""
    with house.pit(MD, 1, options={"shuffle": "every_round"}) as pit:
        for _ in range(2):
            pit.open(no_tie)
            pit.play(no_tie, {"primary": 10})
        assert [event["reason"] for event in pit.told("shoe_ended")] == ["one round", "one round"]
    with house.pit(MD, 1) as pit:
        pit.open(no_tie)
        for _ in range(2):
            pit.play(no_tie, {"primary": 10})
        assert not pit.told("shoe_ended")
        assert len(pit.told("shoe_started")) == 1


@proves("live", "MD-5-I", "MD-5-I-1", "MD-5-I-2", "MD-5-I-3", "MD-5-D")
def test_live_MD_5_I_the_idle_table(tmp_path: Path) -> None:
    """Where nobody plays the cards are spread face down; who comes sees them, then all anew."""
    impatient = replace(PATIENT, idle_ms=200, cut_ms=300)
    with house_of(tmp_path, MD, guests=2, shared=impatient) as house, house.pit(MD) as pit:
        pit.prepare()
        pit.shuffle()
        pit.must(pit.dealer, "load_shoe")
        wait_for(pit, "table_idle")
        assert pit.told("table_idle")[0]["by"] == "platform"
        state = pit.state()
        assert state["idle"]
        assert not state["spread_up"]
        assert state["shoe"] is None
        assert state["finished"]["ended"] == "idle table"
        ann, bob = house.guests
        pit.must(ann, "join", amount=1_000, seat=4)
        pit.must(bob, "join", amount=1_000, seat=5)
        pit.players = [ann, bob]
        pit.must(bob, "turn_up")
        assert pit.state()["spread_up"]
        assert pit.code(pit.dealer, "start_round") == "no_shoe"
        assert pit.code(pit.dealer, "shuffle_cards") == "not_prepared"
        assert pit.code(bob, "prepare", step="view") == "not_first"
        assert pit.prepare() == ["view", "turn", "wash", "stack"]
        pit.shuffle()
        # Nobody answers the offer in time: the dealer cuts.
        wait_for(pit, "cut_made", 2)
        offered = [event["player"] for event in pit.told("cut_offered")]
        assert offered == [ann.name, bob.name]
        assert len(pit.told("cut_refused")) == 2
        assert pit.told("cut_made")[-1]["player"] is None
        pit.must(pit.dealer, "load_shoe")
        pit.start()


def wait_for(pit: Pit, kind: str, times: int = 1) -> None:
    """Wait until everybody is told of so many events of this kind."""
    while len(pit.spectator.events(kind)) < times:
        pit.spectator.read()
    pit.number = pit.spectator.last or 0


@proves("live", "MD-5-K")
def test_live_MD_5_K_a_continuous_shuffler(house: House) -> None:
    """With a continuous shuffler there is no cut, no cover card, no recut and no idle spread."""
    options = {"shuffle": "continuous"}
    assert "approval" in house.refused(book=MD, options=options)
    with house.pit(MD, 1, options=options, approval="Commission 7") as pit:
        pit.prepare()
        pit.shuffle(cut=False)
        assert pit.what() == "load"
        assert pit.code(pit.players[0], "cut", position=50) == "not_offered"
        assert pit.code(pit.floor, "order_recut", who="last", reason="none") == "no_recut"
        pit.must(pit.dealer, "load_shoe")
        assert pit.state()["shoe"]["cover"] is None
        assert pit.code(pit.dealer, "go_idle") == "no_idle_spread"
        pit.play(no_tie, {"primary": 10})
        if pit.what() == "choice":
            pit.choose(pit.players[0], 1, "surrender")
        assert not pit.told("cut_offered", "cut_made", "cover_card_out", "table_idle")
        assert pit.told("shoe_ended")[0]["reason"] == "one round"
