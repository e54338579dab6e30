"""What holds at every table of every book, whoever does what and whenever."""

import random

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from table_strategies import COMMANDS, Plan, RandomTable, any_command, plans
from tables import Play, composition, refold
from wartable import game, ledger, table
from wartable.cards import DECK, HIDDEN
from wartable.game.moves import MayBet, MayChoose
from wartable.shoe import Shoe, on_felt
from wartable.table import Event, Table
from wartable.table import events as e
from wartable.verify import Record, verify, verify_bytes, write_record

pytestmark = pytest.mark.slow("plays many random tables")

SHOWN = (game.Dealt, e.CardSetAside)


def secrets_of(state: Table) -> list[str]:
    """The seeds, links, keys and roots that nobody may see yet."""
    shoes = [shoe for shoe in (state.shoe, state.stored) if shoe is not None]
    found = [shoe.seed for shoe in shoes]
    found += [shoe.proof.key for shoe in shoes if shoe.proof is not None]
    found += [chain.root for chain in state.chains.values()]
    return [secret for secret in found if secret]


def otherwise(state: Table) -> Table:
    """The table with all that is hidden changed: seeds, burned cards, the cards to come."""

    def changed(shoe: Shoe | None) -> Shoe | None:
        if shoe is None:
            return None
        drawn = tuple(replace(d, card="2c") if d.use == "burn" else d for d in shoe.drawn)
        cards = tuple("2c" for _ in shoe.cards)
        proof = shoe.proof and replace(shoe.proof, key="0" * 64)
        return replace(shoe, seed="0" * 64, drawn=drawn, cards=cards, proof=proof)

    round_ = state.round
    if round_ is not None:
        round_ = replace(round_, burned=("2c",) * len(round_.burned))
    chains = {batch: replace(chain, root="0" * 64) for batch, chain in state.chains.items()}
    shoe, stored = changed(state.shoe), changed(state.stored)
    return replace(state, round=round_, chains=chains, shoe=shoe, stored=stored)


def check_view(play: Play) -> None:
    """Nothing that is hidden has any influence on what is shown, and no seed is in it."""
    shown = msgspec.json.encode(table.view(play.state))
    assert shown == msgspec.json.encode(table.view(otherwise(play.state)))
    for secret in secrets_of(play.state):
        assert secret.encode() not in shown
        assert secret not in repr(table.view(play.state))


def check_told(state: Table, event: Event) -> None:
    """An event is told without the seeds of shoes in use and without unseen cards."""
    told = table.view_event(event)
    text = msgspec.json.encode(told)
    assert not any(secret.encode() in text for secret in secrets_of(state))
    if not isinstance(told, SHOWN):
        assert getattr(told, "card", HIDDEN) == HIDDEN
    if isinstance(event, (game.Burned, e.CardBurned)):
        assert text == msgspec.json.encode(table.view_event(replace(event, card="2c")))


def check_legal(play: Play) -> None:
    """What is said to be legal at the edges is accepted, and one more than that is not."""
    for name in play.state.guests:
        for move in table.legal(play.setup, play.state, name):
            if isinstance(move, MayBet):
                allowed = move.amounts
                good = allowed.only or (allowed.min, allowed.max - allowed.max % allowed.step)
                for amount in good:
                    table.decide(
                        play.setup, play.state, game.Bet(name, move.box, move.wager, amount)
                    )
                top = max(good)
                bet = game.Bet(name, move.box, move.wager, top + 2)
                if not allowed.only and top + 2 > play.stack(name):
                    assert play.refuses(bet) in ("insufficient", "limit")
            elif isinstance(move, MayChoose) and move.choice == "surrender":
                table.decide(play.setup, play.state, game.Choose(name, move.box, move.choice))


def check_felt(play: Play) -> None:
    """Nothing lies on the felt between rounds, and nobody cuts during one."""
    state = play.state
    if state.in_round:
        assert state.shoe is not None
        assert state.shoe.cards
        assert state.cut.offered is None
    elif state.shoe is not None:
        assert on_felt(state.shoe) == 0


class Watch:
    """Looks at the table after each command; at each event that it has not seen."""

    def __init__(self) -> None:
        self.seen = 0
        self.calls = 0

    def __call__(self, play: Play) -> None:
        """Check what is new."""
        self.calls += 1
        check_felt(play)
        for event in play.events[self.seen :]:
            check_told(play.state, event)
        self.seen = len(play.events)
        if self.calls % 4 == 0:
            check_view(play)
        if self.calls % 16 == 0:
            check_legal(play)


def check_end(play: Play) -> None:
    """What must hold of a table's whole record."""
    if play.rigged:
        return
    assert refold(play) == play.state
    moved = ledger.opening(table.start(play.setup))
    state = table.start(play.setup)
    for event in play.events:
        moved += ledger.transfers(state, event)
        state = table.apply(state, event)
    assert ledger.balances(moved) == play.accounts
    if play.setup.rules.banker == "player":
        assert play.accounts[ledger.HOUSE] == 0
    in_use = [shoe.terms.number for shoe in (play.state.shoe, play.state.stored) if shoe]
    before = min(in_use, default=play.state.shoes + 1)  # a jam may end a later shoe first
    numbered = {shoe.terms.number: shoe for shoe in play.finished}
    shoes = tuple(numbered[number] for number in range(1, before))
    if shoes:
        record = Record(shoes)
        assert [step for step in verify(record) if not step.ok] == []
        assert all(step.ok for step in verify_bytes(write_record(record)))
    for shoe in shoes:
        assert not shoe.cards or composition(shoe) == dict.fromkeys(DECK, play.setup.decks)


