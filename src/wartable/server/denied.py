"""Requests that the house denies, beyond the commands that a table's rules refuse."""

from wartable.refusal import Refusal


class Denied(Refusal):
    """The house does not do this, or not for this person."""


def not_your_part(role: str) -> Denied:
    """The answer to somebody whose role may not do this."""
    return Denied("not_your_part", f"The role {role} may not do this.")
