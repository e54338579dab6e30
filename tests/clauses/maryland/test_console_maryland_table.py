"""Maryland's tables in the console: cards, cut, devices, irregularities, the tray, replays."""

from playwright.sync_api import Page, expect

from browser import Visit
from clauses import proves
from console_pages import batch, done, duty, office, step, where
from hosting import Client
from staffed_tables import House, SeatedTable, war_of_two

MD = "maryland"
BOOKS = (MD,)
HOUR_MS = 3_600_000


def due(page: Page, what: str) -> None:
    """The page says that the table waits for this."""
    expect(page.locator("[data-due]")).to_have_attribute("data-due", what)


def pass_time(house: House, hours: int, *others: Client) -> None:
    """Let hours pass; everybody signs in again, since sessions end meanwhile."""
    house.hosted.clock.ahead_ms += hours * HOUR_MS
    for client in (*house.staff, *house.guests, *others):
        again = house.hosted.sign_in(client.name, client.password)
        client.token, client.http = again.token, again.http


def by_page(table: SeatedTable) -> None:
    """Know of the rows that pages have made."""
    table.number = table.hosted.house.floor.places[table.name].live.head[0]


def next_is(page: Page, command: str, clause: str) -> None:
    """The page offers this step, and says by which clause."""
    offered = page.locator(".step-due", has=page.locator(f'[data-step-command="{command}"]'))
    expect(offered.locator(f'[data-clause="{clause}"]').first).to_be_visible()


def prepared(table: SeatedTable, dealer: Page, floor: Page, name: str) -> list[str]:
    """Every step that a batch needs, by the page of whoever does it."""
    steps = []
    while (asked := table.due()[0])["what"] == "prepare" and asked["batch"] == name:
        part = asked["step"]
        steps.append(part)
        if part == "view":
            expect(dealer.locator("[data-due]")).to_contain_text("view")
            expect(dealer.locator('[data-step-command="prepare"]')).to_have_count(0)
            table.must(table.players[0], "prepare", step="view", batch=name)
            continue
        page, other = (floor, dealer) if part == "verify" else (dealer, floor)
        button = page.locator('[data-step-command="prepare"]')
        expect(button).to_contain_text(f"{part}, {name} batch")
        expect(other.locator('[data-step-command="prepare"]')).to_have_count(0)
        before = len(table.commands("prepare"))
        button.click()
        expect(button.filter(has_text=f"{part}, {name} batch")).to_have_count(0)
        assert len(table.commands("prepare")) == before + 1
        by_page(table)
    return steps


@proves("console", "MD-4-B", "MD-4-C", "MD-4-E", "MD-3-B-2", "MD-3-B-3", "MD-3-B-4", "MD-3-B-5")
@proves("console", "MD-5-B-1")
def test_two_batches(visit: Visit, house: House) -> None:
    """Each batch is opened by itself, one is played while the other waits, and they alternate."""
    with house.table(MD, 1, name="console batches", options={"shuffle": "batches"}) as table:
        for back in ("red", "blue"):
            table.issue("new", 6, back)
        dealer = office(visit, house.staff.dealer, table.name)
        floor = office(visit, house.staff.floor, table.name)
        step(dealer, "receive_decks")
        next_is(dealer, "prepare", "MD-4-A-1")
        by_page(table)
        opening = ["inspect", "verify", "spread", "view", "turn", "wash", "stack"]
        assert prepared(table, dealer, floor, "red") == opening
        expect(dealer.locator('[data-step-command="prepare"]')).to_contain_text(
            "inspect, blue batch"
        )
        steps = []
        while (asked := table.due()[0])["what"] == "prepare":
            by = {"view": table.players[0], "verify": table.floor}
            steps.append(asked["step"])
            who = by.get(asked["step"], table.dealer)
            table.must(who, "prepare", step=asked["step"], batch="blue")
        assert steps == opening
        next_is(dealer, "shuffle_cards", "MD-5-A")
        step(dealer, "shuffle_cards")
        # Cards from the device are not cut.
        next_is(dealer, "load_shoe", "MD-5-F-3")
        step(dealer, "load_shoe")
        where(floor, "red", "in play")
        expect(floor.locator('[data-batch="blue"]')).not_to_have_attribute("data-where", "in play")
        step(dealer, "shuffle_cards")
        where(floor, "blue", "in the device")
        by_page(table)
        table.start()
        table.place({"primary": 500})
        done(duty(floor, "order_reshuffle", reason="a stain"))
        table.dealt()
        if table.due()[0]["what"] == "choice":
            table.must(table.players[0], "choose", box=1, choice="surrender")
        expect(floor.locator("[data-due]")).to_contain_text("load")
        table.must(table.dealer, "load_shoe")
        where(floor, "blue", "in play")
        expect(floor.locator('[data-batch="red"]')).not_to_have_attribute("data-where", "in play")
        racked = [batch(floor, name).locator("td").nth(2) for name in ("red", "blue")]
        expect(racked[0]).to_have_text("0")
        expect(racked[1]).to_have_text("1")


