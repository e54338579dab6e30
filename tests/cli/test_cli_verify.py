"""`wartable verify`: finished shoes, tampered ones, and files that are none."""

import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from provable_records import three
from wartable import shoe as shoes
from wartable.cli import wartable
from wartable.verify import Record, write_record

RUNNER = CliRunner()


@pytest.fixture
def record(tmp_path: Path) -> Path:
    """A record of two finished shoes."""
    made = []
    for number in (1, 2):
        stack = shoes.start(shoes.Terms("t", number, "every_round", 6), bytes([number]) * 32)
        shoe = shoes.load(stack)
        _, shoe = shoes.draw(shoe, "original", 1, 1)
        made.append(shoes.end(shoes.collect(shoe), "one round"))
    path = tmp_path / "shoes.json"
    path.write_bytes(write_record(Record(tuple(made))))
    return path


def test_a_sound_record(record: Path) -> None:
    """Every step is printed and holds; the exit code is 0."""
    result = RUNNER.invoke(wartable, ["verify", str(record)])
    assert result.exit_code == 0
    assert "holds  shoe 2    commitment" in result.output
    assert "FAILS" not in result.output
    assert result.output.endswith("steps hold.\n")
    quiet = RUNNER.invoke(wartable, ["verify", "--quiet", str(record)])
    assert quiet.output.count("\n") == 1


def test_a_tampered_record(record: Path) -> None:
    """The step that fails is named, and the exit code is 1."""
    content = msgspec.json.decode(record.read_bytes())
    drawn = content["shoes"][1]["drawn"][0]
    drawn["card"] = "2c" if drawn["card"] != "2c" else "3c"
    record.write_bytes(msgspec.json.encode(content))
    result = RUNNER.invoke(wartable, ["verify", str(record)])
    assert result.exit_code == 1
    assert "FAILS  shoe 2    dealt cards" in result.output


def test_standard_input(record: Path) -> None:
    """A dash reads standard input."""
    result = RUNNER.invoke(wartable, ["verify", "-"], input=record.read_bytes())
    assert result.exit_code == 0


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"\xff", b'{"shoes":[]}', b"\x1b[31m"])
def test_no_record(data: bytes, tmp_path: Path) -> None:
    """Bytes that are no record fail with a sentence, without control codes or traceback."""
    path = tmp_path / "x"
    path.write_bytes(data)
    result = RUNNER.invoke(wartable, ["verify", str(path)])
    assert result.exit_code == 1
    assert "FAILS  record" in result.output
    assert "\x1b" not in result.output


def test_unreadable(tmp_path: Path) -> None:
    """A file that cannot be read is one sentence and exit code 2."""
    for path in (tmp_path, tmp_path / "missing"):
        result = RUNNER.invoke(wartable, ["verify", str(path)])
        assert result.exit_code == 2
        assert "cannot be read" in result.stderr
        assert result.stderr.count("\n") == 1


def test_a_folder_is_one_record_for_each_table(tmp_path: Path) -> None:
    """Files of one table are joined, so that a shoe that is missing between two files is named."""
    content = three()
    for at, shoe in enumerate(content["shoes"]):
        part = {**content, "shoes": [shoe], "current": content["current"]}
        (tmp_path / f"{at}.json").write_bytes(msgspec.json.encode(part))
    sound = RUNNER.invoke(wartable, ["verify", str(tmp_path)])
    assert sound.exit_code == 0, sound.output
    assert sound.output.startswith("Table own\n")
    assert "The record has 3 shoes in sequence." in sound.output
    (tmp_path / "1.json").unlink()
    result = RUNNER.invoke(wartable, ["verify", "--quiet", str(tmp_path)])
    assert result.exit_code == 1
    assert "Shoe 2 is missing: shoe 3 does not follow it." in result.output


def test_a_folder_with_something_else(tmp_path: Path) -> None:
    """A file that is no record is named, and the exit code is 2."""
    (tmp_path / "x.json").write_bytes(b"[]")
    result = RUNNER.invoke(wartable, ["verify", str(tmp_path)])
    assert result.exit_code == 2
    assert "x.json is not a record of shoes" in result.stderr


def test_an_address(tmp_path: Path) -> None:
    """What a house answers at a table's address is checked, with the shoe in use."""
    content = three()
    answer = {"table": "own", "current": content["current"], "record": content}
    (tmp_path / "shoes").write_bytes(msgspec.json.encode(answer))
    handler = partial(Quiet, directory=str(tmp_path))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}"
        found = RUNNER.invoke(wartable, ["verify", f"{address}/shoes"])
        missing = RUNNER.invoke(wartable, ["verify", f"{address}/nothing"])
        server.shutdown()
    assert found.exit_code == 0, found.output
    assert "The record has 3 shoes in sequence." in found.output
    assert missing.exit_code == 2
    assert "cannot be read: HTTP Error 404" in missing.stderr
    gone = RUNNER.invoke(wartable, ["verify", address])
    assert gone.exit_code == 2
    assert gone.stderr == f"wartable: {address} cannot be read: Connection refused.\n"


@pytest.mark.parametrize(
    ("first", "second", "told"),
    [
        (7, None, "The record has 3 shoes in sequence."),
        (None, None, "Shoe 1 is missing: the table's record begins with shoe 2."),
        (7, 7, "its pages do not end"),
        (7, 9, "its pages do not end"),
    ],
)
def test_the_pages_of_an_address(first: int | None, second: int | None, told: str) -> None:
    """Older shoes are fetched page by page, until a house says that there are none."""
    content = three()
    asked: list[str] = []

    class Pages(Quiet):
        """A house with two pages, the newer one first."""

        def do_GET(self) -> None:
            """Answer with the page that is asked for."""
            asked.append(self.path)
            older = "after=" in self.path
            part = content["shoes"][:1] if older else content["shoes"][1:]
            current = None if older else content["current"]
            record = {**content, "shoes": part, "current": current}
            answer = {"table": "own", "record": record, "after": second if older else first}
            self.send_response(200)
            self.end_headers()
            self.wfile.write(msgspec.json.encode(answer))

    with ThreadingHTTPServer(("127.0.0.1", 0), Pages) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        found = RUNNER.invoke(wartable, ["verify", f"http://127.0.0.1:{server.server_port}/s?x=1"])
        server.shutdown()
    assert asked == ["/s?x=1", "/s?x=1&after=7&limit=50"][: 1 if first is None else 2]
    assert told in found.output + found.stderr
    assert found.exit_code == (2 if second is not None else 0 if first is not None else 1)


class Quiet(SimpleHTTPRequestHandler):
    """A server of files that says nothing."""

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # its base says so
        """Say nothing."""
