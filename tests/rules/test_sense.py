"""Books whose values contradict each other: each problem is told, and its neighbour is none."""

from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from tables import problems, with_values
from wartable.rules import Book, RulesError, load, load_any, with_options
from wartable.rules.check import problems_of
from wartable.rules.inventory import Reading, clauses, readings
from wartable.rules.load import checked, resolve, shipped_raw
from wartable.rules.raw import Source

pytestmark = pytest.mark.finding(19)

TITLE = load("maryland").rules.title
WHEEL = "wagers__bonus_spin__wheel__"

ROWS: list[tuple[str, dict[str, Any], list[str]]] = [
    ("maryland", {}, []),
    (
        "maryland",
        {"shoe__decks": 7},
        ["shoe.decks: 7 is not among decks_allowed [6, 8]."],
    ),
    ("maryland", {"shoe__decks": 8}, []),
    ("maryland", {"wagers__progressive__denominations": [], "limits__ceiling": 30_000}, []),
    (
        "california",
        {"options__shuffle": "shoe"},
        ["options.shuffle: shoe is not among shoe.methods."],
    ),
    (
        "maryland",
        {"shoe__cover_from_bottom": "1/5"},
        ["shoe.cover_from_bottom: the cover card must lie at least 1/4 from the bottom."],
    ),
    ("maryland", {"shoe__cover_from_bottom": "2/8"}, []),
    ("maryland", {"shoe__cover_from_bottom": "99/100"}, []),
    (
        "maryland",
        {"shoe__cover_from_bottom": "3/3"},
        ["shoe.cover_from_bottom: the cover card must leave cards to deal: a share below 1/1."],
    ),
    (
        "maryland",
        {"shoe__cutting_cards": 0},
        ["shoe.cutting_cards: a shoe of many rounds has one or two, not 0."],
    ),
    (
        "california",
        {"shoe__cutting_cards": 3},
        ["shoe.cutting_cards: a shoe of many rounds has one or two, not 3."],
    ),
    ("maryland", {"shoe__cutting_cards": 1}, []),
    ("maryland", {"shoe__cutting_cards": 2}, []),
    ("online", {"shoe__cutting_cards": 0}, []),
    ("washington", {"table__boxes": 9}, []),
    ("washington", {"table__boxes": 10}, ["table.boxes: at most 9 boxes, not 10."]),
    ("washington", {"table__boxes": 3, "table__boxes_per_player": 3}, []),
    (
        "washington",
        {"table__boxes": 3, "table__boxes_per_player": 4},
        ["table.boxes_per_player: the table has 3 boxes."],
    ),
    (
        "washington",
        {"bank": {"rounds_max": 2, "rotation": "clockwise"}},
        ["bank: this section is required with banker = player and refused otherwise."],
    ),
    (
        "california",
        {"bank": None},
        ["bank: this section is required with banker = player and refused otherwise."],
    ),
    (
        "california",
        {"deal__house_match": True},
        ["deal.house_match: this needs banker = house; a player/dealer always matches."],
    ),
    ("washington", {"deal__house_match": False}, []),
    ("online", {"limits__tie": {"min": 500, "max": 500}}, []),
    (
        "online",
        {"limits__tie": {"min": 500, "max": 499}},
        ["limits.tie.max: the maximum 499 is below the minimum 500."],
    ),
    (
        "online",
        {"limits__war_tie": {"min": 5, "max": 4}},
        ["limits.war_tie.max: the maximum 4 is below the minimum 5."],
    ),
    (
        "online",
        {"limits__primary": {"min": 5, "max": 4}},
        ["limits.primary.max: the maximum 4 is below the minimum 5."],
    ),
    ("online", {"limits__ceiling": 500, "limits__primary": {"min": 500, "max": 500}}, []),
    (
        "online",
        {"limits__ceiling": 500, "limits__primary": {"min": 100, "max": 501}},
        ["limits.primary: the legal ceiling is 500 for one wager."],
    ),
    (
        "online",
        {"limits__ceiling": 500, "limits__tie": {"min": 501}},
        ["limits.tie: the legal ceiling is 500 for one wager."],
    ),
    ("maryland", {"limits__ceiling": 500, "limits__primary": {"min": 100, "max": 500}}, []),
    (
        "maryland",
        {"limits__ceiling": 499, "limits__primary": {"min": 100, "max": 499}},
        [
            "limits.ceiling: 499 is below the 500 of the progressive wager.",
            "limits.ceiling: 499 is below the 500 of the bonus_spin wager.",
        ],
    ),
    (
        "maryland",
        {
            "limits__ceiling": 499,
            "limits__primary": {"min": 100, "max": 499},
            "wagers__progressive__offered": False,
            "wagers__bonus_spin__offered": False,
        },
        [],
    ),
    ("online", {"limits__box_max": 500, "limits__primary": {"min": 500}}, []),
    (
        "online",
        {"limits__box_max": 499, "limits__primary": {"min": 500}},
        ["limits.box_max: the box maximum is below the minimum of a primary wager."],
    ),
    (
        "maryland",
        {"wagers__progressive__lines__double_tie": "151 to 1"},
        ["wagers.progressive.lines: list the highest line first; only the first line made pays."],
    ),
    ("maryland", {"wagers__progressive__lines__double_tie": "150 to 1"}, []),
    (
        "maryland",
        {
            "wagers__progressive__lines__double_tie": None,
            "wagers__progressive__meter_line": "double_tie",
        },
        [
            (
                "wagers.progressive.meter_line: expected one of suited_four_of_a_kind,"
                " suited_double_tie, four_of_a_kind, suited_tie, tie, not 'double_tie'."
            )
        ],
    ),
    (
        "maryland",
        {
            "wagers__progressive__lines__double_tie": None,
            "wagers__progressive__envy__line": "double_tie",
        },
        [
            (
                "wagers.progressive.envy.line: expected one of suited_four_of_a_kind,"
                " suited_double_tie, four_of_a_kind, suited_tie, tie, not 'double_tie'."
            )
        ],
    ),
    (
        "maryland",
        {"wagers__progressive__meter__initial": 999_999},
        ["wagers.progressive.meter.initial: at least 1000000 cents, not 999999."],
    ),
    (
        "maryland",
        {"wagers__bonus_spin__meters__secondary__reset": 499_999},
        ["wagers.bonus_spin.meters.secondary.reset: at least 500000 cents, not 499999."],
    ),
    (
        "maryland",
        {"wagers__progressive__meter__contribution": "0/1"},
        ["wagers.progressive.meter.contribution: a share of the wager above 0 and at most 1/1."],
    ),
    (
        "maryland",
        {"wagers__progressive__meter__contribution": "101/100"},
        ["wagers.progressive.meter.contribution: a share of the wager above 0 and at most 1/1."],
    ),
    ("maryland", {"wagers__progressive__meter__contribution": "1/1"}, []),
    (
        "maryland",
        {"wagers__bonus_spin__hot_spot__free": 100},
        ["wagers.bonus_spin: a symbol is written like $1,000, not 'free'."],
    ),
    (
        "maryland",
        {"wagers__bonus_spin__community__$x": 100},
        ["wagers.bonus_spin: a symbol is written like $1,000, not '$x'."],
    ),
    (
        "maryland",
        {"wagers__bonus_spin__community__77": 100},
        ["wagers.bonus_spin: a symbol is written like $1,000, not '77'."],
    ),
    ("maryland", {"wagers__bonus_spin__community__$2,500": 100}, []),
    (
        "maryland",
        {WHEEL + "community__$7": 1},
        [
            (
                "wagers.bonus_spin.wheel.community: expected one of $150, $100, $75, $50, $40, $35,"
                " $30, $25, not '$7'."
            )
        ],
    ),
    (
        "maryland",
        {WHEEL + "hot_spot__$7": 1},
        [
            (
                "wagers.bonus_spin.wheel.hot_spot: expected one of none, jackpot_primary,"
                " jackpot_secondary, $1,000, $600, $500, $400, $350, $300, $250, $200, not '$7'."
            )
        ],
    ),
    ("maryland", {WHEEL + "hot_spot": {"$200": 1}, WHEEL + "community": {"$25": 1}}, []),
    (
        "maryland",
        {WHEEL + "hot_spot": {"$200": 0}},
        ["wagers.bonus_spin.wheel.hot_spot: at least one stop needs a weight above 0."],
    ),
    (
        "maryland",
        {WHEEL + "community": {"$25": 0, "$30": 0}},
        ["wagers.bonus_spin.wheel.community: at least one stop needs a weight above 0."],
    ),
    ("maryland", {WHEEL + "community": {"$25": 2**53 - 2, "$30": 1}}, []),
    (
        "maryland",
        {WHEEL + "community": {"$25": 2**53 - 2, "$30": 2}},
        ["wagers.bonus_spin.wheel.community: the weights may add up to at most 9007199254740991."],
    ),
    (
        "maryland",
        {
            "wagers__bonus_spin__meters__secondary": None,
            WHEEL + "hot_spot__jackpot_secondary": None,
        },
        ["wagers.bonus_spin.meters.secondary: the bonus spin needs both of its meters."],
    ),
    (
        "maryland",
        {"outcomes__envy": None, "outcomes__war": None},
        [
            f"outcomes.{wager}: this section is missing; it describes how the wager can end."
            for wager in ("envy", "war")
        ],
    ),
    ("california", {"options__war_tie_wager": "none", "outcomes__war_tie": None}, []),
    (
        "california",
        {"options__war_tie_wager": "free", "outcomes__war_tie": None},
        ["outcomes.war_tie: this section is missing; it describes how the wager can end."],
    ),
    # Form
    ("online", {"table": 3}, ["table: expected a section with its own keys, not a single value."]),
    (
        "online",
        {"table": {"value": 3, "note": "ours"}},
        ["table: expected a section with its own keys, not a single value."],
    ),
    ("online", {"table__boxes": None}, ["table.boxes: this key is missing."]),
    (
        "online",
        {"table__boxxes": 3},
        ["table.boxxes: there is no such key; did you mean boxes?"],
    ),
    (
        "online",
        {"table__boxes": {"value": 3, "note": "ours", "zeal": 1, "about": 2}},
        ["table.boxes: a value can have clauses, readings and a note, not about."],
    ),
    (
        "online",
        {"table__boxes": {"value": 3, "clauses": "ON-1"}},
        ["table.boxes: clauses and readings are lists of ids; note is text."],
    ),
    ("online", {"table__boxes": {"value": 3, "note": "ours"}}, []),
]
"""A shipped book, the values that stand in it instead, and what is wrong with it then."""


