"""One page of the web, from a real server: what is sent, what is taken, and what comes of a server that misbehaves."""
# ruff: noqa: ASYNC240 - a test may wait for a small file

import asyncio
import gzip
import hashlib
import ssl
import stat
import sys
import zlib
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from butler.agents.connector.web import WebFetcher
from butler.agents.connector.web_address import Reach
from butler.agents.connector.web_body import Unpacker
from butler.contract.agents import AgentFailure, ConnectorInput, ConnectorOutput
from butler.contract.errors import AgentErrorCode, Retryable
from butler.orchestrator.replies.failures import EXPECTED_ACTION, ExpectedAction
from butler_demo.mailbox.tls import issue_certificate, server_context
from config.agents import ConnectorSettings, PageCredentials
from tests.agents.connector.site import HOST, LOOPBACK, Site, answer, connector, page, redirect, site

SMALL = ConnectorSettings(largest_mb=1, timeout_s=5)
TEXT = b"<!doctype html><p>Hello</p>"


def asking(url: str, **more: object) -> ConnectorInput:
    return ConnectorInput(source_type="web", source_identifier=url, **more)


async def fetched(fetcher: WebFetcher, url: str, folder: Path, **more: object) -> ConnectorOutput:
    result = await fetcher.fetch(asking(url, **more), folder)
    assert isinstance(result, ConnectorOutput), result
    return result


async def failed(fetcher: WebFetcher, url: str, folder: Path, **more: object) -> AgentFailure:
    result = await fetcher.fetch(asking(url, **more), folder)
    assert isinstance(result, AgentFailure), result
    assert list(folder.iterdir()) == [] or all(path.suffix == ".part" for path in folder.iterdir())
    return result


async def test_a_page_is_written_into_the_folder_with_what_is_known_of_it(site: Site, tmp_path: Path):
    site.pages["/a%20b.html?q=1"] = answer(TEXT, Last_Modified="Tue, 01 Sep 2026 08:00:00 GMT")
    result = await fetched(site.fetcher(), site.url("/a%20b.html?q=1#part"), tmp_path)
    path = Path(result.file_path)
    assert path.read_bytes() == TEXT
    assert (path.parent, path.name, stat.S_IMODE(path.stat().st_mode)) == (tmp_path, "000.html", 0o600)
    assert (result.file_size_bytes, result.checksum) == (len(TEXT), hashlib.sha256(TEXT).hexdigest())
    assert (result.name, result.media_type) == ("a b.html", "text/html")
    assert result.source_id == f"web:{site.url('/a%20b.html?q=1')}"
    assert result.source_metadata["charset"] == "utf-8"
    assert result.source_metadata["modified_at"] == "2026-09-01T08:00:00+00:00"


async def test_a_very_long_address_is_known_by_a_short_and_stable_id(site: Site, tmp_path: Path):
    ids: list[str] = []
    for number, end in enumerate("aab"):
        path = f"/?q={'x' * 3_500}{end}"
        site.pages[path] = page("hello")
        (tmp_path / str(number)).mkdir()
        ids.append((await fetched(site.fetcher(), site.url(path), tmp_path / str(number))).source_id)
    assert ids[0] == ids[1] != ids[2]
    assert len(ids[0]) < 300


