"""Every daily task of docs/operate.md on a page, and the same rows as by its requests."""

import re
import shutil
from pathlib import Path
from urllib.parse import quote

import msgspec
import pytest
from playwright.sync_api import Browser, Page, expect

from browser import WIDE, Visit, Watch, assert_accessible, assert_fits, new_page
from console_pages import opens, put, setup_page
from hosting import Hosted, Json
from operate_page import daily_tasks
from staffed_tables import House
from waiting import ran, until
from wartable.players import is_bot
from wartable.server.records import database
from wartable.server.records.messages import Note, without_fingerprint
from wartable.server.records.rows import CASHIER, OFFICE, Row

BOOKS = ("maryland",)
GUESTS = 1
TABLET = (820, 1180)
SECRET = "three words of yours"
FIRST = "until she changes it"
UNLIKE = {
    "house_opened", "code_approved", "signed_in", "signed_out", "sign_in_failed",
}  # fmt: skip  # a list of words
"""Kinds of events that are about the house itself and who is signed in, not about the tasks."""


def config(folder: Path) -> Hosted:
    """The house of the page's examples."""
    return Hosted(folder, money="deposited", layout="approval 2026-113")


def rows(hosted: Hosted) -> tuple[list[tuple[str, ...]], list[tuple[str, str, str]]]:
    """What the office noted, and what the cashier and the new table were told to do."""
    engine = hosted.house.engine
    noted: list[tuple[str, ...]] = []
    for row in database.rows_of(engine, OFFICE):
        note = msgspec.json.decode(row.command, type=Note)
        if note.kind not in UNLIKE:
            values = (note.subject, note.reason, note.before, without_fingerprint(note.after))
            noted.append((note.kind, row.actor, *values))
    given = [
        (row.actor, row.command_id, row.command)
        for name in (CASHIER, "high limit")
        for row in database.rows_of(engine, name)
        if row.actor != "platform"
    ]
    return noted, given


def send(page: Page, form: str, **fields: str) -> None:
    """Fill in a form by the names of its fields, open its panel before, and see it taken."""
    found = page.locator(f"form[{form}]").first
    expect(found).to_be_attached()
    if not found.is_visible():
        page.locator("details", has=found).last.locator("summary").first.click()
    for name, value in fields.items():
        field = found.locator(f'[name="{name.replace("_", "-")}"]')
        if field.evaluate("(element) => element.tagName") == "SELECT":
            field.select_option(value)
        else:
            field.fill(value)
    with page.expect_response(lambda answer: answer.request.method != "GET") as answered:
        found.get_by_role("button").click()
    assert answered.value.ok, answered.value.text()
    expect(found.get_by_role("button").and_(page.locator(":disabled"))).to_have_count(0)


@pytest.mark.skipif(shutil.which("curl") is None, reason="the page's requests are sent with curl")
def test_daily_tasks_on_pages_leave_the_same_rows(tmp_path: Path, chromium: Browser) -> None:
    """One house is run with the requests of the page, another in the browser."""
    with config(tmp_path / "curl") as hosted:
        script = daily_tasks().replace("http://127.0.0.1:8000", f"http://{hosted.host}")
        done = ran(["sh", "-euc", script.replace("/var/lib/wartable", str(tmp_path / "curl"))])
        assert done.returncode == 0, done.stderr
        by_requests = rows(hosted)
    with config(tmp_path / "pages") as hosted:
        page = new_page(chromium, hosted, size=WIDE)
        watch = Watch(page, hosted.host)
        try:
            first_administrator(page, tmp_path / "pages")
            people_and_money(page)
            closures(page)
            table_and_cards(page, hosted)
            reading(page)
        finally:
            page.context.close()
        assert not watch.problems
        by_pages = rows(hosted)
        backups = list((tmp_path / "pages" / "backups").iterdir())
    assert by_pages[1] == by_requests[1]
    assert by_pages[0] == by_requests[0]
    assert [path.suffix for path in backups] == [".backup"]


