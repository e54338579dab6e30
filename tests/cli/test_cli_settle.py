"""The command `wartable settle`: what it prints, what it returns, and that nothing breaks it."""

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

from paths import DATA
from waiting import ran
from wartable.cli import wartable
from wartable.rules import inventory, load

ENDINGS = DATA / "endings.json"
WORKED: dict[str, dict[str, Any]] = {
    worked["id"]: worked for worked in json.loads(ENDINGS.read_text("utf-8"))
}
WON = WORKED["MD-won"]


def run(value: Any, *options: str) -> Result:
    """What the command does with a value as JSON, or with raw bytes, on standard input."""
    data = value if isinstance(value, bytes) else json.dumps(value).encode()
    return CliRunner().invoke(wartable, ["settle", *options], input=data)


def refused(result: Result) -> list[str]:
    """The sentences of a run that refused its input: exit 2 and nothing on standard output."""
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert isinstance(result.exception, SystemExit)
    return result.stderr.splitlines()


def test_the_table_names_the_clause_behind_every_payment() -> None:
    """Each wager has a line with its stake, net, the book's words and the clauses."""
    result = run(WON)
    assert result.exit_code == 0
    assert result.stderr == ""
    rules = load("maryland").rules
    rows = [line.split("  ") for line in result.stdout.splitlines()]
    assert [[cell.strip() for cell in row if cell.strip()] for row in rows[4:-1]] == [
        ["box 1, ann", "+8.00"],
        [
            rules.labels["primary"],
            "10.00",
            "+10.00",
            "higher card, paid 1 to 1 (MD-9-B-2, MD-10-A-1)",
        ],
        [rules.labels["tie"], "2.00", "-2.00", "no tie (MD-9-B-1, MD-9-B-2)"],
        ["banker", "-8.00"],
    ]


@pytest.mark.parametrize("worked", WORKED.values(), ids=list(WORKED))
def test_every_payment_has_a_source(worked: dict[str, Any]) -> None:
    """No payment is without a clause or a reading, unless an option of the round made it."""
    result = run(worked)
    assert result.exit_code == 0
    made = worked["id"] == "NZ-war-tie-free"
    assert ("(no clause" in result.stdout) == made
    sources = {*inventory.clauses(), *inventory.readings()}
    named = re.findall(r"\(([A-Z][^)]*)\)", result.stdout.replace("\n", " "))
    assert named or all("refused" in hand for hand in worked["expect"]["hands"])
    for names in named:
        assert {name.strip() for name in names.split(",")} <= sources


def test_an_option_that_pays_otherwise_is_named() -> None:
    """Where an option changes the odds, the book's words for them are not used."""
    result = run(WORKED["MD-war-pays-no-bonus-tied"])
    assert "war tied, paid 1 to 1, by the option war_pays (MD-9-I-3, MD-10-A-4)" in result.stdout
    assert "2 to 1" not in result.stdout
    assert "option war_pays = no_bonus" in result.stdout


def test_json_of_one_round() -> None:
    """One round gives one object: per wager net, main, net, and the banker's."""
    result = run(WORKED["CA-war-tie-lost"], "--json")
    assert result.exit_code == 0
    assert json.loads(result.stdout) == {
        "id": "CA-war-tie-lost",
        "hands": [
            {
                "box": 1,
                "player": "ann",
                "primary": 0,
                "tie": 1000,
                "war": 1000,
                "war_tie": -300,
                "main": 1000,
                "net": 1700,
            }
        ],
        "banker": -1700,
    }


def test_json_of_a_list() -> None:
    """A list of rounds gives a list, be it of one or of none."""
    assert json.loads(run([WON], "--json").stdout)[0]["id"] == "MD-won"
    assert json.loads(run([], "--json").stdout) == []
    ids = [each["id"] for each in json.loads(run(list(WORKED.values()), "--json").stdout)]
    assert ids == list(WORKED)


def test_a_list_of_no_rounds() -> None:
    """An empty list is answered with a sentence, not with nothing."""
    for options in ((), ("--check",)):
        result = run([], *options)
        assert result.exit_code == 0
        assert result.stdout == "The list has no rounds, so there is nothing to settle.\n"


def test_json_of_a_refused_hand() -> None:
    """A refused hand has the code, the sentence and net 0; the others stand; exit 0."""
    result = run(WORKED["MD-tie-alone"], "--json")
    assert result.exit_code == 0
    hands = json.loads(result.stdout)["hands"]
    assert hands[0] == {
        "box": 1,
        "player": "ann",
        "refused": "primary_required",
        "message": "The tie wager needs a primary wager on its box.",
        "net": 0,
    }
    assert hands[1]["net"] == 1000


