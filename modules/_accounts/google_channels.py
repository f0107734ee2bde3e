"""Notification channels of Google Calendar and Drive, each renewed before it expires.

A channel has a random id and a random token that Google sends with every call; only the token's hash is stored. A
channel is stored before it is requested, for Google sends its first call before it answers. A new one is opened a day
before the old one expires, which is closed afterwards: so there is always one.
"""

import hashlib
import hmac
import secrets
import uuid
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import structlog
from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from butler.contract.base_integration import BaseIntegration
from butler.contract.errors import IntegrationErrorCode
from butler.contract.integration import ONCE, READS, IntegrationError, RetryPolicy
from butler.contract.module import CheckResult
from butler.contract.polling import PollError
from butler.contract.ports import Clock, Cursors
from butler.contract.records import ClosedRecord

log = structlog.get_logger(__name__)

LIFE, RENEW_BEFORE = timedelta(days=7), timedelta(days=1)
_TOKEN_BYTES = 32
_TIMEOUT_MS = 60_000
_GONE = frozenset({IntegrationErrorCode.NOT_FOUND, IntegrationErrorCode.REJECTED, IntegrationErrorCode.FORBIDDEN})
"""Errors on closing a channel that mean that it no longer exists, or is not this account's."""


class Opening(BaseModel):
    """A request to call `address` with `token` whenever the resource `what` has changed."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    what: str
    channel: str
    token: str = Field(repr=False)
    address: str
    until: AwareDatetime


class Opened(ClosedRecord):
    """The opened channel."""

    resource: str
    until: AwareDatetime


class ChannelRef(ClosedRecord):
    """A channel to close."""

    channel: str
    resource: str


class Closed(ClosedRecord):
    """An answer without content."""


class Channel(ClosedRecord):
    """A requested channel; without a resource until the answer has arrived."""

    what: str
    """A calendar's id; empty if an account has a single resource."""
    channel: str
    token_sha256: str
    until: AwareDatetime
    resource: str = ""


class Channels(ClosedRecord):
    """All channels of an account."""

    channels: tuple[Channel, ...] = ()


@dataclass(frozen=True, slots=True)
class Provider:
    """Opens and closes the channels of one provider; both raise `PollError`."""

    open: Callable[[Opening], Awaitable[Opened]]
    close: Callable[[str, str], Awaitable[None]]
    """Takes the channel's id and its resource."""
    things: Callable[[], Awaitable[Sequence[str]]]
    """Returns the resources to be notified of."""


class ChannelRepository:
    """The channels of one account. Implements `Promise`."""

    def __init__(self, cursor: str, provider: Provider, cursors: Cursors, clock: Clock, *, address: str) -> None:
        """`address` is the URL that Google calls, with https://; empty for no channels."""
        self._cursor, self._provider = cursor, provider
        self._cursors, self._clock, self._address = cursors, clock, address
        self._silent: frozenset[str] = frozenset()
        self._anew = False

    @property
    def wanted(self) -> bool:
        return bool(self._address)

    async def keep(self) -> None:
        now, held = self._clock.now(), await self.held()
        if self._anew:
            for channel in [one for one in held if one.resource]:
                await self._close(channel)
            held, self._anew = list[Channel](), False
            await self._store(held)
        things = list(await self._provider.things()) if self.wanted else []
        for what in things:
            if what not in self._silent and not _lasts(held, what, now):
                held = await self._open(held, what, now)
        held = [one for one in held if one.until > now]
        for channel in [one for one in held if one.resource and not _is_best(one, held, things)]:
            await self._close(channel)
            held = [one for one in held if one is not channel]
            await self._store(held)
        await self._store(held)

    async def held(self) -> list[Channel]:
        """Return all requested channels that have not expired, as far as is known."""
        stored = await self._cursors.get(self._cursor)
        return list(Channels.model_validate_json(stored).channels) if stored else []

    async def known(self, channel_id: str, token: str) -> Channel | None:
        """Return the channel of this id if the token is right and it has not expired."""
        shown = hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()
        for channel in await self.held():
            if channel.channel == channel_id and channel.until > self._clock.now():
                return channel if hmac.compare_digest(shown, channel.token_sha256) else None
        return None

    def reopen(self) -> None:
        """Close and reopen the channels, since the account may be another's now."""
        self._anew, self._silent = True, frozenset()

    async def _open(self, held: list[Channel], what: str, now: datetime) -> list[Channel]:
        # A channel whose answer was lost cannot be closed; it expires.
        held = [one for one in held if one.resource or one.what != what]
        token = secrets.token_urlsafe(_TOKEN_BYTES)
        asked = Channel(
            what=what,
            channel=str(uuid.uuid4()),
            token_sha256=hashlib.sha256(token.encode()).hexdigest(),
            until=now + LIFE,
        )
        await self._store([*held, asked])
        opening = Opening(what=what, channel=asked.channel, token=token, address=self._address, until=asked.until)
        try:
            opened = await self._provider.open(opening)
        except PollError as failure:
            if not _never(failure.error):
                raise
            # Google has no notifications for some calendars, such as one of holidays. These are polled as before.
            log.info("push_not_supported", what=self._cursor, code=failure.error.provider_code)
            self._silent |= {what}
            return held
        after = [*held, asked.model_copy(update={"resource": opened.resource, "until": opened.until})]
        await self._store(after)
        return after

    async def _close(self, channel: Channel) -> None:
        try:
            await self._provider.close(channel.channel, channel.resource)
        except PollError as failure:
            if failure.error.code not in _GONE:
                raise

    async def _store(self, held: Sequence[Channel]) -> None:
        text = Channels(channels=tuple(held)).model_dump_json() if held else ""
        if text != (await self._cursors.get(self._cursor) or ""):
            await self._cursors.set(self._cursor, text)


