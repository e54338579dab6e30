"""Whole rounds over WebSocket: all books, reconnecting, spectators, refusals, bad input."""

import json
import select
import socket
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import msgspec
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from hosting import Client, Hosted
from live_tables import Cards, OwnTable
from waiting import WAIT_S, until
from wartable.server.audit import verify


@pytest.fixture(scope="module")
def hosted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosted]:
    """One server for all tests of this file; its records are verified at the end."""
    with Hosted(tmp_path_factory.mktemp("house")) as running:
        yield running
        house = running.house
        verify.verify(house.engine, house.key)


def sit(client: Client, table: str, seat: int) -> None:
    """Follow a shared table and sit down."""
    client.hello(table)
    client.must("join", amount=30_000, seat=seat)


@pytest.mark.parametrize("book", ["california", "maryland", "new-zealand", "washington"])
def test_two_players_play_shared_tables(hosted: Hosted, book: str) -> None:
    """Two players at a shared table play rounds, and both are told the same events."""
    with hosted.guest() as one, hosted.guest() as two:
        for seat, client in enumerate((one, two), 1):
            sit(client, f"{book} 1", seat)

        def three_rounds() -> None:
            other = threading.Thread(target=two.play, args=(3, 2))
            other.start()
            one.play(3, 1)
            other.join(WAIT_S)
            assert not other.is_alive()

        # Where only one of them bets in time the round begins without the other.
        until(
            lambda: {each["player"] for each in one.events("placed")} == {one.name, two.name},
            "one is not told of the other's wagers",
            pause=three_rounds,
        )
        rows = [
            {row["number"]: row["events"] for row in client.heard if row["type"] == "happened"}
            for client in (one, two)
        ]
        common = rows[0].keys() & rows[1].keys()
        assert len(common) > 10
        assert all(rows[0][number] == rows[1][number] for number in common)
        one.do("leave")


@pytest.mark.parametrize("book", ["maryland", "new-zealand", "online", "washington"])
def test_private_tables_deal_on_demand(hosted: Hosted, book: str) -> None:
    """At one's own table rounds are dealt when the owner closes the bets, by no clock."""
    with hosted.guest() as client:
        client.private(book)
        client.play(3, deal=True)
        assert len(client.events("dealt")) >= 6
        assert not any(
            event["type"] == "shoe_started" and event["seed"] for event in client.events()
        )


def test_reconnect_in_the_middle(hosted: Hosted) -> None:
    """A client that was cut off resumes after the last row it saw and misses nothing."""
    with hosted.guest() as client, hosted.guest():
        name = client.private("washington")
        client.until("bets")
        last = client.last or 0
        client.must("bet", box=1, wager="primary", amount=500)
        client.socket.close()
        again = Client(hosted, client.name, client.token)
        welcome = again.hello(name, after=last)
        assert welcome["name"] == client.name
        missed = again.hear("happened")
        assert missed["number"] == last + 1
        assert missed["events"][0]["type"] == "placed"
        again.must("close_bets")
        whole = Client(hosted, client.name, client.token)
        whole.hello(name, after=0)
        numbers: list[int] = []
        while not numbers or numbers[-1] < last + 1:
            numbers.append(whole.hear("happened")["number"])
        assert numbers == list(range(1, numbers[-1] + 1))
        whole.close()
        ahead = Client(hosted, client.name, client.token)
        ahead.hello(name, after=10**9)
        assert ahead.hear("snapshot", "happened")["type"] == "snapshot"
        ahead.close()
        again.close()


def test_who_missed_nothing_is_told_what_is_awaited(hosted: Hosted) -> None:
    """A client that resumes after the last row is told what the table awaits all the same."""
    with hosted.guest() as client, Client(hosted, client.name, client.token) as again:
        name = client.private("online")
        client.until("bets")
        again.hello(name, after=client.last)
        assert again.hear("awaited", "happened", "snapshot")["due"][0]["what"] == "bets"


def test_a_client_that_hears_nothing_asks(hosted: Hosted) -> None:
    """A word that was heard and taken before is asked for again, not waited for in vain."""
    with hosted.guest() as client:
        client.private("online")
        client.until("bets")
        assert client.awaited()["due"][0]["what"] == "bets"


