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
from wartable.table import commands as c

PAGE = (DOCS / "fairness.md").read_text("utf-8")
CORE, MORE = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
CODE = CORE + "\n\n" + MORE
EXAMPLES = PAGE[PAGE.index("## Worked examples") : PAGE.index("## A verifier")]


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
    assert len([line for line in CORE.splitlines() if line.strip()]) < 110
    assert len([line for line in MORE.splitlines() if line.strip()]) < 40


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
    with pytest.raises((AssertionError, KeyError, IndexError, TypeError)):
        page["verify"](record)


def words_of(order: When) -> tuple[str, dict[str, str]]:
    """The worked example of one kind: its text, and its values by their names."""
    text = re.split(r"^### .*: `", EXAMPLES, flags=re.MULTILINE)
    (found,) = [each for each in text if each.startswith(f"{order}`\n")]
    return found, dict(re.findall(r"^([a-z'0-9 ]+?) +([0-9a-f]{64})$", found, re.MULTILINE))


def played(order: When, values: dict[str, str]) -> Play:
    """The table of an example, played with its root and its numbers."""
    if order == "on_deal":
        play = Play("online", own="ann", name="example")
        play.links = Links("0" * 64, "ann", lambda: values["root"])
        play.join("ann").start().bet("ann", 1, primary=500)
        play.do(game.CloseBets(values["ann's number"]))
        return play.finish()
    play = Play("washington", shared=order, name="example")
    play.links = Links("0" * 64, "", lambda: values["root"], order, 1_000)
    play.join("ann", "bob")
    while not play.finished:
        due = play.due[0]
        if due.what == "number":
            turn = {"after_bets": ("first ", "second ")}.get(order, ("",))[_draws(play)]
            play.do(c.SendNumber(due.player or "", values[f"{turn}{due.player}'s number"]))
        elif due.what == "cut":
            play.do(c.Cut("ann", 100))
        elif due.what == "bets":
            play.do(game.Bet("ann", 1, "primary", 500), game.CloseBets())
        elif due.what == "choice":
            play.do(game.Choose("ann", 1, "war"))
        elif due.what == "start" and play.state.rounds:
            play.do(c.OrderReshuffle("flo", "example"))
        else:
            play.do(play.plain(due))
    return play


def _draws(play: Play) -> int:
    shoe = play.state.shoe
    assert shoe is not None
    assert shoe.proof is not None
    return len(shoe.proof.draws)


@pytest.mark.parametrize("order", get_args(When))
def test_a_worked_example_is_what_a_table_does(page: dict[str, Any], order: When) -> None:
    """Every value of the example comes from a table, and the page's own functions give it."""
    text, values = words_of(order)
    shoe = msgspec.json.decode(msgspec.json.encode(played(order, values).finished[0]))
    bound, draws = shoe["proof"]["bound"], shoe["proof"]["draws"]
    assert (bound["order"], bound["chain"]) == (order, values["end"])
    assert shoe["commitment"] == values["commitment"]
    (json,) = re.findall(r"```json\n(.*)\n```", text)
    assert page["canonical"](["wartable-2 shoe", shoe["terms"], bound]) == json.encode()
    assert page["digest"]("wartable-2 record", shoe) == values["record"]
    page["verify_shoe"](shoe)
    known, link, blocks = {"root", "end", "commitment", "record"}, values["end"], ""
    turns = ("first ", "second ") if order == "after_bets" else ("",)
    for place, (turn, draw, key) in enumerate(
        zip(turns, draws, page["keys_of"](shoe, bound, draws), strict=True)
    ):
        next_link = values[f"{turn or 'first '}link"]
        assert hashlib.sha256(bytes.fromhex(next_link)).hexdigest() == link
        link = next_link
        for each in draw["numbers"]:
            assert each["number"] == values[f"{turn}{each['player']}'s number"]
            known.add(f"{turn}{each['player']}'s number")
        parts = shoe["commitment"], place, shoe["cuts"], draw["numbers"]
        assert page["digest"]("wartable-2 draw", *parts) == values[f"{turn}heard"]
        assert key.hex() == values[f"{turn}key"]
        block = page["hmac"].digest(key, b"[0]", "sha256").hex()
        assert block == values[f"{turn}block 0"]
        known |= {f"{turn or 'first '}link", f"{turn}heard", f"{turn}key", f"{turn}block 0"}
        blocks += block
    assert link == shoe["seed"]
    assert known == set(values), "nothing stands in the example that is not tried"
    told = text[text.rindex("```") :]
    named = re.findall(r"(?<!\.)\b(?=\d*[a-f])[0-9a-f]{4}\b(?!\.)", told)
    assert named, "the example says how a word becomes a card"
    assert set(named) <= {blocks[at : at + 4] for at in range(0, len(blocks), 4)}
    cards = iter(re.findall(r"`([2-9TJQKA][cdhs])`", told))
    assert all(each["card"] in cards for each in shoe["drawn"]), "in the order of the deal"
