"""Structured logs: one JSON object per line, without secrets."""

import json
import logging
import sys
import time
from typing import TextIO

LOG = logging.getLogger("wartable")
LEVELS = {
    "alembic": logging.WARNING,  # it logs its set-up when it is imported
    "uvicorn": logging.WARNING,
    "litestar": logging.ERROR,
    "websockets": logging.ERROR,
}
FIELDS = ("method", "path", "status", "ms", "table", "account", "code", "reason", "number", "count")


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
        line |= {key: getattr(record, key) for key in FIELDS if hasattr(record, key)}
        if record.exc_info and record.exc_info[0] is not None:
            line["error"] = record.exc_info[0].__name__
            trace = record.exc_info[2]
            places = []
            while trace is not None:
                code = trace.tb_frame.f_code
                places.append(f"{code.co_name}:{trace.tb_lineno}")
                trace = trace.tb_next
            line["trace"] = places[-12:]
        return json.dumps(line, ensure_ascii=False)


def set_up(stream: TextIO | None = None) -> None:
    """Send all logs to the stream, one JSON object per line."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(JsonLines())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.INFO)
    for name, level in LEVELS.items():
        logging.getLogger(name).setLevel(level)
