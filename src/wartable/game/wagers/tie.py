"""The tie wager: won if the original deal ties."""

from collections.abc import Iterator

from wartable.game.messages import Illegal, Player
from wartable.game.state import Hand, Round, Wager
from wartable.game.wagers.shape import LOST, Moment, PayLine, Verdict, WagerType
from wartable.rules.model import Ratio, RuleBook, WagerKind


class TieWager(WagerType):
    """The wager that the original deal will tie."""

    kind = "tie"
    moments = ("original",)
    letter = "T"

    def beside(self, rules: RuleBook) -> WagerKind | None:
        """The primary wager, if the book takes no tie wager alone."""
        return "primary" if rules.wagers.tie.with_primary else None

    def check_claim(
        self, rules: RuleBook, state: Round, hand: Hand | None, player: Player, box: int
    ) -> None:
        """If a box takes one tie wager, players with a primary wager there come first."""
        per_box = rules.wagers.tie.per_box
        if per_box is None:
            return
        others = [other for other in state.hands if other.box == box and other is not hand]
        full = sum(other.wager("tie") is not None for other in others) >= per_box
        if full and self.gives_way(rules, state, hand, box) is None:
            raise Illegal("tie_spot_taken", f"The tie spot of box {box} is taken.")
        if hand is not None and hand.tie_declined:
            raise Illegal("tie_declined", f"{player} has declined the tie spot of box {box}.")
        if hand is None or hand.wager("primary") is None:
            for other in others:
                if _entitled(other):
                    raise Illegal(
                        "tie_entitlement",
                        f"{other.player} has a primary wager on box {box} and the first claim to"
                        " its tie spot.",
                    )

    def gives_way(self, rules: RuleBook, state: Round, hand: Hand | None, box: int) -> Hand | None:
        """On a full spot, the last player without a primary wager gives way to one who has it."""
        per_box = rules.wagers.tie.per_box
        if per_box is None or hand is None or not _entitled(hand):
            return None
        holders = [other for other in state.hands if other.box == box and other.wager("tie")]
        alone = [other for other in holders if other.wager("primary") is None]
        return alone[-1] if alone and len(holders) >= per_box else None

    def bank_odds(self, rules: RuleBook) -> Ratio:
        """Its odds."""
        return rules.wagers.tie.pays

    def verdict(
        self, rules: RuleBook, state: Round, hand: Hand, wager: Wager, at: Moment
    ) -> Verdict | None:
        """Won on a tie and lost otherwise."""
        if state.compare(hand.box, "original"):
            return LOST
        return Verdict("won", rules.wagers.tie.pays)

    def outcome_pays(self, rules: RuleBook, outcome: str) -> str | None:
        """Its odds."""
        return f"paid {rules.wagers.tie.pays}" if outcome == "won" else None

    def pay_lines(self, rules: RuleBook) -> Iterator[PayLine]:
        """Its odds."""
        yield PayLine(str(rules.wagers.tie.pays), "wagers.tie.pays")


def check_decline(rules: RuleBook, hand: Hand | None, player: Player, box: int) -> None:
    """Refuse a decline of the tie spot that would have no effect."""
    if rules.wagers.tie.per_box is None:
        raise Illegal("nothing_to_decline", "Every player may make a tie wager in this book.")
    if hand is None or not _entitled(hand):
        raise Illegal("nothing_to_decline", f"{player} has no claim to the tie spot of box {box}.")


def _entitled(hand: Hand) -> bool:
    """Whether the hand has an unused claim to the box's tie spot."""
    return bool(hand.wager("primary")) and not hand.wager("tie") and not hand.tie_declined
