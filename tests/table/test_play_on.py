"""Cards with which the platform plays on: shuffled, loaded, and the next round opened at once."""

from collections.abc import Callable

import pytest

from tables import Play, seed
from wartable import croupier, game, table
from wartable.croupier import PRIVATE, Timing
from wartable.rules import NAMES
from wartable.table import PLATFORM
from wartable.table import commands as c
from wartable.table import events as e

NOW_MS = 60_000
DAY_MS = 24 * 60 * 60 * 1_000


def shuffled(book: str, *players: str, own: str = "", staffed: bool = False) -> Play:
    """A table whose cards are due to be shuffled."""
    return Play(book, own=own, staffed=staffed).join(*players).ready("shuffle")


def alone(play: Play) -> c.ShuffleCards:
    """The shuffle by itself; links decide the cards of somebody's own table."""
    if (chain := play.chain()) is not None:
        play.do(chain)
    return c.ShuffleCards("" if play.own else seed(1), PLATFORM)


def on(command: c.ShuffleCards) -> c.ShuffleCards:
    """The same shuffle, after which the platform plays on."""
    return c.ShuffleCards(command.seed, command.by, True, NOW_MS)


@pytest.mark.parametrize("own", ["", "ann"])
@pytest.mark.parametrize("book", NAMES)
def test_it_is_what_the_commands_would_be_one_by_one(book: str, own: str) -> None:
    """The events are those of shuffle, load and start, up to where people must act."""
    play = shuffled(book, "ann", own=own)
    command, state, events = alone(play), play.state, list[e.Event]()
    each: c.Command | None = command
    later: dict[str, Callable[[], c.Command]] = {
        "load": lambda: c.LoadShoe(PLATFORM),
        "start": lambda: c.StartRound(NOW_MS),
    }
    state = play.state
    while each is not None:
        state, happened = table.step(play.setup, state, each)
        events += happened
        due = table.awaits(play.setup, state)[0].what
        each = later[due]() if due in later else None
    assert table.step(play.setup, play.state, on(command)) == (state, tuple(events))
    assert len(events) > 1


def test_bets_are_open_where_nobody_must_act() -> None:
    """Online nobody cuts, so that the round is open after the shuffle."""
    play = shuffled("online", "ann", own="ann")
    play.do(on(alone(play)))
    assert (play.what, play.state.rounds) == ("bets", 1)


def test_it_stops_at_a_cut() -> None:
    """In New Zealand a player is offered the cut first, and the shoe is not loaded."""
    play = shuffled("new-zealand", "ann")
    play.do(on(alone(play)))
    assert (play.what, play.of(e.ShoeLoaded), play.state.rounds) == ("cut", [], 0)


def test_it_stops_where_nobody_plays() -> None:
    """The last player has left: the shoe is loaded, and no round is opened."""
    play = shuffled("online", "ann", own="ann")
    command = alone(play)
    play.do(game.Leave("ann"), on(command))
    assert (play.what, len(play.of(e.ShoeLoaded)), play.state.rounds) == ("players", 1, 0)


def test_no_round_is_opened_with_cards_that_are_too_old() -> None:
    """After a day in use the cards are loaded at most, as a start by itself would be refused."""
    play = Play("maryland", shuffle="every_round").join("ann").ready("shuffle")
    assert play.state.decks is not None
    late_ms = play.state.decks.at_ms + DAY_MS
    play.do(c.ShuffleCards(seed(1), PLATFORM, True, late_ms))
    assert (play.what, play.state.rounds) == ("start", 0)
    assert play.refuses(c.StartRound(late_ms)) == "deck_age"


def test_a_dealer_plays_on_step_by_step() -> None:
    """At a table with staff the shuffle alone is accepted, and nothing more."""
    play = shuffled("maryland", "ann", staffed=True)
    command, before = alone(play), play.state
    assert play.refuses(on(command)) == "staffed"
    assert play.state == before
    play.do(command)


def test_it_is_refused_whenever_the_shuffle_is() -> None:
    """In the middle of a round nothing is shuffled, loaded or started."""
    play = shuffled("online", "ann", own="ann")
    command = alone(play)
    play.do(on(command))
    assert play.refuses(on(command)) == play.refuses(command) == "shoe_in_use"


@pytest.mark.parametrize(
    ("timing", "wanted"), [(PRIVATE, True), (Timing(), False), (Timing(pause_ms=1), False)]
)
def test_the_platform_plays_on_where_it_does_not_pause(timing: Timing, wanted: bool) -> None:
    """Between the rounds of a shared table people have time to look."""
    play = shuffled("online", "ann")
    act = croupier.act(play.setup, play.state, play.due[0], timing, 0, NOW_MS, seed(1))
    assert act.command == c.ShuffleCards(seed(1), PLATFORM, wanted, NOW_MS if wanted else 0)
