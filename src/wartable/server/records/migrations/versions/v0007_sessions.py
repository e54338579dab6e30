"""The seventh version: an authentication code for each session; everybody signs in again."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """End the sessions, which have no code, and add the column."""
    op.execute("DELETE FROM sessions")
    op.add_column("sessions", sa.Column("mac", sa.Text))
