"""What each event changes of a table, and that it leaves everything else as it is."""

from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from tables import DEALER, Play, seed
from wartable import game, table
from wartable import shoe as shoes
from wartable.proof import CardIncident, PlayerNumber, When
from wartable.shoe import Seal
from wartable.table import Event, Guest, MeterState, Table, older
from wartable.table import commands as c
from wartable.table import events as e
from wartable.table.state import Bank, BankTurn, CutOffer, Decks

pytestmark = pytest.mark.finding(19)

ANN, BOB = Guest("ann", 5_000, 1, 1), Guest("bob", 7_000, 2, 2)
CUT = CutOffer("bob", ("ann",), "ann", True)
TURN = BankTurn("bob", 2, 2)
BANK = Bank("ann", 1, 1, TURN, "bob", ("ann",), "ann", 500, True)
DECKS = Decks(
    at_ms=5,
    condition="preinspected",
    done={"red": ("wash",), "blue": ("riffle",)},
    inspectors={"red": "dora"},
    ready=("red",),
    spread=("green",),
    sets=("one",),
)
METER = MeterState(shown=1_000, carry=7, fed=110, seeded=900, paid=10)
BEFORE = MeterState(shown=990, carry=1, fed=100, seeded=900, paid=10)


OPEN_LIST: dict[str, Any] = {
    "undecided": True,
    "numbers": (PlayerNumber("ann", "5e" * 32),),
    "numbered": True,
    "numbers_closed": True,
}
"""What a table knows while links and numbers are about to decide cards."""
NEW_LIST: dict[str, Any] = {"numbers": (), "numbers_closed": False}
NO_LIST = {"undecided": False, "numbers": (), "numbered": False, "numbers_closed": False}


def of(wager: Any = 300, **others: Any) -> game.Wager:
    """A primary wager."""
    return game.Wager("primary", wager, **others)


HANDS = (game.Hand(1, "ann", (of(),)), game.Hand(2, "bob", (of(200),)))
ROUND = game.Round(opened=True, seats={1: "ann", 2: "bob"}, hands=HANDS)


@pytest.fixture(scope="module")
def busy() -> Table:
    """A table on which nothing is as at the beginning, so that any change is seen."""
    play = Play("california").join("ann", "bob").ready()
    play.do(c.ShuffleCards(seed("other"), DEALER))
    state = play.state
    assert state.shoe is not None
    assert state.stored is not None
    return Table(
        guests={"ann": ANN, "bob": BOB},
        arrivals=2,
        method="batches",
        decks=DECKS,
        idle=True,
        spread_up=True,
        shoes=2,
        seals=(Seal("ann", "a" * 64), Seal("bob", "b" * 64)),
        shoe=state.shoe,
        stored=state.stored,
        shoe_rounds=4,
        last_batch="blue",
        cut=CUT,
        cover_box=2,
        cover_player="bob",
        reshuffle="asked",
        reshuffled_by_floor=True,
        dealer="dan",
        dealer_burn_due=True,
        device_failed="smoke",
        device_mark="signed",
        restrictions={"box_max": 900, "boxes_per_player": 2},
        player_box_maximums={"ann": 300, "bob": 400},
        bank=BANK,
        meters={"progressive": METER, "primary": METER},
        meters_before={"progressive": BEFORE, "primary": BEFORE},
        award="progressive",
        counted=True,
        miscounted=True,
        rounds=7,
        round=ROUND,
        **OPEN_LIST,
    )


def bank(**changed: Any) -> dict[str, Any]:
    """The bank with some fields changed."""
    return {"bank": replace(BANK, **changed)}


def decks(**changed: Any) -> dict[str, Any]:
    """The cards with some fields changed."""
    return {"decks": replace(DECKS, **changed)}


def meter(**changed: Any) -> dict[str, Any]:
    """The progressive meter with some fields changed."""
    return {"meters": {"progressive": replace(METER, **changed), "primary": METER}}


def stacks(ann: int = 5_000, bob: int = 7_000) -> dict[str, Any]:
    """The players with other stacks."""
    return {"guests": {"ann": replace(ANN, stack=ann), "bob": replace(BOB, stack=bob)}}


def hand(number: int, *wagers: game.Wager, **changed: Any) -> dict[str, Any]:
    """The round with one of its hands changed."""
    hands = list(HANDS)
    hands[number] = replace(HANDS[number], wagers=wagers or HANDS[number].wagers, **changed)
    return {"round": replace(ROUND, hands=tuple(hands))}


