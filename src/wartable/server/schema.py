"""The database: one append-only journal, the ledger's transfers and balances, tables and keys."""

import sqlalchemy as sa

metadata = sa.MetaData()

books = sa.Table(
    "books",
    metadata,
    sa.Column("digest", sa.Text, primary_key=True),
    sa.Column("content", sa.Text, nullable=False),
)
"""Every rule book that a table was ever opened with, as it was."""

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
    sa.UniqueConstraint("table_name", "command_id"),
)
"""One row per accepted command with its events; `hash` chains a table's rows."""

heads = sa.Table(
    "heads",
    metadata,
    sa.Column("table_name", sa.Text, primary_key=True),
    sa.Column("number", sa.BigInteger, nullable=False),
    sa.Column("hash", sa.Text, nullable=False),
)
"""The last row of each table's chain, so that a missing end is seen."""

transfers = sa.Table(
    "transfers",
    metadata,
    sa.Column("table_name", sa.Text, primary_key=True),
    sa.Column("number", sa.BigInteger, primary_key=True),
    sa.Column("place", sa.Integer, primary_key=True),
    sa.Column("source", sa.Text, nullable=False),
    sa.Column("target", sa.Text, nullable=False),
    sa.Column("amount", sa.BigInteger, nullable=False),
    sa.CheckConstraint("amount > 0"),
    sa.CheckConstraint("source <> target"),
)
"""Every movement of money, by the journal row that made it."""

balances = sa.Table(
    "balances",
    metadata,
    sa.Column("account", sa.Text, primary_key=True),
    sa.Column("amount", sa.BigInteger, nullable=False),
    sa.CheckConstraint("amount >= 0 OR account IN ('house', 'outside')"),
)
"""What every account holds; only the house and the world outside may be below zero."""
