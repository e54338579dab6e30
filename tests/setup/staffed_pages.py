"""Staffed tables in the browser: a guest's page of a table, clicks on the felt, what it shows."""

from urllib.parse import urlencode

from playwright.sync_api import FloatRect, Locator, Page, expect

from browser import Visit
from staffed_tables import SeatedTable
from table_pages import catch_up


def sit(visit: Visit, table: SeatedTable, index: int = 0, **options: object) -> Page:
    """The page of a guest at the table."""
    page = visit(who=table.players[index], **options)
    watch(page, table)
    name = table.players[index].name
    expect(page.locator(f'#company [data-guest="{name}"]')).to_be_visible()
    return page


def watch(page: Page, table: SeatedTable) -> None:
    """Go to the table's page."""
    page.goto(f"/table?{urlencode({'name': table.name})}")
    expect(page.locator("wt-felt[data-book]")).to_be_visible()
    expect(page.locator("#status")).not_to_be_empty()


def box(page: Page, number: int) -> Locator:
    """A box of the felt; 0 is the dealer's place."""
    return page.locator(f'wt-felt [data-box="{number}"]:not(button)')


def spot(page: Page, number: int, kind: str = "primary") -> Locator:
    """A spot of a box."""
    return box(page, number).locator(f'[data-spot="{kind}"]')


def wager(page: Page, number: int, kind: str = "primary") -> Locator:
    """A wager's chips on a box."""
    return box(page, number).locator(f'wt-stack[data-wager="{kind}"]')


def card(page: Page, number: int, deal: str = "original") -> Locator:
    """A card on a box; the dealer's is on box 0."""
    return box(page, number).locator(f'[data-deal="{deal}"]')


def put(page: Page, number: int, cents: int, kind: str = "primary") -> None:
    """Bet an amount with the field and a click, and see it lie there."""
    choose_amount(page, cents)
    spot(page, number, kind).click()
    expect(wager(page, number, kind)).to_have_attribute("data-staked", str(cents))


def choose_amount(page: Page, cents: int) -> None:
    """Type what the next click on a spot bets."""
    expect(page.locator("#dock")).to_have_attribute("data-panel", "bets")
    page.locator("#amount").fill(f"{cents / 100:.2f}")


def choose(page: Page, number: int, choice: str, war_tie: int = 0) -> None:
    """Answer a tie by its button."""
    if war_tie:
        page.locator(f'[data-war-tie="{number}"]').fill(f"{war_tie / 100:.2f}")
    page.locator(f'button[data-choice="{choice}"][data-box="{number}"]').click()
    expect(box(page, number)).to_have_attribute("data-choice-made", choice)


def ended(page: Page, number: int, kind: str, outcome: str, returned: int) -> None:
    """A wager is shown with this end and with what came back."""
    chips = wager(page, number, kind)
    expect(chips).to_have_attribute("data-outcome", outcome)
    expect(chips).to_have_attribute("data-returned", str(returned))


def told(page: Page, *kinds: str) -> list[str]:
    """What the list says of these kinds of events, the oldest first."""
    catch_up(page)
    found: list[str] = page.locator("#record").evaluate(
        """(list, kinds) => [...list.children].reverse()
          .filter((each) => kinds.includes(each.dataset.event)).map((each) => each.textContent)""",
        list(kinds),
    )
    return found


def amount(page: Page, where: str, cents: int) -> None:
    """A figure of the bar, such as `balance`, shows so many cents."""
    expect(page.locator(f"#{where}")).to_have_attribute("data-amount", str(cents))


def place(locator: Locator) -> FloatRect:
    """Where something lies on the page."""
    found = locator.bounding_box()
    assert found is not None, locator
    return found


def middle(locator: Locator) -> float:
    """How far from the left the middle of something is."""
    found = place(locator)
    return found["x"] + found["width"] / 2
