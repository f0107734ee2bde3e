"""`user_calendar_*`: reads the owner's Google Calendar, and changes it once the owner has approved."""

from collections.abc import Mapping, Sequence
from zoneinfo import ZoneInfo

from butler.contract.base_integration import BaseIntegration
from butler.contract.bulk import BulkToolAdapter
from butler.contract.channel import ChannelInfo
from butler.contract.hooks import HookReceiver
from butler.contract.integration import Idempotency
from butler.contract.module import CheckResult, Module, ModuleContext, Source
from butler.contract.referents import ReferentKind
from butler.contract.rendering import Rendered, StepResult
from butler.contract.speech import phrase
from butler.contract.tools import (
    ToolMetadata,
    ToolSpec,
    input_tool,
    output_tool,
)
from modules._accounts.google_notifications import FollowedAccount, FollowSettings, channel_hooks
from modules.calendar.args import (
    FACTS,
    ROLES,
    ChangeEventArgs,
    CreateEventArgs,
    FreeTimeArgs,
    ListCalendarsArgs,
    ListEventsArgs,
    ReadEventArgs,
)
from modules.calendar.bulk import CalendarBulkAdapter
from modules.calendar.bulk_tools import bulk_roles, bulk_specs
from modules.calendar.calls import CalendarCalls
from modules.calendar.config import CalendarModuleSettings, CalendarSettings, FirstCalendarSettings
from modules.calendar.integration_google_calendar import LOGIN, CalendarIntegration
from modules.calendar.previews import Previews
from modules.calendar.reading import Reading
from modules.calendar.records import CALENDARS, CLOSE_CHANNEL, OPEN_CHANNEL, Calendars
from modules.calendar.rendering import rendered
from modules.calendar.source import CalendarPoll
from modules.calendar.writing import Writing


