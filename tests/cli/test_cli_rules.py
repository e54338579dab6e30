"""The command `wartable rules`: list, show, compare and check rule books."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

from wartable.cli import wartable
from wartable.rules import NAMES, RulesError, inventory, load, load_any, load_file, option_values
from wartable.rules.load import resolve, shipped_raw
from wartable.rules.model import Options


def rules(*arguments: str) -> Result:
    """What `wartable rules` does with the arguments."""
    return CliRunner().invoke(wartable, ["rules", *arguments])


def shown(*arguments: str) -> str:
    """What `wartable rules` prints where all is well."""
    result = rules(*arguments)
    assert result.exit_code == 0, result.output
    assert result.stderr == ""
    return result.stdout


def test_list_names_every_book_with_version_and_digest() -> None:
    """The list has a line for each shipped book, whose digest loads it."""
    lines = shown("list").splitlines()
    for name in NAMES:
        (line,) = [line for line in lines if line.split()[:1] == [name]]
        _, version, digest, banker, *_ = line.split()
        book = load(f"{name}@{digest}")
        assert book == load(name)
        assert (version, banker) == (book.rules.version, book.rules.banker)
        assert ("2 x 6-12" in line) == (name == "california")


@pytest.mark.parametrize("name", NAMES)
def test_show_has_every_value_with_its_sources(name: str) -> None:
    """Each value of a book is shown with its clauses and readings, and each reading in full."""
    text = shown("show", name)
    book = load(name)
    assert book.digest in text
    words = {word.strip(",;") for word in text.split()}
    for key, source in book.sources.items():
        if key not in ("name", "version", "title"):
            assert key.rpartition(".")[2] in words, key
        for each in (*source.clauses, *source.readings):
            assert each in words, f"{key}: {each}"
    used = {each for source in book.sources.values() for each in source.readings}
    squeezed = re.sub(r"\s+", "", text)
    assert used
    for each in used:
        reading = inventory.readings()[each]
        (first, *_) = (reading.reading or reading.problem).split()
        assert first in squeezed
    _, _, options = text.partition("[options]")
    for option in Options.__struct_fields__:
        for value in option_values(option):
            assert value in options, f"{option} = {value}"


@pytest.mark.finding(17)
@pytest.mark.parametrize("name", NAMES)
def test_show_has_every_reading_that_touches_the_book(name: str) -> None:
    """Those about its document or about all, also where no value of the book names them."""
    _, _, register = shown("show", name).rpartition("unclear place")
    ids = set(re.findall(r"^ *([A-Z][0-9]+) ", register, re.MULTILINE))
    about = {
        each.id
        for each in inventory.readings().values()
        if {name, "all"} & set(each.document.split(","))
    }
    named = {each for source in load(name).sources.values() for each in source.readings}
    assert ids == about | named
    assert "A13" in about - named
    assert ("A2" in ids) == (name == "california")


def test_show_has_the_edge_of_every_reading() -> None:
    """An option that moves money is shown with the edge that each of its values gives."""
    text = " ".join(shown("show", "maryland").split())
    assert (
        "may be both_units 2.33%, no_bonus 2.88%, each_wager 1.17%, war_only 4.59%, "
        "primary_lost 6.30% (edge: primary, always war)"
    ) in text
    assert "may be once, before_dealer, each_card" in text


@pytest.mark.parametrize("width", [80, 140])
def test_show_fits_its_terminal(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """No line is longer than the terminal, and no id or key is cut short."""
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "dumb")
    for arguments in (["show", "maryland"], ["list"], ["diff", "california", "maryland"]):
        text = re.sub("\x1b\\[[0-9;]*m", "", shown(*arguments))
        assert max(len(line) for line in text.splitlines()) <= width
        # Reading M24 quotes a heading that ends in this sign.
        assert text.count("…") == (arguments[0] == "show")


def test_show_as_json() -> None:
    """Every key has its value as it is, with clauses, readings and note."""
    document = json.loads(shown("show", "maryland", "--json"))
    book = load("maryland")
    assert document["digest"] == book.digest
    assert (document["name"], document["version"]) == ("maryland", book.rules.version)
    values: dict[str, Any] = document["values"]
    assert values["wagers.tie.pays"] == {
        "value": "10 to 1",
        "clauses": ["MD-10-A-2"],
        "readings": [],
        "note": "",
    }
    assert values["table.boxes"]["value"] == 9
    assert values["table.adjacent"]["value"] is True
    assert values["shoe.decks_allowed"]["value"] == [6, 8]
    assert values["options.war_pays"]["readings"] == ["M1"]
    assert set(book.sources) <= set(values)


def test_show_by_digest_and_file(tmp_path: Path) -> None:
    """A book is shown by its name, by name and digest, and as a file."""
    digest = load("online").digest
    assert shown("show", f"online@{digest[:8]}") == shown("show", "online")
    path = write(tmp_path, 'extends = "online"\nname = "mine"')
    text = shown("show", str(path))
    assert text.startswith(f"mine {load('online').rules.version}  mine\n")
    assert "Differs from Online operator only in what that document leaves to the operator." in text
    assert load_any(str(path)).digest in text


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("nevada", "There is no rule book 'nevada'; use " + ", ".join(NAMES)),
        ("maryland@12", "A digest is 8 to 64 hexadecimal digits (0-9, a-f), not '12'."),
        ("maryland@00000000", "The archive has no version of maryland with the digest 00000000."),
        ("none.toml", "none.toml cannot be read: No such file or directory."),
        ("\x1b[2J", "There is no rule book '\\x1b[2J'"),
    ],
)
def test_a_book_that_is_not_there(name: str, sentence: str) -> None:
    """Showing or comparing an unknown book is one sentence and exit 2."""
    for arguments in (["show", name], ["diff", "maryland", name], ["diff", name, "maryland"]):
        result = rules(*arguments)
        assert result.exit_code == 2
        assert result.stdout == ""
        assert result.stderr.startswith(f"wartable: {sentence}")
        assert len(result.stderr.splitlines()) == 1


def test_diff_has_the_differences_only() -> None:
    """Two books are compared key by key; a wager that one lacks is one line."""
    text = shown("diff", "california", "maryland")
    lines = {line.split()[0]: line.split()[1:] for line in text.splitlines()[3:] if line.strip()}
    assert lines["banker"] == ["player", "house"]
    assert lines["table.backline"] == ["yes", "no"]
    assert lines["wagers.progressive"] == ["-", "yes"]
    assert lines["bank.rounds_max"] == ["2", "-"]
    assert "wagers.tie.pays" not in lines
    assert "options.war_pays" not in lines
    assert not any(key.startswith("wagers.progressive.") for key in lines)
    assert shown("diff", "online", "online") == "online and online have the same rules.\n"


def test_diff_as_json(tmp_path: Path) -> None:
    """JSON has both books and the same keys as the table, with the values of each."""
    found = json.loads(shown("diff", "california", "maryland", "--json"))
    assert [each["name"] for each in found["books"]] == ["california", "maryland"]
    assert found["books"][1]["digest"] == load("maryland").digest
    rows = found["differences"]
    assert rows["banker"] == ["player", "house"]
    assert rows["table.backline"] == [True, False]
    assert rows["wagers.progressive"] == [None, True]
    assert rows["bank.rounds_max"] == [2, None]
    assert "wagers.tie.pays" not in rows
    text = shown("diff", "california", "maryland")
    assert all(f"{key} " in text for key in rows)
    path = write(tmp_path, 'extends = "maryland"\nname = "mine"\n[wagers.tie]\npays = "9 to 1"\n')
    own = json.loads(shown("diff", "maryland", str(path), "--json"))["differences"]
    assert own["wagers.tie.pays"] == ["10 to 1", "9 to 1"]
    assert json.loads(shown("diff", "online", "online", "--json"))["differences"] == {}


def test_diff_with_a_book_of_ones_own(tmp_path: Path) -> None:
    """An own book differs from what it extends in what it says."""
    path = write(tmp_path, 'extends = "maryland"\nname = "mine"\n[wagers.tie]\npays = "9 to 1"\n')
    text = shown("diff", "maryland", str(path))
    assert [line.split() for line in text.splitlines()[3:] if line.strip()] == [
        ["title", "Maryland", "Standard", "Rules", "mine"],
        ["wagers.tie.pays", "10", "to", "1", "9", "to", "1"],
    ]


def write(folder: Path, text: str) -> Path:
    """A book of one's own as a file."""
    path = folder / "mine.toml"
    path.write_text(text, "utf-8")
    return path


