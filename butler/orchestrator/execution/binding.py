"""Binds a planner's references to the arguments of a call, each with its labels. Nothing here asks a model."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, time, timedelta
from typing import Annotated, Any, cast, get_args, get_origin

from pydantic import BaseModel, ValidationError

from butler.agents.reader.port import Reading
from butler.contract.agents import PlanStep, ReadKind
from butler.contract.door import explain
from butler.contract.names import ToolName
from butler.contract.provenance import Labelled, Origin, Trust
from butler.contract.reasons import Reason, ReasonCode, in_own_words, reason
from butler.contract.speech import phrase, say, say_day, say_moment
from butler.contract.tools import Attachment, Recipient, ToolSpec
from butler.orchestrator.embedded.main_clause import sentences_in
from butler.orchestrator.execution.event_conditions import bound_filter, takes_event_filter
from butler.orchestrator.execution.file_arguments import Files, NoSuchFileError, takes_files, with_files
from butler.orchestrator.execution.time_offsets import MOVES, moved_moment
from butler.orchestrator.planning.references import REPLIED_TEXT, DraftReference, ReadReference, taken_out
from butler.orchestrator.results.facts import fact
from butler.orchestrator.results.outcomes import StepRefusedError
from butler.provenance import Labels, join, known_to_planners
from butler.store.conversation import Referent
from butler.store.queries.contacts import Contact, normal
from butler.tool_invoker import ACCOUNT

ADDRESS_KIND = {"telegram": "telegram", "email": "mail", "calendar": "mail", "digests": "mail", "memory": "mail"}
"""The kind of address of a channel's recipients."""
ANY_ADDRESS = frozenset({"digests", "memory"})
"""The channels where any address of a contact stands for all of them."""
PLANNER = frozenset({Origin(trust=Trust.BUTLER, source="planner", shown_as=phrase("Butler's own wording"))})
DEFAULT = frozenset({Origin.butler("default")})
SELECTED = Origin(trust=Trust.UNTRUSTED, source="selected", shown_as=phrase("what was shown last, by its words"))
"""The label of a choice by words: the authors of the compared texts had a hand in which of them fits."""
TEXTS = frozenset({"text", "body", "subject", "question"})
"""Arguments that people read; a value is worded in them."""
MORNING = time(9)
"""The default time of a day."""
_NO_REFERENCE = phrase(
    "{tool}: a reference names a contact, an address, a handle, a step's fact or what is taken out of it"
)
Taken = Mapping[ReadReference | DraftReference, Labelled[Reading | str]]
"""The results of references to texts."""


class BindError(StepRefusedError):
    """A step's arguments do not fit its tool."""


@dataclass(frozen=True, slots=True)
class Sources:
    """The sources that a step's references may refer to."""

    words: Labelled[str]
    contacts: Mapping[str, Contact]
    referents: Mapping[str, Referent]
    outcomes: Mapping[int, Mapping[str, Any]]
    plan_labels: Labels = frozenset()
    """Labels that every argument inherits from its plan."""
    files: Files = field(default_factory=dict[str, Labelled[Attachment]])
    """The files that this step refers to, if its tool takes files."""
    taken: Taken = field(default_factory=dict[ReadReference | DraftReference, Labelled[Reading | str]])
    """The values that were extracted from texts for this step."""
    replied: Labelled[str] | None = None
    """The text that the request replies to, if others had a hand in it."""
    happened: Mapping[str, Labelled[Any]] = field(default_factory=dict[str, Labelled[Any]])
    """The facts of the event that triggered the plan, if an automation did."""


@dataclass(frozen=True, slots=True)
class Bound:
    """Checked arguments as JSON, and each one's labels."""

    args: dict[str, Any]
    labels: dict[str, Labels]
    choice: Labels = frozenset()
    """Who had a hand in the choice of this tool, regardless of its arguments."""


