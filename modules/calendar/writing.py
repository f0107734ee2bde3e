"""Creates and changes the owner's events: once, and exactly as shown."""

from collections.abc import Awaitable, Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from butler.contract.door import failed
from butler.contract.errors import IntegrationErrorCode
from butler.contract.integration import IntegrationResult, ResultMeta
from butler.contract.module import ModuleContext
from butler.contract.reasons import in_own_words
from butler.contract.speech import phrase, say
from butler.contract.tools import Reconciled, Settled, ToolCall
from modules.calendar import event_fields
from modules.calendar.args import ChangeEventArgs, Clash, CreateEventArgs, EventNow
from modules.calendar.calls import (
    PRIMARY,
    CalendarCalls,
    CallFailedError,
    data_of,
    event_id_of,
    key_of,
    named,
    own,
    refused,
    split,
    writable,
)
from modules.calendar.changing import changed_fields, holds, new_span
from modules.calendar.reading import blocks, names_of
from modules.calendar.records import GET, INSERT, PATCH, Event
from modules.calendar.times import Range, own_zone
from modules.calendar.views import row, span

MOST_CLASHES = 10


class Writing:
    """The handlers that create and change one event, for all accounts."""

    def __init__(self, accounts: Mapping[str, CalendarCalls], context: ModuleContext) -> None:
        self._accounts, self._context = accounts, context

    @property
    def _zone(self) -> ZoneInfo:
        return self._context.zone

    def _of(self, call: ToolCall) -> CalendarCalls:
        return self._accounts[call.account or next(iter(self._accounts))]

    # A new event

    async def complete_create(self, call: ToolCall) -> IntegrationResult:
        """Return the clashes at that time, as arguments."""
        return await _answered(self._complete_create(call))

    async def create(self, call: ToolCall) -> IntegrationResult:
        return await _answered(self._create(call))

    async def _complete_create(self, call: ToolCall) -> IntegrationResult:
        args: CreateEventArgs = call.args
        if args.calendar:
            writable(named(await self._of(call).calendars(call.trace_id), args.calendar))
        zone = own_zone(args.in_zone, self._zone)
        start = event_fields.begins(args.start, zone)
        end = event_fields.ends(args.start, args.end, args.minutes, zone)
        clashes = await self._clashes(call, start, end)
        return IntegrationResult(ok=True, data={"clashes": [one.model_dump() for one in clashes]} if clashes else {})

    async def _create(self, call: ToolCall) -> IntegrationResult:
        args: CreateEventArgs = call.args
        calls, calendar, names = self._of(call), PRIMARY, dict[str, str]()
        if args.calendar:
            calendars = await calls.calendars(call.trace_id)
            calendar, names = key_of(writable(named(calendars, args.calendar))), names_of(calendars)
        written = {
            "calendar": calendar,
            "id": _own_id(call),
            "fields": event_fields.fields(args, own_zone(args.in_zone, self._zone)),
        }
        result = await calls.write(call.trace_id, INSERT, written)
        if result.error is not None and result.error.code is IntegrationErrorCode.CONFLICT:
            # The id belongs to this call only: an earlier attempt has created the event.
            result = await calls.call(call.trace_id, GET, {"calendar": calendar, "id": _own_id(call)})
        return result if result.error is not None else self._made(Event.model_validate(result.data), names)

    async def reconcile_create(self, call: ToolCall) -> Reconciled:
        """Settle a creation by whether the event exists: its id is this call's own."""
        args: CreateEventArgs = call.args
        calls, calendar = self._of(call), PRIMARY
        try:
            if args.calendar:
                calendar = key_of(named(await calls.calendars(call.trace_id), args.calendar))
            event = Event.model_validate(
                data_of(await calls.call(call.trace_id, GET, {"calendar": calendar, "id": _own_id(call)}))
            )
        except CallFailedError as failure:
            if _is_missing(failure.result):
                return Reconciled.with_text(Settled.REPEAT, phrase("It was not made."))
            return _unknown(failure.result)
        except ValueError as error:
            return Reconciled.with_text(Settled.UNKNOWN, str(error))
        if event.gone:
            return Reconciled.with_text(Settled.DONE, phrase("It was made, and deleted since."))
        return Reconciled.with_text(Settled.DONE, phrase("It is in the calendar."), row(event, {}, self._zone))

    def _made(self, event: Event, names: Mapping[str, str]) -> IntegrationResult:
        if event.gone:
            return failed(IntegrationErrorCode.CONFLICT, say("It was made, and deleted since."))
        return IntegrationResult(ok=True, data=row(event, names, self._zone))

    # A change

    async def complete_change(self, call: ToolCall) -> IntegrationResult:
        """Return the event's current state and the clashes at its new time, as arguments."""
        return await _answered(self._complete_change(call))

    async def change(self, call: ToolCall) -> IntegrationResult:
        return await _answered(self._change(call))

    async def _complete_change(self, call: ToolCall) -> IntegrationResult:
        args: ChangeEventArgs = call.args
        was = await self._now(call)
        moved = new_span(args, was, own_zone(args.in_zone, self._zone))
        own_id = split(was.event_id)[0]
        clashes = await self._clashes(call, *moved, but=own_id) if moved and not was.rules else ()
        data: dict[str, Any] = {"was": was.model_dump()}
        data |= {"clashes": [one.model_dump() for one in clashes]} if clashes else {}
        return IntegrationResult(ok=True, data=data)

    async def _change(self, call: ToolCall) -> IntegrationResult:
        args: ChangeEventArgs = call.args
        calls, zone = self._of(call), own_zone(args.in_zone, self._zone)
        was = args.was or await self._now(call)
        event = await calls.get(call.trace_id, was.event_id)
        if event.gone:
            return failed(IntegrationErrorCode.NOT_FOUND, say("this event is deleted"))
        if holds(args, was, event, zone):
            return IntegrationResult(ok=True, data=row(event, {}, self._zone))
        if not _is_still(event, was):
            why = say("this event was changed since it was shown, so it is left as it is; ask for it anew")
            return failed(IntegrationErrorCode.CONFLICT, why)
        key, calendar = split(was.event_id)
        fields = changed_fields(args, was, event, zone)
        written = {"calendar": calendar, "id": key, "etag": event.etag, "fields": fields}
        result = await calls.write(call.trace_id, PATCH, written)
        if result.error is not None:
            return result
        remark = (in_own_words(phrase("The whole series is changed.")),) if was.rules else ()
        changed = row(Event.model_validate(result.data), {}, self._zone)
        return IntegrationResult(ok=True, data=changed, meta=ResultMeta(remark=remark))

    async def reconcile_change(self, call: ToolCall) -> Reconciled:
        """Settle a change by whether the event has the wanted state."""
        args: ChangeEventArgs = call.args
        if args.was is None:
            return Reconciled.with_text(Settled.UNKNOWN, phrase("It is not known how the event was before."))
        try:
            event = await self._of(call).get(call.trace_id, args.was.event_id)
        except CallFailedError as failure:
            return _unknown(failure.result)
        if holds(args, args.was, event, own_zone(args.in_zone, self._zone)):
            return Reconciled.with_text(Settled.DONE, phrase("It is changed."), row(event, {}, self._zone))
        if not event.gone and _is_still(event, args.was):
            return Reconciled.with_text(Settled.REPEAT, phrase("It is as it was before."))
        return Reconciled.with_text(Settled.UNKNOWN, phrase("It is neither as it was before nor as it was to become."))

    async def _now(self, call: ToolCall) -> EventNow:
        """Return the event to change, or with `series` the series to which it belongs.

        Raise `CallFailedError` and `ValueError`.
        """
        args: ChangeEventArgs = call.args
        calls = self._of(call)
        found = await calls.get(call.trace_id, args.event)
        if found.gone:
            raise CallFailedError(failed(IntegrationErrorCode.NOT_FOUND, say("this event is deleted")))
        event = found
        if found.recurrence and not args.series:
            raise ValueError(say("this is a whole series: say which event of it, or that all of it is meant"))
        if args.series and found.series:
            event = await calls.get(call.trace_id, event_id_of(found.model_copy(update={"id": found.series})))
        if not event.changeable:
            text = say("{who} organises this event, and only they can change it", who=event.organiser)
            raise CallFailedError(failed(IntegrationErrorCode.REJECTED, text))
        entries = await calls.calendars(call.trace_id)
        return EventNow(
            event_id=event_id_of(event),
            calendar_id=event.calendar,
            calendar=names_of(entries).get(event.calendar, event.calendar),
            title=event.title,
            start=event.start.day or event.start.at,
            end=event.end.day or event.end.at,
            named_start=found.start.day or found.start.at,
            zone=event.start.zone or self._zone.key,
            location=event.location,
            guests=tuple(one.address for one in event.others),
            rules=tuple(event.recurrence),
        )

    async def _clashes(self, call: ToolCall, start: date, end: date, but: str = "") -> Sequence[Clash]:
        """Return what makes the owner busy at that time, in their own calendars; whole days clash with nothing."""
        if not isinstance(start, datetime) or not isinstance(end, datetime):
            return ()
        calls = self._of(call)
        keys = [key_of(one) for one in own(await calls.calendars(call.trace_id))]
        when = Range(start, max(end, start + timedelta(minutes=1)))
        found, _ = await calls.events(call.trace_id, keys, when, most=MOST_CLASHES)
        taken = [one for one in found if blocks(one) and not one.all_day and not (but and but in {one.id, one.series})]
        return [_clash(one, self._zone) for one in taken[:MOST_CLASHES]]


async def _answered(work: Awaitable[IntegrationResult]) -> IntegrationResult:
    """Turn a failure into a result."""
    try:
        return await work
    except CallFailedError as failure:
        return failure.result
    except ValueError as error:
        return refused(str(error))


def _own_id(call: ToolCall) -> str:
    return event_fields.own_id(call.token or call.call_id)


def _clash(event: Event, zone: ZoneInfo) -> Clash:
    start, end = span(event, zone)
    return Clash(title=event.title, start=start.isoformat(), end=end.isoformat())


def _is_still(event: Event, was: EventNow) -> bool:
    """Return whether the event is as shown: its title and times."""
    times = (event.start.day or event.start.at, event.end.day or event.end.at)
    return (event.title, *times) == (was.title, was.start, was.end)


def _is_missing(result: IntegrationResult) -> bool:
    return result.error is not None and result.error.code is IntegrationErrorCode.NOT_FOUND


def _unknown(result: IntegrationResult) -> Reconciled:
    why = result.error.message if result.error is not None else ""
    return Reconciled.with_text(Settled.UNKNOWN, phrase("It could not be looked up: {why}."), why=why)
