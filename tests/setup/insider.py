"""What somebody with the database and without the key could do: one entry for each kind.

Every entry is carried out in a transaction on the house of `insider_house`, which is then taken
back. The words must be in what `audit verify` says.
"""

import re
from collections.abc import Callable, Iterable
from typing import NamedTuple

import msgspec
import sqlalchemy as sa

from tampering import drop_triggers, rechained, restore_triggers
from wartable.server.records import database, journal, schema
from wartable.server.records.decisions import of_house
from wartable.server.records.facts import ExclusionFact, HeadsFact, RoleFact
from wartable.server.records.journal import START, Chain
from wartable.server.records.keys import HouseKey
from wartable.server.records.messages import Note, OfHouse, PayIn
from wartable.server.records.rows import CASHIER, OFFICE, Row

STRANGER = HouseKey(bytes(32))
"""A key that a forger made up."""

OWN = "substr(table_name, 1, 9) = 'maryland@'"
"""The player's own table, where rounds were played."""
SHARED = "table_name = 'maryland 1'"
CHANGED = "it was changed: its hash does not fit"
NOT_OURS = "this house did not write it"

How = str | Callable[[sa.Connection], None]
"""Statements, separated by semicolons at the end of a line, or what does it."""


class Kind(NamedTuple):
    """A kind of tampering, and what must be said of it."""

    name: str
    how: How
    told: str


def carry_out(connection: sa.Connection, how: How) -> None:
    """Tamper with a house, and put the triggers back as a careful forger would."""
    drop_triggers(connection)
    if callable(how):
        how(connection)
    else:
        changed = 0
        for statement in how.split(";\n"):
            changed += max(0, connection.exec_driver_sql(statement).rowcount)
        assert changed, f"nothing was changed by: {how}"
    restore_triggers(connection)


def own_table(connection: sa.Connection) -> str:
    """The name of the player's own table."""
    found = (each for each in database.table_names(connection) if "@" in each)
    return next(found)


def _rows(connection: sa.Connection, name: str) -> list[Row]:
    return list(database.rows_of(connection, name))


def _won(connection: sa.Connection) -> tuple[str, Row, dict[str, str]]:
    """A row in which somebody won something, and the same with a hundred times as much."""
    name = own_table(connection)
    for row in _rows(connection, name):
        if found := re.search(r'"returned":([1-9]\d*)', row.events):
            events = row.events.replace(found[0], f"{found[0]}00")
            return name, row, {"events": events}
    raise AssertionError("nobody won")


def _put(connection: sa.Connection, row: Row, number: int | None = None) -> None:
    rows = schema.journal
    where = sa.and_(
        rows.c.table_name == row.table_name,
        rows.c.number == (row.number if number is None else number),
    )
    connection.execute(rows.update().where(where).values(msgspec.structs.asdict(row)))


def _append(connection: sa.Connection, row: Row) -> None:
    """Add a row to the end of a chain, with its head."""
    connection.execute(schema.journal.insert().values(msgspec.structs.asdict(row)))
    heads = schema.heads
    head = heads.update().where(heads.c.table_name == row.table_name)
    connection.execute(head.values(number=row.number, hash=row.hash))


def bigger_win(connection: sa.Connection) -> None:
    """A win of a hundred times as much, with nothing else mended."""
    name, row, changed = _won(connection)
    assert name
    _put(connection, msgspec.structs.replace(row, **changed))


def bigger_win_rechained(connection: sa.Connection) -> None:
    """The same, with hashes and codes mended by a key of one's own."""
    name, row, changed = _won(connection)
    rechained(connection, name, {row.number: dict(changed)}, STRANGER)
    drop_triggers(connection)


def _rehashed(connection: sa.Connection, name: str, mac: Callable[[Row], str | None]) -> None:
    """Mend a chain's hashes after a changed win, with codes made in this way."""
    won, found, changed = _won(connection)
    assert won == name
    previous = journal.GENESIS
    for old in _rows(connection, name):
        row = msgspec.structs.replace(old, **(changed if old.number == found.number else {}))
        hash_ = journal.row_hash(previous, row)
        _put(connection, msgspec.structs.replace(row, hash=hash_, mac=mac(row)))
        previous = hash_
    heads = schema.heads
    connection.execute(heads.update().where(heads.c.table_name == name).values(hash=previous))


