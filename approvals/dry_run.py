"""Dry-runs a stored call: reports what it would do with the arguments that its card shows. It decides nothing.

The handler of a local output is not called, `call()` stops a remote output before its request, and a read is not made
at all: its card asks for permission to read.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime

import sqlalchemy as sa
import structlog

from approvals.card import acting_as, frozen_of, shown_of
from approvals.context import Context
from approvals.frozen import ChangedSinceShownError, thaw
from approvals.outcome_text import outcome
from approvals.people import Names
from approvals.states import State
from approvals.summary_lines import described, whom
from approvals.visible import visible_line
from butler.contract.names import Direction
from butler.contract.speech import phrase, say
from butler.contract.tools import Preview, ToolCall, ToolSpec
from butler.store.queries import approvals
from butler.store.queries.approvals import ApprovalRow
from butler.tool_invoker import UnknownToolError

log = structlog.get_logger(__name__)

NOTHING_DONE = phrase("This was a dry run: nothing was done, and the card waits as before.")
NONE_WAITS = phrase("No card is waiting, so there is nothing to show. Nothing was done.")
WHICH = phrase("Which one? Reply to its card with “dry run”; /pending brings it down. Nothing was done.")
NOT_TRIED = phrase("It could not be tried further than that.")
TEXT, FACT, FACTS, LISTED = 300, 200, 12, 8
"""Limits: characters of the text and of a fact, facts, and cards in a list."""


def waiting(connection: sa.Connection, now: datetime) -> Sequence[ApprovalRow]:
    """Return the approvals that wait for the owner's answer, in the order of their requests."""
    return [row for row in approvals.in_state(connection, State.PENDING) if now < row.expires_at]


def which(context: Context, connection: sa.Connection, rows: Sequence[ApprovalRow]) -> str:
    """List the waiting approvals, one per line, for when the owner's words do not single one out."""
    if not rows:
        return say(NONE_WAITS)
    names = Names(connection)
    lines = [f"{number}. {described(context.invoker, row, names)}" for number, row in enumerate(rows[:LISTED], 1)]
    head = say("{count} waiting for your yes:", count=len(rows))
    return "\n".join([head, *lines, *(["…"] if len(rows) > LISTED else []), say(WHICH)])


async def dry_run(context: Context, approval_id: str) -> str:
    """Return in one message what a stored call would do, or that it no longer waits."""
    now = context.clock.now()
    row, names = await context.store.look(lambda c: (approvals.get(c, approval_id), Names(c)))
    if row is None or row.state != State.PENDING or now >= row.expires_at:
        became = outcome(context, row, now) if row is not None else ""
        return " ".join(filter(None, (say("This no longer waits."), became)))
    try:
        spec = context.invoker.spec(row.tool)
        args = thaw(spec, frozen_of(row))
    except (UnknownToolError, ChangedSinceShownError):
        return say("It could not be done as it stands: what is stored is no longer what the card showed.")
    call = ToolCall(row.tool, args, row.call_id, row.approval_id, account=row.account, dry_run=True)
    effect, refused = await _tried(context, spec, call)
    preview = shown_of(context.invoker, row)
    lines = _lines(context, row, preview, names)
    return "\n".join([effect or visible_line(preview.effect), *lines, *_by(spec), *refused, say(NOTHING_DONE)])


async def _tried(context: Context, spec: ToolSpec, call: ToolCall) -> tuple[str, Sequence[str]]:
    """Return the dry run's words on the effect, or empty; and why the call would be refused, if it would be."""
    if spec.direction is Direction.INPUT:
        return "", ()
    try:
        result = await context.invoker.invoke(call)
    except Exception as error:  # noqa: BLE001 - the boundary to a module's code: its kind is recorded
        log.warning("dry_run_failed", tool=call.tool, kind=type(error).__name__)
        return "", (say(NOT_TRIED),)
    if result.error is not None:
        return "", (say("As it stands, it would fail: {why}", why=visible_line(result.error.message)),)
    return visible_line(str((result.data or {}).get("would", ""))), ()


def _lines(context: Context, row: ApprovalRow, preview: Preview, names: Names) -> Iterator[str]:
    """Yield who acts, whom the call reaches and what it holds, made harmless as on the card."""
    yield _line(say("As"), acting_as(context.invoker, row))
    if row.not_before is not None:
        yield _line(say("Not before"), context.moment(row.not_before))
    if to := whom(preview, names):
        yield say("Reaches {count}: ", count=len(preview.recipients)) + to
    if preview.subject:
        yield _line(preview.subject_label or say("Subject"), _cut(preview.subject, FACT))
    if preview.body:
        yield _line(say("Text"), _cut(preview.body, TEXT))
    for label, value in (*preview.facts, *preview.passing)[:FACTS]:
        yield _line(visible_line(label), _cut(value, FACT))
    if preview.attachments:
        yield _line(say("File"), ", ".join(visible_line(one.name) for one in preview.attachments[:FACTS]))


def _by(spec: ToolSpec) -> Iterator[str]:
    """Yield the method that would be called, and whether it reads or changes something."""
    method = f"{spec.adapter_id} {spec.adapter_operation}" if spec.adapter_operation else spec.tool_name
    if spec.direction is Direction.INPUT:
        yield say("It would only read, by {method}.", method=method)
    else:
        yield say("It would be done by {method}.", method=method)


def _line(label: str, value: str) -> str:
    return say("{label}: ", label=label) + value


def _cut(text: str, limit: int) -> str:
    flat = visible_line(" ".join(text.split()))
    return flat if len(flat) <= limit else f"{flat[: limit - 1].rstrip()}…"
