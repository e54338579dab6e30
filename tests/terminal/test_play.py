"""`wartable play` by script: the five books, bad input, saving, going on, repeatability."""

import os
import re
import stat
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner, Result
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from applied import applied
from paths import DOCS
from tied_sittings import tied_sitting
from wartable import game
from wartable.cli import COMMANDS, wartable
from wartable.game.prices import Price
from wartable.rules import NAMES, load, with_options
from wartable.table import Due, view
from wartable.table import commands as c
from wartable.terminal import felt, plain, words
from wartable.terminal import journal as journals
from wartable.terminal.chips import spots
from wartable.terminal.lines import HELP, Stake, Unclear, read, read_amount
from wartable.terminal.opening import Wish, begin, boxes_of
from wartable.terminal.pages import bank_words
from wartable.terminal.sitting import PublicEvent
from wartable.verify import verify_bytes

SCRIPT = "cut 100\nbank no\nbet 25\nbet tie 5\ndeal\nplay 6\nhistory\nbalance\nrules\nq\n"
SEEDS_MAX = 100
"""Far more than it takes to find cards that are not rare."""
RANKS = ("2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A")


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setattr(os, "fsync", bool)  # does nothing: these tests lose no power


def play(script: str, *arguments: str) -> Result:
    """The command with a script as its input."""
    result = CliRunner().invoke(wartable, ["play", *arguments], input=script)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.output
    return result


def told_where(wanted: Callable[[str], bool], script: str, *arguments: str) -> str:
    """What the script tells with the first seed whose cards are as wanted."""
    for seed in range(SEEDS_MAX):
        told = play(script, *arguments, "--seed", str(seed)).stdout
        if wanted(told):
            return told
    raise AssertionError("no seed gives such cards")


def cents(text: str) -> int:
    """An amount of the output in cents."""
    return round(float(text.replace(",", "")) * 100)


def ended(result: Result) -> tuple[int, int, int, int]:
    """Staked, returned, net and what the visitor left with, by the summary."""
    bank = r"(?:, bank (?:won|lost) [\d,.]+)?"
    found = re.search(
        rf"staked ([\d,.]+), returned ([\d,.]+){bank}, net ([-+]?[\d,.]+), time", result.output
    )
    left = re.search(r"You leave with ([\d,.]+)\.\n", result.output)
    assert found is not None, result.output
    assert left is not None, result.output
    return cents(found[1]), cents(found[2]), cents(found[3]), cents(left[1])


@pytest.mark.parametrize("name", NAMES)
def test_a_script_plays_every_book(name: str) -> None:
    """A script plays rounds of the book to the end, and the money adds up."""
    result = play(SCRIPT, name, "--seed", "2")
    assert result.exit_code == 0
    staked, returned, net, left = ended(result)
    assert staked >= 7 * 3_000
    assert returned - staked == net
    assert left == 100_000 + net
    assert '"No more bets."' in result.output
    assert re.search(r"net [-+][\d.]+ \[[A-Z]{2}-", result.output), "payments name their clause"


@pytest.mark.parametrize("name", NAMES)
def test_plain_text_has_no_control_codes(name: str) -> None:
    """Without a terminal nothing but text and line ends is printed."""
    result = play(SCRIPT, name, "--seed", "2")
    assert not [c for c in result.output if not c.isprintable() and c != "\n"]


@pytest.mark.parametrize("name", NAMES)
def test_a_seed_repeats_everything(name: str) -> None:
    """The same seed and script give the same output; another seed another."""
    first, again, other = (play(SCRIPT, name, "--seed", seed).output for seed in ("a", "a", "b"))
    assert _without_path(first) == _without_path(again)
    assert _without_path(first) != _without_path(other)


def _without_path(output: str) -> str:
    return re.sub(r"in \S+\.json", "in FILE", output)


def test_without_a_seed_shuffles_differ() -> None:
    """Without --seed the operating system's chance is used."""
    commitments = {
        match[0]
        for _ in range(2)
        if (match := re.search("commitment is [0-9a-f]{64}", play("q\n", "washington").output))
    }
    assert len(commitments) == 2


