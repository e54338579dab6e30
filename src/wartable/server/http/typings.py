"""The scripts generated from Python: types.js, sentences.js (the words of events), navigation.js.

python -m wartable.server.http.typings src/wartable/web/js/types.js rewrites all three.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

from msgspec import inspect

from wartable import telling
from wartable.proof import INCIDENTS
from wartable.server.audit import history, reports, returns
from wartable.server.audit.finished import Shoes
from wartable.server.audit.recall import Replay
from wartable.server.house.closures import Closure
from wartable.server.http import requests, wire
from wartable.server.http.pages import PAGES
from wartable.server.http.routes import books, console, disputes, lab, staff, upkeep
from wartable.server.tables import overview
from wartable.server.watch import Watched
from wartable.table import Due, TableMove
from wartable.table.commands import IrregularityReport
from wartable.table.events import Event

HEAD = """\
// Every message, event, move and state as the server sends it.
// Generated from the types: python -m wartable.server.http.typings src/wartable/web/js/types.js

export {};
"""
SENTENCES_HEAD = """\
// What people are told of each event; telling.py explains the slots.
// Generated from the events: python -m wartable.server.http.typings src/wartable/web/js/types.js

/** @type {{Record<string, string>}} */
export const SENTENCES = {};

/**
 * The words for the values of some fields.
 * @type {{Record<string, Record<string, string>>}}
 */
export const PHRASES = {};

/** Events that are announced to everybody; others are announced only to the player concerned. */
export const ALOUD = new Set({});

/**
 * What a record's reader is told of each incident.
 * @type {{Record<string, string>}}
 */
export const INCIDENTS = {};

/**
 * An irregularity that staff report: what the button says, and the fields with their labels.
 * @typedef {{object}} Report
 * @property {{string}} type
 * @property {{string}} title
 * @property {{[string, string][]}} asks
 */

/** @type {{Report[]}} */
export const REPORTS = {};
"""
NAVIGATION_HEAD = """\
// The titles of the players' pages by language, and the header's links.
// Generated from pages.py: python -m wartable.server.http.typings src/wartable/web/js/types.js

/** @typedef {{Readonly<Record<keyof typeof import("./texts.js").LANGUAGES, string>>}} Words */

/** @type {{Readonly<Record<string, Words>>}} */
export const TITLES = {};

/** @type {{ReadonlyArray<{{path: string, words: Words}}>}} */
export const LINKS = {};
"""
TAKEN = {"Record"}
"""Names that JavaScript's type checker reserves."""
UNIONS = {"Event": Event, "Move": TableMove, "Message": wire.Outgoing}
PARTS = (
    Due, requests.Me, requests.Signed, requests.OpenedTable, requests.SignificantEvent, Closure,
    books.BookShown, books.BookPage, books.TableBook, history.Rounds,
    history.Total, Replay, Shoes, staff.FloorView, staff.AccountShown, staff.CardsShown,
    staff.Protected,
    console.TableSheet, overview.AwardShown, console.TableForm, console.Preview,
    reports.HouseReport, returns.ReturnLine, disputes.DisputeShown,
    upkeep.ProgramShown, upkeep.KeyShown, upkeep.BackupShown, lab.LabForm, Watched,
)  # fmt: skip  # a list of names


