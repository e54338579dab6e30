"""Requests and messages are read strictly, and every refusal says what would be accepted."""

from collections.abc import Iterator
from typing import Any

import pytest

from hosting import Client, Hosted, Json
from wartable.server.denied import Denied
from wartable.server.http import wire
from wartable.server.http.reading import BODY_BYTES_MAX


@pytest.fixture(scope="module")
def hosted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosted]:
    """A house with money that can be paid in."""
    with Hosted(tmp_path_factory.mktemp("house"), books=("online",), money="deposited") as running:
        yield running


@pytest.fixture(scope="module")
def admin(hosted: Hosted) -> Iterator[Client]:
    """The administrator."""
    with hosted.admin() as client:
        yield client


def told(client: Client, method: str, path: str, **sent: Any) -> tuple[int, str, str]:
    """The status, the code and the sentence of a request that is refused."""
    answer = client.http.request(method, path, **sent)
    problem: Json = answer.json()
    return answer.status_code, problem["code"], problem["sentence"]


def test_a_deposit_is_a_number(hosted: Hosted, admin: Client) -> None:
    """A text, a fraction or a null is no amount: nothing is paid in."""
    wallet = "/wallets/exact-one"
    with hosted.register("exact-one") as player:
        token = admin.post("/keys", 201, name="exact")["token"]
        with hosted.http(token) as key:
            for number, amount in enumerate(("100", 100.0, "", None, True, [100])):
                once = {"Idempotency-Key": f"slip-{number}"}
                answer = key.post(f"{wallet}/deposit", json={"amount": amount}, headers=once)
                assert (answer.status_code, answer.json()["code"]) == (400, "malformed")
                assert answer.json()["sentence"].startswith("amount: this is ")
                assert "an integer from 1 to 1000000000000." in answer.json()["sentence"]
            once = {"Idempotency-Key": "slip-right"}
            assert key.post(f"{wallet}/deposit", json={"amount": 100}, headers=once).is_success
        assert player.get("/me")["holds"] == {"wallet": 100}


WRONG: list[tuple[str, str, Json, str]] = [
    (
        "PUT",
        "/limits",
        {"account": "*", "kind": "loss_day", "amount": "5"},
        "amount: this is text; it may be an integer from 0 to 1000000000000000000 or null.",
    ),
    (
        "POST",
        "/tables",
        {"name": "exact", "book": "online", "decks": "6"},
        "decks: this is text; it may be an integer from 1 to 12 or null.",
    ),
    (
        "POST",
        "/tables",
        {"name": "exact", "book": "online", "staffed": "true"},
        "staffed: this is text; it may be true or false.",
    ),
    (
        "POST",
        "/tables",
        {"name": "exact", "book": ""},
        "book: it may be text of 1 to 40 characters.",
    ),
    (
        "POST",
        "/tables",
        {"name": "exact", "book": "online", "options": {"shuffle": 1}},
        "options.shuffle: this is an integer; it may be text of at most 40 characters.",
    ),
    (
        "POST",
        "/tables",
        {"name": "exact", "book": "online", "settings": {"table.seats": 5, "table.boxes": 5.5}},
        "settings.table.boxes: this is a number with a fraction; it may be true or false or an int",
    ),
    (
        "POST",
        "/tables",
        {"name": "exact", "book": "online", "settings": {"limits.box_max": 10**12 + 1}},
        "settings.limits.box_max: it may be true or false or an integer from 0 to 1000000000000",
    ),
    (
        "POST",
        "/tables",
        {"name": "exact", "book": "online", "settings": {"x" * 61: 1}},
        "settings: a name in it may be text of at most 60 characters.",
    ),
    (
        "POST",
        "/tables",
        {"name": "exact", "book": "online", "options": {str(name): "" for name in range(21)}},
        "options: it may be an object of text of at most 40 characters by name, at most 20 of them",
    ),
    (
        "POST",
        "/tables",
        {"name": "exact", "book": "online", "settings": [5]},
        "settings: this is a list; it may be an object of true or false or integer from 0",
    ),
    (
        "POST",
        "/tables/online 1/bots",
        {"count": "1"},
        "count: this is text; it may be an integer from 1 to 9.",
    ),
    ("POST", "/keys", {}, "name: it is missing; it may be a letter, then up to 31 of a-z, 0-9"),
    ("POST", "/tables/private", {"books": "online"}, "books: there is no such field; there are "),
    (
        "POST",
        "/tables/online 1/commands",
        {"type": "buy_in", "id": "1", "amount": "100"},
        "amount: this is text; it may be an integer from 0 to 1000000000000000000.",
    ),
    ("POST", "/tables/online 1/commands", {"type": "fold", "id": "1"}, "type: it may be join or "),
    ("POST", "/tables/online 1/commands", {"id": "1"}, "type: it is missing; it may be join or "),
]


@pytest.mark.parametrize(("method", "path", "body", "sentence"), WRONG)
def test_a_body_that_does_not_fit(
    admin: Client, method: str, path: str, body: Json, sentence: str
) -> None:
    """The sentence names the field and what it takes, however the value looks."""
    status, code, said = told(admin, method, path, json=body)
    assert (status, code) == (400, "malformed")
    assert said.startswith(sentence)
    assert "Expected" not in said


