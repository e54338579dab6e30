"""The lab in a real browser: its figures are those of `wartable odds --json`."""

import json
from collections.abc import Iterator
from random import Random
from typing import Any
from urllib.parse import urlencode

import pytest
from click.testing import CliRunner
from playwright.sync_api import Page, expect

from browser import NARROW, Visit, assert_accessible, assert_fits
from hosting import Hosted
from wartable.cli import wartable
from wartable.odds import Odds
from wartable.rules import NAMES, load, option_values
from wartable.sim.chain import chain
from wartable.sim.planning import plan_session
from wartable.sim.session import tables_of

STUDIED = ("war_pays", "odd_half", "progressive_odds", "progressive_suited", "community_pays")
"""Options that a configuration may change."""
SUITS = "shdc"
FIGURES = """() => {
  const shown = (each) => each.querySelector("[data-exact], [data-value]") ?? each;
  const value = ({ dataset }) => dataset.exact ?? Number(dataset.value);
  const read = (place) => {
    const found = [...place.querySelectorAll("[data-figure]")];
    return Object.fromEntries(found.map((each) => [each.dataset.figure, value(shown(each))]));
  };
  const name = ({ dataset }) => `${dataset.wager} ${dataset.way}`.trim();
  const wagers = [...document.querySelectorAll("section[data-wager]")];
  return {
    seat: read(document.querySelector("[data-seat]")),
    wagers: Object.fromEntries(wagers.map((each) => [name(each), read(each)])),
  };
}"""


@pytest.fixture(scope="module")
def hosted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosted]:
    """A house; nobody signs in."""
    with Hosted(tmp_path_factory.mktemp("house")) as running:
        yield running


class Configuration:
    """One thing to study: as the lab's address, and as the command's arguments."""

    def __init__(self, random: Random, book: str) -> None:
        rules = load(book)
        self.book, self.decks = book, random.choice((1, 2, 6, 8))
        self.strategy = random.choice(("war", "surrender", "best"))
        self.gone = {rank: random.randint(1, 3) for rank in random.sample("23456789TJQKA", 3)}
        options = {each: random.choice(option_values(each)) for each in random.sample(STUDIED, 2)}
        in_force = rules.rules.options
        self.options = {
            key: set_ for key, set_ in options.items() if set_ != getattr(in_force, key)
        }
        self.bets = {"primary": random.choice((1_000, 2_500)), "tie": 500}
        if "progressive" in Odds(rules).offered:
            self.bets["progressive"] = 500

    @property
    def address(self) -> str:
        """The lab's page with everything chosen."""

        def joined(pairs: dict[str, Any]) -> str:
            return ",".join(f"{key}={value}" for key, value in pairs.items())

        chosen = {"book": self.book, "decks": self.decks, "strategy": self.strategy}
        more: dict[str, dict[str, Any]] = {
            "bets": self.bets,
            "options": self.options,
            "gone": self.gone,
        }
        texts = {key: joined(pairs) for key, pairs in more.items() if pairs}
        return "/lab?" + urlencode({**chosen, **texts, "rounds": 5})

    @property
    def arguments(self) -> list[str]:
        """The same for `wartable odds`."""
        seen = [rank + SUITS[n % 4] for rank, count in self.gone.items() for n in range(count)]
        asked = ["odds", self.book, "--decks", str(self.decks), "--json"]
        asked += ["--strategy", self.strategy, "--seen", " ".join(seen)]
        for key, value in self.options.items():
            asked += ["--option", f"{key}={value}"]
        for key, stake in self.bets.items():
            asked += ["--bet", f"{key}={stake}"]
        return asked


def figures(page: Page) -> dict[str, Any]:
    """What the page shows: the exact figures of the seat and of every wager."""
    found: dict[str, Any] = page.evaluate(FIGURES)
    return found


def expected(document: dict[str, Any]) -> dict[str, Any]:
    """The same figures of the command's JSON."""

    def of(odds: dict[str, Any], *names: str) -> dict[str, Any]:
        return {name: odds[name] if name == "sd" else odds[name]["exact"] for name in names}

    wagers: dict[str, Any] = {}
    for kind, odds in document["wagers"].items():
        ways = (
            {kind: odds}
            if "edge" in odds
            else {f"{kind} {way}": odds[way] for way in ("war", "surrender")}
        )
        wagers |= {way: of(each, "edge", "sd", "element_of_risk") for way, each in ways.items()}
    names = ("edge", "element_of_risk", "return", "sd", "hit_frequency", "ev")
    return {"seat": of(document["seat"], *names), "wagers": wagers}


