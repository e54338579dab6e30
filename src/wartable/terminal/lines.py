"""The line commands of scripts and typed lines, and how they are parsed."""

import re
from collections.abc import Callable
from decimal import Decimal
from typing import Literal

from msgspec import Struct

from wartable.game.wagers import BEFORE_DEAL
from wartable.refusal import Unusable
from wartable.rules import WagerKind

LINE_CHARACTERS_MAX = 200
ROUNDS_MAX = 10_000

HELP = (
    ("bet [BOX] [WAGER] AMOUNT", "add chips: `bet 25`, `bet 4 25`, `bet tie 5`, `bet 4 tie 5`"),
    ("clear [BOX] [WAGER]", "take wagers back before the deal; without a box, all of them"),
    ("repeat", "make the last round's wagers again"),
    ("double", "double the wagers on the felt"),
    ("deal", "no more bets; without a wager of your own you watch the round"),
    ("play N", "repeat and deal N rounds, at war in every tie"),
    ("war [AMOUNT]", "go to war, with a tie wager on the war deal if offered"),
    ("surrender", "give up half"),
    ("cut N", "lift N cards; `cut no` refuses"),
    ("bank AMOUNT", "take the bank and post the amount; `bank no` passes"),
    ("buy AMOUNT", "bring more money"),
    ("rules, ?", "the book's rules and odds"),
    ("history, h", "the last rounds"),
    ("balance", "where your money is"),
    ("help", "this list"),
    ("quit, q", "leave with a summary"),
)
"""Every line command with what it does."""

WAGER_WORDS: dict[str, WagerKind] = {
    name: each.kind for each in BEFORE_DEAL for name in (each.kind, *each.short_names)
}
"""The names of each wager that is made before the deal."""


class Stake(Struct, frozen=True):
    """Add chips to a wager; without a box, on the first or the selected one."""

    amount: int
    box: int | None = None
    wager: WagerKind = "primary"


class Clear(Struct, frozen=True):
    """Take wagers back."""

    box: int | None = None
    wager: WagerKind | None = None


class Repeat(Struct, frozen=True):
    """Make the last wagers again."""


class Double(Struct, frozen=True):
    """Double the wagers on the felt."""


class DealNow(Struct, frozen=True):
    """End betting and deal."""


class PlayOn(Struct, frozen=True):
    """Repeat and deal a number of rounds."""

    rounds: int


class WarLine(Struct, frozen=True):
    """Go to war, with a tie wager on the war deal."""

    war_tie: int = 0


class Surrender(Struct, frozen=True):
    """Give up half."""


class CutAt(Struct, frozen=True):
    """Cut, or refuse the cut."""

    position: int | None


class BankLine(Struct, frozen=True):
    """Take the bank, or pass."""

    amount: int | None


class Buy(Struct, frozen=True):
    """Bring more money."""

    amount: int


class Show(Struct, frozen=True):
    """Look something up."""

    what: Literal["rules", "history", "balance", "help"]


class Quit(Struct, frozen=True):
    """Leave the table."""


Action = (
    Stake | Clear | Repeat | Double | DealNow | PlayOn | WarLine | Surrender | CutAt | BankLine
    | Buy | Show | Quit
)  # fmt: skip  # a list


class Unclear(Unusable):
    """A line that is not understood; the sentence says why."""

    kind = "unclear"


def read(line: str) -> Action | None:
    """The action of a line; None for an empty line or a comment."""
    words = line.partition("#")[0].lower().split()
    if len(line) > LINE_CHARACTERS_MAX:
        raise Unclear(f"A line may have at most {LINE_CHARACTERS_MAX} characters.")
    if not words:
        return None
    name, *rest = words
    if name not in _READ:
        raise Unclear(f"There is no command {name!r}; `help` lists them.")
    return _READ[name](name, rest)


def read_amount(text: str) -> int:
    """An amount of money in cents: 25, 12.50 or 1,000."""
    plain = text.removeprefix("$").replace(",", "")
    if not re.fullmatch(r"[0-9]{1,10}(\.[0-9]{1,2})?", plain) or not Decimal(plain):
        raise Unclear(f"An amount is written like 25 or 12.50, not {text!r}.")
    return int(Decimal(plain) * 100)


