"""Every rule book played in a browser through each way a hand can end, in dollars by hand."""

import pytest
from playwright.sync_api import expect

from browser import Visit
from live_tables import Cards, Planted, StaffedTable
from staffed_tables import House
from table_pages import Felt, at
from wartable.rules import NAMES, load

PRIMARY, TIE = 2_500, 500
BANK = 30_000
MINUS = "\N{MINUS SIGN}"

BOOKS = NAMES
GUESTS = 4
# Every book pays the primary wager 1 to 1 and the tie wager 10 to 1, keeps half at a surrender,
# and pays a war one unit when it is won and two when it is tied.
FIRST = {
    1: {"primary": ("won", 5_000), "tie": ("lost", 0), "net": 2_000},
    2: {"primary": ("lost", 0), "tie": ("lost", 0), "net": -3_000},
    3: {"primary": ("surrendered", 1_250), "tie": ("won", 5_500), "net": 3_750},
}
"""A higher card, a lower card, and a tie that is surrendered: outcome and what comes back."""

WARS = {
    1: {"primary": ("war_won", 2_500), "war": ("war_won", 5_000), "net": 7_500},
    2: {"primary": ("war_lost", 0), "war": ("war_lost", 0), "net": 0},
}
"""Two ties, each with its tie wager paid, and a war won and lost."""

TIED = {1: {"primary": ("war_tied", 2_500), "war": ("war_tied", 7_500), "net": 10_000}}
"""A tie with its tie wager paid, and a war tied. In one round with the others, it is so rare that
numbers for it would be looked for a minute long."""

Ends = dict[int, dict[str, object]]
SHARED = [book for book in NAMES if book != "online"]


class Sitting:
    """A staffed table of a book with up to three hands; those of one player are played by clicks.

    Where a book gives a player one box, the others play by protocol and the page looks on.
    """

    def __init__(self, visit: Visit, house: House, book: str, name: str, cards: Cards) -> None:
        me, *others = house.guests
        self.table = StaffedTable(house.hosted, house.staff, f"{book} {name}", book)
        rules = load(book).rules
        alone = rules.table.boxes_per_player >= 3
        hands = [me, me, me] if alone else [me, *others[:2]]
        self.players = dict(enumerate(hands[: len(cards.original)], 1))
        self.me = me
        for box, player in self.players.items():
            if player is not me or box == 1:
                self.table.sit(player, box)
        if rules.banker == "player":
            self.table.sit(others[2], 4)
            self.table.load(cards)
            for player in self.players.values():
                self.table.must(player, "pass_bank")
            self.table.bank(others[2], BANK)
        else:
            self.table.load(cards)
            self.table.start()
        self.felt = at(visit, self.table.name, me)

    def bet(self, box: int) -> None:
        """A primary and a tie wager."""
        if self.players[box] is self.me:
            self.felt.bet(box, PRIMARY)
            self.felt.bet(box, TIE, "tie")
        else:
            self.table.bet(self.players[box], box, PRIMARY)
            self.table.bet(self.players[box], box, TIE, "tie")

    def choose(self, box: int, choice: str) -> None:
        """An answer to a tie, which the box then shows."""
        if self.players[box] is self.me:
            self.felt.choose(box, choice)
        else:
            self.table.choose(self.players[box], box, choice)
        expect(self.felt.box(box)).to_have_attribute("data-choice-made", choice)

    def ends(self, ends: Ends) -> None:
        """Every wager shows its end, every box its net, and the bar the player's own."""
        for box, expected in ends.items():
            for wager, end in expected.items():
                if isinstance(end, tuple):
                    self.felt.settles(box, wager, *end)
            result = self.felt.box(box).locator("button.result")
            expect(result).to_have_attribute("data-net", str(expected["net"]))
        mine = sum(
            int(str(ends[box]["net"])) for box, player in self.players.items() if player is self.me
        )
        self.felt.nets(mine)
        expect(self.felt.page.locator("#balance")).to_have_attribute(
            "data-amount", str(40_000 + mine)
        )
        expect(self.felt.page.locator("#at-stake")).to_have_attribute("data-amount", "0")
        assert self.table.stack(self.me) == 40_000 + mine


