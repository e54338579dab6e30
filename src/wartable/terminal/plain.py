"""The table as plain text, for a script or a terminal that cannot be drawn on."""

import sys
from collections.abc import Iterable, Iterator
from typing import TextIO

from wartable import game
from wartable.game.prices import Price
from wartable.table import Due
from wartable.telling import money
from wartable.terminal import pages
from wartable.terminal.chips import accepted, suggested_bank, surrender_price, war_move, war_prices
from wartable.terminal.host import InputEnded
from wartable.terminal.lines import LINE_CHARACTERS_MAX, Action, Unclear, read
from wartable.terminal.sitting import PublicEvent, Sitting
from wartable.terminal.words import card_text, dealer_name, lines, who

READ_CHARACTERS = 4096  # a longer line is refused

_LETTERS = str.maketrans({"♣": "c", "♦": "d", "♥": "h", "♠": "s", "▒": "?"})


class Plain:
    """Lines in, lines out, without colour or control codes."""

    def __init__(self, script: Iterable[str], out: TextIO, *, echo: bool = True) -> None:
        self._script = iter(script)
        self._out = out
        self._echo = echo
        self._asked: tuple[Due, int, int] | None = None

    def print(self, text: str = "") -> None:
        """Write one line, with letters if the output cannot show suits."""
        try:
            "♠▒".encode(self._out.encoding or "utf-8")
        except (UnicodeEncodeError, LookupError):
            text = text.translate(_LETTERS).encode("ascii", "replace").decode()
        self._out.write(text + "\n")
        self._out.flush()

    def tell(self, sitting: Sitting, happened: list[PublicEvent]) -> None:
        """Show what happened, with the cards of a deal on one line."""
        for text in _texts(sitting, happened):
            self.print(text)

    def ask(self, sitting: Sitting, due: Due) -> Action:
        """The action of the next clear line; answer unclear ones."""
        moment = due, sitting.state.rounds, sitting.stack
        if moment != self._asked:
            for priced in choice_prices(sitting, due):
                self.print(priced)
            self.print(question(sitting, due))
        self._asked = moment
        while True:
            if not self._echo:
                self._out.write("> ")
                self._out.flush()
            line = next(self._script, None)
            if line is None:
                raise InputEnded
            text = line.rstrip("\r\n")
            if self._echo and text.strip():
                shown = "".join(c if c.isprintable() else "?" for c in text)
                self.print(f"> {shown[:LINE_CHARACTERS_MAX]}")
            try:
                action = read(text)
            except Unclear as problem:
                self.say(str(problem))
                continue
            if action is not None:
                return action

    def say(self, sentence: str) -> None:
        """Show one sentence."""
        self.print(sentence)

    def page(self, title: str, lines: list[str]) -> None:
        """Show a page, indented."""
        self.print(f"--- {title} ---")
        for line in lines:
            self.print(line)
        self.print("---")


def question(sitting: Sitting, due: Due) -> str:
    """The question to the visitor, with the balance."""
    match due.what:
        case "bets":
            return f"Your bets? {pages.balance(sitting)}"
        case "choice":
            return choice_question(sitting, due)
        case "cut":
            return "The cut is offered to you: `cut N` cards, or `cut no`."
        case _:
            return f"{bank_question(sitting)} `bank AMOUNT` or `bank no`. {pages.balance(sitting)}"


def bank_question(sitting: Sitting) -> str:
    """The offer of the bank, with an amount that leaves something for matches."""
    posted = suggested_bank(sitting)
    kept = money(sitting.stack - posted)
    return f"Do you take the bank? {money(posted)} leaves {kept} to match wars against you."


def choice_question(sitting: Sitting, due: Due, *, tie_wager: bool = True) -> str:
    """The tied hand, and the cost of a war and its tie wager."""
    round_ = sitting.state.round
    assert round_ is not None
    cost = war_prices(sitting, due.box)[0].adds
    move = war_move(sitting, due.box)
    if move is None:
        war = f"war takes {money(cost)}, more than you have: buy or surrender"
    else:
        offered = tie_wager and move.war_tie is not None
        tie = f", its tie wager {accepted(move.war_tie)}" if offered and move.war_tie else ""
        war = f"war for {money(cost)} more{tie}, or surrender"
    cards = card_text(round_.cards[due.box or 0]), card_text(round_.cards[0])
    return f"Box {due.box} ties, {cards[0]} against {cards[1]}: {war}?"


def choice_prices(sitting: Sitting, due: Due) -> Iterator[str]:
    """What each choice of a tied hand stakes and returns; nothing at other questions."""
    if due.what != "choice":
        return
    war, *with_tie = map(_war_words, war_prices(sitting, due.box))
    surrender = surrender_price(sitting, due.box)
    yield f"{war} Surrender: net {money(surrender.lost)}."  # two lines at most on a small screen
    yield from with_tie


def _war_words(price: Price) -> str:
    with_tie = f" with a tie wager of {money(price.war_tie)}" if price.war_tie else ""
    if price.matched == 0:
        return (
            f"War{with_tie}: the bank has nothing left to match it; {money(price.back)} goes back."
        )
    nets = f"win {money(price.won, '+')}, tie {money(price.tied, '+')}, lose {money(price.lost)}"
    return f"War{with_tie}: {money(price.adds)} more; {nets}{_match_words(price)}."


def _match_words(price: Price) -> str:
    """How much of a war a player's bank can match."""
    if price.matched is None:
        return ""
    match = "the bank can match it"
    if price.back:
        match = f"the bank can match {money(price.matched)}, {money(price.back)} goes back"
    return f"; {match}" + ("" if price.sure else " if boxes before yours leave enough")


def _texts(sitting: Sitting, happened: list[PublicEvent]) -> Iterator[str]:
    dealt: list[str] = []
    name = ""
    for each in happened:
        event = each.event
        if isinstance(event, game.Dealt):
            name = "Deal" if event.deal == "original" else "War deal"
            dealt.append(_dealt(sitting, each, event))
            continue
        if isinstance(event, game.Burned):
            name = name or "War deal"
            dealt.append(f"burned {card_text(event.card)}")
            continue
        found = lines(sitting, each)
        if found and dealt:
            yield f"{name}: {', '.join(dealt)}."
            dealt, name = [], ""
        for line in found:
            yield f"Dealer: {line.text}" if line.tone == "dealer" else line.text


def _dealt(sitting: Sitting, happened: PublicEvent, event: game.Dealt) -> str:
    card = card_text(event.card)
    if event.box == 0:
        return f"{dealer_name(sitting.book)} {card}"
    hands = () if happened.after.round is None else happened.after.round.hands
    names = [who(sitting, hand.player) for hand in hands if hand.box == event.box]
    return f"box {event.box} ({', '.join(names)}) {card}"


def script_lines() -> Iterator[str]:
    """The lines of standard input, whatever bytes they contain."""
    while line := sys.stdin.readline(READ_CHARACTERS):
        yield line
