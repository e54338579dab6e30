"""What was played, over HTTP: the own rounds, a round again, shoes to be checked, last results."""

import csv
import io
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

import recorded_houses
from clauses import proves
from hosting import TIE_SEED, Client, Hosted
from live_tables import Cards, find_seed
from recorded_houses import RecordedHouse
from wartable.rules import load
from wartable.server.audit import history
from wartable.server.records import database
from wartable.table import new_setup
from wartable.verify import verify_bytes

ROUNDS = 7


@pytest.fixture(scope="module")
def hosted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosted]:
    """A server with tables of two books."""
    folder = tmp_path_factory.mktemp("house")
    with Hosted(folder, books=("online", "california")) as running:
        yield running


@pytest.fixture(scope="module")
def player(hosted: Hosted) -> Iterator[Client]:
    """A guest who played some rounds at the own online table, of which the first ties."""
    with hosted.guest() as client:
        name = f"online@{client.name}"
        hosted.planted, _ = find_seed(new_setup(load("online").rules, name), Cards("="))
        client.private("online")
        hosted.planted = None
        client.play(ROUNDS, deal=True)
        yield client


def settled(client: Client) -> list[int]:
    """What each round came to by the events that the client heard."""
    nets, staked, returned = [], 0, 0
    for event in client.events():
        if event["type"] == "opened":
            staked = returned = 0
        elif event["type"] == "placed":
            staked += event["amount"]
        elif event["type"] == "settled":
            returned += event["returned"]
        elif event["type"] == "closed":
            nets.append(returned - staked)
    return nets


def test_the_own_rounds_are_those_that_were_played(player: Client) -> None:
    """Newest first, each with what its events added up to; the totals add up to the same."""
    rounds = player.get("/me/rounds")["rounds"]
    assert [row["net"] for row in rounds] == settled(player)[::-1]
    assert [row["round"] for row in rounds] == list(range(ROUNDS, 0, -1))
    assert all(row["returned"] - row["staked"] == row["net"] for row in rounds)
    assert all(0 < row["began_ms"] <= row["at_ms"] for row in rounds)
    (total,) = player.get("/me/totals")
    assert (total["book"], total["rounds"]) == ("online", ROUNDS)
    assert total["net"] == sum(settled(player))
    assert total["staked"] == sum(row["staked"] for row in rounds)


def test_the_own_rounds_come_page_by_page(player: Client) -> None:
    """`after` goes on where the last answer ended, and nothing is left out or told twice."""
    seen, after = [], ""
    while True:
        page = player.get(f"/me/rounds?limit=3&after={after}")
        seen += [row["round"] for row in page["rounds"]]
        after = page["after"]
        if after is None:
            break
    assert seen == list(range(ROUNDS, 0, -1))
    assert player.get("/me/rounds?after=nonsense", 400)["code"] == "malformed"


def test_the_own_rounds_are_filtered(player: Client) -> None:
    """By book, table, time and how the first wager ended; every round is in just one kind."""
    rounds = player.get("/me/rounds")["rounds"]
    assert player.get("/me/rounds?book=california")["rounds"] == []
    assert player.get(f"/me/rounds?table=online@{player.name}")["rounds"] == rounds
    middle = rounds[3]["at_ms"]
    newer = player.get(f"/me/rounds?from_ms={middle}")["rounds"]
    older = player.get(f"/me/rounds?until_ms={middle}")["rounds"]
    assert newer + older == rounds
    assert newer[-1]["at_ms"] == middle
    kinds = [player.get(f"/me/rounds?outcome={kind}")["rounds"] for kind in ("won", "lost", "war")]
    assert sum(map(len, kinds)) == ROUNDS
    assert rounds[-1] in kinds[2], "the first round tied"
    assert all(row["net"] > 0 for row in kinds[0])
    assert all(row["net"] < 0 for row in kinds[1])
    assert player.get("/me/rounds?outcome=perhaps", 400)["code"] == "malformed"


