"""What the platform does unasked at a table: shuffle, deal, call time, keep the game going."""

from typing import NamedTuple

from msgspec import Struct

from wartable import game
from wartable.table import PLATFORM, Due, Setup, Table, draws
from wartable.table import commands as c
from wartable.table.people import deserted, lack
from wartable.table.procedure import may_go_idle
from wartable.table.rounds import over_age


class Timing(Struct, frozen=True):
    """How long the platform waits for people, in milliseconds; None means for ever."""

    bets_ms: int | None = 15_000
    choice_ms: int | None = 20_000
    cut_ms: int | None = 10_000
    bank_ms: int | None = 10_000
    seed_ms: int = 5_000
    number_ms: int = 200
    """How long a shared table waits for numbers: less than a tenth of the calculation."""
    view_ms: int | None = 20_000
    pause_ms: int = 3_000
    idle_ms: int | None = 600_000
    bot_ms: int = 1_200


PRIVATE = Timing(
    bets_ms=None,
    choice_ms=None,
    cut_ms=None,
    bank_ms=None,
    pause_ms=0,
    idle_ms=None,
    bot_ms=600,
)
"""The timing of a private table, which deals on demand and hurries nobody."""


DEALERS = ("bets", "start", "taker")
"""What the dealer does at a table with staff."""

CALL_MS = 30_000
"""How long a dealer may take to call time for a choice before the platform does, so that nobody
is held up."""

PATIENCE = {
    "cut": "cut_ms",
    "number": "seed_ms",
    "bank": "bank_ms",
    "choice": "choice_ms",
    "bets": "bets_ms",
    "start": "pause_ms",
    "taker": "pause_ms",
    "players": "idle_ms",
}
"""The field of `Timing` that limits each thing that is due."""


CONDITION: c.Condition = "inspected_and_shuffled"
"""How the platform's own cards come to a table: the program makes, checks and shuffles them."""


class Act(NamedTuple):
    """A command to give, or when to check again; neither if only people can act."""

    command: c.Command | None = None
    wake_ms: int | None = None


def first_due(setup: Setup, due: tuple[Due, ...]) -> Due:
    """What the platform handles first: the batch in the device, for which nobody has to wait."""
    if setup.staffed or due[0].what == "prepare":
        return due[0]
    return next((each for each in due[1:] if each.batch and each.step != "view"), due[0])


def act(
    setup: Setup,
    state: Table,
    due: Due,
    timing: Timing,
    since_ms: int,
    now_ms: int,
    seed: str,
    key: str = "",
) -> Act:
    """The platform's next act; the table has awaited `due` since `since_ms`.

    `seed` is for a shuffle; for cards that are to be decided it is the next link, and `key` the
    result of its calculation.
    """
    if due.what == "bets" and deserted(setup, state):
        return Act(game.VoidRound(lack(setup)))
    if due.what == "cards":
        return Act(_decided(setup, state, now_ms, seed, key))
    if due.what == "list":
        return Act(c.CloseNumbers())
    command = _at_once(setup, due, timing, now_ms, seed)
    if command is not None:
        return Act(command)
    wait_ms = patience(timing, state, due, setup.staffed)
    if wait_ms is None:
        return Act()
    if setup.staffed and due.what == "choice":
        wait_ms += CALL_MS
    if now_ms < since_ms + wait_ms:
        return Act(wake_ms=since_ms + wait_ms)
    if due.what == "number":  # nobody can hold up the cards
        if draws.shared(state):
            return Act(c.CloseNumbers())
        return Act(_decided(setup, state, now_ms, seed))
    command = _after_waiting(setup, state, due, now_ms)
    return Act(command) if command is not None else Act(wake_ms=now_ms + max(wait_ms, 1))


def _decided(setup: Setup, state: Table, now_ms: int, link: str, key: str = "") -> c.DecideCards:
    """The cards by the next link; without staff the platform deals them in the same command."""
    return c.DecideCards(link, key, state.in_round and not setup.staffed, now_ms)


def _at_once(setup: Setup, due: Due, timing: Timing, now_ms: int, seed: str) -> c.Command | None:
    """What needs no person at a table without staff."""
    if setup.staffed:
        return None
    match due.what:
        case "decks":
            return c.ReceiveDecks(PLATFORM, now_ms, CONDITION)
        case "prepare" if due.step != "view":
            return c.Prepare(PLATFORM, due.step, due.batch)  # type: ignore[arg-type]  # a due step is a step
        case "shuffle":
            play_on = not timing.pause_ms
            return c.ShuffleCards(seed, PLATFORM, play_on, now_ms if play_on else 0)
        case "load":
            return c.LoadShoe(PLATFORM)
        case "proceed":
            return c.Proceed(at_ms=now_ms)
        case _:
            return None


def patience(timing: Timing, state: Table, due: Due, staffed: bool) -> int | None:
    """How long people may take for what is due; a dealer has no limit."""
    if staffed and due.what in DEALERS:
        return None
    if due.what == "number" and draws.shared(state):
        return timing.number_ms
    if due.what == "prepare":
        return timing.view_ms if due.step == "view" else None
    wait_ms: int | None = getattr(timing, PATIENCE[due.what]) if due.what in PATIENCE else None
    return wait_ms


def ends_ms(
    setup: Setup, state: Table, due: Due, timing: Timing, since_ms: int, now_ms: int
) -> int | None:
    """When people's time is over; None if there is no limit, or the platform waits for a first bet.

    The platform then acts for them; at a table with staff the dealer may call time first.
    """
    wait_ms = patience(timing, state, due, setup.staffed)
    if wait_ms is None:
        return None
    unused = due.what == "bets" and (state.round is None or not state.round.hands)
    return None if unused and since_ms + wait_ms <= now_ms else since_ms + wait_ms


def _after_waiting(setup: Setup, state: Table, due: Due, now_ms: int) -> c.Command | None:
    """What the platform does when the time is up."""
    player = due.player or ""
    match due.what:
        case "prepare":
            return c.Prepare(PLATFORM, "view", due.batch)
        case "cut":
            return c.RefuseCut(player)
        case "bank":
            return c.PassBank(player)
        case "taker":
            return c.OfferBank()
        case "start":
            return _start(setup, state, now_ms)
        case "players" if not state.guests and may_go_idle(setup, state):
            return c.GoIdle(PLATFORM)
        case "choice" if setup.rules.options.timeout != "hold" and due.box is not None:
            return game.Timeout(player, due.box)
        case "bets" if state.round is not None and state.round.hands:
            return game.CloseBets()
        case _:
            return None


def _start(setup: Setup, state: Table, now_ms: int) -> c.Command:
    """The next round, or first new cards if the old ones have been in use too long."""
    if over_age(setup, state, now_ms):
        return c.ReceiveDecks(PLATFORM, now_ms, CONDITION)
    return c.StartRound(now_ms)
