"""Reads from a Gmail account's history what changed between the listing of mails and the run over them.

Gmail silently skips mails that are gone, and does not report labels that it did not have to change. Its history does,
for about a week; if it no longer reaches back to the listing, nothing is claimed.
"""

from collections.abc import AsyncIterator, Iterable, Sequence

from butler.contract.bulk import BulkItem, PreparedBulkContext
from butler.contract.bulk_adapter import answered, metadata_of
from butler.contract.errors import IntegrationErrorCode
from modules.email.bulk.gmail_calls import GmailAsking
from modules.email.integration_gmail_records import HISTORY, PROFILE, Change, ChangeKind, HistoryPage, Profile

CAME, WENT = "came", "went"
"""Keys for the action's labels that others added to or removed from a mail before the run began."""
_SINCE = "history"
_PAGE = 500


class GmailMeanwhile:
    """Reads the history from the mailbox's state when an order was listed."""

    def __init__(self, asking: GmailAsking) -> None:
        self._asking = asking

    async def begin(self, context: PreparedBulkContext) -> None:
        """Note the mailbox's history id before the first page of a listing; keep an id noted earlier."""
        place = metadata_of(context)
        if _SINCE not in place:
            answer = answered(await self._asking.call(context, PROFILE, {}))
            place[_SINCE] = Profile.model_validate(answer).history_id

    async def deleted(self, context: PreparedBulkContext) -> Sequence[str]:
        """Return the mails that were deleted for good since."""
        return [change.id async for change in self._changes(context, (ChangeKind.DELETED,))]

    async def relabelled(self, context: PreparedBulkContext) -> Sequence[BulkItem]:
        """Return the mails whose labels changed since, as far as the action uses them."""
        kinds = (ChangeKind.LABELLED, ChangeKind.UNLABELLED)
        labels = {*context.action_params["add"], *context.action_params["remove"]}
        states: dict[str, dict[str, bool]] = {}
        async for change in self._changes(context, kinds):
            if found := labels.intersection(change.labels):
                states.setdefault(change.id, {}).update(dict.fromkeys(found, change.kind is ChangeKind.LABELLED))
        return [BulkItem(one, one, {CAME: _those(now, True), WENT: _those(now, False)}) for one, now in states.items()]

    async def _changes(self, context: PreparedBulkContext, kinds: Iterable[ChangeKind]) -> AsyncIterator[Change]:
        start, cursor, more = metadata_of(context).get(_SINCE), None, True
        while start is not None and more:
            args = {"start": start, "kinds": list(kinds), "page_size": _PAGE}
            result = await self._asking.call(context, HISTORY, args, cursor)
            if result.error is not None and result.error.code is IntegrationErrorCode.NOT_FOUND:
                return
            for change in HistoryPage.model_validate(answered(result)).changes:
                yield change
            cursor = result.meta.next_cursor
            more = cursor is not None


def _those(states: dict[str, bool], wanted: bool) -> list[str]:
    return sorted(label for label, is_there in states.items() if is_there is wanted)
