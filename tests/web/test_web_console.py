"""The console's pages: who sees which, what reports, returns, players, cards and the pit show."""

from collections.abc import Iterator

import msgspec
import pytest
from playwright.sync_api import Page, expect

from browser import Visit, assert_accessible
from console_pages import office
from hosting import Client, Json
from staffed_tables import House
from wartable.server.audit import returns
from wartable.server.audit.returns import ReturnLine
from wartable.server.denied import Denied
from wartable.server.records.servers import ServerShown
from wartable.server.watch import DatabaseShown, Rates, ReplicaShown, TableShown, Watched
from working_houses import two_rounds

BOOKS = ("california", "maryland")
GUESTS = 3
SEEN = {
    "dealer": ["Pit", "Cards"],
    "floor": ["Pit", "Open a table", "Cards", "Players", "House"],
    "auditor": ["Pit", "Cards", "Players", "Reports", "Returns", "House"],
    "admin": [
        "Pit", "Open a table", "Cards", "Players", "Cashier", "Reports", "Returns", "House",
        "Servers",
    ],
}  # fmt: skip  # lists of words


@pytest.fixture(scope="module")
def people(house: House) -> Iterator[dict[str, Client]]:
    """One account of each role, in a house where two rounds were played."""
    two_rounds(house)
    hosted = house.hosted
    with hosted.staff("auditor") as auditor, hosted.admin() as admin:
        staff = {"dealer": house.staff.dealer, "floor": house.staff.floor}
        yield {"player": house.guests[0], **staff, "auditor": auditor, "admin": admin}


@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        ("/records/report", ("auditor", "admin")),
        ("/records/report.csv?part=banked", ("auditor", "admin")),
        ("/records/returns", ("auditor", "admin")),
        ("/records/rounds?player=admin", ("floor", "auditor", "admin")),
        ("/records/significant", ("auditor", "admin")),
        ("/accounts", ("admin",)),
        ("/staff/servers", ("admin",)),
        ("/closures", ("floor", "auditor", "admin")),
        ("/cards", ("dealer", "floor", "auditor", "admin")),
    ],
)
def test_records_are_for_those_who_may_read_them(
    people: dict[str, Client], path: str, allowed: tuple[str, ...]
) -> None:
    """Each role asks over HTTP; whoever may not is refused."""
    for role, client in people.items():
        answer = client.http.get(path)
        assert answer.status_code == (200 if role in allowed else 403), (role, answer.text)


def test_a_report_over_http(people: dict[str, Client]) -> None:
    """Banked rounds as the regulator asks, meters that balance, any period, and CSV."""
    admin = people["admin"]
    found = admin.get("/records/report")
    (banked,) = found["banked"]
    # The bank of $15 covers $15 of the $20; the rest goes back.
    figures = {key: banked[key] for key in ("table", "posted", "covered", "uncovered", "matched")}
    assert figures == {
        "table": "ca played", "posted": 1_500, "covered": 1_500, "uncovered": 500, "matched": 0,
    }  # fmt: skip  # one round
    assert banked["consecutive"] == 1
    assert abs(banked["net"]) == 1_500
    progressive = [each for each in found["meters"] if each["meter"] == "progressive"]
    assert [each["fed"] for each in progressive if each["table"] == "md played"] == [15]
    assert all(each["missing"] == 0 for each in found["meters"])
    lines = admin.http.get("/records/report.csv?part=banked").text.splitlines()
    assert lines[0].startswith("at,table,round,banker,posted,covered,matched,uncovered,net")
    assert len(lines) == 2
    later = admin.get("/records/report?since=2100-01-01")
    assert (later["rounds"], later["banked"]) == (0, [])
    for query in ("since=yesterday", "since=2026-02-01&until=2026-01-01"):
        assert admin.get(f"/records/report?{query}", 400)["code"] == "bad_time"
    refused = admin.get("/records/report.csv?part=none", 400)["sentence"]
    assert refused.startswith("A report has the parts returns, liability, large_wins,")
    assert admin.get("/records/rounds?player=nobody-here", 404)["code"] == "no_account"


def links(page: Page) -> list[str]:
    """The pages that the console offers."""
    expect(page.locator("[data-console] a").first).to_be_visible()
    return page.locator("[data-console] a").all_text_contents()


@pytest.mark.parametrize("role", list(SEEN))
def test_each_role_has_its_own_pages(visit: Visit, people: dict[str, Client], role: str) -> None:
    """The bar leads to the pages of the role, and another page says that it is not for it."""
    page = visit("/floor", who=people[role])
    assert links(page) == SEEN[role]
    if role == "dealer":
        page.goto("/reports")
        expect(page.locator("[data-empty]")).to_contain_text("The role dealer has no part")
        expect(page.locator("[data-report]")).to_have_count(0)


