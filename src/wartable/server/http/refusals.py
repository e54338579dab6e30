"""Refusals over HTTP: the status of each code, and failures as sentences."""

import sqlite3
from typing import Any

from litestar import Litestar, Response
from litestar.exceptions import HTTPException
from litestar.openapi.datastructures import ResponseSpec
from litestar.routes import HTTPRoute
from sqlalchemy.exc import DataError, InterfaceError, InternalError, OperationalError
from sqlalchemy.exc import TimeoutError as NoConnection

from wartable.refusal import Refusal
from wartable.server.http import reading
from wartable.server.http import requests as r
from wartable.server.http.access import Asked
from wartable.server.logs import LOG
from wartable.server.records.pulse import UNREACHED
from wartable.server.records.store import Unsure

CODES: dict[int, tuple[str, ...]] = {
    400: ("malformed", "bad_name", "bad_password", "bad_time", "odds", "setup"),
    401: ("signed_out", "wrong_credentials"),
    403: (
        "not_your_part", "not_seated", "no_guests", "origin", "own_dispute",
        "own_password", "own_role", "wrong_password",
    ),
    404: (
        "no_account", "no_book", "no_dispute", "no_key", "no_round", "no_set", "no_table",
        "not_disabled", "nothing_there",
    ),
    408: ("too_slow",),
    415: ("not_json",),
    429: ("too_many",),
    503: ("broken", "clocks_differ", "database", "elsewhere", "full", "no_answer"),
}  # fmt: skip  # lists of codes
STATUSES = {code: status for status, codes in CODES.items() for code in codes}
OTHERWISE = 409
"""The status of every other code."""

PROBLEMS = {
    400: "Something in the request does not fit.",
    401: "Nobody is signed in, or the credentials are wrong.",
    403: "The caller may not do this, or not from this page.",
    404: "The path names something that does not exist.",
    409: "This cannot be done now.",
    429: "Too many requests.",
    500: "The server failed.",
    503: "The house is not open, or its database does not answer.",
}
"""The refusals that any route may give."""
BODY_PROBLEMS = {
    408: "The body did not arrive in time.",
    413: "The body is too large.",
    415: "The body is not JSON.",
}
"""The further refusals of a route that takes a body."""


def _refused(_: Asked, error: Refusal) -> Response[r.Problem]:
    status = STATUSES.get(error.code, OTHERWISE)
    return Response(r.Problem(error.code, error.sentence), status_code=status)


def _http(request: Asked, error: HTTPException) -> Response[r.Problem]:
    """Litestar's own refusals, with what is wrong and what would be accepted."""
    code = reading.CODES.get(error.status_code, "malformed")
    problem = r.Problem(code, reading.sentence(request, error))
    return Response(problem, status_code=error.status_code, headers=error.headers)


def _unreadable(_: Asked, __: Exception) -> Response[r.Problem]:
    sentence = (
        "This text cannot be stored; send UTF-8, not nested too deep, without zero characters."
    )
    return Response(r.Problem("malformed", sentence), status_code=400)


def _unreached(request: Asked, error: Exception) -> Response[r.Problem]:
    cause = getattr(error, "orig", error)
    fields = {"method": request.method, "path": request.url.path, "error": type(cause).__name__}
    LOG.warning("database not reached", extra=fields)
    return Response(r.Problem("database", UNREACHED), status_code=503)


def _failed(request: Asked, _: Exception) -> Response[r.Problem]:
    LOG.exception("request failed", extra={"method": request.method, "path": request.url.path})
    return Response(r.Problem("error", "The server failed and logged the error."), status_code=500)


HANDLERS: Any = {
    Refusal: _refused,
    HTTPException: _http,
    UnicodeDecodeError: _unreadable,
    RecursionError: _unreadable,
    DataError: _unreadable,
    OperationalError: _unreached,
    InternalError: _unreached,
    InterfaceError: _unreached,
    NoConnection: _unreached,
    sqlite3.OperationalError: _unreached,  # of a backup, which is copied without SQLAlchemy
    Unsure: _unreached,
    Exception: _failed,
}


def declare(litestar: Litestar) -> None:
    """Add the shared refusals to every route in the document; a route's own take precedence."""
    for route in litestar.routes:
        for handler in route.route_handlers if isinstance(route, HTTPRoute) else ():
            problems = PROBLEMS | (BODY_PROBLEMS if handler.parsed_data_field else {})
            declared = {
                status: ResponseSpec(r.Problem, generate_examples=False, description=description)
                for status, description in problems.items()
            }
            handler.responses = declared | dict(handler.responses or {})
