"""Chains connector and parser: a page, a file or a folder becomes documents with their origin."""

import asyncio
from contextlib import AbstractAsyncContextManager
from datetime import datetime
from pathlib import Path
from typing import Protocol

import structlog
from pydantic import SecretStr

from butler.agents.charsets import BOMS, decoded
from butler.agents.connector.failures import missing, not_kept, out_of_reach
from butler.agents.connector.workspace import Workspace
from butler.agents.file_types import TEXTS, file_type_of
from butler.agents.parser.port import FileType, Parser, ParserInput
from butler.contract.agent_ports import FolderListing, Folders, ReadDocument
from butler.contract.agents import (
    AgentFailure,
    ConnectorInput,
    ConnectorOutput,
    ParserOutput,
)
from butler.contract.errors import BlobDamagedError
from butler.contract.ports import BlobStore, Clock
from butler.contract.provenance import Origin, SourceKind, SourceName, Trust
from butler.contract.reasons import Reason, ReasonCode
from butler.contract.speech import say
from butler.contract.tools import Attachment
from butler.guardrails.guard import Guard, GuardrailsInput
from butler.store.errors import StoreUnavailableError


class Connector(Protocol):
    """Fetches a source into a workspace of its own."""

    def fetched(self, given: ConnectorInput) -> AbstractAsyncContextManager[ConnectorOutput | AgentFailure]:
        """Yield the files, which are deleted when the context ends."""
        ...


log = structlog.get_logger(__name__)

_LONGEST_TITLE = 200
_SHOWN_AS = {"gdrive": SourceKind.DRIVE_FILE, "web": SourceKind.PAGE, "local": SourceKind.FILE}


class AgentReader:
    """Implements `butler.contract.agent_ports.DocumentReader`. Building one touches nothing."""

    def __init__(
        self,
        connector: Connector,
        parser: Parser,
        blobs: BlobStore,
        clock: Clock,
        workspace: Workspace,
        folders: Folders,
        guard: Guard | None = None,
    ) -> None:
        """`guard` checks everything that is read for texts that read like an attack."""
        self._guard = guard
        self._connector, self._parser, self._blobs, self._clock = connector, parser, blobs, clock
        self._workspace, self._folders = workspace, folders

    async def listing(self, folder: str = "", limit: int = 100) -> FolderListing | AgentFailure:
        return await self._folders.listing(folder, limit)

    async def read(self, source: ConnectorInput, *, force_ocr: bool = False) -> ReadDocument | AgentFailure:
        async with self._connector.fetched(source) as fetched:
            if isinstance(fetched, AgentFailure):
                return fetched
            read: list[ReadDocument] = []
            skipped = [_flat(sentence) for sentence in fetched.skipped]
            failure: AgentFailure | None = None
            for one in (fetched, *fetched.children):
                document = await self._document(one, source, force_ocr=force_ocr)
                if isinstance(document, ReadDocument):
                    read.append(document)
                else:
                    failure = failure or document
                    skipped.append(f"{_place(one)}: {document.message}")
            if failure is not None and not read:
                return failure
            first, *others = read
            return first.model_copy(update={"children": tuple(others), "skipped": tuple(skipped)})

    async def read_file(
        self, file: Attachment, origin: Origin, *, password: SecretStr | None = None, force_ocr: bool = False
    ) -> ReadDocument | AgentFailure:
        try:
            data = await self._blobs.get(file.sha256)
        except (KeyError, BlobDamagedError):
            return missing(say("this file is not kept any more; ask for it to be sent again")).failure()
        except StoreUnavailableError:
            return out_of_reach(say("the files that are kept cannot be reached now"))
        given = ParserInput(
            file_path="",
            file_type="txt",
            ingestion_source="mail" if origin.source.startswith("mail:") else "chat",
            force_ocr=force_ocr,
            password=password,
            name=file.name,
        )
        try:
            async with self._workspace.folder() as folder:
                path = folder / "file"
                await asyncio.to_thread(_write, path, data)
                output = await self._parsed(given.model_copy(update={"file_path": str(path)}), file.media_type)
        except OSError as error:
            return not_kept(error)
        if isinstance(output, AgentFailure):
            return output
        return ReadDocument(
            source_id=f"file:{file.sha256}",
            title=_title(file.name, _own_title(output)),
            url=None,
            media_type=file.media_type,
            output=output,
            origin=origin,
            at=self._clock.now(),
            suspicion=await self._suspicion(output),
        )

    async def _document(
        self, fetched: ConnectorOutput, source: ConnectorInput, *, force_ocr: bool
    ) -> ReadDocument | AgentFailure:
        given = ParserInput(
            file_path=fetched.file_path,
            file_type="txt",
            ingestion_source="web_scrape" if source.source_type == "web" else source.source_type,
            force_ocr=force_ocr,
            name=fetched.name,
        )
        output = await self._parsed(given, fetched.media_type, str(fetched.source_metadata.get("charset", "")))
        if isinstance(output, AgentFailure):
            return output
        place, own = _place(fetched), _own_title(output)
        return ReadDocument(
            source_id=fetched.source_id,
            title=_title(own, fetched.name) if source.source_type == "web" else _title(fetched.name, own),
            url=fetched.source_metadata.get("url") or None,
            media_type=fetched.media_type,
            output=output,
            origin=Origin(
                trust=Trust.UNTRUSTED,
                source=fetched.source_id,
                shown_as=SourceName(kind=_SHOWN_AS[source.source_type], name=place),
            ),
            at=self._clock.now(),
            written_at=_written(fetched.source_metadata.get("modified_at")),
            suspicion=await self._suspicion(output),
        )

    async def _suspicion(self, output: ParserOutput) -> tuple[Reason, ...]:
        """Return why a document's title or text reads like an attack; empty if it does not."""
        if self._guard is None:
            return ()
        text = "\n\n".join((_own_title(output), *(chunk.content for chunk in output.chunks)))
        return await asyncio.to_thread(_verdict, self._guard, text)

    async def _parsed(self, given: ParserInput, media_type: str, charset: str = "") -> ParserOutput | AgentFailure:
        kind = await asyncio.to_thread(_prepare, Path(given.file_path), given.name, media_type, charset)
        return await self._parser.parse(given.model_copy(update={"file_type": kind}))


