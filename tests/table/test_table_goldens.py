"""Golden playthroughs of tables: each branch has one, it reads back, and nothing has changed."""

from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings

from table_goldens import BRANCHES, FOLDER, at_home, paths, played, write_anew
from table_strategies import Plan, RandomTable, plans
from tables import Play
from wartable import table
from wartable.notation import NotationError, by_tag, read, write
from wartable.rules import load_any
from wartable.table import Command, Event
from wartable.table.playthrough import (
    TablePlaythrough,
    TableStep,
    dump,
    last_state,
    parse,
    replay,
    setup_of,
)

GOLDENS = paths()


@pytest.mark.parametrize("path", GOLDENS, ids=lambda path: path.stem)
def test_the_table_still_agrees(path: Path) -> None:
    """A golden reads back to the same text, and its commands still cause the same events."""
    text = path.read_text("utf-8")
    assert dump(parse(text)) == text
    assert played(text) == text, f"see `make golden NAME=tables/{path.stem}`"


@pytest.mark.parametrize("name", BRANCHES)
def test_every_branch_has_a_golden(name: str) -> None:
    """Each irregularity and each branch of the procedure is shown, with a word on what it is."""
    text = (FOLDER / f"{name}.txt").read_text("utf-8")
    playthrough = parse(text)
    assert playthrough.notes
    events = {line.split()[0] for line in text.splitlines()}
    refused = {each.refused for each in playthrough.steps}
    for word in BRANCHES[name].split():
        assert word in events or word.removeprefix("!") in refused, word


def test_every_golden_is_a_branch() -> None:
    """No golden is left behind by a branch that is gone, and every book is used."""
    assert {path.stem for path in GOLDENS} == set(BRANCHES)
    used = {parse(path.read_text("utf-8")).rules for path in GOLDENS}
    books = {f"books/{path.name}" for path in (FOLDER / "books").glob("*.toml")}
    assert {name for name in used if name.endswith(".toml")} == books
    with at_home():
        for name in books:
            assert load_any(name).rules.name == Path(name).stem


@pytest.mark.parametrize(("name", "box"), [("first", 1), ("on_a_box", 2), ("on_the_dealer", 0)])
def test_cover_card_goldens_show_three_boxes(name: str, box: int) -> None:
    """The cover card comes first, on another box and on the dealer."""
    text = (FOLDER / f"cover_card_{name}.txt").read_text("utf-8")
    assert f"\ncover_card_out {box}\n" in text


def test_two_winners_get_meter_and_reset_amount() -> None:
    """The golden of two winners shows both readings."""
    text = (FOLDER / "award_two_winners.txt").read_text("utf-8")
    assert "meter_read primary 1000010\n" in text
    assert "meter_read primary 1000000\n" in text


@settings(max_examples=15)
@given(plans(rounds=3))
def test_any_table_reads_back(plan: Plan) -> None:
    """Whatever happens at a table can be written and read back to the same steps and state."""
    kept: list[TableStep] = []
    seen = 0

    def note(play: Play) -> None:
        nonlocal seen
        if len(play.commands) > len(kept):
            kept.append(TableStep(play.commands[-1], tuple(play.events[seen:])))
            seen = len(play.events)

    play = RandomTable(plan, note).run()
    setup = play.setup
    whole = TablePlaythrough(
        plan.book, setup.name, plan.options, None, plan.staffed, setup.approval, tuple(kept)
    )
    again = parse(dump(whole))
    assert again == whole
    assert setup_of(again) == setup
    assert last_state(again) == play.state
    assert replay(again) == whole


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("table t1\n", "needs a line such as `rules"),
        ("rules maryland\n", "needs a line such as `table"),
        ("rules maryland\nrules maryland\n", "Line 2: rules is already named"),
        ("rules maryland\ntable t1\nclosed\n", "Line 3: an event comes before"),
        ("rules maryland\ntable t1\noption x\n", "Line 3: expected text"),
        ("rules maryland\ntable t1\ndecks many\n", "whole number"),
        ("rules maryland\ntable t1\n> fly\n", "Line 3: there is no command 'fly'"),
        ("rules maryland\ntable t1\n> proceed\nfly\n", "Line 4: there is no event 'fly'"),
        ("rules maryland\ntable t1\n> proceed\nrefused a b\n", "Line 4: a refusal is one code"),
        ("rules maryland\ntable t1\n> proceed\nrefused a\nclosed\n", "Line 5: a refused command"),
        ("rules maryland\ntable t1\n> draw_in_error dan maybe\n", "Line 3: draw_in_error"),
        ("rules maryland\ntable t1\n# nothing follows\n", "a comment must come before"),
    ],
)
def test_what_is_no_playthrough(text: str, told: str) -> None:
    """A mistake is told with its line."""
    with pytest.raises(NotationError, match=told):
        parse(text)