def bind(step: PlanStep, spec: ToolSpec, sources: Sources) -> Bound:
    """Resolve every reference and check the result against the tool's schema; raise `BindError`.

    Without an explicit account, the account is the one that holds what the step refers to.
    """
    args: dict[str, Any] = {ACCOUNT: account} if (account := _account(step, spec, sources)) else {}
    labels: dict[str, Labels] = {}
    for name, bound in bound_values(step, spec, sources).items():
        args[name], labels[name] = bound.value, bound.origins
    try:
        model: BaseModel = spec.args.model_validate(args)
    except ValidationError as error:
        raise BindError(_why(spec, error)) from None
    # What a plan leaves out is the tool's own default, which nobody else chose.
    by_default = dict.fromkeys(spec.args.model_fields, DEFAULT)
    said = _asked_for(step, spec, model, sources.words)
    choice = sources.words.origins if said else sources.plan_labels
    return Bound(model.model_dump(mode="json"), by_default | labels, choice)


def bound_values(step: PlanStep, spec: ToolSpec, sources: Sources) -> dict[str, Labelled[Any]]:
    """Resolve every reference of a step, without a check against the tool's schema; raise `BindError`."""
    values: dict[str, Labelled[Any]] = {}
    for name, value in step.args.items():
        resolved, origins = _value(name, value, spec, sources)
        if takes_files(spec, name):
            resolved, origins = _with_files(resolved, origins, sources)
        labels = origins | _inherited(name, origins, step, spec, sources)
        values[name] = Labelled[Any](value=_as_asked(resolved, name, spec), origins=labels)
    return values


def _value(name: str, value: Any, spec: ToolSpec, sources: Sources) -> tuple[Any, Labels]:
    if name in spec.whole:
        return value, PLANNER
    if takes_event_filter(name, spec):
        found, labels = bound_filter(value, sources.contacts, lambda one: _resolve(one, spec, sources))
        return found, labels | PLANNER
    return (_data if _holds_data(name, spec) else _resolve)(value, spec, sources)


def _asked_for(step: PlanStep, spec: ToolSpec, args: BaseModel, words: Labelled[str]) -> bool:
    """Return whether the owner's own words ask for this very call, on no condition: then nobody else chose it."""
    if spec.asked_for is None or step.when is not None:
        return False
    owners = bool(words.origins) and all(origin.trust is Trust.OWNER for origin in words.origins)
    return owners and spec.asked_for(args, words.value)


def _with_files(resolved: Any, origins: Labels, sources: Sources) -> tuple[Any, Labels]:
    try:
        found, sent = with_files(resolved, sources.files)
    except NoSuchFileError as error:
        raise BindError(error.why) from None
    return found, origins | sent


def _inherited(name: str, origins: Labels, step: PlanStep, spec: ToolSpec, sources: Sources) -> Labels:
    """Return the labels that an argument inherits from its plan: none if it holds the owner's words unconditionally.

    The planner then only chose among the owner's own words, and knew nothing else. A model that has seen what others
    wrote could leak it by its choice among the owner's links, so its labels stay.
    """
    free = name in spec.reaches_out or (spec.to_owner and name in TEXTS)
    said = free and step.when is None and origins == sources.words.origins and sources.words.from_owner
    return frozenset() if said and known_to_planners(sources.plan_labels | DEFAULT) else sources.plan_labels


def _account(step: PlanStep, spec: ToolSpec, sources: Sources) -> str:
    """Return the only account of this channel that holds all that a step refers to; else an empty string."""
    lies_in = {account for value in step.args.values() for account in _accounts(value, spec.channel, sources)}
    return lies_in.pop() if len(lies_in) == 1 and lies_in <= set(spec.accounts) else ""


def _accounts(value: Any, channel: str, sources: Sources) -> Iterator[str]:
    match value:
        case list():
            for one in cast("list[Any]", value):
                yield from _accounts(one, channel, sources)
        case {"handle": str(handle)} if handle in sources.referents:
            referent = sources.referents[handle]
            if referent.account and ToolName.parse(referent.tool).channel == channel:
                yield referent.account
        case {"step": int(number)}:
            found = sources.outcomes.get(number, {})
            if found.get("account") and found.get("channel") == channel:
                yield str(found["account"])
        case _:
            pass


def _why(spec: ToolSpec, error: ValidationError) -> Reason:
    first = error.errors(include_input=False)[0]
    if first["type"] == "string_too_long" and "ctx" in first:
        return reason(ReasonCode.TEXT_TOO_LONG, field=str(first["loc"][0]), most=first["ctx"]["max_length"])
    return in_own_words(f"{spec.tool_name}: {explain(error)}")


