"""Tables opened with an operator's options and settings, and what is kept of them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from hosting import WIDE, Client, Hosted
from own_books import own, own_books
from wartable.rules import RulesError, load
from wartable.rules.load import build, shipped_raw
from wartable.rules.settings import configured
from wartable.server import manifest
from wartable.server.audit import recall, selfcheck, verify
from wartable.server.records import database

OWN = own_books(
    own("for-one", "maryland", options={"progressive_odds": "for_1"}),
    own("club", "maryland", "Club night", options={"war_pays": "no_bonus"}),
)


@pytest.fixture(scope="module")
def hosted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosted]:
    """One server for all tests of this file; its records are verified at the end."""
    books = ("maryland", "washington", *OWN)
    with Hosted(tmp_path_factory.mktemp("house"), books=books, own=OWN) as running:
        yield running
        verify.verify(running.house.engine, running.house.key)


def opened(client: Client, **body: Any) -> dict[str, Any]:
    """The answer to the request for a table that is opened."""
    answer: dict[str, Any] = client.post("/tables", 201, **body)
    return answer


def refused(client: Client, status: int = 400, **body: Any) -> str:
    """The sentence with which a table is refused."""
    return str(client.post("/tables", status, **body)["sentence"])


def test_options_and_settings_are_the_tables_book(hosted: Hosted) -> None:
    """A table's book has the operator's values, the clauses beside them and a digest of its own."""
    with hosted.admin() as admin:
        options = {"shuffle": "batches", "abandoned": "surrender"}
        settings = {"table.boxes": 5, "limits.primary.min": 500, "wagers.bonus_spin.offered": False}
        table = opened(admin, name="own", book="maryland", options=options, settings=settings)
    book, _ = database.opened_with(hosted.house.engine, "own")
    assert table == {"name": "own", "book": "maryland", "digest": book.digest}
    assert book.digest != load("maryland").digest
    assert (book.rules.options.shuffle, book.rules.options.abandoned) == ("batches", "surrender")
    assert (book.rules.table.boxes, book.rules.table.seats) == (5, 5)
    assert book.rules.wagers.bonus_spin is not None
    assert not book.rules.wagers.bonus_spin.offered
    assert book.sources["table.boxes"].clauses == ("MD-2-A",)
    assert book.sources["options.shuffle"].note == "the operator's"
    rules = hosted.house.floor.places["own"].live.setup.rules
    assert replace(rules, limits=book.rules.limits) == book.rules
    assert (rules.limits.primary.min, rules.limits.primary.max) == (500, WIDE.primary.max)


def test_nothing_set_is_the_book_itself() -> None:
    """Without options and settings the content is the shipped book's, and so is its digest."""
    for name in ("maryland", "new-zealand"):
        content, limits = configured(shipped_raw(name), {}, {"limits.primary.max": 700}, WIDE)
        assert build(content).digest == load(name).digest
        assert limits.primary.max == 700


@pytest.mark.parametrize(
    ("options", "settings", "told"),
    [
        ({"shufle": "shoe"}, {}, "There is no option 'shufle'"),
        ({"shuffle": "often"}, {}, "The option shuffle may be shoe"),
        ({}, {"table.boxes": 10}, "table.boxes: at most 9, the book's own value, not 10."),
        ({}, {"table.players_per_box": 2}, "at most 1, the book's own value, not 2."),
        ({}, {"table.boxes": "many"}, "table.boxes: expected a whole number, not 'many'."),
        ({}, {"table.boxes_per_player": 10}, "the table has 9 boxes."),
        ({}, {"wagers.primary.pays": "2 to 1"}, "operators cannot set this"),
        ({}, {"wagers.progressive.lines.tie": "9 to 1"}, "operators cannot set this"),
        ({}, {"wagers.progressive.meter.reset_min": 1}, "operators cannot set this"),
        ({}, {"wagers.bonus_spin.wheel.hot_spot.$7": 1}, "operators cannot set this"),
        ({}, {"wagers.progressive.meter.reset": 999_999}, "at least 1000000 cents, not 999999."),
        ({}, {"limits.box_mx": 100}, "operators cannot set this"),
        ({}, {"": 1}, "operators cannot set this"),
        ({}, {"limits.primary.min": "all"}, "limits.primary.min: expected a whole number"),
        ({}, {"limits.ceiling": 10**9 + 1}, "limits.ceiling: at most 1000000000, the house's own"),
        (
            {},
            {"wagers.progressive.meter.contribution": "0/1"},
            "wagers.progressive.meter.contribution: a share of the wager above 0 and at most 1/1.",
        ),
    ],
)
def test_what_no_operator_may_set(
    options: dict[str, str], settings: dict[str, Any], told: str
) -> None:
    """What pays otherwise, is unknown or goes beyond the document is refused in a sentence."""
    with pytest.raises(RulesError) as error:
        configured(shipped_raw("maryland"), options, settings, WIDE)
    assert told in str(error.value)


