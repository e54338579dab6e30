"""Two versions of the program run beside each other, so that an upgrade closes nothing."""

import asyncio
import random
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest
import sqlalchemy as sa

from newer_program import VERSION, NewerProgram, run_command
from opened_houses import opened
from recorded_houses import new_database
from several_servers import (
    OPEN,
    SECRET,
    WAITS,
    Json,
    Player,
    Server,
    SharedPlayer,
    all_play_on,
    check,
    has_house,
)
from waiting import WAIT_S, in_time, until
from wartable.server.manifest import running as own_program
from wartable.server.records import database, migrations
from wartable.server.records.servers import ServerShown, running

pytestmark = pytest.mark.slow("starts two versions of the program")

OWN_BOOKS = ("online", "online")
PAUSE_S = 0.2
SHARED = "online 1"


class Upgrade:
    """A house whose servers are upgraded one after the other, and an administrator."""

    def __init__(self, folder: Path, address: str, ending: ExitStack) -> None:
        self._folder, self.address, self._ending = folder, address, ending
        self.engine = database.engine_for(address)
        ending.callback(self.engine.dispose)
        self.new = NewerProgram(folder / "newer")
        self.servers: list[Server] = []
        self._password = ""

    def start(self, name: str, newer: bool, waits: bool = True) -> Server:
        """Start another server, of the newer version or of ours."""
        server = Server(self._folder / name, self.address, relayed=False)
        self._ending.callback(server.end)
        server.start(program=self.new.folder if newer else None)
        server.wait_said(WAITS if waits else OPEN)
        until(lambda: self.shown(server) is not None, "it is not entered")
        self.servers.append(server)
        return server

    def stop(self, server: Server) -> None:
        """Stop a server in order; whoever comes goes to the others."""
        self.servers.remove(server)
        server.stop()

    def shown(self, server: Server) -> ServerShown | None:
        """A server as administrators see it; None while it is not entered."""
        path = server.folder / "data" / "owner"
        name = server.owner if path.exists() else ""
        return next((each for each in running(self.engine) if each.name == name), None)

    def tables(self, server: Server) -> int:
        """How many tables a server has."""
        found = self.shown(server)
        return 0 if found is None else found.tables

    def takes(self, server: Server) -> bool:
        """Whether others hand tables to a server."""
        found = self.shown(server)
        return found is not None and found.address != ""

    @contextmanager
    def admin(self, server: Server) -> Iterator[httpx.Client]:
        """An administrator who has signed in at a server."""
        first = self._folder / "one" / "data" / "admin-password"
        self._password = self._password or first.read_text().strip()
        base = f"http://127.0.0.1:{server.port}"
        with httpx.Client(base_url=base, timeout=WAIT_S) as http:

            def signed_in() -> str:
                signing = {"name": "admin", "password": self._password}
                answer = http.post("/sign-in", json=signing)
                return str(answer.json()["token"]) if answer.is_success else ""

            token = until(signed_in, "nobody can sign in")
            http.headers["Authorization"] = f"Bearer {token}"
            yield http

    def approve(self, server: Server, **asked: Any) -> Json:
        """What an administrator is answered who approves a program."""
        with self.admin(server) as http:
            answer: Json = http.post("/program/approve", json={"reason": "tested", **asked}).json()
        return answer


@contextmanager
def playing(players: list[Player], ending: ExitStack) -> Iterator[None]:
    """Have these players play on until the end of the block."""
    threads = [threading.Thread(target=each.play_on, daemon=True) for each in players]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        for each, thread in zip(players, threads, strict=True):
            each.enough.set()
            thread.join(WAIT_S)
            ending.callback(each.leave)
    for each in players:
        if each.failure is not None:
            raise each.failure


def test_a_rolling_upgrade_closes_nothing(tmp_path: Path, postgres_server: str, deep: bool) -> None:
    """Players play through it; only servers whose program is approved have tables at any time."""
    with ExitStack() as ending:
        house = Upgrade(tmp_path, new_database(postgres_server), ending)
        old = [house.start("one", newer=False, waits=False)]
        if deep:
            old.append(house.start("two", newer=False))
        until(lambda: all(map(house.tables, old)), "the tables do not spread")
        chosen = (Player(house.servers, random.Random(number)) for number in range(len(OWN_BOOKS)))
        players = [*chosen, SharedPlayer(house.servers, random.Random(SHARED))]
        for player, book in zip(players, (*OWN_BOOKS, SHARED), strict=True):
            player.pause_s = PAUSE_S
            player.come(old[0], book)
        with playing(players, ending):
            all_play_on(players)
            add_to_the_database(house)
            new = [house.start("three", newer=True)]
            nobody_else_approves(house, new[0])
            all_play_on(players)
            approved_beside(house, new[0])
            if deep:
                new.append(house.start("four", newer=True))
                until(lambda: all(map(house.takes, new)), "the new servers take no tables")
                house.stop(old[1])
                all_play_on(players)
            house.stop(old[0])
            until(lambda: any(has_house(house.engine, each) for each in new), "no new one leads")
            all_play_on(players)
            the_old_ends(house, new)
            all_play_on(players)
        for player in players:
            check(house.engine, player)
        whole_at_the_end(house, new)


