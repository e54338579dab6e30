"""The pages in a real browser: lobby, rules and odds, history, replay, fairness, account."""

import json
import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from browser import NARROW, PHONE, Visit, assert_accessible, assert_fits
from clauses import proves
from hosting import Client, Hosted
from own_books import own as own_book
from own_books import own_books
from wartable.rules import NAMES, load

ROUNDS = 6


@pytest.fixture(scope="module")
def hosted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosted]:
    """A house with a table of every book, and of one that it no longer offers."""
    folder = tmp_path_factory.mktemp("house")
    own = own_books(own_book("club", "washington", "Club night"))
    with Hosted(folder, books=("club",), own=own):
        pass
    with Hosted(folder) as running:
        yield running


@pytest.fixture(scope="module")
def player(hosted: Hosted) -> Iterator[Client]:
    """Somebody who played some rounds at the own online table."""
    with hosted.guest() as client:
        client.private("online")
        client.play(ROUNDS, deal=True)
        yield client


def test_play_now_is_one_click(page: Page) -> None:
    """A stranger is at a table of their own with one click."""
    page.goto("/")
    page.locator("[data-play-now]").click()
    page.wait_for_url(re.compile(r"/table\?name="))
    expect(page.locator("wt-felt")).to_be_visible()
    assert "online%40guest-" in page.url


@pytest.mark.finding(16)
def test_the_lobby_shows_every_table_live(hosted: Hosted, page: Page) -> None:
    """Each table stands under its book; the count of its seats follows what happens there."""
    page.goto("/")
    for name in NAMES:
        panel = page.locator(f'section[data-book="{name}"]')
        expect(panel.locator(f'[data-table="{name} 1"]')).to_be_visible()
        expect(panel.locator(f'[data-private="{name}"]')).to_be_visible()
    former = page.locator('section[data-book="club"]')
    expect(former.locator('[data-table="club 1"]')).to_be_visible()
    expect(former).to_contain_text("Club night")
    expect(former.locator("[data-private], a.quiet")).to_have_count(0)
    facts = page.locator('[data-table="maryland 1"] .facts')
    for meter in ("Progressive$10,000", "Primary jackpot$10,000", "Secondary jackpot$5,000"):
        expect(facts).to_contain_text(meter)
    expect(facts).to_contain_text("Pace1 second to bet")
    expect(page.locator('[data-table="california 1"]')).to_contain_text(
        "12 decks in two batches of six"
    )
    row = page.locator('[data-table="washington 1"]')
    expect(row).to_contain_text("0 of 7 taken")
    with hosted.guest() as guest:
        guest.hello("washington 1")
        guest.must("join", amount=20_000, seat=1)
        expect(row).to_contain_text("1 of 7 taken")
        guest.play(1)
        expect(row.locator(".last .mini")).not_to_have_count(0)
        guest.must("leave")
    expect(row).to_contain_text("0 of 7 taken")


@pytest.mark.parametrize("name", NAMES)
def test_a_book_can_be_read(visit: Visit, name: str) -> None:
    """Every clause stands on the page, links lead to it, and the odds of each wager are there."""
    page = visit(f"/rules?book={name}", size=NARROW)
    expect(page.locator("[data-edge]").first).to_be_visible()
    clauses = load(name).sources["table.boxes"].clauses or load(name).sources["banker"].clauses
    page.goto(f"/rules?book={name}#{clauses[0]}")
    expect(page.locator(f'[data-clause="{clauses[0]}"]')).to_be_visible()
    page.locator("summary", has_text="Every way a wager can end").click()
    assert_fits(page)
    assert_accessible(page)


