"""Commands of the table at the wrong moment, each refused by the name of what it lacks."""

import pytest
from msgspec.structs import replace

from tables import BUY_IN, DEALER, FLOOR, Play, rules_of, seed
from wartable import game, table
from wartable.game.amounts import Amounts
from wartable.game.moves import MayChoose
from wartable.rules import NAMES
from wartable.table import Command, Due
from wartable.table import commands as c
from wartable.table.people import MayBank
from wartable.table.procedure import needs_decks

pytestmark = pytest.mark.finding(19)

PREPARE = c.Prepare(DEALER, "inspect")
SHUFFLE = c.ShuffleCards(seed(1), DEALER)

NOTHING_YET: list[tuple[str, Command]] = [
    ("no_decks", PREPARE),
    ("no_decks", SHUFFLE),
    ("not_offered", c.Cut("ann", 100)),
    ("not_offered", c.RefuseCut("ann")),
    ("no_recut", c.OrderRecut(FLOOR, "last", "asked")),
    ("no_stack", c.LoadShoe(DEALER)),
    ("no_shoe", c.StartRound(0)),
    ("no_shoe", c.OrderReshuffle(FLOOR, "asked")),
    ("no_shoe", c.FindFaceUp(DEALER)),
    ("no_shoe", c.DrawInError(DEALER, exposed=False)),
    ("no_shoe", c.DrawInError(DEALER, exposed=True)),
    ("no_cards_in_use", c.GoIdle(DEALER)),
    ("not_idle", c.TurnUp("ann")),
    ("device_works", c.MarkDevice(DEALER, "signed")),
    ("device_works", c.RepairDevice(FLOOR)),
    ("no_device", c.Jam(DEALER)),
    ("same_method", c.ChangeMethod(FLOOR, "shoe")),
    ("no_approval", c.ChangeMethod(FLOOR, "continuous")),
    ("no_award", c.Approve(FLOOR)),
    ("not_offered", c.TakeBank("ann", 100)),
    ("not_offered", c.PassBank("ann")),
    ("bank_offered", c.OfferBank()),
    ("no_round", c.Proceed()),
    ("no_round", c.CountSideBets(DEALER)),
    ("no_round", c.MissBox(DEALER, 1)),
    ("no_round", game.Bet("ann", 1, "primary", 100)),
    ("no_round", game.Withdraw("ann", 1, "primary")),
    ("no_round", game.Decline("ann", 1)),
    ("no_round", game.CloseBets()),
    ("no_round", game.VoidRound("asked")),
    ("no_round", game.Choose("ann", 1, "war")),
    ("no_round", game.Timeout("ann", 1)),
]
"""At a table with one player and no cards."""

STRANGERS: list[tuple[str, Command]] = [
    ("not_here", c.BuyIn("zoe", 100)),
    ("not_here", c.CashOut("zoe", 100)),
    ("not_here", game.Leave("zoe")),
    ("not_here", game.Choose("zoe", 1, "war")),
    ("here_already", c.Join("ann", 100, 2)),
    ("seat_taken", c.Join("zoe", 100, 1)),
    ("no_such_seat", c.Join("zoe", 100, 9)),
    ("not_seated", c.Join("zoe", 100)),
    ("reserved_name", c.Join("platform", 100, 2)),
]
"""At any moment."""

BETTING: list[tuple[str, Command]] = [
    ("round_open", c.ReceiveDecks(DEALER, 0)),
    ("round_open", PREPARE),
    ("round_open", c.LoadShoe(DEALER)),
    ("round_open", c.GoIdle(DEALER)),
    ("round_open", c.ChangeMethod(FLOOR, "batches")),
    ("round_open", c.ChangeDealer("dora")),
    ("round_open", c.StartRound(0)),
    ("shoe_in_use", SHUFFLE),
    ("not_offered", c.Cut("ann", 100)),
    ("no_recut", c.OrderRecut(FLOOR, "next", "asked")),
    ("in_round", c.CashOut("ann", 100)),
    ("insufficient", game.Bet("ann", 2, "primary", BUY_IN)),
    ("nothing_due", c.Proceed()),
    ("no_count_due", c.CountSideBets(DEALER)),
    ("no_award", c.Approve(FLOOR)),
    ("no_such_box", c.MissBox(DEALER, 1)),
]
"""While bets are open and there is one."""

