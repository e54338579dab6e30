"""What each wager is paid: the one place that computes a payment."""

from collections.abc import Iterator

from wartable.cards import rank
from wartable.game.messages import DealName, EnvyPaid, MeterName, Settled
from wartable.game.state import Hand, Round, Wager
from wartable.rules.model import Direction, Ratio, RuleBook, WagerKind
from wartable.sidebets import JACKPOT, Cards4, progressive_line, stop_pays, triggers

EVEN = Ratio(1, 1)
DOUBLE = Ratio(2, 1)
HALF = Ratio(1, 2)

WAR_PAYS: dict[str, dict[str, tuple[Ratio | None, Ratio | None]]] = {
    "both_units": {"war_won": (Ratio(0, 1), EVEN), "war_tied": (Ratio(0, 1), DOUBLE)},
    "no_bonus": {"war_won": (Ratio(0, 1), EVEN), "war_tied": (Ratio(0, 1), EVEN)},
    "each_wager": {"war_won": (EVEN, HALF), "war_tied": (Ratio(0, 1), EVEN)},
    "war_only": {"war_won": (Ratio(0, 1), HALF), "war_tied": (Ratio(0, 1), EVEN)},
    "primary_lost": {"war_won": (None, EVEN), "war_tied": (None, DOUBLE)},
}
"""Odds on the primary and on the war wager by reading and outcome; None: the wager is lost."""

CAPPED: tuple[WagerKind, ...] = ("primary", "tie", "war", "war_tie")
"""The wagers that a payout limit per hand cuts; side bets are paid by their own tables."""


def in_order(state: Round, direction: Direction) -> tuple[Hand, ...]:
    """The hands box by box around the table, a box's seated player always first."""
    if direction == "clockwise":
        return state.hands
    return tuple(sorted(state.hands, key=lambda hand: -hand.box))


def compare(state: Round, box: int, deal: DealName) -> int:
    """Above 0 where the box's card is higher than the dealer's, below 0 lower, 0 on a tie."""
    cards = state.cards if deal == "original" else state.war_cards
    return rank(cards[box]) - rank(cards[0])


def tied(state: Round, hand: Hand) -> bool:
    """Whether the hand's original deal ties."""
    return hand.box in state.cards and compare(state, hand.box, "original") == 0


def original(rules: RuleBook, state: Round, hand: Hand) -> Settled | None:
    """The hand's next settlement of the original deal, or None when all that is due is done."""
    if hand.box not in state.cards:
        return None
    relation = compare(state, hand.box, "original")
    if relation and (primary := hand.open("primary")):
        if relation > 0:
            return _won(rules, state, hand, primary, "won", rules.wagers.primary.pays)
        return _lost(rules, state, hand, primary, "lost")
    if tie := hand.open("tie"):
        if relation == 0:
            return _won(rules, state, hand, tie, "won", rules.wagers.tie.pays)
        return _lost(rules, state, hand, tie, "lost")
    if relation and (progressive := hand.open("progressive")):
        return _settled(hand, progressive, "lost", 0)
    return None


def bonus_spin(rules: RuleBook, state: Round, hand: Hand) -> Settled | None:
    """The settlement of the hand's bonus spin, or None while wheel or meter are not known."""
    wager = hand.open("bonus_spin")
    spin = rules.wagers.bonus_spin
    if wager is None or spin is None:
        return None
    if not triggers(spin.trigger, state.cards[0]):
        return _settled(hand, wager, "lost", 0)
    symbol = _symbol(state, hand)
    if symbol is None:
        return None
    if symbol.startswith(JACKPOT):
        return _settled(hand, wager, symbol, state.reading.amount) if state.reading else None
    hot_spot = _on_hot_spot(state, hand)
    outcome = "hot_spot" if hot_spot else "community"
    return _settled(hand, wager, outcome, stop_pays(rules, spin, symbol, hot_spot, wager.staked))


def _on_hot_spot(state: Round, hand: Hand) -> bool:
    return state.spun is not None and state.spun.hot_spot_box == hand.box


def _symbol(state: Round, hand: Hand) -> str | None:
    """The wheel's symbol that counts for the hand, None before the spin."""
    if state.spun is None:
        return None
    return state.spun.hot_spot if _on_hot_spot(state, hand) else state.spun.community


def surrendered(rules: RuleBook, state: Round, hand: Hand) -> Settled | None:
    """The next settlement of a hand without a war: half the primary, then the progressive."""
    primary = hand.open("primary")
    if hand.choice == "surrender" and primary is not None:
        if _exhausted(rules, state):
            return _settled(hand, primary, "uncovered", primary.at_risk)
        kept = primary.at_risk - forfeit(rules, primary.at_risk)
        return _settled(hand, primary, "surrendered", kept)
    return None if _at_war(hand) else _progressive(rules, state, hand)


def _at_war(hand: Hand) -> bool:
    """Whether a war decides the hand's progressive; not where the bank returned the wagers."""
    war = hand.wager("war")
    return war is not None and war.outcome != "unmatched"


def forfeit(rules: RuleBook, amount: int) -> int:
    """Half of a surrendered wager, an odd half by the book's rounding."""
    return (amount + 1) // 2 if rules.options.odd_half == "up" else amount // 2


