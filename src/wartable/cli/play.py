"""`wartable play`: a table in the terminal."""

import contextlib
import os
import signal
import sys
from typing import NoReturn

import click

from wartable.rules import NAMES, RulesError, load, with_options
from wartable.rules.settings import check_options
from wartable.terminal import journal as journals
from wartable.terminal import opening, pages
from wartable.terminal.host import Front, Host, suspended
from wartable.terminal.journal import JournalError
from wartable.terminal.lines import HELP, Unclear
from wartable.terminal.plain import Plain, script_lines
from wartable.terminal.sitting import Sitting

DEFAULT_BOOK = "maryland"
DEMO_SEED = "demonstration 79"
DEMO = (
    "cut 150",
    "bet 25",
    "bet tie 5",
    "deal",
    "war",
    "repeat",
    "double",
    "deal",
    "play 4",
    "history",
    "quit",
)
SCRIPT_HELP = "\n".join(f"  {name:<26}{words}" for name, words in HELP)


class _Play(click.Command):
    """The command with the line commands below its options."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The line commands, one on each line."""
        formatter.write_paragraph()
        formatter.write("Lines of a script, and of `:` on the screen:\n")
        formatter.write(SCRIPT_HELP + "\n")


@click.command("play", cls=_Play)
@click.argument("rules", required=False)
@click.option(
    "--option",
    "options",
    multiple=True,
    metavar="KEY=VALUE",
    help="Set an option that the document leaves open.",
)
@click.option("--boxes", metavar="BOXES", help="Your boxes, like 4, 3-5, 2,4, or none.")
@click.option("--bankroll", metavar="AMOUNT", help="The money you bring.  [default: 1,000]")
@click.option("--bots", type=int, help="How many bots play at other boxes.")
@click.option("--limits", metavar="MIN-MAX", help="Limits of the primary wager.  [default: 5-300]")
@click.option(
    "--confirm",
    "confirmed",
    multiple=True,
    metavar="WAGER",
    help="Offer it though it returns above 100 %.",
)
@click.option("--seed", help="Repeat shuffles and bots exactly: for practice and tests.")
@click.option("--fast", is_flag=True, help="No pauses.")
@click.option("--plain", is_flag=True, help="Print lines of text, even in a terminal.")
@click.option("--resume", is_flag=True, help="Continue the newest saved table.")
@click.option("--new", is_flag=True, help="Start a new table without asking about a saved one.")
@click.option("--demo", is_flag=True, help="Play a short scripted demonstration; nothing is saved.")
def command(
    rules: str | None,
    options: tuple[str, ...],
    boxes: str | None,
    bankroll: str | None,
    bots: int | None,
    limits: str | None,
    confirmed: tuple[str, ...],
    seed: str | None,
    fast: bool,
    plain: bool,
    resume: bool,
    new: bool,
    demo: bool,
) -> None:
    """Play at a table by RULES, a book or a .toml file.

    In a terminal you play on a screen with single keys: `?` shows rules and odds, `h` shows the
    last rounds, Ctrl-C saves the table for later. If the input is not a terminal, its lines are a
    script and the output is plain text.

    Example: wartable play maryland --boxes 4-5 --bankroll 500

    Example: wartable play washington --seed 7 < script.txt
    """
    drawn = not (plain or demo) and _is_terminal() and _can_draw()
    chosen = [opening.option_of(text) for text in options]
    wish = opening.Wish(
        rules or DEFAULT_BOOK, dict(chosen), boxes, bankroll, bots, limits, seed, confirmed
    )
    if demo:
        wish.seed = DEMO_SEED if seed is None else seed
        sitting = opening.begin(wish, None)
    else:
        sitting = _kept(rules, resume, new) or _begin(wish, ask=rules is None)
    _play(sitting, drawn=drawn, fast=fast, demo=demo)


def _is_terminal() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()


def _can_draw() -> bool:
    """Whether a screen and single keys are available; if not, lines are read and printed."""
    return sys.platform != "win32" and os.environ.get("TERM", "dumb") != "dumb"


def _begin(wish: opening.Wish, *, ask: bool) -> Sitting:
    if ask and _is_terminal():
        _choose(wish)
    return opening.begin(wish, journals.folder())


def _kept(rules: str | None, resume: bool, new: bool) -> Sitting | None:
    """The saved sitting to resume: the newest one of the book, if the visitor wants it."""
    found = [] if new else journals.unfinished(journals.folder())
    for path in found:
        try:
            header = journals.read_header(path)
            if rules is not None and header.book != opening.full_name(rules):
                continue
            if not resume and not _is_terminal():
                return None
            sitting = opening.go_on(path)
        except (JournalError, RulesError) as problem:
            if resume:
                raise JournalError(str(problem)) from None
            continue
        if sitting.over:  # it ended, but its file was not put away yet
            sitting.journal.finish()
            sitting.journal.close()
            continue
        if resume or _wants(sitting):
            return sitting
        sitting.journal.close()
        return None
    if resume:
        raise Unclear("There is no saved table to continue.")
    return None


