"""Tool names carry identity: `user_<channel>_<action>` or `bot_<channel>_<action>`, and nothing else (seed 4)."""

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Self

from butler.contract.errors import ToolNameError

TOOL_NAME = re.compile(
    r"^(?P<identity>user|bot)_(?P<channel>[a-z][a-z0-9]*)_(?P<action>[a-z][a-z0-9]*(?:_[a-z0-9]+)*)$"
)


class Identity(StrEnum):
    """As whom a tool acts: the owner, or the butler."""

    USER = "user"
    BOT = "bot"


class Direction(StrEnum):
    """Whether a tool reads (input) or has an effect (output)."""

    INPUT = "input"
    OUTPUT = "output"


class ApprovalDefault(StrEnum):
    """Whether a tool asks if no rule applies."""

    NONE = "none"
    CONDITIONAL = "conditional"
    ALWAYS = "always"


@dataclass(frozen=True, slots=True)
class ToolName:
    """A tool's name, taken apart."""

    identity: Identity
    channel: str
    action: str

    @classmethod
    def parse(cls, name: str) -> Self:
        """Parse a name; raises `ToolNameError` if it breaks the naming rule."""
        match = TOOL_NAME.match(name)
        if match is None:
            raise ToolNameError(name)
        return cls(Identity(match["identity"]), match["channel"], match["action"])

    def __str__(self) -> str:
        return f"{self.identity}_{self.channel}_{self.action}"
