"""How each event changes the cards of a table: decks, chains of links, cut, shoes."""

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from wartable import proof, provable
from wartable import shoe as shoes
from wartable.table import events as e
from wartable.table import older
from wartable.table.state import CutOffer, Decks, LinkChain, Table


def _decks_received(state: Table, event: e.DecksReceived) -> Table:
    since_ms = event.at_ms if event.opened_ms is None else event.opened_ms
    decks = Decks(since_ms, event.condition, sets=event.sets)
    return _game_begins(replace(state, decks=decks, idle=False, spread_up=False))


def _decks_removed(state: Table, event: e.DecksRemoved) -> Table:
    return replace(state, decks=None)


def _game_begins(state: Table) -> Table:
    """The table as if nothing had been dealt yet, so that the first to arrive cuts."""
    return replace(state, cover_box=None, cover_player=None, reshuffled_by_floor=False)


def _prepared(state: Table, event: e.Prepared) -> Table:
    decks = state.decks
    assert decks is not None
    steps = (*decks.done.get(event.batch, ()), event.step)
    inspectors = decks.inspectors
    if event.step == "inspect":
        inspectors = {**inspectors, event.batch: event.by}
    done = {**decks.done, event.batch: steps}
    return replace(state, decks=replace(decks, done=done, inspectors=inspectors))


def _seed_sealed(state: Table, event: older.SeedSealed) -> Table:
    others = tuple(seal for seal in state.seals if seal.player != event.player)
    return replace(state, seals=(*others, shoes.Seal(event.player, event.seal)))


def _shoe_started(state: Table, event: e.ShoeStarted) -> Table:
    new = shoes.Shoe(
        terms=event.terms,
        commitment=event.commitment,
        seals=event.seals,
        seed=event.seed,
        proof=None if event.bound is None else proof.Proof(event.bound),
    )
    state = replace(state, shoes=event.terms.number, seals=(), idle=False, spread_up=False)
    decks, batch = state.decks, event.terms.batch
    if decks is not None and batch not in decks.ready:
        state = replace(state, decks=replace(decks, ready=(*decks.ready, batch)))
    if state.shoe is not None:
        return replace(state, stored=new)
    return replace(state, shoe=new, cut=CutOffer(), numbers=(), numbers_closed=False)


def _chain_started(state: Table, event: e.ChainStarted) -> Table:
    old = state.chains.get(event.batch)
    chain = LinkChain(
        end=event.end,
        links=event.links,
        book=event.book,
        owner=event.owner,
        order=event.order,
        iterations=event.iterations,
        used=0,
        link=event.end,
        record=proof.NO_RECORD if old is None else old.record,
        root=event.root,
    )
    return replace(state, chains={**state.chains, event.batch: chain})


def _number_given(state: Table, event: e.NumberGiven) -> Table:
    numbers = (*state.numbers, proof.PlayerNumber(event.player, event.number))
    return replace(state, numbers=numbers, numbered=True)


def _numbers_closed(state: Table, event: e.NumbersClosed) -> Table:
    return replace(state, numbers=event.numbers, numbers_closed=True)


def _cards_decided(state: Table, event: e.CardsDecided) -> Table:
    shoe = state.shoe
    assert shoe is not None
    link, key = bytes.fromhex(event.link), bytes.fromhex(event.key)
    batch = shoe.terms.batch
    chain = state.chains[batch]
    return replace(
        state,
        shoe=provable.decide(shoe, link, key, event.draw),
        chains={**state.chains, batch: replace(chain, used=chain.used + 1)},
        undecided=False,
        numbers=(),
        numbers_closed=False,
    )


def _cut_offered(state: Table, event: e.CutOffered) -> Table:
    return replace(state, cut=replace(state.cut, offered=event.player))


def _cut_refused(state: Table, event: e.CutRefused) -> Table:
    asked = (*state.cut.asked, event.player)
    return replace(state, cut=replace(state.cut, offered=None, asked=asked))


