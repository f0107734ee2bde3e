"""The tool that reads a page: what it gives, what it remembers, and how a failure reaches the owner."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from butler.agents.connector.connector import FetchingConnector
from butler.agents.connector.local import LocalFetcher
from butler.agents.connector.web import WebFetcher
from butler.agents.connector.workspace import Workspace
from butler.agents.reading import AgentReader
from butler.contract.errors import AgentErrorCode, IntegrationErrorCode
from butler.contract.integration import IntegrationResult
from butler.contract.tools import ToolCall
from butler.store.errors import StoreBusyError
from config.agents import ConnectorSettings
from modules.web import MODULE
from modules.web.integration_web import READ
from modules.web.module import ReadPageArgs, WebSettings, preview
from tests.agents.connector.site import LOOPBACK, Site, answer, page, site
from tests.support.context import MemoryBlobs, MemoryVault, RecordingProbe, TurnedClock, make_context
from tests.support.declared_facts import assert_facts
from tests.support.documents import KeptMemory, PlainParser

TOOL = "bot_web_read_page"


class Harness:
    """The module on real agents, with a site that it may reach."""

    def __init__(self, folder: Path, pages: Site, fetcher: WebFetcher | None = None) -> None:
        settings = ConnectorSettings(timeout_s=5)
        workspace, local = Workspace(folder / "workspace"), LocalFetcher(settings)
        connector = FetchingConnector(settings, workspace, back_off_s=0.01)
        connector.add([fetcher or pages.fetcher(settings)])
        self.memory, self.probe = KeptMemory(), RecordingProbe()
        reader = AgentReader(connector, PlainParser(), MemoryBlobs(), TurnedClock(), workspace, local)
        self.module = MODULE(WebSettings(), make_context(documents=reader, memory=self.memory, probe=self.probe))
        self.site = pages

    async def read(self, url: str, *, dry_run: bool = False, **more: object) -> IntegrationResult:
        (spec,) = self.module.bot_inputs()
        args = ReadPageArgs(url=url, **more)
        return await spec.handler(ToolCall(tool=TOOL, args=args, call_id="c", trace_id="t", dry_run=dry_run))


@pytest.fixture(name="harness")
async def made(tmp_path: Path) -> AsyncIterator[Harness]:
    async with site() as pages:
        yield Harness(tmp_path, pages)


async def test_a_page_is_given_as_far_as_a_message_shows_it_and_remembered_whole(harness: Harness):
    harness.site.pages["/"] = answer("<!doctype html>" + "words " * 1_000)
    result = await harness.read(harness.site.url("/"), question="what does it cost?")
    assert result.data is not None
    document = result.data["document"]
    url = harness.site.url("/")
    assert (document["source_id"], document["url"], document["title"]) == (f"web:{url}", url, "A title")
    assert (len(document["text"]), document["clipped"], document["chunks"], document["pages"]) == (3_000, True, 1, 1)
    assert document["origin"]["trust"] == "untrusted"
    (kept,) = harness.memory.added
    assert (kept.source_id, kept.kind, kept.url) == (f"web:{url}", "page", url)
    assert len(kept.chunks[0].content) > 6_000
    assert [origin.trust for origin in kept.origins] == ["untrusted"]


async def test_pages_that_came_along_are_remembered_each_and_shown_in_short(harness: Harness):
    harness.site.pages |= {"/": page("start", "/a", "/gone"), "/a": page("a" * 5_000)}
    result = await harness.read(harness.site.url("/"), recursive=True)
    assert result.data is not None
    document = result.data["document"]
    (child,) = document["children"]
    assert child["source_id"] == f"web:{harness.site.url('/a')}"
    assert len(child["text"]) == 300
    assert "has no such page (404)" in document["skipped"][0]
    assert [one.source_id for one in harness.memory.added] == [document["source_id"], child["source_id"]]


async def test_the_same_page_read_again_is_the_same_to_memory(harness: Harness):
    harness.site.pages["/"] = answer("<!doctype html>words", Last_Modified="Tue, 01 Sep 2026 08:00:00 GMT")
    harness.site.pages["/undated"] = answer("<!doctype html>words")
    for path in ("/", "/", "/undated", "/undated"):
        assert (await harness.read(harness.site.url(path))).ok
    dated, again, undated, undated_again = harness.memory.added
    assert dated == again
    assert dated.at == datetime(2026, 9, 1, 8, tzinfo=UTC)
    assert undated == undated_again
    assert undated.at is None


async def test_it_goes_through_the_one_door(harness: Harness):
    harness.site.pages["/"] = page("hello")
    await harness.read(harness.site.url("/"))
    assert [call.method_id for call in harness.probe.calls] == [READ]
    assert await harness.module.integrations()[0].auth_status() == {
        "ok": True,
        "account": "",
        "detail": "nobody signs in to read pages",
        "todo": "",
    }


async def test_a_dry_run_asks_nobody(harness: Harness):
    assert (await harness.read(harness.site.url("/"), dry_run=True)).ok
    assert harness.site.requests == []
    assert harness.memory.added == []


@pytest.mark.parametrize(
    ("body", "code", "agent_code", "words"),
    [
        (answer(b"", "403 No"), IntegrationErrorCode.AUTH_REQUIRED, AgentErrorCode.CONNECTOR_AUTH, "does not let"),
        (answer(b"", "404 No"), IntegrationErrorCode.NOT_FOUND, AgentErrorCode.CONNECTOR_NOT_FOUND, "no such page"),
        (answer(b"", "503 No"), IntegrationErrorCode.UNAVAILABLE, AgentErrorCode.UNAVAILABLE, "try again later"),
        (page("locked"), IntegrationErrorCode.REJECTED, AgentErrorCode.PARSER_ENCRYPTED, "it is protected"),
        (answer(b"\x00\x01"), IntegrationErrorCode.REJECTED, AgentErrorCode.PARSER_UNSUPPORTED, "no kind of file"),
    ],
)
async def test_a_failure_keeps_the_agents_code_and_sentence(
    harness: Harness, body: bytes, code: str, agent_code: str, words: str
):
    harness.site.pages["/"] = body
    result = await harness.read(harness.site.url("/"))
    assert result.error is not None
    assert (result.error.code, result.error.provider_code) == (code, agent_code)
    assert words in result.error.message
    assert harness.memory.added == []


async def test_a_private_address_is_refused_with_what_to_set(tmp_path: Path):
    async def resolve(_host: str) -> list[str]:
        return [LOOPBACK]

    async with site() as pages:
        harness = Harness(tmp_path, pages, WebFetcher(ConnectorSettings(), MemoryVault({}), resolve=resolve))
        result = await harness.read("http://wiki.home.example/")
        assert result.error is not None
        assert result.error.message == (
            "wiki.home.example lies in a private network, so Butler does not read from it; "
            'if it is yours, add "wiki.home.example" to private_hosts in [connector]'
        )


async def test_a_memory_that_does_not_work_takes_nothing_from_what_was_read(harness: Harness):
    harness.site.pages["/"] = page("hello")
    harness.memory.fail_with = StoreBusyError()
    result = await harness.read(harness.site.url("/"))
    assert result.data is not None
    assert result.data["document"]["remembered"] is False


def test_the_card_of_a_page_that_somebody_else_chose_shows_its_whole_address():
    shown = preview(ReadPageArgs(url="https://evil.example/?q=secret", recursive=True))
    assert ("Page", "https://evil.example/?q=secret") in shown.facts
    assert shown.effect == "Opens a page of the web, and pages that it links to; its server sees the address"


def test_where_the_address_is_anybody_elses_choice_it_asks():
    (spec,) = MODULE(WebSettings(), make_context()).bot_inputs()
    assert spec.reaches_out == {"url"}


async def test_declared_facts_are_in_what_it_yields(harness: Harness):
    harness.site.pages["/"] = page("the rent is 900")
    (spec,) = harness.module.bot_inputs()
    assert_facts(spec, await harness.read(harness.site.url("/")))