def _wants(sitting: Sitting) -> bool:
    title = sitting.setup.rules.title
    click.echo(f"You have a saved table of {title}. {pages.balance(sitting)}")
    while True:
        answer = _line("Continue it? [Y/n] ").lower()
        if answer in ("", "y", "yes"):
            return True
        if answer in ("n", "no"):
            return False
        click.echo("Answer y or n.")


def _line(prompt: str) -> str:
    """A typed line; the end of input ends the command silently."""
    try:
        click.echo(prompt, nl=False)
        return input().strip()
    except (EOFError, KeyboardInterrupt):
        click.echo()
        raise click.exceptions.Exit(0) from None


def _choose(wish: opening.Wish) -> None:
    """Ask for the book, its options, the boxes and the money; Enter accepts the suggestion."""
    click.echo("Which table?")
    for number, name in enumerate(NAMES, 1):
        rules = load(name).rules
        click.echo(f"  {number}  {name:<12}  {rules.title}, {rules.table.boxes} boxes")
    while True:
        answer = _line(f"1 to {len(NAMES)}, or a name [{DEFAULT_BOOK}]: ") or DEFAULT_BOOK
        known = dict(zip(map(str, range(1, len(NAMES) + 1)), NAMES, strict=True))
        wish.rules = known.get(answer, answer)
        if wish.rules in NAMES:
            break
        click.echo(f"There is no table {answer!r}.")
    _choose_options(wish)
    for what, proposed in (("boxes", None), ("bankroll", "1,000")):
        while True:
            try:
                shown = proposed or _boxes_text(wish)
                answer = _line(f"Your {what} [{shown}]: ")
                setattr(wish, what, answer or getattr(wish, what))
                opening.header_of(wish)
                break
            except Unclear as problem:
                setattr(wish, what, None)
                click.echo(str(problem))


def _boxes_text(wish: opening.Wish) -> str:
    book = with_options(load(wish.rules), wish.options)
    return ",".join(str(box) for box in opening.boxes_of(book, wish.boxes))


def _choose_options(wish: opening.Wish) -> None:
    while True:
        answer = _line("Options as key=value (Enter: continue, ?: list) []: ")
        if not answer:
            return
        book = with_options(load(wish.rules), wish.options)
        if answer == "?":
            click.echo("\n".join(opening.option_lines(book)))
            continue
        try:
            key, value = opening.option_of(answer)
            check_options(book, {key: value})
            wish.options[key] = value
        except (Unclear, RulesError) as problem:
            click.echo(str(problem))


def _play(sitting: Sitting, *, drawn: bool, fast: bool, demo: bool) -> None:
    """Play to the end, or until an interruption, which saves the table."""
    ends = [signal.SIGTERM, *([signal.SIGHUP] if sys.platform != "win32" else [])]
    before = {number: signal.signal(number, _interrupt) for number in ends}
    before[signal.SIGINT] = signal.getsignal(signal.SIGINT)
    try:
        lines = _drawn(sitting, fast) if drawn else _plain(sitting, demo)
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        lines = _interrupted(sitting)
    except OSError as error:
        if isinstance(error, BrokenPipeError) or not drawn:
            raise
        lines = []  # the terminal is gone
    finally:
        sitting.journal.close()
        for number, handler in before.items():
            signal.signal(number, handler)
    with contextlib.suppress(OSError):  # the terminal may be closed; everything is saved
        for line in lines:
            click.echo(line)


def _interrupt(*_: object) -> NoReturn:
    raise KeyboardInterrupt


def _interrupted(sitting: Sitting) -> list[str]:
    """The closing lines of an interrupted sitting, read from its file: what was saved counts."""
    path = sitting.journal.path
    sitting.journal.close()
    if path is None or not path.exists():
        return ["", "Interrupted."]
    kept = opening.go_on(path)
    kept.journal.close()
    return ["", *suspended(kept)]


def _welcome(sitting: Sitting, front: Front) -> None:
    """The first lines for somebody who comes back; the earlier messages are not kept."""
    if sitting.state.arrivals:
        front.say(f"You are back at the table. {pages.balance(sitting)}")


def _plain(sitting: Sitting, demo: bool) -> list[str]:
    if not demo:
        sys.stdin.reconfigure(errors="replace")  # type: ignore[union-attr]  # a text stream
    typed = sys.stdin.isatty() and not demo
    front = Plain(DEMO if demo else script_lines(), sys.stdout, echo=not typed)
    for line in pages.opening(sitting):
        front.print(line)
    _welcome(sitting, front)
    return Host(sitting, front).run()


def _drawn(sitting: Sitting, fast: bool) -> list[str]:
    from wartable.terminal.screen import Screen

    with Screen(fast=fast) as front:
        _welcome(sitting, front)
        return Host(sitting, front).run()
