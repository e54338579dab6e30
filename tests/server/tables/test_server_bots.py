"""Bots at live tables: they come when asked, play with money of their own, see no more, and go."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from hosting import FAST, Client, Hosted, Json
from waiting import until
from wartable import players
from wartable.server.audit import reports, verify
from wartable.server.period import Period
from wartable.server.records import database, journal
from wartable.server.records.messages import PaidIn
from wartable.server.records.rows import CASHIER
from wartable.server.tables import bots
from wartable.table import view


@pytest.fixture(scope="module")
def hosted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosted]:
    """One server for all tests of this file; its records are verified at the end."""
    with Hosted(tmp_path_factory.mktemp("house"), books=("maryland", "california")) as running:
        yield running
        verify.verify(running.house.engine, running.house.key)


def new_table(hosted: Hosted, name: str, book: str = "maryland") -> str:
    """A shared table of its own for one test."""
    with hosted.admin() as admin:
        admin.post("/tables", 201, name=name, book=book)
    return name


def seated(hosted: Hosted, name: str) -> list[str]:
    """The bots that sit at the table."""
    guests = hosted.house.floor.places[name].live.state.guests
    return [each for each in guests if each.startswith("bot-")]


def card(hosted: Hosted, name: str) -> Json:
    """The table's card in the lobby."""
    hosted.clock.ahead_ms += 1_000
    with hosted.http() as http:
        cards = http.get("/lobby").json()["tables"]
    return next(each for each in cards if each["name"] == name)


def sit(client: Client, name: str, seat: int = 1) -> None:
    """Follow the table and sit down."""
    client.hello(name)
    client.must("join", amount=50_000, seat=seat)


def test_bots_come_play_and_leave(hosted: Hosted) -> None:
    """Who sits at a table has bots come; they bet by themselves, are told apart, and leave."""
    name = new_table(hosted, "maryland company")
    with hosted.guest() as client:
        sit(client, name)
        came = client.post(f"/tables/{name}/bots", count=3)["names"]
        assert len(came) == 3
        assert all(each.startswith("bot-") for each in came)
        client.see_bets_of(came)
        shown = card(hosted, name)
        assert (shown["guests"], shown["bots"], shown["seated"]) == (1, 3, 4)
        gone = client.post(f"/tables/{name}/bots/leave", count=1)["names"]
        assert gone == came[-1:]
        until(lambda: seated(hosted, name) == came[:2])
        assert client.post(f"/tables/{name}/bots/leave")["names"] == came[:2]
        until(lambda: not seated(hosted, name))
        while not {event["player"] for event in client.events("departed")} >= set(came):
            client.read()


def test_bots_have_money_of_the_house_in_the_ledger(hosted: Hosted) -> None:
    """Every cent that a bot ever had was paid in by the platform, through the cashier."""
    name = new_table(hosted, "maryland money")
    with hosted.guest() as client:
        sit(client, name)
        (bot,) = client.post(f"/tables/{name}/bots", count=1)["names"]
        client.play(1)
    house = hosted.house
    rows = [row for row in database.rows_of(house.engine, CASHIER) if f'"{bot}"' in row.command]
    assert rows
    assert {row.actor for row in rows} == {"platform"}
    paid = [event for row in rows for event in journal.read_row(row, house.key)[1]]
    assert all(isinstance(event, PaidIn) and event.amount > 0 for event in paid)


def test_R12_what_bots_hold_is_owed_to_nobody(tmp_path: Path) -> None:
    """Liability is what people have; what bots have in stacks and wallets stands apart."""
    slow = replace(FAST, bets_ms=None)
    with Hosted(tmp_path, books=("washington",), shared=slow) as hosted:
        with hosted.staff("floor") as floor:
            names = floor.post("/tables/washington 1/bots", count=2)["names"]
        house = hosted.house
        brought = sum(players.bot_named(name).buy_in for name in names)
        found = reports.report(house.engine, house.key, Period(0, None), 10**9).liability
        assert found["bots"] + found["felt"] == brought
        assert found["total"] == found["felt"]


