"""A table's page in a real browser: bet and choose by clicks, read what the felt shows."""

from typing import NamedTuple
from urllib.parse import parse_qs, quote, urlsplit

from playwright.sync_api import Locator, Page, expect

from browser import Visit
from hosting import Client


class Line(NamedTuple):
    """A line of a receipt as it is printed, the clauses apart."""

    wager: str
    staked: str
    outcome: str
    returned: str
    net: str
    clauses: tuple[str, ...]


class Place(NamedTuple):
    """Where something is on the page, in pixels."""

    left: float
    top: float
    right: float
    bottom: float


def place(locator: Locator) -> Place:
    """Where a part of the page is."""
    box = locator.bounding_box()
    assert box is not None, f"{locator} is nowhere to be seen"
    return Place(box["x"], box["y"], box["x"] + box["width"], box["y"] + box["height"])


def called(who: Client) -> str:
    """What a guest who chose no name is called on players' pages."""
    return f"Guest {who.name.removeprefix('guest-')[:4]}"


def catch_up(page: Page) -> None:
    """Wait until a table's page shows all that has happened there until now.

    What is read from a page at once, without `expect`, may be read only after this.
    """
    address = urlsplit(page.url)
    if address.path != "/table":
        return
    name = parse_qs(address.query)["name"][0]
    number = page.request.get(f"/tables/{quote(name)}").json()["number"]
    page.wait_for_function(
        "(number) => Number(document.querySelector('wt-felt').dataset.number) >= number",
        arg=number,
    )


