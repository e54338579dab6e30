"""R12: reports per game, player, table and paytable, on SQLite and PostgreSQL."""

import csv
import json
from fractions import Fraction
from io import StringIO
from pathlib import Path

import pytest
import sqlalchemy as sa
from click.testing import CliRunner, Result

import recorded_houses
from hosting import Hosted
from recorded_houses import RecordedHouse
from wartable.game.state import Hand, Wager
from wartable.odds import Odds
from wartable.rules import load
from wartable.server.audit import reports
from wartable.server.audit.export import as_table, write_lines
from wartable.server.audit.reports import KINDS, HouseReport, ReportTally, decided
from wartable.server.period import Period
from wartable.server.records import database, schema


@pytest.fixture
def found(whole: RecordedHouse) -> HouseReport:
    """The report of everything."""
    engine = database.engine_for(whole.address)
    report = reports.report(engine, whole.key, Period(), 2_000)
    engine.dispose()
    return report


def run(*words: str) -> Result:
    """The result of a command."""
    from wartable.cli import wartable  # noqa: PLC0415  # as the others, lazily

    return CliRunner().invoke(wartable, ["audit", "report", *words])


def test_R12_every_grouping_has_the_same_money(found: HouseReport) -> None:
    """Per game, table, wager, player, bank and paytable stakes and results add up to the same."""
    totals = {
        by: (sum(line.staked for line in own), sum(line.net for line in own))
        for by in KINDS
        for own in [[line for line in found.lines if line.by == by]]
    }
    assert len(set(totals.values())) == 1
    assert totals["game"][0] > 0
    days = sum(each.staked for each in found.days), sum(each.net for each in found.days)
    assert days == totals["game"]
    assert sum(each.rounds for each in found.days) == found.rounds
    assert [each.day for each in found.days] == sorted({each.day for each in found.days})
    wagers = {line.name for line in found.lines if line.by == "wager"}
    assert wagers == {line.wager for line in found.lines if line.by == "game"}
    # California's rounds are banked by its players, all others by the house.
    banks = {line.name for line in found.lines if line.by == "bank"}
    assert banks == {"the house"} | {each.banker for each in found.banked}
    assert found.rounds == len(recorded_houses.BOOKS) * recorded_houses.ROUNDS
    assert found.unfinished == len(recorded_houses.BOOKS)


def test_R12_the_theoretical_return_is_the_exact_one(found: HouseReport) -> None:
    """Each wager stands beside its exact return by the book's odds."""
    for line in found.lines:
        if line.by == "game":
            spinning = 3 if line.wager == "bonus_spin" else 1
            size = 100 if line.wager in ("progressive", "bonus_spin") else None
            odds = Odds(load(line.name), bettors=spinning).wager(line.wager, stake=size)
            assert line.theoretical == pytest.approx(float(odds.player_return))
            assert line.actual == pytest.approx(float(1 + Fraction(line.net, line.staked)))
    assert {line.wager for line in found.lines} >= {"primary", "tie", "progressive", "bonus_spin"}


def test_R12_a_war_counts_with_its_primary() -> None:
    """The war wager's result belongs to the primary's, per unit of the primary, as in the odds."""
    won = (Wager("primary", 100, returned=100, outcome="pushed"), Wager("war", 100, returned=200,
           outcome="war_won"))  # fmt: skip  # two wagers of one hand
    assert list(decided(Hand(1, "ann", won))) == [("primary", 100, 100)]
    void = (Wager("primary", 100, returned=100, outcome="void"),)
    assert not list(decided(Hand(1, "ann", void)))


def test_R12_what_is_off_is_seen() -> None:
    """A return that no fair deck gives stands many standard deviations from the theory."""
    odds = Odds(load("maryland")).wager("tie")
    tally = ReportTally()
    for _ in range(1_000):
        tally.add(100, 100, odds)
    line = tally.line("game", "maryland", "tie")
    assert line.deviation is not None
    assert line.deviation > 5


def test_R12_liability_is_what_the_accounts_hold(whole: RecordedHouse, found: HouseReport) -> None:
    """Everything that is not the house's or outside is owed."""
    engine = database.engine_for(whole.address)
    held = database.balances(engine)
    engine.dispose()
    owed = sum(amount for name, amount in held.items() if name not in ("house", "outside"))
    assert found.liability["total"] == owed
    assert found.liability["felt"] > 0
    assert found.deposited - found.withdrawn == -held["outside"]
    assert found.house == held["house"]


def test_R12_large_wins_and_significant_events(found: HouseReport) -> None:
    """Large wins have the stack before and after, and every event is counted."""
    assert found.large_wins
    for win in found.large_wins:
        assert int(win.after) - int(win.before) >= 2_000
    assert found.events["disabled"] == 1
    assert sum(found.events.values()) == len(found.significant)


