"""Approvals and their attempts as rows. What may follow a decision is defined in `approvals`, not here.

Statements on the way from a tap to its effect are built once: building one costs several times what running it does.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Self, TypedDict, Unpack

import sqlalchemy as sa

from butler.contract.card import MessageRef
from butler.contract.reasons import Reason, dump_reasons, load_reasons
from butler.store.tables import approvals, attempts, buttons

SHOW_CARD = "show_card"
EXECUTE = "execute_approval"
EXPIRE = "expire_approval"
REMIND = "remind_approval"
RECENT = 300


_BY_ID = sa.select(approvals).where(approvals.c.approval_id == sa.bindparam("key"))
_BY_CALL = sa.select(approvals).where(approvals.c.call_id == sa.bindparam("key"))
_MOVE = (
    approvals.update()
    .where(
        approvals.c.approval_id == sa.bindparam("of_id"),
        approvals.c.revision == sa.bindparam("of_revision"),
        approvals.c.state == sa.bindparam("of_state"),
    )
    .returning(*approvals.columns)
)
_REASONS, _RECIPIENTS, _CARD_REFS = map(list(approvals.c.keys()).index, ("reasons", "recipients", "card_refs"))
_START_ATTEMPT = attempts.insert()
_LAST_ATTEMPT = (
    sa.select(attempts).where(attempts.c.approval_id == sa.bindparam("key")).order_by(attempts.c.number.desc()).limit(1)
)


@dataclass(frozen=True, slots=True)
class CardRef:
    """A message that shows an approval, and the revision it shows."""

    revision: int
    message: MessageRef
    retired: bool = False
    """Whether the message already says that a newer version replaced it, or that it was withdrawn."""
    leaving: bool = False
    """Whether the card was sent again further down: then this message is to be deleted, or to say so."""


@dataclass(frozen=True, slots=True)
class ApprovalRow:
    """An approval. `args` is canonical JSON; `labels` holds the serialized origins of each argument.

    `result` is `{"data": ...}` on success, or `{"error": ...}`; None before the end.
    """

    approval_id: str
    revision: int
    state: str
    tool: str
    identity: str
    account: str
    args: str
    args_sha256: str
    labels: dict[str, Any]
    reasons: tuple[Reason, ...]
    chat: str
    requested_by: str
    plan_id: str | None
    step_id: int | None
    call_id: str
    contract_digest: str
    created_at: datetime
    expires_at: datetime
    decided_at: datetime | None = None
    decided_by: str | None = None
    execute_at: datetime | None = None
    finished_at: datetime | None = None
    detail: tuple[Reason, ...] = ()
    """Why it waits, or how it ended."""
    result: dict[str, Any] | None = None
    card_refs: tuple[CardRef, ...] = ()
    risk: str = "high"
    recipients: tuple[str, ...] = ()
    bound: str = ""
    """The people and files that its card showed, as `bindings.bound_to` returns them; empty if not recorded."""
    rule_id: str | None = None
    rule_digest: str | None = None
    batch_id: str | None = None
    not_before: datetime | None = None
    """The execution time that its card shows; None for immediate execution."""

    def wait(self, now: datetime) -> timedelta | None:
        """How long it still waits for its execution; None if it waits for the time that its card shows."""
        if self.execute_at is None or (self.state == "approved" and self.execute_at == self.not_before):
            return None
        return max(self.execute_at - now, timedelta())

    @classmethod
    def of(cls, row: Sequence[Any]) -> Self:
        """Build the approval from all columns of the table, in the order of the fields."""
        values = list(row)
        values[_REASONS], values[_RECIPIENTS] = load_reasons(values[_REASONS]), tuple(values[_RECIPIENTS])
        values[_CARD_REFS] = load_refs(values[_CARD_REFS])
        return cls(*values)


class Changes(TypedDict, total=False):
    """The columns that a change of state may set."""

    decided_at: datetime
    decided_by: str
    execute_at: datetime
    finished_at: datetime
    detail: Sequence[Reason]
    result: dict[str, Any] | None


@dataclass(frozen=True, slots=True)
class AttemptRow:
    """One attempt. `outcome` is None while its outcome is unknown."""

    attempt_id: str
    approval_id: str
    number: int
    token: str
    progress: dict[str, str]
    started_at: datetime
    ended_at: datetime | None = None
    outcome: str | None = None
    detail: tuple[Reason, ...] = ()
    provider_ref: str = ""
    epoch: int = 0
    """The epoch of the daemon that began it."""


def insert(connection: sa.Connection, row: ApprovalRow) -> None:
    """Store a new approval."""
    values = {column.name: getattr(row, column.name) for column in approvals.columns}
    connection.execute(
        approvals.insert().values(
            {
                **values,
                "reasons": dump_reasons(row.reasons),
                "recipients": list(row.recipients),
                "card_refs": dump_refs(row.card_refs),
            }
        )
    )


def get(connection: sa.Connection, approval_id: str) -> ApprovalRow | None:
    """Return one approval."""
    return _one(connection, _BY_ID, approval_id)


def by_call(connection: sa.Connection, call_id: str) -> ApprovalRow | None:
    """Return the approval of a call."""
    return _one(connection, _BY_CALL, call_id)


def by_token(connection: sa.Connection, token: str) -> ApprovalRow | None:
    """Return the approval with an attempt under this token of the provider's."""
    found = connection.execute(sa.select(attempts.c.approval_id).where(attempts.c.token == token).limit(1)).scalar()
    return None if found is None else get(connection, found)