def test_spectators_see_and_may_nothing(hosted: Hosted) -> None:
    """Somebody who is not signed in follows a shared table and gives no commands."""
    with Client(hosted, "", None) as nobody, hosted.guest() as player:
        sit(player, "maryland 1", 3)
        player.until("bets")
        assert nobody.hello("maryland 1")["name"] is None
        shoe = nobody.hear("snapshot")["state"]["shoe"]
        assert (shoe["seed"], shoe["cards"]) == ("", [])
        player.must("leave")
        assert nobody.do("bet", box=1, wager="primary", amount=500)["code"] == "signed_out"
        assert nobody.do("close_bets")["code"] == "signed_out"
        name = player.private("online")
        assert nobody.hello(name)["code"] == "no_table"
        with hosted.guest() as other:
            assert other.hello(name)["code"] == "no_table"
            other.post(f"/tables/{name}/commands", 404, type="close_bets", id="1")


def test_refusals_come_from_the_engine(hosted: Hosted) -> None:
    """A refusal carries the engine's code and sentence, and changes nothing."""
    with hosted.guest() as client:
        client.private("online")
        client.until("bets")
        refused = client.do("bet", box=1, wager="tie", amount=500)
        assert (refused["type"], refused["code"]) == ("refused", "primary_required")
        assert refused["sentence"].endswith(".")
        assert client.do("bet", box=1, wager="primary", amount=10**9)["code"] == "insufficient"
        assert client.do("choose", box=1, choice="war")["code"] == "no_choice_due"
        assert client.do("join", amount=1, seat=1)["code"] == "here_already"
        assert client.do("buy_in", amount=10**11)["code"] == "insufficient"


def test_replayed_late_and_out_of_order(hosted: Hosted) -> None:
    """The same id is carried out once; what comes too late or too early is refused."""
    with hosted.guest() as client, OwnTable(hosted, client, "online", Cards("=")) as table:
        client.hello(table.name)
        first = client.must("bet", box=1, wager="primary", amount=500, id="x")
        assert client.do("bet", box=1, wager="primary", amount=500, id="x") == first
        assert client.do("choose", box=1, choice="war")["code"] == "no_choice_due"
        with hosted.guest() as other:
            other.private("online")
            other.until("bets")
            assert other.must("bet", box=1, wager="primary", amount=500, id="x")
        client.must("close_bets")
        assert client.do("bet", box=2, wager="primary", amount=500)["code"] == "bets_closed"
        assert client.do("bet", box=1, wager="primary", amount=500, id="x") == first
        client.until("choice")
        assert len(client.events("placed")) == 1


MALFORMED = [
    "", "{", "[]", "null", '"bet"', "{}", '{"type":"bet"}', '{"type":"nonsense","id":"1"}',
    '{"type":"bet","id":"1","box":1,"wager":"primary","amount":-5}',
    '{"type":"bet","id":"1","box":1,"wager":"primary","amount":1e3}',
    '{"type":"bet","id":"1","box":10,"wager":"primary","amount":5}',
    '{"type":"bet","id":"1","box":1,"wager":"primary","amount":5,"player":"somebody"}',
    '{"type":"bet","id":"","box":1,"wager":"primary","amount":5}',
    '{"type":"shuffle_cards","id":"1","seed":"00"}',
    '{"type":"seal_seed","id":"1","seal":"' + "0" * 64 + '"}',
    '{"type":"open_seed","id":"1","seed":"' + "0" * 32 + '"}',
    '{"type":"start_round","id":"1","at_ms":5}',
    '{"type":"open_table","id":"1","book":"x","decks":1}',
    '{"type":"pay_in","id":"1","player":"x","amount":1}',
    '{"type":"deal","id":"1","card":"As"}',
    '{"type":"hello","table":5}',
    "\x00\x01", "[" * 4_000, '{"type":"ping","id":"' + "x" * 65 + '"}',
]  # fmt: skip  # a list of texts


def test_malformed_and_oversized(hosted: Hosted) -> None:
    """What is no message is refused with a sentence and the connection lives on."""
    with hosted.guest() as client:
        client.hello("washington 1")
        for text in MALFORMED:
            client.socket.send(text)
            refused = client.hear("refused")
            assert refused["code"] == "malformed", text
            assert refused["sentence"].endswith(".")
        client.socket.send(b"\xff\xfe")
        assert client.hear("refused")["code"] == "malformed"
        client.socket.send('{"type":"ping","id":"' + " " * 9_000 + '"}')
        assert "at most 8192 bytes" in client.hear("refused")["sentence"]
        client.say("ping", id="alive")
        assert client.hear("pong")["id"] == "alive"
        client.socket.send("x" * 100_000)
        with pytest.raises(ConnectionClosed):
            client.hear("pong")


def shout(client: Client) -> None:
    """Send far too much, and read what comes of it."""
    with suppress(ConnectionClosed):
        for number in range(1_000):
            client.say("ping", id=str(number))
    while True:
        client.read()


