"""The calendar module on its stand-in, by Google's own client, with one account and a clock that can be turned."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from butler.contract.bulk import BulkItem, BulkResult, PreparedBulkContext
from butler.contract.integration import IntegrationResult
from butler.contract.module import ModuleContext
from butler.contract.tools import Preview, Reconciled, ToolCall
from butler.registry import Registry
from butler_demo.calendar.server import CalendarServer
from modules.calendar.bulk import CalendarBulkAdapter
from modules.calendar.config import CalendarModuleSettings
from modules.calendar.module import CalendarModule
from tests.support.context import RecordingProbe, make_context
from tests.support.ticking import Ticking

ME, ANNA, TOM = "me@home.example", "anna@friends.example", "tom@work.example"
ZONE = ZoneInfo("Europe/Berlin")
VARIABLE = "USER_CALENDAR_OAUTH_JSON"
TOKEN = "4242424242"
_VOLATILE = frozenset({"etag", "updated", "sequence"})


class Clock(Ticking):
    """Friday 5 March 2027, 12:00 in Berlin; whoever waits turns it."""

    def __init__(self) -> None:
        self.at = datetime(2027, 3, 5, 11, tzinfo=UTC)

    def now(self) -> datetime:
        return self.at

    async def sleep_until(self, when: datetime) -> None:
        self.at = max(self.at, when)


class Account:
    """The module, the server that it talks with, and what tests ask of both."""

    def __init__(self, server: CalendarServer, clock: Clock, **fields: Any) -> None:
        self.server, self.clock = server, clock
        secrets = {VARIABLE: server.credentials_json(ME)}
        self.context: ModuleContext = replace(
            make_context(secrets=secrets, probe=RecordingProbe()), zone=ZONE, clock=clock
        )
        section = {"api_root": server.url} | fields
        self.module = CalendarModule(CalendarModuleSettings.model_validate({"user": section}), self.context)
        self.registry = Registry()
        self.registry.add_module(self.module)

    @property
    def adapter(self) -> CalendarBulkAdapter:
        (adapter,) = self.module.bulk_adapters()
        assert isinstance(adapter, CalendarBulkAdapter)
        return adapter

    @property
    def probe(self) -> RecordingProbe:
        assert isinstance(self.context.probe, RecordingProbe)
        return self.context.probe

    def asked(self, prefix: str) -> int:
        """How often methods that begin so were called."""
        return sum(call.method_id.startswith(prefix) for call in self.probe.calls)

    # Tools

    def call(self, tool: str, /, **args: Any) -> ToolCall:
        name = f"user_calendar_{tool}"
        model = self.registry.spec(name).args.model_validate(args)
        return ToolCall(name, model, call_id="call-1", trace_id="trace-1", token=TOKEN)

    async def do(self, tool: str, /, **args: Any) -> IntegrationResult:
        return await self.registry.invoke(self.call(tool, **args))

    async def data(self, tool: str, /, **args: Any) -> dict[str, Any]:
        """The data of a call that works."""
        result = await self.do(tool, **args)
        assert result.data is not None, result.error
        return result.data

    async def failure(self, tool: str, /, **args: Any) -> tuple[str, str]:
        """Code and message of a call that does not."""
        result = await self.do(tool, **args)
        assert result.error is not None, result.data
        return result.error.code, result.error.message

    async def completed(self, tool: str, /, **args: Any) -> dict[str, Any]:
        """The arguments as they are shown and frozen."""
        complete = self.registry.spec(f"user_calendar_{tool}").complete
        assert complete is not None
        result = await complete(self.call(tool, **args))
        assert result.data is not None, result.error
        return args | result.data

    async def preview(self, tool: str, /, **args: Any) -> Preview:
        """What a card shows of it."""
        preview = self.registry.spec(f"user_calendar_{tool}").preview
        assert preview is not None
        return preview(self.call(tool, **await self.completed(tool, **args)).args)

    async def approved(self, tool: str, /, **args: Any) -> IntegrationResult:
        """Complete it, and do what was shown."""
        return await self.do(tool, **await self.completed(tool, **args))

    async def reconciled(self, tool: str, /, **args: Any) -> Reconciled:
        reconcile = self.registry.spec(f"user_calendar_{tool}").reconcile
        assert reconcile is not None
        return await reconcile(self.call(tool, **args))

    # Events

    def add(self, title: str, start: str, minutes: int = 60, calendar: str = ME, **fields: Any) -> str:
        """An event at a wall time in Berlin, or of one whole day; its id."""
        if "T" in start:
            at = datetime.fromisoformat(start)
            ends = {"dateTime": (at + timedelta(minutes=minutes)).isoformat(), "timeZone": "Europe/Berlin"}
            times = {"start": {"dateTime": at.isoformat(), "timeZone": "Europe/Berlin"}, "end": ends}
        else:
            day = datetime.fromisoformat(start).date()
            times = {"start": {"date": start}, "end": {"date": (day + timedelta(1)).isoformat()}}
        organizer = fields.pop("organizer", "")
        return self.server.add_event(calendar, {"summary": title, **times, **fields}, organizer=organizer)["id"]

    def invited(self, title: str, start: str, host: str = ANNA, **fields: Any) -> str:
        """An event of somebody else's, to which the person is asked."""
        return self.add(title, start, calendar=host, attendees=[{"email": ME}], **fields)

    def book(self, calendar: str = ME) -> dict[str, dict[str, Any]]:
        """All events by id, without what counts changes; deleted ones are not there."""
        return {
            event["id"]: _lasting(event) for event in self.server.events(calendar) if event["status"] != "cancelled"
        }

    def titles(self, calendar: str = ME) -> list[str]:
        return sorted(event["summary"] for event in self.book(calendar).values())

    def starts(self, calendar: str = ME) -> dict[str, str]:
        """When events begin, by title."""
        events = self.book(calendar).values()
        return {event["summary"]: event["start"].get("dateTime") or event["start"]["date"] for event in events}

    # Many at once

    async def listed(self, **params: Any) -> tuple[PreparedBulkContext, list[BulkItem]]:
        """An order taken apart, and all that it is about."""
        context = await self.adapter.prepare(params)
        items: list[BulkItem] = []
        while page := await self.adapter.get_next_batch(context, 2_500, len(items)):
            items += page
        return context, items

    async def acted(self, items: Sequence[BulkItem], context: PreparedBulkContext) -> dict[str, BulkResult]:
        """Act on all; results by id."""
        results = await self.adapter.execute_batch(list(items), context)
        return {result.item_id: result for result in results}

    async def bulk(self, **params: Any) -> tuple[PreparedBulkContext, list[BulkItem]]:
        """Do it to all that it is about: what is kept of them after it."""
        context, items = await self.listed(**params)
        results = await self.acted(items, context)
        assert all(result.success for result in results.values()), results
        after = [BulkItem(one.id, one.display_name, results[one.id].data or one.raw_data) for one in items]
        return context, after

    async def undo(self, context: PreparedBulkContext, items: Sequence[BulkItem]) -> None:
        """Put it back."""
        inverse = self.adapter.inverse(context)
        assert inverse is not None
        results = await self.acted(items, inverse)
        assert all(result.success for result in results.values()), results


def _lasting(event: dict[str, Any]) -> dict[str, Any]:
    # An event that was put there by a test does not name its organiser, as one that was moved does.
    host = {key: value for key, value in event["organizer"].items() if key != "displayName"}
    return {key: value for key, value in event.items() if key not in _VOLATILE} | {"organizer": host}


@asynccontextmanager
async def calendar_account(**fields: Any) -> AsyncGenerator[Account]:
    """The module on a server of its own, with the person's account and two of others; `fields` are settings."""
    clock = Clock()
    server = CalendarServer(now=clock.now)
    for address, name in ((ME, "Robin"), (ANNA, "Anna Friend"), (TOM, "Tom Work")):
        server.add_account(address, name, zone="Europe/Berlin")
    await server.start()
    account = Account(server, clock, **fields)
    try:
        yield account
    finally:
        await account.module.stop()
        await server.stop()
