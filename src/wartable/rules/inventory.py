"""The inventory of clauses, the readings, what operators choose and staff do, sections, terms."""

from collections.abc import Iterable
from functools import cache
from importlib import resources
from typing import TypeVar

import msgspec


class Clause(msgspec.Struct, frozen=True):
    """A sentence of a source document, with what the software must do for it and where."""

    id: str
    document: str
    line: str
    rule: str
    kind: str
    software: str
    surface: str
    reading: str

    @property
    def surfaces(self) -> tuple[str, ...]:
        """The surfaces on which the clause must hold; empty if software cannot fulfil it."""
        return tuple(name for name in self.surface.split(",") if name != "none")

    @property
    def readings(self) -> tuple[str, ...]:
        """The readings that the clause rests on."""
        return tuple(name for name in self.reading.split(",") if name)


class Reading(msgspec.Struct, frozen=True):
    """How an unclear place of a document is read."""

    id: str
    document: str
    where: str
    problem: str
    reading: str
    effect: str

    def touches(self, document: str) -> bool:
        """Whether it is about that document, alone or among others."""
        return not {"all", document}.isdisjoint(self.document.split(","))


class OperatorChoice(msgspec.Struct, frozen=True):
    """A named option that a document leaves to the operator, with the values it allows."""

    id: str
    document: str
    option: str
    values: str
    sources: str


class StaffAction(msgspec.Struct, frozen=True):
    """What staff do or set by a document (a command, a step, a limit), with its clauses."""

    id: str
    document: str
    action: str
    clauses: str


class Section(msgspec.Struct, frozen=True):
    """A part of a document: the prefix of its clauses' ids, and its title in our words."""

    id: str
    document: str
    title: str

    def holds(self, clause: str) -> bool:
        """Whether the clause belongs to this part: MD-1 holds MD-1-A-1 but not MD-10-A."""
        rest = clause.removeprefix(self.id)
        return rest != clause and not (self.id[-1].isdigit() and rest[:1].isdigit())


class Term(msgspec.Struct, frozen=True):
    """A word of a document, `*` for all; if `meaning` is empty, its clause defines it."""

    id: str
    document: str
    term: str
    source: str
    meaning: str


InventoryRow = TypeVar("InventoryRow", Clause, Reading, OperatorChoice, StaffAction, Section, Term)


@cache
def clauses() -> dict[str, Clause]:
    """Every clause of the five documents."""
    return _rows("clauses.tsv", Clause)


@cache
def readings() -> dict[str, Reading]:
    """Every reading of an unclear place."""
    return _rows("readings.tsv", Reading)


def readings_of(document: str, named: Iterable[str]) -> dict[str, Reading]:
    """The readings that touch a book: its document's, and those that its values name."""
    used = set(named)
    return {
        name: each for name, each in readings().items() if name in used or each.touches(document)
    }


@cache
def operator_choices() -> dict[str, OperatorChoice]:
    """The named options, besides `shuffle`, that the documents leave to the operator."""
    return _rows("choices.tsv", OperatorChoice)


@cache
def staff_actions() -> dict[str, StaffAction]:
    """What staff do and set by each document."""
    return _rows("actions.tsv", StaffAction)


@cache
def sections() -> dict[str, Section]:
    """The parts of the five documents in their order."""
    return _rows("sections.tsv", Section)


@cache
def terms() -> dict[str, Term]:
    """The glossaries of the five documents."""
    return _rows("glossary.tsv", Term)


def _rows(name: str, kind: type[InventoryRow]) -> dict[str, InventoryRow]:
    text = resources.files("wartable.rules").joinpath(name).read_text("utf-8")
    head, *lines = text.splitlines()
    names = head.split("\t")
    rows = [dict(zip(names, line.split("\t"), strict=True)) for line in lines]
    return {row["id"]: msgspec.convert(row, kind) for row in rows}