class People:
    """Who sits, banks and deals, counted from the events alone; the book's limits hold."""

    def __init__(self, play: Play) -> None:
        self.rules = play.setup.rules
        self.seats: dict[str, int | None] = {}
        self.dealers: list[str] = []
        self.changed = self.void = False
        self.banker: str | None = None
        self.turn: tuple[str | None, int] = (None, 0)
        self.round: list[Event] = []

    def see(self, event: Event) -> None:
        """Count one event."""
        match event:
            case e.Joined(player=player, seat=seat):
                self.seats[player] = seat
            case e.Departed(player=player):
                del self.seats[player]
            case e.DealerChanged(dealer=dealer):
                self.changed = self.changed or bool(self.dealers)
                self.dealers.append(dealer)
            case e.RoundStarted():
                self.round, self.void = [], False
            case game.Opened(banker=banker):
                self.banker = banker
                burned = sum(isinstance(each, e.CardBurned) for each in self.round)
                assert burned == self.rules.shoe.burn_new_dealer or not self.changed
                self.changed = False
            case game.BetsClosed():
                self.check_seated()
            case game.RoundVoided():
                self.void = True
            case game.Closed():
                self.check_closed()
        self.round.append(event)

    def check_seated(self) -> None:
        """Enough people are seated when betting closes; only they count where a player banks."""
        seated = [player for player, seat in self.seats.items() if seat is not None]
        counted = seated if self.rules.banker == "player" else self.seats
        assert len(counted) >= self.rules.table.players_min

    def check_closed(self) -> None:
        """Every card of the round is racked, and nobody has banked too many hands in a row."""
        dealt = {each.box for each in self.round if isinstance(each, game.Dealt)}
        racked = [each.boxes for each in self.round if isinstance(each, e.CardsCollected)]
        assert sorted(box for boxes in racked for box in boxes) == sorted(dealt)
        if self.banker is None or self.void:
            return
        last, count = self.turn
        self.turn = (self.banker, count + 1 if last == self.banker else 1)
        assert self.rules.bank is not None
        assert self.turn[1] <= self.rules.bank.rounds_max


def check_boxes(play: Play) -> None:
    """A box has no more players than places, and its seated player's hand lies first."""
    round_, rules = play.state.round, play.setup.rules
    if round_ is None or round_.closed or rules.community:
        return
    for box in {hand.box for hand in round_.hands}:
        players = [hand.player for hand in round_.hands if hand.box == box]
        assert len(players) <= (rules.table.players_per_box or len(players))
        if not round_.bets_closed and play.state.seats.get(box) in players:
            assert players[0] == play.state.seats[box]


@pytest.mark.finding(9)
@pytest.mark.finding(13)
@settings(max_examples=40)
@given(plans(rounds=8, names=("california", "california", "new-zealand", "maryland")))
def test_people_at_random_tables(plan: Plan) -> None:
    """Whoever comes, goes, banks or deals when: seats, turns, burns and places are by the book."""
    play = RandomTable(plan, check_boxes).run()
    people = People(play)
    for event in play.events:
        people.see(event)


def play_out(plan: Plan) -> Play:
    """The plan's table with everything checked."""
    play = RandomTable(plan, Watch()).run()
    check_end(play)
    return play


@settings(max_examples=60)
@given(plans(rounds=6))
def test_random_tables(plan: Plan) -> None:
    """Money, cards, journal, view and shoes hold at short tables of every kind."""
    play_out(plan)


@settings(max_examples=40)
@given(plans(rounds=8, names=("maryland", "maryland", "california"), few=True))
def test_tables_of_few_cards(plan: Plan) -> None:
    """Money holds where most hands go to war, meters are won and the bank must match."""
    play_out(plan)


@settings(max_examples=4)
@given(plans(rounds=40))
def test_long_random_tables(plan: Plan) -> None:
    """They hold at long tables too."""
    play_out(plan)


def test_tables_of_200_rounds(deep: bool) -> None:
    """They hold for 200 rounds at a stretch."""
    if not deep:
        pytest.skip("a long variant only")

    @settings(max_examples=150)
    @given(plans(rounds=200))
    def run(plan: Plan) -> None:
        play_out(plan)

    run()


@settings(max_examples=40)
@given(plans(rounds=3), st.integers(0, 2**32))
def test_only_illegal(plan: Plan, number: int) -> None:
    """Any well-typed command in any state is carried out or refused with `Illegal`."""
    rnd = random.Random(number)
    seen = set()

    def nonsense(play: Play) -> None:
        before = msgspec.json.encode(play.state)
        for _ in range(8):
            command = any_command(rnd)
            seen.add(type(command))
            illegal = play.refusal(command)
            if illegal is None:
                assert table.decide(play.setup, play.state, command)
            else:
                assert illegal.code.isidentifier()
                assert illegal.sentence.endswith(".")
        assert msgspec.json.encode(play.state) == before

    RandomTable(plan, nonsense).run()
    assert len(seen) > len(COMMANDS) // 2
