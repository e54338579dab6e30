"""Nobody delays or aborts the cards of others at a live table: floods, late numbers, silence."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace
from websockets.exceptions import ConnectionClosed

from hosting import FAST, Client, Hosted, Json
from waiting import until
from wartable.server.records import database
from wartable.verify import verify_bytes

FLOOD = 10_000
LONG_MS = 10**8
"""A wait that does not end by itself: only the answers of all who are asked close the list."""
NAME = "washington 1"
ORDERS = ("shoe", "after_bets")


@contextmanager
def seated(
    folder: Path, order: str, wait_ms: int, **config: Any
) -> Iterator[tuple[Hosted, Client, Client]]:
    """Ann and mallory at a shared table that waits so long for numbers."""
    given: Json = {"shared": replace(FAST, number_ms=wait_ms), "order": order, "bots": False}
    given |= {"messages_per_s": 10**9} | config
    hosting = Hosted(folder, books=("washington",), **given)
    with hosting as hosted, hosted.register("ann") as ann, hosted.register("mallory") as mallory:
        for seat, client in enumerate((ann, mallory), start=1):
            client.hello(NAME)
            client.must("join", amount=20_000, seat=seat)
        yield hosted, ann, mallory


def asked(client: Client, order: str) -> None:
    """Go on to the moment at which the table asks for numbers."""
    if order == "after_bets":
        assert client.bet() == ""
    client.until("number")


def number(text: str) -> str:
    """A number of 32 bytes that says what it is."""
    return text.encode().ljust(32, b".").hex()


def lists(client: Client) -> list[list[Json]]:
    """The lists that were closed, as everybody is told."""
    return [each["numbers"] for each in client.events("numbers_closed")]


def listed(client: Client) -> list[Json]:
    """The first list that was closed, once it is."""
    while not lists(client):
        client.read()
    return lists(client)[0]


@pytest.mark.parametrize("order", ORDERS)
def test_ten_thousand_numbers_at_once(tmp_path: Path, order: str, deep: bool) -> None:
    """One of them counts, and the cards come as soon as the others have sent theirs."""
    many = FLOOD if deep or order == ORDERS[0] else FLOOD // 10
    with seated(tmp_path, order, LONG_MS) as (hosted, ann, mallory):
        asked(ann, order)
        for place in range(many):
            mallory.say("send_number", id=f"flood {place}", number=number(f"flood {place}"))
        ann.must("send_number", number=number("ann"))
        found = {each["player"]: each["number"] for each in listed(ann)}
        assert found == {"ann": number("ann"), "mallory": number("flood 0")}
        answers: Counter[str] = Counter()
        while answers.total() < many:
            message = mallory.hear("accepted", "refused")
            if message["id"].startswith("flood"):
                answers[message.get("code", "accepted")] += 1
        assert answers["accepted"] == 1
        assert set(answers) <= {"accepted", "no_number", "numbers_closed", "busy"}
        rows = [row.events for row in database.rows_of(hosted.house.engine, NAME)]
        assert sum(events.count('"number_given"') for events in rows) == 2
        ann.until("bets")


@pytest.mark.parametrize("order", ORDERS)
def test_whoever_says_nothing_or_vanishes(tmp_path: Path, order: str) -> None:
    """The list closes without them, and rounds go on."""
    with seated(tmp_path, order, 20) as (_, ann, mallory):
        ann.play(1)
        mallory.close()
        ann.play(1)
        assert lists(ann)
        assert all(each["player"] != "mallory" for closed in lists(ann) for each in closed)


def flood(client: Client) -> None:
    """Send numbers without end, and read what comes of it."""
    with suppress(ConnectionClosed):
        for place in range(FLOOD):
            client.say("send_number", id=str(place), number=number(str(place)))
    while True:
        client.read()


@pytest.mark.parametrize("order", ORDERS)
def test_a_flood_ends_its_own_connection(tmp_path: Path, order: str) -> None:
    """Where messages are limited, whoever floods is dropped, and the others play on."""
    with seated(tmp_path, order, 20, messages_per_s=50) as (hosted, ann, mallory):
        with pytest.raises(ConnectionClosed):
            flood(mallory)
        assert hosted.house.metrics.dropped["flood"] == 1
        ann.play(2)


@pytest.mark.parametrize("order", ORDERS)
def test_a_number_that_comes_late(tmp_path: Path, order: str) -> None:
    """It is refused, and the cards are those of the list that everybody was told."""
    with seated(tmp_path, order, 20) as (_, ann, mallory):
        if order == "after_bets":
            assert ann.bet() == ""
        closed = listed(ann)
        late = mallory.do("send_number", number=number("late"))
        assert late["code"] in ("numbers_closed", "no_number")
        with ann.hosted.staff("floor") as floor:
            floor.hello(NAME)
            floor.must("order_reshuffle", reason="to see the record")
        shoes = f"/tables/{NAME}/shoes"
        until(lambda: ann.get(shoes)["record"]["shoes"], "no end", pause=lambda: ann.play(1))
        record = ann.get(shoes)["record"]
        assert all(step.ok for step in verify_bytes(msgspec.json.encode(record)))
        draws = record["shoes"][0]["proof"]["draws"]
        assert draws[0]["numbers"] == closed
        sent = [each["number"] for draw in draws for each in draw["numbers"]]
        assert number("late") not in sent
