"""A visitor who presses anything, loses the connection and reloads: there is always a way out.

After every step the page offers something to press, or says what is awaited. A choice that is due
can be made. Now and then the visitor wants to go, and reaches the lobby with all their money, by
what the page offers alone.
"""

from collections.abc import Iterator
from pathlib import Path
from random import Random
from urllib.parse import quote

import pytest
from msgspec.structs import replace
from playwright.sync_api import Page, expect

from browser import Network, Visit
from hosting import FAST, OWN_PACE, Client, Hosted, Json
from live_tables import Cards, OwnTable
from table_pages import at, catch_up
from waiting import until
from wartable.rules import NAMES

STEPS, STEPS_DEEP = 14, 2_000
STAY, STAY_DEEP = 7, 12
"""So many steps at the table, then the visitor leaves and comes back."""
LOOK_MS = 100
"""How often somebody who waits looks again: looking at everything is dear."""
TIES, TIES_DEEP = 2, 20
TIED = (
    (Cards("=", ">"), Cards("<")),
    (Cards("=", "<"), Cards(">"), Cards(">")),
    (Cards("=", "="), Cards("<"), Cards("<")),
)
"""Rounds that begin with a tie; after its war the player has as much as before."""
DEALT = [each for each in NAMES if each != "california"]
"""The books whose own tables deal to one player."""
AMOUNTS = ("5", "10", "2.50", "7", "100", "1", "0", "abc")

LOOK = """async (place) => {
  if (place !== null) {
    window.found[place].click();
    await new Promise((done) => setTimeout(done, 5));
  }
  const shown = (each) => each.checkVisibility({ visibilityProperty: true });
  const named = ({ dataset }) => dataset.answer ?? dataset.action ?? dataset.choice ?? "";
  const one = (selector) => document.querySelector(selector);
  const [dialog, lost] = [one("dialog[open]"), one("#connection")];
  const kinds = "[data-action], [data-choice], [data-chip], [data-sit], [data-spot].open, #net";
  const all = dialog
    ? dialog.querySelectorAll("button")
    : document.querySelectorAll(`button:not(:disabled):is(${kinds})`);
  window.found = [...all].filter((each) => shown(each) && each.closest("[inert]") === null);
  return {
    dialog: dialog?.textContent ?? "",
    actions: found.map(named),
    kinds: found.map((each) => named(each) || Object.keys(each.dataset)[0] || "button"),
    status: one("#status").textContent,
    panel: one("#dock").dataset.panel,
    choices: found.filter(({ dataset }) => dataset.choice).length,
    lost: shown(lost) ? lost.textContent : "",
    inert: one(".controls").inert,
    counting: shown(one("wt-countdown")),
  };
}"""
QUIET = ("help", "lobby")
"""What shows something to read, or leads away from the table."""
OFTEN = {"spot": 4, "deal": 8, "ready": 4, "repeat": 2, "sit": 4, "bots": 0.3, "leave": 0.3}
"""What is pressed more often than the rest, or less, so that many rounds are played."""
WAYS_OUT = ("surrender", "war", "refuse_cut", "pass_bank", "leave", "after", "on", "deal")
ANSWERS = ("leave", "after", "on", "")
"""What a visitor who wants to go presses, in any order; and in a dialog."""


@pytest.fixture(scope="module")
def hosted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosted]:
    """A house of all books whose tables wait for nobody long."""
    folder: Path = tmp_path_factory.mktemp("house")
    quick = replace(FAST, choice_ms=1_500)
    with Hosted(folder, books=NAMES, shared=quick, private=OWN_PACE) as running:
        yield running


