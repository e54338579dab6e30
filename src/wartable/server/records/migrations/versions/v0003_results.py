"""The third version: the results of each player's rounds, filled from the journal."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Make the table of results and fill it with all rounds played so far."""
    from wartable.server.records import results  # noqa: PLC0415  # results read what versions make

    op.create_table(
        "results",
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
    )
    op.create_index("results_of_player", "results", ["player", "at_ms", "table_name", "round"])
    results.fill(op.get_bind())
