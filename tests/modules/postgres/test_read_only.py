"""Whatever is asked, nothing changes: the table, the sequence, the other sessions and the server's files stay."""

import asyncio
import secrets
from pathlib import Path

import psycopg
import pytest

from tests.adapters.servers.pgvector import Database, database, url_for
from tests.modules.postgres.conftest import Ask
from tests.services.support import wait_until

CHANGING = {
    "insert": "INSERT INTO things VALUES (9) RETURNING id",
    "update": "UPDATE things SET name = 'x' RETURNING id",
    "delete": "DELETE FROM things RETURNING id",
    "merge": "MERGE INTO things USING things AS t ON false WHEN NOT MATCHED THEN INSERT VALUES (9)",
    "in a with": "WITH gone AS (DELETE FROM things RETURNING id) SELECT * FROM gone",
    "truncate": "TRUNCATE things",
    "create": "CREATE TABLE other (n int)",
    "create as": "CREATE TEMP TABLE other AS SELECT 1",
    "select into": "SELECT * INTO other FROM things",
    "drop": "DROP TABLE things",
    "do": "DO $$ BEGIN DELETE FROM things; END $$",
    "call": "CALL something()",
    "copy out to a program": "COPY things TO PROGRAM 'touch {file}'",
    "copy out to a file": "COPY things TO '{file}'",
    "copy to the client": "COPY things TO STDOUT",
    "copy in": "COPY things FROM STDIN",
    "read write": "SET TRANSACTION READ WRITE",
    "a transaction of its own": "BEGIN READ WRITE",
    "commit": "COMMIT",
    "two statements": "SELECT 1; INSERT INTO things VALUES (9)",
    "commit and insert": "SELECT 1; COMMIT; INSERT INTO things VALUES (9)",
    "behind a comment": "SELECT 1 --\n; INSERT INTO things VALUES (9)",
    "prepare": "PREPARE p AS DELETE FROM things",
    "execute": "EXECUTE p",
    "another cursor": "butler2 CURSOR FOR SELECT 1",
    "listen": "LISTEN anything",
    "lock": "LOCK TABLE things",
    "explain analyze": "EXPLAIN ANALYZE DELETE FROM things",
    "vacuum": "VACUUM things",
    "set": "SET default_transaction_read_only = off",
    "set role": "SET ROLE butler",
    "load": "LOAD 'auto_explain'",
    "for update": "SELECT * FROM things FOR UPDATE",
    "nextval": "SELECT nextval('numbers')",
    "setval": "SELECT setval('numbers', 100)",
    "switched to read write inside": "SELECT set_config('transaction_read_only', 'off', true), nextval('numbers')",
    "by default": "SELECT set_config('default_transaction_read_only', 'off', false), nextval('numbers')",
    "large object": "SELECT lo_create(0)",
    "large object of bytes": "SELECT lo_from_bytea(0, '\\x00')",
    "import": "SELECT lo_import('/etc/passwd')",
    "export": "SELECT lo_export(1, '{file}')",
    "read a file": "SELECT pg_read_file('/etc/passwd')",
    "list a folder": "SELECT pg_ls_dir('/')",
    "sql in a function": "SELECT query_to_xml('DELETE FROM things', true, true, '')",
    "table to xml after a write": "SELECT cursor_to_xml('butler', 1, true, true, ''), nextval('numbers')",
    "other servers": "SELECT * FROM dblink('dbname=postgres', 'SELECT 1') AS t (n int)",
    "reload": "SELECT pg_reload_conf()",
    "another role": "SELECT set_config('role', 'butler', true)",
    "another user": "SELECT set_config('session_authorization', 'butler', true)",
    "its own function": "SELECT meddle()",
    "empty": "-- nothing",
}


@pytest.fixture(scope="module")
def whole() -> Database:
    """The reader may do anything to the table, so only the butler's own care is in the way."""
    made = database()
    made.run("CREATE TABLE things (id int)")
    made.run("INSERT INTO things VALUES (1), (2), (3)")
    made.run("CREATE SEQUENCE numbers")
    made.run("CREATE FUNCTION meddle() RETURNS void LANGUAGE sql AS 'DELETE FROM things'")
    made.run(f"GRANT CREATE ON SCHEMA public TO {made.reader}")
    return made


def state(base: Database) -> tuple[object, ...]:
    return (
        base.run("SELECT array_agg(id ORDER BY id) FROM things"),
        base.run("SELECT last_value, is_called FROM numbers"),
        base.run("SELECT count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace"),
        base.run("SELECT count(*) FROM pg_largeobject_metadata"),
    )


@pytest.mark.parametrize("what", CHANGING)
async def test_nothing_changes_and_it_is_refused(ask: Ask, whole: Database, what: str) -> None:
    file = Path("/var/tmp") / f"butler-{secrets.token_hex(8)}"
    before = state(whole)
    code, sentence = await ask(whole.reader_url).refused(sql=CHANGING[what].format(file=file))
    assert state(whole) == before
    assert not file.exists()
    assert code in {"INVALID_INPUT", "REJECTED", "FORBIDDEN", "NOT_FOUND"}
    assert sentence


async def test_what_a_name_holds_is_never_sql(ask: Ask, whole: Database) -> None:
    asking = ask(whole.reader_url)
    for name in ('things"; DROP TABLE things; --', "things where true", "", "a.b.c", "things\n"):
        with pytest.raises(ValueError, match=r"pattern|give one of"):
            await asking(table=name)
    for value in ("1 OR true", "'; DROP TABLE things; --"):
        result = await asking(table="things", where=[{"column": "id", "op": "eq", "value": value}])
        assert result.error is not None
        assert result.error.code.value == "INVALID_INPUT"
    assert whole.run("SELECT count(*) FROM things") == [(3,)]


