"""What holds in every round of every book, whatever the cards and whatever anybody does."""

import re
from collections.abc import Iterator
from typing import get_args

import msgspec
import pytest
from hypothesis import given, seed, settings
from hypothesis import strategies as st

from rounds import Account, account, dealt_boxes
from strategies import COMMANDS_MAX, Transcript, books, commands, rounds
from wartable.game import (
    BetsClosed,
    Burned,
    Chosen,
    Closed,
    Dealt,
    DueBets,
    DueBurn,
    DueCard,
    DueChoice,
    DueMeter,
    DueOpen,
    DueWheel,
    EnvyPaid,
    GameEvent,
    Illegal,
    Matched,
    Placed,
    Returned,
    Round,
    Settled,
    awaits,
    decide,
    fold,
)
from wartable.game.messages import (
    Burn,
    Choose,
    Code,
    Deal,
    GameCommand,
    Open,
    ReadMeter,
    Spin,
    Timeout,
)
from wartable.game.wagers.progressive import LINES
from wartable.rules import RuleBook

PRIMARY = (
    "won",
    "lost",
    "surrendered",
    "war_won",
    "war_tied",
    "war_lost",
    "uncovered",
    "abandoned",
)
JACKPOTS = ("jackpot_primary", "jackpot_secondary")
SIDE_BETS = ("progressive", "bonus_spin")


def closing(transcript: Transcript) -> Account:
    """The account of a transcript's events."""
    return account(transcript.events)


@given(rounds())
def test_nets_sum_to_zero(transcript: Transcript) -> None:
    """Players and banker gain nothing together, and the engine says what the events moved."""
    money = closing(transcript)
    state = transcript.state
    assert sum(money.players.values()) + money.banker == 0
    assert state.banker_net == money.banker
    for player, gained in money.players.items():
        assert gained == sum(hand.net for hand in state.hands if hand.player == player)


@given(rounds())
def test_staked_is_settled(transcript: Transcript) -> None:
    """Each wager ends once; nothing stays on the felt; back plus lost is what was staked."""
    money = closing(transcript)
    assert not any(money.felt.values())
    if transcript.state.void is None:
        assert money.endings == dict.fromkeys(money.staked, 1)
    for hand in transcript.state.hands:
        for wager in hand.wagers:
            assert wager.outcome
            spot = (hand.player, hand.box, wager.kind)
            won, lost = money.wins.get(spot, 0), money.losses.get(spot, 0)
            assert wager.returned == wager.staked + won - lost
            if transcript.state.void is None:
                assert wager.staked == money.staked[spot]


@given(rounds())
def test_events_survive_json(transcript: Transcript) -> None:
    """Folding the events after a round trip through JSON gives the same state."""
    text = msgspec.json.encode(transcript.events)
    events = msgspec.json.decode(text, type=list[GameEvent])
    assert events == transcript.events
    assert fold(events) == transcript.state
    state = msgspec.json.decode(msgspec.json.encode(transcript.state), type=Round)
    assert state == transcript.state


@given(rounds(), st.data())
def test_refusals_change_nothing(transcript: Transcript, data: st.DataObject) -> None:
    """Any command in any state is accepted or refused with a known code and a sentence."""
    state = data.draw(st.sampled_from(transcript.states))
    for _ in range(4):
        command = data.draw(commands())
        before = msgspec.json.encode(state)
        try:
            events = decide(transcript.rules, state, command)
        except Illegal as illegal:
            transcript.refused.append((state, command, illegal))
        else:
            assert events
        assert msgspec.json.encode(state) == before
    for _, command, refusal in transcript.refused:
        assert refusal.code in get_args(Code), command
        assert re.fullmatch(r"[A-Z].* .*\.", refusal.sentence), command
        assert str(refusal) == refusal.sentence


