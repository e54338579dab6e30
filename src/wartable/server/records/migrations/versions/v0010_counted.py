"""The tenth version: what counts towards limits, counted in the transaction that writes a row."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    """Make the tables; an account is counted from its first claim.

    What others may stake is stored when a table opens. Until then the number of its last row is
    stored instead, so that an auditor knows that there can be nothing else.
    """
    op.create_table(
        "counted",
        sa.Column("account", sa.Text, primary_key=True),
        sa.Column("play", sa.Text, nullable=False),
    )
    op.create_table(
        "exposed",
        sa.Column("account", sa.Text, primary_key=True),
        sa.Column("table_name", sa.Text, primary_key=True),
        sa.Column("amount", sa.BigInteger, nullable=False),
        sa.CheckConstraint("amount >= 0"),
    )
    op.execute(
        "INSERT INTO exposed (account, table_name, amount)"
        " SELECT '', heads.table_name, heads.number FROM heads"
        " JOIN tables ON tables.name = heads.table_name WHERE tables.setup <> '{}'"
    )