def test_values_of_every_kind() -> None:
    """Truth, lists, parts and absent values are written and read back."""
    for line in (
        "draw_in_error dan true",
        "draw_in_error dan false",
        "join ann 5",
        'order_reshuffle flo "two\\u0020words"',
    ):
        command = read(line, by_tag(Command), "command")
        assert write(command) == line
    line = 'house_chose wheel ["$1,000","none"] [1,2] 1'
    assert write(read(line, by_tag(Event), "event")) == line
    terms = '{"table":"t1","number":1,"method":"shoe","decks":6,"batch":""}'
    seal = '[{"player":"ann","seal":"' + "0" * 64 + '"}]'
    line = f"shoe_started {terms} {'1' * 64} {seal}"
    assert write(read(line, by_tag(Event), "event")) == line


def test_writing_anew_prints_what_changed(tmp_path: Path) -> None:
    """A golden with other events is mended and the difference is told."""
    right = (FOLDER / "recut.txt").read_text("utf-8")
    path = tmp_path / "recut.txt"
    path.write_text(right.replace("cut_made ann 200", "cut_made ann 201"), "utf-8")
    lines = list(write_anew(path))
    assert "-cut_made ann 201" in lines
    assert "+cut_made ann 200" in lines
    assert path.read_text("utf-8") == right


def test_states_of_goldens_can_be_shown() -> None:
    """The table at the end of each golden has a view without the seed of a shoe in use."""
    with at_home():
        for path in GOLDENS:
            state = last_state(parse(path.read_text("utf-8")))
            shown = msgspec.json.encode(table.view(state))
            for shoe in (state.shoe, state.stored):
                assert shoe is None or shoe.seed.encode() not in shown


@pytest.mark.finding(19)
@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "rules maryland\ntable t1\noption a=1\noption a=2\n",
            "Line 4: each option is written once",
        ),
        ("rules maryland\ntable t1\noption A=1\n", "Line 3: each option is written once"),
        (
            "rules maryland\ntable t1\n> proceed\nclosed\nrefused a\n",
            "Line 5: a refusal is one code",
        ),
        ("rules maryland\ntable t1\n> proceed\nrefused a\nrefused b\n", "Line 5: a refusal is"),
    ],
)
def test_what_stands_twice_is_no_playthrough(text: str, told: str) -> None:
    """An option has one value, and a command either events or one refusal."""
    with pytest.raises(NotationError, match=told):
        parse(text)


@pytest.mark.finding(19)
def test_a_header_reads_back() -> None:
    """Decks, staff and approval are written only where they are not the book's own."""
    plain = TablePlaythrough("maryland", "t1")
    assert dump(plain) == "rules maryland\ntable t1\n"
    whole = TablePlaythrough("maryland", "t1", {"odd_half": "up"}, 8, True, "approval 1")
    head = "rules maryland\noption odd_half=up\ntable t1\n"
    text = head + 'decks 8\nstaffed\napproval "approval\\u00201"\n'
    assert dump(whole) == text
    assert parse(text) == whole