def test_an_answer_and_bots_by_page_and_by_request(visit: Visit, house: House) -> None:
    """A dispute that is answered, and bots that come and go: both ways leave the same rows."""
    engine, floor, (guest,) = house.hosted.house.engine, house.staff.floor, house.guests
    with house.table("maryland", 1, name="played") as table:
        table.play(lambda cards: cards[0][0] != cards[1][0], {"primary": 500})
    asked: Json = {"table": "played", "round": 1}
    numbers = []
    for words in ("by request", "by page"):
        numbers.append(guest.post("/me/disputes", 201, words=words, **asked)["number"])
        if words == "by request":
            body: Json = {"end": "corrected", "amount": 250, "words": "You are right."}
            floor.post(f"/disputes/{numbers[0]}/answer", **body)
    page = visit("/people", who=floor)
    number = numbers[1]
    fields = {f"end-{number}": "corrected", f"amount-{number}": "2.50"}
    send(page, "data-answer", **fields, **{f"words-{number}": "You are right."})
    expect(page.locator("[data-disputes]")).to_have_attribute("data-disputes", "0")
    for name, kind in ((OFFICE, "dispute_answered"), (CASHIER, "")):
        rows = [row for row in database.rows_of(engine, name) if kind in row.command]
        first, second = [unnumbered(row, numbers) for row in rows][-2:]
        assert first == second
    for name, way in (("maryland 1", "request"), ("maryland 2", "page")):
        if way == "request":
            floor.post(f"/tables/{name}/bots", count=2)
            floor.post(f"/tables/{name}/bots/leave")
            continue
        floor.post("/tables", 201, name=name, book="maryland")
        page.goto(f"/floor?table={quote(name)}")
        send(page, "data-bots", bots_count="2")
        expect(page.locator("form[data-bots] [data-notice=good]")).to_contain_text("come to the")
        send(page, "data-no-bots")
        expect(page.locator("form[data-no-bots] [data-notice=good]")).to_contain_text("leave when")
    given = {}
    for name in ("maryland 1", "maryland 2"):

        def gone(name: str = name) -> bool:
            return not house.hosted.house.floor.places[name].live.state.guests

        until(gone, f"bots stay at {name}")
        rows = [row for row in database.rows_of(engine, name) if is_bot(row.actor)]
        kinds = [msgspec.json.decode(row.command)["type"] for row in rows]
        given[name] = sorted(kind for kind in kinds if kind in ("join", "leave"))
    assert given["maryland 1"] == given["maryland 2"] == ["join", "join", "leave", "leave"]


def unnumbered(row: Row, numbers: list[int]) -> tuple[str, str]:
    """Who gave a command and what it says, without the number of its dispute."""
    text = row.command
    for number in numbers:
        text = re.sub(rf"\b{number}\b", "N", text)
    return row.actor, text


def first_administrator(page: Page, folder: Path) -> None:
    """Sign in as the first administrator, change the password and remove the file."""
    password = (folder / "admin-password").read_text().strip()
    page.goto("/account")
    send(page, "data-sign-in", sign_in_name="admin", sign_in_password=password)
    expect(page.locator("h1")).to_have_text("admin")
    send(page, "data-password", old=password, new=SECRET)
    expect(page.locator("[data-password] [data-notice=good]")).to_contain_text("changed")
    (folder / "admin-password").unlink()


def people_and_money(page: Page) -> None:
    """Accounts, roles, a lost password, a key, payments at the desk, and limits."""
    page.goto("/house")
    expect(page.locator("[data-closures]")).to_be_visible()
    for name, role in (("berta", "admin"), ("carla", "floor"), ("dora", "player")):
        fields = {"account_name": name, "account_password": FIRST, "account_role": role}
        send(page, "data-open-account", **fields)
    send(page, 'data-role=""', role_name="carla", role_role="dealer", role_reason="asked for it")
    page.locator("[name=begins]").fill("d")
    page.locator("form[data-accounts] button").click()
    expect(page.get_by_role("row").filter(has_text="dora")).to_contain_text("deposited")
    reason = "lost it, was here with her badge"
    send(page, "data-new-password", password_name="carla", password_reason=reason)
    expect(page.get_by_text("The new password for carla is shown only once")).to_be_visible()
    send(page, "data-key", key_name="desk-1")
    key = page.locator("details", has=page.locator("form[data-key]")).locator("code").inner_text()
    page.goto("/cashier")
    page.locator("[name=desk-key]").fill(key)
    page.get_by_role("button", name="Open the desk").click()
    slip = {"pay_name": "dora", "pay_amount": "500", "pay_slip": "slip-1001"}
    send(page, "data-pay", **slip)
    send(page, "data-pay", **slip)
    expect(page.locator("[data-wallet]")).to_have_attribute("data-wallet", "50000")
    slip = {"pay_way": "withdraw", "pay_amount": "100", "pay_slip": "slip-1002"}
    send(page, "data-pay", pay_name="dora", **slip)
    expect(page.locator("[data-wallet]")).to_have_attribute("data-wallet", "40000")
    page.set_viewport_size({"width": TABLET[0], "height": TABLET[1]})
    assert_fits(page)
    assert_accessible(page)
    page.set_viewport_size({"width": WIDE[0], "height": WIDE[1]})
    page.goto("/house")
    send(page, "data-revoke", revoke_name="desk-1", revoke_reason="the desk is closed")
    expect(page.locator("[data-operator-keys]")).to_contain_text("revoked")
    for account, kind, amount in (("*", "deposit_day", "1000"), ("dora", "loss_week", "200")):
        fields = {"limit_account": account, "limit_kind": kind, "limit_amount": amount}
        send(page, "data-operator-limit", **fields)


