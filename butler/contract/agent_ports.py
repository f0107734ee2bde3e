"""The agents as everybody else sees them (seed 2): each gives what its schema says, or an `AgentFailure`."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, SecretStr

from butler.contract.agents import (
    AgentFailure,
    ConnectorInput,
    ConnectorOutput,
    GuardrailsInput,
    GuardrailsOutput,
    MemoryOutput,
    MemoryQuery,
    ParsedChunk,
    ParserInput,
    ParserOutput,
    ReaderInput,
    ReaderOutput,
    TailorInput,
    TailorOutput,
)
from butler.contract.attachment import Attachment
from butler.contract.provenance import Origin


class MemoryKind(StrEnum):
    """What a thing in memory is."""

    DOCUMENT = "document"
    """A file that was sent, attached or read from a folder or Drive."""
    PAGE = "page"
    MAIL = "mail"
    CHAT = "chat"
    NOTE = "note"


class MemoryDocument(BaseModel):
    """Something to be remembered, in pieces."""

    model_config = ConfigDict(frozen=True)

    source_id: str
    """Stable: the same thing again replaces what is kept of it. `mail:<id>`, `web:<url>`, `file:<sha256>`, `note:<id>`,
    `chat:<chat>:<day>`, `gdrive:<id>`, `local:<path>`."""
    kind: MemoryKind
    title: str
    chunks: tuple[ParsedChunk, ...]
    origins: tuple[Origin, ...]
    """Who stands behind its text; what has none counts as untrusted."""
    url: str | None = None
    """Where a person can open it."""
    at: AwareDatetime | None = None
    """When it was written or received."""
    account: str = ""
    person: str = ""
    """The address of whom it is from, such as `mail:anna@friends.example`."""
    problems: tuple[str, ...] = ()


class MemorySource(BaseModel):
    """What memory holds of one thing."""

    model_config = ConfigDict(frozen=True)

    source_id: str
    kind: MemoryKind
    title: str
    url: str | None
    at: AwareDatetime | None
    added_at: AwareDatetime
    chunks: int
    origins: tuple[Origin, ...]
    problems: tuple[str, ...] = ()


class Guard(Protocol):
    """The guardrails agent. What it says is a hint: no safety rests on it."""

    def check(self, given: GuardrailsInput) -> GuardrailsOutput:
        """Look at a text. Never raises for what a text holds; bounded in time."""
        ...


class Parser(Protocol):
    """Turns a file into chunks, in a bounded child process."""

    async def parse(self, given: ParserInput) -> ParserOutput | AgentFailure: ...


class Connector(Protocol):
    """Fetches a source into a workspace of its own."""

    def fetched(self, given: ConnectorInput) -> AbstractAsyncContextManager[ConnectorOutput | AgentFailure]:
        """The files, which are gone when the context ends."""
        ...


class SourceFetcher(Protocol):
    """One kind of source, such as Google Drive; the connector gives it a folder and bounds it."""

    @property
    def source_type(self) -> str:
        """`gdrive`, `web` or `local`."""
        ...

    async def fetch(self, given: ConnectorInput, into: Path) -> ConnectorOutput | AgentFailure:
        """Write the files into the folder. Connection troubles are raised as `Retryable`, and tried again."""
        ...


class Memory(Protocol):
    """What is remembered, searched by meaning and by words."""

    async def search(self, query: MemoryQuery) -> MemoryOutput | AgentFailure:
        """`filters` take `kind`, `source_id`, `person`, `account`, each a value or a list, and `after`, `before`.

        An address of a contact of the owner's stands for all of that contact's.
        """
        ...

    async def add(self, document: MemoryDocument) -> int:
        """Remember it in place of what was known of its source; the number of chunks.

        0 for a kind that the owner does not want kept. Raises `Retryable` while nothing can be written.
        """
        ...

    async def forget(self, source_ids: Sequence[str]) -> int:
        """Forget all that came from there, for good; the number of sources that were known."""
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
        """What is known, the newest first; `words` have to stand in the title, and it is from `person`, an address."""
        ...

    async def counts(
        self, *, kind: MemoryKind | None = None, words: str = "", person: str = ""
    ) -> Mapping[MemoryKind, int]:
        """How many there are of each kind; a kind of which there is nothing is left out."""
        ...

    async def source(self, source_id: str) -> MemorySource | None:
        """One of them; None where it is not known, or not any more."""
        ...

    async def read(self, source_id: str, limit: int = 200) -> Sequence[ParsedChunk]:
        """The chunks of one source in order; empty where it is not known."""
        ...


class Tailor(Protocol):
    """Words an answer from what was found, and quotes it word for word."""

    async def answer(self, given: TailorInput) -> TailorOutput | AgentFailure: ...


class Reader(Protocol):
    """Takes one typed value out of texts that anybody may have written. It holds no tools."""

    async def read(self, given: ReaderInput) -> ReaderOutput | AgentFailure:
        """The value stands in one of the texts, word for word; nothing is given where there is a doubt."""
        ...


class Transcript(BaseModel):
    """What was said in a recording."""

    model_config = ConfigDict(frozen=True)

    text: str
    language: str
    seconds: float
    """How long the recording is."""
    confidence: float
    """0 to 1, as the model has it; below a half it may be anything."""
    heard_by: str
    """Which model heard it."""


class Listener(Protocol):
    """Writes down what was said in a voice message."""

    async def hear(self, recording: bytes, media_type: str) -> Transcript | AgentFailure: ...


class ReadDocument(BaseModel):
    """A source that was fetched and parsed."""

    model_config = ConfigDict(frozen=True)

    source_id: str
    title: str
    url: str | None
    media_type: str
    output: ParserOutput
    origin: Origin
    at: AwareDatetime
    """When it was read."""
    written_at: AwareDatetime | None = None
    """When it was last changed, as its source says."""
    suspicion: str = ""
    """Why it reads like an attack, as the guardrails say; empty for any other."""
    children: tuple["ReadDocument", ...] = ()
    skipped: tuple[str, ...] = Field(default=())


class FolderEntry(BaseModel):
    """One thing in a folder that may be read."""

    model_config = ConfigDict(frozen=True)

    path: str
    """By which it is read; its last part is whatever somebody called it."""
    is_folder: bool
    size: int
    """In bytes; 0 for a folder."""
    changed_at: AwareDatetime


class FolderListing(BaseModel):
    """What lies in a folder, by name."""

    model_config = ConfigDict(frozen=True)

    folder: str
    """Empty for the list of all folders that may be read."""
    entries: tuple[FolderEntry, ...]
    more: int = 0
    """How many further ones there are."""


class Folders(Protocol):
    """Folders of this machine that may be looked into, by setting."""

    async def listing(self, folder: str = "", limit: int = 100) -> FolderListing | AgentFailure:
        """What lies in a folder; without one, the folders that may be read."""
        ...


class DocumentReader(Folders, Protocol):
    """Connector and parser, one after the other; for the tools that read."""

    async def read(self, source: ConnectorInput, *, force_ocr: bool = False) -> ReadDocument | AgentFailure:
        """A page, a file of a folder, a file of Drive."""
        ...

    async def read_file(
        self, file: Attachment, origin: Origin, *, password: SecretStr | None = None, force_ocr: bool = False
    ) -> ReadDocument | AgentFailure:
        """A stored file, such as one that was sent in the chat; its `source_id` is `file:<sha256>`."""
        ...


class Embed(Protocol):
    """The house's embedder, for providers that search by vectors."""

    async def __call__(self, texts: Sequence[str], *, query: bool) -> list[list[float]]:
        """One vector of length 1 for each text: a question with `query`, else a passage."""
        ...
