"""California's clauses at live tables: seats, backline, the bank, its cover and its rotation."""

from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from clauses import proves
from hosting import Client
from live_tables import STACK, Cards, People, StaffedTable, of, people, settled
from wartable import table as tables
from wartable.server.records import database, journal, messages
from wartable.table.state import Bank

CA = "california"


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[People]:
    """One house for all tests of this file."""
    with people(tmp_path_factory.mktemp("house"), CA, 9) as running:
        yield running


def offered(table: StaffedTable) -> list[str]:
    """To whom the bank is offered now."""
    return [due["player"] for due in table.due() if due["what"] == "bank"]


def play_round(table: StaffedTable, banker: Client, player: Client, box: int) -> None:
    """A round of one hand, which surrenders a tie."""
    table.bank(banker, 1_000).bet(player, box, 100)
    table.deal()
    if table.due()[0]["what"] == "choice":
        table.choose(player, box, "surrender")


@proves("live", "CA-table-1", "CA-players-1")
def test_live_CA_players_1_two_to_eight(house: People) -> None:
    """Eight may sit and no ninth; one alone is dealt nothing; seven oppose the bank."""
    first, second, *others = house.players
    with house.table("seats") as table:
        table.join(first).load(Cards("......."))
        assert table.due()[0]["what"] == "players"
        assert table.code(table.dealer, "start_round") == "too_few_players"
        table.join(second, *others[:6])
        ninth = others[6]
        assert table.code(ninth, "join", amount=STACK, seat=9) == "no_such_seat"
        assert table.code(ninth, "join", amount=STACK, seat=8) == "seat_taken"
        lobby = {card["name"]: card for card in first.get("/lobby")["tables"]}
        assert (lobby["seats"]["seats"], lobby["seats"]["book"]) == (8, CA)
        table.bank(first, 10_000)
        assert table.code(first, "bet", box=1, wager="primary", amount=100) == "banker_wager"
        for box, player in enumerate((second, *others[:6]), 2):
            table.bet(player, box, 100)
        dealt = of(table.deal(), "dealt")
        assert [event["box"] for event in dealt] == [2, 3, 4, 5, 6, 7, 8, 0]


@proves("live", "CA-table-2", "CA-round-9c")
def test_live_CA_table_2_the_dealer_only_deals(house: People) -> None:
    """Staff deal but never sit, bet or bank; without a player's bank nothing is dealt."""
    ann, bob, *_ = house.players
    with house.table("service") as table, house.hosted.admin() as admin:
        table.join(ann, bob).load(Cards("<"))
        for who in (table.dealer, table.floor, admin):
            assert table.code(who, "join", amount=100, seat=3) == "not_your_part"
            assert table.code(who, "take_bank", amount=100) == "not_your_part"
            assert table.code(who, "bet", box=1, wager="primary", amount=100) == "not_your_part"
        table.must(ann, "pass_bank")
        table.must(bob, "pass_bank")
        assert table.due()[0]["what"] == "taker"
        assert table.code(table.dealer, "start_round") == "no_banker"
        assert not of(table.told(), "dealt", "opened")
        table.must(table.dealer, "offer_bank")
        table.bank(ann, 1_000).bet(bob, 2, 100)
        table.deal()
        recalled = table.recall()
        assert recalled.banker == ann.name
        assert {row.actor for row in recalled.rows} == {bob.name, table.dealer.name}
        accounts = {name for each in table.transfers() for name in (each.source, each.target)}
        assert accounts == {"felt", "bank", f"stack:{ann.name}", f"stack:{bob.name}"}
        assert set(recalled.cards) == {0, 2}


@proves("live", "CA-players-2")
def test_live_CA_players_2_backline(house: People) -> None:
    """Who stands behind a seat bets there, follows its card, decides alone, is covered after it."""
    ann, bob, eve, *_ = house.players
    with house.table("backline") as table:
        table.join(ann, bob).stand(eve).load(Cards("=", ">"))
        table.bank(ann, 1_500)
        assert table.code(eve, "bet", box=5, wager="primary", amount=100) == "no_seat_there"
        assert table.code(eve, "bet", box=1, wager="primary", amount=100) == "bank_box"
        table.bet(eve, 2, 1_000).bet(bob, 2, 1_000)
        events = table.deal()
        back = [(event["player"], event["amount"]) for event in of(events, "returned")]
        assert back == [(eve.name, 500)], "the seat's own wager is covered first"
        assert len(of(events, "dealt")) == 2
        assert {due["player"] for due in table.due()} == {bob.name, eve.name}
        table.choose(eve, 2, "surrender")
        table.choose(bob, 2, "war")
        table.proceed()
        assert table.stack(bob) == STACK + 1_000
        assert table.stack(eve) == STACK - 250


