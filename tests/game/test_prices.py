"""The price of a choice is what is then paid, whatever the book, its options, limits and bank."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from msgspec.structs import replace

from rounds import Game, book, limited
from strategies import Draw, Transcript, books, pick, rounds, whole
from wartable.game import (
    Burn,
    Choose,
    Deal,
    DueBurn,
    DueCard,
    DueChoice,
    DueMeter,
    GameCommand,
    GameEvent,
    Hand,
    Placed,
    ReadMeter,
    Returned,
    Round,
    RoundDue,
    Settled,
    awaits,
    step,
)
from wartable.game.prices import Price, price, prices
from wartable.game.wagers.war_tie import war_tie_amounts
from wartable.rules import RuleBook

PLAYED = ("primary", "war", "war_tie")
CARDS = {"won": "Kd", "tied": "Td", "lost": "3d"}
DEALER = "Tc"


@st.composite
def capped_books(draw: Draw) -> RuleBook:
    """Any book, sometimes with a payout limit that is tight enough to matter."""
    rules = draw(books())
    most = pick(draw, [None, 50, 1_000, draw(whole(4_000))])
    return replace(rules, limits=replace(rules.limits, payout_max=most))


def answer(due: RoundDue, box: int, card: str, data: st.DataObject) -> GameCommand:
    """What feeds a war: this card for the box; others get and choose anything."""
    match due:
        case DueBurn():
            return Burn()
        case DueCard(box=each):
            return Deal(
                {0: DEALER, box: card}.get(each) or data.draw(st.sampled_from(["2h", "Ah"]))
            )
        case DueChoice(player=player, box=each):
            return Choose(player, each, data.draw(st.sampled_from(["war", "surrender"])))
        case DueMeter(meter=meter):
            return ReadMeter(meter, 123_456)
    raise AssertionError(due)


def played(
    rules: RuleBook, state: Round, choose: Choose, card: str, data: st.DataObject
) -> tuple[Hand, list[GameEvent]]:
    """The hand after its round was played to the end with this choice and war card, and how."""
    state, events = step(rules, state, choose)
    told = [*events]
    while not state.closed:
        state, events = step(rules, state, answer(awaits(rules, state)[0], choose.box, card, data))
        told += events
    hand = state.hand(choose.player, choose.box)
    assert hand is not None
    return hand, [
        e
        for e in told
        if (getattr(e, "player", 0), getattr(e, "box", 0)) == (choose.player, choose.box)
    ]


def check(rules: RuleBook, state: Round, choose: Choose, told: Price, data: st.DataObject) -> None:
    """The price is what the round pays, for each of the three ends of a war."""
    for end, card in CARDS.items():
        hand, events = played(rules, state, choose, card, data)
        net = sum(wager.net for wager in hand.wagers if wager.kind in PLAYED)
        assert net == getattr(told, end), (end, choose, told)
        assert told.adds == sum(event.amount for event in events if isinstance(event, Placed))
        back = sum(event.amount for event in events if isinstance(event, Returned))
        back += sum(
            event.returned
            for event in events
            if isinstance(event, Settled)
            and event.wager == "primary"
            and choose.choice == "surrender"
        )
        assert told.back == back


def alone(rules: RuleBook, state: Round, due: DueChoice) -> bool:
    """Whether nothing but this choice is open, or what goes with it."""
    together = rules.options.box_choice == "seated_player"
    return all(
        wager.outcome or wager.kind == "progressive"
        for hand in state.hands
        if hand.player != due.player or hand.box != due.box
        if not (together and hand.box == due.box)
        for wager in hand.wagers
    )


@given(rounds(capped_books()), st.data())
def test_a_price_is_what_is_paid(transcript: Transcript, data: st.DataObject) -> None:
    """Where the house banks, or one hand chooses, each choice brings what its price says."""
    rules = transcript.rules
    open_ = [
        (state, due)
        for state in transcript.states
        for due in awaits(rules, state)
        if isinstance(due, DueChoice) and (rules.banker == "house" or alone(rules, state, due))
    ]
    assume(open_)
    state, due = data.draw(st.sampled_from(open_))
    for told in prices(rules, state, due.player):
        if told.box == due.box:
            choose = Choose(due.player, due.box, told.choice, told.war_tie)
            check(rules, state, choose, told, data)
    hand = state.hand(due.player, due.box)
    if hand is not None and rules.options.war_tie_wager == "free":
        choose = Choose(due.player, due.box, "war", war_tie_amounts(rules, hand).min)
        check(rules, state, choose, price(rules, state, choose), data)


def tied(rules: RuleBook | str, amount: int = 1000, **opening: int) -> Game:
    """Ann's tied hand on box 1."""
    return Game(rules, **opening).bet("Ann", 1, primary=amount).close().deal("9s 9d")


def test_the_prices_of_a_plain_war() -> None:
    """War puts as much again at stake; the tie wager at war is listed where it has one size."""
    game = tied("online")
    assert prices(game.rules, game.state, "Ann") == (
        Price(1, "war", 0, adds=1000, back=0, won=1000, tied=2000, lost=-2000),
        Price(1, "war", 1000, adds=2000, back=0, won=0, tied=12_000, lost=-3000),
        Price(1, "surrender", 0, adds=0, back=500, won=-500, tied=-500, lost=-500),
    )
    assert prices(game.rules, game.state, "Bob") == ()
    assert prices(game.rules, Round(), "Ann") == ()


