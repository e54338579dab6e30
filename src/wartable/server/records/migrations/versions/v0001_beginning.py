"""The first version: journal, ledger, tables, accounts, limits and closures."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make the tables of the first version."""
    _records()
    _people()


def _records() -> None:
    op.create_table(
        "books",
        sa.Column("digest", sa.Text, primary_key=True),
        sa.Column("content", sa.Text, nullable=False),
    )
    op.create_table(
        "tables",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("book", sa.Text, sa.ForeignKey("books.digest"), nullable=False),
        sa.Column("setup", sa.Text, nullable=False),
        sa.Column("owner", sa.Text),
        sa.Column("fence", sa.BigInteger, nullable=False, server_default="0"),
        sa.Column("lease_until_ms", sa.BigInteger, nullable=False, server_default="0"),
    )
    op.create_table(
        "journal",
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
    op.create_table(
        "heads",
        sa.Column("table_name", sa.Text, primary_key=True),
        sa.Column("number", sa.BigInteger, nullable=False),
        sa.Column("hash", sa.Text, nullable=False),
    )
    op.create_table(
        "transfers",
        sa.Column("table_name", sa.Text, primary_key=True),
        sa.Column("number", sa.BigInteger, primary_key=True),
        sa.Column("place", sa.Integer, primary_key=True),
        sa.Column("source", sa.Text, nullable=False),
        sa.Column("target", sa.Text, nullable=False),
        sa.Column("amount", sa.BigInteger, nullable=False),
        sa.CheckConstraint("amount > 0"),
        sa.CheckConstraint("source <> target"),
    )
    op.create_table(
        "balances",
        sa.Column("account", sa.Text, primary_key=True),
        sa.Column("amount", sa.BigInteger, nullable=False),
        sa.CheckConstraint("amount >= 0 OR account IN ('house', 'outside')"),
    )


def _people() -> None:
    op.create_table(
        "accounts",
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
    op.create_table(
        "sessions",
        sa.Column("digest", sa.Text, primary_key=True),
        sa.Column("account", sa.Text, sa.ForeignKey("accounts.name"), nullable=False),
        sa.Column("opened_ms", sa.BigInteger, nullable=False),
        sa.Column("seen_ms", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "api_keys",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("digest", sa.Text, nullable=False),
        sa.Column("revoked_ms", sa.BigInteger),
    )
    op.create_table(
        "limits",
        sa.Column("account", sa.Text, primary_key=True),
        sa.Column("kind", sa.Text, primary_key=True),
        sa.Column("setter", sa.Text, primary_key=True),
        sa.Column("amount", sa.BigInteger),
        sa.Column("next_amount", sa.BigInteger),
        sa.Column("next_from_ms", sa.BigInteger),
        sa.CheckConstraint("setter IN ('player', 'operator')"),
    )
    op.create_table(
        "closures",
        sa.Column("scope", sa.Text, primary_key=True),
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("actor", sa.Text, nullable=False),
        sa.Column("at_ms", sa.BigInteger, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.CheckConstraint("scope IN ('gaming', 'book', 'table', 'player')"),
    )