def test_R12_a_period_is_only_itself(whole: RecordedHouse, found: HouseReport) -> None:
    """Two halves of the recorded time make the whole of it."""
    engine = database.engine_for(whole.address)
    middle = recorded_houses.BEGIN_MS + 5 * recorded_houses.MINUTE_MS
    halves = [
        reports.report(engine, whole.key, period, 2_000)
        for period in (Period(0, middle), Period(middle))
    ]
    engine.dispose()
    assert all(half.rounds for half in halves)
    assert sum(half.rounds for half in halves) == found.rounds
    assert sum(half.house for half in halves) == found.house
    assert sum(half.put_on_meters for half in halves) == found.put_on_meters
    assert halves[1].liability == found.liability


def test_R12_the_seed_of_meters_is_not_a_loss(tmp_path: Path) -> None:
    """In a house where nobody has played, all that the house is short of was put on meters."""
    with Hosted(tmp_path, books=("maryland",)):
        pass
    where = ["--data", str(tmp_path)]
    wagers = load("maryland").rules.wagers
    assert wagers.progressive is not None
    assert wagers.bonus_spin is not None
    meters = (wagers.progressive.meter, *wagers.bonus_spin.meters.values())
    seed = sum(meter.initial for meter in meters)
    told = json.loads(run(*where, "--json").stdout)
    assert (told["house"], told["put_on_meters"]) == (-seed, seed)
    assert told["liability"]["meters"] == seed
    said = f"the house -{seed / 100:,.2f}, after it put {seed / 100:,.2f} on meters\n"
    assert said in run(*where).stdout


def test_R12_meters_have_what_the_house_put_there(whole: RecordedHouse, found: HouseReport) -> None:
    """What players won of meters is not counted as the house's, nor as lying there still."""
    engine = database.engine_for(whole.address)
    moved = schema.transfers.c
    won = sa.select(sa.func.sum(moved.amount)).where(
        moved.source.like("%meter:%"), moved.target.like("%felt")
    )
    with engine.connect() as connection:
        paid = connection.execute(won).scalar() or 0
    engine.dispose()
    assert found.put_on_meters == found.liability["meters"] + paid > 0


def test_R12_a_period_without_activity_says_so(whole: RecordedHouse) -> None:
    """Nothing happened is said, not left to be guessed."""
    result = run(*whole.options, "--until", "2020-01-01")
    assert result.exit_code == 0, result.output
    assert "There was no activity in this period." in result.stdout
    told = json.loads(run(*whole.options, "--until", "2020-01-01", "--json").stdout)
    assert told["active"] is False


def test_R12_text_json_and_csv_agree(
    whole: RecordedHouse, found: HouseReport, tmp_path: Path
) -> None:
    """The three forms of a report have the same figures."""
    text = run(*whole.options).stdout
    for words in ("Returns by game", "Returns by paytable", "Liability", "97.67", "bonus_spin"):
        assert words in text
    told = json.loads(run(*whole.options, "--json", "--large", "2000").stdout)
    assert told["liability"] == found.liability
    assert len(told["lines"]) == len(found.lines)
    assert run(*whole.options, "--csv", str(tmp_path), "--by", "game").exit_code == 0
    with (tmp_path / "returns.csv").open(encoding="utf-8") as file:
        lines = list(csv.DictReader(file))
    games = [line for line in found.lines if line.by == "game"]
    assert [int(line["net"]) for line in lines] == [line.net for line in games]


def test_a_column_that_is_added_is_in_the_csv() -> None:
    """Each field of a report's line is a column, and a line of another width is refused."""

    class MoreLine(reports.DayLine, frozen=True):
        added: int = 7

    text = StringIO()
    assert write_lines(text, *as_table(MoreLine, [MoreLine("2026-11-01", 1, 500, -500)])) == 1
    (line,) = csv.DictReader(StringIO(text.getvalue()))
    assert list(line) == ["day", "rounds", "staked", "net", "added"]
    assert list(line.values()) == ["2026-11-01", "1", "500", "-500", "7"]
    for values in ((1, 2, 3), (1,)):
        with pytest.raises(ValueError, match="zip"):
            write_lines(StringIO(), ("day", "rounds"), [values])


def test_every_line_of_a_report_has_a_value_for_each_column(found: HouseReport) -> None:
    """The tables of a whole house, which has something to say in each of them."""
    for name, (columns, lines) in reports.csv_tables(found).items():
        widths = {len(line) for line in lines}
        assert widths == {len(columns)}, name
