"""A database that stalls, fills or is read-only: every route answers in time, with a sentence."""

import os
import re
import resource
import socket
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import httpx
import psycopg
import pytest
from litestar.routes import HTTPRoute
from websockets.exceptions import ConnectionClosed

import postgres
from hosting import PASSWORD, Client, Hosted, Json
from postgres import Cluster
from recorded_houses import new_database
from waiting import ran, until
from wartable.server.audit import verify
from wartable.server.http.app import api
from wartable.server.records import writer
from wartable.server.records.database import rows_of
from wartable.server.records.pulse import UNREACHED

NO_ROOM, ROOM = (1, resource.RLIM_INFINITY), (resource.RLIM_INFINITY,) * 2
"""Limits of a process on the size of files."""

WRITE_VERSION_AT, WAL_VERSION, UNKNOWN_VERSION = 18, 2, 9
"""Where a SQLite file says what may write it, and what it says there."""

ANSWER_S, PATIENT_S = 0.3, 8
"""Short while the database stalls, so that no test waits; a house gives it two seconds. Otherwise
long, because a busy machine is no database that stalls."""

NAMES = {"name": "eve", "table": "washington 1", "number": "1"}
BODIES: dict[str, Json] = {
    "/register": {"name": "newcomer", "password": PASSWORD},
    "/sign-in": {"name": "dora", "password": PASSWORD},
    "/me/password": {"old": PASSWORD, "new": "another horse battery"},
    "/me/codes": {"password": PASSWORD},
    "/me/name": {"display": "Dora the first"},
    "/recover": {"name": "dora", "code": "AAAA-BBBB", "password": "another horse battery"},
    "/me/limits": {"kind": "loss_day", "amount": 100},
    "/me/exclude": {"days": 1},
    "/me/refill": {"id": "1"},
    "/tables/private": {"book": "washington"},
    "/tables": {"name": "washington 7", "book": "washington"},
    "/disable": {"scope": "book", "name": "online", "reason": "asked"},
    "/enable": {"scope": "gaming", "reason": "asked"},
    "/limits": {"account": "*", "kind": "loss_day", "amount": 10_000},
    "/accounts": {"name": "other", "password": PASSWORD},
    "/accounts/{name}/role": {"role": "dealer", "reason": "asked"},
    "/accounts/{name}/password": {"reason": "lost it"},
    "/keys": {"name": "desk-2"},
    "/keys/{name}/revoke": {"reason": "lost it"},
    "/cards": {"name": "red-1", "decks": 6, "back": "red"},
    "/wallets/{name}/deposit": {"amount": 100},
    "/wallets/{name}/withdraw": {"amount": 100},
}
READS = {
    "GET /me", "GET /session", "GET /accounts", "GET /me/rounds", "GET /records/significant",
    "GET /wallets/{name}", "GET /me/rounds.csv",
}  # fmt: skip  # a list of routes
WRITES = {
    "POST /guest", "POST /register", "PUT /me/limits", "POST /me/exclude", "PUT /limits",
    "POST /disable", "POST /accounts", "PUT /accounts/{name}/role", "POST /keys", "POST /cards",
    "POST /sign-out", "POST /tables/private",
}  # fmt: skip  # a list of routes


def routes() -> list[tuple[str, str]]:
    """The method and the path of every route of the application."""
    found = [
        (method, route.path_format)
        for route in api().routes
        if isinstance(route, HTTPRoute)
        for method in sorted(route.methods - {"OPTIONS", "HEAD"})
    ]
    assert len(found) > 50
    # Signing out ends the session that the others need.
    return sorted(found, key=lambda each: each[1] in ("/sign-out", "/me/password"))


class Asking:
    """People who ask every route of a house."""

    def __init__(self, hosted: Hosted) -> None:
        self.hosted, self.admin, self.player = hosted, hosted.admin(), hosted.register("dora")
        hosted.register("eve")
        self.key = self.admin.post("/keys", 201, name="desk-1")["token"]

    def ask(self, method: str, path: str) -> httpx.Response:
        """What a route answers to somebody who may use it."""
        by_player = path.startswith(("/me", "/session", "/tables/private", "/sign"))
        client = self.player if by_player else self.admin
        headers = {"Idempotency-Key": "slip 1"}
        if path.startswith("/wallets"):
            headers["Authorization"] = f"Bearer {self.key}"
        body = None if method == "GET" else BODIES.get(path, {})
        names = NAMES | ({"name": "washington 1"} if path.startswith("/tables") else {})
        where = re.sub(r"{(\w+)}", lambda found: names.get(found[1], "1"), path)
        return client.http.request(method, where, headers=headers, json=body)

    def check(self, must: set[str]) -> None:
        """Every route answers; these ones that they cannot now."""
        seen = set()
        for method, path in routes():
            answer, route = self.ask(method, path), f"{method} {path}"
            assert answer.status_code != 500, (route, answer.text)
            if answer.status_code == 503 and path != "/ready":
                assert answer.json()["code"] in ("database", "no_answer"), (route, answer.text)
                assert answer.json()["sentence"].endswith(".")
                seen.add(route)
        assert must <= seen, must - seen
        assert self.ask("GET", "/health").status_code == 200

        def not_ready() -> bool:
            answer = self.ask("GET", "/ready")
            return (answer.status_code, answer.json()) == (503, {"state": "not ready"})

        # A write that is given up lets it hope for a moment, until the next one fails.
        until(not_ready, "it says that it is ready")

    def goes_on(self) -> None:
        """The house is well again, and its records are whole."""
        self.hosted.house.pulse.answer_s = PATIENT_S
        until(lambda: self.ask("GET", "/ready").status_code == 200, "it does not recover")
        self.hosted.guest()
        verify.verify(self.hosted.house.engine, self.hosted.house.key)


