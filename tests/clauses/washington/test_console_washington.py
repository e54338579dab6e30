"""The clauses of Washington and of the online game in the console."""

from urllib.parse import quote

from playwright.sync_api import expect

from browser import Visit
from clauses import proves
from console_pages import clauses, opens, put, refused, setting, setup_page
from hosting import WIDE as WIDE_LIMITS
from staffed_tables import House

BOOKS = ("washington", "online")
GUESTS = 1


@proves("console", "WA-4c-iii", "WA-limits")
def test_payment_and_ceiling(visit: Visit, house: House) -> None:
    """How dealers pay is the house's choice; no limit is above the ceiling of the law."""
    page = setup_page(visit, house.staff.floor, "washington")
    assert clauses(page, "deal.payment") == {"WA-4c-iii"}
    shown = setting(page, "deal.payment").locator("option").all_text_contents()
    assert shown == ["pick and pay", "lay and pay"]
    assert clauses(page, "limits.ceiling") == {"WA-limits"}
    assert WIDE_LIMITS.ceiling is not None
    above = str(WIDE_LIMITS.ceiling // 100 + 1)
    refused(page, "limits.ceiling", above, "the house's own ceiling")
    refused(page, "limits.primary.max", above, "limits.primary")
    put(page, deal__payment="lay_and_pay", limits__ceiling="300")
    put(page, limits__primary__max="301")
    expect(page.locator("[data-problem]").first).to_contain_text("limits.primary")
    put(page, limits__primary__max="300", limits__tie__max="100")
    opens(page, "wa paid")
    made = house.hosted.house.floor.places["wa paid"].live.setup.rules
    assert (made.deal.payment, made.limits.ceiling) == ("lay_and_pay", 30_000)
    pit = visit(f"/floor?table={quote('wa paid')}", who=house.staff.floor)
    expect(pit.locator("[data-limits]")).to_contain_text("single wager at most $300")


@proves("console", "ON-bet-1", "ON-version")
def test_online(visit: Visit, house: House) -> None:
    """One to three hands with their own limits; the edition stands in the form and the record."""
    page = setup_page(visit, house.staff.floor, "online")
    expect(page.locator("[data-document]")).to_contain_text("version 1.0 of")
    expect(page.locator("[data-document]")).to_contain_text("2021")
    assert "ON-bet-1" in clauses(page, "table.boxes_per_player")
    assert clauses(page, "limits.primary.min") == {"ON-bet-1"}
    refused(page, "table.boxes_per_player", "4", "at most 3, the book's own value")
    put(page, table__boxes_per_player="2", limits__primary__min="10")
    page.locator("[name=table-staffed]").select_option("no")
    opens(page, "on two hands")
    made = house.hosted.house.floor.places["on two hands"].live.setup.rules
    assert (made.table.boxes_per_player, made.limits.primary.min) == (2, 1_000)
    guest = house.guests[0]
    table = guest.private("online")
    guest.play(1, deal=True)
    again = visit(f"/replay?table={quote(table)}&round=1", who=house.staff.floor)
    record = again.locator("section", has_text="Shoe commitment")
    expect(record).to_contain_text("version 1.0 of")
