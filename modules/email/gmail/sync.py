"""Brings a Gmail account into the mirror, page by page; each page and the position after it are one transaction.

The history reports new, removed and relabelled mails. The rest is listed by date, newest first: all mails at first, and
after a 404 those since the history was last known. The id from which the history continues is read before anything is
listed, so that no change is lost: `docs/decisions/0013-gmail-by-history.md`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import structlog

from butler.contract.errors import IntegrationErrorCode
from butler.contract.integration import READS, IntegrationResult
from butler.contract.mirror import MirrorUpdate, Removal, SeenMessage
from butler.contract.module import ModuleContext
from butler.contract.polling import PollError, PollStep
from butler.contract.speech import say, say_date
from modules._accounts.google_client import MOST_AT_ONCE
from modules.email.config import GmailSettings
from modules.email.gmail.changes import UNSEEN, net_of
from modules.email.gmail.mapper import CHANNEL, GmailMapper, at_of, chat_of
from modules.email.gmail.position import HistoryPosition, Listing
from modules.email.gmail.quota import UNITS
from modules.email.integration_gmail import GmailIntegration
from modules.email.integration_gmail_records import (
    GET,
    GET_MANY,
    HISTORY,
    LIST,
    PROFILE,
    Got,
    GotMany,
    HistoryPage,
    Listed,
    Profile,
)
from modules.email.parsing.reader import MailReader
from modules.email.user_reports import hand_over

log = structlog.get_logger(__name__)

_TIMEOUT_MS = 240_000
_MOST_IDS = 500
_OVERLAP = timedelta(days=1)
"""How far a gap's search overlaps the last look, as mails are dated by the server that delivers them."""
_PRUNE_EVERY = timedelta(days=1)
_UNSETTLED = timedelta(minutes=10)
"""Younger mails may still be missing in Gmail's search results."""


@dataclass(frozen=True, slots=True)
class _Page:
    """The next page of a list, the query of the list, and the oldest order of the previous page."""

    token: str
    query: str
    reached: int | None