NEW_GAME = {"cover_box": None, "cover_player": None, "reshuffled_by_floor": False}
SEATED = {1: "ann", 2: "bob", 3: "cat"}

ROWS: list[tuple[Event, dict[str, Any]]] = [
    (
        e.Joined("cat", 900, 3),
        {
            "guests": {"ann": ANN, "bob": BOB, "cat": Guest("cat", 900, 3, 3)},
            "arrivals": 3,
            **bank(untaken=False),
            "round": replace(ROUND, seats=SEATED),
        },
    ),
    (e.BoughtIn("ann", 30), stacks(ann=5_030)),
    (e.CashedOut("bob", 30), stacks(bob=6_970)),
    (
        e.Departed("ann", 5_000),
        {
            "guests": {"bob": BOB},
            **bank(taken=None, posted=0),
            "round": replace(ROUND, seats={2: "bob"}),
        },
    ),
    (
        e.Departed("bob", 7_000),
        {
            "guests": {"ann": ANN},
            **bank(offered=None),
            "cut": replace(CUT, offered=None),
            "round": replace(ROUND, seats={1: "ann"}),
        },
    ),
    (
        e.DecksReceived("dan", 60, "new", ("two",)),
        {"decks": Decks(60, "new", sets=("two",)), "idle": False, "spread_up": False, **NEW_GAME},
    ),
    (
        e.DecksReceived("dan", 60, "new", ("two",), 40),
        {"decks": Decks(40, "new", sets=("two",)), "idle": False, "spread_up": False, **NEW_GAME},
    ),
    (e.DecksRemoved("worn"), {"decks": None}),
    (
        e.Prepared("dan", "inspect", "red"),
        decks(
            done={"red": ("wash", "inspect"), "blue": ("riffle",)},
            inspectors={"red": "dan"},
        ),
    ),
    (
        e.Prepared("dan", "stack", "blue"),
        decks(done={"red": ("wash",), "blue": ("riffle", "stack")}),
    ),
    (older.SeedSealed("ann", "c" * 64), {"seals": (Seal("bob", "b" * 64), Seal("ann", "c" * 64))}),
    (e.CutOffered("ann"), {"cut": replace(CUT, offered="ann")}),
    (e.CutRefused("bob"), {"cut": replace(CUT, offered=None, asked=("ann", "bob"))}),
    (e.RecutOrdered("flo", "slipped", "last"), {"cut": replace(CUT, made=False), **NEW_LIST}),
    (
        e.RecutOrdered("flo", "slipped", "next"),
        {"cut": replace(CUT, made=False, asked=("ann", "ann")), **NEW_LIST},
    ),
    (e.BankOffered("ann"), bank(offered="ann", untaken=False)),
    (e.BankTaken("bob", 80), bank(offered=None, passed=(), taken="bob", posted=80)),
    (e.BankPassed("bob"), bank(offered=None, passed=("ann", "bob"))),
    (e.BankUntaken(), bank(offered=None, passed=(), untaken=True)),
    (
        e.RoundStarted(8, 90),
        {
            "rounds": 8,
            "shoe_rounds": 5,
            "round": game.Round(),
            "counted": False,
            "miscounted": False,
            "dealer_burn_due": False,
            "meters_before": {"progressive": METER, "primary": METER},
            **NO_LIST,
        },
    ),
    (e.SideBetsCounted("dan"), {"miscounted": False}),
    (e.CountDiffered("dan"), {}),
    (e.MeterFed("progressive", 30, 2), meter(shown=1_030, fed=140, carry=2)),
    (e.MeterUnfed("progressive", 30, 2), meter(shown=970, fed=80, carry=2)),
    (e.AwardPending("primary"), {"award": "primary"}),
    (e.AwardApproved("progressive", "flo"), {}),
    (e.MeterReset("progressive", 50), meter(shown=1_050, seeded=950)),
    (
        e.MetersShown(3, {"primary": BEFORE}, {"primary": METER}),
        {"meters": {"primary": BEFORE}, "meters_before": {"primary": METER}},
    ),
    (e.CoverCardOut(1), {"cover_box": 1, "cover_player": "ann"}),
    (e.CoverCardOut(0), {"cover_box": 0, "cover_player": None}),
    (e.DrawnInError("dan"), {}),
    (e.Jammed("dan"), {}),
    (e.DealerChanged("dora"), {"dealer": "dora"}),
    (e.ReshuffleOrdered("flo", "worn"), {"reshuffle": "worn"}),
    (
        e.TableIdle("dan"),
        {
            **decks(done={"blue": ("riffle",)}, ready=(), spread=("green", "red")),
            "spread_up": False,
            **NEW_GAME,
        },
    ),
    (e.SpreadTurnedUp("ann"), {}),
    (e.DeviceFailed("dan", "noise"), {"device_failed": "noise", "device_mark": None}),
    (e.DeviceMarked("dan", "covered"), {"device_mark": "covered"}),
    (e.DeviceRepaired("flo"), {"device_failed": None, "device_mark": None}),
    (e.MethodChanged("flo", "shoe"), {"method": "shoe", **decks(done={"red": ("wash",)})}),
    (
        e.Restricted("flo", "box_max", 700),
        {"restrictions": {"boxes_per_player": 2, "box_max": 700}},
    ),
    (e.Restricted("flo", "box_max", 0), {"restrictions": {"boxes_per_player": 2}}),
    (
        e.Restricted("flo", "player_box_max", 100, "ann"),
        {"player_box_maximums": {"bob": 400, "ann": 100}},
    ),
    (e.Restricted("flo", "player_box_max", 0, "ann"), {"player_box_maximums": {"bob": 400}}),
    (game.BetsClosed(), {"round": replace(ROUND, bets_closed=True)}),
    (game.Declined("ann", 1), hand(0, tie_declined=True)),
    (game.Placed("ann", 1, "primary", 50), {**stacks(ann=4_950), **hand(0, of(350))}),
    (
        game.Withdrawn("bob", 2, "primary", 200),
        {**stacks(bob=7_200), "round": replace(ROUND, hands=HANDS[:1])},
    ),
    (
        game.Returned("ann", 1, "primary", "uncovered", 100),
        {**stacks(ann=5_100), **hand(0, of(uncovered=100, returned=100))},
    ),
    (game.Chosen("ann", 1, "war"), hand(0, choice="war")),
    (
        game.Matched("ann", 1, "primary", 60),
        hand(0, of(matched=60)),
    ),
    (
        game.Settled("bob", 2, "primary", "won", 400),
        {**stacks(bob=7_400), **hand(1, of(200, outcome="won", returned=400))},
    ),
    (
        game.EnvyPaid("bob", 2, "ann", 1, 60),
        {**stacks(bob=7_060), **hand(1, envy=60)},
    ),
    (
        game.Left("ann"),
        {"guests": {"ann": replace(ANN, leaving=True), "bob": BOB}, **hand(0, absent=True)},
    ),
    (
        game.BoxVoided(1),
        {
            **stacks(ann=5_300),
            "round": replace(
                ROUND,
                hands=(
                    game.Hand(1, "ann", (of(outcome="not_dealt", returned=300),)),
                    HANDS[1],
                ),
                void_boxes=(1,),
            ),
        },
    ),
    (
        game.RoundVoided("a misdeal"),
        {
            **stacks(ann=5_300, bob=7_200),
            "meters": {"progressive": BEFORE, "primary": BEFORE},
            "award": None,
            "round": replace(
                ROUND,
                hands=(
                    game.Hand(1, "ann", (of(outcome="void", returned=300),)),
                    game.Hand(2, "bob", (of(200, outcome="void", returned=200),)),
                ),
                void="a misdeal",
            ),
        },
    ),
    (game.Closed(), {"round": replace(ROUND, closed=True)}),
    (
        game.MeterRead("progressive", 1_000),
        {
            **meter(shown=0, paid=1_010),
            "award": None,
            "round": replace(ROUND, reading=game.MeterRead("progressive", 1_000)),
        },
    ),
    (game.Spun(None, None, "$25"), {"round": replace(ROUND, spun=game.Spun(None, None, "$25"))}),
]
"""Each event with all that it changes."""


