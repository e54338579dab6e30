"""The engine's rounds per second in plain Python, beside a bare loop that draws and compares."""

import itertools
import math
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

PIECE = 100
"""How many rounds are timed together."""

SHOES = 50
"""How many shoes are shuffled before a line is measured, which deals them over and over."""

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
    """Cards without end: many shoes, shuffled beforehand, each dealt to three quarters."""
    shoe, dealt = list(DECK) * decks, []
    for _ in range(SHOES):
        random.shuffle(shoe)
        dealt += shoe[: len(shoe) * 3 // 4]
    return itertools.cycle(dealt)


class Script:
    """The commands of a round, made beforehand, so that only the engine is measured."""

    def __init__(self, rules: RuleBook, boxes: int) -> None:
        banker = "bank" if rules.banker == "player" else None
        self.first: list[GameCommand] = [Open(banker=banker)]
        for box in range(1, boxes + 1):
            self.first += [Bet(str(box), box, "primary", 1000), Bet(str(box), box, "tie", 100)]
        self.first.append(CloseBets())
        self.deals, self.burn = {card: Deal(card) for card in DECK}, Burn()
        self.wars = {box: Choose(str(box), box, "war") for box in range(1, boxes + 1)}

    def answer(self, due: object, cards: Iterator[str]) -> "GameCommand":
        """What chance or a player who always goes to war answers."""
        kind = type(due)
        if kind is DueCard:
            return self.deals[next(cards)]
        if kind is DueBurn:
            next(cards)
            return self.burn
        assert isinstance(due, DueChoice), f"nothing here answers {due}"
        return self.wars[due.box]


def engine_round(rules: RuleBook, script: Script, cards: Iterator[str]) -> int:
    """One round through commands and events, each box with primary and tie; the banker's net."""
    state = Round()
    for command in script.first:
        state, _ = step(rules, state, command)
    while not state.closed:
        state, _ = step(rules, state, script.answer(awaits(rules, state)[0], cards))
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
    """How many rounds a second of the processor takes, by the fastest of many short pieces.

    Other work on the machine shares caches and cores, and slows down all but the fastest.
    """
    for _ in range(50):
        play()
    best_s, start = math.inf, time.process_time()
    while (began := time.process_time()) - start < seconds:
        for _ in range(PIECE):
            play()
        best_s = min(best_s, time.process_time() - began)
    return PIECE / best_s


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
        script = Script(rules, boxes)
        engine = rounds_per_second(lambda r=rules, s=script, c=cards: engine_round(r, s, c))
        bare = rounds_per_second(lambda b=boxes, c=cards: bare_round(b, c))
        print(
            f"| {name} | {boxes} | {engine:,.0f} | {engine * boxes:,.0f} "
            f"| {bare:,.0f} | {bare / engine:.0f} |"
        )


if __name__ == "__main__":
    main()
