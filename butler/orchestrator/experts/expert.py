"""A built expert: what it knows, and the few tools that it may use. A restriction, never a grant."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ToolPrompt:
    """An expert's prompt for one of its tools."""

    tool: str
    text: str


@dataclass(frozen=True, slots=True)
class Expert:
    """Made by `building.py` from a folder of `config/experts`. Texts still hold their placeholders."""

    name: str
    """One word, by which the owner addresses it."""
    title: str
    description: str
    topics: tuple[str, ...]
    """Words that show what a request is about, in each supported language."""
    body: str
    skills: tuple[str, ...]
    """Texts, in the order of the manifest."""
    tools: tuple[ToolPrompt, ...]
    blocked: tuple[str, ...] = ()
    """Names or patterns of tools that it must never have; none of its own tools matches."""

    def allows(self, tool: str) -> bool:
        """Return whether the expert may use a tool."""
        return any(one.tool == tool for one in self.tools)


@dataclass(frozen=True, slots=True)
class Experts:
    """All experts of an installation, by name, and the tools that the butler installs."""

    installed: frozenset[str]
    all: tuple[Expert, ...]

    def called(self, name: str) -> Expert | None:
        """Return the expert of this name."""
        return next((one for one in self.all if one.name == name), None)

    def able(self, tools: Iterable[str]) -> tuple[Expert, ...]:
        """Return the experts that may use each of these tools."""
        wanted = tuple(tools)
        return tuple(one for one in self.all if all(map(one.allows, wanted)))


NOBODY = Experts(frozenset(), ())
"""No experts, for an installation without any."""
