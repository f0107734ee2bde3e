"""Bulk actions on the owner's events: lists them by 2,500, and changes them one by one within Google's rate limit.

Google has no atomic batch writes, so a batch here is what may be repeated after a crash: twenty.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any
from zoneinfo import ZoneInfoNotFoundError

from butler.contract.bulk import (
    NOT_SET_UP,
    BatchLaterError,
    BatchUnclearError,
    BulkDetail,
    BulkItem,
    BulkLimits,
    BulkResult,
    BulkToolAdapter,
    BulkWords,
    PreparedBulkContext,
)
from butler.contract.bulk_adapter import answered, batch_fault, counted, ordered
from butler.contract.errors import Reconfigure
from butler.contract.integration import ONCE, READS, IntegrationResult
from butler.contract.module import ModuleContext
from butler.contract.speech import say, say_clock
from modules.calendar.bulk_actions import CalendarAction, words_of
from modules.calendar.bulk_args import (
    ColourSelection,
    DeclineSelection,
    DeleteSelection,
    EventSelection,
    MoveSelection,
    RemindSelection,
)
from modules.calendar.bulk_execution import ODD, EventActions, RequestFailedError
from modules.calendar.bulk_items import times_of
from modules.calendar.bulk_listing import Listing
from modules.calendar.bulk_recheck import SINCE, EventRecheck
from modules.calendar.calls import PRIMARY, CalendarCalls, key_of, named, own, writable
from modules.calendar.records import CALENDARS, COLOURS, GET, LARGEST_PAGE, LIST, CalendarEntry, Calendars, Reminder
from modules.calendar.times import moment_of
from modules.calendar.views import when

BATCH = 20
AHEAD = timedelta(days=366)
SELECTIONS: Mapping[CalendarAction, type[EventSelection]] = {
    CalendarAction.DELETE: DeleteSelection,
    CalendarAction.MOVE: MoveSelection,
    CalendarAction.DECLINE: DeclineSelection,
    CalendarAction.REMIND: RemindSelection,
    CalendarAction.COLOUR: ColourSelection,
}
"""The selection that each action takes."""


class CalendarBulkAdapter(BulkToolAdapter):
    """The owner's calendar accounts, by name; the first is the default one."""

    def __init__(self, accounts: Mapping[str, CalendarCalls], context: ModuleContext) -> None:
        self._accounts, self._context = accounts, context

    @property
    def tool_name(self) -> str:
        return "calendar"

    def limits(self, context: PreparedBulkContext) -> BulkLimits:
        # A shifted event may still match the listed times; any other is no longer listed once it is done.
        shifts = CalendarAction(context.action) is CalendarAction.MOVE and "to" not in context.action_params
        return BulkLimits(LARGEST_PAGE, BATCH, listed_while_open="ids" not in context.query_params and not shifts)

    def words(self, context: PreparedBulkContext) -> BulkWords:
        counted: dict[str, int] = (context.metadata or {}).get("counted", {})
        return words_of(CalendarAction(context.action), context.action_params, counted)

    def inverse(self, context: PreparedBulkContext) -> PreparedBulkContext | None:
        # The events are known by their ids, so that no listing could find others.
        return replace(context, query_params={"ids": []}, action_params={**context.action_params, "back": True})

    async def prepare(self, params: dict[str, Any]) -> PreparedBulkContext:
        action, selection, account = ordered(params, CalendarAction, SELECTIONS.__getitem__, self._accounts)
        context = PreparedBulkContext(self.tool_name, action.value, {}, {}, {"account": account})
        calendars = Calendars.model_validate(answered(await self._call(context, CALENDARS, {}))).calendars
        first = next((one.id for one in calendars if one.primary), "")
        context.metadata = {"account": account, "primary": first, "names": {key_of(one): one.name for one in calendars}}
        context.metadata[SINCE] = self._context.clock.now().isoformat()
        context.query_params.update(self._query(selection, calendars))
        context.action_params.update(_params(selection, calendars))
        return context

    async def get_total_count(self, context: PreparedBulkContext) -> int:
        return await counted(self, context)

    async def get_next_batch(self, context: PreparedBulkContext, batch_size: int, offset: int = 0) -> list[BulkItem]:
        return await Listing(context, partial(self._call, context), self._context.zone).batch(batch_size, offset)

    async def meanwhile(self, context: PreparedBulkContext) -> Sequence[BulkItem]:
        return await EventRecheck(context, partial(self._call, context), self._context.zone).changed()

    async def execute_batch(self, items: list[BulkItem], context: PreparedBulkContext) -> list[BulkResult]:
        doing = EventActions(context, partial(self._call, context), self._context.zone)
        answers = await asyncio.gather(*(_answer(doing, item) for item in items))
        results = [answer for answer in answers if isinstance(answer, BulkResult)]
        faults = [batch_fault(answer.error) for answer in answers if isinstance(answer, RequestFailedError)]
        if not faults:
            return results
        if held := next((fault for fault in faults if isinstance(fault, Reconfigure)), None):
            raise held
        if len(faults) == len(items) and all(isinstance(fault, BatchLaterError) for fault in faults):
            raise faults[0]
        # Some of the batch is done; doing that again changes nothing.
        raise BatchUnclearError(getattr(faults[0], "detail", ""))

    async def sample(self, items: Sequence[BulkItem], context: PreparedBulkContext) -> Sequence[BulkDetail]:
        names: dict[str, str] = (context.metadata or {}).get("names", {})
        return [self._detail(item, names) for item in items if item.raw_data is not None]

    def _detail(self, item: BulkItem, names: Mapping[str, str]) -> BulkDetail:
        data = item.raw_data or {}
        zone = self._context.zone
        start = when(times_of(data)[0], zone)
        title = item.display_name or say("an event without a title")
        if isinstance(start, datetime):
            title, at = f"{title}, {say_clock(start)}", start
        else:
            at = moment_of(start, zone)
        # An unnamed calendar is the first one.
        where = "" if data["calendar"] == PRIMARY else names.get(data["calendar"], "")
        return BulkDetail(title, where, at, item.id)

    def _query(self, said: EventSelection, calendars: Sequence[CalendarEntry]) -> dict[str, Any]:
        """Return the query that selects the events. Raise `ValueError`."""
        if said.events:
            return {"ids": list(dict.fromkeys(said.events)), "series": said.series}
        wanted = [writable(named(calendars, said.calendar))] if said.calendar else own(calendars)
        if not wanted:
            raise ValueError(say("none of the calendars is your own; name the one that is meant"))
        query: dict[str, Any] = {"calendars": [key_of(one) for one in wanted], "series": said.series}
        since, before = self._range(said)
        query |= {"since": since.isoformat()} if since else {}
        query |= {"before": before.isoformat()} if before else {}
        query["window"] = {name: query[name] for name in ("since", "before") if getattr(said, name) is not None}
        query |= said.model_dump(
            mode="json", include={"words", "people", "organiser", "all_day", "keep"}, exclude_defaults=True
        )
        return query

    def _range(self, said: EventSelection) -> tuple[datetime | None, datetime | None]:
        zone = self._context.zone
        since = moment_of(said.since, zone) if said.since is not None else None
        if said.before is not None:
            return since, moment_of(said.before, zone)
        start = since or moment_of(self._context.clock.now().astimezone(zone).date(), zone)
        return start, start + AHEAD

    async def _call(
        self, context: PreparedBulkContext, method_id: str, args: dict[str, Any], cursor: str | None = None
    ) -> IntegrationResult:
        calls = self._accounts.get(str((context.metadata or {})["account"]))
        if calls is None:
            raise Reconfigure(say(NOT_SET_UP))
        reads = method_id in {CALENDARS, LIST, GET}
        return await calls.call(f"bulk-{context.action}", method_id, args, READS if reads else ONCE, cursor)


