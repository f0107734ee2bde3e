"""Decides whether a waiting call can be approved: its card must show what the call would do, in the tool's own words.

A card of bare arguments shows what a call contains, not what it does, so it has no Approve button.
"""

from approvals.card import frozen_of
from approvals.frozen import ChangedSinceShownError, thaw
from approvals.preview import NoWordsError, has_words, preview_of
from butler.contract.reasons import Reason, ReasonCode, of_error
from butler.store.queries.approvals import ApprovalRow
from butler.tool_invoker import ToolInvoker, UnknownToolError


def unapprovable(invoker: ToolInvoker, row: ApprovalRow) -> Reason | None:
    """Return why a stored call cannot be approved as its card would show it now; None if it can."""
    try:
        spec = invoker.spec(row.tool)
        args = thaw(spec, frozen_of(row))
        preview_of(spec, args)
    except (UnknownToolError, ChangedSinceShownError, NoWordsError) as error:
        return of_error(error)
    return None if has_words(spec, args) else Reason(ReasonCode.NO_WORDS)
