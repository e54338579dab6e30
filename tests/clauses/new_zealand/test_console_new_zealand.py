"""New Zealand's clauses in the console: the form, boxes and limits, cards and custody."""

from urllib.parse import urlencode

from playwright.sync_api import Locator, Page, expect

from browser import Visit
from clauses import proves
from console_pages import (
    clauses,
    done,
    duty,
    office,
    opens,
    put,
    refused,
    setting,
    setup_page,
    step,
)
from staffed_tables import House
from table_pages import called

NZ = "new-zealand"
BOOKS = (NZ,)


def options(page: Page, key: str) -> list[str]:
    """What a choice of the form offers."""
    return setting(page, key).locator("option").all_text_contents()


@proves("console", "NZ-1.0", "NZ-3.1-1", "NZ-3.4a", "NZ-3.4b", "NZ-3.4c", "NZ-3.4e", "NZ-3.5-1")
@proves("console", "NZ-3.5-2", "NZ-5.7", "NZ-5.8")
def test_the_form(visit: Visit, house: House) -> None:
    """Decks, cutting cards, boxes and methods; two sets with a shuffler, one with a continuous."""
    page = setup_page(visit, house.staff.floor, NZ)
    page.locator("[data-glossary] summary").click()
    expect(page.locator("[data-glossary]")).to_contain_text("Gambling Act 2003")
    assert options(page, "decks") == ["4", "5", "6", "7", "8"]
    assert options(page, "shuffle") == ["shoe", "batches", "continuous"]
    assert clauses(page, "shoe.cutting_cards") == {"NZ-3.4b"}
    refused(page, "shoe.cutting_cards", "3", "one or two, not 3")
    refused(page, "table.boxes", "8", "at most 7")
    refused(page, "table.boxes_per_player", "8", "at most 7, the book's own value")
    assert clauses(page, "table.boxes_per_player") == {"NZ-5.7", "NZ-5.8"}
    put(page, decks="4", shoe__cutting_cards="2", table__boxes="5", table__boxes_per_player="1")
    put(page, shuffle="batches")
    opens(page, "nz two sets")
    put(page, shuffle="continuous", table__boxes_per_player="2", decks="5")
    opens(page, "nz one set")
    made = house.hosted.house.floor.places["nz two sets"].live.setup
    assert (made.decks, made.rules.shoe.cutting_cards, made.rules.table.boxes) == (4, 2, 5)
    pit = office(visit, house.staff.floor, "nz two sets")
    expect(pit.locator("[data-seats]")).to_have_attribute("data-seats", "5")
    expect(pit.locator("[data-limits]")).to_contain_text("1 box per player")
    assert [each.text_content() for each in pit.locator("[data-batch]").all()] == ["red", "blue"]
    expect(pit.locator("dd", has_text="8 decks in two batches of 4")).to_be_visible()
    pit.locator('[data-floor-table="nz one set"]').click()
    expect(pit.locator("[data-batch]")).to_have_count(1)
    expect(pit.locator("[data-limits]")).to_contain_text("2 boxes per player")
    expect(pit.locator("dd", has_text="5 decks").first).to_contain_text("continuous")


def sign(page: Page, name: str) -> Locator:
    """A line of the limits' sign on a player's felt."""
    return page.locator(f'[data-limit="{name}"]')


@proves("console", "NZ-5.7a", "NZ-5.9-2", "NZ-5.10-1", "NZ-5.10-2", "NZ-5.10-3")
def test_limits_of_a_running_table(visit: Visit, house: House, allowed: list[str]) -> None:
    """The floor sets players per box and maximums, the sign says so, free places are counted."""
    settings = {"limits.primary.min": 500, "limits.primary.max": 30_000, "table.boxes": 2}
    with house.table(NZ, 1, 2, name="nz limits", settings=settings) as table:
        ann, bob = table.players
        floor = office(visit, house.staff.floor, table.name)
        expect(floor.locator("[data-free-places]")).to_have_attribute("data-free-places", "0")
        expect(floor.locator("[data-warning]")).to_contain_text("only one box")
        felt = visit(f"/table?{urlencode({'name': table.name})}", who=ann)
        form = floor.locator('form[data-command="restrict"]')
        expect(form.locator('[data-clause="NZ-5.9-2"]')).to_have_count(1)
        allowed.append("refused: 409 /tables/nz%20limits/commands")
        told = duty(floor, "restrict", limit="players_per_box", value="4")
        expect(told).to_contain_text("at least 1 and at most 3")
        done(duty(floor, "restrict", limit="players_per_box", value="1"))
        expect(sign(felt, "players_per_box")).to_have_text("Players per box 1")
        done(duty(floor, "restrict", limit="box_max", value="200"))
        expect(sign(felt, "box_max")).to_contain_text("$200")
        done(duty(floor, "restrict", limit="player_box_max", value="50", whom=bob.name))
        expect(sign(felt, "player_box_max")).to_contain_text(f"{called(bob)} $50")
        expect(floor.locator("[data-restrictions]")).to_contain_text("box maximum $200")
        glance = floor.locator(f'[data-floor-table="{table.name}"] [data-glance-restrictions]')
        expect(glance).to_contain_text(f"box maximum for {bob.name} $50")
        floor.locator('[name="restrict-whom"]').fill("")
        done(duty(floor, "restrict", limit="wager_max", value="150"))
        expect(sign(felt, "ceiling")).to_have_text("Single wager maximum $150")
        done(duty(floor, "restrict", limit="primary_max", value="100"))
        expect(sign(felt, "primary")).to_contain_text("$5 to $100")
        expect(floor.locator("[data-limits]")).to_contain_text("wager $5 to $100")
        # The floor reads the sign as the players do.
        lines = floor.locator("[data-sign] li")
        expect(lines.first).to_contain_text("$5 to $100")
        expect(floor.locator('[data-sign-line="ceiling"]')).to_have_text(
            "Single wager maximum $150"
        )
        table.open()
        table.start()
        assert table.code(ann, "bet", box=1, wager="primary", amount=10_001) == "limit"
        assert table.code(bob, "bet", box=2, wager="primary", amount=5_001) == "limit"
        table.bet(ann, 1, 10_000)


