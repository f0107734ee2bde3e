"""Fetches one page or file of the web. Each redirect is checked like a new address."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urljoin

from butler.agents.connector.credentials import Credential
from butler.agents.connector.failures import missing, refused, unreadable
from butler.agents.connector.source_ids import source_id_of
from butler.agents.connector.web_address import Target, target_of
from butler.agents.connector.web_client import Answer, SavedBody, WebClient, readable
from butler.agents.file_types import file_type_of, why_unread
from butler.agents.parser.port import FileType
from butler.contract.agents import ConnectorOutput
from butler.contract.speech import say

MOST_REDIRECTS = 5
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
ENDINGS: dict[FileType, str] = {"image": ".img"}
"""Suffixes that differ from the name of the file type. A stored file never gets the name that its source gives."""


@dataclass(frozen=True, slots=True)
class Page:
    """A fetched page."""

    target: Target
    """The final address, after redirects."""
    output: ConnectorOutput
    file_type: FileType
    charset: str


@dataclass(frozen=True, slots=True)
class RedirectScope:
    """Limits where a page's redirects may lead."""

    origin: str
    may_read: Callable[[Target], bool]
    """Whether the site allows programs to read an address; blocking."""

    async def check(self, target: Target) -> None:
        """Raise `NotFetchedError` for any other address."""
        if target.origin != self.origin:
            raise refused(say("it leads away, to {host}", host=target.shown))
        if not await asyncio.to_thread(self.may_read, target):
            raise refused(say("it leads to what the site asks programs not to read"))


class Pages:
    """Fetches pages into files."""

    def __init__(self, client: WebClient) -> None:
        self.client = client

    @asynccontextmanager
    async def answer(
        self,
        target: Target,
        credential: Credential | None = None,
        *,
        within: RedirectScope | None = None,
        gap_s: float = 0.0,
    ) -> AsyncGenerator[tuple[Answer, list[str]]]:
        """Yield the answer after at most five redirects, and their URLs.

        Raises as `WebClient.get`.
        """
        redirects: list[str] = []
        while True:
            headers = credential.headers_for(target) if credential else {}
            async with self.client.get(target, headers, gap_s) as answer:
                if answer.status not in _REDIRECTS:
                    yield answer, redirects
                    return
                location = answer.headers.get("Location", "")
            if not location or len(redirects) == MOST_REDIRECTS:
                raise missing(
                    say("{host} sends its readers elsewhere again and again, and never to a page", host=target.shown)
                )
            elsewhere = target_of(_joined(target, location), self.client.reach, linked_by=target)
            if within is not None:
                await within.check(elsewhere)
            if credential and elsewhere.origin != credential.origin:
                credential = None  # for good: the next server might redirect back
            redirects.append(str(elsewhere.url))
            target = elsewhere

    async def fetch(
        self,
        target: Target,
        into: Path,
        number: int,
        credential: Credential | None = None,
        *,
        within: RedirectScope | None = None,
        gap_s: float = 0.0,
    ) -> Page:
        """Write the page into a file of the folder. Raise as `WebClient.get`."""
        async with self.answer(target, credential, within=within, gap_s=gap_s) as (answer, redirects):
            readable(answer, _sent(credential, answer.target))
            path = into / f"{number:03d}.part"
            saved = await self.client.save(answer, path)
            kind = file_type_of(path, answer.file_name, answer.media_type)
            if kind is None or saved.size == 0:
                raise unreadable(_what_it_is(answer, saved, path), "type")
            named = path.rename(path.with_suffix(ENDINGS.get(kind, f".{kind}")))
            return Page(answer.target, _output(answer, saved, named, target, redirects), kind, answer.charset)


def _sent(credential: Credential | None, target: Target) -> str:
    """Return the name of the credentials that a server received; empty for none."""
    return credential.name if credential and credential.headers_for(target) else ""


def _joined(target: Target, location: str) -> str:
    try:
        return urljoin(str(target.url), location.strip().replace(" ", "%20"))
    except ValueError:
        raise missing(say("{host} sends its readers to an address that is none", host=target.shown)) from None


def _what_it_is(answer: Answer, saved: SavedBody, path: Path) -> str:
    return why_unread(path) if saved.size else say("{host} sent nothing at all", host=answer.target.shown)


def _output(answer: Answer, saved: SavedBody, path: Path, asked: Target, redirects: list[str]) -> ConnectorOutput:
    url, written = str(answer.target.url), answer.written_at
    known = {
        "url": url,
        "asked": str(asked.url),
        "redirects": redirects,
        "content_type": answer.media_type,
        "charset": answer.charset,
        "modified_at": written.isoformat() if written else None,
    }
    return ConnectorOutput(
        file_path=str(path),
        file_size_bytes=saved.size,
        source_metadata=known,
        checksum=saved.sha256,
        media_type=answer.media_type,
        name=answer.file_name or answer.target.host,
        source_id=source_id_of("web", url),
    )
