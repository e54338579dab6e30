"""The database: one append-only journal, the ledger's transfers and balances, tables, accounts."""

import sqlalchemy as sa

metadata = sa.MetaData()

books = sa.Table(
    "books",
    metadata,
    sa.Column("digest", sa.Text, primary_key=True),
    sa.Column("content", sa.Text, nullable=False),
)
"""Every rule book with which a table has been opened, unchanged."""

tables = sa.Table(
    "tables",
    metadata,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("book", sa.Text, sa.ForeignKey("books.digest"), nullable=False),
    sa.Column("setup", sa.Text, nullable=False),
    sa.Column("owner", sa.Text),
    sa.Column("fence", sa.BigInteger, nullable=False, server_default="0"),
    sa.Column("lease_until_ms", sa.BigInteger, nullable=False, server_default="0"),
)
"""The tables, and which process may write to each: only the one that holds the last fence."""

journal = sa.Table(
    "journal",
    metadata,
    sa.Column("table_name", sa.Text, primary_key=True),
    sa.Column("number", sa.BigInteger, primary_key=True),
    sa.Column("at_ms", sa.BigInteger, nullable=False),
    sa.Column("actor", sa.Text, nullable=False),
    sa.Column("command_id", sa.Text, nullable=False),
    sa.Column("command", sa.Text, nullable=False),
    sa.Column("events", sa.Text, nullable=False),
    sa.Column("secret", sa.Text),
    sa.Column("hash", sa.Text, nullable=False),
    sa.Column("mac", sa.Text),
    sa.UniqueConstraint("table_name", "command_id"),
    sa.Index("journal_at", "at_ms"),
)
sa.Index(
    "journal_unkeyed",
    journal.c.table_name,
    journal.c.number,
    sqlite_where=journal.c.mac.is_(None),
    postgresql_where=journal.c.mac.is_(None),
)
"""One row per accepted command with its events; `hash` chains a table's rows, and `mac` is the
house's authentication code of it. It only grows."""

heads = sa.Table(
    "heads",
    metadata,
    sa.Column("table_name", sa.Text, primary_key=True),
    sa.Column("number", sa.BigInteger, nullable=False),
    sa.Column("hash", sa.Text, nullable=False),
)
"""The last row of each table's chain, so that a missing end is noticed."""