async def _answer(doing: EventActions, item: BulkItem) -> BulkResult | RequestFailedError:
    try:
        return await doing.act(item)
    except RequestFailedError as failure:
        return failure
    except (ValueError, OverflowError, ZoneInfoNotFoundError):
        # Such as an unknown time zone, or a time out of a calendar's range; the other events go on.
        return BulkResult(item.id, success=False, error=say(ODD))


def _params(said: EventSelection, calendars: Sequence[CalendarEntry]) -> dict[str, Any]:
    """Return the parameters of the action. Raise `ValueError`."""
    params: dict[str, Any] = {}
    match said:
        case MoveSelection(to_calendar=str(name)) if name:
            params = {"to": key_of(writable(named(calendars, name))), "tell": not said.quietly}
        case MoveSelection():
            params = {"days": said.days, "minutes": said.minutes, "tell": not said.quietly}
        case DeleteSelection():
            params = {"tell": not said.quietly}
        case DeclineSelection():
            params = {"comment": said.comment}
        case RemindSelection(remind_minutes=minutes):
            own = [] if minutes is None else [Reminder(method="popup", minutes=minutes).model_dump()]
            params = {"reminders": own if own or said.off else None, "tell": False}
        case ColourSelection():
            params = {"colour": COLOURS[said.colour.value], "tell": False}
        case _:
            pass
    return params