@proves("web", "WA-pay-edge", "WA-pay-tie-edge")
def test_WA_pay_edge(page: Page) -> None:
    """The printed 2.33 % and 18.65 % stand beside the exact ones, which are the same."""
    page.goto("/rules?book=washington")
    table = page.locator("table", has_text="House edges: as printed")
    rows = table.locator("tbody tr")
    expect(rows.nth(0)).to_contain_text(re.compile(r"Primary Bet\s*2\.33%\s*2\.33%"))
    expect(rows.nth(1)).to_contain_text(re.compile(r"Tie Wager\s*18\.65%\s*18\.65%"))
    exact = page.locator('[data-wager="primary"][data-way="war"] [data-edge]')
    assert exact.get_attribute("data-edge") == "23138/993023"


@proves("web", "CA-notice-1", "CA-notice-3", "CA-def-0")
def test_CA_notice_1(page: Page) -> None:
    """California's page names the owner, the statutory notice, and has the glossary."""
    page.goto("/rules?book=california")
    notice = page.locator("[data-owner-notice]")
    expect(notice).to_contain_text("SHFL Entertainment, Inc.")
    expect(notice).to_contain_text("19826(g)")
    glossary = page.locator("[data-glossary]")
    expect(glossary).to_contain_text("player/dealer")
    expect(glossary.locator("a", has_text="CA-def-burn")).to_be_visible()
    glossary.locator("a", has_text="CA-def-burn").click()
    expect(page.locator('[data-clause="CA-def-burn"]')).to_be_visible()


@proves("web", "ON-title", "ON-version")
def test_ON_title(page: Page) -> None:
    """The trade mark's sign at the first use, the document's version and date."""
    page.goto("/rules?book=online")
    main = page.locator("main")
    expect(main).to_contain_text("Casino War™")
    text = main.inner_text()
    assert text.index("Casino War™") == text.index("Casino War")
    expect(main).to_contain_text("Version of the document")
    expect(main).to_contain_text("2021-02-17")


@proves("web", "NZ-1.0", "MD-1-A-0")
def test_NZ_1_0(page: Page) -> None:
    """The glossaries: New Zealand's names the Act, Maryland's has the words left undefined."""
    page.goto("/rules?book=new-zealand")
    expect(page.locator("[data-glossary]")).to_contain_text("Gambling Act 2003")
    page.goto("/rules?book=maryland")
    glossary = page.locator("[data-glossary]")
    for word in ("War Wager", "burn", "round", "double tie"):
        expect(glossary.locator("dt", has_text=re.compile(f"^{word}$"))).to_be_visible()


@pytest.mark.finding(15)
@proves("web", "MD-7-F-4")
def test_MD_7_F_4_the_wheel_in_the_rules(page: Page) -> None:
    """Maryland's page names the designated card and each stop's chance; others have no wheel."""
    page.goto("/rules?book=maryland")
    card = "The wheel turns when the dealer's first card is a red 7: 1 in 26 rounds."
    expect(page.locator("#play [data-trigger]")).to_contain_text(card)
    stops = page.locator("[data-wheel] tbody tr")
    expect(stops.nth(0)).to_have_text(re.compile(r"no hot spot\s*96\.17%\s*1 in 27$"))
    expect(stops.nth(1)).to_have_text(re.compile(r"jackpot primary\s*0\.01%\s*1 in 260,000$"))
    expect(stops.nth(11)).to_have_text(re.compile(r"Community \$150\s*20%\s*1 in 130$"))
    page.goto("/rules?book=washington")
    expect(page.locator("[data-ranks]")).to_be_visible()
    expect(page.locator("[data-wheel], [data-trigger]")).to_have_count(0)


@pytest.mark.finding(16)
def test_the_rules_are_the_documents_own(page: Page) -> None:
    """Cards, burns, a tie wager alone and whose the edge is, each as its document has it."""
    page.goto("/rules?book=california")
    main = page.locator("main")
    expect(main).to_contain_text("12 decks in two batches of six, with different backs")
    expect(page.locator("[data-edge]").first).to_be_visible()
    expect(main.locator("th", has_text="The bank's edge").first).to_be_visible()
    expect(main).not_to_contain_text(re.compile("house edge", re.IGNORECASE))
    expect(main).not_to_contain_text("ayout limit applies")
    page.goto("/rules?book=new-zealand")
    expect(page.locator("#play")).to_contain_text("A Tie Wager may also stand alone")
    page.goto("/rules?book=washington")
    words = "3 cards are burned before the players' war cards, and 3 more before the Dealer's."
    expect(page.locator("#play [data-burns]")).to_contain_text(words)
    expect(page.locator("#play")).not_to_contain_text("stand alone")
    expect(page.locator("th", has_text="House edge").first).to_be_visible()