@proves("live", "CA-betting-5a", "CA-betting-5b", "CA-round-9a", "CA-round-9b")
def test_live_CA_betting_5_the_bank_pays_as_far_as_it_reaches(house: People) -> None:
    """A bank below the action covers seat by seat; the rest goes back itemised before a card."""
    ann, bob, cat, dan, *_ = house.players
    with house.table("cover") as table:
        table.join(ann, bob, cat, dan).load(Cards("=", ">"))
        table.bank(ann, 1_500)
        table.bet(bob, 2, 1_000).bet(bob, 2, 60, "tie").bet(cat, 3, 1_000).bet(dan, 4, 700)
        events = table.deal()
        back = [(e["box"], e["wager"], e["outcome"], e["amount"]) for e in of(events, "returned")]
        assert back == [
            (2, "tie", "uncovered", 10),
            (3, "primary", "uncovered", 1_000),
            (4, "primary", "uncovered", 700),
        ]
        kinds = [event["type"] for event in events]
        assert kinds.index("returned") < kinds.index("dealt")
        assert [event["box"] for event in of(events, "dealt")] == [2, 0]
        hands = table.state()["round"]["hands"]
        assert [(w["staked"], w["uncovered"]) for w in hands[0]["wagers"]] == [(1_000, 0), (60, 10)]
        table.choose(bob, 2, "war")
        assert settled(table.proceed())[-1] == (2, "war", "war_won", 2_000)
        assert table.stack(bob) == STACK + 500 + 1_000
        assert table.stack(ann) == STACK - 1_500, "within the wager and the match that it posted"
        paid = {(each.box, each.wager): each for each in table.recall().wagers}
        assert paid[3, "primary"].words == "not covered by the bank, returned"
        assert (paid[3, "primary"].staked, paid[3, "primary"].returned) == (1_000, 1_000)
        assert (paid[2, "tie"].staked, paid[2, "tie"].returned) == (60, 10 + 550)


@proves("live", "CA-round-9b")
def test_live_CA_round_9b_the_worst_round(house: People) -> None:
    """Two ties and a war that ties cost the bank all that it posted and matched, and no more."""
    ann, bob, cat, *_ = house.players
    with house.table("worst") as table:
        table.join(ann, bob, cat).load(Cards("=", "="))
        table.bank(ann, 2_000).bet(bob, 2, 1_000).bet(bob, 2, 100, "tie").bet(cat, 3, 9_000)
        table.deal()
        table.choose(bob, 2, "war", war_tie=50)
        table.proceed()
        posted = sum(event["amount"] for event in of(table.told(), "matched"))
        assert posted == 1_000 + 500
        assert STACK - table.stack(ann) == 3_000 + 500
        assert STACK - table.stack(ann) <= 2_000 + posted
        assert table.stack(cat) == STACK


@proves("live", "CA-round-9d", "CA-round-9e", "CA-std-14")
def test_live_CA_round_9_no_rake_no_maximum(house: People) -> None:
    """A bank is limited by its stack alone, covers ties too, and the house takes nothing."""
    ann, bob, cat, *_ = house.players
    before = house_money(house)
    with house.table("rake") as table:
        table.join(ann, bob, cat).load(Cards("=<"))
        assert table.code(ann, "take_bank", amount=STACK + 1) == "insufficient"
        assert table.code(ann, "take_bank", amount=0) == "insufficient"
        table.bank(ann, STACK).bet(bob, 2, 501).bet(bob, 2, 50, "tie").bet(cat, 3, 700)
        events = table.deal()
        assert (2, "tie", "won", 550) in settled(events)
        table.choose(bob, 2, "surrender")
        nets = [table.stack(player) - STACK for player in (ann, bob, cat)]
        assert nets == [250 - 500 + 700, 500 - 250, -700]
        assert sum(nets) == 0
        assert house_money(house) == before
        assert table.recall().house == 0


def house_money(house: People) -> int:
    """What the house's own account holds."""
    return database.balances(house.hosted.house.engine).get("house", 0)


