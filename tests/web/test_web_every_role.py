"""Nobody sees or is offered on a page what their role may not: every page, by every role.

What a role may do stands in tests/setup/who_may.py, which the requests are tried against as well.
"""

import re
from collections.abc import Callable, Iterator
from typing import get_args
from urllib.parse import unquote, urlsplit

import pytest
from playwright.sync_api import Page, Response, expect

from browser import Visit
from console_pages import office
from hosting import Client
from staffed_tables import House, SeatedTable
from waiting import until
from wartable.table.commands import Preparation
from who_may import ALL, CARD_MOVES, GIVEN, READS, REQUESTS, RUNS, SEES, STAFF
from working_houses import four_alike

BOOKS = ("maryland", "california")
GUESTS = 2

ROLES = ALL.split()
OPEN_ALL = """() => {
  for (const each of document.querySelectorAll("main details")) each.open = true;
}"""
FORMS_SHOWN = """() => {
  const hook = ({ attributes }) =>
    [...attributes].map(({ name }) => name).find((name) => name.startsWith("data-"));
  const forms = [...document.querySelectorAll("main form")];
  return forms.map((form) => form.dataset.command ?? hook(form));
}"""
BUTTONS_SHOWN = """() => {
  const hook = ({ attributes }) =>
    [...attributes].map(({ name }) => name).find((name) => name.startsWith("data-"));
  const alone = [...document.querySelectorAll("main button")].filter((each) => each.form === null);
  return alone.map((each) => hook(each) ?? each.textContent);
}"""
STEPS_SHOWN = """() => {
  const shown = (what) => [...document.querySelectorAll(`[data-next] ${what}`)];
  const steps = shown("[data-step-command]").map(({ dataset, textContent }) =>
    dataset.stepCommand === "prepare" ? textContent : dataset.stepCommand);
  return [...steps, ...shown("form[data-command]").map(({ dataset }) => dataset.command)];
}"""
PAGES = {
    "/floor": STAFF,
    "/setup": RUNS,
    "/decks": STAFF,
    "/people": SEES,
    "/reports": READS,
    "/returns": READS,
    "/house": SEES,
    "/servers": "admin",
}
"""Who works on which page. The cashier's desk is opened by its key, whoever is signed in."""

OUTSIDERS = "This page is for the house's staff."

FORMS = {
    "/floor": {
        "data-disable": "POST /disable",
        "data-enable": "POST /enable",
        "data-bots": "POST /tables/online 1/bots",
        "data-no-bots": "POST /tables/online 1/bots/leave",
    },
    "/setup": {"data-open-table": "POST /tables", "data-file": "PUT /books/online/filing"},
    "/decks": {"data-receive-cards": "POST /cards"},
    "/people": {
        "data-answer": "POST /disputes/9999/answer",
        "data-find-rounds": "GET /records/rounds?player=admin",
        "data-find-number": "GET /rounds/online 1/9999",
    },
    "/reports": {"data-period": "GET /records/report"},
    "/returns": {"data-period": "GET /records/returns"},
    "/servers": {},
    "/house": {
        "data-disable": "POST /disable",
        "data-enable": "POST /enable",
        "data-operator-limit": "PUT /limits",
        "data-accounts": "GET /accounts",
        "data-open-account": "POST /accounts",
        "data-role": "PUT /accounts/nobody-there/role",
        "data-new-password": "POST /accounts/nobody-there/password",
        "data-key": "POST /keys",
        "data-revoke": "POST /keys/none/revoke",
        "data-check": "POST /selfcheck",
        "data-approve-program": "POST /program/approve",
        "data-back-up": "POST /backups",
    },
}
"""Every form of a page, and the request that it sends."""

LINKS = {
    r"/table\?.*": "GET /tables/online 1",
    r"/replay\?.*": "GET /rounds/online 1/9999",
    r"/records/report\.csv\?.*": "GET /records/report.csv",
    r"/records/statement\.csv\?.*": "GET /records/statement.csv?player=admin",
}
"""Where the links of a page lead, and the request that is made there."""

