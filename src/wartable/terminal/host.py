"""The loop of a sitting: show what happened and ask for what is due, until the visitor leaves."""

from pathlib import Path
from typing import Protocol

from wartable.game import Illegal
from wartable.shoe import ONE_ROUND
from wartable.table import Due
from wartable.table.events import ShoeEnded
from wartable.terminal import chips, pages
from wartable.terminal.journal import write_file
from wartable.terminal.lines import (
    Action,
    BankLine,
    CutAt,
    DealNow,
    PlayOn,
    Quit,
    Repeat,
    Show,
    Surrender,
    Unclear,
    WarLine,
)
from wartable.terminal.sitting import PublicEvent, Sitting
from wartable.verify import Record, write_record

SHOES_PER_FILE = 100
RULES_TITLE = "Rules and odds"


class InputEnded(Exception):
    """The input has ended."""


class Front(Protocol):
    """A front end that shows the table and asks the visitor."""

    def tell(self, sitting: Sitting, happened: list[PublicEvent]) -> None:
        """Show what happened, which is already saved."""

    def ask(self, sitting: Sitting, due: Due) -> Action:
        """The visitor's answer; `InputEnded` when there is no more input."""

    def say(self, sentence: str) -> None:
        """Show the visitor one sentence."""

    def page(self, title: str, lines: list[str]) -> None:
        """Show a page."""


class Host:
    """One visit: the sitting, its front end, and the rounds still to play automatically."""

    def __init__(self, sitting: Sitting, front: Front) -> None:
        self.sitting = sitting
        self.front = front
        self._rounds_left = 0
        self._shoes_saved = len(sitting.finished)

    def run(self) -> list[str]:
        """Play until the visitor leaves or the input ends; return the closing lines."""
        sitting = self.sitting
        while True:
            for happened in sitting.advance():
                record = self._save_shoes()
                self.front.tell(sitting, happened)
                self._tell_record(happened, record)
            due = sitting.question()
            if due is None:
                return self._left()
            try:
                self._turn(due)
            except InputEnded:
                if due.what == "choice":
                    return suspended(sitting)
                self._leave(due)
            except (Unclear, Illegal) as refusal:
                self._rounds_left = 0
                self.front.say(str(refusal))

    def _turn(self, due: Due) -> None:
        """Carry out one answer of the visitor."""
        action = self._by_itself(due) or self.front.ask(self.sitting, due)
        match action:
            case Show(what=what):
                self._show(what)
            case PlayOn(rounds=rounds):
                self._rounds_left = rounds
            case Quit():
                self._leave(due)
            case _:
                self.sitting.give(*chips.commands(self.sitting, due, action))

    def _leave(self, due: Due) -> None:
        """Leave with the stack and any wagers made before the deal."""
        self.sitting.give(*chips.commands(self.sitting, due, Quit()))

    def _by_itself(self, due: Due) -> Action | None:
        """The answer while rounds are played automatically."""
        if not self._rounds_left:
            return None
        match due.what:
            case "bets" if not chips.own_wagers(self.sitting):
                return Repeat()
            case "bets":
                self._rounds_left -= 1
                return DealNow()
            case "choice":
                able = chips.war_move(self.sitting, due.box) is not None
                return WarLine() if able else Surrender()
            case "cut":
                return CutAt(None)
            case _:
                return BankLine(None)

    def _show(self, what: str) -> None:
        match what:
            case "rules":
                self.front.page(RULES_TITLE, pages.rules(self.sitting))
            case "history":
                self.front.page("The last rounds", pages.history(self.sitting))
            case "help":
                self.front.page("Commands", pages.help_lines())
            case _:
                self.front.say(pages.balance(self.sitting))

    def _save_shoes(self) -> Path | None:
        """The record of the finished shoes, saved if there is a new one."""
        if len(self.sitting.finished) == self._shoes_saved:
            return None
        self._shoes_saved = len(self.sitting.finished)
        return save_shoes(self.sitting)

    def _tell_record(self, happened: list[PublicEvent], record: Path | None) -> None:
        ended = [each for each in happened if isinstance(each.event, ShoeEnded)]
        if record is not None and ended and ended[-1].before.method not in ONE_ROUND:
            self.front.say(f"To check the shoe: wartable verify {record}")

    def _left(self) -> list[str]:
        lines = pages.summary(self.sitting)
        record = save_shoes(self.sitting)
        if record is not None:
            lines.append(f"The finished shoes are in {record}")
        self.sitting.journal.finish()
        return lines


def save_shoes(sitting: Sitting) -> Path | None:
    """Write the newest finished shoes to their record; each file holds a hundred of them."""
    journal = sitting.journal.path
    if journal is None or not sitting.finished:
        return None
    part = (len(sitting.finished) - 1) // SHOES_PER_FILE
    shoes = sitting.finished[part * SHOES_PER_FILE :]
    path = journal.parent.parent / "shoes" / f"{journal.stem}-{part + 1}.json"
    write_file(path, write_record(Record(tuple(shoes))))
    return path


def suspended(sitting: Sitting) -> list[str]:
    """The closing lines when the table is kept for later."""
    return [
        pages.balance(sitting),
        "The table is kept as it is; continue with: wartable play --resume",
    ]
