"""A house that changed its own engine: its records fit each other, and the check still names it.

The engine is changed on purpose, and the whole record is made by it: every hash is right, and every
shoe is bound to the one before. What was done must still be found, by the program, by the program
of docs/fairness.md and by the page.
"""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from paths import DOCS
from provable_records import (
    Json,
    by_page,
    hot_wheel,
    plain_record,
    three,
)
from tables import DEALER, FLOOR, Play, seed
from wartable import game, proof, provable
from wartable import shoe as shoes
from wartable.links import Links
from wartable.proof import Bound, When
from wartable.rules import load
from wartable.rules.model import RuleBook
from wartable.shoe import Shoe
from wartable.table import commands as c
from wartable.table import draws, folding, rounds
from wartable.table import events as e
from wartable.table.procedure import ended
from wartable.table.state import Table
from wartable.verify import verify_bytes

ROUNDS = 24
PROGRAM: dict[str, Any] = {}
for part in re.findall(
    r"```python\n(.*?)```", (DOCS / "fairness.md").read_text("utf-8"), re.DOTALL
):
    exec(compile(part, "docs/fairness.md", "exec"), PROGRAM)
DEALT: tuple[When, When] = ("on_deal", "after_bets")
EVERY: tuple[When, ...] = ("on_deal", "shoe", "after_bets")


def table(order: When, rules: RuleBook | str = "washington") -> Play:
    """An own or a shared table with two players."""
    own = "ann" if order == "on_deal" else ""
    shared = None if own else order
    return Play(rules, own=own, shared=shared, name="table").join("ann", "bob")


def dealt(play: Play, rounds: int = ROUNDS) -> Play:
    """The table after rounds in which both go to war, and one card is set aside between two."""
    until = play.state.rounds + rounds
    spins = play.setup.rules.wagers.bonus_spin is not None
    while play.state.rounds < until:
        play.start().bet("ann", 1, primary=1_000).bet("bob", 2, primary=1_000)
        if spins:
            play.bet("ann", 1, bonus_spin=500).bet("bob", 2, bonus_spin=500)
        play.do(game.CloseBets(seed(play.state.rounds) if play.own else ""))
        while play.state.in_round:
            due = play.due[0]
            war = due.what == "choice"
            play.do(game.Choose(due.player or "", due.box or 0, "war") if war else play.plain(due))
    return play


def spun(play: Play) -> Play:
    """The table after a spin that chose a box."""
    while not any(chose.label == "hot-spot" for chose in play.of(e.HouseChose)):
        play.do(c.BuyIn("ann", 10_000), c.BuyIn("bob", 10_000))
        dealt(play, 1)
    return play


def record(play: Play) -> Json:
    """The record of the table's shoes, the one in use ended by the floor."""
    if play.state.shoe is not None:
        play.do(c.OrderReshuffle(FLOOR, "this is enough"))
    play.ready("start")
    return plain_record(play.finished, play.state.shoe)


def named(folder: Path, made: Json) -> set[str]:
    """The steps that fail, which must be the same for program and page, and fail on the page."""
    found = verify_bytes(json.dumps(made).encode())
    ours = [(step.shoe, step.name, step.sentence) for step in found if not step.ok]
    (said,) = by_page(folder, [made])
    assert [(s["shoe"], s["name"], s["sentence"]) for s in said if not s["ok"]] == ours
    try:
        PROGRAM["verify"](made)
    except (AssertionError, KeyError, IndexError):
        assert ours, "only the page's program found it"
    else:
        assert not ours, f"the page's program does not find {ours}"
    return {name for _, name, _ in ours}


@pytest.mark.parametrize("book", ["washington", "maryland"])
@pytest.mark.parametrize("order", EVERY)
def test_an_honest_engine_is_in_order(tmp_path: Path, order: When, book: str) -> None:
    """Without a change nothing is found, so that what follows is found for its own sake."""
    made = record(dealt(table(order, book)))
    assert any(each["use"] == "war" for shoe in made["shoes"] for each in shoe["drawn"])
    assert named(tmp_path, made) == set()


