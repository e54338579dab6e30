"""Structured logs: one JSON object per line, without secrets.

A client's request has a trace: one id in the log lines of every server that it passes through.
"""

import json
import logging
import os
import re
import sys
import time
from contextvars import ContextVar
from typing import NamedTuple, TextIO

LOG = logging.getLogger("wartable")
LEVELS = {
    "alembic": logging.WARNING,  # it logs its set-up when it is imported
    "uvicorn": logging.WARNING,
    "litestar": logging.ERROR,
    "websockets": logging.ERROR,
}
FIELDS = (
    "method", "path", "status", "ms", "table", "account", "code", "reason", "number", "count", "to",
    "error",
)  # fmt: skip  # a list of names
TRACE_BYTES = 8
TRACE = re.compile("[0-9a-f]{16}(-[0-9]{1,10})?")
"""The form of a trace: the id of a connection, with the number of the request on it."""

_ENCODE = json.JSONEncoder(ensure_ascii=False).encode


class Trace(NamedTuple):
    """The id of the request being answered, and whether another server has carried it here."""

    id: str = ""
    carried: bool = False


TRACED: ContextVar[Trace] = ContextVar("traced", default=Trace())  # noqa: B039  # it is immutable
"""The trace of the request being answered; empty while the house acts without one."""


class Way:
    """A connection's id, which the first server makes, and the number of requests so far."""

    def __init__(self, id_: str = "", carried: bool = False) -> None:
        self.id = id_ or os.urandom(TRACE_BYTES).hex()
        self._carried, self._count = carried, 0

    def next(self) -> Trace:
        """The trace of the next request; a request that was forwarded has one already."""
        self._count += 1
        numbered = "-" in self.id and self._count == 1
        return Trace(self.id if numbered else f"{self.id}-{self._count}", self._carried)


def log_row(table: str, number: int) -> None:
    """Log the row that a carried request or command wrote, which ends its trace."""
    if TRACED.get().carried:
        LOG.info("row written", extra={"table": table, "number": number})


class JsonLines(logging.Formatter):
    """A record as one line: time, level, message, and the fields that hold no secrets."""

    def format(self, record: logging.LogRecord) -> str:
        """The line; an exception is logged by its type and place, without its message."""
        moment = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
        line: dict[str, object] = {
            "at": f"{moment}.{int(record.msecs):03}Z",
            "level": record.levelname.lower(),
            "from": record.name,
            "event": record.getMessage(),
        }
        if trace := getattr(record, "trace", "") or TRACED.get().id:
            line["trace"] = trace
        line |= {key: getattr(record, key) for key in FIELDS if hasattr(record, key)}
        if record.exc_info and record.exc_info[0] is not None:
            line["error"] = record.exc_info[0].__name__
            trace = record.exc_info[2]
            places = []
            while trace is not None:
                code = trace.tb_frame.f_code
                places.append(f"{code.co_name}:{trace.tb_lineno}")
                trace = trace.tb_next
            line["places"] = places[-12:]
        return _ENCODE(line)


def set_up(stream: TextIO | None = None) -> None:
    """Send all logs to the stream, one JSON object per line."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(JsonLines())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.INFO)
    for name, level in LEVELS.items():
        logging.getLogger(name).setLevel(level)
