"""`wartable odds` and `wartable par`: their answers and their refusals."""

import csv
import io
import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from wartable.cli import wartable
from wartable.odds import Composition, Odds, joint
from wartable.odds.sidebets import progressive
from wartable.rules import NAMES, load

pytestmark = pytest.mark.slow("computes odds anew for each test")


def run(*arguments: str) -> Result:
    """The command's result."""
    return CliRunner().invoke(wartable, arguments)


def answer(*arguments: str) -> Any:
    """What `wartable odds --json` says."""
    result = run("odds", *arguments, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def figures(value: Any) -> list[dict[str, Any]]:
    """Every exact figure of a document."""
    if isinstance(value, dict):
        if value.keys() == {"exact", "value"}:
            return [value]
        return [found for part in value.values() for found in figures(part)]
    if isinstance(value, list):
        return [found for part in value for found in figures(part)]
    return []


@pytest.mark.parametrize("name", NAMES)
def test_every_book_is_answered(name: str) -> None:
    """Every book has its wagers, and each exact figure is a fraction with its value."""
    found = answer(name)
    primary = found["wagers"]["primary"]
    assert primary["war"]["ev"] == {"exact": "-23138/993023", "value": -23138 / 993023}
    assert primary["surrender"]["ev"]["exact"] == "-23/622"
    assert found["wagers"]["tie"]["ev"]["exact"] == "-58/311"
    assert set(found["wagers"]) == set(Odds(load(name)).offered)
    shown = figures(found)
    assert len(shown) > 100
    for figure in shown:
        assert float(Fraction(figure["exact"])) == figure["value"]


def test_csv_has_every_figure_of_the_json() -> None:
    """CSV has one line for each figure: its key in the JSON, its fraction and its value."""
    result = run("odds", "california", "--boxes", "2", "--csv")
    lines = list(csv.DictReader(io.StringIO(result.stdout)))
    rows = {line["figure"]: line for line in lines}
    assert len(rows) == len(lines)
    found = answer("california", "--boxes", "2")
    tie = rows["wagers.tie.ev"]
    assert (tie["exact"], float(tie["value"])) == ("-58/311", -58 / 311)
    assert rows["decks"] == {"figure": "decks", "exact": "", "value": "6"}
    exact = [(line["exact"], float(line["value"])) for line in lines if line["exact"]]
    assert exact == [(each["exact"], each["value"]) for each in figures(found)]
    both = run("odds", "california", "--csv", "--json")
    assert (both.exit_code, both.stdout) == (2, "")
    assert "Choose --json or --csv, not both." in both.stderr


def test_the_shape_of_a_wager() -> None:
    """Each wager has expectation, variance, deviation and distribution by the names agreed."""
    found = answer("maryland")["wagers"]
    assert found["war_tie"]["ev"]["exact"] == "-2974/15965"
    for odds in (
        found["primary"]["war"],
        found["primary"]["surrender"],
        found["tie"],
        found["war_tie"],
        found["progressive"]["war"],
    ):
        pmf = {Fraction(net): Fraction(each["exact"]) for net, each in odds["pmf"].items()}
        mean = sum(net * chance for net, chance in pmf.items())
        spread = sum((net - mean) ** 2 * chance for net, chance in pmf.items())
        assert sum(pmf.values()) == 1
        assert odds["ev"]["exact"] == str(mean)
        assert odds["variance"]["exact"] == str(spread)
        assert odds["sd"] == pytest.approx(float(spread) ** 0.5)
    assert "-1/2" in found["primary"]["surrender"]["pmf"]
    assert set(found["progressive"]["lines"]) == {
        "tie",
        "suited_tie",
        "double_tie",
        "four_of_a_kind",
        "suited_double_tie",
        "suited_four_of_a_kind",
    }
    top = found["progressive"]["lines"]["suited_four_of_a_kind"]["probability"]
    assert top["exact"] == "2/993023"


def test_the_progressive_is_answered() -> None:
    """The break-even meter is exact; meter and stake change the expectation."""
    found = answer("maryland")
    assert found["progressive"]["break_even_meter"]["exact"] == "45745000"
    even = answer("maryland", "--meter", "45745000")
    assert even["wagers"]["progressive"]["war"]["ev"]["exact"] == "0"
    one = answer("maryland", "--stake", "100")
    shown = progressive(Odds(load("maryland"), stake=100))
    assert one["wagers"]["progressive"]["war"]["ev"]["exact"] == str(shown.odds.ev)
    assert one["progressive"]["break_even_meter"]["exact"] == str(shown.break_even_meter)


def test_boxes_are_answered() -> None:
    """With boxes there are the covariance of two and the distribution of the sum."""
    found = answer("maryland", "--boxes", "3", "--decks", "8")
    expected = joint(Odds(load("maryland"), 8), 3)
    assert found["boxes"]["covariance"]["exact"] == str(expected.covariance)
    pmf = {Fraction(net): Fraction(each["exact"]) for net, each in found["boxes"]["pmf"].items()}
    assert pmf == expected.total.pmf


def test_seen_cards_are_answered() -> None:
    """Seen cards are taken out of the shoe, with spaces or commas between them."""
    for text in ("9s 9d Ah", "9s,9d,Ah"):
        found = answer("washington", "--seen", text)
        shoe = Composition.fresh(6).without(["9s", "9d", "Ah"])
        expected = Odds(load("washington"), composition=shoe).wager("primary").ev
        assert found["wagers"]["primary"]["war"]["ev"]["exact"] == str(expected)
        assert found["cards"] == 309


def test_options_are_answered() -> None:
    """A named option is set for study."""
    found = answer("washington", "--option", "war_pays=no_bonus")
    assert found["wagers"]["primary"]["war"]["ev"]["exact"] == "-142853/4965115"
    assert found["options"]["war_pays"] == "no_bonus"


def test_decks_of_study_are_said() -> None:
    """A number of decks that the book does not allow is answered and said to be so."""
    found = answer("washington", "--decks", "1")
    assert found["notes"] == ["For study only: washington allows 6 decks, not 1."]
    assert f"{100 * found['wagers']['tie']['edge']['value']:.2f}" == "35.29"
    assert "For study only" in run("odds", "washington", "--decks", "1").output
    assert answer("washington")["notes"] == []
    many = answer("washington", "--decks", "200", "--wager", "tie")
    assert many["wagers"]["tie"]["ev"]["exact"] == str(Fraction(11 * 799, 10399) - 1)


def test_boxes_of_study_are_said() -> None:
    """More boxes than the table has are answered and said to be so."""
    found = answer("washington", "--boxes", "9", "--wager", "primary")
    assert found["notes"] == ["For study only: washington has 7 hands, not 9."]


def test_few_cards_are_said() -> None:
    """Cards that do not suffice for the burns are answered with a note."""
    seen = " ".join(card for card in Composition.fresh(1).counts if card not in ("9s", "9d", "9h"))
    found = answer("washington", "--decks", "2", "--seen", f"{seen} {seen}", "--wager", "primary")
    assert found["cards"] == 6
    assert any("assume that nothing is burned" in note for note in found["notes"])
    assert found["wagers"]["primary"]["war"]["ev"]["exact"] == "2"


def test_no_tie_is_said() -> None:
    """Where no tie can be dealt the war-deal tie wager says so, and the rest has its odds."""
    keep = ("9s", "Td", "Jh", "Qc")
    seen = " ".join(card for card in Composition.fresh(1).counts if card not in keep)
    found = answer("maryland", "--decks", "1", "--seen", seen, "--wager", "war_tie")
    assert "These cards cannot tie" in found["wagers"]["war_tie"]["impossible"]


REFUSALS = {
    "odds washington --decks 0": "may be 1 to 1000",
    "odds washington --decks -3": "may be 1 to 1000",
    "odds washington --option war_pays=dear": "both_units, no_bonus, each_wager",
    "odds washington --option wars=dear": "the options are war_pays, war_burn",
    "odds washington --option war_pays": "key=value",
    "odds washington --wager jackpot": "its wagers are primary, tie",
    "odds washington --wager progressive": "its wagers are primary, tie",
    "odds washington --wager war": "ask for primary",
    "odds washington --meter 2000000": "leave the meter out",
    "odds maryland --meter 999999": "at least 1000000 cents",
    "odds maryland --meter -1": "at least 1000000 cents",
    "odds maryland --stake 250": "100, 500 cents",
    "odds washington --stake 500": "no side bets",
    "odds washington --seen 9x": "one of 23456789TJQKA followed by one of cdhs",
    "odds washington --seen 10s": "such as 9s or Td",
    "odds washington --seen 9s,9s,9s,9s,9s,9s,9s": "at most 6 times",
    "odds online --boxes 4": "1 to 3 boxes",
    "odds maryland --boxes 0": "1 to 9 boxes",
    "odds maryland --boxes 10": "1 to 9 boxes",
    "odds washington --bank 1000": "The house banks washington",
    "odds atlantis": "use california, maryland",
    "odds washington@zz": "8 to 64 hexadecimal digits",
    "odds none.toml": "cannot be read",
    "par washington -o sheet.doc": ".html, .pdf, .json, .csv",
    "par washington -o sheet": ".html, .pdf, .json, .csv",
    "par washington -o no/such/place.html": "cannot be written",
    "par washington -o sheet.html --date tomorrow": "2026-01-31",
    "par washington -o sheet.html --decks 0": "may be 1 to 1000",
    "par atlantis -o sheet.html": "use california, maryland",
}


@pytest.mark.parametrize(("line", "accepted"), REFUSALS.items())
def test_bad_input_is_refused(
    line: str, accepted: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bad input ends with 2 and one sentence that says what would be accepted."""
    monkeypatch.chdir(tmp_path)
    result = run(*line.split())
    assert result.exit_code == 2
    assert result.stdout == ""
    assert accepted in result.stderr
    assert result.stderr.startswith("wartable: ")
    assert result.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", NAMES)
def test_the_tables_are_printed(name: str) -> None:
    """People get tables with the same figures."""
    result = run("odds", name, "--boxes", "2")
    assert result.exit_code == 0
    for text in ("-23138/993023", "2.3301", "18.6495", "Readings", "return floor of 75 %"):
        assert text in result.stdout


def test_the_bank_is_printed() -> None:
    """California's tables have the bank under each reading, for an amount posted."""
    result = run("odds", "california", "--bank", "500", "--boxes", "2")
    assert result.exit_code == 0
    for reading in ("matched", "running", "payoffs_only", "ties_last"):
        assert f"{reading}, $5.00 posted" in result.stdout
