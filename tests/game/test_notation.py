"""Playthroughs: every round prints as text and reads back, and a wrong text says where."""

import contextlib
import re
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from golden import paths
from strategies import options, rounds
from wartable.cards import DECK, HIDDEN
from wartable.game import (
    Bet,
    Burned,
    Choose,
    Deal,
    GameCommand,
    GameEvent,
    Open,
    Placed,
    Round,
    Spin,
    VoidRound,
    fold,
    step,
)
from wartable.notation import (
    NotationError,
    Playthrough,
    Step,
    dump,
    last_state,
    parse,
    read_command,
    read_event,
    replay,
    write,
)
from wartable.rules import NAMES, load, with_options

HARD_NAMES = (
    "-", "--", "??", "{", '{"1":"a"}', "[", '"', '\\"', "'", "#", ">", "> deal 9s", "1", "007",
    "ann b", " ", "\t", "\n", "\r\n", "a\u2028b", "\x85", "\xa0", "\u3000", "\x00", "\x1b[2J",
    "null", "None", "true", "-1", "1e3", "Ünal", "李", "🂡", "é", "\\u0020", "a=b", "rules", "",
)  # fmt: skip  # one name to a line would be a page of names

KNOWN = [*DECK, HIDDEN, "", "5e" * 16, "a1" * 64]
"""Cards and players' numbers, of which each pattern allows some."""


def texts(least: int = 0, most: int = 64) -> st.SearchStrategy[str]:
    """Texts as people and mischief write them."""
    hard = [name for name in HARD_NAMES if len(name) >= least]
    letters = st.characters(exclude_categories=["Cs"])
    return st.sampled_from(hard) | st.text(letters, min_size=least, max_size=most)


def values(kind: Any) -> st.SearchStrategy[Any]:
    """Any value that a field of that type may hold."""
    origin, parts = get_origin(kind), get_args(kind)
    if origin is Annotated:
        meta: msgspec.Meta = parts[1]
        if parts[0] is int:
            return st.integers(int(meta.ge or 0), int(meta.le or 0))
        if meta.pattern:
            return st.sampled_from([each for each in KNOWN if re.match(meta.pattern, each)])
        return texts(meta.min_length or 0, meta.max_length or 64)
    if origin is Literal:
        return st.sampled_from(parts)
    if origin is dict:
        return st.dictionaries(values(parts[0]), values(parts[1]), max_size=9)
    if origin in (Union, UnionType):
        return st.one_of(*(st.none() if part is NoneType else values(part) for part in parts))
    assert kind is str, kind
    return texts()


def messages(union: Any) -> st.SearchStrategy[Any]:
    """Any message of the union, sensible or not."""
    kinds = [
        st.builds(
            kind, **{field.name: values(field.type) for field in msgspec.structs.fields(kind)}
        )
        for kind in get_args(union)
    ]
    return st.one_of(kinds)


def playthroughs() -> st.SearchStrategy[Playthrough]:
    """Any playthrough, of commands and events that need not fit together."""
    steps = st.builds(
        Step, messages(GameCommand), st.lists(messages(GameEvent), max_size=4).map(tuple)
    )
    return st.builds(
        Playthrough,
        st.sampled_from(NAMES) | texts(),
        options(),
        st.lists(steps, max_size=6).map(tuple),
    )


@given(playthroughs())
def test_a_playthrough_reads_back(playthrough: Playthrough) -> None:
    """Whatever the names, cards and amounts, the text reads back to the same playthrough."""
    text = dump(playthrough)
    assert parse(text) == playthrough
    assert dump(parse(text)) == text
    assert text.isascii()


@given(st.data(), st.sampled_from(NAMES), options())
def test_a_round_reads_back_and_replays(
    data: st.DataObject, name: str, chosen: dict[str, str]
) -> None:
    """A round that the engine played reads back, and its text plays to the same last state."""
    rules = with_options(load(name), chosen).rules
    transcript = data.draw(rounds(st.just(rules)))
    state, steps = Round(), []
    for command in transcript.commands:
        state, events = step(rules, state, command)
        steps.append(Step(command, events))
    playthrough = Playthrough(name, chosen, tuple(steps))
    again = parse(dump(playthrough))
    assert again == playthrough
    assert replay(again) == playthrough
    assert last_state(again) == transcript.state == fold(transcript.events)


@pytest.mark.parametrize("name", HARD_NAMES)
def test_hard_names(name: str) -> None:
    """A name that looks like notation stays a name."""
    commands: tuple[GameCommand, ...] = (VoidRound(name), Spin(1, name, name))
    if name:
        commands += (Bet(name, 1, "primary", 1000), Open({1: name, 9: name}, name, None, 5))
    for command in commands:
        assert len(write(command).splitlines()) == 1
        assert read_command(write(command)) == command


