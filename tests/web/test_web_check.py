"""The page's fairness check says of every record just what `wartable verify` says of it."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from node import FOLDER, node
from paths import DATA, ROOT
from table_strategies import Plan, RandomTable
from wartable.proof import ITERATIONS_MAX, LINKS_MAX
from wartable.rules import NAMES, load
from wartable.shoe import DECKS_MAX, Shoe
from wartable.verify import Record, verify, verify_bytes

VECTORS = DATA / "shoe-vectors.json"
Json = dict[str, Any]


def vectors() -> list[Json]:
    """The shoes of the specification's vectors."""
    return [each["shoe"] for each in json.loads(VECTORS.read_text("utf-8"))["vectors"]]


def record(*shoes: Any) -> Json:
    """A record of these shoes."""
    return {"format": "wartable-shoes-1", "shoes": list(shoes)}


def checked(folder: Path, records: list[Json]) -> list[list[Json]]:
    """What the page's check says of each record."""
    file = folder / "records"
    file.write_text("\n".join(json.dumps(each) for each in records))
    return [json.loads(line) for line in node(FOLDER / "checked.js", file).splitlines()]


def said_by_python(given: Json) -> list[Json]:
    """What the program says of a record, without the step that reads it."""
    steps = verify_bytes(json.dumps(given).encode())
    return [msgspec.to_builtins(step) for step in steps if step.name != "format"]


def shoes_of(plan: Plan) -> list[Shoe]:
    """The finished shoes of a table that plays itself."""
    found: list[Shoe] = []
    playing = RandomTable(plan, lambda _: None)
    happen = playing.play._happen

    def watch(event: Any) -> None:
        happen(event)
        last = playing.play.state.finished
        if last is not None and (not found or found[-1] is not last):
            found.append(last)

    setattr(playing.play, "_happen", watch)  # noqa: B010  # a method is replaced on purpose
    playing.run()
    return found


def test_the_vectors(tmp_path: Path) -> None:
    """Every vector of the specification is found right, step by step as by the program."""
    records = [record(shoe) for shoe in vectors()]
    found = checked(tmp_path, records)
    assert found == [said_by_python(each) for each in records]
    assert all(step["ok"] for steps in found for step in steps)


def test_shoes_of_every_book_and_method(tmp_path: Path) -> None:
    """Shoes from tables that play themselves, by every book's every method."""
    plans = [
        Plan(book, {"shuffle": method}, False, number, 12, 0, (), own)
        for number, book in enumerate(NAMES)
        for method in load(book).rules.shoe.methods
        for own in (False, True)
    ]
    records = [msgspec.to_builtins(Record(tuple(shoes_of(plan)))) for plan in plans]
    records = [each for each in records if each["shoes"]]
    assert {shoe["terms"]["method"] for each in records for shoe in each["shoes"]} >= {
        "every_round",
        "continuous",
    }
    found = checked(tmp_path, records)
    for given, steps in zip(records, found, strict=True):
        assert steps == said_by_python(given)
        assert all(step["ok"] for step in steps)


def tampered() -> Iterator[tuple[str, Json]]:
    """Records that somebody changed, each with the step that must find it."""

    def changed(number: int = 2) -> Json:
        return json.loads(json.dumps(vectors()[number]))  # type: ignore[no-any-return]  # a copy

    shoe = changed()
    shoe["seed"] = "00" * 32
    yield "commitment", shoe
    shoe = changed()
    shoe["terms"]["number"] += 1
    yield "commitment", shoe
    shoe = changed()
    shoe["player_seeds"][0]["seed"] = "ab" * 32
    yield "players' seeds", shoe
    shoe = changed()
    shoe["player_seeds"].pop()
    yield "players' seeds", shoe
    shoe = changed()
    other = next(i for i, card in enumerate(shoe["cards"]) if card != shoe["cards"][0])
    shoe["cards"][0] = shoe["cards"][other]
    yield "composition", shoe
    shoe = changed()
    cards = shoe["cards"]
    cards[0], cards[other] = cards[other], cards[0]
    yield "order", shoe
    shoe = changed()
    shoe["cuts"][-1]["position"] += 1
    yield "cut", shoe
    shoe = changed()
    shoe["cuts"][0]["position"] += 1
    yield "cut", shoe
    shoe = changed()
    shoe["cover"]["position"] += 1
    yield "cover card", shoe
    shoe = changed()
    drawn = shoe["drawn"]
    place = next(i for i, each in enumerate(drawn) if each["card"] != drawn[0]["card"])
    drawn[0]["card"] = drawn[place]["card"]
    yield "dealt cards", shoe
    shoe = changed()
    shoe["ended"] = ""
    yield "end", shoe
    for number, each in enumerate(vectors()):
        if each["choices"]:
            shoe = changed(number)
            choice = shoe["choices"][0]
            choice["result"] = (choice["result"] + 1) % len(choice["options"])
            yield "choices", shoe
            shoe = changed(number)
            choice = shoe["choices"][0]
            choice["weights"] = [2**70] * len(choice["options"])
            yield "choices", shoe


def test_the_page_checks_no_more_than_the_program() -> None:
    """What would take it for ever is refused at once, by the same limits."""
    script = (ROOT / "src" / "wartable" / "web" / "js" / "check.js").read_text("utf-8")
    limits = {"DECKS": DECKS_MAX, "ITERATIONS": ITERATIONS_MAX, "LINKS": LINKS_MAX}
    for name, most in limits.items():
        assert f"const {name}_MAX = {most:_};" in script


def test_a_tampered_shoe_is_found(tmp_path: Path) -> None:
    """Whatever is changed, the page names the same step with the same sentence as the program."""
    cases = list(tampered())
    assert {name for name, _ in cases} >= {"commitment", "order", "cut", "choices", "cover card"}
    records = [record(shoe) for _, shoe in cases]
    for (name, _), given, steps in zip(cases, records, checked(tmp_path, records), strict=True):
        bad = [step["name"] for step in steps if not step["ok"]]
        assert name in bad, (name, steps)
        assert steps == said_by_python(given)


@pytest.mark.parametrize("numbers", [(0, 0), (0, 1), (2, 1)])
def test_the_sequence_is_checked(tmp_path: Path, numbers: tuple[int, int]) -> None:
    """Shoes that repeat or do not follow one another are told alike."""
    given = record(*(vectors()[number] for number in numbers))
    (steps,) = checked(tmp_path, [given])
    assert steps == said_by_python(given)
    assert steps == [msgspec.to_builtins(step) for step in verify(msgspec.convert(given, Record))]
