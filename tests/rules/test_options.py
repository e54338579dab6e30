"""Every named option with every value: what each does to the money or to the order of things."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import msgspec
import pytest

from rounds import Game, book, entry, leaves, play
from wartable.game import (
    Bet,
    Burned,
    Choose,
    Dealt,
    DueCard,
    DueChoice,
    EnvyPaid,
    Leave,
    Matched,
    Placed,
    Returned,
    Settled,
    Timeout,
)
from wartable.rules import NAMES, Ratio, RuleBook, RulesError, load, option_values, with_options
from wartable.rules.model import Options, WarTie

SHOWN: set[tuple[str, str]] = set()

Test = Callable[..., None]


def shows(option: str, *values: str) -> Callable[[Test], Test]:
    """Note that a test shows what these values of an option do."""

    def note(test: Test) -> Test:
        SHOWN.update((option, value) for value in values)
        return test

    return note


def test_every_value_is_shown() -> None:
    """No option and no value of one is without a test here."""
    known = {(name, v) for name in Options.__struct_fields__ for v in option_values(name)}
    assert known == SHOWN


def test_unknown_options_are_refused() -> None:
    """An unknown option or value is a problem in words, and all of them are named."""
    with pytest.raises(RulesError, match="There is no option 'war_pay'"):
        with_options(load("maryland"), {"war_pay": "no_bonus"})
    with pytest.raises(RulesError) as caught:
        with_options(load("maryland"), {"war_pays": "all", "electronic": "4"})
    assert [problem.split()[2] for problem in caught.value.problems] == ["war_pays", "electronic"]


# Win, tie and loss of a war in units, and the house edge of always going to war in percent.
WAR_PAYS: dict[str, tuple[tuple[Fraction | int, ...], dict[int, str]]] = {
    "both_units": ((1, 2, -2), {4: "2.3096", 6: "2.3301", 8: "2.3398"}),
    "no_bonus": ((1, 1, -2), {4: "2.8351", 6: "2.8771", 8: "2.8978"}),
    "each_wager": ((Fraction(3, 2), 1, -2), {4: "1.1548", 6: "1.1650", 8: "1.1699"}),
    "war_only": ((Fraction(1, 2), 1, -2), {4: "4.5153", 6: "4.5892", 8: "4.6258"}),
    "primary_lost": ((0, 1, -2), {4: "6.1955", 6: "6.3013", 8: "6.3537"}),
}


def edge(rules: RuleBook, decks: int) -> Fraction:
    """The house edge of always going to war, by walking the engine over all ranks."""
    cards, total = 52 * decks, Fraction(0)
    first, second = cards * (cards - 1), (cards - 2) * (cards - 3)
    for leaf in leaves(rules, decks, {"primary": 200}, {"war": ("war", 0)}):
        draws = first if leaf.branch == "decided" else first * second
        total -= Fraction(leaf.weight * sum(leaf.nets.values()), draws)
    return total / 200


@shows("war_pays", *WAR_PAYS)
@pytest.mark.parametrize("value", WAR_PAYS)
def test_war_pays(value: str) -> None:
    """A war won, tied and lost brings what the reading says, and the edges are the table's."""
    units, edges = WAR_PAYS[value]
    rules = book("new-zealand", war_pays=value)
    for mine, expected in zip(("Ks", "8s", "2s"), units, strict=True):
        game = play(rules, entry("Ann", 1, f"9s {mine}", primary=1000), "9d 8d")
        assert game.main("Ann") == 1000 * expected
    for decks, percent in edges.items():
        assert f"{float(100 * edge(rules, decks)):.4f}" == percent


@shows("war_burn", "once", "before_dealer", "each_card")
@pytest.mark.parametrize(
    ("value", "pattern"),
    [("once", "bbbccc"), ("before_dealer", "bbbccbbbc"), ("each_card", "bbbc" * 3)],
)
def test_war_burn(value: str, pattern: str) -> None:
    """Three burns before the war deal, also before the dealer's card, or before every card."""
    entries = [entry("Ann", box, "9s Ks", primary=100) for box in (1, 2)]
    game = play(book("online", war_burn=value), entries, "9d 8d")
    war = [event for event in game.events if isinstance(event, Burned | Dealt)][3:]
    assert "".join("b" if isinstance(event, Burned) else "c" for event in war) == pattern
    assert game.net("Ann") == 200


