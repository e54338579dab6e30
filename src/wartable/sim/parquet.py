"""A writer of Parquet files with whole-number columns: plain, uncompressed, one page a column."""

import struct
from collections.abc import Iterator
from typing import Any, BinaryIO

MAGIC = b"PAR1"
INT64 = 2
REQUIRED = 0
PLAIN = 0
RLE = 3
UNCOMPRESSED = 0
DATA_PAGE = 0

# Types of Thrift's compact protocol, which Parquet uses for its headers.
I32, I64, BINARY, LIST, STRUCT = 5, 6, 8, 9, 12

Field = tuple[int, int, Any]
"""A field's number, its type and its value; a list's value is its element type and elements."""


def write(file: BinaryIO, names: list[str], groups: Iterator[list[Any]]) -> int:
    """Write groups of columns (NumPy arrays of one length) and return the number of rows."""
    file.write(MAGIC)
    described, rows = [], 0
    for columns in groups:
        chunks, start = [], file.tell()
        for name, column in zip(names, columns, strict=True):
            chunks.append(_column(file, name, column))
        described.append(
            [
                (1, LIST, (STRUCT, chunks)),
                (2, I64, file.tell() - start),
                (3, I64, len(columns[0])),
            ]
        )
        rows += len(columns[0])
    elements: list[list[Field]] = [[(4, BINARY, b"schema"), (5, I32, len(names))]]
    elements += [
        [(1, I32, INT64), (3, I32, REQUIRED), (4, BINARY, name.encode())] for name in names
    ]
    footer = _struct(
        [
            (1, I32, 1),
            (2, LIST, (STRUCT, elements)),
            (3, I64, rows),
            (4, LIST, (STRUCT, described)),
            (6, BINARY, b"wartable"),
        ]
    )
    file.write(footer + struct.pack("<I", len(footer)) + MAGIC)
    return rows


def _column(file: BinaryIO, name: str, column: Any) -> list[Field]:
    """Write one column as one page; return its fields for the footer."""
    data = column.astype("<i8").tobytes()
    page = _struct(
        [
            (1, I32, DATA_PAGE),
            (2, I32, len(data)),
            (3, I32, len(data)),
            (5, STRUCT, [(1, I32, len(column)), (2, I32, PLAIN), (3, I32, RLE), (4, I32, RLE)]),
        ]
    )
    offset = file.tell()
    file.write(page + data)
    size = len(page) + len(data)
    meta: list[Field] = [
        (1, I32, INT64),
        (2, LIST, (I32, [PLAIN])),
        (3, LIST, (BINARY, [name.encode()])),
        (4, I32, UNCOMPRESSED),
        (5, I64, len(column)),
        (6, I64, size),
        (7, I64, size),
        (9, I64, offset),
    ]
    return [(2, I64, offset), (3, STRUCT, meta)]


def _struct(fields: list[Field]) -> bytes:
    """A structure of fields in rising order, ended by a zero."""
    written, last = bytearray(), 0
    for number, kind, value in fields:
        written.append((number - last) << 4 | kind)
        written += _value(kind, value)
        last = number
    return bytes(written) + b"\0"


def _value(kind: int, value: Any) -> bytes:
    if kind in (I32, I64):
        return _varint(value << 1 if value >= 0 else ~(value << 1))
    if kind == BINARY:
        return _varint(len(value)) + bytes(value)
    if kind == STRUCT:
        return _struct(value)
    element, values = value
    head = (
        bytes([len(values) << 4 | element])
        if len(values) < 15
        else bytes([0xF0 | element]) + _varint(len(values))
    )
    return head + b"".join(_value(element, each) for each in values)


def _varint(number: int) -> bytes:
    """A number seven bits at a time, the low bits first."""
    written = bytearray()
    while number > 0x7F:
        written.append(number & 0x7F | 0x80)
        number >>= 7
    written.append(number)
    return bytes(written)
