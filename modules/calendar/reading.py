"""Reads the owner's calendars: lists, one event, free time."""

from collections.abc import Mapping
from datetime import date, datetime, timedelta

from butler.contract.door import failed
from butler.contract.errors import IntegrationErrorCode
from butler.contract.integration import IntegrationResult, ResultMeta
from butler.contract.module import ModuleContext
from butler.contract.reasons import Reason, in_own_words
from butler.contract.speech import phrase, say, say_moment
from butler.contract.tools import ToolCall
from modules.calendar.args import FreeTimeArgs, ListEventsArgs, ReadEventArgs
from modules.calendar.calls import CalendarCalls, CallFailedError, key_of, named, own, refused, shown
from modules.calendar.free_time import FROM, TO, free_times
from modules.calendar.records import LARGEST_PAGE, CalendarEntry, Event
from modules.calendar.times import Range, moment_of, own_zone
from modules.calendar.views import begins_at, row, span, whole

LISTED_AHEAD, FREE_AHEAD = timedelta(days=31), timedelta(days=7)
MOST_FREE = 50
FARTHEST_FREE = timedelta(days=100)


class Reading:
    """The handlers of the reading tools, for all accounts."""

    def __init__(self, accounts: Mapping[str, CalendarCalls], context: ModuleContext) -> None:
        self._accounts, self._context = accounts, context

    async def list_calendars(self, call: ToolCall) -> IntegrationResult:
        try:
            found = await self._of(call).calendars(call.trace_id)
        except CallFailedError as failure:
            return failure.result
        rows = [{"name": one.name, "primary": one.primary, "role": one.role, "shown": one.selected} for one in found]
        return IntegrationResult(ok=True, data={"calendars": rows, "count": len(rows), "complete": True})

    async def list_events(self, call: ToolCall) -> IntegrationResult:
        args: ListEventsArgs = call.args
        when = self.range_of(args, LISTED_AHEAD)
        if _is_empty(when):
            return refused(say("the time that is looked at would end before it begins"))
        try:
            calendars = await self._of(call).calendars(call.trace_id)
            wanted = [named(calendars, args.calendar)] if args.calendar else shown(calendars)
            keys = [key_of(one) for one in wanted]
            found, complete = await self._of(call).events(
                call.trace_id, keys, when, words=args.words, most=min(args.limit + 1, LARGEST_PAGE)
            )
        except CallFailedError as failure:
            return failure.result
        except ValueError as error:
            return refused(str(error))
        zone = self._context.zone
        events = sorted(filter(_has_details, found), key=lambda event: begins_at(event, zone))
        rows = [row(event, names_of(calendars), zone) for event in events]
        data = {"events": rows[: args.limit], "count": min(len(rows), args.limit)}
        data |= {"complete": complete and len(rows) <= args.limit, **self._looked_at(when)}
        return IntegrationResult(ok=True, data=data, meta=ResultMeta(remark=() if rows else (self._nothing(when),)))

    async def read_event(self, call: ToolCall) -> IntegrationResult:
        args: ReadEventArgs = call.args
        calls = self._of(call)
        try:
            event = await calls.get(call.trace_id, args.event)
            calendars = await calls.calendars(call.trace_id)
        except CallFailedError as failure:
            return failure.result
        if event.gone:
            return failed(IntegrationErrorCode.NOT_FOUND, say("this event is deleted"))
        return IntegrationResult(ok=True, data=whole(event, names_of(calendars), self._context.zone))

    async def find_free_time(self, call: ToolCall) -> IntegrationResult:
        args: FreeTimeArgs = call.args
        when = self.range_of(args, FREE_AHEAD)
        since, before = when.since, when.before
        assert since is not None
        assert before is not None
        if _is_empty(when) or before - since > FARTHEST_FREE:
            return refused(say("free time is looked for between two times, a hundred days apart at most"))
        try:
            keys = [key_of(one) for one in own(await self._of(call).calendars(call.trace_id))]
            found, complete = await self._of(call).events(call.trace_id, keys, when, most=LARGEST_PAGE)
        except CallFailedError as failure:
            return failure.result
        zone = self._context.zone
        busy = [_bounds(event, self._context) for event in found if blocks(event)]
        gaps = free_times(since, before, busy, args.minutes, zone)
        rows = [
            {
                "start": gap.start.replace(tzinfo=None).isoformat(timespec="minutes"),
                "end": gap.end.replace(tzinfo=None).isoformat(timespec="minutes"),
                "minutes": gap.minutes,
            }
            for gap in gaps[:MOST_FREE]
        ]
        data = {"free": rows, "count": len(rows), "complete": complete and len(gaps) <= MOST_FREE}
        data |= self._looked_at(when)
        data |= {"hours": f"{FROM:%H:%M}-{TO:%H:%M}"}
        none = in_own_words(phrase("There is no time of {count} minutes with nothing in it."), count=str(args.minutes))
        return IntegrationResult(ok=True, data=data, meta=ResultMeta(remark=() if rows else (none,)))

    def range_of(self, args: ListEventsArgs | FreeTimeArgs, ahead: timedelta) -> Range:
        """Return the range to read: by default from now, for `ahead`."""
        zone, since, before = own_zone(args.in_zone, self._context.zone), args.since, args.before
        if since is None and before is not None:
            end = moment_of(before, zone)
            now = self._context.clock.now().astimezone(zone)
            return Range(min(now, end - timedelta(days=1)), end)
        start = self._context.clock.now().astimezone(zone) if since is None else moment_of(since, zone)
        return Range(start, moment_of(before, zone) if before is not None else start + ahead)

    def _of(self, call: ToolCall) -> CalendarCalls:
        return self._accounts[call.account or next(iter(self._accounts))]

    def _looked_at(self, when: Range) -> dict[str, str]:
        """Return the times between which was looked, in wall times."""
        assert when.since is not None
        assert when.before is not None
        first, last = (at.astimezone(self._context.zone).replace(tzinfo=None) for at in (when.since, when.before))
        return {"since": first.isoformat(timespec="minutes"), "before": last.isoformat(timespec="minutes")}

    def _nothing(self, when: Range) -> Reason:
        assert when.since is not None
        assert when.before is not None
        zone = self._context.zone
        first, last = (say_moment(at.astimezone(zone)) for at in (when.since, when.before))
        return in_own_words(
            phrase("Nothing of that kind is in the calendar between {first} and {last}."), first=first, last=last
        )


def names_of(calendars: list[CalendarEntry]) -> dict[str, str]:
    """Return the calendars' names by the ids that request them."""
    return {key_of(one): one.name for one in calendars}


def blocks(event: Event) -> bool:
    """Return whether the event makes the owner busy."""
    return _has_details(event) and not event.free and not event.declined


def _has_details(event: Event) -> bool:
    """Return whether the event's times are known: not for a cancelled one of a series, or another's private one."""
    return not event.gone and bool(event.start.day or event.start.at)


def _bounds(event: Event, context: ModuleContext) -> tuple[datetime, datetime]:
    first, last = span(event, context.zone)
    return moment_of_any(first, context), moment_of_any(last, context)


def moment_of_any(at: date, context: ModuleContext) -> datetime:
    """Return a moment as it is, a day as its midnight."""
    return at if isinstance(at, datetime) else moment_of(at, context.zone)


def _is_empty(when: Range) -> bool:
    return when.since is not None and when.before is not None and when.before <= when.since