@shows("war_tie_wager", "none", "equal_primary", "free")
def test_war_tie_wager() -> None:
    """A tie wager at war is not offered, as large as the primary, or of any size."""

    def tied(value: str) -> Game:
        rules = book("maryland", war_tie_wager=value)
        return Game(rules).bet("Ann", 1, primary=200).close().deal("9s 9d")

    assert tied("none").refuses(Choose("Ann", 1, "war", 200)) == "not_offered"
    assert tied("equal_primary").refuses(Choose("Ann", 1, "war", 199)) == "wrong_size"
    for value, amount in (("equal_primary", 200), ("free", 199), ("free", 5000)):
        game = tied(value).choose("Ann", 1, "war", war_tie=amount).deal("8s 8d")
        assert game.net("Ann", "war_tie") == 10 * amount


@shows("odd_half", "down", "up", "refuse")
def test_odd_half() -> None:
    """Half of an odd wager rounds for the player, for the house, or is never asked for."""

    def forfeited(value: str, amount: int) -> int:
        ann = entry("Ann", 1, "9s", primary=amount, choice="surrender")
        return -play(book("washington", odd_half=value), ann, "9d").net("Ann")

    assert (forfeited("down", 501), forfeited("up", 501)) == (250, 251)
    assert forfeited("down", 500) == forfeited("up", 500) == forfeited("refuse", 500) == 250
    game = Game(book("washington", odd_half="refuse"))
    assert game.refuses(Bet("Ann", 1, "primary", 501)) == "odd_amount"
    game.bet("Ann", 1, primary=500, tie=3)
    assert game.refuses(Bet("Ann", 1, "primary", 3)) == "odd_amount"


# Bank 1500; box 1 with a primary of 1000 and a tie of 100, box 2 with a primary of 1000.
EXAMPLE = (("Ann", 1, {"primary": 1000, "tie": 100}), ("Bob", 2, {"primary": 1000}))


def banked(cover: str, cards: str, dealer: str, bank: int = 1500, **extra: Any) -> Game:
    """The example's round, one card for each box."""
    first, second = cards.split()
    entries = [
        entry("Ann", 1, first, primary=1000, tie=100, **extra),
        entry("Bob", 2, second, primary=1000, **extra),
    ]
    return play(book("california", bank_cover=cover), entries, dealer, bank=bank)


@shows("bank_cover", "matched")
def test_bank_cover_matched() -> None:
    """Box by box, primary before tie: covered are 1000, 50 and 0, whatever the cards."""
    lost = banked("matched", "2s 3s", "9d")
    assert lost.of(Returned) == [
        Returned("Ann", 1, "tie", "uncovered", 50),
        Returned("Bob", 2, "primary", "uncovered", 1000),
    ]
    assert [lost.net("Ann", "primary"), lost.net("Ann", "tie"), lost.net("Bob")] == [-1000, -50, 0]
    won = banked("matched", "Ks As", "9d")
    assert [won.net("Ann", "primary"), won.net("Ann", "tie"), won.net("Bob")] == [1000, -50, 0]
    tied = banked("matched", "9s As", "9d", choice="surrender")
    assert [tied.net("Ann", "primary"), tied.net("Ann", "tie"), tied.net("Bob")] == [-500, 500, 0]


@shows("bank_cover", "ties_last")
def test_bank_cover_ties_last() -> None:
    """All primaries are covered before any tie: covered are 1000 and 500, the tie not at all."""
    game = banked("ties_last", "2s 3s", "9d")
    assert game.of(Returned) == [
        Returned("Bob", 2, "primary", "uncovered", 500),
        Returned("Ann", 1, "tie", "uncovered", 100),
    ]
    assert [game.net("Ann"), game.net("Bob")] == [-1000, -500]
    richer = banked("ties_last", "9s Ks", "9d", bank=2600, choice="surrender")
    assert richer.net("Ann", "tie") == 600, "600 are left and cover 60 of the tie wager"
    assert richer.net("Bob") == 1000


