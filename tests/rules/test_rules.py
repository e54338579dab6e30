"""The five books are whole and sourced; a book of one's own is checked, extended and identified."""

import re
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from rounds import entry, play
from wartable.rules import (
    NAMES,
    Ratio,
    RulesError,
    load,
    load_any,
    load_file,
    option_values,
    with_options,
)
from wartable.rules.inventory import Term, clauses, glossary, readings
from wartable.rules.model import Options

UNSOURCED = {"name", "version", "title", "document.title", "document.source"}
"""What a book says about itself needs no clause."""

DEFAULTS = {
    "war_pays": "both_units",
    "war_burn": "once",
    "war_tie_wager": "free",
    "odd_half": "down",
    "bank_cover": "matched",
    "box_choice": "each_player",
    "progressive_odds": "to_1",
    "progressive_suited": "pairwise",
    "envy_holder": "any",
    "community_pays": "stated",
    "abandoned": "lose",
    "timeout": "surrender",
    "shuffle": "shoe",
    "electronic": "off",
}
OTHERWISE = {
    "california": {"abandoned": "surrender", "shuffle": "batches"},
    "maryland": {},
    "new-zealand": {"war_tie_wager": "none", "abandoned": "surrender"},
    "online": {
        "war_tie_wager": "equal_primary",
        "abandoned": "hold",
        "timeout": "hold",
        "shuffle": "every_round",
    },
    "washington": {
        "war_burn": "before_dealer",
        "war_tie_wager": "none",
        "abandoned": "surrender",
    },
}


def own(folder: Path, text: str) -> Path:
    """A book of one's own as a file."""
    path = folder / "own.toml"
    path.write_text(text, encoding="utf-8")
    return path


def problems(folder: Path, text: str) -> list[str]:
    """What is wrong with a book of one's own."""
    with pytest.raises(RulesError) as caught:
        load_file(own(folder, text))
    return caught.value.problems


@pytest.mark.parametrize("name", NAMES)
def test_books_load(name: str) -> None:
    """A shipped book loads under its name, with a version and a digest that stays."""
    book = load(name)
    assert book.rules.name == name
    assert re.fullmatch(r"[0-9a-f]{64}", book.digest)
    assert load(name).digest == book.digest
    assert load_any(name) == book


