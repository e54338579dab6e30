"""Verification of finished shoes by the steps of docs/fairness.md; names the step that fails."""

from collections.abc import Iterable, Iterator
from typing import Literal

import msgspec

from wartable.shoe import Shoe, ShoePart
from wartable.verify import proven, sealed
from wartable.verify.sequence import sequence
from wartable.verify.steps import VerifyStep, checked

__all__ = [
    "Record",
    "VerifyStep",
    "is_answer",
    "joined",
    "next_page",
    "read_record",
    "verify",
    "verify_bytes",
    "verify_shoe",
    "write_record",
]


class _Answer(msgspec.Struct, frozen=True):
    """A house's answer to a request for a table's shoes; `after` is where older ones begin."""

    record: "Record"
    after: int | None = None


class Record(ShoePart, frozen=True):
    """Consecutive finished shoes of one table, as stored in a file, and the shoe in use."""

    shoes: tuple[Shoe, ...]
    format: Literal["wartable-shoes-1", "wartable-shoes-2"] = "wartable-shoes-2"
    current: Shoe | None = None


def write_record(record: Record) -> bytes:
    """The record as JSON that a person can read."""
    return msgspec.json.format(msgspec.json.encode(record), indent=1) + b"\n"


def read_record(data: bytes) -> Record:
    """The record in a file's bytes, or in a house's answer; `msgspec.DecodeError` if malformed."""
    try:
        return msgspec.json.decode(data, type=Record)
    except msgspec.ValidationError:
        if not is_answer(data):
            raise
        return msgspec.json.decode(data, type=_Answer).record


def is_answer(data: bytes) -> bool:
    """Whether these bytes are a house's answer rather than a file."""
    return data.lstrip().startswith(b'{"table"')


def next_page(data: bytes) -> int | None:
    """Where the page after a house's answer begins; None if it is the last, or no answer."""
    try:
        return msgspec.json.decode(data, type=_Answer).after
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def joined(records: Iterable[Record]) -> Iterator[Record]:
    """The records of each table as one, its shoes in the order of their numbers.

    Files may overlap; of two current shoes the later one counts.
    """
    shoes: dict[str, list[Shoe]] = {}
    current: dict[str, Shoe] = {}
    for record in records:
        for shoe in record.shoes:
            known = shoes.setdefault(shoe.terms.table, [])
            known += [shoe] if shoe not in known else []
        if (last := record.current) is not None:
            before = current.get(last.terms.table, last)
            current[last.terms.table] = max(before, last, key=lambda shoe: shoe.terms.number)
    for table, known in shoes.items():
        known.sort(key=lambda shoe: shoe.terms.number)
        follows = current.get(table)
        if follows is not None and follows.terms.number <= known[-1].terms.number:
            follows = None
        yield Record(tuple(known), current=follows)


def verify_bytes(data: bytes) -> list[VerifyStep]:
    """The steps of `verify` for any bytes; the first says whether they are a record."""
    try:
        record = read_record(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as problem:
        return [
            VerifyStep(0, "format", False, f"This is not a record of finished shoes: {problem}.")
        ]
    return [VerifyStep(0, "format", True, "The record is well formed."), *verify(record)]


def verify(record: Record, whole: bool = False) -> list[VerifyStep]:
    """Every step, shoe by shoe; a shoe's steps end with the first that fails.

    A whole record must have all of a table's shoes.
    """
    steps = [step for shoe in record.shoes for step in verify_shoe(shoe)]
    return [*steps, *sequence(record.shoes, record.current, whole)]


def verify_shoe(shoe: Shoe) -> Iterator[VerifyStep]:
    """The steps of one finished shoe, ending with the first that fails."""
    yield from checked(shoe, sealed.checks(shoe) if shoe.proof is None else proven.CHECKS)
