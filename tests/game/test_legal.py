"""`legal` and `decide` are one opinion: what the one lists the other accepts, and nothing else."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

import wartable.game
from rounds import Game, book, limited
from strategies import PLAYERS, Transcript, edges, player_commands, rounds
from wartable.game import (
    Bet,
    Choose,
    Decline,
    GameCommand,
    Illegal,
    Leave,
    Round,
    Withdraw,
    decide,
    legal,
)
from wartable.game.amounts import Amounts
from wartable.game.messages import STAKE_MAX, Code
from wartable.game.moves import MayBet, MayChoose, MayDecline, MayLeave, MayWithdraw, Move
from wartable.rules import NAMES, RuleBook, WagerKind, load


def at_the_edges(move: Move) -> Iterator[GameCommand]:
    """The commands of a move with the least and the most that it permits."""
    match move:
        case MayBet(player, box, wager, amounts):
            for amount in edges(amounts):
                yield Bet(player, box, wager, amount)
        case MayWithdraw(player, box, wager):
            yield Withdraw(player, box, wager)
        case MayDecline(player, box):
            yield Decline(player, box)
        case MayChoose(player, box, choice, war_tie):
            yield Choose(player, box, choice)
            for amount in edges(war_tie) if war_tie else []:
                yield Choose(player, box, choice, amount)
        case MayLeave(player):
            yield Leave(player)


def just_outside(move: Move) -> Iterator[GameCommand]:
    """Commands that go one step beyond a move."""
    match move:
        case MayBet(player, box, wager, amounts):
            for amount in outside(amounts):
                yield Bet(player, box, wager, amount)
        case MayChoose(player, box, choice, war_tie):
            for amount in outside(war_tie) if war_tie else [1, 500]:
                yield Choose(player, box, choice, amount)
        case _:
            pass


def outside(amounts: Amounts) -> list[int]:
    """Amounts just beyond those allowed; a war tie of 0 is none at all."""
    if amounts.only:
        beyond = {amounts.only[0] - 1, amounts.only[-1] + 1} - set(amounts.only)
    else:
        beyond = {amounts.min - 1, amounts.max + amounts.step}
        beyond |= {amounts.min + 1} if amounts.step > 1 else set()
    return sorted(beyond - {0})


def accepts(rules: RuleBook, state: Round, command: GameCommand) -> bool:
    """Whether `decide` takes the command."""
    try:
        return bool(decide(rules, state, command))
    except Illegal:
        return False


@given(rounds(), st.data())
def test_every_move_is_accepted(transcript: Transcript, data: st.DataObject) -> None:
    """What `legal` lists is accepted at its edges and refused one step beyond them."""
    rules = transcript.rules
    for state in data.draw(st.sets(st.integers(0, len(transcript.states) - 1), max_size=4)):
        now = transcript.states[state]
        player = data.draw(st.sampled_from(PLAYERS))
        for move in legal(rules, now, player):
            for command in at_the_edges(move):
                assert move.permits(command)
                assert accepts(rules, now, command), (move, command)
            for command in just_outside(move):
                assert not move.permits(command)
                assert not accepts(rules, now, command), (move, command)


@given(rounds(), st.data())
def test_every_accepted_command_is_a_move(transcript: Transcript, data: st.DataObject) -> None:
    """A player's command is accepted if and only if one of his moves permits it."""
    rules = transcript.rules
    for _ in range(6):
        state = data.draw(st.sampled_from(transcript.states))
        command = data.draw(player_commands())
        moves = legal(rules, state, command.player)
        permitted = any(move.permits(command) for move in moves)
        assert accepts(rules, state, command) == permitted, (command, moves)
    others = [player for player in PLAYERS if player != command.player]
    assert not any(move.permits(command) for p in others for move in legal(rules, state, p))


def test_nobody_may_move_outside_a_round() -> None:
    """Before a round opens and after it is closed no move is listed."""
    for name in NAMES:
        assert legal(load(name).rules, Round(), "Ann") == ()
    done = Game("washington").bet("Ann", 1, primary=100).close().deal("9s 8d")
    assert legal(done.rules, done.state, "Ann") == ()


def test_what_a_newcomer_may_do() -> None:
    """An online player may bet on each of three hands, and on nothing beside them yet."""
    game = Game("online")
    whole = Amounts(1, STAKE_MAX)
    assert legal(game.rules, game.state, "Ann") == tuple(
        MayBet("Ann", box, "primary", whole) for box in (1, 2, 3)
    )


def test_what_a_bettor_may_do() -> None:
    """A bettor may add to a wager, add the tie, withdraw, or leave."""
    game = Game(limited(book("washington"), primary={"min": 500, "max": 2000}, tie={"max": 100}))
    game.bet("Ann", 2, primary=600)
    moves = [m for m in legal(game.rules, game.state, "Ann") if getattr(m, "box", 2) == 2]
    assert moves == [
        MayBet("Ann", 2, "primary", Amounts(1, 1400)),
        MayWithdraw("Ann", 2, "primary"),
        MayBet("Ann", 2, "tie", Amounts(1, 100)),
        MayLeave("Ann"),
    ]
    assert 2 not in {getattr(m, "box", 0) for m in legal(game.rules, game.state, "Bob")}


@pytest.mark.finding(19)
def test_a_box_between_two_others_may_not_be_given_up() -> None:
    """Of three boxes in a row only an end is withdrawn, because a player's boxes stay together."""
    game = Game("maryland")
    for box in (1, 2, 3):
        game.bet("Ann", box, primary=100)
    moves = legal(game.rules, game.state, "Ann")
    assert [m.box for m in moves if isinstance(m, MayWithdraw)] == [1, 3]
    assert game.refuses(Withdraw("Ann", 2, "primary")) == "not_adjacent"


