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
from wartable.shoe import Shoe
from wartable.table import Event, Table
from wartable.table import events as e
from wartable.verify import Record, verify, verify_bytes, write_record

pytestmark = pytest.mark.slow("plays many random tables")

SHOWN = (game.Dealt, e.CardSetAside)


def secrets_of(state: Table) -> list[str]:
    """The seeds that nobody may see yet."""
    return [shoe.seed for shoe in (state.shoe, state.stored) if shoe is not None]


def otherwise(state: Table) -> Table:
    """The table with all that is hidden changed: seeds, burned cards, the cards to come."""

    def changed(shoe: Shoe | None) -> Shoe | None:
        if shoe is None:
            return None
        drawn = tuple(replace(d, card="2c") if d.use == "burn" else d for d in shoe.drawn)
        cards = tuple("2c" for _ in shoe.cards)
        return replace(shoe, seed="0" * 64, drawn=drawn, cards=cards)

    round_ = state.round
    if round_ is not None:
        round_ = replace(round_, burned=("2c",) * len(round_.burned))
    return replace(state, round=round_, shoe=changed(state.shoe), stored=changed(state.stored))


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


class Watch:
    """Looks at the table after each command; at each event that it has not seen."""

    def __init__(self) -> None:
        self.seen = 0
        self.calls = 0

    def __call__(self, play: Play) -> None:
        """Check what is new."""
        self.calls += 1
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
