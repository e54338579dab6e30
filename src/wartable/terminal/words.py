"""Events as sentences: what the dealer says and what happens at the table."""

from collections.abc import Iterator
from typing import Any, Literal

from msgspec import Struct

from wartable import game
from wartable.cards import HIDDEN, Card
from wartable.inscription import decks_in_use, words
from wartable.rules import Book, WagerKind
from wartable.table import events as e
from wartable.table.state import Table
from wartable.terminal.sitting import Sitting, Told

Tone = Literal["dealer", "own", "won", "other", "note"]

SUIT_SIGNS = {"c": "♣", "d": "♦", "h": "♥", "s": "♠"}
STEPS = {
    "inspect": "The dealer inspects the new cards.",
    "verify": "A floorperson verifies them.",
    "spread": "The cards are spread face up.",
    "view": "{who} may inspect them: {decks} complete decks.",
    "turn": "The cards are turned face down.",
    "wash": "They are washed.",
    "stack": "They are stacked.",
    "riffle": "They are riffled.",
}


class Sentence(Struct, frozen=True):
    """A sentence with its tone."""

    text: str
    tone: Tone = "note"


def money(cents: int, sign: str = "") -> str:
    """An amount with two decimals: 1250 is 12.50."""
    whole, part = divmod(abs(cents), 100)
    mark = "-" if cents < 0 else sign if cents else ""
    return f"{mark}{whole:,}.{part:02}"


def short(cents: int, sign: str = "") -> str:
    """An amount without decimals if they are zero."""
    return money(cents, sign).removesuffix(".00")


def won_or_lost(net: int) -> str:
    """A banker's result: won 5.00, lost 5.00, broke even."""
    return f"{'lost' if net < 0 else 'won'} {money(abs(net))}" if net else "broke even"


def card_text(card: Card) -> str:
    """A card for people: 10♥; ▒▒ if it is face down."""
    if card == HIDDEN:
        return "▒▒"
    return ("10" if card[0] == "T" else card[0]) + SUIT_SIGNS[card[1]]


def label(book: Book, kind: WagerKind | str) -> str:
    """The book's own name for a wager."""
    return book.rules.labels.get(kind, kind.replace("_", " "))


def source(book: Book, wager: str, outcome: str) -> str:
    """The clauses behind a payment, in brackets."""
    clauses = book.clauses(wager, outcome)
    return f" [{', '.join(clauses)}]" if clauses else ""


def who(sitting: Sitting, player: str) -> str:
    """A player's name, or You for the visitor."""
    return "You" if player == sitting.visitor else player


def dealer_name(book: Book) -> str:
    """The book's name for the dealer's side."""
    name = book.rules.labels.get("dealer", "dealer")
    return name[:1].upper() + name[1:]


def lines(sitting: Sitting, told: Told) -> list[Sentence]:
    """The sentences of an event; dealt cards are shown instead."""
    teller = _TELL.get(type(told.event))
    return [] if teller is None else list(teller(sitting, told, told.event))


def _verb(sitting: Sitting, player: str, verb: str, others: str) -> str:
    return f"You {verb}" if player == sitting.visitor else f"{player} {others}"


def _joined(sitting: Sitting, told: Told, event: e.Joined) -> Iterator[Sentence]:
    if event.player != sitting.visitor:
        bot = sitting.bot(event.player)
        about = "" if bot is None else f" and {bot.policy.words}"
        yield Sentence(
            f"{event.player} sits at box {event.seat} with {short(event.amount)}{about}."
        )
        return
    where = "stand behind the seats" if event.seat is None else f"sit down at box {event.seat}"
    yield Sentence(f"You {where} with {short(event.amount)}.", "own")


def _bought_in(sitting: Sitting, told: Told, event: e.BoughtIn) -> Iterator[Sentence]:
    doing = _verb(sitting, event.player, "bring", "brings")
    yield Sentence(f"{doing} {short(event.amount)} more to the table.")


def _departed(sitting: Sitting, told: Told, event: e.Departed) -> Iterator[Sentence]:
    doing = _verb(sitting, event.player, "leave", "leaves")
    yield Sentence(f"{doing} the table with {money(event.amount)}.")


def _decks(sitting: Sitting, told: Told, event: e.DecksReceived) -> Iterator[Sentence]:
    decks = decks_in_use(sitting.setup.decks, sitting.state.method)
    yield Sentence(f"New cards come to the table: {decks}.")


def _removed(sitting: Sitting, told: Told, event: e.DecksRemoved) -> Iterator[Sentence]:
    yield Sentence(f"The cards are taken away: {event.reason}.")