def test_envy_and_side_bets_in_json() -> None:
    """Side bets and envy stand under their own names."""
    hands = json.loads(run(WORKED["MD-two-meter-winners"], "--json").stdout)["hands"]
    assert hands[1]["progressive"] == 2500000
    assert hands[1]["envy"] == 500000
    hands = json.loads(run(WORKED["MD-hot-spot-600"], "--json").stdout)["hands"]
    assert hands[0]["bonus_spin"] == 59500


def test_check() -> None:
    """`--check` exits 0 when all is as expected and 1 on any difference, and says which."""
    right = run(list(WORKED.values()), "--check")
    assert right.exit_code == 0
    assert f"{len(WORKED)} of {len(WORKED)} rounds are as expected." in right.stdout
    wrong = {**WON, "expect": {"hands": [{"main": 1000, "tie": -200, "net": 801}], "banker": -800}}
    result = run([WON, wrong], "--check")
    assert result.exit_code == 1
    assert "MD-won: hand 1: net is 800, expected 801." in result.stdout
    assert "1 of 2 rounds are as expected." in result.stdout
    result = run(wrong, "--check", "--json")
    assert result.exit_code == 1
    assert json.loads(result.stdout)["differences"] == ["hand 1: net is 800, expected 801."]
    assert run(wrong).exit_code == 0


@pytest.mark.parametrize(
    ("expect", "difference"),
    [
        (
            {"hands": [{"refused": True}]},
            "hand 1: the engine accepted it, but the round expects a refusal.",
        ),
        ({"hands": []}, "expect.hands: it lists 0 hands, but the round has 1."),
        (
            {"hands": [{"main": 1000, "tie": -200, "net": 800}]},
            "banker: the net is -800, expected 0.",
        ),
    ],
)
def test_check_finds(expect: dict[str, Any], difference: str) -> None:
    """A refusal, a number of hands or a banker's net that is not expected is a difference."""
    result = run({**WON, "expect": expect}, "--check", "--json")
    assert result.exit_code == 1
    assert difference in json.loads(result.stdout)["differences"]


def test_check_says_why_a_hand_was_refused() -> None:
    """A refusal that was not expected comes with its reason."""
    result = run({**WORKED["CA-tie-alone"], "expect": WORKED["CA-ace"]["expect"]}, "--check")
    assert result.exit_code == 1
    assert "hand 1: the engine refused it (primary_required): The tie wager needs" in result.stdout


def test_check_needs_an_expectation() -> None:
    """A round without `expect` cannot be checked."""
    plain = {key: value for key, value in WON.items() if key != "expect"}
    assert refused(run(plain, "--check")) == [
        "wartable: MD-won: the round has no `expect` to check."
    ]


def test_file_and_standard_input(tmp_path: Path) -> None:
    """FILE and standard input, with `-` or without, give the same."""
    path = tmp_path / "round.json"
    path.write_text(json.dumps(WON))
    from_file = CliRunner().invoke(wartable, ["settle", str(path)])
    assert from_file.exit_code == 0
    assert from_file.stdout == run(WON).stdout == run(WON, "-").stdout
    for bad in (tmp_path, tmp_path / "none.json"):
        (line,) = refused(CliRunner().invoke(wartable, ["settle", str(bad)]))
        assert line.startswith(f"wartable: {bad} cannot be read: ")


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "the input is not JSON"),
        (b"   \n", "the input is not JSON"),
        (b"{", "the input is not JSON"),
        (b"{}{}", "the input is not JSON"),
        (b"[1,]", "the input is not JSON"),
        (b"{'rules': 1}", "the input is not JSON"),
        (b'{"rules": NaN}', "the input is not JSON"),
        (b'{"rules": Infinity}', "the input is not JSON"),
        (b'{"rules": "\xff"}', "the input is not JSON"),
        (b'{"rules": "\\ud800"}', "the input is not JSON"),
        (b'{"decks": ' + b"9" * 5000 + b"}", "the input is not JSON"),
        (b"[" * 200_000, "the input is nested too deeply"),
        (b"[" * 200_000 + b"]" * 200_000, "the input is nested too deeply"),
        (b'{"a":' * 50_000 + b"1" + b"}" * 50_000, "the input is nested too deeply"),
        (b'{"id": "a", "id": "b"}', "an object has the key 'id' twice"),
        (b"null", "round 1: the round: expected an object, got null"),
        (b"5", "round 1: the round: expected an object, got a whole number"),
        (b'"maryland"', "round 1: the round: expected an object, got text"),
        (b"[[]]", "round 1: the round: expected an object, got a list"),
        (b"{}", "round 1: the round: lacks required field `rules`"),
        (b'{"id": 5}', "round 1: id: expected text, got a whole number"),
    ],
)
def test_what_is_no_round(data: bytes, reason: str) -> None:
    """Anything that is no round gives one sentence and exit 2, with `--json` as JSON."""
    (line,) = refused(run(data))
    assert line.startswith("wartable: ")
    assert reason in line
    assert line.endswith(".")
    (line,) = refused(run(data, "--json"))
    (error,) = json.loads(line)["errors"]
    assert reason in error["message"]


