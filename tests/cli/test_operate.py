"""docs/operate.md: every command on the page exists, and its daily requests are sent."""

import re
import shlex
import shutil
import sys
from collections.abc import Iterator
from errno import EACCES
from pathlib import Path

import click
import pytest
import sqlalchemy as sa
from click.testing import CliRunner

from hosting import Hosted, Json
from operate_page import PAGE, daily_tasks
from recorded_houses import RecordedHouse
from waiting import ran
from wartable import __version__
from wartable.cli import COMMANDS, BadInput, wartable
from wartable.cli.house import speaking

pytestmark = pytest.mark.slow("starts the program for many tests")

BLOCKS = re.findall(r"^```(?:sh|ini)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
LINES = [
    line.partition("bin/wartable")[2] or line.removeprefix("wartable")
    for block in BLOCKS
    for line in block.splitlines()
    if re.match(r"(ExecStart=\S*/|\S*/bin/)?wartable ", line)
]


@pytest.mark.parametrize("line", LINES)
def test_the_command_takes_what_is_written(line: str) -> None:
    """The line is parsed as the command would, and not run."""
    words = shlex.split(line.replace("$(date +%F)", "today"))
    command: click.Command = wartable
    context = click.Context(command)
    while isinstance(command, click.Group):
        name, command_, words = command.resolve_command(context, words)
        assert command_ is not None
        command, context = command_, click.Context(command_, context, info_name=name)
    command.make_context("wartable", words, parent=context.parent)


def test_the_page_has_every_command_on_records() -> None:
    """No subcommand of audit and db is missing from the page."""
    for group in ("audit", "db"):
        assert group in COMMANDS
        command = wartable.get_command(click.Context(wartable), group)
        assert isinstance(command, click.Group)
        for name in command.commands:
            assert f"wartable {group} {name}" in PAGE


@pytest.fixture(scope="module")
def open_house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosted]:
    """A house for requests that change nothing."""
    with Hosted(tmp_path_factory.mktemp("house")) as hosted:
        yield hosted


@pytest.mark.skipif(shutil.which("curl") is None, reason="the page's requests are sent with curl")
def test_daily_tasks_do_what_they_say(tmp_path: Path) -> None:
    """All requests of the section are accepted by a house, which then is as the page says."""
    with Hosted(tmp_path, money="deposited", layout="approval 2026-113") as hosted:
        script = daily_tasks().replace("http://127.0.0.1:8000", f"http://{hosted.host}")
        script = script.replace("/var/lib/wartable", str(tmp_path))
        words = ["sh", "-euc", script]
        done = ran(words)
        assert done.returncode == 0, done.stderr
        assert not (tmp_path / "admin-password").exists()

        with hosted.sign_in("admin", "three words of yours") as admin:
            accounts = {each["name"]: each["role"] for each in admin.get("/accounts")}
            closed = [(each["scope"], each["name"]) for each in admin.get("/closures")]
            staff = admin.get("/staff")["tables"]
            noted = [each["kind"] for each in admin.get("/records/significant")]
        roles = {"admin": "admin", "berta": "admin", "carla": "dealer", "dora": "player"}
        assert {name: role for name, role in accounts.items() if name in roles} == roles
        assert closed == [("book", "online"), ("player", "dora")]
        high: Json = next(each for each in staff if each["name"] == "high limit")
        assert (high["book"], high["decks"], high["staffed"]) == ("maryland", 8, True)
        kinds = {"key_made", "key_revoked", "limit_set", "role_changed", "password_changed"}
        assert kinds <= set(noted)
        with hosted.http() as http:
            body = {"name": "carla", "password": "until she changes it"}
            assert http.post("/sign-in", json=body).status_code == 401

        with hosted.sign_in("dora", "until she changes it") as dora:
            me = dora.get("/me")
        assert me["holds"] == {"wallet": 40_000}  # 500 paid in once, 100 paid out
        limits = {each["kind"]: each["amount"] for each in me["limits"]}
        assert (limits["deposit_day"], limits["loss_week"]) == (100_000, 20_000)


def test_a_database_that_does_not_answer_is_said(tmp_path: Path) -> None:
    """A request that must read is refused in a sentence, with a status that says: later."""
    gone = sa.create_engine("postgresql+psycopg://nobody@127.0.0.1:1/none")
    with Hosted(tmp_path) as hosted, hosted.http() as http:
        hosted.house.guard._engine = gone
        answer = http.post("/sign-in", json={"name": "admin", "password": "whatever it is"})
    assert answer.status_code == 503
    assert answer.json()["code"] == "database"
    assert "The database does not answer;" in answer.json()["sentence"]