def _verdict(guard: Guard, text: str) -> tuple[Reason, ...]:
    try:
        output = guard.check(GuardrailsInput(content=text, check_type="input_validation"))
    except Exception:  # reading goes on; users of the text are told that nobody checked it
        log.exception("guard_failed")
        return (Reason(ReasonCode.INPUT_UNCHECKED),)
    return output.found if output.risk_category == "injection" else ()


def _prepare(path: Path, name: str, media_type: str, charset: str) -> FileType:
    """Return the type of a file; if its source named the character set, convert the text to UTF-8. Blocking."""
    kind = file_type_of(path, name, media_type) or "txt"  # the parser explains best why it cannot read a file
    if kind in TEXTS and charset:
        _to_utf8(path, charset)
    return kind


def _to_utf8(path: Path, charset: str) -> None:
    """Convert to UTF-8. The server's character set overrides what the text declares, except for a byte order mark."""
    data = path.read_bytes()
    if data.startswith(BOMS):
        return
    if (text := decoded(data, charset)) is not None:
        path.write_bytes(text.encode("utf-8-sig", "replace"))


def _write(path: Path, data: bytes) -> None:
    path.touch(mode=0o600)
    path.write_bytes(data)


def _written(text: object) -> datetime | None:
    try:
        at = datetime.fromisoformat(str(text))
    except ValueError:
        return None
    return at if at.tzinfo else None


def _own_title(output: ParserOutput) -> str:
    return str(output.metadata.get("title") or "")


def _title(*names: str) -> str:
    """Return the first non-empty name, on one line; its words are untrusted.

    People know a file by its name, and a page by its title; a file's own title mostly comes from its program.
    """
    named = next((flat for name in names if (flat := _flat(name))), "")
    return named[:_LONGEST_TITLE]


def _place(fetched: ConnectorOutput) -> str:
    """Return a document's place for display, in one line."""
    known = fetched.source_metadata
    return _flat(known.get("url") or known.get("path") or fetched.name or fetched.source_id)[:_LONGEST_TITLE]


def _flat(words: object) -> str:
    """Flatten an untrusted name, so that it cannot pass for a line of ours."""
    return " ".join(str(words).split())
