"""Applies one action to one event, idempotently.

An event is deleted or moved only in the state in which it was listed: one that somebody has changed since is left alone
and reported. Google compares the state itself (If-Match), so that an event takes one request.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any
from zoneinfo import ZoneInfo

from butler.contract.bulk import BulkItem, BulkResult, PreparedBulkContext
from butler.contract.bulk_adapter import REFUSED
from butler.contract.errors import IntegrationErrorCode
from butler.contract.integration import IntegrationError
from butler.contract.speech import phrase, say
from modules.calendar.bulk_actions import CalendarAction
from modules.calendar.bulk_items import is_as, is_same, item_of, reminders_of, rules_after, shifted, times_of
from modules.calendar.bulk_listing import Call
from modules.calendar.bulk_recheck import FOUND, THEIRS
from modules.calendar.calls import PRIMARY, split
from modules.calendar.records import DELETE, GET, MOVE, PATCH, Event, NewGuest, fields_of

GONE = phrase("it is no longer there")
CHANGED = phrase("it was changed meanwhile, so it is left as it is")
NO_SIMPLE_RULE = phrase("its series recurs on days that cannot simply be moved; change it in Google Calendar")
ODD = phrase("its time is one that cannot be reckoned with; change it in Google Calendar")
_TRIES = 3
Test = Callable[[Event], bool]


class RequestFailedError(Exception):
    """A request failed, for a reason other than this event."""

    def __init__(self, error: IntegrationError) -> None:
        super().__init__()
        self.error = error


@dataclass(frozen=True, slots=True)
class EventActions:
    """The acts of one context. Each returns a result, or raises `RequestFailedError`."""

    context: PreparedBulkContext
    call: Call
    zone: ZoneInfo

    async def act(self, item: BulkItem) -> BulkResult:
        """Apply the context's action to the item."""
        action = CalendarAction(self.context.action)
        data = item.raw_data or await self._known(item, action)
        if data is None:
            return BulkResult(item.id, success=False, error=say(GONE))
        back = bool(self.context.action_params.get("back"))
        if data.get(THEIRS):
            # Somebody else has done it, so there is nothing to do, and nothing to undo.
            gone = action is CalendarAction.DELETE and not back
            return BulkResult(item.id, success=False, error=say(GONE)) if gone else _done(item, data)
        match action:
            case CalendarAction.DELETE:
                return await (self._restore(item, data) if back else self._delete(item, data))
            case CalendarAction.MOVE:
                return await self._move(item, data, back=back)
            case _:
                return await self._set(item, data, **self._own_fields(action, data, back=back))

    def _own_fields(self, action: CalendarAction, data: dict[str, Any], *, back: bool) -> dict[str, Any]:
        """Return the fields that are the owner's alone: their answer, their reminders, their colour."""
        params = self.context.action_params
        if action is CalendarAction.REMIND:
            return {"reminders": reminders_of(data["reminders"] if back else params["reminders"])}
        if action is CalendarAction.COLOUR:
            return {"colour": data["colour"] if back else params["colour"]}
        me: dict[str, Any] = data["me"]
        declined = {"response": "declined", "comment": params.get("comment") or me["comment"]}
        return {"answer": NewGuest.model_validate(me if back else {**me, **declined})}

    async def _move(self, item: BulkItem, data: dict[str, Any], *, back: bool) -> BulkResult:
        params = self.context.action_params
        if "to" not in params:
            return await self._shift(item, data, back=back)
        return await self._transfer(item, data, data.get("home", data["calendar"]) if back else params["to"])

    async def _delete(self, item: BulkItem, data: dict[str, Any]) -> BulkResult:
        def still(event: Event) -> bool:
            return is_as(event, data, times_of(data))

        return await self._unless_changed(item, data, DELETE, {}, _is_gone, still)

    async def _restore(self, item: BulkItem, data: dict[str, Any]) -> BulkResult:
        fields: dict[str, Any] = {"status": "confirmed"}
        if me := data.get("me"):
            fields["answer"] = NewGuest.model_validate(me)
        found = await self._patched(item, data, **fields)
        if isinstance(found, BulkResult):
            return found
        start, end = times_of(data)
        if not data.get("me") and not is_as(found, data, (start, end)):
            # Of a cancelled event of a series, Google may have stored nothing but the cancellation.
            return await self._set(item, data, title=data["title"], start=start, end=end)
        return _done(item, {**data, "etag": found.etag})

    async def _known(self, item: BulkItem, action: CalendarAction) -> dict[str, Any] | None:
        """Return what a listing would hold of the event; None if it does not exist."""
        key, calendar = split(item.id)
        event = await self._get({"calendar": calendar, "event": key})
        return None if event is None or event.gone else item_of(event, action).raw_data

    async def _shift(self, item: BulkItem, data: dict[str, Any], *, back: bool) -> BulkResult:
        params = self.context.action_params
        before = times_of(data)
        after = shifted(data, params["days"], params["minutes"], self.zone)
        if back and data.get(FOUND) and is_same(after, times_of(data[FOUND])):
            return _done(item, data)
        wanted, basis = (before, after) if back else (after, before)
        fields: dict[str, Any] = {"start": wanted[0], "end": wanted[1]}
        if "rules" in data:
            rules = rules_after(data, after[0], self.zone)
            if rules is None:
                return BulkResult(item.id, success=False, error=say(NO_SIMPLE_RULE))
            if rules != data["rules"]:
                fields["recurrence"] = data["rules"] if back else rules

        def reached(event: Event) -> bool:
            return not event.gone and is_as(event, data, wanted)

        def still(event: Event) -> bool:
            return not event.gone and is_as(event, data, basis)

        return await self._unless_changed(item, data, PATCH, {"fields": fields_of(**fields)}, reached, still)

    async def _transfer(self, item: BulkItem, data: dict[str, Any], to: str) -> BulkResult:
        home = data.get("home", data["calendar"])
        moved = {**data, "calendar": to, "home": home, "etag": ""}
        if data["calendar"] == to:
            return _done(item, data)
        args = {**self._ref(data), "to": self._real(to), "tell": self._tells}
        result = await self.call(MOVE, args, None)
        if result.error is None:
            return _done(item, moved)
        if result.error.code not in REFUSED | {IntegrationErrorCode.CONFLICT}:
            raise RequestFailedError(result.error)
        # An earlier attempt may have moved it; then the source calendar no longer has it.
        there = await self._get({**data, "calendar": to})
        return _done(item, moved) if there is not None and not there.gone else _failed(item, result.error)

    async def _set(self, item: BulkItem, data: dict[str, Any], **said: Any) -> BulkResult:
        """Write some fields, whatever else has changed."""
        found = await self._patched(item, data, **said)
        return found if isinstance(found, BulkResult) else _done(item, {**data, "etag": found.etag})

    async def _patched(self, item: BulkItem, data: dict[str, Any], **said: Any) -> Event | BulkResult:
        """Patch the event and return it; a failed result if it was deleted."""
        args = {**self._ref(data), "fields": fields_of(**said), "tell": self._tells}
        result = await self.call(PATCH, args, None)
        if result.error is not None:
            return _failed(item, result.error)
        event = Event.model_validate(result.data)
        return BulkResult(item.id, success=False, error=say(GONE)) if event.gone else event

    async def _unless_changed(
        self, item: BulkItem, data: dict[str, Any], method: str, said: Mapping[str, Any], reached: Test, still: Test
    ) -> BulkResult:
        """Act if the event has its listed state; otherwise re-read it, and decide by its current state."""
        etag = data["etag"]
        for _ in range(_TRIES):
            result = await self.call(method, {**self._ref(data), **said, "etag": etag, "tell": self._tells}, None)
            if result.error is None:
                return _done(item, {**data, "etag": (result.data or {}).get("etag", "")})
            if not _is_other(result.error):
                return _failed(item, result.error)
            event = await self._get(data)
            if event is None:
                return BulkResult(item.id, success=False, error=say(GONE))
            if reached(event):
                return _done(item, {**data, "etag": event.etag})
            if not still(event):
                return BulkResult(item.id, success=False, error=say(GONE if event.gone else CHANGED))
            etag = event.etag
        return BulkResult(item.id, success=False, error=say(CHANGED))

    async def _get(self, data: Mapping[str, Any]) -> Event | None:
        result = await self.call(GET, self._ref(data), None)
        if result.error is None:
            return Event.model_validate(result.data)
        if result.error.code is IntegrationErrorCode.NOT_FOUND:
            return None
        raise RequestFailedError(result.error)

    @property
    def _tells(self) -> bool:
        return bool(self.context.action_params.get("tell", True))

    def _real(self, calendar: str) -> str:
        """Return the calendar's id as the target of a move."""
        return str((self.context.metadata or {})["primary"]) if calendar == PRIMARY else calendar

    @staticmethod
    def _ref(data: Mapping[str, Any]) -> dict[str, Any]:
        return {"calendar": data["calendar"], "id": data["event"], "background": True}


def _done(item: BulkItem, data: dict[str, Any]) -> BulkResult:
    return BulkResult(item.id, success=True, data=data)


def _failed(item: BulkItem, error: IntegrationError) -> BulkResult:
    """Return the result for a refusal of this event. Raise `RequestFailedError` for any other error."""
    if error.code is IntegrationErrorCode.NOT_FOUND:
        return BulkResult(item.id, success=False, error=say(GONE))
    if error.code in REFUSED | {IntegrationErrorCode.CONFLICT}:
        return BulkResult(item.id, success=False, error=error.message)
    raise RequestFailedError(error)


def _is_gone(event: Event) -> bool:
    return event.gone


def _is_other(error: IntegrationError) -> bool:
    """Return whether the event has another state than expected, or is deleted."""
    return error.http_status in {HTTPStatus.PRECONDITION_FAILED, HTTPStatus.GONE}
