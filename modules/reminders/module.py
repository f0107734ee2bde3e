"""Reminders: sent to the owner at wall times of the owner's zone, also after a restart."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

from pydantic import BaseModel

from butler.contract.asked_times import Times, rule_of
from butler.contract.channel import ChannelInfo, Words
from butler.contract.door import failed
from butler.contract.errors import IntegrationErrorCode, Refuse
from butler.contract.integration import IntegrationResult
from butler.contract.module import Module
from butler.contract.ports import Reminder
from butler.contract.records import ClosedRecord
from butler.contract.referents import ReferentKind
from butler.contract.rendering import Rendered, StepResult
from butler.contract.rule_words import rule_in_words
from butler.contract.schedules import ZoneChange
from butler.contract.speech import phrase, say, say_moment
from butler.contract.tools import (
    ArgRole,
    Preview,
    ToolCall,
    ToolHandler,
    ToolMetadata,
    ToolSpec,
    input_tool,
    own_tool,
)
from butler.contract.wall_time import moment
from modules.reminders.args import FACTS, ChangeArgs, CreateArgs, ListArgs, SnoozeArgs, TravelArgs, WhichArgs
from modules.reminders.rendering import rendered
from modules.reminders.rules import answers_of, changed, describe_reminder, fits

MOST = 100
"""Most reminders to search by words."""
LATELY = timedelta(hours=12)
"""How long a reminder that was said can be named by its words as one to put off, or as done."""
OF_SAID = frozenset({"bot_reminders_done", "bot_reminders_snooze"})
"""Tools that mean a reminder that was said, where none that waits fits."""
FIRED = "fired"
NONE_FITS = phrase("no reminder that is waiting fits that")
_OF_RECORD = ("reminder_id", "about", "due")
Act = Callable[[Reminder, ToolCall], Awaitable[Reminder]]


class RemindersSettings(ClosedRecord):
    """`[modules.reminders]` has nothing to set."""


class RemindersModule(Module):
    """`bot_reminders_*`."""

    channel = "reminders"
    about = ChannelInfo(
        title=phrase("Reminders"),
        words=Words.OWNER,
        referent=ReferentKind.REMINDER,
        makes_things=True,
        next_acts=("change", "done", "list"),
        completed_by="reminders",
    )
    built_in = True
    settings_model = RemindersSettings

    def bot_inputs(self) -> Sequence[ToolSpec]:
        description = "List the reminders that are still to come."
        return (input_tool("bot_reminders_list", description, ListArgs, self._list, facts=FACTS["list"]),)

    def bot_outputs(self) -> Sequence[ToolSpec]:
        return (
            _output(
                "create", "Remind the owner of something at a local time, once or again and again.", CreateArgs,
                self._create, preview,
            ),
            _output(
                "change", "Give a reminder another text or other times.", ChangeArgs,
                self._change, changing, self._seen,
            ),
            _output("snooze", "Say a reminder again later.", SnoozeArgs, self._snooze, shown, self._seen),
            _output("done", "Note that what a reminder is about is done.", WhichArgs, self._done, shown, self._seen),
            _output("skip", "Leave out the next time of a reminder.", WhichArgs, self._skip, shown, self._seen),
            _output("remove", "Remove a reminder, with all its times.", WhichArgs, self._remove, shown, self._seen),
            _output(
                "travel", "Live by the clocks of another zone, where the owner is from now on.", TravelArgs,
                self._travel, shown,
            ),
        )  # fmt: skip

    def render(self, result: StepResult, zone: ZoneInfo) -> Rendered | None:
        return rendered(result, zone)

    def tool_metadata(self) -> Mapping[str, ToolMetadata]:
        roles = {"text": ArgRole.CONTENT, "reminder_id": ArgRole.TARGET}
        models: Mapping[str, type[BaseModel]] = {
            "list": ListArgs,
            "create": CreateArgs,
            "change": ChangeArgs,
            "snooze": SnoozeArgs,
            "done": WhichArgs,
            "skip": WhichArgs,
            "remove": WhichArgs,
            "travel": TravelArgs,
        }
        return {
            f"bot_reminders_{action}": ToolMetadata(
                {name: roles.get(name, ArgRole.OPTION) for name in model.model_fields}
            )
            for action, model in models.items()
        }

    async def _create(self, call: ToolCall) -> IntegrationResult:
        args: CreateArgs = call.args
        if call.dry_run:
            return IntegrationResult(ok=True, data={"dry_run": True})
        repository = self.context.built_in.reminders
        try:
            rule = rule_of(args, repository.zone(), self.context.clock.now())
            reminder = await repository.add(
                call.call_id, args.text, rule, call.origins, until_event=answers_of(args.answer_from)
            )
        except Refuse as refusal:
            return failed(IntegrationErrorCode.INVALID_INPUT, refusal.detail)
        more = {"answer_from": args.answer_from, "assumed": args.assumed, "latest_assumed": args.latest_assumed}
        return self._result(reminder, {name: value for name, value in more.items() if value})

    async def _list(self, call: ToolCall) -> IntegrationResult:
        args: ListArgs = call.args
        known = await self.context.built_in.reminders.get(args.reminder_id) if args.reminder_id else None
        waiting = await self.context.built_in.reminders.waiting(MOST if args.words else args.limit)
        found = [one for one in waiting if fits(one, args.words, None)][: args.limit]
        if args.reminder_id:
            found = [known] if known is not None else []
        if not found:
            return failed(IntegrationErrorCode.NOT_FOUND, say(NONE_FITS if waiting else "no reminder is waiting"))
        now = self.context.clock.now()
        return IntegrationResult(ok=True, data={"reminders": [describe_reminder(one, now) for one in found]})

    async def _change(self, call: ToolCall) -> IntegrationResult:
        async def change(reminder: Reminder, call: ToolCall) -> Reminder:
            args: ChangeArgs = call.args
            repository, now = self.context.built_in.reminders, self.context.clock.now()
            rule = changed(reminder, args, args.to_clock, repository.zone(), now)
            if rule is None and args.at is not None:
                # A single time of a repeating reminder is snoozed; the others stay.
                return await repository.snooze(reminder.reminder_id, self._moment(args.at, later=args.later))
            if rule is None and not args.text:
                raise Refuse(say("say what is to be changed"))
            return await repository.change(reminder.reminder_id, text=args.text, rule=rule, origins=call.origins)

        return await self._one(call, change, "changed")

    async def _snooze(self, call: ToolCall) -> IntegrationResult:
        async def snooze(reminder: Reminder, call: ToolCall) -> Reminder:
            args: SnoozeArgs = call.args
            now = self.context.clock.now()
            until = now + timedelta(minutes=args.minutes or 60)
            if args.until:
                until = self._moment(args.until, later=args.later)
            return await self.context.built_in.reminders.snooze(reminder.reminder_id, until)

        return await self._one(call, snooze, "snoozed")

    async def _done(self, call: ToolCall) -> IntegrationResult:
        return await self._one(call, lambda one, _: self.context.built_in.reminders.settle(one.reminder_id), "done")

    async def _skip(self, call: ToolCall) -> IntegrationResult:
        return await self._one(
            call, lambda one, _: self.context.built_in.reminders.skip(one.reminder_id, one.due_at), "skipped"
        )

    async def _remove(self, call: ToolCall) -> IntegrationResult:
        async def remove(reminder: Reminder, _: ToolCall) -> Reminder:
            return await self.context.built_in.reminders.settle(reminder.reminder_id, removed=True)

        return await self._one(call, remove, "removed")

    async def _one(self, call: ToolCall, act: Act, what: str) -> IntegrationResult:
        """Act on the one reminder that is meant; if several fit, list them instead."""
        args: WhichArgs = call.args
        if call.dry_run:
            return IntegrationResult(ok=True, data={"dry_run": True})
        try:
            found = await self._matching(call)
            if len(found) == 1 and args.about not in {"", found[0].text}:
                return failed(IntegrationErrorCode.CONFLICT, say("this reminder says something else by now"))
            if len(found) == 1:
                return self._result(await act(found[0], call), {"did": what})
        except Refuse as refusal:
            return failed(IntegrationErrorCode.INVALID_INPUT, refusal.detail)
        if not found:
            return failed(IntegrationErrorCode.NOT_FOUND, say(NONE_FITS))
        now = self.context.clock.now()
        return IntegrationResult(
            ok=True, data={"reminders": [describe_reminder(one, now) for one in found], "which": what}
        )

    async def _seen(self, call: ToolCall) -> IntegrationResult:
        """Return which reminder is meant, its text and its time, for a card. Changes nothing."""
        found = await self._matching(call)
        if len(found) != 1:
            # No fitting reminder, or several: reported as the outcome.
            return IntegrationResult(ok=True, data={})
        one, now = found[0], self.context.clock.now()
        times = describe_reminder(one, now)
        due = next((say_moment(datetime.fromisoformat(at)) for at in times["next"][:1]), "")
        return IntegrationResult(ok=True, data={"reminder_id": one.reminder_id, "about": one.text, "due": due})

    async def _matching(self, call: ToolCall) -> Sequence[Reminder]:
        args: WhichArgs = call.args
        if args.reminder_id:
            known = await self.context.built_in.reminders.get(args.reminder_id)
            return (known,) if known is not None else ()
        waiting = await self.context.built_in.reminders.waiting(MOST)
        found = [one for one in waiting if fits(one, args.words, args.clock)]
        return found if found or call.tool not in OF_SAID else await self._said_lately(args)

    async def _said_lately(self, args: WhichArgs) -> Sequence[Reminder]:
        """Return the reminders that fit and were said lately for the last time, each once."""
        since = self.context.clock.now() - LATELY
        said = await self.context.built_in.reminders.delivered(MOST)
        over = {one.reminder.reminder_id: one.reminder for one in said if one.fired_at >= since}
        return [one for one in over.values() if one.state == FIRED and fits(one, args.words, args.clock)]

    async def _travel(self, call: ToolCall) -> IntegrationResult:
        args: TravelArgs = call.args
        if call.dry_run:
            return IntegrationResult(ok=True, data={"dry_run": True})
        repository, now = self.context.built_in.reminders, self.context.clock.now()
        zone, before = args.zone or repository.home(), args.moved_from or repository.zone()
        try:
            until = None
            if args.until is not None:
                until = moment(datetime.combine(args.until + timedelta(days=1), time()), ZoneInfo(zone))
            if args.moments and args.moved_from:
                await repository.travel(args.moved_from)
            moved = await repository.travel(zone, until=until, moments=args.moments)
        except (Refuse, KeyError, ValueError, OSError) as error:
            detail = error.detail if isinstance(error, Refuse) else say("{zone} is no time zone", zone=zone)
            return failed(IntegrationErrorCode.INVALID_INPUT, detail)
        data = {
            "zone": zone,
            "before": before,
            "home": repository.home(),
            "until": args.until.isoformat() if args.until else "",
            "moments": args.moments,
            "moved": sum(one.rule.keeps is ZoneChange.WALL for one in moved),
            "now": now.astimezone(ZoneInfo(zone)).isoformat(timespec="minutes"),
            "next": [describe_reminder(one, now) for one in moved[:1]],
        }
        return IntegrationResult(ok=True, data={"travel": data})

    def _moment(self, at: datetime, *, later: bool) -> datetime:
        return moment(at.replace(fold=int(later)), ZoneInfo(self.context.built_in.reminders.zone()))

    def _result(self, reminder: Reminder, more: Mapping[str, object]) -> IntegrationResult:
        return IntegrationResult(
            ok=True, data={"reminder": {**describe_reminder(reminder, self.context.clock.now()), **more}}
        )


def _output(
    action: str,
    description: str,
    args: type[BaseModel],
    handler: ToolHandler,
    words: Callable[..., Preview],
    complete: ToolHandler | None = None,
) -> ToolSpec:
    return own_tool(
        f"bot_reminders_{action}",
        description,
        args,
        handler,
        lambda args: words(args, description),
        complete=complete,
        shows_origin=action == "create",
        asks_if_model_chose=action == "travel",
        facts=FACTS.get(action, ()),
    )


def preview(args: CreateArgs, _: str) -> Preview:
    """Return the preview of a new reminder."""
    return Preview(effect=say("Reminds you on {moment}", moment=_when(args)), body=args.text)


def shown(args: WhichArgs | TravelArgs, description: str) -> Preview:
    """Return the preview of a reminder by its text and time, not its id."""
    if isinstance(args, TravelArgs) or not args.about:
        return Preview(effect=description)
    facts = ((say("Its time"), args.due),) if args.due else ()
    return Preview(effect=description, body=args.about, facts=facts, told=_OF_RECORD)


def changing(args: ChangeArgs, description: str) -> Preview:
    """Return the preview of a change."""
    known = shown(args, description)
    words = ((say("New words"), args.text),) if args.text else ()
    try:
        when = ((say("New time"), _when(args)),) if args.at is not None else ()
    except Refuse:
        # Times that make no rule are refused on execution; until then they are shown as given.
        when = ()
    return replace(known, facts=(*known.facts, *words, *when))


def _when(args: Times) -> str:
    if args.every is not None and args.at is not None:
        return rule_in_words(rule_of(args, "UTC", args.at.replace(tzinfo=ZoneInfo("UTC"))))
    return say_moment(args.at) if args.at is not None else say("the times that are asked for")