class GmailSync:
    """Syncs one account. Implements `Poll`; its steps run one after another."""

    def __init__(
        self,
        account: str,
        settings: GmailSettings,
        integration: GmailIntegration,
        reader: MailReader,
        context: ModuleContext,
    ) -> None:
        self._account = account
        self._settings = settings
        self._integration = integration
        self._context = context
        self._reader = reader
        self._mapper = GmailMapper(account, context.storage.mirror, reader)
        self._cursor = f"gmail.user.{account}"
        self._page_size = max(1, min(MOST_AT_ONCE, integration.budget.in_background // UNITS["messages.get"]))
        self._page: _Page | None = None
        self._next_look = self._next_prune = context.clock.monotonic()
        self._standing: HistoryPosition | None = None
        self._known_mailbox = False

    @property
    def progress(self) -> str:
        """The progress, in a sentence for the owner; empty if there is nothing to say."""
        standing = self._standing
        if standing is None or standing.listing is None:
            return standing.note if standing else ""
        listing = standing.listing
        if listing.before:
            return say(
                "bringing in your mails: {count} so far, back to {day}", count=listing.kept, day=_day(listing.before)
            )
        return say("bringing in your mails: {count} so far", count=listing.kept)

    def signed_in(self) -> None:
        """Check the mailbox again: new credentials may open another one."""
        self._known_mailbox = False

    async def step(self) -> PollStep:
        """Process one page: of the history if it is due or no listing is open. Raise `PollError`."""
        standing = await self._position()
        if standing.listing is None or self._context.clock.monotonic() >= self._next_look:
            await self._catch_up(standing)
        else:
            await self._list(standing, standing.listing)
        assert self._standing is not None, "every step leaves a standing"
        await self._prune()
        return PollStep(more=self._standing.listing is not None or self._context.clock.monotonic() >= self._next_look)

    # Position

    async def _position(self) -> HistoryPosition:
        if self._standing is not None and self._known_mailbox:
            return self._standing
        stored = await self._context.storage.cursors.get(self._cursor)
        standing = HistoryPosition.model_validate_json(stored) if stored else None
        profile = Profile.model_validate((await self._call(PROFILE, {})).data)
        if standing is not None and standing.address != profile.address:
            forgotten = await self._mapper.forget_all()
            log.warning("gmail_other_mailbox", account=self._account, forgotten=forgotten)
            standing = None
        if standing is None:
            now = self._context.clock.now()
            standing = HistoryPosition(
                address=profile.address,
                history_id=profile.history_id,
                looked_at=now,
                listing=Listing(since=self._oldest(now)),
            )
            await self._keep(standing, await self._mapper.batch(()))
        self._standing, self._known_mailbox, self._page = standing, True, None
        return standing

    async def _keep(self, standing: HistoryPosition, batch: MirrorUpdate) -> int:
        new = await self._context.storage.mirror.keep(batch, cursor=(self._cursor, standing.text()))
        self._standing = standing
        return new

    async def _prune(self) -> None:
        """Once a day, remove mails older than `sync_days`."""
        now, days = self._context.clock.now(), self._settings.sync_days
        if days and self._context.clock.monotonic() >= self._next_prune:
            pruned = await self._context.storage.mirror.prune(CHANNEL, self._account, at_of(self._oldest(now) * 1000))
            log.info("gmail_pruned", account=self._account, mails=pruned)
            self._next_prune = self._context.clock.monotonic() + _PRUNE_EVERY.total_seconds()

    def _oldest(self, now: datetime) -> int:
        days = self._settings.sync_days
        return int((now - timedelta(days=days)).timestamp()) if days else 0

    # History

    async def _catch_up(self, standing: HistoryPosition) -> None:
        result = await self._call(HISTORY, {"start": standing.history_id}, missing=True)
        if result.data is None:
            await self._restart(standing)
            return
        page = HistoryPage.model_validate(result.data)
        now, last = self._context.clock.now(), result.meta.next_cursor is None
        after = standing.model_copy(update={"history_id": page.history_id if last else page.reached, "looked_at": now})
        if page.changes or after.history_id != standing.history_id:
            await self._keep(after, await self._batch_of(page))
        if last:
            self._next_look = self._context.clock.monotonic() + self._settings.poll_interval

    async def _batch_of(self, page: HistoryPage) -> MirrorUpdate:
        net = net_of(page.changes)
        mails, missing = await self._fetch(list(net.fetch), news_since=at_of(0))
        gone = net.gone | {one: net.fetch[one] for one in missing}
        removed = [Removal(ref=one, chat=chat_of(thread_id)) for one, thread_id in gone.items()]
        return await self._mapper.batch([*mails, *await self._mapper.relabelled(net.relabelled)], removed)

    async def _restart(self, standing: HistoryPosition) -> None:
        """Start a listing of mails since the expired history was last known, and continue from its current id."""
        profile = Profile.model_validate((await self._call(PROFILE, {})).data)
        now = self._context.clock.now()
        known = int(standing.looked_at.timestamp())
        since = max(int((standing.looked_at - _OVERLAP).timestamp()), self._oldest(now))
        listing = Listing(since=since, gap_from=known)
        if standing.listing is not None:
            # An open listing reaches back further than the gap, so it starts again from the top.
            update = {"before": 0, "gap_from": standing.listing.gap_from or known}
            listing = standing.listing.model_copy(update=update)
        log.warning("gmail_history_too_old", account=self._account, since=standing.looked_at.isoformat())
        after = standing.model_copy(
            update={"history_id": profile.history_id, "looked_at": now, "listing": listing, "note": ""}
        )
        await self._keep(after, await self._mapper.batch(()))
        self._page = None
        self._next_look = self._context.clock.monotonic() + self._settings.poll_interval

    # Listing by date

    async def _list(self, standing: HistoryPosition, listing: Listing) -> None:
        query = self._page.query if self._page else _query(listing.since, listing.before)
        args = {"query": query, "page_size": self._page_size, "background": True}
        try:
            result = await self._call(LIST, args, cursor=self._page.token if self._page else None)
        except PollError as failure:
            if self._page is not None and failure.error.code is IntegrationErrorCode.REJECTED:
                # Gmail no longer knows this list, so it continues by date.
                self._page = None
                return
            raise
        news_since = at_of(listing.gap_from * 1000) if listing.gap_from else None
        ids = [ref.id for ref in Listed.model_validate(result.data).mails]
        mails, _ = await self._fetch(ids, news_since=news_since)
        token = result.meta.next_cursor
        batch = await self._mapper.batch(mails, await self._strays(listing, mails, last=token is None))
        reached = min((one.order for one in mails), default=None)
        if token is None:
            after, self._page = await self._done(standing, listing, len(mails)), None
        else:
            before = listing.before if reached is None else reached // 1000 + 1
            update = {"before": before, "kept": listing.kept + len(mails)}
            after = standing.model_copy(update={"listing": listing.model_copy(update=update)})
            above = self._page.reached if self._page else None
            self._page = _Page(token, query, reached if reached is not None else above)
        await self._keep(after, batch)
        log.info("gmail_page", account=self._account, mails=len(mails), progress=self.progress)

    async def _strays(self, listing: Listing, mails: Sequence[SeenMessage], *, last: bool) -> list[Removal]:
        """Return removals of mails in this page's period that Gmail no longer has; only a gap can have such."""
        if not listing.gap_from or not (mails or last):
            return []
        settled = int((self._context.clock.now() - _UNSETTLED).timestamp() * 1000)
        above = self._page.reached if self._page is not None else listing.before * 1000
        newer_than = at_of(listing.since * 1000 if last else mails[-1].order)
        return await self._mapper.strays([one.ref for one in mails], newer_than, min(above or settled, settled))

    async def _done(self, standing: HistoryPosition, listing: Listing, mails: int) -> HistoryPosition:
        if not listing.gap_from:
            return standing.model_copy(update={"listing": None})
        skipped = await self._count(_query(listing.gap_from, listing.since)) if listing.gap_from < listing.since else 0
        note = say(
            "Gmail no longer knew what had changed since {day}, so {count} mails were looked at again; {skipped} more "
            "that came meanwhile are older than sync_days and left out",
            day=_day(listing.gap_from),
            count=listing.kept + mails,
            skipped=skipped,
        )
        log.warning("gmail_gap_filled", account=self._account, mails=listing.kept + mails, skipped=skipped)
        return standing.model_copy(update={"listing": None, "note": note})

    async def _count(self, query: str) -> int:
        count, cursor = 0, None
        while True:
            args = {"query": query, "page_size": _MOST_IDS, "background": True}
            result = await self._call(LIST, args, cursor=cursor)
            count += len(Listed.model_validate(result.data).mails)
            if (cursor := result.meta.next_cursor) is None:
                return count

    # Calls

    async def _fetch(self, ids: Sequence[str], *, news_since: datetime | None) -> tuple[list[SeenMessage], list[str]]:
        """Fetch mails, newest first, and the ids of those that are gone or hidden.

        Delivery reports received from `news_since` on are handed over; None hands over none.
        """
        seen: list[SeenMessage] = []
        missing: list[str] = []
        left = list(ids)
        while left:
            asked, rest = left[: self._page_size], left[self._page_size :]
            result = await self._call(GET_MANY, {"ids": asked, "background": True})
            answer = GotMany.model_validate(result.data)
            for got in answer.mails:
                if UNSEEN.isdisjoint(got.labels):
                    seen.append(await self._mapper.seen(got, result.raw[got.id]))
                    if got.delivery_report and news_since is not None and got.received_at >= news_since:
                        await self._hand_over(got)
                else:
                    missing.append(got.id)
            missing += answer.missing
            # Each call answers at least one mail, so this ends.
            left = answer.left + rest
        return sorted(seen, key=lambda one: one.order, reverse=True), missing

    async def _hand_over(self, got: Got) -> None:
        result = await self._call(GET, {"id": got.id, "whole": True, "background": True}, missing=True)
        if result.data is not None:
            await hand_over(self._context.inbox.sink, self._reader, self._account, result.raw, got.received_at)

    async def _call(
        self, method_id: str, args: dict[str, Any], *, cursor: str | None = None, missing: bool = False
    ) -> IntegrationResult:
        """Return the result; with `missing`, also one with the error NOT_FOUND. Raise `PollError` otherwise."""
        result = await self._integration.request(
            self._cursor, method_id, args, timeout_ms=_TIMEOUT_MS, retry_policy=READS, cursor=cursor
        )
        if result.error is None or (missing and result.error.code is IntegrationErrorCode.NOT_FOUND):
            return result
        raise PollError(result.error)


def _query(since: int, before: int) -> str:
    bounds = (("after", since), ("before", before))
    return " ".join([*(f"{name}:{at}" for name, at in bounds if at), "-in:drafts"])


def _day(at: int) -> str:
    return say_date(at_of(at * 1000))