def bigger_win_old_codes(connection: sa.Connection) -> None:
    """Hashes mended, and every row keeps its genuine code."""
    _rehashed(connection, own_table(connection), lambda row: row.mac)


def bigger_win_no_codes(connection: sa.Connection) -> None:
    """Hashes mended, and the codes taken away."""
    _rehashed(connection, own_table(connection), lambda _: None)


def bigger_win_plain_hash(connection: sa.Connection) -> None:
    """Hashes mended, with the genuine key's id before digits made up."""
    ours = str(_rows(connection, OFFICE)[0].mac)[:8]
    _rehashed(connection, own_table(connection), lambda row: ours + row.hash)


def forged(name: str, *commands: OfHouse) -> Callable[[sa.Connection], None]:
    """Rows with their transfers and balances, as the program would write them, by another key."""

    def how(connection: sa.Connection) -> None:
        for command in commands:
            decision = of_house(name, command)
            head = database.head_of(connection, name) or START
            at_ms = database.last_ms(connection)
            entry = Chain(name, STRANGER).entry(head, at_ms, "eve", f"x{head[0]}", decision)
            _append(connection, entry.row)
            balances = schema.balances
            for place, each in enumerate(entry.transfers):
                where = (name, entry.row.number, place, each.source, each.target, each.amount)
                connection.execute(schema.transfers.insert().values(where))
                for account, change in ((each.source, -each.amount), (each.target, each.amount)):
                    found = connection.execute(
                        balances.update()
                        .where(balances.c.account == account)
                        .values(amount=balances.c.amount + change)
                    )
                    assert found.rowcount == 1

    return how


def forged_right(command: Note, statement: str) -> Callable[[sa.Connection], None]:
    """A forged row of the office together with the right that it tells of."""

    def how(connection: sa.Connection) -> None:
        forged(OFFICE, command)(connection)
        assert connection.execute(sa.text(statement)).rowcount == 1

    return how


def appended_from(source: str) -> Callable[[sa.Connection], None]:
    """A genuine row of another chain, or an earlier one of the same, at the end of the cashier."""

    def how(connection: sa.Connection) -> None:
        row = _rows(connection, source)[0]
        head = database.head_of(connection, CASHIER)
        assert head is not None
        again = {"table_name": CASHIER, "number": head[0] + 1, "command_id": "again"}
        _append(connection, msgspec.structs.replace(row, **again))

    return how


def rebuilt(*names: str) -> Callable[[sa.Connection], None]:
    """Chains rebuilt from their first row on, with a key of one's own."""

    def how(connection: sa.Connection) -> None:
        for name in names or [*database.table_names(connection), CASHIER, OFFICE]:
            rechained(connection, name, {1: {"at_ms": 1}}, STRANGER)
            drop_triggers(connection)

    return how


def truncated(*names: str) -> Callable[[sa.Connection], None]:
    """The ends of chains cut off with all that belongs to them, as if it had never been."""

    def how(connection: sa.Connection) -> None:
        for name in names or [*database.table_names(connection), CASHIER, OFFICE]:
            *_, before, last = _rows(connection, name)
            _undo(connection, last)
            for table in (schema.journal, schema.transfers, schema.checkpoints):
                here = sa.and_(table.c.table_name == name, table.c.number == last.number)
                connection.execute(table.delete().where(here))
            heads = schema.heads
            head = heads.update().where(heads.c.table_name == name)
            connection.execute(head.values(number=before.number, hash=before.hash))
        balances = schema.balances
        connection.execute(balances.delete().where(balances.c.amount == 0))

    return how


def _undo(connection: sa.Connection, row: Row) -> None:
    """Take back what a row did to the balances."""
    moved, balances = schema.transfers, schema.balances
    here = sa.and_(moved.c.table_name == row.table_name, moved.c.number == row.number)
    for each in connection.execute(sa.select(moved).where(here)).all():
        for account, change in ((each.source, each.amount), (each.target, -each.amount)):
            connection.execute(
                balances.update()
                .where(balances.c.account == account)
                .values(amount=balances.c.amount + change)
            )


def swapped(connection: sa.Connection) -> None:
    """Two rows in each other's place."""
    name = own_table(connection)
    one, two = _rows(connection, name)[4:6]
    _put(connection, msgspec.structs.replace(one, command_id="one"))
    _put(connection, msgspec.structs.replace(one, number=two.number), two.number)
    _put(connection, msgspec.structs.replace(two, number=one.number), one.number)