def test_digests_differ() -> None:
    """No two books have one digest."""
    assert len({load(name).digest for name in NAMES}) == len(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_every_value_has_a_source(name: str) -> None:
    """Each value of a shipped book stands beside clauses, readings or a note of ours."""
    bare = {
        key
        for key, source in load(name).sources.items()
        if not (source.clauses or source.readings or source.note)
    }
    assert bare == UNSOURCED


@pytest.mark.parametrize("name", NAMES)
def test_every_source_exists(name: str) -> None:
    """The clauses named are of the book's own document, the readings of the register."""
    for key, source in load(name).sources.items():
        for clause in source.clauses:
            assert clause in clauses(), f"{key} names {clause}"
            assert clauses()[clause].document == name, f"{key} names {clause}"
        for reading in source.readings:
            assert reading in readings(), f"{key} names {reading}"


@pytest.mark.parametrize("name", NAMES)
def test_options_have_their_defaults(name: str) -> None:
    """Each book's named options are those of the register."""
    options = load(name).rules.options
    found = {key: getattr(options, key) for key in Options.__struct_fields__}
    assert found == {**DEFAULTS, **OTHERWISE[name]}
    assert set(found) == set(DEFAULTS)
    for key, value in found.items():
        assert value in option_values(key)


FACTS: dict[str, dict[str, Any]] = {
    "california": {"banker": "player", "boxes": 8, "settle": "clockwise", "decks": 6},
    "maryland": {"banker": "house", "boxes": 9, "settle": "counterclockwise", "decks": 6},
    "new-zealand": {"banker": "house", "boxes": 7, "settle": "clockwise", "decks": 6},
    "online": {"banker": "house", "boxes": 3, "settle": "clockwise", "decks": 6},
    "washington": {"banker": "house", "boxes": 7, "settle": "counterclockwise", "decks": 6},
}


@pytest.mark.parametrize("name", NAMES)
def test_what_the_documents_say(name: str) -> None:
    """Who banks, how many boxes and decks, which way to settle, and the odds."""
    rules = load(name).rules
    found = {
        "banker": rules.banker,
        "boxes": rules.table.boxes,
        "settle": rules.deal.settle,
        "decks": rules.shoe.decks,
    }
    assert found == FACTS[name]
    assert rules.wagers.primary.pays == Ratio(1, 1)
    assert rules.wagers.tie.pays == rules.wagers.war_tie.pays == Ratio(10, 1)
    assert rules.wagers.tie.with_primary == (name != "new-zealand")
    assert (rules.wagers.progressive is not None) == (name == "maryland")
    assert (rules.wagers.bonus_spin is not None) == (name == "maryland")
    assert rules.deal.war_burn == 3
    assert rules.deal.order == "clockwise"


def test_a_book_extends_another(tmp_path: Path) -> None:
    """A book of one's own replaces what it names and keeps the rest, and plays so."""
    text = """
        extends = "maryland"
        name = "harbor"
        version = "2.1.0"
        [wagers.tie]
        pays = { value = "9 to 1", note = "our sign" }
        [options]
        odd_half = "up"
        [limits.primary]
        min = 500
    """
    book, base = load_file(own(tmp_path, text)), load("maryland")
    assert (book.rules.name, book.rules.version) == ("harbor", "2.1.0")
    assert book.rules.wagers.tie.pays == Ratio(9, 1)
    assert book.rules.wagers.progressive == base.rules.wagers.progressive
    assert book.rules.limits.primary.min == 500
    assert book.digest != base.digest
    assert book.sources["wagers.tie.pays"].note == "our sign"
    assert book.sources["wagers.primary.pays"] == base.sources["wagers.primary.pays"]
    game = play(book.rules, entry("Ann", 1, "9s", primary=501, tie=10, choice="surrender"), "9d")
    assert game.net("Ann", "tie") == 90
    assert game.net("Ann", "primary") == -251


def test_the_digest_is_of_the_content(tmp_path: Path) -> None:
    """The same content has the same digest, however it is laid out; other content another."""
    lines = 'extends = "online"\nname = "a"\n', "[limits.primary]\nmin = 5\n"
    first = load_file(own(tmp_path, "".join(lines))).digest
    assert load_file(own(tmp_path, "\n# the same\n".join(lines))).digest == first
    assert load_file(own(tmp_path, "".join(lines).replace("5", "6"))).digest != first


def test_every_problem_at_once(tmp_path: Path) -> None:
    """A wrong book is told all that is wrong with it, each with its key."""
    text = """
        extends = "maryland"
        name = "Wrong Name"
        colour = "red"
        [table]
        boxes = 12
        boxes_per_player = "two"
        [shoe]
        decks = 7
        [options]
        war_pays = "everything"
        [wagers.tie]
        pays = "ten to one"
        with_primarry = true
        [wagers.progressive.meter]
        reset = 999999
        contribution = "3/2"
    """
    found = problems(tmp_path, text)
    for key in (
        "name",
        "colour",
        "table.boxes_per_player",
        "options.war_pays",
        "wagers.tie.pays",
        "wagers.tie.with_primarry",
        "table.boxes",
        "shoe.decks",
        "wagers.progressive.meter.reset",
        "wagers.progressive.meter.contribution",
    ):
        assert any(sentence.startswith(f"{key}:") for sentence in found), (key, found)
    assert all(sentence.endswith((".", "?")) for sentence in found)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('extends = "nevada"\nname = "a"', "extends: expected one of "),
        ('extends = "online"', "name: "),
        ("name = ", "is not TOML"),
        ('name = "a"', "version: this key is missing."),
        ('extends = "online"\nname = "a"\nbanker = "player"', "bank: "),
        ('extends = "california"\nname = "a"\nbanker = "house"', "bank: "),
        ('extends = "online"\nname = "a"\n[limits.tie]\nmin = 9\nmax = 8', "limits.tie.max: "),
        (
            'extends = "maryland"\nname = "a"\n[wagers.progressive]\nmeter_line = "flush"',
            "wagers.progressive.meter_line: ",
        ),
        (
            'extends = "washington"\nname = "a"\n[options]\nwar_tie_wager = "free"',
            "outcomes.war_tie: ",
        ),
    ],
)
def test_problems(tmp_path: Path, text: str, sentence: str) -> None:
    """Each problem is a sentence that begins with the key or says what cannot be read."""
    assert any(sentence in each for each in problems(tmp_path, text)), problems(tmp_path, text)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    """A missing file or one that is no text is a problem in words."""
    with pytest.raises(RulesError, match="cannot be read"):
        load_file(tmp_path / "none.toml")
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(RulesError, match="not UTF-8"):
        load_any(str(tmp_path / "bytes.toml"))
    for name in ("nevada", "maryland@12", "maryland@00000000"):
        with pytest.raises(RulesError):
            load(name)


