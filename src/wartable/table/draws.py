"""How a table decides provable cards: chains of links, players' numbers, draws."""

from collections.abc import Iterator

from wartable import game, proof, provable
from wartable import shoe as shoes
from wartable.cards import DECK
from wartable.game import DueBurn, DueCard, DueWheel, Illegal
from wartable.game.wagers.wheel import wheel_of
from wartable.proof import Bound, Label
from wartable.rules.model import RuleBook
from wartable.shoe import Shoe, Terms
from wartable.table.commands import CloseNumbers, DecideCards, SendNumber, StartChain
from wartable.table.course import Decides
from wartable.table.events import (
    CardsDecided,
    ChainStarted,
    Event,
    NumberGiven,
    NumbersClosed,
    ShoeStarted,
)
from wartable.table.state import LinkChain, Setup, Table, cover_place

SPARE_LINKS = 32
"""How many more links a chain must have than a shoe can use."""


def start_chain(setup: Setup, state: Table, command: StartChain) -> Iterator[Event]:
    """The commitment to the links of a batch's coming shoes."""
    if any(shoe.terms.batch == command.batch for shoe in _unfinished(state)):
        raise Illegal("shoe_in_use", "Another chain can begin only before the next shoe.")
    if command.links > proof.LINKS_MAX or command.links < links_needed(setup):
        allowed = f"{links_needed(setup)} to {proof.LINKS_MAX}"
        raise Illegal("links", f"A chain at this table has {allowed} links.")
    end = proof.chain_end(bytes.fromhex(command.root), command.links).hex()
    if any(end == chain.end for chain in state.chains.values()):
        raise Illegal("seed_used", "Every chain needs a new root.")
    yield ChainStarted(
        end,
        command.links,
        command.book,
        command.owner,
        command.order,
        command.iterations,
        command.batch,
        command.root,
    )


def links_needed(setup: Setup) -> int:
    """How many links a shoe may need: two for each round, which takes at least two cards."""
    return setup.decks * len(DECK) + SPARE_LINKS


def chain_needed(setup: Setup, state: Table, batch: str) -> bool:
    """Whether the next shoe of a batch needs another chain of links."""
    chain = state.chains.get(batch)
    return chain is None or chain.links - chain.used < links_needed(setup)


def _unfinished(state: Table) -> tuple[Shoe, ...]:
    return tuple(shoe for shoe in (state.shoe, state.stored) if shoe is not None)


def start_shoe(setup: Setup, chain: LinkChain, terms: Terms) -> ShoeStarted:
    """A provable shoe, bound to everything that is fixed by now."""
    rules = setup.rules
    cut = terms.method in rules.shoe.cut_methods
    cover = None if terms.method in shoes.ONE_ROUND else cover_place(setup)
    bound = Bound(
        book=chain.book,
        order=chain.order,
        owner=chain.owner,
        iterations=chain.iterations,
        cut_min=rules.shoe.cut_from_end_min if cut else None,
        deal_order=rules.deal.order,
        burn_first=rules.shoe.burn_first,
        burn_new_dealer=rules.shoe.burn_new_dealer,
        burn_war=rules.deal.war_burn,
        burn_war_when=rules.options.war_burn,
        cover_low=cover,
        cover_high=cover,
        labels=labels(rules),
        chain=chain.end,
        links=chain.links,
        used=chain.used,
        anchor=chain.link,
        before=chain.record,
    )
    return ShoeStarted(terms, provable.start(terms, bound).commitment, bound=bound)


def labels(rules: RuleBook) -> tuple[Label, ...]:
    """Every choice that the house may draw at a table of these rules."""
    spin = wheel_of(rules)
    if spin is None:
        return ()
    boxes = tuple(str(box) for box in range(1, rules.table.boxes + 1))
    wheel = spin.wheel
    return (
        Label("wheel", tuple(wheel.hot_spot), tuple(wheel.hot_spot.values())),
        Label("hot-spot", boxes),
        Label("community", tuple(wheel.community), tuple(wheel.community.values())),
    )


def decides_on_deal(state: Table) -> bool:
    """Whether the cards of the shoe in use are decided after the bets are closed."""
    given = None if state.shoe is None else state.shoe.proof
    return given is not None and given.bound.order != "shoe"


def unknown(state: Table) -> bool:
    """Whether no link has decided the next card: the bets are open, or a link is due."""
    if not decides_on_deal(state):
        return False
    round_ = state.round
    dealing = round_ is not None and not round_.closed and round_.bets_closed
    return state.undecided or not dealing


