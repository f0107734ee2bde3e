"""Automations in words: the event of each, its conditions, and its acts; as cards and lists show them."""

from collections.abc import Iterator, Mapping
from typing import Any, cast
from zoneinfo import ZoneInfo

from butler.contract.automations import (
    PLACE,
    Act,
    Automation,
    AutomationAction,
    AutomationFiring,
    AutomationState,
    Call,
    DryRun,
    FiringState,
    Request,
    SavedAutomation,
    Tell,
    Until,
    named,
)
from butler.contract.condition_words import PLACES, condition_words, fact_text
from butler.contract.events import Event, EventName
from butler.contract.names import Identity, ToolName, ToolNameError
from butler.contract.rule_words import rule_in_words
from butler.contract.speech import phrase, say, say_clock, say_day, say_list, say_many, say_moment, say_short_moment
from butler.contract.tool_words import action_of, argument_of, channel_of
from butler.contract.value_words import named_lines, value_text

EVENTS: Mapping[EventName, str] = {
    EventName.MAIL_RECEIVED: phrase("a mail comes in"),
    EventName.CHAT_RECEIVED: phrase("a message comes in"),
    EventName.APPROVAL_DECIDED: phrase("a card is decided"),
    EventName.APPROVAL_FINISHED: phrase("something that was asked about has ended"),
    EventName.BULK_FINISHED: phrase("something that is done to many things has ended"),
    EventName.REMINDER_DUE: phrase("a reminder is due"),
    EventName.EVENT_STARTING: phrase("an event is about to begin"),
    EventName.EVENT_CHANGED: phrase("something changes in your calendar"),
    EventName.CARD_CHANGED: phrase("something changes on your boards"),
    EventName.FILE_CHANGED: phrase("a file of yours changes"),
    EventName.ALERT_FIRED: phrase("an alert fires or is over"),
    EventName.CALL_CHANGED: phrase("something changes in a call"),
    EventName.HOOK_RECEIVED: phrase("a webhook is called"),
    EventName.CHANNEL_DEAF: phrase("a channel is not heard of"),
    EventName.CLOCK: phrase("its time has come"),
}
STANDS: Mapping[AutomationState, str] = {
    AutomationState.ACTIVE: "▶️",
    AutomationState.PAUSED: "⏸",
    AutomationState.STOPPED: "⛔",
    AutomationState.REMOVED: "🗑",
    AutomationState.ENDED: "🏁",
}
BECAME: Mapping[FiringState, str] = {
    FiringState.FIRED: phrase("fired"),
    FiringState.LOOP: phrase("kept from a loop"),
    FiringState.TOO_OFTEN: phrase("stopped, too often"),
    FiringState.SKIPPED: phrase("skipped, as often as it may"),
}
NOT_FIRED: Mapping[FiringState, str] = {
    FiringState.LOOP: phrase("it would have followed from three others, one after the other"),
    FiringState.TOO_OFTEN: phrase("it fired as often as it may"),
}
"""Why an automation did not fire, or was stopped."""
TAKEN: Mapping[AutomationAction, str] = {
    AutomationAction.PAUSE: phrase("⏸ Automation {number}, “{name}”, is paused."),
    AutomationAction.RESUME: phrase("▶️ Automation {number}, “{name}”, goes on."),
    AutomationAction.REMOVE: phrase("🗑 Automation {number}, “{name}”, is removed."),
}
NONE = phrase("You have no automations yet. Say for example “when Anna mails me, tell me at once”.")
"""The list of no automations."""
NO_SUCH = phrase("there is no automation {number}; /automations lists them")
IN_A_FILE = phrase("automation {number} stands in your settings; take it out there")
LONGEST = 60
BY, ABOUT = ("contact", "sender_name", "sender"), ("title", "name", "subject", "text", "summary", "tool", "outcome")
"""The facts that name an event's author and subject in a list, the most telling first."""


def fact_words(event: Event, name: str) -> str:
    """Return a fact as the owner reads it: a bare address, and the owner's name for an author without one."""
    value = fact_text(event.facts[name])
    if name == "sender_name" and not value.strip():
        return str(event.facts["contact"]) or fact_words(event, "sender")
    return value.partition(":")[2] or value if name == "sender" else value