SECRETS = {
    "the higher card was mine": SEES,
    "asked for a pause": SEES,
    "erna-excluded": SEES,
    "set-of-the-vault": STAFF,
    "key-of-the-desk": READS,
}
"""Words of a dispute, a closure, an exclusion, the inventory and the keys; who may read them."""

STEPS = {
    "decks": "receive_decks",
    "prepare inspect": "prepare inspect",
    "prepare verify": "prepare verify",
    "prepare spread": "prepare inspect",
    "prepare view": "prepare view",
    "prepare turn": "prepare inspect",
    "prepare wash": "prepare inspect",
    "prepare stack": "prepare inspect",
    "shuffle": "shuffle_cards",
    "cut": "cut",
    "load": "load_shoe",
    "start": "start_round",
    "bets": "close_bets",
    "count": "count_side_bets",
    "proceed": "proceed",
    "approval": "approve",
}
"""The command for what a table awaits; every step of the preparation but two is the dealer's."""


@pytest.fixture(scope="module")
def people(house: House) -> Iterator[dict[str, Client | None]]:
    """Somebody of each role, and nobody, in a house where there is something to see."""
    hosted, floor = house.hosted, house.staff.floor
    with house.table("maryland", 1, 2, name="played") as table:
        table.play(lambda _: True, {"primary": 500}, {"primary": 500})
        while table.what() in ("choice", "proceed"):
            if table.what() == "proceed":
                table.proceed()
            else:
                due = table.due()[0]
                table.choose(table.guest(due["player"]), due["box"], "surrender")
    words = "the higher card was mine"
    house.guests[1].post("/me/disputes", 201, table="played", round=1, words=words)
    with hosted.register("erna-excluded") as erna:
        erna.post("/me/exclude", days=30)
    floor.post("/cards", 201, name="set-of-the-vault", decks=6, back="red")
    floor.post("/disable", scope="player", name=house.guests[1].name, reason="asked for a pause")
    with hosted.staff("auditor") as auditor, hosted.admin() as admin:
        admin.post("/keys", 201, name="key-of-the-desk")
        staff = {"dealer": house.staff.dealer, "floor": floor}
        player = {"nobody": None, "player": house.guests[0]}
        yield {**player, **staff, "auditor": auditor, "admin": admin}


