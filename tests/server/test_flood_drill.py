"""A drill: one stranger floods a house in every way at once, and nobody else notices."""

import socket
import threading
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from hosting import Client, Hosted
from waiting import WAIT_S, until
from wartable.server.audit import verify

STRANGER = {"X-Forwarded-For": "192.0.2.66"}
TABLES, AWAKE_MAX = 8, 3
BODIES = 20
REPLAYS = 8


def closed(half: socket.socket) -> bool:
    """Whether the server closes a connection whose body does not come.

    It answers 408 before, unless it was too busy itself to do so in time.
    """
    answered = b""
    with suppress(ConnectionResetError):
        while more := half.recv(10_000):
            answered += more
    return not answered or answered.startswith(b"HTTP/1.1 408 ")


def test_a_flood_of_everything(
    tmp_path: Path, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tables, sign-ins, replays and half-open bodies: others play, sign in and are answered."""
    for place in ("app", "sockets"):
        monkeypatch.setattr(f"wartable.server.http.{place}.BODY_S", 1)
    monkeypatch.setattr("wartable.server.http.sockets.GOODBYE_S", 1)
    hosted = Hosted(
        tmp_path, books=("online",), database=address, connections_per_address=AWAKE_MAX
    )
    with hosted, hosted.guest() as calm, ExitStack() as open_:
        own = calm.private("online")
        strangers = [hosted.guest() for _ in range(TABLES)]
        for each in strangers:
            each.http.headers.update(STRANGER)
            each.post("/tables/private", 201, book="online")
        floor = hosted.house.floor
        until(lambda: len(floor.awake) == AWAKE_MAX + 1, "the stranger's tables stay awake")
        player = strangers[-1]
        player.http.headers.pop("X-Forwarded-For")
        player.private("online")
        player.play(1, deal=True)
        halves, address_ = [], hosted.listening.getsockname()
        for _ in range(BODIES):
            half = open_.enter_context(socket.create_connection(address_, WAIT_S))
            half.sendall(
                f"POST /sign-in HTTP/1.1\r\nHost: {hosted.host}\r\n"
                "Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{".encode()
            )
            halves.append(half)
        answers: list[int] = []

        def replay() -> None:
            with Client(hosted, player.name, player.token) as greedy:
                answers.append(greedy.http.get(f"/rounds/online@{player.name}/1").status_code)

        replays = [threading.Thread(target=replay) for _ in range(REPLAYS)]
        for thread in replays:
            thread.start()
        with hosted.http() as http:
            guess = {"name": "admin", "password": "wrong password"}
            for _ in range(6):
                assert http.post("/sign-in", json=guess, headers=STRANGER).status_code == 401
        hosted.admin().close()
        calm.play(2, deal=True)
        assert own in floor.places
        for thread in replays:
            thread.join(WAIT_S)
        assert answers == [200] * REPLAYS
        assert all(map(closed, halves))
        verify.verify(hosted.house.engine, hosted.house.key)
