"""The stand-in of the demo answers as the description of Loki's HTTP API says."""

from collections.abc import AsyncGenerator
from typing import Any

import aiohttp
import pytest

from butler_demo.loki import nuc
from butler_demo.loki.logql import parse
from butler_demo.loki.server import LokiServer
from tests.adapters.servers.loki.description import LOKI
from tests.adapters.servers.wire import Answer
from tests.modules.loki.harness import BEGUN, NOW

NOW_NS = round(NOW.timestamp()) * 10**9
MINUTE_NS = 60 * 10**9
HOUR = {"start": str(NOW_NS - 60 * MINUTE_NS), "end": str(NOW_NS), "limit": "100", "direction": "backward"}


@pytest.fixture
async def server() -> AsyncGenerator[LokiServer]:
    server = LokiServer(now=lambda: NOW, tenant="home")
    server.add(nuc.streams(BEGUN))
    await server.start()
    yield server
    await server.stop()


async def get(server: LokiServer, path: str, *, tenant: str = "home", **parameters: str) -> tuple[int, str, Any]:
    """An answer as described; the request need not be, since what cannot be meant is refused."""
    headers = {"X-Scope-OrgID": tenant} if tenant else {}
    async with (
        aiohttp.ClientSession(headers=headers) as session,
        session.get(server.url + path, params=parameters) as response,
    ):
        told = {name.lower(): value for name, value in response.headers.items()}
        LOKI.answer(LOKI.match("GET", path), Answer(response.status, told, await response.read()))
        text = await response.text()
        return response.status, text, await response.json() if response.content_type == "application/json" else None


async def lines(server: LokiServer, query: str, **parameters: str) -> list[tuple[int, str]]:
    """The lines of the last hour that are answered, in the order of the answer."""
    status, text, body = await get(server, "/loki/api/v1/query_range", **HOUR | {"query": query} | parameters)
    assert status == 200, text
    return [(int(value[0]), value[1]) for one in body["data"]["result"] for value in one["values"]]


async def test_lines_come_newest_first_or_oldest_first(server: LokiServer) -> None:
    found = await lines(server, '{unit="backup.service"}')
    assert found == sorted(found, reverse=True)
    assert found[-1][1].startswith("systemd[1]: Starting backup.service")
    assert all(NOW_NS - 60 * MINUTE_NS <= at < NOW_NS for at, _ in found)
    forward = await lines(server, '{unit="backup.service"}', direction="forward")
    assert forward == sorted(found)


async def test_a_limit_gives_the_newest_or_the_oldest(server: LokiServer) -> None:
    every = await lines(server, '{host="nuc"}', limit="5000")
    assert len(every) > 100
    assert len(await lines(server, '{host="nuc"}')) == 100
    assert sorted(await lines(server, '{host="nuc"}', limit="7")) == sorted(every)[-7:]
    assert sorted(await lines(server, '{host="nuc"}', limit="7", direction="forward")) == sorted(every)[:7]


