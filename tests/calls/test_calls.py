"""One call for each question: the answers, their forms, and what is refused."""

import ast
import importlib
import json
import sys
import xml.etree.ElementTree as ET
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import wartable
from paths import ROOT
from waiting import ran
from wartable import calls
from wartable.answer import AnswerError, CallAnswer, shown
from wartable.cli import wartable as command
from wartable.game import Illegal
from wartable.notation import parse, replay
from wartable.odds import Odds
from wartable.refusal import Refusal
from wartable.rules import NAMES, load, with_options

WORKED = {
    "rules": "maryland",
    "hands": [
        {"box": 1, "player": "ann", "wagers": {"primary": 2500, "tie": 500}, "choice": "war",
         "cards": ["9h", "Kd"]},
        {"box": 2, "player": "bob", "wagers": {"primary": 1500}, "choice": "surrender",
         "cards": ["9s"]},
        {"box": 3, "player": "cat", "wagers": {"tie": 100}, "cards": ["2c"]},
    ],
    "dealer": ["9c", "4s"],
}  # fmt: skip  # a worked round


def printed(*arguments: str) -> Any:
    """What a command prints as JSON."""
    result = CliRunner().invoke(command, [*arguments, "--json"])
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


@pytest.mark.parametrize("name", NAMES)
def test_odds_are_the_commands(name: str) -> None:
    """`wartable.odds` has the document that `wartable odds --json` prints, and its main table."""
    wagers = ("primary", "tie")
    answer = calls.odds(name, wagers=wagers)
    assert json.loads(answer.to_json()) == printed(
        "odds", name, *(part for each in wagers for part in ("--wager", each))
    )
    table = answer.table()
    at = table["wager"].index("primary, war")
    exact = Odds(load(name)).wager("primary")
    assert table["expectation"][at] == str(exact.ev)
    assert (table["edge"][at], table["sd"][at]) == (float(exact.edge), exact.sd)
    assert answer["decks"] == 6


def test_odds_take_what_the_command_takes() -> None:
    """Options, cards seen, decks and boxes are those of the command; a book may be a value."""
    asked = calls.odds(
        "maryland", options={"war_pays": "no_bonus"}, decks=2, seen="9s 9d", boxes=2, wagers=["tie"]
    )
    assert json.loads(asked.to_json()) == printed(
        "odds", "maryland", "--option", "war_pays=no_bonus", "--decks", "2", "--seen", "9s 9d",
        "--boxes", "2", "--wager", "tie",
    )  # fmt: skip  # one command
    book = with_options(load("maryland"), {"war_pays": "no_bonus"})
    again = calls.odds(book, decks=2, seen=["9s", "9d"], boxes=2, wagers=["tie"])
    assert again.document == asked.document


def test_settle_is_the_commands() -> None:
    """`wartable.settle` gives every hand's nets, and why one is refused."""
    answer = calls.settle(WORKED)
    result = CliRunner().invoke(command, ["settle", "--json"], input=json.dumps(WORKED))
    assert json.loads(answer.to_json()) == json.loads(result.stdout)
    assert answer.table("hands")["net"] == [7500, -750, 0]
    assert answer.table()["refused"][2] is not None
    assert "box 1, ann" in answer.picture.text()
    assert answer._repr_html_().startswith("<svg")
    with pytest.raises(Refusal):
        calls.settle({"rules": "maryland"})


def test_a_round_is_played_with_given_cards() -> None:
    """`wartable.play` pays what the engine pays, and its text is decided again alike."""
    played = calls.play("maryland", {"primary": 1000, "tie": 100}, "9h 9c Kd 4s")
    assert (played.net, played["net"]) == (2000, 2000)
    assert played["cards"] == ["9h", "9c", "Kd", "4s"]
    assert played["wagers"] == {"primary": 0, "tie": 1000, "war": 1000}
    assert replay(parse(played.text)) == played.playthrough
    assert "9♥ K♦  +$20" in repr(played)
    gave_up = calls.play("maryland", {"primary": 1000}, ["9h", "9c"], choice="surrender")
    assert gave_up.net == -500
    tied = calls.play("maryland", {"primary": 1000}, "9h 9c Kd Ks", war_tie=500)
    assert tied.net == 2000 + 5000
    lost = calls.play("new-zealand", {"primary": 1000}, "2c 3c", options={"odd_half": "up"})
    assert lost.playthrough.options == {"odd_half": "up"}
    assert lost.net == -1000