@shows("bank_cover", "running")
def test_bank_cover_running() -> None:
    """The bank grows by what it collects; once it is at 0 every further wager comes back."""
    grown = banked("running", "2s Ks", "9d", bank=100)
    assert [grown.net("Ann"), grown.net("Bob")] == [-1100, 1000], "1100 were collected first"
    spent = banked("running", "Ks 2s", "9d", bank=1000)
    assert spent.net("Ann", "primary") == 1000
    assert spent.net("Ann", "tie") == 0, "the bank is at 0: the lost tie wager comes back"
    assert spent.net("Bob") == 0, "and so does the lost primary"
    assert spent.outcome("Bob", "primary", 2) == "uncovered"
    part = banked("running", "Ks As", "9d", bank=1500)
    assert [part.net("Ann"), part.net("Bob")] == [1000 - 100, 600]
    assert part.banker == -1500


@shows("bank_cover", "running")
def test_bank_cover_running_at_war() -> None:
    """At war the match is new money: the war is for both wagers though the bank is spent."""
    rules = book("california", bank_cover="running")
    ann = entry("Ann", 1, "Ks", primary=1000)
    for second, bob in (("2s", -800), ("Ks", 400), ("8s", 400)):
        entries = [ann, entry("Bob", 2, f"9s {second}", primary=400)]
        game = play(rules, entries, "9d 8d", bank=1000)
        assert game.net("Ann") == 1000
        assert game.main("Bob") == bob
        assert -game.banker <= 1000 + 400
    given = play(
        rules, [ann, entry("Bob", 2, "9s", primary=400, choice="surrender")], "9d", bank=1000
    )
    assert given.net("Bob") == 0


@shows("bank_cover", "payoffs_only")
def test_bank_cover_payoffs_only() -> None:
    """All losses are collected; wins stop at the posted wager; who is not paid has the stake."""
    lost = banked("payoffs_only", "2s 3s", "9d", bank=100)
    assert [lost.net("Ann"), lost.net("Bob")] == [-1100, -1000]
    part = banked("payoffs_only", "Ks As", "9d", bank=1500)
    assert [part.net("Ann"), part.net("Bob")] == [1000 - 100, 500]
    spent = banked("payoffs_only", "Ks As", "9d", bank=1000)
    assert spent.net("Bob") == 0
    assert spent.outcome("Bob", "primary", 2) == "uncovered"
    mixed = banked("payoffs_only", "2s As", "9d", bank=300)
    assert [mixed.net("Ann"), mixed.net("Bob")] == [-1100, 300], "what is collected pays nobody"


@pytest.mark.parametrize("cover", option_values("bank_cover"))
def test_bank_cover_with_enough_money(cover: str) -> None:
    """A bank that suffices pays the same under every reading."""
    entries = [
        entry("Ann", 1, "9s Ks", primary=1000, tie=100, war_tie=50),
        entry("Bob", 2, "2s", primary=1000),
        entry("Cat", 3, "9c 8c", primary=300, war_tie=20),
    ]
    game = play(book("california", bank_cover=cover), entries, "9d 8d", bank=10**6)
    assert [game.net(name) for name in ("Ann", "Bob", "Cat")] == [1950, -1000, 800]
    assert sum(event.amount for event in game.of(Matched)) == 1000 + 500 + 300 + 200
    assert not game.of(Returned)


def test_a_war_without_a_match_is_none() -> None:
    """A player/dealer without a stack matches nothing: primary, war and war tie come back."""
    rules = load("california").rules
    for pays in (Ratio(10, 1), Ratio(1, 2), Ratio(0, 1)):
        wagers = msgspec.structs.replace(rules.wagers, war_tie=WarTie(pays))
        other = msgspec.structs.replace(rules, wagers=wagers)
        ann = entry("Ann", 1, "9s", primary=1000, tie=10, war_tie=1)
        game = play(other, ann, "9d", bank_stack=0)
        assert game.net("Ann", "primary", "war", "war_tie") == 0
        assert [game.outcome("Ann", kind) for kind in ("war", "war_tie")] == ["unmatched"] * 2
        assert not game.of(Burned)