@proves("live", "CA-std-14", "CA-round-10a", "CA-round-10b", "CA-round-10c", "CA-def-pd-2")
def test_live_CA_round_10_the_bank_goes_round(house: People) -> None:
    """Two rounds at most, then clockwise past empty seats, standers and who declines."""
    ann, bob, cat, eve, *_ = house.players
    with house.table("rotation") as table:
        for player, seat in ((ann, 2), (bob, 5), (cat, 7)):
            table.sit(player, seat)
        table.stand(eve).load()
        assert offered(table) == [ann.name]
        assert table.code(bob, "take_bank", amount=1_000) == "not_offered"
        play_round(table, ann, bob, 5)
        assert (table.state()["bank"]["button"], offered(table)) == (ann.name, [ann.name])
        play_round(table, ann, bob, 5)
        assert offered(table) == [bob.name], "the third round in a row is not offered"
        assert table.code(ann, "take_bank", amount=1_000) == "not_offered"
        stack = table.stack(bob)
        table.must(bob, "pass_bank")
        assert table.stack(bob) == stack, "to decline costs nothing"
        assert offered(table) == [cat.name]
        play_round(table, cat, ann, 2)
        assert table.state()["bank"]["button"] == cat.name
        table.must(cat, "pass_bank")
        assert offered(table) == [ann.name], "the next seat clockwise after the last is the first"
        table.must(ann, "pass_bank")
        table.must(bob, "pass_bank")
        assert table.code(table.dealer, "start_round") == "no_banker"
        passed = [event["player"] for event in of(table.told(), "bank_passed")]
        assert passed == [bob.name, cat.name, ann.name, bob.name]
        assert of(table.told(), "bank_untaken")


@proves("live", "CA-round-10b")
def test_live_CA_round_10b_the_count_outlives_a_reconnection(house: People) -> None:
    """Who banked two rounds is not offered a third by connecting anew or after a restart."""
    ann, bob, *_ = house.players
    hosted = house.hosted
    with house.table("persistent") as table, ExitStack() as open_:
        table.join(ann, bob).load()
        play_round(table, ann, bob, 2)
        again = open_.enter_context(hosted.sign_in(ann.name, ann.password))
        again.hello(table.name)
        play_round(table, again, bob, 2)
        assert table.code(again, "take_bank", amount=1_000) == "not_offered"
        assert offered(table) == [bob.name]
        restored = restored_bank(house, table.name)
        assert (restored.button, restored.rounds, restored.offered) == (ann.name, 2, bob.name)


def restored_bank(house: People, name: str) -> Bank:
    """The bank as a house that opens anew finds it in the journal."""
    running = house.hosted.house
    state = tables.start(database.setup_of(running.engine, name))
    for row in database.rows_of(running.engine, name):
        state = tables.fold(messages.at_table(journal.read_row(row, running.key)[1]), state)
    return state.bank


@proves("live", "CA-def-pd-1")
def test_live_CA_def_pd_1_the_bank_acts_last(house: People) -> None:
    """The bank's seat gets the last card of each deal and decides neither war nor surrender."""
    ann, bob, cat, *_ = house.players
    with house.table("last") as table:
        table.join(ann, bob, cat).load(Cards("=", "<"))
        table.must(ann, "pass_bank")
        table.bank(bob, 10_000).bet(cat, 3, 100)
        assert table.code(bob, "bet", box=2, wager="primary", amount=100) == "banker_wager"
        assert not [move for move in table.moves(bob) if move["type"] == "may_bet"]
        dealt = of(table.deal(), "dealt")
        assert [due["player"] for due in table.due()] == [cat.name]
        for choice in ("war", "surrender"):
            assert table.code(bob, "choose", box=2, choice=choice) == "no_choice_due"
        assert table.moves(bob) == []
        table.choose(cat, 3, "war")
        dealt += of(table.proceed(), "dealt")
        assert [(event["deal"], event["box"]) for event in dealt] == [
            ("original", 3), ("original", 0), ("war", 3), ("war", 0),
        ]  # fmt: skip  # a list of pairs
        assert table.recall().banker == bob.name


@pytest.mark.finding(1)
@proves("live", "CA-players-2", "CA-round-3b-2")
def test_live_who_sits_down_meanwhile_is_covered_first(house: People) -> None:
    """The seated are covered first, and a banker who brings money in the round matches with it."""
    ann, bob, cat, eve, *_ = house.players
    with house.table("meanwhile") as table:
        table.join(ann, bob)
        table.stand(eve)
        table.load(Cards("="))
        table.must(ann, "cash_out", amount=STACK - 1_200)
        table.bank(ann, 1_200)
        table.must(cat, "join", amount=STACK, seat=3)
        table.bet(eve, 3, 1_000).bet(cat, 3, 1_000)
        back = of(table.deal(), "returned")
        assert [(each["player"], each["amount"]) for each in back] == [(eve.name, 800)]
        table.must(ann, "buy_in", amount=1_100)
        matched = of([*table.choose(cat, 3, "war"), *table.choose(eve, 3, "war")], "matched")
        assert [(each["player"], each["amount"]) for each in matched] == [
            (cat.name, 1_000),
            (eve.name, 100),
        ]
