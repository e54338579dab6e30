"""A shift of a staffed house in browsers: five books, four staff, twelve players with bots.

Two hours pass by the house's clock. The deep variant plays more rounds in every part of it.
"""

from collections.abc import Iterator
from contextlib import ExitStack
from urllib.parse import quote

import msgspec
import pytest
from playwright.sync_api import Page, expect

from browser import Visit
from console_pages import done, duty, office, opens, setup_page, step
from hosting import FAST, Client, Hosted, Json
from live_tables import PATIENT
from staffed_tables import House, SeatedTable, bring, house_of, shoe_of, spare
from table_pages import at
from waiting import until
from wartable.cards import DECK
from wartable.players import is_bot
from wartable.rules import NAMES
from wartable.server.audit import verify

BOTS = {"california 1": 2, "new-zealand 1": 1, "online 1": 0, "washington 1": 2}
PEOPLE = 7
PLAYERS = 12
HAPPENED = (
    "table_opened", "card_set_aside", "reshuffle_ordered", "round_voided", "award_pending",
    "award_approved", "excluded", "round_disputed", "dispute_answered", "dealer_changed",
    "disabled",
)  # fmt: skip  # a list of words
"""What the report of the shift must have, in its order."""
MINUTE_MS = 60_000
PART_MINUTES = 20
PARTS = 6
TIMING = msgspec.structs.replace(FAST, choice_ms=PATIENT.choice_ms, cut_ms=PATIENT.cut_ms)
MD, OPENED = "shift maryland", "shift washington"


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """A house of all five books."""
    folder = tmp_path_factory.mktemp("house")
    with house_of(folder, *NAMES, guests=PEOPLE, shared=TIMING) as found:
        yield found


@pytest.fixture(scope="module")
def hosted(house: House) -> Hosted:
    """Its server."""
    return house.hosted


class Shift:
    """The people of a shift, and the time that passes."""

    def __init__(self, house: House, second: Client, admin: Client, rounds: int) -> None:
        self.house, self.second, self.admin, self.rounds = house, second, admin, rounds
        self.began_ms = house.hosted.clock.now_ms()
        self.played = 0

    @property
    def everybody(self) -> list[Client]:
        """Everybody who is signed in."""
        return [*self.house.staff, self.second, self.admin, *self.house.guests]

    def part(self) -> None:
        """A part of the shift is over: nobody idled, and players read how long they played."""
        self.house.hosted.clock.ahead_ms += PART_MINUTES * MINUTE_MS
        for client in self.everybody:
            client.get("/me")
            # A reality check is due with the first command after its hour.
            body = {"type": "leave", "id": f"part {self.house.hosted.clock.ahead_ms}"}
            client.http.post("/tables/online 1/commands", json=body)
            client.post("/me/acknowledge")

    def automatic(self, newcomer: Client) -> None:
        """The automatic tables play some rounds, each with a person and its bots.

        A newcomer plays at the table that the floor has opened.
        """
        at_tables = [(newcomer, OPENED, 0)]
        for guest, (name, bots) in zip(self.house.guests[2:], BOTS.items(), strict=False):
            at_tables.append((guest, name, bots))
        for guest, name, bots in at_tables:
            guest.hello(name)
            guest.must("join", amount=20_000, seat=1)
            if bots:  # online, a table has one seat
                guest.post(f"/tables/{name}/bots", count=bots)
            guest.play(self.rounds)
            self.played += self.rounds
            until(lambda guest=guest: left(guest), f"{guest.name} cannot leave {name}")  # type: ignore[misc]  # each guest's own
            guest.close()
            guest.http = guest.hosted.http(guest.token)


def left(guest: Client) -> bool:
    """Whether a guest has left the table, which may have to wait for the end of a round."""
    answer = guest.do("leave")
    return str(answer.get("code", "not_here")) == "not_here"


def caught_up(table: SeatedTable) -> None:
    """The table's number after what was done on pages."""
    table.number = table.spectator.get(f"/tables/{table.name}")["number"]


