"""The person's Drive, by Google's own client against a stand-in: found, read, told why not, and never changed."""
# ruff: noqa: ASYNC240 - a test may wait for a small file

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from butler.agents.connector.connector import FetchingConnector
from butler.agents.connector.local import LocalFetcher
from butler.agents.connector.workspace import Workspace
from butler.agents.reading import AgentReader
from butler.contract.agents import AgentFailure, ConnectorInput, ConnectorOutput
from butler.contract.base_integration import BaseIntegration
from butler.contract.errors import AgentErrorCode, IntegrationErrorCode, IntegrationFault
from butler.contract.integration import Idempotency, IntegrationCall, IntegrationResult, Method, RawAnswer, method
from butler.contract.tools import ToolCall
from butler_demo.drive.server import DriveServer
from config.agents import ConnectorSettings
from modules._accounts.google_client import Api, GoogleClient
from modules._accounts.google_errors import Product, SignIn
from modules.drive.config import DriveModuleSettings, DriveSettings
from modules.drive.fetcher import FOLDER_TYPE, Account, DriveFetcher, file_id_of
from modules.drive.module import DriveModule
from modules.drive.records import (
    ABOUT,
    DOWNLOAD,
    FOLDER,
    GET,
    START,
    DownloadArgs,
    Downloaded,
    DriveFile,
    FileId,
    Files,
    FolderArgs,
)
from tests.support.context import MemoryBlobs, TurnedClock, make_context
from tests.support.declared_facts import assert_facts, tools_with_facts
from tests.support.documents import KeptMemory, PlainParser

ME, ANNA = "me@home.example", "anna@friends.example"
READONLY = "https://www.googleapis.com/auth/drive.readonly"
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
SHORTCUT = "application/vnd.google-apps.shortcut"
AUTH, LOST, UNREAD, REFUSED = (
    AgentErrorCode.CONNECTOR_AUTH,
    AgentErrorCode.CONNECTOR_NOT_FOUND,
    AgentErrorCode.PARSER_UNSUPPORTED,
    AgentErrorCode.REFUSED,
)


@dataclass
class Harness:
    """The module, its server, and a workspace."""

    server: DriveServer
    module: DriveModule
    workspace: Path
    fetched: int = 0

    async def fetch(self, file: str, *, recursive: bool = False, account: str | None = None) -> Any:
        self.fetched += 1
        into = self.workspace / str(self.fetched)
        into.mkdir()
        wanted = ConnectorInput(
            source_type="gdrive", source_identifier=file, recursive=recursive, credentials_id=account
        )
        return await self.module.fetchers()[0].fetch(wanted, into)

    async def files(self, file: str, **more: Any) -> list[tuple[str, bytes]]:
        got = await self.fetch(file, **more)
        assert isinstance(got, ConnectorOutput), got
        return [(one.name, Path(one.file_path).read_bytes()) for one in (got, *got.children)]

    async def failure(self, file: str, **more: Any) -> tuple[str, str]:
        got = await self.fetch(file, **more)
        assert isinstance(got, AgentFailure), got
        return got.error_code, got.message

    async def call(self, tool: str, **args: Any) -> IntegrationResult:
        spec = next(one for one in self.module.user_inputs() if one.tool_name == tool)
        call = ToolCall(tool=tool, args=spec.args(**args), call_id="c", trace_id="t", account="main")
        return await spec.handler(call)


@pytest.fixture
async def harness(tmp_path: Path) -> AsyncIterator[Harness]:
    server = DriveServer()
    server.add_account(ME, "Robin")
    server.add_account(ANNA, "Anna")
    await server.start()
    settings = {"user": {"api_root": server.url, "largest_mb": 1, "most_files": 3}}
    secrets = {"USER_DRIVE_OAUTH_JSON": server.credentials_json(ME, [READONLY])}
    module = DriveModule(DriveModuleSettings.model_validate(settings), make_context(secrets=secrets))
    yield Harness(server, module, tmp_path)
    await module.stop()
    await server.stop()


