"""What the tools of reminders take. Times are wall times of the owner's zone, without offset."""

from datetime import date, time
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, NaiveDatetime

from butler.contract.bulk_repeat import LAST_DAY, Weekday
from butler.contract.schedules import MOST_TIMES, Every, Keeps

LONGEST_TEXT = 1_000
MOST_MINUTES = 527_040
"""A year of them."""


class Times(BaseModel):
    """When: `at` alone is once; with `every` it is again and again, from `at` on."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    at: NaiveDatetime | None = None
    """The time; of what is done again and again, the first."""
    keeps: Keeps | None = None
    """What was meant, should the owner change zones: `wall` or `instant`; see `rules.kept()` where it is not said."""
    every: Every | None = None
    interval: Annotated[int, Field(ge=1, le=1_000)] = 1
    on: Annotated[tuple[Weekday, ...], Field(max_length=7)] = ()
    nth: Annotated[tuple[int, ...], Field(max_length=5)] = ()
    """Which of those weekdays of a month: 1 to 5, or -1 for the last."""
    day: Annotated[int, Field(ge=0, le=LAST_DAY)] = 0
    """Of a month; 31 is its last."""
    month: Annotated[int, Field(ge=0, le=12)] = 0
    clocks: Annotated[tuple[time, ...], Field(max_length=24)] = ()
    """The times of its days, where they are several or others than that of `at`."""
    within: Annotated[tuple[time, ...], Field(max_length=2)] = ()
    """Of minutes and hours: between which two times of the day."""
    until: date | None = None
    """The last day."""
    times: Annotated[int, Field(ge=0, le=MOST_TIMES)] = 0
    """How many in all; 0 leaves it open."""


class CreateArgs(Times):
    """What to say, and when."""

    text: str = Field(min_length=1, max_length=LONGEST_TEXT)
    answer_from: str = Field(default="", max_length=100)
    """The name of a contact: said as soon as they write, or at `at` at the latest."""
    assumed: bool = False
    """Whether nobody said the hour, or the latest time, so that it is told which was taken."""


class ListArgs(BaseModel):
    """How many of the next reminders, and which words they hold."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    limit: int = Field(default=20, ge=1, le=100)
    words: str = Field(default="", max_length=200)


class WhichArgs(BaseModel):
    """One reminder: by its id, or by words of its text and its time of day; one that fits is enough."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    reminder_id: str = Field(default="", max_length=64)
    words: str = Field(default="", max_length=200)
    clock: time | None = None


class SnoozeArgs(WhichArgs):
    """Put off by minutes, or until a wall time."""

    minutes: int = Field(default=0, ge=0, le=MOST_MINUTES)
    until: NaiveDatetime | None = None


class ChangeArgs(WhichArgs, Times):
    """Other words, or other times. `to_clock` alone leaves its days as they are."""

    text: str = Field(default="", max_length=LONGEST_TEXT)
    to_clock: time | None = None


class TravelArgs(BaseModel):
    """Where the owner is from now on, as an IANA zone; empty is back home."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    zone: str = Field(default="", max_length=64)
    until: date | None = None
    """The last day there."""
    moments: bool = False
    """Whether reminders stay at the moments that they had, instead of at their hours on the clock."""
