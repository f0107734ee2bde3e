"""The tools that list and read folders of this machine, on the real connector."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from butler.agents.connector.connector import FetchingConnector
from butler.agents.connector.local import LocalFetcher
from butler.agents.connector.workspace import Workspace
from butler.agents.reading import AgentReader
from butler.contract.errors import AgentErrorCode, IntegrationErrorCode
from butler.contract.integration import IntegrationResult
from butler.contract.tools import ToolCall
from butler.provenance import say_sources
from config.agents import ConnectorSettings
from modules.files import MODULE
from modules.files.module import FilesSettings
from tests.support.context import MemoryBlobs, TurnedClock, make_context
from tests.support.declared_facts import assert_facts, tools_with_facts
from tests.support.documents import KeptMemory, PlainParser

LIST, READ = "bot_files_list", "bot_files_read"


class Harness:
    """The module with one open folder."""

    def __init__(self, base: Path, *roots: str) -> None:
        self.papers = base / "papers"
        (self.papers / "2026").mkdir(parents=True)
        (self.papers / "lease.txt").write_text("the rent is 900")
        (self.papers / "2026" / "plan.md").write_text("# Plan")
        settings = ConnectorSettings(roots=roots or (str(self.papers),))
        workspace, local = Workspace(base / "workspace"), LocalFetcher(settings)
        connector = FetchingConnector(settings, workspace)
        connector.add([local])
        reader = AgentReader(connector, PlainParser(), MemoryBlobs(), TurnedClock(), workspace, local)
        self.memory = KeptMemory()
        self.module = MODULE(FilesSettings(), make_context(documents=reader, memory=self.memory))

    async def call(self, tool: str, **args: object) -> IntegrationResult:
        spec = next(spec for spec in self.module.bot_inputs() if spec.tool_name == tool)
        return await spec.handler(ToolCall(tool=tool, args=spec.args(**args), call_id="c", trace_id="t"))


@pytest.fixture(name="harness")
def made(tmp_path: Path) -> Harness:
    return Harness(tmp_path)


async def test_without_a_folder_the_open_ones_are_listed_and_each_leads_on(harness: Harness):
    opened = await harness.call(LIST)
    assert opened.data is not None
    (root,) = opened.data["files"]
    assert (root["path"], root["folder"]) == (str(harness.papers), True)
    inside = await harness.call(LIST, folder=root["path"])
    assert inside.data is not None
    assert [(row["name"], row["folder"], row["size"]) for row in inside.data["files"]] == [
        ("2026", True, 0),
        ("lease.txt", False, 15),
    ]
    assert inside.data["more"] == 0


async def test_a_listed_file_can_be_read_by_its_path_and_is_remembered(harness: Harness):
    inside = await harness.call(LIST, folder="2026")
    assert inside.data is not None
    result = await harness.call(READ, path=inside.data["files"][0]["path"])
    assert result.data is not None
    document = result.data["document"]
    assert document["source_id"] == f"local:{harness.papers}/2026/plan.md"
    assert document["text"] == "# Plan"
    assert say_sources([document["origin"]["shown_as"]]) == f"the file {harness.papers}/2026/plan.md"
    (kept,) = harness.memory.added
    changed = datetime.fromtimestamp((harness.papers / "2026" / "plan.md").stat().st_mtime, UTC)
    assert (kept.kind, kept.at) == ("document", changed)


async def test_all_of_a_folder_is_read_with_the_list_of_its_files_above(harness: Harness):
    result = await harness.call(READ, path=str(harness.papers), recursive=True)
    assert result.data is not None
    document = result.data["document"]
    assert document["text"] == "lease.txt\n2026/plan.md"
    assert [child["title"] for child in document["children"]] == ["lease.txt", "plan.md"]
    assert len(harness.memory.added) == 3


@pytest.mark.parametrize(
    ("tool", "args", "words"),
    [
        (READ, {"path": "/etc/passwd"}, "to read it, add its folder to roots in [connector]"),
        (READ, {"path": "../secret"}, "to read it, add its folder to roots in [connector]"),
        (READ, {"path": "2026"}, "ask for all of it"),
        (READ, {"path": "not.txt"}, "there is no file"),
        (LIST, {"folder": "/etc"}, "to read it, add its folder to roots in [connector]"),
        (LIST, {"folder": "lease.txt"}, "is a file, not a folder"),
    ],
)
async def test_what_may_not_be_read_is_refused_in_one_sentence(
    harness: Harness, tool: str, args: dict[str, str], words: str
):
    result = await harness.call(tool, **args)
    assert result.error is not None
    missing = "there is no" in words
    code = IntegrationErrorCode.NOT_FOUND if missing else IntegrationErrorCode.REJECTED
    assert result.error.code == code
    assert result.error.provider_code == (AgentErrorCode.CONNECTOR_NOT_FOUND if missing else AgentErrorCode.REFUSED)
    assert words in result.error.message
    assert harness.memory.added == []


async def test_an_empty_folder_has_a_reason(harness: Harness):
    (harness.papers / "empty").mkdir()
    result = await harness.call(LIST, folder="empty")
    assert result.error is not None
    assert result.error.message == f"there is nothing in {harness.papers}/empty that may be read"


async def test_where_no_folder_is_open_it_says_what_to_set(tmp_path: Path):
    harness = Harness(tmp_path, str(tmp_path / "not there"))
    for tool, args in ((LIST, {}), (READ, {"path": "x.txt"})):
        result = await harness.call(tool, **args)
        assert result.error is not None
        assert "roots in [connector]" in result.error.message


async def test_declared_facts_are_in_what_each_tool_yields(harness: Harness):
    results = {LIST: await harness.call(LIST), READ: await harness.call(READ, path=str(harness.papers / "lease.txt"))}
    specs = {spec.tool_name: spec for spec in harness.module.bot_inputs()}
    assert tools_with_facts(specs.values()) == set(results)
    for tool, result in results.items():
        assert_facts(specs[tool], result)
