"""The players who will bet no more in a round, so that a shared table can go on early."""

from wartable import players
from wartable.table import Table


class ReadyPlayers:
    """The players who are ready, and the round for which they said so."""

    def __init__(self) -> None:
        self._round, self._names = 0, set[str]()

    def add(self, state: Table, name: str) -> None:
        """Note that a player will bet no more in the open round."""
        self._round, self._names = state.rounds, {*self.names(state), name}

    def names(self, state: Table) -> tuple[str, ...]:
        """The players who are ready in the open round and still there."""
        here = self._names & state.guests.keys() if self._round == state.rounds else set[str]()
        return tuple(sorted(here))

    def all(self, state: Table) -> bool:
        """Whether there is a wager, and everybody who could still bet is ready; bots never wait."""
        round_, ready = state.round, self.names(state)
        if round_ is None or not round_.hands or not ready:
            return False
        return all(
            guest.leaving
            or guest.player in ready
            or guest.player == round_.banker
            or players.is_bot(guest.player)
            for guest in state.guests.values()
        )
