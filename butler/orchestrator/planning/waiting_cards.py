"""The cards that wait for the owner's yes, as a planner may know them.

A planner is told of an argument only what the owner, their contacts or the planner itself put there. What others had a
hand in is named and not shown.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

import sqlalchemy as sa

from approvals.outcome_text import scheduled_for
from approvals.states import State
from butler.contract.inbound import Inbound
from butler.contract.tools import ToolSpec
from butler.orchestrator.planning.card_orders import WaitingCard
from butler.orchestrator.planning.model_forms import MOST_CARDS
from butler.orchestrator.planning.tool_arguments import shown_names
from butler.provenance import Labels, known_to_planners, load
from butler.store.conversation import Referent
from butler.store.queries import approvals
from butler.store.queries.approvals import ApprovalRow
from butler.store.queries.contacts import Contact
from butler.tool_invoker import ACCOUNT

HANDLE = re.compile(r"[a-z]+-\d+")
"""The source of a label of what a handle stood for (`Origin.butler`)."""
MOST = MOST_CARDS
"""Cards that a planner is told of, the newest."""


def waiting_cards(
    connection: sa.Connection,
    item: Inbound,
    now: datetime,
    tools: Iterable[ToolSpec],
    contacts: Iterable[Contact],
    referents: Iterable[Referent],
) -> tuple[WaitingCard, ...]:
    """Return the newest cards that wait in the chat of a request, the oldest first."""
    specs = {spec.tool_name: spec for spec in tools}
    names = _Names(tuple(contacts), tuple(referents))
    rows = [
        row
        for row in approvals.in_state(connection, State.PENDING, State.APPROVED)
        if row.chat == item.chat and row.tool in specs and _waits(row, now)
    ]
    return tuple(
        _card(number, row, specs[row.tool], names, item.reply_to) for number, row in enumerate(rows[-MOST:], 1)
    )


def _waits(row: ApprovalRow, now: datetime) -> bool:
    return row.expires_at > now if row.state == State.PENDING else scheduled_for(row, now) is not None


def _card(number: int, row: ApprovalRow, spec: ToolSpec, names: "_Names", reply_to: str | None) -> WaitingCard:
    told: dict[str, Any] = {}
    untold: list[str] = []
    fields = spec.args.model_fields
    for name, value in json.loads(row.args).items():
        if name not in shown_names(spec.args) or value in (None, "", [], {}) or value == fields[name].default:
            continue
        if name == ACCOUNT and len(spec.accounts) < 2:  # noqa: PLR2004 - the only one needs no name
            continue
        labels = load(row.labels.get(name, ()))
        shown = names.of(value, labels) if known_to_planners(labels) else None
        if shown is None:
            untold.append(name)
        else:
            told[name] = shown
    return WaitingCard(
        handle=f"card-{number}",
        approval_id=row.approval_id,
        revision=row.revision,
        tool=row.tool,
        args=told,
        asked_at=row.created_at,
        untold=tuple(untold),
        not_before=row.not_before,
        approved=row.state == State.APPROVED,
        listed=spec.lists,
        replied_to=reply_to is not None and reply_to in set(_messages(row)),
    )


def _messages(row: ApprovalRow) -> Iterator[str]:
    for ref in row.card_refs:
        yield from ref.message.message_ids


@dataclass(frozen=True, slots=True)
class _Names:
    """Puts contacts and handles in the place of addresses and ids."""

    contacts: tuple[Contact, ...]
    referents: tuple[Referent, ...]

    def of(self, value: Any, labels: Labels) -> Any:
        """Return a value as a plan would write it; None if it is what a handle stood for that nothing has any more.

        Such a value is an id that somebody else may have chosen.
        """
        if handles := sorted(one.source for one in labels if HANDLE.fullmatch(one.source)):
            known = {one.handle for one in self.referents}
            several = [{"handle": handle} for handle in handles if handle in known]
            return (several if isinstance(value, list) else several[0]) if len(several) == len(handles) else None
        return self._named(value)

    def _named(self, value: Any) -> Any:
        match value:
            case {"address": str(address), **rest} if not set(rest) - {"name", "contact_id"}:
                return self._person(address)
            case list():
                return [self._named(one) for one in cast("list[Any]", value)]
            case _:
                return value

    def _person(self, address: str) -> Mapping[str, str]:
        whose = next((one.contact_id for one in self.contacts if address in one.addresses), None)
        return {"address": address} if whose is None else {"contact": whose}