def banker(people: dict[str, Client]) -> str:
    """Who banked California's round: the first guest."""
    return people["player"].name


def test_reports_returns_and_rounds(visit: Visit, people: dict[str, Client]) -> None:
    """A report with its parts, the returns with their states, and a player's round again."""
    page = visit("/reports", who=people["auditor"])
    expect(page.locator("[data-report]")).to_be_visible()
    banked = page.locator('[data-part="banked"]')
    expect(banked.get_by_role("row").nth(1)).to_contain_text("ca played")
    expect(page.locator('[data-part="meters"]')).to_contain_text("balanced")
    expect(page.locator('[data-part="returns"] svg')).to_be_visible()
    page.locator("#report-by").select_option("player")
    expect(page.locator('[data-part="returns"]')).to_contain_text(people["player"].name)
    # The stakes by hand: $22 and $15 on the primary wagers, of which a player banked $15.
    wagers = page.locator('[data-part="returns"]').get_by_role("row")
    page.locator("#report-by").select_option("wager")
    expect(wagers.filter(has_text="primary").first).to_contain_text("$37")
    page.locator("#report-by").select_option("bank")
    expect(wagers.filter(has_text=banker(people)).first).to_contain_text("$15")
    expect(wagers.filter(has_text="the house").first).to_contain_text("$22")
    days = page.locator('[data-part="days"]')
    expect(days.get_by_role("row").nth(1)).to_contain_text("$42")
    expect(days.locator("svg")).to_be_visible()
    with page.expect_download() as download:
        page.locator('[data-part="banked"] a', has_text="CSV").click()
    assert "consecutive" in download.value.path().read_text().splitlines()[0]
    page.locator("#period-since").fill("2100-01-01")
    page.locator("[data-period] button").click()
    expect(page.locator("[data-report]")).to_have_attribute("data-report", "0")
    page.goto("/returns")
    line = page.locator('[data-return="book maryland primary"]')
    expect(line).to_be_visible()
    expect(page.locator("[data-state=investigate]")).to_have_count(0)
    page.goto("/people")
    page.locator("#round-player").fill(people["player"].name)
    page.locator("[data-find-rounds] button").click()
    with page.expect_download() as download:
        page.locator("[data-statement]").click()
    lines = download.value.path().read_text().splitlines()
    assert (lines[0].split(",")[:3], len(lines)) == (["ended", "table", "round"], 3)
    # Without a player, the rounds of a table and its time are everybody's.
    page.locator("#round-player").fill("")
    page.locator("#round-table").fill("md played")
    page.locator("[data-find-rounds] button").click()
    expect(page.locator("[data-rounds] tbody tr")).to_have_count(3)
    expect(page.locator("[data-statement]")).to_have_count(0)
    page.locator("[data-rounds] a").last.click()
    expect(page.locator("[data-replay]")).to_be_visible()


def test_a_dispute_goes_to_the_floor_and_back(visit: Visit, people: dict[str, Client]) -> None:
    """A player says in the history what is wrong; the floor replays the round and answers."""
    floor = visit("/people", who=people["floor"])
    expect(floor.locator("[data-disputes]")).to_have_attribute("data-disputes", "0")
    player = visit("/history", who=people["player"])
    player.get_by_text("Something is wrong with this round").last.click()
    asking = player.locator("form[data-complain]").last
    asking.locator("textarea").fill("I had <b>the higher card</b>.")
    asking.get_by_role("button").click()
    expect(player.locator('.round [data-answered="no"]')).to_contain_text("The floor has your")
    # The floor's page gets it by itself, with the round.
    waiting = floor.locator('[data-dispute][data-answered="no"]')
    expect(waiting).to_contain_text("I had <b>the higher card</b>.")
    expect(waiting).to_contain_text("md played, round 1")
    assert_accessible(floor)
    form = waiting.locator("form")
    form.locator("select").select_option("corrected")
    form.locator("textarea").fill("You are right, and here is the rest.")
    form.locator("input").fill("much")
    form.get_by_role("button").click()
    expect(form.locator("[data-notice=bad]")).to_have_text("Enter an amount such as 25.")
    form.locator("input").fill("2.50")
    form.get_by_role("button").click()
    expect(floor.locator("[data-disputes]")).to_have_attribute("data-disputes", "0")
    floor.get_by_text("1 answered").click()
    floor.get_by_text("Replay the round on the felt").click()
    expect(floor.locator("[data-replay]")).to_be_visible()
    player.reload()
    told = player.locator("[data-answers] [data-dispute]")
    expect(told).to_contain_text("The house paid $2.50. You are right, and here is the rest.")
    expect(player.locator('.round [data-answered="corrected"]')).to_be_visible()
    assert_accessible(player)
    # The bar of everybody who may answer shows how many wait.
    people["player"].post("/me/disputes", 201, table="md played", round=1, words="again")
    floor.goto("/floor")
    expect(floor.locator('[data-console] [data-waiting="1"]')).to_be_visible()
    (again,) = [each["dispute"] for each in people["floor"].get("/disputes")][:1]
    people["floor"].post(f"/disputes/{again['number']}/answer", end="stands", words="no")