def in_state(connection: sa.Connection, *states: str) -> list[ApprovalRow]:
    """Return the approvals in these states, oldest first."""
    return _many(connection, approvals.c.state.in_(states))


def any_waits(connection: sa.Connection, chat: str, now: datetime) -> bool:
    """Return whether an approval of a chat waits for the owner's answer."""
    waits = (approvals.c.state == "pending") & (approvals.c.chat == chat) & (approvals.c.expires_at > now)
    return connection.execute(sa.select(sa.exists().where(waits))).scalar_one()


def newest(connection: sa.Connection, states: Iterable[str], limit: int | None = None) -> list[ApprovalRow]:
    """Return the newest approvals in these states, at most `limit`, oldest first."""
    query = sa.select(approvals).where(approvals.c.state.in_(states)).limit(limit)
    query = query.order_by(approvals.c.created_at.desc(), approvals.c.approval_id.desc())
    return [ApprovalRow.of(row) for row in connection.execute(query)][::-1]


def beginning_with(connection: sa.Connection, beginning: str, limit: int = 2) -> list[ApprovalRow]:
    """Return some approvals whose id has this prefix, in the order of their ids."""
    where = [approvals.c.approval_id.startswith(beginning, autoescape=True)]
    if connection.dialect.name == "sqlite":
        # LIKE does not use the index there; ids compare as their characters do.
        where += [
            approvals.c.approval_id >= beginning.lower(),
            approvals.c.approval_id < f"{beginning.lower()}\U0010ffff",
        ]
    query = sa.select(approvals).where(*where).order_by(approvals.c.approval_id).limit(limit)
    return [ApprovalRow.of(row) for row in connection.execute(query)]


def count_by_state(connection: sa.Connection) -> dict[str, int]:
    """Count the approvals in each state that has any."""
    rows = connection.execute(sa.select(approvals.c.state, sa.func.count()).group_by(approvals.c.state))
    return {row[0]: row[1] for row in rows}


def requested_by(connection: sa.Connection, inbound_id: str) -> list[ApprovalRow]:
    """Return the approvals that one inbound item asked for, oldest first."""
    return _many(connection, approvals.c.requested_by == inbound_id)


def recent_in(connection: sa.Connection, chat: str) -> list[ApprovalRow]:
    """Return the newest approvals of a chat, the newest first."""
    newest = sa.select(approvals).order_by(approvals.c.created_at.desc(), approvals.c.approval_id).limit(RECENT)
    # Each query alone is read from the index in its order; a combined one would be sorted.
    found = [
        ApprovalRow.of(row)
        for one in dict.fromkeys((chat, ""))
        for row in connection.execute(newest.where(approvals.c.chat == one))
    ]
    return sorted(sorted(found, key=lambda row: row.approval_id), key=lambda row: row.created_at, reverse=True)[:RECENT]