def renumbered(connection: sa.Connection) -> None:
    """A row removed, and the later ones moved up into the gap."""
    name = own_table(connection)
    rows = _rows(connection, name)
    gone = rows[5]
    here = schema.journal.c
    connection.execute(
        schema.journal.delete().where(here.table_name == name, here.number == gone.number)
    )
    for row in rows[6:]:
        _put(connection, msgspec.structs.replace(row, number=row.number - 1), row.number)


def vouched_by_a_stranger(connection: sa.Connection) -> None:
    """All codes taken away, and a forged row that vouches for the rest: an old-looking house."""
    connection.execute(schema.journal.update().values(mac=None))
    heads = {
        each.table_name: (each.number, each.hash)
        for each in connection.execute(sa.select(schema.heads))
    }
    forged(OFFICE, Note("rows_keyed", "house", "old", "", "", HeadsFact(heads)))(connection)


def vouched_without_code(connection: sa.Connection) -> None:
    """The same, and the row that vouches has no code either."""
    vouched_by_a_stranger(connection)
    connection.execute(schema.journal.update().values(mac=None))


def sealed_elsewhere(connection: sa.Connection) -> None:
    """A genuine checkpoint under the number of another row."""
    name, kept = own_table(connection), schema.checkpoints
    row = _rows(connection, name)[2]
    connection.execute(kept.update().values(number=row.number, hash=row.hash))


def _exclusion(name: str) -> Note:
    return Note("excluded", name, "", "", "1", ExclusionFact(1))


