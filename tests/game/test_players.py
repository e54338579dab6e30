"""Policies and bots: whatever the table, what a policy answers is legal."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tied_sittings import tied_sitting
from wartable import players
from wartable.game import Bet, Choose, CloseBets
from wartable.players import POLICIES, Policy
from wartable.rules import NAMES
from wartable.table import Due, view
from wartable.table import commands as c
from wartable.terminal.opening import Wish, begin
from wartable.terminal.sitting import Sitting

LIMITS = ("5-500", "1-2", "0.03-7.77", "25-100000")
OPTIONS: tuple[dict[str, str], ...] = (
    {},
    {"odd_half": "refuse"},
    {"war_tie_wager": "free"},
    {"war_tie_wager": "equal_primary"},
)


FOLDER: list[Path] = []
"""Where the books of one's own are written."""


@pytest.fixture(scope="module", autouse=True)
def _own_files(tmp_path_factory: pytest.TempPathFactory) -> None:
    """A folder for the books of one's own."""
    FOLDER.append(tmp_path_factory.mktemp("books"))


def own_file(name: str, options: dict[str, str]) -> str:
    """A book by that name, or a file with the options as a book of one's own."""
    if not options:
        return name
    ((key, value),) = options.items()
    path = FOLDER[-1] / f"{name}-{key}-{value}.toml"
    war_tie = '[outcomes.war_tie]\nwon = "won"\nlost = "lost"\n'
    head = f'extends = "{name}"\nname = "own"\n[options]\n{key} = "{value}"\n'
    path.write_text(head + war_tie, "utf-8")
    return str(path)


def answered(sitting: Sitting, policy: Policy, due: Due) -> None:
    """The visitor's answer by a policy; `Illegal` fails the test."""
    you, seed = sitting.visitor, sitting.header.master
    shown = view(sitting.state)
    if due.what != "bets":
        sitting.give(players.answer(policy, sitting.setup, shown, due, you, seed))
        return
    bet = players.next_bet(policy, sitting.setup, shown, you, seed)
    hands = sitting.state.round.hands if sitting.state.round is not None else ()
    if bet is not None:
        sitting.give(bet)
    elif hands:
        sitting.give(CloseBets())
    else:
        sitting.give(c.BuyIn(you, 100_000))


@settings(max_examples=settings().max_examples // 4)
@given(
    name=st.sampled_from(NAMES),
    policy=st.sampled_from(POLICIES),
    options=st.sampled_from(OPTIONS),
    limits=st.sampled_from(LIMITS),
    bankroll=st.integers(1, 300_000),
    bots=st.none() | st.integers(2, 6),
    seed=st.text(max_size=5),
    rounds=st.integers(1, 8),
)
def test_what_a_policy_answers_is_legal(
    name: str,
    policy: Policy,
    options: dict[str, str],
    limits: str,
    bankroll: int,
    bots: int | None,
    seed: str,
    rounds: int,
) -> None:
    """Bots and a visitor who plays like one are never refused, whatever money they have."""
    seats_for_bots = None if name == "online" else bots
    money = f"{bankroll // 100}.{bankroll % 100:02}"
    wish = Wish(own_file(name, options), {}, None, money, seats_for_bots, limits, seed)
    sitting = begin(wish, None)
    for _ in range(2_000):
        for _told in sitting.advance():
            pass
        due = sitting.question()
        assert due is not None
        if sitting.state.rounds > rounds and due.what == "bets":
            return
        answered(sitting, policy, due)
    raise AssertionError("the table does not get on")


def test_the_same_view_gets_the_same_command() -> None:
    """A policy is a function: no memory and no chance of its own."""
    sitting = begin(Wish("maryland", {}, seed="same"), None)
    for _ in sitting.advance():
        pass
    due = sitting.question()
    assert due is not None
    shown = view(sitting.state)
    answers = {
        repr(players.answer(POLICIES[0], sitting.setup, shown, due, "you", "x")) for _ in range(5)
    }
    assert len(answers) == 1


def test_bots_differ() -> None:
    """A table's bots have names, policies and money of their own."""
    bots = [players.bot(number) for number in range(30)]
    assert len({bot.name for bot in bots}) == 30
    assert {bot.policy.name for bot in bots} == {policy.name for policy in POLICIES}
    assert len({bot.buy_in for bot in bots}) > 3
    assert all(bot.purse >= bot.buy_in for bot in bots)


def test_every_policy_does_what_its_words_say() -> None:
    """Over many rounds the tie hunter bets on ties and the steady one does not."""
    sitting = begin(Wish("maryland", {}, bots=6, seed="words"), None)
    tied: set[str] = set()
    while sitting.state.rounds < 20:
        for _told in sitting.advance():
            pass
        due = sitting.question()
        assert due is not None
        if due.what == "bets" and sitting.state.round is not None:
            for hand in sitting.state.round.hands:
                if hand.wager("tie"):
                    tied.add(hand.player)
        answered(sitting, POLICIES[0], due)
    assert "Chiyo" in tied
    assert not tied & {"Ada", "Bruno", "you"}


def test_a_war_that_cannot_be_paid_is_surrendered() -> None:
    """A policy that always goes to war surrenders when its stack is too small for it."""
    sitting = begin(Wish("maryland", {}, bankroll="25", seed=tied_sitting().seed), None)
    for command in (c.Cut("you", 150), Bet("you", 5, "primary", 2_500), None):
        for _told in sitting.advance():
            pass
        sitting.give(command or CloseBets(sitting.number()))
    for _told in sitting.advance():
        pass
    due = sitting.question()
    assert due is not None
    assert (due.what, sitting.stack) == ("choice", 0)
    shown = view(sitting.state)
    given = players.answer(POLICIES[0], sitting.setup, shown, due, "you", "x")
    assert given == Choose("you", 5, "surrender")
    sitting.give(given)
