"""The tables of messages in docs/protocol.md, generated from the types.

python -m wartable.server.http.protocol docs/protocol.md rewrites them in the file.
"""

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, get_args

import msgspec
from msgspec import inspect

from wartable.game.prices import Price
from wartable.server.house.roles import ATTENDED, COMMANDS, OWNER
from wartable.server.http import wire
from wartable.server.records.results import LastRound
from wartable.server.tables.lobby import TableCard
from wartable.table import Due
from wartable.table.commands import Prepare
from wartable.table.events import Event
from wartable.validation import words

MARK = "<!-- generated from the types: python -m wartable.server.http.protocol docs/protocol.md -->"


def _fields(kind: type[Any]) -> Iterator[str]:
    info = inspect.type_info(kind)
    assert isinstance(info, inspect.StructType)
    for field in info.fields:
        optional = "" if field.required else ", optional"
        yield f"`{field.encode_name}`: {words(field.type)}{optional}"


def _said(kind: type[Any]) -> str:
    return (kind.__doc__ or "").partition("\n")[0]


def _rows(kinds: Iterable[type[Any]]) -> Iterator[str]:
    yield "| type | says | fields |"
    yield "|---|---|---|"
    for kind in kinds:
        tag = kind.__struct_config__.tag
        yield f"| `{tag}` | {_said(kind)} | {'; '.join(_fields(kind)) or '-'} |"


def _command_rows() -> Iterator[str]:
    yield "| type | says | fields | who |"
    yield "|---|---|---|---|"
    for form, kind in wire.FORMS.items():
        who = ", ".join(COMMANDS[kind])
        who += "; at a table with staff" if kind in ATTENDED else ""
        who += "; a player to `view`" if kind is Prepare else ""
        who += "; the owner of a private table" if kind in OWNER else ""
        fields = "; ".join(each for each in _fields(form) if not each.startswith("`id`"))
        yield f"| `{form.__struct_config__.tag}` | {_said(kind)} | {fields or '-'} | {who} |"


def _sections() -> Iterator[str]:
    yield from (MARK, "", "## What a client sends", "")
    yield from _rows(wire.CLIENT)
    yield from ("", "## Commands", "", "Each has its `id`.", "")
    yield from _command_rows()
    yield from ("", "## What the server sends", "")
    yield from _rows(get_args(wire.Outgoing))
    yield from ("", "## Parts of what the server sends", "")
    yield "| part | is | fields |"
    yield "|---|---|---|"
    for kind in (TableCard, LastRound, Due, Price):
        yield f"| {kind.__name__} | {_said(kind)} | {'; '.join(_fields(kind))} |"
    yield from ("", "## Events", "", "What `happened` can hold.", "")
    yield from _rows(get_args(Event))


def with_tables(page: str) -> str:
    """The page with its tables generated again."""
    return page.partition(MARK)[0] + "\n".join(_sections()) + "\n"


def example(page: str) -> list[tuple[str, Any]]:
    """The lines of the page's example: the direction and the message."""
    block = page.partition("```\n")[2].partition("```")[0]
    lines = [line.split(" ", 1) for line in block.splitlines()]
    return [(way, msgspec.json.decode(message)) for way, message in lines]


def main(path: Path) -> None:
    """Write the tables into the file."""
    path.write_text(with_tables(path.read_text("utf-8")), "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