def _cut_made(state: Table, event: e.CutMade) -> Table:
    assert state.shoe is not None
    cut = replace(state.cut, offered=None, last=event.player, made=True)
    return replace(state, shoe=shoes.cut(state.shoe, event.player, event.position), cut=cut)


def _recut_ordered(state: Table, event: e.RecutOrdered) -> Table:
    asked = state.cut.asked
    if event.who == "next" and state.cut.last is not None:
        asked = (*asked, state.cut.last)
    state = noted(state, "recut_ordered", event.by, event.reason)
    cut = replace(state.cut, made=False, asked=asked)
    return replace(state, cut=cut, numbers=(), numbers_closed=False)


def _seed_opened(state: Table, event: older.SeedOpened) -> Table:
    assert state.shoe is not None
    seed = bytes.fromhex(event.seed)
    return replace(state, shoe=shoes.open_seal(state.shoe, event.player, seed))


def _shoe_loaded(state: Table, event: e.ShoeLoaded) -> Table:
    assert state.shoe is not None
    cover = None if event.low is None or event.high is None else (event.low, event.high)
    loaded = shoes.load(state.shoe, cover)
    state = replace(state, shoe=loaded, shoe_rounds=0, last_batch=loaded.terms.batch)
    return _game_begins(replace(state, reshuffle=None))


def draw(state: Table, use: shoes.Use, box: int | None = None, *, decided: bool = True) -> Table:
    """The table after the next card left its shoe."""
    assert state.shoe is not None
    number = state.rounds if state.in_round else state.rounds + 1
    return replace(state, shoe=shoes.draw(state.shoe, use, number, box, decided=decided)[1])


def _card_burned(state: Table, event: e.CardBurned) -> Table:
    given = None if state.shoe is None else state.shoe.proof
    return draw(state, "burn", decided=given is None or given.bound.order == "shoe")


def _cover_card_out(state: Table, event: e.CoverCardOut) -> Table:
    hands = () if state.round is None else state.round.hands
    player = next((hand.player for hand in hands if hand.box == event.box), None)
    return replace(state, cover_box=event.box, cover_player=player)


def _cards_collected(state: Table, event: e.CardsCollected) -> Table:
    assert state.shoe is not None
    return replace(state, shoe=shoes.collect(state.shoe, event.boxes))


def _shoe_ended(state: Table, event: e.ShoeEnded) -> Table:
    if state.stored is not None and event.number == state.stored.terms.number:
        over = finished(state, state.stored, event.reason, event.by)
        return replace(_recorded(state, over, event), stored=None, finished=over)
    assert state.shoe is not None
    over = finished(state, state.shoe, event.reason, event.by)
    state = _recorded(state, over, event)
    by_floor = state.reshuffle is not None
    return replace(
        state,
        shoe=state.stored,
        stored=None,
        finished=over,
        cut=CutOffer(),
        numbers=(),
        numbers_closed=False,
        reshuffle=None,
        reshuffled_by_floor=by_floor,
    )


def finished(state: Table, shoe: shoes.Shoe, reason: str, by: str) -> shoes.Shoe:
    """The shoe after its end, with the name of whoever ended it early."""
    if by:
        shoe = provable.note(shoe, "ended", by, reason, state.rounds)
    return shoes.end(shoe, reason)


def recorded(state: Table, event: e.ShoeEnded) -> e.ShoeEnded:
    """The end of a shoe with the hash of its record, if it is provable."""
    in_use = [shoe for shoe in (state.shoe, state.stored) if shoe is not None]
    shoe = next(shoe for shoe in in_use if shoe.terms.number == event.number)
    if shoe.proof is None:
        return event
    over = finished(state, shoe, event.reason, event.by)
    return replace(event, record=proof.record_hash(over))


def _recorded(state: Table, shoe: shoes.Shoe, event: e.ShoeEnded) -> Table:
    """The table whose chain continues from a finished shoe's last link and record."""
    if shoe.proof is None:
        return state
    batch = shoe.terms.batch
    chain = state.chains[batch]
    chain = replace(chain, link=event.seed or chain.link, record=event.record)
    return replace(state, chains={**state.chains, batch: chain})