def test_a_shift(visit: Visit, house: House, deep: bool) -> None:
    """Opening, play, irregularities, a new dealer, an award, an exclusion, a dispute, closing."""
    hosted = house.hosted
    with ExitStack() as open_:
        second = open_.enter_context(hosted.staff("dealer"))
        admin = open_.enter_context(hosted.admin())
        shift = Shift(house, second, admin, 20 if deep else 1)
        opening(visit, house)
        shift.part()
        with house.table("maryland", 1, name=MD) as table:
            dealer = office(visit, house.staff.dealer, MD)
            floor = office(visit, house.staff.floor, MD)
            dealt_by_page(visit, table, dealer)
            irregular(table, dealer, floor)
            award(table, floor)
        shift.part()
        shift.automatic(house.guests[6])
        shift.part()
        exclusion(visit, house.guests[6])
        dispute(visit, house.guests[0], floor)
        shift.part()
        shift.automatic(house.guests[1])
        shift.part()
        with house.table("washington", 1, name="shift new dealer") as table:
            new_dealer(table, floor, second)
        shift.part()
        closing(visit, shift)
        passed = hosted.clock.now_ms() - shift.began_ms
        assert passed >= PARTS * PART_MINUTES * MINUTE_MS == 2 * 60 * MINUTE_MS
    verify.verify(hosted.house.engine, hosted.house.key)


def opening(visit: Visit, house: House) -> None:
    """The floor opens one more table with a setting of its own, and sees it in the pit."""
    page = setup_page(visit, house.staff.floor, "washington")
    page.locator("[name=table-staffed]").select_option("no")
    opens(page, OPENED)
    page.goto("/floor")
    expect(page.get_by_text(OPENED).first).to_be_visible()
    page.context.close()


def dealt_by_page(visit: Visit, table: SeatedTable, dealer: Page) -> None:
    """A round from closed cards to its end, each step on the dealer's page as it is due."""
    felt = at(visit, table.name, table.players[0])
    table.issue("inspected_and_shuffled", 6, "red")
    step(dealer, "receive_decks")
    step(dealer, "shuffle_cards")
    felt.page.locator("[data-action=cut]").click()
    step(dealer, "load_shoe")
    step(dealer, "start_round")
    felt.bet(1, 2_500)
    felt.bet(1, 500, "progressive")
    step(dealer, "close_bets")
    form = dealer.locator('form[data-command="count_side_bets"]')
    expect(form).to_be_visible()
    duty(dealer, "count_side_bets", progressive="1", bonus_spin="0")
    step(dealer, "proceed")
    expect(felt.card(0)).to_be_visible()
    felt.page.context.close()
    caught_up(table)


def irregular(table: SeatedTable, dealer: Page, floor: Page) -> None:
    """A card lies face up, a round is voided, and the floor has the cards shuffled again."""
    while table.what() == "proceed":
        table.proceed()
    if table.what() == "choice":
        table.must(table.players[0], "choose", box=1, choice="surrender")
        while table.what() == "proceed":
            table.proceed()
    table.start()
    table.bet(table.players[0], 1, 500)
    table.close_bets()
    done(duty(dealer, "find_face_up"))
    expect(dealer.locator('[data-event="card_set_aside"]').first).to_be_visible()
    done(duty(floor, "order_reshuffle", reason="the cards are wet"))
    done(duty(floor, "void_round", reason="a drink on the felt"))
    expect(floor.locator("[data-due]")).to_have_attribute("data-due", "shuffle")
    caught_up(table)


def award(table: SeatedTable, floor: Page) -> None:
    """Four suited cards win the meter; the floor approves it with its evidence on the page."""
    table.open()
    cards = shoe_of(table).cards
    card = min(DECK, key=lambda each: [n for n, c in enumerate(cards) if c == each][3])
    table.start()
    table.bet(table.players[0], 1, 2_500)
    table.bet(table.players[0], 1, 500, "progressive")
    table.close_bets()
    bring(table, card, 2)
    table.must(table.players[0], "choose", box=1, choice="war")
    for _ in range(3):
        spare(table, card)
    bring(table, card, 2)
    while table.what() == "proceed":
        table.proceed()
    before = table.held()
    waiting = floor.locator(f'[data-award-at="{table.name}"]')
    expect(waiting.locator("[data-share]")).to_be_visible()
    waiting.locator("[data-approve]").click()
    expect(waiting).to_have_count(0)
    assert table.held() > before + 1_000_000


