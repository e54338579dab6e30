"""What was played, over HTTP: the own rounds, a round again, shoes to be checked, last results."""

import csv
import io
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

import recorded_houses
from clauses import proves
from hosting import Client, Hosted, Json
from live_tables import Cards, Planted
from recorded_houses import RecordedHouse
from waiting import WAIT_S, until
from wartable.server.audit import finished, history, recall, reports, returns
from wartable.server.house.turns import WAITING_MAX
from wartable.server.http.routes import records
from wartable.server.records import checkpoints, database, schema
from wartable.shoe import Shoe
from wartable.table.events import ShoeEnded
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
        Planted(hosted, client.private("online"), Cards("="))
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


def dealt(client: Client) -> list[dict[str, list[str]]]:
    """The cards of each round by the events that the client heard, by box."""
    rounds: list[dict[str, list[str]]] = []
    for event in client.events():
        if event["type"] == "opened":
            rounds.append({})
        elif event["type"] == "dealt":
            rounds[-1].setdefault(str(event["box"]), []).append(event["card"])
    return [cards for cards in rounds if cards]


def test_the_own_rounds_are_those_that_were_played(player: Client) -> None:
    """Newest first, each with what its events added up to; the totals add up to the same."""
    rounds = player.get("/me/rounds")["rounds"]
    assert [row["net"] for row in rounds] == settled(player)[::-1]
    assert [row["round"] for row in rounds] == list(range(ROUNDS, 0, -1))
    assert all(row["returned"] - row["staked"] == row["net"] for row in rounds)
    assert all(0 < row["began_ms"] <= row["at_ms"] for row in rounds)
    assert [row["cards"] for row in rounds] == dealt(player)[::-1]
    assert [len(row["cards"]["0"]) for row in rounds[-1:]] == [2], "the first round went to war"
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
    with Hosted(tmp_path, books=("online",)) as hosted, hosted.register("alice") as alice:
        name = alice.private("online")
        Planted(hosted, name, Cards("=", "."))
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
        name = player.private("washington")
        Planted(hosted, name, Cards("=", "."))
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


def pages(client: Client, name: str, limit: int) -> list[Json]:
    """Every page of a table's finished shoes, the newest first."""
    found = [client.get(f"/tables/{name}/shoes?limit={limit}")]
    while (after := found[-1]["after"]) is not None:
        found.append(client.get(f"/tables/{name}/shoes?limit={limit}&after={after}"))
    return found


@pytest.mark.parametrize("limit", [1, 3, 50])
def test_all_shoes_can_be_fetched(hosted: Hosted, player: Client, limit: int) -> None:
    """Every page has at most so many; together they are the whole record, also by checkpoints."""
    name = f"online@{player.name}"
    live = hosted.house.floor.places[name].live
    whole = [shoe for page in reversed(pages(player, name, 50)) for shoe in page["record"]["shoes"]]
    assert [shoe["terms"]["number"] for shoe in whole] == [*range(1, ROUNDS + 1)]
    checkpoints.keep(hosted.house.engine, hosted.house.key, name, live.checkpoint())
    found = pages(player, name, limit)
    assert len(found[0]["record"]["shoes"]) == min(limit, ROUNDS)
    assert all(len(page["record"]["shoes"]) <= limit for page in found)
    shoes = [shoe for page in reversed(found) for shoe in page["record"]["shoes"]]
    assert shoes == whole
    assert [page["current"] is not None for page in found] == [True] + [False] * (len(found) - 1)
    record = {**found[0]["record"], "shoes": shoes}
    steps = verify_bytes(msgspec.json.encode(record))
    assert all(step.ok for step in steps), steps


def test_shoes_do_not_depend_on_checkpoints(hosted: Hosted, player: Client) -> None:
    """Whichever row has a checkpoint, one at which a shoe ended too, the pages have all shoes."""
    name, engine, key = f"online@{player.name}", hosted.house.engine, hosted.house.key
    whole = [shoe for page in by_pages(hosted, name, 50) for shoe in page]
    assert [shoe.terms.number for shoe in whole] == [*range(1, ROUNDS + 1)]
    rows = list(recall.steps(engine, key, name))
    ends = [step.row.number for step in rows if any(map(ended, step.events))]
    assert len(ends) == ROUNDS
    for step in rows[:: 1 if len(rows) < 200 else 3] + [rows[end - 1] for end in ends]:
        at = checkpoints.Checkpoint(step.row.number, step.row.hash, 0, step.after, (), ())
        with engine.begin() as connection:
            connection.execute(schema.checkpoints.delete())
        checkpoints.keep(engine, key, name, at)
        assert checkpoints.latest(engine, key, name) == at
        for limit in (1, 4):
            found = [shoe for page in by_pages(hosted, name, limit) for shoe in page]
            assert found == whole, (step.row.number, limit)