@pytest.mark.parametrize(("name", "values", "told"), ROWS)
def test_sense(name: str, values: dict[str, Any], told: list[str]) -> None:
    """Each contradiction is told once, in a sentence that begins with the key, and nothing else."""
    assert problems(name, **values) == told


@pytest.mark.parametrize(
    ("wrong", "key"),
    [
        ({"table__boxes": "many"}, "table.boxes"),
        ({"table": 3}, "table"),
        ({"colour": "red"}, "colour"),
        ({"wagers__tie__colour": "red"}, "wagers.tie.colour"),
        ({"wagers__progressive__meter__initial": "much"}, "wagers.progressive.meter.initial"),
    ],
)
def test_a_wrong_form_does_not_hide_a_contradiction(wrong: dict[str, Any], key: str) -> None:
    """The base's value takes the place of a wrong one, so that the rest is checked as well."""
    base = shipped_raw("maryland")
    whole = with_values("maryland", **wrong, shoe__decks=7)
    form, sense = problems_of(whole, base)
    assert form.startswith(f"{key}: ")
    assert sense == "shoe.decks: 7 is not among decks_allowed [6, 8]."


def test_a_digest_of_options_is_of_book_and_options() -> None:
    """Other options, or the same in another book, have another digest; their order has none."""
    first, second = {"odd_half": "up", "war_burn": "each_card"}, {"odd_half": "up"}
    online, washington = load("online"), load("washington")
    digest = with_options(online, first).digest
    assert digest == with_options(online, dict(reversed(first.items()))).digest
    digests = {digest, with_options(online, second).digest, with_options(washington, first).digest}
    assert len(digests | {online.digest}) == 4


