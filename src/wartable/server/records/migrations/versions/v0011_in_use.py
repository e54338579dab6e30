"""The eleventh version: which table uses each set of cards, compared in every transaction."""

from collections.abc import Iterator

import msgspec
import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"

KINDS = ("decks_received", "decks_removed")
"""The events that change which sets a table uses."""


def upgrade() -> None:
    """Make the table, with what the tables with staff use by their rows."""
    op.create_table(
        "in_use",
        sa.Column("card_set", sa.Text, primary_key=True),
        sa.Column("table_name", sa.Text, nullable=False),
    )
    in_use = sa.table("in_use", sa.column("card_set"), sa.column("table_name"))
    using = dict(_using(op.get_bind()))
    table_of = {name: table for table, sets in using.items() for name in sets}
    for name, table in table_of.items():
        op.execute(in_use.insert().values(card_set=name, table_name=table))


def _using(source: sa.Connection) -> Iterator[tuple[str, list[str]]]:
    """Every change of the sets that a table uses, in the order of its rows."""
    tables = sa.table("tables", sa.column("name"), sa.column("setup"))
    journal = sa.table("journal", *map(sa.column, ("table_name", "number", "events")))
    staffed = sa.select(tables.c.name).where(tables.c.setup.contains('"staffed":true'))
    changing = sa.or_(*(journal.c.events.contains(f'"type":"{kind}"') for kind in KINDS))
    rows = sa.select(journal).where(journal.c.table_name.in_(staffed), changing)
    for row in source.execute(rows.order_by(journal.c.table_name, journal.c.number)):
        for event in msgspec.json.decode(row.events):
            if event["type"] in KINDS:
                yield row.table_name, event.get("sets", [])