def changes(before: Table, event: Event) -> dict[str, Any]:
    """The fields of a table that an event changes, as they are after it."""
    after = table.apply(before, event)
    old, new = msgspec.structs.asdict(before), msgspec.structs.asdict(after)
    return {name: new[name] for name in new if new[name] != old[name]}


@pytest.mark.parametrize(("event", "changed"), ROWS, ids=lambda each: type(each).__name__)
def test_what_an_event_changes(busy: Table, event: Event, changed: dict[str, Any]) -> None:
    """An event changes what it must, and nothing else."""
    assert changes(busy, event) == changed


def test_counts_on_a_fresh_table(busy: Table) -> None:
    """A count, a wrong count, an idle table and a turned spread are seen on a table without."""
    fresh = replace(busy, counted=False, miscounted=False, idle=False, spread_up=False)
    assert changes(fresh, e.SideBetsCounted("dan")) == {"counted": True}
    assert changes(fresh, e.CountDiffered("dan")) == {"miscounted": True}
    assert changes(fresh, e.SpreadTurnedUp("ann")) == {"spread_up": True}
    assert changes(fresh, e.TableIdle("dan"))["idle"] is True
    untaken = replace(busy, bank=replace(BANK, untaken=False))
    assert changes(untaken, e.BankUntaken()) == {
        "bank": replace(BANK, offered=None, passed=(), untaken=True)
    }


