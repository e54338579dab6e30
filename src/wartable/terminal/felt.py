"""The drawn felt: the dealer above, the boxes from 1 at the dealer's left."""

from msgspec import Struct
from rich.text import Text

from wartable import shoe as shoes
from wartable.cards import HIDDEN, Card, color
from wartable.game.state import Hand, Round
from wartable.game.wagers import COVERED, MATCHED, SIDE_BETS
from wartable.game.wagers.shape import WagerType
from wartable.rules import WagerKind
from wartable.shoe import Shoe
from wartable.table import Table
from wartable.telling import money, short
from wartable.terminal import pages
from wartable.terminal.sitting import Sitting, at_stake_of
from wartable.terminal.words import card_text, dealer_name

WIDTH_MIN = 80
WIDTH_MAX = 120
CELL_MAX = 14
BOXES_TOP = 5
CARD_WIDTH = 5
BANK_WIDTH = 18

# Every colour has its own background, so that the felt looks the same on dark and light.
FELT = "#0e4a34"
PLAIN = f"#e9f1ec on {FELT}"
FAINT = f"#8fb5a3 on {FELT}"
GOLD = f"bold #f4d77c on {FELT}"
WON = f"bold #a9f3b4 on {FELT}"
SELECTED = "bold #0e4a34 on #f4d77c"
BAR = "bold #f4d77c on #07291d"
CARD_BLACK = "bold #1a1a1a on #fbfaf4"
CARD_RED = "bold #c4162a on #fbfaf4"
CARD_EDGE = "#6d6d66 on #fbfaf4"
OLD_BLACK = "#1a1a1a on #a9b3a6"
OLD_RED = "#8c1020 on #a9b3a6"
OLD_EDGE = "#5c665c on #a9b3a6"
BACKS = {"": "#dfe9f7 on #2b5797", "blue": "#dfe9f7 on #2b5797", "red": "#f9e1e1 on #9b2335"}

ROWS: tuple[tuple[WagerType, ...], ...] = (*((each,) for each in COVERED), MATCHED, SIDE_BETS)
"""The wagers below a box, line by line."""


class Scene(Struct, frozen=True):
    """What to draw: the public table, the round before, the chosen spot and the room."""

    table: Table
    previous: Round | None = None
    selected: tuple[int, WagerKind] | None = None
    width: int = WIDTH_MIN
    roomy: bool = False


