"""Checks the steps of a filled form before they are bound, and says what is wrong so that the model can correct it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from pydantic import ValidationError

from butler.contract.door import fault_words
from butler.contract.schemas import json_schema
from butler.contract.tools import ToolSpec
from butler.orchestrator.planning.model_forms import CardForm, PlanForm, StepForm, cards_of
from butler.orchestrator.planning.plan_types import PlannerInput
from butler.orchestrator.planning.references import sources_in, steps_of, taken_out
from butler.orchestrator.planning.tool_arguments import shown_names

MOST_TOLD = 5
"""Faults that are told at once; a model corrects no more in one go."""
READ_FIRST = frozenset({"step", "from", "draft"})
"""References to what steps find."""
REFERENCES = frozenset({"contact", "address", "handle", "step", "from", "draft", "replied", "select"})


def faults(form: PlanForm, request: PlannerInput, tools: Sequence[ToolSpec]) -> str:
    """Return what is wrong with a form's steps, a line each; empty if nothing is.

    The lines quote the model's own words and tools' texts, never anybody else's.
    """
    known = {spec.tool_name: spec for spec in tools}
    found = [fault for number, step in enumerate(form.steps, 1) for fault in _of_step(number, step, known, request)]
    found += [f"{card.card}: {fault}" for card in cards_of(form) for fault in _of_card(card, known, request)]
    return "\n".join(found[:MOST_TOLD])


def _of_card(form: CardForm, tools: Mapping[str, ToolSpec], request: PlannerInput) -> Iterator[str]:
    card = next((one for one in request.cards if one.handle == form.card), None)
    changes = bool(form.args or form.at or form.wording.strip())
    if card is None:
        yield "there is no such card."
    elif form.withdraw == changes:
        yield "either `withdraw`, or give in `args` what changes."
    elif changes and card.listed:
        yield "it can only be taken back; withdraw it and plan it anew."
    elif form.at is not None and card.not_before is None:
        yield "it is done right after the yes; to have it done later, withdraw it and plan it anew."
    elif card.tool in tools and form.args:
        spec = tools[card.tool]
        names = shown_names(spec.args)
        yield from (f"{card.tool} takes no argument {name!r}." for name in form.args if name not in names)
        if any(set(one) & READ_FIRST for one in _objects(form.args)):
            yield "new values are literal, a contact or a handle; for others withdraw it and plan it anew."
        yield from _references(1, StepForm(tool=card.tool, args=form.args), request)
        wrong = list(_values(form.args, spec, whole=False))
        # What fits alone may not fit what stays on the card, such as an automation's conditions its event.
        yield from wrong or _values({**card.args, **form.args}, spec, whole=not card.untold)


def _of_step(number: int, step: StepForm, tools: Mapping[str, ToolSpec], request: PlannerInput) -> Iterator[str]:
    where = f"Step {number}"
    spec = tools.get(step.tool)
    if spec is None:
        yield f"{where}: there is no tool {step.tool!r}; use one of the list, or ask for one in find_tools."
        return
    where = f"{where} ({step.tool})"
    names = shown_names(spec.args)
    for name in step.args:
        if name not in names:
            yield f"{where}: it takes no argument {name!r}; its arguments are {', '.join(sorted(names))}."
    yield from (f"{where}: {fault}" for fault in _references(number, step, request))
    yield from (f"{where}: {fault}" for fault in _values(step.args, spec))


def _references(number: int, step: StepForm, request: PlannerInput) -> Iterator[str]:
    people = {one.contact_id for one in request.contacts}
    handles = {one.handle for one in request.referents} | {str(fact.value) for fact in request.facts}
    hangs_on = () if step.when is None else (step.when.source,)
    used = {*steps_of(step.args), *step.depends_on, *(one for one in hangs_on if isinstance(one, int))}
    if later := [n for n in sorted(used) if not 0 < n < number]:
        yield f"it may only use earlier steps, and {later[0]} is none."
    named = [one for one in (*sources_in(step.args), *hangs_on) if isinstance(one, str)]
    for reference in _objects(step.args):
        match reference:
            case {"contact": str(contact)} if contact not in people:
                yield f"there is no contact {contact!r} in the list of people; ask who is meant."
            case {"handle": str(handle)}:
                named.append(handle)
            case {"from": _, "read": _} | {"draft": dict()}:
                yield from _taken(reference)
            case _:
                pass
    yield from (f"there is no handle {one!r}." for one in dict.fromkeys(named) if one not in handles)


def _taken(reference: Mapping[str, Any]) -> Iterator[str]:
    try:
        taken_out(reference)
    except ValueError as error:
        yield f"{error}."


def _values(args: Mapping[str, Any], spec: ToolSpec, *, whole: bool = True) -> Iterator[str]:
    """Yield what is wrong with the literal values; a reference gets its value, and its check, later.

    If not `whole`, the arguments that are not given have their values already.
    """
    known = {name: _without_bound(value) for name, value in args.items()}
    literal = {
        name: value
        for name, value in known.items()
        if name in spec.whole or not any(map(_is_reference, _objects(value)))
    }
    needed: list[str] = json_schema(spec.args).get("required", [])
    try:
        spec.args.model_validate(literal)
    except ValidationError as error:
        for one in error.errors(include_input=False, include_url=False):
            name = str(one["loc"][0]) if one["loc"] else ""
            # A check of several arguments together waits for the values of references.
            waits = name in args and name not in literal if name else len(literal) < len(args) or not whole
            # What a reference implies, such as the chat of a message, is missing only until it is bound.
            implied = one["type"] == "missing" and len(one["loc"]) == 1 and (name not in needed or not whole)
            if not waits and not implied:
                yield f"{'.'.join(map(str, one['loc'])) or 'its arguments'}: {fault_words(one['msg'])}."


def _without_bound(value: Any) -> Any:
    """Return a value without the conditions on an event that hold references: these are bound later, and fit then."""
    match value:
        case dict():
            return {name: _without_bound(one) for name, one in cast("dict[str, Any]", value).items()}
        case list():
            return [_without_bound(one) for one in cast("list[Any]", value) if not _is_bound_later(one)]
        case _:
            return value


def _is_bound_later(value: Any) -> bool:
    match value:
        case {"fact": _, "value": compared}:
            return any(map(_is_reference, _objects(compared)))
        case _:
            return False


def _is_reference(value: Mapping[str, Any]) -> bool:
    return bool(REFERENCES & set(value))


def _objects(value: Any) -> Iterator[dict[str, Any]]:
    """Yield all objects within a value, at any depth."""
    match value:
        case dict():
            one = cast("dict[str, Any]", value)
            yield one
            for inner in one.values():
                yield from _objects(inner)
        case list():
            for inner in cast("list[Any]", value):
                yield from _objects(inner)
        case _:
            pass
