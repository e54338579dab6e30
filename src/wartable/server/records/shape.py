"""The shape of the database: whatever it enforces or triggers must be our own.

A check finds every constraint, unique key or trigger that was added, dropped or changed. SQLite is
compared with a new database in memory, PostgreSQL with a shape recorded from a new one, which
`python -m wartable.server.records.shape ADDRESS` prints.
"""

import re
import sys
from functools import cache
from importlib.resources import files

import msgspec
import sqlalchemy as sa

from wartable.server.records import database, migrations
from wartable.server.records.journal import Broken

SchemaShape = dict[str, str]
"""Every part of a database, such as `trigger journal_no_update`, with its definition."""

RECORDED = "postgres-shape.json"

_SQLITE = (
    # Indices of keys have no statement; SQLite keeps its own statistics in tables of these names.
    "SELECT CASE WHEN sql IS NULL THEN 'unique key' ELSE type END || ' ' || name,"
    " coalesce(sql, type) FROM sqlite_master"
    " WHERE NOT (type = 'table' AND name IN ('sqlite_stat1', 'sqlite_stat4', 'sqlite_sequence'))"
)
_OWN = "relnamespace = current_schema()::regnamespace"
_FIRST_OWN = 16_384
"""The first id of anything that did not come with PostgreSQL."""
_SCHEMA = re.compile(r"(?<!['\w])public\.")
_VERSION = "SELECT 'version ' || version_num, '' FROM alembic_version"
_POSTGRES = (
    # Columns: type, order, default, and whether they may be empty.
    (
        "SELECT 'column ' || relname || '.' || attname, format_type(atttypid, atttypmod) ||"
        " CASE WHEN attnotnull THEN ' not null' ELSE '' END ||"
        " coalesce((SELECT ' collate ' || collname FROM pg_collation JOIN pg_type"
        " ON pg_type.oid = atttypid WHERE pg_collation.oid = attcollation"
        " AND attcollation <> typcollation), '') ||"
        " coalesce(' default ' || pg_get_expr(adbin, adrelid), '')"
        " FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid"
        " LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum"
        " WHERE attnum > 0 AND NOT attisdropped"
        f" AND relkind IN ('r', 'v', 'm', 'p', 'f') AND {_OWN}"
    ),
    (
        "SELECT 'table ' || relname, concat_ws(' ', relkind, relpersistence, relrowsecurity,"
        " relforcerowsecurity, relhastriggers, relhasrules, relchecks,"
        " EXISTS (SELECT FROM pg_inherits WHERE oid IN (inhrelid, inhparent)))"
        f" FROM pg_class WHERE relkind IN ('r', 'v', 'm', 'p', 'f', 'S') AND {_OWN}"
    ),
    # From version 18 on a column that may not be empty is a constraint too.
    (
        "SELECT 'constraint ' || relname || '.' || conname, concat_ws(' ', convalidated,"
        " pg_get_constraintdef(pg_constraint.oid))"
        " FROM pg_constraint JOIN pg_class ON pg_class.oid = conrelid"
        f" WHERE contype NOT IN ('n', 't') AND {_OWN}"
    ),
    (
        "SELECT 'index ' || relname, concat_ws(' ', indisvalid, indisready, indislive,"
        " pg_get_indexdef(indexrelid))"
        f" FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid WHERE {_OWN}"
    ),
    (
        "SELECT 'trigger ' || tgname, concat_ws(' ', tgenabled,"
        " pg_get_triggerdef(pg_trigger.oid), prosrc)"
        " FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid"
        " JOIN pg_proc ON pg_proc.oid = tgfoid"
        f" WHERE NOT tgisinternal AND {_OWN}"
    ),
    (
        "SELECT 'trigger of a key ' || relname || '.' || tgfoid::regproc || '.' || count(*)::text,"
        " string_agg(DISTINCT tgenabled::text, '')"
        " FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid"
        f" WHERE tgisinternal AND {_OWN} GROUP BY relname, tgfoid"
    ),
    (
        "SELECT 'rule ' || relname || '.' || rulename, pg_get_ruledef(pg_rewrite.oid)"
        " FROM pg_rewrite JOIN pg_class ON pg_class.oid = ev_class"
        f" WHERE rulename <> '_RETURN' AND {_OWN}"
    ),
    (
        "SELECT 'policy ' || relname || '.' || polname, polcmd::text"
        f" FROM pg_policy JOIN pg_class ON pg_class.oid = polrelid WHERE {_OWN}"
    ),
    (
        "SELECT 'function ' || proname, CASE WHEN prokind IN ('f', 'p')"
        " THEN pg_get_functiondef(pg_proc.oid) ELSE prosrc END FROM pg_proc"
        " WHERE pronamespace = current_schema()::regnamespace"
    ),
    # Settings that take the triggers, or other tables of the same names, out of the way.
    (
        "SELECT 'setting ' || each, each FROM pg_db_role_setting, unnest(setconfig) AS each"
        " WHERE setdatabase IN (0, (SELECT oid FROM pg_database"
        " WHERE datname = current_database()))"
        " AND split_part(each, '=', 1) IN ('session_replication_role', 'search_path')"
    ),
    (
        "SELECT 'setting ' || name || '=' || setting, setting FROM pg_settings"
        " WHERE name = 'session_replication_role' AND setting <> 'origin'"
    ),
    # What would be meant by a name or a sign in a statement.
    (
        "SELECT 'type ' || typname, typtype::text FROM pg_type"
        " LEFT JOIN pg_class ON pg_class.oid = typrelid"
        " WHERE typnamespace = current_schema()::regnamespace AND typcategory <> 'A'"
        " AND (relkind IS NULL OR relkind = 'c')"
    ),
    (
        "SELECT 'operator ' || oprname, oprcode::text FROM pg_operator"
        " WHERE oprnamespace = current_schema()::regnamespace"
    ),
    # PostgreSQL looks there first, whatever the schema is.
    (
        "SELECT 'function pg_catalog.' || proname, prosrc FROM pg_proc"
        f" WHERE pronamespace = 'pg_catalog'::regnamespace AND oid >= {_FIRST_OWN}"
    ),
    (
        "SELECT 'operator pg_catalog.' || oprname, oprcode::text FROM pg_operator"
        f" WHERE oprnamespace = 'pg_catalog'::regnamespace AND oid >= {_FIRST_OWN}"
    ),
    (
        "SELECT 'type pg_catalog.' || typname, typtype::text FROM pg_type"
        " WHERE typnamespace = 'pg_catalog'::regnamespace AND typcategory <> 'A'"
        f" AND oid >= {_FIRST_OWN}"
    ),
    (
        "SELECT 'cast of ' || castsource::regtype::text || ' to ' || casttarget::regtype::text,"
        f" castcontext::text FROM pg_cast WHERE oid >= {_FIRST_OWN}"
    ),
    "SELECT 'event trigger ' || evtname, evtenabled::text FROM pg_event_trigger",
)


