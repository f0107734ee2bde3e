"""Trello's HTTP client: one session, one rate limit for all of an account's requests, and clean, typed errors.

Key and token are sent in a header and never in an address, which others log; neither is ever part of an error.
"""

import json
import re
import time
from asyncio import sleep
from collections.abc import Mapping
from contextlib import suppress
from http import HTTPStatus
from typing import Any

import aiohttp
from yarl import URL

from butler.contract.call_notes import note_headers
from butler.contract.door import Limiter
from butler.contract.errors import Effect, IntegrationErrorCode, IntegrationFault
from butler.contract.integration import RateLimitHint
from butler.contract.ports import Vault
from butler.contract.speech import phrase, say
from modules.trello.config import TrelloSettings

UNREADABLE = phrase("Trello's answer cannot be read")
WINDOW_S = 10.0
SLACK_S = 1.0
"""Requests may arrive closer together than they were sent, so our window is slightly longer than Trello's."""
OF_MEMBERS = RateLimitHint(calls=90, per_s=910.0, shared=True)
"""Trello allows 100 requests about members in 15 minutes."""
_ABOUT_MEMBERS = "members/"
ANSWER_S = 30.0
_CONNECT_S = 10.0
LEFT = 4
"""Once Trello reports at most so many requests left in this window, all requests wait for its end: another process, or
an earlier run of this one, has used the rest.
"""
_LEFT_SAID = ("x-rate-limit-api-token-remaining", "x-rate-limit-api-key-remaining")
_LARGEST_ANSWER = 64 * 1024 * 1024
_LONGEST_REASON = 200
_CREDENTIAL = re.compile(r"[A-Za-z0-9_-]{8,200}")
_TOO_MANY = "API_TOO_MANY_CARDS_REQUESTED"