def test_every_bad_round_has_its_sentence() -> None:
    """In a list each bad round is named, by its id or its place, and no good one is printed."""
    bad = {**WON, "rules": "nevada"}
    nameless = {key: value for key, value in bad.items() if key != "id"}
    lines = refused(run([WON, bad, nameless, 7]))
    assert [line.split(": ")[1] for line in lines] == ["MD-won", "round 3", "round 4"]
    (line,) = refused(run([WON, bad, nameless, 7], "--json"))
    assert [error["id"] for error in json.loads(line)["errors"]] == ["MD-won", "round 3", "round 4"]


def test_a_large_input() -> None:
    """Ten megabytes of rounds are settled, and a larger input than the limit is refused."""
    padded = {**WON, "title": "x" * 2**20}
    assert len(json.loads(run([padded] * 10, "--json").stdout)) == 10
    (line,) = refused(run(b" " * (64 * 2**20 + 1)))
    assert "larger than" in line


@pytest.mark.parametrize(
    "name", ["[bold]a[/]", "[/]", "[link=x]", ":smile:", "\x1b[2Jann", "a\nb", "李", "x" * 40, "%s"]
)
def test_names_are_printed_as_they_are(name: str) -> None:
    """Neither markup nor control characters of a name reach the terminal as such."""
    value = {**WON, "id": name, "title": name, "hands": [{**WON["hands"][0], "player": name}]}
    result = run(value)
    assert result.exit_code == 0
    assert "\x1b" not in result.stdout
    shown = name.replace("\x1b", "\\x1b").replace("\n", "\\n")
    assert f"box 1, {shown} " in result.stdout
    assert json.loads(run(value, "--json").stdout)["hands"][0]["player"] == name
    bad = run({**value, "rules": name})
    assert len(refused(bad)) == 1


def test_a_study_option_without_words() -> None:
    """A wager that only an option brings into a book is shown, and the option is named."""
    result = run(WORKED["NZ-war-tie-free"])
    assert result.exit_code == 0
    assert "option war_tie_wager = free" in result.stdout
    assert "  war tie " in result.stdout


def test_as_a_command() -> None:
    """The installed command behaves the same: exit codes, and no traceback."""
    command = [sys.executable, "-c", "from wartable.cli import main; main()", "settle"]
    good = ran(command, input=json.dumps(WON))
    assert (good.returncode, good.stderr) == (0, "")
    assert "MD-9-B-2" in good.stdout
    bad = ran(command, input="{")
    assert (bad.returncode, bad.stdout) == (2, "")
    assert bad.stderr.startswith("wartable: the input is not JSON")


JUNK = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from(
        ["maryland", "california", "x.toml", "\x00.toml", "9s", "??", "war", "leave", "$600", "[/]"]
    ),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=5,
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The path of every part of the value."""
    keys: list[Any] = []
    if isinstance(value, dict):
        keys = list(value)
    elif isinstance(value, list):
        keys = list(range(len(value)))
    return [path, *(place for key in keys for place in places(value[key], (*path, key)))]


def changed(value: Any, path: tuple[Any, ...], new: Any, delete: bool) -> Any:
    """The value with another part at the path, or without that part."""
    if not path:
        return new
    head, *rest = path
    copy = dict(value) if isinstance(value, dict) else list(value)
    if delete and not rest:
        del copy[head]
    else:
        copy[head] = changed(value[head], tuple(rest), new, delete)
    return copy


@st.composite
def mutated(draw: st.DrawFn) -> Any:
    """A worked round with some parts replaced, removed, or exchanged with another round's."""
    value: Any = draw(st.sampled_from(list(WORKED.values())))
    for _ in range(draw(st.integers(1, 3))):
        path = draw(st.sampled_from(places(value)))
        other = draw(st.sampled_from(list(WORKED.values())))
        new = draw(st.sampled_from(places(other)))
        piece = other
        for key in new:
            piece = piece[key]
        value = changed(value, path, draw(st.just(piece) | JUNK), draw(st.booleans()))
    return value


@given(mutated(), st.booleans(), st.booleans())
def test_no_input_breaks_it(value: Any, as_json: bool, check: bool) -> None:
    """Any mutation of a valid round is settled, differs or is refused: never a traceback."""
    options = [*(["--json"] if as_json else []), *(["--check"] if check else [])]
    result = run(value, *options)
    assert result.exit_code in ((0, 1, 2) if check else (0, 2))
    assert result.exception is None or isinstance(result.exception, SystemExit)
    assert bool(result.stderr) == (result.exit_code == 2)
    if result.exit_code == 2:
        assert result.stdout == ""
        if as_json:
            assert json.loads(result.stderr)["errors"]
        else:
            assert all(line.startswith("wartable: ") for line in result.stderr.splitlines())
    elif as_json:
        json.loads(result.stdout)
