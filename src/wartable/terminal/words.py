"""Events as sentences: what the dealer says and what happens at the table."""

from collections.abc import Iterator
from typing import Literal

from msgspec import Struct

from wartable import game
from wartable.cards import HIDDEN, Card
from wartable.inscription import decks_in_use, words
from wartable.rules import Book
from wartable.shoe import ONE_ROUND
from wartable.table import events as e
from wartable.table import older
from wartable.table.state import Table
from wartable.telling import Reader, money, short, tell, won_or_lost
from wartable.terminal.sitting import PublicEvent, Sitting

Tone = Literal["dealer", "own", "won", "other", "note"]

SILENT = (
    older.SeedSealed | older.SeedOpened | e.NumbersClosed | e.CutOffered
    | e.SideBetsCounted | e.MeterReset | game.Dealt
    | game.Burned | game.Declined | game.Left
)  # fmt: skip  # a list of events
"""What the terminal shows on the felt or leaves out."""

SPOKEN = e.RoundStarted | e.BankOffered | e.CoverCardOut | game.BetsClosed | game.RoundVoided
"""What the dealer says."""

SUIT_SIGNS = {"c": "♣", "d": "♦", "h": "♥", "s": "♠"}


class Sentence(Struct, frozen=True):
    """A sentence with its tone."""

    text: str
    tone: Tone = "note"


def card_text(card: Card) -> str:
    """A card for people: 10♥; ▒▒ if it is face down."""
    if card == HIDDEN:
        return "▒▒"
    return ("10" if card[0] == "T" else card[0]) + SUIT_SIGNS[card[1]]


def source(book: Book, wager: str, outcome: str) -> str:
    """The clauses behind a payment, in brackets."""
    clauses = book.clauses(wager, outcome)
    return f" [{', '.join(clauses)}]" if clauses else ""


def who(sitting: Sitting, player: str) -> str:
    """A player's name, or You for the visitor."""
    return "You" if player == sitting.visitor else player


def dealer_name(book: Book) -> str:
    """The book's name for the dealer's side."""
    name = book.rules.label("dealer")
    return name[:1].upper() + name[1:]


def lines(sitting: Sitting, happened: PublicEvent) -> list[Sentence]:
    """The sentences of an event; dealt cards are shown instead."""
    event = happened.event
    match event:
        case game.Settled():
            return list(_settled(sitting, happened, event))
        case game.EnvyPaid():
            return [_envy(sitting, event)]
        case game.Closed():
            return [line for line in [result(sitting, happened.before)] if line is not None]
        case _ if isinstance(event, SILENT) or not event.words:
            return []
        case e.ShoeEnded() | e.ShoeLoaded() if happened.before.method in ONE_ROUND:
            return []
    text = tell(event, Reader(sitting.visitor, sitting.setup.rules, short, card_text))
    text += _more(sitting, happened)
    if isinstance(event, SPOKEN):
        return [Sentence(f'"{text}"', "dealer")]
    player = getattr(event, "player", None)
    return [Sentence(text, "note" if player is None else _tone(sitting, player))]


def _tone(sitting: Sitting, player: str) -> Tone:
    return "own" if player == sitting.visitor else "other"


def _more(sitting: Sitting, happened: PublicEvent) -> str:
    """What only the terminal adds to an event's sentence."""
    match happened.event:
        case e.Joined(player=player) if (bot := sitting.bot(player)) is not None:
            return f" {player} {bot.policy.words}."
        case e.DecksReceived():
            return f" In use: {decks_in_use(sitting.setup.decks, sitting.state.method)}."
        case e.ShoeStarted(commitment=commitment, terms=terms):
            backs = f" Its backs are {terms.batch}." if terms.batch else ""
            return f"{backs} Its commitment is {commitment}"
        case e.ChainStarted(end=end):
            return f" They end with {end}"
        case e.ShoeLoaded() if (
            happened.after.shoe is not None and happened.after.shoe.cover is not None
        ):
            below = 52 * happened.after.shoe.terms.decks - happened.after.shoe.cover.position
            return f" The cover card is {below} from the bottom."
        case e.ShoeEnded(seed=seed, record=record):
            return f" The last link was {seed}." if record else f" The seed was {seed}."
        case game.Returned(wager=wager, outcome=outcome):
            return source(sitting.book, wager, outcome)
    return ""


def _settled(sitting: Sitting, happened: PublicEvent, event: game.Settled) -> Iterator[Sentence]:
    """A payment with its reason; only a gain above the stake is marked as won."""
    round_ = happened.after.round
    hand = None if round_ is None else round_.hand(event.player, event.box)
    wager = None if hand is None else hand.wager(event.wager)
    if wager is None:
        return
    own = event.player == sitting.visitor
    why = words(sitting.book, event.wager, event.outcome)
    name = sitting.book.rules.label(event.wager)
    if own:
        text = (
            f"Box {event.box}, {name} {short(wager.staked)}: {why}; back {money(wager.returned)},"
            f" net {money(wager.net, '+')}"
            f"{source(sitting.book, event.wager, event.outcome)}."
        )
        yield Sentence(text, "won" if wager.net > 0 else "own")
    else:
        yield Sentence(f"{event.player}, {name}: {why}, net {money(wager.net, '+')}.", "other")


def _envy(sitting: Sitting, event: game.EnvyPaid) -> Sentence:
    own = event.player == sitting.visitor
    text = (
        f"{who(sitting, event.player)}, {sitting.book.rules.label('envy')}: "
        f"{words(sitting.book, 'envy', 'won')}, {money(event.amount, '+')}"
        f"{source(sitting.book, 'envy', 'won')}"
    )
    return Sentence(text, "won" if own else "other")


def result(sitting: Sitting, table: Table) -> Sentence | None:
    """The visitor's result of the round."""
    round_ = table.round
    if round_ is None:
        return None
    if round_.banker == sitting.visitor:
        net = round_.banker_net
        return Sentence(f"Your bank {won_or_lost(net)}.", "won" if net > 0 else "own")
    hands = [hand for hand in round_.hands if hand.player == sitting.visitor]
    if not hands:
        return None
    staked = sum(wager.staked for hand in hands for wager in hand.wagers)
    net = sum(hand.net for hand in hands)
    text = f"Round {table.rounds}: staked {money(staked)}, returned {money(staked + net)}, "
    if net > 0:
        return Sentence(f"{text}you win {money(net)}.", "won")
    return Sentence(f"{text}net {money(net)}.", "own")
