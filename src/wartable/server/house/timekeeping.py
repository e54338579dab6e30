"""The time when a house opens: whether the machine's clock can be trusted."""

from typing import Final

import msgspec

from wartable.server.clock import HouseClock
from wartable.server.denied import Denied
from wartable.server.house.closures import CLOCK, reopen
from wartable.server.house.office import Office
from wartable.server.house.rights import RESTARTS_MS, Rights
from wartable.server.period import utc
from wartable.server.records import database, keyed
from wartable.server.records.counting import DAY_MS
from wartable.server.records.facts import ClosureFacts, RestartFact
from wartable.server.records.keys import HouseKey
from wartable.server.records.messages import Note
from wartable.server.records.rows import OFFICE, Statement
from wartable.table import PLATFORM

RESTART_MS = 60 * 60_000
"""How long a house may have been closed in a week without a question, so that whatever the clock
ends does so at most an hour early."""

CONFIRM_MS = 2 * 60_000
"""How far the machine's clock may be from a confirmed time, which people read to the minute."""

DOUBTED: Final = "the machine's clock is ahead of the time that can have passed"
"""The reason of the closure, for staff."""


def doubtful(rights: Rights, last_ms: int, shows_ms: int) -> bool:
    """Whether somebody must confirm the machine's time, because of how long the house was closed.

    A closed house cannot tell time that passed from a clock that was set. So a confirmation is
    needed if something that protects a player would end sooner by that clock, now or later: an
    exclusion, the wait for a looser limit, or the day of a limit. With deposited money it is also
    needed after more than a day. All this is read from the office's rows, because somebody with
    access to the database could hide it elsewhere.
    """
    if CLOCK in rights.closures:
        return True
    before_ms = sum(each for at_ms, each in rights.restarts if at_ms > last_ms - RESTARTS_MS)
    if not last_ms or shows_ms - last_ms + before_ms <= RESTART_MS:
        return False
    if shows_ms - last_ms > DAY_MS and _deposited(rights):
        return True
    return _protected(rights, last_ms)


def restart(last_ms: int, shows_ms: int) -> RestartFact | None:
    """The fact to record if the house was closed for a restart only, as several must not add up."""
    closed_ms = shows_ms - last_ms
    return RestartFact(closed_ms) if last_ms and 0 < closed_ms <= RESTART_MS else None


def closed_ms(source: database.Queryable, key: HouseKey | None, shows_ms: int) -> int:
    """The time for a row that is written while the house is closed, never a doubtful one.

    Such a row would hide how long the house was closed. The newest row must be the house's own;
    without a key, for a house whose rows have no codes yet, that is not checked.
    """
    last_ms = database.last_ms(source) if key is None else keyed.last_ms(source, key)
    rights = Rights()
    for row in database.rows_of(source, OFFICE):
        rights.note(row, msgspec.json.decode(row.command, type=Note))
    return last_ms if doubtful(rights, last_ms, shows_ms) else max(last_ms, shows_ms)


def _deposited(rights: Rights) -> bool:
    """Whether somebody plays for deposited money."""
    accounts = rights.accounts.values()
    return any(each.role == "player" and each.money == "deposited" for each in accounts)


def _protected(rights: Rights, last_ms: int) -> bool:
    """Whether an account has a protection at this time, which ends by the clock."""
    if any(each.excluded_until_ms >= last_ms for each in rights.accounts.values()):
        return True
    return any(limit.at(last_ms) is not None for _, limit in rights.limits.values())


def confirmation(at_ms: int, shows_ms: int, now_ms: int, reason: str) -> tuple[Note, Statement]:
    """The event and the statement that end the doubt, if the machine shows the confirmed time."""
    if abs(shows_ms - at_ms) > CONFIRM_MS:
        raise Denied(
            "wrong_time",
            f"The machine's clock shows {utc(shows_ms)}, which is more than 2 minutes from"
            f" {utc(at_ms)}; set the machine's clock right, then confirm the time.",
        )
    facts = ClosureFacts(*CLOCK)
    note = Note("clock_confirmed", "house", reason, utc(now_ms), utc(shows_ms), facts)
    return note, reopen(*CLOCK)


async def confirm(clock: HouseClock, office: Office, by: str, at_ms: int, reason: str) -> None:
    """Trust the machine's clock again, now that an administrator confirms the time.

    The event is written first, so that its time is not ahead of what was confirmed before.
    """
    if not clock.doubted:
        raise Denied("not_disabled", "The house's clock is not being checked.")
    await office.note(by, *confirmation(at_ms, clock.shows_ms(), clock.now_ms(), reason))
    clock.confirm()


async def note_change(clock: HouseClock, office: Office) -> None:
    """Record that the machine's clock was set, if it was."""
    if changed := clock.changed():
        before, after = map(utc, changed)
        await office.note(PLATFORM, Note("clock_changed", "house", "", before, after))