async def test_a_file_comes_whole_with_what_drive_says_of_it(harness: Harness) -> None:
    id_ = harness.server.add_file(ME, "../../etc/rent.txt", b"The rent is 900.", "text/plain")
    got = await harness.fetch(id_)
    assert Path(got.file_path).parent == harness.workspace / "1", "a name is never a path"
    assert (got.name, got.media_type, got.source_id) == ("../../etc/rent.txt", "text/plain", f"gdrive:{id_}")
    assert (got.file_size_bytes, len(got.checksum)) == (16, 64)
    assert (got.source_metadata["author"], id_ in got.source_metadata["url"]) == (ME, True)


async def test_the_address_that_a_browser_shows_is_as_good_as_the_id(harness: Harness) -> None:
    id_ = harness.server.add_file(ME, "a.txt", b"a", "text/plain")
    assert await harness.files(f"https://drive.google.com/file/d/{id_}/view?usp=sharing") == [("a.txt", b"a")]


@pytest.mark.parametrize(
    ("said", "id_"),
    [
        ("https://docs.google.com/document/d/1abcdefghijk/edit#heading", "1abcdefghijk"),
        ("https://drive.google.com/drive/u/0/folders/1abcdefghijk", "1abcdefghijk"),
        ("https://drive.google.com/open?id=1abcdefghijk", "1abcdefghijk"),
        ("gdrive:1abcdefghijk", "1abcdefghijk"),
        ("https://evil.example/file/d/1abcdefghijk/view", None),
        ("https://drive.google.com.evil.example/file/d/1abcdefghijk", None),
        ("https://drive.google.com/open?id=../x", None),
        ("the rent", None),
    ],
)
def test_what_names_a_file(said: str, id_: str | None) -> None:
    assert file_id_of(said) == id_


async def test_a_file_of_googles_editors_is_exported_and_a_form_is_said_to_be_unreadable(harness: Harness) -> None:
    letter = harness.server.add_document(ME, "Letter", {DOCX: b"PK letter"})
    assert await harness.files(letter) == [("Letter", b"PK letter")]
    form = harness.server.add_document(ME, "Survey", {}, "form")
    assert await harness.failure(form) == (UNREAD, "a Google form cannot be read as text")


async def test_a_folder_is_read_with_its_caps_and_what_was_left_out_is_told(harness: Harness) -> None:
    top = harness.server.add_folder(ME, "Papers")
    for number in (1, 2):
        harness.server.add_file(ME, f"{number}.txt", b"%d" % number, "text/plain", parent=top)
    inner = harness.server.add_folder(ME, "Old", parent=top)
    deep = harness.server.add_folder(ME, "Older", parent=inner)
    harness.server.add_file(ME, "deep.txt", b"deep", "text/plain", parent=deep)
    for name in ("x.txt", "y.txt"):
        harness.server.add_file(ME, name, name.encode(), "text/plain", parent=inner)
    got = await harness.fetch(top, recursive=True)
    assert [one.name for one in (got, *got.children)] == ["1.txt", "2.txt", "x.txt"]
    assert got.skipped == ["y.txt: beyond the first 3 files", "Older: a folder further down than 2"]
    assert await harness.failure(top) == (REFUSED, "this is a folder; ask for all that is in it")
    empty = harness.server.add_folder(ME, "Empty")
    assert (await harness.failure(empty, recursive=True))[1].endswith("could be read: it is empty")


async def test_one_bad_file_of_a_folder_does_not_keep_the_others(harness: Harness) -> None:
    top = harness.server.add_folder(ME, "Papers")
    harness.server.add_document(ME, "a form", {}, "form", parent=top)
    harness.server.add_file(ME, "large.bin", b"x" * 1_000_001, parent=top)
    harness.server.add_file(ME, "ok.txt", b"ok", "text/plain", parent=top)
    got = await harness.fetch(top, recursive=True)
    assert (got.name, got.children) == ("ok.txt", [])
    assert got.skipped == [
        "a form: a Google form cannot be read as text",
        "large.bin: it has 1 MB, more than the 1 MB that are read",
    ]


