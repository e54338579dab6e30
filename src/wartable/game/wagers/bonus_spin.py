"""The bonus spin: the dealer's trigger card starts a wheel, and the wheel's stop pays."""

from collections.abc import Iterator

from wartable.cards import Card, color
from wartable.game.messages import Illegal, MeterName, Spin, money
from wartable.game.state import Hand, Round, Wager
from wartable.game.wagers.shape import LOST, Moment, PayLine, SideBet, Verdict
from wartable.rules.model import BonusSpin, Meter, RuleBook, Trigger

JACKPOT = "jackpot_"
NO_HOT_SPOT = "none"
_RANK_WORDS = {"T": "10", "J": "jack", "Q": "queen", "K": "king", "A": "ace"}


class BonusSpinWager(SideBet):
    """The wager on the trigger card, paid by the wheel."""

    kind = "bonus_spin"
    moments = ("wheel",)
    letter = "B"
    by_wheel = True
    short_names = ("bonus", "spin")

    def offer(self, rules: RuleBook) -> BonusSpin | None:
        """The book's section on it."""
        return rules.wagers.bonus_spin

    def started_by(self, rules: RuleBook) -> str:
        """What turns the wheel, in words."""
        spin = rules.wagers.bonus_spin
        if spin is None:
            return ""
        dealer = rules.labels.get("dealer", "dealer")
        card = f"{spin.trigger.color} {_RANK_WORDS.get(spin.trigger.rank, spin.trigger.rank)}"
        return f"The wheel turns when the {dealer}'s first card is a {card}"

    def verdict(
        self, rules: RuleBook, state: Round, hand: Hand, wager: Wager, at: Moment
    ) -> Verdict | None:
        """Lost without the trigger card, otherwise paid by the stop; a jackpot pays its meter."""
        spin = rules.wagers.bonus_spin
        if spin is None:
            return None
        if not triggers(spin.trigger, state.cards[0]):
            return LOST
        symbol = _symbol(state, hand)
        if symbol is None:
            return None
        if symbol.startswith(JACKPOT):
            return Verdict(symbol, returned=state.reading.amount) if state.reading else None
        hot_spot = _on_hot_spot(state, hand)
        outcome = "hot_spot" if hot_spot else "community"
        return Verdict(outcome, returned=stop_pays(rules, spin, symbol, hot_spot, wager.staked))

    def decided(self, state: Round, hand: Hand) -> bool:
        """Whether the wheel has stopped."""
        return state.spun is not None

    def meters(self, rules: RuleBook) -> dict[MeterName, Meter]:
        """The meters of its jackpots."""
        spin = rules.wagers.bonus_spin
        if spin is None or not spin.offered:
            return {}
        return spin.meters  # type: ignore[return-value]  # the check of rule books allows just these

    def awaited_meter(
        self, rules: RuleBook, state: Round, hand: Hand, wager: Wager
    ) -> MeterName | None:
        """The meter of the jackpot that the wheel stopped at."""
        return _JACKPOTS.get(_symbol(state, hand) or "")

    def pay_lines(self, rules: RuleBook) -> Iterator[PayLine]:
        """Every stop of the hot spot, then of the community."""
        spin = rules.wagers.bonus_spin
        if spin is None or not spin.offered:
            return
        for_stake = f" for {money(spin.per)}"
        for symbol in spin.wheel.hot_spot:
            if symbol == NO_HOT_SPOT:
                continue
            key = f"wagers.bonus_spin.hot_spot.{symbol}"
            if symbol in spin.hot_spot:
                pays = money(stop_pays(rules, spin, symbol, True, spin.per)) + for_stake
            else:
                meter = symbol.removeprefix(JACKPOT)
                key, pays = f"wagers.bonus_spin.wheel.hot_spot.{symbol}", f"the {meter} meter"
            yield PayLine(pays, key, f"hot spot {symbol.replace('_', ' ')}")
        for symbol in spin.community:
            pays = money(stop_pays(rules, spin, symbol, False, spin.per)) + for_stake
            yield PayLine(pays, f"wagers.bonus_spin.community.{symbol}", f"community {symbol}")


_JACKPOTS: dict[str, MeterName] = {
    JACKPOT + "primary": "primary",
    JACKPOT + "secondary": "secondary",
}
"""The wheel's jackpots with the meters that they win."""


def triggers(trigger: Trigger, card: Card) -> bool:
    """Whether the dealer's original card starts the bonus spin."""
    return card[0] == trigger.rank and color(card) == trigger.color


def spinning_boxes(rules: RuleBook, state: Round) -> tuple[int, ...]:
    """The boxes whose bonus spin the trigger card has started, until the wheel stops."""
    spin = rules.wagers.bonus_spin
    if spin is None or state.spun is not None or 0 not in state.cards:
        return ()
    if not triggers(spin.trigger, state.cards[0]):
        return ()
    return tuple(sorted({hand.box for hand in state.hands if hand.open("bonus_spin")}))


def betting_boxes(state: Round) -> set[int]:
    """The boxes that share the wheel of the round."""
    return {hand.box for hand in state.hands if hand.wager("bonus_spin")}


def check_stop(rules: RuleBook, boxes: tuple[int, ...], stop: Spin) -> None:
    """Refuse a stop that the wheel does not have."""
    spin = rules.wagers.bonus_spin
    if spin is None or not boxes:
        raise Illegal("no_wheel_due", "No spin of the wheel is due now.")
    hot_spots = [*(JACKPOT + meter for meter in spin.meters), *spin.hot_spot]
    if stop.hot_spot_box not in (None, *boxes):
        raise Illegal("hot_spot_box", f"The hot spot must be one of the boxes {list(boxes)}.")
    none = () if stop.hot_spot_box else (None, NO_HOT_SPOT)
    if stop.hot_spot not in (*none, *hot_spots):
        raise Illegal("hot_spot", f"The hot-spot symbol must be one of {hot_spots}.")
    unneeded = (None,) if set(boxes) == {stop.hot_spot_box} else ()
    if stop.community not in (*unneeded, *spin.community):
        raise Illegal("community", f"The community symbol must be one of {list(spin.community)}.")


def _on_hot_spot(state: Round, hand: Hand) -> bool:
    return state.spun is not None and state.spun.hot_spot_box == hand.box


def _symbol(state: Round, hand: Hand) -> str | None:
    """The wheel's symbol for the hand; None before the spin."""
    if state.spun is None:
        return None
    return state.spun.hot_spot if _on_hot_spot(state, hand) else state.spun.community


def face_value(symbol: str) -> int:
    """The figure on a wheel's symbol in cents: `$1,000` is 100000."""
    return int(symbol.removeprefix("$").replace(",", "")) * 100


def stop_pays(rules: RuleBook, spin: BonusSpin, symbol: str, hot_spot: bool, stake: int) -> int:
    """The fixed payment of a symbol, in proportion to the printed stake."""
    if hot_spot:
        amount = spin.hot_spot[symbol]
    elif rules.options.community_pays == "face":
        amount = face_value(symbol)
    else:
        amount = spin.community[symbol]
    return amount * stake // spin.per
