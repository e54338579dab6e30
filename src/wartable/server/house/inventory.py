"""The inventory of cards: every set from receipt to destruction, by the office's rows."""

import asyncio
from collections import Counter

import sqlalchemy as sa
from msgspec.structs import replace

from wartable.server.clock import Clock
from wartable.server.denied import Denied, not_your_part
from wartable.server.house.accounts import Account
from wartable.server.house.custody import CardSet
from wartable.server.house.guard import Guard
from wartable.server.house.office import Office
from wartable.server.house.roles import CARD_MOVES
from wartable.server.records import schema
from wartable.server.records.facts import CardFacts, CardMove
from wartable.server.records.messages import Note
from wartable.table import Setup, Table
from wartable.table.commands import Condition, ReceiveDecks

SETS_MAX = 10_000
"""How many sets the house may have at once; destroyed ones do not count."""

MOVES_MAX = 1_000
"""How often a set may be moved before it must be destroyed."""

WORDS: dict[CardMove, str] = {
    "received": "received",
    "inspected": "inspected",
    "verified": "verified",
    "shuffled": "shuffled",
    "secured": "secured in",
    "issued": "issued to",
    "destroyed": "destroyed",
}


class Inventory:
    """The sets of cards of the house, by the office's rows.

    The server that has the house moves them; tables of any server take them. The transaction that
    moves or takes a set checks that no table uses a set that is moved, and that no set has moved
    since a server without the house last looked.
    """

    def __init__(self, engine: sa.Engine, guard: Guard, office: Office, clock: Clock) -> None:
        self._engine, self._guard, self._office, self._clock = engine, guard, office, clock
        self.turn = asyncio.Lock()
        """Held while a set moves, or a table of this server takes what is issued to it."""

    async def look(self) -> None:
        """Follow what other servers of this house wrote."""
        await asyncio.to_thread(self._guard.catch_up)

    def shown(self) -> list[CardSet]:
        """Every set that is not destroyed."""
        return [each for each in self._guard.sets().values() if each.state != "destroyed"]

    async def users(self) -> dict[str, str]:
        """The table that uses each set in use, at any server."""
        return await asyncio.to_thread(self._users)

    def _users(self) -> dict[str, str]:
        with self._engine.connect() as connection:
            found = connection.execute(sa.select(schema.in_use))
            return {each.card_set: each.table_name for each in found}

    def find(self, name: str) -> CardSet:
        """The set of that name, also a destroyed one."""
        found = self._guard.sets().get(name)
        if found is None:
            raise Denied("no_set", f"The inventory has no set {name}.")
        return found

    async def receive(self, by: Account, name: str, decks: int, back: str) -> CardSet:
        """Take a new set into the inventory."""
        _check_role(by, "received")
        async with self.turn:
            if name in self._guard.sets():
                raise Denied("name_taken", f"The inventory already has a set {name}.")
            if len(self.shown()) >= SETS_MAX:
                raise Denied("full", f"The inventory holds {SETS_MAX} sets; destroy some first.")
            return await self._note(by, name, "received", "", decks, back)

    async def move(
        self, by: Account, name: str, what: CardMove, place: str, seal: str = ""
    ) -> CardSet:
        """Record the next step of a set's life."""
        _check_role(by, what)
        async with self.turn:
            cards = self.find(name)
            _check(cards, (await self.users()).get(name), by.name, what, place)
            if seal and what != "secured":
                raise Denied("no_seal", "Only cards that are secured are put under a seal.")
            return await self._note(by, name, what, place, cards.decks, cards.back, seal)

    async def _note(
        self,
        by: Account,
        name: str,
        what: CardMove,
        place: str,
        decks: int,
        back: str,
        seal: str = "",
    ) -> CardSet:
        before = self._guard.sets().get(name)
        facts = CardFacts(what, self._clock.now_ms(), place, decks, back, seal)
        note = Note(
            f"cards_{what}",  # type: ignore[arg-type]  # every move has its kind
            name,
            before="" if before is None else f"{before.state} {before.place}".strip(),
            after=f"{WORDS[what]} {place}".strip() + (f", seal {seal}" if seal else ""),
            facts=facts,
        )
        await self._office.note(by.name, note, moved=(name,))
        await self.look()  # another server may have written between
        return self.find(name)

    def brought(self, command: ReceiveDecks, setup: Setup, state: Table) -> ReceiveDecks:
        """The command with the sets that were issued to the table, their condition and age."""
        issued = [
            each
            for each in self.shown()
            if (each.state, each.place) == ("issued", setup.name) and each.name not in state.sets
        ]
        if not issued:
            raise Denied("no_cards", f"No cards are issued to {setup.name}; have the floor do so.")
        _check_decks(setup, state, issued)
        opened_ms = [each.opened_ms for each in issued if each.opened_ms is not None]
        return replace(
            command,
            condition=_condition(issued),
            sets=tuple(each.name for each in issued),
            opened_ms=min(opened_ms),
        )

    def check(self, command: ReceiveDecks, setup: Setup, state: Table) -> None:
        """Refuse cards that are not what is issued to the table by now."""
        if self.brought(command, setup, state) != command:
            sentence = f"What is issued to {setup.name} has changed meanwhile; try again."
            raise Denied("cards_moved", sentence)