class Looker:
    """Somebody who opens pages, with everything that the pages were told."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.answers: list[Response] = []
        page.on("response", self._note)

    def _note(self, response: Response) -> None:
        path = urlsplit(response.url).path
        if not path.startswith("/web/") and response.request.resource_type != "document":
            self.answers.append(response)

    def opens(self, path: str) -> None:
        """Open a page with all its panels."""
        self.answers.clear()
        self.page.goto(path)
        expect(self.page.locator("main [data-console], main [data-empty]").first).to_be_visible()
        self.page.wait_for_load_state("networkidle")
        expect(self.page.locator("main .loading")).to_have_count(0)
        self.page.evaluate(OPEN_ALL)
        self.page.wait_for_load_state("networkidle")

    def asked(self) -> set[str]:
        """The requests that the page made, as the table of requests has them."""
        return {named(each.request.method, urlsplit(each.url).path) for each in self.answers}

    def told(self) -> str:
        """Everything that is on the page, and that it was sent."""
        return "\n".join([self.page.content(), *(each.text() for each in self.answers)])


def named(method: str, path: str) -> str:
    """The request of the table that this is, whatever table, book or person it is about."""
    parts = unquote(path).split("/")
    names = ("online 1", "online", "admin", "none", "nobody-there", "9999")
    for each in REQUESTS:
        own_method, _, own_path = each.partition(" ")
        own = own_path.partition("?")[0].split("/")
        if method == own_method and len(own) == len(parts):
            pairs = zip(own, parts, strict=True)
            if all(mine == given or mine in names for mine, given in pairs):
                return each
    raise AssertionError(f"{method} {path} does not stand in the table")


def may(role: str, asked: str) -> bool:
    """Whether the role may make this request."""
    return role in REQUESTS[asked][0].split()


def forms(page: Page) -> set[str]:
    """The forms of the page, by their hooks or commands."""
    found: list[str] = page.evaluate(FORMS_SHOWN)
    return set(found)


def buttons(page: Page) -> list[str]:
    """The hooks of the buttons that belong to no form."""
    found: list[str] = page.evaluate(BUTTONS_SHOWN)
    return found


@pytest.mark.parametrize("role", ROLES)
def test_every_page_by_every_role(
    visit: Visit, people: dict[str, Client | None], role: str
) -> None:
    """A page of others says so in a sentence; the own pages offer what the role may, and no more.

    Whatever a page asks the server for, its role may ask. What nobody else may read is neither on
    the page nor in what it was sent, and can be read by those who may.
    """
    looker = Looker(visit(who=people[role]))
    read = set()
    for path, allowed in PAGES.items():
        looker.opens(path)
        asked = looker.asked()
        assert all(may(role, each) for each in asked), (path, asked)
        told = looker.told()
        read |= {words for words in SECRETS if words in told}
        lines = looker.page.locator("main").inner_text().splitlines()
        if role not in STAFF.split():
            assert [line for line in lines if line][1:] == [OUTSIDERS, "Sign in"], path
            assert asked <= {"GET /session", "GET /me"}, path
        elif role not in allowed.split():
            assert f"The role {role} has no part in this page." in lines
            assert asked <= {"GET /session", "GET /me", "GET /staff"}, path
            assert looker.page.locator("main .stack").inner_text().count("\n") == 0, path
            assert not forms(looker.page), path
        else:
            offered(looker.page, role, path)
    assert read == {words for words, allowed in SECRETS.items() if role in allowed.split()}


def offered(page: Page, role: str, path: str) -> None:
    """The forms, buttons and links are those of the role, all of them."""
    found = forms(page)
    if path == "/floor":  # what is done at a table is another test's
        found = {each for each in found if each.startswith("data-")}
        assert set(buttons(page)) <= {"data-floor-table", "data-step-command"}
    else:
        assert set(buttons(page)) <= {"Print"}, path
    if path == "/decks":
        moves = set(
            page.locator("[name=moved-what] option").evaluate_all(
                "(options) => options.map(({ value }) => value)"
            )
        )
        own = {what for what, roles in CARD_MOVES.items() if role in roles.split()}
        assert moves == own - {"received"}, (role, moves)
        assert ("data-move-cards" in found) == bool(moves)
        found.discard("data-move-cards")
    assert found == {hook for hook, asked in FORMS[path].items() if may(role, asked)}, (role, path)
    for href in page.locator("main a[href]").evaluate_all(
        "(all) => all.map((each) => each.getAttribute('href'))"
    ):
        if urlsplit(href).path not in PAGES and urlsplit(href).path != "/cashier":
            (asked,) = [asked for pattern, asked in LINKS.items() if re.fullmatch(pattern, href)]
            assert may(role, asked), (role, path, href)


def commands(role: str, table: SeatedTable | None) -> set[str]:
    """The forms of a table that are a role's: of one with staff, or of one where nobody deals.

    Time and the count of side bets are asked for when they are due.
    """
    own = {given.partition(" ")[0] for given, (roles, _) in GIVEN.items() if role in roles.split()}
    own -= {"timeout", "count_side_bets"}
    if table is None:
        dealers = {
            given.partition(" ")[0] for given, (roles, _) in GIVEN.items() if "dealer" in roles
        }
        return own - dealers - {"change_dealer"}
    return own if table.setup.rules.bank else own - {"offer_bank"}


def steps(page: Page) -> set[str]:
    """What the page offers as the next step, with the part of the preparation."""
    found: list[str] = page.evaluate(STEPS_SHOWN)
    return set(found)


def at_each_moment(pages: dict[str, Page], table: SeatedTable) -> Callable[[], None]:
    """Look at the pages of all roles: each offers the step that is due if it is the role's."""

    def look() -> None:
        what = table.what()
        command = STEPS[what]
        roles = GIVEN[command][0].split()
        for role, page in pages.items():
            detail = what.partition(" ")[2]
            name = f"Prepare the cards: {detail}" if detail else command
            wanted = {name} if role in roles else set()
            expect(page.locator("[data-due]")).to_have_attribute("data-due", what.partition(" ")[0])
            until(
                lambda page=page, wanted=wanted: steps(page) == wanted,  # type: ignore[misc]  # each page's own
                f"{role} is offered {steps(page)}, not {wanted}, at {what}",
                pause=lambda page=page: page.wait_for_timeout(50),  # type: ignore[misc]  # each page's own
            )

    return look