def _resolve(value: Any, spec: ToolSpec, sources: Sources) -> tuple[Any, Labels]:
    if isinstance(value, list):
        resolved = [_resolve(item, spec, sources) for item in cast("list[Any]", value)]
        # An empty list refers to nothing, so it is the planner's own.
        return [item for item, _ in resolved], join(label for _, label in resolved) or PLANNER
    if isinstance(value, dict):
        reference = cast("dict[str, Any]", value)
        fact_of = sources.happened.get(str(reference.get("fact"))) if set(reference) == {"fact"} else None
        return (fact_of.value, fact_of.origins) if fact_of else _reference(reference, spec, sources)
    return value, _literal(value, sources.words)


def _holds_data(name: str, spec: ToolSpec) -> bool:
    """Return whether an adapter's argument takes objects of its own, such as rows, conditions or labels."""
    wanted = spec.args.model_fields.get(name)
    return spec.adapter_id is not None and wanted is not None and _takes_objects(wanted.annotation)


def _takes_objects(kind: Any) -> bool:
    if get_origin(kind) is not None:
        return get_origin(kind) is dict or any(map(_takes_objects, get_args(kind)))
    # People and files are never literal data: they are only referred to.
    return isinstance(kind, type) and issubclass(kind, BaseModel) and kind not in {Recipient, Attachment}


def _data(value: Any, spec: ToolSpec, sources: Sources) -> tuple[Any, Labels]:
    """Bind an object: it is literal, and the planner's; only references to steps and texts in it are resolved."""
    match value:
        case {"step": int(), "fact": str()} | {"from": _, "read": _} | {"draft": dict()} | {"replied": "text"}:
            return _reference(cast("dict[str, Any]", value), spec, sources)
        case dict():
            found = {name: _data(one, spec, sources) for name, one in cast("dict[str, Any]", value).items()}
            labels = join(origins for _, origins in found.values()) | PLANNER
            return {name: _as_asked(one, name, spec) for name, (one, _) in found.items()}, labels
        case list():
            several = [_data(one, spec, sources) for one in cast("list[Any]", value)]
            return [one for one, _ in several], join(origins for _, origins in several) or PLANNER
        case _:
            return value, _literal(value, sources.words)


def _reference(value: dict[str, Any], spec: ToolSpec, sources: Sources) -> tuple[Any, Labels]:
    match value:
        case {"contact": str(contact_id), **rest} if not rest:
            return _contact(contact_id, spec, sources)
        case {"address": str(address), **rest} if not set(rest) - {"name"}:
            return _address(address, sources)
        case {"handle": str(handle), **rest} if not set(rest) - {"select"}:
            if handle not in sources.referents:
                raise BindError(in_own_words(phrase("there is no {handle} in this conversation"), handle=handle))
            chosen = frozenset({SELECTED}) if rest else frozenset[Origin]()
            return sources.referents[handle].key, chosen | {Origin.butler(handle)}
        case {"step": int(number), "fact": str(path), **rest} if not set(rest) - MOVES:
            if number not in sources.outcomes:
                raise BindError(in_own_words(phrase("step {number} has no outcome"), number=str(number)))
            found, labels = fact(sources.outcomes[number], path)
            return moved_moment(found, rest) if rest else found, labels
        case {"from": _} | {"draft": _} | {"replied": _}:
            return _taken_out(value, spec, sources)
        case {"every": str()}:
            # A repetition is no reference: the tool's own schema limits what it may hold.
            return value, PLANNER
        case _:
            raise BindError(in_own_words(_NO_REFERENCE, tool=spec.tool_name))


@dataclass(frozen=True, slots=True)
class _Read:
    """A value that was read, and the reference that says how it is wanted."""

    reading: Reading
    reference: ReadReference


def _taken_out(value: dict[str, Any], spec: ToolSpec, sources: Sources) -> tuple[Any, Labels]:
    """Return what was extracted from texts for this reference."""
    if value == REPLIED_TEXT:
        if sources.replied is None:
            raise BindError(in_own_words(phrase("your message is no reply to a text of anybody else's")))
        return sources.replied.value, sources.replied.origins
    try:
        reference = taken_out(value)
    except ValueError as error:
        raise BindError(in_own_words(f"{spec.tool_name}: {error}")) from None
    found = sources.taken.get(reference) if reference is not None else None
    if found is None:
        raise BindError(in_own_words(_NO_REFERENCE, tool=spec.tool_name))
    if isinstance(reference, ReadReference) and isinstance(found.value, Reading):
        if found.value.kind is ReadKind.CONTACT:
            return _contact(found.value.contact_id, spec, sources)[0], found.origins
        return _Read(found.value, reference), found.origins
    return found.value, found.origins


