"""The sixth version: an authentication code for each row, which needs the house's key."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Add the column; a row of the office vouches for the rows from before."""
    op.add_column("journal", sa.Column("mac", sa.Text))
    unkeyed = sa.text("mac IS NULL")
    op.create_index(
        "journal_unkeyed",
        "journal",
        ["table_name", "number"],
        sqlite_where=unkeyed,
        postgresql_where=unkeyed,
    )
