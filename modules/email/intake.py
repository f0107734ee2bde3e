"""Brings new mails of the butler's mailbox into the inbox: each once, in order, none lost, no old one acted upon.

The cursor `mail.bot.<address>` holds the last stored UID, its UIDVALIDITY, and the time of the first look at the
mailbox. It moves in the transaction that stores the mail. Unread mails from before the first look are reported, but are
never requests, whoever wrote them; read ones are left alone. When the server renumbers the mailbox, mails are
recognised by their bytes, or by Message-ID and content.
"""

import asyncio
import hashlib
import json
import uuid
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta

import structlog

from butler.contract.errors import IntegrationFault, Reconfigure, Retryable
from butler.contract.inbound import BEFORE_FIRST_LOOK, Inbound
from butler.contract.integration import IntegrationError
from butler.contract.module import ModuleContext
from butler.contract.reasons import Reason, in_own_words
from butler.contract.speech import phrase, say
from modules.email.fetching import AT_ONCE, NOT_GIVEN, FetchResult, MailFetcher
from modules.email.filing import Filing
from modules.email.imap.calls import CallFailedError, MailboxCalls
from modules.email.imap.methods import NEWS, SEARCH, Found, News
from modules.email.inbound import Place
from modules.email.integration_smtp_imap import SmtpImapIntegration
from modules.email.items import MailItems
from modules.email.refetch_list import RefetchList

log = structlog.get_logger(__name__)

_LATEST_UID = 2**32 - 2
_IN_TRANSIT = timedelta(days=2)
MOST_TOLD_AT_FIRST = 20
"""The most unread mails to report from a mailbox new to Butler, newest first; it may hold years of them."""
_OLD = in_own_words(phrase("it lay in my mailbox before I first looked there"))


@dataclass(frozen=True, slots=True)
class Baseline:
    """The stored position. `since` is the time of the first look at the mailbox."""

    uidvalidity: int
    uid: int
    since: str

    def at(self, uid: int) -> str:
        """Return the cursor's value with this UID."""
        return json.dumps(asdict(replace(self, uid=uid)))


@dataclass(slots=True)
class IntakeReport:
    """The result of one look: numbers of new, known and quarantined mails, or the error."""

    new: int = 0
    known: int = 0
    quarantined: int = 0
    error: IntegrationError | None = None


@dataclass(frozen=True, slots=True)
class _Look:
    """The state of one look."""

    address: str
    report: IntakeReport
    calls: MailboxCalls
    alive: Callable[[], None]

    @property
    def cursor(self) -> str:
        return f"mail.bot.{self.address}"