def test_a_refused_setting_opens_no_table(hosted: Hosted) -> None:
    """The answer says what is wrong, and no table of that name is there."""
    with hosted.admin() as admin:
        told = refused(admin, name="wrong", book="maryland", settings={"table.boxes": 10})
        assert told == "table.boxes: at most 9, the book's own value, not 10."
        told = refused(admin, name="wrong", book="maryland", options={"shuffle": "continuous"})
        assert told == "The method continuous needs the reference of its approval."
        told = refused(admin, name="wrong", book="maryland", options={"progressive_odds": "for_1"})
        assert told.startswith("progressive_odds: Maryland Standard Rules does not leave this")
        told = refused(admin, 409, name="wrong", book="for-one")
        assert "74.58 %" in told
        admin.get("/tables/wrong", 404)


def test_settings_outlive_a_restart(tmp_path: Path) -> None:
    """A table with settings is restored with its own book, and every check of the records holds."""
    body = {"name": "kept", "book": "maryland", "approval": "ref 12"}
    options, settings = {"shuffle": "continuous"}, {"limits.primary.max": 700}
    with Hosted(tmp_path, books=("maryland",)) as hosted, hosted.admin() as admin:
        opened(admin, **body, options=options, settings=settings)
        with hosted.guest() as guest:
            guest.hello("kept")
            guest.must("join", amount=5_000, seat=1)
            guest.play(1)
    with Hosted(tmp_path, books=("maryland",)) as hosted, hosted.guest() as guest:
        rules = hosted.house.floor.places["kept"].live.setup.rules
        assert (rules.options.shuffle, rules.limits.primary.max) == ("continuous", 700)
        guest.hello("kept")
        guest.must("join", amount=5_000, seat=2)
        assert guest.bet(701, box=2) == "limit"
        verify.verify(hosted.house.engine, hosted.house.key)
        found = selfcheck.problems(hosted.house.engine, manifest.manifest())
        assert not [told for told in found if not told.startswith("No code is approved")]
        with hosted.admin() as admin:
            notes = admin.get("/records/significant")
        noted = [note for note in notes if note["kind"] == "table_opened"]
        assert [(note["subject"], note["reason"]) for note in noted] == [("kept", "ref 12")]


@pytest.mark.finding(6)
def test_a_house_plays_a_book_of_its_own(hosted: Hosted) -> None:
    """Its table has its own title, and lobby, table, rules and records say in what it differs."""
    sentence = "Differs from Maryland Standard Rules in war_pays (no_bonus, not both_units)."
    with hosted.admin() as admin:
        opened(admin, name="clubhouse", book="club")
        (card,) = [each for each in admin.get("/lobby")["tables"] if each["name"] == "clubhouse"]
        assert (card["book"], card["title"], card["differs"]) == ("club", "Club night", sentence)
        told = admin.get("/tables/clubhouse/book")
        assert (told["rules"]["title"], told["differs"]) == ("Club night", sentence)
        assert told["rules"]["outcomes"]["war"]["war_tied"] == "war tied, paid 1 to 1"
        page = admin.get("/books/club/page")
        assert (page["title"], page["differs"]) == ("Club night", sentence)
        assert page["sections"], "the clauses of the document it extends"
        shown = {each["name"]: each["differs"] for each in admin.get("/books")}
        assert (shown["club"], shown["maryland"]) == (sentence, "")
        ours, theirs = (admin.get(f"/books/{name}/odds")["wagers"] for name in ("club", "maryland"))
        assert ours["primary"] != theirs["primary"]
        assert ours["tie"] == theirs["tie"]
    with hosted.guest() as guest:
        guest.hello("clubhouse")
        guest.must("join", amount=5_000, seat=1)
        guest.play(1)
    recalled = recall.recall(hosted.house.engine, hosted.house.key, "clubhouse", 1)
    assert (recalled.book, recalled.title, recalled.differs) == ("club", "Club night", sentence)