@shows("box_choice", "each_player", "seated_player")
def test_box_choice() -> None:
    """Each player of a box decides alone, or the seated one for all of them."""
    each = Game(book("new-zealand"), seats={1: "Ann"})
    each.bet("Bob", 1, primary=100).bet("Ann", 1, primary=1000).close().deal("9s 9d")
    assert set(each.due) == {DueChoice("Ann", 1), DueChoice("Bob", 1)}
    each.choose("Ann", 1, "war").choose("Bob", 1, "surrender").deal("Ks 8d")
    assert [each.net("Ann"), each.net("Bob")] == [1000, -50]
    seated = Game(book("new-zealand", box_choice="seated_player"), seats={1: "Ann"})
    seated.bet("Bob", 1, primary=100).bet("Ann", 1, primary=1000).close().deal("9s 9d")
    assert seated.due == (DueChoice("Ann", 1),)
    assert seated.refuses(Choose("Bob", 1, "surrender")) == "no_choice_due"
    seated.choose("Ann", 1, "war").deal("Ks 8d")
    assert [seated.net("Ann"), seated.net("Bob")] == [1000, 100]
    assert [e.amount for e in seated.of(Placed) if e.wager == "war"] == [1000, 100]


@shows("box_choice", "seated_player")
def test_box_choice_passes_on() -> None:
    """A seated player who has left decides for himself at most: the next one decides."""
    rules = book("new-zealand", box_choice="seated_player", abandoned="surrender")
    game = Game(rules, seats={1: "Ann"}).bet("Ann", 1, primary=1000).bet("Bob", 1, primary=100)
    game.close()
    game.do(Leave("Ann"))
    game.deal("9s 9d")
    assert game.due == (DueChoice("Bob", 1),)
    game.choose("Bob", 1, "war").deal("Ks 8d")
    assert [game.net("Ann"), game.net("Bob")] == [-500, 100]


@shows("progressive_odds", "to_1", "for_1")
def test_progressive_odds() -> None:
    """A winning progressive keeps its stake, or has paid it away."""
    nets = {}
    for value in ("to_1", "for_1"):
        ann = entry("Ann", 1, "9s", primary=100, progressive=500, choice="surrender")
        tie = play(book("maryland", progressive_odds=value), ann, "9d").net("Ann", "progressive")
        ann = entry("Ann", 1, "9s 9s", primary=100, progressive=500)
        top = play(book("maryland", progressive_odds=value), ann, "9s 9s", meters=[1_000_000])
        nets[value] = tie, top.net("Ann", "progressive")
    assert nets == {"to_1": (2500, 1_500_000), "for_1": (2000, 1_499_500)}


@shows("progressive_suited", "pairwise", "one_suit")
def test_progressive_suited() -> None:
    """Two suited ties count pair by pair, or only when all four cards are of one suit."""

    def net(value: str, cards: str) -> int:
        ann = entry("Ann", 1, cards, primary=100, progressive=100)
        return play(book("maryland", progressive_suited=value), ann, cards).net(
            "Ann", "progressive"
        )

    assert net("pairwise", "9s 4h") == net("pairwise", "9s 4s") == 20_000
    assert net("one_suit", "9s 4s") == 20_000
    assert net("one_suit", "9s 4h") == 3_000, "a double tie"
    assert net("one_suit", "9s 9h") == 15_000, "four of a kind"
    assert net("one_suit", "9s 9s") == net("pairwise", "9s 9s") == 1_100_000


@shows("envy_holder", "any", "must_wager")
def test_envy_holder() -> None:
    """The holder of the qualifying hand need not, or must, have a progressive wager."""
    bob = entry("Bob", 2, "2c", primary=100, progressive=500)
    without = entry("Ann", 1, "9s 9s", primary=100)
    with_one = entry("Ann", 1, "9s 9s", primary=100, progressive=100)
    for value, ann, envy in (
        ("any", without, 500_000),
        ("must_wager", without, 0),
        ("must_wager", with_one, 500_000),
    ):
        game = play(book("maryland", envy_holder=value), [ann, bob], "9s 9s")
        assert game.net("Bob", "envy") == envy
        assert len(game.of(EnvyPaid)) == (envy > 0)


@shows("community_pays", "stated", "face")
def test_community_pays() -> None:
    """A community symbol pays the stated amount or its own figure; a hot spot always its own."""

    def net(value: str, **wheel: object) -> int:
        ann = entry("Ann", 1, "2s", primary=100, bonus_spin=500)
        game = play(book("maryland", community_pays=value), ann, "7h", wheel=wheel)
        return game.net("Ann", "bonus_spin") + 500

    stated = {"$150": 150, "$100": 125, "$75": 100, "$50": 75, "$40": 50, "$35": 40, "$30": 30}
    for symbol, dollars in stated.items():
        assert net("stated", community=symbol) == 100 * dollars
        assert net("face", community=symbol) == 100 * int(symbol[1:])
    for value in ("stated", "face"):
        assert net(value, hot_spot_box=1, hot_spot="$1,000") == 100_000