class TrelloClient:
    """The requests of one account. Nothing connects before the first one."""

    def __init__(self, settings: TrelloSettings, vault: Vault, login: str) -> None:
        """`login` is the command that signs in again."""
        self._settings, self._vault, self._login = settings, vault, login
        self._root = URL(settings.api_root, encoded=True)
        self.pace = RateLimitHint(calls=settings.requests_per_10s, per_s=WINDOW_S + SLACK_S, shared=True)
        """The rate limit of all requests of the account; those about members have `OF_MEMBERS` in addition."""
        self._pace, self._members = Limiter(self.pace), Limiter(OF_MEMBERS)
        self._session: aiohttp.ClientSession | None = None
        self._quiet_until = 0.0

    async def get(self, path: str, **query: str | int) -> Any:
        """Make a GET request; return the answer's JSON. Raise `IntegrationFault`."""
        return await self._ask("GET", path, query=query)

    async def write(self, verb: str, path: str, fields: Mapping[str, Any] | None = None) -> Any:
        """Make a request that changes something, with the fields in its body. Raise `IntegrationFault`."""
        return await self._ask(verb, path, fields=fields or {})

    async def close(self) -> None:
        """Close the connections; the next request opens new ones."""
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    async def _ask(
        self,
        verb: str,
        path: str,
        *,
        query: Mapping[str, str | int] | None = None,
        fields: Mapping[str, Any] | None = None,
    ) -> Any:
        headers = {"Authorization": self._authorization(), "Accept": "application/json", "User-Agent": "Butler"}
        if path.startswith(_ABOUT_MEMBERS):
            await self._members.wait()
        await self._pace.wait()
        while (pause := self._quiet_until - time.monotonic()) > 0:  # noqa: ASYNC110 - it may be put off meanwhile
            await sleep(pause)
        try:
            async with self._opened().request(
                verb,
                self._root.joinpath(path),
                params=query or None,
                json=fields,
                headers=headers,
                allow_redirects=False,
            ) as answer:
                self._heed(answer.headers)
                body = await _read(answer)
                return self._understood(answer.status, body)
        except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError) as error:
            message = say("Trello cannot be reached now; try again later")
            raise IntegrationFault(IntegrationErrorCode.UNAVAILABLE, message, effect=Effect.NONE) from error
        except TimeoutError as error:
            raise IntegrationFault(IntegrationErrorCode.TIMEOUT, say("Trello gave no answer in time")) from error
        except aiohttp.ClientError as error:
            raise IntegrationFault(
                IntegrationErrorCode.UNAVAILABLE, say("Trello broke off without an answer")
            ) from error

    def _heed(self, headers: Mapping[str, str]) -> None:
        """Pause for a window if Trello reports hardly any requests left."""
        note_headers(headers)
        if any(text.isdecimal() and int(text) <= LEFT for name in _LEFT_SAID if (text := headers.get(name, ""))):
            self._quiet_until = time.monotonic() + WINDOW_S + SLACK_S

    def _opened(self) -> aiohttp.ClientSession:
        if self._session is None:
            timeout = aiohttp.ClientTimeout(total=ANSWER_S, sock_connect=_CONNECT_S)
            self._session = aiohttp.ClientSession(timeout=timeout, cookie_jar=aiohttp.DummyCookieJar())
        return self._session

    def _authorization(self) -> str:
        key, token = self._vault.get(self._settings.key_env), self._vault.get(self._settings.token_env)
        if not key or not token:
            raise self._signed_out(say("you are not signed in to Trello; run `{login}`", login=self._login))
        if not _CREDENTIAL.fullmatch(key) or not _CREDENTIAL.fullmatch(token):
            raise self._signed_out(
                say("the key or the token of Trello is none that it gives out; run `{login}`", login=self._login)
            )
        return f'OAuth oauth_consumer_key="{key}", oauth_token="{token}"'

    def _understood(self, status: int, body: bytes) -> Any:
        if status == HTTPStatus.OK:
            try:
                return json.loads(body)
            except ValueError as error:
                raise IntegrationFault(IntegrationErrorCode.INVALID_OUTPUT, say(UNREADABLE)) from error
        raise self._fault(status, _reason(body))

    def _fault(self, status: int, reason: str) -> IntegrationFault:
        """Return the fault of a refusal, by its status and Trello's text."""
        text = reason.casefold()
        match status:
            case HTTPStatus.UNAUTHORIZED if "unauthorized" in text:
                return self._forbidden(status)
            case HTTPStatus.UNAUTHORIZED if "key" in text:
                return self._signed_out(say("Trello does not know this API key; run `{login}`", login=self._login))
            case HTTPStatus.UNAUTHORIZED:
                return self._signed_out(
                    say("Trello does not take the sign-in any more; run `{login}`", login=self._login)
                )
            case HTTPStatus.FORBIDDEN if _TOO_MANY.casefold() in text:
                code, message = IntegrationErrorCode.REJECTED, say("Trello refuses to list so many cards at once")
            case HTTPStatus.FORBIDDEN:
                return self._forbidden(status)
            case HTTPStatus.NOT_FOUND:
                message = say("Trello has no such thing, or you may not see it")
                code = IntegrationErrorCode.NOT_FOUND
            case HTTPStatus.TOO_MANY_REQUESTS:
                self._quiet_until = time.monotonic() + WINDOW_S
                message = say("Trello wants fewer requests; it goes on in a moment")
                return IntegrationFault(
                    IntegrationErrorCode.RATE_LIMITED, message, http_status=status, retry_after_s=WINDOW_S
                )
            case _ if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
                code = IntegrationErrorCode.UNAVAILABLE
                message = say("Trello has a fault of its own (it answered {status})", status=status)
            case HTTPStatus.CONFLICT:
                code, message = IntegrationErrorCode.CONFLICT, say("Trello is at something else there; try again")
            case _:
                code = IntegrationErrorCode.REJECTED
                message = say("Trello refuses it: {why}", why=reason or status)
        return IntegrationFault(code, message, http_status=status)

    @staticmethod
    def _signed_out(message: str) -> IntegrationFault:
        return IntegrationFault(IntegrationErrorCode.AUTH_REQUIRED, message, http_status=HTTPStatus.UNAUTHORIZED)

    @staticmethod
    def _forbidden(status: int) -> IntegrationFault:
        return IntegrationFault(
            IntegrationErrorCode.FORBIDDEN, say("you may not do this on Trello"), http_status=status
        )


async def _read(answer: aiohttp.ClientResponse) -> bytes:
    """Return the whole body; raise `IntegrationFault` if it is larger than any expected answer."""
    parts: list[bytes] = []
    size = 0
    async for part in answer.content.iter_any():
        parts.append(part)
        size += len(part)
        if size > _LARGEST_ANSWER:
            raise IntegrationFault(IntegrationErrorCode.INVALID_OUTPUT, say("Trello's answer is too large"))
    return b"".join(parts)


def _reason(body: bytes) -> str:
    """Return Trello's text: a plain line, or a message and a code from JSON."""
    text = body[:4_000].decode(errors="replace")
    if text.startswith("{"):
        data: dict[str, Any] = {}
        with suppress(ValueError):
            data = json.loads(text)
        text = " ".join(str(data[name]) for name in ("message", "error") if name in data) or text
    return " ".join(text.split())[:_LONGEST_REASON]