CLOSED: list[tuple[str, Command]] = [
    ("bets_closed", game.Bet("ann", 1, "primary", 100)),
    ("bets_closed", game.CloseBets()),
    ("count_due", c.Proceed()),
    ("no_choice_due", game.Choose("ann", 1, "war")),
    ("not_floor", c.Approve(DEALER)),
]
"""After "no more bets", before the count; an award is approved later."""


def check(play: Play, refused: list[tuple[str, Command]]) -> None:
    """Each command is refused by its code."""
    for code, command in refused:
        assert (play.refuses(command), command) == (code, command)


def test_each_command_of_a_table_has_its_moment() -> None:
    """From a table without cards to the count, what is not due is refused by its name."""
    rules = rules_of("maryland")
    play = Play(replace(rules, table=replace(rules.table, seats=8)), staffed=True).join("ann")
    check(play, NOTHING_YET + STRANGERS)
    play.do(c.ReceiveDecks(DEALER, 0))
    check(play, [("not_prepared", SHUFFLE), ("no_stack", c.LoadShoe(DEALER))])
    check(play, [("wrong_step", c.Prepare(DEALER, "wash"))])
    check(play, [("no_such_batch", c.Prepare(DEALER, "inspect", "red"))])
    play.ready("cut")
    check(play, [("cut_due", c.LoadShoe(DEALER))])
    check(play, [("shoe_in_use", SHUFFLE), ("no_shoe", c.OrderReshuffle(FLOOR, "asked"))])
    play.ready("load").do(c.LoadShoe(DEALER))
    check(play, [("no_stack", c.LoadShoe(DEALER)), ("shoe_in_use", SHUFFLE)])
    check(play, [("no_recut", c.OrderRecut(FLOOR, "last", "asked"))])
    play.start().bet("ann", 1, primary=1000, progressive=500)
    check(play, BETTING + STRANGERS)
    play.do(game.CloseBets())
    check(play, [*CLOSED[:-1], *STRANGERS])
    check(play, [("no_award", CLOSED[-1][1])])
    play.do(play.counting())
    check(play, [("no_count_due", play.counting())])
    play.rig("9s 9d").proceed()
    check(play, [("nothing_due", c.Proceed()), ("deal_completed", c.MissBox(DEALER, 1))])


def test_only_a_floorperson_approves_an_award() -> None:
    """Neither the dealer of the round nor the platform approves a meter's award."""
    play = Play("maryland", staffed=True).join("ann").ready()
    play.do(c.ChangeDealer(DEALER))
    play.start().bet("ann", 1, primary=100, progressive=500).close()
    play.rig("7h 7h").proceed()
    play.do(game.Choose("ann", 1, "war"))
    play.rig("2c 3c 4c 7h 7h").proceed()
    assert play.what == "approval"
    check(play, [("not_floor", c.Approve(DEALER)), ("not_floor", c.Approve("platform"))])
    check(play, [("nothing_due", c.Proceed())])
    play.do(c.Approve(FLOOR))
    check(play, [("no_award", c.Approve(FLOOR))])


def test_an_idle_tables_cards_are_turned_by_a_player() -> None:
    """Cards once in use are spread while nobody plays; only a guest has them turned face up."""
    play = Play("maryland", staffed=True).join("ann").ready("load")
    play.do(c.LoadShoe(DEALER), c.GoIdle(DEALER))
    check(play, [("not_here", c.TurnUp("zoe")), ("no_cards_in_use", c.GoIdle(DEALER))])
    play.do(c.TurnUp("ann"))
    other = Play("washington", staffed=True).join("ann").ready()
    check(other, [("no_idle_spread", c.GoIdle(DEALER))])
    assert other.setup.rules.opening.idle_spread is False


def test_a_broken_device_is_marked_before_another_method() -> None:
    """Another method waits for the sign, and is none that needs the device."""
    other = Play("new-zealand", staffed=True).join("ann").ready()
    check(other, [("no_such_method", c.ChangeMethod(FLOOR, "every_round"))])
    play = Play("maryland", shuffle="batches", staffed=True).join("ann").ready()
    play.do(c.FailDevice(DEALER, "smoke"))
    check(play, [("device_not_marked", c.ChangeMethod(FLOOR, "shoe"))])
    check(play, [("device_failed", c.StartRound(1))])
    play.do(c.MarkDevice(DEALER, "signed"))
    check(play, [("device_failed", c.ChangeMethod(FLOOR, "every_round"))])
    play.do(c.ChangeMethod(FLOOR, "shoe"))
    assert play.state.shoe is play.state.stored is None