@proves("console", "MD-3-A-1", "MD-3-C", "MD-4-F", "MD-5-E-5", "MD-5-G-1", "MD-8-E-4")
def test_one_set_of_cards(visit: Visit, house: House, allowed: list[str]) -> None:
    """Prepared cards go to the cut at once; recut, reshuffle and new dealer; 24 hours of use."""
    with house.table(MD, 1, 2, 3, name="console cut") as table:
        floor = office(visit, house.staff.floor, table.name)
        dealer = office(visit, house.staff.dealer, table.name)
        table.issue("inspected_and_shuffled", 6, "red")
        step(dealer, "receive_decks")
        next_is(dealer, "shuffle_cards", "MD-5-A")
        expect(floor.locator("[data-batch]")).to_have_count(1)
        expect(floor.locator("[data-cards-in-use]")).to_contain_text("inspected and shuffled")
        expect(floor.locator("[data-cards-in-use]")).to_contain_text("change within 23 h 59 min")
        by_page(table)
        table.shuffle()
        first, second, third = table.players
        due(floor, "cut")
        expect(floor.locator("[data-due]")).to_contain_text(first.name)
        table.must(first, "cut", position=100)
        due(floor, "load")
        done(duty(floor, "order_recut", who="next", reason="cards fell"))
        due(floor, "cut")
        told = floor.locator("[data-due]")
        expect(told).not_to_contain_text(first.name)
        recutter = next(each for each in table.players if each.name in (told.text_content() or ""))
        table.must(recutter, "cut", position=90)
        table.must(table.dealer, "load_shoe")
        table.start()
        table.place({"primary": 500})
        done(duty(floor, "order_reshuffle", reason="a bent card"))
        expect(floor.locator("[data-reshuffle]").first).to_contain_text("a bent card")
        done(duty(floor, "void_round", reason="a bent card"))
        due(floor, "shuffle")
        table.must(table.dealer, "shuffle_cards")
        # The dealer's far right is the highest seat.
        expect(floor.locator("[data-due]")).to_contain_text(third.name)
        table.must(third, "refuse_cut")
        expect(floor.locator("[data-due]")).to_contain_text(second.name)
        table.must(second, "cut", position=120)
        table.must(table.dealer, "load_shoe")
        dora = house.hosted.staff("dealer")
        done(duty(floor, "change_dealer", dealer=dora.name))
        expect(floor.locator("[data-burn-due]").first).to_be_visible()
        table.must(dora, "start_round")
        expect(floor.locator('[data-event="card_burned"]').first).to_be_visible()
        expect(floor.locator("[data-burn-due]")).to_have_count(0)
        table.place({"primary": 500})
        allowed.append("refused: 401 /staff")  # pages of sessions that have ended
        for hours, words in ((23, "change within 59 min"), (1, "too old to deal")):
            pass_time(house, hours, dora)
            floor = office(visit, house.staff.floor, table.name)
            expect(floor.locator("[data-old-cards]").first).to_contain_text(words)
            assert table.live.state.decks is not None
            (name,) = table.live.state.decks.sets
            cards = visit("/decks", who=house.staff.floor)
            expect(cards.locator(f'[data-set-age="{name}"][data-old]')).to_have_text(words)
        for command in ("close_bets", "proceed"):
            table.must(dora, command)
        due(floor, "decks")
        expect(floor.locator('[data-event="decks_removed"]')).to_contain_text("24 hours old")


@proves("console", "MD-8-D-1c", "MD-9-C", "MD-9-J", "MD-9-F-1", "MD-9-K")
def test_the_tray_and_the_round_again(visit: Visit, house: House) -> None:
    """Losing stakes are in the house's tray less the meter's share; both deals can be replayed."""
    with house.table(MD, 1, 2, 3, name="console tray") as table:
        wagers = {"primary": 1_000}, {"primary": 1_000, "tie": 100, "progressive": 500}
        table.play(war_of_two, *wagers, {"primary": 1_000})
        for box, player in ((1, table.players[0]), (3, table.players[2])):
            table.must(player, "choose", box=box, choice="war")
        table.proceed()
        floor = office(visit, house.staff.floor, table.name)
        floor.locator("[data-last-round]").click()
        # Box 1 wins the War's 1,000; boxes 2 and 3 lose 1,000 and 2,000, the tie wager loses 100;
        # of the side bet's 500 the meter takes 3 %.
        tray = floor.locator("[data-house-credit]")
        expect(tray).to_have_attribute("data-house-credit", str(-1_000 + 3_000 + 100 + 500 - 15))
        meter = floor.locator("[data-meter-before]").first
        expect(meter).to_have_attribute("data-meter-after", str(1_000_015))
        dealt = house.hosted.house.floor.places[table.name].live.state.round
        assert dealt is not None
        for box in (1, 2, 3):
            count = 2 if box in dealt.war_cards else 1
            row = floor.locator("dt", has_text=f"Box {box}").locator("+ dd")
            expect(row.locator(".mini")).to_have_count(count)
        steps = floor.locator(".steps [data-step]")
        assert steps.count() > 10
        floor.locator("[data-jump=first]").click()
        expect(floor.locator("[data-step-text]")).to_have_text("Before the round.")