@shows("abandoned", "lose", "surrender", "hold", "play_on")
def test_abandoned() -> None:
    """Who leaves loses what is open, surrenders, may choose later, or plays on as if late."""

    def left(at: str, **options: str) -> Game:
        game = Game(book("maryland", **options)).bet("Ann", 1, primary=1000, tie=100).close()
        if at == "bets":
            game.do(Leave("Ann"))
            if game.state.closed:
                return game
        game.deal("9s 9d")
        if at == "choice":
            game.do(Leave("Ann"))
        return game

    assert left("bets", abandoned="lose").net("Ann") == -1100
    assert left("choice", abandoned="lose").net("Ann") == 1000 - 1000
    for at in ("bets", "choice"):
        assert left(at, abandoned="surrender").net("Ann") == 1000 - 500
        assert left(at, abandoned="play_on").net("Ann") == 1000 - 500
        war = left(at, abandoned="play_on", timeout="war").deal("Ks 8d")
        assert war.net("Ann") == 1000 + 1000
        assert left(at, abandoned="surrender", timeout="war").net("Ann") == 1000 - 500
        held = left(at, abandoned="hold")
        assert held.due == (DueChoice("Ann", 1),)
        assert held.choose("Ann", 1, "war").deal("Ks 8d").net("Ann") == 1000 + 1000
    higher = Game(book("maryland", abandoned="surrender")).bet("Ann", 1, primary=1000).close()
    higher.do(Leave("Ann"))
    assert higher.deal("Ks 9d").net("Ann") == 1000


@shows("timeout", "surrender", "war", "hold")
def test_timeout() -> None:
    """When time runs out the platform surrenders, goes to war, or waits."""

    def late(value: str) -> Game:
        game = Game(book("washington", timeout=value)).bet("Ann", 1, primary=1000).close()
        return game.deal("9s 9d")

    surrendered = late("surrender")
    chosen = surrendered.do(Timeout("Ann", 1))[0]
    assert surrendered.net("Ann") == -500
    assert getattr(chosen, "by", "") == "platform"
    war = late("war")
    war.do(Timeout("Ann", 1))
    assert war.deal("Ks 8d").net("Ann") == 1000
    assert late("hold").refuses(Timeout("Ann", 1)) == "held"


@shows("electronic", "off", "3", "5", "7")
@pytest.mark.parametrize("value", ["off", "3", "5", "7"])
def test_electronic(value: str) -> None:
    """Every community card is dealt and is a hand for all; without them each box has its own."""
    game = Game(book("maryland", electronic=value)).bet("Ann", 2, primary=100)
    if value == "off":
        assert game.refuses(Bet("Bob", 2, "primary", 100)) == "box_full"
        assert game.close().due == (DueCard("original", 2),)
        return
    cards = int(value)
    game.bet("Bob", 2, primary=700, tie=10).bet("Bob", cards, primary=100).close()
    game.deal(" ".join(["2s", "9s"] + ["As"] * (cards - 2) + ["9d"]))
    assert [event.box for event in game.of(Dealt)] == [*range(1, cards + 1), 0]
    game.choose("Ann", 2, "surrender").choose("Bob", 2, "war").deal("Ks 8d")
    assert game.net("Ann") == -50
    assert game.net("Bob", box=2) == 700 + 100
    assert game.net("Bob", box=cards) == 100


@shows("shuffle", "shoe", "batches", "every_round", "continuous")
@pytest.mark.parametrize("name", NAMES)
def test_shuffle_is_no_matter_of_a_round(name: str) -> None:
    """How the cards are shuffled between rounds changes nothing within one."""
    rules = load(name).rules
    played = set()
    for value in option_values("shuffle"):
        options = msgspec.structs.replace(rules.options, shuffle=value)
        other = msgspec.structs.replace(rules, options=options)
        game = play(other, entry("Ann", 1, "9s Ks", primary=1000, tie=50), "9d 8d")
        played.add(tuple(event for event in game.events if isinstance(event, Settled)))
    assert len(played) == 1