@pytest.mark.finding(16)
def test_an_edition_names_version_and_date() -> None:
    """The online operator's text has a version and a date; a document without one has none."""
    assert load("online").rules.document.edition == "version 1.0 of 2021-02-17"
    document = load("washington").rules.document
    assert document.edition == ""
    assert replace(document, version="3").edition == "version 3"


@pytest.mark.finding(16)
def test_whose_edge_it_is() -> None:
    """Where the house takes nothing the edge is the bank's, elsewhere the house's."""
    holders = {name: load(name).rules.edge_holder for name in NAMES}
    assert holders == {**dict.fromkeys(NAMES, "house"), "california": "bank"}


@pytest.mark.finding(19)
def test_how_many_hands_play_against_the_dealer() -> None:
    """Every box is one, but for the bank's own; community cards are as many as are dealt."""
    hands = {name: load(name).rules.boxes_in_play for name in NAMES}
    assert hands == {
        "california": 7, "maryland": 9, "new-zealand": 7, "online": 3, "washington": 7,
    }  # fmt: skip  # one line for five books
    electronic = with_options(load("maryland"), {"electronic": "5"}).rules
    assert electronic.boxes_in_play == 5


@pytest.mark.finding(19)
def test_every_clause_has_its_section_and_every_term_its_source() -> None:
    """A clause belongs to one part of its document, and a word is defined by a clause or by us."""
    assert all(clause.section for clause in clauses().values())
    for name in NAMES:
        found = list(glossary(name))
        assert found
        for each in found:
            assert each.term
            assert each.meaning
            assert each.source in clauses() or each.source in readings()
    burn = "A card that leaves the shoe unseen; the document does not define it."
    assert Term("burn", burn, "M29") in glossary("maryland")
    own = clauses()["CA-def-burn"].rule
    assert Term("burn card", own, "CA-def-burn") in glossary("california")
    assert not list(glossary("nowhere"))


def test_options_make_another_book() -> None:
    """Setting an option otherwise changes that option and the digest, and nothing else."""
    base = load("maryland")
    changed = with_options(base, {"war_pays": "no_bonus", "timeout": "war"})
    assert changed.rules.options.war_pays == "no_bonus"
    assert changed.rules.wagers == base.rules.wagers
    assert changed.digest != base.digest
    assert with_options(base, {"war_pays": "both_units"}) is base
    assert with_options(base, {"timeout": "war"}).digest != changed.digest


def test_ratios() -> None:
    """Odds and shares are whole numbers, equal by value, and round down."""
    assert Ratio.parse("10 to 1") == Ratio(20, 2)
    assert hash(Ratio(20, 2)) == hash(Ratio(10, 1))
    assert Ratio.parse("1/4").of(10) == 2
    assert str(Ratio(3, 2)) == "3 to 2"
    assert Ratio(1, 2) != "1 to 2"
    for wrong in ("", "1", "1 to 0", "-1 to 1", "1.5 to 1", 3, "1 to 1 "):
        with pytest.raises(ValueError, match="ratio"):
            Ratio.parse(wrong)