def test_the_figures_are_those_of_the_command(visit: Visit, deep: bool) -> None:
    """Books, decks, options, cards gone, wagers and strategies at random: every figure agrees."""
    random = Random(19)
    page = visit("/lab")
    for number in range(200 if deep else 10):
        chosen = Configuration(random, NAMES[number % len(NAMES)])
        page.goto(chosen.address)
        expect(page.locator("[data-lab=shown]")).to_be_visible()
        printed = CliRunner().invoke(wartable, chosen.arguments)
        assert printed.exit_code == 0, printed.output
        assert figures(page) == expected(json.loads(printed.output)), chosen.address


@pytest.mark.finding(6)
def test_an_outcome_says_nothing_of_another_readings_payment(visit: Visit) -> None:
    """Without the bonus a tied war nets +1, and no words beside it tell of one unit more."""
    for options, net in (("", "+2"), ("&options=war_pays=no_bonus", "+1")):
        page = visit(f"/lab?book=washington{options}")
        war = page.locator('section[data-wager="primary"][data-way="war"]')
        row = war.locator("tr", has_text="war tied")
        expect(row.locator("td, th").first).to_have_text("war tied")
        expect(row).to_contain_text(net)


def test_what_one_types_changes_the_odds(page: Page) -> None:
    """A key changes the figures and the address; the address alone brings everything back."""
    page.goto("/lab?book=online")
    edge = page.locator("[data-seat] [data-figure=edge] [data-exact]")
    expect(edge).to_have_attribute("data-exact", str(Odds(load("online")).wager("primary").edge))
    page.get_by_label("Decks").fill("8")
    eight = str(Odds(load("online"), 8).wager("primary").edge)
    expect(edge).to_have_attribute("data-exact", eight)
    page.get_by_text("Cards that have left the shoe").click()
    page.locator('[data-gone="A"]').fill("20")
    aces = [f"A{SUITS[n % 4]}" for n in range(20)]
    less = str(Odds(load("online"), 8, aces).wager("primary").edge)
    expect(edge).to_have_attribute("data-exact", less)
    assert "gone=A%3D20" in page.url
    page.goto(page.url)
    expect(edge).to_have_attribute("data-exact", less)
    page.get_by_label("Decks").fill("0")
    expect(page.locator("[data-problem]")).to_contain_text("Decks: enter a whole number from 1")
    page.get_by_label("Decks").fill("1")
    expect(page.locator("[data-lab=shown]")).to_be_visible()
    page.get_by_label("Rule book").select_option("maryland")
    expect(page.locator('section[data-wager="bonus_spin"]')).to_be_visible()


def test_the_ruin_is_exact(page: Page) -> None:
    """The session's ruin and mean are those of `wartable session`, whose chain is exact."""
    plan = plan_session(load("online"), bankroll=10_000, bet=1_000, rounds=60, paths=1_000, tie=500)
    exact = chain(plan, tables_of(plan))
    assert exact is not None
    bets = "primary=1000,tie=500"
    page.goto(
        "/lab?" + urlencode({"book": "online", "bets": bets, "bankroll": 10_000, "rounds": 60})
    )
    shown = page.locator("[data-ruin]")
    expect(shown).to_be_visible()
    assert float(shown.get_attribute("data-ruin") or "") == pytest.approx(exact.ruined, abs=1e-12)
    mean = page.locator("[data-mean]").get_attribute("data-mean")
    assert float(mean or "") == pytest.approx(exact.mean_final, rel=1e-12)


def test_files_and_looks(hosted: Hosted, visit: Visit) -> None:
    """The lab fits a phone and is accessible; its files are those of the commands."""
    page = visit("/lab?book=maryland", size=NARROW)
    expect(page.locator("[data-session=shown]")).to_be_visible()
    assert_fits(page)
    assert_accessible(page)
    with hosted.http() as http:
        lines = http.get("/lab/odds?book=online&lines=true&bets=primary=1000")
        assert lines.headers["content-disposition"] == 'attachment; filename="online-odds.csv"'
        assert lines.text.splitlines()[0] == "figure,exact,value"
        sheet = http.get("/lab/par?book=washington&decks=6&sheet=pdf")
        assert sheet.content.startswith(b"%PDF-")
        for query, code in (
            ("book=nowhere", "no_book"),
            ("book=online&options=war_pays", "malformed"),
            ("book=online&options=war_pays=all", "setup"),
            ("book=online&bets=primary=1.5", "odds"),
            ("book=online&strategy=fold&bets=primary=100", "odds"),
            ("book=online&seen=Zz", "odds"),
            ("book=online&decks=101", "malformed"),
        ):
            refused = http.get(f"/lab/odds?{query}")
            status = 404 if code == "no_book" else 400
            assert (refused.status_code, refused.json()["code"]) == (status, code), query