@pytest.mark.finding(6)
@pytest.mark.parametrize(
    "option",
    ["war_pays=no_bonus", "progressive_odds=for_1", "community_pays=face", "odd_half=up"],
)
def test_a_documents_table_refuses_another_reading(hosted: Hosted, option: str) -> None:
    """A reading that moves money is refused at a table of the document, and no table opens."""
    key, _, value = option.partition("=")
    with hosted.admin() as admin:
        told = refused(admin, name="otherwise", book="maryland", options={key: value})
        assert told.startswith(
            f"{key}: Maryland Standard Rules does not leave this to the operator"
        )
        assert told.endswith(f"write a book of your own that extends it for {value}.")
        admin.get("/tables/otherwise", 404)


@pytest.mark.finding(6)
def test_no_table_has_the_name_of_a_document_that_it_does_not_play(hosted: Hosted) -> None:
    """A book of one's own, or another document's, is not played at a table with a book's name."""
    wrong = [("maryland 8", "club"), ("night at maryland", "club"), ("washington", "maryland")]
    with hosted.admin() as admin:
        for name, book in wrong:
            told = refused(admin, 409, name=name, book=book)
            assert told.endswith(" plays by that book; give this one another name.")
            admin.get(f"/tables/{name}", 404)
        opened(admin, name="maryland 8", book="maryland")


@pytest.mark.finding(7)
def test_a_return_above_100_needs_the_operators_word(hosted: Hosted) -> None:
    """A gift is refused, confirmed by its name alone, and noted; another name confirms nothing."""
    full = {"wagers.bonus_spin.wheel.hot_spot.none": 0}
    half = {"wagers.progressive.meter.contribution": "1/2"}
    high = {"wagers.progressive.meter.initial": 10**9}
    with hosted.admin() as admin:
        assert "the initial meter" in refused(
            admin, 409, name="gift", book="maryland", settings=high
        )
        told = refused(admin, 409, name="gift", book="maryland", settings=full)
        assert told.startswith("The bonus_spin wager returns ")
        assert told.endswith("above 100 %; the operator may confirm bonus_spin by name.")
        told = refused(admin, 409, name="gift", book="maryland", settings=half)
        assert told.startswith("The progressive wager returns ")
        wrong = {"name": "gift", "book": "maryland", "settings": half, "confirmed": ["bonus_spin"]}
        assert "progressive" in refused(admin, 409, **wrong)
        admin.get("/tables/gift", 404)
        opened(admin, **{**wrong, "confirmed": ["progressive"]})
        noted = [n for n in admin.get("/records/significant") if n["subject"] == "gift"]
        assert ["progressive confirmed above 100 %" in n["after"] for n in noted] == [True]


@pytest.mark.finding(5)
def test_tables_of_one_book_share_digest_and_meters_whatever_their_limits(hosted: Hosted) -> None:
    """Limits are the table's: they split neither the book's digest nor its meters."""
    with hosted.admin() as admin:
        low = opened(admin, name="low", book="maryland", settings={"limits.primary.max": 5_000})
        high = opened(admin, name="high", book="maryland", settings={"limits.primary.max": 50_000})
    assert low["digest"] == high["digest"] == load("maryland").digest
    setups = [hosted.house.floor.places[name].live.setup for name in ("low", "high", "maryland 1")]
    assert len({setup.meters for setup in setups}) == 1
    assert [setup.rules.limits.primary.max for setup in setups] == [5_000, 50_000, 10**9]
