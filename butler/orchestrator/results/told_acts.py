"""What later planners are told of an act: its tool, how it ended, and the arguments in which nobody else had a hand.

The arguments are kept with the step's outcome when the call is made, since only then their labels are known.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any, cast

from butler.contract.agents import PlanStep
from butler.contract.provenance import Trust
from butler.contract.rendering import StepResult
from butler.contract.tools import ZONE
from butler.orchestrator.planning.references import steps_of
from butler.orchestrator.results.nothing_found import hangs_on_nothing
from butler.orchestrator.results.safe_reasons import safe_reason
from butler.provenance import Labels, known_to_planners
from butler.store.queries.contacts import Contact
from butler.tool_invoker import ACCOUNT

TOLD, UNTOLD = "told", "untold"
"""The keys of an outcome for the arguments that planners may know, and for the names of the others."""
LONGEST_TEXT, LONGEST = 1_000, 2_000
"""Characters of one text and of all arguments that a planner is told."""
_ENDS = {
    "denied": "Denied by the owner, so not done",
    "expired": "Nobody answered its card in time, so not done",
    "superseded": "Withdrawn, so not done",
    "cancelled": "Taken back by the owner, so not done",
}
_LEFT_OUT = {
    "NOT_NEEDED": "Left out, as its condition did not hold",
    "SKIPPED": "Left out, as an earlier step did not work",
}


def told_arguments(
    step: PlanStep, args: Mapping[str, Any], labels: Mapping[str, Labels], people: Iterable[Contact]
) -> dict[str, Any]:
    """Return the part of an act's outcome that says what it was called with.

    Args:
        step: The step as it was planned, whose references stand for ids that others chose.
        args: The arguments that the call was made with.
        labels: The labels of each.
        people: The confirmed contacts.
    """
    names = {address: one.name for one in people for address in one.addresses}
    told: dict[str, Any] = {}
    untold: list[str] = []
    for name in dict.fromkeys((*step.args, *args)):
        value = args.get(name)
        if name in {ACCOUNT, ZONE} or value in (None, "", [], {}, ()):
            continue
        of_this = labels.get(name, frozenset())
        planned = step.args.get(name)
        if planned is None and not any(origin.trust is Trust.OWNER for origin in of_this):
            # The tool's own default, or what its provider filled in.
            continue
        if (handles := _handles(planned)) is not None:
            told[name] = handles
        elif not known_to_planners(of_this):
            untold.append(name)
        elif not any(steps_of(planned)) or any(origin.trust is Trust.OWNER for origin in of_this):
            told[name] = _named(value, names)
    return {TOLD: told} | ({UNTOLD: untold} if untold else {})


def told_of(one: StepResult) -> str:
    """Return what a planner is told of a step that has ended; a read that worked tells of its items itself."""
    outcome = one.outcome
    if one.ok:
        made = f" -> {', '.join(one.handles)}" if one.handles else ""
        return f"Done: {call_of(one)}{made}."
    state, code = str(outcome.get("approval", "")), str(outcome.get("code", ""))
    if hangs_on_nothing(outcome):
        return f"Nothing was found for it, so not done: {call_of(one)}."
    how = _ENDS.get(state) or _LEFT_OUT.get(code) or "Did not work"
    why = safe_reason(one.step, one.spec, outcome) if state not in _ENDS else None
    return f"{how}: {call_of(one)}." + (f" Why: {why}." if why else "")


def call_of(one: StepResult) -> str:
    """Return a step's tool with the arguments that planners may know."""
    told: Mapping[str, Any] = one.outcome.get(TOLD) or {}
    untold = cast("list[str]", one.outcome.get(UNTOLD) or [])
    line = json.dumps(told, ensure_ascii=False) if told else ""
    parts = [one.spec.tool_name, line if len(line) <= LONGEST else "(too long to be told)"]
    parts += [f"(others had a hand in {', '.join(untold)})"] if untold else []
    return " ".join(filter(None, parts))


def _handles(planned: Any) -> Any:
    """Return the handles that an argument was planned with; None if it names none."""
    match planned:
        case {"handle": str(handle)}:
            return handle
        case [_, *_]:
            several = [_handles(one) for one in cast("list[Any]", planned)]
            return several if all(several) else None
        case _:
            return None


def _named(value: Any, names: Mapping[str, str]) -> Any:
    """Return a value with contacts by their confirmed names, and long texts shortened."""
    match value:
        case {"address": str(address), **rest} if not set(rest) - {"name", "contact_id"}:
            return names.get(address, address)
        case str():
            return value if len(value) <= LONGEST_TEXT else f"{value[:LONGEST_TEXT]}… (shortened)"
        case list():
            return [_named(one, names) for one in cast("list[Any]", value)]
        case dict():
            fields = cast("dict[str, Any]", value).items()
            return {name: _named(one, names) for name, one in fields if one not in (None, "", [], {})}
        case _:
            return value