def check(tmp_path: Path, text: str) -> list[str]:
    """What checking the book says: nothing, or its problems and exit 1."""
    result = rules("check", str(write(tmp_path, text)))
    if result.exit_code == 0:
        assert result.stderr == ""
        return []
    assert result.exit_code == 1
    assert result.stdout == ""
    return result.stderr.splitlines()


@pytest.mark.parametrize("name", NAMES)
def test_every_book_may_be_extended(name: str, tmp_path: Path) -> None:
    """A name is all that a book on top of another needs; it has a digest of its own."""
    path = write(tmp_path, f'extends = "{name}"\nname = "mine"\n[limits.primary]\nmin = 500\n')
    result = rules("check", str(path))
    book, version = load_file(path), load(name).rules.version
    title = load(name).rules.title
    assert result.stdout.splitlines() == [
        f"{path}: mine {version} is sound.",
        f"Differs from {title} only in what that document leaves to the operator.",
        f"digest {book.digest}",
    ]
    assert book.digest != load(name).digest
    assert book.rules.limits.primary.min == 500
    assert book.rules.wagers == load(name).rules.wagers
    assert book.sources["wagers.tie.pays"] == load(name).sources["wagers.tie.pays"]


def test_an_own_value_may_have_its_own_sources(tmp_path: Path) -> None:
    """A value replaces the base's with its sources; beside it may stand others."""
    text = (
        'extends = "maryland"\nname = "mine"\n[wagers.tie]\npays = { value = "9 to 1", note = "x" }'
    )
    book = load_file(write(tmp_path, text))
    source = book.sources["wagers.tie.pays"]
    assert (source.clauses, source.note) == ((), "x")