def acts_since(
    connection: sa.Connection, start: datetime, *, apart_from: str, also_approved: bool
) -> list[tuple[str, tuple[str, ...]]]:
    """Return tool and recipients of each other approval whose first attempt began at `start` or later.

    With `also_approved`, include those that are approved and not begun.
    """
    begun = (attempts.c.approval_id == approvals.c.approval_id) & (attempts.c.number == 1)
    counts = attempts.c.started_at >= start
    if also_approved:
        counts |= (approvals.c.state == "approved") & attempts.c.started_at.is_(None)
    query = (
        sa.select(approvals.c.tool, approvals.c.recipients)
        .select_from(approvals.outerjoin(attempts, begun))
        .where(counts, approvals.c.approval_id != apart_from)
    )
    return [(tool, tuple(recipients)) for tool, recipients in connection.execute(query)]


def begun_after(connection: sa.Connection, at: datetime, apart_from: str = "") -> bool:
    """Return whether execution of any other call decided after a moment has begun."""
    begun = approvals.c.state.in_(("executing", "done", "failed", "unknown")) & (approvals.c.call_id != apart_from)
    return (
        connection.execute(sa.select(approvals.c.approval_id).where(begun, approvals.c.decided_at > at)).first()
        is not None
    )


def move(
    connection: sa.Connection, approval_id: str, revision: int, old: str, new: str, **changes: Unpack[Changes]
) -> ApprovalRow | None:
    """Compare and set: move from the state `old` of this revision to `new`; return the new row, None on a mismatch."""
    where = {"of_id": approval_id, "of_revision": revision, "of_state": old}
    row = connection.execute(_MOVE, {**where, "state": new, **changes}).first()
    return None if row is None else ApprovalRow.of(row)


def note_wait(connection: sa.Connection, approval_id: str, *, execute_at: datetime, detail: Sequence[Reason]) -> None:
    """Note what an execution waits for, and when it may continue."""
    connection.execute(
        approvals.update().where(approvals.c.approval_id == approval_id).values(execute_at=execute_at, detail=detail)
    )


def put_off(connection: sa.Connection, approval_id: str, expires_at: datetime) -> None:
    """Postpone an approval's execution."""
    connection.execute(approvals.update().where(approvals.c.approval_id == approval_id).values(expires_at=expires_at))


def warn(connection: sa.Connection, approval_id: str, warning: Reason) -> bool:
    """Note a warning on a waiting approval; return False if it has one, or no longer waits."""
    waits = (approvals.c.state == "pending") & (approvals.c.detail == "")
    changed = connection.execute(
        approvals.update().where(approvals.c.approval_id == approval_id, waits).values(detail=(warning,))
    )
    return bool(changed.rowcount)


def warn_also(connection: sa.Connection, approval_id: str, warning: Reason) -> bool:
    """Add a warning to those of a waiting approval; return False if it no longer waits, or has this one."""
    waits = approvals.c.approval_id == approval_id, approvals.c.state == "pending"
    known = connection.execute(sa.select(approvals.c.detail).where(*waits)).scalar()
    if known is None or warning in known:
        return False
    connection.execute(approvals.update().where(*waits).values(detail=(*known, warning)))
    return True


def set_card_refs(connection: sa.Connection, approval_id: str, refs: Iterable[CardRef]) -> None:
    """Note which messages show an approval."""
    connection.execute(
        approvals.update().where(approvals.c.approval_id == approval_id).values(card_refs=dump_refs(refs))
    )


def rename_chat(connection: sa.Connection, old: str, new: str) -> list[str]:
    """Move a group's approvals and buttons to its supergroup id.

    The messages stay in the old chat and cannot be edited any more, so they are forgotten. Returns the moved approvals.
    """
    moved = connection.execute(sa.select(approvals.c.approval_id).where(approvals.c.chat == old)).scalars().all()
    connection.execute(approvals.update().where(approvals.c.chat == old).values(chat=new, card_refs=[]))
    connection.execute(buttons.update().where(buttons.c.chat == old).values(chat=new))
    return list(moved)