def test_what_a_tied_player_may_do() -> None:
    """A tied player may go to war, with the tie wager that the book offers, or surrender."""
    sizes = {"online": Amounts(only=(200,)), "maryland": Amounts(), "new-zealand": None}
    for name, war_tie in sizes.items():
        game = Game(name).bet("Ann", 1, primary=200).close().deal("9s 9d")
        assert legal(game.rules, game.state, "Ann") == (
            MayChoose("Ann", 1, "war", war_tie),
            MayChoose("Ann", 1, "surrender"),
            MayLeave("Ann", forfeits=200 if name == "maryland" else 0),
        )
        assert legal(game.rules, game.state, "Bob") == ()


def test_the_banker_may_not_bet() -> None:
    """The player/dealer has no moves in the round that he banks."""
    game = Game("california", banker="Eve")
    assert legal(game.rules, game.state, "Eve") == ()


def test_even_amounts_end_at_an_even_amount() -> None:
    """Where odd wagers are refused, the most that may be bet is even too."""
    game = Game(limited(book("washington", odd_half="refuse"), primary={"min": 3, "max": 9}))
    move = legal(game.rules, game.state, "Ann")[0]
    assert move == MayBet("Ann", 1, "primary", Amounts(4, 8, 2))
    assert game.refuses(Bet("Ann", 1, "primary", 5)) == "odd_amount"
    assert Amounts(4, 8, 2).up_to(7) == Amounts(4, 6, 2)
    assert Amounts(4, 8, 2).up_to(3) is None


@pytest.mark.parametrize("kind", ["primary", "tie"])
def test_one_wager_has_a_limit(kind: WagerKind) -> None:
    """No wager grows beyond the amounts that can be paid for and stored."""
    game = Game("new-zealand").bet("Ann", 1, **{kind: STAKE_MAX - 1})
    assert game.refuses(Bet("Ann", 1, kind, 2)) == "limit"
    game.bet("Ann", 1, **{kind: 1})
    assert game.refuses(Bet("Ann", 1, kind, 1)) == "limit"


def test_codes_are_all_listed() -> None:
    """The list of codes holds exactly those that the engine refuses with."""
    used = set()
    for path in Path(wartable.game.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Illegal":
                assert isinstance(node.args[0], ast.Constant)
                used.add(node.args[0].value)
    assert used == set(get_args(Code))


BETS = MayBet("ann", 1, "tie", Amounts(100, 300, 2))
WAR = MayChoose("ann", 1, "war", Amounts(10, 50))
PERMITTED: list[tuple[Move, GameCommand, bool]] = [
    (BETS, Bet("ann", 1, "tie", 100), True),
    (BETS, Bet("bob", 1, "tie", 100), False),
    (BETS, Bet("ann", 2, "tie", 100), False),
    (BETS, Bet("ann", 1, "primary", 100), False),
    (BETS, Bet("ann", 1, "tie", 99), False),
    (BETS, Withdraw("ann", 1, "tie"), False),
    (MayWithdraw("ann", 1, "tie"), Withdraw("ann", 1, "tie"), True),
    (MayWithdraw("ann", 1, "tie"), Withdraw("ann", 2, "tie"), False),
    (MayDecline("ann", 1), Decline("ann", 1), True),
    (MayDecline("ann", 1), Decline("ann", 2), False),
    (MayLeave("ann"), Leave("ann"), True),
    (MayLeave("ann"), Leave("bob"), False),
    (WAR, Choose("ann", 1, "war"), True),
    (WAR, Choose("ann", 1, "war", 10), True),
    (WAR, Choose("ann", 1, "war", 1), False),
    (WAR, Choose("bob", 1, "war"), False),
    (WAR, Choose("ann", 2, "war"), False),
    (WAR, Choose("ann", 1, "surrender"), False),
    (WAR, Leave("ann"), False),
    (MayChoose("ann", 1, "war"), Choose("ann", 1, "war", 1), False),
    (MayChoose("ann", 1, "war"), Choose("ann", 1, "war"), True),
]


@pytest.mark.finding(19)
@pytest.mark.parametrize(("move", "command", "permitted"), PERMITTED)
def test_a_move_permits_its_command(move: Move, command: GameCommand, permitted: bool) -> None:
    """A move is one command of one player on one box, in the amounts that it names."""
    assert move.permits(command) is permitted


@pytest.mark.finding(19)
@pytest.mark.parametrize(("name", "boxes"), [("washington", 7), ("online", 3), ("maryland", 9)])
def test_moves_are_for_every_box_there_is(name: str, boxes: int) -> None:
    """A first bet is possible on every box of the table, and on none beyond."""
    moves = legal(book(name), Game(name).state, "ann")
    found = {move.box for move in moves if isinstance(move, MayBet)}
    assert found == set(range(1, boxes + 1))


@pytest.mark.finding(19)
def test_a_claim_may_be_declined_once() -> None:
    """Only who has a primary wager and no tie wager may leave the tie spot to others."""
    game = Game("new-zealand")
    assert MayDecline("ann", 1) not in legal(game.rules, game.state, "ann")
    game.bet("ann", 1, primary=100)
    assert MayDecline("ann", 1) in legal(game.rules, game.state, "ann")
    assert MayDecline("ann", 2) not in legal(game.rules, game.state, "ann")
    game.do(Decline("ann", 1))
    assert MayDecline("ann", 1) not in legal(game.rules, game.state, "ann")