def test_the_csv_has_the_same_rounds(player: Client) -> None:
    """The file's lines are the rounds, amounts in cents."""
    answer = player.http.get("/me/rounds.csv")
    assert answer.headers["content-type"].startswith("text/csv")
    assert "attachment" in answer.headers["content-disposition"]
    lines = list(csv.DictReader(io.StringIO(answer.text)))
    rounds = player.get("/me/rounds")["rounds"]
    assert [int(line["net"]) for line in lines] == [row["net"] for row in rounds]
    assert {line["table"] for line in lines} == {f"online@{player.name}"}


@pytest.mark.finding(16)
@proves("console", "ON-version")
def test_every_round_names_the_documents_version(player: Client) -> None:
    """Version 1.0 and its date are in the list of rounds, in the file and in the replay."""
    edition = "version 1.0 of 2021-02-17"
    assert {row["edition"] for row in player.get("/me/rounds")["rounds"]} == {edition}
    lines = list(csv.DictReader(io.StringIO(player.http.get("/me/rounds.csv").text)))
    assert {line["edition"] for line in lines} == {edition}
    for number in (1, ROUNDS):
        assert player.get(f"/rounds/online@{player.name}/{number}")["round"]["edition"] == edition


@pytest.mark.finding(16)
def test_a_bankers_rounds_are_money_won_and_lost(whole: RecordedHouse) -> None:
    """Nothing is staked or returned in them; the totals count them apart, and the net agrees."""
    engine = database.engine_for(whole.address)
    for player in recorded_houses.PLAYERS:
        found = history.rounds(engine, player, history.Wanted(book="california"), "", 100).rounds
        banked = [each for each in found if each.outcomes == " banked "]
        assert banked, "each banked in turn"
        (total,) = [each for each in history.totals(engine, player) if each.book == "california"]
        assert total.banked == sum(each.net for each in banked)
        assert total.returned - total.staked + total.banked == total.net
        assert total.returned == sum(each.returned for each in found if each not in banked)
        lines = csv.DictReader(
            io.StringIO(history.as_csv(engine, player, history.Wanted(outcome="banked")))
        )
        shown = [(line["staked"], line["returned"], line["net"]) for line in lines]
        assert shown == [("", "", str(each.net)) for each in banked]
    engine.dispose()


def test_nobody_else_sees_them(hosted: Hosted, player: Client) -> None:
    """Another player has no rounds and gets none of mine; nobody signed in gets none at all."""
    with hosted.guest() as other, hosted.http() as nobody:
        assert other.get("/me/rounds") == {"rounds": [], "after": None}
        assert other.get("/me/totals") == []
        assert other.get(f"/rounds/online@{player.name}/1", 404)["code"] == "no_round"
        for path in (
            "/me/rounds",
            "/me/rounds.csv",
            "/me/totals",
            f"/rounds/online@{player.name}/1",
        ):
            assert nobody.get(path).status_code == 401


def test_a_dealer_sees_the_rounds_of_tables_with_staff(hosted: Hosted, player: Client) -> None:
    """What the platform dealt, at a private table above all, is none of a dealer's."""
    table = f"online@{player.name}"
    with hosted.staff("dealer") as dealer, hosted.staff("floor") as floor:
        refused = dealer.get(f"/rounds/{table}/1", 403)
        assert (refused["code"], "with staff" in refused["sentence"]) == ("not_your_part", True)
        assert floor.get(f"/rounds/{table}/1")["round"]["table"] == table


def test_a_round_again_for_its_player(player: Client) -> None:
    """The table before it and its rows as they were told, marked as a replay, no burned card."""
    found = player.get(f"/rounds/online@{player.name}/2")
    assert found["replay"] is True
    assert found["round"]["replay"] is True
    assert found["before"]["rounds"] == 1
    assert found["burned"] == []
    told = {row["number"]: row["events"] for row in player.heard if row["type"] == "happened"}
    assert len(found["round"]["rows"]) > 2
    for row in found["round"]["rows"]:
        assert row["events"] == told[row["number"]]
    assert player.get(f"/rounds/online@{player.name}/999", 404)["code"] == "no_round"
    for never in (10**20, -(10**20)):
        assert player.get(f"/rounds/online@{player.name}/{never}", 400)["code"] == "malformed"


