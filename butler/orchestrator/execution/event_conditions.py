"""Puts values in the place of references in an event filter: `{"fact": "sender", "value": {"contact": "c1"}}`."""

from collections.abc import Callable, Mapping
from typing import Any, cast, get_args

from butler.contract.events import FACTS, Compare, EventFilter, EventName
from butler.contract.reasons import in_own_words
from butler.contract.speech import phrase
from butler.contract.tools import Recipient, ToolSpec
from butler.orchestrator.results.outcomes import StepRefusedError
from butler.provenance import Labels, join
from butler.store.queries.contacts import Contact

Resolve = Callable[[Any], tuple[Any, Labels]]
CONTACT = "contact"
"""The fact that holds the owner's name for an author, whichever of their addresses they write from."""
WRITERS = frozenset({"sender", "sender_name", CONTACT})
"""Facts of who wrote."""
ORGANIZER = "organizer"
WHOLE = {
    **dict.fromkeys((Compare.CONTAINS, Compare.STARTS_WITH, Compare.ENDS_WITH), Compare.IS),
    **dict.fromkeys((Compare.LACKS, Compare.NOT_STARTS_WITH, Compare.NOT_ENDS_WITH), Compare.IS_NOT),
}
"""How a contact is compared where the plan would look for part of a text."""


def takes_event_filter(name: str, spec: ToolSpec) -> bool:
    """Return whether an argument is a filter over events."""
    field = spec.args.model_fields.get(name)
    return field is not None and EventFilter in (field.annotation, *get_args(field.annotation))


def bound_filter(value: Any, contacts: Mapping[str, Contact], resolve: Resolve) -> tuple[Any, Labels]:
    """Return an event filter with values for its references, and the labels of those; raise `StepRefusedError`.

    `resolve` returns what any other reference stands for. What is no filter is returned unchanged, and refused later.
    """
    match value:
        case {"event": str(event), "where": where, **rest} if not rest and isinstance(where, list):
            bound = [_condition(event, one, contacts, resolve) for one in cast("list[Any]", where)]
            return {"event": event, "where": [one for one, _ in bound]}, join(labels for _, labels in bound)
        case _:
            return value, frozenset()


def _condition(event: str, condition: Any, contacts: Mapping[str, Contact], resolve: Resolve) -> tuple[Any, Labels]:
    if not isinstance(condition, dict):
        return condition, frozenset()
    given = cast("dict[str, Any]", condition)
    value = given.get("value")
    values = cast("list[Any]", value) if isinstance(value, list) else [value]
    people = any(isinstance(one, dict) and CONTACT in one for one in values)
    if people and given.get("fact") in WRITERS and event in set(EventName) and CONTACT in FACTS[EventName(event)]:
        compare = given.get("compare", Compare.IS)
        given = {**given, "fact": CONTACT, "compare": WHOLE.get(compare, compare)}
    bound = [_value(one, str(given.get("fact")), contacts, resolve) for one in values]
    found = [one for one, _ in bound]
    return {**given, "value": found if isinstance(value, list) else found[0]}, join(labels for _, labels in bound)


def _value(value: Any, fact: str, contacts: Mapping[str, Contact], resolve: Resolve) -> tuple[Any, Labels]:
    match value:
        case {"contact": str(contact_id), **rest} if not rest:
            contact = contacts.get(contact_id)
            if contact is None:
                raise StepRefusedError(in_own_words(phrase("there is no such contact")))
            address = contact.address("mail") if fact == ORGANIZER else None
            return (contact.name if address is None else _bare(address)), frozenset()
        case dict():
            found, labels = resolve(cast("dict[str, Any]", value))
            if not isinstance(found, Recipient):
                return found, labels
            return (_bare(found.address) if fact == ORGANIZER else found.address), labels
        case _:
            return value, frozenset()


def _bare(address: str) -> str:
    return address.partition(":")[2]