def bound_to(monkeypatch: pytest.MonkeyPatch, **promised: object) -> None:
    """Have the house commit to something else than what it plays by."""
    monkeypatch.setattr(draws, "Bound", lambda **given: Bound(**given | promised))


WHEEL = draws.labels(load("maryland").rules)
PROMISES: dict[str, tuple[str, Callable[[RuleBook], RuleBook], dict[str, object], str]] = {
    "one more burned first": (
        "washington",
        lambda rules: replace(rules, shoe=replace(rules.shoe, burn_first=2)),
        {"burn_first": 1},
        "deal",
    ),
    "no first burn": (
        "washington",
        lambda rules: replace(rules, shoe=replace(rules.shoe, burn_first=0)),
        {"burn_first": 1},
        "deal",
    ),
    "one less burned at war": (
        "washington",
        lambda rules: replace(rules, deal=replace(rules.deal, war_burn=2)),
        {"burn_war": 3},
        "deal",
    ),
    "the last box first": (
        "washington",
        lambda rules: replace(rules, deal=replace(rules.deal, order="counterclockwise")),
        {"deal_order": "clockwise"},
        "deal",
    ),
    "the cover card elsewhere": (
        "washington",
        lambda rules: rules,
        {"cover_low": 200},
        "cover card",
    ),
    "a wheel that was not bound": (
        "maryland",
        lambda _: hot_wheel(),
        {"labels": WHEEL[1:]},
        "choices",
    ),
    "weights of another wheel": (
        "maryland",
        lambda _: hot_wheel(),
        {"labels": (replace(WHEEL[0], weights=WHEEL[0].weights[::-1]), *WHEEL[1:])},
        "choices",
    ),
}


@pytest.mark.parametrize("order", EVERY)
def test_a_wheel_that_is_too_heavy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, order: When
) -> None:
    """Weights that no page counts exactly are refused, even if everything follows from them."""
    rules = hot_wheel()
    spin = rules.wagers.bonus_spin
    assert spin is not None
    heavy = {stop: weight << 50 for stop, weight in spin.wheel.hot_spot.items()}
    spin = replace(spin, wheel=replace(spin.wheel, hot_spot=heavy))
    monkeypatch.setattr(shoes, "WEIGHTS_MAX", 2**64)
    play = table(order, replace(rules, wagers=replace(rules.wagers, bonus_spin=spin)))
    assert named(tmp_path, record(spun(dealt(play)))) == {"choices"}


@pytest.mark.parametrize("order", EVERY)
@pytest.mark.parametrize("cheat", PROMISES)
def test_other_rules_than_were_bound(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cheat: str, order: When
) -> None:
    """Burns, order of the deal, cover card and wheel must be what the commitment says."""
    book, changed, promised, step = PROMISES[cheat]
    bound_to(monkeypatch, **promised)
    play = dealt(table(order, changed(load(book).rules)))
    assert named(tmp_path, record(spun(play) if step == "choices" else play)) == {step}


@pytest.mark.parametrize("order", DEALT)
def test_war_cards_by_the_link_of_the_deal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, order: When
) -> None:
    """If no other link decides the war, the house knew its cards before the choices."""
    monkeypatch.setitem(folding._APPLY, game.Chosen, folding._in_round)  # type: ignore[misc]  # a table of types
    assert named(tmp_path, record(dealt(table(order)))) == {"draws"}


