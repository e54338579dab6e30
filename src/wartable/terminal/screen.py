"""The table drawn in a terminal and played with single keys."""

import contextlib
import os
import signal
import textwrap
from collections import deque
from types import TracebackType

from rich.console import Console
from rich.text import Text

from wartable import game
from wartable import shoe as shoes
from wartable.game.state import Round
from wartable.game.wagers import SIDE_BETS
from wartable.rules import WagerKind
from wartable.table import Due, Table, view
from wartable.table import events as e
from wartable.telling import money
from wartable.terminal import felt, plain
from wartable.terminal.chips import accepted, behind, spots, suggested_bank, war_move
from wartable.terminal.felt import Scene
from wartable.terminal.host import RULES_TITLE, InputEnded
from wartable.terminal.keys import Keys
from wartable.terminal.lines import (
    LINE_CHARACTERS_MAX,
    Action,
    BankLine,
    Clear,
    CutAt,
    DealNow,
    Double,
    Quit,
    Repeat,
    Show,
    Stake,
    Surrender,
    Unclear,
    WarLine,
    read,
)
from wartable.terminal.sitting import PublicEvent, Sitting
from wartable.terminal.words import Sentence, lines

LOG_LINES_MAX = 200
ROOMY_LINES = 33
TOO_SMALL = "The table needs a window of 80 columns and 24 lines."
ROOM_FOR_OTHERS = 8  # with fewer lines the log shows only the visitor's events
CHIPS = {"1": 100, "2": 500, "3": 2_500, "4": 10_000, "5": 50_000}
TONES = {"dealer": "italic", "own": "bold", "won": "bold green", "other": "dim", "note": "dim"}
PAUSES_S: dict[type, float] = {
    game.BetsClosed: 0.6,
    game.Dealt: 0.45,
    game.Burned: 0.35,
    game.Chosen: 0.5,
    game.Spun: 1.2,
    game.Settled: 0.35,
    game.Closed: 0.8,
    e.ShoeStarted: 0.6,
    e.CutMade: 0.5,
    e.CoverCardOut: 0.8,
    e.BankTaken: 0.6,
    e.BankPassed: 0.3,
    e.ShoeEnded: 0.8,
    e.Prepared: 0.25,
}
COMMON = "? h : q"
CHIP_KEYS = "1-5 = 1·5·25·100·500"
SIDE_BET_LETTERS = ", ".join(
    f"{each.letter} on {each.kind.replace('_', ' ')}" for each in SIDE_BETS
)
KEYS = (
    "Keys: 1 to 5 put chips of 1, 5, 25, 100, 500 on the chosen spot, which the arrows change",
    "(also to the boxes of others, where the book lets you bet behind them);",
    "x takes that wager back, c all of them; r repeats the last round's, d doubles; Enter deals.",
    "At a tie: w war, t war with a tie wager where it is offered, s surrender. b buys more chips,",
    "? these rules, h the last rounds, : types a line command (help lists them), q leaves,",
    "Ctrl-C keeps the table as it stands for later. Chips are marked T on the tie, W on war, X on",
    f"the tie of the war deal, {SIDE_BET_LETTERS}.",
    "",
)
"""The help on keys, above the rules."""


