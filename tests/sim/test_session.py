"""`wartable session`: paths against the chain, betting systems, stops, files."""

import csv
import importlib
import json
import struct
import xml.etree.ElementTree as ET
from collections import Counter, defaultdict
from fractions import Fraction
from itertools import pairwise
from math import sqrt
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from sim_twin import Stream, parts
from wartable.cli import wartable
from wartable.odds.wagers import meters_of
from wartable.rules import load_any
from wartable.sim.chain import chain, chances, hourly_cost
from wartable.sim.session import SessionPlan, System, code_names, first_paths, tables_of, walk
from wartable.sim.summary import histogram, quantiles

pytestmark = pytest.mark.slow("plays millions of rounds")


def session(book: str = "online", **settings: Any) -> SessionPlan:
    """A session of 100 rounds at 10.00 with 200.00 to lose."""
    own = load_any(book)
    values = {"bankroll": 20_000, "bet": 1000, "rounds": 100, "paths": 50_000, "decks": 6}
    values |= {"table_max": 50_000}
    return SessionPlan(book=own, meters=meters_of(own), **(values | settings))


def ran(*arguments: str, code: int = 0) -> str:
    """What `wartable session` prints."""
    result = CliRunner().invoke(wartable, ["session", *arguments])
    assert result.exit_code == code, result.output
    return result.stdout if code == 0 else result.stderr


CHAINS: list[tuple[str, dict[str, Any]]] = [
    ("online", {}),
    ("online", {"tie": 500, "war_tie": 1000}),
    ("online", {"target": 30_000}),
    ("washington", {"stop_loss": 10_000, "stop_win": 15_000}),
    ("maryland", {"side_bets": {"progressive": 500}, "war": False}),
    ("maryland", {"side_bets": {"progressive": 100}, "tie": 100, "war_tie": 700}),
    ("new-zealand", {"war": False, "decks": 4, "bet": 1001}),
]


@pytest.mark.parametrize(("book", "settings"), CHAINS)
def test_paths_and_chain_agree(book: str, settings: dict[str, Any]) -> None:
    """Ruin, target, stop-loss and mean of many paths lie where the exact chain says."""
    asked = session(book, **settings)
    tables = tables_of(asked)
    exact = chain(asked, tables)
    assert exact is not None
    walked = walk(asked, tables, 1, 2)
    paths = walked.paths
    ruined = sum(walked.ruined_at.values())
    reached = sum(n for money, n in walked.finals.items() if money >= asked.goal)
    stopped = sum(n for money, n in walked.finals.items() if asked.need <= money <= asked.floor)
    for count, chance in (
        (ruined, exact.ruined),
        (reached, exact.reached),
        (stopped, exact.stopped),
    ):
        assert abs(count - paths * chance) <= 4.5 * sqrt(paths * chance * (1 - chance) + 1e-9)
    mean = sum(money * n for money, n in walked.finals.items()) / paths
    spread = sum((money - mean) ** 2 * n for money, n in walked.finals.items()) / paths
    # A meter that few paths win makes the sample's spread too small.
    if not asked.side_bets:
        assert abs(mean - exact.mean_final) < 4.5 * sqrt(spread / paths)
    if ruined > 100 and exact.mean_ruined_at:
        at = sum(n * when for when, n in walked.ruined_at.items()) / ruined
        assert at == pytest.approx(exact.mean_ruined_at, rel=0.05)


def test_chain_by_hand() -> None:
    """Two rounds with money for one bet: ruin is a loss, or a win and two losses less than it."""
    asked = session(bankroll=1000, rounds=1)
    exact = chain(asked, tables_of(asked))
    assert exact is not None
    lost, tied = Fraction(144, 311), Fraction(23, 311)
    # Without the money for a war a tie is surrendered, and half a bet is no bet.
    assert exact.ruined == pytest.approx(float(lost + tied))
    assert exact.mean_final == pytest.approx(1000 * float(2 * lost) + 500 * float(tied))
    assert exact.mean_ruined_at == pytest.approx(1)


