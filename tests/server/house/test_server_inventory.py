"""The inventory of cards: every set from receipt to destruction, who did what and where it is."""

from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from clauses import proves
from hosting import Client, Hosted, Json
from live_tables import PATIENT, Staff, StaffedTable
from wartable.server.audit import verify

HOUR_MS = 3_600_000
DAY_MS = 24 * HOUR_MS
NAMES = (f"cards-{number}" for number in count(1))


@pytest.fixture(scope="module")
def hosted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosted]:
    """One server for all tests of this file; its records are verified at the end."""
    books = ("maryland", "new-zealand")
    with Hosted(tmp_path_factory.mktemp("house"), books=books, shared=PATIENT) as running:
        yield running
        verify.verify(running.house.engine, running.house.key)


@pytest.fixture(scope="module")
def staff(hosted: Hosted) -> Staff:
    """A dealer and a floorperson."""
    return Staff(hosted.staff("dealer"), hosted.staff("floor"))


def table_of(hosted: Hosted, staff: Staff, **options: object) -> StaffedTable:
    """A new Maryland table with staff."""
    return StaffedTable(
        hosted, staff, f"maryland {next(NAMES)}".replace("-", ""), "maryland", **options
    )


def received(floor: Client, decks: int = 6, back: str = "red") -> str:
    """A set that the house received."""
    name = next(NAMES)
    floor.post("/cards", 201, name=name, decks=decks, back=back)
    return name


def moved(who: Client, name: str, what: str, place: str = "", status: int = 200) -> Json:
    """What a step of a set's life answers."""
    answer: Json = who.post(f"/cards/{name}/moves", status, what=what, place=place)
    return answer


@pytest.mark.finding(11)
def test_a_sets_life(hosted: Hosted, staff: Staff) -> None:
    """Received, prepared, secured, issued, in use, back, destroyed: who and where."""
    dealer, floor = staff
    name = received(floor)
    moved(dealer, name, "inspected")
    moved(floor, name, "verified")
    moved(dealer, name, "shuffled")
    with table_of(hosted, staff) as table:
        moved(floor, name, "secured", "vault 3")
        shown = moved(floor, name, "issued", table.name)
        assert (shown["cards"]["state"], shown["in_use"]) == ("issued", None)
        (event,) = table.must(dealer, "receive_decks")
        assert event["sets"] == [name]
        assert event["condition"] == "inspected_and_shuffled"
        assert event["opened_ms"] == shown["cards"]["opened_ms"]
        assert floor.get(f"/cards/{name}")["in_use"] == table.name
        for what, place in (("secured", "vault 3"), ("destroyed", "shredder"), ("shuffled", "")):
            assert moved(floor, name, what, place, 409)["code"] == "in_use"
        table.receive()
        assert floor.get(f"/cards/{name}")["in_use"] is None
    back = moved(floor, name, "secured", "vault 4")["cards"]
    assert (back["inspected_by"], back["verified_by"], back["shuffled_by"]) == ("", "", "")
    moved(floor, name, "destroyed", "shredder")
    assert moved(floor, name, "secured", "vault 4", 409)["code"] == "destroyed"
    assert name not in [each["cards"]["name"] for each in floor.get("/cards")]
    log = floor.get(f"/cards/{name}")["cards"]["log"]
    steps = [(each["by"], each["what"], each["place"]) for each in log]
    assert steps == [
        (floor.name, "received", ""), (dealer.name, "inspected", ""), (floor.name, "verified", ""),
        (dealer.name, "shuffled", ""), (floor.name, "secured", "vault 3"),
        (floor.name, "issued", table.name), (floor.name, "secured", "vault 4"),
        (floor.name, "destroyed", "shredder"),
    ]  # fmt: skip  # a list of steps
    assert [each["at_ms"] for each in log] == sorted(each["at_ms"] for each in log)
    (noted,) = hosted.significant("cards_issued", name)
    assert (noted["actor"], noted["before"]) == (floor.name, "secured vault 3")
    assert noted["after"] == f"issued to {table.name}"


@pytest.mark.finding(11)
def test_cards_are_new_until_somebody_says_otherwise(hosted: Hosted, staff: Staff) -> None:
    """The condition is the inventory's: nobody claims it at the table, and nothing is assumed."""
    with table_of(hosted, staff) as table:
        assert table.code(staff.dealer, "receive_decks") == "no_cards"
        body = {"type": "receive_decks", "id": "claimed", "condition": "inspected_and_shuffled"}
        answer = staff.dealer.http.post(f"/tables/{table.name}/commands", json=body)
        assert (answer.status_code, answer.json()["code"]) == (400, "malformed")
        table.issue("new", 6, "red")
        body = {"type": "receive_decks", "id": "once"}
        path = f"/tables/{table.name}/commands"
        first, again = (staff.dealer.http.post(path, json=body).json() for _ in range(2))
        assert (first["type"], first) == ("accepted", again)
        assert table.state()["decks"]["condition"] == "new"
        assert table.code(staff.dealer, "receive_decks") == "no_cards"