UNREAD: list[tuple[bytes, str]] = [
    (b"", "The body must be a JSON object with scope, reason, name."),
    (b"[]", "The body must be a JSON object with scope, reason, name."),
    (b"null", "The body must be a JSON object with scope, reason, name."),
    (b'{"scope": "gaming"', "The body is not JSON: it ends too early."),
    (b"scope=gaming", "The body is not JSON: invalid character (byte 0)."),
    (b'{"scope": 1, x', "scope: this is an integer; it may be book or gaming or player or table."),
]


@pytest.mark.parametrize(("body", "sentence"), UNREAD)
def test_a_body_that_is_no_object(admin: Client, body: bytes, sentence: str) -> None:
    """What cannot be read as JSON, or is not an object, is said so."""
    assert told(admin, "POST", "/disable", content=body) == (400, "malformed", sentence)


def test_a_command_that_breaks_off(admin: Client) -> None:
    """A command that is wrong and not whole is refused as well, and nothing fails."""
    body = b'{"type": "buy_in", "amount": "1", '
    status, code, _ = told(admin, "POST", "/tables/online 1/commands", content=body)
    assert (status, code) == (400, "malformed")
    body = b'{"name": "exact", "book": "online", "options": {"shuffle": 1'
    status, code, said = told(admin, "POST", "/tables", content=body)
    assert (status, code) == (400, "malformed")
    assert said.startswith("options: it may be an object of text")


def test_a_body_of_another_kind(admin: Client) -> None:
    """A form is refused with the header that is wanted; JSON with a charset is JSON."""
    wanted = "The body must be JSON, with the header Content-Type: application/json."
    refused = told(admin, "POST", "/disable", data={"scope": "gaming", "reason": "x"})
    assert refused == (415, "not_json", wanted)
    body, header = b'{"scope": "nothing"}', {"Content-Type": "application/json; charset=utf-8"}
    assert told(admin, "POST", "/disable", content=body, headers=header)[0] == 400


def test_a_body_that_is_too_large(admin: Client) -> None:
    """A body over the limit is refused with the limit."""
    body = b" " * (BODY_BYTES_MAX + 1)
    wanted = (413, "too_large", "The body is too large; the limit is 16384 bytes.")
    assert told(admin, "POST", "/disable", content=body) == wanted


def test_paths_and_methods(admin: Client) -> None:
    """A path that is not there, and a method that a path does not take, are told plainly."""
    nothing = "There is nothing at this path; /schema/openapi.json lists what there is."
    for path in ("/nothing-here", "/rounds/online/first"):
        assert told(admin, "GET", path) == (404, "not_found", nothing)
    only = "This path does not take DELETE; it takes GET or OPTIONS or POST."
    assert told(admin, "DELETE", "/accounts") == (405, "not_allowed", only)
    allowed = admin.http.request("DELETE", "/accounts").headers["allow"]
    assert set(allowed.split(", ")) == {"GET", "OPTIONS", "POST"}


def test_parameters(admin: Client) -> None:
    """Numbers in a query are text and read as numbers; one that does not fit is named."""
    assert len(admin.get("/records/significant?after=1")) > 0
    assert admin.get("/me/rounds?limit=5&from_ms=0")["rounds"] == []
    for path, sentence in (
        ("/records/significant?after=x", "after: it may be an integer from 0 to 9007199254740992."),
        ("/me/rounds?limit=201", "limit: it may be an integer from 1 to 200."),
        ("/me/rounds?until_ms=x", "until_ms: it may be an integer from 0 to 9007199254740992."),
        ("/me/rounds?outcome=x", "outcome: it may be banked or lost or surrendered or tie or"),
        (f"/me/rounds?book={'x' * 161}", "book: it may be text of at most 160 characters."),
    ):
        status, code, said = told(admin, "GET", path)
        assert (status, code, said.startswith(sentence)) == (400, "malformed", True), said
    for headers, sentence in (
        ({}, "Idempotency-Key: this header is missing; it may be text of 1 to 64 characters."),
        ({"Idempotency-Key": "x" * 65}, "Idempotency-Key: it may be text of 1 to 64 characters."),
    ):
        refused = told(admin, "POST", "/wallets/x/deposit", json={"amount": 1}, headers=headers)
        assert refused == (400, "malformed", sentence)


BET = '"type":"bet","id":"7"'
MISREAD = [
    (f'{{{BET},"box":"1"}}', "box: this is text; it may be an integer from 1 to 9."),
    (f'{{{BET},"box":1,"wager":"luck"}}', "wager: it may be bonus_spin or primary or"),
    (f'{{{BET},"box":1,"wager":"tie"}}', "amount: it is missing; it may be an integer from 0"),
    ('{"type":"ping","id":"7","now":1}', "now: there is no such field; there are type, id."),
    ('{"type":"dance","id":"7"}', "type: it may be hello or ping or ask_price or"),
    ('{"id":"7"}', "type: it is missing; it may be hello or"),
    ("[]", "A message must be a JSON object with type."),
    ("{", "A message is not JSON: it ends too early."),
    ("nonsense", "A message is not JSON: invalid character (byte 4)."),
    (f'{{{BET},"box":{"[" * 3_900}{"]" * 3_900}}}', "box: this is a list; it may be"),
]


@pytest.mark.parametrize(("data", "sentence"), MISREAD)
def test_a_message_that_does_not_fit(data: str, sentence: str) -> None:
    """Each field that is wrong is named, with what it takes; the sender's id is read if it can."""
    with pytest.raises(Denied) as refused:
        wire.decode(data)
    assert refused.value.sentence.startswith(sentence)
    readable = '"id":"7"' in data and "[[" not in data
    assert wire.id_of(data) == ("7" if readable else "")
