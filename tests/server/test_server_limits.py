"""Every table has a minimum and a maximum below the house's one ceiling, recorded with it."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner
from msgspec.structs import replace

from hosting import Hosted
from wartable.cli import wartable
from wartable.rules import NAMES, load
from wartable.rules.settings import HOUSE_LIMITS
from wartable.server import manifest
from wartable.server.audit import selfcheck, verify

pytestmark = pytest.mark.finding(5)

RANGES = {"primary": (500, 30_000), "tie": (100, 10_000)}


@pytest.fixture(scope="module")
def hosted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosted]:
    """A house whose operator has set no limits."""
    folder = tmp_path_factory.mktemp("house")
    with Hosted(folder, limits=HOUSE_LIMITS) as running:
        yield running
        verify.verify(running.house.engine, running.house.key)


@pytest.mark.parametrize("name", NAMES)
def test_every_default_table_has_limits(hosted: Hosted, name: str) -> None:
    """Lobby, table and rules page show minimum, maximum and ceiling of each book's first table."""
    with hosted.guest() as guest:
        told = guest.get(f"/tables/{name} 1/book")
        page = guest.get(f"/books/{name}/page")
        for limits in (told["rules"]["limits"], page["rules"]["limits"]):
            for wager, (least, most) in RANGES.items():
                assert limits[wager] == {"min": least, "max": most}
            assert limits["ceiling"] == 30_000
            free = load(name).rules.options.war_tie_wager == "free"
            assert limits["war_tie"]["max"] == (10_000 if free else None)
        (card,) = [each for each in guest.get("/lobby")["tables"] if each["name"] == f"{name} 1"]
        assert (card["minimum"], card["maximum"], card["ceiling"]) == (500, 30_000, 30_000)
        assert card["digest"] == load(name).digest


def test_a_private_table_keeps_the_limits(hosted: Hosted) -> None:
    """Wagers below the minimum and above the maximum are refused; those at the ends are taken."""
    with hosted.guest() as guest:
        guest.private("washington", 100_000)
        assert guest.bet(499) == "limit"
        assert guest.bet(30_001) == "limit"
        assert guest.bet(30_000) == ""
        assert guest.bet(99, wager="tie") == "limit"
        assert guest.bet(10_001, wager="tie") == "limit"
        assert guest.bet(100, wager="tie") == ""


def test_washington_needs_a_ceiling(tmp_path: Path) -> None:
    """Without a ceiling no table of Washington opens, shared or private; other books do."""
    told = "limits.ceiling: Washington plays within a ceiling on each wager; set the house's"
    limits = replace(HOUSE_LIMITS, ceiling=None)
    with Hosted(tmp_path, books=("washington", "online"), limits=limits) as hosted:
        assert set(hosted.house.floor.places) == {"online 1"}
        with hosted.admin() as admin, hosted.guest() as guest:
            for body in ({}, {"settings": {"limits.primary.max": 5_000}}):
                refused = admin.post("/tables", 400, name="wa", book="washington", **body)
                assert refused["sentence"].startswith(told)
            assert guest.post("/tables/private", 400, book="washington")["sentence"].startswith(
                told
            )
            own = {"name": "wa", "book": "washington", "settings": {"limits.ceiling": 20_000}}
            admin.post("/tables", 201, **own)
            assert admin.get("/tables/wa/book")["rules"]["limits"]["primary"]["max"] == 20_000
            assert guest.get("/books/washington/page")["rules"]["limits"]["ceiling"] is None
            online = guest.get("/tables/online 1/book")["rules"]["limits"]
            assert (online["primary"]["max"], online["ceiling"]) == (30_000, None)


def test_a_lower_ceiling_holds_for_old_tables(tmp_path: Path) -> None:
    """The house's ceiling of the day is above no table's; a minimum above it keeps one closed."""
    with (
        Hosted(tmp_path, books=("online",), limits=HOUSE_LIMITS) as hosted,
        hosted.admin() as admin,
    ):
        settings = {"limits.primary.min": 20_000}
        admin.post("/tables", 201, name="high", book="online", settings=settings)
        above = {"name": "above", "book": "online", "settings": {"limits.primary.max": 30_001}}
        assert "ceiling is 30000" in admin.post("/tables", 400, **above)["sentence"]
    low = replace(HOUSE_LIMITS, ceiling=10_000)
    with Hosted(tmp_path, books=("online",), limits=low) as hosted, hosted.guest() as guest:
        limits = guest.get("/tables/online 1/book")["rules"]["limits"]
        assert (limits["primary"], limits["ceiling"]) == ({"min": 500, "max": 10_000}, 10_000)
        assert "high" not in hosted.house.floor.places
        verify.verify(hosted.house.engine, hosted.house.key)


def test_changed_limits_are_found(tmp_path: Path) -> None:
    """The limits stand in the row that opened the table; others in the database are found."""
    with Hosted(tmp_path, books=("online",), limits=HOUSE_LIMITS) as hosted:
        assert not [
            t for t in selfcheck.problems(hosted.house.engine, manifest.manifest()) if "setup" in t
        ]
        address = hosted.house.engine.url.database or ""
    with closing(sqlite3.connect(address)) as connection, connection:
        old, new = '"max":30000', '"max":90000'
        changed = connection.execute("UPDATE tables SET setup = replace(setup, ?, ?)", (old, new))
        assert changed.rowcount == 1
    with Hosted(tmp_path, books=("online",), limits=HOUSE_LIMITS) as hosted:
        found = selfcheck.problems(hosted.house.engine, manifest.manifest())
        assert "The setup of the table online 1 was changed since it opened." in found


@pytest.mark.parametrize("ceiling", ["4.99", "0", "-5", "much", "1e3", ""])
def test_a_ceiling_that_is_none(ceiling: str, tmp_path: Path) -> None:
    """A ceiling below the minimum of a wager, or no amount, is refused before the house opens."""
    words = ["serve", "--data", str(tmp_path / "house"), f"--ceiling={ceiling}"]
    result = CliRunner().invoke(wartable, words)
    assert result.exit_code == 2
    assert "the ceiling is an amount from 5.00, such as 500, or none" in result.output
    assert not (tmp_path / "house").exists()
