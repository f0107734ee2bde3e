"""The ports of the agents (seed 2): each returns what its schema says, or an `AgentFailure`."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from pydantic import AwareDatetime, Field, SecretStr

from butler.contract.agents import (
    AgentFailure,
    ConnectorInput,
    ConnectorOutput,
    MemoryOutput,
    MemoryQuery,
    ParsedChunk,
    ParserOutput,
)
from butler.contract.attachment import Attachment
from butler.contract.provenance import Origin
from butler.contract.reasons import Reason
from butler.contract.records import Record


class MemoryKind(StrEnum):
    """What a thing in memory is."""

    DOCUMENT = "document"
    """A file that was sent, attached or read from a folder or Drive."""
    PAGE = "page"
    MAIL = "mail"
    CHAT = "chat"
    NOTE = "note"


class MemoryDocument(Record):
    """Something to be remembered, in chunks."""

    source_id: str
    """The stable id of its source: a document with the same id replaces the stored one. `mail:<id>`, `web:<url>`,
    `file:<sha256>`, `note:<id>`, `chat:<chat>:<day>`, `gdrive:<id>`, `local:<path>`."""
    kind: MemoryKind
    title: str
    chunks: tuple[ParsedChunk, ...]
    origins: tuple[Origin, ...]
    """The origins of its text; without any, the text counts as untrusted."""
    url: str | None = None
    """The address at which a person can open it."""
    at: AwareDatetime | None = None
    """The time at which it was written or received."""
    account: str = ""
    person: str = ""
    """The author's address, such as `mail:anna@friends.example`."""
    problems: tuple[str, ...] = ()


class MemorySource(Record):
    """The record of one source in memory."""

    source_id: str
    kind: MemoryKind
    title: str
    url: str | None
    at: AwareDatetime | None
    added_at: AwareDatetime
    chunks: int
    origins: tuple[Origin, ...]
    problems: tuple[str, ...] = ()


class SourceFetcher(Protocol):
    """Fetches one kind of source, such as Google Drive; the connector provides the folder and the limits."""

    @property
    def source_type(self) -> str:
        """`gdrive`, `web` or `local`."""
        ...

    async def fetch(self, given: ConnectorInput, into: Path) -> ConnectorOutput | AgentFailure:
        """Write the files into the folder. Raises connection errors as `Retryable`, for a retry."""
        ...


class Memory(Protocol):
    """The memory, searched by meaning and by words."""

    async def search(self, query: MemoryQuery) -> MemoryOutput | AgentFailure:
        """Search by `filters`: `kind`, `source_id`, `person`, `account` (a value or a list each), `after`, `before`.

        An address of one of the owner's contacts stands for all addresses of that contact.
        """
        ...

    async def add(self, document: MemoryDocument) -> int:
        """Store a document in place of the former version of its source; return the number of chunks.

        0 for a kind that the owner does not want kept. Raises `Retryable` while nothing can be written.
        """
        ...

    async def forget(self, source_ids: Sequence[str]) -> int:
        """Forget these sources for good; return how many of them were known."""
        ...

    async def sources(
        self,
        *,
        kind: MemoryKind | None = None,
        words: str = "",
        person: str = "",
        since: datetime | None = None,
        limit: int = 20,
    ) -> Sequence[MemorySource]:
        """Return known sources, the newest first; `words` must be in the title, and `person` is the author."""
        ...

    async def counts(
        self, *, kind: MemoryKind | None = None, words: str = "", person: str = ""
    ) -> Mapping[MemoryKind, int]:
        """Return the number of sources of each kind; kinds without any are left out."""
        ...

    async def source(self, source_id: str) -> MemorySource | None:
        """Return one source; None if it is not known, or no longer."""
        ...

    async def read(self, source_id: str, limit: int = 200) -> Sequence[ParsedChunk]:
        """Return the chunks of one source in order; empty if it is not known."""
        ...


class ReadDocument(Record):
    """A source that was fetched and parsed."""

    source_id: str
    title: str
    url: str | None
    media_type: str
    output: ParserOutput
    origin: Origin
    at: AwareDatetime
    """The time of reading."""
    written_at: AwareDatetime | None = None
    """The time of its last change, as its source reports it."""
    suspicion: tuple[Reason, ...] = ()
    """Why it reads like an attack, as the guardrails found; empty for any other document."""
    children: tuple["ReadDocument", ...] = ()
    skipped: tuple[str, ...] = Field(default=())


class FolderEntry(Record):
    """One entry of a folder that may be read."""

    path: str
    """The path by which it is read; its last part is a name that anybody may have chosen."""
    is_folder: bool
    size: int
    """Its size in bytes; 0 for a folder."""
    changed_at: AwareDatetime


class FolderListing(Record):
    """The contents of a folder, by name."""

    folder: str
    """The folder; empty for the list of all folders that may be read."""
    entries: tuple[FolderEntry, ...]
    more: int = 0
    """The number of further entries."""


class Folders(Protocol):
    """Folders of this machine that the settings allow to read."""

    async def listing(self, folder: str = "", limit: int = 100) -> FolderListing | AgentFailure:
        """List a folder; without one, list the folders that may be read."""
        ...


class DocumentReader(Folders, Protocol):
    """Connector and parser in sequence, for the tools that read."""

    async def read(self, source: ConnectorInput, *, force_ocr: bool = False) -> ReadDocument | AgentFailure:
        """Read a page, a file of a folder, or a file of Drive."""
        ...

    async def read_file(
        self, file: Attachment, origin: Origin, *, password: SecretStr | None = None, force_ocr: bool = False
    ) -> ReadDocument | AgentFailure:
        """Read a stored file, such as one that was sent in the chat; its `source_id` is `file:<sha256>`."""
        ...


class Embed(Protocol):
    """Butler's embedder, for providers that search by vectors."""

    async def __call__(self, texts: Sequence[str], *, query: bool) -> list[list[float]]:
        """Return one vector of length 1 for each text: a question with `query`, else a passage."""
        ...
