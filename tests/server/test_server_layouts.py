"""What staff must know of a table: under which approval its layout lies, and what is assumed."""

from collections.abc import Iterator

import pytest

from clauses import proves
from hosting import Client, Hosted
from wartable.rules import NAMES, load
from wartable.server.denied import Denied
from wartable.server.http.routes.books import assumptions
from wartable.server.opening import PRACTICE, layout_of
from wartable.server.records import database

pytestmark = pytest.mark.finding(20)


@pytest.fixture(scope="module")
def hosted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosted]:
    """A house of deposited money whose operator has recorded no layout."""
    folder = tmp_path_factory.mktemp("house")
    books = ("maryland", "new-zealand", "washington")
    with Hosted(folder, books=books, money="deposited", bots=False) as running:
        yield running


@pytest.fixture
def admin(hosted: Hosted) -> Iterator[Client]:
    """The administrator."""
    with hosted.admin() as staff:
        yield staff


@proves("console", "MD-2-B")
def test_console_MD_2_B(hosted: Hosted, admin: Client) -> None:
    """No Maryland table opens before the operator records the reference of its layout."""
    names = {each["name"] for each in admin.get("/staff")["tables"]}
    assert "washington 1" in names
    assert "maryland 1" not in names, "the house's own table stays closed"
    for missing in ({}, {"layout": ""}, {"layout": "   "}):
        refused = admin.post("/tables", 409, name="md", book="maryland", **missing)
        assert refused["code"] == "layout_not_approved"
        assert "record the reference" in refused["sentence"]
    admin.post("/tables", 201, name="md", book="maryland", layout="MLGCA 2026-114, version 3")
    assert admin.get("/tables/md/book")["layout"] == "MLGCA 2026-114, version 3"
    kept = database.setup_of(hosted.house.engine, "md")
    assert kept.layout == "MLGCA 2026-114, version 3", "a restart finds it again"
    admin.post("/tables", 201, name="wa", book="washington")
    assert admin.get("/tables/wa/book")["layout"] == "", "other documents ask for none"


@proves("console", "MD-2-B")
def test_who_recorded_a_layout_is_an_event(admin: Client) -> None:
    """The record of significant events names the layout of a table that was opened."""
    admin.post("/tables", 201, name="recorded", book="maryland", layout="MLGCA 2026-115")
    rows = [row for row in admin.get("/records/significant") if row["subject"] == "recorded"]
    assert [row["actor"] for row in rows] == ["admin"]
    assert "layout: MLGCA 2026-115" in rows[0]["after"]


def test_the_layout_of_a_house() -> None:
    """The house's reference serves all its tables; play money says that nobody approved it."""
    maryland, online = load("maryland").rules, load("online").rules
    assert layout_of(maryland, " A-1 ", "deposited") == "A-1"
    assert layout_of(maryland, "A-1", "play") == "A-1"
    assert layout_of(maryland, "", "play") == PRACTICE
    assert layout_of(online, "A-1", "deposited") == ""
    with pytest.raises(Denied):
        layout_of(maryland, "", "deposited")


@proves("console", "NZ-2.0")
def test_console_NZ_2_0(admin: Client) -> None:
    """Staff are told that Division 1 is not there, and each value that is assumed in its place."""
    book = admin.get("/tables/new-zealand 1/book")
    assert "Division 1" in book["rules"]["document"]["notice"]
    assumed = {each["key"]: each for each in book["assumptions"]}
    for key, value in {
        "shoe.burn_first": "1",
        "shoe.burn_new_dealer": "1",
        "deal.order": "clockwise",
        "deal.settle": "clockwise",
        "deal.war_burn": "3",
        "opening.idle_spread": "True",
    }.items():
        assert (assumed[key]["value"], assumed[key]["readings"]) == (value, ["N9"])
    assert "deal.dealer" not in assumed
    assert "wagers.tie.pays" not in assumed, "what a clause says is no assumption"


@pytest.mark.parametrize("name", NAMES)
def test_assumptions_are_what_no_clause_supports(name: str) -> None:
    """Each has readings, is a value of the book and is supported by no clause."""
    book = load(name)
    found = {each.key: each for each in assumptions(book)}
    alone = {key for key, source in book.sources.items() if source.readings and not source.clauses}
    assert set(found) == {key for key in alone if not key.startswith("outcomes.")}
    assert all(each.value and each.readings for each in found.values())
