"""A table's whole life as compact text, in the notation of a round's playthrough.

    # The first player cuts.
    rules maryland
    table t1
    > join ann 100000 1
    joined ann 100000 1
    > cut ann 100
    refused not_offered

The header names the book, its options and the table's setup: `table`, `decks`, `staffed`,
`approval`. A refused command has the line `refused` with the code in place of events. Comments
at the beginning or before a command are kept.
"""

import re

import msgspec

from wartable.game import Illegal
from wartable.notation import NotationError, by_tag, read, text_of, token_of, write
from wartable.rules import load_any, with_options
from wartable.table.commands import Command
from wartable.table.events import Event
from wartable.table.folding import fold
from wartable.table.older import OlderCommand
from wartable.table.play import step
from wartable.table.state import Setup, Table, new_setup, start

_COMMANDS = by_tag(Command | OlderCommand)
_EVENTS = by_tag(Event)


class TableStep(msgspec.Struct, frozen=True):
    """A command, the comments before it, and its events or the code of its refusal."""

    command: Command | OlderCommand
    events: tuple[Event, ...] = ()
    refused: str = ""
    notes: tuple[str, ...] = ()


class TablePlaythrough(msgspec.Struct, frozen=True):
    """A table from its opening: book, options, setup and every step."""

    rules: str
    table: str
    options: dict[str, str] = {}
    decks: int | None = None
    staffed: bool = False
    approval: str = ""
    steps: tuple[TableStep, ...] = ()
    notes: tuple[str, ...] = ()


def dump(playthrough: TablePlaythrough) -> str:
    """The playthrough as text."""
    lines = [*playthrough.notes, f"rules {token_of(playthrough.rules)}"]
    lines += [f"option {key}={token_of(value)}" for key, value in playthrough.options.items()]
    lines.append(f"table {token_of(playthrough.table)}")
    if playthrough.decks is not None:
        lines.append(f"decks {playthrough.decks}")
    if playthrough.staffed:
        lines.append("staffed")
    if playthrough.approval:
        lines.append(f"approval {token_of(playthrough.approval)}")
    for each in playthrough.steps:
        lines += [*each.notes, "> " + write(each.command)]
        lines += [write(event) for event in each.events]
        if each.refused:
            lines.append(f"refused {each.refused}")
    return "\n".join(lines) + "\n"


def parse(text: str) -> TablePlaythrough:
    """The playthrough that the text describes."""
    header: dict[str, str] = {}
    options: dict[str, str] = {}
    steps: list[TableStep] = []
    notes: list[str] = []
    head: tuple[str, ...] = ()
    for number, line in enumerate(text.splitlines(), 1):
        word, _, rest = line.strip().partition(" ")
        try:
            if word.startswith("#"):
                notes.append(line)
            elif word == ">":
                steps.append(TableStep(read(rest, _COMMANDS, "command"), notes=tuple(notes)))
                notes = []
            elif word and steps:
                steps[-1] = _with_line(steps[-1], word, line)
            elif word == "option":
                _read_option(options, rest)
            elif word:
                if word not in ("rules", "table", "decks", "staffed", "approval"):
                    raise NotationError("an event comes before the first command")
                if word in header:
                    raise NotationError(f"{word} is already named")
                header[word] = rest
                if not head:
                    head, notes = tuple(notes), []
        except NotationError as error:
            raise NotationError(f"Line {number}: {error}.") from None
    if notes:
        raise NotationError("The last line: a comment must come before a command.")
    return _playthrough(header, options, tuple(steps), head)


def _with_line(last: TableStep, word: str, line: str) -> TableStep:
    """The step with one more event, or with its refusal."""
    if word == "refused":
        _, _, code = line.partition(" ")
        if last.events or last.refused or not re.fullmatch("[a-z_]+", code):
            raise NotationError("a refusal is one code and has no events")
        return msgspec.structs.replace(last, refused=code)
    if last.refused:
        raise NotationError("a refused command has no events")
    event = read(line, _EVENTS, "event")
    return msgspec.structs.replace(last, events=(*last.events, event))


def _read_option(options: dict[str, str], text: str) -> None:
    key, _, value = text.partition("=")
    if not re.fullmatch("[a-z_]+", key) or key in options:
        raise NotationError("each option is written once, as name=value")
    options[key] = text_of(value)


def _playthrough(
    header: dict[str, str],
    options: dict[str, str],
    steps: tuple[TableStep, ...],
    notes: tuple[str, ...],
) -> TablePlaythrough:
    for word in ("rules", "table"):
        if word not in header:
            raise NotationError(f"The header needs a line such as `{word} maryland`.")
    decks = header.get("decks")
    if decks is not None and not re.fullmatch("[0-9]{1,2}", decks):
        raise NotationError("The header's decks must be a whole number.")
    return TablePlaythrough(
        rules=text_of(header["rules"]),
        table=text_of(header["table"]),
        options=options,
        decks=None if decks is None else int(decks),
        staffed="staffed" in header,
        approval=text_of(header["approval"]) if "approval" in header else "",
        steps=steps,
        notes=notes,
    )


def setup_of(playthrough: TablePlaythrough) -> Setup:
    """The setup of the playthrough's table."""
    book = with_options(load_any(playthrough.rules), playthrough.options)
    setup = new_setup(book.rules, playthrough.table, playthrough.staffed, playthrough.approval)
    decks = playthrough.decks
    return setup if decks is None else msgspec.structs.replace(setup, decks=decks)


def last_state(playthrough: TablePlaythrough) -> Table:
    """The table after the last event."""
    events = (event for each in playthrough.steps for event in each.events)
    return fold(events, start(setup_of(playthrough)))


def replay(playthrough: TablePlaythrough) -> TablePlaythrough:
    """The same commands decided again; equal to the playthrough if the table still agrees."""
    setup = setup_of(playthrough)
    state, steps = start(setup), []
    for each in playthrough.steps:
        events: tuple[Event, ...] = ()
        refused = ""
        try:
            state, events = step(setup, state, each.command)
        except Illegal as illegal:
            refused = illegal.code
        steps.append(TableStep(each.command, events, refused, each.notes))
    return msgspec.structs.replace(playthrough, steps=tuple(steps))