async def test_a_file_that_is_shared_with_the_person_is_read_and_anybody_elses_is_not_there(harness: Harness) -> None:
    plan = harness.server.add_file(ANNA, "Plan", b"plan", "text/plain")
    assert (await harness.failure(plan))[0] == LOST
    harness.server.share(plan, ME)
    assert await harness.files(plan) == [("Plan", b"plan")]


async def test_a_file_of_a_shared_drive_is_found_and_read_like_ones_own(harness: Harness) -> None:
    drive = harness.server.add_shared_drive(ANNA, "The house")
    top = harness.server.add_folder(ANNA, "Papers", parent=drive)
    inner = harness.server.add_folder(ANNA, "Old", parent=top)
    lease = harness.server.add_file(ANNA, "lease.txt", b"the lease", "text/plain", parent=top)
    harness.server.add_file(ANNA, "older.txt", b"older", "text/plain", parent=inner)
    letter = harness.server.add_document(ANNA, "Letter", {DOCX: b"PK letter"}, parent=inner)
    assert (await harness.failure(lease))[0] == LOST, "only its members see it"
    harness.server.share(drive, ME)
    got = await harness.fetch(lease)
    assert (Path(got.file_path).read_bytes(), got.source_metadata["author"]) == (b"the lease", "")
    assert await harness.files(letter) == [("Letter", b"PK letter")]
    everything = [("lease.txt", b"the lease"), ("Letter", b"PK letter"), ("older.txt", b"older")]
    assert await harness.files(top, recursive=True) == everything
    found = await harness.call("user_drive_search", words="lease")
    assert found.data is not None
    assert [(file["title"], file["owner"]) for file in found.data["files"]] == [("lease.txt", "")]


async def test_a_shared_drive_itself_is_read_as_a_folder(harness: Harness) -> None:
    drive = harness.server.add_shared_drive(ME, "The house")
    harness.server.add_file(ME, "lease.txt", b"the lease", "text/plain", parent=drive)
    assert await harness.files(drive, recursive=True) == [("lease.txt", b"the lease")]