async def test_the_begin_is_in_and_the_end_is_not(server: LokiServer) -> None:
    begun = round(BEGUN.timestamp()) * 10**9
    started = {"query": '{unit="backup.service"}', "start": str(begun)}
    assert len(await lines(server, **started, end=str(begun + 1))) == 1
    assert (
        await lines(server, '{unit="backup.service"}', start=str(begun - MINUTE_NS), end=str(begun - 2 * 10**9)) == []
    )


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ('{unit="backup.service"} |= "rsync started"', 1),
        ('{unit="backup.service"} |= "RSYNC started"', 0),
        ('{unit="backup.service"} |~ "(?i)RSYNC st.rted"', 1),
        ("{unit=`backup.service`} |~ `\\d+ files`", 1),
        ('{unit="backup.service"} |= "rsync" != "done"', 1),
        ('{unit="backup.service"} !~ "rsync \\\\d+ %|Starting"', 1),
        ('{unit=~"backup.*", host!="nas"} |= "started"', 1),
        ('{unit=~"backup", host="nuc"}', 0),
        ('{unit!~".*photos.*", job="systemd"} |= "started"', 1),
        ('{nowhere="",host="nuc"} |= "started"', 1),
        ('{unit="backup.service"} |= "\\u0072sync \\x73tarted"', 1),
    ],
)
async def test_selectors_and_line_filters_find(query: str, found: int, server: LokiServer) -> None:
    assert len(await lines(server, query)) == found


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"query": ""}, "parse error at line 1, col 1: syntax error: unexpected $end"),
        ({"query": "rsync"}, "parse error at line 1, col 1"),
        ({"query": "{"}, "parse error at line 1, col 2"),
        ({"query": '{unit="a"'}, "parse error at line 1"),
        ({"query": '{unit="a"} |= rsync'}, "parse error at line 1, col 12"),
        ({"query": '{unit="a"} | json'}, "parse error at line 1, col 12"),
        ({"query": '{unit=~".*"}'}, "at least one regexp or equality matcher"),
        ({"query": '{unit!="a"}'}, "at least one regexp or equality matcher"),
        ({"query": '{unit="a"} |~ "("'}, "error parsing regexp"),
        ({"query": 'count_over_time({unit="a"}[5m])'}, "parse error at line 1, col 1"),
        ({"query": '{unit="a"}', "limit": "0"}, "limit must be a positive value"),
        ({"query": '{unit="a"}', "limit": "6000"}, "max entries limit per query exceeded"),
        ({"query": '{unit="a"}', "limit": "many"}, "invalid syntax"),
        ({"query": '{unit="a"}', "direction": "up"}, "invalid direction"),
        ({"query": '{unit="a"}', "start": "2", "end": "1"}, "end timestamp must not be before or equal to start time"),
        ({"query": '{unit="a"}', "start": "1", "end": str(NOW_NS)}, "the query time range exceeds the limit"),
        ({"query": '{unit="a"}', "start": "noon"}, "could not parse"),
    ],
)
async def test_what_cannot_be_meant_is_refused_in_plain_text(
    parameters: dict[str, str], said: str, server: LokiServer
) -> None:
    status, text, _ = await get(server, "/loki/api/v1/query_range", **HOUR | parameters)
    assert status == 400
    assert said in text


async def test_a_tenant_sees_its_own_logs_and_nobody_sees_any_without(server: LokiServer) -> None:
    status, text, _ = await get(server, "/loki/api/v1/query_range", tenant="", query='{host="nuc"}', **HOUR)
    assert (status, text.strip()) == (401, "no org id")
    status, _, body = await get(server, "/loki/api/v1/query_range", tenant="others", query='{host="nuc"}', **HOUR)
    assert (status, body["data"]["result"]) == (200, [])


async def test_lines_come_as_time_goes_on() -> None:
    ten_minutes = {"start": str(NOW_NS - 10 * MINUTE_NS), "end": str(NOW_NS)}
    half_an_hour_later = {"start": str(NOW_NS + 20 * MINUTE_NS), "end": str(NOW_NS + 30 * MINUTE_NS)}
    server = LokiServer(now=lambda: NOW)
    server.add(nuc.streams(BEGUN))
    await server.start()
    before = await lines(server, '{unit="backup.service"} |= "done"', **ten_minutes)
    after = await lines(server, '{unit="backup.service"} |= "done"', **half_an_hour_later)
    await server.stop()
    assert before[0][1] == "backup: rsync 19 % done, 49.6 MB/s"
    assert after[0][1] == "backup: rsync 34 % done, 49.1 MB/s"


def test_a_query_is_read_with_its_escapes() -> None:
    query = parse('{a="say \\"hi\\"\\n", b=~`\\d`} |= "\\\\"')
    assert [(one.label, one.operator, one.value) for one in query.matchers] == [
        ("a", "=", 'say "hi"\n'),
        ("b", "=~", "\\d"),
    ]
    assert [one.value for one in query.filters] == ["\\"]
