"""The OpenAPI document is of the same types, and nothing that fits it makes the server fail."""

from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.core.result import Ok

from hosting import Hosted
from wartable.server.wire import FORMS

EXAMPLES = 6
DEEP = 500


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


@pytest.mark.parametrize("role", ["", "player", "admin", "key"])
def test_no_server_error(hosted: Hosted, role: str, deep: bool) -> None:
    """Requests made from the document, as nobody or somebody, never get a server error."""
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
            case.call_and_validate(headers=headers, checks=[not_a_server_error])

        run()