transfers = sa.Table(
    "transfers",
    metadata,
    sa.Column("table_name", sa.Text, primary_key=True),
    sa.Column("number", sa.BigInteger, primary_key=True),
    sa.Column("place", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("source", sa.Text, nullable=False),
    sa.Column("target", sa.Text, nullable=False),
    sa.Column("amount", sa.BigInteger, nullable=False),
    sa.CheckConstraint("amount > 0"),
    sa.CheckConstraint("source <> target"),
)
"""Every transfer of money, by the journal row that made it."""

balances = sa.Table(
    "balances",
    metadata,
    sa.Column("account", sa.Text, primary_key=True),
    sa.Column("amount", sa.BigInteger, nullable=False),
    sa.CheckConstraint("amount >= 0 OR account IN ('house', 'outside')"),
)
"""The balance of every account; only the house and the outside may be below zero."""

accounts = sa.Table(
    "accounts",
    metadata,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("role", sa.Text, nullable=False),
    sa.Column("money", sa.Text, nullable=False),
    sa.Column("password", sa.Text, nullable=False),
    sa.Column("opened_ms", sa.BigInteger, nullable=False),
    sa.Column("excluded_until_ms", sa.BigInteger, nullable=False, server_default="0"),
    sa.Column("locked_until_ms", sa.BigInteger, nullable=False, server_default="0"),
    sa.CheckConstraint("role IN ('player', 'dealer', 'floor', 'auditor', 'admin')"),
    sa.CheckConstraint("money IN ('play', 'deposited')"),
)
"""Who may sign in, and in which role; passwords are stored only as slow hashes."""

sessions = sa.Table(
    "sessions",
    metadata,
    sa.Column("digest", sa.Text, primary_key=True),
    sa.Column("account", sa.Text, sa.ForeignKey("accounts.name"), nullable=False),
    sa.Column("opened_ms", sa.BigInteger, nullable=False),
    sa.Column("seen_ms", sa.BigInteger, nullable=False),
    sa.Column("mac", sa.Text),
)
"""Who is signed in, by the digest of a token that only the client has, with the house's
authentication code."""

api_keys = sa.Table(
    "api_keys",
    metadata,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("digest", sa.Text, nullable=False),
    sa.Column("revoked_ms", sa.BigInteger),
)
"""The keys of operators' own cashiers, by digest."""

limits = sa.Table(
    "limits",
    metadata,
    sa.Column("account", sa.Text, primary_key=True),
    sa.Column("kind", sa.Text, primary_key=True),
    sa.Column("setter", sa.Text, primary_key=True),
    sa.Column("amount", sa.BigInteger),
    sa.Column("next_amount", sa.BigInteger),
    sa.Column("next_from_ms", sa.BigInteger),
    sa.CheckConstraint("setter IN ('player', 'operator')"),
)
"""A player's and the operator's limits; the account `*` is everybody's; null is no limit."""

counted = sa.Table(
    "counted",
    metadata,
    sa.Column("account", sa.Text, primary_key=True),
    sa.Column("play", sa.Text, nullable=False),
)
"""What counts towards the limits of each account that has claimed to stay within one; the transfers
show the same, but more slowly."""

exposed = sa.Table(
    "exposed",
    metadata,
    sa.Column("account", sa.Text, primary_key=True),
    sa.Column("table_name", sa.Text, primary_key=True),
    sa.Column("amount", sa.BigInteger, nullable=False),
    sa.CheckConstraint("amount >= 0"),
)
"""What others may still stake for a player at each table."""

in_use = sa.Table(
    "in_use",
    metadata,
    sa.Column("card_set", sa.Text, primary_key=True),
    sa.Column("table_name", sa.Text, nullable=False),
)
"""The table that uses each set of cards; the table's rows show the same, but more slowly."""

closures = sa.Table(
    "closures",
    metadata,
    sa.Column("scope", sa.Text, primary_key=True),
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("actor", sa.Text, nullable=False),
    sa.Column("at_ms", sa.BigInteger, nullable=False),
    sa.Column("reason", sa.Text, nullable=False),
    sa.CheckConstraint("scope IN ('gaming', 'book', 'table', 'player')"),
)
"""What is disabled now; the journal keeps for ever who disabled it, when and why."""

results = sa.Table(
    "results",
    metadata,
    sa.Column("table_name", sa.Text, primary_key=True),
    sa.Column("round", sa.BigInteger, primary_key=True),
    sa.Column("player", sa.Text, primary_key=True),
    sa.Column("at_ms", sa.BigInteger, nullable=False),
    sa.Column("began_ms", sa.BigInteger, nullable=False),
    sa.Column("book", sa.Text, nullable=False),
    sa.Column("staked", sa.BigInteger, nullable=False),
    sa.Column("returned", sa.BigInteger, nullable=False),
    sa.Column("net", sa.BigInteger, nullable=False),
    sa.Column("outcomes", sa.Text, nullable=False),
    sa.Index("results_of_player", "player", "at_ms", "table_name", "round"),
)
"""The results of each round for its players; the journal has them too, but more slowly."""

checkpoints = sa.Table(
    "checkpoints",
    metadata,
    sa.Column("table_name", sa.Text, primary_key=True),
    sa.Column("number", sa.BigInteger, primary_key=True),
    sa.Column("hash", sa.Text, nullable=False),
    sa.Column("rounds", sa.BigInteger, nullable=False),
    sa.Column("code", sa.Text, nullable=False),
    sa.Column("sealed", sa.Text, nullable=False),
)
"""Sealed states of tables after some of their rows, which save folding the whole journal."""

lease = sa.Table(
    "lease",
    metadata,
    sa.Column("place", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("owner", sa.Text),
    sa.Column("fence", sa.BigInteger, nullable=False),
    sa.Column("until_ms", sa.BigInteger, nullable=False),
    sa.CheckConstraint("place = 1"),
)
"""Its one row: which server has the house, under which fence, and until when."""

servers = sa.Table(
    "servers",
    metadata,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("address", sa.Text, nullable=False),
    sa.Column("code", sa.Text, nullable=False),
    sa.Column("version", sa.Text, nullable=False),
    sa.Column("connections", sa.BigInteger, nullable=False),
    sa.Column("began_ms", sa.BigInteger, nullable=False),
    sa.Column("until_ms", sa.BigInteger, nullable=False),
)
"""The servers of a house on PostgreSQL: each one's address with the house's authentication code,
its number of connections, when it started, and until when it counts as running."""

manifests = sa.Table(
    "manifests",
    metadata,
    sa.Column("digest", sa.Text, primary_key=True),
    sa.Column("content", sa.Text, nullable=False),
)
"""The digest of every file of the code and rule books ever approved to run."""
