"""A planner with a language model behind it: the model fills a form, and the form is only data."""

import json
from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import cache
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.json_schema import GenerateJsonSchema

from butler.agents.redacting import Redact, as_it_is, restored
from butler.agents.tailor.addresses import addresses, places
from butler.contract.conversation import LastShown, Referent
from butler.contract.errors import Refuse
from butler.contract.ports import Llm
from butler.contract.speech import phrase, say
from butler.contract.tools import ToolSpec
from butler.orchestrator.embedded.stopping import spoken
from butler.orchestrator.experts.expert import Expert
from butler.orchestrator.experts.placeholders import filled
from butler.orchestrator.planning.model_steps import StepForm, steps_from
from butler.orchestrator.planning.plan_types import Beyond, Command, Planned, PlannerInput, PlannerOutput, Unclear
from butler.orchestrator.planning.planner_view import Fact, FactName
from butler.orchestrator.planning.preferences import VALUES, Preference, PreferenceName
from butler.orchestrator.prompting import render
from butler.provenance import MODEL_PLAN, Labels

MOST_STEPS = 40
"""Of one round. Distinct calls are no loop: eighteen birthdays are eighteen events."""
HISTORY = 12
COMMON = (
    "role", "planning", "identities", "arguments", "reading", "conditions", "placeholders", "rounds", "preferences",
    "commands",
)  # fmt: skip
"""What every planner is told, in this order: files of `prompts/common`."""
BEYOND = "beyond"
"""What an expert is told besides."""
MODEL = frozenset({MODEL_PLAN})
NOT_UNDERSTOOD = phrase("I do not know what to do with that. Please say it in other words.")
TWICE = phrase("I made a plan that does the same thing twice, so I did none of it. Please say it in other words.")
NOT_ITS_TOOL = phrase("@{name} has no tool for that.")
NOTHING_DONE = phrase("(I have done nothing yet.)")
"""Stands under each question of a model, whose words may claim anything."""
NOTHING_MORE_DONE = phrase("(I have done nothing beyond what I told you.)")
"""The same where a round before has done something, which its records told."""


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
    """Meets `Planner`."""

    def __init__(self, llm: Llm, redact: Redact | None = None) -> None:
        """`redact` takes out of what the owner says and said what the model must not see."""
        self._llm, self._redact = llm, redact or as_it_is

    async def plan(self, request: PlannerInput) -> PlannerOutput:
        if not request.facts and (command := spoken(request.words.value, request.butler_name)) is not None:
            return command
        said, placeholders = self._redact(spoken_texts(request))
        filled = await self._llm.fill(PlanForm, instructions=instructions(request), prompt=prompt(request, said))
        return _output(restored(filled, placeholders), request)


def _output(form: PlanForm, request: PlannerInput) -> PlannerOutput:
    """What a filled form comes to."""
    if form.command is not None:
        return Command(form.command)
    if form.preference is not None:
        try:
            return Preference(form.preference.name, form.preference.value)
        except Refuse:
            return Unclear(say(NOT_UNDERSTOOD))
    if form.question.strip():
        if not addresses(form.question) <= places("\n".join(spoken_texts(request))):
            # A link of the model's own could carry away what it knows, and look as if the butler vouched for it.
            return Unclear(say(NOT_UNDERSTOOD))
        # A name is only looked up where the owner said it, whatever a model makes of it.
        said = form.stranger.strip() if form.stranger.casefold() in request.words.value.casefold() else ""
        done = NOTHING_MORE_DONE if request.facts else NOTHING_DONE
        return Unclear(f"{form.question.strip()}\n\n{say(done)}", stranger=said)
    return _plan(form, request)


def _plan(form: PlanForm, request: PlannerInput) -> PlannerOutput:
    expert = request.expert
    if form.beyond and expert is not None:
        return Beyond(say(NOT_ITS_TOOL, name=expert.name))
    if not form.steps:
        # After a round before, no steps mean that the request is done.
        return Planned((), MODEL) if request.facts else Unclear(say(NOT_UNDERSTOOD))
    if expert is not None and not all(expert.allows(step.tool) for step in form.steps):
        # Whatever a model was told, and whatever it makes of that: an expert has its own tools and no others.
        return Unclear(say(NOT_ITS_TOOL, name=expert.name))
    calls = [(step.tool, json.dumps(step.args, sort_keys=True)) for step in form.steps]
    if len(set(calls)) < len(calls):
        return Unclear(say(TWICE))
    tools = {tool.tool_name: tool for tool in offered(request)}
    shown = {referent.handle: referent for referent in request.referents}
    return Planned(steps_from(form.steps, tools, shown, request.zone), MODEL | said_before(request), more=form.more)