@pytest.mark.finding(1)
@pytest.mark.parametrize(
    ("price", "words"),
    [
        (
            Price(2, "war", 0, 1000, 2000, 0, 0, 0, matched=0),
            "War: the bank has nothing left to match it; 20.00 goes back.",
        ),
        (
            Price(2, "war", 0, 1000, 1200, 400, 800, -800, matched=400),
            (
                "War: 10.00 more; win +4.00, tie +8.00, lose -8.00; "
                "the bank can match 4.00, 12.00 goes back."
            ),
        ),
        (
            Price(2, "war", 0, 1000, 0, 1000, 2000, -2000, matched=1000, sure=False),
            (
                "War: 10.00 more; win +10.00, tie +20.00, lose -20.00; "
                "the bank can match it if boxes before yours leave enough."
            ),
        ),
    ],
)
def test_the_question_says_what_the_bank_can_match(
    price: Price, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before the visitor chooses, the price of a war says how much of it the bank can match."""
    surrender = Price(2, "surrender", 0, 0, 500, -500, -500, -500)
    monkeypatch.setattr(plain, "war_prices", lambda *_: [price])
    monkeypatch.setattr(plain, "surrender_price", lambda *_: surrender)
    sitting = begin(Wish("california", {}, seed="8"), None)
    (line,) = plain.choice_prices(sitting, Due("choice", "you", 2))
    assert line == f"{words} Surrender: net -5.00."


@pytest.mark.finding(1)
def test_the_visitor_may_bank() -> None:
    """In a book without a house bank the visitor banks in turn, and bots bank else."""
    script = "cut no\n" + "bank 300\nbet 5\ndeal\nwar\n" * 8 + "play 5\nq\n"
    offer = "Do you take the bank? 500.00 leaves 500.00 to match wars against you."
    told = told_where(lambda told: offer in told and "You leave with" in told, script, "california")
    assert "You take the bank and post 300." in told
    assert re.search("(Ada|Bruno|Chiyo) takes the bank", told)
    assert cents(re.findall(r"You leave with ([\d,.]+)\.\n", told)[-1]) > 0


def _bank_ends(told: str) -> list[tuple[str, str]]:
    return re.findall(r"^Your bank (won|lost) ([\d.]+)\.$", told, re.MULTILINE)


def _won_and_lost(told: str) -> bool:
    """Whether the bank won a round and lost another, and did not come out even."""
    nets = [cents(amount) * (1 if word == "won" else -1) for word, amount in _bank_ends(told)]
    return min(nets, default=0) < 0 < max(nets, default=0) and sum(nets) != 0


@pytest.mark.finding(16)
def test_a_bankers_rounds_are_won_and_lost() -> None:
    """The round's end, the history and the summary say what the bank won or lost."""
    script = "cut no\n" + "bank 300\nbet 5\ndeal\nwar\n" * 8 + "history\nq\n"
    told = told_where(_won_and_lost, script, "california")
    ends = _bank_ends(told)
    listed = re.findall(r"your bank (won|lost) ([\d.]+), posted 300$", told, re.MULTILINE)
    assert {word for word, _ in ends} == {"won", "lost"}
    assert ends == listed[::-1]
    total = sum(cents(amount) * (1 if word == "won" else -1) for word, amount in ends)
    (summed,) = re.findall(r", bank (won|lost) ([\d.]+), net", told)
    assert summed[0] == ("won" if total > 0 else "lost")
    assert cents(summed[1]) == abs(total)


def test_war_surrender_and_tie_at_war() -> None:
    """A tie is a question; war burns three cards face down; surrender returns half."""
    tied = tied_sitting()
    war = play("cut 150\nbet 25\ndeal\nwar 5\nq\n", "maryland", "--seed", tied.seed)
    assert tied.question in war.output
    plain = "War: 25.00 more; win +25.00, tie +50.00, lose -50.00."
    assert f"{plain} Surrender: net -12.50." in war.output
    least = "War with a tie wager of 1.00: 26.00 more"
    assert f"{least}; win +24.00, tie +60.00, lose -51.00." in war.output
    assert "War deal: burned ▒▒, burned ▒▒, burned ▒▒, box 5 (You)" in war.output
    assert "Tie Wager on the War deal 5" in war.output
    gone = play("cut 150\nbet 25\ndeal\nsurrender\nq\n", "maryland", "--seed", tied.seed)
    assert "surrendered, half returned; back 12.50, net -12.50" in gone.output
    assert "win" not in gone.output.partition("surrender\n")[2], "no praise below the stake"


def test_praise_only_above_the_stake() -> None:
    """Rounds whose return is not above their stake are never called won (R11)."""
    script = "cut no\nbet 10\nbet tie 10\ndeal\nplay 80\nq\n"
    output = play(script, "washington", "--seed", "r1").output
    results = re.findall(r"Round \d+: staked ([\d.,]+), returned ([\d.,]+), (\w+)", output)
    assert len(results) == 81
    for staked, returned, word in results:
        assert (word == "you") == (cents(returned) > cents(staked))
    assert any(staked == returned for staked, returned, _ in results)


def test_bad_input_gets_a_sentence_and_is_asked_again() -> None:
    """Nonsense, wrong amounts and wrong moments are answered in words; play goes on."""
    lines = (
        "xyzzy", "bet", "bet ten", "bet 9 9 9 9", "bet -5", "bet 0", "bet 1e9", "bet 4 tie 5",
        "bet 999999", "bet 1", "bet progressive 2", "bet 8 5", "war", "cut 5", "cut x", "bank 5",
        "double", "clear", "repeat", "deal now", "play 0", "play x", "buy", "\x1b[31m", "ü" * 300,
        "bet 25", "bet 25 25", "war 5", "cut 3", "quit now",
    )  # fmt: skip  # a list of lines
    result = play("cut 100\n" + "\n".join(lines) + "\nq\n", "maryland", "--seed", "1")
    assert result.exit_code == 0
    assert "Traceback" not in result.output
    assert "\x1b" not in result.output
    assert ended(result)[3] == 100_000
    for sentence in ("There is no command 'xyzzy'", "An amount is written", "5.00 to 300.00"):
        assert sentence in result.output


WORDS = (
    "bet", "clear", "repeat", "double", "deal", "play", "war", "surrender", "cut", "no", "bank",
    "pass", "buy", "rules", "history", "balance", "help", "tie", "bonus", "progressive", "primary",
    "box", "1", "2", "4", "5", "25", "100", "0.01", "12.50", "99999999999", "-1", "#", "?", "ü",
)  # fmt: skip  # a list of words
LINES = st.lists(st.sampled_from(WORDS), max_size=4).map(" ".join)
MOVES = st.sampled_from(("cut 100", "bet 25", "bet 2 25", "deal", "war", "surrender", "bank 50"))


@settings(
    max_examples=settings().max_examples // 4,
    suppress_health_check=[
        HealthCheck.function_scoped_fixture,  # each example has own files
        HealthCheck.too_slow,
    ],
)
@given(
    name=st.sampled_from(NAMES),
    script=st.lists(LINES | MOVES, max_size=40),
    seed=st.integers(0, 99),
)
def test_any_script_ends_politely(name: str, script: list[str], seed: int) -> None:
    """Whatever the lines, every answer is a sentence and the money adds up at the end."""
    text = "\n".join([*script, "surrender\n" * 3])
    result = play(text, name, "--seed", str(seed))
    assert result.exit_code == 0
    bought = sum(cents(each) for each in re.findall("You bring ([0-9,.]+) more", result.output))
    assert ended(result)[3] == 100_000 + bought + ended(result)[2]


def test_bytes_that_are_no_text() -> None:
    """Input that is not UTF-8 is answered like any other nonsense."""
    result = CliRunner().invoke(wartable, ["play", "online", "--seed", "1"], input=b"\xff\xfe\nq\n")
    assert result.exit_code == 0
    assert "There is no command" in result.output


def test_the_end_of_input_is_polite() -> None:
    """Input that ends between rounds ends the sitting with its summary."""
    result = play("cut 100\nbet 25\n", "washington", "--seed", "1")
    assert result.exit_code == 0
    assert ended(result)[3] == 100_000
    assert not journals.unfinished(journals.folder())


def test_the_end_of_input_at_a_tie_keeps_the_table() -> None:
    """Input that ends while a hand waits keeps the table; --resume goes on with that hand."""
    arguments = ("maryland", "--seed", tied_sitting().seed)
    kept = play("cut 150\nbet 25\ndeal\n", *arguments)
    assert "Balance 975.00, 25.00 on the felt" in kept.output
    assert "wartable play --resume" in kept.output
    resumed = play("war\nq\n", "--resume")
    whole = play("cut 150\nbet 25\ndeal\nwar\nq\n", *arguments)
    assert ended(resumed) == ended(whole)
    nothing = play("q\n", "--resume")
    assert nothing.exit_code == 2
    assert nothing.stderr == "wartable: There is no saved table to continue.\n"


def test_a_sitting_that_was_left_is_not_offered_again() -> None:
    """A file whose visitor has left, but which was not put away, is put away at the next start."""
    play("cut 100\nbet 25\ndeal\nq\n", "washington", "--seed", "1")
    (path,) = (journals.folder() / journals.ENDED).iterdir()
    path.rename(journals.folder() / journals.OPEN / path.name)
    assert "There is no saved table to continue." in play("q\n", "--resume").stderr
    assert path.exists()


def test_clear_double_repeat_and_watching() -> None:
    """Wagers are doubled, taken back and repeated; a round can be watched."""
    script = (
        "cut no\nbet 10\nbet tie 2\ndouble\nbalance\nclear tie\nbalance\nclear\nbalance\n"
        "bet 5\ndeal\nplay 1\nclear\ndeal\nq\n"
    )
    output = play(script, "washington", "--seed", "w").output
    assert "Balance 976.00, 24.00 on the felt" in output
    assert "Balance 980.00, 20.00 on the felt" in output
    assert "Balance 1,000.00; this sitting 0.00." in output


def test_boxes_and_limits_are_checked() -> None:
    """What cannot be is refused in one sentence with exit code 2."""
    for arguments, sentence in (
        (["maryland", "--boxes", "1,3"], "next to each other"),
        (["maryland", "--boxes", "1-5"], "may play at most 3 boxes"),
        (["maryland", "--boxes", "x"], "Boxes are written"),
        (["california", "--bots", "1"], "takes 2 to 7 bots"),
        (["online", "--bots", "1"], "takes 0 to 0 bots"),
        (["online", "--limits", "9-5"], "above the maximum"),
        (["online", "--limits", "5"], "Every table has limits; they are written like 5-500"),
        (["online", "--limits", "none"], "Every table has limits"),
        (["online", "--option", "war_pays=no_bonus"], "does not leave this to the operator"),
        (["online", "--bankroll", "lots"], "An amount is written"),
        (["nowhere"], "There is no rule book"),
        (["online", "--option", "war_pays"], "key=value"),
        (["online", "--option", "war_pays=twice"], "may be both_units"),
        (["missing.toml"], "cannot be read"),
        (["california", "--option", "shuffle=continuous"], "allows batches, not continuous"),
    ):
        result = play("q\n", *arguments)
        assert result.exit_code == 2, arguments
        assert sentence in result.stderr
        assert result.stderr.count("\n") == 1
    assert not journals.unfinished(journals.folder()), "nothing is begun"


@pytest.mark.parametrize("method", ["shoe", "batches", "every_round", "continuous"])
def test_every_method_of_shuffling(method: str) -> None:
    """A table is played by any method that its book allows."""
    script = "cut 100\nbet 5\ndeal\nplay 45\nwar\nq\n"  # the last round may tie
    result = play(script, "maryland", "--option", f"shuffle={method}", "--seed", "m4")
    assert ended(result)[0] >= 46 * 500
    found = re.search(r"finished shoes are in (\S+)", result.output)
    assert found is not None
    assert all(step.ok for step in verify_bytes(Path(found[1]).read_bytes()))


def test_a_book_of_ones_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A user's file is played, with its own limits, and found again from another directory."""
    book = tmp_path / "mine.toml"
    book.write_text(
        'extends = "maryland"\nname = "mine"\n[limits.primary]\nmin = 1000\nmax = 2000\n'
    )
    monkeypatch.chdir(tmp_path)
    assert "takes 10.00 to 20.00" in play("cut 150\nbet 5\nq\n", "mine.toml").output
    begin(Wish("mine.toml", {}), journals.folder()).journal.close()
    monkeypatch.chdir("/")
    assert "takes 10.00 to 20.00" in play("cut 150\nbet 5\nq\n", "--resume").output


@pytest.mark.finding(18)
def test_cards_cover_and_match_are_explained() -> None:
    """The opening and the rules say how many decks there are, and what cover and match mean."""
    told = play("rules\nquit\n", "california", "--seed", "7").stdout
    words = " ".join(told.split())
    assert words.count("12 decks in two batches of six, with different backs") == 2
    assert words.count("box by box from the dealer's left, the seated player's before") == 2
    assert words.count("the Primary Wager, then 10 times the Tie Wager. What is not covered") == 2
    assert words.count("Match: at war the bank puts new money against each War Wager") == 2
    other = with_options(load("california"), {"bank_cover": "ties_last"}).rules
    assert "against every Primary Wager" in " ".join(bank_words(other))
    house = play("rules\nquit\n", "washington", "--seed", "7").stdout
    assert "6 decks, a shoe with a cover card" in house
    for book, decks in (("california", "2 x 6 decks"), ("washington", "6 decks")):
        sitting = begin(Wish(book, {}, seed="7"), None)
        top = felt.draw(sitting, felt.Scene(view(sitting.state)))[0].plain
        assert f"♥  {decks} " in top
    assert "Cover:" not in house
    assert "Match:" not in house


def _behind(told: str) -> tuple[str, str]:
    """The card of the seat that the visitor stands behind, and the player/dealer's."""
    (cards,) = re.findall(r"box 5 \(Chiyo, You\) (\S+), Player/dealer (\S+)\.", told)
    return cards[0], cards[1]


def _loses_behind(told: str) -> bool:
    card, dealers = (RANKS.index(card[:-1]) for card in _behind(told))
    return card < dealers


@pytest.mark.finding(18)
def test_a_visitor_without_a_seat_bets_behind() -> None:
    """In California one who stands bets behind a seat and is paid by its card; a seat binds."""
    script = "bet 5 10\ndeal\nhistory\nquit\n"
    told = told_where(_loses_behind, script, "california", "--boxes", "none")
    assert "You join the table with 1,000." in told
    assert "You bet 10 on box 5, Primary Wager." in told
    card, _ = _behind(told)
    assert "Round 1: staked 10.00, returned 0.00, net -10.00." in told
    assert f"box 5 {card}" in told.partition("The last rounds")[2]
    bank = play("bet 3 10\nbet 10\nquit\n", "california", "--seed", "2", "--boxes", "none").stdout
    assert "Box 3 is the bank's and gets no card of its own." in bank
    assert "You bet 10 on box 4, Primary Wager." in bank, "the first box that takes it"
    seated = play("cut no\nbet 5 10\nquit\n", "california", "--seed", "7").stdout
    assert "A seated player bets only on the box of the seat, 4." in seated
    for book in ("maryland", "washington", "online"):
        refused = play("", book, "--boxes", "none")
        assert refused.exit_code != 0
        assert "Nobody bets from behind a seat at this table: choose a box." in refused.output


@pytest.mark.finding(18)
@pytest.mark.parametrize(
    ("book", "boxes", "seated", "reached"),
    [
        ("california", None, 4, [4]),
        ("california", "none", None, [4, 5]),
        ("new-zealand", None, 4, [4, 1, 2, 3, 5, 6, 7]),
        ("maryland", None, 5, [5]),
        ("washington", None, 4, [4]),
    ],
)
def test_the_keys_reach_the_boxes_that_take_a_wager(
    book: str, boxes: str | None, seated: int | None, reached: list[int]
) -> None:
    """Own boxes first, then others' where the book has a backline and one may bet there."""
    sitting = begin(Wish(book, {}, boxes, seed="7"), None)
    for _ in sitting.advance():
        pass
    while (due := sitting.question()) is not None and due.what != "bets":
        refuse = c.RefuseCut if due.what == "cut" else c.PassBank
        sitting.give(refuse(sitting.visitor))
        for _ in sitting.advance():
            pass
    assert sitting.state.guests[sitting.visitor].seat == seated
    found = spots(sitting)
    assert list(dict.fromkeys(box for box, _ in found)) == reached
    assert found[0] == (reached[0], "primary")


def test_several_boxes_and_options() -> None:
    """A visitor plays several boxes, and options change what is paid."""
    script = "cut no\nbet 4 10\nbet 5 10\ndeal\nplay 3\nq\n"
    result = play(script, "maryland", "--boxes", "4-5", "--seed", "2")
    assert "Box 4, Initial Wager 10" in result.output
    assert "Box 5, Initial Wager 10" in result.output
    changed = play("rules\nq\n", "maryland", "--option", "war_burn=each_card", "--seed", "2")
    assert "Options: war_burn = each_card" in changed.output
    assert "2.33 %" in changed.output


@pytest.mark.finding(12)
def test_boxes_of_community_cards() -> None:
    """Community cards need not lie side by side, and all of them may be played."""
    book = with_options(load("maryland"), {"electronic": "5"})
    assert boxes_of(book, None) == (1, 2, 3, 4, 5)
    assert boxes_of(book, "1,3-4") == (1, 3, 4)
    with pytest.raises(Unclear, match="boxes 1 to 5"):
        boxes_of(book, "1,6")
    with pytest.raises(Unclear, match="next to each other"):
        boxes_of(load("maryland"), "1,3")


def test_community_cards() -> None:
    """The electronic table's community cards are played by visitor and bots together."""
    wars = "war\n" * 3  # at every tie that there may be; else they are answered and change nothing
    script = f"cut no\nbet 1 5\nbet 2 5\nbet 3 5\ndeal\n{wars}play 5\n{wars * 5}q\n"
    result = play(script, "maryland", "--option", "electronic=3", "--seed", "2")
    assert result.exit_code == 0
    assert "\nRounds 6, staked " in result.output
    assert ended(result)[0] >= 6 * 1_500


def test_a_finished_shoe_can_be_verified(tmp_path: Path) -> None:
    """A shoe that ended is saved with its seed, and the record verifies."""
    result = play("cut 100\nbet 5\ndeal\nplay 60\nq\n", "washington", "--seed", "4")
    assert re.search("The shoe has ended: .* The last link was [0-9a-f]{64}", result.output)
    found = re.search(r"To check the shoe: wartable verify (\S+)", result.output)
    assert found is not None
    steps = verify_bytes(Path(found[1]).read_bytes())
    assert len(steps) > 8
    assert all(step.ok for step in steps)
    assert tmp_path in Path(found[1]).parents


def test_files_are_the_users_alone(tmp_path: Path) -> None:
    """The seed of a shoe in use is in the journal: nobody else may read it."""
    play("cut 150\nbet 25\ndeal\n", "maryland", "--seed", tied_sitting().seed)
    (path,) = journals.unfinished(journals.folder())
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert path.is_relative_to(tmp_path)


def test_nothing_hidden_is_told() -> None:
    """No burned card, undealt card or seed of the shoe in use is in the output."""
    script = "cut 150\nbet 25\ndeal\nwar\n" + "balance\n" * 3 + "history\n"
    output = play(script + "bet 25\n", "maryland", "--seed", tied_sitting().seed).output
    ended_files = list((journals.folder() / journals.ENDED).iterdir())
    text = ended_files[0].read_text()
    seeds = set(re.findall('"(?:link|key|root)":"([0-9a-f]{64})"', text))
    assert seeds
    assert not [seed for seed in seeds if seed in output]


def test_the_demonstration_keeps_nothing(tmp_path: Path) -> None:
    """--demo plays a war as plain text, ends by itself and leaves no file."""
    result = play("", "--demo")
    assert result.exit_code == 0
    assert "War deal" in result.output
    assert "You leave with" in result.output
    assert list(tmp_path.iterdir()) == []


def test_a_damaged_file_is_refused_in_words() -> None:
    """A journal that was changed in the middle is not played on; the sentence says where."""
    play("cut 150\nbet 25\ndeal\n", "maryland", "--seed", tied_sitting().seed)
    (path,) = journals.unfinished(journals.folder())
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:5], b"{}\n", *lines[6:]]))
    result = play("q\n", "--resume")
    assert result.exit_code == 2
    assert "is damaged in line 6" in result.stderr