def when_words(automation: Automation) -> str:
    """Return when the automation fires, in words."""
    if automation.when is None:
        assert automation.clock is not None
        return rule_in_words(automation.clock) or say_moment(automation.clock.start)
    return say(EVENTS[automation.when.event])


def conditions(automation: Automation) -> list[str]:
    """Return each of its conditions in words."""
    wheres = [condition_words(one) for one in automation.when.where] if automation.when is not None else []
    if (hours := automation.hours) is not None:
        wheres.append(
            say("it is between {begins} and {ends}", begins=say_clock(hours.begins), ends=say_clock(hours.ends))
        )
    return wheres


def until_words(until: Until) -> str:
    """Return the end of an automation in words."""
    return say_day(until.day) if until.at is None else say_moment(until.wall_time)


def act_words(act: Act, people: Mapping[str, str]) -> str:
    """Describe in full what an act does; `people` are the contacts' names, by id."""
    match act:
        case Tell(urgent=True):
            return say("tell you, also in the quiet hours: {text}", text=_places(act.tell))
        case Tell():
            return say("tell you: {text}", text=_places(act.tell))
        case Request():
            return say("do what you say here: “{words}”", words=act.words)
        case Call():
            return say("{tool} – {args}", tool=_tool(act.call), args=_args(act.call, act.args, people))


def _places(text: str) -> str:
    """Return the owner's text with its placeholders in words."""
    return PLACE.sub(lambda found: f"‹{say(PLACES.get(found[1], found[1]))}›", text)


def _tool(name: str) -> str:
    """Return words such as `Email, as you: archive`; an invalid name stays as it is, and is refused when called."""
    try:
        as_you = ToolName.parse(name).identity is Identity.USER
        channel, action = channel_of(name), action_of(name)
    except ToolNameError:
        return name
    if as_you:
        return say("{channel}, as you: {action}", channel=channel, action=action)
    return say("{channel}, as Butler: {action}", channel=channel, action=action)


def _args(tool: str, args: Mapping[str, Any], people: Mapping[str, str]) -> str:
    """Return all arguments, people first and otherwise in a fixed order; nested values by their path."""
    ordered = sorted(args.items(), key=lambda one: (not any(named(one[1], "contact")), one[0]))
    parts = [f"{argument_of(tool, name)}: {text}" for name, value in ordered for text in _values(value, people)]
    return "; ".join(parts) or say("nothing else is given")


def contact_ids(automation: Automation) -> frozenset[str]:
    """Return the ids of the contacts that the calls of an automation name."""
    calls = [act for act in automation.do if isinstance(act, Call)]
    return frozenset(contact_id for call in calls for contact_id in named(call.args, "contact"))


def _values(value: Any, people: Mapping[str, str]) -> list[str]:
    if placeholder := _placeholder(value, people):
        return [placeholder]
    match value:
        case list() if any(named(value, "contact")):
            return [", ".join(text for one in cast("list[Any]", value) for text in _values(one, people))]
        case str():
            return [f"“{value}”"]
        case dict() | list() if value:
            return named_lines(cast("Any", value))
        case _:
            return [value_text(value)]


def _placeholder(value: Any, people: Mapping[str, str]) -> str:
    """Return what a placeholder stands for; empty for anything else."""
    match value:
        case {"fact": str(name), **rest} if not rest:
            return f"‹{say(PLACES.get(name, name))}›"
        case {"item": _, **rest} if not rest:
            return say("the mail or message itself")
        case {"contact": str(contact), **rest} if not rest:
            return people.get(contact) or say("somebody who is no longer in your contacts")
        case _:
            return ""


def taken_words(action: AutomationAction, number: int, name: str) -> str:
    """Return what was done with an automation."""
    return say(TAKEN[action], number=number, name=name)


def asks_words(automation: Automation) -> str:
    """Return what asks the owner each time, and what is done without another approval."""
    if all(isinstance(act, Tell) for act in automation.do):
        return say("No. It only tells you; nobody else sees anything.")
    if all(isinstance(act, Call) and _as_you(act.call) for act in automation.do):
        return say("Yes, each time, before it acts as you.")
    return say(
        "Yes, each time, before it acts as you, or others see what others brought about. The rest it does without "
        "asking."
    )


