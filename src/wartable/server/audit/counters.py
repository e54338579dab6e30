"""What the transactions count and compare, against the transfers and the tables themselves."""

from collections import defaultdict

import msgspec
import sqlalchemy as sa

from wartable.server.audit.verified import VerifiedMark
from wartable.server.house import counted
from wartable.server.house.custody import CardSet
from wartable.server.records import schema
from wartable.server.records.counting import DAY_MS, DAYS_MAX, Play, moved, read_play
from wartable.server.records.journal import Broken


def check(source: sa.Connection, now: VerifiedMark, sets: dict[str, CardSet]) -> None:
    """Check what is stored about players with limits and about cards, as of the journal's end.

    `sets` are the cards of the house by the office's rows.
    """
    _check_play(source, max(now.times.values(), default=0) // DAY_MS)
    _check_exposed(source, now)
    _check_in_use(source, now, sets)


def _check_play(source: sa.Connection, today: int) -> None:
    """Check the losses and deposits of all days that a limit counts, and the minutes of today."""
    found = source.execute(sa.select(schema.counted).order_by(schema.counted.c.account)).all()
    played = _played(source, today) if found else {}
    for account, text in found:
        try:
            stored = read_play(text)
            minutes = int(stored.minutes, 16) if stored.day == today else 0
        except (msgspec.DecodeError, ValueError):
            raise Broken(None, f"what is counted of {account} cannot be read") from None
        counts = played.get(account, Play())
        for what, theirs, ours in (
            ("lost", _recent(stored.lost, today), _recent(counts.lost, today)),
            ("deposited", _recent(stored.deposited, today), _recent(counts.deposited, today)),
            ("minutes", minutes, int(counts.minutes, 16)),
        ):
            if theirs != ours:
                difference = f"{what} is counted as {theirs}, by the journal {ours}"
                raise Broken(None, f"{account}: {difference}")


def _recent(days: dict[int, int], today: int) -> dict[int, int]:
    """The days that a limit counts."""
    return {day: amount for day, amount in days.items() if amount and day > today - DAYS_MAX}


def _played(source: sa.Connection, today: int) -> defaultdict[str, Play]:
    """What all players did since the first day that a limit counts."""
    played: defaultdict[str, Play] = defaultdict(Play)
    for table, day, transfer in counted.moved_by_day(source, (today - DAYS_MAX + 1) * DAY_MS):
        for player, lost, deposited in moved(table, (transfer,)):
            played[player].move(day, lost, deposited)
    for actor, minute in counted.minutes_of(source, today * DAY_MS):
        played[actor].act(minute)
    return played


def _check_exposed(source: sa.Connection, now: VerifiedMark) -> None:
    """Check the stored amounts that others may stake against the state of each table.

    For a table not opened since the upgrade, only the number of its last row is stored.
    """
    stored: dict[str, dict[str, int]] = {}
    upgraded: dict[str, int] = {}
    for each in source.execute(sa.select(schema.exposed)):
        if each.account == counted.NOBODY:
            upgraded[each.table_name] = each.amount
        elif each.amount:
            stored.setdefault(each.table_name, {})[each.account] = each.amount
    for name in sorted({*stored, *now.exposed}):
        theirs, ours = stored.get(name, {}), now.exposed.get(name, {})
        unopened = not theirs and name in now.heads and upgraded.get(name) == now.heads[name][0]
        if theirs != ours and not unopened:
            difference = f"others may stake {theirs}, by its rows {ours}"
            raise Broken(None, f"{name}: {difference}")


def _check_in_use(source: sa.Connection, now: VerifiedMark, sets: dict[str, CardSet]) -> None:
    """Check which sets of cards each table uses, and that they were issued to it."""
    stored: defaultdict[str, set[str]] = defaultdict(set)
    for name, table in source.execute(sa.select(schema.in_use)):
        stored[table].add(name)
    for table in sorted({*stored, *now.sets}):
        theirs, ours = sorted(stored[table]), sorted(now.sets.get(table, ()))
        if theirs != ours:
            difference = f"the sets {theirs} are stored as in use, by its rows {ours}"
            raise Broken(None, f"{table}: {difference}")
        for name in ours:
            if name not in sets or (sets[name].state, sets[name].place) != ("issued", table):
                raise Broken(None, f"{table} uses the set {name}, which is not issued to it")
