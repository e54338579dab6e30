"""The ninth version: the servers of a house, and where they reach each other."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    """Make the table of the servers, in which each server makes its own entry."""
    op.create_table(
        "servers",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("address", sa.Text, nullable=False),
        sa.Column("code", sa.Text, nullable=False),
        sa.Column("version", sa.Text, nullable=False),
        sa.Column("connections", sa.BigInteger, nullable=False),
        sa.Column("began_ms", sa.BigInteger, nullable=False),
        sa.Column("until_ms", sa.BigInteger, nullable=False),
    )
