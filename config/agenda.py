"""`[agenda]`: what to report about the events of the owner's calendars."""

from datetime import time

from pydantic import Field

from config.agents import Section


class AgendaSettings(Section):
    """`[agenda]`: when it is told that an event of your calendars begins."""

    starting_minutes: int = Field(default=15, ge=0, le=1_440)
    """Minutes before it begins."""
    all_day_at: time = time(8)
    """The hour of the day, in your time zone, for what takes whole days, such as `08:00`."""