class Canvas:
    """Lines of characters, each with a style."""

    def __init__(self, width: int, height: int) -> None:
        self.width = width
        self._cells = [[(" ", PLAIN)] * width for _ in range(height)]

    def put(self, x: int, y: int, text: str, style: str = PLAIN) -> None:
        """Write the text, cut off at the edges."""
        for place, character in enumerate(text, x):
            if 0 <= place < self.width:
                self._cells[y][place] = (character, style)

    def centre(self, x: int, y: int, width: int, text: str, style: str = PLAIN) -> None:
        """Write the text centred in a width, cut to it."""
        cut = text[:width]
        self.put(x + (width - len(cut) + 1) // 2, y, cut, style)

    def lines(self) -> list[Text]:
        """The lines, with neighbours of the same style joined."""
        made = []
        for row in self._cells:
            line = Text(no_wrap=True, end="")
            run, style = "", row[0][1]
            for character, its in row:
                if its != style:
                    line.append(run, style)
                    run, style = "", its
                run += character
            line.append(run, style)
            made.append(line)
        return made


def draw(sitting: Sitting, scene: Scene) -> list[Text]:
    """The felt as lines of text."""
    width = min(max(scene.width, WIDTH_MIN), WIDTH_MAX)
    rows = _wager_rows(sitting)
    canvas = Canvas(width, BOXES_TOP + scene.roomy + 10 + len(rows))
    _head(canvas, sitting, scene.table)
    _dealer(canvas, sitting, scene)
    if scene.roomy:
        canvas.centre(0, BOXES_TOP, width, printed(sitting), FAINT)
    count = sitting.setup.rules.community or sitting.setup.rules.table.boxes
    cell = min(CELL_MAX, (width - 2) // count)
    left = (width - cell * count) // 2
    for box in range(1, count + 1):
        _box(canvas, sitting, scene, box, left + cell * (box - 1), cell)
    return canvas.lines()


def _wager_rows(sitting: Sitting) -> list[tuple[WagerType, ...]]:
    """The lines of wagers that the book can fill."""
    rules = sitting.setup.rules
    return [row for row in ROWS if any(each.offered(rules) for each in row)]


def _head(canvas: Canvas, sitting: Sitting, table: Table) -> None:
    canvas.put(0, 0, " " * canvas.width, BAR)
    setup = sitting.setup
    batches = "2 x " if table.method == "batches" else ""
    canvas.put(1, 0, f"♠ {setup.rules.title} ♥  {batches}{setup.decks} decks", BAR)
    clock = f"round {table.rounds}  {pages.clock(sitting.played_ms)}"
    canvas.put(canvas.width - len(clock) - 1, 0, clock, BAR)
    shoe = table.shoe
    meters = " ".join(f"{name} {short(m.shown)}" for name, m in table.meters.items())
    text = meters or (f"committed {shoe.commitment[:12]}" if shoe is not None else "")
    canvas.put(canvas.width - len(text) - 1, 1, text, GOLD if meters else FAINT)
    canvas.put(1, 1, _shoe(shoe, canvas.width - len(text) - 4), FAINT)


def _shoe(shoe: Shoe | None, room: int) -> str:
    """How far the shoe is dealt, in as many words as there is room for."""
    if shoe is None:
        longest, shorter = "The cards are out of the shoe.", ["No shoe"]
    else:
        left, number = shoes.left(shoe), shoe.terms.number
        filled = -(-left * 12 // (52 * shoe.terms.decks))
        gauge = "▰" * filled + "▱" * (12 - filled)
        longest = f"shoe {number} {gauge} {left} left, {len(shoe.discards)} out"
        shorter = [f"shoe {number} {gauge} {left} left", f"shoe {number}: {left} left"]
    return next((text for text in [longest, *shorter] if len(text) <= room), "")


def _shown_round(scene: Scene) -> tuple[Round | None, bool]:
    """The round whose cards are on the felt, and whether it is the previous one."""
    current = scene.table.round
    betting = current is not None and not current.bets_closed and not current.closed
    if scene.previous is not None and (current is None or betting):
        return scene.previous, True
    return current, False


def _dealer(canvas: Canvas, sitting: Sitting, scene: Scene) -> None:
    round_, old = _shown_round(scene)
    back = BACKS.get(scene.table.shoe.terms.batch if scene.table.shoe else "", BACKS[""])
    cards: list[Card] = []
    if round_ is not None:
        cards = [round_.cards[0]] if 0 in round_.cards else []
        cards += [HIDDEN] * len(round_.burned)
        cards += [round_.war_cards[0]] if 0 in round_.war_cards else []
    name = dealer_name(sitting.book)
    step = CARD_WIDTH + 1
    width = len(cards) * step - 1 if cards else CARD_WIDTH
    left = (canvas.width - width) // 2
    # Beside the cards, or a line higher if the bank's name is in the way.
    crowded = left - len(name) - 2 < BANK_WIDTH
    canvas.put(left - len(name) - 2, 2 if crowded else 3, name, GOLD)
    if not cards:
        for y, edge in enumerate(("╭╌╌╌╮", "╎   ╎", "╰╌╌╌╯"), 2):
            canvas.put(left, y, edge, FAINT)
    for place, card in enumerate(cards):
        _card(canvas, left + place * step, 2, card, old=old, back=back)
    _bank(canvas, sitting, scene)
    if round_ is not None and round_.spun is not None:
        spun = round_.spun
        hot = f"hot spot {spun.hot_spot_box}: {spun.hot_spot}" if spun.hot_spot else ""
        for y, text in enumerate(("the wheel", f"all: {spun.community}", hot), 2):
            canvas.put(canvas.width - 22, y, text, FAINT if old else GOLD)


def _bank(canvas: Canvas, sitting: Sitting, scene: Scene) -> None:
    """The banker and the amount of the bank."""
    if sitting.setup.rules.banker != "player":
        canvas.put(1, 3, "the house banks", FAINT)
        return
    current, bank = scene.table.round, scene.table.bank
    if current is not None and not current.closed and current.banker is not None:
        banker, posted = current.banker, current.bank or 0
    elif bank.taken is not None:
        banker, posted = bank.taken, bank.posted
    else:
        canvas.put(1, 3, "the bank is open", FAINT)
        return
    canvas.put(1, 2, "bank", FAINT)
    canvas.put(1, 3, "you" if banker == sitting.visitor else banker, GOLD)
    canvas.put(1, 4, f"posted {short(posted)}", PLAIN)


def _card(
    canvas: Canvas, x: int, y: int, card: Card, *, old: bool = False, back: str = BACKS[""]
) -> None:
    """A card of five columns and three lines; only the back if it is face down."""
    if card == HIDDEN:
        for row, edge in enumerate(("╭───╮", "│▒▒▒│", "╰───╯")):
            canvas.put(x, y + row, edge, back)
        return
    edge = OLD_EDGE if old else CARD_EDGE
    face = {"red": (CARD_RED, OLD_RED), "black": (CARD_BLACK, OLD_BLACK)}[color(card)][old]
    canvas.put(x, y, "╭───╮", edge)
    canvas.put(x, y + 1, "│   │", edge)
    canvas.put(x + 1, y + 1, f"{card_text(card):>3}", face)
    canvas.put(x, y + 2, "╰───╯", edge)


def _hands_at(round_: Round | None, box: int, visitor: str) -> list[Hand]:
    """The hands on a box, the visitor's first."""
    hands = [] if round_ is None else [hand for hand in round_.hands if hand.box == box]
    return sorted(hands, key=lambda hand: hand.player != visitor)


def _box(canvas: Canvas, sitting: Sitting, scene: Scene, box: int, x: int, cell: int) -> None:
    """One box: its number, cards, wagers, player and result."""
    table, visitor = scene.table, sitting.visitor
    own = box in sitting.header.boxes
    bank = table.round is not None and not table.round.closed and table.round.banker is not None
    banking = bank and table.round is not None and table.seats.get(box) == table.round.banker
    number = f"[{box}]" if own else str(box)
    top = BOXES_TOP + scene.roomy
    canvas.centre(x, top, cell, number, GOLD if own else FAINT)
    _box_cards(canvas, scene, box, x + (cell - CARD_WIDTH + 1) // 2, top + 1, banking=banking)
    hands = _hands_at(table.round, box, visitor)
    for y, row in enumerate(_wager_rows(sitting), top + 6):
        _wagers(canvas, scene, row, hands, box, x, y, cell)
    y = top + 6 + len(_wager_rows(sitting))
    name = _name(sitting, table, hands, box)
    canvas.centre(x, y, cell, name, GOLD if own else PLAIN)
    owner = visitor if own else table.seats.get(box, "")
    guest = table.guests.get(owner)
    if guest is not None and (not own or box == sitting.header.boxes[0]):
        canvas.centre(x, y + 1, cell, _fitting(guest.stack, cell - 1), FAINT)
    shown, _ = _shown_round(scene)
    results = _hands_at(shown, box, visitor)
    if results and all(wager.outcome for wager in results[0].wagers):
        net = results[0].net
        canvas.centre(x, y + 2, cell, short(net, "+"), WON if net > 0 else FAINT)


def _name(sitting: Sitting, table: Table, hands: list[Hand], box: int) -> str:
    if sitting.setup.rules.community:
        others = sum(hand.player != sitting.visitor for hand in hands)
        names = ["YOU"] if len(hands) > others else []
        names += [f"{others} other{'s' * (others > 1)}"] if others else []
        return ", ".join(names)
    if box in sitting.header.boxes:
        return "YOU"
    seated = table.seats.get(box, "")
    if any(hand.player == sitting.visitor for hand in hands):
        return f"YOU+{seated}" if seated else "YOU"
    return seated


def _fitting(cents: int, width: int) -> str:
    """An amount, as exact as the space allows."""
    text = short(cents)
    if len(text) <= width:
        return text
    return f"{cents // 100:,}"[:width]


def _box_cards(canvas: Canvas, scene: Scene, box: int, x: int, y: int, *, banking: bool) -> None:
    """The card of the box and, over its lower edge, the war card."""
    round_, old = _shown_round(scene)
    if banking and not old:
        canvas.put(x, y + 1, "BANK", GOLD)
        return
    if round_ is None or box not in round_.cards:
        canvas.put(x + 2, y + 1, "·", FAINT)
        return
    _card(canvas, x, y, round_.cards[box], old=old)
    if box in round_.war_cards:
        _card(canvas, x, y + 2, round_.war_cards[box], old=old)


def _wagers(
    canvas: Canvas,
    scene: Scene,
    row: tuple[WagerType, ...],
    hands: list[Hand],
    box: int,
    x: int,
    y: int,
    cell: int,
) -> None:
    """The wagers of one line; the chosen spot stands out."""
    texts: list[str] = []
    current = scene.table.round
    if current is not None and not (current.closed and scene.previous is not None):
        texts = [text for each in row if (text := _staked(each, hands, cell - 2))]
    chosen = scene.selected is not None and scene.selected[0] == box
    selected = scene.selected[1] if scene.selected is not None and chosen else None
    letters = {each.kind: each.letter for each in row}
    text = " ".join(texts)
    if selected in letters:
        shown = text or letters[selected] or "·"
        canvas.centre(x, y, cell, f" {shown} ", SELECTED)
    elif text:
        canvas.centre(x, y, cell, text, PLAIN)
    elif row[0].kind == "primary" and hands == [] and scene.table.seats.get(box):
        canvas.centre(x, y, cell, "○", FAINT)


def _staked(wager: WagerType, hands: list[Hand], width: int) -> str:
    """What is bet on a spot: the first hand's wager and, after a plus, what others have there."""
    amounts = [found.staked if (found := hand.wager(wager.kind)) else 0 for hand in hands]
    if not any(amounts):
        return ""
    own, others = amounts[0], sum(amounts[1:])
    behind = short(others, "+") if others else ""
    first = _fitting(own, width - len(wager.letter) - len(behind)) if own else ""
    return wager.letter + first + behind


def printed(sitting: Sitting) -> str:
    """What is printed on the felt: what the wagers pay."""
    wagers = sitting.setup.rules.wagers
    return (
        f"{sitting.book.rules.label('primary')} pays {wagers.primary.pays}  ♦  "
        f"{sitting.book.rules.label('tie')} pays {wagers.tie.pays}"
    ).upper()


def balance_bar(sitting: Sitting, table: Table, width: int) -> Text:
    """The balance, the money on the felt and the sitting's result."""
    guest = table.guests.get(sitting.visitor)
    stack = 0 if guest is None else guest.stack
    at_stake = at_stake_of(table, sitting.visitor)
    net = stack + at_stake - sitting.brought
    text = (
        f" Balance {money(stack)}   on the felt {money(at_stake)}   this sitting {money(net, '+')}"
    )
    return Text(text[:width].ljust(width), style=BAR, no_wrap=True, end="")