def test_a_dealer_who_opens_the_table_burns_nothing(busy: Table) -> None:
    """A first dealer of fresh cards takes over from nobody; any other one burns a card."""
    assert busy.shoe is not None
    used = replace(busy, dealer_burn_due=False)
    undrawn = replace(busy.shoe, drawn=(), discards=())
    for state, due in (
        (used, True),
        (replace(used, dealer=None), True),
        (replace(used, dealer=None, shoe=None), False),
        (replace(used, dealer=None, shoe=undrawn), False),
        (replace(used, shoe=None), True),
    ):
        assert table.apply(state, e.DealerChanged("dora")).dealer_burn_due is due


def test_a_shoes_way(busy: Table) -> None:
    """A stack is started, cut, loaded, drawn from and ended, and a stored one takes its place."""
    assert busy.shoe is not None
    assert busy.stored is not None
    stored = busy.stored
    started = e.ShoeStarted(stored.terms, stored.commitment, stored.seals, stored.seed)
    begun = {"shoes": 2, "seals": (), "idle": False, "spread_up": False}
    ready = {"decks": replace(DECKS, ready=("red", stored.terms.batch))}
    before = replace(busy, stored=None, shoes=1)
    assert changes(before, started) == {**begun, **ready, "stored": stored}
    empty = replace(before, shoe=None)
    fresh = {"shoe": stored, "cut": CutOffer(), **NEW_LIST}
    assert changes(empty, started) == {**begun, **ready, **fresh}
    known = replace(empty, decks=replace(DECKS, ready=("red", "blue")))
    assert "decks" not in changes(known, started)
    assert "decks" not in changes(replace(empty, decks=None), started)
    ended = changes(busy, e.ShoeEnded("worn", busy.shoe.terms.number, busy.shoe.seed))
    assert ended == {
        "shoe": stored,
        "stored": None,
        "finished": shoes.end(busy.shoe, "worn"),
        "cut": CutOffer(),
        "reshuffle": None,
        **NEW_LIST,
    }
    calm = replace(busy, reshuffle=None)
    assert (
        changes(calm, e.ShoeEnded("worn", busy.shoe.terms.number))["reshuffled_by_floor"] is False
    )
    jammed = changes(busy, e.ShoeEnded("jam", stored.terms.number, stored.seed))
    assert jammed == {"stored": None, "finished": shoes.end(stored, "jam")}


def test_a_stack_is_cut_and_loaded(busy: Table) -> None:
    """Who cut is remembered, and a loaded shoe begins a game of its own."""
    assert busy.stored is not None
    play = Play("maryland").join("ann").ready("cut")
    stack = play.state.shoe
    assert stack is not None
    state = replace(busy, shoe=stack, cut=replace(CUT, made=False))
    assert changes(state, e.CutMade("bob", 100)) == {
        "shoe": shoes.cut(stack, "bob", 100),
        "cut": replace(CUT, offered=None, last="bob", made=True),
    }
    cut = table.apply(state, e.CutMade("bob", 100))
    assert cut.shoe is not None
    assert changes(cut, e.ShoeLoaded("dan", 200, 210)) == {
        "shoe": shoes.load(cut.shoe, (200, 210)),
        "shoe_rounds": 0,
        "last_batch": "",
        "reshuffle": None,
        **NEW_GAME,
    }
    one = Play("maryland", shuffle="every_round").join("ann").ready("load").state.shoe
    assert one is not None
    for low, high in ((None, 210), (200, None), (None, None)):
        loaded = table.apply(replace(cut, shoe=one), e.ShoeLoaded("dan", low, high)).shoe
        assert loaded == shoes.load(one, None)


