"""The page's connection against a real server, when the network between them fails."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from browser import PHONE, WIDE, Network, Visit, assert_accessible, assert_fits
from hosting import Client, Hosted, Json
from live_tables import OwnTable
from waiting import until

FOLLOW = """async (table) => {
  const { Link } = await import("/web/js/link.js");
  window.link = new Link(table);
  window.told = [];
  window.answers = [];
  for (const type of ["status", "missed"]) {
    link.addEventListener(type, ({ detail }) => told.push([type, detail]));
  }
  const shown = new Promise((resolve) => link.addEventListener("table", resolve, { once: true }));
  link.open();
  await shown;
}"""
BET = """() => {
  link.send("bet", { box: 1, wager: "primary", amount: 500 })
    .then(({ number }) => answers.push(number), ({ code }) => answers.push(code));
}"""


@pytest.fixture(scope="module")
def hosted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosted]:
    """A house of one book."""
    folder: Path = tmp_path_factory.mktemp("house")
    with Hosted(folder, books=("online",)) as running:
        yield running


@pytest.fixture
def player(hosted: Hosted) -> Iterator[Client]:
    """Somebody new."""
    with hosted.guest() as client:
        yield client


def staked(table: OwnTable) -> int:
    """What lies on the first box."""
    hands: list[Json] = table.state()["round"]["hands"]
    return sum(wager["staked"] for hand in hands for wager in hand["wagers"])


def test_what_was_missed_is_told_exactly(visit: Visit, hosted: Hosted, player: Client) -> None:
    """After a cut the page has the server's state again, and knows how many rows it missed."""
    page = visit("/history", who=player, routed=True)
    network = Network.of(page)
    with OwnTable(hosted, player, "online") as table:
        page.reload()
        page.evaluate(FOLLOW, table.name)
        network.down = True
        network.cut()
        page.wait_for_function("() => told.length >= 2")
        for _ in range(3):
            table.must(player, "buy_in", amount=100)
        network.down = False
        page.wait_for_function("() => told.some(([type]) => type === 'missed')")
        told = page.evaluate("() => told")
        assert told[:2] == [["status", "connected"], ["status", "reconnecting"]]
        assert told[-2:] == [["status", "connected"], ["missed", {"rows": 3}]]
        assert page.evaluate("() => link.state") == table.state()
        page.evaluate("() => link.close()")


def test_a_lost_answer_is_not_a_second_bet(visit: Visit, hosted: Hosted, player: Client) -> None:
    """A bet whose answer was lost is asked for under the same id: one answer, one bet."""
    page = visit("/history", who=player, routed=True)
    network = Network.of(page)
    with OwnTable(hosted, player, "online") as table:
        page.reload()
        page.evaluate(FOLLOW, table.name)
        network.deaf = True
        page.evaluate(BET)
        until(
            lambda: staked(table) > 0,
            "the bet does not arrive",
            pause=lambda: page.wait_for_timeout(20),  # what goes to the server passes through here
        )
        assert page.evaluate("() => answers") == []
        network.deaf = False
        network.cut()
        page.wait_for_function("() => answers.length > 0")
        assert page.evaluate("() => answers") == [
            table.spectator.get(f"/tables/{table.name}")["number"]
        ]
        assert staked(table) == 500
        page.evaluate("() => link.close()")


@pytest.mark.parametrize("size", [WIDE, PHONE])
def test_one_page_too_many_says_why(
    visit: Visit,
    hosted: Hosted,
    player: Client,
    monkeypatch: pytest.MonkeyPatch,
    size: tuple[int, int],
) -> None:
    """It shows the server's sentence, does not ask again soon, and connects once there is room."""
    floor, dropped = hosted.house.floor, hosted.house.metrics.dropped
    with OwnTable(hosted, player, "online") as table:
        own = floor.of_account[player.name]
        monkeypatch.setattr("wartable.server.http.connection.CONNECTIONS_PER_ACCOUNT", own + 1)
        told = f"has {own + 1} of {own + 1} connections open; close one of its pages."
        first = visit(f"/table?name={table.name}", who=player)
        expect(first.locator("wt-box").first).to_be_visible()
        before = dropped["too_many"]
        second = visit(who=player, size=size)
        second.clock.install()
        second.goto(f"/table?name={table.name}")
        notice = second.locator("#connection")
        expect(notice).to_have_attribute("data-status", "full")
        expect(notice).to_contain_text(told)
        assert_fits(second)
        assert_accessible(second)
        second.clock.fast_forward(25_000)
        assert (dropped["too_many"], floor.of_account[player.name]) == (before + 1, own + 1)
        third = visit("/", who=player, size=size)
        expect(third.locator("[data-connection=full]")).to_contain_text(told)
        assert_fits(third)
        first.close()
        until(lambda: floor.of_account[player.name] == own, "who has gone is still counted")
        second.clock.fast_forward(60_000)
        expect(notice).to_be_hidden()
        expect(second.locator("wt-box").first).to_be_visible()