def at_table(hosted: Hosted) -> Client:
    """Somebody at a shared table; from now on the database has little time."""
    player = hosted.guest()
    player.hello("washington 1")
    player.must("join", amount=1_000, seat=1)
    hosted.house.pulse.answer_s = ANSWER_S
    return player


def refused(player: Client, *codes: str) -> None:
    """A command at a table is answered too; who sends its id again gets its result later."""
    answer = player.do("buy_in", amount=100)
    assert answer["code"] in codes, answer
    assert answer["sentence"].endswith(".")


@contextmanager
def opened(folder: Path, database: str = "") -> Iterator[Hosted]:
    """A house of two books."""
    books = ("washington", "online")
    with Hosted(folder, books=books, answer_s=PATIENT_S, database=database) as hosted:
        yield hosted


@pytest.fixture
def server() -> Iterator[Cluster]:
    """A PostgreSQL server that a test may stop."""
    with postgres.running() as found:
        yield found


def test_a_stalled_server_is_said_on_every_route(tmp_path: Path, server: Cluster) -> None:
    """While PostgreSQL hangs, requests and messages are refused, and `/ready` answers."""
    with opened(tmp_path, server.address) as hosted:
        asking, player = Asking(hosted), at_table(hosted)
        with server.stalled():
            refused(player, "no_answer")
            player.say("hello", table=f"online@{player.name}")
            assert player.hear("refused")["code"] == "database"
            stranger = Client(hosted, "stranger", "a token that must be looked up")
            with pytest.raises(ConnectionClosed) as closed:
                stranger.hear("nothing")
            assert closed.value.rcvd is not None
            assert closed.value.rcvd.reason == UNREACHED
            asking.check(READS | WRITES)
        asking.goes_on()


def test_a_table_that_somebody_locked_is_said(tmp_path: Path, postgres_server: str) -> None:
    """A lock on the journal holds up who must write, and nobody for ever."""
    address = new_database(postgres_server)
    with opened(tmp_path, address) as hosted:
        asking, player = Asking(hosted), at_table(hosted)
        with psycopg.connect(address) as other:
            other.execute("LOCK TABLE journal IN ACCESS EXCLUSIVE MODE")
            refused(player, "no_answer")
            asking.check(WRITES)
            other.rollback()
        asking.goes_on()


def test_a_read_only_server_is_said(tmp_path: Path, postgres_server: str) -> None:
    """What only reads is answered; what writes is refused until it can be written again."""
    address = new_database(postgres_server)
    name = address.rpartition("/")[2]
    with opened(tmp_path, address) as hosted, psycopg.connect(postgres_server) as other:
        other.autocommit = True

        def set_to(value: str) -> None:
            other.execute(f"ALTER DATABASE {name} SET default_transaction_read_only = {value}")
            query = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s"
            other.execute(query, (name,))

        asking, player = Asking(hosted), at_table(hosted)
        set_to("on")
        refused(player, "no_answer")
        asking.check(WRITES)
        set_to("off")
        asking.goes_on()


