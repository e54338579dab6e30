"""Bigger runs: counts in a file, parts, sweeps, results as files, and exit codes."""

import csv
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from waiting import WAIT_S, living
from wartable.cli import wartable
from wartable.sim import report as reporting
from wartable.sim.job import CHUNK_ROUNDS, Ranges, joined, missing
from wartable.sim.saved import CountsError, CountsFile

pytestmark = pytest.mark.slow("plays millions of rounds")


def simulate(*arguments: str, code: int = 0) -> Any:
    """The document of a simulation, or what it says of a refusal."""
    ran = CliRunner().invoke(wartable, ["simulate", *arguments, "--json"])
    assert ran.exit_code == code, ran.output
    if code in (2, 3):
        assert ran.stderr.count("\n") == 1, ran.stderr
        return ran.stderr
    return json.loads(ran.stdout)


@pytest.fixture(autouse=True)
def _small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    for kernel in CHUNK_ROUNDS:
        monkeypatch.setitem(CHUNK_ROUNDS, kernel, 1000)


ONE = ("washington", "--rounds", "20500", "--seed", "5")


def parts(folder: Path, *chunks: str) -> list[str]:
    """The options that merge parts with these chunks, each run apart."""
    found = []
    for number, each in enumerate(chunks):
        file = str(folder / f"{number}.json")
        simulate(*ONE, "--chunks", each, "--counts", file)
        found += ["--merge", file]
    return found


@pytest.mark.parametrize(
    ("done", "first", "end", "expected"),
    [
        ([], 0, 5, [(0, 5)]),
        ([(0, 5)], 0, 5, []),
        ([(1, 2), (3, 4)], 0, 5, [(0, 1), (2, 3), (4, 5)]),
        ([(0, 10)], 3, 5, []),
        ([(0, 4), (8, 12)], 2, 9, [(4, 8)]),
        ([(0, 2), (20, 30)], 5, 9, [(5, 9)]),
    ],
)
def test_missing(done: Ranges, first: int, end: int, expected: Ranges) -> None:
    """What is missing are the chunks asked for that are in no range."""
    assert missing(done, first, end) == expected
    whole = joined([*done, *expected])
    assert missing(whole, first, end) == []
    assert whole == joined(list(reversed(whole)))


def test_parts_make_the_whole(tmp_path: Path) -> None:
    """Parts in any order, and the chunks that none of them has, give the counts of one run."""
    whole = simulate(*ONE)
    merging = parts(tmp_path, "15:99", "0:3", "7:8")
    merged = simulate(*ONE, *merging, "--counts", str(tmp_path / "all.json"))
    assert merged["rounds"] == 20_500
    assert merged["classes"] == whole["classes"]
    assert merged["wagers"] == whole["wagers"]
    again = simulate("washington", "--counts", str(tmp_path / "all.json"))
    assert (again["seed"], again["classes"]) == (5, whole["classes"])
    # The counts have no money: other stakes are paid from the same counts.
    other = simulate(*ONE, "--bet", "25", "--counts", str(tmp_path / "all.json"))
    assert other["classes"] == whole["classes"]
    assert other["wagers"]["primary"]["wagered"] == 2500 * 20_500


def test_counts_that_do_not_fit(tmp_path: Path) -> None:
    """A chunk counted twice, another run's file and a damaged one are refused in a sentence."""
    merging = parts(tmp_path, "0:3")
    file = tmp_path / "0.json"
    twice = simulate(*ONE, *merging, *merging, code=2)
    assert "Chunks of 0:3" in twice
    assert "are counted in another file too" in twice
    other = ("washington", "--rounds", "999", "--seed", "5", "--counts", str(file))
    assert "The counts are of 20500 rounds, not 999; omit --rounds" in simulate(*other, code=2)
    saved = json.loads(file.read_text())
    for wrong, sentence in (
        ("{", "is not a file of counts"),
        ('{"format": 1}', "is not a file of counts"),
        (json.dumps({**saved, "format": 9}), "has format 9; this version reads 1"),
        (json.dumps(saved).replace('"counted": 3000', '"counted": 3001'), "is damaged"),
    ):
        file.write_text(wrong)
        assert sentence in simulate(*ONE, "--counts", str(file), code=2)
        assert file.read_text() == wrong
    assert "There is no directory" in simulate(*ONE, "--counts", "nowhere/run.json", code=2)
    assert "cannot be read" in simulate(*ONE, "--merge", "nothing.json", code=2)
    assert "Chunks are written first:end" in simulate(*ONE, "--chunks", "5:5", code=2)
    assert "no round of the run is in these chunks" in simulate(*ONE, "--chunks", "50:60", code=2)


