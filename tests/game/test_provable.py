"""Provable shoes: every honest record holds, and every change of one is found and named."""

import json
import random
from itertools import islice
from pathlib import Path
from typing import get_args

import msgspec
import pytest

from provable_records import (
    OF_EVERY_BOOK,
    TAMPERINGS,
    Json,
    Which,
    by_page,
    fields,
    of_book,
    spun,
    three,
)
from wartable import proof
from wartable.cards import DECK
from wartable.proof import When
from wartable.rules import load
from wartable.table.draws import labels
from wartable.table.folding_cards import NOTED
from wartable.verify import VerifyStep, verify_bytes


def steps(record: Json) -> list[VerifyStep]:
    """What the program says of a record."""
    return verify_bytes(json.dumps(record).encode())


@pytest.mark.parametrize("which", OF_EVERY_BOOK)
def test_every_book_and_method_holds(which: Which) -> None:
    """Records of tables that play themselves hold, whatever happens there."""
    found = steps(of_book(*which))
    assert [step for step in found if not step.ok] == []


def test_the_page_agrees_on_every_book_and_method(tmp_path: Path) -> None:
    """The page says the same of every record, step by step; every label is chosen in some."""
    records = [of_book(*which) for which in OF_EVERY_BOOK]
    for order in get_args(When):
        records += [three(order), json.loads(spun(order))]
    for record, said in zip(records, by_page(tmp_path, records), strict=True):
        expected = [(step.shoe, step.name, step.ok, step.sentence) for step in steps(record)[1:]]
        assert [(s["shoe"], s["name"], s["ok"], s["sentence"]) for s in said] == expected
    choices = [each for record in records for shoe in record["shoes"] for each in shoe["choices"]]
    assert {each["label"] for each in choices} == {
        label.name for label in labels(load("maryland").rules)
    }


def test_three_shoes_say_what_happened() -> None:
    """Who voided rounds, who took over, and how many draws had no number."""
    found = steps(three())
    assert all(step.ok for step in found)
    (told,) = [step.sentence for step in found if step.name == "incidents"]
    assert "round voided" in told
    assert "change of dealer" in told
    assert "without a player's number" in told


def test_every_incident_has_its_words() -> None:
    """Every incident has words; one that is only noted is named after its event."""
    assert set(proof.INCIDENTS) == set(get_args(proof.IncidentKind))
    assert {kind.__struct_config__.tag: name for kind, name in NOTED.items()} == {
        name: name for name in NOTED.values()
    }


@pytest.mark.parametrize("order", get_args(When))
def test_every_tampering_is_named(tmp_path: Path, order: When) -> None:
    """Each of the changes fails, by the program and by the page in the same words."""
    assert len(TAMPERINGS) >= 60
    records = {name: three(order) for name in TAMPERINGS}
    for name, record in records.items():
        TAMPERINGS[name](record["shoes"][1])
        assert record != three(order), name
    for (name, record), said in zip(
        records.items(), by_page(tmp_path, [*records.values()]), strict=True
    ):
        found = [(each["shoe"], each["name"]) for each in said if not each["ok"]]
        expected = [(step.shoe, step.name) for step in steps(record) if not step.ok]
        assert expected, name
        assert found, name
        assert expected in (found, [(0, "format")]), name


def test_every_field_is_tampered_with() -> None:
    """The changes give every field of a record another value; a field that is new needs one too."""
    shoe = three()["shoes"][1]
    changed: set[str] = set()
    for tamper in TAMPERINGS.values():
        other = three()["shoes"][1]
        tamper(other)
        was, now = fields(shoe), fields(other)
        changed |= was.keys() - now.keys()
        same = {name for name in was.keys() & now.keys() if len(now[name]) == len(was[name])}
        changed |= {name for name in same if was[name] != now[name]}
    assert set(fields(shoe)) - changed == set()


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda shoes: shoes.pop(1), "Shoe 2 is missing: shoe 3 does not follow it."),
        (lambda shoes: shoes.reverse(), "Shoe 2 is out of order: it does not follow shoe 3."),
        (
            lambda shoes: shoes[0]["proof"]["incidents"].clear(),
            "Shoe 1 was changed: shoe 2 is bound to another record of it.",
        ),
        (
            lambda shoes: shoes[2]["discards"].reverse(),
            "Shoe 3 was changed: shoe 4 is bound to another record of it.",
        ),
    ],
)
def test_the_first_record_that_does_not_fit_is_named(change: object, sentence: str) -> None:
    """A record that is missing, out of order or changed is named by its number."""
    record = three()
    assert callable(change)
    change(record["shoes"])
    told = [step.sentence for step in steps(record) if not step.ok and step.name == "sequence"]
    assert told == [sentence]


def test_a_link_proves_those_before_it_only() -> None:
    """The end is the root hashed as often as there are links, one step for each."""
    root = bytes(32)
    assert proof.chain_end(root, 0) == root
    assert proof.chain_end(root, 3) == proof.link_before(proof.chain_end(root, 2))


def test_a_draw_is_exactly_uniform() -> None:
    """Words above the last whole multiple are skipped, so that every card is equally likely."""
    cards = 40_000  # more than a third of the first words must be discarded
    for number in range(40):
        key = number.to_bytes(32, "big")
        blocks = islice(proof.blocks(key), 8)
        words = [
            int.from_bytes(block[at : at + 2], "big") for block in blocks for at in range(0, 32, 2)
        ]
        expected, place = [], 7
        for word in words:
            left = cards - place
            if word < 2**16 - 2**16 % left:
                expected.append(place + word % left)
                place += 1
        assert len(expected) < len(words)
        assert [*islice(proof.sources(key, 7, cards), len(expected))] == expected


@pytest.mark.parametrize("first", [0, 5, 300])
def test_cards_are_decided_one_by_one_as_all_together(first: int) -> None:
    """Each place has one source, whoever asks for it and when; all cards are dealt once."""
    key, cards = bytes(31) + b"1", list(DECK * 6)
    sources = [*proof.sources(key, first, len(cards))]
    for place in random.Random(first).sample(range(first, len(cards)), len(cards) - first):
        assert proof.source(key.hex(), first, len(cards), place) == sources[place - first] >= place
    dealt = [*proof.dealt(cards, key, first)]
    assert sorted(dealt) == sorted(cards[first:])
    for place, other in enumerate(sources, first):
        cards[place], cards[other] = cards[other], cards[place]
    assert cards[first:] == dealt


def test_names_are_kept_apart() -> None:
    """No card, label or round shares a block with another."""
    key = bytes(32)
    names = [(label, at) for label in ("", "0", "wheel", 'wheel",1') for at in range(50)]
    found = {next(proof.blocks(key, *name)) for name in [(), *names]}
    assert len(found) == 1 + len(names)


def test_json_is_canonical() -> None:
    """Whatever a name holds, the bytes are those that Python's and the browser's JSON give."""
    value = {"b": ['é\x7f\x01\u2028"\\/\n', None, True, 0], "a": {"z": 1, "y": -1}}
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert proof.canonical(value) == text.encode()
    assert msgspec.json.decode(proof.canonical(value)) == value
