"""The inventory of clauses, the readings, the terms, what operators choose and staff do."""

from collections.abc import Iterable, Iterator
from functools import cache
from importlib import resources
from typing import TypeVar

import msgspec


class Clause(msgspec.Struct, frozen=True):
    """A sentence of a source document, with what the software must do for it and where.

    `section` is the title of its part of the document, `defines` the word that it defines, and
    `actions` what staff do or set by it: commands, steps, settings.
    """

    id: str
    document: str
    line: str
    rule: str
    kind: str
    software: str
    surface: str
    reading: str
    section: str
    defines: str
    actions: str

    @property
    def surfaces(self) -> tuple[str, ...]:
        """The surfaces on which the clause must hold; empty if software cannot fulfil it."""
        return tuple(name for name in self.surface.split(",") if name != "none")

    @property
    def readings(self) -> tuple[str, ...]:
        """The readings that the clause rests on."""
        return tuple(name for name in self.reading.split(",") if name)


class Reading(msgspec.Struct, frozen=True):
    """How Wartable interprets an unclear passage of a document.

    `choice` is the named option that this leaves to the operator, with the values that are allowed,
    and `clauses` are the clauses that allow them.
    """

    id: str
    document: str
    where: str
    problem: str
    reading: str
    effect: str
    defines: str
    choice: str
    clauses: str

    @property
    def meanings(self) -> tuple[tuple[str, str], ...]:
        """The words of the document that the reading defines, with what each means."""
        found = (each.partition(": ") for each in self.defines.split(" | ") if each)
        return tuple((term, meaning) for term, _, meaning in found)

    def touches(self, document: str) -> bool:
        """Whether it is about that document, alone or among others."""
        return not {"all", document}.isdisjoint(self.document.split(","))


class OperatorChoice(msgspec.Struct, frozen=True):
    """A named option that a document leaves to the operator: the values it allows, and where."""

    document: str
    option: str
    values: tuple[str, ...]
    reading: str
    clauses: tuple[str, ...]


class StaffAction(msgspec.Struct, frozen=True):
    """What staff do or set by a document (a command, a step, a limit), with its clauses."""

    document: str
    action: str
    clauses: tuple[str, ...]


class Term(msgspec.Struct, frozen=True):
    """A word of a document (`*`: all of its words), what it means, and where that is stated."""

    term: str
    meaning: str
    source: str


InventoryRow = TypeVar("InventoryRow", Clause, Reading)


@cache
def clauses() -> dict[str, Clause]:
    """Every clause of the five documents."""
    return _rows("clauses.tsv", Clause)


@cache
def readings() -> dict[str, Reading]:
    """Every reading of an unclear passage."""
    return _rows("readings.tsv", Reading)


def readings_of(document: str, named: Iterable[str]) -> dict[str, Reading]:
    """The readings that touch a book: its document's, and those that its values name."""
    used = set(named)
    return {
        name: each for name, each in readings().items() if name in used or each.touches(document)
    }


def operator_choices(document: str) -> Iterator[OperatorChoice]:
    """The named options, besides `shuffle`, that a document leaves to the operator."""
    for each in readings().values():
        if each.choice and each.document == document:
            option, values = each.choice.split(": ")
            clauses_ = tuple(filter(None, each.clauses.split(",")))
            yield OperatorChoice(document, option, tuple(values.split(",")), each.id, clauses_)


@cache
def staff_actions() -> dict[str, StaffAction]:
    """What staff do and set by each document, by `document-action`."""
    found: dict[str, StaffAction] = {}
    for clause in clauses().values():
        for action in filter(None, clause.actions.split(",")):
            id_ = f"{clause.document}-{action}"
            before = found[id_].clauses if id_ in found else ()
            found[id_] = StaffAction(clause.document, action, (*before, clause.id))
    return found


def glossary(document: str) -> Iterator[Term]:
    """The words that a document's clauses define, then those that it uses without defining them."""
    for clause in clauses().values():
        if clause.document == document and clause.defines:
            yield Term(clause.defines, clause.rule, clause.id)
    for reading in readings().values():
        if reading.touches(document):
            for term, meaning in reading.meanings:
                yield Term(term, meaning, reading.id)


def _rows(name: str, kind: type[InventoryRow]) -> dict[str, InventoryRow]:
    text = resources.files("wartable.rules").joinpath(name).read_text("utf-8")
    head, *lines = text.splitlines()
    names = head.split("\t")
    rows = [dict(zip(names, line.split("\t"), strict=True)) for line in lines]
    return {row["id"]: msgspec.convert(row, kind) for row in rows}
