"""Polls the owner's displayed calendars, from a month ago to a year ahead.

A calendar is fetched in full once; a sync token then gives its changes. A token is valid for the window that it was
issued for, so each calendar is fetched in full every week, and whenever Google no longer knows its token: stored events
that are not found again are then deleted. `docs/explanation/polling.md` says what all such sources share.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from http import HTTPStatus
from typing import Any

import structlog
from pydantic import AwareDatetime, BaseModel

from butler.contract.errors import IntegrationErrorCode
from butler.contract.integration import IntegrationResult
from butler.contract.module import ModuleContext
from butler.contract.polled import AllOf, Polled, PolledKind, Teller
from butler.contract.polling import PollError, PollStep, asked
from modules.calendar import records as r
from modules.calendar.agenda import CHANNEL, record_of, ref_of
from modules.calendar.calls import TIMEOUT_MS, shown
from modules.calendar.change_events import Within, teller
from modules.calendar.integration_google_calendar import CalendarIntegration

log = structlog.get_logger(__name__)

PAST, FUTURE = timedelta(days=30), timedelta(days=366)
ANEW_AFTER = timedelta(days=7)
_UNKNOWN_TOKEN = frozenset({HTTPStatus.GONE, HTTPStatus.BAD_REQUEST})


class Followed(BaseModel):
    """A calendar's sync token, and the window that it was fetched for."""

    token: str
    since: AwareDatetime
    until: AwareDatetime

    @property
    def brought_in_at(self) -> datetime:
        return self.since + PAST


class SyncPosition(BaseModel):
    """An account's position, by calendar."""

    calendars: dict[str, Followed] = {}


class CalendarPoll:
    """Polls one account. Implements `Poll`."""

    def __init__(self, account: str, integration: CalendarIntegration, context: ModuleContext) -> None:
        self._account, self._integration, self._context = account, integration, context
        self._cursor = f"calendar.user.{account}"

    @property
    def progress(self) -> str:
        return ""

    async def followed(self) -> Sequence[str]:
        """Return the ids of the calendars that were polled last."""
        stored = await self._context.storage.cursors.get(self._cursor)
        return tuple(SyncPosition.model_validate_json(stored).calendars) if stored else ()

    async def step(self) -> PollStep:
        """Poll each displayed calendar; each is stored separately."""
        stored = await self._context.storage.cursors.get(self._cursor)
        standing = SyncPosition.model_validate_json(stored) if stored else SyncPosition()
        listed = r.Calendars.model_validate((await self._call(r.CALENDARS, {})).data).calendars
        calendars = {entry.id: entry for entry in shown(listed)}
        changed = 0
        for calendar_id in [one for one in standing.calendars if one not in calendars]:
            changed += await self._drop_calendar(standing, calendar_id)
        for entry in calendars.values():
            changed += await self._look_into(standing, entry)
        return PollStep(changed=changed)

    async def _drop_calendar(self, standing: SyncPosition, calendar_id: str) -> int:
        """Delete a calendar that is no longer displayed; its deletion causes no events."""
        del standing.calendars[calendar_id]
        return len(await self._context.storage.polled.replace(self._all_of(calendar_id), (), cursor=self._at(standing)))

    async def _look_into(self, standing: SyncPosition, entry: r.CalendarEntry) -> int:
        followed, now = standing.calendars.get(entry.id), self._context.clock.now()
        if followed is not None and timedelta() <= now - followed.brought_in_at < ANEW_AFTER:
            try:
                return await self._take_changes(standing, entry, followed)
            except PollError as failure:
                if failure.error.http_status not in _UNKNOWN_TOKEN:
                    raise
                log.warning("calendar_token_too_old", account=self._account, status=failure.error.http_status)
        try:
            return await self._bring_in(standing, entry, followed)
        except PollError as failure:
            if failure.error.code is not IntegrationErrorCode.NOT_FOUND:
                raise
            # Listed but unreadable: it was deleted or is no longer shared.
            return await self._drop_calendar(standing, entry.id) if followed else 0

    async def _take_changes(self, standing: SyncPosition, entry: r.CalendarEntry, followed: Followed) -> int:
        events, token = await self._pages({"calendar": entry.id, "token": followed.token})
        if not events and token == followed.token:
            return 0
        standing.calendars[entry.id] = followed.model_copy(update={"token": token})
        tell = self._teller(events, entry, lambda _: True)
        records = self._records(events, entry)
        return len(await self._context.storage.polled.keep(records, cursor=self._at(standing), tell=tell))

    async def _bring_in(self, standing: SyncPosition, entry: r.CalendarEntry, before: Followed | None) -> int:
        now = self._context.clock.now()
        since, until = now - PAST, now + FUTURE
        events, token = await self._pages({"calendar": entry.id, "window": {"since": since, "before": until}})

        def seen_before(record: Polled) -> bool:
            """Return whether a change counts: only if the record lies within the old and the new window."""
            if before is None or record.at is None:
                return False
            return record.at < before.until and (record.ends_at or record.at) > since

        standing.calendars[entry.id] = Followed(token=token, since=since, until=until)
        tell = self._teller(events, entry, seen_before)
        records = self._records(events, entry)
        changes = await self._context.storage.polled.replace(
            self._all_of(entry.id), records, cursor=self._at(standing), tell=tell
        )
        return len(changes)

    def _all_of(self, calendar_id: str) -> AllOf:
        return AllOf(CHANNEL, self._account, PolledKind.EVENT, lambda one: one.item.get("calendar") == calendar_id)

    def _at(self, standing: SyncPosition) -> tuple[str, str]:
        return self._cursor, standing.model_dump_json()

    def _teller(self, events: Sequence[r.Event], entry: r.CalendarEntry, within: Within) -> Teller:
        found = {ref_of(event, entry): event for event in events}
        return teller(self._integration.own, found, self._context.clock.now(), within)

    def _records(self, events: Sequence[r.Event], entry: r.CalendarEntry) -> list[Polled]:
        made = (record_of(event, entry, self._account, self._context.zone) for event in events)
        return [record for record in made if record is not None]

    async def _pages(self, args: dict[str, Any]) -> tuple[list[r.Event], str]:
        """Return all events of a listing, and the next sync token."""
        events: list[r.Event] = []
        cursor: str | None = None
        while True:
            result = await self._call(r.CHANGES, args, cursor)
            page = r.Changes.model_validate(result.data)
            events += page.events
            if (cursor := result.meta.next_cursor) is None:
                return events, page.token

    async def _call(self, method_id: str, args: dict[str, Any], cursor: str | None = None) -> IntegrationResult:
        return await asked(
            self._integration, method_id, args, trace_id=self._cursor, timeout_ms=TIMEOUT_MS, cursor=cursor
        )
