"""`[health]`: which troubles are reported to the owner."""

from datetime import timedelta

from pydantic import Field

from config.agents import Section
from config.durations import Duration


class HealthSettings(Section):
    """`[health]`."""

    deaf_after: Duration = Field(default=timedelta(minutes=10), ge=timedelta(minutes=1))
    """How long nothing is heard of a channel until you are told by another one: by mail of Telegram, which needs
    the butler's mailbox and `[owner] emails`, and by Telegram of any other."""
    disk_free_mb: int = Field(default=500, ge=0)
    """You are told when less than this is free where Butler keeps its data; 0 never tells."""
    memory_mb: int = Field(default=1500, ge=0)
    """You are told when the process holds more than this; 0 never tells."""