def test_flood(tmp_path: Path) -> None:
    """A client that sends too fast is refused, then dropped, and others notice nothing."""
    with Hosted(tmp_path, messages_per_s=20) as hosted:
        with hosted.guest() as flood, hosted.guest() as calm:
            calm.hello("washington 1")
            flood.hello("washington 1")
            with pytest.raises(ConnectionClosed):
                shout(flood)
            assert any(m.get("code") == "too_fast" for m in flood.heard)
            assert calm.do("bet", box=1, wager="primary", amount=5)["code"] == "no_round"
        assert hosted.house.metrics.dropped["flood"] == 1


def test_a_client_that_never_reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A client that takes nothing is dropped; the others' rounds go on as before."""
    monkeypatch.setattr("wartable.server.http.connection.SEND_S", 0.3)
    hosted = Hosted(tmp_path, messages_per_s=QUESTIONS)
    hosted.listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 8_192)
    hello = json.dumps({"type": "hello", "table": "maryland 1"}).encode()
    frame = bytes([0x81, 0x80 | len(hello), 0, 0, 0, 0]) + hello
    dropped = hosted.house.metrics.dropped
    with hosted, hosted.guest() as player, hosted.deaf() as deaf:
        player.private("online")
        with suppress(ConnectionError):  # it may be dropped before it has asked everything
            deaf.sendall(frame * QUESTIONS)
        until(
            lambda: dropped["slow"],
            "the server waits for ever for a client that takes nothing",
            pause=lambda: player.play(1, deal=True),
        )
        player.play(2, deal=True)
        ended = select.poll()
        ended.register(deaf, 0)  # only its end, and errors
        assert ended.poll(1_000 * WAIT_S), "the server holds the connection of one that it dropped"
        assert dropped == {"slow": 1}


QUESTIONS = 5_000
"""How often it asks for a whole table: the answers are far more than all buffers hold."""


def test_origin_is_checked(hosted: Hosted) -> None:
    """A page of another site cannot connect; one of our own can."""
    address = f"ws://{hosted.host}/play"
    with pytest.raises(InvalidStatus, match="403"):
        connect(address, additional_headers={"Origin": "https://elsewhere.example"})
    with connect(address, additional_headers={"Origin": f"http://{hosted.host}"}) as own:
        own.send('{"type":"ping","id":"1"}')
        assert "pong" in str(own.recv(WAIT_S))


def test_lobby_over_websocket(hosted: Hosted) -> None:
    """The lobby tells books, limits, counts and meters, and tells them again when they change."""
    with hosted.guest() as client:
        assert client.hello()["table"] is None
        lobby = client.hear("lobby")
        cards = {card["name"]: card for card in lobby["tables"]}
        assert {card["book"] for card in cards.values()} == set(hosted.house.config.books)
        assert cards["maryland 1"]["decks"] == 6
        with hosted.guest() as other:
            other.hello("maryland 1")
            changed = client.hear("lobby")
            assert changed["connected"] > lobby["connected"]


def test_moves_are_what_is_accepted(hosted: Hosted) -> None:
    """A player is told the legal moves with what is awaited, and such a move is accepted."""
    with hosted.guest() as client:
        client.private("online")
        moves = client.until("bets")["moves"]
        bet = next(move for move in moves if move["type"] == "may_bet")
        amount = bet["amounts"]["min"]
        client.must("bet", box=bet["box"], wager=bet["wager"], amount=max(amount, 2))


def test_a_choice_comes_with_its_prices(hosted: Hosted) -> None:
    """Who must choose is told each choice's price, and may ask for one; who watches is not."""
    with hosted.guest() as client, OwnTable(hosted, client, "maryland", Cards("=")) as table:
        client.hello(table.name)
        table.bet(1, 1000).deal()
        told = client.until("choice")
        war, surrender = told["prices"]
        assert (war["choice"], war["adds"], war["won"], war["lost"]) == ("war", 1000, 1000, -2000)
        assert (surrender["choice"], surrender["back"], surrender["lost"]) == (
            "surrender",
            500,
            -500,
        )
        client.say("ask_price", id="p", box=1, war_tie=200)
        priced = client.hear("priced")
        assert (priced["id"], priced["number"]) == ("p", told["number"])
        assert (priced["price"]["adds"], priced["price"]["tied"]) == (1200, 2000 + 2000)
        client.say("ask_price", id="q", box=2)
        assert client.hear("refused", "priced")["code"] == "no_choice_due"
        place = hosted.house.floor.places[table.name]
        watched = msgspec.json.decode(place.awaited("somebody"))
        assert watched == {**told, "moves": [], "prices": []}
        table.choose(1, "surrender")
