"""What the house denies, beside what the rules of a table refuse."""

from wartable.refusal import Refusal


class Denied(Refusal):
    """Something that the house does not do, or not for this person."""


def not_your_part(role: str) -> Denied:
    """The answer to whose role something is not."""
    return Denied("not_your_part", f"This is not for a {role} to do.")