@pytest.mark.parametrize("book", SHARED)
def test_won_lost_and_surrendered(visit: Visit, house: House, book: str) -> None:
    """A higher card wins, a lower loses, a tie is surrendered for half; tie wagers are paid."""
    sitting = Sitting(visit, house, book, "room", Cards("><="))
    with sitting.table as table:
        for box in FIRST:
            sitting.bet(box)
        table.deal()
        sitting.choose(3, "surrender")
        sitting.ends(FIRST)


@pytest.mark.parametrize("book", SHARED)
def test_war_won_lost_and_tied(visit: Visit, house: House, book: str) -> None:
    """A war wager beside each primary; one unit is won, both are lost, a tie pays two."""
    for ends, cards in ((WARS, Cards("==", "><")), (TIED, Cards("=", "="))):
        sitting = Sitting(visit, house, book, f"war of {len(ends)}", cards)
        with sitting.table as table:
            for box in ends:
                sitting.bet(box)
            table.deal()
            for box in ends:
                sitting.felt.settles(box, "tie", "won", 5_500)
            for box in ends:
                sitting.choose(box, "war")
                sitting.felt.lies(box, "war", PRIMARY)
            table.proceed()
            sitting.ends(ends)
            for box in (0, *ends):
                expect(sitting.felt.card(box, "war")).to_be_visible()


ONLINE = [
    # cards, choice, wager to (outcome, returned), net
    (Cards(">"), None, {"primary": ("won", 5_000), "tie": ("lost", 0)}, 2_000),
    (Cards("<"), None, {"primary": ("lost", 0), "tie": ("lost", 0)}, -3_000),
    (Cards("="), "surrender", {"primary": ("surrendered", 1_250), "tie": ("won", 5_500)}, 3_750),
    (Cards("=", ">"), "war", {"primary": ("war_won", 2_500), "war": ("war_won", 5_000)}, 7_500),
    (Cards("=", "<"), "war", {"primary": ("war_lost", 0), "war": ("war_lost", 0)}, 0),
    # The tie bet at war is as large as the main bet and pays 10 to 1: 25 x 10 = 250 more.
    (
        Cards("=", "="),
        "war_tie",
        {"war": ("war_tied", 7_500), "war_tie": ("won", 27_500)},
        35_000,
    ),
]


def test_every_end_online(visit: Visit, house: House) -> None:
    """Six rounds at a table of one's own with Deal: each end, the receipt, and the money."""
    with house.hosted.guest() as player:
        name = f"online@{player.name}"
        player.post("/tables/private", 201, book="online")
        Planted(house.hosted, name, *(end[0] for end in ONLINE))
        felt = at(visit, name, player)
        held = 20_000
        for _, choice, ends, net in ONLINE:
            felt.bet(1, PRIMARY)
            felt.bet(1, TIE, "tie")
            felt.deal()
            if choice is not None:
                felt.choose(1, choice)
            felt.nets(net)
            held += net
            expect(felt.page.locator("#balance")).to_have_attribute("data-amount", str(held))
            receipt(felt, ends, net)
        assert player.get("/me")["holds"][name] == held


def receipt(felt: Felt, ends: dict[str, tuple[str, int]], net: int) -> None:
    """The receipt has each end and what came back, and adds up to the net."""
    felt.page.locator("#net").click()
    dialog = felt.page.locator('[data-dialog="receipt"]')
    for wager, (outcome, returned) in ends.items():
        row = dialog.locator(f'[data-wager="{wager}"]')
        expect(row).to_have_attribute("data-outcome", outcome)
        expect(row).to_have_attribute("data-returned", str(returned))
        expect(row.locator(".clauses")).to_contain_text("ON-")
    shown = f"{'+' if net > 0 else MINUS if net < 0 else ''}${abs(net) // 100:,}"
    expect(dialog.locator("caption")).to_contain_text(f"net {shown}")
    felt.page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
