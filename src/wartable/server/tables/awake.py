"""The open private tables, least recently used first, with a limit for each person."""

from collections import OrderedDict
from collections.abc import Mapping

from wartable.server.denied import Denied
from wartable.server.tables.place import RunningTable

OWN_MAX = 8
"""How many private tables of one account may be open."""

HOUSE = "house"


class Awake:
    """Private tables by house, owner and address, least recently used first.

    A table that nobody follows makes room for another, so that only tables in use reach the limit.
    """

    def __init__(self) -> None:
        self._groups: dict[str, OrderedDict[str, RunningTable]] = {}
        self._filed: dict[str, tuple[str, ...]] = {}

    def __len__(self) -> int:
        return len(self._filed)

    def use(self, place: RunningTable, address: str = "") -> None:
        """Note that a private table was used from an address, or from the same one as before."""
        name, owner = place.live.setup.name, place.owner
        if owner is None:
            return
        before = self._filed.get(name, ())
        self.forget(place)
        from_ = (_of_address(address),) if address else before[2:]
        self._filed[name] = (HOUSE, _of_account(owner), *from_)
        for group in self._filed[name]:
            self._groups.setdefault(group, OrderedDict())[name] = place

    def forget(self, place: RunningTable) -> None:
        """Forget a table that is closed."""
        name = place.live.setup.name
        for group in self._filed.pop(name, ()):
            del self._groups[group][name]
            if not self._groups[group]:
                del self._groups[group]

    def in_the_way(
        self, owner: str, address: str, house_max: int, address_max: int
    ) -> RunningTable | None:
        """The table that must close before this owner opens another; None if there is room.

        `Denied` if every table that could make room is in use.
        """
        for group, most, refusal in (
            (_of_account(owner), OWN_MAX, "You have {} of {} private tables open; leave one."),
            (
                _of_address(address),
                address_max,
                "This address has {} of {} private tables open; close a page there.",
            ),
            (HOUSE, house_max, ""),
        ):
            found: Mapping[str, RunningTable] = self._groups.get(group, {})
            if len(found) < most:
                continue
            for place in found.values():
                if not place.present:
                    return place
            if not refusal:
                raise full()
            raise Denied("too_many_tables", refusal.format(len(found), most))
        return None


def _of_account(owner: str) -> str:
    return f"account {owner}"


def _of_address(address: str) -> str:
    return f"address {address}"


def full() -> Denied:
    """The answer when the house can run no more tables."""
    return Denied("full", "The house cannot run any more tables now; come back later.")
