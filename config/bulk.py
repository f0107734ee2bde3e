"""`[bulk]`: how many items one order may affect, and how many a day, regardless of approvals."""

from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import Annotated, Self

from pydantic import Field, model_validator

from config.agents import Section
from config.approvals import ToolPattern

Most = Annotated[int, Field(ge=1)]


class BulkLimit(Section):
    """`[[bulk.limit]]`: a ceiling of things; the first line that matches a tool holds for it."""

    tool: ToolPattern
    """The tools that it is about, such as `user_email_trash`; those of one pattern count together."""
    per_run: Most | None = None
    """Things of one order, which is one card and one yes. More are refused, and the answer says how many there are."""
    per_day: Most | None = None
    """Things a day, in your time zone, through all your accounts together. What Undo puts back does not count."""

    @model_validator(mode="after")
    def _limits_something(self) -> Self:
        if self.per_run is None and self.per_day is None:
            raise ValueError("a ceiling needs per_run or per_day")
        return self


DEFAULTS = (
    BulkLimit(tool="user_email_trash", per_run=20_000, per_day=50_000),
    BulkLimit(tool="user_email_spam", per_run=20_000, per_day=50_000),
    BulkLimit(tool="user_calendar_delete_event", per_run=500, per_day=1_000),
    BulkLimit(tool="user_calendar_decline_event", per_run=500, per_day=1_000),
    BulkLimit(tool="user_calendar_move_event", per_run=500, per_day=1_000),
    BulkLimit(tool="user_trello_archive_card", per_run=2_000, per_day=5_000),
)
"""The ceilings of tools without a line of the owner's: for the acts that are hardest to undo."""


class BulkSettings(Section):
    """`[bulk]`."""

    limit: tuple[BulkLimit, ...] = ()
    """Ceilings of your own. Where none of them is about a tool, 20,000 mails go into the trash or to spam at once and
    50,000 a day, 500 events are deleted, declined or moved and 1,000 a day, 2,000 cards archived and 5,000 a day; what
    is easily put back has no ceiling."""

    def limit_for(self, tool: str) -> BulkLimit | None:
        """Return the ceiling of a tool; None if it has none."""
        return next((line for line in (*self.limit, *DEFAULTS) if fnmatchcase(tool, line.tool)), None)

    def tool_patterns(self) -> Iterator[tuple[str, str]]:
        """Yield each pattern of tools with the line of the file that contains it."""
        for line in self.limit:
            yield f'[[bulk.limit]] tool = "{line.tool}"', line.tool
