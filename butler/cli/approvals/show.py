"""Show one approval, its card, revisions, attempts and audit entries: implements `butler approvals show`."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from approvals.card import build
from approvals.card_text import card_lines, rich_marks
from approvals.context import Context
from approvals.people import Names
from approvals.reason_words import details_in_words, in_words
from approvals.versions import changes_in, version
from approvals.visible import visible_line
from butler.cli.approvals.list import approval_json
from butler.cli.audit.log import entry_json, entry_line
from butler.cli.database import reading
from butler.cli.offline import offline_approvals
from butler.cli.output import counted, json_text
from butler.contract.card import Card, Rich
from butler.contract.errors import Refuse
from butler.contract.reasons import dump_reasons
from butler.store.queries import approvals, audit, revisions
from butler.store.queries.approvals import ApprovalRow, AttemptRow
from butler.store.queries.revisions import RevisionRow

MOST_ENTRIES = 10_000


@dataclass(frozen=True, slots=True)
class Record:
    """All that is known of an approval. `revisions` are its earlier versions, each with what the next one changed."""

    row: ApprovalRow
    card: Card
    revisions: Sequence[tuple[RevisionRow, Rich]]
    attempts: Sequence[AttemptRow]
    entries: Sequence[audit.AuditRow]


def show_approval(path: Path, beginning: str, *, as_json: bool) -> str:
    """Return one approval, by its id or a unique prefix of it; raise `Refuse` if there is none."""
    context = offline_approvals(path)
    with reading(path) as connection:
        record = _record(context, connection, the_one(connection, beginning))
    if as_json:
        return json_text(_json(record, context))
    return "\n".join(_lines(record, context))


def the_one(connection: sa.Connection, beginning: str) -> ApprovalRow:
    """Return the approval whose id is or begins so; raise `Refuse` if there is none, or more than one."""
    found = approvals.beginning_with(connection, beginning) if beginning else []
    if not found:
        raise Refuse(f"there is no approval {beginning!r}; `butler approvals --all` lists them")
    exact = [row for row in found if row.approval_id == beginning]
    if len(found) > 1 and not exact:
        ids = " and ".join(row.approval_id for row in found)
        raise Refuse(f"more than one approval begins with {beginning}, such as {ids}; write more of it")
    return (exact or found)[0]


def _record(context: Context, connection: sa.Connection, row: ApprovalRow) -> Record:
    names = Names(connection)
    changed = changes_in(connection, context.invoker, row, names, context.moment)
    return Record(
        row=row,
        card=build(context, row, names, (), context.clock.now(), changes=changed),
        revisions=list(_revisions(context, connection, row, names)),
        attempts=approvals.attempts_of(connection, row.approval_id),
        entries=audit.rows(connection, row.approval_id, MOST_ENTRIES)[::-1],
    )


def _revisions(
    context: Context, connection: sa.Connection, row: ApprovalRow, names: Names
) -> Iterator[tuple[RevisionRow, Rich]]:
    for number in range(1, row.revision):
        kept = revisions.get(connection, row.approval_id, number)
        following = row if number + 1 == row.revision else version(connection, context.invoker, row, number + 1)
        if kept is not None and following is not None:
            yield kept, changes_in(connection, context.invoker, following, names, context.moment)


def _lines(record: Record, context: Context) -> Iterator[str]:
    row = record.row
    yield f"{row.approval_id}, revision {row.revision}, {row.state}\n"
    yield _card_text(record.card, context)
    if record.revisions:
        yield "\nWhat was changed"
    for kept, changed in record.revisions:
        at = context.wall_time(kept.replaced_at)
        yield f"  Revision {kept.revision} became {kept.revision + 1} at {at}:"
        yield f"    {rich_marks(changed)}".replace("\n", "\n    ")
    yield f"\n{counted(len(record.attempts), 'attempt', 'attempts') if record.attempts else 'No attempt'}"
    for attempt in record.attempts:
        detail = f": {visible_line(details_in_words(attempt.detail))}" if attempt.detail else ""
        at = context.wall_time(attempt.started_at)
        yield f"  {attempt.number}. begun at {at}, {attempt.outcome or 'not ended'}{detail}"
    yield "\nIn the audit log"
    yield from (entry_line(entry, context.zone) for entry in record.entries)


def _card_text(card: Card, context: Context) -> str:
    lines = [*card_lines(card)]
    if card.expires_at is not None:
        lines.append(f"It waits until {context.wall_time(card.expires_at)}.")
    return "\n".join(lines)


def _json(record: Record, context: Context) -> dict[str, Any]:
    return {
        **approval_json(record.row),
        "labels": record.row.labels,
        "requested_by": record.row.requested_by,
        "card": _card_text(record.card, context),
        "revisions": [
            {
                "revision": kept.revision,
                "args": json.loads(kept.args),
                "args_sha256": kept.args_sha256,
                "reasons": [in_words(one) for one in kept.reasons],
                "replaced_by": kept.replaced_by,
                "replaced_at": kept.replaced_at.isoformat(),
                "changed": rich_marks(changed),
            }
            for kept, changed in record.revisions
        ],
        "attempts": [
            {
                "number": attempt.number,
                "started_at": attempt.started_at.isoformat(),
                "ended_at": attempt.ended_at.isoformat() if attempt.ended_at else None,
                "outcome": attempt.outcome,
                "detail": details_in_words(attempt.detail),
                "detail_codes": dump_reasons(attempt.detail),
                "provider_ref": attempt.provider_ref,
            }
            for attempt in record.attempts
        ],
        "audit": [entry_json(entry) for entry in record.entries],
    }
