"""The wagers, one module each, in the order in which they are bet, covered and settled."""

from wartable.game.messages import MeterName
from wartable.game.wagers.bonus_spin import BonusSpinWager
from wartable.game.wagers.primary import PrimaryWager
from wartable.game.wagers.progressive import ProgressiveWager
from wartable.game.wagers.shape import MOMENTS, Moment, SideBet, WagerType
from wartable.game.wagers.tie import TieWager
from wartable.game.wagers.war import WarWager
from wartable.game.wagers.war_tie import WarTieWager
from wartable.rules.model import WagerKind

SIDE_BETS: tuple[SideBet, ...] = (ProgressiveWager(), BonusSpinWager())

WAGERS: tuple[WagerType, ...] = (
    PrimaryWager(),
    TieWager(),
    WarWager(),
    WarTieWager(),
    *SIDE_BETS,
)
"""Every wager, in the order that everything follows."""

WAGER: dict[WagerKind, WagerType] = {each.kind: each for each in WAGERS}

BEFORE_DEAL = tuple(each for each in WAGERS if each.before_deal)
"""The wagers made before the deal; the others are made by going to war."""

COVERED = tuple(each for each in BEFORE_DEAL if not each.side_bet)
"""The wagers that count towards a box's limits and that a player/dealer's bank covers."""

MATCHED = tuple(each for each in WAGERS if not each.before_deal)
"""The wagers that a player/dealer matches with new money at war."""

SETTLED_AT: dict[Moment, tuple[WagerType, ...]] = {
    at: tuple(each for each in WAGERS if at in each.moments) for at in MOMENTS
}
"""The wagers that each moment can settle, in order."""

FIRST_DECIDED = sorted(SIDE_BETS, key=lambda each: MOMENTS.index(each.moments[-1]))
"""The side bets in the order in which their winners are known and their meters read."""

ENVY_BET = next(each for each in SIDE_BETS if each.pays_envy)
"""The side bet that envy bonuses belong to."""

WHEEL_BET = next(each for each in SIDE_BETS if each.by_wheel)
"""The side bet that the wheel pays."""

ASKED_METER: MeterName = next(each.meter for each in SIDE_BETS if each.meter)
"""The meter that a question about odds may set."""
