"""Finds tools that a request may need: for what was shown last, for sending a drafted text, for the people it names.

A follow-up such as "and the second?" or "mark it as done" does not say its topic; what was shown does.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, cast

from pydantic import BaseModel

from butler.agents.reader.people import named
from butler.agents.reader.port import KnownPerson
from butler.contract.names import Direction, Identity, ToolName
from butler.contract.tools import ToolSpec
from butler.orchestrator.embedded.people import Way
from butler.orchestrator.planning.plan_types import PlannerInput
from butler.orchestrator.planning.tool_arguments import needs_a_person
from butler.provenance import by_model
from butler.store.conversation import Referent

NAME = re.compile(r"\bbot_[a-z0-9]+_[a-z0-9_]*[a-z0-9]")
NAMED_IN = 8
"""The newest messages, of either side, whose acts the request may be about."""

HEARD_BY = {Way.TELEGRAM: "user_telegram_get_message_history", Way.MAIL: "user_email_search_inbox"}
"""The tools that find what somebody wrote, by the kind of the person's address."""


def meant(request: PlannerInput) -> tuple[Referent, ...]:
    """Return what the words most likely point at: what they reply to, or else the items that were shown last."""
    if request.replied_to:
        return request.replied_to
    last = request.last_shown
    if last is None or last.count == 0:
        return ()
    alike = [one for one in request.referents if one.kind is last.kind]
    return tuple(one for one in alike if one.shown_in == alike[-1].shown_in)


def next_tools(request: PlannerInput, offered: Sequence[ToolSpec]) -> tuple[list[str], list[ToolSpec]]:
    """Return the names of the tools that usually come next, and then the further ones that could act on what is meant.

    A module declares what usually follows (`ChannelInfo.next_acts`); the tool that found the items may look again.
    """
    known = {spec.tool_name: spec for spec in offered}
    shown = meant(request)
    finders = [known[tool] for tool in dict.fromkeys(one.tool for one in shown) if tool in known]
    usual = [name for finder in finders for name in (*_usual_after(finder), finder.tool_name) if name in known]
    if _may_hold_a_draft(request):
        usual += senders(offered)
    for done in _own_acts(request, known):
        usual += [name for name in _usual_after(done) if name in known][:1]
    kinds, sides = {str(one.kind) for one in shown}, {(one.channel, one.identity) for one in finders}
    further = [
        spec
        for spec in offered
        if spec.tool_name not in usual
        and (kinds & taken_kinds(spec.args))
        and ((spec.channel, spec.identity) in sides or spec.channel not in {channel for channel, _ in sides})
    ]
    return list(dict.fromkeys(usual)), further


def people_tools(request: PlannerInput, offered: Iterable[ToolSpec]) -> list[str]:
    """Return the names of the tools that write to the contacts named in the words, and find what these wrote.

    Only contacts with one kind of address bring them: for the others, the words have to say which one is meant.
    """
    known = {spec.tool_name for spec in offered}
    contacts = {contact.contact_id: contact for contact in request.contacts}
    people = [KnownPerson(contact_id=one.contact_id, aliases=[one.name, *one.aliases]) for one in request.contacts]
    found = [contacts[contact_id] for contact_id in named(request.words.value, people)]
    reached = [[way for way in Way if contact.address(way)] for contact in found]
    ways = [way for each in reached if len(each) == 1 for way in each]
    return [name for way in dict.fromkeys(ways) for name in (way.tool, HEARD_BY[way]) if name in known]


def senders(offered: Iterable[ToolSpec]) -> list[str]:
    """Return the names of the tools that send a text to somebody in the owner's name."""
    return [
        spec.tool_name
        for spec in offered
        if spec.direction is Direction.OUTPUT and spec.identity is Identity.USER and needs_a_person(spec.args)
    ]


@cache
def taken_kinds(args: type[BaseModel]) -> frozenset[str]:
    """Return the kinds of items whose handles a tool takes, by the examples of its arguments."""
    fields = args.model_json_schema().get("properties", {}).values()
    handles = (handle for field in fields for handle in _handles(field.get("examples", [])))
    return frozenset(handle.rsplit("-", 1)[0] for handle in handles)


def _usual_after(finder: ToolSpec) -> Iterator[str]:
    return (str(ToolName(finder.identity, finder.channel, act)) for act in finder.about.next_acts)


def _own_acts(request: PlannerInput, known: Mapping[str, ToolSpec]) -> Iterator[ToolSpec]:
    """Yield the tools that the last messages name as called and that keep something for the owner: it may be ended."""
    said = [one.content for one in request.history[-NAMED_IN:] if one.role == "assistant"]
    for name in dict.fromkeys(NAME.findall(" ".join(said))):
        if (spec := known.get(name)) is not None and spec.to_owner and spec.direction is Direction.OUTPUT:
            yield spec


def _may_hold_a_draft(request: PlannerInput) -> bool:
    """Return whether a model said the last words, which the owner may want to be sent."""
    last = request.history[-1] if request.history else None
    return last is not None and last.role == "assistant" and by_model(frozenset(last.origins))


def _handles(value: Any) -> Iterator[str]:
    match value:
        case {"handle": str(handle)}:
            yield handle
        case list():
            for one in cast("list[Any]", value):
                yield from _handles(one)
        case _:
            return