@pytest.mark.nightly
async def test_sleeping_is_ended_by_the_server(ask: Ask, whole: Database) -> None:
    asking = ask(whole.reader_url, timeout_s=5.0)
    assert await asking.refused(sql="SELECT pg_sleep(60)") == (
        "TIMEOUT",
        "the query took too long and was ended (canceling statement due to statement timeout)",
    )
    unlimited = "SELECT set_config('statement_timeout', '0', true), pg_sleep(60) FROM generate_series(1, 2)"
    assert (await asking.refused(sql=unlimited))[0] == "TIMEOUT"


async def test_a_lock_that_somebody_holds_is_not_waited_for(ask: Ask, whole: Database) -> None:
    with psycopg.connect(whole.owner_url) as holding:
        holding.execute("LOCK TABLE things")
        code, sentence = await ask(whole.reader_url, lock_timeout_s=0.1).refused(table="things")
    assert (code, sentence.split(" (")[0]) == ("TIMEOUT", "somebody else holds a lock on this")


async def test_nothing_of_a_session_stays(ask: Ask, whole: Database) -> None:
    """Neither settings nor locks of one call meet the next, and no session stays open."""
    asking = ask(whole.reader_url)
    await asking.rows("SELECT set_config('search_path', 'private', false), pg_advisory_lock(42)")
    assert await asking.rows("SELECT count(*) FROM things") == [[3]]
    assert whole.run("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'") == [(0,)]
    assert whole.run("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'butler'") == [(0,)]


async def test_notifications_are_never_sent(ask: Ask, whole: Database) -> None:
    with psycopg.connect(whole.owner_url, autocommit=True) as listening:
        listening.execute("LISTEN news")
        await ask(whole.reader_url).rows("SELECT pg_notify('news', 'x')")
        assert list(listening.notifies(timeout=0.3)) == []


async def test_a_session_cannot_end_those_of_others(ask: Ask, whole: Database) -> None:
    with psycopg.connect(whole.owner_url, autocommit=True) as other:
        pid = other.info.backend_pid
        code, _ = await ask(whole.reader_url).refused(sql="SELECT pg_terminate_backend($1)", params=[pid])
        assert code == "FORBIDDEN"
        assert other.execute("SELECT 1").fetchone() == (1,)
    asking = ask(whole.reader_url)
    code, _ = await asking.refused(sql="SELECT pg_terminate_backend(pg_backend_pid())")
    assert code == "UNAVAILABLE"
    assert await asking.rows("SELECT 1") == [[1]]


@pytest.mark.parametrize(
    "grant",
    ["pg_execute_server_program", "pg_read_server_files", "pg_write_server_files", "pg_signal_backend", "butler"],
)
async def test_a_role_that_reaches_beyond_the_database_is_refused(ask: Ask, whole: Database, grant: str) -> None:
    """`butler` is the server's superuser."""
    role, password = f"mighty_{secrets.token_hex(4)}", "m"
    whole.run(f"CREATE ROLE {role} LOGIN NOINHERIT PASSWORD '{password}' IN ROLE {grant}")
    asking = ask(url_for(whole.owner_url, role, password))
    code, sentence = await asking.refused(sql="SELECT 1")
    assert (code, "connect-postgres.md" in sentence) == ("FORBIDDEN", True)
    assert not (await asking.integration.auth_status())["ok"]
    assert (await ask(whole.owner_url).refused(sql="SELECT 1"))[0] == "FORBIDDEN"


@pytest.mark.parametrize(
    "function", ["pg_read_file(text)", "pg_read_binary_file(text)", "pg_ls_dir(text)", "lo_import(text)"]
)
@pytest.mark.parametrize("through", ["itself", "a role it could take on"])
async def test_a_role_that_may_call_what_reads_the_servers_files_is_refused(
    ask: Ask, whole: Database, function: str, through: str
) -> None:
    role, group, password = (f"{name}_{secrets.token_hex(4)}" for name in ("reads", "group", "p"))
    whole.run(f"CREATE ROLE {group} NOLOGIN")
    whole.run(f"CREATE ROLE {role} LOGIN NOINHERIT PASSWORD '{password}' IN ROLE {group}")
    asking = ask(url_for(whole.owner_url, role, password))
    assert await asking.rows("SELECT 1") == [[1]]
    whole.run(f"GRANT EXECUTE ON FUNCTION {function} TO {role if through == 'itself' else group}")
    code, sentence = await asking.refused(sql="SELECT 1")
    assert (code, "connect-postgres.md" in sentence) == ("FORBIDDEN", True)


async def test_calls_at_once_do_not_meet(ask: Ask, whole: Database) -> None:
    asking = ask(whole.reader_url)
    answers = await asyncio.gather(*(asking.rows("SELECT $1::int, pg_sleep(0.01)", n) for n in range(12)))
    assert [rows[0][0] for rows in answers] == list(range(12))
    assert whole.run("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'butler'") == [(0,)]


async def test_a_call_that_is_given_up_ends_at_the_server_too(ask: Ask, whole: Database) -> None:
    asking = ask(whole.reader_url)
    sleeping = asyncio.create_task(asking(sql="SELECT pg_sleep(60)"))
    running = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'butler' AND wait_event = 'PgSleep'"
    await asyncio.to_thread(wait_until, lambda: whole.run(running) == [(1,)], "the call")
    sleeping.cancel()
    await asyncio.gather(sleeping, return_exceptions=True)
    await asyncio.to_thread(wait_until, lambda: whole.run(running) == [(0,)], "its end")
