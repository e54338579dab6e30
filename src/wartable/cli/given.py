"""What a command reads: a file, or standard input."""

import sys
from pathlib import Path

from wartable.cli import BadInput
from wartable.cli.output import printable


def read_given(file: Path, bytes_max: int) -> bytes:
    """The content of the file, or of standard input for `-`; refuse one that is too large."""
    try:
        if str(file) == "-":
            data = sys.stdin.buffer.read(bytes_max + 1)
        else:
            with file.open("rb") as source:
                data = source.read(bytes_max + 1)
    except OSError as error:
        raise BadInput(printable(f"{file} cannot be read: {error.strerror}.")) from None
    return within(str(file), data, bytes_max)


def within(source: str, data: bytes, bytes_max: int) -> bytes:
    """The data, or a refusal if there is more than this."""
    if len(data) > bytes_max:
        raise BadInput(printable(f"{source} is larger than {bytes_max} bytes."))
    return data
