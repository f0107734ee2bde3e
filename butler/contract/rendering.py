"""How a module words the results of its own tools: the finished plan as input, and the text as output.

Without a module's folder, its words are gone too: the core has a generic list, and knows nothing about any module.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol
from zoneinfo import ZoneInfo

from pydantic import ValidationError

from butler.contract.agents import PlanStep
from butler.contract.attachment import Attachment
from butler.contract.card import Rich
from butler.contract.found_items import Item, items
from butler.contract.names import ToolName
from butler.contract.provenance import Origin
from butler.contract.tools import ToolSpec

LEFT_OUT = frozenset({"NOT_NEEDED", "SKIPPED"})
"""The codes of steps that were skipped."""


@dataclass(frozen=True, slots=True)
class Offer:
    """One button: a request in words, or steps; without either, it removes the buttons of its message."""

    label: str
    words: str = ""
    steps: tuple[PlanStep, ...] = ()
    labels: frozenset[Origin] | None = None
    """The origins of the steps' arguments, if they differ from those of the message; for words that came by mail, the
    origins of the words."""


@dataclass(frozen=True, slots=True)
class Rendered:
    """What the owner reads and can tap; for an answer to several steps, `steps` are the steps that it reports.

    An empty text means that there is nothing to report about them.
    """

    text: Rich
    memory: str = ""
    """The text for planners, without any words of others; empty for the handles of what was shown."""
    offers: tuple[Offer, ...] = ()
    pictures: tuple[Attachment, ...] = ()
    steps: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Person:
    """A confirmed contact; addresses as `telegram:...`, `mail:...`."""

    contact_id: str
    name: str
    addresses: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PlanContext:
    """What is known besides the steps of a plan when it is answered."""

    zone: ZoneInfo
    now: datetime
    tools: frozenset[str]
    """All registered tools, by name."""
    refused: Mapping[str, str]
    """The tools that are set up and were refused, by name, with the reason."""
    people: tuple[Person, ...] = ()


class Renderer(Protocol):
    """A module's wording of results."""

    def render(self, result: "StepResult", zone: ZoneInfo, /) -> Rendered | None:
        """See `Module.render`."""
        ...

    def render_together(self, results: Sequence["StepResult"], context: PlanContext, /) -> Rendered | None:
        """See `Module.render_together`."""
        ...


class Unrendered:
    """Leaves every step to the generic list."""

    def render(self, _result: "StepResult", _zone: ZoneInfo) -> Rendered | None:
        """Return no words of its own."""
        return None

    def render_together(self, _results: Sequence["StepResult"], _context: PlanContext) -> Rendered | None:
        """Return no words of its own."""
        return None


UNRENDERED: Renderer = Unrendered()


@dataclass(frozen=True, slots=True)
class StepResult:
    """A finished step, with the handles of what it found, in order."""

    step: PlanStep
    spec: ToolSpec
    handles: tuple[str, ...]
    people: Mapping[str, str] = field(default_factory=dict[str, str])
    """The owner's names for the senders of what it found, by address."""
    first: int = 1
    """The number of the first item that it found, in a message that shows several lists."""
    renderer: Renderer = UNRENDERED
    """The module of its tool."""
    why: str = ""
    """Why it failed, in the owner's language; empty if it succeeded, or if the reason is unknown."""

    @property
    def action(self) -> str:
        """The tool's name without identity and channel, such as `list_cards`."""
        return ToolName.parse(self.spec.tool_name).action

    @property
    def outcome(self) -> Mapping[str, Any]:
        """The outcome as it is stored; empty before the step has ended."""
        return self.step.outcome or {}

    @property
    def ok(self) -> bool:
        """Whether the step succeeded."""
        return bool(self.outcome.get("ok"))

    @property
    def left_out(self) -> bool:
        """Whether the step was skipped."""
        return self.outcome.get("code") in LEFT_OUT

    @property
    def data(self) -> Mapping[str, Any]:
        """The data of the tool's answer."""
        return self.outcome.get("data") or {}

    def items(self) -> list[Item]:
        """Return the items that it found."""
        return items(self.data)


def showed(result: StepResult, text: Rich, pictures: tuple[Attachment, ...] = ()) -> Rendered:
    """Return a text about results without handles."""
    return Rendered(text, f"Showed what was found ({result.spec.tool_name}).", pictures=pictures)


def picture_of(data: Mapping[str, Any]) -> tuple[Attachment, ...]:
    """Return the chart that a step drew of what it found, if any."""
    try:
        return (Attachment.model_validate(data.get("chart")),)
    except ValidationError:
        return ()
