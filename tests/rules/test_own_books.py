"""A table with a document's name takes the document's readings; others make a book of one's own."""

import json
from importlib import resources
from pathlib import Path

import pytest
from click.testing import CliRunner
from msgspec.structs import replace

from own_books import own
from rounds import entry, play
from wartable.cli import wartable
from wartable.inscription import inscription, outcomes, paytable, printed_war, words
from wartable.odds.par import encode, make_sheet
from wartable.rules import NAMES, Book, RulesError, load, load_file, option_values, with_options
from wartable.rules.differences import differs
from wartable.rules.inventory import clauses, operator_choices, readings
from wartable.rules.load import build, resolve, shipped_raw
from wartable.rules.model import Options, Ratio
from wartable.rules.settings import check_options, operator_options

pytestmark = pytest.mark.finding(6)

BOOKS = resources.files("wartable.rules") / "books"
ALLOWED = {
    "california": {"shuffle", "war_burn"},
    "maryland": {"shuffle", "war_burn", "electronic", "abandoned"},
    "new-zealand": {"shuffle", "war_burn"},
    "online": {"shuffle", "war_burn"},
    "washington": {"shuffle", "war_burn"},
}

CALIFORNIA = (
    "California, player/dealer-banked does not leave this to the operator, who may set shuffle,"
    " war_burn; write a book of your own that extends it for"
)


def allowed(book: Book, **options: str) -> bool:
    """Whether a table of the book takes the options."""
    try:
        check_options(book, options)
    except RulesError:
        return False
    return True


@pytest.mark.parametrize("name", NAMES)
def test_what_a_document_leaves_to_the_operator(name: str) -> None:
    """Of the named options a table takes these alone; any other value of another is refused."""
    book = load(name)
    assert set(operator_options(book.rules)) == ALLOWED[name]
    for option in Options.__struct_fields__:
        own_value = getattr(book.rules.options, option)
        assert allowed(book, **{option: own_value})
        for value in set(option_values(option)) - {own_value}:
            left_open = value in operator_options(book.rules).get(option, ())
            assert allowed(book, **{option: value}) == left_open, (option, value)
            if option not in ALLOWED[name]:
                assert not left_open


def test_each_choice_has_its_source() -> None:
    """What the operator may choose stands beside its sources, and holds the book's own value."""
    rows = [reading.document for reading in readings().values() if reading.choice]
    assert sorted(set(rows)) == sorted(NAMES)
    for document in NAMES:
        choices = list(operator_choices(document))
        assert len(choices) == rows.count(document)
        for choice in choices:
            assert set(choice.clauses) <= set(clauses())
            assert choice.reading in readings()
            assert set(choice.values) <= set(option_values(choice.option))
            assert getattr(load(document).rules.options, choice.option) in choice.values


@pytest.mark.parametrize(
    ("name", "options", "told"),
    [
        (
            "washington",
            {"war_burn": "once"},
            "war_burn: Washington allows before_dealer, not once.",
        ),
        (
            "maryland",
            {"abandoned": "hold"},
            "abandoned: Maryland Standard Rules allows lose or surrender or play_on, not hold.",
        ),
        (
            "california",
            {"bank_cover": "running"},
            f"bank_cover: {CALIFORNIA} running.",
        ),
        (
            "california",
            {"electronic": "3"},
            f"electronic: {CALIFORNIA} 3.",
        ),
    ],
)
def test_a_refusal_says_what_is_allowed(name: str, options: dict[str, str], told: str) -> None:
    """The sentence names the option, whose document it is, and what is possible instead."""
    with pytest.raises(RulesError) as error:
        check_options(load(name), options)
    assert error.value.problems == [told]


