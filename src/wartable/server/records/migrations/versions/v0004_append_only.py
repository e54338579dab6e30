"""The fourth version: journal and transfers only grow, and the latest row is found at once."""

from alembic import op

revision = "0004"
down_revision = "0003"

TABLES = ("journal", "transfers")


def upgrade() -> None:
    """Index the journal by time; let the database itself refuse every change of what is written."""
    op.create_index("journal_at", "journal", ["at_ms"])
    if op.get_bind().dialect.name == "sqlite":
        _sqlite()
    else:
        _postgres()


def _sqlite() -> None:
    for table in TABLES:
        for what in ("UPDATE", "DELETE"):
            op.execute(
                f"CREATE TRIGGER {table}_no_{what.lower()} BEFORE {what} ON {table}"
                f" BEGIN SELECT RAISE(ABORT, '{table} only grows'); END"
            )


def _postgres() -> None:
    op.execute(
        "CREATE FUNCTION only_grows() RETURNS trigger LANGUAGE plpgsql AS"
        " $$ BEGIN RAISE EXCEPTION '% only grows', TG_TABLE_NAME; END $$"
    )
    for table in TABLES:
        op.execute(
            f"CREATE TRIGGER {table}_only_grows BEFORE UPDATE OR DELETE OR TRUNCATE ON {table}"
            " FOR EACH STATEMENT EXECUTE FUNCTION only_grows()"
        )
