"""The drawn table in a real pseudo-terminal, and the drawing itself."""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from msgspec.structs import replace

from tied_sittings import tied_sitting
from waiting import WAIT_S, living
from wartable import shoe as shoes
from wartable.game import Bet
from wartable.rules import NAMES
from wartable.table import view
from wartable.telling import short
from wartable.terminal import felt, journal
from wartable.terminal.opening import Wish, begin, go_on

pytestmark = pytest.mark.slow("plays in a terminal at its pace")

SIZES = ("COLUMNS", "LINES")
CODES = re.compile(r"\x1b(\[[0-9;?]*[A-Za-z]|[()][A-Z0-9]|[=>])")


PROGRAM = (
    "import fcntl, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0);"
    "from wartable.cli import main; main()"
)
"""The command, in the pseudo-terminal as the one whose Ctrl-C interrupts it."""


class Terminal:
    """`wartable play` in a pseudo-terminal."""

    def __init__(self, folder: Path, *arguments: str, size: tuple[int, int] = (30, 90)) -> None:
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", *size, 0, 0))
        self.before = termios.tcgetattr(slave)
        self.slave = slave
        self.text = ""
        # The window tells its size; these would overrule it.
        own = {name: value for name, value in os.environ.items() if name not in SIZES}
        self.process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, "play", *arguments],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env={**own, "XDG_STATE_HOME": str(folder), "TERM": "xterm-256color"},
            start_new_session=True,
        )
        self._ending = ExitStack()
        self._ending.enter_context(living(self.process))

    def press(self, keys: str) -> None:
        """Type the keys."""
        os.write(self.master, keys.encode())

    def wait_for(self, wanted: str) -> str:
        """All that was drawn up to the text, which must come."""
        end = time.monotonic() + WAIT_S
        start = len(self.text)
        while time.monotonic() < end:
            if select.select([self.master], [], [], 0.1)[0]:
                try:
                    data = os.read(self.master, 65536)
                except OSError:
                    break
                self.text += data.decode("utf-8", "replace")
            if wanted in CODES.sub("", self.text[start:]):
                return CODES.sub("", self.text[start:])
        raise AssertionError(f"{wanted!r} did not come: {CODES.sub('', self.text[-3000:])}")

    def close(self) -> None:
        """End what is left."""
        self._ending.close()
        os.close(self.master)
        os.close(self.slave)


@pytest.fixture
def terminals() -> Iterator[list[Terminal]]:
    """Terminals that are closed in the end."""
    made: list[Terminal] = []
    yield made
    for each in made:
        each.close()


def test_keys_bet_deal_war_interrupt_and_resume(terminals: list[Terminal], tmp_path: Path) -> None:
    """Cut, bet, deal to a tie, Ctrl-C in the middle, go on, war, look things up, leave."""
    tied = tied_sitting()
    first = Terminal(tmp_path, "maryland", "--fast", "--seed", tied.seed, size=(30, 80))
    terminals.append(first)
    first.wait_for("Your cut")
    first.press("\x1b[B" * 6)  # down from 156 to 150
    first.wait_for("150 cards")
    first.press("\r")
    first.wait_for("Your bets: box 5, Initial Wager")
    first.press("3")
    first.wait_for("Balance 975.00")
    first.press("\x1b[B2")  # down to the tie spot, and five on it
    first.wait_for("Balance 970.00")
    first.press("\r")
    shown = first.wait_for(tied.question)  # below what war and surrender bring
    assert "War: 25.00 more; win +25.00, tie +50.00, lose -50.00. Surrender: net -12.50." in shown
    first.press("\x03")
    shown = first.wait_for("continue with: wartable play --resume")
    assert "Balance 1,025.00, 25.00 on the felt" in shown
    assert first.process.wait(timeout=WAIT_S) == 0
    assert termios.tcgetattr(first.slave) == first.before

    second = Terminal(tmp_path, "--fast")
    terminals.append(second)
    second.wait_for("Continue it? [Y/n]")
    second.press("y\n")
    second.wait_for(tied.question)
    second.press("w")
    second.wait_for("you win 75.00")
    second.press("?")
    second.wait_for("2.33 %")
    second.press("x")
    second.wait_for("Your bets")
    second.press("h")
    second.wait_for("The last rounds")
    second.press("x")
    second.wait_for("Your bets")
    second.press("z!")  # keys that mean nothing change nothing
    second.press(":bet nonsense\r")
    second.wait_for("An amount is written like")
    second.press("q")
    second.wait_for("You leave with 1,075.00.")
    assert second.process.wait(timeout=WAIT_S) == 0


