"""One HTTP request: to a checked address, without cookies, and with everything that comes back limited."""

import asyncio
import hashlib
import os
import re
import ssl
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.message import Message
from email.utils import parsedate_to_datetime
from pathlib import Path

import aiohttp

from butler.agents.connector.failures import NotFetchedError, locked, missing, refused, unreadable
from butler.agents.connector.rate_limit import HostRateLimiter
from butler.agents.connector.web_address import Reach, Target, addresses_of
from butler.agents.connector.web_body import ACCEPTED, Unpacker
from butler.contract.addresses import Resolve
from butler.contract.errors import Retryable
from butler.contract.pinned import Pinned
from butler.contract.speech import phrase, say

AGENT_TOKEN = "Butler"  # noqa: S105 - the name in robots.txt, not a secret
HEADERS = {
    "User-Agent": f"{AGENT_TOKEN}/1.0 (reads a page when its owner asks)",
    "Accept": "text/html,application/xhtml+xml,application/pdf,text/*;q=0.9,*/*;q=0.5",
    "Accept-Encoding": ACCEPTED,
}
_CONNECT_S = 10.0
_LONGEST_HEADER = 16 * 1024
_PIECE = 64 * 1024
_MOST_WAIT = timedelta(hours=1)
_KIND = re.compile(r"[a-z0-9.+-]{1,40}/[a-z0-9.+-]{1,100}", re.ASCII)
_REFUSED = phrase(
    "{host} does not let Butler read this ({status}); if you have a login for it, set it up as "
    "[connector.credentials.NAME] in butler.toml, or go on without the page"
)
_REFUSED_ALL_THE_SAME = phrase(
    "{host} does not let Butler read this ({status}), although it got your login; look at "
    "[connector.credentials.{name}] in butler.toml, or go on without the page"
)
_NO_DOCUMENT = ("audio/", "video/", "font/", "application/zip", "application/x-msdownload", "application/vnd.android")


@dataclass(frozen=True, slots=True)
class Answer:
    """The status and headers of an answer."""

    target: Target
    status: int
    headers: Mapping[str, str]
    body: aiohttp.StreamReader

    @property
    def media_type(self) -> str:
        """The media type that the server names, in lower case; empty if it names none."""
        kind = _header("content-type", self.headers).get_content_type() if self.headers.get("Content-Type") else ""
        return kind if _KIND.fullmatch(kind) else ""

    @property
    def charset(self) -> str:
        try:
            return (_header("content-type", self.headers).get_content_charset() or "")[:40]
        except ValueError:  # a name in an unknown character set, as in `file_name`
            return ""

    @property
    def written_at(self) -> datetime | None:
        """When the page was last changed, according to the server."""
        return _time(self.headers.get("Last-Modified", ""))

    @property
    def file_name(self) -> str:
        """The server's name of the file, else the last part of its address: data, never a path."""
        try:
            named = _header("content-disposition", self.headers).get_filename()
        except ValueError:  # a name in an unknown character set
            named = None
        named = named or self.target.url.name
        return "".join(c for c in named.replace("\\", "/").rsplit("/", 1)[-1] if c.isprintable())[:200]


@dataclass(frozen=True, slots=True)
class SavedBody:
    """A body that was written to a file."""

    size: int
    sha256: str


