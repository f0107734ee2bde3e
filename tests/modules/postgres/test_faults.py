"""What goes wrong with a database, told in our words: by its codes, with its position, never with the password."""

import asyncio
import contextlib
import logging
import socket
import ssl
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest

from butler.contract.errors import IntegrationFault
from butler.contract.tools import ToolCall
from butler_demo.mailbox.tls import issue_certificate
from modules.postgres.config import PostgresSettings
from modules.postgres.faults import of_start
from modules.postgres.session import Sessions
from tests.adapters.servers.pgvector import Database, url_for
from tests.modules.postgres.conftest import Ask, Asking
from tests.services.line import Line
from tests.services.support import wait_until

Talk = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def listening(talk: Talk) -> AsyncGenerator[int]:
    """Something on a port that talks as it likes."""
    server = await asyncio.start_server(talk, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        await server.wait_closed()


def unreachable_url(port: int) -> str:
    return f"postgresql://butler:hunter2@127.0.0.1:{port}/shop"


async def test_wrong_sql_is_told_with_its_position(ask: Ask) -> None:
    asking = ask()
    code, sentence = await asking.refused(sql="SELECT id FORM things WHERE 1 = 1")
    assert code == "INVALID_INPUT"
    assert sentence.endswith('(syntax error at or near "things", at character 16)')
    code, sentence = await asking.refused(sql="SELECT nonsense FROM things")
    assert (code, sentence.endswith("at character 8)")) == ("NOT_FOUND", True)


@pytest.mark.parametrize(
    ("sql", "params", "code"),
    [
        ("SELECT * FROM no_such", [], "NOT_FOUND"),
        ("SELECT * FROM no_such.things", [], "NOT_FOUND"),
        ("SELECT no_such()", [], "NOT_FOUND"),
        ("SELECT * FROM private.keys", [], "FORBIDDEN"),
        ("SELECT 1 / $1::int", [0], "INVALID_INPUT"),
        ("SELECT $1::int", ["many"], "INVALID_INPUT"),
        ("SELECT $1, $2", ["one"], "INVALID_INPUT"),
        ("SELECT 1", ["one"], "INVALID_INPUT"),
        ("SELECT $1", ["a\0b"], "INVALID_INPUT"),
        ("SELECT $1::int", [2**70], "INVALID_INPUT"),
        ("SELECT generate_series(1, 10) / 0", [], "INVALID_INPUT"),
    ],
)
async def test_each_fault_has_its_code(ask: Ask, sql: str, params: list[object], code: str) -> None:
    assert (await ask().refused(sql=sql, params=params))[0] == code


async def test_a_wrong_password_a_strange_role_and_a_missing_database(ask: Ask, shop: Database) -> None:
    for url, code in (
        (url_for(shop.reader_url, shop.reader, "wrong"), "AUTH_REQUIRED"),
        (url_for(shop.reader_url, "nobody_here", "wrong"), "AUTH_REQUIRED"),
        (shop.reader_url.rsplit("/", 1)[0] + "/no_such_database", "NOT_FOUND"),
    ):
        asking = ask(url)
        assert (await asking.refused(sql="SELECT 1"))[0] == code
        status = await asking.integration.auth_status()
        assert (status["ok"], bool(status["todo"])) == (False, True)


async def test_a_full_server_asks_to_wait(ask: Ask, shop: Database) -> None:
    shop.run(f"ALTER ROLE {shop.reader} CONNECTION LIMIT 0")
    try:
        assert (await ask().refused(sql="SELECT 1"))[0] == "RATE_LIMITED"
    finally:
        shop.run(f"ALTER ROLE {shop.reader} CONNECTION LIMIT -1")
    assert await ask().rows("SELECT 1") == [[1]]


async def test_nobody_there_and_nobody_who_speaks(ask: Ask) -> None:
    async with listening(lambda _reader, writer: asyncio.sleep(0, writer.close())) as port:
        pass
    assert (await ask(unreachable_url(port)).refused(sql="SELECT 1"))[0] == "UNAVAILABLE"

    async def garbled(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(100)
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        writer.close()

    async with listening(garbled) as port:
        assert (await ask(unreachable_url(port)).refused(sql="SELECT 1"))[0] == "INVALID_OUTPUT"


async def test_a_line_that_breaks_amid_a_query_is_no_answer(ask: Ask, shop: Database) -> None:
    port = urlsplit(shop.reader_url).port
    assert port is not None
    running = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'butler' AND wait_event = 'PgSleep'"
    async with Line(port) as line:
        asking = ask(shop.reader_url.replace(f":{port}/", f":{line.port}/"))
        sleeping = asyncio.create_task(asking.refused(sql="SELECT pg_sleep(60)"))
        await asyncio.to_thread(wait_until, lambda: shop.run(running) == [(1,)], "the query")
        line.cut()
        assert await sleeping == ("UNAVAILABLE", "the connection to the database broke")


async def test_a_zone_that_the_server_does_not_know_is_told(shop: Database) -> None:
    sessions = Sessions(shop.reader_url, PostgresSettings(), "No/Such_Zone")
    with pytest.raises(IntegrationFault, match="No/Such_Zone"):
        await sessions.whoami()


async def test_a_missing_package_is_named(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "modules.postgres.session", None)
    told = "reading PostgreSQL needs psycopg; install butler[remote]"
    assert await ask().refused(sql="SELECT 1") == ("UNAVAILABLE", told)


async def test_tls_that_is_asked_for_is_not_gone_without(ask: Ask, shop: Database) -> None:
    """The server of the tests offers none."""
    code, sentence = await ask(f"{shop.reader_url}?sslmode=require").refused(sql="SELECT 1")
    assert (code, sentence) == ("UNAVAILABLE", "the database does not offer TLS, and sslmode asks for it")
    some_ca = ssl.get_default_verify_paths().cafile or "/no/such/ca.pem"
    assert (await ask(tls_ca=some_ca).refused(sql="SELECT 1"))[0] == "UNAVAILABLE"
    assert await ask(f"{shop.reader_url}?sslmode=disable", tls_ca=some_ca).rows("SELECT 1") == [[1]]


async def test_only_a_certificate_of_the_named_ca_is_trusted(ask: Ask, tmp_path: Path) -> None:
    """The password is not even asked for before."""
    mine, others = tmp_path / "mine", tmp_path / "others"
    for folder in (mine, others):
        folder.mkdir()
        issue_certificate(folder)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(mine / "cert.pem", mine / "key.pem")
    secured: list[bytes] = []

    async def secure(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readexactly(8)
        writer.write(b"S")
        with contextlib.suppress(OSError):
            await writer.start_tls(context)
            secured.append(await reader.read(1000))
        writer.close()

    async with listening(secure) as port:
        trusting = ask(unreachable_url(port), tls_ca=str(mine / "ca.pem"))
        assert (await trusting.refused(sql="SELECT 1"))[0] == "UNAVAILABLE"
        assert b"butler" in b"".join(secured)
        secured.clear()
        wary = ask(unreachable_url(port), tls_ca=str(others / "ca.pem"))
        told = "the database's certificate is not trusted; name its CA as tls_ca"
        assert await wary.refused(sql="SELECT 1") == ("UNAVAILABLE", told)
        assert b"".join(secured) == b""


def test_what_servers_say_at_the_start_is_understood() -> None:
    for said, code in (
        ("FATAL:  sorry, too many clients already", "RATE_LIMITED"),
        ("FATAL:  remaining connection slots are reserved for roles with the SUPERUSER attribute", "RATE_LIMITED"),
        ("FATAL:  the database system is starting up", "UNAVAILABLE"),
        ("FATAL:  Tenant or user not found", "AUTH_REQUIRED"),
        ('FATAL:  no pg_hba.conf entry for host "10.0.0.1"', "AUTH_REQUIRED"),
        ('FATAL:  role "x" is not permitted to log in', "AUTH_REQUIRED"),
        ("SSL error: certificate verify failed", "UNAVAILABLE"),
        ("could not translate host name", "UNAVAILABLE"),
    ):
        assert of_start(psycopg.OperationalError(said)).code.value == code


@pytest.mark.parametrize(
    "url", ["", "https://db.example", "postgresql://butler:hunter2@[broken/x", "postgresql://a?no=1"]
)
async def test_an_address_that_is_none_is_told_without_it(ask: Ask, shop: Database, url: str) -> None:
    asking = Asking({}, {"BUTLER_POSTGRES_URL": url})
    code, sentence = await asking.refused(sql="SELECT 1")
    assert code == "AUTH_REQUIRED"
    assert "BUTLER_POSTGRES_URL" in sentence
    assert "hunter2" not in sentence


async def test_the_password_appears_nowhere(
    ask: Ask, shop: Database, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    wrong = "Wr0ng-and-secret"
    results = [
        await ask(url_for(shop.reader_url, shop.reader, wrong))(sql="SELECT 1"),
        await ask()(sql=f"SELECT '{shop.password}'::int"),
        await ask()(sql="SELECT $1::int", params=[shop.reader_url]),
        await ask()(sql="SELECT 1"),
    ]
    out, err = capfd.readouterr()
    seen = "".join([*(result.model_dump_json() for result in results), caplog.text, out, err])
    for secret in (wrong, shop.password, shop.reader_url):
        assert secret not in seen
    assert [result.ok for result in results] == [False, False, False, True]


async def test_a_dry_run_connects_to_nothing() -> None:
    asking = Asking({}, {"BUTLER_POSTGRES_URL": unreachable_url(1)})
    spec = asking.registry.spec("bot_postgres_query")
    call = ToolCall(
        tool=spec.tool_name, args=spec.args.model_validate({"sql": "SELECT 1"}), call_id="c", trace_id="t", dry_run=True
    )
    assert (await asking.registry.invoke(call)).ok


async def test_servers_that_are_silent_take_no_longer_than_the_limit_together(ask: Ask) -> None:
    """Each address would have a wait of its own, and each of the call's steps after it."""
    with socket.create_server(("127.0.0.1", 0)) as one, socket.create_server(("127.0.0.1", 0)) as other:
        ports = (one.getsockname()[1], other.getsockname()[1])
        asking = ask(f"postgresql://reader:x@127.0.0.1:{ports[0]},127.0.0.1:{ports[1]}/shop", timeout_s=1.0)
        for _ in range(2):
            code, sentence = await asyncio.wait_for(asking.refused(sql="SELECT 1"), 1.9)
            assert (code, sentence) == ("TIMEOUT", "the database did not answer in time")