@given(rounds())
def test_every_round_ends(transcript: Transcript) -> None:
    """Something is awaited until the round is closed, then nothing; the end is never far."""
    rules = transcript.rules
    assert all(awaits(rules, state) for state in transcript.states[:-1])
    assert awaits(rules, transcript.state) == ()
    assert len(transcript.commands) < COMMANDS_MAX
    assert transcript.events[-1] == Closed()
    assert transcript.events.count(Closed()) == 1


def _fits(rules: RuleBook, state: Round, command: GameCommand) -> bool:
    """Whether the command is of a kind that `awaits` asks for."""
    due = awaits(rules, state)
    match command:
        case Open():
            return DueOpen() in due
        case Deal():
            return isinstance(due[0], DueCard)
        case Burn():
            return due == (DueBurn(),)
        case Choose(player=player, box=box) | Timeout(player=player, box=box):
            return DueChoice(player, box) in due
        case Spin():
            return isinstance(due[0], DueWheel)
        case ReadMeter(meter=meter):
            return due == (DueMeter(meter),)
        case _:
            return True


@given(rounds())
def test_awaits_is_what_decide_accepts(transcript: Transcript) -> None:
    """A command of chance or choice was awaited, and one that was awaited is not out of turn."""
    rules = transcript.rules
    for state, command in zip(transcript.states, transcript.commands, strict=False):
        assert _fits(rules, state, command), command
    for state in transcript.states[:-1]:
        out_of_turn = {"no_card_due", "no_burn_due", "no_choice_due", "no_wheel_due"}
        due = awaits(rules, state)[0]
        feed: GameCommand
        match due:
            case DueCard():
                feed = Deal("9s")
            case DueBurn():
                feed = Burn()
            case DueChoice(player=player, box=box):
                feed = Choose(player, box, "surrender")
            case DueWheel(boxes=boxes):
                feed = Spin(boxes[0], "$200", "$25")
            case DueMeter(meter=meter):
                feed = ReadMeter(meter, 5)
            case DueBets() | DueOpen():
                for wrong in (Deal("9s"), Burn(), Spin(None, None, "$25"), Timeout("Ann", 1)):
                    with pytest.raises(Illegal) as caught:
                        decide(rules, state, wrong)
                    assert caught.value.code in {*out_of_turn, "not_open"}
                continue
        assert decide(rules, state, feed)


@given(rounds(books(["california"])))
def test_the_bank_loses_no_more_than_it_posted(transcript: Transcript) -> None:
    """The player/dealer's loss is at most its posted wager and its matches, side bets apart."""
    state, money = transcript.state, closing(transcript)
    matched = sum(event.amount for event in transcript.events if isinstance(event, Matched))
    lost = sum(amount for spot, amount in money.wins.items() if spot[2] not in SIDE_BETS)
    lost -= sum(amount for spot, amount in money.losses.items() if spot[2] not in SIDE_BETS)
    if state.bank is not None:
        assert lost <= state.bank + matched
    if state.bank_stack is not None:
        assert matched <= state.bank_stack


@given(rounds(books(["california"])))
def test_the_house_neither_wins_nor_loses(transcript: Transcript) -> None:
    """Where a player banks, the player/dealer gets exactly minus what the players get."""
    money = closing(transcript)
    assert money.banker == -sum(money.players.values())
    assert transcript.state.banker is not None
    assert transcript.state.banker not in money.players


@given(rounds())
def test_deal_order(transcript: Transcript) -> None:
    """Each deal goes around the wagered boxes in the book's order, the dealer last."""
    events = transcript.events
    backwards = transcript.rules.deal.order == "counterclockwise"
    for deal in ("original", "war"):
        boxes = list(dealt_boxes(events, deal))
        complete = 0 in boxes
        players = boxes[:-1] if complete else boxes
        assert players == sorted(set(players), reverse=backwards)
        assert 0 not in players
        if complete and not transcript.rules.community:
            assert set(players) <= {hand.box for hand in transcript.state.hands}
    closed = events.index(BetsClosed()) if BetsClosed() in events else len(events)
    assert not any(isinstance(event, Dealt | Burned) for event in events[:closed])
    before = {event.wager for event in events[:closed] if isinstance(event, Placed)}
    after = {event.wager for event in events[closed:] if isinstance(event, Placed)}
    assert not before & {"war", "war_tie"}
    assert after <= {"war", "war_tie"}


