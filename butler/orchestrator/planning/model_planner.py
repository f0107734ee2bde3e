"""A planner with a language model behind it: the model fills a form, and the form is only data."""

import json
from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import cache
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.json_schema import GenerateJsonSchema

from butler.agents.llm import Llm
from butler.agents.redacting import Redact, as_it_is, restored
from butler.agents.tailor.addresses import addresses, places
from butler.contract.errors import Refuse
from butler.contract.speech import phrase, say
from butler.contract.tools import ToolSpec
from butler.orchestrator.experts.expert import Expert
from butler.orchestrator.experts.placeholders import filled
from butler.orchestrator.planning.model_steps import StepForm, steps_from
from butler.orchestrator.planning.plan_types import (
    Command,
    OutsideExpertise,
    Planned,
    PlannerInput,
    PlannerOutput,
    Unclear,
)
from butler.orchestrator.planning.planner_view import Fact, FactName
from butler.orchestrator.planning.preferences import VALUES, Preference, PreferenceName
from butler.orchestrator.planning.spoken import spoken
from butler.orchestrator.prompting import render
from butler.provenance import MODEL_PLAN, Labels
from butler.store.conversation import LastShown, Referent

MOST_STEPS = 40
"""Per round. Distinct calls are no loop: eighteen birthdays are eighteen events."""
HISTORY = 12
COMMON = (
    "role", "planning", "identities", "arguments", "reading", "conditions", "placeholders", "rounds", "preferences",
    "commands",
)  # fmt: skip
"""The files of `prompts/common` that every planner is given, in this order."""
BEYOND = "beyond"
"""The additional file for an expert."""
MODEL = frozenset({MODEL_PLAN})
NOT_UNDERSTOOD = phrase("I do not know what to do with that. Please say it in other words.")
TWICE = phrase("I made a plan that does the same thing twice, so I did none of it. Please say it in other words.")
NOT_ITS_TOOL = phrase("@{name} has no tool for that.")
NOTHING_DONE = phrase("(I have done nothing yet.)")
"""Added below each question of a model, whose words may claim anything."""
NOTHING_MORE_DONE = phrase("(I have done nothing beyond what I told you.)")
"""Added instead if an earlier round did something, which its records reported."""


class PreferenceForm(BaseModel):
    """How the owner wants to be answered; an empty value takes it back."""

    model_config = ConfigDict(extra="forbid")

    name: PreferenceName
    value: str = Field(default="", max_length=100)


class PlanForm(BaseModel):
    """A plan, or a question, or a command, or a preference; exactly one of them."""

    model_config = ConfigDict(extra="forbid")

    steps: list[StepForm] = Field(default_factory=list[StepForm], max_length=MOST_STEPS)
    more: bool = Field(default=False, description="True to plan on once it is known what these steps came to")
    question: str = Field(default="", max_length=1_000)
    stranger: str = Field(default="", max_length=100)
    command: Literal["help", "pending", "status", "bulk"] | None = None
    preference: PreferenceForm | None = None
    beyond: bool = Field(default=False, description="True where the request needs a tool that is not among yours")


class ModelPlanner:
    """Implements `Planner`."""

    def __init__(self, llm: Llm, redact: Redact | None = None) -> None:
        """`redact` removes from the owner's words and history what the model must not see."""
        self._llm, self._redact = llm, redact or as_it_is

    async def plan(self, request: PlannerInput) -> PlannerOutput:
        if not request.facts and (command := spoken(request.words.value, request.butler_name)) is not None:
            return command
        lines, placeholders = self._redact(spoken_texts(request))
        filled = await self._llm.fill(PlanForm, instructions=instructions(request), prompt=prompt(request, lines))
        return _output(restored(filled, placeholders), request)


