"""The form that a model fills in: a plan or a question. The form is only data."""

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from butler.contract.agents import ReadKind
from butler.orchestrator.planning.references import LONGEST_ASK

MOST_STEPS = 40
"""Per round. Distinct calls are no loop: eighteen birthdays are eighteen events."""
MOST_CARDS = 6


SPARED = ("title", "default", "maxLength")
"""What is not said of a field: its name again, that it may be left out, and limits that few answers come near."""


def spared(schema: dict[str, Any]) -> None:
    """Take out of a schema what is paid for as tokens with every request and tells a model nothing."""
    schema.pop("title", None)
    # What is unknown is refused all the same.
    schema.pop("additionalProperties", None)
    for field in schema.get("properties", {}).values():
        for name in SPARED:
            field.pop(name, None)


FORM = ConfigDict(extra="forbid", populate_by_name=True, json_schema_extra=spared)


class WhenForm(BaseModel):
    """A condition: a fact of an earlier step, or what a text says."""

    model_config = FORM

    source: int | str = Field(alias="from", description="Number of an earlier step, or a handle")
    fact: str = Field(default="", max_length=200, description="A fact of that step, such as count")
    read: ReadKind | None = Field(default=None, description="Read this out of its text instead of a fact")
    ask: str = Field(default="", max_length=LONGEST_ASK, description="For read: the question to its text")
    is_: Literal["equal", "not_equal", "more", "less", "empty", "not_empty"] = Field(
        default="equal", alias="is", description="more, less: of numbers and times"
    )
    value: str | int | float | bool | None = None


class StepForm(BaseModel):
    """One call of a tool."""

    model_config = FORM

    tool: str = Field(description="A tool's name", max_length=100)
    args: dict[str, Any] = Field(default_factory=dict[str, Any], description="Its arguments by name")
    ask: str = Field(
        default="", max_length=LONGEST_ASK, description="A question that is answered to the owner from what it finds"
    )
    depends_on: list[int] = Field(default_factory=list[int], description="Numbers of earlier steps, from 1")
    when: WhenForm | None = Field(default=None, description="Taken only if this holds")
    at: datetime | None = Field(
        default=None, description="Local time to do it at, only where the owner said to do it later"
    )


class CardForm(BaseModel):
    """What the owner wants of a card that waits."""

    model_config = FORM

    card: str = Field(description="Such as card-1", max_length=20)
    withdraw: bool = Field(default=False, description="Take it back")
    args: dict[str, Any] = Field(default_factory=dict[str, Any], description="New values of what changes in it")
    at: datetime | None = Field(default=None, description="Another time, for one that has a time")
    wording: str = Field(
        default="", max_length=LONGEST_ASK, description="How to change a text that you are not told, e.g. shorter"
    )


class PlanForm(BaseModel):
    """A plan, or one question to the owner."""

    model_config = FORM

    steps: list[StepForm] = Field(default_factory=list[StepForm], max_length=MOST_STEPS)
    more: bool = Field(default=False, description="Plan on once it is known what these steps found")
    question: str = Field(default="", max_length=1_000, description="Instead of steps, where something is unclear")
    stranger: str = Field(
        default="", max_length=100, description="With a question: a name that is not among the people"
    )
    find_tools: str = Field(
        default="", max_length=200, description="Instead of steps: what a tool should do that is missing from the list"
    )
    beyond: bool = Field(default=False, description="Only for an expert: needs a tool that is not among yours")


class PlanFormWithCards(PlanForm):
    """A plan where cards wait, which the owner may want changed."""

    cards: list[CardForm] = Field(default_factory=list[CardForm], max_length=MOST_CARDS)


def cards_of(form: PlanForm) -> list[CardForm]:
    """Return what a form says of waiting cards."""
    return form.cards if isinstance(form, PlanFormWithCards) else []