def war(rules: RuleBook, state: Round, hand: Hand) -> Settled | None:
    """The next settlement of a hand at war: primary, war, war tie, then the progressive."""
    if hand.choice != "war" or hand.box not in state.war_cards:
        return None
    relation = compare(state, hand.box, "war")
    outcome = "war_won" if relation > 0 else "war_tied" if relation == 0 else "war_lost"
    pays = WAR_PAYS[rules.options.war_pays].get(outcome, (None, None))
    kinds: tuple[WagerKind, WagerKind] = ("primary", "war")
    for kind, odds in zip(kinds, pays, strict=True):
        if wager := hand.open(kind):
            if odds is None:
                return _lost(rules, state, hand, wager, outcome)
            return _won(rules, state, hand, wager, outcome, odds)
    if war_tie := hand.open("war_tie"):
        if relation == 0:
            return _won(rules, state, hand, war_tie, "won", rules.wagers.war_tie.pays)
        return _settled(hand, war_tie, "lost", 0)
    return _progressive(rules, state, hand)


def _progressive(rules: RuleBook, state: Round, hand: Hand) -> Settled | None:
    """The settlement of a tied hand's progressive, or None while its meter is not read."""
    wager = hand.open("progressive")
    progressive = rules.wagers.progressive
    if wager is None or progressive is None:
        return None
    line = progressive_line(rules, cards_of(state, hand))
    if line is None:
        return _settled(hand, wager, "lost", 0)
    returned = progressive.lines[line].of(wager.staked)
    if rules.options.progressive_odds == "to_1":
        returned += wager.staked
    if line == progressive.meter_line:
        if state.reading is None:
            return None
        returned += state.reading.amount
    return _settled(hand, wager, line, returned)


def cards_of(state: Round, hand: Hand) -> Cards4:
    """The hand's cards with the dealer's; the war cards only if the hand went to war."""
    if hand.choice == "war":
        return (
            state.cards[hand.box],
            state.cards[0],
            state.war_cards.get(hand.box),
            state.war_cards.get(0),
        )
    return (state.cards[hand.box], state.cards[0], None, None)


def meter_due(rules: RuleBook, state: Round) -> MeterName | None:
    """The meter whose reading the next winner is waiting for."""
    if state.reading is not None or 0 not in state.cards:
        return None
    for hand in in_order(state, rules.deal.settle):
        if hand.open("bonus_spin") and state.spun is not None:
            symbol = _symbol(state, hand) or ""
            if symbol == JACKPOT + "primary":
                return "primary"
            if symbol == JACKPOT + "secondary":
                return "secondary"
    progressive = rules.wagers.progressive
    if progressive is None:
        return None
    for hand in in_order(state, rules.deal.settle):
        pending = hand.open("progressive") and not hand.open("primary") and not hand.open("war")
        if pending and progressive_line(rules, cards_of(state, hand)) == progressive.meter_line:
            return "progressive"
    return None


def envy(rules: RuleBook, state: Round, last: Settled) -> Iterator[EnvyPaid]:
    """The envy bonuses that a hand brings to others once its own last wager is settled."""
    progressive = rules.wagers.progressive
    holder = state.hand(last.player, last.box)
    if progressive is None or holder is None or holder.choice is None:
        return
    if any(not wager.outcome for wager in holder.wagers):
        return
    if rules.options.envy_holder == "must_wager" and holder.wager("progressive") is None:
        return
    if progressive_line(rules, cards_of(state, holder)) != progressive.envy.line:
        return
    for hand in in_order(state, rules.deal.settle):
        wager = hand.wager("progressive")
        if hand.player == holder.player or wager is None:
            continue
        if wager.outcome in ("abandoned", "not_dealt"):
            continue
        amount = progressive.envy.pays * wager.staked // progressive.envy.per
        yield EnvyPaid(hand.player, hand.box, holder.player, holder.box, amount)


def _won(
    rules: RuleBook, state: Round, hand: Hand, wager: Wager, outcome: str, odds: Ratio
) -> Settled:
    """A winning wager: the covered stake back and the win, as far as limits and bank reach."""
    win = odds.of(wager.at_risk)
    if rules.limits.payout_max is not None:
        won = sum(max(0, other.net) for other in hand.wagers if other.kind in CAPPED)
        win = min(win, rules.limits.payout_max - won)
    left = bank_left(rules, state)
    if left is not None and (beyond := win - wager.matched) > 0:
        if left == 0 and wager.kind in ("primary", "tie"):
            return _settled(hand, wager, "uncovered", wager.at_risk)
        win = wager.matched + min(beyond, left)
    return _settled(hand, wager, outcome, wager.at_risk + win)


def _lost(rules: RuleBook, state: Round, hand: Hand, wager: Wager, outcome: str) -> Settled:
    """A losing wager, unless it is unmatched and a running bank is exhausted before it."""
    if _exhausted(rules, state) and not wager.matched:
        return _settled(hand, wager, "uncovered", wager.at_risk)
    return _settled(hand, wager, outcome, 0)


def _exhausted(rules: RuleBook, state: Round) -> bool:
    return rules.options.bank_cover == "running" and bank_left(rules, state) == 0


def bank_left(rules: RuleBook, state: Round) -> int | None:
    """What the posted wager can still pay where it is not matched before the deal, else None."""
    if state.bank is None or rules.options.bank_cover in ("matched", "ties_last"):
        return None
    nets = [
        wager.net - (wager.matched if wager.net > 0 else 0)
        for hand in state.hands
        for wager in hand.wagers
        if wager.kind in CAPPED
    ]
    if rules.options.bank_cover == "payoffs_only":
        nets = [max(0, net) for net in nets]
    return max(0, state.bank - sum(nets))


def _settled(hand: Hand, wager: Wager, outcome: str, returned: int) -> Settled:
    return Settled(hand.player, hand.box, wager.kind, outcome, returned)
