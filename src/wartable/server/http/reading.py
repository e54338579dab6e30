"""HTTP requests, read as strictly as messages; a sentence says what does not fit.

Litestar reads bodies as leniently as query parameters: it would accept `"100"` for 100.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import msgspec
from litestar import Request
from litestar.exceptions import HTTPException
from msgspec import inspect

from wartable.server.denied import Denied
from wartable.validation import no_json, takes, validation_error, whole

BODY_BYTES_MAX = 16_384
JSON = "application/json"
DOCUMENT = "/schema/openapi.json"
BODY = "The body"
CODES = {404: "not_found", 405: "not_allowed", 413: "too_large", 500: "error"}

_LACKING = re.compile(r"^Missing required (\w+) parameter '([^']+)'")


class StrictRequest(Request[Any, Any, Any]):
    """A request whose body is read strictly, as the type that the route takes."""

    async def json(self) -> Any:
        """The body; `Denied` when it is not JSON, or not what the route takes."""
        if self.content_type[0] not in ("", JSON):
            message = f"The body must be JSON, with the header Content-Type: {JSON}."
            raise Denied("not_json", message)
        kind, data = _kind_of(self), await self.body()
        try:
            return _decoder(kind).decode(data)
        except msgspec.ValidationError as error:
            raise Denied("malformed", validation_error(kind, data, error, BODY, DOCUMENT)) from None
        except msgspec.DecodeError as error:
            raise Denied("malformed", no_json(error, BODY)) from None


def _kind_of(request: Request[Any, Any, Any]) -> Any:
    """The type of the body that a route takes."""
    route: Any = request.route_handler
    return route.parsed_data_field.annotation


@cache
def _decoder(kind: Any) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(kind)


def _parameters(request: Request[Any, Any, Any]) -> Iterator[tuple[str, str, str]]:
    """The parameters of a route: the name here, the name in the request, the values it takes."""
    route: Any = request.route_handler
    asked = [route, *route.resolve_dependencies().values()]
    for model in (each.signature_model for each in asked):
        info = inspect.type_info(model)
        for field in info.fields if isinstance(info, inspect.StructType) else ():
            extra = getattr(field.type, "extra", None) or {}
            sent = extra.get("name") or field.name
            yield field.name, sent, takes(field.type).removesuffix(" or null")


def sentence(request: Request[Any, Any, Any], error: HTTPException) -> str:
    """What is wrong with a request that Litestar refuses, and what would be accepted."""
    if error.status_code >= 500:
        return "The server could not read the whole request; send it again."
    if error.status_code == 404:
        return f"There is nothing at this path; {DOCUMENT} lists what there is."
    if error.status_code == 405:
        allowed = sorted((error.headers or {}).get("allow", "").split(", "))
        return f"This path does not take {request.method}; it takes {' or '.join(allowed)}."
    if error.status_code == 413:
        return f"The body is too large; the limit is {BODY_BYTES_MAX} bytes."
    wrong: Any = error.extra[0] if isinstance(error.extra, list) and error.extra else {}
    lacking = _LACKING.match(error.detail)
    name = lacking[2] if lacking else wrong.get("key")
    if name == "data":
        return whole(_kind_of(request), BODY)
    for own, sent, taken in _parameters(request) if name else ():
        if name in (own, sent):
            missing = f"this {lacking[1]} is missing; " if lacking else ""
            return f"{sent}: {missing}it may be {taken}."
    return f"This request cannot be read; {DOCUMENT} says what is accepted."
