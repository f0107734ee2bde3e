"""Unsubscribing as a provider: the one POST of RFC 8058 to a mailing list's server.

The server is a stranger. It gets only that request, without cookies, over one connection to a checked address; no
redirect is followed, and only the status of its answer is read.
"""

import ssl
from typing import Any

import aiohttp
from pydantic import Field
from yarl import URL

from butler.contract.addresses import Address, Resolve, resolve_by_system
from butler.contract.base_integration import BaseIntegration
from butler.contract.errors import Effect, IntegrationErrorCode, IntegrationFault, Refuse
from butler.contract.integration import (
    CallProbe,
    Idempotency,
    IntegrationCall,
    Method,
    RateLimitHint,
    RawAnswer,
    auth_answer,
    method,
)
from butler.contract.pinned import Pinned
from butler.contract.records import Record
from butler.contract.speech import say
from modules.email.one_click_target import Reach, host_of, public_addresses

ONE_CLICK = "list_unsubscribe.list.one_click.v1"
_BODY = b"List-Unsubscribe=One-Click"
_HEADERS = {"Content-Type": "application/x-www-form-urlencoded", "User-Agent": "Butler", "Accept": "*/*"}
_CONNECT_S, _ANSWER_S = 10.0, 20.0
_LARGEST_ANSWER = 64 * 1024
_LONGEST_HEADER = 8 * 1024
_SUCCESS, _ELSEWHERE = range(200, 300), range(300, 400)


class OneClickArgs(Record):
    """The unsubscribe address that the mail names."""

    url: str = Field(max_length=4_000)


class OneClickAnswer(Record):
    """The server that accepted the request, and the status of its answer."""

    host: str
    status: int


class UnsubscribeIntegration(BaseIntegration):
    """Sends the request to any mailing list's server."""

    provider = "list_unsubscribe"

    def __init__(
        self,
        probe: CallProbe | None = None,
        *,
        resolve: Resolve = resolve_by_system,
        reach: Reach | None = None,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        """`resolve`, `reach` and `tls` are for tests with a server of their own."""
        self._resolve, self._reach, self._tls = resolve, reach or Reach(), tls
        super().__init__(probe)

    def methods(self) -> list[Method]:
        return [
            method(
                ONE_CLICK,
                args=OneClickArgs,
                answer=OneClickAnswer,
                run=self._raw_one_click,
                idempotency=Idempotency.NONE,
                rate_limit=RateLimitHint(calls=10, per_s=60.0),
            )
        ]

    async def auth_status(self) -> dict[str, Any]:
        return auth_answer(None, detail="nobody signs in to unsubscribe")

    def check(self, url: str) -> None:
        """Check the address. Raise `Refuse` for one that is never requested."""
        host_of(url, self._reach)

    async def _raw_one_click(self, _call: IntegrationCall, args: OneClickArgs) -> RawAnswer:
        host, addresses = await self._target(args.url)
        target = URL(args.url, encoded=True)
        if (target.raw_host or "").lower().removesuffix(".") != host:
            # Two parsers that differ on an address would let the request reach another host than the checked one.
            raise IntegrationFault(
                IntegrationErrorCode.REJECTED, say("the unsubscribe link is odd; open the mail and use its link")
            )
        try:
            status = await self._post(target, addresses)
        except (aiohttp.ClientError, TimeoutError) as error:
            raise _fault_of(error, host) from error
        if status not in _SUCCESS:
            raise IntegrationFault(IntegrationErrorCode.REJECTED, _refusal(host, status), http_status=status)
        return RawAnswer({"host": host, "status": status})

    async def _target(self, url: str) -> tuple[str, tuple[Address, ...]]:
        try:
            host = host_of(url, self._reach)
        except Refuse as refusal:
            raise IntegrationFault(IntegrationErrorCode.REJECTED, refusal.detail) from refusal
        try:
            return host, await public_addresses(host, self._reach, self._resolve)
        except Refuse as refusal:
            raise IntegrationFault(IntegrationErrorCode.REJECTED, refusal.detail) from refusal
        except OSError as error:
            message = say(
                "there is no server {host} now; try again later, or open the mail and use its link", host=host
            )
            raise IntegrationFault(IntegrationErrorCode.UNAVAILABLE, message, effect=Effect.NONE) from error

    async def _post(self, url: URL, addresses: tuple[Address, ...]) -> int:
        """Return the status of the answer; its body is not read."""
        timeout = aiohttp.ClientTimeout(total=_ANSWER_S, sock_connect=_CONNECT_S)
        connector = aiohttp.TCPConnector(
            resolver=Pinned(addresses), use_dns_cache=False, force_close=True, ssl=self._tls or True
        )
        async with (
            aiohttp.ClientSession(
                connector=connector,
                cookie_jar=aiohttp.DummyCookieJar(),
                timeout=timeout,
                trust_env=False,
                auto_decompress=False,
                read_bufsize=_LARGEST_ANSWER,
                max_line_size=_LONGEST_HEADER,
                max_field_size=_LONGEST_HEADER,
            ) as session,
            session.post(url, data=_BODY, headers=_HEADERS, allow_redirects=False) as answer,
        ):
            answer.close()
            return answer.status


def _fault_of(error: aiohttp.ClientError | TimeoutError, host: str) -> IntegrationFault:
    if isinstance(error, aiohttp.ClientConnectorCertificateError | aiohttp.ClientConnectorSSLError):
        message = say("{host} does not prove that it is {host}; leave its link alone", host=host)
        return IntegrationFault(IntegrationErrorCode.REJECTED, message)
    if isinstance(error, aiohttp.ClientConnectorError | aiohttp.ConnectionTimeoutError):
        message = say("{host} cannot be reached; try again later, or open the mail and use its link", host=host)
        return IntegrationFault(IntegrationErrorCode.UNAVAILABLE, message, effect=Effect.NONE)
    message = say("{host} was asked to unsubscribe you and gave no answer that can be read", host=host)
    return IntegrationFault(IntegrationErrorCode.UNAVAILABLE, message, effect=Effect.UNKNOWN)


def _refusal(host: str, status: int) -> str:
    if status in _ELSEWHERE:
        return say(
            "{host} wants Butler to go elsewhere, which one-click unsubscribing must not; open the mail and use its "
            "link",
            host=host,
        )
    return say(
        "{host} did not unsubscribe you (it answered {status}); open the mail and use its link",
        host=host,
        status=status,
    )
