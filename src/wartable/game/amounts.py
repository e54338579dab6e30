"""Which amounts a wager may have."""

from msgspec import Struct

from wartable.game.messages import STAKE_MAX, Illegal, money


class Amounts(Struct, frozen=True, gc=False):
    """The amounts that a wager may have: a list of them, or a range in steps."""

    min: int = 1
    max: int = STAKE_MAX
    step: int = 1
    only: tuple[int, ...] = ()

    def permits(self, amount: int) -> bool:
        """Whether the amount is one of these."""
        if self.only:
            return amount in self.only
        return self.min <= amount <= self.max and amount % self.step == 0

    def up_to(self, most: int) -> "Amounts | None":
        """The amounts up to a maximum; None if there are none."""
        if self.only:
            only = tuple(value for value in self.only if value <= most)
            return Amounts(only=only) if only else None
        top = min(self.max, most)
        top -= top % self.step
        return Amounts(self.min, top, self.step) if top >= self.min else None

    def check(self, wager: str, amount: int) -> None:
        """Refuse an amount that is not one of these."""
        if self.permits(amount):
            return
        what = f"{wager} wager"
        if self.only:
            accepted = " or ".join(money(value) for value in self.only)
            raise Illegal("wrong_size", f"The {what} must be {accepted}, not {money(amount)}.")
        if self.min <= amount <= self.max:
            sentence = f"The {what} must be an even number of cents, not {money(amount)}."
            raise Illegal("odd_amount", sentence)
        bounds = f"at least {money(self.min)} and at most {money(self.max)}"
        raise Illegal("limit", f"The {what} must be {bounds}, not {money(amount)}.")