def test_a_full_disk_is_told_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the journal cannot be written, the play ends with the sentence and shows no event."""
    calls = iter(range(1_000))

    def fill(descriptor: int) -> None:
        if descriptor >= 0 and next(calls) > 4:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fill)
    result = play("cut no\nbet 25\ndeal\nq\n", "washington", "--seed", "1")
    assert result.exit_code == 2
    assert "cannot be written: No space left on device" in result.stderr
    assert "Deal:" not in result.output


def test_lines_are_read() -> None:
    """The line grammar: amounts, boxes and wagers in any sensible order."""
    assert read("bet 25") == Stake(2_500)
    assert read("bet 4 25") == Stake(2_500, 4)
    assert read("BET box 4 tie $5.50  # comment") == Stake(550, 4, "tie")
    assert read("bet tie 4 5") == Stake(500, 4, "tie")
    assert read("   # only a comment") is None
    assert read_amount("1,000") == 100_000
    for text in ("", "0", "0.00", "1.234", "-1", "1e3", "٣"):
        with pytest.raises(Unclear):
            read_amount(text)


def test_help_names_every_line_command() -> None:
    """The help text lists the line commands and gives an example."""
    result = CliRunner().invoke(wartable, ["play", "--help"])
    for name, _ in HELP:
        assert name in result.output
    assert "Example: wartable play" in result.output


def test_the_page_names_every_line_command_and_option() -> None:
    """docs/play.md has a row for each line command and each option, and its script plays."""
    page = (DOCS / "play.md").read_text("utf-8")
    for name, _ in HELP:
        assert f"| `{name}` |" in page
    for option in re.findall(r"^  (--[a-z]+)", _help(), re.MULTILINE):
        assert f"`{option}" in page or option == "--help"
    script = page[page.index("cut 150 ") :].partition("```")[0]
    assert "You leave with" in play(script, "maryland", "--seed", "1").output


def _help() -> str:
    return CliRunner().invoke(wartable, ["play", "--help"]).output


@pytest.mark.parametrize("command", ["play", "verify", "rng", "rng dump", "rng test"])
def test_help_has_an_example(command: str) -> None:
    """Every help text has an example."""
    assert command.split(maxsplit=1)[0] in COMMANDS
    result = CliRunner().invoke(wartable, [*command.split(), "--help"])
    assert f"Example: wartable {command.split(maxsplit=1)[0]}" in result.output


def test_the_journal_has_every_command() -> None:
    """What is stored is the header and the commands with their events, one on each line."""
    play("cut 100\nbet 25\ndeal\nq\n", "washington", "--seed", "8")
    (path,) = (journals.folder() / journals.ENDED).iterdir()
    header, *entries = path.read_bytes().splitlines()
    assert msgspec.json.decode(header)["format"] == "wartable-sitting-1"
    tags = [msgspec.json.decode(line)["command"]["type"] for line in entries]
    assert tags[0] == "join"
    assert tags[-1] == "leave"
    assert {"shuffle_cards", "cut", "bet", "close_bets", "decide_cards"} <= set(tags)


@pytest.mark.finding(7)
def test_the_terminals_table_keeps_the_bounds_of_a_return(tmp_path: Path) -> None:
    """Below 75 % no table opens; above 100 % only after the wager is confirmed by name."""
    book = tmp_path / "mine.toml"
    book.write_text('extends = "maryland"\nname = "mine"\n[options]\nprogressive_odds = "for_1"\n')
    result = play("q\n", str(book))
    assert result.exit_code == 2
    assert "returns 74.58 %" in result.stderr
    book.write_text('extends = "maryland"\nname = "mine"\n[wagers.tie]\npays = "13 to 1"\n')
    for confirmed in ([], ["--confirm", "primary"]):
        result = play("q\n", str(book), *confirmed)
        assert result.exit_code == 2
        assert "the operator may confirm tie by name" in result.stderr
    assert not journals.unfinished(journals.folder()), "nothing is begun"
    assert play("q\n", str(book), "--confirm", "tie").exit_code == 0


@pytest.mark.finding(6)
def test_the_terminal_says_in_what_a_book_differs(tmp_path: Path) -> None:
    """A book of one's own has its own title and the sentence above the first round."""
    book = tmp_path / "mine.toml"
    head = 'extends = "washington"\nname = "mine"\ntitle = "Mine"\n'
    book.write_text(head + '[options]\nwar_pays = "no_bonus"\n')
    result = play("rules\nq\n", str(book), "--seed", "2")
    assert result.output.startswith("Mine: ")
    assert "Differs from Washington in war_pays (no_bonus, not both_units)." in result.output
    assert "2.88 %" in result.output
    assert "1 to 1 on a tie" not in result.output


