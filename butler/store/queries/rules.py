"""Standing rules as rows: drafts that wait for their second confirmation, and active ones."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Self

import sqlalchemy as sa

from butler.store.queries.approvals import ApprovalRow, CardRef, dump_refs, load_refs
from butler.store.tables import approvals, rules

SHOW_RULE = "show_rule"
SHOW_LIST = "show_rules"
"""The work kind of a chat's newest list; the chat is the subject."""
END_RULE = "end_rule"
"""The work kind that ends an unsaved draft, or an expired rule."""
REPEAT = "repeat"
"""The argument that makes a rule recurring; such a rule lets nothing else pass."""
BY_REPEAT = "repeat:"
"""The prefix of `requested_by` for what such a rule requests when it is due; its id follows."""


class RuleState(StrEnum):
    """The state of a rule. Only an active one allows anything."""

    DRAFT = "draft"
    """Proposed, not saved yet."""
    ACTIVE = "active"
    DISABLED = "disabled"
    """Temporarily disabled."""
    REVOKED = "revoked"
    EXPIRED = "expired"
    USED_UP = "used_up"
    DROPPED = "dropped"
    """A draft that was not saved."""


@dataclass(frozen=True, slots=True)
class RuleRow:
    """One tool, account and chat, with these recipients and arguments, for a limited time and number of uses.

    `recipients` are addresses normalized by `contacts.normal`; a call must reach nobody else. `pinned` maps an argument
    to the canonical JSON of its only allowed value; an argument that is not pinned may hold anything that is the
    owner's own. `revision` grows with every change of what the rule allows.
    """

    rule_id: str
    number: int
    revision: int
    state: str
    tool: str
    account: str
    chat: str
    recipients: tuple[str, ...]
    pinned: dict[str, str]
    expires_at: datetime | None
    max_uses: int | None
    made_from: str
    created_at: datetime
    updated_at: datetime
    uses: int = 0
    card_refs: tuple[CardRef, ...] = ()

    @property
    def repeats(self) -> bool:
        """Whether the rule is recurring, and so lets no requested call pass."""
        return self.pinned.get(REPEAT, "null") != "null"

    @classmethod
    def of(cls, row: sa.RowMapping) -> Self:
        values = dict(row)
        values["recipients"] = tuple(values["recipients"])
        values["card_refs"] = load_refs(values["card_refs"])
        return cls(**values)


def insert(connection: sa.Connection, row: RuleRow) -> None:
    """Store a new rule."""
    connection.execute(rules.insert().values(_values(row)))


def get(connection: sa.Connection, rule_id: str) -> RuleRow | None:
    """Return one rule."""
    row = connection.execute(sa.select(rules).where(rules.c.rule_id == rule_id)).mappings().first()
    return None if row is None else RuleRow.of(row)


def by_number(connection: sa.Connection, number: int) -> RuleRow | None:
    """Return the rule with this number."""
    row = connection.execute(sa.select(rules).where(rules.c.number == number)).mappings().first()
    return None if row is None else RuleRow.of(row)


def next_number(connection: sa.Connection) -> int:
    """Return a number that no rule has had."""
    return (connection.execute(sa.select(sa.func.max(rules.c.number))).scalar() or 0) + 1


def in_state(connection: sa.Connection, *states: str, tool: str | None = None) -> list[RuleRow]:
    """Return the rules in these states, by number."""
    query = sa.select(rules).where(rules.c.state.in_(states)).order_by(rules.c.number)
    if tool is not None:
        query = query.where(rules.c.tool == tool)
    return [RuleRow.of(row) for row in connection.execute(query).mappings()]


def replace_row(connection: sa.Connection, old: RuleRow, new: RuleRow) -> bool:
    """Compare and set: return False if the rule no longer has the state, revision and uses of `old`."""
    where = (
        (rules.c.rule_id == old.rule_id)
        & (rules.c.state == old.state)
        & (rules.c.revision == old.revision)
        & (rules.c.uses == old.uses)
    )
    return bool(connection.execute(rules.update().where(where).values(_values(new))).rowcount)


def draft_of(connection: sa.Connection, approval_id: str) -> RuleRow | None:
    """Return the draft made from an approval that waits for its second confirmation."""
    where = (rules.c.made_from == approval_id) & (rules.c.state == RuleState.DRAFT)
    row = connection.execute(sa.select(rules).where(where)).mappings().first()
    return None if row is None else RuleRow.of(row)


def made_from(connection: sa.Connection, approval_id: str) -> RuleRow | None:
    """Return the recurring rule that an approved order created."""
    query = sa.select(rules).where(rules.c.made_from == approval_id).order_by(rules.c.number)
    found = (RuleRow.of(row) for row in connection.execute(query).mappings())
    return next((rule for rule in found if rule.repeats), None)


def origin(connection: sa.Connection, rule: RuleRow) -> ApprovalRow:
    """Return the approval that a rule was proposed from; the table ensures that there is one."""
    query = sa.select(approvals).where(approvals.c.approval_id == rule.made_from)
    return ApprovalRow.of(connection.execute(query).one())


def set_card_refs(connection: sa.Connection, rule_id: str, refs: Iterable[CardRef]) -> None:
    """Note which messages show a rule."""
    connection.execute(rules.update().where(rules.c.rule_id == rule_id).values(card_refs=dump_refs(refs)))


def rename_chat(connection: sa.Connection, old: str, new: str) -> list[RuleRow]:
    """Move a group's rules to its supergroup id, without their cards.

    Returns the drafts among them, whose cards must be sent again.
    """
    connection.execute(rules.update().where(rules.c.chat == old).values(chat=new, card_refs=[]))
    return [rule for rule in in_state(connection, RuleState.DRAFT) if rule.chat == new]


def _values(row: RuleRow) -> dict[str, object]:
    values = {column.name: getattr(row, column.name) for column in rules.columns}
    return {**values, "recipients": list(row.recipients), "card_refs": dump_refs(row.card_refs)}
