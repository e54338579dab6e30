"""Records of provable tables, own and shared, and more than sixty ways to tamper with them."""

import json
import random
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, get_args

import msgspec
from msgspec.structs import replace

from node import FOLDER, asked
from table_strategies import Plan, RandomTable
from tables import FLOOR, Play, seed
from wartable import game
from wartable.links import Links
from wartable.proof import When
from wartable.rules import NAMES, load
from wartable.rules.model import RuleBook
from wartable.shoe import ONE_ROUND, Shoe, public
from wartable.table import commands as c
from wartable.table import events as e
from wartable.verify import Record

Json = dict[str, Any]
Change = Callable[[Json], object]
"""A change of a whole record's shoe, the second of three."""


def by_page(folder: Path, records: list[Json]) -> list[list[Json]]:
    """What the page's check says of each record."""
    file = folder / "records"
    file.write_text("\n".join(json.dumps(each) for each in records))
    return [json.loads(line) for line in asked(FOLDER / "checked.js").lines(file)]


def plain_record(shoes: list[Shoe], current: Shoe | None = None) -> Json:
    """A record as decoded JSON, as somebody would read it from a file."""
    shown = None if current is None else public(current)
    return json.loads(msgspec.json.encode(Record(tuple(shoes), current=shown)))  # type: ignore[no-any-return]  # decoded JSON


Which = tuple[str, str, int, When]
OF_EVERY_BOOK: list[Which] = [
    (book, method, wild, order)
    for book in NAMES
    for method in load(book).rules.shoe.methods
    for wild in (0, 10)
    for order in get_args(When)
]
"""Tables of every book by each of its methods, orderly and wild: own and shared."""


@cache
def _played(book: str, method: str, wild: int, order: When) -> str:
    rounds = 6 if method in ONE_ROUND else 15
    own, shared = order == "on_deal", None if order == "on_deal" else order
    plan = Plan(book, {"shuffle": method}, False, 3, rounds, wild, (), own, shared)
    play = RandomTable(plan, lambda _: None).run()
    if play.state.shoe is not None and play.state.shoe.cards:
        play.do(c.OrderReshuffle(FLOOR, "this is enough"))
    return json.dumps(whole(play))


def of_book(book: str, method: str, wild: int, order: When) -> Json:
    """The record of a table that plays itself."""
    return json.loads(_played(book, method, wild, order))  # type: ignore[no-any-return]  # decoded JSON


def whole(play: Play) -> Json:
    """The provable shoes that a table has finished, in the order of their numbers."""
    in_use = [shoe.terms.number for shoe in (play.state.shoe, play.state.stored) if shoe]
    before = min(in_use, default=play.state.shoes + 1)
    shoes = sorted(play.finished, key=lambda shoe: shoe.terms.number)
    shoes = [shoe for shoe in shoes if shoe.terms.number < before and shoe.proof is not None]
    assert shoes, "no shoe was finished"
    return plain_record(shoes, play.state.shoe)


@cache
def _three(order: When) -> str:
    """Three shoes of a Maryland table with wars, spins, recuts, void rounds and new dealers."""
    if order == "on_deal":
        play = Play("maryland", own="ann", name="own").join("ann")
    else:
        play = Play("maryland", shared=order, name="shared").join("ann", "bob")
    rnd = random.Random(7)
    while len(play.finished) < 3:
        play.ready("load" if play.state.shoe is None or not play.state.shoe.cards else "start")
        if play.what == "load":
            play.do(c.OrderRecut(FLOOR, "next", "not cut well"))
            play.ready("start")
        shoe = play.state.shoe
        war = shoe is not None and any(dealt.use == "war" for dealt in shoe.drawn)
        if play.state.shoe_rounds >= 12 and war and shoe is not None and shoe.choices:
            play.do(c.OrderReshuffle(FLOOR, "this is enough"))
            continue
        if play.state.rounds % 9 == 5:
            play.do(c.ChangeDealer(f"dealer {play.state.rounds}"))
        play.start()
        play.bet("ann", 1, primary=1_000, bonus_spin=500)
        play.do(game.CloseBets(_number(rnd, order)))
        while play.state.in_round:
            due = play.due[0]
            if play.state.rounds % 11 == 3 and due.what == "proceed":
                play.do(game.VoidRound("a misdeal", FLOOR))
            elif due.what == "choice":
                play.do(game.Choose("ann", 1, "war", number=_number(rnd, order)))
            else:
                play.do(play.plain(due))
    play.ready("start")
    return json.dumps(plain_record(play.finished[:3], play.state.shoe))


def _number(rnd: random.Random, order: When) -> str:
    """What comes with a command: a number at one's own table, nothing at a shared one."""
    return seed(rnd.random()) if order == "on_deal" else ""


def three(order: When = "on_deal") -> Json:
    """A record of three shoes and the one in use, which a test may change."""
    return json.loads(_three(order))  # type: ignore[no-any-return]  # decoded JSON


