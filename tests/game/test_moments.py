"""Commands at the wrong moment, and who is asked for a choice when."""

import pytest
from msgspec.structs import replace

from clauses import proves
from rounds import Game, book, dealt_boxes
from wartable.cards import HIDDEN
from wartable.game import (
    Bet,
    Burn,
    Choose,
    Chosen,
    CloseBets,
    Deal,
    Decline,
    DueCard,
    DueChoice,
    DueMeter,
    GameCommand,
    Illegal,
    Leave,
    Open,
    Placed,
    ReadMeter,
    Round,
    Spin,
    Timeout,
    VoidBox,
    VoidRound,
    Withdraw,
    awaits,
    decide,
    legal,
)
from wartable.game.moves import MayLeave
from wartable.rules import NAMES

pytestmark = pytest.mark.finding(19)

Refused = list[tuple[str, GameCommand]]

COMMANDS: list[GameCommand] = [
    Bet("Ann", 1, "primary", 1000),
    Withdraw("Ann", 1, "primary"),
    Decline("Ann", 1),
    CloseBets(),
    Deal("9s"),
    Burn(),
    Choose("Ann", 1, "war"),
    Timeout("Ann", 1),
    Spin(None, None, "$25"),
    ReadMeter("progressive", 1000),
    Leave("Ann"),
    VoidBox(1),
    VoidRound("a misdeal"),
]


@pytest.mark.parametrize("name", NAMES)
def test_nothing_happens_outside_of_a_round(name: str) -> None:
    """Before it is open a round takes no command but that; once closed it takes none."""
    game = Game(name)
    for command in COMMANDS:
        with pytest.raises(Illegal) as refused:
            decide(game.rules, Round(), command)
        assert refused.value.code == "not_open"
    opening = Open(banker="bank") if game.rules.banker == "player" else Open()
    assert game.refuses(opening) == "already_open"
    game.bet("Ann", 1, primary=1000).close().deal("Ks 9d")
    assert awaits(game.rules, game.state) == ()
    assert {game.refuses(command) for command in (*COMMANDS, opening)} == {"round_closed"}


@pytest.mark.parametrize("name", NAMES)
def test_everything_has_its_moment(name: str) -> None:
    """At each step of a round a command that is not due is refused by the name of what it lacks."""
    game = Game(name).bet("Ann", 1, primary=1000).bet("Bob", 3, primary=1000)
    late: Refused = [("no_card_due", Deal("9s")), ("no_burn_due", Burn())]
    choices: Refused = [
        ("no_choice_due", Choose("Ann", 1, "war")),
        ("no_choice_due", Timeout("Ann", 1)),
        ("no_wheel_due", Spin(None, None, "$25")),
        ("no_meter_due", ReadMeter("progressive", 1000)),
    ]
    early: Refused = [("no_such_box", VoidBox(1)), ("not_playing", Leave("Zoe"))]
    for code, command in (*late, *choices, *early):
        assert game.refuses(command) == code
    game.close()
    for code, command in (*late[1:], *choices):
        assert game.refuses(command) == code
    game.deal("9s")
    assert game.refuses(VoidBox(1)) == "box_done"
    assert game.refuses(VoidBox(2)) == "no_such_box"
    game.deal("2s 9d")
    for code, command in (*late, *choices[2:], ("deal_completed", VoidBox(1))):
        assert game.refuses(command) == code
    assert list(game.due) == [DueChoice("Ann", 1)]
    assert game.refuses(Choose("Bob", 3, "war")) == "no_choice_due"
    assert game.refuses(Choose("Ann", 3, "war")) == "no_choice_due"
    game.choose("Ann", 1, "war")
    for code, command in (*choices, ("deal_completed", VoidBox(1))):
        assert game.refuses(command) == code


def test_boxes_are_dealt_in_either_direction() -> None:
    """Three boxes get their cards from the first or from the last, the dealer after them."""
    rules = book("washington")
    for order, boxes in (("clockwise", [1, 3, 5, 0]), ("counterclockwise", [5, 3, 1, 0])):
        game = Game(replace(rules, deal=replace(rules.deal, order=order)))
        for player, box in (("Ann", 1), ("Bob", 3), ("Cat", 5)):
            game.bet(player, box, primary=1000)
        game.close().deal("9s 9h 9c 9d")
        for player, box in (("Ann", 1), ("Bob", 3), ("Cat", 5)):
            game.choose(player, box, "war")
        game.deal("Ks Kh Kc 8d")
        assert list(dealt_boxes(game.events, "original")) == boxes
        assert list(dealt_boxes(game.events, "war")) == boxes


@proves("engine", "MD-11-D")
def test_MD_11_D_a_community_box() -> None:
    """A community box that was missed is void and gets no card; only an unbacked card is unseen."""
    game = Game(book("maryland", electronic="3"))
    game.bet("Ann", 1, primary=1000).bet("Bob", 1, primary=500).bet("Ann", 3, primary=700).close()
    game.do(VoidBox(1))
    assert game.due == (DueCard("original", 2),)
    game.do(Deal(HIDDEN))
    assert game.refuses(Deal(HIDDEN)) == "unknown_card"
    game.deal("Ks")
    assert game.refuses(Deal(HIDDEN)) == "unknown_card"
    game.deal("9d")
    assert list(dealt_boxes(game.events, "original")) == [2, 3, 0]
    assert (game.net("Ann"), game.net("Bob")) == (700, 0)


