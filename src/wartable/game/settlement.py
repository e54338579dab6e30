"""What each wager is paid: the one place that computes a payment."""

from collections.abc import Iterable

from wartable.game.folding import Course
from wartable.game.messages import EnvyPaid, MeterName, Settled
from wartable.game.state import Hand, Round, Wager
from wartable.game.wagers import COVERED, FIRST_DECIDED, SETTLED_AT, SIDE_BETS, WAGER
from wartable.game.wagers.shape import Moment, Verdict
from wartable.rules.model import Direction, Ratio, RuleBook


def settle(rules: RuleBook, course: Course, at: Moment) -> bool:
    """Settle what the moment decides, hand by hand; False if a hand holds up the next.

    After wheel and war an open wager awaits a stop or a meter, and the next one must wait for it.
    """
    direction = rules.deal.surrender if at == "surrender" else rules.deal.settle
    for place in _places(course.state, direction):
        hand = course.state.hands[place]
        if hand.settled:
            continue
        if _decided(course.state, hand, at):
            hand = _settle_hand(rules, course, place, at)
        if at in ("wheel", "war") and any(hand.open(each.kind) for each in SETTLED_AT[at]):
            return False
    return True


def _places(state: Round, direction: Direction) -> Iterable[int]:
    """The indexes of the hands, box by box around the table."""
    places = range(len(state.hands))
    if direction == "clockwise":
        return places
    return sorted(places, key=lambda place: -state.hands[place].box)


def _decided(state: Round, hand: Hand, at: Moment) -> bool:
    """Whether the hand has the card or the choice that the moment settles."""
    if at == "war":
        return hand.choice == "war" and hand.box in state.war_cards
    return hand.box in state.cards


def _settle_hand(rules: RuleBook, course: Course, place: int, at: Moment) -> Hand:
    """The hand with its wagers settled in order; after the last, others get their envy."""
    hand = course.state.hands[place]
    for each in SETTLED_AT[at]:
        wager = hand.open(each.kind)
        if wager is None:
            continue
        verdict = each.verdict(rules, course.state, hand, wager, at)
        if verdict is None:
            continue
        course.add(_paid(rules, course.state, hand, wager, verdict, at))
        hand = course.state.hands[place]
        if hand.settled:
            for paid in envy(rules, course.state, hand):
                course.add(paid)
            break
    return hand


def envy(rules: RuleBook, state: Round, holder: Hand) -> list[EnvyPaid]:
    """What a settled hand pays to others, if its cards tied."""
    dealt = 0 in state.cards and holder.box in state.cards
    if not dealt or state.compare(holder.box, "original"):
        return []
    return [paid for each in SIDE_BETS for paid in each.envy(rules, state, holder)]


def abandoned(rules: RuleBook, state: Round, hand: Hand) -> list[Wager]:
    """The wagers that a player loses by leaving now: open ones whose result is not fixed yet."""
    if rules.options.abandoned != "lose" or not state.bets_closed:
        return []
    open_wagers = [wager for wager in hand.wagers if not wager.outcome]
    return [each for each in open_wagers if not WAGER[each.kind].decided(state, hand)]


def _paid(
    rules: RuleBook, state: Round, hand: Hand, wager: Wager, verdict: Verdict, at: Moment
) -> Settled:
    """The settlement of a wager, paid as far as payout limit and bank allow."""
    if verdict.odds is not None:
        return _won(rules, state, hand, wager, verdict.outcome, verdict.odds)
    if at != "war" and _exhausted(rules, state) and WAGER[wager.kind] in COVERED:
        return _settled(hand, wager, "uncovered", wager.at_risk)
    return _settled(hand, wager, verdict.outcome, verdict.returned)


def _won(
    rules: RuleBook, state: Round, hand: Hand, wager: Wager, outcome: str, odds: Ratio
) -> Settled:
    """A winning wager's covered stake and its win, as far as payout limit and bank allow."""
    win = odds.of(wager.at_risk)
    if rules.limits.payout_max is not None:
        won = sum(max(0, other.net) for other in hand.wagers if not WAGER[other.kind].side_bet)
        win = min(win, rules.limits.payout_max - won)
    left = bank_left(rules, state)
    if left is not None and (beyond := win - wager.matched) > 0:
        if left == 0 and WAGER[wager.kind] in COVERED:
            return _settled(hand, wager, "uncovered", wager.at_risk)
        win = wager.matched + min(beyond, left)
    return _settled(hand, wager, outcome, wager.at_risk + win)


def _settled(hand: Hand, wager: Wager, outcome: str, returned: int) -> Settled:
    return Settled(hand.player, hand.box, wager.kind, outcome, returned)


def _exhausted(rules: RuleBook, state: Round) -> bool:
    """Whether a running bank has nothing left and so may not win either."""
    return rules.options.bank_cover == "running" and bank_left(rules, state) == 0


def bank_left(rules: RuleBook, state: Round) -> int | None:
    """What the posted wager can still pay if it is not matched before the deal, else None."""
    if state.bank is None or rules.options.bank_cover in ("matched", "ties_last"):
        return None
    nets = [
        wager.net - (wager.matched if wager.net > 0 else 0)
        for hand in state.hands
        for wager in hand.wagers
        if not WAGER[wager.kind].side_bet
    ]
    if rules.options.bank_cover == "payoffs_only":
        nets = [max(0, net) for net in nets]
    return max(0, state.bank - sum(nets))


def meter_due(rules: RuleBook, state: Round) -> MeterName | None:
    """The meter whose reading the next winner awaits."""
    if state.reading is not None:
        return None
    for each in FIRST_DECIDED:
        if each.offer(rules) is None:
            continue
        for hand in state.in_order(rules.deal.settle):
            wager = hand.open(each.kind)
            meter = None if wager is None else each.awaited_meter(rules, state, hand, wager)
            if meter is not None:
                return meter
    return None
