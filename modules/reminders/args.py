"""The arguments of the reminders' tools. Times are wall times of the owner's zone, without offset."""

from datetime import date, time
from typing import Annotated

from pydantic import Field, NaiveDatetime

from butler.contract.asked_times import Times
from butler.contract.records import ClosedRecord

LONGEST_TEXT = 1_000
MOST_MINUTES = 527_040
"""A year."""


class CreateArgs(Times):
    """What to say, and when."""

    text: str = Field(min_length=1, max_length=LONGEST_TEXT)
    answer_from: str = Field(default="", max_length=100)
    """The name of a contact: said as soon as they write, or at `at` at the latest."""
    assumed: bool = False
    """Whether nobody said the hour, so that it is told which was taken."""
    latest_assumed: bool = False
    """Whether nobody said a latest time, so that it is told which was taken."""


class ListArgs(ClosedRecord):
    """How many of the next reminders, and which words they hold; or the one of this id, over or not."""

    limit: int = Field(default=20, ge=1, le=100)
    words: str = Field(default="", max_length=200)
    reminder_id: str = Field(default="", max_length=64)


OfRecord = Annotated[str, Field(max_length=LONGEST_TEXT, json_schema_extra={"readOnly": True})]
"""A value that only the butler fills in, from the reminder itself."""


class WhichArgs(ClosedRecord):
    """One reminder: by its id, or by words of its text and its time of day; one that fits is enough."""

    reminder_id: str = Field(default="", max_length=64)
    words: str = Field(default="", max_length=200)
    clock: time | None = None
    about: OfRecord = ""
    """What the reminder says, as a card shows it. Where it says something else by now, nothing is done."""
    due: OfRecord = ""
    """Its next time, as a card shows it."""


class SnoozeArgs(WhichArgs):
    """Put off by minutes, or until a wall time."""

    minutes: int = Field(default=0, ge=0, le=MOST_MINUTES)
    until: NaiveDatetime | None = None
    later: bool = False
    """Of an `until` that the clocks show twice as summer time ends, the second."""


class ChangeArgs(WhichArgs, Times):
    """Other words, or other times. `to_clock` alone leaves its days as they are."""

    text: str = Field(default="", max_length=LONGEST_TEXT)
    to_clock: time | None = None


class TravelArgs(ClosedRecord):
    """Where the owner is from now on, as an IANA zone; empty is back home."""

    zone: str = Field(default="", max_length=64)
    until: date | None = None
    """The last day there."""
    moments: bool = False
    """Whether reminders stay at the moments that they had, instead of at their hours on the clock."""
    moved_from: str = Field(default="", max_length=64)
    """With `moments`, the zone from which they were moved along already."""