def test_each_boxs_seated_player_chooses_for_it() -> None:
    """Two tied boxes ask two people; who has left is passed over, for that box alone."""
    rules = book("new-zealand", box_choice="seated_player")
    game = Game(rules, seats={1: "Ann", 2: "Bob"})
    for player, box in (("Ann", 1), ("Eve", 1), ("Bob", 2), ("Fay", 2)):
        game.bet(player, box, primary=1000)
    game.close().deal("9s 9h 9d")
    assert list(game.due) == [DueChoice("Ann", 1), DueChoice("Bob", 2)]
    game.do(Leave("Bob"))
    assert list(game.due) == [DueChoice("Ann", 1), DueChoice("Fay", 2)]
    assert game.outcome("Bob", "primary", 2) == ""
    game.choose("Fay", 2, "war")
    assert list(game.due) == [DueChoice("Ann", 1)]
    game.choose("Ann", 1, "surrender")
    chosen = {hand.player: hand.choice for hand in game.state.hands}
    assert chosen == {"Ann": "surrender", "Eve": "surrender", "Bob": "surrender", "Fay": "war"}


@pytest.mark.parametrize("name", NAMES)
def test_a_player_leaves_once(name: str) -> None:
    """Who has left a dealt round cannot leave it again, whatever the book does with the wagers."""
    game = Game(name).bet("Ann", 1, primary=1000).bet("Bob", 2, primary=1000).close()
    game.do(Leave("Ann"))
    assert game.refuses(Leave("Ann")) == "left"
    assert not [move for move in legal(game.rules, game.state, "Ann") if isinstance(move, MayLeave)]


def test_a_choice_names_who_made_it() -> None:
    """The seated player's choice is theirs, the others' the seat's, and a tie wager has none."""
    rules = book("new-zealand", box_choice="seated_player")
    game = Game(rules, seats={1: "Ann"}).bet("Ann", 1, primary=1000).bet("Eve", 1, primary=500)
    game.do(Decline("Ann", 1))
    game.do(Decline("Eve", 1))
    game.bet("Fay", 1, tie=100).close().deal("9s 9d")
    game.do(Choose("Ann", 1, "war"))
    assert game.of(Chosen) == [
        Chosen("Ann", 1, "war", "player"),
        Chosen("Eve", 1, "war", "seated"),
    ]
    assert [(each.player, each.amount) for each in game.of(Placed)[-2:]] == [
        ("Ann", 1000),
        ("Eve", 500),
    ]


@pytest.mark.parametrize("by", ["dan", "platform"])
def test_a_timeout_names_who_called_it(by: str) -> None:
    """The choice is the platform's, and the record says who said that the time was over."""
    game = Game("maryland").bet("Ann", 1, primary=1000).close().deal("9s 9d")
    game.do(Timeout("Ann", 1, by))
    assert game.of(Chosen) == [Chosen("Ann", 1, "surrender", "platform", by)]


def test_a_progressive_does_not_wait_for_a_war_that_nobody_matches() -> None:
    """Where a player banks and matches nothing, the tie alone is the progressive's line."""
    rules = book("california")
    wagers = replace(rules.wagers, progressive=book("maryland").wagers.progressive)
    game = Game(replace(rules, wagers=wagers), bank=1000, bank_stack=0)
    game.bet("Ann", 1, primary=1000, progressive=500).close().deal("9s 9d")
    game.choose("Ann", 1, "war")
    assert game.outcome("Ann", "war") == game.outcome("Ann", "primary") == "unmatched"
    assert game.outcome("Ann", "progressive") == "tie"
    assert game.state.closed


@proves("engine", "MD-7-B-4")
def test_MD_7_B_4_before_the_dealers_card() -> None:
    """Who leaves with a card and before the dealer's loses the progressive too: nothing tied."""
    for cards in ("", "9s"):
        game = Game("maryland").bet("Ann", 1, primary=1000, progressive=500)
        game.bet("Bob", 2, primary=1000).close().deal(cards)
        game.do(Leave("Ann"))
        assert game.outcome("Ann", "progressive") == "abandoned"
        assert game.net("Ann") == -1500


def test_a_meter_is_read_after_the_choice() -> None:
    """Even where a plain tie wins the meter, the hand chooses first and is settled before it."""
    rules = book("maryland")
    assert rules.wagers.progressive is not None
    progressive = replace(rules.wagers.progressive, meter_line="tie")
    rules = replace(rules, wagers=replace(rules.wagers, progressive=progressive))
    game = Game(rules).bet("Ann", 1, primary=1000, progressive=500).close().deal("9s 9d")
    assert list(game.due) == [DueChoice("Ann", 1)]
    assert game.refuses(ReadMeter("progressive", 1000)) == "no_meter_due"
    game.choose("Ann", 1, "surrender")
    assert list(game.due) == [DueMeter("progressive")]
    game.do(ReadMeter("progressive", 70_000))
    assert game.net("Ann", "primary") == -500
    assert game.net("Ann", "progressive") == 5 * 500 + 70_000
    assert game.state.closed


@pytest.mark.finding(19)
def test_the_same_round_by_another_reading() -> None:
    """What a round awaits is by the rules asked with, whatever was asked of it before."""
    each, seated = book("new-zealand"), book("new-zealand", box_choice="seated_player")
    game = Game(each).bet("Ann", 1, primary=1000).bet("Bob", 1, primary=1000).close().deal("9s 9d")
    ann, bob = DueChoice("Ann", 1), DueChoice("Bob", 1)
    for _ in range(2):
        assert awaits(each, game.state) == (ann, bob)
        assert awaits(seated, game.state) == (ann,)