async def test_nothing_of_ours_is_sent_along_and_cookies_are_not_kept(site: Site, tmp_path: Path, monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("NETRC", "/dev/null")
    site.pages["/"] = [redirect("/b").replace(b"\r\n\r\n", b"\r\nSet-Cookie: a=b; Path=/\r\n\r\n", 1)]
    site.pages["/b"] = page("hello")
    await fetched(site.fetcher(), site.url(), tmp_path)
    for _, headers in site.requests:
        assert set(headers) == {"host", "user-agent", "accept", "accept-encoding", "connection"}
        assert headers["host"] == f"{HOST}:{site.port}"


async def test_a_redirect_is_followed_and_the_page_is_where_it_ended(site: Site, tmp_path: Path):
    site.pages |= {"/": redirect("/a", "301 Moved"), "/a": redirect("b?x=1", "307 Elsewhere"), "/b?x=1": page("hello")}
    result = await fetched(site.fetcher(), site.url(), tmp_path)
    assert result.source_metadata["url"] == site.url("/b?x=1")
    assert result.source_metadata["asked"] == site.url("/")
    assert site.paths == ["/", "/a", "/b?x=1"]


@pytest.mark.parametrize("times", [5, 6])
async def test_at_most_five_redirects_are_followed(site: Site, tmp_path: Path, times: int):
    site.pages = {f"/{n}": redirect(f"/{n + 1}") for n in range(times)} | {f"/{times}": page("hello")}
    result = await site.fetcher().fetch(asking(site.url("/0")), tmp_path)
    assert isinstance(result, ConnectorOutput if times == 5 else AgentFailure)
    assert len(site.requests) == 6


@pytest.mark.parametrize(
    "location",
    [
        "http://127.0.0.2:{port}/",
        "http://169.254.169.254/latest/meta-data/iam/",
        "http://[::1]:{port}/",
        "http://[::ffff:127.0.0.1]:{port}/",
        "http://2130706433:{port}/",
        "http://localhost:{port}/",
        "http://wiki.home.example:{port}/",
        "http://inside.example:{port}/",
        "//inside.example:{port}/",
        "https://inside.example/",
        "http://pages.example:22/",
        "http://a:b@pages.example:{port}/",
        "file:///etc/passwd",
        "gopher://pages.example/",
        "http://[",
        "",
    ],
)
async def test_a_redirect_to_where_nobody_may_go_is_not_followed(site: Site, tmp_path: Path, location: str):
    site.names["inside.example"] = ["10.0.0.1"]
    site.pages["/"] = redirect(location.format(port=site.port))
    fetcher = site.fetcher(reach=site.reach([f"wiki.home.example:{site.port}"]))
    failure = await failed(fetcher, site.url(), tmp_path)
    is_none = location in {"", "http://["}
    assert failure.error_code == (AgentErrorCode.CONNECTOR_NOT_FOUND if is_none else AgentErrorCode.REFUSED)
    assert site.paths == ["/"]


async def test_a_name_that_changes_its_address_is_reached_at_the_one_that_was_looked_at(site: Site, tmp_path: Path):
    asked: list[str] = []

    async def rebinding(host: str) -> Sequence[str]:
        asked.append(host)
        return [LOOPBACK] if len(asked) == 1 else ["127.0.0.2"]

    site.pages["/"] = page("hello")
    fetcher = site.fetcher(resolve=rebinding)
    assert await fetched(fetcher, site.url(), tmp_path)
    assert len(asked) == 1
    again = await fetcher.fetch(asking(site.url()), tmp_path)
    assert isinstance(again, AgentFailure)
    assert "private network" in again.message
    assert len(site.requests) == 1


async def test_a_redirect_looks_its_name_up_anew_and_judges_it_anew(site: Site, tmp_path: Path):
    answers = iter([[LOOPBACK], ["192.168.0.1"]])

    async def rebinding(_host: str) -> Sequence[str]:
        return next(answers)

    site.pages["/"] = redirect("/again")
    assert "private network" in (await failed(site.fetcher(resolve=rebinding), site.url(), tmp_path)).message
    assert site.paths == ["/"]


async def test_a_host_of_the_own_network_is_read_once_it_stands_in_the_settings(site: Site, tmp_path: Path):
    site.pages["/"] = page("hello")
    url = site.url(host="wiki.home.example")
    closed = WebFetcher(ConnectorSettings(), None, resolve=site.resolve)
    assert f'add "wiki.home.example:{site.port}"' in (await failed(closed, url, tmp_path)).message
    settings = ConnectorSettings(private_hosts=(f"wiki.home.example:{site.port}",))
    assert await fetched(WebFetcher(settings, None, resolve=site.resolve), url, tmp_path)


async def test_an_own_machine_may_lead_to_another_one_that_stands_there(site: Site, tmp_path: Path):
    site.pages |= {"/": redirect(site.url("/b", "nas.home.example")), "/b": page("hello")}
    hosts = (f"wiki.home.example:{site.port}", f"nas.home.example:{site.port}")
    fetcher = WebFetcher(ConnectorSettings(private_hosts=hosts), None, resolve=site.resolve)
    assert await fetched(fetcher, site.url(host="wiki.home.example"), tmp_path)


@pytest.mark.parametrize(
    ("status", "code", "words"),
    [
        ("401 Unauthorized", AgentErrorCode.CONNECTOR_AUTH, "does not let Butler read this (401)"),
        ("403 Forbidden", AgentErrorCode.CONNECTOR_AUTH, "does not let Butler read this (403)"),
        ("404 Not Found", AgentErrorCode.CONNECTOR_NOT_FOUND, "has no such page (404)"),
        ("410 Gone", AgentErrorCode.CONNECTOR_NOT_FOUND, "has no such page (410)"),
        ("418 Teapot", AgentErrorCode.CONNECTOR_NOT_FOUND, "did not give the page (418)"),
        ("204 No Content", AgentErrorCode.CONNECTOR_NOT_FOUND, "did not give the page (204)"),
        ("206 Partial Content", AgentErrorCode.CONNECTOR_NOT_FOUND, "did not give the page (206)"),
    ],
)
async def test_a_refusal_is_a_code_and_a_sentence(site: Site, tmp_path: Path, status: str, code: str, words: str):
    site.pages["/"] = answer(b"", status)
    failure = await failed(site.fetcher(), site.url(), tmp_path)
    assert (failure.error_code, failure.agent_id) == (code, "connector")
    assert words in failure.message


@pytest.mark.parametrize("status", ["408 Timeout", "429 Too Many", "500 Oh", "503 Busy"])
async def test_a_server_that_cannot_now_may_be_asked_later(site: Site, tmp_path: Path, status: str):
    site.pages["/"] = answer(b"", status, Retry_After="7")
    with pytest.raises(Retryable, match="cannot answer now") as caught:
        await site.fetcher().fetch(asking(site.url()), tmp_path)
    assert caught.value.wait.total_seconds() == 7


@pytest.mark.parametrize("text", ["Wed, 21 Oct 2015 07:28:00 GMT", "soon", "-5", "9" * 40, "²"])
async def test_a_time_to_come_again_that_makes_no_sense_is_no_long_wait(site: Site, tmp_path: Path, text: str):
    site.pages["/"] = answer(b"", "503 Busy").replace(b"\r\n\r\n", f"\r\nRetry-After: {text}\r\n\r\n".encode(), 1)
    with pytest.raises(Retryable) as caught:
        await site.fetcher().fetch(asking(site.url()), tmp_path)
    assert 0 <= caught.value.wait.total_seconds() <= 3_600


async def test_a_server_that_is_away_or_breaks_off_may_be_asked_later(site: Site, tmp_path: Path):
    async def breaks_off(writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 100\r\n\r\nhalf")
        await writer.drain()

    site.pages |= {"/half": breaks_off, "/none": b""}
    for path in ("/half", "/none"):
        with pytest.raises(Retryable, match="broke off"):
            await site.fetcher().fetch(asking(site.url(path)), tmp_path)
    away = site.url().replace(str(site.port), "443")
    reach = Reach(allowed=frozenset({LOOPBACK}))
    with pytest.raises(Retryable, match="cannot be reached"):
        await site.fetcher(reach=reach).fetch(asking(away), tmp_path)


async def test_nonsense_is_no_answer(site: Site, tmp_path: Path):
    site.pages |= {"/": b"nonsense\r\n\r\n", "/long": b"HTTP/1.1 200 OK\r\nX: " + b"x" * 100_000 + b"\r\n\r\n"}
    for path in ("/", "/long"):
        failure = await failed(site.fetcher(), site.url(path), tmp_path)
        assert (failure.details or {})["why"] == "garbage"


async def test_a_slow_body_is_not_waited_for(site: Site, tmp_path: Path):
    async def drips(writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n")
        while not writer.is_closing():
            writer.write(b"<p>")
            await writer.drain()
            await asyncio.sleep(0.02)

    site.pages["/"] = drips
    settings = ConnectorSettings(timeout_s=0.3)
    async with connector(tmp_path, site.fetcher(settings), settings).fetched(asking(site.url())) as result:
        assert isinstance(result, AgentFailure)
        assert (result.error_code, result.recoverable) == (AgentErrorCode.TIMEOUT, True)
        assert "longer than 0.3 seconds" in result.message


@pytest.mark.parametrize("told", [True, False])
async def test_a_huge_body_is_cut_off_whether_or_not_its_length_is_told(site: Site, tmp_path: Path, told: bool):
    sent = 0

    async def floods(writer: asyncio.StreamWriter) -> None:
        nonlocal sent
        length = b"Content-Length: 99999999\r\n" if told else b""
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n" + length + b"\r\n")
        while not writer.is_closing() and sent < 99_999_999:
            writer.write(b"x" * 65_536)
            sent += 65_536
            await writer.drain()

    site.pages["/"] = floods
    failure = await failed(site.fetcher(SMALL), site.url(), tmp_path)
    assert "larger than the 1 MB that are fetched (largest_mb in [connector])" in failure.message
    assert sent < 20_000_000
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) <= 2_000_000


@pytest.mark.parametrize(
    ("encoding", "packed"),
    [
        ("gzip", gzip.compress(bytes(200_000_000), 9, mtime=0)),
        ("deflate", zlib.compress(bytes(50_000_000), 9)),
        ("gzip", gzip.compress(b"a" * 900_000, mtime=0) * 2),
    ],
)
async def test_a_few_bytes_that_unpack_to_very_many_are_cut_off(
    site: Site, tmp_path: Path, encoding: str, packed: bytes
):
    site.pages["/"] = answer(packed, Content_Encoding=encoding)
    failure = await failed(site.fetcher(SMALL), site.url(), tmp_path)
    assert "larger than the 1 MB" in failure.message
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) <= 2_000_000


@pytest.mark.parametrize(
    ("encoding", "packed"),
    [
        ("gzip", gzip.compress(TEXT, mtime=0)),
        ("GZIP", gzip.compress(TEXT[:9], mtime=0) + gzip.compress(TEXT[9:], mtime=0)),
        ("x-gzip", gzip.compress(TEXT, mtime=0) + b"and a trailer"),
        ("deflate", zlib.compress(TEXT)),
        ("deflate", zlib.compress(TEXT)[2:-4]),
        ("identity", TEXT),
    ],
)
async def test_a_packed_page_is_unpacked(site: Site, tmp_path: Path, encoding: str, packed: bytes):
    site.pages["/"] = answer(packed, Content_Encoding=encoding)
    result = await fetched(site.fetcher(), site.url(), tmp_path)
    assert Path(result.file_path).read_bytes() == TEXT


async def test_a_packed_page_that_is_damaged_may_come_whole_the_next_time(site: Site, tmp_path: Path):
    whole = gzip.compress(TEXT * 100)
    for number, packed in enumerate((whole[:-9], whole[:20] + b"\xff" * 50)):
        site.pages["/"] = answer(packed, Content_Encoding="gzip")
        (tmp_path / str(number)).mkdir()
        with pytest.raises(Retryable):
            await site.fetcher().fetch(asking(site.url()), tmp_path / str(number))


async def test_a_packing_that_was_not_asked_for_is_not_guessed_at(site: Site, tmp_path: Path):
    site.pages["/"] = answer(TEXT, Content_Encoding="br")
    assert "was not asked for" in (await failed(site.fetcher(), site.url(), tmp_path)).message


@pytest.mark.parametrize(
    ("kind", "body", "name"),
    [
        ("video/mp4", b"\x00\x00\x00\x18ftypmp42", ""),
        ("audio/mpeg", b"ID3\x04", ""),
        ("application/zip", b"PK\x03\x04", ""),
        ("text/html", b"\x7fELF\x02\x01\x01", ""),
        ("text/html", b"MZ\x90\x00\x03", ""),
        ("application/pdf", b"PK\x03\x04" + bytes(100), "a.pdf"),
        ("application/octet-stream", bytes(range(256)), "a.html"),
        ("text/plain", b"\x00\x01\x02\x03", ""),
        ("text/html", b"", ""),
    ],
)
async def test_what_is_no_page_and_no_document_is_not_taken(
    site: Site, tmp_path: Path, kind: str, body: bytes, name: str
):
    site.pages[f"/{name}"] = answer(body, kind=kind)
    failure = await failed(site.fetcher(), site.url(f"/{name}"), tmp_path)
    assert failure.error_code == AgentErrorCode.PARSER_UNSUPPORTED


@pytest.mark.parametrize(
    ("kind", "body", "ending"),
    [
        ("", TEXT, ".html"),
        ("application/octet-stream", b"%PDF-1.7 ...", ".pdf"),
        ("text/html", b"%PDF-1.7 ...", ".pdf"),
        ("image/png", TEXT, ".html"),
        ("application/pdf", TEXT, ".html"),
        ("text/plain", b"plain words", ".txt"),
        ("application/json", b'{"a": 1}', ".txt"),
        ("text/csv; header=present", b"a,b\n1,2\n", ".csv"),
        ("text/calendar", b"BEGIN:VCALENDAR\r\n", ".ics"),
        ("text/html", b"\x89PNG\r\n\x1a\n\x00", ".img"),
        ("nonsense", b"words", ".txt"),
    ],
)
async def test_what_it_holds_says_what_it_is_before_what_the_server_says(
    site: Site, tmp_path: Path, kind: str, body: bytes, ending: str
):
    site.pages["/"] = answer(body, kind=kind)
    assert Path((await fetched(site.fetcher(), site.url(), tmp_path)).file_path).suffix == ending


@pytest.mark.parametrize(
    ("disposition", "name"),
    [
        ('attachment; filename="report.pdf"', "report.pdf"),
        ('attachment; filename="../../etc/passwd"', "passwd"),
        ('attachment; filename="..\\\\x\\r\\nY: z.pdf"', None),
        ("attachment; filename*=UTF-8''%e2%82%ac%20rates.pdf", "€ rates.pdf"),
        ("attachment; filename*=nonsense''%ff", None),
        ("attachment; filename*=idna''%ff", "f.pdf"),
        ("inline", "f.pdf"),
    ],
)
async def test_a_name_is_data_and_never_a_path(site: Site, tmp_path: Path, disposition: str, name: str | None):
    site.pages["/f.pdf"] = answer(b"%PDF-1.7", Content_Disposition=disposition)
    result = await fetched(site.fetcher(), site.url("/f.pdf"), tmp_path)
    assert name is None or result.name == name
    assert result.name.isprintable()
    assert "/" not in result.name
    assert Path(result.file_path) == tmp_path / "000.pdf"


@pytest.fixture(name="tls_site")
async def site_over_tls(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Site]:
    ca, cert, key = issue_certificate(tmp_path_factory.mktemp("tls"))
    async with site(server_context(cert, key)) as running:
        running.tls = ssl.create_default_context(cafile=str(ca))
        yield running


async def test_a_server_has_to_prove_its_name_although_its_address_is_pinned(tls_site: Site, tmp_path: Path):
    tls_site.pages["/"] = page("hello")
    own = tls_site.reach([f"localhost:{tls_site.port}"])
    assert await fetched(tls_site.fetcher(reach=own), tls_site.url(host="localhost", scheme="https"), tmp_path)
    stranger = await tls_site.fetcher().fetch(asking(tls_site.url(scheme="https")), tmp_path)
    assert isinstance(stranger, AgentFailure)
    assert "does not prove that it is pages.example" in stranger.message
    untrusted = tls_site.fetcher(reach=own, tls=None)
    assert isinstance(
        await untrusted.fetch(asking(tls_site.url(host="localhost", scheme="https")), tmp_path), AgentFailure
    )
    assert len(tls_site.requests) == 1


def folder(above: Path, name: str) -> Path:
    (above / name).mkdir()
    return above / name


def login(origin: str, **more: Any) -> ConnectorSettings:
    """Settings with credentials for one server, under the name `wiki`."""
    return ConnectorSettings(
        timeout_s=5, credentials={"wiki": PageCredentials(origin=origin, secret_env="WIKI_LOGIN", **more)}
    )


async def test_credentials_go_to_their_origin_and_are_lost_on_the_way_to_another(site: Site, tmp_path: Path):
    site.pages |= {
        "/": redirect("/same"),
        "/same": redirect(site.url("/other", "other.example")),
        "/other": redirect(site.url("/back", "wiki.home.example")),
        "/back": page("hello"),
    }
    hosts = [f"wiki.home.example:{site.port}", f"other.example:{site.port}"]
    settings = login(site.url("/", "wiki.home.example"), kind="header", header="X-Token")
    fetcher = site.fetcher(settings, reach=site.reach(hosts), vault={"WIKI_LOGIN": "secret-token"})
    await fetched(fetcher, site.url("/", "wiki.home.example"), tmp_path, credentials_id="wiki")
    assert [headers.get("x-token") for _, headers in site.requests] == ["secret-token"] * 2 + [None] * 2


@pytest.mark.parametrize(
    ("kind", "sent"), [("bearer", "Bearer robin:open sesame"), ("basic", "Basic cm9iaW46b3BlbiBzZXNhbWU=")]
)
async def test_a_page_of_a_server_with_credentials_gets_them_unasked_and_no_other_server_does(
    site: Site, tmp_path: Path, kind: str, sent: str
):
    site.pages |= {"/": page("hello"), "/a": page("a")}
    hosts = [f"wiki.home.example:{site.port}", f"other.example:{site.port}"]
    settings = login(site.url("/", "wiki.home.example"), kind=kind)
    fetcher = site.fetcher(settings, reach=site.reach(hosts), vault={"WIKI_LOGIN": "robin:open sesame"})
    await fetched(fetcher, site.url("/", "wiki.home.example"), folder(tmp_path, "1"))
    await fetched(fetcher, site.url("/a", "other.example"), folder(tmp_path, "2"))
    assert [headers.get("authorization") for _, headers in site.requests] == [sent, None]


@pytest.mark.parametrize("status", ["401 Unauthorized", "403 Forbidden"])
async def test_a_page_behind_a_login_says_how_it_is_set_up_or_which_one_does_not_do(
    site: Site, tmp_path: Path, status: str
):
    site.pages["/"] = answer("no", status)
    reach = site.reach([f"wiki.home.example:{site.port}"])
    url = site.url("/", "wiki.home.example")
    without = await failed(site.fetcher(reach=reach), url, folder(tmp_path, "1"))
    fetcher = site.fetcher(login(url), reach=reach, vault={"WIKI_LOGIN": "secret-token"})
    refused = await failed(fetcher, url, folder(tmp_path, "2"))
    assert "[connector.credentials.NAME] in butler.toml, or go on without the page" in without.message
    assert "although it got your login; look at [connector.credentials.wiki]" in refused.message
    for failure in (without, refused):
        assert failure.error_code == AgentErrorCode.CONNECTOR_AUTH
        assert EXPECTED_ACTION[AgentErrorCode(failure.error_code)] is ExpectedAction.ASK_CREDENTIALS
        assert "secret-token" not in failure.model_dump_json()


@pytest.mark.parametrize(
    "origin", ["https://other.example/", "http://pages.example/", "https://pages.example:8443/", "nonsense"]
)
async def test_credentials_that_are_not_for_a_server_are_sent_nowhere_and_not_shown(
    site: Site, tmp_path: Path, origin: str
):
    site.pages["/"] = page("hello")
    fetcher = site.fetcher(login(origin), vault={"WIKI_LOGIN": "secret-token"})
    failure = await failed(fetcher, site.url(), tmp_path, credentials_id="wiki")
    assert failure.error_code == AgentErrorCode.CONNECTOR_AUTH
    assert "secret-token" not in failure.model_dump_json()
    assert site.requests == []


@pytest.mark.parametrize(
    ("secret", "more"),
    [
        ("secret", {"kind": "header", "header": "Cookie"}),
        ("secret", {"kind": "header", "header": "Host"}),
        ("secret", {"kind": "header"}),
        ("a\r\nX: y", {}),
        ("", {}),
        ("é", {}),
    ],
)
async def test_a_credential_is_one_plain_header(site: Site, tmp_path: Path, secret: str, more: dict[str, str]):
    site.pages["/"] = page("hello")
    url = site.url(host="wiki.home.example")
    reach = site.reach([f"wiki.home.example:{site.port}"])
    fetcher = site.fetcher(login(url, **more), reach=reach, vault={"WIKI_LOGIN": secret})
    failure = await failed(fetcher, url, tmp_path, credentials_id="wiki")
    assert failure.error_code == AgentErrorCode.CONNECTOR_AUTH
    assert "[connector.credentials.wiki]" in failure.message
    assert site.requests == []


async def test_credentials_that_are_not_set_up_are_told(site: Site, tmp_path: Path):
    failure = await failed(site.fetcher(), site.url(), tmp_path, credentials_id="WIKI_LOGIN")
    assert failure.message == "there is no [connector.credentials.WIKI_LOGIN] in butler.toml"
    assert site.requests == []


@pytest.mark.parametrize("charset", [f"charset*{'9' * 5_000}*=x", "charset*=a%00'en'x", "charset*=nothing''%ff"])
async def test_a_character_set_that_is_no_name_is_none(site: Site, tmp_path: Path, charset: str):
    site.pages["/"] = answer("<!doctype html><html><body>hello</body></html>", kind=f"text/html; {charset}")
    output = await fetched(site.fetcher(), site.url(), tmp_path)
    assert output.media_type == "text/html"
    assert output.source_metadata["charset"] in {"", "%ff"}


async def test_what_a_server_sends_behind_the_end_of_a_packed_page_takes_no_room():
    unpacker = Unpacker("gzip", "pages.example")
    assert b"".join(unpacker.feed(gzip.compress(b"hello") + b"behind")) == b"hello"
    before = sys.getsizeof(unpacker._inflate.unused_data)
    assert [*unpacker.feed(bytes(1_000_000))] == []
    assert sys.getsizeof(unpacker._inflate.unused_data) == before
    unpacker.end()


async def test_all_else_goes_on_while_a_few_bytes_unpack_to_very_many(site: Site, tmp_path: Path):
    site.pages["/"] = answer(gzip.compress(bytes(40_000_000)), kind="text/plain", Content_Encoding="gzip")
    turns = 0

    async def works() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    work = asyncio.create_task(works())
    await site.fetcher().fetch(asking(site.url()), tmp_path)
    work.cancel()
    # One turn for each piece at the least.
    assert turns >= 40_000_000 // (256 * 1024)