def _as_you(tool: str) -> bool:
    return tool.startswith(f"{Identity.USER.value}_")


def limits(automation: Automation) -> str:
    """Return in words how often it fires at most."""
    hour, day = automation.per_hour, automation.per_day
    if automation.stops_at_day_limit:
        return say(
            "At most {hour} times an hour: what comes beyond that is skipped, and I tell you. More than {day} times a "
            "day stops it.",
            hour=hour,
            day=day,
        )
    return say(
        "At most {hour} times an hour and {day} times a day: what comes beyond that is skipped, and I tell you.",
        hour=hour,
        day=day,
    )


def dry_words(dry: DryRun, automation: Automation, zone: ZoneInfo) -> str:
    """Return in words when it would have fired lately, or fires next."""
    if automation.clock is not None:
        if not dry.newest:
            return say("It never fires any more.")
        return say("It fires next on {times}.", times=say_list([say_moment(e.at.astimezone(zone)) for e in dry.newest]))
    since = say_short_moment(dry.since.astimezone(zone))
    if not dry.count and automation.event is EventName.ALERT_FIRED:
        return say(
            "No such alert has come in the last 30 days. I measure nothing myself: this fires only if your monitoring "
            "has an alert rule for it that is sent to me."
        )
    if not dry.count:
        return say("It would have fired 0 times in the last 30 days; I know what happened since {since}.", since=since)
    text = say_many(
        dry.count,
        "It would have fired once in the last 30 days:",
        "It would have fired {count} times in the last 30 days:",
    )
    lines = [text, *(f"· {event_line(event, zone)}" for event in reversed(dry.newest))]
    if dry.count > len(dry.newest):
        lines.append(say("and before. I know what happened since {since}.", since=since))
    return "\n".join(lines)


def event_line(event: Event, zone: ZoneInfo) -> str:
    """Return an event in a line: when, what, by whom and about what. These are others' words, unchanged."""
    return f"{say_short_moment(event.at.astimezone(zone))}, {event_words(event)}"


def event_words(event: Event) -> str:
    """Return an event without its time: what, by whom and about what."""
    by, about = (
        next((_cut(fact_words(event, name)) for name in names if str(event.facts.get(name, "")).strip()), "")
        for names in (BY, ABOUT)
    )
    known = ([by] if by else []) + ([f"“{about}”"] if about else [])
    return f"{say(EVENTS[event.name])}: {', '.join(known)}" if known else say(EVENTS[event.name])


def fired_line(fired: AutomationFiring, zone: ZoneInfo) -> str:
    """Return a firing in a line: when, its outcome, and its event, which is in others' words, unchanged."""
    about = event_words(fired.event) if fired.event is not None else fired.event_id[:8]
    return f"{say_short_moment(fired.at.astimezone(zone))}, {say(BECAME[fired.state])}: {about}"


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"


def line(kept: SavedAutomation, zone: ZoneInfo, people: Mapping[str, str]) -> str:
    """Return one automation in a list; `people` are the contacts' names, by id."""
    return "\n".join(_lines(kept, zone, people))


def _lines(kept: SavedAutomation, zone: ZoneInfo, people: Mapping[str, str]) -> Iterator[str]:
    automation = kept.automation
    paused = f" ({say('paused')})" if kept.standing is AutomationState.PAUSED else ""
    yield f"{kept.number}. {STANDS[kept.standing]} {automation.name}{paused}"
    wheres = conditions(automation)
    yield f"   {when_words(automation)}" + (f" ({', '.join(wheres)})" if wheres else "")
    for act in automation.do:
        yield f"   → {act_words(act, people)}"
    if automation.until is not None:
        yield "   " + say("until {day}", day=until_words(automation.until))
    if kept.standing is AutomationState.ACTIVE and kept.due_at is not None:
        yield "   " + say("next on {when}", when=say_moment(kept.due_at.astimezone(zone)))
    if kept.standing is AutomationState.STOPPED:
        yield f"   {say(NOT_FIRED[FiringState.TOO_OFTEN])}"