JOURNAL = (
    Kind("$1 win into $100", bigger_win, CHANGED),
    Kind("$1 win into $100, rechained", bigger_win_rechained, NOT_OURS),
    Kind("$1 win into $100, old codes", bigger_win_old_codes, NOT_OURS),
    Kind("$1 win into $100, no codes", bigger_win_no_codes, NOT_OURS),
    Kind("$1 win into $100, codes made up", bigger_win_plain_hash, NOT_OURS),
    Kind(
        "time of a row",
        f"UPDATE journal SET at_ms = at_ms + 1 WHERE {OWN} AND number = 3",
        f"row 3: {CHANGED}",
    ),
    Kind(
        "time of the last row",
        "UPDATE journal SET at_ms = at_ms + 1 WHERE table_name = 'cashier' AND number ="
        " (SELECT number FROM heads WHERE table_name = 'cashier')",
        CHANGED,
    ),
    Kind(
        "who did it",
        "UPDATE journal SET actor = 'nobody' WHERE table_name = 'office' AND number = 4",
        f"office row 4: {CHANGED}",
    ),
    Kind(
        "id of a payment",
        "UPDATE journal SET command_id = 'new' WHERE table_name = 'cashier' AND number = 1",
        f"cashier row 1: {CHANGED}",
    ),
    Kind(
        "amount of a payment",
        "UPDATE journal SET command = replace(command, '100000', '900000')"
        " WHERE table_name = 'cashier' AND number = 1",
        f"cashier row 1: {CHANGED}",
    ),
    Kind(
        "events emptied",
        f"UPDATE journal SET events = '[]' WHERE {OWN} AND number = 4",
        f"row 4: {CHANGED}",
    ),
    Kind("seed taken away", f"UPDATE journal SET secret = NULL WHERE {OWN}", CHANGED),
    Kind("seed of one's own", f"UPDATE journal SET secret = 'abcd' WHERE {OWN}", CHANGED),
    Kind(
        "hash of a row",
        f"UPDATE journal SET hash = 'x' WHERE {OWN} AND number = 2",
        f"row 2: {CHANGED}",
    ),
    Kind("row removed", f"DELETE FROM journal WHERE {OWN} AND number = 5", "row 5 is missing"),
    Kind(
        "first row removed",
        "DELETE FROM journal WHERE table_name = 'office' AND number = 1",
        "row 1 is missing",
    ),
    Kind("row removed and the others moved up", renumbered, CHANGED),
    Kind("rows swapped", swapped, CHANGED),
    Kind("row of the office in the cashier's chain", appended_from(OFFICE), CHANGED),
    Kind("payment replayed", appended_from(CASHIER), CHANGED),
    Kind("end of the cashier cut off", truncated(CASHIER), "marked at"),
    Kind("end of the office cut off", truncated(OFFICE), "marked at|by the office's rows"),
    Kind("ends of all chains cut off", truncated(), "."),
    Kind(
        "last row removed",
        f"DELETE FROM journal WHERE {OWN} AND number ="
        " (SELECT number FROM heads WHERE heads.table_name = journal.table_name)",
        "the chain ends at row",
    ),
    Kind("deposit minted", forged(CASHIER, PayIn("eve", 1_000_000)), NOT_OURS),
    Kind("two deposits minted", forged(CASHIER, *[PayIn("eve", 5)] * 2), NOT_OURS),
    Kind(
        "administrator made, with a row",
        forged_right(
            Note("role_changed", "eve", "x", "player", "admin", RoleFact("admin")),
            "UPDATE accounts SET role = 'admin' WHERE name = 'eve'",
        ),
        NOT_OURS,
    ),
    Kind(
        "exclusion shortened, with a row",
        forged_right(
            _exclusion("eve"), "UPDATE accounts SET excluded_until_ms = 1 WHERE name = 'eve'"
        ),
        NOT_OURS,
    ),
    Kind("event invented", forged(OFFICE, Note("clock_changed", "house")), NOT_OURS),
    Kind("cashier rebuilt", rebuilt(CASHIER), NOT_OURS),
    Kind("office rebuilt", rebuilt(OFFICE), NOT_OURS),
    Kind("house rebuilt", rebuilt(), NOT_OURS),
    Kind(
        "row of a table that is none",
        "INSERT INTO journal SELECT 'ghost', number, at_ms, actor, command_id, command, events,"
        " secret, hash, mac FROM journal WHERE table_name = 'cashier' AND number = 1",
        "ghost has rows, but there is no such table",
    ),
)
CODES = (
    Kind(
        "code taken away",
        "UPDATE journal SET mac = NULL WHERE table_name = 'cashier' AND number = 1",
        f"cashier row 1: {NOT_OURS}",
    ),
    Kind("all codes taken away", "UPDATE journal SET mac = NULL", NOT_OURS),
    Kind(
        "code of another row",
        "UPDATE journal SET mac = (SELECT mac FROM journal WHERE table_name = 'office'"
        " AND number = 1) WHERE table_name = 'cashier' AND number = 1",
        f"cashier row 1: {NOT_OURS}",
    ),
    Kind(
        "id of the key changed",
        "UPDATE journal SET mac = '00000000' || substr(mac, 9)"
        " WHERE table_name = 'cashier' AND number = 1",
        f"cashier row 1: {NOT_OURS}",
    ),
    Kind(
        "code shortened",
        "UPDATE journal SET mac = substr(mac, 1, 40) WHERE table_name = 'cashier' AND number = 1",
        f"cashier row 1: {NOT_OURS}",
    ),
    Kind(
        "code emptied",
        "UPDATE journal SET mac = '' WHERE table_name = 'cashier' AND number = 1",
        f"cashier row 1: {NOT_OURS}",
    ),
    Kind("vouched for by a stranger", vouched_by_a_stranger, NOT_OURS),
    Kind("vouched for without a code", vouched_without_code, NOT_OURS),
)
HEADS = (
    Kind(
        "hash of a head",
        "UPDATE heads SET hash = 'x' WHERE table_name = 'cashier'",
        "the chain ends at row",
    ),
    Kind(
        "number of a head",
        "UPDATE heads SET number = number + 1 WHERE table_name = 'cashier'",
        "the chain ends at row",
    ),
    Kind("head removed", "DELETE FROM heads WHERE table_name = 'cashier'", "the chain ends at row"),
    Kind(
        "head of a table removed",
        "DELETE FROM heads WHERE table_name = 'maryland 1'",
        "maryland 1 is a table without a journal",
    ),
    Kind(
        "head of nothing",
        "INSERT INTO heads VALUES ('ghost', 1, 'x')",
        "ghost has rows, but there is no such table",
    ),
)
MONEY = (
    Kind(
        "amount of a transfer",
        f"UPDATE transfers SET amount = amount + 1 WHERE {OWN} AND place = 0",
        "row .*: the transfers beside it are not its own",
    ),
    Kind(
        "target of a transfer",
        "UPDATE transfers SET target = 'wallet:mal' WHERE table_name = 'cashier' AND number = 1",
        "cashier row 1: the transfers beside it",
    ),
    Kind(
        "source of a transfer",
        "UPDATE transfers SET source = 'house' WHERE table_name = 'cashier' AND number = 1",
        "cashier row 1: the transfers beside it",
    ),
    Kind(
        "transfer removed",
        "DELETE FROM transfers WHERE table_name = 'cashier' AND number = 1",
        "cashier row 1: the transfers beside it",
    ),
    Kind("transfers of a table removed", f"DELETE FROM transfers WHERE {OWN}", "the transfers bes"),
    Kind(
        "transfer added",
        "INSERT INTO transfers VALUES ('cashier', 1, 1, 'house', 'wallet:eve', 500)",
        "cashier row 1: the transfers beside it",
    ),
    Kind(
        "transfer of a row that is none",
        "INSERT INTO transfers VALUES ('cashier', 9999, 0, 'house', 'wallet:eve', 500)",
        "cashier has transfers of row 9999, which is not there",
    ),
    Kind(
        "transfer of a table that is none",
        "INSERT INTO transfers VALUES ('ghost', 1, 0, 'house', 'wallet:eve', 500)",
        "ghost has rows, but there is no such table",
    ),
    Kind(
        "transfers in another order",
        "UPDATE transfers SET place = place + 100 WHERE place = 0",
        "the transfers beside it are not its own",
    ),
    Kind(
        "wallet filled",
        "UPDATE balances SET amount = amount + 1 WHERE account = 'wallet:eve'",
        "wallet:eve holds .*, by the journal",
    ),
    Kind(
        "wallet emptied",
        "UPDATE balances SET amount = 0 WHERE account = 'wallet:eve'",
        "wallet:eve holds 0, by the journal",
    ),
    Kind(
        "the house's account",
        "UPDATE balances SET amount = amount - 1 WHERE account = 'house'",
        "house holds .*, by the journal",
    ),
    Kind(
        "wallets exchanged",
        "UPDATE balances SET account = 'wallet:x' WHERE account = 'wallet:eve';\n"
        "UPDATE balances SET account = 'wallet:eve' WHERE account = 'wallet:mal';\n"
        "UPDATE balances SET account = 'wallet:mal' WHERE account = 'wallet:x'",
        "wallet:eve holds .*, by the journal",
    ),
    Kind(
        "wallet of nobody",
        "INSERT INTO balances VALUES ('wallet:zoe', 100)",
        "wallet:zoe holds 100, by the journal 0",
    ),
    Kind("balance removed", "DELETE FROM balances WHERE account = 'house'", "house holds 0, by"),
    Kind(
        "a meter's account",
        "UPDATE balances SET amount = amount + 1 WHERE substr(account, 1, 7) = 'meters '",
        "holds .*, by the journal",
    ),
)
PEOPLE = (
    Kind(
        "administrator made",
        "UPDATE accounts SET role = 'admin' WHERE name = 'eve'",
        "office row .*the role of eve is stored as admin",
    ),
    Kind(
        "password replaced",
        "UPDATE accounts SET password = 'made$x' WHERE name = 'admin'",
        "office row .*the password of admin is stored as",
    ),
    Kind(
        "password of another account",
        "UPDATE accounts SET password = (SELECT password FROM accounts WHERE name = 'eve')"
        " WHERE name = 'admin'",
        "office row .*the password of admin is stored as",
    ),
    Kind(
        "exclusion lifted",
        "UPDATE accounts SET excluded_until_ms = 0 WHERE name = 'eve'",
        "office row .*the exclusion of eve is stored as 0",
    ),
    Kind(
        "exclusion invented",
        "UPDATE accounts SET excluded_until_ms = 9999999999999 WHERE name = 'mal'",
        "office row .*the exclusion of mal is stored as",
    ),
    Kind(
        "kind of money",
        "UPDATE accounts SET money = 'deposited' WHERE name = 'mal'",
        "office row .*the money of mal is stored as deposited",
    ),
    Kind(
        "account added",
        "INSERT INTO accounts SELECT 'zoe', 'admin', money, password, opened_ms, 0, 0"
        " FROM accounts WHERE name = 'mal'",
        "of zoe is stored as .*, by the office's rows it is nothing",
    ),
    Kind(
        "account removed",
        "DELETE FROM sessions WHERE account = 'dan';\nDELETE FROM accounts WHERE name = 'dan'",
        "office row .*of dan is stored as nothing",
    ),
    Kind(
        "account renamed",
        "DELETE FROM sessions WHERE account = 'dan';\n"
        "UPDATE accounts SET name = 'dana' WHERE name = 'dan'",
        "of dan is stored as nothing",
    ),
    Kind(
        "time of opening",
        "UPDATE accounts SET opened_ms = opened_ms - 1 WHERE name = 'mal'",
        "office row .*the opening time of mal",
    ),
    Kind(
        "lock-out lifted",
        "UPDATE accounts SET locked_until_ms = 0 WHERE name = 'dan'",
        "office row .*the lock-out of dan is stored as 0",
    ),
    Kind(
        "session forged",
        "INSERT INTO sessions VALUES ('abcd', 'admin', 1, 9999999999999, NULL)",
        "this house did not begin a session of admin",
    ),
    Kind(
        "session forged with a code",
        "INSERT INTO sessions SELECT 'abcd', 'admin', opened_ms, seen_ms, mac FROM sessions"
        " WHERE account = 'mal'",
        "this house did not begin a session of admin",
    ),
    Kind(
        "session of another account",
        "UPDATE sessions SET account = 'admin' WHERE account = 'mal'",
        "this house did not begin a session of admin",
    ),
    Kind(
        "session kept alive",
        "UPDATE sessions SET seen_ms = seen_ms + 3600000 WHERE account = 'mal'",
        "this house did not begin a session of mal",
    ),
    Kind(
        "session that began later",
        "UPDATE sessions SET opened_ms = opened_ms + 3600000 WHERE account = 'mal'",
        "this house did not begin a session of mal",
    ),
    Kind(
        "session's code taken away",
        "UPDATE sessions SET mac = NULL WHERE account = 'mal'",
        "this house did not begin a session of mal",
    ),
    Kind("key added", "INSERT INTO api_keys VALUES ('zoe', 'x', NULL)", "of zoe is stored as"),
    Kind(
        "key replaced",
        "UPDATE api_keys SET digest = 'x' WHERE name = 'new'",
        "office row .*the digest of the key of new",
    ),
    Kind(
        "key that was revoked",
        "UPDATE api_keys SET revoked_ms = NULL WHERE name = 'old'",
        "office row .*key of old is stored as",
    ),
    Kind(
        "key revoked",
        "UPDATE api_keys SET revoked_ms = 1 WHERE name = 'new'",
        "office row .*key of new is stored as",
    ),
    Kind(
        "time of the revocation",
        "UPDATE api_keys SET revoked_ms = 1 WHERE name = 'old'",
        "office row .*the end of the key of old",
    ),
    Kind(
        "key removed",
        "DELETE FROM api_keys WHERE name = 'new'",
        "office row .*key of new is stored as nothing",
    ),
)
PROTECTION = (
    Kind(
        "limit raised",
        "UPDATE limits SET amount = 100000 WHERE amount = 500",
        "office row .*the limit of eve, operator's loss_day",
    ),
    Kind("limit lifted", "UPDATE limits SET amount = NULL WHERE amount = 500", "the limit of eve"),
    Kind("limits removed", "DELETE FROM limits", "office row .*limit of eve"),
    Kind(
        "limit invented",
        "INSERT INTO limits VALUES ('mal', 'loss_day', 'operator', 1, NULL, NULL)",
        "limit of mal, operator's loss_day is stored as 1",
    ),
    Kind(
        "looser limit sooner",
        "UPDATE limits SET next_from_ms = 1 WHERE next_from_ms IS NOT NULL",
        "office row .*the time of the next limit of eve",
    ),
    Kind(
        "looser limit looser",
        "UPDATE limits SET next_amount = 100000 WHERE next_from_ms IS NOT NULL",
        "office row .*the limit of eve, player's loss_week",
    ),
    Kind("limit of another account", "UPDATE limits SET account = 'mal'", "limit of eve"),
    Kind("closure lifted", "DELETE FROM closures", "office row .*the closure of player mal"),
    Kind(
        "closure invented",
        "INSERT INTO closures VALUES ('player', 'dan', 'eve', 1, 'x')",
        "closure of player dan is stored as",
    ),
    Kind("why it is closed", "UPDATE closures SET reason = 'x'", "office row .*the closure of"),
    Kind("who closed it", "UPDATE closures SET actor = 'dan'", "office row .*the closure of"),
    Kind("when it was closed", "UPDATE closures SET at_ms = 1", "the time of the closure of"),
)
PLAY = (
    Kind(
        "stake in the results",
        "UPDATE results SET staked = staked + 1",
        "row .*: the results beside it are not its round's",
    ),
    Kind("net in the results", "UPDATE results SET net = net + 1", "the results beside it are not"),
    Kind("result of somebody else", "UPDATE results SET player = 'eve'", "the results beside it"),
    Kind("result at another time", "UPDATE results SET at_ms = at_ms + 1", "the results beside it"),
    Kind("results removed", "DELETE FROM results", "the results beside it are not"),
    Kind(
        "result of a round that is none",
        "INSERT INTO results SELECT table_name, 9999, player, at_ms, began_ms, book, staked,"
        " returned, net, outcomes FROM results WHERE round = 1",
        "has results of round 9999, which was not closed",
    ),
    Kind(
        "result of a table that is none",
        "INSERT INTO results SELECT 'ghost', round, player, at_ms, began_ms, book, staked,"
        " returned, net, outcomes FROM results WHERE round = 1",
        "ghost has rows, but there is no such table",
    ),
    Kind(
        "checkpoint altered",
        "UPDATE checkpoints SET sealed = substr(sealed, 1, 40) || '00' || substr(sealed, 43)",
        "row .*: the checkpoint of it is not how the table stood",
    ),
    Kind("checkpoint of another row", sealed_elsewhere, "the checkpoint of it is not how"),
    Kind(
        "checkpoint of another round",
        "UPDATE checkpoints SET rounds = rounds + 1",
        "the checkpoint of it is not how the table stood",
    ),
    Kind(
        "checkpoint of another hash",
        "UPDATE checkpoints SET hash = 'x'",
        "the checkpoint of it is not how the table stood",
    ),
    Kind(
        "checkpoint of another table",
        "UPDATE checkpoints SET table_name = 'maryland 1', number = 1",
        "maryland 1 row 1: the checkpoint of it is not how the table stood",
    ),
    Kind(
        "checkpoint of a row that is none",
        "UPDATE checkpoints SET number = 9999",
        "has a checkpoint of row 9999, which is not there",
    ),
    Kind(
        "decks of a table",
        "UPDATE tables SET setup = replace(setup, '\"decks\":', '\"decks\":1')"
        " WHERE name = 'maryland 1'",
        "maryland 1 row 1: .*another book or setup|the setup of maryland 1 cannot be read",
    ),
    Kind(
        "table with staff",
        "UPDATE tables SET setup = replace(setup, '\"staffed\":false', '\"staffed\":true')"
        " WHERE name = 'maryland 1'",
        "maryland 1 row 1: the table was opened with another book or setup",
    ),
    Kind(
        "limits of a table",
        "UPDATE tables SET setup = replace(setup, '\"max\":', '\"max\":9')"
        " WHERE name = 'maryland 1'",
        "maryland 1 row 1: the table was opened with another book or setup",
    ),
    Kind(
        "meters of a table",
        'UPDATE tables SET setup = replace(setup, \'"meters":"meters \', \'"meters":"other \')'
        " WHERE name = 'maryland 1'",
        "maryland 1 row 1: the table was opened with another book or setup",
    ),
    Kind(
        "payouts in a book",
        "UPDATE books SET content = replace(content, '{\"value\":9,', '{\"value\":8,')",
        "opened with another book or setup",
    ),
    Kind(
        "another book",
        "INSERT INTO books SELECT 'x', replace(content, '{\"value\":9,', '{\"value\":8,')"
        " FROM books;\nUPDATE tables SET book = 'x' WHERE name = 'maryland 1'",
        "maryland 1 row 1: the table was opened with another book or setup",
    ),
    Kind(
        "table that nobody opened",
        "INSERT INTO tables SELECT 'ghost', book, setup, owner, fence, lease_until_ms FROM tables"
        " WHERE name = 'maryland 1'",
        "ghost is a table without a journal, which nobody opened",
    ),
    Kind("table removed", "DELETE FROM tables WHERE name = 'maryland 1'", "maryland 1 has rows"),
    Kind(
        "meters removed",
        "DELETE FROM tables WHERE substr(name, 1, 7) = 'meters '",
        "meters .* has rows, but there is no such table",
    ),
)
KINDS: Iterable[Kind] = (*JOURNAL, *CODES, *HEADS, *MONEY, *PEOPLE, *PROTECTION, *PLAY)