def test_a_random_round_repeats_with_its_seed() -> None:
    """Equal seeds play equal rounds; a meter and a wheel are answered too."""
    wagers: dict[Any, int] = {"primary": 1000, "progressive": 500, "bonus_spin": 500}
    texts = [calls.play("maryland", wagers, seed=seed).text for seed in (*range(60), 1)]
    assert texts[1] == texts[-1]
    assert len(set(texts)) > 50
    assert any("spun" in text for text in texts)
    assert calls.play("california", {"primary": 1000}).text != ""


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("maryland", {"primary": 0}), "at least"),
        (("washington", {"primary": 100, "progressive": 100}), "not offer"),
        (("maryland", {"primary": 1000}, "9h 9c"), "The cards ran out"),
        (("nowhere", {"primary": 1000}), "nowhere"),
    ],
)
def test_what_cannot_be_played(arguments: Any, sentence: str) -> None:
    """A refused wager, missing cards and a missing book are refused with a sentence."""
    with pytest.raises(Refusal, match=sentence):
        calls.play(*arguments)


def test_simulate_counts_as_the_command() -> None:
    """The same seed counts the same classes; the main table has each wager's edge and z."""
    answer = calls.simulate("online", 50_000, seed=3, threads=1)
    found = printed("simulate", "online", "--rounds", "50000", "--seed", "3", "--threads", "1")
    assert answer["classes"] == found["classes"]
    assert answer["wagers"] == found["wagers"]
    assert answer.table()["wager"] == ["primary", "tie", "war_tie"]
    assert sum(answer.table("classes")["rounds"]) == 50_000
    other = calls.simulate("maryland", 1000, boxes=2, wagers=["primary"], penetration=0.5, seed=1)
    assert sum(other["classes"].values()) == 1000
    for rounds in (0, 1.5, -1):
        with pytest.raises(Refusal, match="whole number from 1"):
            calls.simulate("online", rounds)  # type: ignore[arg-type]  # refused at run time


def test_sessions_are_the_commands() -> None:
    """The same seed gives the same sessions, and the paths are those behind the figures."""
    answer = calls.session("online", paths=4000, rounds=50, seed=5, tie=100, threads=1)
    found = printed(
        "session", "online", "--paths", "4000", "--rounds", "50", "--seed", "5", "--tie", "1"
    )
    assert answer["final"] == found["final"]
    assert answer["fan"] == found["fan"]
    assert answer.table()["exact"][0] == found["ruin"]["exact"]
    paths = answer.paths(4000)
    assert paths.shape == (4000, 51)
    assert (paths[:, 0] == 50_000).all()
    assert paths[:, -1].mean() == pytest.approx(answer["final"]["mean"])
    with pytest.raises(Refusal, match="paths to show"):
        answer.paths(4001)
    with pytest.raises(Refusal, match="no setting 'speed'"):
        calls.session("online", speed=3)
    with pytest.raises(Refusal, match="war or surrender"):
        calls.session("online", policy="never")
    with pytest.raises(Refusal, match="wheel"):
        calls.session("maryland", bonus_spin=500)


def answers() -> list[CallAnswer]:
    """An answer of each call."""
    return [
        calls.odds("washington", wagers=["primary", "tie"]),
        calls.settle(WORKED),
        calls.play("maryland", {"primary": 1000}, "9h 8c"),
        calls.simulate("online", 2000, seed=1),
        calls.session("online", paths=500, rounds=20, seed=1),
    ]


def test_every_answer_has_every_form() -> None:
    """Text, HTML, JSON and data frames of pandas, Polars and Arrow hold the same tables."""
    for answer in answers():
        assert len(repr(answer).splitlines()) > 2
        markup = answer._repr_html_()
        ET.fromstring(f"<div>{markup}</div>")
        assert json.loads(answer.to_json())
        for name, columns in answer.tables.items():
            rows = [
                dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)
            ]
            assert answer.to_arrow(name).to_pylist() == rows
            assert answer.to_polars(name).to_dicts() == rows
            frame = answer.to_pandas(name)
            assert list(frame.columns) == list(columns)
            assert len(frame) == len(rows)


