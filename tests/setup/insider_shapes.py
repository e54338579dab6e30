"""Shapes that somebody could give a database: what is said of each, and the statements."""


def _written(change: str, table: str) -> tuple[str, ...]:
    """A change of the statement that SQLite keeps for a table."""
    return (
        "PRAGMA writable_schema = 1",
        f"UPDATE sqlite_master SET sql = {change} WHERE type = 'table' AND name = '{table}'",
        "PRAGMA writable_schema = 0",
    )


PAYS = "UPDATE balances SET amount = amount + 1 WHERE account = 'wallet:mal'"
SQLITE: dict[str, tuple[str, ...]] = {
    "table balances was changed": _written("replace(sql, 'amount >= 0 OR', '1 OR')", "balances"),
    "table transfers was changed": _written(
        "replace(sql, 'amount > 0', 'amount > -9')", "transfers"
    ),
    "table journal was changed": _written("replace(sql, 'UNIQUE', 'CHECK (1), UNIQUE')", "journal"),
    "table accounts was changed": _written(
        "replace(sql, 'DEFAULT ''0''', 'DEFAULT ''1''')", "accounts"
    ),
    "table heads was changed": ("ALTER TABLE heads ADD COLUMN note TEXT DEFAULT 'x'",),
    "table limits was changed": (
        "ALTER TABLE limits ADD COLUMN doubled INTEGER GENERATED ALWAYS AS (amount * 2) VIRTUAL",
    ),
    "table results was changed": ("ALTER TABLE results RENAME COLUMN net TO won",),
    "table closures is missing": (
        "ALTER TABLE closures RENAME TO shut",
        "CREATE VIEW closures AS SELECT * FROM shut",
    ),
    "table shadow was added": ("CREATE TABLE shadow (name TEXT)",),
    "table api_keys is missing": ("DROP TABLE api_keys",),
    "view richer was added": ("CREATE VIEW richer AS SELECT * FROM balances",),
    "table closures was changed": _written("replace(sql, 'gaming', 'public.gaming')", "closures"),
    "unique key sqlite_autoindex_journal_2 is missing": (
        "PRAGMA writable_schema = 1",
        "DELETE FROM sqlite_master WHERE name = 'sqlite_autoindex_journal_2'",
        "PRAGMA writable_schema = 0",
    ),
    "index journal_at is missing": ("DROP INDEX journal_at",),
    "index journal_unkeyed is missing": ("DROP INDEX journal_unkeyed",),
    "index results_of_player was changed": (
        "DROP INDEX results_of_player",
        "CREATE INDEX results_of_player ON results (player)",
    ),
    "index once was added": ("CREATE UNIQUE INDEX once ON sessions (account, digest)",),
    "trigger journal_no_update is missing": ("DROP TRIGGER journal_no_update",),
    "trigger transfers_no_delete is missing": ("DROP TRIGGER transfers_no_delete",),
    "trigger journal_no_delete was changed": (
        "DROP TRIGGER journal_no_delete",
        "CREATE TRIGGER journal_no_delete BEFORE DELETE ON journal WHEN 0 BEGIN SELECT 1; END",
    ),
    "trigger pays was added": (f"CREATE TRIGGER pays AFTER INSERT ON transfers BEGIN {PAYS}; END",),
    "trigger sqlitepays was added": (
        f"CREATE TRIGGER sqlitepays AFTER INSERT ON transfers BEGIN {PAYS}; END",
    ),
    "trigger keeps was added": (
        "CREATE TRIGGER keeps BEFORE DELETE ON sessions BEGIN SELECT RAISE(IGNORE); END",
    ),
}
FUNCTION = (
    f"CREATE FUNCTION pay() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {PAYS}; RETURN NEW; END $$"
)
POSTGRES: dict[str, tuple[str, ...]] = {
    "column accounts.note was added": ("ALTER TABLE accounts ADD COLUMN note TEXT",),
    "column accounts.role was changed": ("ALTER TABLE accounts ALTER role DROP NOT NULL",),
    "column accounts.excluded_until_ms was changed": (
        "ALTER TABLE accounts ALTER excluded_until_ms SET DEFAULT 1",
    ),
    "column accounts.name was changed": (
        (
            "CREATE COLLATION loose (provider = icu, locale = 'und-u-ks-level2',"
            " deterministic = false)"
        ),
        'ALTER TABLE accounts ALTER name TYPE text COLLATE "loose"',
    ),
    "column api_keys.digest was changed": ("ALTER TABLE api_keys ALTER digest TYPE varchar(99)",),
    "column limits.doubled was added": (
        "ALTER TABLE limits ADD COLUMN doubled bigint GENERATED ALWAYS AS (amount * 2) STORED",
    ),
    "column heads.id was added": ("ALTER TABLE heads ADD COLUMN id serial",),
    "column closures.actor was changed": (
        "ALTER TABLE closures RENAME TO shut",
        "CREATE VIEW closures AS SELECT * FROM shut",
    ),
    "column manifests.content is missing": ("DROP TABLE manifests",),
    "column richer.account was added": ("CREATE VIEW richer AS SELECT * FROM balances",),
    "column more.account was added": ("CREATE TABLE more () INHERITS (balances)",),
    "table counting was added": ("CREATE SEQUENCE counting",),
    "table results was changed": ("ALTER TABLE results SET UNLOGGED",),
    "table balances was changed": ("ALTER TABLE balances ENABLE ROW LEVEL SECURITY",),
    "table transfers was changed": ("ALTER TABLE transfers FORCE ROW LEVEL SECURITY",),
    "constraint balances.balances_check is missing": (
        "ALTER TABLE balances DROP CONSTRAINT balances_check",
    ),
    "constraint balances.balances_check was changed": (
        "ALTER TABLE balances DROP CONSTRAINT balances_check",
        (
            "ALTER TABLE balances ADD CONSTRAINT balances_check"
            " CHECK (amount >= -100000 OR account IN ('house', 'outside'))"
        ),
    ),
    "constraint journal.journal_table_name_command_id_key is missing": (
        "ALTER TABLE journal DROP CONSTRAINT journal_table_name_command_id_key",
    ),
    "constraint heads.heads_pkey is missing": ("ALTER TABLE heads DROP CONSTRAINT heads_pkey",),
    "constraint sessions.sessions_account_fkey is missing": (
        "ALTER TABLE sessions DROP CONSTRAINT sessions_account_fkey",
    ),
    "constraint sessions.sessions_account_fkey was changed": (
        "ALTER TABLE sessions DROP CONSTRAINT sessions_account_fkey",
        (
            "ALTER TABLE sessions ADD CONSTRAINT sessions_account_fkey FOREIGN KEY (account)"
            " REFERENCES accounts (name) ON DELETE CASCADE"
        ),
    ),
    "constraint limits.few was added": (
        "ALTER TABLE limits ADD CONSTRAINT few CHECK (amount < 10) NOT VALID",
    ),
    "table closures was changed": ("UPDATE pg_class SET relchecks = 0 WHERE relname = 'closures'",),
    "table journal was changed": (
        "UPDATE pg_class SET relhastriggers = false WHERE relname = 'journal'",
    ),
    "table limits was changed": (
        "CREATE SCHEMA elsewhere",
        "CREATE TABLE elsewhere.more () INHERITS (limits)",
    ),
    "index journal_pkey was changed": (
        "UPDATE pg_index SET indisready = false WHERE indexrelid = 'journal_pkey'::regclass",
    ),
    "index results_pkey was changed": (
        "UPDATE pg_index SET indislive = false WHERE indexrelid = 'results_pkey'::regclass",
    ),
    "type wallet was added": ("CREATE TYPE wallet AS (amount bigint)",),
    "type bigint was added": ("CREATE DOMAIN bigint AS text",),
    "operator <<>> was added": (
        "CREATE OPERATOR <<>> (leftarg = text, rightarg = text, function = texteq)",
    ),
    "cast of bigint to text was added": (
        "CREATE SCHEMA elsewhere",
        (
            "CREATE FUNCTION elsewhere.less(bigint) RETURNS text LANGUAGE sql IMMUTABLE"
            " AS $$ SELECT '' $$"
        ),
        "CREATE CAST (bigint AS text) WITH FUNCTION elsewhere.less(bigint) AS ASSIGNMENT",
    ),
    "shape cannot be read": ("ALTER TABLE alembic_version RENAME TO versions",),
    "index quick was added": ("CREATE INDEX quick ON transfers (amount)",),
    "index journal_at is missing": ("DROP INDEX journal_at",),
    "policy balances.mine was added": ("CREATE POLICY mine ON balances USING (true)",),
    "rule transfers.nothing was added": (
        "CREATE RULE nothing AS ON INSERT TO transfers DO ALSO NOTHING",
    ),
    "rule sessions.keeps was added": (
        "CREATE RULE keeps AS ON DELETE TO sessions DO INSTEAD NOTHING",
    ),
    "function pay was added": (FUNCTION,),
    "function only_grows was changed": (
        (
            "CREATE OR REPLACE FUNCTION only_grows() RETURNS trigger LANGUAGE plpgsql AS"
            " $$ BEGIN RETURN NULL; END $$"
        ),
    ),
    "trigger journal_only_grows is missing": ("DROP TRIGGER journal_only_grows ON journal",),
    "trigger journal_only_grows was changed": (
        "ALTER TABLE journal DISABLE TRIGGER journal_only_grows",
    ),
    "trigger journal_only_grows was changed, so": (  # by another of its name, put before it
        "CREATE SCHEMA elsewhere",
        FUNCTION.replace("pay()", "elsewhere.pay()"),
        "DROP TRIGGER journal_only_grows ON journal",
        (
            "CREATE TRIGGER journal_only_grows AFTER INSERT ON transfers FOR EACH STATEMENT"
            " EXECUTE FUNCTION elsewhere.pay()"
        ),
        (
            "CREATE TRIGGER journal_only_grows BEFORE UPDATE OR DELETE OR TRUNCATE ON journal"
            " FOR EACH STATEMENT EXECUTE FUNCTION only_grows()"
        ),
    ),
    "constraint balances.balances_check was changed, so": (
        "ALTER TABLE balances DROP CONSTRAINT balances_check",
        (
            "ALTER TABLE balances ADD CONSTRAINT balances_check CHECK (amount >= 0"
            " OR account = ANY (ARRAY['public.house'::text, 'outside'::text])) NOT VALID"
        ),
        "UPDATE pg_constraint SET convalidated = true WHERE conname = 'balances_check'",
    ),
    "function pg_catalog.less was added": (
        (
            "CREATE FUNCTION pg_catalog.less(text, varchar) RETURNS boolean LANGUAGE sql IMMUTABLE"
            " AS $$ SELECT true $$"
        ),
    ),
    "operator pg_catalog.= was added": (
        "CREATE SCHEMA elsewhere",
        (
            "CREATE FUNCTION elsewhere.same(text, varchar) RETURNS boolean LANGUAGE sql IMMUTABLE"
            " AS $$ SELECT $1::bytea = $2::bytea $$"
        ),
        (
            "CREATE OPERATOR pg_catalog.= (leftarg = text, rightarg = varchar,"
            " function = elsewhere.same)"
        ),
    ),
    "type pg_catalog.money_of was added": ("CREATE DOMAIN pg_catalog.money_of AS text",),
    "trigger transfers_only_grows was changed": (
        "ALTER TABLE transfers ENABLE REPLICA TRIGGER transfers_only_grows",
    ),
    "trigger pays was added": (
        (
            "CREATE TRIGGER pays AFTER INSERT ON transfers FOR EACH STATEMENT"
            " EXECUTE FUNCTION only_grows()"
        ),
    ),
    "trigger of a key sessions": ("ALTER TABLE sessions DISABLE TRIGGER ALL",),
    "event trigger late was added": (
        "CREATE FUNCTION event() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN END $$",
        "CREATE EVENT TRIGGER late ON ddl_command_end EXECUTE FUNCTION event()",
        "DROP FUNCTION IF EXISTS nothing()",
    ),
    "setting session_replication_role=replica was added": (
        (
            "DO $$ BEGIN EXECUTE 'ALTER DATABASE ' || current_database() ||"
            " ' SET session_replication_role = replica'; END $$"
        ),
    ),
    "setting search_path=mine, public was added": (
        "CREATE SCHEMA mine",
        "ALTER ROLE postgres SET search_path = mine, public",
    ),
}
