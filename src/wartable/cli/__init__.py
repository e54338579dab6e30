"""The command line: each command is a module that is imported only when it is called."""

import importlib
import sys
from typing import Any

import click

from wartable import __version__
from wartable.refusal import Refusal

COMMANDS: dict[str, tuple[str, str]] = {
    "play": ("wartable.cli.play", "Play at a table in the terminal."),
    "rules": ("wartable.cli.rules", "List, show, compare and check rule books."),
    "odds": ("wartable.cli.odds", "Compute the exact odds of a rule book."),
    "par": ("wartable.cli.par", "Write the PAR sheet of a rule book."),
    "simulate": ("wartable.cli.simulate", "Simulate rounds and compare them with the exact odds."),
    "session": ("wartable.cli.session", "Show what a session does to a bankroll."),
    "count": ("wartable.cli.count", "Study what knowing the dealt cards is worth."),
    "settle": ("wartable.cli.settle", "Say what a hand should have paid."),
    "replay": ("wartable.cli.replay", "Decide a playthrough again, and draw it."),
    "verify": ("wartable.cli.verify", "Check finished shoes against their commitments."),
    "rng": ("wartable.cli.rng", "Write the shuffle's output, or test it."),
    "serve": ("wartable.cli.serve", "Run a house with live tables of all five books."),
    "audit": ("wartable.cli.audit", "Verify, show, report and export a house's records."),
    "evidence": ("wartable.cli.evidence", "Make what a laboratory asks for, in one folder."),
    "db": ("wartable.cli.db", "Upgrade, back up and restore a house's database."),
}
"""The module of each command, and the line that the list of commands shows for it."""


class Lazy(click.Group):
    """A group whose commands are imported when they are used, so that it starts quickly."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of all commands."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name."""
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(COMMANDS[cmd_name][0])
        command: click.Command = module.command
        return command

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command, and show a refusal as a sentence."""
        try:
            return super().invoke(ctx)
        except Refusal as error:
            from wartable.cli.output import printable

            raise BadInput(printable(error.sentence)) from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands for the help text, without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])


@click.group(cls=Lazy, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="wartable")
def wartable() -> None:
    """Casino War by the book: five rule documents, one engine.

    Example: wartable rules show maryland
    """


class BadInput(click.ClickException):
    """Bad input: one sentence on standard error, exit code 2."""

    exit_code = 2

    def show(self, file: Any = None) -> None:
        """Print the sentence."""
        click.echo(f"wartable: {self.message}", err=True)


def needs(extra: str, *modules: str) -> None:
    """Refuse a command whose extra is not installed, saying which one it is."""
    for module in modules:
        try:
            importlib.import_module(module)
        except ImportError:
            raise BadInput(
                f"this command needs the extra {extra!r}: pip install 'wartable[{extra}]'."
            ) from None


def main() -> None:
    """The entry point of the command `wartable`."""
    try:
        wartable(prog_name="wartable")
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(0)