class Typings:
    """The types found so far, each with its one name in JavaScript."""

    def __init__(self) -> None:
        self.names: dict[type[Any], str] = {}
        self._unions = {frozenset(get_args(union)): name for name, union in UNIONS.items()}
        for union in UNIONS.values():
            for kind in get_args(union):
                self.name(kind)
        for kind in PARTS:
            self.name(kind)

    def name(self, kind: type[Any]) -> str:
        """The type's name; a second type of the same name has its module's name before it."""
        if kind not in self.names:
            name = kind.__name__
            if name in {*self.names.values(), *UNIONS, *TAKEN}:
                name = kind.__module__.rpartition(".")[2].title() + name
            self.names[kind] = name
        return self.names[kind]

    def of(self, kind: Any) -> str:
        """A type in JSDoc's notation."""
        match kind:
            case inspect.UnionType():
                structs = {each.cls for each in kind.types if isinstance(each, inspect.StructType)}
                known = self._unions.get(frozenset(structs))
                return known or " | ".join(dict.fromkeys(self.of(each) for each in kind.types))
            case inspect.Metadata():
                return self.of(kind.type)
            case inspect.NoneType():
                return "null"
            case inspect.IntType() | inspect.FloatType():
                return "number"
            case inspect.StrType():
                return "string"
            case inspect.BoolType():
                return "boolean"
            case inspect.LiteralType():
                return " | ".join(f'"{value}"' for value in kind.values)
            case inspect.VarTupleType() | inspect.ListType():
                return f"ReadonlyArray<{self.of(kind.item_type)}>"
            case inspect.TupleType():
                return f"[{', '.join(self.of(each) for each in kind.item_types)}]"
            case inspect.AnyType():
                return "any"
            case inspect.DictType():
                key = "number" if isinstance(kind.key_type, inspect.IntType) else "string"
                return f"Readonly<Record<{key}, {self.of(kind.value_type)}>>"
            case inspect.StructType():
                return self.name(kind.cls)
        raise TypeError(f"there is no JavaScript type for {kind}")

    def lines(self) -> Iterator[str]:
        """Every type that the messages lead to."""
        done: set[type[Any]] = set()
        while left := [kind for kind in self.names if kind not in done]:
            for kind in left:
                done.add(kind)
                yield from self._typedef(kind)
        for name, union in UNIONS.items():
            members = " | ".join(self.name(kind) for kind in get_args(union))
            yield from ("", f"/** @typedef {{{members}}} {name} */")

    def _typedef(self, kind: type[Any]) -> Iterator[str]:
        info = inspect.type_info(kind)
        assert isinstance(info, inspect.StructType)
        said = (kind.__doc__ or "").partition("\n")[0]
        yield from ("", "/**", f" * {said}", f" * @typedef {{object}} {self.name(kind)}")
        if info.tag is not None:
            yield f' * @property {{"{info.tag}"}} type'
        for field in info.fields:
            yield f" * @property {{{self.of(field.type)}}} {field.encode_name}"
        yield " */"


def typings() -> str:
    """The whole file."""
    return HEAD + "\n".join(Typings().lines()) + "\n"


def sentences() -> str:
    """The words of events, incidents and reports, and which events everybody hears."""
    words = {inspect.type_info(kind).tag: kind for kind in get_args(Event) if kind.words}  # type: ignore[attr-defined]  # a struct's type has a tag
    said = {tag: kind.words for tag, kind in words.items()}
    aloud = [tag for tag, kind in words.items() if kind.aloud]
    reports = [_report(kind) for kind in IrregularityReport.__subclasses__()]
    tables = (said, telling.PHRASES, aloud, INCIDENTS, reports)
    return SENTENCES_HEAD.format(*map(_script, tables))


def _report(kind: type[IrregularityReport]) -> dict[str, Any]:
    """The button for a report, and what it asks beside who reports."""
    info = inspect.type_info(kind)
    assert isinstance(info, inspect.StructType)
    names = [field.name for field in info.fields if field.name != "by"]
    asks = [(name, kind.labels.get(name, name.capitalize())) for name in names]
    return {"type": info.tag, "title": kind.title, "asks": asks}


def navigation() -> str:
    """The titles of the players' pages, and the header's links."""
    titles = {page.name: page.title for page in PAGES if not page.rights}
    links = [{"path": page.path, "words": page.link} for page in PAGES if page.link is not None]
    return NAVIGATION_HEAD.format(_script(titles), _script(links))


def _script(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)


def main(path: Path) -> None:
    """Write the types into the file, and the sentences and the navigation beside it."""
    path.write_text(typings(), "utf-8")
    path.with_name("sentences.js").write_text(sentences(), "utf-8")
    path.with_name("navigation.js").write_text(navigation(), "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