def test_a_page_of_shoes_folds_few_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However long the journal is, a page folds the rows between few checkpoints.

    Another version of the program leaves no checkpoints. Whoever opens the table makes them.
    """
    monkeypatch.setattr(checkpoints, "ROWS", 5)
    with Hosted(tmp_path, books=("online",)) as hosted, hosted.register("ann") as ann:
        name = ann.post("/tables/private", 201, book="online")["name"]
        ann.hello(name)
        ann.must("join", amount=20_000, seat=1)
        ann.play(12, deal=True)
    folded: list[int] = []
    real = recall.steps

    def counted(*given: Any) -> Iterator[recall.RecalledRow]:
        for step in real(*given):
            folded[-1] += 1
            yield step

    monkeypatch.setattr(finished, "steps", counted)
    with Hosted(tmp_path, books=("online",)) as again, again.staff("auditor") as auditor:
        with again.house.engine.begin() as connection:
            connection.execute(schema.checkpoints.delete())
        numbers, after = [], ""
        while True:
            folded.append(0)
            page = auditor.get(f"/tables/{name}/shoes?limit=1{after}")
            numbers += [shoe["terms"]["number"] for shoe in page["record"]["shoes"]]
            if page["after"] is None:
                break
            after = f"&after={page['after']}"
        head = database.head_of(again.house.engine, name)
    assert numbers == [*range(12, 0, -1)]
    most = finished.CHECKPOINTS_MAX * (checkpoints.ROWS + 1)
    assert max(folded) <= most
    assert head is not None
    assert head[0] > 2 * most, "there is more to fold than a page may"


def by_pages(hosted: Hosted, name: str, limit: int) -> list[tuple[Shoe, ...]]:
    """The shoes of every page, the oldest page first."""
    found, after = [], None
    while True:
        page = finished.page(hosted.house.engine, hosted.house.key, name, after, limit)
        found.append(page.record.shoes)
        if page.after is None:
            return found[::-1]
        after = page.after


def ended(event: object) -> bool:
    """Whether an event ends a shoe."""
    return isinstance(event, ShoeEnded)


@pytest.mark.parametrize("query", ["limit=0", "limit=51", "limit=x", "after=0", "after=x"])
def test_a_bad_page_of_shoes(player: Client, query: str) -> None:
    """A sentence says which parameter is wrong."""
    refused = player.get(f"/tables/online@{player.name}/shoes?{query}", 400)
    assert query.partition("=")[0] in refused["sentence"]


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


@pytest.mark.parametrize("what", ["replay", "export", "totals"])
def test_nobody_waits_for_the_records_of_another(
    hosted: Hosted, player: Client, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    """However much one person asks for, one at a time is read; another's is read meanwhile."""
    path = {
        "replay": f"/rounds/online@{player.name}/1",
        "export": "/me/rounds.csv",
        "totals": "/me/totals",
    }[what]
    reading, go_on = list[str](), threading.Event()
    module, name = {
        "replay": (recall, "replay"), "export": (history, "as_csv"), "totals": (history, "totals"),
    }[what]  # fmt: skip  # a list of functions
    read = getattr(module, name)

    def slow(*asked: Any) -> Any:
        if player.name in asked or asked[-1] is False:  # not the auditor's
            reading.append(what)
            assert go_on.wait(WAIT_S)
        return read(*asked)

    answers: list[int] = []

    def ask() -> None:
        with Client(hosted, player.name, player.token) as greedy:
            answers.append(greedy.http.get(path).status_code)

    monkeypatch.setattr(module, name, slow)
    waiting = [threading.Thread(target=ask) for _ in range(WAITING_MAX)]
    for thread in waiting:
        thread.start()
    asked = hosted.house.turns._asked
    until(lambda: asked[player.name] == WAITING_MAX, "not all are waiting")
    until(lambda: reading, "nothing is read")
    refused = player.get(path, 429)
    told = "You have 8 requests for records waiting; wait for an answer."
    assert (refused["code"], refused["sentence"]) == ("too_many", told)
    with hosted.staff("auditor") as calm:
        assert calm.http.get(path).status_code == 200
    assert len(reading) == 1
    go_on.set()
    for thread in waiting:
        thread.join(WAIT_S)
    assert answers == [200] * WAITING_MAX
    assert not asked


def test_a_long_export_comes_in_parts(player: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is compressed and sent part by part, and is the same as in one."""
    whole = player.http.get("/me/rounds.csv").text
    monkeypatch.setattr("wartable.server.http.routes.history.PART_BYTES", 100)
    assert player.http.get("/me/rounds.csv").text == whole
    assert len(whole) > 300


@pytest.mark.parametrize("what", ["report", "returns", "returns?since=2026-01-01"])
def test_nobody_waits_for_the_reports_of_another(
    hosted: Hosted, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    """Reports replay whole journals, so one auditor has one read at a time, and others theirs."""
    module: Any = {"report": reports, "returns": returns}.get(what, records)
    name, path = what.partition("?")[0], f"/records/{what}"
    read, reading, go_on = getattr(module, name), list[str](), threading.Event()

    def slow(*asked: Any) -> Any:
        if not reading:
            reading.append(what)
            assert go_on.wait(WAIT_S)
        return read(*asked)

    answers: list[int] = []
    with hosted.staff("auditor") as greedy, hosted.admin() as calm:

        def ask() -> None:
            with Client(hosted, greedy.name, greedy.token) as again:
                answers.append(again.http.get(path).status_code)

        monkeypatch.setattr(module, name, slow)
        waiting = [threading.Thread(target=ask) for _ in range(WAITING_MAX)]
        for thread in waiting:
            thread.start()
        asked = hosted.house.turns._asked
        until(lambda: reading and asked[greedy.name] == WAITING_MAX, "not all are waiting")
        assert greedy.get(path, 429)["code"] == "too_many"
        assert calm.http.get(path).status_code == 200
        assert not answers
        go_on.set()
        for thread in waiting:
            thread.join(WAIT_S)
    assert answers == [200] * WAITING_MAX
