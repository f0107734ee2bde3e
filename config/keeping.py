"""`[retention]`: how long received items, messages and acts are kept; `[backup]`: the nightly backup."""

from datetime import timedelta
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, PlainSerializer

from config.agents import Kept, Section
from config.durations import parse_duration, show_duration

A_DAY = timedelta(days=1)
LEAST_EVENTS = timedelta(days=31)
"""An automation's dry run uses the last thirty days."""


def _parse(value: Any) -> Any:
    """Parse a duration; an empty text means forever."""
    return None if isinstance(value, str) and not value.strip() else parse_duration(value)


def _at_least_a_day(value: timedelta | None) -> timedelta | None:
    if value is not None and value < A_DAY:
        raise ValueError('keep it for a day at least, such as 180d, or write "" to keep it for ever')
    return value


def _at_least_a_month(value: timedelta | None) -> timedelta | None:
    if value is not None and value < LEAST_EVENTS:
        raise ValueError("keep it for 31d at least, so that an automation can be tried on the last 30 days")
    return value


Span = Annotated[
    timedelta | None,
    BeforeValidator(_parse),
    AfterValidator(_at_least_a_day),
    PlainSerializer(lambda value: "" if value is None else show_duration(value), when_used="json"),
]


class RetentionSettings(Section):
    """`[retention]`: a duration such as `180d`, or `""` for ever."""

    raw_mail: Span = timedelta(days=180)
    """Mails of the butler's own mailbox as they came; what was read of them stays as long as `inbox` says."""
    files: Span = timedelta(days=365)
    """Files that were sent to the butler or came with its mails, unless something else still names them."""
    inbox: Span = timedelta(days=365)
    """What came in to the butler. Of a mail a line without words stays, so that it is never taken for a new one."""
    conversations: Span = timedelta(days=365)
    """What was talked about in a chat that has been silent for so long, and the choices that were offered."""
    plans: Span = timedelta(days=365)
    """What was planned and found for requests."""
    outbox: Span = timedelta(days=365)
    """What the butler said to you."""
    firings: Span = timedelta(days=365)
    """When reminders, digests and automations fired, and answers that were waited for."""
    events: Annotated[Span, AfterValidator(_at_least_a_month)] = timedelta(days=180)
    """What happened, as automations see it; 31 days at least."""
    hooks: Span = timedelta(days=90)
    """What webhooks brought. One that is sent again after this is taken for a new one."""
    run_records: Span = timedelta(days=180)
    """Each tool that was refused before it reached its adapter: when, which operation, by which gate, and why."""
    polled: Span = timedelta(days=30)
    """Events, files and cards that are gone where they came from."""
    memory: dict[Kept, Span] = Field(default_factory=dict[Kept, Span])
    """What is remembered, by kind, such as `{ chats = "365d" }`; a kind that is not named is remembered for ever."""


class BackupSettings(Section):
    """`[backup]`."""

    folder: str = ""
    """Where a backup is written every night, relative to the configuration file; empty for none. The folder has to be
    there, so that a disk which is not mounted does not pass for a backup."""
    keep: int = Field(default=7, ge=1, le=1000)
    """How many of them are kept."""