class Walk:
    """A page of a table on which somebody does anything."""

    def __init__(self, page: Page, player: Client, table: str, chance: Random) -> None:
        self.page, self.player, self.table, self.chance = page, player, table, chance
        self.network = Network.of(page)
        self.done: list[str] = []
        self.open()

    def open(self) -> None:
        """Go to the table, until it is shown."""
        self.network.down = False
        self.page.goto(f"/table?name={quote(self.table)}")
        self.page.wait_for_function("() => document.querySelector('#status').textContent !== ''")

    def look(self, place: int | None = None) -> Json:
        """What the page shows, after a press where one is named: a way on, or what is awaited."""
        seen: Json = self.page.evaluate(LOOK, place)

        def asked() -> bool:
            """Whether a choice can be made where one is asked for; one just made is answered."""
            choosing = seen["panel"] == "choice" and not (seen["lost"] or seen["dialog"])
            if choosing and not seen["choices"]:
                seen.update(self.page.evaluate(LOOK, None))
                return False
            return True

        told = f"no choice can be made after {self.done[-9:]}"
        until(asked, told, pause=lambda: self.page.wait_for_timeout(LOOK_MS))
        if seen["lost"]:
            assert seen["inert"], f"controls can be pressed without a connection: {self.done[-9:]}"
            return seen
        way = seen["dialog"] or seen["actions"] or seen["counting"]
        assert seen["status"], f"{seen} after {self.done[-9:]}"
        assert way, f"{seen} after {self.done[-9:]}"
        return seen

    def press(self, seen: Json, *actions: str) -> Json | None:
        """Press the first of these that is there, and look; nothing if none is."""
        for action in actions:
            places = [place for place, each in enumerate(seen["actions"]) if each == action]
            if places:
                self.done.append(action or "button")
                return self.look(self.chance.choice(places))
        return None

    def press_any(self, seen: Json) -> None:
        """Press something of any kind, so that a kind with many buttons hides no other."""
        kinds = [None if each in QUIET else each for each in seen["kinds"]]
        if choices := sorted(filter(None, set(kinds))):
            [kind] = self.chance.choices(choices, [OFTEN.get(each, 1) for each in choices])
            self.done.append(kind)
            self.look(self.chance.choice([at for at, each in enumerate(kinds) if each == kind]))

    def step(self) -> None:
        """Anything: mostly a press, sometimes a typed amount, a lost connection, a reload."""
        match self.chance.randrange(4 if self.network.down else 16):
            case 0:
                self.network.down = not self.network.down
                self.done.append("down" if self.network.down else "up")
                self.network.cut()
            case 1:
                self.done.append("reload")
                self.open()
            case 2:
                self.page.evaluate(
                    "(text) => { const field = document.querySelector('#amount');"
                    " field.value = text; field.dispatchEvent(new Event('input')); }",
                    self.chance.choice(AMOUNTS),
                )
        self.press_any(self.look())

    def holds(self) -> dict[str, int]:
        """Where the visitor's money is."""
        found: dict[str, int] = self.player.get("/session")["holds"]
        return {where: amount for where, amount in found.items() if amount}

    def leave(self) -> None:
        """Leave by what the page offers, and have all the money in the wallet."""
        self.network.down = False

        def gone() -> bool:
            seen = self.look()
            if seen["panel"] == "seat" and not seen["dialog"] and not seen["lost"]:
                return self.table not in self.holds()  # a seat may just be taken
            # A bank that is passed may be offered again at once: one tries one way, then another.
            ways = ANSWERS if seen["dialog"] else WAYS_OUT
            self.press(seen, *self.chance.sample(ways, len(ways)))
            return False

        told = f"no way out of {self.table}"
        try:
            until(gone, told, pause=lambda: self.page.wait_for_timeout(LOOK_MS))
        except AssertionError as error:
            raise AssertionError(f"{self.look()} after {self.done[-20:]}") from error
        self.done.append("left")

    def come_back(self) -> None:
        """Sit down again, with new money if all is lost."""
        if not self.holds():
            self.player.post("/me/refill", id=f"walk {len(self.done)}")
        self.network.down = False
        seen = self.look()
        if seen["lost"] or seen["dialog"] or self.chance.random() < 0.25:
            self.open()
            seen = self.look()
        if seen["panel"] == "seat":
            self.press(seen, "sit")

        # A seat that is asked for now must not be taken after the visitor wants to go. There is
        # one to ask for: a bot gives up its own, after its round at the latest.
        def answered() -> bool:
            seen = self.look()
            if seen["panel"] != "seat" or seen["lost"] or seen["dialog"]:
                return True
            if "sit" not in seen["actions"]:
                return "refill" in seen["actions"]
            return self.page.locator("#complaint").is_visible()

        asked = f"no seat at {self.table} after {self.done[-9:]}"
        until(answered, asked, pause=lambda: self.page.wait_for_timeout(LOOK_MS))


@pytest.mark.parametrize("book", NAMES)
@pytest.mark.parametrize("private", [True, False], ids=["private", "shared"])
def test_there_is_always_a_way_out(
    visit: Visit, hosted: Hosted, allowed: list[str], deep: bool, book: str, private: bool
) -> None:
    """Whatever is pressed, the visitor reads what is awaited and can go with their money."""
    allowed += ["WebSocket connection", "/me/refill", "/tables/.*/bots"]
    chance = Random(f"{book} {private}")
    with hosted.guest() as player:
        table = f"{book} 1"
        if private:
            table = player.post("/tables/private", 201, book=book)["name"]
        # Moving cards take a while: the long walks at own tables have them.
        page = visit(who=player, still=not (deep and private), routed=True)
        walk = Walk(page, player, table, chance)
        stay = STAY_DEEP if deep else STAY
        for number in range(STEPS_DEEP if deep else STEPS):
            walk.step()
            if number % stay == stay - 1:
                walk.leave()
                walk.come_back()
        # Whatever was still under way when the visitor left is undone the same way.
        until(lambda: set(walk.holds()) <= {"wallet"}, "money stays behind", pause=walk.leave)


def test_every_choice_can_be_made(visit: Visit, hosted: Hosted, deep: bool) -> None:
    """While cards move, whoever is asked for a choice can make it, the same one again and again."""
    for book in DEALT if deep else DEALT[-1:]:
        chance = Random(book)
        tied = [chance.choice(TIED) for _ in range(TIES_DEEP if deep else TIES)]
        rounds = [each for group in tied for each in group]
        with hosted.guest() as player, OwnTable(hosted, player, book, *rounds) as table:
            felt = at(visit, table.name, player, still=False)
            felt.bet(1, 500)
            options = felt.dock.locator("button[data-choice]:not(:disabled):visible")
            for number, cards in enumerate(rounds, 1):
                felt.deal()  # the same wager again
                if cards.original == "=":
                    expect(options).not_to_have_count(0)
                    ways = options.evaluate_all("(all) => all.map((each) => each.dataset.choice)")
                    felt.choose(1, chance.choice(ways))
                table.over(number)
                catch_up(felt.page)
