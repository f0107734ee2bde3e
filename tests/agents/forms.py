"""A form as the planner's is: a list of steps whose arguments are any, and nothing unknown beside them."""

from typing import Any

from pydantic import BaseModel, ConfigDict, Field


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Step(_Strict):
    """One step of a plan."""

    tool: str
    args: dict[str, Any] = Field(default_factory=dict[str, Any], description="What the tool is called with.")
    depends_on: list[int] = Field(default_factory=list[int])


class Plan(_Strict):
    """What is to be done."""

    steps: list[Step] = Field(default_factory=list[Step], description="In their order.")
    question: str = ""


STEP = {"tool": "bot_notes_remember", "args": {"text": "milk"}, "depends_on": []}
PLAN = {"steps": [STEP], "question": ""}
