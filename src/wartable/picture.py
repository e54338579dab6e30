"""A round or a table as a picture, in text for terminals and as SVG for pages and notebooks."""

from collections.abc import Iterator
from xml.sax.saxutils import escape

import msgspec

from wartable.cards import HIDDEN, Card, color
from wartable.game import Hand, Round
from wartable.game.messages import money
from wartable.inscription import words
from wartable.rules import Book
from wartable.table import Table

__all__ = ["Picture", "Spot", "round_picture", "table_picture"]

SUIT_SIGNS = {"c": "♣", "d": "♦", "h": "♥", "s": "♠"}
FELT, LINE, CARD_FACE, CARD_BACK = "#14532d", "#86b89a", "#fdfdf8", "#7c8fa6"
INK = {"red": "#b3261e", "black": "#1c1c1c"}
CARD_WIDTH, CARD_HEIGHT, GAP, MARGIN = 46, 64, 8, 16
SPOT_WIDTH, CHARACTER_WIDTH = 232, 7
"""A hand is as wide as its longest line needs."""
LINE_HEIGHT = 18
HEAD = 34
FONT = "font-family='DejaVu Sans, Verdana, sans-serif'"


class Spot(msgspec.Struct, frozen=True):
    """One hand: whose it is, its cards, its wagers and what it netted so far."""

    name: str
    cards: tuple[Card, ...] = ()
    lines: tuple[str, ...] = ()
    net: str = ""