def _contact(contact_id: str, spec: ToolSpec, sources: Sources) -> tuple[Recipient, Labels]:
    contact = sources.contacts.get(contact_id)
    if contact is None:
        raise BindError(in_own_words(phrase("there is no such contact")))
    address = contact.address(ADDRESS_KIND.get(spec.channel, spec.channel))
    if address is None and spec.channel in ANY_ADDRESS:
        address = next(iter(contact.addresses), None)
    if address is None:
        raise BindError(
            in_own_words(phrase("I have no {channel} address of {name}"), channel=spec.channel, name=contact.name)
        )
    return Recipient(address=address, name=contact.name), frozenset({Origin.owner("contacts")})


def _address(address: str, sources: Sources) -> tuple[Recipient, Labels]:
    """Return an address unchanged, with the name that the owner gave it: a planner may not name anybody."""
    owners = (c for c in sources.contacts.values() if normal(address) in map(normal, c.addresses))
    name = next((contact.name for contact in owners), "")
    bare = address.split(":", 1)[-1]
    # As a whole: part of an address that the owner wrote is another address.
    written = re.search(rf"(?<![\w.+@-]){re.escape(_flat(bare))}(?![\w@-]|\.\w)", _flat(sources.words.value))
    return Recipient(address=address, name=name), sources.words.origins if bare and written else PLANNER


def _as_asked(value: Any, name: str, spec: ToolSpec) -> Any:
    """Return a recipient as the argument takes it, with a name or as a bare address; word or convert a read value."""
    if isinstance(value, list):
        several = cast("list[Any]", value)
        return [_as_asked(item, name if isinstance(item, Recipient) else "", spec) for item in several]
    if isinstance(value, _Read):
        return _value_text(value) if name in TEXTS else _typed(value)
    if not isinstance(value, Recipient):
        return value
    wanted = spec.args.model_fields.get(name)
    return value.address if wanted is not None and _takes_texts(wanted.annotation) else value.model_dump()


def _takes_texts(kind: Any) -> bool:
    """Return whether an argument is a text, or several."""
    of_several = get_origin(kind) in {Annotated, list, tuple} and any(map(_takes_texts, get_args(kind)))
    return kind is str or of_several


def _typed(value: _Read) -> Any:
    """Return a value as arguments take it: local time without offset, a number, true or false."""
    reading = value.reading
    if reading.amount is not None:
        return str(reading.amount.value)
    return _moment(value).isoformat() if reading.day is not None else reading.yes


def _value_text(value: _Read) -> str:
    """Return a value as people read it."""
    reading, reference = value.reading, value.reference
    if reading.amount is not None:
        return f"{reading.amount.value} {reading.amount.currency}"
    if reading.day is None:
        return say("yes") if reading.yes else say("no")
    has_time = reading.clock is not None or reference.at is not None or reference.hours
    return say_moment(_moment(value)) if has_time else say_day(_moment(value).date())


def _moment(value: _Read) -> datetime:
    """Return the day that was read, moved as the plan says."""
    reading, reference = value.reading, value.reference
    assert reading.day is not None
    clock = reference.at or reading.clock or MORNING
    return datetime.combine(reading.day, clock.replace(tzinfo=None)) + timedelta(reference.days, hours=reference.hours)


def _literal(value: Any, words: Labelled[str]) -> Labels:
    """Return the owner's label for the owner's own words; anything else is the planner's."""
    if isinstance(value, str) and (flat := _flat(value)):
        written = re.search(rf"(?<!\w){re.escape(flat)}(?!\w)", _flat(words.value))
        # A clause with its verb at the end, reordered to a sentence, is also the owner's.
        ordered = not written and any(_flat(one).startswith(flat) for one in sentences_in(words.value))
        return words.origins if written or ordered else PLANNER
    return PLANNER


def _flat(text: str) -> str:
    return " ".join(text.casefold().split())
