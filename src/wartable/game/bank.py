"""The player/dealer's money: cover before the deal, matches at war, what goes back."""

from collections.abc import Iterable, Iterator

from wartable.game.messages import Event, Matched, Returned
from wartable.game.state import Hand, Round, Wager
from wartable.rules.model import Ratio, RuleBook, WagerKind


def cover(rules: RuleBook, state: Round) -> Iterator[Returned]:
    """What the posted wager does not cover, box by box from the dealer's left."""
    if rules.banker != "player" or state.bank is None:
        return
    left = state.bank
    for hand, wager in _cover_order(rules, state.hands):
        covered, cost = _covered(wager.staked, left, _odds(rules, wager.kind))
        left -= cost
        if covered < wager.staked:
            yield Returned(hand.player, hand.box, wager.kind, "uncovered", wager.staked - covered)


def _cover_order(rules: RuleBook, hands: Iterable[Hand]) -> Iterator[tuple[Hand, Wager]]:
    """Each hand's primary and then its tie wager, or all the tie wagers last."""
    if rules.options.bank_cover not in ("matched", "ties_last"):
        return
    kinds: tuple[WagerKind, ...] = ("primary", "tie")
    by_kind = [
        [(hand, wager) for hand in hands if (wager := hand.wager(kind)) is not None]
        for kind in kinds
    ]
    if rules.options.bank_cover == "ties_last":
        yield from (pair for pairs in by_kind for pair in pairs)
        return
    for hand in hands:
        yield from (pair for pairs in by_kind for pair in pairs if pair[0] is hand)


def _covered(amount: int, left: int, odds: Ratio) -> tuple[int, int]:
    """The part of a wager whose win the money left can pay, and what that takes of it."""
    covered = amount if odds.of(amount) <= left else left * odds.under // odds.over
    return covered, odds.of(covered)


def _odds(rules: RuleBook, kind: WagerKind) -> Ratio:
    if kind == "tie":
        return rules.wagers.tie.pays
    if kind == "war_tie":
        return rules.wagers.war_tie.pays
    pays = rules.wagers.primary.pays
    return pays if kind == "primary" and pays.over > pays.under else Ratio(1, 1)


def next_match(rules: RuleBook, state: Round, hand: Hand) -> Event | None:
    """The next of the banker's matches for a hand at war, or of what is not matched."""
    if rules.deal.house_match:
        return _house_match(state, hand)
    if rules.banker != "player" or hand.choice != "war" or hand.box in state.war_cards:
        return None
    kinds: tuple[WagerKind, ...] = ("war", "war_tie")
    for kind in kinds:
        wager = hand.open(kind)
        if wager is None:
            continue
        if kind == "war_tie" and hand.open("war") is None:
            return Returned(hand.player, hand.box, kind, "unmatched", wager.at_risk)
        odds = _odds(rules, kind)
        if not wager.matched:
            _, cost = _covered(wager.at_risk, _stack_left(state, wager, odds), odds)
            if cost:
                return Matched(hand.player, hand.box, kind, cost)
        matched, _ = _covered(wager.at_risk, wager.matched, odds)
        if unmatched := wager.at_risk - matched:
            return Returned(hand.player, hand.box, kind, "unmatched", unmatched)
    war, primary = hand.wager("war"), hand.open("primary")
    if war is not None and primary is not None and primary.at_risk > war.at_risk:
        rest = primary.at_risk - war.at_risk
        return Returned(hand.player, hand.box, "primary", "unmatched", rest)
    return None


def _house_match(state: Round, hand: Hand) -> Event | None:
    """The house's own unit beside a war wager, before the war deal."""
    war = hand.open("war")
    if war is None or war.matched or hand.box in state.war_cards:
        return None
    return Matched(hand.player, hand.box, "war", war.at_risk)


def _stack_left(state: Round, wager: Wager, odds: Ratio) -> int:
    """What the player/dealer can still post; without a known stack, enough for this wager."""
    if state.bank_stack is None:
        return odds.of(wager.at_risk)
    return state.bank_stack - sum(w.matched for hand in state.hands for w in hand.wagers)
