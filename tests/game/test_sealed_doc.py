"""The page docs/sealed.md is enough: the verifier printed on it agrees with the vectors."""

import json
import re
from typing import Any

import pytest

from paths import DOCS
from test_shoe import TAMPERINGS, THREE, VECTORS, Change

PAGE = (DOCS / "sealed.md").read_text("utf-8")
(CODE,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture(scope="module")
def page() -> dict[str, Any]:
    """What the page's program defines."""
    names: dict[str, Any] = {}
    exec(compile(CODE, "docs/sealed.md", "exec"), names)
    return names


def test_the_program_stands_alone() -> None:
    """The page's program imports nothing of the project."""
    assert re.findall(r"^(?:import|from) (\w+)", CODE, re.MULTILINE) == ["hashlib", "hmac"]
    assert "import wartable" not in CODE


@pytest.mark.parametrize("each", VECTORS["vectors"], ids=lambda each: str(each["name"]))
def test_the_program_accepts_the_vectors(page: dict[str, Any], each: dict[str, Any]) -> None:
    """The page's program finds every committed vector in order."""
    page["verify"](each["shoe"])


@pytest.mark.parametrize(("step", "change"), TAMPERINGS)
def test_the_program_finds_tampering(page: dict[str, Any], step: str, change: Change) -> None:
    """The page's program refuses every tampering that `verify` refuses."""
    (found,) = [each["shoe"] for each in VECTORS["vectors"] if THREE in each["name"]]
    shoe = json.loads(json.dumps(found))
    change(shoe)
    with pytest.raises((AssertionError, TypeError, ZeroDivisionError)) as refused:
        page["verify"](shoe)
    if step in {"commitment", "players' seeds", "cover card"} and refused.type is AssertionError:
        assert str(refused.value).splitlines()[0] == step


def test_the_worked_example_is_the_second_vector() -> None:
    """Every long value of the worked example is one of the second vector's."""
    example = PAGE[PAGE.index("## A worked example") : PAGE.index("## A verifier")]
    vector = VECTORS["vectors"][1]
    text = json.dumps(vector)
    values = re.findall(r"\b[0-9a-f]{64}\b", example)
    assert len(values) == 8
    derived = {"order's key", "order's block 1"}
    for name, value in re.findall(r"^([a-z'0-9 ]+?) +([0-9a-f]{64})$", example, re.MULTILINE):
        assert (value in text) != (name in derived), name
    top, after = re.findall(r"`((?:[2-9TJQKA][cdhs] ){7}[2-9TJQKA][cdhs])`", example)
    assert top.split() == vector["derived"]["top_before_cut"]
    assert after.split() == vector["shoe"]["cards"][:8]


def test_the_worked_example_can_be_followed(page: dict[str, Any]) -> None:
    """The example's fields, key and blocks are what the page's own functions give."""
    shoe = VECTORS["vectors"][1]["shoe"]
    opened = bytes.fromhex(shoe["player_seeds"][0]["seed"])
    packed = page["pack"]("wartable-1 seal", "vectors", 2, "ann", opened).hex()
    rows = re.findall(r"\b(0000[0-9a-f]{4}) ([0-9a-f]+)\b(?!\.)", PAGE)
    assert packed.startswith("".join(length + field for length, field in rows))
    message = page["pack"](
        "wartable-1 stream",
        bytes.fromhex(VECTORS["vectors"][1]["derived"]["transcript"]),
        "order",
        0,
    )
    key = page["hmac"].digest(bytes.fromhex(shoe["seed"]), message, "sha256")
    assert key.hex() in PAGE
    for counter in (0, 1):
        assert page["hmac"].digest(key, counter.to_bytes(8, "big"), "sha256").hex() in PAGE
