"""Rule books over HTTP: what the felt and the pages show is the book in force."""

from collections.abc import Iterator
from fractions import Fraction

import pytest
from msgspec.structs import replace

from hosting import Hosted
from wartable.game.wagers.war import printed_odds
from wartable.inscription import burns, decks_in_use, inscription
from wartable.rules import NAMES, inventory, load, with_options
from wartable.rules.inventory import clauses, readings
from wartable.rules.load import build, shipped_raw
from wartable.server.http.routes.books import page_of


@pytest.fixture(scope="module")
def hosted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosted]:
    """A server with a table of each kind of wager."""
    folder = tmp_path_factory.mktemp("house")
    with Hosted(folder, books=("maryland", "online"), operator="Chesapeake Hall") as running:
        yield running


def test_the_book_in_force_has_what_the_felt_needs(hosted: Hosted) -> None:
    """Plain values, limits, options, labels and the paytable, with the clauses behind outcomes."""
    with hosted.http() as http:
        told = http.get("/tables/maryland 1/book").raise_for_status().json()
        lobby = http.get("/lobby").json()["tables"]
    assert told["digest"] == next(t["digest"] for t in lobby if t["name"] == "maryland 1")
    assert told["operator"] == "Chesapeake Hall"
    assert (told["decks"], told["staffed"], told["boxes_in_play"]) == (6, False, 9)
    assert told["rules"]["labels"]["primary"] == "Initial Wager"
    assert told["rules"]["wagers"]["tie"]["pays"] == "10 to 1"
    assert told["rules"]["wagers"]["bonus_spin"]["wheel"]["hot_spot"]["jackpot_primary"] == 1
    assert told["rules"]["options"]["war_tie_wager"] == "free"
    assert told["clauses"]["primary.surrendered"] == ["MD-9-E-1", "MD-9-E-1a", "MD-9-E-1b"]
    pays = {(row["wager"], row["line"]): row for row in told["paytable"]}
    assert pays["progressive", "double tie"]["pays"] == "30 to 1"
    assert pays["progressive", "double tie"]["clauses"] == ["MD-10-B-4"]
    assert pays["bonus_spin", "community $75"]["pays"] == "$100 for $5"


def test_a_private_tables_book_is_its_owners(hosted: Hosted) -> None:
    """Nobody else is told that the table is there."""
    with hosted.guest() as owner, hosted.guest() as other:
        name = owner.private("online")
        assert owner.get(f"/tables/{name}/book")["rules"]["name"] == "online"
        assert other.get(f"/tables/{name}/book", 404)["code"] == "no_table"


def test_the_inscription_is_of_the_live_paytable() -> None:
    """The inscription follows the live book: odds, wagers that are offered, the payout limit."""
    lines = inscription(load("maryland"))
    assert "Tie Wager pays 10 to 1" in lines
    assert "Envy Bonus suited four of a kind pays $5,000 for each $5 wagered" in lines
    assert not [line for line in lines if "payout limit" in line]
    raw = shipped_raw("maryland")
    raw["wagers"]["tie"]["pays"]["value"] = "11 to 1"
    raw["wagers"]["progressive"]["offered"]["value"] = False
    raw["limits"] = {"payout_max": 5_000_000}
    lines = inscription(build(raw))
    assert "Tie Wager pays 11 to 1" in lines
    assert not [line for line in lines if "Progressive Payout" in line or "Envy" in line]
    assert lines[-1] == "Payout limit for each hand: $50,000."


FIRST = ("1 card is burned when a shoe begins.", "1 card is burned when the dealer changes.")
BURNS = {
    "california": (*FIRST, "3 cards are burned before the war's cards."),
    "maryland": (*FIRST, "3 cards are burned before the war's cards."),
    "new-zealand": (*FIRST, "3 cards are burned before the war's cards."),
    "online": ("3 cards are burned before the war's cards.",),
    "washington": (
        *FIRST,
        "3 cards are burned before the players' war cards, and 3 more before the Dealer's.",
    ),
}


@pytest.mark.finding(16)
@pytest.mark.parametrize("name", NAMES)
def test_the_page_says_what_the_document_has(name: str) -> None:
    """Decks at the table, burns by moment, no payout limit where none is posted."""
    page = page_of(load(name))
    assert page.burns == BURNS[name]
    assert page.payout_limit == ""
    batches = "12 decks in two batches of six"
    assert page.decks_in_use == (batches if name == "california" else "6 decks")


