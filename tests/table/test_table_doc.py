"""docs/table.md says what is so."""

import re
from typing import get_args

from paths import DOCS
from table_goldens import FOLDER
from wartable.notation import by_tag
from wartable.rules import inventory
from wartable.server.house import roles
from wartable.table import Command
from wartable.table.play import What

TEXT = (DOCS / "table.md").read_text("utf-8")
COMMANDS = set(by_tag(Command))


def section(title: str) -> str:
    """The text below a heading."""
    return TEXT.split(f"\n## {title}\n")[1].split("\n## ")[0]


def rows(title: str) -> list[list[str]]:
    """The cells of the table below a heading, without its head."""
    lines = [line for line in section(title).splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[1:]]


def test_everything_due_is_described_with_its_answers() -> None:
    """Each thing that a table may await is there once, answered by commands that exist."""
    due = rows("From the first card to the last")
    assert [row[0].strip("`") for row in due] == list(get_args(What))
    for row in due:
        assert set(re.findall("`([a-z_]+)`", row[2])) <= COMMANDS


def test_every_command_has_its_roles() -> None:
    """The roles of the page have just the commands of the server's list; the platform the rest."""
    named = {row[0]: re.findall("`([a-z_]+)`", row[1]) for row in rows("Commands by role")}
    tags = {kind: name for name, kind in by_tag(Command).items()}
    words = {
        "player": "player",
        "dealer": "dealer",
        "floor": "floorperson",
        "admin": "administrator",
    }
    for role, word in words.items():
        may = [tags[kind] for kind, who in roles.COMMANDS.items() if role in who]
        assert sorted(named.pop(word)) == sorted(may), word
    alone = {tags[kind] for kind, who in roles.COMMANDS.items() if not who}
    assert alone <= set(named.pop("platform"))
    assert not named


def test_irregularities_name_commands_and_clauses() -> None:
    """Each irregularity has a command of the table and clauses or readings of the inventory."""
    known = {*inventory.clauses(), *inventory.readings()}
    named = set()
    for _, command, clauses, _ in rows("Irregularities"):
        assert command.strip("`") in COMMANDS
        assert set(clauses.split(", ")) <= known
        named |= set(clauses.split(", "))
    chapter = {"MD-11-A", "MD-11-B", "MD-11-C", "MD-11-D", "MD-11-D-2", "MD-11-E"}
    assert chapter <= named


def test_the_goldens_are_where_it_says() -> None:
    """The folder of the goldens is named."""
    assert f"`tests/{FOLDER.name}/`" in TEXT
