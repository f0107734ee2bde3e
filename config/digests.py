"""`[digests]`: when a message sums up the day, and what else is watched."""

from datetime import time, timedelta
from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, PlainSerializer

from config.agents import Section
from config.durations import Duration


def parse_clock(value: Any) -> Any:
    """Parse a time of day such as `07:30`; an empty text is none. Leave anything but text to pydantic."""
    if not isinstance(value, str):
        return value
    if not value.strip():
        return None
    try:
        at = time.fromisoformat(value.strip())
    except ValueError as error:
        raise ValueError("write a time of day such as 07:30, or leave it empty for none") from error
    if at.tzinfo is not None or at.second or at.microsecond:
        raise ValueError("write a time of day to the minute, such as 07:30")
    return at


def show_clock(value: time | None) -> str:
    """Return a time of day as text."""
    return f"{value:%H:%M}" if value else ""


Clock = Annotated[time | None, BeforeValidator(parse_clock), PlainSerializer(show_clock, when_used="json")]
Day = Literal["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
EVERY_DAY: tuple[Day, ...] = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


class Empty(StrEnum):
    """What a digest says when there is nothing to tell."""

    SILENCE = "silence"
    LINE = "line"


class Watched(StrEnum):
    """Where a question that the person sends by themselves, not through Butler, is waited for an answer to."""

    MAIL = "mail"
    CHAT = "chat"


class DigestsSettings(Section):
    """`[digests]`."""

    morning: Clock = None
    """When the morning's digest comes, such as `07:30`; empty for none. What you say in the chat, such as “send me a
    digest every morning at 7”, goes before it."""
    evening: Clock = None
    """The same for the evening's, which tells of tomorrow."""
    days: Annotated[tuple[Day, ...], Field(min_length=1)] = EVERY_DAY
    """The days on which there is one."""
    empty: Empty = Empty.LINE
    """What is said when there is nothing to tell: one `line`, or `silence`."""
    late: Duration = timedelta(hours=3)
    """A digest that was missed is still sent within this, and says that it is late; after it, it is left out."""
    prepare: Duration = timedelta(minutes=30)
    """How long before a meeting with guests you are told who comes and what is known of it; `0m` for not at all."""
    follow_up_after: Duration = timedelta(days=3)
    """A question that was sent and has no answer after this is told, with a follow-up offered; `0d` for not at all."""
    follow_seen: tuple[Watched, ...] = (Watched.MAIL,)
    """Where that also goes for what you send by yourself: `mail`, `chat`. What Butler sent for you is always meant."""
