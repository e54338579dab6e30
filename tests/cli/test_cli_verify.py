"""`wartable verify`: finished shoes, tampered ones, and files that are none."""

from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

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