def test_what_was_irregular_stands_in_the_pit(
    visit: Visit, house: House, people: dict[str, Client]
) -> None:
    """A tile counts a table's incidents, and the table in full says what they were."""
    with house.table("maryland", 1, name="md irregular") as table:
        page = office(visit, people["auditor"], table.name)
        expect(page.locator("[data-incidents]")).to_have_attribute("data-incidents", "0")
        table.open()
        table.start()
        table.bet(table.players[0], 1, 500)
        table.close_bets()
        table.must(table.dealer, "find_face_up")
        table.must(table.floor, "void_round", reason="a drink on the felt")
        expect(page.locator("[data-incident]")).to_have_count(2)
        told = page.locator('[data-incident="round_voided"]')
        expect(told).to_contain_text("round 1: The round is void (a drink on the felt)")
        tile = page.locator(f'[data-floor-table="{table.name}"] [data-glance-incidents]')
        expect(tile).to_contain_text("2, the last")


def test_exclusions_and_limits_are_on_the_players_page(
    visit: Visit, house: House, people: dict[str, Client]
) -> None:
    """The floor reads who is excluded, and every limit with its amount and who set it."""
    with house.hosted.register("erna") as erna:
        erna.post("/me/exclude", days=30)
    with house.hosted.register("fred") as fred:
        fred.put("/me/limits", kind="loss_day", amount=5_000)
    admin = people["admin"]
    admin.put("/limits", account="*", kind="minutes_day", amount=90)
    page = visit("/people", who=people["floor"])
    expect(page.locator('[data-excluded="erna"]')).to_be_visible()
    rows = page.locator("[data-protected]").get_by_role("row")
    expect(rows.filter(has_text="fred")).to_contain_text("loss per day$50player")
    expect(rows.filter(has_text="everybody")).to_contain_text("minutes per day90 minutesoperator")
    # A limit that is lifted is no longer in force.
    admin.put("/limits", account="*", kind="minutes_day", amount=None)
    page.reload()
    expect(page.locator('[data-limited="fred loss_day player"]')).to_be_visible()
    expect(page.locator('[data-limited="* minutes_day operator"]')).to_have_count(0)


def test_a_seal_stands_beside_its_cards(
    visit: Visit, people: dict[str, Client], allowed: list[str]
) -> None:
    """Cards are secured under a seal, which the next step breaks; nothing else is sealed."""
    people["floor"].post("/cards", 201, name="sealed-1", decks=6, back="red")
    page = visit("/decks", who=people["floor"])
    form = page.locator("form[data-move-cards]")
    row = page.get_by_role("row").filter(has_text="sealed-1").first

    def move(what: str, place: str, seal: str) -> None:
        form.locator("[name=moved-name]").select_option("sealed-1")
        form.locator("[name=moved-what]").select_option(what)
        form.locator("[name=moved-place]").fill(place)
        form.locator("[name=moved-seal]").fill(seal)
        form.get_by_role("button").click()

    move("secured", "vault 3", "4711")
    expect(row).to_contain_text("secured in vault 3, seal 4711")
    allowed.append("refused: 409 /cards/sealed-1/moves")
    move("shuffled", "", "4711")
    expect(form.locator("[data-notice=bad]")).to_contain_text("Only cards that are secured")
    move("shuffled", "", "")
    expect(row).not_to_contain_text("seal 4711")
    log = page.locator('[data-log="sealed-1"]')
    log.locator("summary").click()
    expect(log.get_by_role("row").filter(has_text="secured")).to_contain_text("vault 3, seal 4711")