class Felt:
    """A table as one person's browser shows it."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.felt = page.locator("wt-felt")
        self.dealer = self.felt.locator('.dealer[data-box="0"]')
        self.status = page.locator("#status")
        self.dock = page.locator("#dock")
        self.record = page.locator("#record")

    def box(self, box: int) -> Locator:
        """A box, or the dealer's place."""
        return self.dealer if box == 0 else self.felt.locator(f'wt-box[data-box="{box}"]')

    def spot(self, box: int, kind: str = "primary") -> Locator:
        """A spot of a box."""
        return self.box(box).locator(f'[data-spot="{kind}"]')

    def stack(self, box: int, wager: str, player: Client | None = None) -> Locator:
        """The chips of a wager, of one player where several have some there."""
        whose = "" if player is None else f'[data-player="{player.name}"]'
        return self.box(box).locator(f'wt-stack[data-wager="{wager}"]{whose}')

    def slip(self, box: int, wager: str) -> Locator:
        """The words to the chips of a wager that is the visitor's, or the first one's there."""
        return self.box(box).locator(f'[data-slip="{wager}"]')

    def card(self, box: int, deal: str = "original") -> Locator:
        """A card of this round on a box."""
        return self.box(box).locator(f'.cards:not(.old) [data-deal="{deal}"]')

    def cards(self, deal: str = "original") -> dict[str, str]:
        """Every card of a deal that lies on the felt, by box."""
        catch_up(self.page)
        found: dict[str, str] = self.felt.evaluate(
            """(felt, deal) => Object.fromEntries(
              [...felt.querySelectorAll(`.cards:not(.old) [data-deal="${deal}"]`)].map((card) => [
                card.closest("[data-box]").dataset.box, card.dataset.card]))""",
            deal,
        )
        return found

    def shows(self, box: int, card: str, deal: str = "original") -> None:
        """A card lies face up on a box, and nowhere else on it."""
        shown = self.card(box, deal)
        expect(shown).to_have_attribute("data-card", card)
        expect(shown.locator("svg.face")).to_have_count(1)

    def amount(self, cents: int) -> None:
        """Choose an amount that no chip has."""
        self.page.locator("#amount").fill(f"{cents // 100}.{cents % 100:02d}")

    def click(self, box: int, kind: str = "primary") -> None:
        """Click on a spot."""
        self.spot(box, kind).click()

    def bet(self, box: int, cents: int, wager: str = "primary") -> None:
        """Bet by clicks, and see the own chips on the spot."""
        expect(self.spot(box, wager)).to_contain_class("open")
        before = int(self.spot(box, wager).get_attribute("data-mine") or 0)
        self.amount(cents)
        self.click(box, wager)
        expect(self.spot(box, wager)).to_have_attribute("data-mine", str(before + cents))

    def refuses(self, box: int, cents: int, wager: str, code: str) -> Locator:
        """A wager by clicks that is refused at its box; the sentence that says why."""
        expect(self.dock).to_have_attribute("data-panel", "bets")
        before = self.spot(box, wager).get_attribute("data-mine")
        self.amount(cents)
        self.click(box, wager)
        told = self.box(box).locator(f'.refusal[data-refusal="{code}"][data-wager="{wager}"]')
        expect(told).to_be_visible()
        assert self.spot(box, wager).get_attribute("data-mine") == before
        return told

    def deal(self) -> None:
        """Press Deal."""
        self.page.locator('[data-action="deal"]').click()

    def option(self, box: int, choice: str) -> Locator:
        """One of the buttons for a tied box."""
        return self.dock.locator(f'button[data-choice="{choice}"][data-box="{box}"]')

    def choose(self, box: int, choice: str) -> None:
        """Answer for a tied box, and see that it is asked no more."""
        self.option(box, choice).click()
        expect(self.option(box, choice)).to_be_hidden()

    def lies(self, box: int, wager: str, staked: int, player: Client | None = None) -> None:
        """A wager lies on the felt, not decided yet."""
        whose = "" if player is None else f'[data-player="{player.name}"]'
        chips = f'wt-stack[data-wager="{wager}"][data-staked="{staked}"]:not([data-outcome]){whose}'
        expect(self.box(box).locator(chips)).to_have_count(1)

    def settles(self, box: int, wager: str, outcome: str, returned: int) -> None:
        """A wager ends with this outcome and as much back."""
        stack = self.stack(box, wager)
        expect(stack).to_have_attribute("data-outcome", outcome)
        expect(stack).to_have_attribute("data-returned", str(returned))
        expect(stack).to_have_attribute("data-amount", str(returned))

    def nets(self, cents: int) -> None:
        """The bar shows this result of the round."""
        expect(self.page.locator("#net")).to_have_attribute("data-amount", str(cents))

    def balance(self) -> int:
        """The money at the table that is not at stake."""
        catch_up(self.page)
        return int(self.page.locator("#balance").get_attribute("data-amount") or 0)

    def receipt(self, box: int) -> list[Line]:
        """What the receipt of a box says, opened by its result and closed again."""
        catch_up(self.page)
        self.box(box).locator("button.result").click()
        dialog = self.page.locator('[data-dialog="receipt"]')
        rows = dialog.locator(f'[data-receipt="{box}"] tbody tr')
        expect(rows).not_to_have_count(0)
        lines = []
        for row in rows.all():
            found = row.locator("th, td").all_inner_texts()
            cells = [cell.replace("\N{MINUS SIGN}", "-") for cell in found]
            clauses = row.locator(".clauses").inner_text().strip()
            outcome = cells[2].replace(clauses, "").strip()
            named = tuple(filter(None, clauses.split(", ")))
            lines.append(Line(cells[0], cells[1], outcome, cells[3], cells[4], named))
        self.page.keyboard.press("Escape")
        expect(dialog).to_have_count(0)
        return lines

    def paid(self, box: int) -> list[tuple[str, str, str, str]]:
        """Wager, words, what came back and net, of each line of a box's receipt."""
        lines = self.receipt(box)
        return [(line.wager, line.outcome, line.returned, line.net) for line in lines]

    def happened(self, *kinds: str) -> list[tuple[str, str]]:
        """What the list says happened, the oldest first: kinds of events and sentences."""
        catch_up(self.page)
        found: list[list[str]] = self.record.evaluate(
            "list => [...list.children].map((line) => [line.dataset.event, line.textContent])"
        )
        return [(kind, text) for kind, text in reversed(found) if not kinds or kind in kinds]


def at(visit: Visit, table: str, who: Client | None = None, **options: object) -> Felt:
    """The page of a table, opened and connected."""
    felt = Felt(visit(f"/table?name={quote(table)}", who=who, **options))
    expect(felt.status).not_to_be_empty()
    return felt