def _prepared(sitting: Sitting, told: Told, event: e.Prepared) -> Iterator[Sentence]:
    text = STEPS[event.step].format(who=who(sitting, event.by), decks=sitting.setup.decks)
    yield Sentence(text)


def _shuffled(sitting: Sitting, told: Told, event: e.ShoeStarted) -> Iterator[Sentence]:
    backs = f" of {event.terms.batch} backs" if event.terms.batch else ""
    yield Sentence(
        f'"Shuffling." Shoe {event.terms.number}{backs}, commitment {event.commitment[:16]}...',
        "dealer",
    )


def _cut(sitting: Sitting, told: Told, event: e.CutMade) -> Iterator[Sentence]:
    if event.player is None:
        yield Sentence("Everybody refused the cut: the dealer cuts.")
    else:
        doing = _verb(sitting, event.player, "cut", "cuts")
        yield Sentence(f"{doing}: {event.position} cards go to the bottom.")


def _cut_refused(sitting: Sitting, told: Told, event: e.CutRefused) -> Iterator[Sentence]:
    yield Sentence(f"{_verb(sitting, event.player, 'refuse', 'refuses')} the cut.")


def _loaded(sitting: Sitting, told: Told, event: e.ShoeLoaded) -> Iterator[Sentence]:
    shoe = told.after.shoe
    if shoe is not None and shoe.cover is not None:
        below = 52 * shoe.terms.decks - shoe.cover.position
        yield Sentence(f"The cards are in the shoe, the cover card {below} from the bottom.")


def _burned_first(sitting: Sitting, told: Told, event: e.CardBurned) -> Iterator[Sentence]:
    yield Sentence("A card is burned unseen.")


def _bank_offered(sitting: Sitting, told: Told, event: e.BankOffered) -> Iterator[Sentence]:
    name = "you" if event.player == sitting.visitor else event.player
    yield Sentence(f'"The bank is offered to {name}."', "dealer")


def _bank_taken(sitting: Sitting, told: Told, event: e.BankTaken) -> Iterator[Sentence]:
    doing = _verb(sitting, event.player, "take", "takes")
    post = "post" if event.player == sitting.visitor else "posts"
    yield Sentence(f"{doing} the bank and {post} {short(event.amount)}.")


def _bank_passed(sitting: Sitting, told: Told, event: e.BankPassed) -> Iterator[Sentence]:
    yield Sentence(f"{_verb(sitting, event.player, 'pass', 'passes')}.")


def _bank_untaken(sitting: Sitting, told: Told, event: e.BankUntaken) -> Iterator[Sentence]:
    yield Sentence("Nobody takes the bank: no round is dealt.")


def _round(sitting: Sitting, told: Told, event: e.RoundStarted) -> Iterator[Sentence]:
    yield Sentence(f'Round {event.number}. "Place your bets."', "dealer")


def _placed(sitting: Sitting, told: Told, event: game.Placed) -> Iterator[Sentence]:
    own = event.player == sitting.visitor
    doing = _verb(sitting, event.player, "bet", "bets")
    name = label(sitting.book, event.wager)
    yield Sentence(
        f"{doing} {short(event.amount)} on box {event.box}, {name}.", "own" if own else "other"
    )


def _withdrawn(sitting: Sitting, told: Told, event: game.Withdrawn) -> Iterator[Sentence]:
    doing = _verb(sitting, event.player, "take back", "takes back")
    name = label(sitting.book, event.wager)
    if event.gives_way_to is not None:
        whose = "Your" if event.player == sitting.visitor else f"{event.player}'s"
        to = event.gives_way_to
        has = "you have" if to == sitting.visitor else f"{to} has"
        claim = f"{has} a {label(sitting.book, 'primary')} there and the first claim to the spot"
        yield Sentence(
            f"{whose} {name} of {short(event.amount)} on box {event.box} goes back: {claim}.", "own"
        )
        return
    yield Sentence(f"{doing} {short(event.amount)} from box {event.box}, {name}.", "own")


def _bets_closed(sitting: Sitting, told: Told, event: game.BetsClosed) -> Iterator[Sentence]:
    yield Sentence('"No more bets."', "dealer")


def _returned(sitting: Sitting, told: Told, event: game.Returned) -> Iterator[Sentence]:
    own = event.player == sitting.visitor
    book, kind, why = sitting.book, event.wager, words(sitting.book, event.wager, event.outcome)
    text = (
        f"Box {event.box}, {who(sitting, event.player)}: {money(event.amount)} of the "
        f"{label(book, kind)} {why}{source(book, kind, event.outcome)}."
    )
    yield Sentence(text, "own" if own else "other")