class Intake:
    """The intake of one mailbox; only one look runs at a time. Implements `Looker`."""

    def __init__(
        self,
        integration: SmtpImapIntegration,
        items: MailItems,
        context: ModuleContext,
        filing: Filing | None = None,
    ) -> None:
        self._integration, self._items, self._context, self._filing = integration, items, context, filing
        self._turn = asyncio.Lock()
        self._fetcher = MailFetcher()
        self.progress = self._untidy = ""

    async def check(self, alive: Callable[[], None] = lambda: None) -> IntakeReport:
        """Look once and store what is new; call `alive` after each answered round trip.

        A provider's failure is returned, a store's failure is raised.
        """
        report = IntakeReport()
        async with self._turn:
            try:
                calls = MailboxCalls(self._integration, f"mail-{uuid.uuid4().hex[:12]}")
                await self._look(_Look(self._integration.address, report, calls, alive))
            except IntegrationFault as fault:
                report.error = IntegrationError(code=fault.code, message=fault.message)
            except CallFailedError as failure:
                report.error = failure.error
        return report

    async def look(self, alive: Callable[[], None]) -> IntegrationError | None:
        """Look once for the source, and move handled mails away; return the look's error, if any."""
        report = await self.check(alive)
        if report.error is None:
            alive()
            await self._file()
        return report.error

    async def _file(self) -> None:
        """Move handled mails away; a failure is only logged, as unmoved mails do no harm."""
        if self._filing is None:
            return
        error = await self._filing.file()
        self._untidy = say("mails that are dealt with stay in the inbox: {why}", why=error.message) if error else ""
        self.progress = self._untidy
        if error:
            log.warning("filing_failed", code=error.code, why=error.message)

    async def _look(self, look: _Look) -> None:
        stored = await self._context.storage.cursors.get(look.cursor)
        base = Baseline(**json.loads(stored)) if stored else None
        after = base.uid if base else _LATEST_UID
        news = News.model_validate((await look.calls.ask(NEWS, {"after_uid": after})).data)
        if base is None:
            await self._begin(news, look)
        elif base.uidvalidity != news.uidvalidity:
            await self._resync(base, look)
        else:
            await self._fetch_again(base, look)
            await self._take(base, news.uids, look)

    async def _begin(self, news: News, look: _Look) -> None:
        """Report the unread mails and store the position. After a crash in between, reported mails are known."""
        # IMAP's time of arrival has whole seconds.
        since = self._context.clock.now().replace(microsecond=0)
        first = Baseline(news.uidvalidity, news.uidnext - 1, since.isoformat())
        found = Found.model_validate((await look.calls.ask(SEARCH, {"unread": True})).data)
        unread = sorted(uid for uid in found.uids if uid <= first.uid) if found.uidvalidity == first.uidvalidity else []
        older = len(unread[:-MOST_TOLD_AT_FIRST])
        async for mail in self._fetcher.mails(look.calls, first.uidvalidity, unread[-MOST_TOLD_AT_FIRST:]):
            item = await self._item(mail, first.uidvalidity, look, unproved=_OLD)
            await self._store(_late_item(item, older), look, None)
            older = 0
            look.alive()
        await self._context.storage.cursors.set(look.cursor, first.at(first.uid))

    async def _take(self, base: Baseline, uids: Sequence[int], look: _Look) -> None:
        at, taken = base.uid, 0
        async for mail in self._fetcher.mails(look.calls, base.uidvalidity, uids):
            await self._store(await self._item(mail, base.uidvalidity, look), look, base.at(mail.uid))
            at, taken = mail.uid, taken + 1
            look.alive()
            if len(uids) > AT_ONCE:
                self.progress = say("taking in what came: {taken} of {all} mails", taken=taken, all=len(uids))
        self.progress = self._untidy
        if uids and uids[-1] > at:
            # The last mails were gone before they could be fetched.
            await self._context.storage.cursors.set(look.cursor, base.at(uids[-1]))

    async def _fetch_again(self, base: Baseline, look: _Look) -> None:
        """Fetch the mails again that the owner asked for; report again those that still cannot be fetched."""
        name = RefetchList.cursor(look.address)
        wanted = RefetchList.of(await self._context.storage.cursors.get(name))
        if not wanted.places:
            return
        async for mail in self._fetcher.mails(look.calls, base.uidvalidity, wanted.uids(base.uidvalidity)):
            item = await self._item(mail, base.uidvalidity, look)
            if item.payload["quarantine"]:
                key = f"{item.dedup_key}:{self._context.clock.now().isoformat()}"
                item = item.model_copy(update={"dedup_key": key, "inbound_id": uuid.uuid4().hex})
            await self._store(item, look, None)
        since = RefetchList.of(await self._context.storage.cursors.get(name))
        await self._context.storage.cursors.set(name, str(since.without(wanted)))

    async def _resync(self, base: Baseline, look: _Look) -> None:
        """Store unknown mails since the first look; the cursor moves once all of them are stored."""
        since = datetime.fromisoformat(base.since)
        day = (since - timedelta(days=1)).date().isoformat()
        found = Found.model_validate((await look.calls.ask(SEARCH, {"since": day})).data)
        log.warning("mailbox_renumbered", account=look.address, candidates=len(found.uids))
        known = await self._context.inbox.records.raws(channel="email", identity="bot", account=look.address)
        older = 0
        async for mail in self._fetcher.mails(look.calls, found.uidvalidity, sorted(found.uids)):
            look.alive()
            if mail.raw is not None and hashlib.sha256(mail.raw).hexdigest() in known:
                look.report.known += 1
                continue
            item = await self._item(mail, found.uidvalidity, look)
            # A rebuilt mailbox may have lost the times of arrival; then the sender's date separates old from new.
            if item.received_at < since or (item.sent_at or item.received_at) < since - _IN_TRANSIT:
                older += 1
            else:
                await self._store(item, look, None)
        renumbered = replace(base, uidvalidity=found.uidvalidity)
        await self._context.storage.cursors.set(look.cursor, renumbered.at(found.uids[0] if found.uids else 0))
        log.info("mailbox_resynced", new=look.report.new, known=look.report.known, older=older)

    async def _item(
        self, mail: FetchResult, uidvalidity: int, look: _Look, *, unproved: Reason | None = None
    ) -> Inbound:
        place = Place(look.address, uidvalidity, mail.uid, mail.received_at or self._context.clock.now())
        if mail.raw is None:
            return self._items.lost(place, mail.cut or NOT_GIVEN)
        try:
            return await self._items.make(place, mail.raw, cut=mail.cut, unproved=unproved)
        except (Retryable, Reconfigure):
            raise
        except Exception as error:  # noqa: BLE001 - one mail that nothing can be made of must not stop the others
            return self._items.poison(place, await self._context.storage.blobs.put(mail.raw), error)

    async def _store(self, item: Inbound, look: _Look, value: str | None) -> None:
        cursor = (look.cursor, value) if value is not None else None
        try:
            new = await self._context.inbox.sink.put(item, cursor=cursor)
        except Retryable:
            raise
        except Exception as error:  # noqa: BLE001 - one mail that no store takes must not stop the others
            payload = item.payload
            place = Place(item.account, payload["uidvalidity"], payload["uid"], item.received_at)
            item = self._items.poison(place, payload["raw"], error)
            new = await self._context.inbox.sink.put(item, cursor=cursor)
        if not new:
            look.report.known += 1
        elif item.payload["quarantine"]:
            look.report.quarantined += 1
        else:
            look.report.new += 1


def _late_item(item: Inbound, older: int) -> Inbound:
    """Return the item of an old mail, with the number of older ones that are not reported."""
    facts = item.mail
    if older and facts is not None:
        facts = facts.model_copy(update={"problems": (*facts.problems, _left_out(older))})
    return item.model_copy(update={"payload": item.payload | {BEFORE_FIRST_LOOK: True}, "mail": facts})


def _left_out(older: int) -> Reason:
    if older == 1:
        return in_own_words(phrase("one older unread mail that lay in my mailbox before I first looked is not told"))
    text = phrase("{count} older unread mails that lay in my mailbox before I first looked are not told")
    return in_own_words(text, count=str(older))
