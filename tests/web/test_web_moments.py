"""Rare moments at an own table: the wheel over the felt, a jackpot, the very same tie again."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from browser import NARROW, WIDE, Visit
from hosting import Client, Hosted
from live_tables import Cards, OwnTable, Planted
from screens import Size
from table_pages import Felt, at, place

HALTED = """
const animate = Element.prototype.animate;
Element.prototype.animate = function (...given) {
  const made = animate.apply(this, given);
  if (this.localName === "wt-wheel") {
    made.pause();
    made.currentTime = 1200;
  }
  return made;
};
"""
"""The wheel stays in the middle of the felt, where it is half of its time."""

COVERED = """() => {
  const wheel = document.querySelector("wt-wheel");
  wheel.style.pointerEvents = "auto"; // it is touched where it is seen
  const round = wheel.querySelector("circle").getBoundingClientRect();
  const [x, y] = [round.x + round.width / 2, round.y + round.height / 2];
  const told = [];
  for (let turn = 0; turn < 16; turn += 1) {
    for (const far of [0.2, 0.6, 0.9]) {
      const angle = (turn / 16) * 2 * Math.PI;
      const point = [x + far * round.width / 2 * Math.cos(angle), y + far * round.width / 2 * Math.sin(angle)];
      const front = document.elementFromPoint(...point);
      if (front?.closest("wt-wheel") !== wheel) told.push(`${front?.outerHTML.slice(0, 90)} at ${point.map(Math.round)}`);
    }
  }
  return told;
}"""  # noqa: E501  # the page's own language
"""What lies over the wheel."""

END = """(element) => {
  const words = document.createRange();
  words.selectNodeContents(element);
  return words.getBoundingClientRect().right;
}"""
"""Where the words of an element end, which may reach out of it."""


@pytest.fixture(scope="module")
def hosted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosted]:
    """A house with a table of every book."""
    with Hosted(tmp_path_factory.mktemp("house")) as running:
        yield running


@pytest.fixture
def player(hosted: Hosted) -> Iterator[Client]:
    """A new guest."""
    with hosted.guest() as guest:
        yield guest


def again(felt: Felt, cents: int) -> None:
    """Bet and deal once the last round's chips are gone."""
    expect(felt.spot(1)).to_have_attribute("data-mine", "0")
    felt.bet(1, cents)
    felt.deal()


def test_the_very_same_choice_can_be_made_again(
    visit: Visit, hosted: Hosted, player: Client
) -> None:
    """A later tie on the same box, with the same wager and money, can be answered as the first."""
    rounds = (Cards("=", "<"), Cards(">"), Cards("=", ">"))
    with OwnTable(hosted, player, "washington", *rounds) as table:
        felt = at(visit, table.name, player, still=False)
        felt.bet(1, 500)
        felt.deal()
        felt.choose(1, "war")
        felt.nets(-1_000)
        again(felt, 1_000)
        felt.nets(1_000)
        again(felt, 500)
        expect(felt.option(1, "war")).to_be_enabled()
        card = felt.cards()["1"]
        legend = felt.dock.locator(".choice legend")
        spoken = felt.box(1).locator(f'[data-card="{card}"]').get_attribute("aria-label") or ""
        expect(legend).to_contain_text(spoken)
        felt.choose(1, "war")
        felt.nets(500)


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "phone"])
def test_the_wheel_turns_over_everything(
    visit: Visit, hosted: Hosted, player: Client, size: Size
) -> None:
    """Nothing of the felt lies over the wheel while it turns, and a press brings it to its stop."""
    name = player.post("/tables/private", 201, book="maryland")["name"]
    Planted(hosted, name, Cards("9h 7h"))
    page: Page = visit(who=player, size=size, still=False)
    page.add_init_script(HALTED)
    page.goto(f"/table?name={name}")
    page.locator('[data-action="refuse_cut"]').click()
    felt = Felt(page)
    middle = 5
    felt.bet(middle, 500)
    felt.bet(middle, 500, "bonus_spin")
    felt.deal()
    wheel = page.locator("wt-wheel")
    expect(wheel).to_contain_class("turning")
    assert page.evaluate(COVERED) == []
    expect(page.locator("wt-felt .stop-words")).to_be_hidden()
    page.keyboard.press("Shift")
    expect(wheel).not_to_contain_class("turning")
    expect(page.locator("wt-felt .stop-words")).to_be_visible()


def test_a_jackpot_takes_the_felt_of_a_phone(visit: Visit, hosted: Hosted, player: Client) -> None:
    """It says what is won until Escape or a touch, and the large amounts below are all in sight."""
    with OwnTable(hosted, player, "maryland", Cards("7h 7h", "7h 7h")) as table:
        felt = at(visit, table.name, player, size=NARROW)
        page = felt.page
        felt.bet(1, 500)
        felt.bet(1, 500, "progressive")
        felt.deal()
        felt.choose(1, "war")
        jackpot = page.locator(".jackpot")
        expect(jackpot).to_contain_text("War tied: you win $15,")
        expect(jackpot.locator(".jackpot-wager")).to_contain_text("Progressive Payout Wager +$15,")
        assert place(jackpot) == place(felt.felt)
        ends = [page.locator(each).evaluate(END) for each in ("#balance", "#at-stake", "#net")]
        assert max(ends) <= place(page.locator(".bar .buttons")).left
        expect(felt.page.locator("#net")).to_have_css("min-height", "24px")
        page.keyboard.press("Escape")
        expect(jackpot).to_be_hidden()


def test_spots_stay_round_beside_two_cards(visit: Visit, hosted: Hosted, player: Client) -> None:
    """After three wars nothing squeezes the next round's spots on a phone on its side."""
    with OwnTable(hosted, player, "online", Cards("===", ">>>")) as table:
        for box in (1, 2, 3):
            table.bet(box, 500)
        felt = at(visit, table.name, player, size=(844, 390))
        table.deal()
        for box in (1, 2, 3):
            table.choose(box, "war")
        expect(felt.felt.locator('wt-box [data-deal="war"]')).to_have_count(3)
        for spot in felt.felt.locator("[data-spot]").all():
            where = place(spot)
            assert abs((where.right - where.left) - (where.bottom - where.top)) <= 1, where