@pytest.mark.parametrize(("closed", "number"), [(False, 7), (True, 8)])
def test_a_card_belongs_to_a_round(busy: Table, closed: bool, number: int) -> None:
    """A card drawn between rounds counts to the next one; burned ones are racked."""
    assert busy.shoe is not None
    state = replace(busy, round=replace(ROUND, closed=closed))
    for event, use in (
        (e.CardBurned("new_dealer"), "burn"),
        (e.CardSetAside("dan", "face_up", "9s"), "set_aside"),
    ):
        shoe = table.apply(state, event).shoe
        assert shoe == shoes.draw(busy.shoe, use, number)[1]  # type: ignore[arg-type]  # one of the uses


def test_cards_go_from_shoe_to_felt_to_rack(busy: Table) -> None:
    """A card for a box, a burned card, the boxes' cards collected, and the house's choice."""
    assert busy.shoe is not None
    dealt = changes(busy, game.Dealt("original", 1, "9s"))
    shoe = shoes.draw(busy.shoe, "original", 7, 1)[1]
    assert dealt == {"shoe": shoe, "round": replace(ROUND, cards={1: "9s"})}
    burned = changes(busy, game.Burned("9s"))
    assert burned == {
        "shoe": shoes.draw(busy.shoe, "burn", 7)[1],
        "round": replace(ROUND, burned=("9s",)),
    }
    lying = replace(busy, shoe=shoe)
    assert changes(lying, e.CardsCollected((1,))) == {"shoe": shoes.collect(shoe, (1,))}
    chose = changes(busy, e.HouseChose("wheel", ("a", "b"), (1, 2), 0))
    assert chose == {"shoe": shoes.choose(busy.shoe, "wheel", ("a", "b"), (1, 2))[1]}


def provable_table(order: When) -> Table:
    """A shared table with two wagers, on which a list of numbers is left from before."""
    play = Play("washington", shared=order).join("ann", "bob").start()
    play.bet("ann", 1, primary=500).bet("bob", 2, primary=500)
    return replace(play.state, undecided=False, numbers=OPEN_LIST["numbers"], numbers_closed=True)


def incidents(state: Table) -> tuple[CardIncident, ...]:
    """What the record of the shoe in use says beyond its cards."""
    assert state.shoe is not None
    assert state.shoe.proof is not None
    return state.shoe.proof.incidents


def test_cards_that_are_decided_after_the_bets() -> None:
    """With the last bet and with each choice a new list begins, unless the shoe is in order."""
    anew = {"undecided": True, "numbers": (), "numbers_closed": False}
    for event in (game.BetsClosed(), game.Chosen("ann", 1, "war")):
        found = changes(provable_table("after_bets"), event)
        assert found.pop("round")
        assert found == anew
        assert set(changes(provable_table("shoe"), event)) == {"round"}


def test_who_leaves_after_the_bets_is_in_the_record() -> None:
    """Cards that were decided may then not be needed; before that nobody has decided any."""
    for order, closed, told in (
        ("after_bets", True, [("player_left", "ann")]),
        ("after_bets", False, []),
        ("shoe", True, []),
    ):
        state = provable_table(order)  # type: ignore[arg-type]  # one of the two words
        state = table.apply(state, game.BetsClosed()) if closed else state
        left = table.apply(state, game.Left("ann"))
        assert [(each.what, each.by) for each in incidents(left)] == told


def test_a_missed_box_is_in_the_record() -> None:
    """The record names who reported it, if somebody did."""
    state = table.apply(provable_table("shoe"), game.BetsClosed())
    for by in ("dora", None):
        (told,) = incidents(table.apply(state, game.BoxVoided(2, by)))
        assert (told.what, told.by, told.reason) == ("box_voided", by or "", "box 2")


def test_what_goes_wrong_with_cards_is_in_the_record() -> None:
    """A card set aside, one drawn in error, a jam and another dealer, each with who said so."""
    state = provable_table("shoe")
    for event, told in (
        (e.CardSetAside("dora", "face_up", shoes.top(state.shoe)), ("card_set_aside", "dora")),  # type: ignore[arg-type]  # it has a shoe
        (e.DrawnInError("dora"), ("drawn_in_error", "dora")),
        (e.Jammed("flo"), ("jammed", "flo")),
        (e.DealerChanged("dora"), ("dealer_changed", "dora")),
    ):
        last = incidents(table.apply(state, event))[-1]
        assert (last.what, last.by) == told
    opening = replace(state, dealer=None, shoe=None)
    assert not table.apply(opening, e.DealerChanged("dora")).dealer_burn_due
    assert table.apply(state, e.DealerChanged("dora")).dealer_burn_due