@pytest.mark.parametrize("order", EVERY)
@pytest.mark.parametrize("reason", ["cover card", "one round"])
def test_a_shoe_set_aside_under_a_false_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, order: When, reason: str
) -> None:
    """A shoe cannot end by a cover card that has not come, nor after one of many rounds."""

    def early(state: Table) -> e.ShoeEnded | None:
        done = state.shoe is not None and state.shoe_rounds >= 3 and not state.in_round
        return ended(state.shoe, reason) if done and state.shoe is not None else None

    monkeypatch.setattr(rounds, "shoe_over", early)
    play = dealt(table(order), 3)
    assert named(tmp_path, plain_record(play.finished)) == {"end"}


@pytest.mark.parametrize("order", EVERY)
def test_a_number_that_is_listed_and_ignored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, order: When
) -> None:
    """Cards by the link alone are not those of the link and the numbers in the record."""
    real = provable.heard
    monkeypatch.setattr(provable, "heard", lambda shoe, _: real(shoe, ()))
    made = record(dealt(table(order), 3))
    monkeypatch.undo()
    assert named(tmp_path, made) == {"cards"}


@pytest.mark.parametrize("order", EVERY)
def test_a_key_of_the_houses_own(tmp_path: Path, order: When) -> None:
    """A key that the calculation does not give is not believed."""
    play = table(order)
    play.ready("cards" if order == "shoe" else "start")
    if order != "shoe":
        play.start().bet("ann", 1, primary=1_000)
        play.do(game.CloseBets(seed("ann") if play.own else ""))
        play.ready("cards")
    play.do(c.DecideCards(play.links.next(play.state), seed("as I like it")))
    while play.state.in_round:
        play.do(play.plain(play.due[0]))
    assert named(tmp_path, record(dealt(play, 2))) == {"cards"}


@pytest.mark.parametrize("order", DEALT)
def test_a_draw_that_did_not_suit(tmp_path: Path, order: When) -> None:
    """A second link for the same deal leaves the first one unused, which is found."""
    play = dealt(table(order), 2)
    play.start().bet("ann", 1, primary=1_000)
    play.do(game.CloseBets(seed("ann") if play.own else ""))
    play.ready("cards")
    given = play.state
    play.do(c.DecideCards(play.links.next(play.state)))
    play.state = replace(play.state, undecided=True, numbers=given.numbers, numbers_closed=True)
    play.do(c.DecideCards(play.links.next(play.state)))
    assert named(tmp_path, record(play.finish())) == {"draws"}


def unrecorded(monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    """Have the engine keep quiet about one kind of incident."""
    real = provable.note

    def note(shoe: Shoe, kind: Any, by: str, reason: str, number: int) -> Shoe:
        return shoe if kind == what else real(shoe, kind, by, reason, number)

    monkeypatch.setattr(provable, "note", note)


def set_aside(play: Play) -> None:
    """A card that is found face up leaves the shoe between two rounds."""
    dealt(play, 2)
    play.ready("start").start()
    play.bet("ann", 1, primary=1_000)
    play.do(game.CloseBets(seed("ann") if play.own else ""))
    play.ready("proceed").do(c.FindFaceUp(DEALER))
    play.finish()


def changed_dealer(play: Play) -> None:
    """Another dealer burns a card."""
    dealt(play, 2).do(c.ChangeDealer("dana"))
    dealt(play, 2)


def recut(play: Play) -> None:
    """The cards are cut once more before they are loaded."""
    play.ready("load").do(c.OrderRecut(FLOOR, "next", "it slipped"))
    dealt(play, 2)


def voided(play: Play) -> None:
    """A round is voided when its cards are decided, and before the first is dealt."""
    dealt(play, 2).start().bet("ann", 1, primary=1_000)
    play.do(game.CloseBets(seed("ann") if play.own else ""))
    play.ready("proceed").do(game.VoidRound("it does not suit", FLOOR))


def reshuffled(play: Play) -> None:
    """The floor has the cards shuffled again."""
    dealt(play, 2).do(c.OrderReshuffle(FLOOR, "it does not suit"))


QUIET: dict[str, tuple[Callable[[Play], None], str, tuple[When, ...]]] = {
    "card_set_aside": (set_aside, "deal", EVERY),
    "dealer_changed": (changed_dealer, "deal", EVERY),
    "recut_ordered": (recut, "cut", EVERY),
    "round_voided": (voided, "draws", DEALT),
    "reshuffle_ordered": (reshuffled, "end", EVERY),
}


@pytest.mark.parametrize(
    ("what", "order"), [(what, order) for what, each in QUIET.items() for order in each[2]]
)
def test_an_incident_that_is_not_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str, order: When
) -> None:
    """Cards that were moved, skipped or discarded show, even if the record keeps quiet about it."""
    does, step, _ = QUIET[what]
    honest = table(order)
    does(honest)
    assert named(tmp_path, record(honest)) == set()
    unrecorded(monkeypatch, what)
    play = table(order)
    does(play)
    assert named(tmp_path, record(play)) == {step}


