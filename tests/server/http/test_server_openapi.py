"""The OpenAPI document is of the same types, and every answer to what fits it is declared."""

from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from hosting import Hosted
from wartable.server.http.wire import FORMS

EXAMPLES = 6
DEEP = 500
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]


@pytest.fixture(scope="module")
def hosted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosted]:
    """A server with a table of each kind of wager."""
    folder = tmp_path_factory.mktemp("house")
    with Hosted(folder, books=("online", "maryland")) as running:
        yield running


def test_the_document_has_every_command(hosted: Hosted) -> None:
    """Each form of a command is described in the document."""
    with hosted.http() as http:
        document = http.get("/schema/openapi.json").json()
    known = document["components"]["schemas"]
    names = {form.__name__ for form in FORMS}
    assert names <= {name.rpartition("_")[2] for name in known} | set(known)


def test_the_document_has_every_refusal(hosted: Hosted) -> None:
    """Whatever a route may refuse with is declared, with the body that refusals have."""
    with hosted.http() as http:
        document = http.get("/schema/openapi.json").json()
    problem = {"application/json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
    assert set(document["components"]["schemas"]["Problem"]["required"]) == {"code", "sentence"}
    for path, methods in document["paths"].items():
        for operation in methods.values():
            wanted = {"400", "401", "403", "404", "409", "429", "500", "503"}
            if "requestBody" in operation:
                wanted |= {"408", "413", "415"}
            refusals = {
                status: answer["content"]
                for status, answer in operation["responses"].items()
                if not status.startswith("2")
            }
            own = {("/ready", "503")}
            assert refusals.keys() == wanted, path
            assert all(
                content == problem
                for status, content in refusals.items()
                if (path, status) not in own
            ), path


@pytest.mark.parametrize("role", ["", "player", "admin", "key"])
def test_every_answer_is_declared(hosted: Hosted, role: str, deep: bool) -> None:
    """Requests made from the document, as nobody or somebody, get an answer that it declares."""
    if role in ("", "player") and not deep:
        pytest.skip("a deep run tries this role too")
    with hosted.admin() as admin:
        token = None
        if role == "key":
            token = admin.post("/keys", 201, name="fuzz")["token"]
        elif role:
            with hosted.staff(role) as client:
                token = client.token
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    schema = schemathesis.openapi.from_url(f"http://{hosted.host}/schema/openapi.json")
    for found in schema.get_all_operations():
        assert isinstance(found, Ok)
        operation = found.ok()

        @settings(
            max_examples=DEEP if deep else EXAMPLES,
            deadline=None,
            derandomize=True,
            database=None,
            suppress_health_check=list(HealthCheck),
        )
        @given(case=operation.as_strategy())
        def run(case: Any) -> None:
            if case.path == "/sign-out":
                return
            case.call_and_validate(headers=headers, checks=CHECKS)

        run()
