"""Tables opened with an operator's options and settings, and what is kept of them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hosting import Client, Hosted
from wartable.rules import RulesError, load
from wartable.rules.load import build
from wartable.rules.settings import configured
from wartable.server.audit import manifest, selfcheck, verify
from wartable.server.records import database


@pytest.fixture(scope="module")
def hosted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosted]:
    """One server for all tests of this file; its records are verified at the end."""
    with Hosted(tmp_path_factory.mktemp("house"), books=("maryland", "washington")) as running:
        yield running
        verify.verify(running.house.engine, running.house.key)


def opened(client: Client, **body: Any) -> dict[str, Any]:
    """The answer to the request for a table that is opened."""
    answer: dict[str, Any] = client.post("/tables", 201, **body)
    return answer


def refused(client: Client, status: int = 400, **body: Any) -> str:
    """The sentence with which a table is refused."""
    return str(client.post("/tables", status, **body)["sentence"])


def test_options_and_settings_are_the_tables_book(hosted: Hosted) -> None:
    """A table's book has the operator's values, the clauses beside them and a digest of its own."""
    with hosted.admin() as admin:
        options = {"shuffle": "batches", "odd_half": "refuse"}
        settings = {"table.boxes": 5, "limits.primary.min": 500, "wagers.bonus_spin.offered": False}
        table = opened(admin, name="own", book="maryland", options=options, settings=settings)
    book, _ = database.opened_with(hosted.house.engine, "own")
    assert table == {"name": "own", "book": "maryland", "digest": book.digest}
    assert book.digest != load("maryland").digest
    assert (book.rules.options.shuffle, book.rules.options.odd_half) == ("batches", "refuse")
    assert (book.rules.table.boxes, book.rules.table.seats) == (5, 5)
    assert book.rules.limits.primary.min == 500
    assert book.rules.wagers.bonus_spin is not None
    assert not book.rules.wagers.bonus_spin.offered
    assert book.sources["table.boxes"].clauses == ("MD-2-A",)
    assert book.sources["options.shuffle"].note == "the operator's"
    assert hosted.house.floor.places["own"].live.setup.rules == book.rules


def test_nothing_set_is_the_book_itself() -> None:
    """Without options and settings the content is the shipped book's, and so is its digest."""
    for name in ("maryland", "new-zealand"):
        assert build(configured(name, {}, {})).digest == load(name).digest


@pytest.mark.parametrize(
    ("options", "settings", "told"),
    [
        ({"shufle": "shoe"}, {}, "There is no option 'shufle'"),
        ({"shuffle": "often"}, {}, "The option shuffle may be shoe"),
        ({}, {"table.boxes": 10}, "table.boxes: at most 9, the book's own value, not 10."),
        ({}, {"table.players_per_box": 2}, "at most 1, the book's own value, not 2."),
        ({}, {"table.boxes": "many"}, "table.boxes: expected a whole number, not 'many'."),
        ({}, {"table.boxes_per_player": 10}, "the table has 9 boxes."),
        ({}, {"wagers.primary.pays": "2 to 1"}, "operators cannot set this"),
        ({}, {"wagers.progressive.lines.tie": "9 to 1"}, "operators cannot set this"),
        ({}, {"wagers.progressive.meter.reset_min": 1}, "operators cannot set this"),
        ({}, {"wagers.bonus_spin.wheel.hot_spot.$7": 1}, "operators cannot set this"),
        ({}, {"wagers.progressive.meter.reset": 999_999}, "at least 1000000 cents, not 999999."),
        ({}, {"limits.box_mx": 100}, "operators cannot set this"),
        ({}, {"": 1}, "operators cannot set this"),
    ],
)
def test_what_no_operator_may_set(
    options: dict[str, str], settings: dict[str, Any], told: str
) -> None:
    """What pays otherwise, is unknown or goes beyond the document is refused in a sentence."""
    with pytest.raises(RulesError) as error:
        configured("maryland", options, settings)
    assert told in str(error.value)


def test_a_refused_setting_opens_no_table(hosted: Hosted) -> None:
    """The answer says what is wrong, and no table of that name is there."""
    with hosted.admin() as admin:
        told = refused(admin, name="wrong", book="maryland", settings={"table.boxes": 10})
        assert told == "table.boxes: at most 9, the book's own value, not 10."
        told = refused(admin, name="wrong", book="maryland", options={"shuffle": "continuous"})
        assert told == "The method continuous needs the reference of its approval."
        told = refused(
            admin, 409, name="wrong", book="maryland", options={"progressive_odds": "for_1"}
        )
        assert "74.58 %" in told
        admin.get("/tables/wrong", 404)


def test_settings_outlive_a_restart(tmp_path: Path) -> None:
    """A table with settings is restored with its own book, and every check of the records holds."""
    body = {"name": "kept", "book": "maryland", "approval": "ref 12"}
    options, settings = {"shuffle": "continuous"}, {"limits.primary.max": 700}
    with Hosted(tmp_path, books=("maryland",)) as hosted, hosted.admin() as admin:
        opened(admin, **body, options=options, settings=settings)
        with hosted.guest() as guest:
            guest.hello("kept")
            guest.must("join", amount=5_000, seat=1)
            guest.play(1)
    with Hosted(tmp_path, books=("maryland",)) as hosted, hosted.guest() as guest:
        rules = hosted.house.floor.places["kept"].live.setup.rules
        assert (rules.options.shuffle, rules.limits.primary.max) == ("continuous", 700)
        guest.hello("kept")
        guest.must("join", amount=5_000, seat=2)
        assert guest.bet(701, box=2) == "limit"
        verify.verify(hosted.house.engine, hosted.house.key)
        found = selfcheck.problems(hosted.house.engine, manifest.manifest())
        assert not [told for told in found if not told.startswith("No code is approved")]
        with hosted.admin() as admin:
            notes = admin.get("/records/significant")
        noted = [note for note in notes if note["kind"] == "table_opened"]
        assert [(note["subject"], note["reason"]) for note in noted] == [("kept", "ref 12")]
