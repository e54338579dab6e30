"""Failed sign-ins, counted by name and by where they came from, so that nobody locks others out."""

from collections import OrderedDict
from ipaddress import ip_address

import msgspec

from wartable.server.clock import Clock

FAILURES_MAX = 5
"""How often one address may fail with one name before it must wait."""
LOCKED_MS = 15 * 60_000
GUESSES_MAX = 50
"""How often all addresses together may fail with one name before new ones must wait."""
WATCHED_MAX = 10_000


class Failures(msgspec.Struct):
    """The failures of one name from one place: an address, a device, or a signed-in session."""

    count: int = 0
    locked_until_ms: int = 0


class Guessed(msgspec.Struct):
    """The failures of one name, whether or not it has an account."""

    since_ms: int
    count: int = 0
    places: dict[str, Failures] = {}


class Guesses:
    """The failures of the latest names."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._names: OrderedDict[str, Guessed] = OrderedDict()

    def locked(self, name: str, place: str) -> bool:
        """Whether this place has failed too often with this name."""
        found = self._names.get(name)
        failures = None if found is None else found.places.get(place)
        return failures is not None and self._clock.now_ms() < failures.locked_until_ms

    def spread(self, name: str) -> bool:
        """Whether this name failed so often that only places it knows may still try."""
        found = self._names.get(name)
        if found is None or self._clock.now_ms() >= found.since_ms + LOCKED_MS:
            return False
        return found.count >= GUESSES_MAX

    def failed(self, name: str, place: str) -> tuple[int, int | None]:
        """Count a failure: the place's count, and until when it is locked, if it is now."""
        now_ms, guessed = self._clock.now_ms(), self._watch(name)
        guessed.count += 1
        failures = guessed.places.setdefault(place, Failures())
        failures.count += 1
        count = failures.count
        if count < FAILURES_MAX:
            return count, None
        failures.count, failures.locked_until_ms = 0, now_ms + LOCKED_MS
        return count, failures.locked_until_ms

    def fitted(self, name: str, place: str) -> None:
        """Forget the failures of a place that has now given the right password."""
        if name in self._names:
            self._names[name].places.pop(place, None)

    def forget(self, name: str) -> None:
        """Forget all failures of a name, which has a new password."""
        self._names.pop(name, None)

    def _watch(self, name: str) -> Guessed:
        """The failures of a name in the present period; only the latest names are kept."""
        now_ms = self._clock.now_ms()
        guessed = self._names.setdefault(name, Guessed(now_ms))
        self._names.move_to_end(name)
        if now_ms >= guessed.since_ms + LOCKED_MS:
            guessed.since_ms, guessed.count = now_ms, 0
            places = guessed.places.items()
            guessed.places = {at: each for at, each in places if now_ms < each.locked_until_ms}
        while len(self._names) > WATCHED_MAX:
            self._names.popitem(last=False)
        return guessed


def is_own(address: str) -> bool:
    """Whether the address is the server's own machine, where no stranger is."""
    try:
        return ip_address(address).is_loopback
    except ValueError:
        return False
