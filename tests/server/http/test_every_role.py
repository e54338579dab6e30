"""Nobody does what their role may not: every request, command and move of cards, by every role."""

from collections.abc import Iterator
from typing import Any, get_args

import pytest
from litestar.routes import HTTPRoute

from hosting import Client
from staffed_tables import House
from wartable.server.http.app import api
from wartable.server.http.wire import FORMS
from wartable.server.records.facts import CardMove
from who_may import CARD_MOVES, GIVEN, OWN_WAY, REQUESTS

BOOKS = ("online",)
GUESTS = 1


@pytest.fixture(scope="module")
def people(house: House) -> Iterator[dict[str, Client]]:
    """Somebody of each role, and nobody."""
    hosted = house.hosted
    with hosted.staff("auditor") as auditor, hosted.admin() as admin:
        staff = {"dealer": house.staff.dealer, "floor": house.staff.floor}
        nobody = Client(hosted, "nobody", None)
        people = {"nobody": nobody, "player": house.guests[0], **staff}
        yield {**people, "auditor": auditor, "admin": admin}


def refused(role: str, status: int, answer: Any) -> bool:
    """Whether the role itself was refused, and not what it asked."""
    code = answer.get("code") if isinstance(answer, dict) else None
    if role == "nobody":
        return status == 401 and code in ("signed_out", "wrong_credentials")
    if code == "not_your_part":
        assert status in (403, 409), answer
        return True
    return status == 401 and code == "wrong_credentials"


@pytest.mark.parametrize("asked", [each for each in REQUESTS if each not in OWN_WAY])
def test_every_request_by_every_role(people: dict[str, Client], asked: str) -> None:
    """Whoever may is answered, be it that the thing does not exist; whoever may not is refused."""
    allowed, body = REQUESTS[asked]
    method, _, path = asked.partition(" ")
    found = {}
    for role, client in people.items():
        headers = {"Idempotency-Key": f"{role} {asked}"}
        if asked == "POST /sign-in":
            headers["Authorization"] = ""
        answer = client.http.request(method, path, json=body, headers=headers)
        known = answer.headers["content-type"].startswith("application/json") and answer.content
        said = answer.json() if known else {}
        if asked in ("POST /sign-in", "POST /recover"):  # it is the name that is refused
            found[role] = answer.status_code == 401
        elif asked.startswith("GET /rounds/") and role == "player":
            found[role] = not (answer.status_code == 404 and said["code"] == "no_round")
        elif asked.startswith("POST /tables/online 1/bots") and role != "nobody":
            found[role] = said.get("code") != "not_seated"  # who sits there may, too
        else:
            found[role] = not refused(role, answer.status_code, said)
        client.http.cookies.clear()
    assert [role for role, done in found.items() if done] == allowed.split(), found


def test_every_route_stands_in_the_table() -> None:
    """A new route must say who may use it."""
    tried = {_shape(each.partition("?")[0]) for each in [*REQUESTS, *OWN_WAY]}
    for route in api().routes:
        for handler in route.route_handlers if isinstance(route, HTTPRoute) else ():
            for method in handler.http_methods - {"OPTIONS", "HEAD"}:
                path = route.path_format
                if not path.startswith("/schema"):
                    assert _shape(f"{method} {path}") in tried, f"{method} {path}"


def _shape(asked: str) -> tuple[str, ...]:
    """A request without the names in its path, so that those of the table fit the routes."""
    method, _, path = asked.partition(" ")
    names = {"online 1", "online", "admin", "none", "nobody-there", "9999", "name", "table"}
    parts = [part.strip("{}").partition(":")[0] for part in path.split("/")]
    return (method, *("*" if part in (*names, "number") else part for part in parts))


@pytest.mark.parametrize("given", GIVEN)
def test_every_command_by_every_role(
    people: dict[str, Client], given: str, tables: dict[str, str]
) -> None:
    """At a staffed table each command is for the roles that the documents give it to."""
    allowed, fields = GIVEN[given]
    kind = given.partition(" ")[0]
    path = f"/tables/{tables['staffed']}/commands"
    found = {}
    for role, client in people.items():
        body = {"type": kind, "id": f"{role} {given}", **fields}
        answer = client.http.post(path, json=body)
        assert answer.status_code in (200, 401, 409), answer.text
        found[role] = not refused(role, answer.status_code, answer.json())
    assert [role for role, done in found.items() if done] == allowed.split(), found


@pytest.fixture(scope="module")
def tables(house: House) -> dict[str, str]:
    """A table with staff, at which nothing has happened."""
    house.staff.floor.post("/tables", 201, name="every role", book="online", staffed=True)
    return {"staffed": "every role"}


def test_every_command_stands_in_the_table() -> None:
    """A new command must say who may give it."""
    tags = {str(form.__struct_config__.tag) for form in FORMS}
    assert tags == {given.partition(" ")[0] for given in GIVEN}


@pytest.mark.parametrize("what", CARD_MOVES)
def test_every_move_of_cards_by_every_role(people: dict[str, Client], what: str) -> None:
    """Whoever may is told that there is no such set; whoever may not, that it is not their part."""
    found = {}
    for role, client in people.items():
        answer = client.http.post("/cards/none/moves", json={"what": what})
        found[role] = not refused(role, answer.status_code, answer.json())
    assert [role for role, done in found.items() if done] == CARD_MOVES[what].split(), found


def test_every_move_of_cards_stands_in_the_table() -> None:
    """A new move must say who may make it."""
    assert set(CARD_MOVES) == set(get_args(CardMove))
