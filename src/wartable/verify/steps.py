"""The steps of a verification: what was checked, and the result."""

from collections.abc import Callable, Iterator

import msgspec

from wartable.shoe import Shoe, ShoeError


class VerifyStep(msgspec.Struct, frozen=True):
    """One check: its shoe (0 is the whole record), its name, and how it came out."""

    shoe: int
    name: str
    ok: bool
    sentence: str


class StepError(Exception):
    """Why a check fails."""


Check = tuple[str, Callable[[Shoe], str]]
"""A check's name, and the function that returns its result as a sentence or raises `StepError`."""


def checked(shoe: Shoe, checks: list[Check]) -> Iterator[VerifyStep]:
    """The steps of one finished shoe, ending with the first that fails."""
    number = shoe.terms.number
    for name, check in checks:
        try:
            said = check(shoe)
        except (StepError, ShoeError) as problem:
            yield VerifyStep(number, name, False, sentence(str(problem)))
            return
        yield VerifyStep(number, name, True, said)


def sentence(text: str) -> str:
    """The text as a sentence."""
    return text[:1].upper() + text[1:] + "."


def counted(count: int, noun: str) -> str:
    """A number of things in words, such as `1 card` or `3 cards`."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def were(count: int) -> str:
    """The verb that agrees with this number."""
    return "was" if count == 1 else "were"