def test_a_doubted_return_stands_out(
    visit: Visit, people: dict[str, Client], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each line has its state, and a wager with too few rounds says so instead."""
    money: Json = {"staked": 100, "net": 60, "theory": 0.977, "actual": 1.6}
    band: Json = {"low": 0.9, "high": 1.05}
    # How many standard errors each is off, whether it is judged, and its state.
    states: list[Json] = [
        {"off": 0.5, "judged": True, "state": "fine"},
        {"off": 2.5, "judged": True, "state": "watch"},
        {"off": 20.0, "judged": True, "state": "investigate"},
        {"off": 9.0, "judged": False, "state": "fine"},
    ]
    lines = tuple(
        ReturnLine(by="book", name=f"book-{at}", wager="tie", rounds=1_000, **money, **band, **each)
        for at, each in enumerate(states)
    )
    monkeypatch.setattr(returns, "returns", lambda *_: lines)
    page = visit("/returns", who=people["auditor"])
    badges = page.locator("[data-state]")
    expect(badges).to_have_text(["fine", "watch", "investigate", "too few rounds"])
    row = page.get_by_role("row").filter(has_text="book-2")
    expect(row).to_contain_text("97.70%160.00%90.00% to 105.00%20.00")
    expect(page.locator("svg circle.investigate")).to_have_count(1)


def test_servers_and_the_database(
    visit: Visit,
    house: House,
    people: dict[str, Client],
    allowed: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Three servers, one without an address, two replicas; the page looks again by itself."""
    own = house.hosted.house
    seen = [
        ServerShown("s1", "192.0.2.11:8001", "0.1.0", 12, 1_000, True, 5),
        ServerShown("s2", "192.0.2.12:8001", "0.1.0", 34, 2_000, False, 7),
        ServerShown("s3", "", "0.2.0", 0, 3_000, False),
    ]
    replicas = (
        ReplicaShown("near", "streaming", 42, 5_000_000),
        ReplicaShown("far", "startup", None, None),
    )
    table = TableShown("washington 1", "s1", 3, 4, 17)
    rates = Rates(1_234.5, 0.5, 20, 600, 2.5, None)
    shown = Watched(
        4_000, "s1", tuple(seen), (table,), 9, 46, rates,
        DatabaseShown("postgresql", True, 2_500_000_000, replicas),
    )  # fmt: skip  # one value

    async def watched() -> Watched:
        return shown

    monkeypatch.setattr(own, "watched", watched)
    page = visit("/servers", who=people["admin"])
    rows = page.get_by_role("row")
    expect(rows.filter(has=page.locator("[data-server=s1]"))).to_contain_text(
        "has the house5120.1.0"
    )
    expect(rows.filter(has=page.locator("[data-server=s2]"))).to_contain_text(
        "has private tables7340.1.0"
    )
    expect(rows.filter(has=page.locator("[data-server=s3]"))).to_contain_text(
        "takes no tables000.2.0"
    )
    expect(rows.filter(has_text="washington 1")).to_contain_text("washington 1s13417")
    expect(rows.filter(has_text="near")).to_contain_text("nearstreaming42 ms5.0 MB")
    expect(rows.filter(has_text="far")).to_contain_text("farstartupnonenot known")
    figures = {"commands": "1,234.5", "p50": "2.5 ms", "p99": "not known", "database": "2.5 GB"}
    for name, value in figures.items():
        expect(page.locator(f"[data-figure={name}] strong")).to_have_text(value)

    shown = msgspec.structs.replace(
        shown, servers=tuple(seen[1:]), rates=msgspec.structs.replace(rates, commands=7)
    )
    expect(page.locator("[data-figure=commands] strong")).to_have_text("7.0")
    expect(page.locator("[data-server]")).to_have_count(2)
    assert int(page.locator("[data-course]").get_attribute("data-course") or 0) > 1

    async def away() -> Watched:
        raise Denied("database", "The database does not answer now.")

    allowed.append("refused: 503 /staff/servers")
    monkeypatch.setattr(own, "watched", away)
    expect(page.locator("[data-notice=warn]")).to_contain_text("What is shown here is old.")
    expect(page.locator("[data-server]")).to_have_count(2)
    monkeypatch.setattr(own, "watched", watched)
    expect(page.locator("[data-notice]")).to_have_count(0)


def test_a_house_in_a_file_has_one_server(visit: Visit, people: dict[str, Client]) -> None:
    """Its page says why, and shows its tables and figures all the same."""
    page = visit("/servers", who=people["admin"])
    expect(page.locator("main")).to_contain_text("This house has one server, because its records")
    expect(page.locator("[data-open-table]").first).to_be_visible()
    expect(page.locator("[data-figure=database]")).to_contain_text("sqlite")
    expect(page.locator("[data-replica]")).to_have_count(0)
