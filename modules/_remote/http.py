"""JSON over HTTP with a server of the person's, and what each of its refusals means. Used where no vendor's client is.

A server's text may hold anything, so of it only a short, single line goes into an error, and never one with the key.
"""

import json
import ssl
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import aiohttp

from butler.contract.errors import IntegrationErrorCode, IntegrationFault

MOST_BYTES = 32 * 1024 * 1024
LONGEST = 200
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


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """What came back: the body as it is, its JSON where it is JSON, and the headers by lower-case name."""

    status: int
    body: bytes
    json: Any
    headers: Mapping[str, str]


def code_of(status: int) -> IntegrationErrorCode:
    """What an HTTP status means for a call."""
    if status >= 500:  # noqa: PLR2004 - HTTP's own number
        return IntegrationErrorCode.UNAVAILABLE
    return _CODES.get(status, IntegrationErrorCode.REJECTED)


def fault_of(
    status: int, said: str = "", *, retry_after: str = "", secrets: tuple[str, ...] = (), provider_code: str = ""
) -> IntegrationFault:
    """The typed error of a refusal; `said` is the server's own line on it."""
    code = code_of(status)
    return IntegrationFault(
        code,
        with_reason(SENTENCES[code], said, secrets),
        http_status=status,
        provider_code=provider_code,
        retry_after_s=float(retry_after) if retry_after.strip().isdigit() else None,
    )


def with_reason(sentence: str, said: str, secrets: tuple[str, ...] = ()) -> str:
    """A sentence of ours with a server's line behind it: short, on one line, and never with a secret."""
    line = " ".join(said.split())
    if not line or any(secret and secret in line for secret in secrets):
        return sentence
    return f"{sentence} ({line if len(line) <= LONGEST else line[: LONGEST - 1] + '…'})"


def unreachable(error: Exception) -> IntegrationFault:
    """No connection, or one that broke. The text of a client's error may hold the address with its key: not kept."""
    kind = type(error).__name__
    return IntegrationFault(IntegrationErrorCode.UNAVAILABLE, f"the server cannot be reached ({kind})")


class HttpPeer:
    """One server. Opened with the first request; `close()` ends it."""

    def __init__(
        self,
        root: str,
        *,
        headers: Mapping[str, str] | None = None,
        secrets: tuple[str, ...] = (),
        tls_ca: str = "",
        said: Callable[[Any], str] = lambda _json: "",
    ) -> None:
        """`said` takes the server's own reason out of the JSON of a refusal."""
        self._root = root.rstrip("/")
        self._headers = dict(headers or {})
        self._secrets = secrets
        self._tls_ca = tls_ca
        self._said = said
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
        """One request; redirects are not followed. Raises `IntegrationFault`."""
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
                raw = await response.content.read(MOST_BYTES + 1)
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
            said = (
                self._said(answer.json) if answer.json is not None else answer.body[:LONGEST].decode("utf-8", "replace")
            )
            raise fault_of(
                answer.status, said, retry_after=answer.headers.get("retry-after", ""), secrets=self._secrets
            )
        if len(answer.body) > MOST_BYTES:
            raise IntegrationFault(
                IntegrationErrorCode.INVALID_OUTPUT, "the answer is too long; ask for less at a time"
            )
        if as_json and answer.json is None:
            raise IntegrationFault(IntegrationErrorCode.INVALID_OUTPUT, "the server's answer is no JSON")
        return answer

    def _opened(self) -> aiohttp.ClientSession:
        if self._session is None or self._session.closed:
            context = ssl.create_default_context(cafile=self._tls_ca) if self._tls_ca else True
            self._session = aiohttp.ClientSession(
                headers=self._headers, connector=aiohttp.TCPConnector(ssl=context), trust_env=False
            )
        return self._session

    async def close(self) -> None:
        """Close what is open."""
        if self._session is not None:
            await self._session.close()
            self._session = None


def _json(raw: bytes) -> Any:
    """None where it is no JSON."""
    try:
        return json.loads(raw)
    except ValueError:
        return None