def noted(state: Table, what: proof.IncidentKind, by: str = "", reason: str = "") -> Table:
    """The table with an incident in the record of its shoe."""
    if state.shoe is None or state.shoe.proof is None:
        return state
    return replace(state, shoe=provable.note(state.shoe, what, by, reason, state.rounds))


def _card_set_aside(state: Table, event: e.CardSetAside) -> Table:
    return noted(draw(state, "set_aside"), "card_set_aside", event.by, event.why)


def _dealer_changed(state: Table, event: e.DealerChanged) -> Table:
    # The dealer who opens the table relieves nobody, and already burns the shoe's first card.
    opens = state.dealer is None and (state.shoe is None or not state.shoe.drawn)
    if not opens:
        state = noted(state, "dealer_changed", event.dealer)
    return replace(state, dealer=event.dealer, dealer_burn_due=not opens)


def _reshuffle_ordered(state: Table, event: e.ReshuffleOrdered) -> Table:
    state = noted(state, "reshuffle_ordered", event.by, event.reason)
    return replace(state, reshuffle=event.reason)


def _table_idle(state: Table, event: e.TableIdle) -> Table:
    decks = state.decks
    if decks is not None:
        done = {batch: steps for batch, steps in decks.done.items() if batch not in decks.ready}
        spread = (*decks.spread, *decks.ready)
        decks = replace(decks, done=done, ready=(), spread=spread)
    return _game_begins(replace(state, idle=True, spread_up=False, decks=decks))


def _spread_turned_up(state: Table, event: e.SpreadTurnedUp) -> Table:
    return replace(state, spread_up=True)


def _method_changed(state: Table, event: e.MethodChanged) -> Table:
    decks = state.decks
    if decks is not None:  # another method starts the preparation again
        done = {batch: steps for batch, steps in decks.done.items() if batch in decks.ready}
        decks = replace(decks, done=done)
    return replace(state, method=event.method, decks=decks)


NOTED: dict[type[Any], proof.IncidentKind] = {
    e.DrawnInError: "drawn_in_error",
    e.Jammed: "jammed",
}
"""The incidents that change nothing but the record, each named after its event."""


def _only_noted(state: Table, event: e.DrawnInError | e.Jammed) -> Table:
    return noted(state, NOTED[type(event)], event.by)


def _house_chose(state: Table, event: e.HouseChose) -> Table:
    assert state.shoe is not None
    label, options, weights = event.label, event.options, event.weights
    _, shoe = shoes.choose(state.shoe, label, options, weights, round_number=state.rounds)
    return replace(state, shoe=shoe)


CARDS: dict[type[Any], Callable[[Table, Any], Table]] = {
    e.DecksReceived: _decks_received,
    e.DecksRemoved: _decks_removed,
    e.Prepared: _prepared,
    older.SeedSealed: _seed_sealed,
    e.ChainStarted: _chain_started,
    e.NumberGiven: _number_given,
    e.NumbersClosed: _numbers_closed,
    e.CardsDecided: _cards_decided,
    e.ShoeStarted: _shoe_started,
    e.CutOffered: _cut_offered,
    e.CutRefused: _cut_refused,
    e.CutMade: _cut_made,
    e.RecutOrdered: _recut_ordered,
    older.SeedOpened: _seed_opened,
    e.ShoeLoaded: _shoe_loaded,
    e.CardBurned: _card_burned,
    e.HouseChose: _house_chose,
    e.CoverCardOut: _cover_card_out,
    e.CardsCollected: _cards_collected,
    e.ShoeEnded: _shoe_ended,
    e.CardSetAside: _card_set_aside,
    e.DealerChanged: _dealer_changed,
    e.ReshuffleOrdered: _reshuffle_ordered,
    e.TableIdle: _table_idle,
    e.SpreadTurnedUp: _spread_turned_up,
    e.MethodChanged: _method_changed,
    **dict.fromkeys(NOTED, _only_noted),
}
"""What each event about cards does."""
