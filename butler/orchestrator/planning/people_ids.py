"""Short ids of the owner's contacts for a model, which takes `c3` for the third of the list."""

from collections.abc import Mapping
from typing import Any, cast

from butler.orchestrator.planning.model_forms import PlanForm, StepForm
from butler.orchestrator.planning.plan_types import PlannerInput


def short_ids(request: PlannerInput) -> dict[str, str]:
    """Return the short id of each contact, by its real one."""
    return {contact.contact_id: f"c{number}" for number, contact in enumerate(request.contacts, 1)}


def with_real_ids(form: PlanForm, request: PlannerInput) -> PlanForm:
    """Return a filled form with the real ids of contacts in place of the short ones."""
    real = {short: contact_id for contact_id, short in short_ids(request).items()}
    return form.model_copy(update={"steps": [_step(step, real) for step in form.steps]})


def _step(step: StepForm, real: Mapping[str, str]) -> StepForm:
    when = step.when
    if when is not None and isinstance(when.value, str):
        when = when.model_copy(update={"value": real.get(when.value, when.value)})
    return step.model_copy(update={"args": _with_real(step.args, real), "when": when})


def _with_real(value: Any, real: Mapping[str, str]) -> Any:
    match value:
        case {"contact": str(short), **rest} if not rest:
            return {"contact": real.get(short, short)}
        case dict():
            return {name: _with_real(one, real) for name, one in cast("dict[str, Any]", value).items()}
        case list():
            return [_with_real(one, real) for one in cast("list[Any]", value)]
        case _:
            return value