def test_every_problem_at_once(tmp_path: Path) -> None:
    """Problems of form and of meaning come together, each with its key."""
    problems = check(
        tmp_path,
        """
        extends = "maryland"
        name = "My Table"
        version = "1"
        colour = "red"
        [table]
        boxs = 5
        boxes = "nine"
        [shoe]
        decks = 7
        [options]
        war_pays = "double"
        [limits.primary]
        min = 1000
        max = 500
        """,
    )
    assert problems == [
        "name: expected lower-case letters, digits and hyphens, a letter first, not 'My Table'.",
        "version: expected three numbers such as 1.0.0, not '1'.",
        "table.boxes: expected a whole number, not 'nine'.",
        "table.boxs: there is no such key; did you mean boxes?",
        "options.war_pays: expected one of "
        + ", ".join(option_values("war_pays"))
        + ", not 'double'.",
        (
            "colour: there is no such key; the keys are name, version, title, document, banker, "
            "table, shoe, opening, deal, wagers, options, labels, outcomes, limits, bank, edges, "
            "extends."
        ),
        "shoe.decks: 7 is not among decks_allowed [6, 8].",
        "limits.primary.max: the maximum 500 is below the minimum 1000.",
    ]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("banker = 'bank'", "banker: expected one of house, player, not 'bank'."),
        ("[table]\nseats = 0", "table.seats: expected a whole number >= 1, not 0."),
        ("[table]\nseats = 2.5", "table.seats: expected a whole number, not 2.5."),
        ("[table]\nadjacent = 1", "table.adjacent: expected true or false, not 1."),
        (
            "table = 5",
            "table: expected a section with its own keys, not a single value.",
        ),
        (
            "[wagers.tie]\npays = '11:1'",
            "wagers.tie.pays: expected a ratio such as 10 to 1 or 1/4, not '11:1'.",
        ),
        (
            "[wagers.tie]\npays = {value = '9 to 1', why = 'x'}",
            "wagers.tie.pays: a value can have clauses, readings and a note, not why.",
        ),
        (
            "[wagers.tie]\npays = {value = '9 to 1', clauses = 'x'}",
            "wagers.tie.pays: clauses and readings are lists of ids; note is text.",
        ),
        (
            "[shoe]\nmethods = ['shoe', 'hat']",
            (
                "shoe.methods: expected values from shoe, batches, every_round, continuous, not "
                "['shoe', 'hat']."
            ),
        ),
        ("[labels]\ntie = 3", "labels.tie: expected text, not 3."),
        ("[outcomes]\ntie = 'x'", "outcomes.tie: expected a section, not 'x'."),
        (
            "[shoe]\ncover_from_bottom = '1/8'",
            "shoe.cover_from_bottom: the cover card must lie at least 1/4 from the bottom.",
        ),
        (
            (
                "[options]\nshuffle = 'every_round'\n[shoe]\nmethods = ['shoe']\n"
                "cut_methods = ['shoe']\napproval_methods = []"
            ),
            "options.shuffle: every_round is not among shoe.methods.",
        ),
        ("[table]\nboxes = 10", "table.boxes: at most 9 boxes, not 10."),
        (
            "[table]\nboxes = 2",
            "table.boxes_per_player: the table has 2 boxes.",
        ),
        (
            "[bank]\nrounds_max = 2\nrotation = 'clockwise'",
            "bank: this section is required with banker = player and refused otherwise.",
        ),
        (
            "[limits]\nbox_max = 4\n[limits.primary]\nmin = 5",
            "limits.box_max: the box maximum is below the minimum of a primary wager.",
        ),
        (
            "[wagers.progressive.meter]\nreset = 5",
            "wagers.progressive.meter.reset: at least 1000000 cents, not 5.",
        ),
        (
            "[wagers.progressive.meter]\ncontribution = '2/1'",
            "wagers.progressive.meter.contribution: a share of the wager above 0 and at most 1/1.",
        ),
        (
            "[wagers.progressive.lines]\ntie = '500 to 1'",
            (
                "wagers.progressive.lines: list the highest line first; only the "
                "first line made pays."
            ),
        ),
        (
            "[wagers.bonus_spin.wheel.community]\n'$7' = 5",
            (
                "wagers.bonus_spin.wheel.community: expected one of $150, $100, $75, $50, $40, "
                "$35, $30, $25, not '$7'."
            ),
        ),
        (
            "[wagers.bonus_spin.community]\nseven = 5",
            "wagers.bonus_spin: a symbol is written like $1,000, not 'seven'.",
        ),
    ],
)
def test_a_problem_has_its_sentence(text: str, problem: str, tmp_path: Path) -> None:
    """Each kind of problem is told by its key and a sentence."""
    problems = check(tmp_path, f"extends = 'maryland'\nname = 'mine'\n{text}\n")
    assert problem in problems, problems


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "name: this key is missing."),
        ("extends = 'maryland'", "name: a book that extends another needs its own name."),
        (
            "extends = 'maryland'\nname = 'maryland'",
            "name: maryland is a shipped book; give yours another name.",
        ),
        (
            "extends = 'nevada'\nname = 'mine'",
            "extends: expected one of " + ", ".join(NAMES) + ", not 'nevada'.",
        ),
        ("extends = ['maryland']", "extends: expected one of"),
        ("name = ", "is not TOML: Invalid value"),
        ("x = " + "[" * 5000, "is nested too deeply."),
    ],
)
def test_a_file_that_is_no_book(text: str, problem: str, tmp_path: Path) -> None:
    """A file without a sound base says so."""
    assert problem in check(tmp_path, text)[0]


