"""The tools that act on one or many of the owner's events: each lists its events before it is shown."""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from butler.contract.bulk import BulkLauncher, BulkOrder
from butler.contract.bulk_tool import bulk_preview, bulk_tool
from butler.contract.speech import phrase, say, say_clock, say_date, say_day, say_many, say_moment
from butler.contract.tools import Preview, ToolCall, ToolMetadata, ToolSpec
from modules.calendar.bulk import SELECTIONS
from modules.calendar.bulk_actions import CalendarAction, words_of
from modules.calendar.bulk_args import (
    Colour,
    ColourSelection,
    DeclineSelection,
    DeleteSelection,
    EventSelection,
    MoveSelection,
    RemindSelection,
    roles_of,
)
from modules.calendar.times import is_day

ADAPTER = "calendar"
_DESCRIBED = {
    CalendarAction.DELETE: "Delete events of the person's calendar; guests are told.",
    CalendarAction.MOVE: "Move events of the person's by days and minutes, or to another calendar.",
    CalendarAction.DECLINE: "Decline events that others have invited the person to.",
    CalendarAction.REMIND: "Change when the person is reminded of events, or that they are not.",
    CalendarAction.COLOUR: "Give events of the person's calendar a colour.",
}
_SEEN = frozenset({CalendarAction.DELETE, CalendarAction.MOVE, CalendarAction.DECLINE})
"""Actions that others can see."""
_COLOURS = {
    Colour.LAVENDER: phrase("lavender"),
    Colour.SAGE: phrase("sage"),
    Colour.GRAPE: phrase("grape"),
    Colour.FLAMINGO: phrase("flamingo"),
    Colour.BANANA: phrase("banana"),
    Colour.TANGERINE: phrase("tangerine"),
    Colour.PEACOCK: phrase("peacock"),
    Colour.GRAPHITE: phrase("graphite"),
    Colour.BLUEBERRY: phrase("blueberry"),
    Colour.BASIL: phrase("basil"),
    Colour.TOMATO: phrase("tomato"),
    Colour.CALENDAR: phrase("the calendar's own"),
}


def name_of(action: CalendarAction) -> str:
    """Return the action's tool name."""
    return f"user_calendar_{action}_event"


def bulk_specs(launcher: BulkLauncher, accounts: tuple[str, ...]) -> tuple[ToolSpec, ...]:
    """Return the specs of all bulk tools; the first account is the default one."""
    return tuple(_spec(action, launcher, accounts) for action in CalendarAction)


def bulk_roles() -> Mapping[str, ToolMetadata]:
    """Return the role of each argument."""
    return {name_of(action): roles_of(model) for action, model in SELECTIONS.items()}


def _spec(action: CalendarAction, launcher: BulkLauncher, accounts: tuple[str, ...]) -> ToolSpec:
    return bulk_tool(
        name_of(action),
        _DESCRIBED[action],
        SELECTIONS[action],
        launcher,
        partial(_order, action, accounts[0]),
        _previewing(action),
        accounts=accounts,
        unseen=action not in _SEEN,
    )


def _order(action: CalendarAction, first: str, call: ToolCall) -> BulkOrder:
    args: EventSelection = call.args
    account = call.account or first
    data = args.model_dump(mode="json", exclude_defaults=True, exclude={"snapshot"})
    return BulkOrder(ADAPTER, account, {**data, "account": account, "action": action.value})


def _previewing(action: CalendarAction) -> Callable[[EventSelection], Preview]:
    def preview(args: EventSelection) -> Preview:
        params: dict[str, Any] = {"to": ""} if isinstance(args, MoveSelection) and args.to_calendar else {}
        return bulk_preview(words_of(action, params, {}), args, (*_does(args), *_which(args)))

    return preview


