"""Buttons as rows, found by the hash of their nonce: the meaning of a nonce is never read from the tap."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

import sqlalchemy as sa

from butler.store.queries.approvals import ApprovalRow
from butler.store.tables import approvals, buttons

_ADD = buttons.insert()
_BY_NONCE = sa.select(buttons).where(buttons.c.nonce_sha256 == sa.bindparam("nonce"))
_PRESSED = (
    sa.select(buttons, approvals)
    .select_from(buttons.outerjoin(approvals, buttons.c.subject == approvals.c.approval_id))
    .where(buttons.c.nonce_sha256 == sa.bindparam("nonce"))
)
_WIDTH = len(buttons.columns)
_USE = buttons.update().where(buttons.c.nonce_sha256 == sa.bindparam("nonce"), buttons.c.used_at.is_(None))


class ButtonKind(StrEnum):
    """What a button belongs to: the table of its subject."""

    APPROVAL = "approval"
    RULE = "rule"
    BATCH = "batch"
    MAIL = "mail"
    """A word and the code of a card's email fallback; the subject is the approval."""
    BULK = "bulk"


@dataclass(frozen=True, slots=True)
class ButtonRow:
    """The meaning of a nonce. `argument` is the verb's own, such as a number of days."""

    nonce_sha256: str
    kind: str
    subject: str
    revision: int
    verb: str
    argument: str
    owner: str
    chat: str
    created_at: datetime
    used_at: datetime | None = None


def add(connection: sa.Connection, row: ButtonRow) -> None:
    """Store a button before it is shown."""
    connection.execute(_ADD, {column.name: getattr(row, column.name) for column in buttons.columns})


def get(connection: sa.Connection, nonce_sha256: str) -> ButtonRow | None:
    """Return the button with this nonce."""
    row = connection.execute(_BY_NONCE, {"nonce": nonce_sha256}).first()
    return None if row is None else ButtonRow(*row)


def pressed(connection: sa.Connection, nonce_sha256: str) -> tuple[ButtonRow | None, ApprovalRow | None]:
    """Return the button with this nonce, and its approval, if it belongs to one."""
    row = connection.execute(_PRESSED, {"nonce": nonce_sha256}).first()
    if row is None:
        return None, None
    button, approval = row[:_WIDTH], row[_WIDTH:]
    return ButtonRow(*button), ApprovalRow.of(approval) if approval[0] is not None else None


def use(connection: sa.Connection, nonce_sha256: str, now: datetime) -> bool:
    """Use a button up; return False if it already was."""
    return bool(connection.execute(_USE, {"nonce": nonce_sha256, "used_at": now}).rowcount)


def was_used(connection: sa.Connection, kind: ButtonKind, subject: str, verb: str, argument: str = "") -> bool:
    """Return whether a button of this verb, with this argument, was ever used."""
    where = (buttons.c.kind == kind.value) & (buttons.c.subject == subject) & (buttons.c.verb == verb)
    where &= buttons.c.argument == argument
    query = sa.select(buttons.c.nonce_sha256).where(where, buttons.c.used_at.is_not(None)).limit(1)
    return connection.execute(query).first() is not None
