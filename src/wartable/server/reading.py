"""What HTTP requests carry, read as strictly as messages; what does not fit is said in a sentence.

Litestar reads bodies as leniently as query parameters, so that `"100"` would do for 100.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import msgspec
from litestar import Request
from litestar.exceptions import HTTPException
from msgspec import inspect

from wartable.server.accounts import Denied
from wartable.server.protocol import words

BODY_BYTES_MAX = 16_384
JSON = "application/json"
DOCUMENT = "/schema/openapi.json"
CODES = {404: "not_found", 405: "not_allowed", 413: "too_large", 500: "error"}

_ARTICLES = {"integer": "an ", "list": "a ", "object": "an "}
_KINDS = {
    "str": "text", "int": "an integer", "float": "a number with a fraction", "null": "null",
    "bool": "true or false", "array": "a list", "object": "an object",
}  # fmt: skip  # a list of words
_GOT = re.compile(r", got `(\w+)`")
_AT = re.compile(r"`\$\.(\w+)([^`]*)`")
_NAMED = re.compile(r"^Object (missing|contains) \w+ field `([^`]*)`")
_LACKING = re.compile(r"^Missing required (\w+) parameter '([^']+)'")


class Tagged(msgspec.Struct):
    """As much of a body as says of which kind it is."""

    type: str


class Strict(Request[Any, Any, Any]):
    """A request whose body is read strictly, into the type that the route asks for."""

    async def json(self) -> Any:
        """The body; `Denied` when it is not JSON, or not what the route takes."""
        if self.content_type[0] not in ("", JSON):
            told = f"The body must be JSON, with the header Content-Type: {JSON}."
            raise Denied(415, "not_json", told)
        kind, data = _kind_of(self), await self.body()
        try:
            return _decoder(kind).decode(data)
        except msgspec.ValidationError as error:
            raise Denied(400, "malformed", _misfit(kind, data, str(error))) from None
        except msgspec.DecodeError as error:
            early = "it ends too early" if "truncated" in str(error) else None
            told = early or str(error).removeprefix("JSON is malformed: ")
            raise Denied(400, "malformed", f"The body is not JSON: {told}.") from None


def _kind_of(request: Request[Any, Any, Any]) -> Any:
    """The type of the body that a route takes."""
    route: Any = request.route_handler
    return route.parsed_data_field.annotation


@cache
def _decoder(kind: Any) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(kind)


def _takes(kind: inspect.Type) -> str:
    """What is accepted, in words within a sentence."""
    if isinstance(kind, inspect.UnionType):
        return " or ".join(dict.fromkeys(map(_takes, kind.types)))
    told = words(kind).replace("`", "")
    if isinstance(kind, inspect.DictType) and kind.max_length is not None:
        told += f", at most {kind.max_length} of them"
    return _ARTICLES.get(told.split()[0], "") + told


def _fields(kind: Any, data: bytes) -> dict[str, str]:
    """What each field of a body takes, by its name."""
    tags, fields = _parts(kind, data)
    return tags | {name: _takes(each) for name, each in fields.items()}


def _parts(kind: Any, data: bytes) -> tuple[dict[str, str], dict[str, inspect.Type]]:
    """What says the kind of a body, and its fields; of several kinds, those of the one it names."""
    info = inspect.type_info(kind)
    kinds = info.types if isinstance(info, inspect.UnionType) else (info,)
    known = {each.tag: each for each in kinds if isinstance(each, inspect.StructType)}
    tags = {} if None in known else {"type": " or ".join(map(str, known))}
    found = known.get(_tag(data) if tags else None)
    of_kind = () if found is None else found.fields
    return tags, {each.encode_name: each.type for each in of_kind}


def _tag(data: bytes) -> str | None:
    """The kind that a body names, where that can be read."""
    try:
        return msgspec.json.decode(data, type=Tagged).type
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None


def _misfit(kind: Any, data: bytes, error: str) -> str:
    """What is wrong with a body that msgspec refuses with this error, and what would be right."""
    fields = _fields(kind, data)
    named, at, got = _NAMED.match(error), _AT.search(error), _GOT.search(error)
    if named and named[1] == "contains":
        return f"{named[2]}: there is no such field; there are {', '.join(fields)}."
    if named:
        field, told = named[2], "it is missing; "
    elif at:
        field, told = at[1], ""
        if got and not at[2]:  # the field itself, and not something within it
            told = f"this is {_KINDS.get(got[1], 'unknown')}; "
        if within := _misfit_within(kind, data, field):
            return within
    else:
        return _whole(kind)
    return f"{field}: {told}it may be {fields.get(field, f'as {DOCUMENT} says')}."


def _misfit_within(kind: Any, data: bytes, field: str) -> str | None:
    """The entry of an object that does not fit, tried one by one: msgspec does not name it."""
    found = _parts(kind, data)[1].get(field)
    try:
        body = msgspec.json.decode(data, type=dict[str, Any])
    except msgspec.DecodeError:  # it breaks off after what does not fit
        return None
    if not isinstance(found, inspect.DictType) or not isinstance(body.get(field), dict):
        return None
    for name, value in body[field].items():
        try:
            msgspec.convert({**body, field: {name: value}}, kind)
        except msgspec.ValidationError as error:
            if f"`key` in `$.{field}`" in str(error):
                return f"{field}: a name in it may be {_takes(found.key_type)}."
            if f"`$.{field}[...]`" in str(error):
                got = _GOT.search(str(error))
                told = f"this is {_KINDS.get(got[1], 'unknown')}; " if got else ""
                return f"{field}.{name}: {told}it may be {_takes(found.value_type)}."
    return None


def _whole(kind: Any) -> str:
    """What a body must be where there is none, or none of that kind."""
    return f"The body must be a JSON object with {', '.join(_fields(kind, b''))}."


def _parameters(request: Request[Any, Any, Any]) -> Iterator[tuple[str, str, str]]:
    """The parameters of a route: the name here, the name that is sent, what it takes."""
    route: Any = request.route_handler
    asked = [route, *route.resolve_dependencies().values()]
    for model in (each.signature_model for each in asked):
        info = inspect.type_info(model)
        for field in info.fields if isinstance(info, inspect.StructType) else ():
            extra = getattr(field.type, "extra", None) or {}
            sent = extra.get("name") or field.name
            yield field.name, sent, _takes(field.type).removesuffix(" or null")


def sentence(request: Request[Any, Any, Any], error: HTTPException) -> str:
    """What is wrong with a request that Litestar refuses, and what would be right."""
    if error.status_code >= 500:
        return "The server could not read this request to its end; send it again."
    if error.status_code == 404:
        return f"There is nothing at this path; {DOCUMENT} lists what there is."
    if error.status_code == 405:
        allowed = sorted((error.headers or {}).get("allow", "").split(", "))
        return f"This path does not take {request.method}; it takes {' or '.join(allowed)}."
    if error.status_code == 413:
        return f"The body is too large; it may have {BODY_BYTES_MAX} bytes."
    wrong: Any = error.extra[0] if isinstance(error.extra, list) and error.extra else {}
    lacking = _LACKING.match(error.detail)
    name = lacking[2] if lacking else wrong.get("key")
    if name == "data":
        return _whole(_kind_of(request))
    for own, sent, takes in _parameters(request) if name else ():
        if name in (own, sent):
            told = f"this {lacking[1]} is missing; " if lacking else ""
            return f"{sent}: {told}it may be {takes}."
    return f"This request cannot be read; {DOCUMENT} says what is accepted."
