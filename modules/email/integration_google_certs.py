"""Google's public certificates as a provider; they verify Google's tokens."""

import json
import re
from typing import Any

import aiohttp

from butler.contract.base_integration import BaseIntegration
from butler.contract.errors import Effect, IntegrationErrorCode, IntegrationFault
from butler.contract.integration import CallProbe, Idempotency, IntegrationCall, Method, RawAnswer, auth_answer, method
from butler.contract.records import ClosedRecord
from butler.contract.speech import say

GOOGLES = "https://www.googleapis.com/oauth2/v1/certs"
CERTS = "google_certs.certs.list.v1"
_TIMEOUT_S = 10.0
_LARGEST = 64 * 1024
_OK = 200
_MAX_AGE = re.compile(r"max-age=(\d{1,9})")
_USUAL_AGE_S, _SHORTEST_AGE_S, _LONGEST_AGE_S = 3_600, 60, 86_400


class Nothing(ClosedRecord):
    """No arguments."""


class Certs(ClosedRecord):
    """X.509 certificates in PEM by key id, and how many seconds they may be kept."""

    certs: dict[str, str]
    good_for_s: int


class GoogleCerts(BaseIntegration):
    """The certificates at one address."""

    provider = "google_certs"

    def __init__(self, url: str, probe: CallProbe | None = None) -> None:
        self._url = url
        super().__init__(probe)

    def methods(self) -> list[Method]:
        return [method(CERTS, args=Nothing, answer=Certs, run=self._raw_certs, idempotency=Idempotency.READ)]

    async def auth_status(self) -> dict[str, Any]:
        result = await self.request("auth-status", CERTS)
        return auth_answer(result.error)

    async def _raw_certs(self, _call: IntegrationCall, _args: Nothing) -> RawAnswer:
        status, body, text = 0, b"", ""
        try:
            timeout = aiohttp.ClientTimeout(total=_TIMEOUT_S)
            async with (
                aiohttp.ClientSession(timeout=timeout, trust_env=False) as session,
                session.get(self._url, allow_redirects=False) as answer,
            ):
                status, text = answer.status, answer.headers.get("Cache-Control", "")
                body = await answer.content.read(_LARGEST)
        except (aiohttp.ClientError, OSError, TimeoutError):
            status = 0
        certs = _certs(body) if status == _OK else {}
        if not certs:
            raise IntegrationFault(
                IntegrationErrorCode.UNAVAILABLE,
                say("Google's certificates cannot be fetched now"),
                effect=Effect.NONE,
                http_status=status or None,
            )
        match = _MAX_AGE.search(text)
        age = int(match[1]) if match else _USUAL_AGE_S
        return RawAnswer({"certs": certs, "good_for_s": min(max(age, _SHORTEST_AGE_S), _LONGEST_AGE_S)})


def _certs(body: bytes) -> dict[str, str]:
    try:
        held: Any = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    if not isinstance(held, dict):
        return {}
    return {str(kid): pem for kid, pem in held.items() if isinstance(pem, str)}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