def hot_wheel() -> RuleBook:
    """Maryland's rules with a wheel that chooses a box in nearly every spin."""
    rules = load("maryland").rules
    spin = rules.wagers.bonus_spin
    assert spin is not None
    wheel = replace(spin.wheel, hot_spot={**spin.wheel.hot_spot, "none": 20})
    return replace(rules, wagers=replace(rules.wagers, bonus_spin=replace(spin, wheel=wheel)))


@cache
def spun(order: When) -> str:
    """The record of a Maryland table up to a spin that chose a box, as JSON."""
    own = "ann" if order == "on_deal" else ""
    play = Play(hot_wheel(), own=own, shared=None if own else order, name="wheel").join("ann")
    while not any(chose.label == "hot-spot" for chose in play.of(e.HouseChose)):
        play.do(c.BuyIn("ann", 10_000))
        play.start().bet("ann", 1, primary=1_000, bonus_spin=500)
        play.do(game.CloseBets(seed(play.state.rounds) if own else ""))
        play.finish()
    play.do(c.OrderReshuffle(FLOOR, "this is enough"))
    return json.dumps(whole(play))


def long_calculated(iterations: int) -> Json:
    """The record of a shared table's shoe whose order took so many iterations."""
    play = Play("online", shared="shoe", name="shared")
    play.links = Links("digest", "", lambda: seed("root"), "shoe", iterations)
    play.join("ann").start()
    play.bet("ann", 1, primary=1_000)
    play.do(game.CloseBets())
    while not play.finished:
        play.do(play.plain(play.due[0]))
    return plain_record(play.finished)


def other(text: str) -> str:
    """Another hash or number."""
    return ("0" if text[0] != "0" else "1") + text[1:]


def _set(*path: str | int, to: Any = None, by: Callable[[Any], Any] | None = None) -> Change:
    """A change of one value, to another one or by a function."""

    def change(shoe: Json) -> None:
        place: Any = shoe
        for name in path[:-1]:
            place = place[name]
        place[path[-1]] = to if by is None else by(place[path[-1]])

    return change


def _other_order(order: str) -> str:
    return "shoe" if order == "after_bets" else "after_bets"


def _plus(number: int) -> int:
    return number + 1


def _use(shoe: Json, use: str) -> int:
    return next(i for i, each in enumerate(shoe["drawn"]) if each["use"] == use)


def _incident(shoe: Json, what: str) -> Json:
    found: Json = next(each for each in shoe["proof"]["incidents"] if each["what"] == what)
    return found


def _drop_incident(what: str) -> Change:
    return lambda shoe: shoe["proof"]["incidents"].remove(_incident(shoe, what))


def _swap(name: str) -> Change:
    def change(shoe: Json) -> None:
        items = shoe[name] if name in shoe else shoe["proof"][name]
        at = next(i for i in range(len(items) - 1) if items[i] != items[i + 1])
        items[at], items[at + 1] = items[at + 1], items[at]

    return change


def _card(shoe: Json, use: str) -> None:
    dealt = shoe["drawn"][_use(shoe, use)]
    dealt["card"] = "2c" if dealt["card"] != "2c" else "3c"


def _extra_burn(shoe: Json) -> None:
    at = _use(shoe, "war")
    shoe["drawn"].insert(at, {**shoe["drawn"][at], "use": "burn", "box": None})


def _second_number(shoe: Json) -> None:
    numbers = shoe["proof"]["draws"][0]["numbers"]
    numbers.append({**numbers[0], "number": other(numbers[0]["number"])})


def fields(value: Any, path: str = "") -> dict[str, list[Any]]:
    """The values of each field of decoded JSON, by its path without the places of lists."""
    found: dict[str, list[Any]] = {}
    if isinstance(value, dict):
        parts = [fields(each, f"{path}.{name}") for name, each in value.items()]
    elif isinstance(value, list) and value:
        parts = [fields(each, path) for each in value]
    else:
        return {path: [value]}
    for part in parts:
        for name, values in part.items():
            found.setdefault(name, []).extend(values)
    return found


def _new_draw(shoe: Json) -> None:
    draws = shoe["proof"]["draws"]
    draws.insert(1, {**draws[0], "numbers": []})


