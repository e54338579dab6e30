"""Rule books from TOML: each value, and the clauses and readings behind it."""

import hashlib
import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, get_args

import msgspec

from wartable.refusal import Refusal
from wartable.rules.check import problems_of
from wartable.rules.model import Options, RuleBook
from wartable.rules.raw import Raw, Source, convert, merged, plain, sources

_PACKAGE = resources.files("wartable.rules")

NAMES = tuple(sorted(Path(file.name).stem for file in _PACKAGE.joinpath("books").iterdir()))
"""The shipped books."""


class RulesError(Refusal):
    """A rule book that cannot be used, with every problem as a sentence."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("setup", " ".join(problems))
        self.problems = problems


class Book(msgspec.Struct, frozen=True):
    """A rule book with the source of each value, by dotted key, and its digest."""

    rules: RuleBook
    sources: dict[str, Source]
    digest: str

    def clauses(self, wager: str, outcome: str) -> tuple[str, ...]:
        """The clauses behind a wager's outcome."""
        source = self.sources.get(f"outcomes.{wager}.{outcome}", Source())
        return source.clauses or source.readings


def load(name: str) -> Book:
    """A shipped book by name, or an archived one by `name@digest` (eight digits are enough)."""
    base, at, digest = name.partition("@")
    if not at:
        return _shipped(name)
    if not re.fullmatch(r"[0-9a-f]{8,64}", digest):
        raise RulesError([f"A digest is 8 to 64 hexadecimal digits (0-9, a-f), not {digest!r}."])
    for file in _folder("archive").iterdir():
        if file.name.startswith(f"{base}@{digest}"):
            return build(checked(_parse(file.read_text("utf-8"), file.name)))
    raise RulesError([f"The archive has no version of {base} with the digest {digest}."])


def load_any(name: str) -> Book:
    """A book for the command line: a shipped name, `name@digest`, or the path of a TOML file."""
    if name.endswith(".toml"):
        return load_file(Path(name))
    return load(name)


def load_file(path: Path) -> Book:
    """A user's book; raises `RulesError` with every problem found."""
    return resolve(read_raw(path))


def read_raw(path: Path) -> Raw:
    """The undecoded content of a user's TOML file."""
    try:
        text = path.read_text("utf-8")
    except OSError as error:
        raise RulesError([f"{path} cannot be read: {error.strerror}."]) from None
    except ValueError as error:
        reason = "it is not UTF-8 text" if isinstance(error, UnicodeDecodeError) else str(error)
        raise RulesError([f"{path} cannot be read: {reason}."]) from None
    return _parse(text, str(path))


@cache
def _shipped(name: str) -> Book:
    if name not in NAMES:
        raise RulesError(
            [f"There is no rule book {name!r}; use {', '.join(NAMES)}, or a .toml file."]
        )
    return build(checked(shipped_raw(name)))


def shipped_raw(name: str) -> Raw:
    """The undecoded content of a shipped book, which the caller may change."""
    raw: Raw = msgspec.msgpack.decode(_packed(name))
    return raw


@cache
def _packed(name: str) -> bytes:
    """A shipped book's content: TOML is read once, since that takes a hundred times as long."""
    file = _folder("books") / f"{name}.toml"
    return msgspec.msgpack.encode(_parse(file.read_text("utf-8"), file.name))


def _folder(name: str) -> Any:
    return _PACKAGE.joinpath(name)


def _parse(text: str, name: str) -> Raw:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise RulesError([f"{name} is not TOML: {error}."]) from None
    except RecursionError:
        raise RulesError([f"{name} is nested too deeply."]) from None


def checked(whole: Raw) -> Raw:
    """The content of a whole book; raises `RulesError` with every problem found."""
    if problems := problems_of(whole):
        raise RulesError(problems)
    return whole


def resolve(raw: Raw) -> Book:
    """The book that a user's content describes, on top of the book it extends."""
    return build(whole_of(raw))


def whole_of(raw: Raw) -> Raw:
    """A user's checked content, with everything that it takes from the book it extends."""
    base_name = raw.get("extends")
    if base_name is None:
        whole, problems = raw, [*_taken(raw), *problems_of(raw)]
    elif base_name not in NAMES:
        raise RulesError([f"extends: expected one of {', '.join(NAMES)}, not {base_name!r}."])
    else:
        base = shipped_raw(base_name)
        own = {"title": raw.get("name", ""), **raw}
        whole = merged(base, merged(community_boxes(own), own))
        problems = [*_taken(raw), *problems_of(whole, base)]
    if problems:
        raise RulesError(problems)
    return whole


def community_boxes(own: Raw) -> Raw:
    """A player's number of boxes in a book that takes up community cards: by default all."""
    options = plain(own.get("options", {}))
    count = options.get("electronic") if isinstance(options, dict) else None
    if count == "off" or count not in option_values("electronic"):
        return {}
    note = "all community cards, unless the operator says fewer"
    return {"table": {"boxes_per_player": {"value": int(count), "readings": ["A19"], "note": note}}}


def _taken(raw: Raw) -> Iterator[str]:
    """Why the name or the title of a user's book is not its own, if it is not."""
    name, title = (str(plain(raw.get(key, ""))) for key in ("name", "title"))
    if not name and "extends" in raw:
        yield "name: a book that extends another needs its own name."
    if name in NAMES:
        yield f"name: {name} is a shipped book; give yours another name."
    if _letters(title) in {_letters(each) for each in (*NAMES, *_titles())}:
        yield f"title: {title} is a document's; give yours another title."


def _letters(title: str) -> str:
    """The letters by which people tell titles apart: no spaces, marks or capitals."""
    return re.sub(r"[\W_]", "", title.casefold())


@cache
def _titles() -> tuple[str, ...]:
    """The titles of the shipped books."""
    return tuple(plain(shipped_raw(name)["title"]) for name in NAMES)


def build(whole: Raw) -> Book:
    """The book of checked content; the digest covers the content, so it outlives the model."""
    digest = hashlib.sha256(msgspec.json.encode(whole, order="deterministic")).hexdigest()
    rules = convert(plain(whole), RuleBook)
    return Book(rules, dict(sources(whole)), digest)


def with_options(book: Book, options: Mapping[str, str]) -> Book:
    """The book with other values for some named options, for study."""
    known = msgspec.structs.asdict(book.rules.options)
    for key in options:
        if key not in known:
            raise RulesError([f"There is no option {key!r}; the options are {', '.join(known)}."])
    try:
        new = msgspec.convert({**known, **options}, type(book.rules.options))
    except msgspec.ValidationError:
        raise RulesError(list(_bad_options(options))) from None
    rules = msgspec.structs.replace(book.rules, options=new)
    if rules.community != book.rules.community:
        each = rules.community or book.rules.table.boxes_per_player
        table = msgspec.structs.replace(rules.table, boxes_per_player=each)
        rules = msgspec.structs.replace(rules, table=table)
    digest = hashlib.sha256(
        msgspec.json.encode([book.digest, dict(options)], order="deterministic")
    ).hexdigest()
    return book if rules == book.rules else Book(rules, book.sources, digest)


def option_values(name: str) -> tuple[str, ...]:
    """The values that a named option may have."""
    return get_args(Options.__annotations__[name])


def _bad_options(options: Mapping[str, str]) -> Iterator[str]:
    for key, value in options.items():
        values = option_values(key)
        if value not in values:
            yield f"The option {key} may be {', '.join(values)}, not {value!r}."
