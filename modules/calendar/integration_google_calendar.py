"""The owner's Google Calendar as a provider: finds, creates, changes, moves and deletes events."""

from collections.abc import Mapping
from dataclasses import replace
from functools import wraps
from http import HTTPStatus
from typing import Any

from butler.contract.base_integration import BaseIntegration
from butler.contract.errors import IntegrationErrorCode, IntegrationFault
from butler.contract.integration import (
    Idempotency,
    IntegrationCall,
    Method,
    RateLimitHint,
    RawAnswer,
    RawMethod,
    auth_answer,
    method,
)
from butler.contract.module import ModuleContext
from butler.contract.speech import phrase, say
from modules._accounts.google_account import GoogleAccount
from modules._accounts.google_budget import UnitBudget
from modules._accounts.google_channels import ChannelRef, Closed, Opened, Opening, body_of, opened_of
from modules._accounts.google_client import Api, Build
from modules._accounts.google_errors import Product
from modules.calendar import wire
from modules.calendar.config import CalendarSettings
from modules.calendar.own_changes import OwnChanges
from modules.calendar.records import (
    CALENDARS,
    CHANGES,
    CLOSE_CHANNEL,
    DELETE,
    EVENTS,
    GET,
    INSERT,
    LARGEST_PAGE,
    LIST,
    MOVE,
    NAMES,
    OPEN_CHANNEL,
    PATCH,
    Calendars,
    Changes,
    ChangesArgs,
    DeleteArgs,
    Event,
    EventRef,
    Events,
    InsertArgs,
    ListArgs,
    MoveArgs,
    Nothing,
    PatchArgs,
)

LOGIN = "butler login calendar"
CALENDAR = Api("calendar", "v3", lambda service: service)
PRODUCT = Product("Google Calendar", phrase("event or calendar"), "docs/how-to/connect-calendar.md")
_NOT_OURS = frozenset({"forbiddenForNonOrganizer", "requiredAccessLevel", "forbidden"})
"""Reasons of a 403 that a new sign-in would not change."""
_PAGE = 250


