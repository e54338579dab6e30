"""The bonus spin: the dealer's trigger card starts a wheel, and the wheel's stop pays."""

from collections.abc import Iterator

from wartable.game.messages import MeterName, money
from wartable.game.state import Hand, Round, Wager
from wartable.game.wagers.shape import LOST, Moment, PayLine, SideBet, Verdict
from wartable.game.wagers.wheel import JACKPOT, NO_HOT_SPOT, stop_pays, triggers
from wartable.rules.model import Meter, RuleBook


class BonusSpinWager(SideBet):
    """The wager on the trigger card, paid by the wheel."""

    kind = "bonus_spin"
    moments = ("wheel",)
    letter = "B"
    by_wheel = True
    short_names = ("bonus", "spin")

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

    def paying_option(self, outcome: str) -> str | None:
        """The option that says whether a community symbol pays its stated amount or its face."""
        return "community_pays" if outcome == "community" else None

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


def _on_hot_spot(state: Round, hand: Hand) -> bool:
    return state.spun is not None and state.spun.hot_spot_box == hand.box


def _symbol(state: Round, hand: Hand) -> str | None:
    """The wheel's symbol for the hand; None before the spin."""
    if state.spun is None:
        return None
    return state.spun.hot_spot if _on_hot_spot(state, hand) else state.spun.community
