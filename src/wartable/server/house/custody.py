"""The life of a set of cards: where it is, and who did what with it."""

from typing import Literal

import msgspec
from msgspec.structs import replace

from wartable.server.records.facts import CardFacts, CardMove


class CustodyRow(msgspec.Struct, frozen=True):
    """One step in a set's life: who did what, when, and where the set was after it."""

    at_ms: int
    by: str
    what: CardMove
    place: str = ""
    seal: str = ""


class CardSet(msgspec.Struct, frozen=True):
    """Some decks with one back: where they are, who prepared them, since when they are in use.

    `place` is where they are secured, or the table to which they are issued; `seal` is the number
    of the seal that they are under, which any work with them breaks.
    """

    name: str
    decks: int
    back: str
    state: Literal["received", "secured", "issued", "destroyed"] = "received"
    place: str = ""
    seal: str = ""
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
    step = CustodyRow(facts.at_ms, by, what, facts.place, facts.seal)
    now = replace(now, seal=facts.seal, log=(*now.log, step))
    match what:
        case "received":
            return now
        case "inspected":  # the cards are sorted for an inspection
            prepared = {"inspected_by": by, "verified_by": "", "shuffled_by": ""}
            return replace(now, state="received", place="", **prepared)
        case "verified":
            return replace(now, verified_by=by)
        case "shuffled":
            return replace(now, state="received", place="", shuffled_by=by)
        case "secured" if now.state == "issued":  # cards back from a table count as new ones
            now = replace(now, inspected_by="", verified_by="", shuffled_by="")
            return replace(now, state="secured", place=facts.place)
        case "issued":
            opened_ms = facts.at_ms if now.opened_ms is None else now.opened_ms
            return replace(now, state="issued", place=facts.place, opened_ms=opened_ms)
        case _:
            return replace(now, state=what, place=facts.place)
