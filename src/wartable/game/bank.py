"""The player/dealer's money: cover before the deal, matches at war, and what goes back."""

from collections.abc import Iterable, Iterator

from wartable.game.messages import GameEvent, Matched, Returned
from wartable.game.state import Hand, Round, Wager
from wartable.game.wagers import COVERED, MATCHED, WAGER
from wartable.rules.model import Ratio, RuleBook


def cover(rules: RuleBook, state: Round) -> Iterator[Returned]:
    """Give back what the posted wager does not cover, box by box from the dealer's left."""
    if rules.banker != "player" or state.bank is None:
        return
    left = state.bank
    for hand, wager in _cover_order(rules, state.hands):
        covered, cost = _covered(wager.staked, left, WAGER[wager.kind].bank_odds(rules))
        left -= cost
        if covered < wager.staked:
            yield Returned(hand.player, hand.box, wager.kind, "uncovered", wager.staked - covered)


def _cover_order(rules: RuleBook, hands: Iterable[Hand]) -> Iterator[tuple[Hand, Wager]]:
    """Each hand's covered wagers in turn, or all primary wagers first, by the book's option."""
    if rules.options.bank_cover == "matched":
        places = [(hand, each) for hand in hands for each in COVERED]
    elif rules.options.bank_cover == "ties_last":
        places = [(hand, each) for each in COVERED for hand in hands]
    else:
        return
    for hand, each in places:
        if (wager := hand.wager(each.kind)) is not None:
            yield hand, wager


def _covered(amount: int, left: int, odds: Ratio) -> tuple[int, int]:
    """The part of a wager whose win the remaining money can pay, and the money set aside for it."""
    covered = amount if odds.of(amount) <= left else left * odds.under // odds.over
    return covered, odds.of(covered)


def next_match(rules: RuleBook, state: Round, hand: Hand) -> GameEvent | None:
    """The banker's next match for a hand at war, or the next return of an unmatched wager."""
    if rules.deal.house_match:
        return _house_match(state, hand)
    if rules.banker != "player" or hand.choice != "war":
        return None
    for each in MATCHED:
        kind, beside = each.kind, each.beside(rules)
        wager = hand.open(kind)
        if wager is None:
            continue
        if beside is not None and hand.open(beside) is None:
            return Returned(hand.player, hand.box, kind, "unmatched", wager.at_risk)
        odds = each.bank_odds(rules)
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


def _house_match(state: Round, hand: Hand) -> GameEvent | None:
    """The house's own unit beside a war wager, before the war deal."""
    war = hand.open("war")
    if war is None or war.matched or hand.box in state.war_cards:
        return None
    return Matched(hand.player, hand.box, "war", war.at_risk)


def _stack_left(state: Round, wager: Wager, odds: Ratio) -> int:
    """What the player/dealer can still post; if the stack is unknown, enough for this wager."""
    if state.bank_stack is None:
        return odds.of(wager.at_risk)
    return state.bank_stack - sum(w.matched for hand in state.hands for w in hand.wagers)
