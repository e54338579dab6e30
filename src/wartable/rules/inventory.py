"""The inventory of clauses and the register of readings, by id."""

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
        """The surfaces on which the clause must hold; none where it is not software's."""
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


Row = TypeVar("Row", Clause, Reading)


@cache
def clauses() -> dict[str, Clause]:
    """Every clause of the five documents."""
    return _rows("clauses.tsv", Clause)


@cache
def readings() -> dict[str, Reading]:
    """Every reading of an unclear place."""
    return _rows("readings.tsv", Reading)


def _rows(name: str, kind: type[Row]) -> dict[str, Row]:
    text = resources.files("wartable.rules").joinpath(name).read_text("utf-8")
    head, *lines = text.splitlines()
    names = head.split("\t")
    rows = [dict(zip(names, line.split("\t"), strict=True)) for line in lines]
    return {row["id"]: msgspec.convert(row, kind) for row in rows}
