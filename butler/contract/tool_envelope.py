"""Seed 5's envelope as a port: the tools' descriptions of themselves."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol


class Op(StrEnum):
    """The questions that a tool answers about itself."""

    HELP = "help"
    STATUS = "status"
    LIST_METHODS = "list_methods"
    LIST_PROVIDERS = "list_providers"


@dataclass(frozen=True, slots=True)
class ToolDescription:
    """An answer in the owner's language, without secrets; parts of it may be a provider's words."""

    text: str
    tools: tuple[str, ...]
    """The names of the tools that it describes."""


class ToolEnvelope(Protocol):
    """Answers questions about one tool, the tools of a channel, or all tools."""

    async def told(self, op: Op, about: str) -> ToolDescription:
        """Return the answer. Raises `Refuse` if nothing has this name."""
        ...
