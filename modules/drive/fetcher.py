"""Fetches a Drive file or folder into the connector's workspace; implements `SourceFetcher`.

A file of Google's editors has no content of its own: it is exported in the format that the readers handle best.
"""

import asyncio
import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from butler.contract.agents import AgentFailure, ConnectorInput, ConnectorOutput
from butler.contract.base_integration import BaseIntegration
from butler.contract.errors import AGENT_CODE_OF, AgentErrorCode
from butler.contract.integration import READS, IntegrationError
from butler.contract.speech import say
from modules.drive.config import DriveSettings
from modules.drive.records import DOWNLOAD, FOLDER, GET, DriveFile, Files

AGENT = "connector"
FOLDER_TYPE = "application/vnd.google-apps.folder"
EDITORS = "application/vnd.google-apps."
_OFFICE = "application/vnd.openxmlformats-officedocument."
EXPORTS: Mapping[str, str] = {
    f"{EDITORS}document": f"{_OFFICE}wordprocessingml.document",
    f"{EDITORS}spreadsheet": f"{_OFFICE}spreadsheetml.sheet",
    f"{EDITORS}presentation": f"{_OFFICE}presentationml.presentation",
    f"{EDITORS}drawing": "application/pdf",
}
"""Export format of each editor's files."""
_ID = re.compile(r"[\w-]{10,200}")
_IN_PATH = re.compile(r"/(?:d|folders)/([\w-]{10,200})")
_HOSTS = ("drive.google.com", "docs.google.com")
_TIMEOUT_MS = 120_000
_PASSING = frozenset({AgentErrorCode.TIMEOUT, AgentErrorCode.UNAVAILABLE})
"""Errors that a later attempt may resolve."""
_MOST_TOLD = 30


class _NotFetchedError(Exception):
    def __init__(self, failure: AgentFailure) -> None:
        super().__init__(failure.message)
        self.failure = failure


@dataclass(frozen=True, slots=True)
class Account:
    """An account as the fetcher needs it."""

    integration: BaseIntegration
    settings: DriveSettings


@dataclass(slots=True)
class _Trip:
    """One fetch: its target, and what is left of its limits."""

    account: Account
    name: str
    into: Path
    left: int
    skipped: list[str] = field(default_factory=list[str])
    seen: set[str] = field(default_factory=set[str])

    def skip(self, name: str, why: str) -> None:
        """Report a skipped file, up to a readable number of them."""
        if len(self.skipped) < _MOST_TOLD:
            self.skipped.append(f"{name}: {why}")
        elif len(self.skipped) == _MOST_TOLD:
            self.skipped.append(say("and more that was not read for such reasons"))


class DriveFetcher:
    """Fetches through the account that `credentials_id` names, or else through the first one."""

    source_type = "gdrive"

    def __init__(self, accounts: Mapping[str, Account]) -> None:
        self._accounts = accounts

    async def fetch(self, given: ConnectorInput, into: Path) -> ConnectorOutput | AgentFailure:
        """Fetch a file, or with `recursive` a folder and its contents."""
        name = given.credentials_id or next(iter(self._accounts), "")
        account = self._accounts.get(name)
        if account is None:
            return _failure(AgentErrorCode.CONNECTOR_AUTH, say("your Drive is not set up; run `butler login drive`"))
        file_id = file_id_of(given.source_identifier)
        if file_id is None:
            text = say("this is neither the id nor the address of a file in Drive")
            return _failure(AgentErrorCode.REFUSED, text)
        trip = _Trip(account, name, into, account.settings.most_files)
        try:
            return await _begin(trip, file_id, recursive=given.recursive)
        except _NotFetchedError as error:
            return error.failure


async def _begin(trip: _Trip, file_id: str, *, recursive: bool) -> ConnectorOutput:
    file = await _told(trip, file_id)
    if file.media_type != FOLDER_TYPE:
        return await _download(trip, file)
    if not recursive:
        raise _NotFetchedError(_failure(AgentErrorCode.REFUSED, say("this is a folder; ask for all that is in it")))
    files = await _folder(trip, file, trip.account.settings.depth)
    if not files:
        why = "; ".join(trip.skipped) or say("it is empty")
        raise _NotFetchedError(
            _failure(AgentErrorCode.CONNECTOR_NOT_FOUND, say("nothing in this folder could be read: {why}", why=why))
        )
    first, *others = files
    return first.model_copy(update={"children": others, "skipped": trip.skipped})


async def _folder(trip: _Trip, folder: DriveFile, depth: int) -> list[ConnectorOutput]:
    """Fetch a folder's contents, files before folders, each once."""
    trip.seen.add(folder.id)
    listed = await _listed(trip, folder)
    fetched: list[ConnectorOutput] = []
    for one in sorted(listed, key=lambda file: (file.media_type == FOLDER_TYPE, file.name.casefold(), file.id)):
        try:
            fetched += await _member(trip, one, depth)
        except _NotFetchedError as error:
            # An account's fault concerns all of its files.
            if error.failure.error_code == AgentErrorCode.CONNECTOR_AUTH:
                raise
            trip.skip(one.name, error.failure.message)
    return fetched