@given(rounds())
def test_burns(transcript: Transcript) -> None:
    """Burns come only in the war deal, as many and before the cards that the book says."""
    burns, cards = transcript.rules.deal.war_burn, 0
    burned = 0
    mode = transcript.rules.options.war_burn
    for event in transcript.events:
        if isinstance(event, Burned):
            burned += 1
        elif isinstance(event, Dealt) and event.deal == "original":
            assert not burned
        elif isinstance(event, Dealt):
            cards += 1
            due = burns
            if mode == "each_card":
                due = burns * cards
            elif mode == "before_dealer" and event.box == 0:
                due = 2 * burns
            assert burned == due


@given(rounds())
def test_settle_order(transcript: Transcript) -> None:
    """Every pass of settling goes around the table in the book's direction."""
    rules, state = transcript.rules, transcript.state
    if state.void is not None or any(hand.absent for hand in state.hands):
        return
    settled = [event for event in transcript.events if isinstance(event, Settled)]
    surrendered = {(e.player, e.box) for e in settled if e.outcome == "surrendered"}
    war = {"war_won", "war_tied", "war_lost"}
    passes = {
        rules.deal.settle: [
            [e.box for e in settled if e.outcome in ("won", "lost") and e.wager == "primary"],
            [e.box for e in settled if e.wager == "tie"],
            [e.box for e in settled if e.wager == "war" and e.outcome in war],
        ],
        rules.deal.surrender: [
            [e.box for e in settled if e.wager == "primary" and (e.player, e.box) in surrendered]
        ],
    }
    for direction, sequences in passes.items():
        for boxes in sequences:
            assert boxes == sorted(boxes, reverse=direction == "counterclockwise")
    for hand in state.hands:
        own = [e for e in settled if (e.player, e.box) == (hand.player, hand.box)]
        kinds = [e.wager for e in own if e.wager != "bonus_spin"]
        assert "progressive" not in kinds or kinds[-1] == "progressive"
        main = [kind for kind in kinds if kind in ("primary", "war", "war_tie")]
        assert main == sorted(main, key=("primary", "war", "war_tie").index)


@given(rounds())
def test_war_equals_the_covered_primary(transcript: Transcript) -> None:
    """A war wager is as large as the part of the primary that is at risk, and so it stays."""
    for state, after in zip(transcript.states, transcript.states[1:], strict=False):
        for hand in after.hands:
            before = state.hand(hand.player, hand.box)
            war, primary = hand.wager("war"), hand.wager("primary")
            if war is None or primary is None:
                continue
            if before is not None and before.wager("war") is None:
                was = before.wager("primary")
                assert was is not None
                assert war.staked == was.at_risk
            if not war.outcome and not primary.outcome and _all_chosen(transcript, after):
                assert war.at_risk == primary.at_risk


def _all_chosen(transcript: Transcript, state: Round) -> bool:
    return not any(isinstance(due, DueChoice) for due in awaits(transcript.rules, state))


@given(rounds())
def test_a_void_round_gives_everything_back(transcript: Transcript) -> None:
    """Nobody gains or loses in a round that is void, whenever it became so."""
    if transcript.state.void is None:
        return
    assert transcript.state.banker_net == 0
    for hand in transcript.state.hands:
        assert hand.net == 0
        assert hand.envy == 0
        assert all(wager.returned == wager.staked for wager in hand.wagers)