def test_arrays_are_not_copied() -> None:
    """An array of numbers becomes an Arrow column in the memory that it has."""
    numbers = np.arange(1000)
    table: Any = {"n": numbers}
    answer = CallAnswer("numbers", {}, {"numbers": table})
    buffer = answer.to_arrow()["n"].chunk(0).buffers()[1]
    assert buffer.address == numbers.ctypes.data
    assert np.shares_memory(answer.to_pandas()["n"].to_numpy(), numbers)
    assert "... 988 rows more" in repr(answer)
    assert "... 988 rows more" in answer._repr_html_()


def test_markup_is_escaped() -> None:
    """A name with markup in it is text in a notebook, in tables and in pictures."""
    hostile = {**WORKED["hands"][0], "player": "<b>&"}  # type: ignore[dict-item]  # a dict
    answer = calls.settle({**WORKED, "hands": [hostile]})
    assert "<b>" not in answer._repr_html_()
    assert "&lt;b&gt;&amp;" in answer._repr_html_()


def test_what_an_answer_does_not_have(monkeypatch: pytest.MonkeyPatch) -> None:
    """A table that is not there and a library that is missing are named."""
    answer = calls.odds("online", wagers=["tie"])
    with pytest.raises(AnswerError, match="There is no table 'x'; there are wagers, net results"):
        answer.table("x")
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(AnswerError, match="pip install polars"):
        answer.to_polars()
    assert [shown(value) for value in (None, 1234, 0.123456789, True, "x")] == [
        "", "1,234", "0.123457", "True", "x",
    ]  # fmt: skip  # one list


def test_the_package_answers_by_itself() -> None:
    """`import wartable` is quick, has the calls, and its packages of the same name work too."""
    program = (
        "import sys, wartable\n"
        "assert not {'wartable.calls', 'msgspec', 'numpy'} & set(sys.modules)\n"
        "assert set(wartable.__all__) <= set(dir(wartable)) | {'odds', 'play', 'session',"
        " 'settle', 'simulate'}\n"
        "print(wartable.odds('online', wagers=['tie'])['wagers']['tie']['ev']['exact'])\n"
        "from wartable.odds import Odds\n"
        "import wartable.odds, wartable.settle\n"
        "print(wartable.odds('online', wagers=['tie']).table()['expectation'])\n"
        "print(wartable.odds.Odds is Odds, wartable.settle.settle.__module__)\n"
        "print(wartable.play('online', {'primary': 100}, '3c 2c').net)\n"
        "assert not hasattr(wartable, 'nothing')\n"
    )
    printed = ran([sys.executable, "-c", program], check=True)
    assert printed.stdout.splitlines() == ["-58/311", "['-58/311']", "True wartable.settle", "100"]


def test_the_types_are_those_of_the_calls() -> None:
    """The package's stub names exactly what the package has."""
    stub = ast.parse((ROOT / "src" / "wartable" / "__init__.pyi").read_text("utf-8"))
    named = {
        alias.asname
        for node in stub.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert named | {"__version__"} == set(wartable.__all__)
    assert all(callable(getattr(calls, str(name))) for name in named)


PUBLIC = (
    "wartable",
    "wartable.answer",
    "wartable.calls",
    "wartable.environments",
    "wartable.game",
    "wartable.notation",
    "wartable.odds",
    "wartable.picture",
    "wartable.rules",
    "wartable.settle",
    "wartable.table",
    "wartable.worked",
)


@pytest.mark.parametrize("name", PUBLIC)
def test_what_is_public_is_named(name: str) -> None:
    """Each public module has `__all__`, is on the page of public names, and says what is what."""
    module = importlib.import_module(name)
    page = (ROOT / "docs" / "python.md").read_text("utf-8")
    assert f"`{name}`" in page
    assert len(set(module.__all__)) == len(module.__all__)
    for each in module.__all__:
        value = getattr(module, each)
        if callable(value) and isinstance(getattr(value, "__doc__", None), str):
            assert value.__doc__.strip(), each


def test_illegal_is_a_refusal() -> None:
    """Whoever catches `Refusal` catches every refusal, the engine's too."""
    assert issubclass(Illegal, Refusal)
    assert issubclass(calls.CallError, Refusal)