def test_an_auditor_sees_the_burned_cards_of_a_shoe_that_is_over(tmp_path: Path) -> None:
    """Staff may recall any round; only an auditor is shown what was burned."""
    with Hosted(tmp_path, books=("online",)) as hosted:
        hosted.planted = TIE_SEED
        with hosted.register("alice") as alice:
            name = alice.private("online")
            alice.play(1, deal=True)
            assert alice.get(f"/rounds/{name}/1")["round"]["burned"] == 3
            assert alice.get(f"/rounds/{name}/1")["burned"] == []
            with hosted.staff("floor") as floor, hosted.staff("auditor") as auditor:
                assert floor.get(f"/rounds/{name}/1")["burned"] == []
                shown = auditor.get(f"/rounds/{name}/1")["burned"]
                finished = alice.get(f"/tables/{name}/shoes")["record"]["shoes"][0]
                burns = [each["card"] for each in finished["drawn"] if each["use"] == "burn"]
                assert shown == burns
                assert "??" not in shown


def test_no_burned_card_is_shown_while_its_shoe_is_in_use(tmp_path: Path) -> None:
    """Nobody learns a burned card, an auditor neither, at a table that is open or at rest."""
    with Hosted(tmp_path, books=("washington",)) as hosted, hosted.guest() as player:
        name = f"washington@{player.name}"
        hosted.planted, _ = find_seed(new_setup(load("washington").rules, name), Cards("=", "."))
        player.private("washington")
        player.play(1, deal=True)
        assert {event["card"] for event in player.events("burned")} == {"??"}
        with hosted.staff("auditor") as auditor:
            hidden(auditor, name)
    with Hosted(tmp_path, books=("washington",)) as again, again.staff("auditor") as auditor:
        assert name not in again.house.floor.places
        hidden(auditor, name)


def hidden(auditor: Client, name: str) -> None:
    """The first round of the table had a war, and none of its burned cards is shown."""
    found = auditor.get(f"/rounds/{name}/1")
    assert found["round"]["burned"] == 6
    assert found["burned"] == []
    events = [event for row in found["round"]["rows"] for event in row["events"]]
    assert {event["card"] for event in events if event["type"] == "burned"} == {"??"}


def test_the_shoes_can_be_checked(hosted: Hosted, player: Client) -> None:
    """The finished shoes are a sound record; the one in use shows only its commitment."""
    with hosted.guest() as other:
        other.get(f"/tables/online@{player.name}/shoes", 404)
    told = player.get(f"/tables/online@{player.name}/shoes")
    assert len(told["record"]["shoes"]) == 5
    assert told["record"]["shoes"][-1]["terms"]["number"] == ROUNDS
    steps = verify_bytes(msgspec.json.encode(told["record"]))
    assert all(step.ok for step in steps), steps
    current = told["current"]
    assert current["commitment"]
    assert (current["seed"], current["cards"]) == ("", [])


def test_the_lobby_shows_the_last_results(hosted: Hosted) -> None:
    """A shared table's card has its last rounds: the dealer's card and how the hands ended."""
    with hosted.guest() as player:
        player.hello("online 1")
        player.must("join", amount=20_000, seat=1)
        player.play(2)
        dealers = [
            event["card"]
            for event in player.events("dealt")
            if event["box"] == 0 and event["deal"] == "original"
        ]
        player.must("leave")
    with hosted.http() as http:
        (card,) = (t for t in http.get("/lobby").json()["tables"] if t["name"] == "online 1")
    for last, dealer in zip(card["last"], dealers, strict=True):
        assert last["dealer"] == dealer
        assert last["won"] + last["lost"] + last["tied"] == 1
    assert [last["number"] for last in card["last"]] == [1, 2]
