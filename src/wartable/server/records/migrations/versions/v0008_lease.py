"""The eighth version: the lease of the house, which one of several servers has."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Make the table of the lease; the first server that opens takes it."""
    op.create_table(
        "lease",
        sa.Column("place", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("owner", sa.Text),
        sa.Column("fence", sa.BigInteger, nullable=False),
        sa.Column("until_ms", sa.BigInteger, nullable=False),
        sa.CheckConstraint("place = 1"),
    )