def _does(args: EventSelection) -> tuple[tuple[str, str], ...]:
    """Return the facts about the action."""
    match args:
        case MoveSelection():
            return (
                (say("By"), _by(args)),
                (say("To the day"), _to_day(args)),
                (say("To the calendar"), args.to_calendar),
                (say("Guests"), say("they are not told") if args.quietly else ""),
            )
        case DeleteSelection():
            return ((say("Guests"), say("they are not told") if args.quietly else ""),)
        case DeclineSelection():
            return ((say("Comment"), args.comment),)
        case RemindSelection():
            return ((say("Reminder"), _reminder(args)),)
        case ColourSelection():
            return ((say("Colour"), say(_COLOURS[args.colour])),)
        case _:
            return ()


def _which(args: EventSelection) -> tuple[tuple[str, str], ...]:
    """Return the facts that select the events."""
    which = {True: say("of whole days"), False: say("with a time of the day"), None: ""}[args.all_day]
    organised = {"me": say("you organise"), "others": say("others organise"), "": ""}[args.organiser]
    return (
        *_window(args),
        (say("Words"), args.words),
        (say("Calendar"), args.calendar),
        (say("With"), ", ".join(args.people)),
        (say("But not"), ", ".join(args.keep)),
        (say("Only"), ", ".join(filter(None, (which, organised)))),
        (say("Series"), say("all of it, past ones too") if args.series else ""),
    )


def _window(args: EventSelection) -> tuple[tuple[str, str], ...]:
    """Return the time range in words: days by the last day, hours of one day by that day."""
    since, before = args.since, args.before
    if since is not None and before is not None:
        if is_day(since) and is_day(before):
            last = before - timedelta(days=1)
            days = say_day(since) if last <= since else say("{start} to {end}", start=_at(since), end=_at(last))
            return ((say("When"), days),)
        if isinstance(since, datetime) and isinstance(before, datetime) and since.date() == before.date():
            return ((say("When"), say("{start} to {end}", start=say_moment(since), end=say_clock(before))),)
    return (
        (say("Since"), _at(since)),
        (say("Before"), _at(before)),
        (say("When"), "" if args.events or before else _ahead(args)),
    )


def _ahead(args: EventSelection) -> str:
    return say("for a year from then on") if args.since else say("from today on, for a year")


def _at(when: Any) -> str:
    if when is None:
        return ""
    return say_date(when) if is_day(when) else say_moment(when)


def _by(args: MoveSelection) -> str:
    """Return the shift in words, later or earlier."""
    parts = [
        say_many(abs(args.days), "1 day", "{count} days") if args.days else "",
        say_many(abs(args.minutes), "1 minute", "{count} minutes") if args.minutes else "",
    ]
    if (args.days < 0) == (args.minutes < 0) or not args.days or not args.minutes:
        text = " ".join(filter(None, parts))
        earlier = args.days < 0 or args.minutes < 0
        return "" if not text else say("{time} earlier", time=text) if earlier else say("{time} later", time=text)
    turned = [_direction(parts[0], args.days), _direction(parts[1], args.minutes)]
    return ", ".join(turned)


def _to_day(args: MoveSelection) -> str:
    """Return the day to which all events of one day move; empty if they are of several days, or move by minutes."""
    since, before = args.since, args.before
    if since is None or before is None or not args.days or args.minutes:
        return ""
    first = since.date() if isinstance(since, datetime) else since
    ends = before - timedelta(microseconds=1) if isinstance(before, datetime) else before - timedelta(days=1)
    last = ends.date() if isinstance(ends, datetime) else ends
    return say_day(first + timedelta(days=args.days)) if last <= first else ""


def _direction(said: str, amount: int) -> str:
    return say("{time} earlier", time=said) if amount < 0 else say("{time} later", time=said)


def _reminder(args: RemindSelection) -> str:
    minutes = args.remind_minutes
    if args.off:
        return say("none at all")
    if minutes is None:
        return say("the calendar's own")
    if minutes == 0:
        return say("when it begins")
    return say_many(minutes, "1 minute before", "{count} minutes before")