@pytest.mark.parametrize("order", EVERY)
def test_a_hot_spot_with_a_box_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, order: When
) -> None:
    """A box that stands twice among the options would be chosen twice as often."""
    real = rounds._house_chooses

    def twice(course: Any, label: str, options: tuple[str, ...], weights: Any) -> e.HouseChose:
        doubled = (*options, options[0]) if label == "hot-spot" else options
        chose = real(course, label, doubled, weights)
        return replace(chose, result=chose.result % len(options))

    monkeypatch.setattr(rounds, "_house_chooses", twice)
    assert named(tmp_path, record(spun(table(order, hot_wheel())))) == {"choices"}


@pytest.mark.parametrize("order", EVERY)
def test_a_record_bound_to_another_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, order: When
) -> None:
    """Each shoe is bound to the record before it, and to no other."""
    monkeypatch.setattr(proof, "record_hash", lambda _: seed("mine"))
    made = record(dealt(table(order), 2))
    monkeypatch.undo()
    assert named(tmp_path, made) == {"sequence"}


@pytest.mark.parametrize("order", EVERY)
@pytest.mark.parametrize("skipped", [1, 5])
def test_links_that_were_tried_between_two_shoes(tmp_path: Path, order: When, skipped: int) -> None:
    """The next shoe goes on with the next link; a record may begin in the middle of a chain."""
    play = dealt(table(order), 2)
    play.do(c.OrderReshuffle(FLOOR, "it does not suit"))
    chain = play.state.chains[""]
    asked = replace(play.state, shoe=play.finished[-1])
    ahead = replace(chain, used=chain.used + skipped - 1)
    link = play.links.next(replace(asked, chains={"": ahead}))
    known = replace(chain, used=chain.used + skipped, link=link)
    play.state = replace(play.state, chains={"": known})
    made = record(dealt(play, 2))
    assert named(tmp_path, made) == {"sequence"}
    assert named(tmp_path, {**made, "shoes": made["shoes"][1:]}) == set()


@pytest.mark.parametrize("order", EVERY)
def test_a_link_of_no_chain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, order: When) -> None:
    """A shoe that is said to go on in a chain begins with a link that leads to its end."""
    bound_to(monkeypatch, used=3)
    assert named(tmp_path, record(dealt(table(order), 2))) == {"sequence"}


@pytest.mark.parametrize("order", DEALT)
def test_a_draw_that_did_not_suit_and_a_bot_that_leaves(tmp_path: Path, order: When) -> None:
    """A player who leaves excuses cards that never came, but no second link for the same deal."""
    play = dealt(table(order), 2)
    play.start().bet("ann", 1, primary=1_000).bet("bob", 2, primary=1_000)
    play.do(game.CloseBets(seed("ann") if play.own else ""))
    play.ready("cards")
    given = play.state
    play.do(c.DecideCards(play.links.next(play.state)), game.Leave("bob"))
    play.state = replace(play.state, undecided=True, numbers=given.numbers, numbers_closed=True)
    play.do(c.DecideCards(play.links.next(play.state)))
    assert named(tmp_path, record(play.finish())) == {"draws"}