@proves("web", "CA-rank-1a", "ON-rank-1", "NZ-4.2", "MD-6-A")
def test_CA_rank_1a(page: Page) -> None:
    """The ranks stand on every book's page, from the ace down to the two."""
    for name in ("california", "online", "new-zealand", "maryland"):
        page.goto(f"/rules?book={name}")
        ranks = page.locator("[data-ranks] .mini")
        expect(ranks).to_have_text(["A", "K", "Q", "J", "10", *(str(n) for n in range(9, 1, -1))])


def test_the_history_and_a_replay(visit: Visit, player: Client) -> None:
    """The own rounds with totals and filters; one of them again on the felt, step by step."""
    page = visit(who=player, size=PHONE)
    page.goto("/history")
    rounds = page.locator("[data-round]")
    expect(rounds).to_have_count(ROUNDS)
    expect(page.locator("[data-totals]")).to_contain_text(f"Rounds{ROUNDS}")
    assert_fits(page)
    assert_accessible(page)
    won = player.get("/me/rounds?outcome=won")["rounds"]
    expect(page.get_by_text("Main Bet: won")).to_have_count(len(won))
    page.locator("#outcome").select_option("won")
    page.get_by_role("button", name="Show").click()
    expect(rounds).to_have_count(len(won))
    csv = page.locator("[data-csv]")
    expect(csv).to_have_attribute("href", "/me/rounds.csv?outcome=won")
    page.goto(f"/replay?table=online%40{player.name}&round=1")
    expect(page.locator("[data-replay]")).to_contain_text("REPLAY")
    dealt = next(event for event in player.events("dealt") if event["box"] == 0)["card"]
    # It begins at the beginning, with its controls in view.
    expect(page.locator('[data-jump="last"]')).to_be_in_viewport()
    expect(page.locator("[data-step-text]")).to_have_text("Before the round.")
    page.locator('[data-jump="last"]').click()
    expect(page.locator(f'[data-box="0"] [data-card="{dealt}"]')).to_be_visible()
    page.locator('[data-jump="first"]').click()
    expect(page.locator("[data-step-text]")).to_have_text("Before the round.")
    expect(page.locator('[data-box="0"] [data-card]')).to_have_count(0)
    page.locator('[data-jump="forward"]').click()
    expect(page.locator("[data-step-text]")).to_contain_text("Round 1")
    # All its buttons are beside each other, on a phone too.
    page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    tops = page.locator("[data-jump], [data-play]").evaluate_all(
        "(buttons) => buttons.map((each) => each.getBoundingClientRect().top)"
    )
    assert len(set(tops)) == 1
    assert_fits(page)
    assert_accessible(page)
    # The cards and chips of the round before are not shown as this one's.
    page.goto(f"/replay?table=online%40{player.name}&round=2")
    expect(page.locator("[data-step-text]")).to_have_text("Before the round.")
    expect(page.locator("wt-felt [data-card], wt-felt wt-stack")).to_have_count(0)
    expect(page.locator("[data-step]").first).to_be_visible()
    expect(page.get_by_text("The side bets are counted.")).to_have_count(0)


def test_an_empty_history_says_so(visit: Visit, hosted: Hosted) -> None:
    """Who has not played is led to the tables; so is who asks for a round of nobody's."""
    with hosted.guest() as guest:
        page = visit(who=guest)
        page.goto("/history")
        expect(page.locator("[data-empty]")).to_contain_text("not played a round yet")


