"""List approvals: implements `butler approvals`."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from approvals.context import Context
from approvals.people import Names
from approvals.reason_words import details_in_words, in_words
from approvals.states import State
from approvals.summary_lines import described
from butler.cli.database import reading
from butler.cli.offline import offline_approvals
from butler.cli.output import hanging, json_text
from butler.contract.reasons import dump_reasons
from butler.store.queries import approvals
from butler.store.queries.approvals import ApprovalRow

ID_SHOWN = 8
"""The shown prefix of an id, enough to tell ids apart; `approvals show` accepts it."""


def list_approvals(path: Path, states: Sequence[State], *, as_json: bool, limit: int | None) -> str:
    """Return the approvals in these states, the newest last."""
    context = offline_approvals(path)
    with reading(path) as connection:
        found = approvals.newest(connection, states, limit)
        names = Names(connection)
        lines = [] if as_json else [_line(context, row, names) for row in found]
    if as_json:
        return json_text([approval_json(row) for row in found])
    if not lines:
        return "Nothing is waiting for your yes." if list(states) == [State.PENDING] else "There is no such approval."
    return "\n".join(lines)


def _line(context: Context, row: ApprovalRow, names: Names) -> str:
    """Return an approval's time of request, its state, the beginning of its id, and what it is."""
    asked = row.created_at.astimezone(context.zone)
    lead = f"{asked:%Y-%m-%d %H:%M}  {row.state:10}  {row.approval_id[:ID_SHOWN]}  "
    return hanging(lead, described(context.invoker, row, names))


def approval_json(row: ApprovalRow) -> dict[str, Any]:
    """Return an approval for `--json`."""
    return {
        "approval_id": row.approval_id,
        "revision": row.revision,
        "state": row.state,
        "tool": row.tool,
        "identity": row.identity,
        "account": row.account,
        "chat": row.chat,
        "args": json.loads(row.args),
        "args_sha256": row.args_sha256,
        "recipients": list(row.recipients),
        "risk": row.risk,
        "reasons": [in_words(one) for one in row.reasons],
        "reason_codes": dump_reasons(row.reasons),
        "rule_id": row.rule_id,
        "created_at": row.created_at.isoformat(),
        "expires_at": row.expires_at.isoformat(),
        "decided_at": row.decided_at.isoformat() if row.decided_at else None,
        "decided_by": row.decided_by,
        "execute_at": row.execute_at.isoformat() if row.execute_at else None,
        "finished_at": row.finished_at.isoformat() if row.finished_at else None,
        "detail": details_in_words(row.detail),
        "detail_codes": dump_reasons(row.detail),
        "result": row.result,
    }
