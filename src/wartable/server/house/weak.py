"""Weak passwords: those that an attacker would try first."""

import re
import unicodedata
from functools import cache
from importlib.resources import files
from itertools import pairwise

DIFFERENT_MIN = 5
"""How many different characters a password must have: ten spaces have one."""

BREAKS_MIN = 3
"""How often a password must leave a row of keys or of the alphabet: `1234567890` never does."""

ROWS = (
    "abcdefghijklmnopqrstuvwxyz", "01234567890", "1234567890-=", "qwertyuiop[]", "asdfghjkl;'",
    "zxcvbnm,./", "qwertzuiop", "yxcvbnm,.-", "azertyuiop", "qsdfghjklm", "wxcvbn", "1qaz", "2wsx",
    "3edc", "4rfv", "5tgb", "6yhn", "7ujm", "8ik,", "9ol.", "0p;/",
)  # fmt: skip  # a list of rows
LOOKALIKES = str.maketrans("@4301!|5$7+", "aaeoiilsstt")
WORDS_MAX = 2
"""How many common words together are still a common password."""


def is_weak(password: str) -> bool:
    """Whether a password is a common one, a repetition or a sequence."""
    folded = unicodedata.normalize("NFKC", password).casefold()
    return (
        len(set(folded)) < DIFFERENT_MIN
        or _breaks(folded) < BREAKS_MIN
        or any(_common(letters, WORDS_MAX) for letters in _letters(folded))
    )


def _breaks(folded: str) -> int:
    """How often two characters side by side are neither equal nor neighbours."""
    near = _neighbours()
    return sum(pair not in near and pair[0] != pair[1] for pair in pairwise(folded))


@cache
def _neighbours() -> frozenset[tuple[str, str]]:
    pairs = {pair for row in ROWS for pair in pairwise(row)}
    return frozenset(pairs | {(second, first) for first, second in pairs})


def _letters(folded: str) -> list[str]:
    """The letters of a password: as they are, and with look-alike characters read as letters."""
    inside = re.sub(r"^[^a-z]+|[^a-z]+$", "", folded)
    return [re.sub("[^a-z]", "", each) for each in (folded, inside.translate(LOOKALIKES))]


def _common(letters: str, words: int) -> bool:
    """Whether this many common words, or fewer, make up these letters."""
    known = _common_words()
    if words == 1 or letters in known:
        return letters in known
    ends = [end for end in range(1, len(letters)) if letters[:end] in known]
    return any(_common(letters[end:], words - 1) for end in ends)


@cache
def _common_words() -> frozenset[str]:
    """The most common passwords, without what people put before and after them."""
    return frozenset((files(__package__) / "common-passwords.txt").read_text("utf-8").split())
