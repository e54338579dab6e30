"""The cards by the book: two batches, the first cut, the cards' age before the first card."""

import pytest

from clauses import proves
from tables import BUY_IN, DEALER, FLOOR, Play, seed
from wartable import croupier, game
from wartable.croupier import Timing, act, first_due
from wartable.game import Illegal
from wartable.table import PLATFORM, Due
from wartable.table import commands as c
from wartable.table import events as e

DAY_MS = 24 * 3_600_000
BLUE = Due("shuffle", batch="blue")


def by_itself(play: Play, now_ms: int = 0) -> Play:
    """What the automatic dealer does at once."""
    while True:
        due = first_due(play.setup, play.due)
        new_seed = seed(len(play.events))
        command = act(play.setup, play.state, due, Timing(), now_ms, now_ms, new_seed).command
        if command is None:
            return play
        play.do(command)


def batch_of(play: Play) -> tuple[str | None, str | None]:
    """The batch in play and the one that waits in the device."""
    shoe, stored = play.state.shoe, play.state.stored
    return shoe.terms.batch if shoe else None, stored.terms.batch if stored else None


# Two batches


@pytest.mark.finding(10)
@proves("engine", "CA-decks-3c", "MD-3-B-3")
@pytest.mark.parametrize("book", ["california", "maryland", "new-zealand", "washington"])
def test_the_automatic_dealer_stores_the_other_batch(book: str) -> None:
    """Before the first round the other batch waits in the device, and again after each swap."""
    play = Play(book, shuffle="batches").join("ann", "bob")
    for in_play, waiting in (("red", "blue"), ("blue", "red"), ("red", "blue")):
        by_itself(play)
        while play.what == "cut":
            play.do(c.RefuseCut(play.due[0].player or ""))
            by_itself(play)
        assert batch_of(play) == (in_play, waiting)
        assert play.state.rounds == 0
        assert len(play.due) == 1
        play.do(c.OrderReshuffle(FLOOR, "worn"))
        assert batch_of(play) == (waiting, None)


@pytest.mark.finding(10)
@pytest.mark.parametrize("book", ["california", "maryland"])
def test_staff_are_asked_for_the_other_batch(book: str) -> None:
    """Between rounds and while bets are open, until it is stored; a dealer shuffles it, not we."""
    play = Play(book, shuffle="batches", staffed=True).join("ann", "bob").ready()
    assert list(play.due) == [Due("start"), BLUE]
    assert first_due(play.setup, play.due) == Due("start")
    play.start()
    assert list(play.due) == [Due("bets"), BLUE]
    play.bet("bob", 2, primary=1000).close().rig("9s 9d").proceed()
    assert list(play.due) == [Due("choice", "bob", 2)]
    play.finish()
    assert BLUE in play.due
    play.do(c.ShuffleCards(seed("blue"), DEALER))
    assert batch_of(play) == ("red", "blue")
    assert len(play.due) == 1
    assert play.refuses(c.ShuffleCards(seed("more"), DEALER)) == "shoe_in_use"


@pytest.mark.finding(10)
def test_a_broken_device_stores_nothing() -> None:
    """While the device is out of order nobody is asked to use it; repaired, it is due again."""
    play = Play("california", staffed=True).join("ann", "bob").start()
    play.do(c.FailDevice(DEALER, "smoke"))
    assert list(play.due) == [Due("bets")]
    assert play.refuses(c.ShuffleCards(seed("blue"), DEALER)) == "device_failed"
    play.do(c.RepairDevice(FLOOR))
    assert list(play.due) == [Due("bets"), BLUE]


@pytest.mark.finding(10)
def test_a_table_whose_other_batch_was_never_prepared() -> None:
    """At a table of an older version that batch is asked for between rounds, and play goes on."""
    play = Play("maryland", shuffle="batches", staffed=True).join("ann")
    play.do(c.ReceiveDecks(DEALER, 0))
    while play.due[0].batch == "red":
        play.do(play.plain(play.due[0]))
    play.do(c.ShuffleCards(seed("red")), c.LoadShoe(DEALER))
    assert list(play.due) == [Due("start"), Due("prepare", step="inspect", batch="blue")]
    play.start()
    assert list(play.due) == [Due("bets")]
    play.finish()
    while len(play.due) > 1 and play.due[1].what == "prepare":
        play.do(play.plain(play.due[1]))
    assert list(play.due) == [Due("start"), BLUE]


@pytest.mark.finding(10)
def test_a_method_without_batches_has_nothing_to_store() -> None:
    """A table whose cards are shuffled by hand awaits no second batch."""
    play = Play("maryland", staffed=True).join("ann").ready()
    assert list(play.due) == [Due("start")]
    assert play.refuses(c.ShuffleCards(seed("other"), DEALER)) == "shoe_in_use"


# The first cut


@pytest.mark.finding(12)
def test_MD_5_E_1_the_shuffle_waits_for_the_first_player() -> None:
    """Nothing is shuffled for an empty table, so that the first to arrive is offered the cut."""
    play = by_itself(Play("maryland"))
    assert list(play.due) == [Due("players")]
    assert play.state.shoe is None
    play.do(c.Join("cat", BUY_IN, 5))
    by_itself(play)
    assert list(play.due) == [Due("cut", "cat")]
    play.join("ann").do(c.Cut("cat", 100))
    assert by_itself(play).what == "start"
    assert play.of(e.CutMade) == [e.CutMade("cat", 100)]


