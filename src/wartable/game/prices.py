"""The prices of a tied hand's choices; the engine plays each choice out in advance."""

from collections.abc import Callable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from wartable.cards import Card
from wartable.game.messages import Box, Choice, Choose, Deal, Illegal, Player, ReadMeter
from wartable.game.play import DueCard, DueChoice, DueMeter, awaits, step
from wartable.game.state import Hand, Round, Wager
from wartable.game.wagers.war_tie import war_tie_amounts
from wartable.money import Amount
from wartable.rules.model import RuleBook, WagerKind

BOX_CARD = "8s"
LOWER, EQUAL, HIGHER = "7s", "8s", "9s"
"""The dealer's war cards against which the box's card wins, ties and loses."""

TIED: tuple[WagerKind, ...] = ("primary", "war", "war_tie")
"""The wagers that a tied hand's choice decides or makes; side bets are not part of a price."""


class Price(Struct, frozen=True, gc=False):
    """What a choice stakes, what goes back before a war card, and what the hand then nets.

    A surrender nets the same however a war would have gone. A price is exact if the house banks.
    A player's bank matches box by box and may run out: `matched` is how much of the war wager it
    can match as things stand, None if nobody has to. The price ignores hands that have not chosen
    yet, matches those that have chosen war in turn, and leaves out what their wars win or lose.
    It is `sure` unless a hand that is matched before this one may still choose war.
    """

    box: Box
    choice: Choice
    war_tie: Amount
    adds: Amount
    back: Amount
    won: int
    tied: int
    lost: int
    matched: Amount | None = None
    sure: bool = True


def prices(rules: RuleBook, state: Round, player: Player) -> tuple[Price, ...]:
    """The prices of the player's choices now: war, war with a tie wager, surrender.

    A tie wager that may have any size is not listed; `price` returns its price.
    """
    return tuple(
        price(rules, state, choose)
        for due in awaits(rules, state)
        if isinstance(due, DueChoice) and due.player == player
        for choose in _choices(rules, state, due)
    )


def _choices(rules: RuleBook, state: Round, due: DueChoice) -> Iterator[Choose]:
    yield Choose(due.player, due.box, "war")
    hand = state.hand(due.player, due.box)
    assert hand is not None
    try:
        only = war_tie_amounts(rules, hand).only
    except Illegal:
        only = ()
    for amount in only:
        yield Choose(due.player, due.box, "war", amount)
    yield Choose(due.player, due.box, "surrender")


def price(rules: RuleBook, state: Round, choose: Choose) -> Price:
    """The price of one choice, or `Illegal` if it may not be made."""
    own = state.hand(choose.player, choose.box)
    before = _wagers(state, choose)
    decided = _with_only(state, lambda hand: hand is own or hand.choice is not None)
    after, _ = step(rules, decided, choose)
    chosen = _wagers(after, choose)
    # Burned cards pay nothing and would only cost time.
    unburned = replace(rules, deal=replace(rules.deal, war_burn=0))
    alone = _with_only(after, lambda hand: hand.box == choose.box)
    wars = [wager for wager in chosen if wager.kind == "war" and rules.banker == "player"]
    won, tied, lost = (_net(unburned, alone, choose, card) for card in (LOWER, EQUAL, HIGHER))
    return Price(
        choose.box,
        choose.choice,
        choose.war_tie,
        adds=sum(w.staked for w in chosen) - sum(w.staked for w in before),
        back=sum(w.returned for w in chosen) - sum(w.returned for w in before),
        won=won,
        tied=tied,
        lost=lost,
        matched=wars[0].at_risk if wars else None,
        sure=not wars or not _others_first(rules, state, choose),
    )


def _others_first(rules: RuleBook, state: Round, choose: Choose) -> bool:
    """Whether hands that are matched before this one have not chosen yet."""
    if state.bank_stack is None:
        return False
    due = awaits(rules, state)
    places = [(hand.player, hand.box) for hand in state.hands]
    before = places[: places.index((choose.player, choose.box))]
    return any(DueChoice(*place) in due for place in before)


def _net(rules: RuleBook, state: Round, choose: Choose, card: Card) -> int:
    """The hand's net if the dealer gets this war card; a meter's reading does not matter."""
    while awaited := awaits(rules, state):
        due = awaited[0]
        if isinstance(due, DueCard):
            state, _ = step(rules, state, Deal(BOX_CARD if due.box else card))
        else:
            assert isinstance(due, DueMeter), f"a war does not await {due}"
            state, _ = step(rules, state, ReadMeter(due.meter, 0))
    return sum(wager.net for wager in _wagers(state, choose))


def _wagers(state: Round, choose: Choose) -> list[Wager]:
    hand = state.hand(choose.player, choose.box)
    return [] if hand is None else [wager for wager in hand.wagers if wager.kind in TIED]


def _with_only(state: Round, in_play: Callable[[Hand], bool]) -> Round:
    """The round with only these hands in play; the others keep what is settled."""
    hands = tuple(
        hand
        if in_play(hand)
        else replace(hand, wagers=tuple(wager for wager in hand.wagers if wager.outcome))
        for hand in state.hands
    )
    return replace(state, hands=hands)
