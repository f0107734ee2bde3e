"""The items that a plan's steps found, and the handles that the conversation knows them by from now on."""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from butler.contract.agents import PlanStep
from butler.contract.found_items import items
from butler.contract.names import Direction
from butler.contract.referents import ReferentKind
from butler.contract.rendering import StepResult
from butler.contract.tools import ExecutionMode, ToolSpec
from butler.orchestrator.planning.plan_types import Command
from butler.orchestrator.replies.found_items import as_read
from butler.orchestrator.results.handles import READ_FILE, begins_of, digests, kind_and_key, writer_of
from butler.store.conversation import ConversationState, Referent
from butler.store.queries import automations, contacts
from butler.tool_invoker import ToolInvoker

LIST_AUTOMATIONS = "bot_automations_list"
READS = "_read_"
"""What a tool is called that reads one item, which was found before."""
NOT_DONE = frozenset({"SKIPPED", "NOT_NEEDED"})
"""The codes of steps that were never executed."""


def shown_of(
    connection: sa.Connection, tools: ToolInvoker, steps: Sequence[PlanStep], state: ConversationState
) -> tuple[tuple[StepResult, ...], frozenset[str]]:
    """Return every step whose tool is still registered, and the handles of all that was found, files of mails included.

    The handles are given in `state`, which the caller stores; a known item keeps its handle.
    """
    known = {spec.tool_name: spec for spec in tools.specs()}
    names = {contact.contact_id: contact.name for contact in contacts.all_confirmed(connection)}
    shown: tuple[StepResult, ...] = ()
    files: set[str] = set()
    for step in steps:
        if (spec := known.get(step.tool_call)) is not None:
            numbered = sum(len(one.handles) for one in shown if len(one.handles) > 1)
            shown = (*shown, _shown(connection, step, spec, state, names, numbered + 1, files))
    handles = frozenset(handle for one in shown for handle in one.handles)
    return shown, handles | files


def _shown(
    connection: sa.Connection,
    step: PlanStep,
    spec: ToolSpec,
    state: ConversationState,
    names: dict[str, str],
    first: int,
    files: set[str],
) -> StepResult:
    data: dict[str, Any] = (step.outcome or {}).get("data") or {}
    # What was made or changed for the owner can be referred to next, like what was looked for.
    spoken_of = spec.direction is Direction.INPUT or (spec.about.makes_things and (step.outcome or {}).get("ok"))
    # An item on a server that only answers questions has no handle that another tool could take.
    spoken_of = spoken_of and spec.execution_mode is ExecutionMode.LOCAL
    found = as_read(items(data), spec.tool_name, data) if spoken_of else []
    people: dict[str, str] = {}
    handles: list[str] = []
    for number, item in enumerate(found, first):
        who = item.sender or item.key
        contact_id = contacts.confirmed(connection, who)
        if contact_id in names:
            people[who] = names[contact_id]
        if not contact_id and (writer := writer_of(item)):
            contact_id = contacts.confirmed(connection, writer)
        kind, key = kind_and_key(spec, item)
        referent = state.add_referent(
            kind,
            key,
            tool=spec.tool_name,
            account=str((step.outcome or {}).get("account", "")),
            contact_id=contact_id,
            ordinal=number if len(found) > 1 else 0,
            at=item.at,
            begins=begins_of(item),
            looked=spec.direction is Direction.INPUT and READS not in spec.tool_name,
        )
        handles.append(referent.handle)
        for digest in digests(item):
            file = state.add_referent(ReferentKind.FILE, digest, tool=READ_FILE, contact_id=contact_id, at=item.at)
            files.add(file.handle)
    return StepResult(step, spec, tuple(dict.fromkeys(handles)), people, first)


def number_as_sources(
    state: ConversationState, shown: Sequence[StepResult], steps: frozenset[int], sources: Sequence[str]
) -> None:
    """Number what an answer replaces as its sources are numbered; what it does not name has no number.

    Args:
        state: The conversation, whose handles are numbered.
        shown: The steps of the plan.
        steps: The steps that the answer replaces.
        sources: The ids of its sources, in the order of their numbers.
    """
    handles = {handle for one in shown if one.step.step_id in steps for handle in one.handles}
    places = {key: number for number, key in enumerate(sources, 1)} if len(sources) > 1 else {}
    state.referents = [
        one.model_copy(update={"ordinal": places.get(one.key, 0)}) if one.handle in handles else one
        for one in state.referents
    ]


def shown_in(state: ConversationState, handles: frozenset[str], message_id: str) -> None:
    """Record which message shows these items, so that a reply to it is about them, and which of them are its list."""
    number = 1 + max((one.list_number for one in state.referents), default=0)
    state.referents = [_shown_in(one, message_id, number) if one.handle in handles else one for one in state.referents]


def _shown_in(referent: Referent, message_id: str, number: int) -> Referent:
    listed = referent.list_number or (number if referent.ordinal else 0)
    return referent.model_copy(update={"shown_in": message_id, "list_number": listed})


def note_look(connection: sa.Connection, state: ConversationState, shown: Sequence[StepResult]) -> None:
    """Record what the last of these steps showed, even if nothing: a bare reference never means older items."""
    looks = [one for one in shown if _looked(one)]
    if not looks:
        return
    last = looks[-1]
    kind = last.spec.about.referent
    if kind is None or kind is ReferentKind.AUTOMATION:
        state.show(ReferentKind.AUTOMATION, *_automations(connection))
        return
    data: dict[str, Any] = (last.step.outcome or {}).get("data") or {}
    found, count = items(data), data.get("count")
    kinds = [kind_and_key(last.spec, item)[0] for item in found] or [kind]
    state.show(kinds[-1], len(found), unnamed=count if isinstance(count, int) and not found else 0)


def note_command(connection: sa.Connection, state: ConversationState, command: Command) -> None:
    """Record what the answer to a command shows, if that can be referred to."""
    match command:
        case Command.AUTOMATIONS:
            count, numbers = _automations(connection)
            for place, number in enumerate(numbers, 1):
                state.add_referent(
                    ReferentKind.AUTOMATION, number, tool=LIST_AUTOMATIONS, ordinal=place if count > 1 else 0
                )
            state.show(ReferentKind.AUTOMATION, count, numbers)
        case Command.RULES:
            state.show(ReferentKind.RULE, None)
        case Command.BULK:
            state.show(ReferentKind.RUN, None)
        case Command.CONTACTS:
            state.show(ReferentKind.CONTACT, None)
        case _:
            pass


def _automations(connection: sa.Connection) -> tuple[int, tuple[str, ...]]:
    """Return how many automations there are, and their numbers in the order of the list."""
    kept = automations.every(connection)
    return len(kept), tuple(str(one.number) for one in kept)


def _looked(one: StepResult) -> bool:
    """Return whether a step was to show items that can be referred to, or has made one."""
    outcome = one.step.outcome or {}
    if one.spec.about.referent is ReferentKind.AUTOMATION:
        return bool(outcome) and one.spec.tool_name == LIST_AUTOMATIONS
    if one.spec.about.referent is None or one.spec.execution_mode is not ExecutionMode.LOCAL or not outcome:
        return False
    if one.spec.direction is Direction.OUTPUT:
        return bool(one.spec.about.makes_things and outcome.get("ok") and items(outcome.get("data") or {}))
    return outcome.get("code") not in NOT_DONE