def test_the_choice_of_a_table(terminals: list[Terminal], tmp_path: Path) -> None:
    """Without a book the terminal asks for book, options, boxes and money; nonsense again."""
    terminal = Terminal(tmp_path, "--fast", "--seed", "1")
    terminals.append(terminal)
    terminal.wait_for("1 to 5, or a name [maryland]:")
    terminal.press("7\n")
    terminal.wait_for("There is no table '7'.")
    terminal.press("4\n")
    terminal.wait_for("Options as key=value")
    terminal.press("?\n")
    terminal.wait_for("shuffle = every_round")
    terminal.press("war_burn=once\n")
    terminal.wait_for("Options as key=value")
    terminal.press("\n")
    terminal.wait_for("Your boxes [1,2,3]:")
    terminal.press("9\n")
    terminal.wait_for("This table has boxes 1 to 3.")
    terminal.press("1-2\n")
    terminal.wait_for("Your bankroll [1,000]:")
    terminal.press("50\n")
    terminal.wait_for("Your bets: box 1, Main Bet")
    terminal.press("q")
    terminal.wait_for("You leave with 50.00.")


def test_a_closed_terminal_keeps_the_table(terminals: list[Terminal], tmp_path: Path) -> None:
    """A terminal that is closed ends the program without leaving the table."""
    terminal = Terminal(tmp_path, "online", "--fast", "--seed", "2")
    terminals.append(terminal)
    terminal.wait_for("Your bets")
    terminal.press("3")
    terminal.wait_for("Balance 975.00")
    os.close(terminal.slave)
    os.close(terminal.master)
    terminal.process.wait(timeout=WAIT_S)
    terminal.master, terminal.slave = pty.openpty()
    (path,) = journal.unfinished(tmp_path / "wartable")
    sitting = go_on(path)
    sitting.journal.close()
    assert (sitting.stack, sitting.at_stake) == (97_500, 2_500)


def test_pauses_are_hurried_by_a_key(terminals: list[Terminal], tmp_path: Path) -> None:
    """Without --fast the cards come one by one, and any key hurries them."""
    terminal = Terminal(tmp_path, "online", "--seed", "2")
    terminals.append(terminal)
    terminal.wait_for("Your bets")
    terminal.press("3\r")
    terminal.wait_for("any key hurries")
    terminal.press(" ")
    terminal.wait_for("Round 1:")
    terminal.press("\x04")
    terminal.wait_for("You leave with")


@pytest.mark.parametrize("width", [80, 100, 120])
@pytest.mark.parametrize("name", NAMES)
def test_the_felt_keeps_its_width(name: str, width: int) -> None:
    """Every line of the felt is as wide as the others, and nothing hidden is on it."""
    sitting = begin(Wish(name, {}, seed="felt"), None)
    for told in sitting.advance():
        for each in told:
            drawn = felt.draw(sitting, felt.Scene(each.after, None, None, width))
            assert {len(line.plain) for line in drawn} == {width}
    text = "\n".join(
        line.plain for line in felt.draw(sitting, felt.Scene(view(sitting.state), width=width))
    )
    assert "[" in text
    assert sitting.setup.rules.title in text


def test_the_meters_leave_room_for_the_shoe() -> None:
    """At 80 columns Maryland's meters and the shoe are both whole, whatever the meters hold."""
    sitting = begin(Wish("maryland", {}, seed="felt"), None)
    for _ in sitting.advance():
        pass
    table = view(sitting.state)
    assert table.shoe is not None
    left = f"{shoes.left(table.shoe)} left"
    for shown in (0, 12_345, 99_999_900):
        meters = {name: replace(meter, shown=shown) for name, meter in table.meters.items()}
        scene = felt.Scene(replace(table, meters=meters), width=80)
        line = felt.draw(sitting, scene)[1].plain
        assert re.search(rf"shoe 1\D.*{left}(, \d+ out)?  +\S", line), line
        assert all(f"{name} {short(shown)}" in line for name in meters), line


@pytest.mark.finding(18)
def test_a_wager_from_behind_stands_beside_the_seated_players() -> None:
    """On a box with two hands both amounts are shown, the visitor's first."""
    sitting = begin(Wish("california", {}, "none", seed="7"), None)
    for _ in sitting.advance():
        pass
    sitting.give(Bet(sitting.visitor, 4, "primary", 1_000))
    hands = sitting.state.round.hands if sitting.state.round else ()
    (seated,) = [hand for hand in hands if hand.box == 4 and hand.player != sitting.visitor]
    wager = seated.wager("primary")
    assert wager is not None
    lines = [line.plain for line in felt.draw(sitting, felt.Scene(view(sitting.state)))]
    assert any(f" 10{short(wager.staked, '+')} " in line for line in lines), lines
