"""Display names: what players are called at tables, and which names are too similar."""

import re
import unicodedata

from wartable.server.denied import Denied
from wartable.server.house.roles import ROLES

DISPLAY_MIN, DISPLAY_MAX = 3, 20
_SHAPE = re.compile(r"[^\W\d_](?:[ ._'-]?[^\W_])*")
_LETTERS_END = 0x180
"""The first letter after Latin-1 and Latin Extended-A, whose letters people can tell apart."""
_ALIKE = str.maketrans("01i\u0131", "olll")
_RESERVED = frozenset(
    {
        *ROLES, "guest", "bot", "platform", "house", "outside", "cashier", "office", "key",
        "wartable", "staff", "pit", "cage", "bank", "banker", "support", "operator", "you",
        "invitado", "casa", "cajero", "crupier", "supervisor", "administrador", "banca",
    }
)  # fmt: skip  # a list of words, in both languages of the pages


def folded(name: str) -> str:
    """The name without case, accents and separators; what looks alike is the same."""
    parts = unicodedata.normalize("NFKD", name).casefold()
    return "".join(each for each in parts if each.isalnum()).translate(_ALIKE)


_RESERVED_FOLDED = frozenset(map(folded, _RESERVED))


def checked_display(name: str) -> str:
    """The display name as it is kept, or a refusal that says what would be accepted."""
    kept = unicodedata.normalize("NFC", name).strip()
    fits = DISPLAY_MIN <= len(kept) <= DISPLAY_MAX and _SHAPE.fullmatch(kept) is not None
    if not fits or any(ord(each) >= _LETTERS_END for each in kept):
        sentence = (
            f"A display name must have {DISPLAY_MIN} to {DISPLAY_MAX} Latin letters or digits,"
            " begin with a letter, and have single spaces, dots, hyphens or apostrophes only"
            " between them."
        )
        raise Denied("bad_name", sentence)
    words = {folded(word) for word in re.split(r"[ ._'-]", kept)}
    if folded(kept) in _RESERVED_FOLDED or words & _RESERVED_FOLDED:
        raise Denied(
            "bad_name", "This display name could be taken for the house's; choose another."
        )
    return kept