def test_a_missing_section_of_outcomes(tmp_path: Path) -> None:
    """A book that brings a wager in says how it can end."""
    text = "extends = 'washington'\nname = 'mine'\n[options]\nwar_tie_wager = 'free'"
    assert check(tmp_path, text) == [
        "outcomes.war_tie: this section is missing; it describes how the wager can end."
    ]


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    """A folder, a missing file and a file that is not text are told apart."""
    path = tmp_path / "latin.toml"
    path.write_bytes(b"name = '\xff'")
    for each, reason in (
        (tmp_path, "Is a directory"),
        (tmp_path / "none.toml", "No such file or directory"),
        (path, "it is not UTF-8 text"),
    ):
        result = rules("check", str(each))
        assert (result.exit_code, result.stdout) == (1, "")
        assert result.stderr == f"{each} cannot be read: {reason}.\n"


def places(raw: dict[str, Any], path: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    """The path of every key of the content."""
    found = []
    for key, value in raw.items():
        found.append((*path, key))
        if isinstance(value, dict):
            found += places(value, (*path, key))
    return found


JUNK = st.recursive(
    st.integers(-5, 500) | st.booleans() | st.floats() | st.text(max_size=9) | st.just("1/4"),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=6), inner),
    max_leaves=3,
)


@given(st.sampled_from(NAMES), st.data(), JUNK)
def test_any_content_is_a_book_or_has_problems(name: str, data: st.DataObject, junk: Any) -> None:
    """Whatever stands at a key, the book is sound or its problems are sentences with a key."""
    path = data.draw(st.sampled_from(places(shipped_raw(name))))
    own: Any = {path[-1]: junk}
    for key in reversed(path[:-1]):
        own = {key: own}
    try:
        book = resolve({"name": "mine", **own, "extends": name})
    except RulesError as error:
        problems = error.problems
        assert problems
        assert all(re.match(r"[\w$,.-]*[^ ]*: .*[.?]$", problem, re.DOTALL) for problem in problems)
    else:
        assert book.rules.version
