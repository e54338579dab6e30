"""`wartable simulate`: agreement with the exact odds, and every promise about a run."""

import json
import sys
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from rich.console import Console

from waiting import ran
from wartable.cli import wartable
from wartable.rules import load_any
from wartable.sim import counters
from wartable.sim.job import CHUNK_ROUNDS, Job, SimulationTally
from wartable.sim.money import AskedPayments
from wartable.sim.policy import policy_of
from wartable.sim.report import WagerSums, joint_counts, narrow_enough, report
from wartable.sim.run import Counted, run
from wartable.sim.setup import job_of, set_up
from wartable.sim.show import _wagers, show

pytestmark = pytest.mark.slow("plays millions of rounds")

BOOKS = ("california", "maryland", "new-zealand", "online", "washington")


@dataclass
class Ran:
    """What a command printed and how it ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The document that --json printed."""
        return json.loads(self.out)


def simulate(*arguments: str) -> Ran:
    """Run `wartable simulate` in this process."""
    result = CliRunner().invoke(wartable, ["simulate", *arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return Ran(result.exit_code, result.stdout, result.stderr)


@pytest.mark.parametrize("shuffle", ["every_round", "shoe"])
@pytest.mark.parametrize("book", BOOKS)
def test_agrees_with_the_exact_odds(book: str, shuffle: str, deep: bool) -> None:
    """Every |z| is below 4 and p above 0.0001 for all wagers of every book, fresh and dealt."""
    for seed in ("1", "2", "3") if deep else ("1",):
        rounds = "1e9" if deep else "3e6"
        ran = simulate(book, "--rounds", rounds, "--seed", seed, "--shuffle", shuffle, "--json")
        assert ran.code == 0
        document = ran.json
        assert document["rounds"] == float(rounds)
        assert document["chi_square"]["p"] > 0.0001
        for wager in document["wagers"].values():
            assert abs(wager["z"]) < 4
            assert wager["z"] == pytest.approx((wager["edge"] - wager["exact"]) / wager["stderr"])


@pytest.mark.parametrize("boxes", [2, 7])
@pytest.mark.parametrize("policy", ["war", "surrender"])
def test_several_boxes(boxes: int, policy: str) -> None:
    """Standard errors and chi-square of several boxes are over rounds, whose hands share a card."""
    ran = simulate(
        "washington",
        "--rounds",
        "1e6",
        "--boxes",
        str(boxes),
        "--policy",
        policy,
        "--seed",
        "5",
        "--json",
    )
    assert ran.code == 0
    document = ran.json
    assert sum(document["classes"].values()) == 1_000_000
    setup = set_up(load_any("washington"), policy_of(policy), boxes=boxes)
    job = job_of(setup, 5)
    one = simulate(
        "washington", "--rounds", "1e6", "--policy", policy, "--seed", "5", "--json"
    ).json
    # Hands of one round move together, so the error is more than that of as many single hands.
    independent = one["wagers"]["primary"]["stderr"] / boxes**0.5
    assert document["wagers"]["primary"]["stderr"] > 1.1 * independent
    # The sample's own spread over rounds is the exact one that the report uses.
    counted = run(job, 1_000_000, 1)
    sums = WagerSums()
    cashier = AskedPayments(setup, False)
    for hands, count in joint_counts(job, counted.tally).items():
        sums.add(cashier.round(hands)["primary"], count)
    assert sums.stderr == pytest.approx(document["wagers"]["primary"]["stderr"], rel=0.01)


def test_surrender_has_no_war() -> None:
    """Who always surrenders never bets on the war deal: only the other wagers are shown."""
    document = simulate("online", "--rounds", "1e5", "--policy", "surrender", "--json").json
    assert set(document["wagers"]) == {"primary", "tie"}
    assert set(document["classes"]) == {"won", "lost", "surrendered"}


@pytest.mark.parametrize(
    ("rounds", "heading", "amounts"),
    [
        (10**5, "wagered", ["1,000,000.00", "976,624.51"]),
        (10**9, "wagered (M)", ["10,000.00", "9,766.25"]),
        (10**15, "wagered (T)", ["10,000.00", "9,766.25"]),
    ],
)
def test_amounts_of_a_column_are_written_alike(
    rounds: int, heading: str, amounts: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Amounts are plain numbers in one unit for the column, and fit a line of 80 characters."""
    ran = simulate("online", "--rounds", "1000", "--wagers", "primary", "--seed", "1", "--json")
    primary = dict(ran.json["wagers"]["primary"])
    primary |= {"wagered": 1000 * rounds, "returned": 97662451 * rounds // 10**5}
    console = Console(width=80)
    console.print(_wagers({"wagers": {"primary": primary, "war_tie": primary}}))
    first, *lines = capsys.readouterr().out.splitlines()
    assert f" {heading} " in first
    for line in lines:
        assert line.split()[1:3] == amounts


def test_fields() -> None:
    """The document has the fields that are promised, and counts exactly the rounds asked for."""
    document = simulate("maryland", "--rounds", "1234567", "--seed", "1", "--json").json
    assert document["rounds"] == 1234567 == sum(document["classes"].values())
    assert set(document["wagers"]) == {"primary", "tie", "war_tie", "progressive", "bonus_spin"}
    for wager in document["wagers"].values():
        assert {"edge", "stderr", "exact", "z", "wagered", "returned", "rounds"} <= set(wager)
        assert wager["edge"] == pytest.approx(1 - wager["returned"] / wager["wagered"])
    assert {"statistic", "p"} <= set(document["chi_square"])
    assert document["seconds"] > 0
    rate = document["rounds"] / document["seconds"]
    assert document["rounds_per_second"] == pytest.approx(rate)
    assert document["partial"] is False


@pytest.mark.parametrize("rounds", [1, 63, 1791, 1792, 1793, 2**16 + 1])
def test_exactly_the_rounds_asked_for(rounds: int) -> None:
    """Rejected words are not rounds: every kernel counts exactly what was asked."""
    for job in (
        Job(1),
        Job(1, "shoes", length=248, start=1, cover=234, burns=3),
        Job(1, "shoes", boxes=3, length=12),
        Job(1, "general", length=248, start=1, cover=234, burns=3, suits=True),
    ):
        tally = counters.count_chunk(job, 0, rounds)
        assert sum(tally.keys.values()) == tally.rounds == rounds


def test_threads_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same seed gives the same counts on 1, 2 and 5 threads, another seed gives others."""
    monkeypatch.setitem(CHUNK_ROUNDS, "general", 1000)
    documents = [
        simulate("maryland", "--rounds", "20500", "--seed", seed, "--threads", n, "--json").json
        for seed, n in (("1", "1"), ("1", "2"), ("1", "5"), ("2", "1"))
    ]
    classes = [document["classes"] for document in documents]
    assert classes[0] == classes[1] == classes[2] != classes[3]


def with_replacement(job: Job, index: int, rounds: int) -> SimulationTally:
    """A wrong kernel: the player's card goes back before the dealer's is drawn."""
    random = np.random.default_rng(index)
    cards, dealers = (random.integers(0, 13, rounds, dtype=np.int8) for _ in range(2))
    won, tied = int((cards > dealers).sum()), int((cards == dealers).sum())
    wars = counters.count_pairs(job, index, 10 * tied).keys
    keys = Counter({1: won, 0: rounds - won - tied, 1 << 4: tied})
    fought = sum(wars[key] for key in (1 << 4, 1 << 8, 1 << 12)) or 1
    for key in (1 << 8, 1 << 12):
        keys[key] = wars[key] * tied // fought
        keys[1 << 4] -= keys[key]
    return SimulationTally(rounds, keys, shoes=rounds)


def tie_lost(job: Job, index: int, rounds: int) -> SimulationTally:
    """A wrong kernel: one tie in a thousand is counted as a loss."""
    right = counters.count_pairs(job, index, rounds)
    wrong = Counter(right.keys)
    for key in (1 << 4, 1 << 8, 1 << 12):
        taken = right.keys[key] // 1000
        wrong[key] -= taken
        wrong[0] += taken
    return SimulationTally(rounds, wrong, shoes=rounds)


@pytest.mark.parametrize(("wrong", "rounds"), [(with_replacement, "1e7"), (tie_lost, "1e9")])
def test_wrong_kernels_are_caught(wrong: Any, rounds: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same command exits with 1 and says so when a kernel deals or counts wrongly."""
    right = simulate("online", "--rounds", rounds, "--seed", "1")
    assert right.code == 0
    assert "DISAGREES" not in right.out
    monkeypatch.setitem(counters.COUNTERS, "pairs", wrong)
    caught = simulate("online", "--rounds", rounds, "--seed", "1")
    assert caught.code == 1
    assert "DISAGREES with the exact odds" in caught.out
    document = simulate("online", "--rounds", rounds, "--seed", "1", "--json").json
    assert document["agrees"] is False
    assert abs(document["wagers"]["tie"]["z"]) > 4
    assert document["chi_square"]["p"] < 0.0001


def test_until_error() -> None:
    """The run stops once the 99 % interval is narrow enough, the same on any number of threads."""
    documents = [
        simulate("online", "--until-error", "1e-4", "--seed", "3", "--threads", n, "--json").json
        for n in ("1", "3")
    ]
    first, second = documents
    assert first["classes"] == second["classes"]
    low, high = first["wagers"]["primary"]["interval"]
    assert (high - low) / 2 <= 1.001e-4
    assert first["rounds"] % CHUNK_ROUNDS["pairs"] == 0
    assert first["rounds"] < 2e9
    setup = set_up(load_any("online"), policy_of("war"))
    job = job_of(setup, 3)
    enough = narrow_enough(setup, job, AskedPayments(setup, False), 1e-4)
    assert not enough(counters.count_chunk(job, 0, 1000))


def test_counters_hold_1e13_rounds() -> None:
    """Counts, sums and squares beyond 64 bits stay exact, and a report of them is right."""
    setup = set_up(load_any("online"), policy_of("war"))
    job = job_of(setup, 1)
    many = 10**13
    one = counters.count_chunk(job, 0, 10**6)
    tally = SimulationTally()
    for _ in range(3):
        tally.add(SimulationTally(many, Counter({key: n * 10**7 for key, n in one.keys.items()})))
    found = report(setup, job, AskedPayments(setup, False), Counted(tally, 1.0)).document
    assert found["rounds"] == 3 * many == sum(found["classes"].values())
    assert found["wagers"]["primary"]["wagered"] == 3 * many * setup.bet
    single = report(setup, job, AskedPayments(setup, False), Counted(one, 1.0)).document
    assert found["wagers"]["tie"]["edge"] == single["wagers"]["tie"]["edge"]
    # The kernels' own counters are 64 bits wide and start anew with every chunk.
    assert max(CHUNK_ROUNDS.values()) < 2**31


def test_memory_does_not_grow() -> None:
    """A run holds a few chunks' counts, however many rounds it plays."""
    job = Job(1)
    seen: list[int] = []
    counted = run(job, CHUNK_ROUNDS["pairs"] * 6, 1, lambda rounds, _: seen.append(rounds))
    assert len(counted.tally.keys) == 5
    assert seen == [CHUNK_ROUNDS["pairs"] * (n + 1) for n in range(6)]


REFUSED = [
    (("online", "--rounds", "0"), "The rounds must be a whole number from 1 to 1e15, not 0."),
    (("online", "--rounds", "-5"), "The rounds must be a whole number"),
    (("online", "--rounds", "1.5"), "The rounds must be a whole number"),
    (("online", "--rounds", "many"), "'many' is not a number of rounds"),
    (("online", "--policy", "pray"), "There is no policy 'pray'; use war, surrender"),
    (("online", "--policy", "nowhere.toml"), "The policy nowhere.toml cannot be read"),
    (("online", "--boxes", "4"), "online has 1 to 3 boxes, not 4."),
    (("online", "--boxes", "0"), "online has 1 to 3 boxes, not 0."),
    (("nowhere",), "There is no rule book 'nowhere'"),
    (("online", "--decks", "0"), "The number of decks may be 1 to 1000, not 0."),
    (("online", "--threads", "0"), "The threads must be 1 to 1024, not 0."),
    (("online", "--seed", "-1"), "The seed must be a whole number from 0"),
    (("online", "--until-error", "0"), "The error must be above 0 and below 1"),
    (("online", "--wagers", "primary,luck"), "online has no wager 'luck'; use"),
    (("online", "--option", "shuffle"), "An option is written key=value"),
    (("online", "--option", "shuffle=never"), "The option shuffle may be"),
    (("online", "--bank", "10"), "The house banks online; there is no bank to post."),
    (("california", "--bank", "0"), "The bank covers no wager"),
    (("online", "--meter", "5"), "online has no progressive meter, so leave the meter out"),
    (("maryland", "--stake", "300"), "A side bet of maryland may be 100, 500 cents, not 300."),
    (("maryland", "--boxes", "9", "--decks", "1"), "A round of 9 boxes takes up to 17 cards"),
    (("maryland", "--penetration", "0.9"), "maryland deals at most 75% of a shoe"),
    (("maryland", "--penetration", "most"), "'most' is not a share"),
    (("online", "--cluster", "tcp://127.0.0.1:9"), "No Dask scheduler answers at tcp://127"),
    (("online", "--cluster", "what is this"), "No Dask scheduler answers at what is this."),
]


@pytest.mark.parametrize(("arguments", "sentence"), REFUSED)
def test_refused(
    arguments: tuple[str, ...], sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bad input is refused in one sentence with exit code 2."""
    if "--cluster" in arguments:
        cluster = pytest.importorskip("wartable.sim.cluster")
        monkeypatch.setattr(cluster, "CONNECT_SECONDS", 1)
    ran = simulate(*arguments)
    assert ran.code == 2
    assert ran.err.startswith(f"wartable: {sentence}")
    assert ran.err.count("\n") == 1
    assert ran.out == ""


def test_policy_table(tmp_path: Path) -> None:
    """A table by count mixes war and surrender; where the count is the tied rank's it is exact."""
    file = tmp_path / "low.toml"
    file.write_text(
        'below = "war"\nsteps = [{ from = 2, choice = "surrender" }]\n'
        "[tags]\n2 = 1\n3 = 1\n4 = 1\nA = -1\n"
    )
    ran = simulate("online", "--policy", str(file), "--rounds", "2e6", "--seed", "2", "--json")
    assert ran.code == 0
    document = ran.json
    surrendered, tied = document["classes"]["surrendered"], 2e6 * 23 / 311
    assert surrendered == pytest.approx(tied * 3 / 13, rel=0.02)
    war, surrender = Fraction(23138, 993023), Fraction(23, 622)
    exact = (10 * war + 3 * surrender) / 13
    assert document["wagers"]["primary"]["exact_fraction"] == str(exact)
    assert abs(document["wagers"]["primary"]["z"]) < 4
    dealt = simulate(
        "online",
        "--policy",
        str(file),
        "--rounds",
        "1e5",
        "--boxes",
        "2",
        "--shuffle",
        "shoe",
        "--json",
    ).json
    assert dealt["wagers"]["primary"]["exact"] is None
    assert dealt["wagers"]["primary"]["z"] is None
    assert dealt["chi_square"]["p"] > 0.0001


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("below = 1", "is not a table of choices: below: expected text, got a whole number."),
        ('below = "war"\nsteps = []\n[tags]\n', "needs steps with rising counts"),
        ('below = "war"\nsteps = [{from = 1, choice = "war"}]\n[tags]\nZ = 1\n', "tags 'Z'"),
        ("this is not toml", "is not a table of choices"),
    ],
)
def test_bad_policy_tables(text: str, sentence: str, tmp_path: Path) -> None:
    """A table that cannot be played is refused in one sentence."""
    file = tmp_path / "bad.toml"
    file.write_text(text)
    ran = simulate("online", "--policy", str(file))
    assert ran.code == 2
    assert sentence in ran.err


def test_study_is_noted() -> None:
    """Decks and shuffles that the book does not allow are simulated, and the output says so."""
    ran = simulate("online", "--rounds", "1e4", "--decks", "2", "--shuffle", "shoe", "--seed", "1")
    assert "For study only: online allows 6 decks, not 2." in ran.out
    assert "For study only: online is not shuffled by shoe." in ran.out


@pytest.mark.parametrize("decks", [1, 2, 17, 18, 200])
def test_any_number_of_decks(decks: int) -> None:
    """Any number of decks agrees with its exact odds."""
    ran = simulate("online", "--decks", str(decks), "--rounds", "2e6", "--seed", "4", "--json")
    assert ran.code == 0


INTERRUPTED = """
import os, signal
from wartable.sim import run
in_order = run.in_order
def interrupted(*arguments):
    for number, chunk in enumerate(in_order(*arguments)):
        if number == 3:
            os.kill(os.getpid(), signal.SIGINT)
        yield chunk
run.in_order = interrupted
from wartable.cli import main
main()
"""


def test_interrupted() -> None:
    """Ctrl-C prints what has been counted so far, marked as partial, with exit code 3."""
    command = [sys.executable, "-c", INTERRUPTED, "simulate", "online", "--rounds", "1e14"]
    command += ["--seed", "1", "--threads", "1", "--json"]
    done = ran(command)
    assert done.returncode == 3, done.stderr
    document = json.loads(done.stdout)
    assert document["partial"] is True
    assert 3 * CHUNK_ROUNDS["pairs"] <= document["rounds"] < 10**14
    assert sum(document["classes"].values()) == document["rounds"]


def test_partial_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    """The table for people says first that it is partial."""
    setup = set_up(load_any("online"), policy_of("war"))
    job = job_of(setup, 1)
    counted = Counted(counters.count_chunk(job, 0, 1000), 1.0, partial=True)
    show(setup, report(setup, job, AskedPayments(setup, False), counted).document)
    assert capsys.readouterr().out.startswith("PARTIAL: interrupted after 1,000 rounds.")


def test_start_is_fast_and_light() -> None:
    """The command's help imports neither numba nor numpy."""
    code = (
        "import sys; sys.argv = ['wartable', 'simulate', '--help']\n"
        "from wartable.cli import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "heavy = {'numba', 'numpy', 'dask', 'matplotlib', 'wartable.odds'} & set(sys.modules)\n"
        "sys.exit(', '.join(sorted(heavy)) or 0)"
    )
    done = ran([sys.executable, "-c", code])
    assert done.returncode == 0, done.stderr
    assert "Example: wartable simulate maryland" in done.stdout