def by_rounds(asked: SessionPlan) -> tuple[float, float, float]:
    """Ruin, target and mean of a flat bet, round by round over every amount of money."""
    tables, shares = tables_of(asked), chances(asked)
    names = code_names(asked.suits)
    at = {asked.bankroll: 1.0}
    for _ in range(asked.rounds):
        after: dict[int, float] = defaultdict(float)
        for money, chance in at.items():
            if money < asked.need or money <= asked.floor or money >= asked.goal:
                after[money] += chance
                continue
            nets = tables.nets if money >= tables.needs_war[1] else tables.surrendered
            for code, name in names.items():
                after[money + int(nets[1, code])] += chance * float(shares[name])
        at = dict(after)
    ruined = sum(chance for money, chance in at.items() if money < asked.need)
    reached = sum(chance for money, chance in at.items() if money >= asked.goal)
    return ruined, reached, sum(money * chance for money, chance in at.items())


@pytest.mark.parametrize(
    "settings",
    [
        {"rounds": 3},
        {"rounds": 9},
        {"rounds": 12},
        {"rounds": 12, "target": 24_000},
        {"rounds": 15, "stop_loss": 6_000, "stop_win": 5_000},
        {"rounds": 8, "tie": 500},
        {"rounds": 8, "tie": 500, "war_tie": 1000, "bankroll": 9_000},
    ],
    ids=str,
)
def test_the_chain_is_exact_in_short_sessions(settings: dict[str, Any]) -> None:
    """Ruin, target and mean are right where the money cannot, or barely can, run out in time."""
    asked = session(**settings)
    exact = chain(asked, tables_of(asked))
    assert exact is not None
    ruined, reached, mean = by_rounds(asked)
    assert exact.ruined == pytest.approx(ruined, abs=1e-12)
    assert exact.reached == pytest.approx(reached, abs=1e-12)
    assert exact.mean_final == pytest.approx(mean, abs=1e-6)