def test_two_runs_do_not_share_a_file(tmp_path: Path) -> None:
    """Counts that another run wrote meanwhile are not overwritten."""
    parts(tmp_path, "0:3")
    file = tmp_path / "0.json"
    first = CountsFile(file)
    simulate(*ONE, "--chunks", "3:4", "--counts", str(file))
    after = file.read_bytes()
    with pytest.raises(CountsError, match=r"Another run has written .* meanwhile; use two files"):
        first.write()
    assert file.read_bytes() == after


def test_a_sweep_is_one_table(tmp_path: Path) -> None:
    """Each run of a sweep is that of its settings alone; CSV, JSON and Parquet have one table."""
    swept = ("decks=2,6", "policy=war,surrender", "war_burn=once,each_card")
    sweep = ("--shuffle", "shoe", *(f"--sweep={each}" for each in swept))
    files = [tmp_path / f"sweep.{suffix}" for suffix in ("csv", "json", "parquet")]
    counts = str(tmp_path / "counts.json")
    for file in files:
        document = simulate(*ONE, *sweep, "-o", str(file), "--counts", counts)
    assert len(document["runs"]) == 8
    assert (document["agrees"], document["partial"]) == (True, False)
    for run in document["runs"]:
        own = run["settings"]
        options = ("--decks", own["decks"], "--policy", own["policy"], "--shuffle", "shoe")
        alone = simulate(*ONE, *options, "--option", f"war_burn={own['war_burn']}")
        assert alone["classes"] == run["classes"]
        assert alone["wagers"] == run["wagers"]
    with files[0].open(newline="") as text:
        rows = list(csv.DictReader(text))
    assert {row["war_burn"] for row in rows} == {"once", "each_card"}
    assert json.loads(files[1].read_text())["runs"] == document["runs"]
    table = pytest.importorskip("pyarrow.parquet").read_table(files[2]).to_pylist()
    wagers = [wager for run in document["runs"] for wager in run["wagers"].values()]
    for found in (rows, table):
        assert [float(row["edge"]) for row in found] == [wager["edge"] for wager in wagers]
        assert [int(row["returned"]) for row in found] == [wager["returned"] for wager in wagers]
    shown = CliRunner().invoke(wartable, ["simulate", *ONE, *sweep]).stdout.splitlines()
    assert shown[0].split()[:4] == ["decks", "policy", "war_burn", "wager"]
    assert len(shown) == 1 + len(rows)


@pytest.mark.parametrize(
    ("sweep", "sentence"),
    [
        (("decks",), "A sweep is written name=value,value, not 'decks'."),
        (("decks=",), "A sweep is written name=value,value"),
        (("decks=1", "decks=2"), "The sweep names decks twice"),
        (("decks=1,1",), "The sweep over decks has a value twice."),
        (("luck=1,2",), "There is no option 'luck'"),
        (("decks=1,many",), "the sweep over decks: 'many' is not a valid integer."),
        (("decks=" + ",".join(map(str, range(1, 1002))),), "A sweep has at most 1000 runs"),
    ],
)
def test_refused_sweeps(sweep: tuple[str, ...], sentence: str) -> None:
    """A sweep that makes no sense is refused in one sentence."""
    assert sentence in simulate(*ONE, *(f"--sweep={each}" for each in sweep), code=2)


def test_exit_codes(monkeypatch: pytest.MonkeyPatch) -> None:
    """0 is done, 1 disagreement, 2 wrong use, and 3 an interruption, even an early one."""
    simulate(*ONE, code=0)
    simulate(*ONE, "--decks", "0", code=2)
    monkeypatch.setattr(reporting, "Z_MAX", 0.0)
    simulate(*ONE, code=1)
    monkeypatch.undo()

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("wartable.sim.money.AskedPayments.__init__", interrupted)
    assert "interrupted before any round could be shown" in simulate(*ONE, code=3)


def test_json_keeps_the_bar_on_standard_error() -> None:
    """With --json on a terminal the bar is on standard error, and standard output is JSON alone."""
    ours, theirs = os.openpty()
    command = [sys.executable, "-m", "wartable", "simulate", "online", "--rounds", "3e8", "--json"]
    looks = {**os.environ, "TERM": "xterm"}  # a dumb terminal has no bar
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=theirs, env=looks)
    with living(process):
        os.close(theirs)
        seen = b""
        while True:
            try:
                seen += os.read(ours, 4096)
            except OSError:
                break
        assert process.stdout is not None
        document = json.loads(process.stdout.read())
        assert process.wait(WAIT_S) == 0
    os.close(ours)
    assert document["rounds"] == 300_000_000
    assert b"rounds/s" in seen