def test_a_house_that_cannot_write_is_not_ready(tmp_path: Path) -> None:
    """Reading alone does not make it ready: a full disk is seen from outside."""
    with Hosted(tmp_path) as hosted, hosted.http() as http:
        assert http.get("/ready").status_code == 200
        hosted.house.writer.works = False
        answer = http.get("/ready")
    assert (answer.status_code, answer.json()) == (503, {"state": "not ready"})


@pytest.mark.parametrize(
    ("blocks", "told"), [(16, "house.sqlite cannot be read"), (128, "tonight.backup cannot be wri")]
)
def test_a_full_disk_is_said(
    sqlite_house: RecordedHouse, tmp_path: Path, blocks: int, told: str
) -> None:
    """A backup that finds no room ends with one sentence, and leaves nothing behind."""
    program = shlex.join([sys.executable, "-c", "from wartable.cli import main; main()"])
    file = tmp_path / "tonight.backup"
    words = shlex.join(["db", "backup", str(file), *sqlite_house.options])
    # Python would write bytecode cut short by the limit, and load it the next time.
    exact = f"exec env PYTHONDONTWRITEBYTECODE=1 {program} {words}"
    limited = ["sh", "-c", f"ulimit -f {blocks}; {exact}"]
    done = ran(limited)
    assert done.returncode == 2
    assert done.stderr.startswith("wartable: /")
    assert told in done.stderr
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("command", ["export", "report"])
def test_a_file_that_finds_no_room_is_named(
    sqlite_house: RecordedHouse, tmp_path: Path, command: str
) -> None:
    """The system names no file when there is no room; the sentence names it."""
    name = {"export": "transfers.csv", "report": "significant.csv"}[command]
    (tmp_path / name).symlink_to("/dev/full")
    folder = ["--csv", str(tmp_path)] if command == "report" else [str(tmp_path)]
    words = ["audit", command, *folder, *sqlite_house.options]
    refused = CliRunner().invoke(wartable, words)
    assert refused.exit_code == 2, refused.output
    assert refused.stderr == f"wartable: {tmp_path / name}: No space left on device.\n"


def test_the_package_is_the_command() -> None:
    """The program can be run where only Python's name is known."""
    words = [sys.executable, "-m", "wartable", "--version"]
    told = ran(words, check=True).stdout
    assert told == f"wartable, version {__version__}\n"


def test_a_place_that_cannot_be_looked_at_is_said() -> None:
    """What the system refuses to look at is a sentence, also where another user's house is."""
    refused = CliRunner().invoke(wartable, ["audit", "verify", "--data", "x" * 300])
    assert refused.exit_code == 2
    assert refused.stderr.endswith("File name too long.\n")
    with pytest.raises(BadInput, match="only the user who owns the house"), speaking():
        raise PermissionError(EACCES, "Permission denied", "house.sqlite")


@pytest.mark.parametrize(
    ("path", "body", "told"),
    [
        (
            "/accounts",
            {"role": "boss"},
            "role: it may be admin or auditor or dealer or floor or player.",
        ),
        ("/accounts", {"money": "gold"}, "money: it may be deposited or play or null."),
        (
            "/keys",
            {"name": "Desk 1"},
            "name: it may be a letter, then up to 31 of a-z, 0-9 and -.",
        ),
        ("/disable", {"scope": "all"}, "scope: it may be book or gaming or player or table."),
    ],
)
def test_a_field_that_does_not_fit_says_what_would(
    open_house: Hosted, path: str, body: Json, told: str
) -> None:
    """The refusal has the words or the form that the field takes."""
    others = {"/accounts": {"name": "emil", "password": "long enough"}, "/disable": {"reason": "x"}}
    with open_house.admin() as admin:
        answer = admin.http.post(path, json=others.get(path, {}) | body)
    assert (answer.status_code, answer.json()) == (400, {"code": "malformed", "sentence": told})


def test_a_command_that_does_not_fit_is_malformed(open_house: Hosted) -> None:
    """A command over HTTP, which may be of many kinds, is refused with what does not fit."""
    body = {"type": "bet", "id": "1", "box": 1, "wager": "all", "amount": 500}
    with open_house.admin() as admin:
        answer = admin.http.post("/tables/maryland%201/commands", json=body)
    assert answer.status_code == 400
    assert answer.json()["code"] == "malformed"
    assert answer.json()["sentence"].startswith("wager: it may be bonus_spin or primary or ")