class Screen:
    """The terminal's alternate screen, redrawn after every event."""

    def __init__(self, *, fast: bool) -> None:
        self._fast = fast
        self._console = Console(highlight=False, markup=False, emoji=False)
        self._keys = Keys()
        self._log: deque[Sentence] = deque(maxlen=LOG_LINES_MAX)
        self._previous: Round | None = None
        self._shown: Table | None = None
        self._selected: tuple[int, WagerKind] | None = None
        self._sitting: Sitting | None = None
        self._prompt = ("", "")
        self._priced: tuple[Due, int, int] | None = None

    def __enter__(self) -> "Screen":
        self._enter()
        signal.signal(signal.SIGTSTP, lambda *_: self._stop())
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        self._leave()

    def _enter(self) -> None:
        self._keys.hold()
        self._console.set_alt_screen(True)
        self._console.show_cursor(False)

    def _leave(self) -> None:
        with contextlib.suppress(OSError):  # the terminal may be closed
            self._console.show_cursor(True)
            self._console.set_alt_screen(False)
        self._keys.release()

    def _stop(self) -> None:
        """Release the terminal while the program is suspended, and take it back afterwards."""
        self._leave()
        signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGTSTP)
        signal.signal(signal.SIGTSTP, lambda *_: self._stop())
        self._enter()
        self._draw()

    # Display

    def tell(self, sitting: Sitting, happened: list[PublicEvent]) -> None:
        """Show the events one by one; any key speeds them up."""
        self._sitting = sitting
        self._selected = None
        self._prompt = ("", "any key hurries")
        hurried = self._fast
        for each in happened:
            self._shown = each.after
            if isinstance(each.event, game.Closed):
                self._previous = each.after.round
            if not self._on_felt(sitting, each):
                self._log.extend(lines(sitting, each))
            pause = PAUSES_S.get(type(each.event), 0)
            if pause and not hurried:
                self._draw(live=False)
                if self._keys.wait(pause):
                    self._keys.read()
                    hurried = True
        self._draw(live=False)

    def _on_felt(self, sitting: Sitting, happened: PublicEvent) -> bool:
        """Whether the felt alone shows the event well enough: the chips of others."""
        return isinstance(happened.event, game.Placed) and happened.event.player != sitting.visitor

    def say(self, sentence: str) -> None:
        """Add one sentence to the log."""
        self._log.append(Sentence(sentence, "own"))

    def page(self, title: str, lines: list[str]) -> None:
        """Show a page over the whole screen; the arrows turn it and any other key closes it."""
        top = 0
        if title == RULES_TITLE:
            lines = [*KEYS, *lines]
        lines = [part for line in lines for part in _broken(line, self._width - 2)]
        while True:
            height = self._console.size.height
            room = max(1, height - 3)
            shown = [Text(f" {title}".ljust(self._width), style=felt.BAR, end="")]
            shown += [Text(" " + line, no_wrap=True, end="") for line in lines[top : top + room]]
            shown += [Text("", end="")] * (height - 1 - len(shown))
            more = "up and down turn the page, " if len(lines) > room else ""
            shown.append(Text(f" {more}any other key goes back", style="reverse", end=""))
            self._write(shown)
            key = self._keys.read()
            last = max(0, len(lines) - room)
            if key in ("down", "page_down", " "):
                top = min(last, top + (1 if key == "down" else room))
            elif key in ("up", "page_up"):
                top = max(0, top - (1 if key == "up" else room))
            elif key is not None:
                return

    @property
    def _width(self) -> int:
        return min(max(self._console.size.width, felt.WIDTH_MIN), felt.WIDTH_MAX)

    def _draw(self, *, live: bool = True) -> None:
        """Draw the felt, the balance, the log and the prompt."""
        sitting = self._sitting
        if sitting is None:
            return
        table = view(sitting.state) if live or self._shown is None else self._shown
        height = self._console.size.height
        roomy = height >= ROOMY_LINES
        scene = Scene(table, self._previous, self._selected, self._width, roomy)
        shown = felt.draw(sitting, scene)
        if self._console.size.width < felt.WIDTH_MIN or height < len(shown) + 3:
            shown = [Text(TOO_SMALL, style="bold", end="")]
        shown.append(felt.balance_bar(sitting, table, self._width))
        room = self._console.size.height - len(shown) - 2
        shown += self._log_lines(max(0, room))
        question, keys = self._prompt
        shown.append(Text(f" {question}"[: self._width], style="bold", no_wrap=True, end=""))
        bar = f" {keys}"[: self._width].ljust(self._width)
        shown.append(Text(bar, style="reverse", no_wrap=True, end=""))
        self._write(shown)

    def _log_lines(self, room: int) -> list[Text]:
        """The newest lines that fit, wrapped at the width."""
        made: list[Text] = []
        for line in reversed(self._log):
            if line.tone == "other" and room < ROOM_FOR_OTHERS:
                continue
            text = Text(line.text, style=TONES[line.tone])
            wrapped = list(text.wrap(self._console, self._width - 4))
            made = [
                Text("  " if first else "    ", end="") + part
                for first, part in ((number == 0, part) for number, part in enumerate(wrapped))
            ] + made
            if len(made) >= room:
                break
        made = made[-room:] if room else []
        for each in made:
            each.end = ""
        return [Text("", end="")] * (room - len(made)) + made

    def _write(self, shown: list[Text]) -> None:
        """Write all lines at once from the top, each cleared to its end, without flicker."""
        size = self._console.size
        with self._console.capture() as captured:
            for line in shown[: size.height]:
                line.truncate(size.width)
                self._console.print(line, end="\n", soft_wrap=True)
        text = captured.get().rstrip("\n").replace("\n", "\x1b[K\r\n")
        self._console.file.write(f"\x1b[H{text}\x1b[K\x1b[J")
        self._console.file.flush()

    # Questions

    def ask(self, sitting: Sitting, due: Due) -> Action:
        """The visitor's answer, from keys."""
        self._sitting = sitting
        match due.what:
            case "bets":
                return self._ask_bets(sitting)
            case "choice":
                return self._ask_choice(sitting, due)
            case "cut":
                return self._ask_cut(sitting)
            case _:
                return self._ask_bank(sitting)

    def _key(self, question: str, keys: str) -> str:
        """Draw the prompt and return the next key; redraw when the window's size changes."""
        self._prompt = (question, keys)
        self._draw()
        size = self._console.size
        while (key := self._keys.read()) is None:
            if self._console.size != size:
                size = self._console.size
                self._draw()
        if key == "end_of_input":
            raise InputEnded
        return key

    def _anywhere(self, key: str) -> Action | None:
        """What a key means at every question."""
        match key:
            case "?":
                return Show("rules")
            case "h":
                return Show("history")
            case "q":
                return Quit()
            case ":":
                return self._typed()
            case _:
                return None

    def _typed(self, start: str = "") -> Action | None:
        """A line command typed at the prompt; None if it was cancelled or is unclear."""
        text = self._type_line("Line command (help lists them)", start)
        if text is None:
            return None
        try:
            return read(text)
        except Unclear as problem:
            self.say(str(problem))
            return None

    def _type_line(self, question: str, start: str = "") -> str | None:
        text = start
        while True:
            key = self._key(f"{question}: {text}▏", "enter confirms, escape cancels")
            if key == "enter":
                return text
            if key == "escape":
                return None
            if key == "backspace":
                text = text[:-1]
            elif len(key) == 1 and key.isprintable() and len(text) < LINE_CHARACTERS_MAX:
                text += key

    def _ask_bets(self, sitting: Sitting) -> Action:
        found = spots(sitting)
        chosen = self._bet_spot if self._bet_spot in found else found[0]
        while True:
            self._selected = self._bet_spot = chosen
            name = sitting.book.rules.label(chosen[1])
            seated = behind(sitting, chosen[0])
            where = f"box {chosen[0]}" + ("" if seated is None else f", behind {seated}")
            key = self._key(
                f"Your bets: {where}, {name}",
                f"{CHIP_KEYS}  ←→↑↓ spot  r repeat  d double  c clear  ⏎ deal  {COMMON}",
            )
            action = self._bet_action(key, chosen)
            if action is not None:
                return action
            chosen = _moved(found, chosen, key)

    _bet_spot: tuple[int, WagerKind] | None = None

    def _bet_action(self, key: str, chosen: tuple[int, WagerKind]) -> Action | None:
        box, kind = chosen
        if key in CHIPS:
            return Stake(CHIPS[key], box, kind)
        match key:
            case "r":
                return Repeat()
            case "d":
                return Double()
            case "c":
                return Clear()
            case "x" | "backspace":
                return Clear(box, kind)
            case "enter":
                return DealNow()
            case "b":
                return self._typed("buy ")
            case _:
                return self._anywhere(key)

    def _ask_choice(self, sitting: Sitting, due: Due) -> Action:
        move = war_move(sitting, due.box)
        self._selected = (due.box or 1, "primary")
        options = "w war  s surrender"
        if move is not None and move.war_tie is not None:
            options = f"w war  t with tie wager of {accepted(move.war_tie)}  s surrender"
        question = plain.choice_question(sitting, due, tie_wager=False)
        moment = due, sitting.state.rounds, sitting.stack
        for line in plain.choice_prices(sitting, due) if moment != self._priced else ():
            self.say(line)
        self._priced = moment
        while True:
            key = self._key(question, f"{options}  {COMMON}")
            if key == "w":
                return WarLine()
            if key == "s":
                return Surrender()
            if key == "t" and move is not None and move.war_tie is not None:
                only = move.war_tie.only
                if only:
                    return WarLine(only[0])
                action = self._typed_amount(f"Tie wager on the war deal, {accepted(move.war_tie)}")
            elif key == "b":
                action = self._typed("buy ")
            else:
                action = self._anywhere(key)
            if action is not None:
                return action

    def _typed_amount(self, question: str) -> Action | None:
        text = self._type_line(question)
        try:
            return None if not text else read(f"war {text}")
        except Unclear as problem:
            self.say(str(problem))
            return None

    def _ask_cut(self, sitting: Sitting) -> Action:
        """Ask for the cut, with a cutting card that the arrows move through the stack."""
        size = 52 * sitting.setup.decks
        low, high = shoes.cut_limits(size)
        position, wide = size // 2, 40
        while True:
            place = position * wide // size
            bar = "▒" * place + "┃" + "▒" * (wide - place)
            key = self._key(
                f"Your cut: {bar} {position} cards",
                f"←→ by five  ↓↑ by one  ⏎ cut  n refuse  {COMMON}",
            )
            steps = {"left": -5, "right": 5, "down": -1, "up": 1}
            if key in steps:
                position = min(max(position + steps[key], low), high)
            elif key in ("enter", "n"):
                return CutAt(position if key == "enter" else None)
            elif (action := self._anywhere(key)) is not None:
                return action

    def _ask_bank(self, sitting: Sitting) -> Action:
        """Ask for the amount to post, in chips."""
        amount = suggested_bank(sitting)
        while True:
            kept = money(sitting.stack - amount)
            key = self._key(
                f"The bank is yours to take. Post {money(amount)}, keep {kept} to match wars?",
                f"{CHIP_KEYS}  c zero  ⏎ take  n pass  {COMMON}",
            )
            if key in CHIPS:
                amount = min(amount + CHIPS[key], sitting.stack)
            elif key == "c":
                amount = 0
            elif key == "enter" and amount:
                return BankLine(amount)
            elif key in ("n", "p"):
                return BankLine(None)
            elif (action := self._anywhere(key)) is not None:
                return action


def _broken(line: str, width: int) -> list[str]:
    """The line wrapped to fit, with the later parts indented."""
    indent = " " * (len(line) - len(line.lstrip()) + 2)
    return textwrap.wrap(line, width, subsequent_indent=indent, drop_whitespace=False) or [""]


def _moved(
    spots: list[tuple[int, WagerKind]], chosen: tuple[int, WagerKind], key: str
) -> tuple[int, WagerKind]:
    """The spot that an arrow leads to from the chosen one."""
    box, kind = chosen
    if key in ("left", "right"):
        boxes = sorted({each for each, _ in spots})
        place = boxes.index(box) + (1 if key == "right" else -1)
        if not 0 <= place < len(boxes):
            return chosen
        there = [spot for spot in spots if spot[0] == boxes[place]]
        return next((spot for spot in there if spot[1] == kind), there[0])
    here = [spot for spot in spots if spot[0] == box]
    if key in ("up", "down", "tab"):
        return here[(here.index(chosen) + (-1 if key == "up" else 1)) % len(here)]
    return chosen