@pytest.mark.finding(5)
@pytest.mark.parametrize("book", NAMES)
def test_every_table_in_the_terminal_has_limits(book: str) -> None:
    """The page above the first round shows minimum, maximum and ceiling."""
    output = play("q\n", book, "--seed", "2").output
    assert "5 to 300" in output
    assert "1 to 100" in output
    assert "No single wager is above 300, the ceiling of this house." in output


@pytest.mark.finding(2)
def test_who_gives_way_at_the_tie_spot_is_told() -> None:
    """A tie-only wager that went back is told with the reason, to its owner and to others."""
    sitting = begin(Wish("new-zealand", {}, seed="8"), None)
    you, why = sitting.visitor, "a Casino War Wager there and the first claim to the spot."
    for player, to, text in (
        (you, "Ada", f"Your Tie Wager of 5 on box 1 goes back: Ada has {why}"),
        ("Ada", you, f"Ada's Tie Wager of 5 on box 1 goes back: you have {why}"),
    ):
        event = game.Withdrawn(player, 1, "tie", 500, gives_way_to=to)
        (line,) = words.lines(sitting, PublicEvent(event, sitting.state, sitting.state))
        assert line.text == text


def test_a_sittings_events_are_applied_once() -> None:
    """A bet and a deal in the terminal are decided, accounted for and told with one application."""
    sitting = begin(Wish("washington", {}, seed="7"), None)
    for _ in sitting.advance():
        pass
    while (due := sitting.question()) is not None and due.what == "cut":
        sitting.give(c.RefuseCut(sitting.visitor))
        for _ in sitting.advance():
            pass
    box = sitting.state.guests[sitting.visitor].seat or 0
    for command in (game.Bet(sitting.visitor, box, "primary", 2500), game.CloseBets()):
        with applied() as seen:
            sitting.give(command)
        seen.check(tuple(seen.to_tables))
        staged = sitting._staged[-1]
        assert seen.to_tables == list(staged.events)
        assert staged.command == command