class CalendarModule(Module):
    """Nothing connects before the first call."""

    channel = "calendar"
    about = ChannelInfo(
        title=phrase("Calendar"),
        contents=phrase("your calendar"),
        thing=phrase("an event in your calendar"),
        referent=ReferentKind.EVENT,
        makes_things=True,
        next_acts=("change_event", "read_event", "move_event"),
        completed_from=phrase("your calendar"),
        brands=("google",),
        login=LOGIN,
    )
    settings_model = CalendarModuleSettings

    def __init__(self, settings: CalendarModuleSettings, context: ModuleContext) -> None:
        super().__init__(settings, context)
        self._settings = settings.user_accounts()
        self._accounts = {
            name: CalendarCalls(CalendarIntegration(account, context, login=_login(name, account)))
            for name, account in self._settings.items()
        }
        self._followed = {
            name: self._follow(name, account) for name, account in self._settings.items() if account.watch
        }
        self._reading = Reading(self._accounts, context)
        self._writing = Writing(self._accounts, context)
        self._previews = Previews(context.zone, context.clock)

    def user_inputs(self) -> Sequence[ToolSpec]:
        if not self._accounts:
            return ()
        reading, previews, names = self._reading, self._previews, tuple(self._accounts)
        calendars = "List the calendars of the person's account by their names."
        events = "List events of the person's calendars, the earliest first, or look for words in them."
        one = "Read one event of the person's calendars whole, with its guests and their answers."
        free = "Find times with nothing in the person's own calendars."
        return (
            input_tool(
                "user_calendar_list_calendars",
                calendars,
                ListCalendarsArgs,
                reading.list_calendars,
                accounts=names,
                facts=FACTS["user_calendar_list_calendars"],
            ),
            input_tool(
                "user_calendar_list_events",
                events,
                ListEventsArgs,
                reading.list_events,
                previews.listed,
                accounts=names,
                facts=FACTS["user_calendar_list_events"],
            ),
            input_tool(
                "user_calendar_read_event",
                one,
                ReadEventArgs,
                reading.read_event,
                accounts=names,
                facts=FACTS["user_calendar_read_event"],
            ),
            input_tool(
                "user_calendar_find_free_time",
                free,
                FreeTimeArgs,
                reading.find_free_time,
                previews.free,
                accounts=names,
                facts=FACTS["user_calendar_find_free_time"],
            ),
        )

    def render(self, result: StepResult, _zone: ZoneInfo) -> Rendered | None:
        return rendered(result)

    def user_outputs(self) -> Sequence[ToolSpec]:
        if not self._accounts:
            return ()
        writing, previews, names = self._writing, self._previews, tuple(self._accounts)
        return (
            # The viewers of an event are its guests, who are its recipients.
            output_tool(
                "user_calendar_create_event",
                "Put a new event into the person's calendar; guests are invited by mail.",
                CreateEventArgs,
                writing.create,
                previews.create,
                complete=writing.complete_create,
                reconcile=writing.reconcile_create,
                idempotency=Idempotency.PROVIDER,
                accounts=names,
                unseen=True,
                facts=FACTS["user_calendar_create_event"],
            ),
            output_tool(
                "user_calendar_change_event",
                "Change one event of the person's calendar, or its whole series; guests are told by mail.",
                ChangeEventArgs,
                writing.change,
                previews.change,
                complete=writing.complete_change,
                reconcile=writing.reconcile_change,
                idempotency=Idempotency.STATE,
                accounts=names,
                unseen=True,
                facts=FACTS["user_calendar_change_event"],
            ),
            *bulk_specs(self.context.bulk, names),
        )

    def tool_metadata(self) -> Mapping[str, ToolMetadata]:
        return {**ROLES, **bulk_roles()}

    def integrations(self) -> Sequence[BaseIntegration]:
        return tuple(account.integration for account in self._accounts.values())

    def sources(self) -> Sequence[Source]:
        return tuple(one.source for one in self._followed.values())

    def hooks(self) -> Sequence[HookReceiver]:
        return channel_hooks(self.channel, self._followed)

    def look_now(self, account: str) -> None:
        """Poll the account whose webhook reported a change."""
        if account in self._followed:
            self._followed[account].source.look_now()

    def bulk_adapters(self) -> Sequence[BulkToolAdapter]:
        return (CalendarBulkAdapter(self._accounts, self.context),) if self._accounts else ()

    async def signed_in(self) -> None:
        for account in self._accounts.values():
            account.integration.signed_in()
        for one in self._followed.values():
            one.signed_in()

    async def checks(self) -> Sequence[CheckResult]:
        lines = [await _check(name, self._settings[name], account) for name, account in self._accounts.items()]
        pushes = [await one.check(_title(name, self._settings[name])) for name, one in self._followed.items()]
        return [*lines, *(line for line in pushes if line is not None)]

    async def stop(self) -> None:
        for account in self._accounts.values():
            account.integration.stop()

    def _follow(self, name: str, account: CalendarSettings) -> FollowedAccount:
        integration = self._accounts[name].integration
        poll = CalendarPoll(name, integration, self.context)
        first = isinstance(account, FirstCalendarSettings)
        return FollowedAccount(
            *(self.channel, name, poll, integration, self.context),
            FollowSettings(first, account.push, account.poll_interval, account.pushed_poll_interval),
            methods=(OPEN_CHANNEL, CLOSE_CHANNEL),
            things=poll.followed,
        )


def _login(name: str, account: CalendarSettings) -> str:
    return LOGIN if isinstance(account, FirstCalendarSettings) else f"{LOGIN} --account {name}"


def _title(name: str, settings: CalendarSettings) -> str:
    return "your calendar" if isinstance(settings, FirstCalendarSettings) else f"your calendar, {name}"


async def _check(name: str, settings: CalendarSettings, account: CalendarCalls) -> CheckResult:
    title = _title(name, settings)
    result = await account.integration.request("doctor", CALENDARS)
    if result.error is not None:
        todo = f"run `{_login(name, settings)}` (docs/how-to/connect-calendar.md)"
        return CheckResult(title, ok=False, detail=result.error.message, todo=todo)
    found = Calendars.model_validate(result.data).calendars
    first = next((one.id for one in found if one.primary), "")
    more = len(found) - 1
    many = f", with {more} more calendar{'s' if more > 1 else ''}" if more > 0 else ""
    return CheckResult(title, ok=True, detail=f"{first}{many}")