def cut_due(setup: Setup, state: Table) -> bool:
    """Whether the stack waits for a cut."""
    stack = state.shoe is not None and not state.shoe.cards
    return stack and state.method in setup.rules.shoe.cut_methods and not state.cut.made


def order_due(setup: Setup, state: Table) -> bool:
    """Whether the stack waits for its order, after the last cut."""
    shoe = state.shoe
    if shoe is None or shoe.cards or shoe.proof is None or shoe.proof.bound.order != "shoe":
        return False
    made = shoe.proof.draws
    return not cut_due(setup, state) and (not made or made[-1].cuts < len(shoe.cuts))


def shared(state: Table) -> bool:
    """Whether the cards are decided by a closed list of numbers, one from every seated player."""
    given = None if state.shoe is None else state.shoe.proof
    return given is not None and not given.bound.owner


def chance_due(setup: Setup, state: Table) -> bool:
    """Whether the table awaits an order, a card or the wheel that no link has decided yet."""
    if order_due(setup, state):
        return True
    round_ = state.round
    if not state.undecided or round_ is None or round_.closed:
        return False
    due = game.awaits(setup.rules, round_)[0]
    return isinstance(due, (DueCard, DueBurn, DueWheel))


def numbers_due(state: Table) -> tuple[str, ...]:
    """The players whose numbers are asked for.

    At a shared table that is everybody who is seated; at a private one the owner, if they gave a
    number in this round and are still there.
    """
    given = None if state.shoe is None else state.shoe.proof
    if given is not None and not given.bound.owner:
        if state.numbers_closed or len(state.numbers) >= proof.LIST_MAX:
            return ()
        known = {each.player for each in state.numbers}
        here = [guest for guest in state.guests.values() if not guest.leaving]
        return tuple(guest.player for guest in here if guest.player not in known)
    if given is None or not state.numbered or state.numbers:
        return ()
    guest = state.guests.get(given.bound.owner)
    return () if guest is None or guest.leaving else (guest.player,)


def given_with(
    setup: Setup, state: Table, player: str | None, number: str
) -> tuple[NumberGiven, ...]:
    """The number that a command carries for the cards, if cards are due after that command."""
    if not number:
        return ()
    given = None if state.shoe is None else state.shoe.proof
    owner = "" if given is None else given.bound.owner
    if not owner or player not in (None, owner):
        raise Illegal("no_number", "Only the owner of a table sends a number with a command.")
    return (NumberGiven(owner, number),) if chance_due(setup, state) else ()


def send_number(setup: Setup, state: Table, command: SendNumber) -> Iterator[Event]:
    """A player's number, which the table asks for before it decides cards."""
    if chance_due(setup, state) and state.numbers_closed:
        raise Illegal("numbers_closed", "The list of numbers is closed; send one for the next.")
    asked = chance_due(setup, state) and command.player in numbers_due(state)
    if not asked:
        raise Illegal("no_number", f"No number is due from {command.player} now.")
    yield NumberGiven(command.player, command.number)


def close_numbers(setup: Setup, state: Table, command: CloseNumbers) -> Iterator[Event]:
    """Close the list of numbers that decide a shared table's cards together with the next link."""
    shoe = state.shoe
    if shoe is None or not shared(state) or not chance_due(setup, state) or state.numbers_closed:
        raise Illegal("nothing_due", "No list of numbers is open now.")
    if order_due(setup, state) and not state.numbers and not present(state):
        raise Illegal("no_player", "A seated player must send a number first.")
    yield NumbersClosed(state.numbers, shoe.cuts, provable.heard(shoe, state.numbers).hex())


def present(state: Table) -> bool:
    """Whether anybody is at the table and not leaving."""
    return any(not guest.leaving for guest in state.guests.values())


def decide_cards(setup: Setup, state: Table, command: DecideCards) -> CardsDecided:
    """The next link and the numbers given so far decide the cards."""
    shoe = state.shoe
    if shoe is None or shoe.proof is None or not chance_due(setup, state):
        raise Illegal("nothing_due", "No cards are to be decided now.")
    if shared(state) and not state.numbers_closed:
        raise Illegal("numbers_open", "The list of numbers must be closed first.")
    link = bytes.fromhex(command.link)
    draw = provable.next_draw(shoe, state.numbers, state.rounds)
    heard = provable.heard(shoe, state.numbers)
    key = command.key or proof.draw_key(link, heard, shoe.proof.bound.iterations).hex()
    return CardsDecided(draw, command.link, key)


DECIDES: Decides = {
    StartChain: start_chain,
    SendNumber: send_number,
    CloseNumbers: close_numbers,
}
