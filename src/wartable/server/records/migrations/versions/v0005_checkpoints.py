"""The fifth version: checkpoints, so that a long journal is not folded from its beginning."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Make the table of checkpoints; running tables fill it."""
    op.create_table(
        "checkpoints",
        sa.Column("table_name", sa.Text, primary_key=True),
        sa.Column("number", sa.BigInteger, primary_key=True),
        sa.Column("hash", sa.Text, nullable=False),
        sa.Column("rounds", sa.BigInteger, nullable=False),
        sa.Column("code", sa.Text, nullable=False),
        sa.Column("sealed", sa.Text, nullable=False),
    )