def body_of(opening: Opening) -> dict[str, str]:
    """Return the request for a channel, as Google takes it."""
    return {
        "id": opening.channel,
        "type": "web_hook",
        "address": opening.address,
        "token": opening.token,
        "expiration": str(int(opening.until.timestamp() * 1000)),
    }


def opened_of(answer: Mapping[str, Any], opening: Opening) -> dict[str, Any]:
    """Return the answer to that request; Google may choose an earlier expiry."""
    ends = answer.get("expiration")
    until = datetime.fromtimestamp(int(ends) / 1000, UTC) if ends else opening.until
    return Opened(resource=str(answer["resourceId"]), until=until).model_dump(mode="json")


def provider_of(
    integration: BaseIntegration, methods: tuple[str, str], things: Callable[[], Awaitable[Sequence[str]]]
) -> Provider:
    """Return a provider that opens and closes channels by two methods of an integration."""

    async def call(method_id: str, args: BaseModel, idempotent: RetryPolicy) -> dict[str, Any]:
        result = await integration.request(
            f"{integration.provider}.push",
            method_id,
            args.model_dump(mode="json"),
            timeout_ms=_TIMEOUT_MS,
            retry_policy=idempotent,
        )
        if result.error is not None:
            raise PollError(result.error)
        return result.data or {}

    async def open_one(opening: Opening) -> Opened:
        return Opened.model_validate(await call(methods[0], opening, ONCE))

    async def close_one(channel: str, resource: str) -> None:
        await call(methods[1], ChannelRef(channel=channel, resource=resource), READS)

    return Provider(open_one, close_one, things)


async def channel_check(repository: ChannelRepository, title: str, clock: Clock) -> CheckResult | None:
    """Return the line of `butler doctor`; None if no channels are wanted."""
    if not repository.wanted:
        return None
    name = f"{title}: pushes"
    open_now = [one for one in await repository.held() if one.resource and one.until > clock.now()]
    if not open_now:
        todo = "start the daemon, and see docs/how-to/get-pushes-from-google.md"
        return CheckResult(name, ok=False, detail="Google is not asked to tell of changes", todo=todo)
    until = min(one.until for one in open_now)
    return CheckResult(
        name, ok=True, detail=f"Google tells of changes, {len(open_now)} channels until {until:%Y-%m-%d}"
    )


def _lasts(held: Sequence[Channel], what: str, now: datetime) -> bool:
    return any(one.what == what and one.resource and one.until - now > RENEW_BEFORE for one in held)


def _is_best(channel: Channel, held: Sequence[Channel], things: Sequence[str]) -> bool:
    """Return whether this channel stays: the last to expire of those for a resource that is still wanted."""
    rivals = [one for one in held if one.what == channel.what and one.resource]
    return channel.what in things and channel is max(rivals, key=lambda one: one.until)


def _never(error: IntegrationError) -> bool:
    return error.provider_code == "pushNotSupportedForRequestedResource"
