"""Nobody sees or does what their role may not: every request and every command, by every role.

The tables say who may, by the documents (who deals, who verifies, who approves) and docs/operate.md
(who runs the house). They are written by hand, so a right that somebody adds by mistake is found.
"""

from collections.abc import Iterator
from typing import Any

import pytest
from litestar.routes import HTTPRoute

from hosting import Client, Json
from staffed_tables import House
from wartable.server.http.app import Application
from wartable.server.http.wire import FORMS

BOOKS = ("online",)
GUESTS = 1

ALL = "nobody player dealer floor auditor admin"
SIGNED_IN = "player dealer floor auditor admin"
STAFF = "dealer floor auditor admin"
READS = "auditor admin"
SEES = "floor auditor admin"
RUNS = "floor admin"

TABLE = {"name": "online 1", "book": "online"}
WHY = {"reason": "a test"}
NOBODY = {"name": "nobody-there", "password": "wrong horse battery"}
# Method and path, who may, and a body that does as little as possible where it is allowed.
REQUESTS: dict[str, tuple[str, Json | None]] = {
    "GET /health": (ALL, None),
    "GET /ready": (ALL, None),
    "GET /metrics": (ALL, None),
    "GET /schema/openapi.json": (ALL, None),
    "POST /guest": (ALL, None),
    "POST /register": (ALL, {"name": "x", "password": "x"}),
    "POST /sign-in": (ALL, NOBODY),
    "POST /recover": (ALL, NOBODY | {"code": "none"}),
    "GET /session": (ALL, None),
    "GET /names": (ALL, None),
    "GET /lobby": (ALL, None),
    "GET /tables/online 1": (ALL, None),
    "GET /tables/online 1/book": (ALL, None),
    "GET /tables/online 1/shoes": (ALL, None),
    "GET /books": (ALL, None),
    "GET /books/online": (ALL, None),
    "GET /books/online/page": (ALL, None),
    "GET /books/online/odds": (ALL, None),
    "GET /lab/books/online": (ALL, None),
    "GET /lab/odds?book=online": (ALL, None),
    "GET /lab/par?book=online&sheet=json": (ALL, None),
    "POST /me/password": (SIGNED_IN, {"old": "not this one", "new": "a new horse battery"}),
    "POST /me/codes": ("player", {"password": "not this one"}),
    "PUT /me/name": ("player", {"display": ""}),
    "GET /me": (SIGNED_IN, None),
    "PUT /me/limits": ("player", {"kind": "loss_day", "amount": None}),
    "POST /me/exclude": ("", {"days": 1}),
    "POST /me/acknowledge": (SIGNED_IN, None),
    "POST /me/refill": (SIGNED_IN, {"id": "r"}),
    "GET /me/rounds": (SIGNED_IN, None),
    "GET /me/rounds.csv": (SIGNED_IN, None),
    "GET /me/totals": (SIGNED_IN, None),
    "GET /me/disputes": (SIGNED_IN, None),
    "POST /me/disputes": (SIGNED_IN, {"table": "online 1", "round": 9_999, "words": "x"}),
    "GET /rounds/online 1/9999": ("floor auditor admin", None),
    "POST /tables/private": ("", {"book": "online"}),
    "POST /tables/online 1/bots": (RUNS, {"count": 1}),
    "POST /tables/online 1/bots/leave": (RUNS, {}),
    "GET /staff": (STAFF, None),
    "GET /staff/servers": ("admin", None),
    "GET /staff/tables/online 1": (STAFF, None),
    "GET /awards": (STAFF, None),
    "GET /books/online/form": (STAFF, None),
    "GET /cards": (STAFF, None),
    "GET /cards/none": (STAFF, None),
    "POST /cards/none/moves": ("dealer floor", {"what": "shuffled"}),
    "POST /cards": (RUNS, {"name": "same", "decks": 1, "back": "red"}),
    "POST /tables": (RUNS, TABLE),
    "POST /tables/preview": (RUNS, TABLE | {"name": "preview"}),
    "PUT /books/online/filing": (RUNS, {}),
    "POST /disable": (RUNS, WHY | {"scope": "table", "name": "none"}),
    "POST /enable": (RUNS, WHY | {"scope": "table", "name": "none"}),
    "GET /closures": (SEES, None),
    "GET /disputes": (SEES, None),
    "GET /records/rounds?player=admin": (SEES, None),
    "GET /records/statement.csv?player=admin": (SEES, None),
    "POST /disputes/9999/answer": (RUNS, {"end": "stands", "words": "x"}),
    "GET /records/report": (READS, None),
    "GET /records/report.csv": (READS, None),
    "GET /records/returns": (READS, None),
    "GET /records/significant": (READS, None),
    "POST /selfcheck": (READS, None),
    "GET /program": (READS, None),
    "POST /program/approve": ("admin", WHY),
    "POST /clock": ("admin", WHY | {"time": "2026-11-17T12:00"}),
    "PUT /limits": ("admin", {"account": "*", "kind": "loss_day", "amount": None}),
    "GET /accounts": ("admin", None),
    "POST /accounts": ("admin", {"name": "x", "password": "x"}),
    "PUT /accounts/nobody-there/role": ("admin", WHY | {"role": "floor"}),
    "POST /accounts/nobody-there/password": ("admin", WHY),
    "GET /keys": ("admin", None),
    "POST /keys": ("admin", {"name": "same"}),
    "POST /keys/none/revoke": ("admin", WHY),
    "GET /backups": ("admin", None),
    "POST /backups": ("admin", None),
    # The cashier's desk needs an operator's key, whoever is signed in.
    "GET /wallets/admin": ("", None),
    "POST /wallets/admin/deposit": ("", {"amount": 1}),
    "POST /wallets/admin/withdraw": ("", {"amount": 1}),
}
OWN_WAY = {
    "POST /me/exclude": "it would end the test's own people; anybody may exclude themselves",
    "POST /tables/private": "staff have no money; a player's table is tested elsewhere",
    "POST /sign-out": "it would sign the test's own people out",
    "POST /tables/{name}/commands": "every command by itself, below",
}
"""What is not tried here, and why."""