def test_a_payout_limit_is_in_the_price() -> None:
    """A payout limit of 15 cuts what a tied war brings, and leaves what it can lose."""
    game = tied(limited(book("washington"), payout_max=1500))
    war = prices(game.rules, game.state, "Ann")[0]
    assert (war.won, war.tied, war.lost) == (1000, 1500, -2000)


def test_a_bank_that_cannot_match_is_in_the_price() -> None:
    """A bank that matches 4 of 10 sends 6 of the war wager and 6 of the primary back at once."""
    game = tied("california", bank=50_000, bank_stack=400)
    war = prices(game.rules, game.state, "Ann")[0]
    assert (war.adds, war.back) == (1000, 1200)
    assert (war.won, war.tied, war.lost) == (400, 800, -800)
    assert (war.matched, war.sure) == (400, True)
    game = tied("california", bank=50_000, bank_stack=0)
    war = prices(game.rules, game.state, "Ann")[0]
    assert (war.adds, war.back, war.won, war.tied, war.lost) == (1000, 2000, 0, 0, 0)
    assert (war.matched, war.sure) == (0, True)


@pytest.mark.finding(1)
def test_what_the_bank_can_match_is_in_the_price() -> None:
    """The price says how much is matched; a house matches everything, a surrender needs nothing."""
    game = tied("california", bank=50_000, bank_stack=1_000)
    war, surrender = prices(game.rules, game.state, "Ann")
    assert (war.matched, war.back, surrender.matched) == (1000, 0, None)
    game = tied("washington")
    assert [each.matched for each in prices(game.rules, game.state, "Ann")] == [None, None]


@pytest.mark.finding(1)
def test_a_match_is_not_sure_while_a_box_before_may_take_it() -> None:
    """Bob is told that Ann's box comes first, until she has chosen; Ann's own match is sure."""
    game = Game("california", bank=50_000, bank_stack=1500)
    game.bet("Ann", 1, primary=1000).bet("Bob", 2, primary=1000).close().deal("9s 9c 9d")
    ann, bob = (prices(game.rules, game.state, name)[0] for name in ("Ann", "Bob"))
    assert (ann.matched, ann.sure, bob.matched, bob.sure) == (1000, True, 1000, False)
    after = game.state
    game.choose("Ann", 1, "war")
    bob = prices(game.rules, game.state, "Bob")[0]
    assert (bob.matched, bob.sure) == (500, True)
    surrendered, _ = step(game.rules, after, Choose("Ann", 1, "surrender"))
    bob = prices(game.rules, surrendered, "Bob")[0]
    assert (bob.matched, bob.sure) == (1000, True)


def test_who_chose_war_before_is_matched_in_turn() -> None:
    """A bank's match for an earlier box is gone once its war is chosen, and not before."""
    game = Game("california", bank=50_000, bank_stack=1500)
    game.bet("Ann", 1, primary=1000).bet("Bob", 2, primary=1000).close().deal("9s 9c 9d")
    assert prices(game.rules, game.state, "Bob")[0].lost == -2000
    game.choose("Ann", 1, "war")
    assert prices(game.rules, game.state, "Bob")[0].lost == -1000


def test_what_a_running_bank_paid_is_in_the_price() -> None:
    """Of a bank of 10 that paid 6 to another box, 4 is left for what is above its match."""
    game = Game(book("california", bank_cover="running"), bank=1000)
    game.bet("Ann", 1, primary=1000).bet("Bob", 2, primary=600).close().deal("9s Kc 9d")
    assert prices(game.rules, game.state, "Ann")[0].tied == 1000 + 400


@pytest.mark.finding(19)
def test_a_price_counts_only_what_the_choice_gives_back() -> None:
    """What a short bank returned before the deal is no part of the price."""
    game = Game("california", bank=500, bank_stack=10_000).bet("Ann", 1, primary=1000).close()
    war, surrender = prices(game.deal("9s 9d").rules, game.state, "Ann")
    assert (war.adds, war.back, war.matched, war.won) == (500, 0, 500, 500)
    assert (surrender.adds, surrender.won) == (0, -250)
    assert surrender.back == 250


@pytest.mark.finding(19)
def test_a_price_is_sure_where_nobody_counts_the_banks_money() -> None:
    """Without a known stack every war is matched, whoever chooses first."""
    game = Game("california", bank=5_000)
    game.bet("Ann", 1, primary=1000).bet("Bob", 2, primary=1000).close().deal("9s 9h 9d")
    assert {price.sure for price in prices(game.rules, game.state, "Bob")} == {True}
    known = Game("california", bank=5_000, bank_stack=1_500)
    known.bet("Ann", 1, primary=1000).bet("Bob", 2, primary=1000).close().deal("9s 9h 9d")
    assert [price.sure for price in prices(known.rules, known.state, "Bob")] == [False, True]
    assert {price.sure for price in prices(known.rules, known.state, "Ann")} == {True}


@pytest.mark.finding(19)
def test_a_price_leaves_a_meter_out() -> None:
    """A war that would win the meter is priced like any other: the progressive is not in it."""
    game = Game("maryland").bet("Ann", 1, primary=1000, progressive=500).close().deal("8s 8s")
    plain = Game("maryland").bet("Ann", 1, primary=1000).close().deal("8s 8s")
    assert prices(game.rules, game.state, "Ann") == prices(plain.rules, plain.state, "Ann")
