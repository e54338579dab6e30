"""docs/operate.md: every command on the page is one that is there, with its options."""

import re
import shlex
from pathlib import Path

import click
import pytest

from wartable.cli import COMMANDS, wartable

PAGE = (Path(__file__).parents[1] / "docs" / "operate.md").read_text("utf-8")
BLOCKS = re.findall(r"^```(?:sh|ini)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
LINES = [
    line.partition("bin/wartable")[2] or line.removeprefix("wartable")
    for block in BLOCKS
    for line in block.splitlines()
    if re.match(r"(ExecStart=\S*/|\S*/bin/)?wartable ", line)
]


@pytest.mark.parametrize("line", LINES)
def test_the_command_takes_what_is_written(line: str) -> None:
    """The line is parsed as the command would, and not run."""
    words = shlex.split(line.replace("$(date +%F)", "today"))
    command: click.Command = wartable
    context = click.Context(command)
    while isinstance(command, click.Group):
        name, command_, words = command.resolve_command(context, words)
        assert command_ is not None
        command, context = command_, click.Context(command_, context, info_name=name)
    command.make_context("wartable", words, parent=context.parent)


def test_the_page_has_every_command_on_records() -> None:
    """No subcommand of audit and db is missing from the page."""
    for group in ("audit", "db"):
        assert group in COMMANDS
        command = wartable.get_command(click.Context(wartable), group)
        assert isinstance(command, click.Group)
        for name in command.commands:
            assert f"wartable {group} {name}" in PAGE