PLAYS = "player"
DEALS, FLOORS = "dealer", "floor"
BOTH, ABOVE = "dealer floor", "floor admin"
# A command, who may give it at a staffed table, and its fields.
GIVEN: dict[str, tuple[str, Json]] = {
    "join": (PLAYS, {"amount": 10**9}),
    "buy_in": (PLAYS, {"amount": 10**9}),
    "cash_out": (PLAYS, {"amount": 1}),
    "send_number": (PLAYS, {"number": "0" * 64}),
    "cut": (PLAYS, {"position": 100}),
    "refuse_cut": (PLAYS, {}),
    "take_bank": (PLAYS, {"amount": 1}),
    "pass_bank": (PLAYS, {}),
    "turn_up": (PLAYS, {}),
    "bet": (PLAYS, {"box": 1, "wager": "primary", "amount": 500}),
    "withdraw": (PLAYS, {"box": 1, "wager": "primary"}),
    "decline": (PLAYS, {"box": 1}),
    "choose": (PLAYS, {"box": 1, "choice": "war"}),
    "leave": (PLAYS, {}),
    "close_bets": (DEALS, {}),
    "timeout": (DEALS, {"player": "nobody", "box": 1}),
    "shuffle_cards": (DEALS, {}),
    "load_shoe": (DEALS, {}),
    "offer_bank": (DEALS, {}),
    "start_round": (DEALS, {}),
    "count_side_bets": (DEALS, {}),
    "proceed": (DEALS, {}),
    "find_face_up": (DEALS, {}),
    "draw_in_error": (DEALS, {"exposed": True}),
    "miss_box": (DEALS, {"box": 1}),
    "receive_decks": (BOTH, {}),
    "prepare view": (PLAYS, {"step": "view"}),
    "prepare verify": (FLOORS, {"step": "verify"}),
    "prepare inspect": (DEALS, {"step": "inspect"}),
    "go_idle": (BOTH, {}),
    "fail_device": (BOTH, WHY),
    "mark_device": (BOTH, {"mark": "covered"}),
    "jam": (BOTH, {}),
    "order_recut": (FLOORS, WHY | {"who": "last"}),
    "order_reshuffle": (FLOORS, WHY),
    "change_dealer": (FLOORS, {"dealer": "nobody"}),
    "repair_device": (FLOORS, {}),
    "change_method": (FLOORS, {"method": "shoe"}),
    "restrict": (FLOORS, {"limit": "primary_max", "value": 1}),
    "approve": (ABOVE, {}),
    "void_round": (ABOVE, WHY),
}


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


def test_every_route_stands_in_the_table(house: House) -> None:
    """A new route must say who may use it."""
    application = Application(house.hosted.house)
    tried = {_shape(each.partition("?")[0]) for each in [*REQUESTS, *OWN_WAY]}
    for route in application.litestar.routes:
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
