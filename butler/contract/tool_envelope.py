"""Seed 5's envelope, as a port: what the tools say about themselves."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol


class Op(StrEnum):
    """What can be asked of a tool beside doing what it does."""

    HELP = "help"
    STATUS = "status"
    LIST_METHODS = "list_methods"
    LIST_PROVIDERS = "list_providers"


@dataclass(frozen=True, slots=True)
class ToolDescription:
    """An answer in the owner's language, without secrets; parts of it may be a provider's words."""

    text: str
    tools: tuple[str, ...]
    """What it tells of, by name."""


class ToolEnvelope(Protocol):
    """Answers questions about one tool, the tools of a channel, or all tools."""

    async def told(self, op: Op, about: str) -> ToolDescription:
        """Return the answer. Raises `Refuse` where there is nothing of this name."""
        ...