def _output(form: PlanForm, request: PlannerInput) -> PlannerOutput:
    """Turn a filled form into the planner's output."""
    if form.command is not None:
        return Command(form.command)
    if form.preference is not None:
        try:
            return Preference(form.preference.name, form.preference.value)
        except Refuse:
            return Unclear(say(NOT_UNDERSTOOD))
    if form.question.strip():
        if not addresses(form.question) <= places("\n".join(spoken_texts(request))):
            # A link written by the model could carry away what it knows, and look as if the butler vouched for it.
            return Unclear(say(NOT_UNDERSTOOD))
        # A name is looked up only if the owner said it, regardless of what a model returns.
        text = form.stranger.strip() if form.stranger.casefold() in request.words.value.casefold() else ""
        done = NOTHING_MORE_DONE if request.facts else NOTHING_DONE
        return Unclear(f"{form.question.strip()}\n\n{say(done)}", stranger=text)
    return _plan(form, request)


def _plan(form: PlanForm, request: PlannerInput) -> PlannerOutput:
    expert = request.expert
    if form.beyond and expert is not None:
        return OutsideExpertise(say(NOT_ITS_TOOL, name=expert.name))
    if not form.steps:
        # After an earlier round, no steps mean that the request is done.
        return Planned((), MODEL) if request.facts else Unclear(say(NOT_UNDERSTOOD))
    if expert is not None and not all(expert.allows(step.tool) for step in form.steps):
        # Regardless of the model's prompt and answer, an expert has its own tools and no others.
        return Unclear(say(NOT_ITS_TOOL, name=expert.name))
    calls = [(step.tool, json.dumps(step.args, sort_keys=True)) for step in form.steps]
    if len(set(calls)) < len(calls):
        return Unclear(say(TWICE))
    tools = {tool.tool_name: tool for tool in offered(request)}
    shown = {referent.handle: referent for referent in request.referents}
    return Planned(steps_from(form.steps, tools, shown, request.zone), MODEL | earlier_labels(request), more=form.more)


def earlier_labels(request: PlannerInput) -> Labels:
    """Return the labels of earlier messages that others had a hand in; these may steer what is planned now."""
    return frozenset(origin for message in request.history[-HISTORY:] for origin in message.origins)


def instructions(request: PlannerInput) -> str:
    """Return the part of the prompt that all requests share; for an expert, what it knows and may use.

    An expert's own texts come first (its body, then its skills), then the texts of its tools, and last what every
    planner is given.
    """
    if request.expert is None:
        return "\n\n".join((*_common(request, COMMON), _tools(request)))
    return "\n\n".join((*_of_expert(request.expert, request), *_common(request, (*COMMON, BEYOND)))) + "\n"


def _common(request: PlannerInput, names: Sequence[str]) -> Iterator[str]:
    preferences = [f"{name.value}: {', '.join(values)}" for name, values in VALUES.items()]
    values = {"butler_name": request.butler_name, "preferences": preferences}
    return (render(f"common/{name}.md", values).rstrip() for name in names)


def _tools(request: PlannerInput) -> str:
    tools = [{"name": t.tool_name, "description": t.told, "arguments": arguments(t)} for t in request.tools]
    return render("tools.md", {"tools": tools})


def _of_expert(expert: Expert, request: PlannerInput) -> Iterator[str]:
    """Yield the expert's own texts, and its prompt for each of its tools that is set up here."""
    values = {"butler_name": request.butler_name, "zone": request.zone.key}
    yield from (filled(text, values) for text in (expert.body, *expert.skills))
    known = {spec.tool_name: spec for spec in request.tools}
    for prompt in expert.tools:
        if (spec := known.get(prompt.tool)) is not None:
            # A tool's description may name what exists here, such as the signals of this installation.
            lines = (f"## {spec.tool_name}", spec.told, filled(prompt.text, values))
            yield "\n".join((*lines, f"Arguments: {arguments(spec)}"))


def offered(request: PlannerInput) -> tuple[ToolSpec, ...]:
    """Return the tools that a plan may use: those of the request's expert, or all."""
    expert = request.expert
    return request.tools if expert is None else tuple(t for t in request.tools if expert.allows(t.tool_name))


