"""A house at work, with something to see on every page of the console."""

from collections.abc import Callable

from staffed_tables import House, SeatedTable, bring, shoe_of, spare, win_lose_win
from wartable.cards import DECK

BOOKS = ("california", "maryland")
GUESTS = 4


CONSOLE = {
    "/floor?table=md+award": "[data-next] button",
    "/setup?book=maryland": "[data-edge]",
    "/decks": "[data-log]",
    "/people": "[data-limited]",
    "/cashier": "[data-console]",
    "/reports": '[data-part="significant"] td',
    "/returns": "[data-return]",
    "/house": "[data-closures]",
    "/servers": "[data-open-table]",
}
"""Every page of the console, and what an administrator sees in it once it can be used."""


def four_alike(table: SeatedTable, look: Callable[[], None] = lambda: None) -> None:
    """A round of the first guest up to four cards that win the meter, which wait for approval.

    `look` is called at every step.
    """
    player = table.players[0]
    cards = shoe_of(table).cards
    card = min(DECK, key=lambda each: [place for place, c in enumerate(cards) if c == each][3])
    table.start()
    look()
    table.bet(player, 1, 2_500)
    table.bet(player, 1, 500, "progressive")
    table.must(table.dealer, "close_bets")
    look()
    table.must(table.dealer, "count_side_bets", progressive=1, bonus_spin=0)
    look()
    bring(table, card, 2)
    table.must(player, "choose", box=1, choice="war")
    for _ in range(3):
        spare(table, card)
    bring(table, card, 2)
    while table.what() == "proceed":
        table.proceed()
    assert table.what() == "approval"
    look()


def two_rounds(house: House) -> None:
    """A round of Maryland with a progressive wager, and one of California with a player's bank."""
    with house.table("maryland", 1, 2, 3, name="md played") as table:
        bets = {"primary": 500, "progressive": 500}, {"primary": 700}, {"primary": 1_000}
        table.play(win_lose_win, *bets)
    with house.table("california", 1, 2, name="ca played") as table:
        ann, bob = table.players
        table.open(lambda cards: cards[0][0] != cards[1][0])
        table.must(ann, "take_bank", amount=1_500)
        table.start()
        table.bet(bob, 2, 2_000)
        table.must(table.dealer, "close_bets")
        table.proceed()


def played(house: House) -> None:
    """Rounds with a dispute, an exclusion, limits, closures, cards, a key and a backup."""
    hosted, floor, dealer = house.hosted, house.staff.floor, house.staff.dealer
    two_rounds(house)
    for guest, words in zip(
        house.guests, ("I had the higher card.", "It was a tie."), strict=False
    ):
        guest.post("/me/disputes", 201, table="md played", round=1, words=words)
    first, *_ = [each["dispute"]["number"] for each in floor.get("/disputes")]
    floor.post(f"/disputes/{first}/answer", end="corrected", amount=250, words="You are right.")
    with hosted.register("erna") as erna:
        erna.post("/me/exclude", days=30)
    floor.post("/cards", 201, name="blue-7", decks=6, back="blue")
    dealer.post("/cards/blue-7/moves", what="inspected")
    floor.post("/cards/blue-7/moves", what="verified")
    floor.post("/cards/blue-7/moves", what="secured", place="vault 3", seal="4711")
    floor.post("/disable", scope="table", name="california 1", reason="it is cleaned")
    with hosted.register("fred") as fred, hosted.admin() as admin:
        fred.put("/me/limits", kind="loss_day", amount=5_000)
        admin.put("/limits", account="*", kind="minutes_day", amount=90)
        admin.post("/keys", 201, name="desk-1")
        admin.post("/backups", 201)
