"""The arguments of the butler's own tools, and the requests that they stand for."""

from datetime import time
from typing import Annotated, Self

from pydantic import AfterValidator, Field, model_validator

from butler.contract.own_commands import OwnCommand, PreferenceChange, PreferenceName, QuietChange, preference_fault
from butler.contract.records import ClosedRecord

COMMANDS = {
    "show_help": OwnCommand.HELP,
    "show_pending": OwnCommand.PENDING,
    "show_status": OwnCommand.STATUS,
    "show_rules": OwnCommand.RULES,
    "show_contacts": OwnCommand.CONTACTS,
    "show_preferences": OwnCommand.PREFERENCES,
    "show_bulk": OwnCommand.BULK,
    "show_waiting": OwnCommand.WAITING,
    "show_done": OwnCommand.DONE,
    "show_experts": OwnCommand.EXPERTS,
    "send_digest": OwnCommand.DIGEST,
    "explain": OwnCommand.WHY,
    "undo": OwnCommand.UNDO,
    "pause": OwnCommand.PAUSE,
    "resume": OwnCommand.RESUME,
}
"""The command behind each tool without arguments."""


class NoArgs(ClosedRecord):
    """Nothing to say."""


class PreferenceArgs(ClosedRecord):
    """Which preference, and its value; an empty one takes it back."""

    name: PreferenceName = Field(
        description="What is preferred: the owner's name, language, persona, length or sources.", examples=["language"]
    )
    value: str = Field(
        default="",
        max_length=40,
        description="en|de|fr|es, Technical|Executive|General, brief|full, quoted|named, or the name; empty: forget.",
        examples=["de", "brief", "Max"],
    )

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if why := preference_fault(self.name, self.value):
            raise ValueError(why)
        return self

    def change(self) -> PreferenceChange:
        """Return what is to be changed."""
        return PreferenceChange(self.name, self.value)


def _to_the_minute(at: time) -> time:
    """Return a time as quiet hours are kept."""
    return at.replace(second=0, microsecond=0, tzinfo=None)


Clock = Annotated[time, AfterValidator(_to_the_minute)]


class QuietArgs(ClosedRecord):
    """When the quiet hours begin and end, that there are none, or, without either, that the settings hold again."""

    start: Clock | None = Field(
        default=None, description="When they begin, by the owner's clock; given with `end`.", examples=["22:00"]
    )
    end: Clock | None = Field(default=None, description="When they end; may be on the next day.", examples=["07:00"])
    off: bool = Field(default=False, description="True for no quiet hours at all.", examples=[True])

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if (self.start is None) != (self.end is None):
            raise ValueError("give both start and end")
        if self.start is not None and self.start == self.end:
            raise ValueError("start and end are two different times")
        if self.off and self.start is not None:
            raise ValueError("give times, or off")
        return self

    def change(self) -> QuietChange:
        """Return what is to be changed."""
        return QuietChange(self.start, self.end, by_settings=self.start is None and not self.off)
