"""The inventory of cards: every set from receipt to destruction, by the office's rows."""

import asyncio
from collections import Counter
from collections.abc import Callable
from typing import Literal

import msgspec
import sqlalchemy as sa
from msgspec.structs import replace

from wartable.server.clock import Clock
from wartable.server.denied import Denied, not_your_part
from wartable.server.house.accounts import Account
from wartable.server.house.office import Office
from wartable.server.house.roles import CARD_MOVES
from wartable.server.records import schema
from wartable.server.records.facts import CardFacts, CardMove
from wartable.server.records.messages import OFFICE, Note
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
_ROWS = '{"type":"note","kind":"cards_'
"""How the commands of the inventory's rows begin, among all that the office writes down."""


class CustodyRow(msgspec.Struct, frozen=True):
    """One step in a set's life: who did what, when, and where the set was after it."""

    at_ms: int
    by: str
    what: CardMove
    place: str = ""


class CardSet(msgspec.Struct, frozen=True):
    """Some decks with one back: where they are, who prepared them, since when they are in use.

    `place` is where they are secured, or the table to which they are issued.
    """

    name: str
    decks: int
    back: str
    state: Literal["received", "secured", "issued", "destroyed"] = "received"
    place: str = ""
    inspected_by: str = ""
    verified_by: str = ""
    shuffled_by: str = ""
    opened_ms: int | None = None
    log: tuple[CustodyRow, ...] = ()

    @property
    def prepared(self) -> bool:
        """Whether somebody prepared these cards, which must then stay in a secured place."""
        return bool(self.inspected_by or self.shuffled_by)


def after(cards: CardSet | None, name: str, by: str, facts: CardFacts) -> CardSet:
    """The set after a step of its life."""
    what = facts.what
    now = cards or CardSet(name, facts.decks, facts.back)
    now = replace(now, log=(*now.log, CustodyRow(facts.at_ms, by, what, facts.place)))
    match what:
        case "received":
            return now
        case "inspected":  # they are sorted for it
            prepared = {"inspected_by": by, "verified_by": "", "shuffled_by": ""}
            return replace(now, state="received", place="", **prepared)
        case "verified":
            return replace(now, verified_by=by)
        case "shuffled":
            return replace(now, state="received", place="", shuffled_by=by)
        case "secured" if now.state == "issued":  # back from a table they are like new ones
            now = replace(now, inspected_by="", verified_by="", shuffled_by="")
            return replace(now, state="secured", place=facts.place)
        case "issued":
            opened_ms = facts.at_ms if now.opened_ms is None else now.opened_ms
            return replace(now, state="issued", place=facts.place, opened_ms=opened_ms)
        case _:
            return replace(now, state=what, place=facts.place)


class Inventory:
    """The sets of cards of the house, folded from the office's rows."""

    def __init__(
        self,
        engine: sa.Engine,
        office: Office,
        clock: Clock,
        table_using: Callable[[str], str | None],
    ) -> None:
        """`table_using` names the table at which a set is in use."""
        self._office, self._clock, self._table_using = office, clock, table_using
        self.turn = asyncio.Lock()
        """Held while a set moves, or a table takes what is issued to it."""
        self.sets: dict[str, CardSet] = {}
        rows = schema.journal.c
        query = sa.select(rows.actor, rows.command).where(
            rows.table_name == OFFICE, rows.command.startswith(_ROWS, autoescape=True)
        )
        with engine.connect() as connection:
            for row in connection.execute(query.order_by(rows.number)):
                note = msgspec.json.decode(row.command, type=Note)
                if isinstance(note.facts, CardFacts):
                    self._take(note.subject, row.actor, note.facts)

    def _take(self, name: str, by: str, facts: CardFacts) -> None:
        self.sets[name] = after(self.sets.get(name), name, by, facts)

    def shown(self) -> list[CardSet]:
        """Every set that is not destroyed."""
        return [each for each in self.sets.values() if each.state != "destroyed"]

    def find(self, name: str) -> CardSet:
        """The set of that name, also a destroyed one."""
        found = self.sets.get(name)
        if found is None:
            raise Denied("no_set", f"The inventory has no set {name}.")
        return found

    async def receive(self, by: Account, name: str, decks: int, back: str) -> CardSet:
        """Take a new set into the inventory."""
        _check_role(by, "received")
        async with self.turn:
            if name in self.sets:
                raise Denied("name_taken", f"The inventory already has a set {name}.")
            if len(self.shown()) >= SETS_MAX:
                raise Denied("full", f"The inventory holds {SETS_MAX} sets; destroy some first.")
            return await self._note(by, name, "received", "", decks, back)

    async def move(self, by: Account, name: str, what: CardMove, place: str) -> CardSet:
        """Have the next step of a set's life written down."""
        _check_role(by, what)
        async with self.turn:
            cards = self.find(name)
            self._check(cards, by.name, what, place)
            return await self._note(by, name, what, place, cards.decks, cards.back)

    async def _note(
        self, by: Account, name: str, what: CardMove, place: str, decks: int, back: str
    ) -> CardSet:
        before = self.sets.get(name)
        facts = CardFacts(what, self._clock.now_ms(), place, decks, back)
        note = Note(
            f"cards_{what}",  # type: ignore[arg-type]  # every move has its kind
            name,
            before="" if before is None else f"{before.state} {before.place}".strip(),
            after=f"{WORDS[what]} {place}".strip(),
            facts=facts,
        )
        await self._office.note(by.name, note)
        self._take(name, by.name, facts)
        return self.sets[name]

    def _check(self, cards: CardSet, by: str, what: CardMove, place: str) -> None:
        """Refuse a step that the set cannot take now."""
        table = self._table_using(cards.name)
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
                raise Denied(
                    "not_inspected", "A dealer inspects the cards before they are verified."
                )
            case "verified" if by == cards.inspected_by:
                raise Denied(
                    "same_person", "Someone other than the inspector must verify the cards."
                )
            case "issued" if cards.state == "issued":
                raise Denied("issued", f"The set {cards.name} is already at {cards.place}.")
            case "issued" if cards.state != "secured" and cards.prepared:
                raise Denied(
                    "not_secured",
                    "Prepared cards must be secured in a place until they are issued.",
                )

    def brought(self, command: ReceiveDecks, setup: Setup, state: Table) -> ReceiveDecks:
        """The command with the sets that were issued to the table, their condition and age."""
        using = () if state.decks is None else state.decks.sets
        issued = [
            each
            for each in self.shown()
            if (each.state, each.place) == ("issued", setup.name) and each.name not in using
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


def _check_role(by: Account, what: CardMove) -> None:
    if by.role not in CARD_MOVES[what]:
        raise not_your_part(by.role)


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