@pytest.mark.parametrize("name", NAMES)
def test_which_books_receive_cards(name: str) -> None:
    """Cards are brought and counted where the document has an opening or a limit of age."""
    play = Play(name, staffed=True).join("ann")
    assert needs_decks(play.setup) == (name in ("maryland", "new-zealand"))
    assert (play.what == "decks") == needs_decks(play.setup)
    rules = play.setup.rules
    one = replace(rules, opening=replace(rules.opening, inspected_by=1))
    assert needs_decks(replace(play.setup, rules=one))


def test_a_wrong_step_names_the_right_one() -> None:
    """The sentence says what the cards need, and which batches there are."""
    play = Play("maryland", staffed=True).join("ann")
    play.do(c.ReceiveDecks(DEALER, 0))
    for command, sentence in (
        (c.Prepare(DEALER, "wash"), "These cards need inspect now, not wash."),
        (c.Prepare(DEALER, "inspect", "red"), "The batches at this table are: one without a name."),
    ):
        refusal = play.refusal(command)
        assert refusal is not None
        assert refusal.sentence == sentence
    play.ready("shuffle")
    refusal = play.refusal(c.Prepare(DEALER, "wash"))
    assert refusal is not None
    assert refusal.sentence == "These cards need nothing more now, not wash."
    two = Play("maryland", shuffle="batches", staffed=True).join("ann")
    two.do(c.ReceiveDecks(DEALER, 0))
    refusal = two.refusal(PREPARE)
    assert refusal is not None
    assert refusal.sentence == "The batches at this table are: red, blue."


def test_what_a_table_awaits_by_its_step() -> None:
    """A broken device awaits its mark, then another method; a table its people."""
    play = Play("maryland", shuffle="batches", staffed=True).join("ann").ready()
    undecked = replace(play.state, decks=None)
    assert table.awaits(play.setup, undecked) == (Due("decks"),)
    betting = Play("maryland", shuffle="batches", staffed=True).join("ann").start()
    older = replace(betting.state, decks=None)
    assert table.awaits(betting.setup, older) == (Due("bets"),)
    play.do(c.FailDevice(DEALER, "smoke"))
    assert play.due == (Due("device", step="mark"),)
    play.do(c.MarkDevice(DEALER, "signed"))
    assert play.due == (Due("device", step="method"),)
    empty = Play("washington").ready("players")
    assert empty.due == (Due("players"),)
    assert empty.state.shoe is not None
    waiting = Play("maryland")
    waiting.do(c.ReceiveDecks("platform", 0, "inspected_and_shuffled"))
    assert waiting.due == (Due("players"),)
    bank = Play("california").join("ann").ready("players")
    assert bank.due[0] == Due("players")


def test_a_malformed_command_is_not_decided() -> None:
    """A table checks what a command holds before it decides."""
    play = Play("maryland").join("ann").start()
    for command in (game.Bet("ann", 10, "primary", 100), game.Bet("ann", 1, "primary", -5)):
        assert play.refuses(command) == "malformed"


@pytest.mark.parametrize(
    ("left", "war", "most"), [(999, False, 0), (1000, True, 0), (1050, True, 50)]
)
def test_a_war_needs_the_money_for_it(left: int, war: bool, most: int) -> None:
    """War is offered to who can pay as much again, with a tie wager from what is left then."""
    play = Play("california").join("ann")
    play.do(c.Join("bob", 1000 + left, 2))
    play.start().bet("bob", 2, primary=1000).close().rig("9s 9d").proceed()
    moves = table.legal(play.setup, play.state, "bob")
    choices = {move.choice: move for move in moves if isinstance(move, MayChoose)}
    assert set(choices) == ({"war", "surrender"} if war else {"surrender"})
    if war:
        assert choices["war"].war_tie == (Amounts(1, most, 1) if most else None)
    priced = {price.choice: price for price in table.prices(play.setup, play.state, "bob")}
    assert set(priced) == {"war", "surrender"}, "affordable or not"
    asked = table.price(play.setup, play.state, game.Choose("bob", 2, "war"))
    assert asked == priced["war"]
    play.do(game.Choose("bob", 2, "surrender"))
    assert table.prices(play.setup, play.state, "bob") == ()
    assert table.legal(play.setup, play.state, "zoe") == ()
    offer = table.legal(play.setup, play.state, play.due[0].player or "")
    assert [type(move) for move in offer] == [MayBank]
