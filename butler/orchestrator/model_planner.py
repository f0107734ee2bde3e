"""A planner with a language model behind it: the model fills a form, and the form is only data."""

import json
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from butler.contract.agents import PlanStep
from butler.contract.ports import Llm
from butler.contract.tools import ToolSpec
from butler.orchestrator.planning import Command, Planned, PlannerInput, PlannerOutput, Unclear
from butler.orchestrator.prompting import render

MOST_STEPS = 8
HISTORY = 12


class StepForm(BaseModel):
    """One step as a model writes it."""

    model_config = ConfigDict(extra="forbid")

    tool: str = Field(description="The name of a tool of the list")
    description: str = Field(description="What this step does, in a few words for the owner", max_length=200)
    args: dict[str, Any] = Field(default_factory=dict[str, Any], description="The tool's arguments by name")
    depends_on: list[int] = Field(default_factory=list[int], description="Numbers of earlier steps, from 1")


class PlanForm(BaseModel):
    """A plan, or a question, or a command; exactly one of them."""

    model_config = ConfigDict(extra="forbid")

    steps: list[StepForm] = Field(default_factory=list[StepForm], max_length=MOST_STEPS)
    question: str = Field(default="", max_length=1_000)
    command: Literal["help", "pending", "status"] | None = None


class ModelPlanner:
    """Meets `Planner`."""

    def __init__(self, llm: Llm) -> None:
        self._llm = llm

    async def plan(self, request: PlannerInput) -> PlannerOutput:
        form = await self._llm.fill(PlanForm, instructions=instructions(request), prompt=prompt(request))
        if form.command is not None:
            return Command(form.command)
        if form.question or not form.steps:
            return Unclear(form.question or "I do not know what to do with that. Please say it in other words.")
        return Planned(tuple(_step(number, step) for number, step in enumerate(form.steps, 1)))


def _step(number: int, step: StepForm) -> PlanStep:
    return PlanStep(
        step_id=number,
        description=step.description,
        tool_call=step.tool,
        args=step.args,
        # A step can only wait for what comes before it; anything else would wait for ever.
        depends_on=[n for n in step.depends_on if 0 < n < number],
    )


def instructions(request: PlannerInput) -> str:
    """What every request has in common."""
    tools = [{"name": t.tool_name, "description": t.description, "arguments": arguments(t)} for t in request.tools]
    return render("planner.md", {"butler_name": request.butler_name, "tools": tools})


def arguments(spec: ToolSpec) -> str:
    """A tool's schema of arguments, in one line."""
    return json.dumps(spec.args.model_json_schema(), ensure_ascii=False, separators=(",", ":"))


def prompt(request: PlannerInput) -> str:
    """One request: the owner's words, and trusted metadata of everything else."""
    people = [
        {
            "contact_id": c.contact_id,
            "aliases": c.aliases,
            "channels": sorted({a.split(":", 1)[0] for a in c.addresses}),
        }
        for c in request.contacts
    ]
    return render(
        "request.md",
        {
            "source_line": request.source_line,
            "now": request.now.astimezone(request.zone).strftime("%A %Y-%m-%d %H:%M"),
            "zone": request.zone.key,
            "contacts": people,
            "referents": request.referents,
            "replied_to": {r.handle for r in request.replied_to},
            "history": request.history[-HISTORY:],
            "words": request.words.value,
        },
    )