class Picture(msgspec.Struct, frozen=True):
    """What is drawn: a title, the dealer's cards, the hands, and lines below them."""

    title: str
    dealer: tuple[Card, ...] = ()
    spots: tuple[Spot, ...] = ()
    notes: tuple[str, ...] = ()

    def text(self) -> str:
        """The picture as lines of text."""
        lines = [self.title, f"  dealer  {shown_cards(self.dealer)}"]
        for spot in self.spots:
            net = f"  {spot.net}" if spot.net else ""
            lines.append(f"  {spot.name}  {shown_cards(spot.cards)}{net}")
            lines += [f"    {line}" for line in spot.lines]
        return "\n".join([*lines, *(f"  {note}" for note in self.notes)]) + "\n"

    def svg(self) -> str:
        """The picture as an SVG document of its own."""
        across = max(1, min(len(self.spots), 3))
        rows = -(-len(self.spots) // across)
        tall = max((len(spot.lines) for spot in self.spots), default=0)
        spot_height = HEAD + CARD_HEIGHT + LINE_HEIGHT * (tall + 1) + GAP
        longest = max((len(line) for spot in self.spots for line in spot.lines), default=0)
        spot_width = max(SPOT_WIDTH, CHARACTER_WIDTH * longest + GAP)
        width = max(across * spot_width, 2 * SPOT_WIDTH) + 2 * MARGIN
        top = MARGIN + HEAD + CARD_HEIGHT + 2 * GAP
        height = top + rows * spot_height + LINE_HEIGHT * len(self.notes) + MARGIN
        size = f"width='{width}' height='{height}'"
        parts = [
            f"<svg xmlns='http://www.w3.org/2000/svg' {size} viewBox='0 0 {width} {height}'>",
            f"<title>{escape(self.title)}</title>",
            f"<rect width='{width}' height='{height}' rx='14' fill='{FELT}'/>",
            _words(MARGIN, MARGIN + 16, self.title, 15, bold=True),
            *_cards((width - _across(self.dealer)) // 2, MARGIN + HEAD, self.dealer),
        ]
        for place, spot in enumerate(self.spots):
            left = MARGIN + place % across * spot_width
            parts += _spot(spot, left, top + place // across * spot_height)
        below = top + rows * spot_height + 12
        for number, note in enumerate(self.notes):
            parts.append(_words(MARGIN, below + LINE_HEIGHT * number, note, 12))
        return "\n".join([*parts, "</svg>"]) + "\n"

    def _repr_svg_(self) -> str:
        return self.svg()


def round_picture(book: Book, state: Round) -> Picture:
    """A round as it stands: cards, wagers, and how each of them ended in the book's words."""
    spots = tuple(_hand(book, state, hand) for hand in state.hands)
    notes = []
    if state.banker is not None:
        bank = "" if state.bank is None else f", {money(state.bank)} posted"
        notes.append(f"{state.banker} banks{bank}")
    if state.burned:
        notes.append(f"burned: {len(state.burned)}")
    if state.void is not None:
        notes.append("The round is void; every stake goes back.")
    dealer = tuple(cards[0] for cards in (state.cards, state.war_cards) if 0 in cards)
    return Picture(book.rules.title, dealer, spots, tuple(notes))


def table_picture(book: Book, table: Table) -> Picture:
    """A table as it stands: its round, or the table between two rounds, and everybody's stack."""
    state = table.round or Round()
    picture = round_picture(book, state)
    stacks = [
        f"{guest.player}{'' if guest.seat is None else f' at seat {guest.seat}'}:"
        f" {money(guest.stack)}"
        for guest in table.guests.values()
    ]
    meters = [f"{name} meter: {money(meter.shown)}" for name, meter in table.meters.items()]
    return msgspec.structs.replace(picture, notes=(*picture.notes, *stacks, *meters))


def _hand(book: Book, state: Round, hand: Hand) -> Spot:
    """One hand of a round."""
    cards = tuple(dealt[hand.box] for dealt in (state.cards, state.war_cards) if hand.box in dealt)
    lines = []
    for wager in hand.wagers:
        label = book.rules.labels.get(wager.kind, wager.kind)
        ended = f": {words(book, wager.kind, wager.outcome)}" if wager.outcome else ""
        lines.append(f"{label} {money(wager.staked)}{ended}")
    net = signed(hand.net) if hand.settled and hand.wagers else ""
    return Spot(f"box {hand.box}, {hand.player}", cards, tuple(lines), net)


def signed(cents: int) -> str:
    """An amount won or lost, with its sign."""
    return f"+{money(cents)}" if cents > 0 else f"-{money(-cents)}" if cents < 0 else money(0)


def shown_cards(cards: tuple[Card, ...]) -> str:
    """Cards for a line of text: `9♠ K♦`."""
    return " ".join(card if card == HIDDEN else card[0] + SUIT_SIGNS[card[1]] for card in cards)


def _across(cards: tuple[Card, ...]) -> int:
    return len(cards) * (CARD_WIDTH + GAP) - GAP if cards else 0


def _cards(left: int, top: int, cards: tuple[Card, ...]) -> Iterator[str]:
    for card in cards:
        back = card == HIDDEN
        yield (
            f"<rect x='{left}' y='{top}' width='{CARD_WIDTH}' height='{CARD_HEIGHT}' rx='5'"
            f" fill='{CARD_BACK if back else CARD_FACE}' stroke='{LINE}'/>"
        )
        if not back:
            face = ("10" if card[0] == "T" else card[0]) + SUIT_SIGNS[card[1]]
            middle, ink = left + CARD_WIDTH // 2, INK[color(card)]
            yield (
                f"<text x='{middle}' y='{top + 40}' {FONT} font-size='20' text-anchor='middle'"
                f" fill='{ink}'>{face}</text>"
            )
        left += CARD_WIDTH + GAP


def _spot(spot: Spot, left: int, top: int) -> Iterator[str]:
    yield _words(left, top + 14, spot.name, 13, bold=True)
    yield from _cards(left, top + 24, spot.cards)
    below = top + 24 + CARD_HEIGHT + LINE_HEIGHT
    for number, line in enumerate(spot.lines):
        yield _words(left, below + LINE_HEIGHT * number, line, 11)
    if spot.net:
        yield _words(left + _across(spot.cards) + GAP, top + 24 + 38, spot.net, 15, bold=True)


def _words(left: int, base: int, text: str, size: int, bold: bool = False) -> str:
    weight = " font-weight='bold'" if bold else ""
    shown = escape("".join(each if each.isprintable() else " " for each in text))
    return (
        f"<text x='{left}' y='{base}' {FONT} font-size='{size}'{weight} fill='white'>{shown}</text>"
    )