def test_where_an_outcomes_words_come_from() -> None:
    """The clauses behind an outcome, or else its readings; an unknown one has none."""
    sources = {
        "outcomes.tie.won": Source(("MD-1",), ("A1",)),
        "outcomes.tie.lost": Source((), ("A2",)),
    }
    book = Book(load("maryland").rules, sources, "")
    assert book.clauses("tie", "won") == ("MD-1",)
    assert book.clauses("tie", "lost") == ("A2",)
    assert book.clauses("tie", "none") == ()


@pytest.mark.parametrize(
    ("own", "told"),
    [
        ({}, ["name: a book that extends another needs its own name."]),
        ({"name": "online"}, ["name: online is a shipped book; give yours another name."]),
        (
            {"name": "own", "title": TITLE},
            [f"title: {TITLE} is a document's; give yours another title."],
        ),
    ],
)
def test_a_book_of_ones_own_has_its_own_name(own: dict[str, str], told: list[str]) -> None:
    """Neither a shipped book's name nor the document's title is given to another book."""
    with pytest.raises(RulesError) as refused:
        resolve({"extends": "maryland", **own})
    assert refused.value.problems == told


def test_community_cards_are_all_a_players() -> None:
    """A book that takes up community cards gives each player all of them, and says why."""
    raw = {"extends": "maryland", "name": "own", "options": {"electronic": "3"}}
    book = resolve(raw)
    assert book.rules.table.boxes_per_player == 3
    assert book.sources["table.boxes_per_player"] == Source(
        (), ("A19",), "all community cards, unless the operator says fewer"
    )
    own = resolve({**raw, "table": {"boxes_per_player": 2}})
    assert own.rules.table.boxes_per_player == 2