@pytest.mark.finding(12)
def test_MD_5_E_1_a_dealer_waits_too() -> None:
    """A dealer's shuffle is refused while nobody is here, and again once they left."""
    play = Play("maryland", staffed=True)
    play.do(c.ReceiveDecks(DEALER, 0, "inspected_and_shuffled"))
    assert list(play.due) == [Due("players")]
    assert play.refuses(c.ShuffleCards(seed(1), DEALER)) == "no_player"
    play.join("ann").do(game.Leave("ann"))
    assert play.refuses(c.ShuffleCards(seed(1), DEALER)) == "no_player"
    play.join("bob").do(c.ShuffleCards(seed(1), DEALER))
    assert list(play.due) == [Due("cut", "bob")]


@pytest.mark.finding(12)
def test_rows_of_older_versions_shuffled_for_an_empty_table() -> None:
    """A shuffle that does not say by whom is decided as it was: the dealer cut."""
    play = Play("maryland")
    play.do(c.ReceiveDecks(PLATFORM, 0, "preshuffled"), c.ShuffleCards(seed(1)))
    assert play.of(e.CutMade) == [e.CutMade()]
    play.do(c.LoadShoe(PLATFORM))
    assert play.join("ann").what == "start"


@pytest.mark.finding(12)
@pytest.mark.parametrize(
    ("book", "method"), [("maryland", "batches"), ("new-zealand", "shoe"), ("washington", "shoe")]
)
def test_only_a_cut_that_is_the_first_players_waits(book: str, method: str) -> None:
    """Cards that nobody cuts, or that no first player is entitled to cut, are shuffled at once."""
    play = by_itself(Play(book, shuffle=method))
    assert play.state.shoe is not None
    assert play.state.shoe.cards


# The cards' age


@pytest.mark.finding(12)
@pytest.mark.parametrize("staffed", [False, True])
def test_MD_3_C_no_first_card_from_old_cards(staffed: bool) -> None:
    """Cards that grow too old before the first card deal none: the round is void, others come."""
    play = Play("maryland", staffed=staffed).join("ann").ready()
    play.do(c.StartRound(DAY_MS - 1))
    play.bet("ann", 1, primary=100, progressive=500).close()
    before = play.state.meters_before
    play.do(c.Proceed(1, DAY_MS))
    assert not play.state.in_round
    assert play.of(game.Dealt) == []
    assert play.stack("ann") == BUY_IN
    assert play.state.meters == before
    assert [event.reason for event in play.of(game.RoundVoided)] == ["the cards are 24 hours old"]
    assert list(play.due) == [Due("decks")]
    assert play.refuses(c.StartRound(DAY_MS + 1)) == "no_shoe"
    assert play.refuses(c.ShuffleCards(seed(1), DEALER)) == "no_decks"


@pytest.mark.finding(12)
def test_MD_3_C_a_round_with_a_card_is_finished() -> None:
    """Once a card is dealt the round is finished on the cards, its war too (A5)."""
    play = Play("maryland").join("ann").ready()
    play.do(c.StartRound(DAY_MS - 2))
    play.bet("ann", 1, primary=100).close().rig("9s 9d 2c 3c 4c Ks Qd")
    play.do(c.Proceed(1, DAY_MS - 1), c.Proceed(0, DAY_MS))
    play.do(game.Choose("ann", 1, "war"), c.Proceed(0, 2 * DAY_MS))
    assert [event.outcome for event in play.of(game.Settled)][-1] == "war_won"
    assert play.refuses(c.StartRound(2 * DAY_MS)) == "deck_age"


@pytest.mark.finding(12)
def test_MD_3_C_the_automatic_dealer_tells_the_time() -> None:
    """No more bets at the 24th hour: the automatic dealer deals nothing and brings new cards."""
    play = by_itself(Play("maryland").join("ann"))
    play.do(c.Cut("ann", 100))
    by_itself(play).do(c.StartRound(DAY_MS - 1))
    play.bet("ann", 1, primary=100).do(game.CloseBets())
    by_itself(play, DAY_MS)
    assert play.of(game.Dealt) == []
    assert play.stack("ann") == BUY_IN
    assert [event.at_ms for event in play.of(e.DecksReceived)] == [0, DAY_MS]
    assert list(play.due) == [Due("cut", "ann")]


@pytest.mark.finding(12)
def test_a_book_without_an_age_deals_on() -> None:
    """Where the document has no limit of age, cards are dealt however old they are."""
    play = Play("new-zealand").join("ann").start().bet("ann", 1, primary=1000).close()
    play.do(c.Proceed(1, 100 * DAY_MS))
    assert len(play.of(game.Dealt)) == 1


@pytest.mark.finding(11)
def test_MD_3_C_the_age_counts_from_the_inventory() -> None:
    """Cards that were in use before come with their age, and too old ones do not come at all."""
    play = Play("maryland").join("ann")
    old = c.ReceiveDecks(DEALER, DAY_MS + 5, "new", ("one",), 5)
    assert play.refuses(old) == "deck_age"
    play.do(c.ReceiveDecks(DEALER, DAY_MS + 4, "inspected_and_shuffled", ("one", "two"), 5))
    assert play.state.decks is not None
    assert play.state.decks.sets == ("one", "two")
    play.ready()
    assert play.refuses(c.StartRound(DAY_MS + 5)) == "deck_age"
    play.do(c.StartRound(DAY_MS + 4))


@pytest.mark.finding(11)
def test_the_platforms_cards_are_exempt_and_only_they() -> None:
    """The platform's cards were inspected and shuffled by the program; a person's are new."""
    assert croupier.CONDITION == "inspected_and_shuffled"
    assert c.ReceiveDecks(DEALER, 0).condition == "new"
    play = Play("maryland").join("ann")
    play.do(c.ReceiveDecks(DEALER, 0))
    with pytest.raises(Illegal, match="inspect is next"):
        play.do(c.ShuffleCards(seed(1), DEALER))