def replayed(asked: SessionPlan, seed: int) -> list[int]:
    """The first path by plain Python: the same words, the book's payments written out."""
    lanes = [Stream(seed, lane) for lane in range(16)]
    words, spare = parts(lanes, 16), Stream(seed, 32)
    copies, money, found = 4 * asked.decks, asked.bankroll, [asked.bankroll]
    while len(found) <= asked.rounds:
        if asked.need <= money < asked.goal and money > asked.floor:
            word = next(words)
            rank, rest = word * 13 >> 16, word * 13 % 65536
            card, last = rest * (52 * asked.decks - 1) >> 16, rest * (52 * asked.decks - 1) % 65536
            if last < 65536 % (13 * (52 * asked.decks - 1)):
                continue
            if card < rank * copies:
                money += asked.bet
            elif card - rank * copies >= copies - 1:
                money -= asked.bet
            else:
                own = spare.below(52 * asked.decks - 2) + 2
                dealers = spare.below(52 * asked.decks - 3) + 2
                lower = own // copies * copies
                ends = 1 if dealers < lower else 2 if dealers + 1 < lower + copies else -2
                fights = asked.war and money >= 2 * asked.bet
                money += asked.bet * ends if fights else -(asked.bet // 2)
        found.append(money)
    return found


@pytest.mark.parametrize("seed", range(1, 7))
@pytest.mark.parametrize("war", [True, False])
def test_first_path_by_hand(seed: int, war: bool) -> None:
    """A path's money is, round by round, what the same cards and the rules give in plain Python."""
    asked = session(bankroll=6_000, rounds=150, war=war, target=14_000)
    found = first_paths(asked, tables_of(asked), seed, 1)[0].tolist()
    assert found == replayed(asked, seed)


def bets_of(system: System, results: str) -> list[int]:
    """The multiples that a system bets before each of these results, by its textbook rule."""
    level, line, bets = 0, [1, 2, 3, 4], []
    fibonacci = [1, 1]
    while len(fibonacci) < len(results) + 1:
        fibonacci.append(fibonacci[-1] + fibonacci[-2])
    for result in results:
        bet = {
            "flat": 1,
            "martingale": 2**level,
            "paroli": 2**level,
            "dalembert": 1 + level,
            "fibonacci": fibonacci[level],
            "labouchere": line[0] + (line[-1] if len(line) > 1 else 0),
        }[system]
        bets.append(bet)
        won = result == "w"
        if system == "martingale":
            level = 0 if won else level + 1
        elif system == "paroli":
            level = (level + 1) % 3 if won else 0
        elif system == "dalembert":
            level = max(0, level - 1) if won else level + 1
        elif system == "fibonacci":
            level = max(0, level - 2) if won else level + 1
        elif system == "labouchere":
            line = line[1:-1] if won else [*line, bet]
            line = line or [1, 2, 3, 4]
    return bets


SYSTEMS: tuple[System, ...] = (
    "flat",
    "martingale",
    "paroli",
    "dalembert",
    "fibonacci",
    "labouchere",
)


@pytest.mark.parametrize("system", SYSTEMS)
def test_betting_systems(system: System) -> None:
    """Every step of a path is the bet that the system's rule asks for, up to the table's limit."""
    asked = session(bankroll=10**8, rounds=400, system=system, table_max=100_000)
    tables = tables_of(asked)
    for path in first_paths(asked, tables, 5, 20).tolist():
        steps = [after - before for before, after in pairwise(path)]
        results = "".join("w" if change > 0 else "l" for change in steps)
        for change, wanted in zip(steps, bets_of(system, results), strict=True):
            bet = 1000 * min(wanted, 100 if system != "flat" else 1)
            assert change in (bet, -bet, 2 * bet, -2 * bet)
            if system == "labouchere" and wanted > 100:
                break  # the rule goes on with the bet that was made


def test_systems_do_not_beat_the_edge() -> None:
    """Whatever the system, the money lost is the edge of the money bet."""
    for system in SYSTEMS:
        asked = session(bankroll=10**7, rounds=50, paths=100_000, system=system, table_max=8000)
        walked = walk(asked, tables_of(asked), 3, 2)
        mean = sum(money * n for money, n in walked.finals.items()) / walked.paths
        assert mean < asked.bankroll


def test_same_paths_on_any_number_of_threads() -> None:
    """A seed gives the same sessions on 1 and 3 threads, another seed gives others."""
    asked = session(paths=20_000)
    tables = tables_of(asked)
    one, three, other = (walk(asked, tables, seed, n) for seed, n in ((1, 1), (1, 3), (2, 1)))
    assert one.finals == three.finals != other.finals
    assert one.ruined_at == three.ruined_at
    assert one.paths == 20_000
    assert sum(one.finals.values()) == 20_000


def test_hourly_cost() -> None:
    """An hour's cost is the exact edge of every wager times its amount and the rounds."""
    asked = session("maryland", tie=500, war_tie=1000)
    by_hand = Fraction(23138, 993023) * 1000 + Fraction(58, 311) * 500
    by_hand += Fraction(23, 311) * Fraction(2974, 15965) * 1000
    assert hourly_cost(asked, 60) == 60 * by_hand


def test_document() -> None:
    """The JSON has final bankroll, fan, ruin, target, stops and hourly cost."""
    found = json.loads(
        ran(
            "online",
            "--bankroll",
            "200",
            "--rounds",
            "300",
            "--paths",
            "30000",
            "--seed",
            "1",
            "--target",
            "300",
            "--stop-loss",
            "150",
            "--json",
        )
    )
    assert found["paths"] == 30_000
    assert abs(found["ruin"]["z"] or 0) < 4.5
    assert abs(found["target"]["z"]) < 4.5
    assert abs(found["stop_loss"]["z"]) < 4.5
    assert found["target"]["amount"] == 30_000
    assert found["final"]["quantiles"]["0.5"] <= found["final"]["quantiles"]["0.95"]
    assert found["fan"]["rounds"][0] == 0
    assert found["fan"]["rounds"][-1] == 300
    assert all(
        len(line) == len(found["fan"]["rounds"]) for line in found["fan"]["quantiles"].values()
    )
    assert sum(found["final"]["histogram"]["counts"]) == 30_000
    assert found["hourly"]["exact"] == pytest.approx(60 * 1000 * 23138 / 993023)


def test_text_chart() -> None:
    """The terminal shows the fan, the final bankroll and the exact answers beside the simulated."""
    text = ran("online", "--paths", "5000", "--seed", "1")
    assert "━ median" in text
    assert "█" in text
    assert "chance of ruin" in text
    assert max(map(len, text.splitlines())) <= 80


@pytest.mark.parametrize("suffix", [".svg", ".png"])
def test_chart(suffix: str, tmp_path: Path) -> None:
    """A chart is a whole SVG or PNG file."""
    file = tmp_path / f"fan{suffix}"
    ran("online", "--paths", "5000", "--seed", "1", "--target", "700", "-o", str(file))
    if suffix == ".svg":
        text = "".join(ET.parse(file).getroot().itertext())
        assert ET.parse(file).getroot().tag.endswith("svg")
        assert "matplotlib" in text.lower()
    else:
        data = file.read_bytes()
        assert data.startswith(b"\x89PNG")
        assert struct.unpack(">II", data[16:24]) >= (1000, 500)


def test_the_charts_title_names_the_exact_ruin() -> None:
    """The title has the exact chance of ruin where it is known, and says which one it has."""
    # Here rather than above, where every worker would import matplotlib.
    title = importlib.import_module("wartable.sim.chart")._title
    book: dict[str, Any] = {"rules": "Online", "bankroll": 50_000, "bet": 1000, "rounds": 200}
    known = {**book, "system": "flat", "ruin": {"exact": 0.01234, "simulated": 0.02}}
    assert title(known).endswith("200 rounds; ruin 1.23% (exact)")
    unknown = {**book, "system": "paroli", "ruin": {"exact": None, "simulated": 0.02}}
    assert title(unknown).endswith("200 rounds; ruin 2.00% (simulated)")


def test_saved_paths(tmp_path: Path) -> None:
    """CSV, JSON and Parquet hold the same paths, a row for every path and round."""
    files = [tmp_path / f"paths{suffix}" for suffix in (".csv", ".json", ".parquet")]
    for file in files:
        ran(
            "online",
            "--paths",
            "5000",
            "--rounds",
            "30",
            "--seed",
            "1",
            "--save",
            str(file),
            "--save-paths",
            "7",
        )
    with files[0].open(newline="") as text:
        rows = list(csv.reader(text))
    assert rows[0] == ["path", "round", "bankroll"]
    assert len(rows) == 1 + 7 * 31
    numbers = [tuple(map(int, row)) for row in rows[1:]]
    for columns in (
        json.loads(files[1].read_text()),
        pytest.importorskip("pyarrow.parquet").read_table(files[2]).to_pydict(),
    ):
        assert list(columns) == rows[0]
        assert list(zip(*columns.values(), strict=True)) == numbers
    assert rows[1] == ["1", "0", "50000"]


REFUSED = [
    (("--bankroll", "5"), "The bankroll does not cover the first round's wagers."),
    (("--bankroll", "-5"), "An amount has whole cents and is not negative"),
    (("--bet", "0"), "The bet must be at least one cent."),
    (("--bet", "much"), "'much' is not an amount; write 10 or 2.50."),
    (("--rounds", "0"), "The rounds must be a whole number"),
    (("--target", "400"), "The target must be above the bankroll."),
    (("--stop-loss", "0"), "The stop-loss must be an amount above 0."),
    (("--progressive", "5"), "'progressive' is not offered by online"),
    (("--war-tie", "5"), "The war-deal tie wager must be $10, not $5."),
    (("--system", "martingale", "--table-max", "5"), "The table's maximum is below the bet."),
    (
        ("--system", "paroli", "--table-max", "20000"),
        "The table's maximum may be at most 1000 bets",
    ),
    (("-o", "fan.gif"), "A chart's file ends in .svg or .png, unlike fan.gif."),
    (("--save", "paths.xls"), "A table's file ends in .csv, .json or .parquet, unlike paths.xls."),
    (("-o", "nowhere/fan.svg"), "There is no directory nowhere to write fan.svg to."),
    (("--rounds-per-hour", "0"), "The rounds per hour must be 1 to 1000000, not 0."),
    (("--decks", "0"), "The number of decks may be 1 to 78, not 0."),
]


@pytest.mark.parametrize(("arguments", "sentence"), REFUSED)
def test_refused(arguments: tuple[str, ...], sentence: str) -> None:
    """Bad input is refused in one sentence with exit code 2."""
    error = ran("online", *arguments, code=2)
    assert error.startswith(f"wartable: {sentence}")
    assert error.count("\n") == 1


def test_quantiles_and_bins() -> None:
    """Quantiles are values that were reached; bins hold everything once."""
    counts = Counter({0: 10, 100: 80, 300: 10})
    assert quantiles(counts) == [0, 0, 100, 100, 100, 300, 300]
    bins = histogram(counts, 100)
    assert sum(bins["counts"]) == 100
    assert len(bins["edges"]) == len(bins["counts"]) + 1
