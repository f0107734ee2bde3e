"""Queries a Meilisearch server over HTTP, and maps its refusals. No connection stays open after a call.

Meilisearch's own client follows redirects, reads proxies from the environment and takes no certificates, without a
public way to change that; so the one request that is needed is made here.
"""

import asyncio
from dataclasses import dataclass
from typing import Any, cast
from urllib.parse import quote

from butler.contract.errors import IntegrationErrorCode, IntegrationFault
from butler.contract.speech import say
from modules._remote.http import SENTENCES, HttpAnswer, HttpPeer, as_code, fault_of, unusable, with_reason

_WHAT = "answer of Meilisearch's"
_BY_CODE = {
    "invalid_api_key": IntegrationErrorCode.AUTH_REQUIRED,
    "missing_authorization_header": IntegrationErrorCode.AUTH_REQUIRED,
    "too_many_search_requests": IntegrationErrorCode.RATE_LIMITED,
}
"""Meilisearch's own codes are more precise than the status: a wrong key is 403, and too many searches are 503."""


@dataclass(frozen=True, slots=True)
class Server:
    """The server's address and limits; `key` is empty for a server without keys."""

    url: str
    key: str
    timeout_s: float
    tls_ca: str = ""

    async def search(self, index: str, query: str, options: dict[str, Any]) -> dict[str, Any]:
        """Run one search. Raise `IntegrationFault`."""
        peer = HttpPeer(
            self.url,
            headers={"Authorization": f"Bearer {self.key}"} if self.key else {},
            secrets=(self.key,),
            tls_ca=self.tls_ca,
            refused=self._refused,
        )
        try:
            async with asyncio.timeout(self.timeout_s):
                path = f"/indexes/{quote(index, safe='')}/search"
                answer = await peer.request("POST", path, body={"q": query, **options}, as_json=False)
        except TimeoutError:
            raise IntegrationFault(
                IntegrationErrorCode.TIMEOUT,
                say("the server has not answered within {seconds} s", seconds=f"{self.timeout_s:g}"),
            ) from None
        finally:
            await peer.close()
        if not isinstance(answer.json, dict):
            raise unusable(_WHAT)
        return cast("dict[str, Any]", answer.json)

    def _refused(self, answer: HttpAnswer) -> IntegrationFault | None:
        """Return Meilisearch's own refusal as a fault; None if it comes from a gateway."""
        if not isinstance(answer.json, dict):
            return None
        data, secrets = cast("dict[str, Any]", answer.json), (self.key,)
        result = data.get("message")
        reason = result if isinstance(result, str) else ""
        provider_code = as_code(data.get("code") or "", secrets)
        fault = fault_of(
            answer.status,
            reason,
            retry_after=answer.headers.get("retry-after", ""),
            secrets=secrets,
            provider_code=provider_code,
        )
        code = _BY_CODE.get(provider_code)
        if code is None:
            return fault
        return IntegrationFault(
            code,
            with_reason(SENTENCES[code], reason, secrets),
            http_status=fault.http_status,
            provider_code=fault.provider_code,
            retry_after_s=fault.retry_after_s,
        )