@proves("console", "NZ-6.1", "NZ-6.2-1", "NZ-6.3", "NZ-6.3a-c", "NZ-6.5-1", "NZ-6.5-2", "NZ-6.5-3")
def test_cards(visit: Visit, house: House) -> None:
    """New cards need everything, checked ones less, shuffled ones one step; custody is logged."""
    with house.table(NZ, 1, name="nz cards") as table:
        dealer = office(visit, house.staff.dealer, table.name)
        floor = office(visit, house.staff.floor, table.name)
        button = '[data-step-command="prepare"]'

        def does(page: Page, part: str, clause: str) -> None:
            """The step is offered to one of the two, by its clause, and done."""
            expect(page.locator(button, has_text=part)).to_be_visible()
            other = floor if page is dealer else dealer
            expect(other.locator(button, has_text=part)).to_have_count(0)
            offered = page.locator(".step-due", has=page.locator(button, has_text=part))
            expect(offered.locator(f'[data-clause="{clause}"]')).to_be_visible()
            page.locator(button, has_text=part).click()
            expect(page.locator(button, has_text=part)).to_have_count(0)

        first = table.issue("new", 6, "red")
        step(dealer, "receive_decks")
        does(dealer, "inspect", "NZ-6.1")
        does(floor, "verify", "NZ-6.1")
        does(dealer, "spread", "NZ-6.2-1")
        expect(dealer.locator("[data-due]")).to_contain_text("view")
        expect(dealer.locator(button)).to_have_count(0)
        table.must(table.players[0], "prepare", step="view")
        does(dealer, "turn", "NZ-6.3")
        for part in ("wash", "stack", "riffle"):
            does(dealer, part, "NZ-6.3a-c")
        expect(dealer.locator('[data-step-command="shuffle_cards"]')).to_be_visible()
        # Checked beforehand: neither inspected nor spread again.
        table.issue("inspected", 6, "red")
        duty(dealer, "receive_decks")
        for part in ("wash", "stack"):
            does(dealer, part, "NZ-6.5-3")
        does(dealer, "riffle", "NZ-6.3a-c")
        # Shuffled beforehand: one step of two, wash or riffle.
        table.floor.post(f"/cards/{first}/moves", what="secured", place="vault")
        name = table.issue("shuffled", 6, "red")
        duty(dealer, "receive_decks")
        expect(dealer.locator(button)).to_have_count(2)
        does(dealer, "riffle", "NZ-6.5-2")
        expect(dealer.locator('[data-step-command="shuffle_cards"]')).to_be_visible()
        vault = visit("/decks", who=house.staff.floor)
        log = vault.locator(f'[data-log="{name}"]')
        log.locator("summary").click()
        for what, place in (
            ("shuffled", ""),
            ("secured in a place", "vault"),
            ("issued", table.name),
        ):
            row = log.get_by_role("row", name=what)
            expect(row).to_contain_text(place)
        expect(log.get_by_role("row", name="secured")).to_contain_text(house.staff.floor.name)


@proves("console", "NZ-6.4")
def test_a_shuffler_is_loaded_without_a_look(visit: Visit, house: House) -> None:
    """With a shuffler nothing is spread, but each set is washed, stacked and riffled."""
    with house.table(NZ, 1, name="nz shuffler", options={"shuffle": "batches"}) as table:
        for back in ("red", "blue"):
            table.issue("new", 6, back)
        table.must(table.dealer, "receive_decks")
        dealer = office(visit, house.staff.dealer, table.name)
        asked = []
        while (due := table.due()[0])["what"] == "prepare":
            asked.append(due["step"])
            expect(dealer.locator("[data-due]")).to_contain_text(due["step"])
            who = table.floor if due["step"] == "verify" else table.dealer
            table.must(who, "prepare", step=due["step"], batch=due["batch"])
        assert asked == ["inspect", "verify", "wash", "stack", "riffle"] * 2, "each set"
        offered = dealer.locator(
            ".step-due", has=dealer.locator('[data-step-command="shuffle_cards"]')
        )
        expect(offered.locator('[data-clause="NZ-6.4"]').first).to_be_visible()