def shape_of(source: sa.Connection) -> SchemaShape:
    """The shape of a database."""
    sqlite = source.dialect.name == "sqlite"
    queries = (_SQLITE,) if sqlite else _POSTGRES
    found: dict[str, list[str]] = {}
    for query in (*queries, _VERSION):
        for name, made in source.exec_driver_sql(query):
            text = re.sub(r"\s+", " ", made)
            # PostgreSQL names the schema of what it shows; a text in quotes is kept as it is.
            found.setdefault(name, []).append(text if sqlite else _SCHEMA.sub("", text))
    # Two of one name, such as triggers of two tables, must not hide each other.
    return {name: " and ".join(sorted(made)) for name, made in found.items()}


@cache
def _new() -> SchemaShape:
    """The shape of a new SQLite database."""
    engine = database.engine_for(":memory:")
    migrations.upgrade(engine)
    with engine.connect() as connection:
        found = shape_of(connection)
    engine.dispose()
    return found


def expected(dialect: str) -> SchemaShape:
    """The shape that a database of this version must have."""
    if dialect == "sqlite":
        return _new()
    text = files("wartable.server.records").joinpath(RECORDED).read_bytes()
    return msgspec.json.decode(text, type=SchemaShape)


def problem(source: sa.Connection) -> Broken | None:
    """The first part that was added, dropped or changed, if there is one."""
    made = expected(source.dialect.name)
    try:
        found = shape_of(source)
    except sa.exc.DatabaseError as error:
        return Broken(None, f"the database's shape cannot be read: {error.orig}")
    for name in sorted({*made, *found}):
        if made.get(name) != found.get(name):
            what = "was changed" if name in made and name in found else "was added"
            what = what if name in found else "is missing"
            return Broken(None, f"the database's {name} {what}, so it does not guard the records")
    return None


if __name__ == "__main__":
    engine = database.engine_for(sys.argv[1])
    migrations.create(engine)
    with engine.connect() as connection:
        text = msgspec.json.encode(shape_of(connection), order="deterministic")
    print(msgspec.json.format(text, indent=2).decode())  # noqa: T201  # the file's content, which its reader redirects
