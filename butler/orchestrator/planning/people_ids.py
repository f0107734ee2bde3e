"""Short ids of the owner's contacts for a model, which takes `c3` for the third of the list."""

from collections.abc import Mapping
from typing import Any, cast

from butler.orchestrator.planning.model_forms import PlanForm, StepForm, cards_of
from butler.orchestrator.planning.plan_types import PlannerInput


def short_ids(request: PlannerInput) -> dict[str, str]:
    """Return the short id of each contact, by its real one."""
    return {contact.contact_id: f"c{number}" for number, contact in enumerate(request.contacts, 1)}


def with_real_ids(form: PlanForm, request: PlannerInput) -> PlanForm:
    """Return a filled form with the real ids of contacts in place of the short ones."""
    real = {short: contact_id for contact_id, short in short_ids(request).items()}
    cards = [card.model_copy(update={"args": with_ids(card.args, real)}) for card in cards_of(form)]
    changed = {"steps": [_step(step, real) for step in form.steps], **({"cards": cards} if cards else {})}
    return form.model_copy(update=changed)


def _step(step: StepForm, real: Mapping[str, str]) -> StepForm:
    when = step.when
    if when is not None and isinstance(when.value, str):
        when = when.model_copy(update={"value": real.get(when.value, when.value)})
    return step.model_copy(update={"args": with_ids(step.args, real), "when": when})


def with_ids(value: Any, ids: Mapping[str, str]) -> Any:
    """Return a value with the ids of contacts in it exchanged."""
    match value:
        case {"contact": str(contact), **rest} if not rest:
            return {"contact": ids.get(contact, contact)}
        case dict():
            return {name: with_ids(one, ids) for name, one in cast("dict[str, Any]", value).items()}
        case list():
            return [with_ids(one, ids) for one in cast("list[Any]", value)]
        case _:
            return value