def test_another_players_round_is_refused(
    visit: Visit, hosted: Hosted, player: Client, allowed: list[str]
) -> None:
    """The page says in a sentence that there is no such round."""
    allowed += ["refused: 404 /rounds/", "refused: 404 /tables/"]
    with hosted.guest() as guest:
        page = visit(who=guest)
        page.goto(f"/replay?table=online%40{player.name}&round=1")
        notice = page.locator("[data-notice=bad]")
        expect(notice).to_contain_text(re.compile("no such (round|table)"))


def test_the_fairness_check(visit: Visit, player: Client) -> None:
    """Finished shoes are found right in the page; a card that is changed is found out."""
    page = visit(who=player, size=PHONE)
    page.goto(f"/fairness?table=online%40{player.name}")
    expect(page.locator("[data-verdict]")).to_have_attribute("data-verdict", "right")
    expect(page.locator("[data-shoe-check]")).to_have_count(5)
    told = player.get(f"/tables/online@{player.name}/shoes")
    expect(page.locator("[data-commitment]")).to_have_text(told["current"]["commitment"])
    record = told["record"]
    first = record["shoes"][2]["drawn"][0]
    first["card"] = "2c" if first["card"] != "2c" else "3d"
    page.locator("summary", has_text="Check a record of your own").click()
    page.locator("#record").fill(json.dumps(record))
    page.locator("[data-check-pasted]").click()
    expect(page.locator("[data-verdict]")).to_have_attribute("data-verdict", "wrong")
    bad = page.locator('[data-check][data-ok="false"]')
    expect(bad.first).to_have_attribute("data-check", "cards")
    assert_fits(page)
    assert_accessible(page)
    page.locator("#record").fill("nonsense")
    page.locator("[data-check-pasted]").click()
    expect(page.locator("[data-notice=bad]").last).to_have_text("This is not JSON.")


def test_an_account_from_registering_to_signing_out(
    visit: Visit, hosted: Hosted, allowed: list[str]
) -> None:
    """A guest registers, loses the password, comes back with a code, and takes a break."""
    page = visit("/account", size=PHONE)
    page.locator("[data-guest]").click()
    expect(page.locator("h1")).to_have_attribute("data-name", re.compile("^guest-"))
    register = page.locator("[data-register]")
    register.locator("[name=register-name]").fill("pat")
    register.locator("[name=register-password]").fill("a good password")
    register.get_by_role("button", name="Register").click()
    expect(page.locator("h1")).to_have_text("pat")
    guest = page.locator("h1").get_attribute("data-name") or ""
    assert guest.startswith("guest-")
    expect(page.locator("[data-code]")).to_have_count(8)
    expect(page.locator("[data-code]").first).to_be_in_viewport()  # they are shown only now
    code = page.locator("[data-code]").first.inner_text()
    assert_fits(page)
    assert_accessible(page)
    page.locator("[name=display]").fill("Pat O'Hara")
    page.locator("[data-display] button").click()
    expect(page.locator("h1")).to_have_text("Pat O'Hara")
    expect(page.locator("[data-code]")).to_have_count(0)
    limit = page.locator('[data-limit="loss_day"]')
    limit.locator("input").fill("some")
    limit.get_by_role("button").click()
    expect(limit.locator("[data-notice=bad]")).to_contain_text("Enter an amount")
    limit.locator("input").fill("12.50")
    limit.get_by_role("button").click()
    expect(page.locator('[data-limit="loss_day"]')).to_contain_text("Now: $12.50")
    assert_fits(page)
    assert_accessible(page)
    change = page.locator("[data-password]")
    change.locator("[name=old]").fill("a good password")
    change.locator("[name=new]").fill("a better password")
    change.get_by_role("button").click()
    expect(change.locator("[data-notice=good]")).to_contain_text("changed")
    page.locator("[data-sign-out]").click()
    allowed.append("refused: 401 /sign-in")
    entry = page.locator("[data-sign-in]")
    entry.locator("[name=sign-in-name]").fill("pat")
    entry.locator("[name=sign-in-password]").fill("a good password")
    entry.get_by_role("button").click()
    expect(entry.locator("[data-notice=bad]")).to_be_visible()
    entry.locator("[name=sign-in-password]").fill("a better password")
    entry.get_by_role("button").click()
    expect(page.locator("h1")).to_have_text("Pat O'Hara")
    page.locator("[data-sign-out]").click()
    page.locator("[data-forgot] summary").click()
    page.locator("[name=recover-name]").fill("pat")
    page.locator("[name=recover-code]").fill(code.lower())
    page.locator("[name=recover-password]").fill("the best password")
    page.locator("[data-recover] button").click()
    expect(page.locator("h1")).to_have_text("Pat O'Hara")
    expect(page.locator("[data-codes-left]")).to_contain_text("7 codes are left.")
    page.locator("[name=sure]").check()
    page.get_by_role("button", name="Exclude me").click()
    expect(page.locator(".notice.warn")).to_contain_text("You are excluded from play until")
    assert hosted.house.protection.excluded[guest] > hosted.clock.now_ms()


