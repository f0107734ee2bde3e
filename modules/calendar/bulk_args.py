"""The arguments of the tools that act on many of the owner's events: named ones, or all that meet the criteria."""

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field, model_validator

from butler.contract.bulk_tool import BulkArgs
from butler.contract.speech import say
from butler.contract.tools import ArgRole, ToolMetadata
from modules.calendar.args import EventId, Line, Remind
from modules.calendar.times import OptionalWhen

MOST_NAMED = 500
FARTHEST_DAYS = 3_660
SAYING = {"events", "words", "since", "before", "calendar", "people", "organiser", "all_day"}
"""The arguments that select the events."""


class Colour(StrEnum):
    """The colours of an event, by the names that Google's calendar shows."""

    LAVENDER = "lavender"
    SAGE = "sage"
    GRAPE = "grape"
    FLAMINGO = "flamingo"
    BANANA = "banana"
    TANGERINE = "tangerine"
    PEACOCK = "peacock"
    GRAPHITE = "graphite"
    BLUEBERRY = "blueberry"
    BASIL = "basil"
    TOMATO = "tomato"
    CALENDAR = "calendar"
    """The calendar's own."""


class EventSelection(BulkArgs):
    """Events by their ids (`events`), or all that hold what is said of them.

    They have all `words`, begin or are still going on after `since` and begin before `before` (without a time: from
    today, for a year), lie in `calendar` (by name; without it, in the person's own calendars), are with one of `people`
    (who invites or is invited, by name or address), are organised by `me` or by `others`, are of whole days or not.
    None of `keep` is among them: words of its title, or somebody it is with.
    With `series`, of what recurs all of it is meant. What is longer than a day and goes on outside the time that is
    said is left out.
    """

    events: Annotated[tuple[EventId, ...], Field(max_length=MOST_NAMED)] = ()
    words: Line = ""
    since: OptionalWhen = None
    before: OptionalWhen = None
    calendar: Line = ""
    people: Annotated[tuple[Line, ...], Field(max_length=50)] = ()
    organiser: Literal["", "me", "others"] = ""
    all_day: bool | None = None
    keep: Annotated[tuple[Line, ...], Field(max_length=50)] = ()
    series: bool = False

    @model_validator(mode="after")
    def _says_which(self) -> "EventSelection":
        said = self.model_dump(include=SAYING, exclude_defaults=True).keys()
        if not said:
            raise ValueError(say("say which events: when, with which words, with whom, or which one"))
        if self.events and (said != {"events"} or self.keep):
            raise ValueError(say("events are named, or found by what is said of them, but not both at once"))
        searched = (*self.people, *self.keep, *filter(None, (self.words,)))
        if not all(any(map(str.isalnum, text)) for text in searched):
            raise ValueError(say("a name or a word to look for needs a letter or a digit"))
        if self.since is not None and self.before is not None and not str(self.since) < str(self.before):
            raise ValueError(say("the time that is looked at would end before it begins"))
        return self


class DeleteSelection(EventSelection):
    """Events by their ids (`events`), or all that hold what is said of them; without a time, of a year from today.

    Guests of the person's own events are told by mail, unless it is done `quietly`.
    """

    quietly: bool = False


class MoveSelection(EventSelection):
    """Events by their ids (`events`), or all that hold what is said of them; without a time, of a year from today.

    They are moved by `days` and `minutes` (back, where negative), or to the calendar `to_calendar`.

    Guests of the person's own events are told by mail, unless it is done `quietly`.
    """

    days: Annotated[int, Field(ge=-FARTHEST_DAYS, le=FARTHEST_DAYS)] = 0
    minutes: Annotated[int, Field(ge=-100_000, le=100_000)] = 0
    to_calendar: Line = ""
    quietly: bool = False

    @model_validator(mode="after")
    def _says_where(self) -> "MoveSelection":
        if bool(self.to_calendar) == bool(self.days or self.minutes):
            raise ValueError(say("say by how much they are moved, or to which calendar"))
        return self


class DeclineSelection(EventSelection):
    """Events by their ids (`events`), or all that hold what is said of them; without a time, of a year from today.

    Only what others invite to is declined; `comment` goes to who invites.
    """

    comment: Line = ""


class RemindSelection(EventSelection):
    """Events by their ids (`events`), or all that hold what is said of them; without a time, of a year from today.

    A reminder comes `remind_minutes` before each; null stands for the calendar's own reminders, and `off` for none.
    """

    remind_minutes: Remind | None = None
    off: bool = False

    @model_validator(mode="after")
    def _says_one_thing(self) -> "RemindSelection":
        if self.off and self.remind_minutes is not None:
            raise ValueError(say("say when a reminder comes, or that none does, but not both"))
        return self


class ColourSelection(EventSelection):
    """Events by their ids (`events`), or all that hold what is said of them; without a time, of a year from today.

    They get this colour.
    """

    colour: Colour


_TARGET = ArgRole.TARGET
_CONTENT = ArgRole.CONTENT
_OPTION = ArgRole.OPTION
_TARGETS = ("events", "words", "calendar", "people")


def roles_of(model: type[EventSelection]) -> ToolMetadata:
    """Return the role of each argument."""
    return ToolMetadata(
        {
            name: _TARGET if name in _TARGETS else _CONTENT if name == "comment" else _OPTION
            for name in model.model_fields
        }
    )