BANKED = replace(ROUND, banker="ann", bank=500, bank_stack=4_500)


def test_a_bankers_money(busy: Table) -> None:
    """What is posted and matched leaves the stack, and the rest comes back at the close."""
    state = replace(busy, round=game.Round())
    seats = {1: "ann", 2: "bob"}
    opened = game.Opened(seats, "ann", 500, 4_500)
    assert changes(state, opened) == {
        **stacks(ann=4_500),
        "bank": Bank("ann", 1, 2, BankTurn("ann", 1, 1), posted=500),
        "round": game.Round(opened=True, seats=seats, banker="ann", bank=500, bank_stack=4_500),
    }
    other = table.apply(state, game.Opened(seats, "bob", 500, 4_500)).bank
    assert other == Bank("bob", 2, 1, BankTurn("ann", 1, 1), posted=500)
    for unknown in (game.Opened(seats), game.Opened(seats, "ann")):
        assert set(changes(state, unknown)) == {"round"}
    banked = replace(busy, round=BANKED)
    assert (
        changes(banked, game.Matched("bob", 2, "primary", 60))["guests"]
        == stacks(ann=4_940)["guests"]
    )
    lost = (game.Hand(2, "bob", (of(200, outcome="lost", matched=60),)),)
    over = replace(busy, round=replace(BANKED, hands=lost, cards={2: "9s"}))
    assert changes(over, game.Closed()) == {
        **stacks(ann=5_000 + 500 + 60 + 200),
        "round": replace(BANKED, hands=lost, cards={2: "9s"}, closed=True),
    }
    undealt = changes(replace(busy, round=replace(BANKED, hands=lost)), game.Closed())
    assert undealt["bank"] == replace(BANK, button="bob", seat=2, rounds=2)
    void = changes(banked, game.RoundVoided("a misdeal"))
    assert void["bank"] == replace(BANK, button="bob", seat=2, rounds=2)
    unknown_bank = replace(busy, round=replace(BANKED, bank=None))
    assert set(changes(unknown_bank, game.Closed())) == {"round"}


def test_a_void_takes_envy_back_and_counts_what_came_back(busy: Table) -> None:
    """A void gives what is still out: the stake less what was returned, less the envy paid."""
    hands = (game.Hand(1, "ann", (of(returned=100, uncovered=100),), envy=40), HANDS[1])
    state = replace(busy, round=replace(ROUND, hands=hands))
    void = table.apply(state, game.RoundVoided("a misdeal"))
    assert void.guests == stacks(ann=5_000 + 200 - 40, bob=7_200)["guests"]
    settled = (game.Hand(1, "ann", (of(outcome="lost"), of(returned=100, uncovered=100))),)
    state = replace(busy, round=replace(ROUND, hands=settled))
    assert table.apply(state, game.BoxVoided(1)).guests == stacks(ann=5_200)["guests"]


@pytest.mark.parametrize(
    "round_",
    [
        None,
        replace(ROUND, closed=True),
        replace(ROUND, bets_closed=True),
        replace(ROUND, seats={}),
    ],
)
def test_seats_of_a_round_stay(busy: Table, round_: game.Round | None) -> None:
    """After "no more bets", between rounds and with community cards nobody moves in the round."""
    state = replace(busy, round=round_)
    assert table.apply(state, e.Joined("cat", 900, 3)).round == round_
    assert table.apply(state, e.Departed("bob", 7_000)).round == round_


def test_a_side_bet_that_was_abandoned_awaits_no_award(busy: Table) -> None:
    """Older records have awards that were abandoned; a lost primary wager leaves the award."""
    wagers = (of(), game.Wager("progressive", 100))
    state = replace(busy, round=replace(ROUND, hands=(game.Hand(1, "ann", wagers),)))
    for wager, outcome, award in (
        ("progressive", "abandoned", None),
        ("progressive", "lost", "progressive"),
        ("primary", "abandoned", "progressive"),
    ):
        event = game.Settled("ann", 1, wager, outcome, 0)  # type: ignore[arg-type]  # a wager
        assert table.apply(state, event).award == award
