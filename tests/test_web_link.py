"""The page's connection against a real server, when the network between them fails."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from browser import Network, Visit
from hosting import Client, Hosted, Json
from livetables import OwnTable
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
    page = visit("/history", who=player)
    network = Network(page)
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
    page = visit("/history", who=player)
    network = Network(page)
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