class WebClient:
    """Requests pages, one request and one connection at a time."""

    def __init__(
        self, reach: Reach, resolve: Resolve, pace: HostRateLimiter, largest: int, tls: ssl.SSLContext | None = None
    ) -> None:
        """`largest` is in bytes, packed and unpacked; `tls` is for tests with their own certificate."""
        self.reach = reach
        self._resolve, self._pace, self._largest, self._tls = resolve, pace, largest, tls

    @asynccontextmanager
    async def get(
        self, target: Target, headers: Mapping[str, str] | None = None, gap_s: float = 0.0
    ) -> AsyncGenerator[Answer]:
        """Yield the answer of any status. Raise `NotFetchedError`, or `Retryable` for connection errors."""
        await self._pace.turn(target.shown, gap_s)
        addresses = await addresses_of(target, self.reach, self._resolve)
        connector = aiohttp.TCPConnector(
            resolver=Pinned(addresses), use_dns_cache=False, force_close=True, ssl=self._tls or True
        )
        try:
            async with (
                aiohttp.ClientSession(
                    connector=connector,
                    cookie_jar=aiohttp.DummyCookieJar(),
                    timeout=aiohttp.ClientTimeout(total=None, sock_connect=_CONNECT_S),
                    trust_env=False,
                    auto_decompress=False,
                    max_line_size=_LONGEST_HEADER,
                    max_field_size=_LONGEST_HEADER,
                ) as session,
                session.get(target.url, headers={**HEADERS, **(headers or {})}, allow_redirects=False) as response,
            ):
                yield Answer(target, response.status, response.headers, response.content)
        except (aiohttp.ClientError, aiohttp.ServerTimeoutError) as error:
            raise _trouble(error, target) from None

    async def save(self, answer: Answer, path: Path, *, largest: int | None = None) -> SavedBody:
        """Write the body to a new file that only this user can read. Raise as `get`."""
        limit = min(largest or self._largest, self._largest)
        unpacker = Unpacker(answer.headers.get("Content-Encoding", ""), answer.target.shown)
        digest, size, packed = hashlib.sha256(), 0, 0
        _fits(int(length) if (length := answer.headers.get("Content-Length", "")).isdecimal() else 0, limit)
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            async for data in answer.body.iter_chunked(_PIECE):
                packed += len(data)
                _fits(packed, limit)
                for piece in unpacker.feed(data):
                    size += len(piece)
                    _fits(size, limit)
                    digest.update(piece)
                    file.write(piece)
                    # A few bytes may unpack to very many: let other tasks run in between.
                    await asyncio.sleep(0)
        unpacker.end()
        return SavedBody(size, digest.hexdigest())


def _fits(size: int, limit: int) -> None:
    if size > limit:
        raise unreadable(
            say(
                "it is larger than the {size:.3g} MB that are fetched (largest_mb in [connector])", size=limit / 1048576
            ),
            "large",
        )


def readable(answer: Answer, sent: str = "") -> None:
    """Raise `NotFetchedError` if the answer has nothing to read, or `Retryable` if it may have later.

    `sent` names the credentials that the server received.
    """
    host, status = answer.target.shown, answer.status
    if status in {401, 403, 407}:
        if sent:
            raise locked(say(_REFUSED_ALL_THE_SAME, host=host, status=status, name=sent), "refused")
        raise locked(say(_REFUSED, host=host, status=status), "refused")
    if status in {404, 410}:
        raise missing(say("{host} has no such page ({status})", host=host, status=status))
    if status in {408, 425, 429} or status >= 500:  # noqa: PLR2004 - as HTTP counts
        raise Retryable(
            say("{host} cannot answer now ({status})", host=host, status=status),
            wait=_wait(answer.headers.get("Retry-After", "")),
        )
    if status != 200:  # noqa: PLR2004
        raise missing(say("{host} did not give the page ({status})", host=host, status=status))
    if answer.media_type.startswith(_NO_DOCUMENT):
        raise unreadable(say("it is {kind}, which is no page and no document", kind=answer.media_type), "type")


def _wait(text: str) -> timedelta:
    """Parse `Retry-After`: seconds, or a date."""
    if text.isascii() and text.isdecimal():
        return min(timedelta(seconds=int(text[:9])), _MOST_WAIT)
    at = _time(text)
    return max(timedelta(), min(at - datetime.now(UTC), _MOST_WAIT)) if at else timedelta()


def _time(text: str) -> datetime | None:
    """Parse an HTTP date into UTC; None if it is invalid."""
    try:
        at = parsedate_to_datetime(text)
        return (at if at.tzinfo else at.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _trouble(error: Exception, target: Target) -> NotFetchedError | Retryable:
    host = target.shown
    if isinstance(error, aiohttp.ClientConnectorCertificateError | aiohttp.ClientConnectorSSLError):
        return refused(
            say("{host} does not prove that it is {host}, so nothing was read from it", host=host), "certificate"
        )
    if isinstance(error, aiohttp.ClientConnectorError | aiohttp.ConnectionTimeoutError):
        return Retryable(say("{host} cannot be reached", host=host))
    if isinstance(error, aiohttp.ClientResponseError):
        return missing(say("{host} answers in a way that no browser would understand either", host=host), "garbage")
    return Retryable(say("the connection to {host} broke off", host=host))


def _header(name: str, headers: Mapping[str, str]) -> Message:
    message = Message()
    # The standard library refuses headers with line breaks or with bytes that are not text.
    message[name] = headers.get(name.title(), "").encode("latin-1", "replace").decode("latin-1").replace("\n", " ")
    return message
