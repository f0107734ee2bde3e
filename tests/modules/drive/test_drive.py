"""The person's Drive, by Google's own client against a stand-in: found, read, told why not, and never changed."""
# ruff: noqa: ASYNC240 - a test may wait for a small file

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from butler.contract.agents import AgentFailure, ConnectorInput, ConnectorOutput
from butler.contract.errors import AgentErrorCode, IntegrationErrorCode
from butler.contract.integration import IntegrationResult
from butler.contract.tools import ToolCall
from butler.demo.drive.server import DriveServer
from modules.drive.config import DriveModuleSettings
from modules.drive.fetcher import file_id_of
from modules.drive.module import DriveModule
from tests.support.context import make_context

ME, ANNA = "me@home.example", "anna@friends.example"
READONLY = "https://www.googleapis.com/auth/drive.readonly"
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
AUTH, LOST, UNREAD = (
    AgentErrorCode.CONNECTOR_AUTH,
    AgentErrorCode.CONNECTOR_NOT_FOUND,
    AgentErrorCode.PARSER_UNSUPPORTED,
)


@dataclass
class House:
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
async def house(tmp_path: Path) -> AsyncIterator[House]:
    server = DriveServer()
    server.add_account(ME, "Robin")
    server.add_account(ANNA, "Anna")
    await server.start()
    settings = {"user": {"api_root": server.url, "largest_mb": 1, "most_files": 3}}
    secrets = {"USER_DRIVE_OAUTH_JSON": server.credentials_json(ME, [READONLY])}
    module = DriveModule(DriveModuleSettings.model_validate(settings), make_context(secrets=secrets))
    yield House(server, module, tmp_path)
    await module.stop()
    await server.stop()


async def test_a_file_comes_whole_with_what_drive_says_of_it(house: House) -> None:
    id_ = house.server.add_file(ME, "../../etc/rent.txt", b"The rent is 900.", "text/plain")
    got = await house.fetch(id_)
    assert Path(got.file_path).parent == house.workspace / "1", "a name is never a path"
    assert (got.name, got.media_type, got.source_id) == ("../../etc/rent.txt", "text/plain", f"gdrive:{id_}")
    assert (got.file_size_bytes, len(got.checksum)) == (16, 64)
    assert (got.source_metadata["author"], id_ in got.source_metadata["url"]) == (ME, True)


async def test_the_address_that_a_browser_shows_is_as_good_as_the_id(house: House) -> None:
    id_ = house.server.add_file(ME, "a.txt", b"a", "text/plain")
    assert await house.files(f"https://drive.google.com/file/d/{id_}/view?usp=sharing") == [("a.txt", b"a")]


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


async def test_a_file_of_googles_editors_is_exported_and_a_form_is_said_to_be_unreadable(house: House) -> None:
    letter = house.server.add_document(ME, "Letter", {DOCX: b"PK letter"})
    assert await house.files(letter) == [("Letter", b"PK letter")]
    form = house.server.add_document(ME, "Survey", {}, "form")
    assert await house.failure(form) == (UNREAD, "a Google form cannot be read as text")


async def test_a_folder_is_read_with_its_caps_and_what_was_left_out_is_told(house: House) -> None:
    top = house.server.add_folder(ME, "Papers")
    for number in (1, 2):
        house.server.add_file(ME, f"{number}.txt", b"%d" % number, "text/plain", parent=top)
    inner = house.server.add_folder(ME, "Old", parent=top)
    deep = house.server.add_folder(ME, "Older", parent=inner)
    house.server.add_file(ME, "deep.txt", b"deep", "text/plain", parent=deep)
    for name in ("x.txt", "y.txt"):
        house.server.add_file(ME, name, name.encode(), "text/plain", parent=inner)
    got = await house.fetch(top, recursive=True)
    assert [one.name for one in (got, *got.children)] == ["1.txt", "2.txt", "x.txt"]
    assert got.skipped == ["y.txt: beyond the first 3 files", "Older: a folder further down than 2"]
    assert await house.failure(top) == (UNREAD, "this is a folder; ask for all that is in it")
    empty = house.server.add_folder(ME, "Empty")
    assert (await house.failure(empty, recursive=True))[1].endswith("could be read: it is empty")


async def test_one_bad_file_of_a_folder_does_not_keep_the_others(house: House) -> None:
    top = house.server.add_folder(ME, "Papers")
    house.server.add_document(ME, "a form", {}, "form", parent=top)
    house.server.add_file(ME, "large.bin", b"x" * 1_000_001, parent=top)
    house.server.add_file(ME, "ok.txt", b"ok", "text/plain", parent=top)
    got = await house.fetch(top, recursive=True)
    assert (got.name, got.children) == ("ok.txt", [])
    assert got.skipped == [
        "a form: a Google form cannot be read as text",
        "large.bin: it has 1 MB, more than the 1 MB that are read",
    ]


async def test_a_file_that_is_shared_with_the_person_is_read_and_anybody_elses_is_not_there(house: House) -> None:
    plan = house.server.add_file(ANNA, "Plan", b"plan", "text/plain")
    assert (await house.failure(plan))[0] == LOST
    house.server.share(plan, ME)
    assert await house.files(plan) == [("Plan", b"plan")]


async def test_a_sign_in_that_is_over_an_account_that_is_none_and_what_names_no_file(house: House) -> None:
    id_ = house.server.add_file(ME, "a.txt", b"a", "text/plain")
    assert await house.failure(id_, account="work") == (AUTH, "your Drive is not set up; run `butler login drive`")
    assert (await house.failure("no file"))[0] == LOST
    house.server.authority.revoke(ME)
    await house.module.signed_in()
    code, said = await house.failure(id_)
    assert (code, "run `butler login drive`" in said) == (AUTH, True)
    checks = await house.module.checks()
    assert [check.ok for check in checks] == [False]


async def test_files_are_found_by_name_or_content_and_quotes_in_words_are_words(house: House) -> None:
    house.server.add_file(ME, "Anna's rent.txt", b"900 a month", "text/plain")
    found = await house.call("user_drive_search", words="Anna's")
    assert found.data is not None
    assert [file["title"] for file in found.data["files"]] == ["Anna's rent.txt"]
    nothing = await house.call("user_drive_search", words="') or trashed = true or name contains ('")
    assert nothing.error is not None
    assert nothing.error.code is IntegrationErrorCode.NOT_FOUND
    wrong = await house.call("user_drive_read", file="the rent")
    assert wrong.error is not None
    assert wrong.error.code is IntegrationErrorCode.INVALID_INPUT


async def test_nothing_of_drive_is_ever_changed(house: House) -> None:
    id_ = house.server.add_file(ME, "a.txt", b"a", "text/plain")
    before = json.dumps(house.server.files(ME), sort_keys=True)
    await house.files(id_)
    await house.call("user_drive_search", words="a")
    assert json.dumps(house.server.files(ME), sort_keys=True) == before
    assert {call.operation.split(".")[-1] for call in house.server.calls} <= {"get", "list", "export"}