async def test_a_download_that_nobody_waits_for_ends_and_the_next_one_is_read(harness: Harness, tmp_path: Path) -> None:
    id_ = harness.server.add_file(ME, "a.txt", b"a", "text/plain")
    connections = 0

    async def drip(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal connections
        connections += 1
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 1000000\r\n\r\n")
        asked.set()
        with suppress(ConnectionError):
            await reader.read()
        ended.set()
        writer.close()

    asked, ended = asyncio.Event(), asyncio.Event()
    server = await asyncio.start_server(drip, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    client = GoogleClient(Api("drive", "v3", lambda service: service), f"http://127.0.0.1:{port}/")
    sign_in = SignIn(Product("Google Drive", "file", "guide"), "butler login drive", datetime.now(UTC))
    download = asyncio.create_task(
        client.download(
            lambda drive: drive.files().get_media(fileId="x"), "token", sign_in, tmp_path / "part", 10_000_000
        )
    )
    # Less than a request may take, so that nothing but the cancellation ends it.
    async with asyncio.timeout(30):
        await asked.wait()
        download.cancel()
        with pytest.raises(asyncio.CancelledError):
            await download
        await ended.wait()
        # Its thread is free again: a second look would wait for it.
        await asyncio.to_thread(client._executor.shutdown, wait=True)
    server.close()
    assert connections == 1
    assert await harness.files(id_) == [("a.txt", b"a")]


async def test_a_sign_in_that_is_over_an_account_that_is_none_and_what_names_no_file(harness: Harness) -> None:
    id_ = harness.server.add_file(ME, "a.txt", b"a", "text/plain")
    assert await harness.failure(id_, account="work") == (AUTH, "your Drive is not set up; run `butler login drive`")
    assert (await harness.failure("no file"))[0] == REFUSED
    harness.server.authority.revoke(ME)
    await harness.module.signed_in()
    code, said = await harness.failure(id_)
    assert (code, "run `butler login drive`" in said) == (AUTH, True)
    checks = await harness.module.checks()
    assert [check.ok for check in checks] == [False]


async def test_files_are_found_by_name_or_content_and_quotes_in_words_are_words(harness: Harness) -> None:
    harness.server.add_file(ME, "Anna's rent.txt", b"900 a month", "text/plain")
    found = await harness.call("user_drive_search", words="Anna's")
    assert found.data is not None
    assert [file["title"] for file in found.data["files"]] == ["Anna's rent.txt"]
    nothing = await harness.call("user_drive_search", words="') or trashed = true or name contains ('")
    assert nothing.error is not None
    assert nothing.error.code is IntegrationErrorCode.NOT_FOUND
    wrong = await harness.call("user_drive_read", file="the rent")
    assert wrong.error is not None
    assert wrong.error.code is IntegrationErrorCode.INVALID_INPUT


async def test_without_words_the_newest_files_are_listed(harness: Harness) -> None:
    nothing = await harness.call("user_drive_search")
    assert nothing.error is not None
    assert nothing.error.message == "there is no file in your Drive"
    for number in range(1, 5):
        harness.server.add_file(ME, f"{number}.txt", b"x", "text/plain")
    harness.server.add_file(ANNA, "hers.txt", b"x", "text/plain")
    found = await harness.call("user_drive_search", limit=3)
    assert found.data is not None
    assert [file["title"] for file in found.data["files"]] == ["4.txt", "3.txt", "2.txt"]
    assert harness.server.calls[-1].operation.endswith("list")


async def test_nothing_of_drive_is_ever_changed(harness: Harness) -> None:
    id_ = harness.server.add_file(ME, "a.txt", b"a", "text/plain")
    before = json.dumps(harness.server.files(ME), sort_keys=True)
    await harness.files(id_)
    await harness.call("user_drive_search", words="a")
    assert json.dumps(harness.server.files(ME), sort_keys=True) == before
    assert {call.operation.split(".")[-1] for call in harness.server.calls} <= {"get", "list", "export"}


class Told(BaseIntegration):
    """Drive as far as shortcuts go, which the stand-in does not know: its files, and what is in which folder."""

    provider = "told"

    def __init__(self, files: dict[str, dict[str, str]], inside: dict[str, list[str]]) -> None:
        self.files, self.inside, self.asked = files, inside, 0
        super().__init__()

    def methods(self) -> list[Method]:
        read = Idempotency.READ
        return [
            method(GET, args=FileId, answer=DriveFile, run=self._raw_get, idempotency=read),
            method(FOLDER, args=FolderArgs, answer=Files, run=self._raw_folder, idempotency=read),
            method(DOWNLOAD, args=DownloadArgs, answer=Downloaded, run=self._raw_download, idempotency=read),
        ]

    async def auth_status(self) -> dict[str, Any]:
        return {"ok": True, "account": "", "detail": "", "todo": ""}

    async def _raw_get(self, _: IntegrationCall, args: FileId) -> RawAnswer:
        self.asked += 1
        if args.id not in self.files:
            raise IntegrationFault(IntegrationErrorCode.NOT_FOUND, "Google Drive has no such file in this account")
        return RawAnswer({"id": args.id, "name": args.id, "media_type": "text/plain"} | self.files[args.id])

    async def _raw_folder(self, _: IntegrationCall, args: FileId) -> RawAnswer:
        rows = [{"id": one, "name": one, "media_type": "text/plain"} | self.files[one] for one in self.inside[args.id]]
        return RawAnswer({"files": rows})

    async def _raw_download(self, _: IntegrationCall, args: DownloadArgs) -> RawAnswer:
        return RawAnswer({"size": Path(args.into).write_bytes(b"text")})

    async def fetch(self, file: str, into: Path, *, recursive: bool = False) -> ConnectorOutput | AgentFailure:
        into.mkdir(exist_ok=True)
        fetcher = DriveFetcher({"main": Account(self, DriveSettings())})
        return await fetcher.fetch(
            ConnectorInput(source_type="gdrive", source_identifier=file, recursive=recursive), into
        )


async def test_shortcuts_in_a_ring_come_to_an_end(tmp_path: Path) -> None:
    ring = Told({"shortcut-one": {"target": "shortcut-two"}, "shortcut-two": {"target": "shortcut-one"}}, {})
    ring.files = {name: about | {"media_type": SHORTCUT} for name, about in ring.files.items()}
    got = await ring.fetch("shortcut-one", tmp_path / "into")
    assert isinstance(got, AgentFailure)
    assert (got.error_code, ring.asked) == (UNREAD, 2)


async def test_a_shortcut_to_what_is_gone_costs_nothing_else_of_its_folder(tmp_path: Path) -> None:
    folder = {"media_type": FOLDER_TYPE}
    told = Told(
        {
            "papers-folder": folder,
            "a-dead-shortcut": {"target": "gone-for-good", "media_type": SHORTCUT},
            "b-ring-shortcut": {"target": "papers-folder", "media_type": SHORTCUT},
            "c-file-of-text": {},
            "d-good-shortcut": {"target": "e-file-elsewhere", "media_type": SHORTCUT},
            "e-file-elsewhere": {},
        },
        {"papers-folder": ["a-dead-shortcut", "b-ring-shortcut", "c-file-of-text", "d-good-shortcut"]},
    )
    got = await told.fetch("papers-folder", tmp_path / "into", recursive=True)
    assert isinstance(got, ConnectorOutput)
    assert [one.name for one in (got, *got.children)] == ["c-file-of-text", "e-file-elsewhere"]
    assert got.skipped == ["a-dead-shortcut: Google Drive has no such file in this account"]


async def test_of_very_many_files_that_are_left_out_some_are_named(tmp_path: Path) -> None:
    forms = {f"form-{number:06d}": {"media_type": "application/vnd.google-apps.form"} for number in range(100)}
    told = Told({"papers-folder": {"media_type": FOLDER_TYPE}, "the-text": {}} | forms, {})
    told.inside = {"papers-folder": ["the-text", *forms]}
    got = await told.fetch("papers-folder", tmp_path / "into", recursive=True)
    assert isinstance(got, ConnectorOutput)
    assert (len(got.skipped), got.skipped[-1]) == (31, "and more that was not read for such reasons")


async def test_what_a_call_costs_of_googles_units_is_told_as_it_is_published(harness: Harness) -> None:
    (integration,) = harness.module.integrations()
    published = {spec.method_id: spec.cost_hint for spec in integration.describe_methods()}
    for method_id in (ABOUT, START):
        result = await integration.call(IntegrationCall(trace_id="t", method_id=method_id, args={}))
        assert result.ok
        assert published[method_id] == f"{result.meta.cost_units:g} quota units"


async def test_declared_facts_are_in_what_each_tool_yields(harness: Harness, tmp_path: Path) -> None:
    connectors, workspace = ConnectorSettings(), Workspace(tmp_path / "fetched")
    connector = FetchingConnector(connectors, workspace)
    local = LocalFetcher(connectors)
    reader = AgentReader(connector, PlainParser(), MemoryBlobs(), TurnedClock(), workspace, local)
    secrets = {"USER_DRIVE_OAUTH_JSON": harness.server.credentials_json(ME, [READONLY])}
    context = make_context(secrets=secrets, documents=reader, memory=KeptMemory())
    settings = DriveModuleSettings.model_validate({"user": {"api_root": harness.server.url}})
    harness.module = DriveModule(settings, context)
    connector.add(harness.module.fetchers())
    file = harness.server.add_file(ME, "rent.txt", b"The rent is 900.", "text/plain")
    calls: dict[str, dict[str, Any]] = {"user_drive_search": {"words": "rent"}, "user_drive_read": {"file": file}}
    specs = {spec.tool_name: spec for spec in harness.module.user_inputs()}
    for tool, args in calls.items():
        assert_facts(specs[tool], await harness.call(tool, **args))
    assert tools_with_facts(specs.values()) == set(calls)
    await harness.module.stop()
