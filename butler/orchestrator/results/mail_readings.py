"""The steps that read the mails which a search found, where their texts are wanted and the search has only their heads.

They are steps like any other: each call is judged, and what it reads is checked and labelled.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from butler.contract.agents import PlanStep
from butler.contract.found_items import key_of
from butler.contract.names import Direction, ToolName
from butler.contract.referents import ReferentKind
from butler.contract.tools import ToolSpec
from butler.orchestrator.planning.references import sources_in
from butler.orchestrator.planning.step_names import step_name

MOST_READ = 8
"""Mails of one search that are read, the newest."""
READER, ARGUMENT = "read_message", "message_id"


def readings(step: PlanStep, steps: Sequence[PlanStep], tools: Mapping[str, ToolSpec]) -> tuple[PlanStep, ...]:
    """Return the steps to add once a search has ended; none if nothing needs the texts, or a step reads them anyway.

    Args:
        step: The search, with its outcome.
        steps: All steps of its plan.
        tools: The registered tools, by name.
    """
    spec, outcome = tools.get(step.tool_call), step.outcome or {}
    if spec is None or not outcome.get("ok") or not _lists_mails(spec):
        return ()
    tool = f"{spec.identity.value}_{spec.channel}_{READER}"
    is_wanted = bool(step.ask) or any(takes_from(one, step.step_id) for one in steps if one.status == "pending")
    if tool not in tools or not is_wanted or any(map(_reads, steps, [step.step_id] * len(steps))):
        return ()
    last = max(one.step_id for one in steps)
    paths = list(_paths(outcome.get("data") or {}))[:MOST_READ]
    return tuple(
        PlanStep(
            step_id=last + number,
            description=step_name(tools[tool]),
            tool_call=tool,
            args={ARGUMENT: {"step": step.step_id, "fact": path}},
            depends_on=[step.step_id],
            ask=step.ask,
        )
        for number, path in enumerate(paths, 1)
    )


def read_for(step: PlanStep, steps: Sequence[PlanStep]) -> tuple[PlanStep, ...]:
    """Return the steps that have read what a search found, for the same question."""
    return tuple(
        one for one in steps if one.status == "completed" and one.ask == step.ask and _reads(one, step.step_id)
    )


def takes_from(step: PlanStep, source: int) -> bool:
    """Return whether a step takes something out of the texts that another one found."""
    on_text = step.when is not None and step.when.read is not None and step.when.step_id == source
    return on_text or source in set(sources_in(step.args))


def _lists_mails(spec: ToolSpec) -> bool:
    is_reader = ToolName.parse(spec.tool_name).action == READER
    return spec.direction is Direction.INPUT and spec.about.referent is ReferentKind.MAIL and not is_reader


def _reads(step: PlanStep, source: int) -> bool:
    """Return whether a step reads what another one found."""
    named = step.args.get(ARGUMENT)
    if not step.tool_call.endswith(f"_{READER}") or not isinstance(named, dict):
        return False
    return cast("dict[str, Any]", named).get("step") == source


def _paths(data: Mapping[str, Any]) -> Iterator[str]:
    """Yield the path of the id of each mail."""
    for name, value in data.items():
        records = cast("list[Any]", value) if isinstance(value, list) else []
        for index, record in enumerate(records):
            if isinstance(record, dict) and key_of(mail := cast("dict[str, Any]", record)) and mail.get(ARGUMENT):
                yield f"{name}.{index}.{ARGUMENT}"