def test_a_book_of_ones_own_says_in_what_it_differs() -> None:
    """Every value that moves money is named; what the document leaves open is not."""
    settings = {"boxes": 5}
    mine = own("mine", "maryland", "Mine", table=settings, options={"shuffle": "batches"})
    only = "Differs from Maryland Standard Rules only in what that document leaves to the operator."
    assert differs(build(mine).rules) == only
    assert differs(load("maryland").rules) == ""
    other = own("mine", "maryland", options={"odd_half": "up"}, wagers={"tie": {"pays": "9 to 1"}})
    assert differs(build(other).rules) == (
        "Differs from Maryland Standard Rules in wagers.tie.pays (9 to 1, not 10 to 1),"
        " odd_half (up, not down)."
    )
    studied = with_options(load("washington"), {"war_pays": "no_bonus"})
    assert "war_pays (no_bonus, not both_units)" in differs(studied.rules)
    fewer = differs(build(own("mine", "new-zealand", shoe={"decks": 4})).rules)
    assert fewer.endswith("only in what that document leaves to the operator.")
    many = replace(load("new-zealand").rules.shoe, decks=9)
    nine = replace(load("new-zealand").rules, shoe=many)
    assert "shoe.decks (9, not" in differs(nine)


def test_a_document_s_title_is_its_own(tmp_path: Path) -> None:
    """A book of one's own has another title than the document; without one, its name."""
    path = tmp_path / "mine.toml"
    path.write_text('extends = "online"\nname = "mine"\ntitle = "Online operator"\n', "utf-8")
    with pytest.raises(RulesError, match="title: Online operator is a document's; give yours"):
        load_file(path)
    path.write_text('extends = "online"\nname = "mine"\n', "utf-8")
    assert load_file(path).rules.title == "mine"


@pytest.mark.parametrize("title", ["Washington", "washington", " Washington. ", "New Zealand"])
@pytest.mark.parametrize("extends", ["washington", "maryland", None])
def test_no_other_book_has_a_documents_title(title: str, extends: str | None) -> None:
    """Neither another document's book nor a whole book of one's own, however it is written."""
    raw = {"extends": extends} if extends else dict(shipped_raw("washington"))
    with pytest.raises(RulesError) as error:
        resolve({**raw, "name": "mine", "title": title})
    assert error.value.problems == [f"title: {title} is a document's; give yours another title."]
    assert resolve({**raw, "name": "mine", "title": "Mine"}).rules.title == "Mine"


def test_a_whole_book_of_ones_own_has_no_shipped_name(tmp_path: Path) -> None:
    """A copy of a shipped book that pays otherwise is not opened under the document's name."""
    path = tmp_path / "copy.toml"
    path.write_bytes(Path(str(BOOKS / "washington.toml")).read_bytes())
    with pytest.raises(RulesError) as error:
        load_file(path)
    assert [problem.partition(":")[0] for problem in error.value.problems] == ["name", "title"]


def odds_of(text: str) -> str:
    """The odds at the end of an outcome's words."""
    return text.rpartition("paid ")[2]


def test_words_come_from_the_odds_in_force() -> None:
    """A tie wager at 9 to 1 is told so on the felt, in the rules and beside its payment."""
    nine = own(
        "nine", "maryland", wagers={"tie": {"pays": "9 to 1"}, "war_tie": {"pays": "8 to 1"}}
    )
    book = build(nine)
    assert words(book, "tie", "won") == "tie, paid 9 to 1"
    assert words(book, "war_tie", "won") == "war tied, paid 8 to 1"
    assert outcomes(book)["tie"]["won"] == "tie, paid 9 to 1"
    assert "Tie Wager pays 9 to 1" in inscription(book)
    assert words(book, "primary", "won") == words(load("maryland"), "primary", "won")
    game = play(book.rules, entry("Ann", 1, "9s", primary=500, tie=100, choice="surrender"), "9d")
    assert game.net("Ann", "tie") == 900