def _check_role(by: Account, what: CardMove) -> None:
    if by.role not in CARD_MOVES[what]:
        raise not_your_part(by.role)


def _check(cards: CardSet, table: str | None, by: str, what: CardMove, place: str) -> None:
    """Refuse a step that a set cannot take now; `table` is where it is in use, if anywhere."""
    if cards.state == "destroyed":
        raise Denied("destroyed", f"The set {cards.name} is destroyed.")
    if table is not None:
        raise Denied("in_use", f"The set {cards.name} is in use at {table}.")
    if len(cards.log) >= MOVES_MAX and what != "destroyed":
        raise Denied("worn", f"The set {cards.name} was moved too often; destroy it.")
    if what in ("secured", "issued", "destroyed") and not place:
        where = {"secured": "the place", "issued": "the table", "destroyed": "the place"}[what]
        raise Denied("no_place", f"Name {where} as well.")
    if what in ("inspected", "verified", "shuffled") and cards.state == "issued":
        raise Denied("issued", f"The set {cards.name} is at {cards.place}; take it back first.")
    match what:
        case "received":
            raise Denied("name_taken", f"The inventory already has a set {cards.name}.")
        case "verified" if not cards.inspected_by or cards.verified_by:
            raise Denied("not_inspected", "A dealer inspects the cards before they are verified.")
        case "verified" if by == cards.inspected_by:
            raise Denied("same_person", "Someone other than the inspector must verify the cards.")
        case "issued" if cards.state == "issued":
            raise Denied("issued", f"The set {cards.name} is already at {cards.place}.")
        case "issued" if cards.state != "secured" and cards.prepared:
            raise Denied(
                "not_secured",
                "Prepared cards must be secured in a place until they are issued.",
            )


def _condition(issued: list[CardSet]) -> Condition:
    """The condition that all sets have at least."""
    inspected = all(each.verified_by for each in issued)
    shuffled = all(each.shuffled_by for each in issued)
    if inspected and shuffled:
        return "inspected_and_shuffled"
    return "inspected" if inspected else "shuffled" if shuffled else "new"


def _check_decks(setup: Setup, state: Table, issued: list[CardSet]) -> None:
    """Refuse cards that are not what the table takes: one back, or two for two batches."""
    backs: Counter[str] = Counter()
    for each in issued:
        backs[each.back] += each.decks
    if state.method == "batches":
        needed = dict.fromkeys(setup.batches, setup.decks)
        wanted = _words(needed)
    else:
        needed = {issued[0].back: setup.decks}
        wanted = f"{setup.decks} decks with one back"
    if backs != needed:
        sentence = f"{setup.name} takes {wanted}; issued to it are {_words(backs)}"
        raise Denied("wrong_cards", f"{sentence}. Take back what is not for it.")


def _words(backs: dict[str, int]) -> str:
    return " and ".join(f"{decks} decks with {back} backs" for back, decks in backs.items())