@pytest.mark.parametrize(("option", "pays"), [("stated", 12_500), ("face", 10_000)])
def test_the_wheel_comes_with_what_its_stops_pay(option: str, pays: int) -> None:
    """A community stop at $100 pays what the book in force says, so no page has to work it out."""
    book = with_options(load("maryland"), {"community_pays": option})
    wheel = page_of(book).wheel
    assert wheel is not None
    assert wheel.community_pays["$100"] == pays
    assert wheel.community_pays.keys() == wheel.community.keys()


@pytest.mark.finding(16)
def test_cards_and_burns_follow_the_table() -> None:
    """Another number of decks, another method and another moment of burning are other words."""
    assert decks_in_use(8, "batches") == "16 decks in two batches of eight"
    assert decks_in_use(1, "continuous") == "1 deck"
    book = with_options(load("maryland"), {"war_burn": "each_card"})
    assert burns(book.rules)[-1] == "3 cards are burned before every war card."


@pytest.mark.finding(16)
def test_odds_on_both_wagers_say_so() -> None:
    """New Zealand's "1 to 2" is on both wagers together; under another reading it is not."""
    both = "1 to 2 on a win, 1 to 1 on a tie, on both wagers together"
    assert printed_odds(load("new-zealand").rules) == both
    other = with_options(load("new-zealand"), {"war_pays": "war_only"})
    assert "together" not in printed_odds(other.rules)
    assert printed_odds(load("maryland").rules) == "1 to 1; 2 to 1 when the War deal ties"


@pytest.mark.parametrize("name", NAMES)
def test_every_clause_is_on_the_page_once(name: str) -> None:
    """Each clause of the document stands in exactly one section, and its readings are there."""
    page = page_of(load(name))
    shown = [clause.id for part in page.sections for clause in part.clauses]
    assert sorted(shown) == sorted(each.id for each in clauses().values() if each.document == name)
    assert all(part.clauses for part in page.sections)
    needed = {
        reading
        for clause in clauses().values()
        for reading in clause.readings
        if clause.document == name
    }
    assert needed <= set(page.readings)
    assert page.glossary
    assert all(meaning.meaning for meaning in page.glossary)
    assert {m.source for m in page.glossary} <= set(clauses()) | set(readings())


def test_a_document_needs_no_sections(monkeypatch: pytest.MonkeyPatch) -> None:
    """Clauses without a section stand last on the page, under the document's title."""
    kept = {
        id_: each if each.section == "Ranks" else replace(each, section="")
        for id_, each in clauses().items()
    }
    monkeypatch.setattr(inventory, "clauses", lambda: kept)
    first, rest = page_of(load("new-zealand")).sections
    assert first.title == "Ranks"
    assert rest.title == load("new-zealand").rules.document.title
    document = [each.id for each in kept.values() if each.document == "new-zealand"]
    assert [each.id for each in rest.clauses] == [id_ for id_ in document if "NZ-4" not in id_]


def test_the_page_over_http(hosted: Hosted) -> None:
    """The page of a book that is played here, with version, notices and outcomes; no other's."""
    with hosted.http() as http:
        page = http.get("/books/online/page").raise_for_status().json()
        assert http.get("/books/washington/page").status_code == 404
    assert (page["document"]["version"], page["document"]["date"]) == ("1.0", "2021-02-17")
    assert "trade mark" in page["document"]["notice"]
    assert page["ranks"][0] == "A"
    words = {(row["wager"], row["outcome"]): row["words"] for row in page["outcomes"]}
    assert words["war", "war_tied"] == "war tied, raise paid 2:1"


def test_the_odds_over_http(hosted: Hosted) -> None:
    """Six decks, always war: 23138/993023, and the distribution adds up to one."""
    with hosted.http() as http:
        odds = http.get("/books/online/odds").raise_for_status().json()
        assert http.get("/books/nothing/odds").status_code == 404
    war = odds["wagers"]["primary"]["war"]
    assert war["edge"]["exact"] == "23138/993023"
    assert sum(Fraction(chance["exact"]) for chance in war["pmf"].values()) == 1


@pytest.mark.finding(19)
def test_the_felt_is_the_tables_own(hosted: Hosted) -> None:
    """A table with the operator's settings shows what it offers, not its book's defaults."""
    settings = {"wagers.progressive.offered": False}
    with hosted.admin() as admin:
        admin.post("/tables", 201, name="felt", book="maryland", settings=settings)
        told = admin.get("/tables/felt/book")
        other = admin.get("/tables/maryland 1/book")
    assert told["digest"] != other["digest"]
    assert "progressive" not in {row["wager"] for row in told["paytable"]}
    assert "progressive" in {row["wager"] for row in other["paytable"]}
    assert not [line for line in told["inscription"] if "Progressive Payout" in line]