@proves("console", "MD-2-B-7b")
def test_side_bets_are_locked_out(visit: Visit, house: House) -> None:
    """The floor sees the lock at no more bets, and who still tried; earlier there is none."""
    with house.table(MD, 1, 2, name="console lock") as table:
        ann, bob = table.players
        floor = office(visit, house.staff.floor, table.name)
        lock = floor.locator("[data-lock-out]")
        expect(lock).to_have_attribute("data-lock-out", "none")
        table.open()
        table.start()
        table.place({"primary": 500}, {"primary": 500})
        table.bet(ann, 1, 500, "bonus_spin")
        assert table.code(ann, "bet", box=1, wager="bonus_spin", amount=500) == "already_placed"
        expect(lock).to_have_attribute("data-lock-out", "taken")
        expect(lock).to_have_attribute("data-late", "0")
        table.must(table.dealer, "close_bets")
        expect(lock).to_have_attribute("data-lock-out", "locked")
        assert table.code(bob, "bet", box=2, wager="bonus_spin", amount=500) == "bets_closed"
        floor.reload()  # a refused wager changes nothing that a page is told of
        expect(lock).to_have_attribute("data-late", "1")
        expect(lock).to_contain_text(f"refused as too late: {bob.name}, bonus spin")
        assert table.held(1) == 10_000 - 500
        table.must(table.dealer, "count_side_bets", bonus_spin=1)
        table.must(table.floor, "void_round", reason="the next one")
        table.start()
        floor.reload()
        expect(lock).to_have_attribute("data-late", "0")


@proves("console", "MD-11-D", "MD-11-D-2", "MD-11-E", "MD-11-E-1", "MD-11-E-2")
def test_a_device_jams_and_fails(visit: Visit, house: House, allowed: list[str]) -> None:
    """A jam voids the round and has the cards shuffled; a device is marked before another way."""
    with house.table(MD, 1, name="console jam", options={"shuffle": "every_round"}) as table:
        table.open()
        table.start()
        table.place({"primary": 500, "progressive": 100})
        floor = office(visit, house.staff.floor, table.name)
        form = floor.locator('form[data-command="jam"]')
        expect(form.locator('[data-clause="MD-11-D"]')).to_have_count(1)
        duty(floor, "jam")
        expect(floor.locator('[data-event="round_voided"]').first).to_be_visible()
        expect(floor.locator("[data-staked]")).to_have_attribute("data-staked", "0")
        assert table.held() == 10_000
        due(floor, "shuffle")
        expect(floor.locator("[data-meters]")).to_contain_text("progressive $10,000,")
        allowed.append("refused: 409 /tables/console%20jam/commands")
        done(duty(floor, "fail_device", reason="the belt is torn"))
        expect(floor.locator("[data-device-failed]").first).to_contain_text("the belt is torn")
        told = duty(floor, "change_method", method="shoe")
        expect(told).to_have_attribute("data-notice", "bad")
        assert table.state()["method"] == "every_round"
        done(duty(floor, "mark_device", mark="covered"))
        expect(floor.locator("[data-device-failed]").first).to_contain_text("covered")
        done(duty(floor, "mark_device", mark="signed"))
        expect(floor.locator("[data-device-failed]").first).to_contain_text("signed")
        done(duty(floor, "change_method", method="shoe"))
        assert table.state()["method"] == "shoe"


@proves("console", "MD-5-I", "MD-5-I-3")
def test_an_idle_table(visit: Visit, house: House) -> None:
    """Cards of a table without players are spread; the first who comes looks at them first."""
    with house.table(MD, 1, name="console idle") as table:
        table.open()
        table.must(table.players[0], "leave")
        dealer = office(visit, house.staff.dealer, table.name)
        duty(dealer, "go_idle")
        expect(dealer.locator("[data-idle]").first).to_be_visible()
        table.must(table.players[0], "join", amount=10_000, seat=1)
        expect(dealer.locator("[data-due]")).to_contain_text("view")
        table.must(table.players[0], "prepare", step="view")
        for part, clause in (("turn", "MD-4-C-1"), ("wash", "MD-4-C-2"), ("stack", "MD-4-C-3")):
            expect(dealer.locator('[data-step-command="prepare"]')).to_contain_text(part)
            next_is(dealer, "prepare", clause)
            step(dealer, "prepare")
        next_is(dealer, "shuffle_cards", "MD-5-A")
