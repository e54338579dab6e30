"""A house opens and closes with its server, and several houses share the routes of one process."""

from pathlib import Path
from typing import Any

import pytest

from hosting import Hosted
from waiting import in_time
from wartable.server.http.app import Application


class Opening:
    """A house that only opens and closes, or fails at one of them."""

    def __init__(self, fails: str) -> None:
        self.fails, self.done = fails, list[str]()

    async def start(self) -> None:
        """Open."""
        self._do("startup")

    async def stop(self) -> None:
        """Close."""
        self._do("shutdown")

    async def look(self) -> None:
        """Look at no other server."""

    def _do(self, what: str) -> None:
        self.done.append(what)
        if self.fails == what:
            raise OSError("the disk is gone")


@pytest.mark.parametrize(
    ("fails", "done", "said"),
    [
        ("", ["startup", "shutdown"], ["startup.complete", "shutdown.complete"]),
        ("startup", ["startup"], ["startup.failed"]),
        ("shutdown", ["startup", "shutdown"], ["startup.complete", "shutdown.failed"]),
    ],
)
def test_the_server_is_told_how_it_went(fails: str, done: list[str], said: list[str]) -> None:
    """A server whose house does not open must not serve; one that fails to close says so."""
    house, told = Opening(fails), list[str]()
    application = object.__new__(Application)
    application.house = house  # type: ignore[assignment]  # it opens and closes as a house does
    application._between = house  # type: ignore[assignment]  # and has no other servers

    async def send(message: Any) -> None:
        told.append(message["type"].removeprefix("lifespan."))

    async def receive() -> dict[str, str]:
        return {"type": "lifespan"}

    async def run() -> None:
        await application({"type": "lifespan"}, receive, send)

    if fails:
        with pytest.raises(OSError, match="the disk is gone"):
            in_time(run())
    else:
        in_time(run())
    assert (house.done, told) == (done, said)


def test_two_houses_of_a_process_are_apart(tmp_path: Path) -> None:
    """Each request is for its own server's house, and attempts are counted for each by itself."""
    with (
        Hosted(tmp_path / "one", books=("online",), guests_per_minute=1) as one,
        Hosted(tmp_path / "other", books=("washington",)) as other,
        one.guest() as ann,
        other.guest() as bob,
    ):
        assert [each["name"] for each in ann.get("/lobby")["tables"]] == ["online 1"]
        assert [each["name"] for each in bob.get("/lobby")["tables"]] == ["washington 1"]
        with other.http(ann.token) as stranger:
            assert stranger.get("/me").status_code == 401
        with one.http() as http:
            assert http.post("/guest").status_code == 429
        other.guest().close()
