"""JSON over HTTP with one of the owner's servers, with a typed error per refusal. For servers without a vendor client.

A server's text may hold anything, so only a short, single line of it goes into an error, and never one with the key.
"""

import json
import re
import socket
import ssl
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, TypeVar

import aiohttp
from pydantic import BaseModel, ValidationError

from butler.contract.call_notes import note_headers
from butler.contract.errors import IntegrationErrorCode, IntegrationFault

MOST_BYTES = 32 * 1024 * 1024
LONGEST = 200
LONGEST_WAIT_S = 86_400.0
"""Longest wait that a server's `Retry-After` can demand, in seconds; a longer one is cut to this."""
TOO_LONG = "the answer is too long; ask for less at a time"
_CODES = {
    400: IntegrationErrorCode.INVALID_INPUT,
    401: IntegrationErrorCode.AUTH_REQUIRED,
    403: IntegrationErrorCode.FORBIDDEN,
    404: IntegrationErrorCode.NOT_FOUND,
    409: IntegrationErrorCode.CONFLICT,
    422: IntegrationErrorCode.INVALID_INPUT,
    429: IntegrationErrorCode.RATE_LIMITED,
}
SENTENCES = {
    IntegrationErrorCode.AUTH_REQUIRED: "the server does not take the key",
    IntegrationErrorCode.FORBIDDEN: "the key does not allow this",
    IntegrationErrorCode.NOT_FOUND: "the server does not have it",
    IntegrationErrorCode.RATE_LIMITED: "the server asks to wait",
    IntegrationErrorCode.UNAVAILABLE: "the server is not available",
    IntegrationErrorCode.REJECTED: "the server refused",
    IntegrationErrorCode.INVALID_INPUT: "the server could not use the request",
    IntegrationErrorCode.CONFLICT: "the server has it already",
}
_CODE = re.compile(r"[A-Za-z0-9_.-]{1,64}")
_OF_TERMINALS = re.compile(r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b[ -/]*[0-~]?")
"""Terminal sequences, which would colour, move or rename a window."""
M = TypeVar("M", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """An answer: the raw body, its JSON if it is JSON, and the headers by lower-case name."""

    status: int
    body: bytes
    json: Any
    headers: Mapping[str, str]


def code_of(status: int) -> IntegrationErrorCode:
    """Return the error code of an HTTP status."""
    if status >= 500:  # noqa: PLR2004 - HTTP's own number
        return IntegrationErrorCode.UNAVAILABLE
    return _CODES.get(status, IntegrationErrorCode.REJECTED)


def fault_of(
    status: int, said: str = "", *, retry_after: str = "", secrets: tuple[str, ...] = (), provider_code: str = ""
) -> IntegrationFault:
    """Return the typed error of a refusal; `said` is the server's own line on it."""
    code = code_of(status)
    return IntegrationFault(
        code,
        with_reason(SENTENCES[code], said, secrets),
        http_status=status,
        provider_code=provider_code,
        retry_after_s=wait_s(retry_after),
    )


def with_reason(sentence: str, said: str, secrets: tuple[str, ...] = ()) -> str:
    """Return our sentence followed by the server's line: short, on one line, and never with a secret."""
    line = _line(said)
    if not line or any(secret and secret in line for secret in secrets):
        return sentence
    return f"{sentence} ({line if len(line) <= LONGEST else line[: LONGEST - 1] + '…'})"


def _line(said: str) -> str:
    """Return the text on one line, without invisible characters or terminal sequences."""
    one = " ".join(_OF_TERMINALS.sub("", said).split())
    return "".join(letter for letter in one if letter.isprintable()).strip()


def as_code(said: object, secrets: tuple[str, ...] = ()) -> str:
    """Return the server's own code for a refusal; empty if it does not look like one, or holds a secret."""
    code = str(said)
    return code if _CODE.fullmatch(code) and not any(secret and secret in code for secret in secrets) else ""


def unreachable(error: Exception) -> IntegrationFault:
    """Return the error of a failed or lost connection, without the client's text, which may hold address and key."""
    match error:
        case aiohttp.ClientConnectorCertificateError() | ssl.SSLCertVerificationError():
            why = "nobody known has signed its certificate; name yours as tls_ca"
        case aiohttp.ClientConnectorDNSError() | socket.gaierror():
            why = "its name is not known"
        case aiohttp.ClientSSLError() | ssl.SSLError():
            why = "it does not speak TLS as it should"
        case aiohttp.ClientConnectorError() | ConnectionRefusedError():
            why = "nothing answers there"
        case _:
            why = "the connection broke"
    return IntegrationFault(IntegrationErrorCode.UNAVAILABLE, f"the server cannot be reached: {why}")


def unusable(what: str) -> IntegrationFault:
    """Return the error of an answer that does not meet the server's description."""
    return IntegrationFault(IntegrationErrorCode.INVALID_OUTPUT, f"the server's answer is no {what}")


def too_long() -> IntegrationFault:
    """Return the error of an answer of more than `MOST_BYTES`."""
    return IntegrationFault(IntegrationErrorCode.INVALID_OUTPUT, TOO_LONG)


def read_as(kind: type[M], value: Any, what: str) -> M:
    """Parse a server's JSON as a record; raise `IntegrationFault` that does not quote it."""
    try:
        return kind.model_validate(value)
    except ValidationError:
        raise unusable(what) from None


def trusting(tls_ca: str) -> ssl.SSLContext:
    """Return a TLS context that trusts a file's certificates. Raise `IntegrationFault` that names the file."""
    try:
        return ssl.create_default_context(cafile=tls_ca)
    except OSError:
        text = f"the certificates of {tls_ca} cannot be read; look at tls_ca"
        raise IntegrationFault(IntegrationErrorCode.UNAVAILABLE, text) from None


class HttpPeer:
    """One server. Connects with the first request, until `close()`."""

    def __init__(
        self,
        root: str,
        *,
        headers: Mapping[str, str] | None = None,
        secrets: tuple[str, ...] = (),
        tls_ca: str = "",
        said: Callable[[Any], str] = lambda _json: "",
        refused: Callable[[HttpAnswer], IntegrationFault | None] = lambda _answer: None,
    ) -> None:
        """`said` extracts the server's reason from a refusal's JSON; `refused` may interpret it by codes of its own."""
        self._root = root.rstrip("/")
        self._headers = dict(headers or {})
        self._secrets = secrets
        self._tls_ca = tls_ca
        self._said = said
        self._refused = refused
        self._session: aiohttp.ClientSession | None = None

    async def request(
        self,
        method: str,
        path: str,
        *,
        params: Mapping[str, str] | list[tuple[str, str]] | None = None,
        form: Mapping[str, str] | list[tuple[str, str]] | None = None,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
        as_json: bool = True,
    ) -> HttpAnswer:
        """Make one request; redirects are not followed. Raise `IntegrationFault`."""
        try:
            async with self._opened().request(
                method,
                self._root + path,
                params=params,
                data=form,
                json=body,
                headers=headers,
                allow_redirects=False,
            ) as response:
                note_headers(response.headers)
                raw = await _body(response)
                answer = HttpAnswer(
                    response.status, raw, _json(raw), {k.lower(): v for k, v in response.headers.items()}
                )
        except (aiohttp.ClientError, OSError) as error:
            if isinstance(error, TimeoutError):
                raise
            raise unreachable(error) from None
        return self._checked(answer, as_json=as_json)

    def _checked(self, answer: HttpAnswer, *, as_json: bool) -> HttpAnswer:
        if not 200 <= answer.status < 300:  # noqa: PLR2004 - HTTP's own numbers
            if (fault := self._refused(answer)) is not None:
                raise fault
            text = (
                self._said(answer.json) if answer.json is not None else answer.body[:LONGEST].decode("utf-8", "replace")
            )
            raise fault_of(
                answer.status, text, retry_after=answer.headers.get("retry-after", ""), secrets=self._secrets
            )
        if len(answer.body) > MOST_BYTES:
            raise too_long()
        if as_json and answer.json is None:
            raise unusable("JSON")
        return answer

    def _opened(self) -> aiohttp.ClientSession:
        if self._session is None or self._session.closed:
            context = trusting(self._tls_ca) if self._tls_ca else True
            self._session = aiohttp.ClientSession(
                headers=self._headers, connector=aiohttp.TCPConnector(ssl=context), trust_env=False
            )
        return self._session

    async def close(self) -> None:
        """Close the connections."""
        if self._session is not None:
            await self._session.close()
            self._session = None


async def _body(response: aiohttp.ClientResponse) -> bytes:
    """Return the whole body, or slightly more than the limit: `read(n)` would return only what has arrived so far."""
    raw = bytearray()
    async for piece in response.content.iter_any():
        raw += piece
        if len(raw) > MOST_BYTES:
            break
    return bytes(raw)


def wait_s(retry_after: str) -> float | None:
    """Return a `Retry-After`, a number or a date, as seconds from now; None if it is neither."""
    text = retry_after.strip()
    with suppress(ValueError, TypeError, OverflowError):
        if text.isascii() and text.isdigit():
            seconds = float(text)
        else:
            seconds = (parsedate_to_datetime(text) - datetime.now(UTC)).total_seconds()
        return min(max(0.0, seconds), LONGEST_WAIT_S)
    return None


def _json(raw: bytes) -> Any:
    """Parse JSON; None if it is invalid or nested too deeply. A lone surrogate, which cannot be stored, becomes `?`."""
    try:
        value = json.loads(raw)
        if b"\\ud" in raw or b"\\uD" in raw:
            value = json.loads(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None
    return value
