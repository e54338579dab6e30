"""Floods: what one client sends without end costs the house a bounded amount, and nobody else."""

import socket
from pathlib import Path
from typing import Any

import pytest

from hosting import Hosted
from waiting import WAIT_S

PINGS_BYTES = 16_000_000
KEPT_BYTES_MAX = 2_000_000
STUCK_S = 2


def test_pings_of_a_client_that_never_reads(tmp_path: Path) -> None:
    """Answers to pings that nobody takes do not pile up: the client is not read any further."""
    ping = bytes([0x89, 0x80 | 125, 0, 0, 0, 0]) + b"x" * 125
    many = ping * 1_000
    with Hosted(tmp_path) as hosted, hosted.deaf() as deaf:
        deaf.settimeout(STUCK_S)
        sent = 0
        try:
            while sent < PINGS_BYTES:
                sent += deaf.send(many[sent % len(ping) :])
        except TimeoutError:
            pass
        waiting: list[Any] = list(hosted.server.server_state.connections)
        assert waiting
        assert all(
            each.transport.get_write_buffer_size() < KEPT_BYTES_MAX
            for each in waiting
            if each.transport is not None
        )
        with hosted.guest() as calm:
            calm.private("online")


def test_pings_of_a_client_that_reads(tmp_path: Path) -> None:
    """A client that takes its answers is answered every ping and command, however many it sent."""
    with Hosted(tmp_path) as hosted, hosted.guest() as client:
        client.hello("washington 1")
        pongs = [client.socket.ping(b"%d" % number) for number in range(2_000)]
        client.say("ping", id="after")
        assert client.hear("pong")["id"] == "after"
        assert all(pong.wait(WAIT_S) for pong in pongs)


def test_commands_over_http_have_a_rate(tmp_path: Path) -> None:
    """Commands by HTTP are as limited as those by WebSocket, for each account alone."""
    hosted, path = Hosted(tmp_path, messages_per_s=1), "/tables/washington 1/commands"
    with hosted, hosted.guest() as loud, hosted.guest() as calm:
        codes = []
        for number in range(130):  # a minute may end meanwhile, but not two
            body = {"type": "leave", "id": str(number)}
            codes.append(loud.http.post(path, json=body).status_code)
        assert codes[:60] == [409] * 60
        assert 429 in codes
        assert calm.http.post(path, json={"type": "leave", "id": "1"}).status_code == 409


def test_a_body_that_does_not_come(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A request whose body comes too slowly is refused instead of held for ever."""
    monkeypatch.setattr("wartable.server.app.BODY_S", 0.2)
    with (
        Hosted(tmp_path) as hosted,
        socket.create_connection(hosted.listening.getsockname()) as slow,
    ):
        slow.sendall(
            f"POST /sign-in HTTP/1.1\r\nHost: {hosted.host}\r\nContent-Type: application/json\r\n"
            "Content-Length: 100\r\n\r\n{".encode()
        )
        slow.settimeout(WAIT_S)
        assert slow.recv(1_000).startswith(b"HTTP/1.1 408 ")


def test_more_tables_than_the_house_can_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beyond the limit of open tables a new one is refused; those that are open go on."""
    with Hosted(tmp_path) as hosted, hosted.guest() as one, hosted.guest() as two:
        one.private("online")
        monkeypatch.setattr("wartable.server.house.TABLES_MAX", len(hosted.house.floor.places))
        assert two.post("/tables/private", 503, book="online")["code"] == "full"
        one.play(1, deal=True)
