"""English that is left on a Spanish page, by the words that only the English catalogue has."""

import json
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from node import FOLDER, node
from wartable.inscription import burns, decks_in_use, payout_limit, paytable
from wartable.odds.report import NOTES
from wartable.odds.wheel import wheel_words
from wartable.proof import INCIDENTS
from wartable.rules import NAMES, load, option_values, with_options
from wartable.rules.model import Options
from wartable.server.house.closures import CLOCK_CHECKED, REFUSED, Closure, why
from wartable.server.tables.listeners import TAKEN

EXCEPTIONS = {
    "Wartable": "our own name",
    "Casino War": "the game's name",
    "guest": "the name of an account, in the address of its own table",
    "bot": "said in Spanish, too",
    "wartable verify": "a command",
    '{"format": "wartable-shoes-2", "shoes": [ ... ]}': "the form of a file",
}
"""What stays as it is beside the names that a rule book gives, and why."""

NAMED = re.compile(
    r"\b(guest|bot)-\w+|(?<=\bInvitado )[0-9a-f]{4}\b|[0-9a-f]{16,}|\b[A-Z]{2}-[\w.-]+"
)
"""Names of accounts, as the server and as the page says them, hashes, and ids of clauses."""

WORD = re.compile(r"(?<![^\W_])[^\W\d_]+(?![^\W_])")
"""Letters without a digit beside them, which would make them part of a number."""


class InSpanish(NamedTuple):
    """What Spanish pages say instead of the server's English, and the words that only English has.

    None stands for what they leave in English.
    """

    said: dict[tuple[str, str], str | None]
    told: dict[str, str | None]
    english: frozenset[str]


def server_texts() -> Iterator[str]:
    """What the server says of every book's payments, cards and wheel, in every configuration."""
    for name in NAMES:
        for option in Options.__struct_fields__:
            for value in option_values(option):
                book = with_options(load(name), {option: value})
                rules = book.rules
                for pay in paytable(book):
                    yield pay.pays
                    yield pay.line
                yield from burns(rules)
                yield from wheel_words(rules, rules.shoe.decks)
                yield payout_limit(rules)
                yield rules.document.edition
                yield decks_in_use(rules.shoe.decks, rules.options.shuffle)
    yield "1 deck"
    for scope in REFUSED:
        yield why(Closure(scope, "", "flo", 0, "a drill"))
    yield from (CLOCK_CHECKED, TAKEN.sentence)


def said_by_name() -> Iterator[tuple[str, str]]:
    """What the server says by a name: of options, their values and measures, and of shoes."""
    for option in Options.__struct_fields__:
        yield "option", option
        yield "measure", option
        yield from (("value", value) for value in option_values(option))
    yield from (("note", name) for name in NOTES)
    yield from (("incident", name) for name in INCIDENTS)
    yield from (("way", name) for name in ("war", "no_bonus", "surrender", "tie"))


def in_spanish(folder: Path) -> InSpanish:
    """What Spanish pages say of all that."""
    told = sorted(filter(None, set(server_texts())))
    said = sorted(set(said_by_name()))
    file = folder / "asked.json"
    file.write_text(json.dumps({"said": said, "told": told}), "utf-8")
    found = json.loads(node(FOLDER / "in-spanish.js", file))
    return InSpanish(
        dict(zip(said, found["said"], strict=True)),
        dict(zip(told, found["told"], strict=True)),
        frozenset(found["english"]),
    )


@cache
def names() -> tuple[re.Pattern[str], frozenset[str]]:
    """What the rule documents call themselves and their wagers, and each word of the latter."""
    found = set(EXCEPTIONS)
    printed: set[str] = set()
    for name in NAMES:
        rules = load(name).rules
        labels = {each for each in rules.labels.values() if each.lower() != "dealer"}
        found |= {rules.title, rules.title.upper(), name, name.replace("-", " ").title(), *labels}
        # A spot has the label without the word for a wager, and the felt has capital letters.
        found |= {re.sub(r" (Wager|Bet)$", "", label) for label in labels}
        found |= {label.upper() for label in labels}
        found |= {" ".join(label.split()[:2]) for label in labels if label.count(" ") > 1}
        printed |= {word for label in labels for word in label.split()}
    longest = sorted(found, key=len, reverse=True)
    form = "|".join(rf"(?<!\w){re.escape(name)}(?!\w)" for name in longest)
    return re.compile(form), frozenset(printed)


def left_in_english(texts: Iterable[str | None], english: frozenset[str]) -> list[str]:
    """The texts with a word that only English has, names left out; a word alone is enough."""
    form, printed = names()
    told = []
    for text in filter(None, texts):
        # A long label is printed on its spot in lines of a word each.
        if text in printed:
            continue
        rest = form.sub(" ", NAMED.sub(" ", text))
        if left := {word.lower() for word in WORD.findall(rest)} & english:
            told.append(f"{text!r}: {', '.join(sorted(left))}")
    return told