class CalendarIntegration(BaseIntegration):
    """One account at Google Calendar. Each request counts towards Google's limit per user and minute."""

    provider = "calendar"

    def __init__(self, settings: CalendarSettings, context: ModuleContext, *, login: str = LOGIN) -> None:
        """`login` is the command that signs in to this account again."""
        self._login = login
        self._per_minute = settings.requests_per_minute
        self._budget = UnitBudget(
            settings.requests_per_minute,
            context.clock,
            notes=context.storage.cursors,
            name=f"requests:{settings.credentials_env}",
            product=PRODUCT.name,
        )
        self._account = GoogleAccount(
            CALENDAR,
            PRODUCT,
            api_root=settings.api_root,
            credentials=settings.credentials_env,
            vault=context.vault,
            clock=context.clock,
            login=login,
        )
        self.own = OwnChanges()
        super().__init__(context.probe)

    def methods(self) -> list[Method]:
        reads, state = Idempotency.READ, Idempotency.STATE
        return [
            self._method(CALENDARS, Nothing, Calendars, self._raw_calendars, reads),
            self._method(LIST, ListArgs, Events, self._raw_list, reads, paged=True),
            self._method(CHANGES, ChangesArgs, Changes, self._raw_changes, reads, paged=True),
            self._method(OPEN_CHANNEL, Opening, Opened, self._raw_open_channel, Idempotency.NONE),
            self._method(CLOSE_CHANNEL, ChannelRef, Closed, self._raw_close_channel, state),
            self._method(GET, EventRef, Event, self._raw_get, reads),
            self._method(INSERT, InsertArgs, Event, self._raw_insert, Idempotency.PROVIDER),
            self._method(PATCH, PatchArgs, Event, self._raw_patch, state),
            self._method(DELETE, DeleteArgs, Nothing, self._raw_delete, state),
            self._method(MOVE, MoveArgs, Event, self._raw_move, state),
        ]

    def _method(
        self,
        method_id: str,
        args: type[Any],
        answer: type[Any],
        run: RawMethod,
        idempotency: Idempotency,
        *,
        paged: bool = False,
    ) -> Method:
        @wraps(run)
        async def asked(call: IntegrationCall, args: Any) -> RawAnswer:
            return replace(await run(call, args), rate_limit_remaining=self._budget.left)

        return method(
            method_id,
            args=args,
            answer=answer,
            run=asked,
            idempotency=idempotency,
            auth_scopes=(NAMES if method_id == CALENDARS else EVENTS,),
            rate_limit=RateLimitHint(calls=self._per_minute, per_s=60.0, shared=True),
            paged=paged,
        )

    async def auth_status(self) -> dict[str, Any]:
        result = await self.request("auth-status", CALENDARS)
        found = (result.data or {}).get("calendars", [])
        first = next((one["id"] for one in found if one["primary"]), "")
        return auth_answer(result.error, first, todo=f"run `{self._login}`")

    def signed_in(self) -> None:
        """Use the credentials that the vault now holds."""
        self._account.signed_in()

    def stop(self) -> None:
        """Shut the threads down."""
        self._account.client.close()

    async def _raw_calendars(self, _: IntegrationCall, __: Nothing) -> RawAnswer:
        found: list[dict[str, Any]] = []
        page: dict[str, Any] = {}
        while True:
            more = {"pageToken": page["nextPageToken"]} if page else {}
            page = await self._ask(_listing(more))
            found += [wire.entry(one) for one in page.get("items", []) if not one.get("deleted")]
            if "nextPageToken" not in page:
                break
        return RawAnswer({"calendars": sorted(found, key=lambda one: not one["primary"])})

    async def _raw_list(self, call: IntegrationCall, args: ListArgs) -> RawAnswer:
        data: dict[str, Any] = {
            "calendarId": args.calendar,
            "maxResults": args.size,
            "singleEvents": args.single,
            "fields": wire.PAGE_FIELDS,
        }
        data |= {"timeMin": args.since.isoformat()} if args.since else {}
        data |= {"timeMax": args.before.isoformat()} if args.before else {}
        data |= {"q": args.words} if args.words else {}
        if args.updated_since is not None:
            data |= {"updatedMin": args.updated_since.isoformat(), "showDeleted": True}
        elif args.single:
            data |= {"orderBy": "startTime"}
        data |= {"pageToken": call.cursor} if call.cursor else {}
        answer = await self._ask(lambda service: service.events().list(**data), background=args.background)
        events = [wire.event(one, args.calendar) for one in answer.get("items", [])]
        return RawAnswer({"events": events}, next_cursor=answer.get("nextPageToken"))

    async def _raw_changes(self, call: IntegrationCall, args: ChangesArgs) -> RawAnswer:
        data: dict[str, Any] = {
            "calendarId": args.calendar,
            "maxResults": LARGEST_PAGE,
            "singleEvents": True,
            "fields": wire.CHANGE_FIELDS,
        }
        if args.window is not None:
            data |= {"timeMin": args.window.since.isoformat(), "timeMax": args.window.before.isoformat()}
        data |= {"syncToken": args.token} if args.token else {}
        data |= {"pageToken": call.cursor} if call.cursor else {}
        answer = await self._ask(lambda service: service.events().list(**data), background=True)
        events = [wire.event(one, args.calendar) for one in answer.get("items", [])]
        token = answer.get("nextSyncToken", "")
        return RawAnswer({"events": events, "token": token}, next_cursor=answer.get("nextPageToken"))

    async def _raw_open_channel(self, _: IntegrationCall, args: Opening) -> RawAnswer:
        data = {"calendarId": args.what, "body": body_of(args)}
        answer = await self._ask(lambda service: service.events().watch(**data), background=True)
        return RawAnswer(opened_of(answer, args))

    async def _raw_close_channel(self, _: IntegrationCall, args: ChannelRef) -> RawAnswer:
        body = {"id": args.channel, "resourceId": args.resource}
        await self._ask(lambda service: service.channels().stop(body=body), background=True)
        return RawAnswer({})

    async def _raw_get(self, _: IntegrationCall, args: EventRef) -> RawAnswer:
        data = {"calendarId": args.calendar, "eventId": args.id}
        answer = await self._ask(lambda service: service.events().get(**data), background=args.background)
        return RawAnswer(wire.event(answer, args.calendar))

    async def _raw_insert(self, _: IntegrationCall, args: InsertArgs) -> RawAnswer:
        data = {"calendarId": args.calendar, "body": {"id": args.id, **wire.new_body(args.fields)}}
        data |= {"sendUpdates": _updates(args.tell)}
        return self._done(wire.event(await self._ask(lambda service: service.events().insert(**data)), args.calendar))

    async def _raw_patch(self, _: IntegrationCall, args: PatchArgs) -> RawAnswer:
        data = {"calendarId": args.calendar, "eventId": args.id, "body": wire.body(args.fields)}
        data |= {"sendUpdates": _updates(args.tell)}
        build = _as_it_was(lambda service: service.events().patch(**data), args.etag)
        return self._done(wire.event(await self._ask(build, background=args.background), args.calendar))

    async def _raw_delete(self, _: IntegrationCall, args: DeleteArgs) -> RawAnswer:
        data = {"calendarId": args.calendar, "eventId": args.id, "sendUpdates": _updates(args.tell)}
        build = _as_it_was(lambda service: service.events().delete(**data), args.etag)
        await self._ask(build, background=args.background)
        self.own.deleted(args.id)
        return RawAnswer({})

    async def _raw_move(self, _: IntegrationCall, args: MoveArgs) -> RawAnswer:
        data = {"calendarId": args.calendar, "eventId": args.id, "destination": args.to}
        data |= {"sendUpdates": _updates(args.tell)}
        answer = await self._ask(lambda service: service.events().move(**data), background=args.background)
        return self._done(wire.event(answer, args.to))

    def _done(self, event: dict[str, Any]) -> RawAnswer:
        self.own.written(event["id"], event["etag"])
        return RawAnswer(event)

    async def _ask(self, build: Build, *, background: bool = False) -> dict[str, Any]:
        await self._budget.spend(1, background=background)
        client = self._account.client
        try:
            answer = await self._account.send(lambda token, sign_in: client.run(build, token, sign_in))
        except IntegrationFault as fault:
            if fault.code is IntegrationErrorCode.RATE_LIMITED:
                fault.retry_after_s = self._budget.refused(fault.retry_after_s, fault.message)
            _explain(fault)
            raise
        self._budget.accepted()
        return answer


def _listing(more: Mapping[str, str]) -> Build:
    return lambda service: service.calendarList().list(
        maxResults=_PAGE, fields=wire.ENTRY_FIELDS, showHidden=True, **more
    )


def _as_it_was(build: Build, etag: str) -> Build:
    """Make the request conditional on the event's state; Google answers 412 if it has changed."""
    if not etag:
        return build

    def conditional(service: Any) -> Any:
        request = build(service)
        request.headers["If-Match"] = etag
        return request

    return conditional


def _updates(tell: bool) -> str:
    return "all" if tell else "none"


def _explain(fault: IntegrationFault) -> None:
    """Return the message for a status with a meaning of Calendar's own."""
    match fault.http_status:
        case HTTPStatus.GONE:
            fault.code, fault.message = IntegrationErrorCode.NOT_FOUND, say("this event is deleted")
        case HTTPStatus.PRECONDITION_FAILED:
            fault.code, fault.message = IntegrationErrorCode.CONFLICT, say("this event was changed meanwhile")
        case HTTPStatus.FORBIDDEN if fault.provider_code in _NOT_OURS:
            fault.code = IntegrationErrorCode.REJECTED
            fault.message = say("only whoever organises this event can change it, or your role in its calendar is less")
        case _:
            pass
