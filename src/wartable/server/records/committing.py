"""The process that commits for one server: it writes the batches that it receives, and answers.

It starts with each house, so it imports little: nothing asynchronous, and no logging.
"""

import socket
import sys
from contextlib import suppress

import msgspec

from wartable.server.records.connections import WritingConnection
from wartable.server.records.rows import Entry
from wartable.server.records.store import (
    CommitRefused,
    Overtaken,
    Repeated,
    Unsure,
    Waiting,
    attempt,
    writing_connection,
)

LENGTH_BYTES = 4


class Batch(msgspec.Struct, frozen=True):
    """Entries to write together, and how often each has failed."""

    entries: tuple[Entry, ...]
    tries: tuple[int, ...]


class WriteProblem(msgspec.Struct, frozen=True):
    """Why an entry was not written: the kind of problem, its sentence and its details."""

    kind: str
    sentence: str
    number: int = 0
    text: str = ""
    at_ms: int = 0

    def error(self, entry: Entry) -> Exception:
        """The exception for the caller who waits for the entry."""
        match self.kind:
            case "repeated":
                return Repeated(self.number, self.text)
            case "overtaken":
                return Overtaken(entry.row, (self.number, self.text), self.at_ms)
            case "odd":
                return Unsure(self.sentence)
            case code:
                return CommitRefused(code, self.sentence)


class Reply(msgspec.Struct, frozen=True):
    """The result of a batch; entries not named here were written."""

    problems: dict[int, WriteProblem] = {}
    again: dict[int, int] = {}
    """The entries to retry over a new connection, with how often each has failed."""

    failure: str = ""
    """Why the database could not be reached."""


encode = msgspec.msgpack.Encoder().encode
_batch = msgspec.msgpack.Decoder(Batch).decode
_where = msgspec.msgpack.Decoder(tuple[str, int | None]).decode


def serve(side: socket.socket) -> None:
    """Write the incoming batches until the server ends."""
    where = _receive(side)
    if where is None:
        return
    try:
        connection = writing_connection(*_where(where))
    except Exception as problem:
        _send(side, Reply(failure=str(problem) or repr(problem)))
        return
    _send(side, Reply())
    while (data := _receive(side)) is not None:
        _send(side, written(connection, _batch(data)))
    connection.close()


def written(connection: WritingConnection, batch: Batch) -> Reply:
    """Write the batch and return its result."""
    problems: dict[int, WriteProblem] = {}

    def waiting(place: int, entry: Entry, tries: int) -> Waiting:
        def done(problem: Exception | None) -> None:
            if problem is not None:
                problems[place] = problem_of(problem)

        return Waiting(entry, done, tries)

    parts = zip(batch.entries, batch.tries, strict=True)
    all_ = [waiting(place, *part) for place, part in enumerate(parts)]
    left = {id(each): each.tries for each in attempt(connection, all_)}
    again = {place: left[id(each)] for place, each in enumerate(all_) if id(each) in left}
    return Reply(problems, again)


def problem_of(problem: Exception) -> WriteProblem:
    """The problem in the form that is sent to the server."""
    match problem:
        case Repeated():
            return WriteProblem(problem.code, problem.sentence, problem.number, problem.command)
        case CommitRefused():
            return WriteProblem(problem.code, problem.sentence)
        case Overtaken():
            return WriteProblem("overtaken", str(problem), *problem.head, problem.at_ms)
        case _:
            return WriteProblem("odd", repr(problem))


def _send(side: socket.socket, reply: Reply) -> None:
    data = encode(reply)
    side.sendall(len(data).to_bytes(LENGTH_BYTES) + data)


def _receive(side: socket.socket) -> bytes | None:
    """The next message; None if the server has ended."""
    length = _exactly(side, LENGTH_BYTES)
    return None if length is None else _exactly(side, int.from_bytes(length))


def _exactly(side: socket.socket, count: int) -> bytes | None:
    data = bytearray()
    while len(data) < count:
        part = side.recv(count - len(data))
        if not part:
            return None
        data += part
    return bytes(data)


if __name__ == "__main__":
    # The server may be gone before the reply; the journal has what was committed.
    with suppress(OSError), socket.socket(fileno=int(sys.argv[1])) as server_side:
        serve(server_side)