def said_before(request: PlannerInput) -> Labels:
    """The labels of what was said before that others had a hand in: what it says may steer what is planned now."""
    return frozenset(origin for message in request.history[-HISTORY:] for origin in message.origins)


def instructions(request: PlannerInput) -> str:
    """What every request has in common; where an expert plans, what this one knows and may use.

    An expert's own texts come first, its body before its skills, then what is said of each of its tools, and last what
    every planner is told.
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
    """Its own texts, and of each tool that is set up here what its prompt says."""
    values = {"butler_name": request.butler_name, "zone": request.zone.key}
    yield from (filled(text, values) for text in (expert.body, *expert.skills))
    known = {spec.tool_name: spec for spec in request.tools}
    for prompt in expert.tools:
        if (spec := known.get(prompt.tool)) is not None:
            # What a tool says of itself may name what there is here, such as the signals of this installation.
            told = (f"## {spec.tool_name}", spec.told, filled(prompt.text, values))
            yield "\n".join((*told, f"Arguments: {arguments(spec)}"))


def offered(request: PlannerInput) -> tuple[ToolSpec, ...]:
    """The tools that a plan may use: those of the request's expert, or all."""
    expert = request.expert
    return request.tools if expert is None else tuple(t for t in request.tools if expert.allows(t.tool_name))


class Untitled(GenerateJsonSchema):
    """A schema without a title for each field, which says nothing that the field's name does not."""

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002 - the base's signature
        return False


def arguments(spec: ToolSpec) -> str:
    """A tool's schema of arguments, in one line; without secrets, and without what only Butler fills in."""
    return _in_one_line(spec.args)


@cache
def _in_one_line(args: type[BaseModel]) -> str:
    """Made once: all tools together take a tenth of a second, which each request would wait for."""
    schema = args.model_json_schema(schema_generator=Untitled)
    schema["properties"] = {name: one for name, one in schema.get("properties", {}).items() if not _is_hidden(one)}
    kinds = _used(schema["properties"], schema.pop("$defs", {}))
    return json.dumps(({"$defs": kinds} if kinds else {}) | schema, ensure_ascii=False, separators=(",", ":"))


def _is_hidden(field: dict[str, Any]) -> bool:
    """Whether it is a secret, or for nobody but Butler to say."""
    return field.get("writeOnly") is True or field.get("readOnly") is True


def _used(schema: Any, kinds: dict[str, Any]) -> dict[str, Any]:
    """Those of the kinds that a schema refers to, or that one of these does."""
    found: dict[str, Any] = {}
    text = json.dumps(schema)
    for name, kind in kinds.items():
        if f'"#/$defs/{name}"' in text:
            found |= {name: kind} | _used(kind, {other: one for other, one in kinds.items() if other != name})
    return found


def spoken_texts(request: PlannerInput) -> list[str]:
    """What was said: now, in the own message that this replies to, and before, the oldest first."""
    return [request.words.value, request.own_reply, *(message.content for message in request.history[-HISTORY:])]


def prompt(request: PlannerInput, said: Sequence[str] | None = None) -> str:
    """One request: the owner's words, and trusted metadata of everything else.

    `said` stands for `spoken_texts()`, as the model may see them.
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
    """What was shown last, and how many of it: "the first one" means one of these and nothing older."""
    if shown is None:
        return ""
    count = "" if shown.count is None else f", {shown.count} of them"
    return f"{shown.kind.value}{count}"


def _known(facts: Sequence[Fact]) -> Iterator[str]:
    """What earlier rounds came to, a line for each step: codes, numbers, handles and times, nothing else."""
    lines: dict[int, list[str]] = {}
    for fact in facts:
        line = lines.setdefault(fact.step, [f"step {fact.step}, {fact.tool}:"])
        value = fact.value.isoformat() if isinstance(fact.value, datetime) else str(fact.value)
        line.append(f"{fact.name.value} {value}" + ("" if fact.name is FactName.ITEM else ";"))
    return (" ".join(line).rstrip(";") for line in lines.values())


def _line(referent: Referent, request: PlannerInput) -> str:
    """A handle with what is known of it for sure."""
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
