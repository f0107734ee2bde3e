"""The arguments of the reminders' tools. Times are wall times of the owner's zone, without offset."""

from datetime import date, time
from typing import Annotated

from pydantic import Field, NaiveDatetime

from butler.contract.asked_times import Times
from butler.contract.records import ClosedRecord

LONGEST_TEXT = 1_000
MOST_MINUTES = 527_040
"""A year."""


Words = Annotated[
    str, Field(max_length=200, description="Words that all have to stand in its text.", examples=["call mum"])
]


class CreateArgs(Times):
    """What to say, and when."""

    text: str = Field(
        min_length=1, max_length=LONGEST_TEXT, description="What to say, in the owner's words.", examples=["Call mum"]
    )
    answer_from: str = Field(
        default="",
        max_length=100,
        description="Name of a contact: said as soon as they write, or else at `at`.",
        examples=["Anna"],
    )
    assumed: bool = Field(
        default=False, description="Whether nobody said the hour, so that the owner is told it.", examples=[True]
    )
    latest_assumed: bool = Field(
        default=False,
        description="Whether nobody said a latest time, so that the owner is told it.",
        examples=[True],
    )


class ListArgs(ClosedRecord):
    """How many of the next reminders, and which words they hold; or the one of this id, over or not."""

    limit: int = Field(default=20, ge=1, le=100, description="How many at most.", examples=[10])
    words: Words = ""
    reminder_id: str = Field(
        default="",
        max_length=64,
        description="One reminder that was shown or found, over or not.",
        examples=[{"handle": "reminder-3"}],
    )


OfRecord = Annotated[str, Field(max_length=LONGEST_TEXT, json_schema_extra={"readOnly": True})]
"""A value that only the butler fills in, from the reminder itself."""


class WhichArgs(ClosedRecord):
    """One reminder: by its id, or by words of its text and its time of day; one that fits is enough."""

    reminder_id: str = Field(
        default="",
        max_length=64,
        description="A reminder that was shown or found.",
        examples=[{"handle": "reminder-3"}],
    )
    words: Words = ""
    clock: time | None = Field(default=None, description="Its time of day.", examples=["12:30"])
    about: OfRecord = ""
    """What the reminder says, as a card shows it. Where it says something else by now, nothing is done."""
    due: OfRecord = ""
    """Its next time, as a card shows it."""


class SnoozeArgs(WhichArgs):
    """Put off by minutes, or until a wall time."""

    minutes: int = Field(
        default=0, ge=0, le=MOST_MINUTES, description="Minutes from now; without `until`, 0: an hour.", examples=[20]
    )
    until: NaiveDatetime | None = Field(
        default=None, description="Local time, instead of `minutes`.", examples=["2026-03-02T18:00:00"]
    )
    later: bool = Field(default=False, json_schema_extra={"readOnly": True})
    """Of an `until` that the clocks show twice as summer time ends, the second."""


class ChangeArgs(WhichArgs, Times):
    """Other words, or other times. `to_clock` alone leaves its days as they are."""

    text: str = Field(
        default="", max_length=LONGEST_TEXT, description="New text, in the owner's words.", examples=["Call dad"]
    )
    to_clock: time | None = Field(default=None, description="New time of day; its days stay.", examples=["08:00"])


class TravelArgs(ClosedRecord):
    """Where the owner is from now on, as an IANA zone; empty is back home."""

    zone: str = Field(
        default="", max_length=64, description="IANA zone; empty: back home.", examples=["America/New_York"]
    )
    until: date | None = Field(
        default=None, description="Last day there, included; left out: for good.", examples=["2026-03-20"]
    )
    moments: bool = Field(
        default=False,
        description="Whether reminders stay at their moments, instead of their hours on the clock.",
        examples=[True],
    )
    moved_from: str = Field(default="", max_length=64, json_schema_extra={"readOnly": True})
    """With `moments`, the zone from which they were moved along already."""


FACTS = {
    "list": ("reminders.0.reminder_id", "reminders.0.text", "reminders.0.local_time"),
    "create": ("reminder.reminder_id", "reminder.local_time"),
    "change": ("reminder.reminder_id", "reminder.local_time"),
    "snooze": ("reminder.reminder_id", "reminder.local_time"),
    "skip": ("reminder.reminder_id", "reminder.local_time"),
    "travel": ("travel.zone", "travel.before"),
}
"""What later steps can use of the result of an action."""