def send_home(connection: sa.Connection, approval_id: str) -> None:
    """Show an approval from now on in the current owner's own chat, on a card of its own."""
    here = approvals.c.approval_id == approval_id
    connection.execute(approvals.update().where(here).values(chat="", card_refs=[], batch_id=None))


def start_attempt(connection: sa.Connection, row: AttemptRow) -> None:
    """Store an attempt before it begins."""
    connection.execute(_START_ATTEMPT, {c.name: getattr(row, c.name) for c in attempts.columns})


def last_attempt(connection: sa.Connection, approval_id: str) -> AttemptRow | None:
    """Return the newest attempt of an approval."""
    row = connection.execute(_LAST_ATTEMPT, {"key": approval_id}).mappings().first()
    return None if row is None else AttemptRow(**row)


def attempts_of(connection: sa.Connection, approval_id: str) -> list[AttemptRow]:
    """Return all attempts of an approval, the oldest first."""
    query = sa.select(attempts).where(attempts.c.approval_id == approval_id).order_by(attempts.c.number)
    return [AttemptRow(**row) for row in connection.execute(query).mappings()]


def was_repeated(connection: sa.Connection, approval_id: str) -> bool:
    """Return whether an attempt of an approval ended unclear, and was repeated."""
    where = (attempts.c.approval_id == approval_id) & (attempts.c.outcome == "repeat")
    return connection.execute(sa.select(attempts.c.attempt_id).where(where).limit(1)).first() is not None


def deferrals(connection: sa.Connection, approval_id: str) -> int:
    """Count the attempts at which the provider asked to retry later."""
    where = (attempts.c.approval_id == approval_id) & (attempts.c.outcome == "deferred")
    return connection.execute(sa.select(sa.func.count()).where(where)).scalar_one()


def end_attempt(
    connection: sa.Connection,
    attempt_id: str,
    outcome: str,
    *,
    now: datetime,
    detail: Sequence[Reason],
    provider_ref: str,
) -> None:
    """Store the outcome of an attempt."""
    connection.execute(
        attempts.update()
        .where(attempts.c.attempt_id == attempt_id)
        .values(outcome=outcome, ended_at=now, detail=detail, provider_ref=provider_ref)
    )


def note_progress(connection: sa.Connection, attempt_id: str, notes: Mapping[str, str]) -> dict[str, str]:
    """Add to the notes of an attempt; return all of them."""
    where = attempts.c.attempt_id == attempt_id
    known = connection.execute(sa.select(attempts.c.progress).where(where)).scalar_one()
    merged: dict[str, str] = {**known, **notes}
    connection.execute(attempts.update().where(where).values(progress=merged))
    return merged


def _one(connection: sa.Connection, query: sa.Select[Any], key: str) -> ApprovalRow | None:
    row = connection.execute(query, {"key": key}).first()
    return None if row is None else ApprovalRow.of(row)


def _many(connection: sa.Connection, where: sa.ColumnElement[bool]) -> list[ApprovalRow]:
    query = sa.select(approvals).where(where).order_by(approvals.c.created_at, approvals.c.approval_id)
    return [ApprovalRow.of(row) for row in connection.execute(query)]


def dump_refs(refs: Iterable[CardRef]) -> list[dict[str, Any]]:
    """Serialize the references for the database."""
    return [
        {
            "revision": ref.revision,
            "message": ref.message.model_dump(mode="json"),
            "retired": ref.retired,
            "leaving": ref.leaving,
        }
        for ref in refs
    ]


def load_refs(stored: Iterable[Mapping[str, Any]]) -> tuple[CardRef, ...]:
    """Load serialized references."""
    return tuple(
        CardRef(
            ref["revision"],
            MessageRef.model_validate(ref["message"]),
            retired=ref.get("retired", False),
            leaving=ref.get("leaving", False),
        )
        for ref in stored
    )