def exclusion(visit: Visit, player: Client) -> None:
    """A player excludes themselves on the page, and no table takes them any more."""
    page = visit("/account", who=player)
    page.locator("[name=sure]").check()
    page.get_by_role("button", name="Exclude me").click()
    expect(page.locator(".notice.warn")).to_contain_text("You are excluded from play until")
    page.context.close()
    player.hello("online 1")
    assert player.do("join", amount=1_000, seat=2)["code"] == "excluded"
    player.close()
    player.http = player.hosted.http(player.token)


def dispute(visit: Visit, player: Client, floor: Page) -> None:
    """A player finds a round wrong; the floor answers that it stands."""
    page = visit("/history", who=player)
    page.get_by_text("Something is wrong with this round").last.click()
    page.locator("form[data-complain] textarea").last.fill("My card was higher.")
    page.locator("form[data-complain]").last.get_by_role("button").click()
    expect(page.locator('.round [data-answered="no"]')).to_be_visible()
    floor.goto("/people")
    form = floor.locator("form[data-answer]")
    form.locator("textarea").fill("It was a tie, and you surrendered.")
    form.get_by_role("button").click()
    expect(floor.locator("[data-disputes]")).to_have_attribute("data-disputes", "0")
    page.reload()
    expect(page.locator("[data-answers]")).to_contain_text("It was a tie, and you surrendered.")
    page.context.close()


def new_dealer(table: SeatedTable, floor: Page, second: Client) -> None:
    """The floor changes the dealer, who burns a card before the next round."""
    table.open()
    floor.goto(f"/floor?table={quote(table.name)}")
    expect(floor.locator("[data-due]")).to_be_visible()
    done(duty(floor, "change_dealer", dealer=second.name))
    table.must(second, "start_round")
    table.bet(table.players[0], 1, 500)
    assert table.live.state.dealer == second.name


def closing(visit: Visit, shift: Shift) -> None:
    """All gaming stops, the day's report has every round and balances, and nobody waits."""
    page = visit("/house", who=shift.admin)
    page.locator("[data-closures] summary").click()
    stop = page.locator("form[data-disable]")
    stop.locator("[name=scope]").select_option("gaming")
    stop.locator("[name=closing-reason]").fill("the house closes")
    stop.get_by_role("button").click()
    expect(page.locator('[data-enable="gaming"]')).to_be_visible()
    player = shift.house.guests[1]
    player.hello("online 1")
    refused = player.do("join", amount=1_000, seat=3)
    assert refused["type"] == "refused", refused
    player.close()
    page.goto("/reports")
    report = page.locator("[data-report]")
    expect(report).to_be_visible()
    assert int(report.get_attribute("data-report") or 0) >= shift.played + 2
    expect(page.locator('[data-part="meters"]')).to_contain_text("balanced")
    found = shift.admin.get("/records/report")
    kinds = found["events"]
    for kind in HAPPENED:
        assert kinds[kind] >= 1, kind
    assert found["void"] >= 1
    books = {line["name"] for line in found["lines"] if line["by"] == "game"}
    assert books == set(NAMES)
    players = {line["name"] for line in found["lines"] if line["by"] == "player"}
    players |= {each["banker"] for each in found["banked"]}
    assert players >= {guest.name for guest in shift.house.guests}
    assert len(players) >= PLAYERS
    assert len([name for name in players if is_bot(name)]) >= PLAYERS - PEOPLE
    balanced(found)


def balanced(found: Json) -> None:
    """What came in and did not go out is the house's or owed, and every meter is accounted for."""
    owed = found["liability"]
    held = found["house"] + owed["total"] + owed["bots"]
    assert held == found["deposited"] - found["withdrawn"]
    assert all(each["missing"] == 0 for each in found["meters"])