def test_every_step_of_a_table_by_every_role(
    visit: Visit, house: House, people: dict[str, Client | None]
) -> None:
    """From new cards to an award all of staff see the table, each with the steps of their own."""
    with house.table("maryland", 1, name="each step") as table:
        staff = {role: people[role] for role in STAFF.split()}
        pages = {role: office(visit, who, table.name) for role, who in staff.items() if who}
        look = at_each_moment(pages, table)
        for role, page in pages.items():
            expect(page.locator("[data-sheet]")).to_be_attached()
            found = {each for each in forms(page) if not each.startswith("data-")}
            assert found == commands(role, table), role
        dealers = set(get_args(Preparation)) - {"view", "verify"}
        for role, own in (("dealer", dealers), ("floor", {"verify"})):
            options = pages[role].locator("[name=prepare-step] option")
            assert set(options.evaluate_all("(all) => all.map(({ value }) => value)")) == own
        look()
        table.receive("new")
        while (what := table.what()).startswith("prepare"):
            look()
            step = what.partition(" ")[2]
            by = {"view": table.players[0], "verify": table.floor}.get(step, table.dealer)
            table.must(by, "prepare", step=step, batch=table.due()[0]["batch"])
        look()
        table.shuffle()
        look()
        table.must(table.players[0], "cut", position=100)
        look()
        table.must(table.dealer, "load_shoe")
        look()
        four_alike(table, look)
        approval(pages, table)


def approval(pages: dict[str, Page], table: SeatedTable) -> None:
    """Everybody of staff sees the award; the floor and administrators can answer it."""
    for role, page in pages.items():
        waiting = page.locator(f'[data-award-at="{table.name}"]')
        expect(waiting.locator("[data-share]")).to_be_visible()
        answers = role in GIVEN["approve"][0].split()
        expect(waiting.locator("[data-approve]")).to_have_count(int(answers))
        voids = role in GIVEN["void_round"][0].split()
        expect(waiting.locator("form[data-refuse]")).to_have_count(int(voids))
        recalls = int(may(role, "GET /rounds/online 1/9999"))
        expect(waiting.locator('a[href^="/replay"]')).to_have_count(recalls)
        expect(page.locator("[data-last-round]")).to_have_count(recalls)


@pytest.mark.parametrize("role", STAFF.split())
def test_a_table_where_the_platform_deals(
    visit: Visit, people: dict[str, Client | None], role: str
) -> None:
    """At a table without staff nobody is offered a dealer's work."""
    who = people[role]
    assert who is not None
    page = office(visit, who, "california 1")
    expect(page.locator("[data-sheet]")).to_be_attached()
    assert {each for each in forms(page) if not each.startswith("data-")} == commands(role, None)
    assert not steps(page)


@pytest.mark.parametrize("role", ROLES)
def test_the_desk_shows_nothing_without_its_key(
    visit: Visit, people: dict[str, Client | None], role: str
) -> None:
    """With play money nobody is paid at the desk; the page says so, and asks for nothing."""
    looker = Looker(visit(who=people[role]))
    looker.opens("/cashier")
    assert looker.asked() <= {"GET /session", "GET /me", "GET /staff"}
    assert not forms(looker.page)
    expect(looker.page.locator("[data-empty]")).to_contain_text("play money")
    told = looker.told()
    assert not [words for words, roles in SECRETS.items() if words in told and role not in roles]