@pytest.mark.finding(11)
@proves("live", "MD-4-A-1", "MD-4-A-2")
def test_never_one_role_or_one_person_twice(hosted: Hosted, staff: Staff) -> None:
    """A dealer inspects and a floorperson verifies, at the table as in the inventory."""
    dealer, floor = staff
    name = received(floor)
    with (
        hosted.staff("dealer") as second,
        hosted.admin() as admin,
        table_of(hosted, staff) as table,
    ):
        table.receive()
        assert table.code(floor, "prepare", step="inspect") == "not_your_part"
        table.must(second, "prepare", step="inspect")
        assert table.code(dealer, "prepare", step="verify") == "not_your_part"
        assert table.code(admin, "prepare", step="verify") == "not_your_part"
        assert moved(floor, name, "verified", "", 409)["code"] == "not_inspected"
        assert moved(floor, name, "inspected", "", 403)["code"] == "not_your_part"
        moved(second, name, "inspected")
        assert moved(dealer, name, "verified", "", 403)["code"] == "not_your_part"
        admin.put(f"/accounts/{second.name}/role", role="floor", reason="promoted")
        with hosted.sign_in(second.name, second.password) as promoted:
            assert table.code(promoted, "prepare", step="verify") == "same_person"
            assert moved(promoted, name, "verified", "", 409)["code"] == "same_person"
        table.must(floor, "prepare", step="verify")
        moved(floor, name, "verified")
        assert moved(floor, name, "verified", "", 409)["code"] == "not_inspected"


@pytest.mark.finding(11)
def test_prepared_cards_are_secured_until_they_are_issued(hosted: Hosted, staff: Staff) -> None:
    """Prepared cards come from a place that is named; new ones may come as they were received."""
    dealer, floor = staff
    with table_of(hosted, staff) as table:
        name = received(floor)
        moved(floor, name, "secured", "vault")
        moved(dealer, name, "shuffled")
        assert moved(floor, name, "issued", table.name, 409)["code"] == "not_secured"
        assert moved(floor, name, "secured", "", 409)["code"] == "no_place"
        moved(floor, name, "secured", "vault")
        assert moved(floor, name, "issued", "nowhere", 404)["code"] == "no_table"
        assert moved(floor, name, "issued", "maryland 1", 404)["code"] == "no_table"
        moved(floor, name, "issued", table.name)
        assert moved(floor, name, "issued", table.name, 409)["code"] == "issued"
        assert moved(dealer, name, "inspected", "", 409)["code"] == "issued"
        (event,) = table.must(dealer, "receive_decks")
        assert event["condition"] == "shuffled"
        other = received(floor)
        moved(floor, other, "issued", table.name)
        assert floor.post("/cards", 409, name=other, decks=6, back="red")["code"] == "name_taken"


@pytest.mark.finding(11)
@pytest.mark.parametrize(
    "sets", [[(5, "red")], [(6, "red"), (6, "red")], [(3, "red"), (3, "blue")]]
)
def test_a_table_takes_its_number_of_decks(
    hosted: Hosted, staff: Staff, sets: list[tuple[int, str]]
) -> None:
    """Six decks of one back, in one set or several; others are refused with what is wanted."""
    with table_of(hosted, staff) as table:
        names = [table.issue("new", *each) for each in sets]
        answer = table.does(staff.dealer, "receive_decks")
        assert answer["code"] == "wrong_cards"
        assert "takes 6 decks with one back" in answer["sentence"]
        for name in names:
            moved(staff.floor, name, "secured", "vault")
        table.issue("inspected", 4, "red")
        table.issue("inspected_and_shuffled", 2, "red")
        (event,) = table.must(staff.dealer, "receive_decks")
        assert (len(event["sets"]), event["condition"]) == (2, "inspected")


@pytest.mark.finding(10)
@proves("live", "MD-3-B-2")
def test_the_backs_of_two_batches_differ(hosted: Hosted, staff: Staff) -> None:
    """A table with two batches takes as many decks of each colour, never both of one."""
    with table_of(hosted, staff, options={"shuffle": "batches"}) as table:
        wrong = table.issue("new", 6, "red"), table.issue("new", 6, "red")
        answer = table.does(staff.dealer, "receive_decks")
        assert answer["code"] == "wrong_cards"
        assert "6 decks with red backs and 6 decks with blue backs" in answer["sentence"]
        moved(staff.floor, wrong[1], "secured", "vault")
        assert table.code(staff.dealer, "receive_decks") == "wrong_cards"
        right = table.issue("new", 6, "blue")
        (event,) = table.must(staff.dealer, "receive_decks")
        assert event["sets"] == [wrong[0], right]


@pytest.mark.finding(11)
@proves("live", "MD-3-C")
def test_the_24_hours_count_from_the_inventory(tmp_path: Path) -> None:
    """Cards that rest between two tables do not grow younger, also when the house restarts."""
    with Hosted(tmp_path, books=("maryland",), shared=PATIENT) as first:
        staff = Staff(first.staff("dealer"), first.staff("floor"))
        with table_of(first, staff) as table:
            name = table.issue("inspected_and_shuffled", 6, "red")
            (event,) = table.must(staff.dealer, "receive_decks")
            opened_ms = event["opened_ms"]
            table.receive()
        moved(staff.floor, name, "secured", "vault")
        people = [(each.name, each.password) for each in staff]
    with Hosted(tmp_path, books=("maryland",), shared=PATIENT) as second:
        second.clock.ahead_ms = DAY_MS - HOUR_MS
        staff = Staff(*(second.sign_in(*each) for each in people))
        cards = staff.floor.get(f"/cards/{name}")["cards"]
        assert (cards["place"], cards["opened_ms"]) == ("vault", opened_ms)
        with table_of(second, staff) as table:
            moved(staff.floor, name, "issued", table.name)
            (event,) = table.must(staff.dealer, "receive_decks")
            assert event["opened_ms"] == opened_ms
            assert table.state()["decks"]["at_ms"] == opened_ms
        with table_of(second, staff) as table:
            other = table.issue("new", 6, "red")
            second.clock.ahead_ms = 2 * DAY_MS
            dealer = second.sign_in(*people[0])
            assert table.code(dealer, "receive_decks") == "deck_age"
            assert dealer.get(f"/cards/{other}")["in_use"] is None