@pytest.mark.parametrize(
    ("message", "line"),
    [
        (Open(), "open"),
        (Open({3: "ann b"}, bank=5), 'open {"3":"ann\\u0020b"} - 5'),
        (Bet("ann", 1, "primary", 1000), "bet ann 1 primary 1000"),
        (Deal("??"), "deal ??"),
        (Choose("ann", 1, "war"), "choose ann 1 war"),
        (Choose("ann", 1, "war", 50), "choose ann 1 war 50"),
        (Spin(community="$1,000"), "spin - - $1,000"),
        (Placed("-", 1, "tie", 5), 'placed "-" 1 tie 5'),
        (Burned(), "burned"),
        (Burned("9s"), "burned 9s"),
    ],
)
def test_a_line(message: GameCommand | GameEvent, line: str) -> None:
    """Values stand in the order of the fields; defaults at the end are left out."""
    assert write(message) == line


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "Line 1: a playthrough begins with a line such as `rules maryland`."),
        ("rules", "Line 1: expected text, not ''."),
        ("rules a b", "Line 1: expected text, not 'a b'."),
        ("rules {}", "Line 1: expected text, not '{}'."),
        ("rules -", "Line 1: expected text, not '-'."),
        ("rules maryland\nrules maryland", "Line 2: the rules are already named."),
        ("rules maryland\noption x", "Line 2: expected text, not ''."),
        ("rules maryland\noption =x", "Line 2: an option is written name=value."),
        (
            "rules maryland\noption a=b\noption a=b",
            "Line 3: each option is set once, before the first command.",
        ),
        (
            "rules maryland\n> open\noption a=b",
            "Line 3: each option is set once, before the first command.",
        ),
        ("rules maryland\nopened", "Line 2: an event comes before the first command."),
        ("rules maryland\n\n# note\n> deal", "Line 4: deal: lacks required field `card`."),
        ("rules maryland\n> open\nopened\n> bet ann 1 primary x",
         "Line 4: expected a whole number, not 'x'."),
        ("rules maryland\n> open 1 2 3 4 5", "Line 2: open takes at most 4 values, not 5."),
        ('rules maryland\n> leave "ann', "Line 2: '\"ann' is not JSON."),
    ],
)  # fmt: skip  # a text and its reason are easier to read side by side
def test_a_wrong_text_says_where(text: str, reason: str) -> None:
    """An error names the line and the reason."""
    with pytest.raises(NotationError) as error:
        parse(text)
    assert str(error.value) == reason


@pytest.mark.parametrize(
    "line",
    [
        ">", "> ", "> fly", "> deal 9x", "> deal 9", "> bet ann 0 primary 5", "> bet ann 10 tie 5",
        "> bet ann 1 all 5", "> bet ann 1 primary -5", "> bet ann 1 primary 5.0",
        "> bet ann 1 primary " + "9" * 19, "> bet ann 1 primary " + "9" * 5000,
        '> bet "" 1 primary 5', "> open {", '> open {"x":"ann"}', '> open {"11":"ann"}',
        '> open {"' + "9" * 5000 + '":"ann"}', "> open " + '{"1":' * 100_000, "> open {1:2}",
        '> open {"1":NaN}', "> leave {}", "> open\nclosed 1", "> open\ndealt first 1 9s",
    ],
)  # fmt: skip  # one line to a line would be a page of lines
def test_a_wrong_line_is_refused(line: str) -> None:
    """Whatever is wrong with a line, the error is one of notation and names a line."""
    with pytest.raises(NotationError, match=r"^Line [23]: ") as error:
        parse("rules maryland\n" + line)
    assert error.value.__cause__ is None


TEXTS = [path.read_text("utf-8") for path in paths()]
PIECES = ['"', "{", "}", "-", ">", "#", "??", "9s", "\n", " ", "\t", "=", "\\u0020", "9" * 30]


@given(st.sampled_from(TEXTS), st.data())
def test_a_damaged_text_never_fails_otherwise(text: str, data: st.DataObject) -> None:
    """A text with something cut out and something put in is read or refused, nothing else."""
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, min(len(text), start + 12)))
        text = text[:start] + data.draw(st.sampled_from(PIECES) | st.text(max_size=3)) + text[end:]
    try:
        playthrough = parse(text)
    except NotationError as error:
        playthrough = None
        reason = str(error)
    if playthrough is None:
        assert reason.startswith("Line ")
    else:
        assert parse(dump(playthrough)) == playthrough


@given(st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    """Nothing that is typed makes the reader fail otherwise."""
    for read in (parse, read_command, read_event):
        with contextlib.suppress(NotationError):
            read(text)


def test_a_command_that_is_refused_now() -> None:
    """A replay says which command the engine refuses, and why."""
    with pytest.raises(NotationError, match=r"Command 2 is refused: .*boxes 1 to 3"):
        replay(parse("rules online\n> open\n> bet ann 4 primary 100\n"))