def test_a_visitor_chooses_another_language(visit: Visit, player: Client) -> None:
    """One press, and the pages speak Spanish: their own words, the table's, and the record's."""
    page = visit("/history", who=player)
    expect(page.locator("[data-cards]").first).to_be_visible()
    page.locator("[data-language=es]").click()
    expect(page.locator("h1")).to_have_text("Tus rondas")
    expect(page.locator("html")).to_have_attribute("lang", "es")
    expect(page.locator("footer")).to_contain_text("Solo dinero ficticio.")
    page.goto(f"/table?name=online%40{player.name}")
    expect(page.locator('[data-action="deal"]')).to_contain_text("epart")
    page.goto("/")
    expect(page.locator("[data-play-now]")).to_have_text("Jugar ya")
    page.locator("[data-language=en]").click()
    expect(page.locator("[data-play-now]")).to_have_text("Play now")


def test_money_that_is_gone_comes_back(visit: Visit, hosted: Hosted) -> None:
    """Who has nothing left gets new play money with one click, in the lobby."""
    with hosted.guest() as guest:
        name = guest.private("washington", guest.get("/me")["holds"]["wallet"])
        page = visit(who=guest)
        lose_all(guest, name)
        page.goto("/")
        page.locator("[data-refill]").click()
        expect(page.locator("#wallet")).to_have_text(re.compile(r"^\$[1-9]"))


def lose_all(guest: Client, name: str) -> None:
    """Stake everything, round by round, until it is lost."""
    while not broke(guest, name):
        for due in guest.awaited()["due"]:
            if due["what"] == "bets":
                stack = guest.get("/me")["holds"].get(name, 0)
                if stack:
                    guest.must("bet", box=1, wager="primary", amount=stack)
                    guest.must("close_bets")
            elif due["what"] == "choice":
                guest.must("choose", box=1, choice="surrender")


def broke(guest: Client, name: str) -> bool:
    """Whether nothing is left, on the felt neither."""
    round_ = guest.get(f"/tables/{name}")["state"]["round"]
    playing = round_ is not None and round_["hands"] and not round_["closed"]
    return not playing and not any(guest.get("/me")["holds"].values())


def test_a_closed_house_says_so(visit: Visit, hosted: Hosted) -> None:
    """While all gaming is disabled the lobby says that no wager is taken, and offers to watch."""
    with hosted.staff("floor") as boss:
        boss.post("/disable", scope="gaming", reason="a drill")
        try:
            page = visit("/", size=NARROW)
            expect(page.locator("[data-shut]")).to_contain_text("is not taking bets")
            expect(page.locator("[data-sit]").first).to_have_text("Watch")
            assert_fits(page)
            assert_accessible(page)
        finally:
            boss.post("/enable", scope="gaming", reason="over")
        expect(page.locator("[data-shut]")).to_have_count(0)
