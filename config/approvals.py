"""`[approvals]`: how long a card waits, what may pass without one, and what may never be done."""

import re
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from enum import StrEnum
from fnmatch import fnmatchcase
from typing import Annotated, Any, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PlainSerializer, model_validator

from config.durations import Duration


@dataclass(frozen=True, slots=True)
class QuietHours:
    """A stretch of every day, in the owner's wall time, in which nobody is reminded of anything."""

    start: time
    end: time

    def until(self, local: datetime) -> datetime | None:
        """When the quiet that `local` falls into is over; None outside of it."""
        clock = local.time()
        overnight = self.start > self.end
        quiet = (clock >= self.start or clock < self.end) if overnight else self.start <= clock < self.end
        if not quiet:
            return None
        end = datetime.combine(local.date(), self.end, local.tzinfo)
        return end if clock < self.end else end + timedelta(days=1)


def parse_quiet_hours(value: Any) -> Any:
    """Quiet hours from text such as `22:00-07:00`; an empty text means none."""
    if not isinstance(value, str):
        return value
    if not value.strip():
        return None
    match = re.fullmatch(r"\s*(\d\d:\d\d)\s*-\s*(\d\d:\d\d)\s*", value)
    problem = "write quiet hours as two times of day, such as 22:00-07:00"
    if match is None:
        raise ValueError(problem)
    try:
        start, end = time.fromisoformat(match[1]), time.fromisoformat(match[2])
    except ValueError as error:
        raise ValueError(problem) from error
    if start == end:
        raise ValueError("quiet hours need two different times; leave them empty to have none")
    return QuietHours(start, end)


def show_quiet_hours(value: QuietHours | None) -> str:
    """The way they are written."""
    return f"{value.start:%H:%M}-{value.end:%H:%M}" if value else ""


Quiet = Annotated[
    QuietHours | None, BeforeValidator(parse_quiet_hours), PlainSerializer(show_quiet_hours, when_used="json")
]


class BotOutputs(StrEnum):
    """What the butler may do in its own name towards others."""

    TOOL = "tool"
    """What each tool says of itself; strangers and text of untrusted origin ask all the same."""
    ASK = "ask"


class Approval(StrEnum):
    """What a line of the policy says of a tool, in the words of a tool's own `approval_default`."""

    NONE = "none"
    CONDITIONAL = "conditional"
    ALWAYS = "always"


class DenyRule(BaseModel):
    """`[[approvals.deny]]`: never done, whatever else would allow it. `*` stands for any run of characters."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    tool: str = "*"
    """Such as `user_email_*`."""
    recipient: str = "*"
    """Such as `mail:*@work.example`; one recipient that matches is enough."""
    reason: str = ""
    """What the butler says when the rule holds."""

    @model_validator(mode="after")
    def _narrower_than_all(self) -> Self:
        if self.tool == self.recipient == "*":
            raise ValueError("a deny rule needs a tool or a recipient")
        return self

    def covers(self, tool: str, recipients: tuple[str, ...]) -> bool:
        """Whether a call of `tool` that reaches `recipients` falls under this rule."""
        if not fnmatchcase(tool, self.tool):
            return False
        pattern = self.recipient.casefold()
        return pattern == "*" or any(fnmatchcase(recipient.casefold(), pattern) for recipient in recipients)


class PolicyLine(BaseModel):
    """`[[approvals.policy]]`: what some tools do instead of what they say of themselves; the first line that matches.

    Nothing here lets an act in your name pass: only a standing rule that you saved by a card does.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    tool: str
    """Such as `bot_email_*`, or `user_email_read_message` to be asked about a read; `*` stands for any characters."""
    approval: Approval
    """`always` asks each time; `conditional` and `none` let the butler's own outputs to people you know pass."""

    @model_validator(mode="after")
    def _only_the_butlers_own_may_pass(self) -> Self:
        if self.approval is not Approval.ALWAYS and not self.tool.startswith("bot_"):
            raise ValueError(
                "only tools whose name begins with bot_ may be let through; what acts as you can only be made to ask"
            )
        return self


class Limit(BaseModel):
    """`[[approvals.limit]]`: a hard limit, whatever else would allow more. What goes beyond it is not done."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    tool: str = "*"
    """The tools that count together, such as `user_email_*`."""
    per_day: Annotated[int, Field(ge=1)] | None = None
    """Acts a day, in your time zone."""
    per_recipient: Annotated[int, Field(ge=1)] | None = None
    """Acts a day that reach the same address."""
    recipients: Annotated[int, Field(ge=1)] | None = None
    """Recipients of one act."""

    @model_validator(mode="after")
    def _limits_something(self) -> Self:
        if self.per_day is None and self.per_recipient is None and self.recipients is None:
            raise ValueError("a limit needs per_day, per_recipient or recipients")
        return self


class ApprovalsSettings(BaseModel):
    """`[approvals]`."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    expires: Duration = timedelta(hours=48)
    """How long a card waits for an answer. Half of it passes before the one reminder."""
    undo_window: Duration = timedelta(seconds=10)
    """Between a yes and the act."""
    undo_windows: dict[str, Duration] = {}
    """The same for some tools, by their name or a pattern such as `user_email_*`; the first that matches holds."""
    stale_after: Duration = timedelta(hours=1)
    """How much later than meant an approved act may still be done, after a long downtime."""
    quiet_hours: Quiet = QuietHours(time(22), time(7))
    """Hours of every day, in your time zone, without a reminder of waiting cards; empty for none."""
    bot_outputs: BotOutputs = BotOutputs.TOOL
    """What the butler may do in its own name towards others: `tool` as each tool says (strangers and text of untrusted
    origin ask all the same), `ask` always asks."""
    deny: tuple[DenyRule, ...] = ()
    policy: tuple[PolicyLine, ...] = ()
    limit: tuple[Limit, ...] = ()
    mail_after: Duration = timedelta(minutes=15)
    """How long Telegram has to be out of reach until a waiting card is sent to you by mail, too; `0s` for never."""

    def undo_for(self, tool: str) -> timedelta:
        """The undo window of a tool."""
        found = (window for pattern, window in self.undo_windows.items() if fnmatchcase(tool, pattern))
        return next(found, self.undo_window)

    def approval_for(self, tool: str) -> Approval | None:
        """What the first line of the policy that matches a tool says of it."""
        return next((line.approval for line in self.policy if fnmatchcase(tool, line.tool)), None)

    @model_validator(mode="after")
    def _somebody_can_answer(self) -> Self:
        if self.expires <= timedelta():
            raise ValueError("approvals have to wait for some time; set expires to something like 48h")
        return self
