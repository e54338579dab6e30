"""The wheel: the dealer's trigger card starts it, and its stop pays every box that bet on it."""

from wartable.cards import Card, color
from wartable.game.messages import Illegal, Spin
from wartable.game.state import Round
from wartable.rules.model import BonusSpin, RuleBook, Trigger

JACKPOT = "jackpot_"
NO_HOT_SPOT = "none"
_RANK_WORDS = {"T": "10", "J": "jack", "Q": "queen", "K": "king", "A": "ace"}


def wheel_of(rules: RuleBook) -> BonusSpin | None:
    """The book's section on its wheel, offered or not; None if it has none."""
    return rules.wagers.bonus_spin


def started_by(rules: RuleBook) -> str:
    """What turns the wheel, in words."""
    spin = wheel_of(rules)
    if spin is None:
        return ""
    dealer = rules.label("dealer")
    card = f"{spin.trigger.color} {_RANK_WORDS.get(spin.trigger.rank, spin.trigger.rank)}"
    return f"The wheel turns when the {dealer}'s first card is a {card}"


def triggers(trigger: Trigger, card: Card) -> bool:
    """Whether the dealer's original card starts the bonus spin."""
    return card[0] == trigger.rank and color(card) == trigger.color


def spinning_boxes(rules: RuleBook, state: Round) -> tuple[int, ...]:
    """The boxes whose bonus spin the trigger card has started, until the wheel stops."""
    spin = wheel_of(rules)
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
    spin = wheel_of(rules)
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
