"""A sitting that is killed at any moment: nothing told is lost, nothing is paid twice."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from waiting import WAIT_S, living
from wartable import game, ledger
from wartable.rules import NAMES, WagerKind
from wartable.table import Due, Table, fold, start, view_event
from wartable.table import commands as c
from wartable.terminal import chips, journal
from wartable.terminal.journal import Journal, JournalError, JournalLine
from wartable.terminal.opening import Wish, begin, go_on
from wartable.terminal.sitting import Sitting, book_of, setup_of

pytestmark = pytest.mark.slow("kills the program at many moments")

ROUNDS = 6
WAGERS: dict[WagerKind, int] = {"primary": 2_500, "tie": 500}


class Killed(Exception):
    """The power is gone."""


class Failing(Journal):
    """A journal whose n-th write is the last thing that happens, done or not done."""

    def __init__(self, inner: Journal, writes: int, *, done: bool) -> None:
        super().__init__(inner.path)
        self._inner = inner
        self._left = writes
        self._done = done

    def append(self, entries: Sequence[JournalLine]) -> None:
        """Write, unless the power goes first."""
        if not entries:
            return
        self._left -= 1
        if self._left < 0 and not self._done:
            raise Killed
        self._inner.append(entries)
        if self._left < 0:
            raise Killed


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fsync", bool)  # the tests cut files themselves


def answer(sitting: Sitting, due: Due) -> None:
    """What the visitor does, which depends on the table alone."""
    you, box = sitting.visitor, sitting.header.boxes[0]
    match due.what:
        case "bets":
            wagers = chips.own_wagers(sitting)
            for kind, amount in WAGERS.items():
                if (box, kind) not in wagers:
                    sitting.give(game.Bet(you, box, kind, amount))
            sitting.give(game.CloseBets())
        case "choice":
            sitting.give(game.Choose(you, due.box or 0, "war"))
        case "cut":
            sitting.give(c.Cut(you, 100))
        case _:
            sitting.give(c.TakeBank(you, 20_000))


def drive(sitting: Sitting, rounds: int = ROUNDS) -> list[game.GameEvent]:
    """Play until so many rounds are over; what was told."""
    told: list[game.GameEvent] = []
    drive_into(told, sitting, rounds)
    return told


def drive_into(told: list[game.GameEvent], sitting: Sitting, rounds: int = ROUNDS) -> None:
    """The same, telling as it goes."""
    while True:
        for part in sitting.advance():
            told += [each.event for each in part]  # type: ignore[misc]  # of the table, too
        due = sitting.question()
        assert due is not None
        if sitting.state.rounds > rounds and due.what in ("bets", "bank"):
            return
        answer(sitting, due)


def saved_events(path: Path) -> list[object]:
    """The events in the file as they may be told."""
    held, _, entries = journal.resume(path)
    held.close()
    return [view_event(event) for entry in entries for event in entry.events]


def folded(path: Path) -> Table:
    """The table that the file's events make, by the table's own fold."""
    held, header, entries = journal.resume(path)
    held.close()
    setup = setup_of(header, book_of(header))
    return fold((event for entry in entries for event in entry.events), start(setup))


def check_money(sitting: Sitting) -> None:
    """The visitor has what was brought and what the finished rounds came to, to the cent."""
    ledger.check(sitting.state, sitting.accounts)
    round_ = sitting.state.round
    open_net = 0
    if round_ is not None and not round_.closed and round_.banker != sitting.visitor:
        open_net = sum(hand.net for hand in round_.hands if hand.player == sitting.visitor)
    if round_ is None or round_.banker != sitting.visitor or round_.closed:
        has = sitting.stack + sitting.at_stake
        assert has == sitting.brought + sitting.totals.net + open_net


@pytest.mark.parametrize("name", NAMES)
def test_killed_at_any_line_or_byte(name: str, tmp_path: Path, deep: bool) -> None:
    """A file cut off anywhere goes on to the very end that the whole sitting had."""
    whole = begin(Wish(name, {}, seed="killed"), tmp_path)
    drive(whole)
    assert whole.journal.path is not None
    data = whole.journal.path.read_bytes()
    whole.journal.close()
    ends = [place + 1 for place, byte in enumerate(data) if byte == ord("\n")]
    if not deep:
        ends = ends[:: max(1, len(ends) // 10)]
    for end in ends:
        for cut in (0, 1, 40):
            path = tmp_path / "open" / "cut.jsonl"
            path.write_bytes(data[: max(end - cut, ends[0])])
            sitting = go_on(path)
            check_money(sitting)
            drive(sitting)
            sitting.journal.close()
            assert folded(path) == sitting.state
            assert sitting.stack == whole.stack
            assert sitting.totals == whole.totals
            assert _timeless(sitting) == _timeless(whole)


def _timeless(sitting: Sitting) -> object:
    """The table without the times of day in it."""
    return [sitting.state.guests, sitting.state.meters, sitting.state.shoe, sitting.state.round]


@pytest.mark.parametrize("done", [False, True], ids=["before the write", "after the write"])
@pytest.mark.parametrize("name", NAMES)
def test_write_then_tell(name: str, done: bool, tmp_path: Path) -> None:
    """Whenever the power goes, all that was told is in the file, in the same order."""
    for writes in range(0, 30, 3):
        root = tmp_path / f"{writes}"
        sitting = begin(Wish(name, {}, seed="told"), root)
        path = sitting.journal.path
        assert path is not None
        sitting.journal = Failing(sitting.journal, writes, done=done)
        told: list[game.GameEvent] = []
        try:
            drive_into(told, sitting)
        except Killed:
            pass
        else:
            break
        saved = saved_events(_released(sitting, path))
        assert saved[: len(told)] == told
        assert len(saved) > len(told) or not done
        again = go_on(path)
        check_money(again)
        again.journal.close()
    assert writes > 3


def _released(sitting: Sitting, path: Path) -> Path:
    assert isinstance(sitting.journal, Failing)
    sitting.journal._inner.close()
    return path


def test_a_refused_command_leaves_nothing(tmp_path: Path) -> None:
    """Commands given together happen together or not at all, in memory and in the file."""
    sitting = begin(Wish("washington", {}, seed="x"), tmp_path)
    for _ in sitting.advance():
        pass
    sitting.give(c.Cut("you", 100))
    for _ in sitting.advance():
        pass
    before = sitting.state, sitting.stack, sitting.accounts
    with pytest.raises(game.Illegal):
        sitting.give(game.Bet("you", 4, "primary", 500), game.Bet("you", 4, "primary", 10**9))
    assert (sitting.state, sitting.stack, sitting.accounts) == before
    assert sitting.commit() == []


def test_a_sitting_is_played_by_one_process_only(tmp_path: Path) -> None:
    """A second terminal is told that the table is open elsewhere."""
    sitting = begin(Wish("washington", {}), tmp_path)
    assert sitting.journal.path is not None
    with pytest.raises(JournalError, match="open in another terminal"):
        go_on(sitting.journal.path)
    sitting.journal.close()
    go_on(sitting.journal.path).journal.close()


def test_a_changed_book_is_refused(tmp_path: Path) -> None:
    """A sitting goes on by the book it was played by, or not at all."""
    sitting = begin(Wish("washington", {}), tmp_path)
    path = sitting.journal.path
    assert path is not None
    sitting.journal.close()
    digest = sitting.header.digest.encode()
    path.write_bytes(path.read_bytes().replace(digest, b"0" * len(digest)))
    with pytest.raises(JournalError, match="not the one this was played by"):
        go_on(path)


@contextmanager
def _started(root: Path, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, "-c", "from wartable.cli import main; main()", "play", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env={**os.environ, "XDG_STATE_HOME": str(root)},
        text=True,
    )
    with living(process):
        yield process


def _resumed(root: Path, script: str) -> str:
    with _started(root, "--resume") as process:
        output, _ = process.communicate(script, timeout=WAIT_S)
    return output


def test_a_real_kill(tmp_path: Path) -> None:
    """A process that is killed goes on with the balance that it told last, or a later one."""
    arguments = ("washington", "--seed", "kill")
    with _started(tmp_path, *arguments) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("cut 100\nbet 25\ndeal\nplay 400\n")
        process.stdin.flush()
        told = ""
        for line in process.stdout:
            told += line
            if line.startswith("Round 20:"):
                process.send_signal(signal.SIGKILL)
                break
    (path,) = journal.unfinished(tmp_path / "wartable")
    sitting = go_on(path)
    sitting.journal.close()
    check_money(sitting)
    assert sitting.totals.rounds >= 20
    nets = [_net(each) for each in re.findall(r"^Round \d+: .*", told, re.MULTILINE)]
    assert _net_after(sitting, len(nets)) == sum(nets)
    left = _resumed(tmp_path, "surrender\nq\n")
    assert "You are back at the table" in left
    assert "You leave with" in left


def _net(line: str) -> int:
    staked, returned = (
        round(float(each.replace(",", "")) * 100)
        for each in re.findall(r"(?:staked|returned) ([\d,.]+\d)", line)
    )
    return returned - staked


def _net_after(sitting: Sitting, rounds: int) -> int:
    """The visitor's net after so many rounds, by the history of the resumed sitting."""
    later: Iterable[game.Round] = (past.round for past in sitting.history if past.number > rounds)
    beyond = sum(
        hand.net for each in later for hand in each.hands if hand.player == sitting.visitor
    )
    return sitting.totals.net - beyond


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_is_polite(number: signal.Signals, tmp_path: Path) -> None:
    """Ctrl-C and a request to end keep the table and say how to go on."""
    with _started(tmp_path, "washington", "--seed", "int") as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("cut 100\nbet 25\n")
        process.stdin.flush()
        for line in process.stdout:
            if "25.00 on the felt" in line:
                process.send_signal(number)
                break
        output = process.stdout.read()
        assert process.wait(timeout=WAIT_S) == 0
    assert "Balance 975.00, 25.00 on the felt" in output
    assert "wartable play --resume" in output
    process.stdout.close()
    assert "You leave with 1,000.00." in _resumed(tmp_path, "q\n")