def closures(page: Page) -> None:
    """All gaming, a book, a table and a player."""

    def stop(scope: str, name: str, reason: str) -> None:
        send(page, "data-disable", scope=scope, closing_name=name, closing_reason=reason)
        expect(page.locator(f'[data-enable="{f"{scope} {name}".strip()}"]')).to_be_visible()

    def go_on(what: str, reason: str) -> None:
        send(page, f'data-enable="{what}"', reason=reason)
        expect(page.locator(f'[data-enable="{what}"]')).to_have_count(0)

    stop("gaming", "", "fire alarm")
    go_on("gaming", "all clear")
    stop("book", "online", "new version to be read")
    stop("table", "maryland 1", "cleaning the wheel")
    stop("player", "dora", "asked for a pause")
    go_on("table maryland 1", "wheel is clean")


def table_and_cards(page: Page, hosted: Hosted) -> None:
    """A new table with the operator's settings, and cards from receipt to the table."""

    def visit(path: str, **_: object) -> Page:
        page.goto(path)
        return page

    setup_page(visit, None, "maryland")  # type: ignore[arg-type]  # who is signed in
    page.locator("[name=table-layout]").fill("approval 2026-114")
    values = {"decks": "8", "shuffle": "batches", "limits__primary__min": "100"}
    put(page, **values, wagers__bonus_spin__offered="false")
    opens(page, "high limit")
    page.goto("/decks")
    for back in ("red", "blue"):
        send(page, "data-receive-cards", cards_name=f"{back}-1", cards_decks="8", cards_back=back)
        expect(page.locator(f'[data-log="{back}-1"]')).to_be_visible()
    for name, what, place in (
        ("red-1", "secured", "vault 3"),
        ("red-1", "issued", "high limit"),
        ("blue-1", "issued", "high limit"),
    ):
        send(page, "data-move-cards", moved_name=name, moved_what=what, moved_place=place)
        said = f"{'secured in' if what == 'secured' else 'issued to'} {place}"
        expect(page.get_by_role("row").filter(has_text=name).first).to_contain_text(said)
    assert hosted.house.inventory.find("blue-1").place == "high limit"


def reading(page: Page) -> None:
    """Disputes, reports, returns, significant events, the self-check, and a backup."""
    page.goto("/people")
    expect(page.locator("[data-disputes]")).to_contain_text("Nobody waits for an answer.")
    page.goto("/reports")
    expect(page.locator("[data-report]")).to_be_visible()
    page.goto("/returns")
    expect(page.locator("main .loading")).to_have_count(0)
    page.goto("/house")
    page.get_by_text("Significant events", exact=True).click()
    expect(page.locator("[data-records]")).to_contain_text("cleaning the wheel")
    send(page, "data-check")
    told = page.locator("form[data-check] [data-notice=good]")
    expect(told).to_contain_text("those that were approved")
    expect(page.locator("[data-program]")).to_have_attribute("data-program", "approved")
    send(page, "data-back-up")
    said = page.locator("form[data-back-up] [data-notice=good]")
    expect(said).to_have_text(re.compile(r"^wartable-[\d.-]+\.backup has everything as of now\."))
