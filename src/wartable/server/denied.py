"""What the house denies, beyond what the rules of a table refuse."""

from wartable.refusal import Refusal


class Denied(Refusal):
    """The house does not do this, or not for this person."""


def not_your_part(role: str) -> Denied:
    """The answer to somebody whose role may not do this."""
    return Denied("not_your_part", f"The role {role} may not do this.")