def test_a_locked_file_is_said(tmp_path: Path) -> None:
    """SQLite lets one process write: while another does, writing is refused in time."""
    with opened(tmp_path) as hosted:
        asking, player = Asking(hosted), at_table(hosted)
        with closing(sqlite3.connect(tmp_path / "house.sqlite", isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            refused(player, "no_answer")
            asking.check(WRITES)
            other.execute("ROLLBACK")
        asking.goes_on()


def test_a_full_disk_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files that cannot grow are refused in time, and grow again later."""
    started, full = list[int](), False
    start = writer.started

    def starting(theirs: socket.socket) -> writer.WritingProcess:
        process = start(theirs)  # it waits to be told where to write
        started.append(process.pid)
        if full:
            resource.prlimit(process.pid, resource.RLIMIT_FSIZE, NO_ROOM)
        return process

    monkeypatch.setattr(writer, "started", starting)
    with opened(tmp_path) as hosted:
        asking, player = Asking(hosted), at_table(hosted)
        full = True
        resource.prlimit(started[-1], resource.RLIMIT_FSIZE, NO_ROOM)
        refused(player, "no_answer")
        asking.check(WRITES)
        full = False
        with suppress(ProcessLookupError):
            resource.prlimit(started[-1], resource.RLIMIT_FSIZE, ROOM)
        asking.goes_on()


FULL = """
CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100';
END $$
"""
"""What a server says when a table cannot grow."""


def test_a_full_server_is_said(tmp_path: Path, postgres_server: str) -> None:
    """While no table can grow, writing is refused in time; reading goes on."""
    address = new_database(postgres_server)
    with opened(tmp_path, address) as hosted, psycopg.connect(address, autocommit=True) as other:
        asking, player = Asking(hosted), at_table(hosted)
        other.execute(FULL)
        other.execute(
            "CREATE TRIGGER full_disk BEFORE INSERT ON journal EXECUTE FUNCTION full_disk()"
        )
        refused(player, "no_answer")
        assert asking.ask("GET", "/me").status_code == 200
        asking.check(WRITES)
        other.execute("DROP FUNCTION full_disk() CASCADE")
        asking.goes_on()


@contextmanager
def small_disk(size: str) -> Iterator[Path]:
    """A folder that holds so much; the test is skipped where nobody may make one."""
    with tempfile.TemporaryDirectory(prefix="wartable-disk-") as folder:
        words = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", folder]
        if os.geteuid() or ran(words).returncode:
            pytest.skip("needs the right to mount a file system")
        try:
            yield Path(folder)
        finally:
            ran(["umount", "--lazy", folder])


def test_a_server_on_a_full_disk_loses_nothing(tmp_path: Path, deep: bool) -> None:
    """A server whose disk is really full, with its own log on it, stops; with room all goes on."""
    if not deep:
        pytest.skip("fills a disk and lets PostgreSQL recover: only with --deep")
    with small_disk("160M") as disk:
        server = Cluster(disk)
        server.start()
        try:
            with opened(tmp_path, server.address) as hosted:
                asking, player = Asking(hosted), at_table(hosted)
                ballast = disk / "ballast"
                fill(ballast)
                answers = [player.do("buy_in", amount=100)]
                until(lambda: tried(player, answers), "it is never full")
                assert answers[-1]["sentence"].endswith(".")
                asking.check(WRITES)
                ballast.unlink()
                if not server.lives():
                    server.start()  # as an operator does, or the machine's own supervisor
                asking.goes_on()
                accepted = [each for each in answers if each["type"] == "accepted"]
                numbers = {each["number"] for each in accepted}
                rows = rows_of(hosted.house.engine, "washington 1")
                assert numbers <= {row.number for row in rows}
        finally:
            if server.lives():
                server.stop()


def tried(player: Client, answers: list[Json]) -> bool:
    """Whether one more command was refused because there is no room."""
    answers.append(player.do("buy_in", amount=100))
    return bool(answers[-1].get("code") == "no_answer")


def fill(path: Path) -> None:
    """Write a file until nothing more can be written."""
    with path.open("wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(bytes(1 << 16))
    with path.open("ab", buffering=0) as file, suppress(OSError):
        while True:
            file.write(bytes(1 << 9))


def test_a_file_that_becomes_read_only_is_said(tmp_path: Path) -> None:
    """Reading goes on and writing is refused in time, until the file can be written again."""
    with opened(tmp_path) as hosted:
        asking, player = Asking(hosted), at_table(hosted)
        write_version(tmp_path / "house.sqlite", UNKNOWN_VERSION)
        refused(player, "no_answer", "database")
        asking.check(WRITES)
        write_version(tmp_path / "house.sqlite", WAL_VERSION)
        asking.goes_on()


@pytest.mark.parametrize("replaced", [False, True])
def test_a_file_that_was_moved_away_is_said(tmp_path: Path, replaced: bool) -> None:
    """Nothing is acknowledged that only a file without its name has; put back, all goes on."""
    names = [f"house.sqlite{end}" for end in ("", "-wal", "-shm")]
    with opened(tmp_path) as hosted:
        asking, player = Asking(hosted), at_table(hosted)
        places = (sqlite3.connect(tmp_path / each) for each in (names[0], "copy"))
        with closing(next(places)) as house, closing(next(places)) as copy:
            house.backup(copy)
        for name in names:
            (tmp_path / name).rename(tmp_path / f"{name}.away")
        if replaced:  # as by who restores a backup and forgets to close the house
            (tmp_path / "copy").rename(tmp_path / names[0])
        refused(player, "no_answer", "database")
        asking.check({"POST /guest", "PUT /limits", "POST /accounts"})
        for name in reversed(names):  # the file itself last, so that nobody opens it without them
            (tmp_path / f"{name}.away").rename(tmp_path / name)
        asking.goes_on()


def write_version(path: Path, version: int) -> None:
    """Set the version of the file's format for writing: SQLite only reads one it does not know."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    with path.open("r+b") as file:
        file.seek(WRITE_VERSION_AT)
        file.write(bytes([version]))
