"""Classes of one box's deals, by everything that a wager can depend on, with exact weights."""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import Literal, NamedTuple

from wartable.cards import DECK, RANKS, SUITS, Card, rank
from wartable.game.wagers.wheel import triggers
from wartable.odds.composition import Composition
from wartable.rules.model import Trigger

Relation = Literal["higher", "tie", "lower"]
WEIGHED_MAX = 100
"""How many compositions' weights are remembered: a book's options are compared over the same."""


class WarClass(NamedTuple):
    """A war deal's class: the player's card against the dealer's, and the kind of a tie."""

    relation: Relation
    suited: bool = False
    same_rank: bool = False
    one_suit: bool = False


class DealClass(NamedTuple):
    """A deal's class: the original deal and, if that ties, the war deal."""

    relation: Relation
    suited: bool = False
    triggers: bool = False
    war: WarClass | None = None

    def coarse(self, suits: bool, trigger: bool, wars: bool) -> "DealClass":
        """The class without details that no wager at stake depends on."""
        war = self.war
        if war is not None and not (wars and suits):
            war = WarClass(war.relation if wars else "lower")
        return DealClass(self.relation, self.suited and suits, self.triggers and trigger, war)


class Pair(NamedTuple):
    """An original deal of two cards of one rank, its weight, and the war deals after it."""

    player: Card
    dealer: Card
    weight: int
    wars: dict[WarClass, int]


FourCards = tuple[Card, Card, Card, Card]
"""The player's and the dealer's cards of the original deal, then of the war deal."""


def relation_of(player: Card, dealer: Card) -> Relation:
    """How the player's card compares with the dealer's."""
    difference = rank(player) - rank(dealer)
    return "higher" if difference > 0 else "lower" if difference < 0 else "tie"


def kind_of(cards: FourCards, trigger: Trigger | None) -> DealClass:
    """The class of a deal."""
    player, dealer, war_player, war_dealer = cards
    relation = relation_of(player, dealer)
    started = trigger is not None and triggers(trigger, dealer)
    if relation != "tie":
        return DealClass(relation, False, started)
    war = WarClass(relation_of(war_player, war_dealer))
    if war.relation == "tie":
        suited = war_player == war_dealer
        one_suit = suited and player == dealer and player[1] == war_player[1]
        war = WarClass("tie", suited, player[0] == war_player[0], one_suit)
    return DealClass("tie", player == dealer, started, war)


def deals(composition: Composition) -> int:
    """The number of ordered deals of four cards: the total of all weights."""
    size = composition.size
    return size * (size - 1) * (size - 2) * (size - 3)


def pairs(composition: Composition) -> Iterator[Pair]:
    """Every tied original deal, with the weight of each war deal that can follow it."""
    counts = composition.counts
    tied = [number * (number - 1) for number in composition.ranks]
    twins = {card: number * (number - 1) for card, number in counts.items()}
    by_suit = {suit: sum(twins[rank + suit] for rank in RANKS) for suit in SUITS}
    by_rank = [sum(twins[rank + suit] for suit in SUITS) for rank in RANKS]
    for index, rank_name in enumerate(RANKS):
        number = composition.ranks[index]
        for player in (rank_name + suit for suit in SUITS):
            for dealer in (rank_name + suit for suit in SUITS):
                weight = counts[player] * (counts[dealer] - (player == dealer))
                if weight <= 0:
                    continue
                left = dict.fromkeys((rank_name + suit for suit in SUITS), 0)
                for card in left:
                    rest = counts[card] - (card == player) - (card == dealer)
                    left[card] = rest * (rest - 1)
                same = (number - 2) * (number - 3)
                yield Pair(
                    player,
                    dealer,
                    weight,
                    _wars(
                        composition.size - 2,
                        other_ties=sum(tied) - tied[index],
                        other_twins=sum(by_rank) - by_rank[index],
                        same_ties=same,
                        same_twins=sum(left.values()),
                        other_one_suit=by_suit[player[1]] - twins[player],
                        same_one_suit=left[player],
                        suited=player == dealer,
                    ),
                )


def _wars(
    size: int,
    other_ties: int,
    other_twins: int,
    same_ties: int,
    same_twins: int,
    other_one_suit: int,
    same_one_suit: int,
    suited: bool,
) -> dict[WarClass, int]:
    """The weights of the war deals; twins are ties of identical cards."""
    decided = size * (size - 1) - other_ties - same_ties
    other_one, same_one = (other_one_suit, same_one_suit) if suited else (0, 0)
    weights = {
        WarClass("higher"): decided // 2,
        WarClass("lower"): decided // 2,
        WarClass("tie"): other_ties - other_twins,
        WarClass("tie", suited=True): other_twins - other_one,
        WarClass("tie", suited=True, one_suit=True): other_one,
        WarClass("tie", same_rank=True): same_ties - same_twins,
        WarClass("tie", suited=True, same_rank=True): same_twins - same_one,
        WarClass("tie", suited=True, same_rank=True, one_suit=True): same_one,
    }
    return {war: weight for war, weight in weights.items() if weight}


def decided(composition: Composition, trigger: Trigger | None) -> dict[DealClass, int]:
    """The weights of the original deals that do not tie."""
    weights: dict[DealClass, int] = {}
    above = composition.size
    below = 0
    for index, rank_name in enumerate(RANKS):
        above -= composition.ranks[index]
        for dealer in (rank_name + suit for suit in SUITS):
            started = trigger is not None and triggers(trigger, dealer)
            chances: tuple[tuple[Relation, int], ...] = (("higher", above), ("lower", below))
            for relation, others in chances:
                if weight := composition.counts[dealer] * others:
                    kind = DealClass(relation, False, started)
                    weights[kind] = weights.get(kind, 0) + weight
        below += composition.ranks[index]
    after = (composition.size - 2) * (composition.size - 3)
    return {kind: weight * after for kind, weight in weights.items()}


@lru_cache(WEIGHED_MAX)
def weigh(composition: Composition, trigger: Trigger | None) -> Mapping[DealClass, int]:
    """Every class that can be dealt, with the number of ordered deals of four cards in it."""
    weights = decided(composition, trigger)
    for pair in pairs(composition):
        started = trigger is not None and triggers(trigger, pair.dealer)
        for war, weight in pair.wars.items():
            kind = DealClass("tie", pair.player == pair.dealer, started, war)
            weights[kind] = weights.get(kind, 0) + pair.weight * weight
    return MappingProxyType(weights)


def example(kind: DealClass, trigger: Trigger | None, deck: Sequence[Card] = DECK) -> FourCards:
    """Cards of that class, to give to the engine: the first that the deck has."""
    player, dealer = next(
        (player, dealer)
        for dealer in deck
        if kind.triggers == (trigger is not None and triggers(trigger, dealer))
        for player in deck
        if relation_of(player, dealer) == kind.relation
        and (kind.relation != "tie" or kind.suited == (player == dealer))
    )
    ranks = tuple(dict.fromkeys(card[0] for card in deck))
    low, high = sorted(ranks[:2], key=RANKS.index)
    if kind.war is None or kind.war.relation == "lower":
        return player, dealer, f"{low}c", f"{high}c"
    if kind.war.relation == "higher":
        return player, dealer, f"{high}c", f"{low}c"
    same = player[0]
    war_rank = same if kind.war.same_rank else next(name for name in ranks if name != same)
    suit = player[1]
    other = next(each for each in SUITS if each != suit)
    war_suit = suit if kind.war.one_suit else other
    return player, dealer, war_rank + war_suit, war_rank + (war_suit if kind.war.suited else suit)
