"""Hard limits: how much may be done per day, whatever allows it. Counted from the rows of acts."""

from collections.abc import Iterator, Sequence
from datetime import datetime, time
from fnmatch import fnmatchcase
from zoneinfo import ZoneInfo

import sqlalchemy as sa

from approvals.address import plain_address
from approvals.context import Context
from butler.contract.names import Direction
from butler.contract.reasons import Reason, ReasonCode, reason
from butler.store.queries import approvals, contacts
from butler.tool_invoker import ToolInvoker, UnknownToolError
from config.approvals import Limit

Acts = Sequence[tuple[str, tuple[str, ...]]]
"""The tool and the recipients of each act."""


def exceeded(
    context: Context,
    connection: sa.Connection,
    *,
    tool: str,
    recipients: Sequence[str],
    now: datetime,
    apart_from: str = "",
) -> Reason | None:
    """Return why a call would exceed an `[[approvals.limit]]`; None if it would not, as for any read.

    Counts the acts whose first attempt began on the owner's current day, through any account. For a new request,
    approved acts that have not begun count as well. At the claim of an approval, named by `apart_from`, only acts that
    have begun count: so approved acts are done in their turn until the limit is reached.
    """
    limits = [limit for limit in context.settings.limit if fnmatchcase(tool, limit.tool)]
    if not limits or _only_reads(context.invoker, tool):
        return None
    start = start_of_day(now, context.zone)
    acts = approvals.acts_since(connection, start, apart_from=apart_from, also_approved=not apart_from)
    acts = [(done, reached) for done, reached in acts if not _only_reads(context.invoker, done)]
    reached = {contacts.normal(address): address for address in recipients}
    return next((why for limit in limits for why in _beyond(limit, acts, list(reached.values()))), None)


def start_of_day(now: datetime, zone: ZoneInfo) -> datetime:
    """Return the first moment of the current day in `zone`, as an instant; a day may have 23 or 25 hours."""
    return datetime.combine(now.astimezone(zone).date(), time(), zone).astimezone(now.tzinfo)


def _beyond(limit: Limit, acts: Acts, recipients: Sequence[str]) -> Iterator[Reason]:
    if limit.recipients is not None and len(recipients) > limit.recipients:
        yield reason(ReasonCode.LIMIT_OF_RECIPIENTS, count=len(recipients), limit=limit.recipients, tool=limit.tool)
    counted = [{contacts.normal(address) for address in reached} for tool, reached in acts if _counts(limit, tool)]
    if limit.per_day is not None and len(counted) >= limit.per_day:
        yield reason(ReasonCode.LIMIT_PER_DAY, limit=limit.per_day, tool=limit.tool)
    if limit.per_recipient is not None:
        for address in recipients:
            if sum(contacts.normal(address) in reached for reached in counted) >= limit.per_recipient:
                to = plain_address(address)
                yield reason(ReasonCode.LIMIT_PER_RECIPIENT, to=to, limit=limit.per_recipient, tool=limit.tool)


def _counts(limit: Limit, tool: str) -> bool:
    return fnmatchcase(tool, limit.tool)


def _only_reads(invoker: ToolInvoker, tool: str) -> bool:
    try:
        return invoker.spec(tool).direction is Direction.INPUT
    except UnknownToolError:
        # The acts of a removed tool still count.
        return False