def add_to_the_database(house: Upgrade) -> None:
    """Upgrade the database while the house is open; until then the new program is refused."""
    refused = house.new.run(house.address, SECRET, "audit", "verify")
    assert refused.returncode != 0
    assert f"this program needs {house.new.database}" in refused.stderr
    upgraded = house.new.run(house.address, SECRET, "db", "upgrade")
    assert upgraded.returncode == 0, upgraded.stderr
    assert f"to version {house.new.database}" in upgraded.stdout
    refused = run_command(house.address, SECRET, "audit", "verify")
    assert refused.returncode != 0, "the older program does not judge what it does not know"
    assert "newer than this program's" in refused.stderr


def nobody_else_approves(house: Upgrade, server: Server) -> None:
    """A program is approved by its digest, if a server brings it; until then it has no tables."""
    assert house.shown(server) is not None
    with house.admin(server) as http:
        shown = http.get("/staff/servers").raise_for_status().json()["servers"]
    versions = {each["name"]: (each["version"], each["program"]) for each in shown}
    assert versions[server.owner] == (VERSION, house.new.digest)
    assert not house.takes(server)
    unknown = house.approve(server, beside=own_program()[::-1])
    assert unknown["code"] == "not_brought"
    assert house.approve(server, beside=own_program())["code"] == "not_beside"
    assert house.approve(server, beside="all")["code"] == "malformed"
    with httpx.Client(base_url=f"http://127.0.0.1:{server.port}", timeout=WAIT_S) as http:
        token = http.post("/guest").raise_for_status().json()["token"]
        asked = {"reason": "mine", "beside": house.new.digest}
        bearer = {"Authorization": f"Bearer {token}"}
        assert http.post("/program/approve", json=asked, headers=bearer).status_code == 403
    assert house.tables(server) == 0
    assert not house.takes(server)


def approved_beside(house: Upgrade, server: Server) -> None:
    """Approve the new program beside the old one: then both have tables."""
    assert house.approve(server, beside=house.new.digest) == {"whole": True, "problems": []}
    with house.admin(server) as http:
        found = http.get("/program").raise_for_status().json()
    assert found["approved"] == [house.new.digest, own_program()]
    until(lambda: house.tables(server) > 0, "the new server takes no tables")
    assert all(map(house.tables, house.servers)), "the old ones have tables, too"


def the_old_ends(house: Upgrade, new: list[Server]) -> None:
    """An old server takes tables until the approval of its program ends, and then none."""
    late = house.start("five", newer=False)
    until(lambda: house.tables(late) > 0, "an approved server takes no tables")
    assert house.approve(late) == {"whole": True, "problems": []}
    until(lambda: house.tables(late) == 0, "it has tables, and is not approved")
    until(lambda: not house.takes(late), "it is still handed tables")
    with house.admin(late) as http:
        found = http.get("/program").raise_for_status().json()
    assert found["approved"] == [house.new.digest], "it carries what it does not have"
    house.stop(late)
    assert sum(map(house.tables, new)) > 0


def whole_at_the_end(house: Upgrade, new: list[Server]) -> None:
    """The new program finds every row whole, whichever version wrote it."""
    for server in new:
        house.stop(server)
    verified = house.new.run(house.address, SECRET, "audit", "verify", "--all")
    assert verified.returncode == 0, verified.stdout + verified.stderr
    assert sum(database.balances(house.engine).values()) == 0


def test_a_database_that_older_servers_cannot_use(
    tmp_path: Path, postgres_server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is upgraded only while the house is closed, and an older server refuses it."""
    monkeypatch.setenv("WARTABLE_KEY", SECRET.hex())
    address, new = new_database(postgres_server), NewerProgram(tmp_path / "other", adds=False)
    upgrade = partial(new.run, address, SECRET, "db", "upgrade")

    async def refused() -> None:
        house = await opened(tmp_path / "one", address)
        try:
            answer = await asyncio.to_thread(upgrade)
        finally:
            await house.stop()
        assert answer.returncode != 0
        assert "is open in another process" in answer.stderr

    in_time(refused())
    assert upgrade().returncode == 0
    engine = database.engine_for(address)
    with pytest.raises(migrations.WrongVersion, match="newer than this program's"):
        migrations.create(engine)
    engine.dispose()


def test_versions_with_something_in_common() -> None:
    """The first part of a version says which programs can run on one database."""
    parts = [migrations.part_of(each) for each in ("0010", "0010.1", "0010.12", "0011")]
    assert parts == ["0010", "0010", "0010", "0011"]


def test_only_an_added_part_lets_an_older_server_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A command that judges or changes the records needs the exact version all the same."""
    engine = sa.create_engine(f"sqlite:///{tmp_path / 'house.sqlite'}")
    migrations.create(engine)
    for version, runs in ((f"{migrations.current()}.7", True), ("0999", False)):
        monkeypatch.setattr(migrations, "version_of", lambda _, found=version: found)
        with pytest.raises(migrations.WrongVersion, match="newer"):
            migrations.check(engine)
        if runs:
            migrations.check(engine, runs=True)
        else:
            with pytest.raises(migrations.WrongVersion, match="newer"):
                migrations.check(engine, runs=True)
    engine.dispose()
