"""An expert as it was built: what it knows, and the few tools that it may use. A restriction, never a grant."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ToolPrompt:
    """What an expert is told of one of its tools."""

    tool: str
    text: str


@dataclass(frozen=True, slots=True)
class Expert:
    """Made by `building.py` out of a folder of `config/experts`. Texts still hold their placeholders."""

    name: str
    """One word, by which the owner asks for it."""
    title: str
    description: str
    topics: tuple[str, ...]
    """Words that a request is about; in each language that is understood."""
    body: str
    skills: tuple[str, ...]
    """Texts, in the order of the manifest."""
    tools: tuple[ToolPrompt, ...]
    blocked: tuple[str, ...] = ()
    """Names or patterns of tools that it is never to have; nothing that it may use is among them."""

    def allows(self, tool: str) -> bool:
        """Whether the expert may use a tool."""
        return any(one.tool == tool for one in self.tools)


@dataclass(frozen=True, slots=True)
class Experts:
    """All experts of an installation, by name, and the tools that the butler installs at all."""

    installed: frozenset[str]
    all: tuple[Expert, ...]

    def called(self, name: str) -> Expert | None:
        """The expert of this name."""
        return next((one for one in self.all if one.name == name), None)

    def able(self, tools: Iterable[str]) -> tuple[Expert, ...]:
        """Those that may use each of these tools."""
        wanted = tuple(tools)
        return tuple(one for one in self.all if all(map(one.allows, wanted)))


NOBODY = Experts(frozenset(), ())
"""No experts, where none are to be had."""