async def _member(trip: _Trip, one: DriveFile, depth: int) -> list[ConnectorOutput]:
    """Fetch a file of a folder, or the contents of a subfolder; nothing for what was seen already."""
    settings = trip.account.settings
    if not trip.left and one.media_type != FOLDER_TYPE:
        trip.skip(one.name, say("beyond the first {count} files", count=settings.most_files))
        return []
    file = await _told(trip, one.target) if one.target else one
    if file.id in trip.seen:
        return []
    if file.media_type == FOLDER_TYPE:
        if depth > 1:
            return await _folder(trip, file, depth - 1)
        trip.skip(file.name, say("a folder further down than {count}", count=settings.depth))
        return []
    trip.seen.add(file.id)
    return [await _download(trip, file)]


async def _listed(trip: _Trip, folder: DriveFile) -> list[DriveFile]:
    found: list[DriveFile] = []
    cursor: str | None = None
    while True:
        data, cursor = await _ask(trip, FOLDER, {"id": folder.id, "drive": folder.drive}, cursor)
        found += Files.model_validate(data).files
        # Listing ten times as many as are read is enough to tell that there are more.
        if cursor is None or len(found) > 10 * trip.account.settings.most_files:
            return found


async def _told(trip: _Trip, file_id: str) -> DriveFile:
    data, _ = await _ask(trip, GET, {"id": file_id})
    file = DriveFile.model_validate(data)
    if not file.target:
        return file
    data, _ = await _ask(trip, GET, {"id": file.target})
    # One step only: Drive makes no shortcuts to shortcuts, and following a cycle would never end.
    return DriveFile.model_validate(data)


async def _download(trip: _Trip, file: DriveFile) -> ConnectorOutput:
    export = EXPORTS.get(file.media_type, "")
    largest = trip.account.settings.largest_mb * 1_000_000
    if file.media_type.startswith(EDITORS) and not export:
        kind = file.media_type.removeprefix(EDITORS)
        raise _NotFetchedError(
            _failure(AgentErrorCode.PARSER_UNSUPPORTED, say("a Google {kind} cannot be read as text", kind=kind))
        )
    if file.size is not None and file.size > largest:
        text = say(
            "it has {size:.0f} MB, more than the {limit} MB that are read",
            size=file.size / 1000000,
            limit=trip.account.settings.largest_mb,
        )
        raise _NotFetchedError(_failure(AgentErrorCode.PARSER_UNSUPPORTED, text))
    # The name in Drive is data, never a path.
    path = trip.into / f"file-{len(list(trip.into.iterdir())) + 1}"
    args = {"id": file.id, "export": export, "into": str(path), "largest": largest}
    data, _ = await _ask(trip, DOWNLOAD, args)
    trip.left -= 1
    checksum = await asyncio.to_thread(_digest, path)
    return ConnectorOutput(
        file_path=str(path),
        file_size_bytes=int(data["size"]),
        source_metadata={
            "url": file.url,
            "title": file.name,
            "author": file.owner,
            "modified_at": file.modified_at.isoformat() if file.modified_at else None,
            "account": trip.name,
            "drive_type": file.media_type,
        },
        checksum=checksum,
        media_type=export or file.media_type,
        name=file.name,
        source_id=f"gdrive:{file.id}",
    )


def _digest(path: Path) -> str:
    with path.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


async def _ask(
    trip: _Trip, method_id: str, args: Mapping[str, Any], cursor: str | None = None
) -> tuple[dict[str, Any], str | None]:
    result = await trip.account.integration.request(
        "connector", method_id, dict(args), timeout_ms=_TIMEOUT_MS, retry_policy=READS, cursor=cursor
    )
    if result.error is not None:
        raise _NotFetchedError(_failed(result.error))
    return result.data or {}, result.meta.next_cursor


def _failed(error: IntegrationError) -> AgentFailure:
    code = AGENT_CODE_OF.get(error.code, AgentErrorCode.REFUSED)
    return _failure(code, error.message)


def _failure(code: AgentErrorCode, message: str) -> AgentFailure:
    return AgentFailure(agent_id=AGENT, error_code=code.value, message=message, recoverable=code in _PASSING)


def file_id_of(said: str) -> str | None:
    """Return the file id from an id or from a browser address."""
    said = said.strip().removeprefix("gdrive:")
    if _ID.fullmatch(said):
        return said
    parts = urlsplit(said)
    if parts.scheme != "https" or parts.hostname not in _HOSTS:
        return None
    if match := _IN_PATH.search(parts.path):
        return match[1]
    named = parse_qs(parts.query).get("id", [""])[0]
    return named if _ID.fullmatch(named) else None