@given(rounds())
def test_choices_belong_to_ties(transcript: Transcript) -> None:
    """Only a tied hand with a primary wager chooses, once, after the tie wager is paid."""
    chosen = [event for event in transcript.events if isinstance(event, Chosen)]
    assert len({(event.player, event.box) for event in chosen}) == len(chosen)
    cards = transcript.state.cards
    for event in chosen:
        assert cards[event.box][0] == cards[0][0]
        hand = transcript.state.hand(event.player, event.box)
        assert hand is not None
        assert hand.wager("primary") is not None
        if event.choice == "surrender":
            assert hand.wager("war") is None


@given(rounds())
def test_outcomes_have_names_in_the_book(transcript: Transcript) -> None:
    """However a wager ends, the book has words and clauses for it, where it offers the wager."""
    outcomes = transcript.rules.outcomes
    for event in transcript.events:
        if isinstance(event, Settled | Returned) and event.wager in outcomes:
            assert event.outcome in outcomes[event.wager], event
        if isinstance(event, EnvyPaid):
            assert "won" in outcomes["envy"]


@given(rounds())
def test_payout_limit(transcript: Transcript) -> None:
    """No hand wins more on primary, tie, war and war tie than the payout limit."""
    most = transcript.rules.limits.payout_max
    if most is None:
        return
    money = closing(transcript)
    for hand in transcript.state.hands:
        kinds = ("primary", "tie", "war", "war_tie")
        assert sum(money.wins.get((hand.player, hand.box, kind), 0) for kind in kinds) <= most


def features(transcript: Transcript) -> Iterator[str]:
    """What a round shows: how its wagers ended, who decided, who sat where."""
    for event in transcript.events:
        match event:
            case Settled(wager=wager, outcome=outcome) | Returned(wager=wager, outcome=outcome):
                yield f"{wager} {outcome}"
            case Chosen(by=by):
                yield f"chosen by {by}"
            case _:
                yield type(event).__name__
    hands = transcript.state.hands
    yield f"{len({hand.box for hand in hands})} boxes"
    if any([hand.box for hand in hands].count(box) >= 3 for box in range(1, 10)):
        yield "three players on a box"
    if any([wager.kind for wager in hand.wagers] == ["tie"] for hand in hands):
        yield "a tie wager alone"
    yield f"{transcript.rules.community} community cards"


def test_random_rounds_reach_everything(deep: bool) -> None:
    """The random rounds are no idle ones: every ending, and every way to sit and to choose."""
    found: set[str] = set()
    wanted = {
        *("primary " + outcome for outcome in PRIMARY),
        *(f"war {outcome}" for outcome in ("war_won", "war_tied", "war_lost")),
        *("tie won", "tie lost", "tie uncovered", "war_tie won", "war_tie lost"),
        *("progressive lost", "progressive suited_tie", "bonus_spin lost", "bonus_spin community"),
        *("chosen by player", "chosen by platform", "three players on a box", "a tie wager alone"),
        *("Matched", "Withdrawn", "Left", "RoundVoided", "1 boxes", "3 boxes", "7 boxes"),
    }
    if deep:
        wanted |= {"primary unmatched", "war unmatched", "war_tie unmatched"}
        wanted |= {f"progressive {line}" for line in LINES}
        wanted |= {f"bonus_spin {name}" for name in ("hot_spot", *JACKPOTS)}
        wanted |= {f"{count} community cards" for count in (0, 3, 5, 7)}
        wanted |= {f"{count} boxes" for count in range(1, 10)}
        wanted |= {"EnvyPaid", "BoxVoided", "Declined", "MeterRead", "Spun", "chosen by seated"}

    def look(transcript: Transcript) -> None:
        found.update(features(transcript))

    # Rare things come sooner or later: more rounds are drawn only while one of them is missing.
    for number in range(12):
        drawn = settings(max_examples=6_000 if deep else 250)(given(rounds())(look))
        seed(number)(drawn)()
        if wanted <= found:
            break
    assert wanted <= found, wanted - found
