"""Alerts the owner when a channel to them is deaf, once and through another channel, and once when it recovers.

The owner's first channel counts as deaf as soon as it has stopped, for example over a rejected token: waiting does not
help.

The store records a deaf channel as a fact, so that a restart neither repeats nor forgets the alert. Silence counts only
while this process runs: a machine that slept has heard nothing either. If no channel is open, the alert goes through
the first one to recover. If the process dies while it sends a mail, the mail may come twice, with one Message-ID.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa
import structlog
from pydantic import AwareDatetime

from butler.contract.card import OwnerChannel, OwnerMessage, plain
from butler.contract.errors import Refuse, Retryable
from butler.contract.events import Event, EventName
from butler.contract.module import Health
from butler.contract.names import Identity
from butler.contract.ports import SecondChannel
from butler.contract.provenance import Origin
from butler.contract.records import Record
from butler.contract.speech import say, say_short_moment
from butler.services import Services
from butler.source_names import as_title
from butler.store.queries import cursors, events, outbox

log = structlog.get_logger(__name__)

JUMP = timedelta(minutes=1)
"""A clock that differs from the passed time by more than this has jumped, or the machine slept."""
FACT = "deaf"


class ChannelOutage(Record):
    """A deaf channel; `told` says how the owner was alerted, empty if they were not."""

    since: AwareDatetime
    told: str = ""


@dataclass(frozen=True, slots=True)
class OwnerChannels:
    """The channels to the owner. `first` names the source by which the first channel receives."""

    channel: OwnerChannel
    first: str
    second: SecondChannel | None
    mail_to: str


class DeadMan:
    """Checks every channel periodically."""

    def __init__(
        self,
        services: Services,
        health: Callable[[], Mapping[str, Health]],
        ways: OwnerChannels,
        passed: Callable[[], float] = time.monotonic,
    ) -> None:
        """`passed` returns seconds of a monotonic clock."""
        self._store, self._clock, self._zone, self._wake = services.store, services.clock, services.zone, services.wake
        self._health, self._ways, self._passed = health, ways, passed
        self._after = services.settings.health.deaf_after
        """How long a channel may be silent."""
        self._awake_since = self._clock.now()
        self._last = (self._clock.now(), passed())

    async def look(self) -> timedelta | None:
        """Check once; return how far the clock has jumped since the last check, if so. Raise the store's errors."""
        now, passed = self._clock.now(), self._passed()
        jump = (now - self._last[0]) - timedelta(seconds=passed - self._last[1])
        self._last = (now, passed)
        jumped = abs(jump) > JUMP
        if jumped:
            self._awake_since = now
            await self._store.write(lambda c: _shift(c, jump, now), "deaf.clock")
        known = await self._store.read(_facts)
        health = self._health()
        deaf = {name for name, one in health.items() if self._is_deaf(name, one, now)}
        for name, one in health.items():
            if name in deaf:
                await self._deaf(name, one, known.get(name), deaf, now)
            elif name in known and not one.failing and _was_alive_since(one, known[name]):
                await self._back(name, known[name], deaf, now)
        for name in known.keys() - health.keys():
            # The channel is no longer configured.
            await self._store.write(lambda c, name=name: _keep(c, name, None, now), "deaf")
        return jump if jumped else None

    def _is_deaf(self, name: str, health: Health, now: datetime) -> bool:
        if health.stopped and name == self._ways.first:
            return True
        heard = max(health.last_ok or self._awake_since, self._awake_since)
        return now - heard > max(self._after, timedelta(seconds=health.stale_after_s))

    async def _deaf(
        self, name: str, health: Health, known: ChannelOutage | None, deaf: set[str], now: datetime
    ) -> None:
        if known is None:
            since = health.last_ok or self._awake_since
            known = ChannelOutage(since=since)
            minutes = int((now - since).total_seconds() // 60)
            await self._store.write(lambda c: _begin(c, name, known, minutes, now), "deaf")
            self._wake()
        if known.told or (health.stopped and name != self._ways.first):
            # The owner was told when it stopped.
            return
        since = self._when(known.since)
        sentence = say("{channel} has not been heard of since {since}.", channel=as_title(name), since=since)
        if health.stopped:
            sentence = say("{source} has stopped. {why}", source=as_title(name), why=health.detail)
        elif health.detail:
            sentence = f"{sentence} {health.detail}"
        await self._tell(name, known, sentence, deaf, now, over=False)

    async def _back(self, name: str, known: ChannelOutage, deaf: set[str], now: datetime) -> None:
        since, until = self._when(known.since), self._when(now)
        sentence = say(
            "{channel} is back. It was not heard of from {since} to {until}.",
            channel=as_title(name),
            since=since,
            until=until,
        )
        if not known.told:
            more = say("I could not tell you before.")
            sentence = f"{sentence} {more}"
        await self._tell(name, known, sentence, deaf, now, over=True)

    async def _tell(
        self, name: str, known: ChannelOutage, text: str, deaf: set[str], now: datetime, *, over: bool
    ) -> None:
        """Alert the owner through the first open channel and record it; record nothing if none is open."""
        key = f"deaf:{name}:{known.since.isoformat()}:{'back' if over else 'gone'}"
        if self._ways.first not in deaf:
            await self._store.write(lambda c: self._say(c, key, text, name, known, now, over=over), "deaf.told")
            self._wake()
            return
        if await self._mail(key, text):
            noted = None if over else known.model_copy(update={"told": "mail"})
            await self._store.write(lambda c: _keep(c, name, noted, now), "deaf.told")

    def _say(
        self,
        connection: sa.Connection,
        key: str,
        text: str,
        name: str,
        known: ChannelOutage,
        now: datetime,
        *,
        over: bool,
    ) -> None:
        home = self._ways.channel.home()
        if home is not None:
            sign = "✓" if over else "⚠️"
            outbox.add(connection, home, OwnerMessage(text=plain(f"{sign} {text}")), now=now, dedup_key=key)
        _keep(connection, name, None if over else known.model_copy(update={"told": "chat"}), now)

    async def _mail(self, key: str, text: str) -> bool:
        """Return True if a mail was sent."""
        if self._ways.second is None or not self._ways.mail_to:
            return False
        try:
            await self._ways.second.send(self._ways.mail_to, say("Butler: a channel is silent"), f"{text}\n", key)
        except (Retryable, Refuse) as error:
            log.warning("deaf_not_told", why=str(error))
            return False
        return True

    def _when(self, at: datetime) -> str:
        return say_short_moment(at.astimezone(self._zone))


def _was_alive_since(health: Health, known: ChannelOutage) -> bool:
    return not health.stopped and health.last_ok is not None and health.last_ok > known.since


def _facts(connection: sa.Connection) -> dict[str, ChannelOutage]:
    stored: dict[str, Any] = cursors.fact(connection, FACT) or {}
    return {name: ChannelOutage.model_validate(one) for name, one in stored.items()}


def _keep(connection: sa.Connection, name: str, deaf: ChannelOutage | None, now: datetime) -> None:
    known = {one: value for one, value in _facts(connection).items() if one != name}
    if deaf is not None:
        known[name] = deaf
    stored = {one: value.model_dump(mode="json") for one, value in known.items()}
    cursors.put_fact(connection, FACT, stored or None, now)


def _shift(connection: sa.Connection, jump: timedelta, now: datetime) -> None:
    """Shift the times at which channels fell silent, after the clock was set."""
    moved = {name: one.model_copy(update={"since": one.since + jump}) for name, one in _facts(connection).items()}
    for name, one in moved.items():
        _keep(connection, name, one, now)


def _begin(connection: sa.Connection, name: str, deaf: ChannelOutage, minutes: int, now: datetime) -> None:
    """Record a deaf channel, and publish the event."""
    _keep(connection, name, deaf, now)
    key = f"deaf:{name}:{deaf.since.isoformat()}"
    channel, _, rest = name.partition(".")
    identity, _, account = rest.partition(":")
    event = Event(
        event_id=events.id_of(key),
        name=EventName.CHANNEL_DEAF,
        channel=channel,
        identity=Identity.USER if identity == "user" else Identity.BOT,
        account=account,
        at=now,
        facts={"channel": name, "minutes": minutes},
        origin=Origin.butler(),
    )
    events.emit(connection, event, key, now)