def test_a_book_that_is_nested_too_deeply(tmp_path: Path) -> None:
    """What no parser can hold is told in words."""
    path = tmp_path / "deep.toml"
    path.write_text("a = " + "[" * 100_000)
    with pytest.raises(RulesError, match=r"deep.toml is nested too deeply."):
        load_any(str(path))


def test_what_a_row_of_the_inventory_touches() -> None:
    """A reading names its documents or all, and defines words; a clause has surfaces, readings."""
    reading = Reading("A1", "maryland,online", *[""] * 7)
    assert [reading.touches(name) for name in ("maryland", "online", "washington")] == [
        True,
        True,
        False,
    ]
    assert replace(reading, document="all").touches("washington")
    assert reading.meanings == ()
    two = replace(reading, defines="burn: A card: unseen. | round: A game.")
    assert two.meanings == (("burn", "A card: unseen."), ("round", "A game."))
    clause = next(iter(clauses().values()))
    assert replace(clause, surface="engine,none,web").surfaces == ("engine", "web")
    assert replace(clause, reading="A1,,C2").readings == ("A1", "C2")


def test_a_name_that_no_section_has_is_told() -> None:
    """A line that no cards make, and a meter that no stop of the wheel pays."""
    lines = problems("maryland", wagers__progressive__lines__royal="5 to 1")
    assert [each.partition(":")[0] for each in lines] == ["wagers.progressive.lines.royal"]
    raw = shipped_raw("maryland")["wagers"]["bonus_spin"]["meters"]["primary"]
    (told,) = problems("maryland", wagers__bonus_spin__meters__third=raw)
    expected = "wagers.bonus_spin.meters: expected one of primary, secondary, not 'third'."
    assert told == expected


def test_a_whole_book_is_checked() -> None:
    """What is shipped or archived is no book either if its values contradict each other."""
    assert checked(shipped_raw("maryland")) == shipped_raw("maryland")
    with pytest.raises(RulesError) as refused:
        checked(with_values("maryland", shoe__decks=7))
    assert refused.value.problems == ["shoe.decks: 7 is not among decks_allowed [6, 8]."]


def test_a_row_of_the_inventory_is_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A row with a column too many or too few is no row, and is not read as if it were."""
    names, row = Reading.__struct_fields__, ("M1", "maryland", "L1", "", "", "P", "", "", "")
    whole = "\t".join(names) + "\n" + "\t".join(row) + "\n"
    monkeypatch.setattr(resources, "files", lambda _: tmp_path)
    (tmp_path / "readings.tsv").write_text(whole, "utf-8")
    assert readings.__wrapped__() == {"M1": Reading(*row)}
    for wrong in (row[:-1], (*row, "more")):
        (tmp_path / "readings.tsv").write_text(whole + "\t".join(wrong) + "\n", "utf-8")
        with pytest.raises(ValueError, match="zip"):
            readings.__wrapped__()


def test_a_section_in_place_of_a_value_does_not_hide_the_rest() -> None:
    """A section where a number is wanted is told beside what makes no sense elsewhere."""
    wrong = with_values("maryland", table__seats={"more": 7}, shoe__decks=7)
    first, second = problems_of(wrong, shipped_raw("maryland"))
    assert first.startswith("table.seats: ")
    assert second == "shoe.decks: 7 is not among decks_allowed [6, 8]."


@pytest.mark.parametrize("method", ["shoe", "batches"])
def test_a_shoe_of_many_rounds_has_one_or_two_cutting_cards(method: str) -> None:
    """By hand or by a device, a shoe that lasts needs a cutting card; a third has no use."""
    said: dict[str, Any] = {"shoe__methods": [method], "options__shuffle": method}
    for count in (0, 3):
        told = f"shoe.cutting_cards: a shoe of many rounds has one or two, not {count}."
        assert told in problems("washington", shoe__cutting_cards=count, **said)
    for count in (1, 2):
        assert not [
            each
            for each in problems("washington", shoe__cutting_cards=count, **said)
            if each.startswith("shoe.cutting_cards")
        ]


def test_a_name_and_a_version_say_what_they_may_be() -> None:
    """A book whose name or version is malformed is told the form, in words."""
    (told,) = problems_of({**shipped_raw("washington"), "name": "Club Night"})
    assert "lower-case letters, digits and hyphens, a letter first" in told
    (told,) = problems("washington", version="1.0")
    assert "three numbers such as 1.0.0" in told
