"""How a sitting begins: a checked header for a new one, or a kept one."""

import hashlib
import re
import secrets
from collections.abc import Collection, Mapping
from pathlib import Path

from msgspec.structs import replace

from wartable.odds.floor import floor_problems, gift_problems
from wartable.rules import Book, load_any, with_options
from wartable.rules.settings import HOUSE_LIMITS, check_options, operator_options
from wartable.terminal import journal as journals
from wartable.terminal.journal import Journal, SittingHeader
from wartable.terminal.lines import Unclear, read_amount
from wartable.terminal.sitting import Sitting, now_ms

VISITOR = "you"
BANKROLL = 100_000
BOTS = 3
BOTS_MIN_BANKED = 2  # a single bot would soon have had the bank for too long
BANKROLL_MAX = 10**12


class Wish:
    """The visitor's wishes; None is the default."""

    def __init__(
        self,
        rules: str,
        options: Mapping[str, str],
        boxes: str | None = None,
        bankroll: str | None = None,
        bots: int | None = None,
        limits: str | None = None,
        seed: str | None = None,
        confirmed: Collection[str] = (),
    ) -> None:
        self.rules = rules
        self.options = dict(options)
        self.boxes = boxes
        self.bankroll = bankroll
        self.bots = bots
        self.limits = limits
        self.seed = seed
        self.confirmed = confirmed


def header_of(wish: Wish) -> SittingHeader:
    """The header of a new sitting, or `Unclear` with what is wrong."""
    named = full_name(wish.rules)
    base = load_any(named)
    check_options(base, wish.options)
    book = with_options(base, wish.options)
    rules = book.rules
    boxes = boxes_of(book, wish.boxes)
    if wish.seed is None:
        master = secrets.token_hex(32)
        table = f"{rules.name}-{secrets.token_hex(4)}"
    else:
        master = hashlib.sha256(f"wartable play {wish.seed}".encode()).hexdigest()
        table = f"{rules.name}-{master[:8]}"
    return SittingHeader(
        book=named,
        digest=book.digest,
        options=wish.options,
        limits=limits_of(book, wish.limits),
        table=table,
        visitor=VISITOR,
        boxes=boxes,
        bots=bots_of(book, boxes, wish.bots),
        bankroll=bankroll_of(wish.bankroll),
        master=master,
        repeatable=wish.seed is not None,
        started_ms=now_ms(),
    )


def full_name(rules: str) -> str:
    """The name of a book, or the absolute path of a user's file."""
    return str(Path(rules).resolve()) if rules.endswith(".toml") else rules


def begin(wish: Wish, root: Path | None) -> Sitting:
    """A new sitting, saved below the folder; without a folder nothing is kept."""
    header = header_of(wish)
    sitting = Sitting(header, Journal(None))  # a table that may not be opened leaves no file
    _check_return(sitting, wish.confirmed)
    if root is not None:
        sitting.journal = journals.create(header, root)
    return sitting


def _check_return(sitting: Sitting, confirmed: Collection[str]) -> None:
    """Refuse a table that returns too little or, unless the visitor confirms it, above 100 %."""
    book, decks = replace(sitting.book, rules=sitting.setup.rules), sitting.setup.decks
    if problems := [*floor_problems(book, decks), *gift_problems(book, decks, confirmed)]:
        raise Unclear(" ".join(problems))


def go_on(path: Path) -> Sitting:
    """A kept sitting, folded again."""
    journal, header, entries = journals.resume(path)
    return Sitting(header, journal, entries)


def option_of(text: str) -> tuple[str, str]:
    """A named option, written key=value."""
    key, equals, value = text.partition("=")
    if not equals or not key.strip():
        raise Unclear(f"An option is written key=value, not {text!r}.")
    return key.strip(), value.strip()


def option_lines(book: Book) -> list[str]:
    """Every option that a table of the book takes, with its value and its possible values."""
    options = book.rules.options
    return [
        f"  {key} = {getattr(options, key)}   ({', '.join(values)})"
        for key, values in operator_options(book.rules).items()
    ]


def boxes_of(book: Book, text: str | None) -> tuple[int, ...]:
    """The visitor's boxes: as requested, else one in the middle, or all at a table for one.

    A visitor without a box stands behind the seats of others.
    """
    rules = book.rules
    if text is not None and text.strip() == "none":
        if not rules.table.backline or rules.community:
            raise Unclear("Nobody bets from behind a seat at this table: choose a box.")
        return ()
    count = rules.community or rules.table.boxes
    most = min(rules.table.boxes_per_player, count)
    if text is None:
        alone = rules.table.seats == 1 or rules.community
        return tuple(range(1, most + 1)) if alone else ((count + 1) // 2,)
    boxes: list[int] = []
    for part in re.split("[, ]+", text.strip()):
        match = re.fullmatch("([1-9])(?:-([1-9]))?", part)
        if match is None:
            raise Unclear(f"Boxes are written like 4, 3-5, 2,4 or none, not {text!r}.")
        boxes += range(int(match[1]), int(match[2] or match[1]) + 1)
    unique = tuple(dict.fromkeys(boxes))
    if not unique or max(unique) > count:
        raise Unclear(f"This table has boxes 1 to {count}.")
    if len(unique) > most:
        raise Unclear(f"A player may play at most {most} box{'es' * (most > 1)} at this table.")
    if rules.adjacent and max(unique) - min(unique) >= len(unique):
        raise Unclear("A player's boxes must be next to each other at this table.")
    return tuple(sorted(unique))


def limits_of(book: Book, text: str | None) -> tuple[int, int] | None:
    """The minimum and maximum of a primary wager; a book's own limits take precedence."""
    if text is None:
        own, house = book.rules.limits.primary, HOUSE_LIMITS.primary
        return None if own.max is not None or own.min > 1 else (house.min, house.max or house.min)
    low, dash, high = text.partition("-")
    if not dash:
        raise Unclear(f"Every table has limits; they are written like 5-500, not {text!r}.")
    least, most = read_amount(low), read_amount(high)
    if least > most:
        raise Unclear(f"The minimum {low} is above the maximum {high}.")
    return least, most


def bots_of(book: Book, boxes: tuple[int, ...], wanted: int | None) -> int:
    """The number of bots, at most the number of seats beside the visitor's boxes."""
    table = book.rules.table
    own = {1} if book.rules.community else {box for box in boxes if box <= table.seats}
    if boxes and not own:
        own = {1}
    free = table.seats - len(own)
    least = BOTS_MIN_BANKED if book.rules.banker == "player" else 0
    if wanted is None:
        return min(BOTS, free)
    if not least <= wanted <= free:
        raise Unclear(f"This table takes {least} to {free} bots besides you, not {wanted}.")
    return wanted


def bankroll_of(text: str | None) -> int:
    """The money that the visitor brings."""
    amount = BANKROLL if text is None else read_amount(text)
    if amount > BANKROLL_MAX:
        raise Unclear("That is more money than there is.")
    return amount
