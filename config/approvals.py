"""`[approvals]`: how long a card waits, what may pass without one, and what is never allowed."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from enum import StrEnum
from fnmatch import fnmatchcase
from typing import Annotated, Any, Self

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, PlainSerializer, model_validator

from config.durations import Duration


@dataclass(frozen=True, slots=True)
class QuietHours:
    """A daily period, in the owner's wall time, in which only what they request themselves is shown."""

    start: time
    end: time

    def until(self, local: datetime) -> datetime | None:
        """Return when the quiet hours around `local` end; None outside of them."""
        clock = local.time()
        overnight = self.start > self.end
        quiet = (clock >= self.start or clock < self.end) if overnight else self.start <= clock < self.end
        if not quiet:
            return None
        end = datetime.combine(local.date(), self.end, local.tzinfo)
        return end if clock < self.end else end + timedelta(days=1)


def parse_quiet_hours(value: Any) -> Any:
    """Parse quiet hours from text such as `22:00-07:00`; an empty text means none."""
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
    """Return quiet hours as text."""
    return f"{value.start:%H:%M}-{value.end:%H:%M}" if value else ""


Quiet = Annotated[
    QuietHours | None, BeforeValidator(parse_quiet_hours), PlainSerializer(show_quiet_hours, when_used="json")
]


def check_tool_pattern(value: str) -> str:
    """Check that it is a tool's name, or a pattern that some tool's name can match."""
    start = value.partition("*")[0]
    begins = value != start and any(identity.startswith(start) for identity in ("user_", "bot_"))
    if not re.fullmatch(r"[a-z0-9_*]+", value) or not (begins or start.startswith(("user_", "bot_"))):
        raise ValueError("write a tool as it is called, with * for any characters, such as user_email_* or bot_*")
    return value


_CAN_MATCH = {
    "telegram": (re.compile(r"@\w+|-?\d+(:\d+)?"), "write telegram: with @name or a number, such as telegram:@bob"),
    "mail": (re.compile(r"[^@]+@.+"), "write mail: with a whole address, such as mail:bob@work.example"),
}
"""The form of each channel's addresses without *, and what to write instead of an invalid one."""


def check_recipient_pattern(value: str) -> str:
    """Check that it is an address with its channel, or a pattern that such an address can match."""
    channel, _, rest = value.partition(":")
    if value.startswith("*"):
        return value
    if not rest or channel.lower() not in _CAN_MATCH:
        raise ValueError(
            "write a recipient as a card shows it, with * for any characters, such as telegram:@bob or "
            "mail:*@work.example"
        )
    address, todo = _CAN_MATCH[channel.lower()]
    if "*" not in rest and not address.fullmatch(rest):
        raise ValueError(f"{todo}, or with * for any characters")
    return value


ToolPattern = Annotated[str, AfterValidator(check_tool_pattern)]
RecipientPattern = Annotated[str, AfterValidator(check_recipient_pattern)]


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

    tool: ToolPattern = "*"
    """Such as `user_email_*`."""
    recipient: RecipientPattern = "*"
    """Such as `mail:*@work.example`; one recipient that matches is enough. An address without `*` stands for the
    person: for each address that you confirmed as theirs."""
    reason: str = ""
    """What the butler says when the rule holds."""

    @model_validator(mode="after")
    def _narrower_than_all(self) -> Self:
        if self.tool == self.recipient == "*":
            raise ValueError("a deny rule needs a tool or a recipient")
        return self

    @property
    def names_one(self) -> bool:
        """Whether it names one address, and so a person."""
        return "*" not in self.recipient

    def covers(self, tool: str, recipients: tuple[str, ...]) -> bool:
        """Return whether a call of `tool` that reaches `recipients` falls under this rule."""
        if not fnmatchcase(tool, self.tool):
            return False
        # Only the asterisk is special: an address may hold brackets and question marks.
        pattern = self.recipient.casefold().replace("[", "[[]").replace("?", "[?]")
        return pattern == "*" or any(fnmatchcase(recipient.casefold(), pattern) for recipient in recipients)


class PolicyLine(BaseModel):
    """`[[approvals.policy]]`: what some tools do instead of what they say of themselves; the first that matches."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    tool: ToolPattern
    """Such as `bot_email_*`, or `user_email_read_message` to be asked about a read; `*` stands for any characters."""
    approval: Approval
    """`always` asks each time; `conditional` and `none` let the butler's own outputs to people you know pass. Nothing
    here lets an act in your name pass: only a standing rule that you saved by a card does."""

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

    tool: ToolPattern = "*"
    """The tools that count together, such as `user_email_*`."""
    per_day: Annotated[int, Field(ge=1)] | None = None
    """Acts a day, in your time zone, through all your accounts together. Reads, and what only you see, do not count."""
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
    undo_windows: dict[ToolPattern, Duration] = {}
    """The same for some tools, by their name or a pattern such as `user_email_*`; the first that matches holds."""
    stale_after: Duration = timedelta(hours=1)
    """How much later than meant an approved act may still be done, after a long downtime."""
    correct_for: Duration = timedelta(minutes=15)
    """How long the card of what was done offers to delete or to correct it, where its tool can; `0s` for never."""
    quiet_hours: Quiet = QuietHours(time(22), time(7))
    """Hours of every day, in your time zone, without reminders, and without cards that you are not waiting for: those
    come when the hours are over, and their time counts from then. Empty for none. What you say in the chat, such as
    “be quiet from 23:00 to 6:00”, goes before it."""
    bot_outputs: BotOutputs = BotOutputs.TOOL
    """What the butler may do in its own name towards others: `tool` as each tool says (strangers and text of untrusted
    origin ask all the same), `ask` always asks."""
    deny: tuple[DenyRule, ...] = ()
    """What is never done."""
    policy: tuple[PolicyLine, ...] = ()
    """What asks."""
    limit: tuple[Limit, ...] = ()
    """How much may be done."""
    mail_after: Duration = timedelta(minutes=15)
    """How long Telegram has to be out of reach until a waiting card is sent to you by mail, too; `0s` for never."""

    def tool_patterns(self) -> Iterator[tuple[str, str]]:
        """Yield each pattern of tools with the line of the file that contains it."""
        for title, lines in (("deny", self.deny), ("policy", self.policy), ("limit", self.limit)):
            for line in lines:
                yield f'[[approvals.{title}]] tool = "{line.tool}"', line.tool
        for pattern in self.undo_windows:
            yield f'[approvals.undo_windows] "{pattern}"', pattern

    def undo_for(self, tool: str) -> timedelta:
        """Return the undo window of a tool."""
        found = (window for pattern, window in self.undo_windows.items() if fnmatchcase(tool, pattern))
        return next(found, self.undo_window)

    def approval_for(self, tool: str) -> Approval | None:
        """Return the approval in the first line of the policy that matches a tool."""
        return next((line.approval for line in self.policy if fnmatchcase(tool, line.tool)), None)

    @model_validator(mode="after")
    def _somebody_can_answer(self) -> Self:
        if self.expires <= timedelta():
            raise ValueError("approvals have to wait for some time; set expires to something like 48h")
        if self.stale_after <= timedelta():
            raise ValueError("what is approved needs some time to be done; set stale_after to something like 1h")
        return self
