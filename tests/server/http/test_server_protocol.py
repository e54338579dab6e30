"""docs/protocol.md says what the types say, and its example is played."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx

from hosting import Hosted
from live_tables import Cards, Planted
from paths import ROOT
from waiting import WAIT_S, living, ran
from wartable.server.http import protocol

PAGE = ROOT / "docs" / "protocol.md"
WARTABLE = str(Path(sys.executable).with_name("wartable"))


def holds(message: Any, shown: Any) -> bool:
    """Whether a message has all that the example shows of it; lists in their order."""
    if isinstance(shown, dict):
        return isinstance(message, dict) and all(
            key in message and holds(message[key], value) for key, value in shown.items()
        )
    if isinstance(shown, list):
        left = iter(message)
        return all(any(holds(each, value) for each in left) for value in shown)
    return bool(message == shown)


def test_the_page_is_made_from_the_types(tmp_path: Path) -> None:
    """The tables of the page are what the types give."""
    page = PAGE.read_text("utf-8")
    assert protocol.with_tables(page) == page, "run: python -m wartable.server.http.protocol FILE"
    copy = tmp_path / "protocol.md"
    copy.write_text(page.partition(protocol.MARK)[0], "utf-8")
    protocol.main(copy)
    assert copy.read_text("utf-8") == page


def test_the_example_is_played(tmp_path: Path) -> None:
    """Every line of the example is sent or received, in its order."""
    hosted = Hosted(tmp_path, books=("online",))
    with hosted, hosted.register("alice") as alice:
        alice.post("/tables/private", 201, book="online")
        Planted(hosted, "online@alice", Cards("6s 6h", "="))
        for way, message in protocol.example(PAGE.read_text("utf-8")):
            if way == ">":
                alice.say(message.pop("type"), **message)
            else:
                while not holds(alice.read(), message):
                    pass


def test_wartable_serve(tmp_path: Path) -> None:
    """The command opens a house at the address that it prints, and closes it on a signal."""
    command = [WARTABLE, "serve", "--port", "0", "--data", str(tmp_path)]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    with living(server):
        assert server.stdout is not None
        address = server.stdout.readline().rpartition(" ")[2].strip()
        lobby = httpx.get(f"{address}/lobby", timeout=WAIT_S).json()
        again = ran(command)
        server.terminate()
        _, errors = server.communicate(timeout=WAIT_S)
    assert len(lobby["tables"]) == 5
    assert again.returncode == 2
    assert "open in another process" in again.stderr
    assert server.returncode in (0, -15)
    assert "house closed" in errors
    assert "Traceback" not in errors


def test_a_port_that_cannot_be_used(tmp_path: Path) -> None:
    """A place where one cannot listen is said in one sentence."""
    command = [WARTABLE, "serve", "--host", "192.0.2.1", "--port", "1"]
    done = ran([*command, "--data", str(tmp_path)])
    assert done.returncode == 2
    assert done.stderr.startswith("wartable: 192.0.2.1:1 cannot be used")