def test_the_sheet_and_the_settlement_name_the_odds_in_force(tmp_path: Path) -> None:
    """A PAR sheet and `settle` describe a book that pays 9 to 1 by its own odds, never as 10."""
    text = 'extends = "washington"\nname = "nine"\n[wagers.tie]\npays = "9 to 1"\n'
    path = tmp_path / "nine.toml"
    path.write_text(text, "utf-8")
    sheet = encode(make_sheet(load_file(path), ""), ".html").decode()
    assert "9 to 1" in sheet
    assert "10 to 1" not in sheet.replace("(9 to 1, not 10 to 1)", "")
    hand = {"box": 1, "player": "Ann", "wagers": {"primary": 1000, "tie": 100}, "cards": ["9s"]}
    worked = {"rules": str(path), "hands": [hand | {"choice": "surrender"}], "dealer": ["9d"]}
    result = CliRunner().invoke(wartable, ["settle"], input=json.dumps(worked))
    assert "+9.00   tie, paid 9 to 1" in result.stdout
    assert "10 to 1" not in result.stdout


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("reading", option_values("war_pays"))
def test_a_wars_words_come_from_its_reading(name: str, reading: str) -> None:
    """What is told of a war is what the engine pays, wager by wager; never another reading."""
    book = with_options(load(name), {"war_pays": reading})
    for cards, outcome in (("Ks 2d", "war_won"), ("Ks Kd", "war_tied")):
        mine, dealer = cards.split()
        hand = entry("Ann", 1, f"9s {mine}", primary=600, choice="war")
        game = play(book.rules, hand, f"9d {dealer}")
        for wager in ("primary", "war"):
            told, net = words(book, wager, outcome), game.net("Ann", wager)
            if told == words(load(name), wager, outcome):
                document = play(load(name).rules, hand, f"9d {dealer}")
                assert net == document.net("Ann", wager)
                assert "together" not in told or game.net("Ann") == document.net("Ann")
            elif net <= 0:
                assert told.endswith("lost" if net else "returned")
            else:
                assert Ratio.parse(odds_of(told)).of(600) == net
    printed = load(name).rules.wagers.war.printed
    together = ", on both wagers together" if "1 to 2" in printed else ""
    assert printed_war(book) == (printed + together if reading == "both_units" else "")


def test_a_documents_words_stay() -> None:
    """The five books as they ship are told in their documents' words."""
    for name in NAMES:
        book = load(name)
        assert outcomes(book) == book.rules.outcomes
        printed = book.rules.wagers.war.printed
        together = f"{printed}, on both wagers together"
        assert printed_war(book) == (together if "1 to 2" in printed else printed)


def test_own_words_stay_too() -> None:
    """Who pays otherwise and says so in words of their own is quoted."""
    mine = own(
        "mine",
        "maryland",
        wagers={"tie": {"pays": "9 to 1"}},
        outcomes={"tie": {"won": "a tie at nine for one"}},
    )
    assert words(build(mine), "tie", "won") == "a tie at nine for one"


def test_a_payout_limit_is_told_beside_the_odds() -> None:
    """Where a payout limit may cut a payment, the words say so; a lost wager's do not."""
    capped = build(own("capped", "maryland", limits={"payout_max": 1_500}))
    assert words(capped, "tie", "won") == "tie, paid 10 to 1, up to the payout limit of $15"
    assert "payout limit" in words(capped, "war", "war_tied")
    for outcome in ("lost", "surrendered", "war_lost"):
        assert "payout limit" not in words(capped, "primary", outcome)
    assert "payout limit" not in words(capped, "progressive", "suited_tie")
    game = play(capped.rules, entry("Ann", 1, "9s", primary=500, tie=500, choice="surrender"), "9d")
    assert game.net("Ann", "tie") == 1_500
    running = with_options(load("california"), {"bank_cover": "running"})
    assert words(running, "tie", "won") == "tie, paid 10 to 1, as far as the bank reaches"


def test_the_progressives_words_follow_its_odds() -> None:
    """Odds for 1 are told as such, in the paytable and beside the payment."""
    book = with_options(load("maryland"), {"progressive_odds": "for_1"})
    assert words(book, "progressive", "suited_tie") == "suited tie, 15 for 1"
    lines = {pay.line: pay.pays for pay in paytable(book) if pay.wager == "progressive"}
    assert lines["suited tie"] == "15 for 1"
    assert lines["suited four of a kind"] == "1000 for 1 and the meter"


def test_the_wheels_words_follow_the_reading() -> None:
    """Under `face` a community stop of $100 pays $100, and the felt says so."""
    book = load("maryland")
    spin = book.rules.wagers.bonus_spin
    assert spin is not None
    rules = replace(
        book.rules, wagers=replace(book.rules.wagers, bonus_spin=replace(spin, offered=True))
    )
    offered = replace(book, rules=rules)
    for value, pays in (("stated", "$125 for $5"), ("face", "$100 for $5")):
        lines = {
            pay.line: pay.pays for pay in paytable(with_options(offered, {"community_pays": value}))
        }
        assert lines["community $100"] == pays
