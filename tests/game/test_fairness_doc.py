"""The page docs/fairness.md is enough: the verifier printed on it finds what the program finds."""

import hashlib
import re
from typing import Any, get_args

import msgspec
import pytest

from paths import DOCS
from provable_records import OF_EVERY_BOOK, TAMPERINGS, Which, of_book, three
from tables import Play
from wartable import game
from wartable.links import Links
from wartable.proof import When

PAGE = (DOCS / "fairness.md").read_text("utf-8")
(CODE,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
EXAMPLE = PAGE[PAGE.index("## A worked example") : PAGE.index("## A verifier")]
VALUES = dict(re.findall(r"^([a-z'0-9, ]+?) +([0-9a-f]{64})$", EXAMPLE, re.MULTILINE))


@pytest.fixture(scope="module")
def page() -> dict[str, Any]:
    """What the page's program defines."""
    names: dict[str, Any] = {}
    exec(compile(CODE, "docs/fairness.md", "exec"), names)
    return names


def test_the_program_stands_alone() -> None:
    """The page's program imports nothing of the project, and is short."""
    imported = re.findall(r"^(?:import|from) (\w+)", CODE, re.MULTILINE)
    assert imported == ["hashlib", "hmac", "json", "itertools"]
    assert len([line for line in CODE.splitlines() if line.strip()]) < 160


@pytest.mark.parametrize("which", OF_EVERY_BOOK)
def test_the_program_accepts_every_book_and_method(page: dict[str, Any], which: Which) -> None:
    """The page's program finds the records of tables of every book in order."""
    page["verify"](of_book(*which))


@pytest.mark.parametrize("order", get_args(When))
@pytest.mark.parametrize("name", TAMPERINGS)
def test_the_program_finds_tampering(page: dict[str, Any], name: str, order: When) -> None:
    """The page's program refuses every tampering that `wartable verify` refuses."""
    record = three(order)
    page["verify"](record)
    TAMPERINGS[name](record["shoes"][1])
    if name in ("a seal", "a stack", "a key"):  # the page's program does not read these
        return
    with pytest.raises((AssertionError, KeyError, IndexError, TypeError)):
        page["verify"](record)


def test_the_worked_example_is_what_a_table_does(page: dict[str, Any]) -> None:
    """Every value of the example comes from a table, and the page's own functions give it."""
    play = Play("online", own="ann", name="example")
    play.links = Links("0" * 64, "ann", lambda: VALUES["root"])
    play.join("ann").start().bet("ann", 1, primary=500)
    play.do(game.CloseBets(VALUES["ann's number"]))
    play.finish()
    shoe = msgspec.json.decode(msgspec.json.encode(play.finished[0]))
    assert shoe["proof"]["bound"]["chain"] == VALUES["end"]
    assert (shoe["commitment"], shoe["seed"]) == (VALUES["commitment"], VALUES["first link"])
    assert hashlib.sha256(bytes.fromhex(VALUES["first link"])).hexdigest() == VALUES["end"]
    (text,) = re.findall(r"```json\n(.*)\n```", EXAMPLE)
    assert page["canonical"]({"terms": shoe["terms"], "bound": shoe["proof"]["bound"]}) == (
        text.encode()
    )
    numbers = page["canonical"](shoe["proof"]["draws"][0]["numbers"])
    committed = bytes.fromhex(shoe["commitment"])
    heard = page["digest"]("wartable-2 draw", committed, 0, b"[]", numbers)
    assert heard.hex() == VALUES["heard"]
    (key,) = page["keys_of"](shoe)
    assert key.hex() == VALUES["key"]
    fields = page["pack"]("wartable-2 block", "order", 0, 0)
    assert page["hmac"].digest(key, fields, "sha256").hex() == VALUES["block 0"]
    assert [each["card"] for each in shoe["drawn"]] == ["5s", "2d"]
    assert page["record_hash"](shoe) == VALUES["record"]
