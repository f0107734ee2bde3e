# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportMissingTypeStubs=false
# Google's client and httplib2 have no annotations.
"""Maps Google's refusals to typed errors. Their texts may quote a mail, so only codes and times are taken from them."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from http.client import HTTPException
from typing import Any
from zoneinfo import ZoneInfo

from butler.contract.errors import Effect, IntegrationErrorCode, IntegrationFault
from butler.contract.speech import phrase, say

DAILY = frozenset({"dailyLimitExceeded"})
"""Limits per day, which is reset at midnight in California."""
_RATE = frozenset({"rateLimitExceeded", "userRateLimitExceeded", "quotaExceeded", "resourceExhausted"}) | DAILY
_OVER_TODAY = phrase("{product}'s limit for today is used up; the next day begins at midnight in California")
_TOO_OFTEN = phrase("{product} asks to be called less often")
_AWAY = frozenset({500, 502, 503, 504})
_RETRY_AFTER = re.compile(r"retry after (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)", re.IGNORECASE)
_PACIFIC = ZoneInfo("America/Los_Angeles")
_FORBIDDEN = {
    "accessNotConfigured": phrase(
        "the {product} API is not switched on in your project at Google; switch it on ({guide})"
    ),
    "domainPolicy": phrase("your organisation does not allow this project to use {product}; its administrator can"),
}
_MEANINGS: dict[int, tuple[IntegrationErrorCode, str]] = {
    HTTPStatus.NOT_FOUND: (IntegrationErrorCode.NOT_FOUND, phrase("{product} has no such {thing} in this account")),
    HTTPStatus.CONFLICT: (IntegrationErrorCode.CONFLICT, phrase("{product} says that this was changed meanwhile")),
}


@dataclass(frozen=True, slots=True)
class Product:
    """One of Google's services, named for the owner."""

    name: str
    thing: str
    """The thing that is not found there."""
    guide: str
    """The page of the documentation on how to connect it."""

    def say(self, template: str) -> str:
        """Return a sentence about the service."""
        return say(template, product=self.name, thing=say(self.thing), guide=self.guide)


@dataclass(frozen=True, slots=True)
class SignIn:
    """The service, the command that signs in again, and the current time, for Google's dates."""

    product: Product
    command: str
    now: datetime


def fault_of(error: Exception, sign_in: SignIn) -> IntegrationFault:
    """Return the typed fault for any error of Google's client."""
    from google.auth.exceptions import RefreshError  # noqa: PLC0415 - heavy
    from googleapiclient.errors import BatchError, HttpError  # noqa: PLC0415 - heavy
    from httplib2 import HttpLib2Error, ServerNotFoundError  # noqa: PLC0415 - only when Gmail is used

    if isinstance(error, IntegrationFault):
        return error
    if isinstance(error, HttpError):
        return refusal(int(error.resp.status), error.resp, error.content, sign_in)
    if isinstance(error, RefreshError):
        # A part of a batch was answered with 401, and the client cannot renew the token.
        return refusal(HTTPStatus.UNAUTHORIZED, {}, b"", sign_in)
    if isinstance(error, (ConnectionRefusedError, ServerNotFoundError)):
        return IntegrationFault(
            IntegrationErrorCode.UNAVAILABLE,
            say("{product} cannot be reached", product=sign_in.product.name),
            effect=Effect.NONE,
        )
    code, text = IntegrationErrorCode.INTERNAL, f"Google's client raised {type(error).__name__}"
    if isinstance(error, TimeoutError):
        code, text = IntegrationErrorCode.TIMEOUT, say("{product} did not answer", product=sign_in.product.name)
    elif isinstance(error, (OSError, HTTPException, HttpLib2Error, BatchError)):
        code, text = (
            IntegrationErrorCode.UNAVAILABLE,
            say("the connection to {product} was lost", product=sign_in.product.name),
        )
    return IntegrationFault(code, text)


def refusal(status: int, headers: Mapping[str, Any], content: bytes, sign_in: SignIn) -> IntegrationFault:
    """Return the typed fault of an error response."""
    reason, message = _reason(content)
    code, text = _meaning(status, reason, sign_in)
    return IntegrationFault(
        code,
        text,
        provider_code=reason,
        http_status=status,
        retry_after_s=_pause(str(headers.get("retry-after", "")), reason, message, sign_in.now)
        if code in {IntegrationErrorCode.RATE_LIMITED, IntegrationErrorCode.UNAVAILABLE}
        else None,
    )


def _meaning(status: int, reason: str, sign_in: SignIn) -> tuple[IntegrationErrorCode, str]:
    product, command = sign_in.product, sign_in.command
    if status == HTTPStatus.TOO_MANY_REQUESTS or (status == HTTPStatus.FORBIDDEN and reason in _RATE):
        return IntegrationErrorCode.RATE_LIMITED, product.say(_OVER_TODAY if reason in DAILY else _TOO_OFTEN)
    if status == HTTPStatus.UNAUTHORIZED:
        return IntegrationErrorCode.AUTH_REQUIRED, say(
            "{product} does not accept the sign-in; run `{command}`", product=product.name, command=command
        )
    if status == HTTPStatus.FORBIDDEN:
        text = say("the sign-in does not allow this; run `{command}` and allow all that it asks for", command=command)
        return IntegrationErrorCode.FORBIDDEN, product.say(_FORBIDDEN[reason]) if reason in _FORBIDDEN else text
    if status in _AWAY:
        return IntegrationErrorCode.UNAVAILABLE, say("{product} is not available now", product=product.name)
    if status in _MEANINGS:
        code, text = _MEANINGS[status]
        return code, product.say(text)
    return IntegrationErrorCode.REJECTED, say(
        "{product} refused this ({status} {reason})", product=product.name, status=status, reason=reason
    ).replace(" )", ")")


def _reason(content: bytes) -> tuple[str, str]:
    try:
        first = json.loads(content)["error"]["errors"][0]
        reason, message = str(first["reason"]), str(first.get("message", ""))
    except (ValueError, KeyError, IndexError, TypeError):
        return "", ""
    return reason if reason.isalnum() else "", message


def _pause(header: str, reason: str, message: str, now: datetime) -> float | None:
    """Return for how many seconds Google asks to wait; None if it does not say."""
    if header.strip().isdigit():
        return float(header)
    until = _header_date(header) or _message_date(message)
    if until is None and reason in DAILY:
        tomorrow = (now.astimezone(_PACIFIC) + timedelta(days=1)).replace(hour=0, minute=0, second=0, microsecond=0)
        until = tomorrow.astimezone(UTC)
    return None if until is None else max(0.0, (until - now).total_seconds())


def _header_date(header: str) -> datetime | None:
    try:
        found = parsedate_to_datetime(header)
    except (ValueError, TypeError):
        return None
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)


def _message_date(message: str) -> datetime | None:
    match = _RETRY_AFTER.search(message)
    try:
        return datetime.fromisoformat(match[1]) if match else None
    except ValueError:
        return None