def test_a_broke_bot_brings_new_money(hosted: Hosted, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bot whose stack is too small for the next round buys in again."""
    whole = players.bot

    def poor(number: int, unit: int = players.UNIT) -> players.Bot:
        return replace(whole(number, unit), buy_in=players.RESERVE * unit)

    monkeypatch.setattr(players, "bot", poor)
    name = new_table(hosted, "maryland broke")
    with hosted.guest() as client:
        sit(client, name)
        client.post(f"/tables/{name}/bots", count=4)
        while not client.events("bought_in"):
            client.play(1)
        assert client.events("bought_in")[0]["player"].startswith("bot-")
        client.post(f"/tables/{name}/bots/leave")
        until(lambda: not seated(hosted, name))


def test_who_may_ask_for_bots(hosted: Hosted) -> None:
    """Who sits there, and the floor; nobody else, and no more than there are seats."""
    name = new_table(hosted, "maryland asked")
    with hosted.guest() as client, hosted.staff("floor") as floor, hosted.http() as nobody:
        assert client.post(f"/tables/{name}/bots", 403, count=1)["code"] == "not_seated"
        assert nobody.post(f"/tables/{name}/bots", json={"count": 1}).status_code == 401
        assert client.post("/tables/nowhere/bots", 404, count=1)["code"] == "no_table"
        assert client.post(f"/tables/{name}/bots", 400, count=0)["code"] == "malformed"
        assert len(floor.post(f"/tables/{name}/bots", count=9)["names"]) == 9
        assert floor.post(f"/tables/{name}/bots", 409, count=1)["code"] == "table_full"
        floor.post(f"/tables/{name}/bots/leave")
        until(lambda: not seated(hosted, name))


def test_nobody_takes_a_bots_name(hosted: Hosted) -> None:
    """Names that begin with bot- are not given away, and no bot can sign in."""
    with hosted.http() as http:
        body = {"name": "bot-ada", "password": "long enough for us"}
        assert http.post("/register", json=body).json()["code"] == "bad_name"
        assert http.post("/sign-in", json=body).json()["code"] == "wrong_credentials"


def test_a_bot_gives_up_its_seat(hosted: Hosted) -> None:
    """At a full table a person gets the seat of a bot, at once or when its round is over."""
    name = new_table(hosted, "maryland full")
    with hosted.guest() as client, hosted.guest() as late:
        sit(client, name)
        came = client.post(f"/tables/{name}/bots", count=9)["names"]
        assert len(came) == 8
        late.hello(name)
        taken = late.do("join", amount=1_000, seat=1)
        assert taken["code"] == "seat_taken", "a person keeps the seat"

        def joined() -> bool:
            answer = late.do("join", amount=1_000, seat=5)
            assert answer["type"] == "accepted" or "bot leaves this seat" in answer["sentence"]
            return bool(answer["type"] == "accepted")

        with hosted.guest() as excluded:
            excluded.post("/me/exclude", days=1)
            excluded.hello(name)
            assert excluded.do("join", amount=1_000, seat=5)["code"] == "excluded"
        assert len(seated(hosted, name)) == 8, "no bot goes for who may not play"
        until(joined)
        assert len(seated(hosted, name)) == 7
        client.do("leave")
        late.do("leave")
    hosted.clock.ahead_ms += bots.LONELY_MS
    until(lambda: not seated(hosted, name))


def test_bots_do_not_stay_alone(hosted: Hosted) -> None:
    """When nobody has followed the table or sat there for a while, the bots leave."""
    name = new_table(hosted, "maryland lonely")
    with hosted.staff("floor") as floor, hosted.guest() as watcher:
        watcher.hello(name)
        floor.post(f"/tables/{name}/bots", count=2)
        hosted.clock.ahead_ms += 2 * bots.LONELY_MS
        watcher.hear("happened")
        assert len(seated(hosted, name)) == 2
    place = hosted.house.floor.places[name]
    until(lambda: not place.present)
    hosted.clock.ahead_ms += bots.LONELY_MS
    until(lambda: not seated(hosted, name))


def test_company_at_a_private_table_that_one_alone_cannot_play_at(hosted: Hosted) -> None:
    """Two bots come by themselves, and the bank goes around between them and the owner."""
    with hosted.guest() as owner:
        name = owner.private("california", 60_000)
        until(
            lambda: len(bankers(owner)) == 3,
            "the bank does not go around",
            pause=lambda: answer_california(owner),
        )
        assert bankers(owner) == {owner.name, *seated(hosted, name)}
        assert owner.events("closed")
        owner.post(f"/tables/{name}/bots/leave")


def test_a_bot_whose_bet_was_refused_plays_on(
    hosted: Hosted, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A wager that came too late is let be for this round; cut, bank and choices are answered."""
    given = players.next_bet
    refused: set[str] = set()

    def greedy(policy: Any, setup: Any, seen: Any, player: str, seed: str) -> Any:
        bet = given(policy, setup, seen, player, seed)
        if bet is None or not players.is_bot(seen.round.banker):
            return bet
        refused.add(player)
        return replace(bet, amount=10**12)

    monkeypatch.setattr(players, "next_bet", greedy)
    with hosted.guest() as owner:
        name = owner.private("california", 60_000)
        until(
            lambda: len(bankers(owner)) == 3 and len(refused) == 2,
            "a bot does not play on",
            pause=lambda: answer_california(owner),
        )
        assert refused == set(seated(hosted, name))
        owner.post(f"/tables/{name}/bots/leave")


def bankers(owner: Client) -> set[str]:
    """Who had the bank until now."""
    return {event["banker"] for event in owner.events("opened")}


def answer_california(owner: Client) -> None:
    """What the owner of a table with bots does: bank in turn, bet, deal when all have bet."""
    for due in owner.awaited()["due"]:
        mine = due["player"] == owner.name
        match due["what"]:
            case "bets":
                owner.do("bet", box=1, wager="primary", amount=500)
                owner.do("close_bets")
            case "choice" if mine:
                owner.do("choose", box=due["box"], choice="war")
            case "cut" if mine:
                owner.do("refuse_cut")
            case "bank" if mine:
                owner.do("take_bank", amount=10_000)


def test_bots_see_no_more_than_a_player(hosted: Hosted, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a bot decides by has no seed, no burned and no undealt card, and is what all see."""
    looked: list[int] = []
    decided = bots.wish

    def watched(setup: Any, seen: Any, due: Any, names: Any, seed: str) -> Any:
        assert seen == view(seen)
        assert seen.shoe is None or (seen.shoe.seed, seen.shoe.cards) == ("", ())
        assert seen.stored is None or (seen.stored.seed, seen.stored.cards) == ("", ())
        assert seed == setup.name
        looked.append(len(names))
        return decided(setup, seen, due, names, seed)

    monkeypatch.setattr(bots, "wish", watched)
    name = new_table(hosted, "maryland blind")
    with hosted.guest() as client:
        sit(client, name)
        came = client.post(f"/tables/{name}/bots", count=2)["names"]
        client.see_bets_of(came)
        client.post(f"/tables/{name}/bots/leave")
        until(lambda: not seated(hosted, name))
    assert looked


def test_bots_outlive_a_restart_and_go_where_they_may_not_be(tmp_path: Path) -> None:
    """The journal says who sits: bots play on after a restart, and leave a house without bots."""
    name = "maryland 1"
    with Hosted(tmp_path, books=("maryland",)) as first, first.guest() as client:
        sit(client, name)
        came = client.post(f"/tables/{name}/bots", count=2)["names"]
        client.play(1)
        kept = client.name, client.token
    with Hosted(tmp_path, books=("maryland",)) as second:
        with Client(second, *kept) as again:
            again.hello(name)
            assert sorted(seated(second, name)) == sorted(came)
            again.see_bets_of(came)
        verify.verify(second.house.engine, second.house.key)
    with Hosted(tmp_path, books=("maryland",), bots=False) as third:
        until(lambda: not seated(third, name))
        with third.admin() as admin:
            assert admin.post(f"/tables/{name}/bots", 409, count=1)["code"] == "no_bots"


def test_an_idle_private_table_lets_its_bots_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When a private table closes because nobody comes, nobody sits there any more."""
    monkeypatch.setattr("wartable.server.running.RENEW_S", 0.05)
    with Hosted(tmp_path, books=("california",)) as hosted:
        with hosted.guest() as owner:
            name = owner.private("california", 60_000)
            until(lambda: len(seated(hosted, name)) == 2)
        hosted.clock.ahead_ms += 11 * 60_000
        until(lambda: name not in hosted.house.floor.places)

        def departed() -> int:
            rows = database.rows_of(hosted.house.engine, name)
            return sum('"departed"' in row.events for row in rows)

        until(lambda: departed() == 3, "two bots and the owner do not leave")
        assert verify.verify(hosted.house.engine, hosted.house.key).rows