@pytest.mark.parametrize("order", EVERY)
def test_a_wheel_that_is_spun_until_it_suits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, order: When
) -> None:
    """A round has one stop of the wheel: a second one is not another choice of its own."""
    real = rounds._house_chooses

    def again(course: Any, label: str, options: tuple[str, ...], weights: Any) -> e.HouseChose:
        if label == "wheel":
            real(course, label, options, weights)
        return real(course, label, options, weights)

    monkeypatch.setattr(rounds, "_house_chooses", again)
    assert named(tmp_path, record(spun(table(order, hot_wheel())))) == {"choices"}


def test_a_card_that_only_the_dealer_gets(tmp_path: Path) -> None:
    """A card cannot be skipped by a round that nobody plays."""
    play = dealt(table("shoe"), 2)
    assert play.state.shoe is not None
    number = play.state.rounds + 1
    skipped = shoes.collect(shoes.draw(play.state.shoe, "original", number, 0)[1])
    play.state = replace(play.state, shoe=skipped, rounds=number)
    assert named(tmp_path, record(dealt(play, 2))) == {"deal"}


@pytest.mark.parametrize("order", ["shoe", "after_bets"])
def test_an_own_table_whose_cards_are_known_before_the_bets(tmp_path: Path, order: When) -> None:
    """Cards of an own table are decided after Deal, whatever the house commits to."""
    play = Play("washington", own="ann", name="table")
    play.links = Links("0" * 64, "ann", lambda: seed("root"), order)
    play.join("ann").ready("start")
    play.do(c.OrderReshuffle(FLOOR, "this is enough"))
    assert named(tmp_path, plain_record(play.finished)) == {"commitment"}


def test_a_last_record_that_is_held_back(tmp_path: Path) -> None:
    """The shoe in use follows the last finished one, though its batch is bound to another."""
    play = Play("washington", shared="shoe", name="table", shuffle="batches").join("ann", "bob")
    while len(play.finished) < 3:
        dealt(play, 1).do(c.OrderReshuffle(FLOOR, "this is enough"))
    made = plain_record(play.finished)
    first, second, third = made["shoes"]
    assert first["terms"]["batch"] == third["terms"]["batch"] != second["terms"]["batch"]
    assert named(tmp_path, {**made, "shoes": [first, second], "current": third}) == set()
    assert named(tmp_path, {**made, "shoes": [first], "current": third}) == {"sequence"}


@pytest.mark.parametrize("order", EVERY)
def test_a_commitment_of_the_shoe_in_use_that_covers_nothing(tmp_path: Path, order: When) -> None:
    """What a player is shown before a shoe is dealt must cover what it is bound to."""
    made = three(order)
    made["current"]["commitment"] = seed("anything")
    assert named(tmp_path, made) == {"sequence"}


@pytest.mark.parametrize("order", EVERY)
@pytest.mark.parametrize("burned", [1, 2, 3])
def test_a_round_voided_while_cards_are_burned_at_war(
    tmp_path: Path, order: When, burned: int
) -> None:
    """An honest floorperson may void a round between the burned cards of a war."""
    play = table(order)
    while True:
        play.start().bet("ann", 1, primary=1_000)
        play.do(game.CloseBets(seed(play.state.rounds) if play.own else ""))
        while play.state.in_round and play.what != "choice":
            play.do(play.plain(play.due[0]))
        if play.state.in_round:
            break
    play.do(game.Choose("ann", 1, "war"))
    play.ready("cards" if order != "shoe" else "proceed")
    if order != "shoe":
        play.do(c.DecideCards(play.links.next(play.state)))
    play.do(c.Proceed(steps=burned), game.VoidRound("a misdeal", FLOOR))
    made = record(dealt(play, 2))
    assert named(tmp_path, made) == set()
