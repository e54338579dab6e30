"""The bonus wheel: the chance of the card that turns it, and of each of its stops."""

from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from wartable.game import Spin
from wartable.game.wagers.wheel import JACKPOT, NO_HOT_SPOT, started_by, triggers, wheel_of
from wartable.odds.composition import Composition
from wartable.rules import Book, RuleBook


class WheelChances(NamedTuple):
    """The chances of a book's wheel; those of the stops once it turns."""

    trigger: Fraction
    """That the dealer's first card of a fresh shoe turns it."""
    hot_spot: dict[str, Fraction]
    community: dict[str, Fraction]

    @property
    def any_hot_spot(self) -> Fraction:
        """That a turn has a hot spot."""
        return 1 - self.hot_spot.get(NO_HOT_SPOT, Fraction(0))


def wheel_chances(rules: RuleBook, decks: int) -> WheelChances | None:
    """The chances of the wheel that the book offers; None if it offers none."""
    spin = wheel_of(rules)
    if spin is None or not spin.offered:
        return None
    cards = Composition.fresh(decks)
    turning = sum(count for card, count in cards.counts.items() if triggers(spin.trigger, card))
    rings = (spin.wheel.hot_spot, spin.wheel.community)
    return WheelChances(Fraction(turning, cards.size), *map(ring_chances, rings))


def ring_chances(weights: dict[str, int]) -> dict[str, Fraction]:
    """The chance of each stop of a ring."""
    total = sum(weights.values())
    return {symbol: Fraction(weight, total) for symbol, weight in weights.items()}


def wheel_stops(book: Book, bettors: int) -> Iterator[tuple[Spin, Fraction]]:
    """Each stop of the wheel for the first of `bettors` boxes, with its chance."""
    spin = wheel_of(book.rules)
    if spin is None:
        return
    hot_spots = ring_chances(spin.wheel.hot_spot)
    hot_spots.pop(NO_HOT_SPOT, None)
    others = 1 - sum(hot_spots.values(), Fraction(0)) / bettors
    for symbol, chance in hot_spots.items():
        if chance:
            yield Spin(1, symbol), chance / bettors
    for symbol, chance in ring_chances(spin.wheel.community).items():
        if chance and others:
            yield Spin(community=symbol), others * chance


def wheel_words(rules: RuleBook, decks: int) -> tuple[str, ...]:
    """What turns the wheel and how often it does, has a hot spot and wins each jackpot."""
    chances = wheel_chances(rules, decks)
    if chances is None:
        return ()
    jackpots = (
        f"{one_in(chance)} wins the {symbol.removeprefix(JACKPOT)} jackpot"
        for symbol, chance in chances.hot_spot.items()
        if symbol.startswith(JACKPOT)
    )
    turns = ", ".join((f"{one_in(chances.any_hot_spot)} has a hot spot", *jackpots))
    return (
        f"{started_by(rules)}: {one_in(chances.trigger)} rounds.",
        f"Of its turns, {turns}.",
    )


def one_in(chance: Fraction) -> str:
    """A chance as people say it: `1 in 26`, to one digit after the point."""
    if not chance:
        return "none"
    return "1 in " + f"{float(1 / chance):,.1f}".removesuffix(".0")