def _number(text: str, what: str, most: int) -> int:
    if not re.fullmatch("[0-9]{1,6}", text) or not 0 < int(text) <= most:
        raise Unclear(f"{what} is a number from 1 to {most}, not {text!r}.")
    return int(text)


def _place(words: list[str]) -> tuple[int | None, WagerKind | None, list[str]]:
    """A box and a wager at the beginning, in either order, and the rest."""
    box: int | None = None
    wager: WagerKind | None = None
    while words:
        word = words[0]
        if word in WAGER_WORDS and wager is None:
            wager = WAGER_WORDS[word]
        elif word == "box" and len(words) > 1:
            pass
        elif re.fullmatch("[1-9]", word) and box is None:
            box = int(word)
        else:
            break
        words = words[1:]
    return box, wager, words


def _bet(name: str, words: list[str]) -> Action:
    if not words:
        raise Unclear("`bet` needs an amount, such as `bet 25` or `bet 4 tie 5`.")
    box, wager, rest = _place(words[:-1])
    if rest:
        raise Unclear("`bet` takes a box, a wager and an amount, such as `bet 4 tie 5`.")
    return Stake(read_amount(words[-1]), box, wager or "primary")


def _clear(name: str, words: list[str]) -> Action:
    box, wager, rest = _place(words)
    if rest:
        raise Unclear("`clear` takes a box and a wager, such as `clear 4 tie`, or nothing.")
    return Clear(box, wager)


def _play(name: str, words: list[str]) -> Action:
    if len(words) != 1:
        raise Unclear("`play` needs a number of rounds, such as `play 10`.")
    return PlayOn(_number(words[0], "The number of rounds", ROUNDS_MAX))


def _war(name: str, words: list[str]) -> Action:
    words = [word for word in words if word != "tie"]
    if len(words) > 1:
        raise Unclear("`war` takes one amount for the tie wager, or nothing.")
    return WarLine(read_amount(words[0]) if words else 0)


def _cut(name: str, words: list[str]) -> Action:
    if len(words) != 1:
        raise Unclear("`cut` needs a number of cards, such as `cut 100`, or `cut no`.")
    return CutAt(None if words[0] == "no" else _number(words[0], "A cut", 10_000))


def _bank(name: str, words: list[str]) -> Action:
    if len(words) != 1:
        raise Unclear("`bank` needs an amount to post, such as `bank 200`, or `bank no`.")
    return BankLine(None if words[0] == "no" else read_amount(words[0]))


def _buy(name: str, words: list[str]) -> Action:
    if len(words) != 1:
        raise Unclear("`buy` needs an amount, such as `buy 500`.")
    return Buy(read_amount(words[0]))


def _alone(action: Action) -> Callable[[str, list[str]], Action]:
    def read_alone(name: str, words: list[str]) -> Action:
        if words:
            raise Unclear(f"`{name}` takes nothing after it.")
        return action

    return read_alone


_READ: dict[str, Callable[[str, list[str]], Action]] = {
    "bet": _bet,
    "b": _bet,
    "clear": _clear,
    "c": _clear,
    "repeat": _alone(Repeat()),
    "r": _alone(Repeat()),
    "double": _alone(Double()),
    "d": _alone(Double()),
    "deal": _alone(DealNow()),
    "play": _play,
    "war": _war,
    "w": _war,
    "surrender": _alone(Surrender()),
    "s": _alone(Surrender()),
    "cut": _cut,
    "bank": _bank,
    "pass": _alone(BankLine(None)),
    "buy": _buy,
    "rules": _alone(Show("rules")),
    "?": _alone(Show("rules")),
    "history": _alone(Show("history")),
    "h": _alone(Show("history")),
    "balance": _alone(Show("balance")),
    "help": _alone(Show("help")),
    "quit": _alone(Quit()),
    "q": _alone(Quit()),
}
