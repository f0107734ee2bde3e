"""The arguments of the tools that act on many of the owner's events: named ones, or all that meet the criteria."""

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field, model_validator

from butler.contract.bulk_tool import BulkArgs
from butler.contract.speech import say
from butler.contract.tools import ArgRole, ToolMetadata
from modules.calendar.args import EventId, Line, Remind, Words
from modules.calendar.times import OptionalWhen

MOST_NAMED = 500
FARTHEST_DAYS = 3_660
SAYING = {"events", "words", "since", "before", "calendar", "people", "organiser", "all_day"}
"""The arguments that select the events."""

Quietly = Annotated[bool, Field(description="Whether guests are not told by mail.", examples=[True])]


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

    events: tuple[EventId, ...] = Field(
        default=(),
        max_length=MOST_NAMED,
        description="Events that were shown or found, instead of criteria.",
        examples=[[{"handle": "event-3"}]],
    )
    words: Words = ""
    since: OptionalWhen = Field(
        default=None,
        description="Local time, or a date for its midnight; left out: today.",
        examples=["2026-03-06"],
    )
    before: OptionalWhen = Field(
        default=None,
        description="Local time or date, excluded; left out: a year after `since`.",
        examples=["2026-03-07"],
    )
    calendar: Line = Field(
        default="", description="Name of one calendar; left out: the owner's own.", examples=["Family"]
    )
    people: tuple[Line, ...] = Field(
        default=(), max_length=50, description="Names or addresses; it is with any of them.", examples=[["Anna"]]
    )
    organiser: Literal["", "me", "others"] = Field(
        default="", description="Who invites; left out: whoever.", examples=["me"]
    )
    all_day: bool | None = Field(
        default=None, description="Only of whole days (true) or only others (false).", examples=[True]
    )
    keep: tuple[Line, ...] = Field(
        default=(),
        max_length=50,
        description="Exceptions: words of a title, or somebody it is with.",
        examples=[["dentist"]],
    )
    series: bool = Field(default=False, description="Whether all of a series is meant, past ones too.", examples=[True])

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

    quietly: Quietly = False


class MoveSelection(EventSelection):
    """Events by their ids (`events`), or all that hold what is said of them; without a time, of a year from today.

    They are moved by `days` and `minutes` (back, where negative), or to the calendar `to_calendar`.

    Guests of the person's own events are told by mail, unless it is done `quietly`.
    """

    days: int = Field(
        default=0, ge=-FARTHEST_DAYS, le=FARTHEST_DAYS, description="Days later; negative: earlier.", examples=[7]
    )
    minutes: int = Field(
        default=0, ge=-100_000, le=100_000, description="Minutes later; negative: earlier.", examples=[-30]
    )
    to_calendar: Line = Field(
        default="", description="Name of the calendar they go to, at their times.", examples=["Family"]
    )
    quietly: Quietly = False

    @model_validator(mode="after")
    def _says_where(self) -> "MoveSelection":
        if bool(self.to_calendar) == bool(self.days or self.minutes):
            raise ValueError(say("say by how much they are moved, or to which calendar"))
        return self


class DeclineSelection(EventSelection):
    """Events by their ids (`events`), or all that hold what is said of them; without a time, of a year from today.

    Only what others invite to is declined; `comment` goes to who invites.
    """

    comment: Line = Field(default="", description="Goes to who invites.", examples=["I am away that week."])


class RemindSelection(EventSelection):
    """Events by their ids (`events`), or all that hold what is said of them; without a time, of a year from today.

    A reminder comes `remind_minutes` before each; null stands for the calendar's own reminders, and `off` for none.
    """

    remind_minutes: Remind | None = Field(
        default=None, description="Minutes before the start; left out: the calendar's own reminders.", examples=[30]
    )
    off: bool = Field(default=False, description="Whether there is no reminder at all.", examples=[True])

    @model_validator(mode="after")
    def _says_one_thing(self) -> "RemindSelection":
        if self.off and self.remind_minutes is not None:
            raise ValueError(say("say when a reminder comes, or that none does, but not both"))
        return self


class ColourSelection(EventSelection):
    """Events by their ids (`events`), or all that hold what is said of them; without a time, of a year from today.

    They get this colour.
    """

    colour: Colour = Field(description="`calendar` for the calendar's own.", examples=["tomato"])


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