def _chosen(sitting: Sitting, told: Told, event: game.Chosen) -> Iterator[Sentence]:
    by = "" if event.by == "player" else f" (decided by the {event.by})"
    doing = (
        _verb(sitting, event.player, "go to war", "goes to war")
        if event.choice == "war"
        else _verb(sitting, event.player, "surrender", "surrenders")
    )
    own = event.player == sitting.visitor
    yield Sentence(f"{doing} on box {event.box}{by}.", "own" if own else "other")


def _matched(sitting: Sitting, told: Told, event: game.Matched) -> Iterator[Sentence]:
    banker = "bank" if sitting.setup.rules.banker == "player" else "house"
    yield Sentence(f"The {banker} puts {money(event.amount)} against box {event.box}.")


def _spun(sitting: Sitting, told: Told, event: game.Spun) -> Iterator[Sentence]:
    hot = f"; hot spot on box {event.hot_spot_box}: {event.hot_spot}" if event.hot_spot else ""
    yield Sentence(f"The wheel stops: community {event.community}{hot}.", "dealer")


def _award(sitting: Sitting, told: Told, event: game.MeterRead) -> Iterator[Sentence]:
    yield Sentence(f"The {event.meter} meter shows {money(event.amount)} and is paid.", "dealer")


def _settled(sitting: Sitting, told: Told, event: game.Settled) -> Iterator[Sentence]:
    """A payment with its reason; only a gain above the stake is marked as won."""
    hand = None if told.after.round is None else told.after.round.hand(event.player, event.box)
    wager = None if hand is None else hand.wager(event.wager)
    if wager is None:
        return
    own = event.player == sitting.visitor
    why = words(sitting.book, event.wager, event.outcome)
    if own:
        text = (
            f"Box {event.box}, {label(sitting.book, event.wager)} {short(wager.staked)}: {why}; "
            f"back {money(wager.returned)}, net {money(wager.net, '+')}"
            f"{source(sitting.book, event.wager, event.outcome)}."
        )
        yield Sentence(text, "won" if wager.net > 0 else "own")
    else:
        name = label(sitting.book, event.wager)
        yield Sentence(f"{event.player}, {name}: {why}, net {money(wager.net, '+')}.", "other")


def _envy(sitting: Sitting, told: Told, event: game.EnvyPaid) -> Iterator[Sentence]:
    own = event.player == sitting.visitor
    text = (
        f"{who(sitting, event.player)}, {label(sitting.book, 'envy')}: "
        f"{words(sitting.book, 'envy', 'won')}, {money(event.amount, '+')}"
        f"{source(sitting.book, 'envy', 'won')}"
    )
    yield Sentence(text, "won" if own else "other")


def _cover_card(sitting: Sitting, told: Told, event: e.CoverCardOut) -> Iterator[Sentence]:
    yield Sentence("The cover card is out: this is the last round of the shoe.", "dealer")


def _shoe_ended(sitting: Sitting, told: Told, event: e.ShoeEnded) -> Iterator[Sentence]:
    if told.before.method not in ("every_round", "continuous"):
        yield Sentence(f"The shoe is over ({event.reason}). Its seed was {event.seed}.", "note")


def _voided(sitting: Sitting, told: Told, event: game.RoundVoided) -> Iterator[Sentence]:
    yield Sentence(f"The round is void ({event.reason}): every wager goes back.", "dealer")


def _closed(sitting: Sitting, told: Told, event: game.Closed) -> Iterator[Sentence]:
    line = result(sitting, told.before)
    if line is not None:
        yield line


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


_TELL: dict[type[Any], Any] = {
    e.Joined: _joined,
    e.BoughtIn: _bought_in,
    e.Departed: _departed,
    e.DecksReceived: _decks,
    e.DecksRemoved: _removed,
    e.Prepared: _prepared,
    e.ShoeStarted: _shuffled,
    e.CutMade: _cut,
    e.CutRefused: _cut_refused,
    e.ShoeLoaded: _loaded,
    e.CardBurned: _burned_first,
    e.BankOffered: _bank_offered,
    e.BankTaken: _bank_taken,
    e.BankPassed: _bank_passed,
    e.BankUntaken: _bank_untaken,
    e.RoundStarted: _round,
    e.CoverCardOut: _cover_card,
    e.ShoeEnded: _shoe_ended,
    game.Placed: _placed,
    game.Withdrawn: _withdrawn,
    game.BetsClosed: _bets_closed,
    game.Returned: _returned,
    game.Chosen: _chosen,
    game.Matched: _matched,
    game.Spun: _spun,
    game.MeterRead: _award,
    game.Settled: _settled,
    game.EnvyPaid: _envy,
    game.RoundVoided: _voided,
    game.Closed: _closed,
}
