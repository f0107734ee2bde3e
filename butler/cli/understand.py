"""`butler understand`: how the planner without a model reads a text, in a sample chat. Executes nothing."""

import json
from collections.abc import AsyncIterator, Iterable
from dataclasses import replace
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from pydantic import BaseModel, ValidationError

from approvals.usual_asks import usually_asks
from butler.cli.sample_chat import BUTLER_NAME, BUTLER_USERNAME, CONTACTS, OWNER_ID, listed_mails
from butler.cli.timezones import now_named
from butler.contract.errors import Bug, Refuse
from butler.contract.provenance import Labelled, Origin
from butler.contract.tools import ToolSpec
from butler.offline import offline_registry
from butler.orchestrator.experts.building import build_experts
from butler.orchestrator.experts.planner import ExpertPlanner, ExpertRequest
from butler.orchestrator.planning.account_planner import AccountPlanner
from butler.orchestrator.planning.factory import planner_without_model
from butler.orchestrator.planning.plan_types import (
    AboutCards,
    Answer,
    CardOrders,
    Command,
    Planned,
    PlannerInput,
    PlannerOutput,
    Unclear,
    owners,
)
from butler.orchestrator.planning.preferences import Preference
from butler.store.conversation import Referent
from config.approvals import ApprovalsSettings

ZONE = ZoneInfo("Europe/London")


class Line(BaseModel):
    """A line of `--jsonl`."""

    id: str | int
    text: str


class Reader:
    """The sample chat at one moment."""

    def __init__(self, now: str) -> None:
        self._now = now_named(now, ZONE)
        planner = AccountPlanner(planner_without_model())
        self._planner = ExpertPlanner(planner, build_experts(), by_topic=False)
        self._tools = sample_tools()
        self._referents = listed_mails(self._now)

    async def read(self, text: str) -> PlannerOutput:
        """Return the planner's answer to the owner's words."""
        return await self._planner.plan(self._request(text))

    def expert(self, text: str) -> str:
        """Return the name of the expert that the words address; empty for none."""
        asked = self._planner.asked(self._request(text))
        return asked.expert.name if isinstance(asked, ExpertRequest) else ""

    def _request(self, text: str) -> PlannerInput:
        return _said(text, self._now, self._tools, self._referents)


def sample_tools() -> tuple[ToolSpec, ...]:
    """Return all tools; the sample has one account of each kind, however many the example shows."""
    return tuple(replace(spec, accounts=spec.accounts[:1]) for spec in offline_registry()[0].specs())


def sample_request(text: str, now: str) -> PlannerInput:
    """Return a request of the sample chat, said at a moment."""
    at = now_named(now, ZONE)
    registry = offline_registry()[0]
    settings = ApprovalsSettings()
    asks = (one.tool_name for one in registry.specs() if usually_asks(one, registry.metadata(one.tool_name), settings))
    return replace(_said(text, at, sample_tools(), listed_mails(at)), asks=frozenset(asks))


def _said(text: str, at: datetime, tools: tuple[ToolSpec, ...], referents: tuple[Referent, ...]) -> PlannerInput:
    source, moment = f"telegram:{OWNER_ID}", at.isoformat(timespec="seconds")
    return PlannerInput(
        words=owners(Labelled(value=text, origins=frozenset({Origin.owner(source)}))),
        source_line=f"received by: bot; account: @{BUTLER_USERNAME}; channel: telegram; kind: chat; at: {moment}",
        tools=tools,
        contacts=CONTACTS,
        referents=referents,
        replied_to=(),
        history=(),
        now=at,
        zone=ZONE,
        butler_name=BUTLER_NAME,
    )


async def understood(text: str, *, now: str, as_json: bool) -> str:
    """Return the reading of one request, as JSON or for people."""
    reader = Reader(now)
    output = await reader.read(text)
    return json.dumps(as_data(output, reader.expert(text)), ensure_ascii=False) if as_json else as_text(output)


async def understood_lines(lines: Iterable[str], *, now: str) -> AsyncIterator[str]:
    """Yield the same for lines of `{"id", "text"}`; each answer has its line's id. Raise `Refuse` at a broken line."""
    reader = Reader(now)
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            asked = Line.model_validate_json(line)
        except ValidationError:
            raise Refuse(f'line {number} is no JSON object with "id" and "text"') from None
        found = as_data(await reader.read(asked.text), reader.expert(asked.text))
        yield json.dumps({"id": asked.id, **found}, ensure_ascii=False)


def as_data(output: PlannerOutput, expert: str = "") -> dict[str, Any]:
    """Return the reading for programs, with the name of the addressed expert, if any."""
    return _as_data(output) | ({"expert": expert} if expert else {})


def _as_data(output: PlannerOutput) -> dict[str, Any]:
    match output:
        case Unclear(question=question, choices=choices):
            return {"unclear": question, "choices": [{"label": c.label, "words": c.words} for c in choices]}
        case Answer(text=text):
            return {"plan": [], "answer": text}
        case Command():
            return {"plan": [], "command": output.value}
        case Preference():
            return {"plan": [], "preference": {"name": output.name.value, "value": output.value}}
        case AboutCards():
            values = dict(output.values)
            return {"plan": [], "cards": {"act": output.act.value, "named": list(output.named), "values": values}}
        case CardOrders():
            raise Bug("no card waits where words are only read")
        case Planned():
            return {"plan": [step.model_dump(mode="json") for step in output.steps]}


def as_text(output: PlannerOutput) -> str:
    """Return the reading for people."""
    match output:
        case Unclear(question=question, choices=choices):
            return "\n".join([question, *(f"  [{choice.label}]" for choice in choices)])
        case Answer(text=text):
            return text
        case Command():
            return f"The butler would answer /{output.value}."
        case Preference():
            return f"The butler would note the preference {output.name.value}: {output.value or 'none any more'}."
        case AboutCards():
            said = [*output.named, *(f"{slot}: {words}" for slot, words in output.values)]
            return f"The butler would {output.act.value} a waiting card{': ' + ', '.join(said) if said else ''}."
        case CardOrders():
            raise Bug("no card waits where words are only read")
        case Planned():
            lines: list[str] = []
            for step in output.steps:
                lines.append(f"{step.step_id}. {step.description} ({step.tool_call})")
                lines += [f"     {name}: {_shown(value)}" for name, value in step.args.items()]
                if step.not_before is not None:
                    lines.append(f"     not before: {step.not_before.astimezone(ZONE):%Y-%m-%d %H:%M} ({ZONE.key})")
            return "\n".join(lines)


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
