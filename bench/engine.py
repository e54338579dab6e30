"""The engine's rounds per second in plain Python, beside a bare loop that draws and compares."""

import platform
import random
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from wartable.cards import DECK, rank
from wartable.game import (
    Bet,
    Burn,
    Choose,
    CloseBets,
    Deal,
    DueBurn,
    DueCard,
    DueChoice,
    Open,
    Round,
    awaits,
    step,
)
from wartable.rules import RuleBook, load

if TYPE_CHECKING:  # bench/before.py runs this with earlier versions, where it had another name
    from wartable.game import GameCommand

SECONDS = 2.0
"""How long each line is measured, in seconds of the processor."""

LINES = (
    ("washington", 1),
    ("washington", 7),
    ("online", 3),
    ("new-zealand", 7),
    ("california", 1),
    ("california", 7),
    ("maryland", 1),
    ("maryland", 9),
)


def drawn(decks: int) -> Iterator[str]:
    """Cards without end: a shoe is dealt to three quarters and shuffled again."""
    shoe = list(DECK) * decks
    while True:
        random.shuffle(shoe)
        yield from shoe[: len(shoe) * 3 // 4]


def fed(due: object, cards: Iterator[str]) -> "GameCommand":
    """What chance or a player who always goes to war answers."""
    match due:
        case DueCard():
            return Deal(next(cards))
        case DueBurn():
            next(cards)
            return Burn()
        case DueChoice(player=player, box=box):
            return Choose(player, box, "war")
    raise AssertionError(f"nothing here feeds {due}")


def engine_round(rules: RuleBook, boxes: int, cards: Iterator[str]) -> int:
    """One round through commands and events, each box with primary and tie; the banker's net."""
    banker = "bank" if rules.banker == "player" else None
    state, _ = step(rules, Round(), Open(banker=banker))
    for box in range(1, boxes + 1):
        player = str(box)
        state, _ = step(rules, state, Bet(player, box, "primary", 1000))
        state, _ = step(rules, state, Bet(player, box, "tie", 100))
    state, _ = step(rules, state, CloseBets())
    while not state.closed:
        state, _ = step(rules, state, fed(awaits(rules, state)[0], cards))
    return state.banker_net


def bare_round(boxes: int, cards: Iterator[str]) -> int:
    """The same round with nothing around it: draw, compare, add up."""
    mine = [rank(next(cards)) for _ in range(boxes)]
    dealer = rank(next(cards))
    net = sum(-900 if m > dealer else 1100 if m < dealer else -1000 for m in mine)
    if wars := mine.count(dealer):
        for _ in range(3):
            next(cards)
        second = [rank(next(cards)) for _ in range(wars)]
        dealer = rank(next(cards))
        net += sum(-1000 if m > dealer else 2000 if m < dealer else -2000 for m in second)
    return net


def rounds_per_second(play: Callable[[], int], seconds: float = SECONDS) -> float:
    """How many rounds a second of the processor takes, whatever else the machine does."""
    for _ in range(50):
        play()
    done, start = 0, time.process_time()
    while (spent := time.process_time() - start) < seconds:
        for _ in range(20):
            play()
        done += 20
    return done / spent


def processor() -> str:
    """The processor's name, where the system tells it."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8").splitlines() if info.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()


def main() -> None:
    """Print a table that can be pasted into bench/results.md."""
    print(f"Python {platform.python_version()}, {processor()}")
    print()
    print("| book | boxes | engine, rounds/s | boxes/s | bare loop, rounds/s | factor |")
    print("|---|---|---|---|---|---|")
    for name, boxes in LINES:
        rules, cards = load(name).rules, drawn(load(name).rules.shoe.decks)
        engine = rounds_per_second(lambda r=rules, b=boxes, c=cards: engine_round(r, b, c))
        bare = rounds_per_second(lambda b=boxes, c=cards: bare_round(b, c))
        print(
            f"| {name} | {boxes} | {engine:,.0f} | {engine * boxes:,.0f} "
            f"| {bare:,.0f} | {bare / engine:.0f} |"
        )


if __name__ == "__main__":
    main()