BOUND = ("proof", "bound")
TAMPERINGS: dict[str, Change] = {
    "the table": _set("terms", "table", to="another"),
    "the number": _set("terms", "number", by=_plus),
    "the method": _set("terms", "method", to="batches"),
    "the decks": _set("terms", "decks", by=_plus),
    "the batch": _set("terms", "batch", to="red"),
    "the commitment": _set("commitment", by=other),
    "the book": _set(*BOUND, "book", to="another"),
    "when cards are decided": _set(*BOUND, "order", by=_other_order),
    "the owner": _set(*BOUND, "owner", to="bob"),
    "the iterations": _set(*BOUND, "iterations", by=_plus),
    "the cut's rule": _set(*BOUND, "cut_min", by=_plus),
    "the order of the deal": _set(*BOUND, "deal_order", to="counterclockwise"),
    "the first burn": _set(*BOUND, "burn_first", by=_plus),
    "the new dealer's burn": _set(*BOUND, "burn_new_dealer", by=_plus),
    "the burn at war": _set(*BOUND, "burn_war", by=_plus),
    "when cards are burned at war": _set(*BOUND, "burn_war_when", to="each_card"),
    "the cover card's lowest place": _set(*BOUND, "cover_low", by=_plus),
    "the cover card's highest place": _set(*BOUND, "cover_high", by=_plus),
    "a label's name": _set(*BOUND, "labels", 0, "name", to="spin"),
    "a label's options": _set(*BOUND, "labels", 0, "options", 0, to="more"),
    "a label's weights": _set(*BOUND, "labels", 0, "weights", 0, by=_plus),
    "a label less": lambda shoe: shoe["proof"]["bound"]["labels"].pop(),
    "the chain": _set(*BOUND, "chain", by=other),
    "the chain's length": _set(*BOUND, "links", by=_plus),
    "the links used before": _set(*BOUND, "used", by=_plus),
    "the link before": _set(*BOUND, "anchor", by=other),
    "the record before": _set(*BOUND, "before", by=other),
    "the last link": _set("seed", by=other),
    "no last link": _set("seed", to=""),
    "a player's number": _set("proof", "draws", 0, "numbers", 0, "number", by=other),
    "a player's name": _set("proof", "draws", 0, "numbers", 0, "player", to="bob"),
    "no number": _set("proof", "draws", 0, "numbers", to=[]),
    "two numbers for one link": _second_number,
    "a draw's first card": _set("proof", "draws", 1, "first", by=_plus),
    "a draw's choices": _set("proof", "draws", 1, "choices", by=_plus),
    "a draw's round": _set("proof", "draws", 1, "round_number", by=_plus),
    "a draw's cuts": _set("proof", "draws", 0, "cuts", by=_plus),
    "a recut hidden": _drop_incident("recut_ordered"),
    "who ordered a recut": lambda shoe: _incident(shoe, "recut_ordered").update(by="ann"),
    "a draw less": lambda shoe: shoe["proof"]["draws"].pop(),
    "a draw more": _new_draw,
    "two draws swapped": _swap("draws"),
    "a burned card": lambda shoe: _card(shoe, "burn"),
    "an original card": lambda shoe: _card(shoe, "original"),
    "a war card": lambda shoe: _card(shoe, "war"),
    "a hidden card": lambda shoe: shoe["drawn"][_use(shoe, "original")].update(card="??"),
    "a card's round": lambda shoe: shoe["drawn"][-1].update(round_number=999),
    "a card's box": lambda shoe: shoe["drawn"][_use(shoe, "original")].update(box=2),
    "a card's use": lambda shoe: shoe["drawn"][_use(shoe, "original")].update(use="war"),
    "a card burned instead": lambda shoe: shoe["drawn"][_use(shoe, "war")].update(
        use="burn", box=None
    ),
    "a card more burned": _extra_burn,
    "a card less": lambda shoe: shoe["drawn"].pop(),
    "two cards swapped": _swap("drawn"),
    "a discard": _set("discards", 0, by=lambda place: place + 1),
    "a discard twice": lambda shoe: shoe["discards"].append(shoe["discards"][0]),
    "a discard that was not dealt": lambda shoe: shoe["discards"].append(400),
    "a cut more": lambda shoe: shoe["cuts"].append({"player": "ann", "position": 100}),
    "another cut": lambda shoe: shoe["cuts"].__setitem__(0, {"player": "ann", "position": 99}),
    "the cover card": _set("cover", "position", by=_plus),
    "the cover card's range from": _set("cover", "low", by=_plus),
    "the cover card's range to": _set("cover", "high", by=_plus),
    "no cover card": _set("cover", to=None),
    "a choice's result": _set("choices", 0, "result", by=lambda result: int(not result)),
    "a choice's options": _set("choices", 0, "options", by=lambda options: options[::-1]),
    "a choice's weights": _set("choices", 0, "weights", 0, by=_plus),
    "a choice's turn": _set("choices", 0, "index", by=_plus),
    "a choice's label": _set("choices", 0, "label", to="hot-spot"),
    "a choice less": lambda shoe: shoe["choices"].pop(),
    "why it ended": _set("ended", to="one round"),
    "not ended": _set("ended", to=""),
    "a void round hidden": _drop_incident("round_voided"),
    "who voided a round": lambda shoe: _incident(shoe, "round_voided").update(by="ann"),
    "why a round was voided": lambda shoe: _incident(shoe, "round_voided").update(reason="-"),
    "when a round was voided": lambda shoe: _incident(shoe, "round_voided").update(place=999),
    "which round was voided": lambda shoe: _incident(shoe, "round_voided").update(round_number=1),
    "a void round renamed": lambda shoe: _incident(shoe, "round_voided").update(what="jammed"),
    "a new dealer hidden": _drop_incident("dealer_changed"),
    "a seal": lambda shoe: shoe["seals"].append({"player": "ann", "seal": "0" * 64}),
    "an opened seed": lambda shoe: shoe["player_seeds"].append(
        {"player": "ann", "seed": "00" * 16}
    ),
    "a stack": lambda shoe: shoe["cards"].append("2c"),
    "a key": _set("proof", "key", to="0" * 64),
}
"""What somebody may change in a finished record, each in one place."""
