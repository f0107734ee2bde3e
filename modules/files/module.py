"""`bot_files_*`: lists, reads and remembers files in the folders that the settings open."""

from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any

from pydantic import Field

from butler.contract.agent_ports import FolderEntry, MemoryKind
from butler.contract.agents import AgentFailure, ConnectorInput
from butler.contract.arguments import Question
from butler.contract.channel import ChannelInfo, Words
from butler.contract.door import failed
from butler.contract.errors import IntegrationErrorCode
from butler.contract.integration import IntegrationResult
from butler.contract.module import Module
from butler.contract.reading import DOCUMENT_FACTS, document_data, not_read, remember
from butler.contract.records import ClosedRecord
from butler.contract.referents import ReferentKind
from butler.contract.speech import phrase, say
from butler.contract.tools import ToolCall, ToolMetadata, ToolSpec, input_tool

LIST, READ = "bot_files_list", "bot_files_read"
LISTED = 100
_LONGEST_PATH = 4_000


class FilesSettings(ClosedRecord):
    """`[modules.files]` has nothing to set; which folders are open stands in `[connector]`."""


class ListArgs(ClosedRecord):
    """A folder; the folders that are open, where none is named."""

    folder: str = Field(
        default="",
        max_length=_LONGEST_PATH,
        description="Its path or name as the owner wrote it; left out: which there are.",
        examples=[{"handle": "file-2"}],
    )


class ReadArgs(ClosedRecord):
    """A file, or all of a folder, and what is to be found out from it."""

    path: str = Field(
        min_length=1,
        max_length=_LONGEST_PATH,
        description="A file shown or found, or its path as the owner wrote it.",
        examples=[{"handle": "file-2"}],
    )
    question: Question = ""
    recursive: bool = Field(default=False, description="Whether it is a folder, all of which is read.", examples=[True])


class FilesModule(Module):
    """`bot_files_*`. Nothing is ever written there."""

    channel = "files"
    about = ChannelInfo(title=phrase("Files"), words=Words.STATED, referent=ReferentKind.FILE, next_acts=("read",))
    built_in = True
    settings_model = FilesSettings

    def bot_inputs(self) -> Sequence[ToolSpec]:
        listing = "List what is in a folder of this machine that may be read, or which folders those are."
        reading = "Read a file of this machine, or with `recursive` all files of a folder."
        return (
            input_tool(LIST, listing, ListArgs, self._list, facts=("files.0.path", "files.0.name", "files.0.date")),
            input_tool(READ, reading, ReadArgs, self._read, facts=DOCUMENT_FACTS),
        )

    def tool_metadata(self) -> Mapping[str, ToolMetadata]:
        return {
            LIST: ToolMetadata.of(target="folder"),
            READ: ToolMetadata.of(target="path question", option="recursive"),
        }

    async def _list(self, call: ToolCall) -> IntegrationResult:
        args: ListArgs = call.args
        listing = await self.context.agents.documents.listing(args.folder, LISTED)
        if isinstance(listing, AgentFailure):
            return not_read(listing)
        if not listing.entries:
            return failed(
                IntegrationErrorCode.NOT_FOUND,
                say("there is nothing in {folder} that may be read", folder=listing.folder),
            )
        data: dict[str, Any] = {"files": [_row(entry) for entry in listing.entries]}
        return IntegrationResult(ok=True, data=data | {"folder": listing.folder, "more": listing.more})

    async def _read(self, call: ToolCall) -> IntegrationResult:
        args: ReadArgs = call.args
        source = ConnectorInput(source_type="local", source_identifier=args.path, recursive=args.recursive)
        document = await self.context.agents.documents.read(source)
        if isinstance(document, AgentFailure):
            return not_read(document)
        remembered = await remember(self.context.agents.memory, document, MemoryKind.DOCUMENT)
        return IntegrationResult(ok=True, data=document_data(document, remembered=remembered))


def _row(entry: FolderEntry) -> dict[str, Any]:
    """Return a list entry; its path is kept as a handle."""
    return {
        "path": entry.path,
        "name": PurePath(entry.path).name,
        "folder": entry.is_folder,
        "size": entry.size,
        "date": entry.changed_at.isoformat(),
    }