class Untitled(GenerateJsonSchema):
    """A schema without field titles, which only repeat the fields' names."""

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002 - the base's signature
        return False


def arguments(spec: ToolSpec) -> str:
    """Return a tool's argument schema in one line, without secrets and without what only Butler fills in."""
    return _in_one_line(spec.args)


@cache
def _in_one_line(args: type[BaseModel]) -> str:
    """Return the schema in one line; cached, as all tools together take a tenth of a second."""
    schema = args.model_json_schema(schema_generator=Untitled)
    schema["properties"] = {name: one for name, one in schema.get("properties", {}).items() if not _is_hidden(one)}
    kinds = _used(schema["properties"], schema.pop("$defs", {}))
    return json.dumps(({"$defs": kinds} if kinds else {}) | schema, ensure_ascii=False, separators=(",", ":"))


def _is_hidden(field: dict[str, Any]) -> bool:
    """Return whether the field is a secret, or only Butler may fill it in."""
    return field.get("writeOnly") is True or field.get("readOnly") is True


def _used(schema: Any, kinds: dict[str, Any]) -> dict[str, Any]:
    """Return the kinds that a schema refers to, directly or through another kind."""
    found: dict[str, Any] = {}
    text = json.dumps(schema)
    for name, kind in kinds.items():
        if f'"#/$defs/{name}"' in text:
            found |= {name: kind} | _used(kind, {other: one for other, one in kinds.items() if other != name})
    return found


def spoken_texts(request: PlannerInput) -> list[str]:
    """Return what was said: now, in the owner's message that this replies to, and before, the oldest first."""
    return [request.words.value, request.own_reply, *(message.content for message in request.history[-HISTORY:])]


def prompt(request: PlannerInput, said: Sequence[str] | None = None) -> str:
    """Render one request: the owner's words, and trusted metadata of everything else.

    `said` replaces `spoken_texts()` with the texts as the model may see them.
    """
    words, own_reply, *history = said or spoken_texts(request)
    earlier = request.history[-HISTORY:]
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
            "referents": [_line(referent, request) for referent in request.referents],
            "history": [{"role": m.role, "content": said} for m, said in zip(earlier, history, strict=True)],
            "language": request.language,
            "last_shown": _last(request.last_shown),
            "own_reply": own_reply,
            "others_reply": request.others_reply,
            "facts": list(_known(request.facts)),
            "words": words,
        },
    )


def _last(shown: LastShown | None) -> str:
    """Return the kind and count of what was shown last: "the first one" means one of these and nothing older."""
    if shown is None:
        return ""
    count = "" if shown.count is None else f", {shown.count} of them"
    return f"{shown.kind.value}{count}"


def _known(facts: Sequence[Fact]) -> Iterator[str]:
    """Return the results of earlier rounds, a line per step: codes, numbers, handles and times, nothing else."""
    lines: dict[int, list[str]] = {}
    for fact in facts:
        line = lines.setdefault(fact.step, [f"step {fact.step}, {fact.tool}:"])
        value = fact.value.isoformat() if isinstance(fact.value, datetime) else str(fact.value)
        line.append(f"{fact.name.value} {value}" + ("" if fact.name is FactName.ITEM else ";"))
    return (" ".join(line).rstrip(";") for line in lines.values())


def _line(referent: Referent, request: PlannerInput) -> str:
    """Return a handle with its trusted metadata."""
    parts = [f"{referent.handle}: {referent.kind}"]
    if referent.ordinal:
        parts.append(f"number {referent.ordinal} in the list")
    if referent.contact_id:
        parts.append(f"from {referent.contact_id}")
    if referent.at:
        parts.append(referent.at.isoformat())
    if referent in request.replied_to:
        parts.append("the owner replied to this")
    return ", ".join(parts)
