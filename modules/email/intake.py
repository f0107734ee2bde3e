"""Brings new mails of the butler's mailbox into the inbox: each once, in order, none lost, none dispatched that is old.

The cursor `mail.bot.<address>` holds the last UID that was stored, the UIDVALIDITY it belongs to, and when the mailbox
was first looked at. It moves in the transaction that stores the mail. What lay there before the first look is never
dispatched. When the server renumbers the mailbox, mails are recognised by their Message-ID.
"""

import asyncio
import json
import uuid
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from typing import Any

import structlog

from butler.contract.errors import IntegrationFault, Retryable
from butler.contract.inbound import Inbound
from butler.contract.integration import READS, IntegrationCall, IntegrationError, IntegrationResult
from butler.contract.module import ModuleContext
from modules.email.imap_methods import FETCH, NEWS, SEARCH, FetchedMail, FetchedMails, Found, News
from modules.email.inbound import Place
from modules.email.integration_smtp_imap import SmtpImapIntegration
from modules.email.items import MailItems

log = structlog.get_logger(__name__)

_AT_ONCE = 50
_TIMEOUT_MS = 180_000
_LATEST_UID = 2**32 - 2
_IN_TRANSIT = timedelta(days=2)


@dataclass(frozen=True, slots=True)
class Baseline:
    """The durable position. `since` is when the mailbox was first looked at."""

    uidvalidity: int
    uid: int
    since: str

    def at(self, uid: int) -> str:
        """The cursor's value with this UID."""
        return json.dumps(asdict(replace(self, uid=uid)))


@dataclass(slots=True)
class IntakeReport:
    """What one look found: new mails stored, mails that were known, mails put aside; or why it did not work."""

    new: int = 0
    known: int = 0
    quarantined: int = 0
    error: IntegrationError | None = None


@dataclass(frozen=True, slots=True)
class _Look:
    """What one look carries with it."""

    address: str
    cursor: str
    report: IntakeReport
    trace: str


class _CallFailedError(Exception):
    def __init__(self, error: IntegrationError) -> None:
        super().__init__(error.message)
        self.error = error


class Intake:
    """One mailbox's intake. Looks are one at a time, whoever asks for them. Meets `Looker`."""

    progress = ""

    def __init__(
        self,
        integration: SmtpImapIntegration,
        items: MailItems,
        context: ModuleContext,
    ) -> None:
        self._integration, self._items, self._context = integration, items, context
        self._turn = asyncio.Lock()

    async def check(self) -> IntakeReport:
        """Look once and store what is new. A provider that fails is reported, not raised; a store that fails is."""
        report = IntakeReport()
        async with self._turn:
            try:
                address = self._integration.address
                await self._look(address, report, f"mail-{uuid.uuid4().hex[:12]}")
            except IntegrationFault as fault:
                report.error = IntegrationError(code=fault.code, message=fault.message)
            except _CallFailedError as failure:
                report.error = failure.error
        return report

    async def look(self, alive: Callable[[], None]) -> IntegrationError | None:
        """Look once for the source: why it did not work, if so."""
        report = await self.check()
        if report.error is None:
            alive()
        return report.error

    async def _look(self, address: str, report: IntakeReport, trace: str) -> None:
        look = _Look(address, f"mail.bot.{address}", report, trace)
        stored = await self._context.cursors.get(look.cursor)
        base = Baseline(**json.loads(stored)) if stored else None
        after = base.uid if base else _LATEST_UID
        news = News.model_validate((await self._call(NEWS, look, {"after_uid": after})).data)
        if base is None:
            # IMAP tells the time of arrival in whole seconds.
            since = self._context.clock.now().replace(microsecond=0)
            first = Baseline(news.uidvalidity, news.uidnext - 1, since.isoformat())
            await self._context.cursors.set(look.cursor, first.at(first.uid))
        elif base.uidvalidity != news.uidvalidity:
            await self._resync(base, look)
        else:
            await self._take(base, news.uids, look)

    async def _take(self, base: Baseline, uids: Sequence[int], look: _Look) -> None:
        at = base.uid
        async for mail, raw in self._mails(base.uidvalidity, uids, look):
            await self._store(await self._item(mail, raw, base.uidvalidity, look), look, base.at(mail.uid))
            at = mail.uid
        if uids and uids[-1] > at:
            # The last ones were gone before they could be fetched.
            await self._context.cursors.set(look.cursor, base.at(uids[-1]))

    async def _resync(self, base: Baseline, look: _Look) -> None:
        """Store what came since the first look and is not known; the cursor moves once all of it is stored."""
        since = datetime.fromisoformat(base.since)
        day = (since - timedelta(days=1)).date().isoformat()
        found = Found.model_validate((await self._call(SEARCH, look, {"since": day})).data)
        log.warning("mailbox_renumbered", account=look.address, candidates=len(found.uids))
        older = 0
        async for mail, raw in self._mails(found.uidvalidity, sorted(found.uids), look):
            item = await self._item(mail, raw, found.uidvalidity, look)
            # A rebuilt mailbox may have lost the times of arrival; then the sender's date tells old from new.
            if item.received_at < since or (item.sent_at or item.received_at) < since - _IN_TRANSIT:
                older += 1
            else:
                await self._store(item, look, None)
        renumbered = replace(base, uidvalidity=found.uidvalidity)
        await self._context.cursors.set(look.cursor, renumbered.at(found.uids[0] if found.uids else 0))
        log.info("mailbox_resynced", new=look.report.new, known=look.report.known, older=older)

    async def _mails(
        self, uidvalidity: int, uids: Sequence[int], look: _Look
    ) -> AsyncGenerator[tuple[FetchedMail, bytes | None]]:
        """The mails of these UIDs in order; None in place of bytes that the server would not give."""
        left = list(uids)
        while left:
            portion, left = left[:_AT_ONCE], left[_AT_ONCE:]
            fetched, raw = await self._fetch(uidvalidity, portion, look)
            missing = [mail.uid for mail in fetched.mails if mail.uid not in raw]
            if missing:
                raw |= (await self._fetch(uidvalidity, missing, look))[1]
            left = sorted([*fetched.left, *left])
            for mail in fetched.mails:
                yield mail, raw.get(mail.uid)

    async def _fetch(self, uidvalidity: int, uids: Sequence[int], look: _Look) -> tuple[FetchedMails, dict[int, bytes]]:
        result = await self._call(FETCH, look, {"uidvalidity": uidvalidity, "uids": list(uids)})
        return FetchedMails.model_validate(result.data), dict(result.raw)

    async def _item(self, fetched: FetchedMail, raw: bytes | None, uidvalidity: int, look: _Look) -> Inbound:
        received_at = fetched.received_at or self._context.clock.now()
        place = Place(look.address, uidvalidity, fetched.uid, received_at)
        if raw is None:
            return self._items.lost(place, "the mail server would not give this mail")
        cut = "" if fetched.complete else f"the mail has {fetched.size} bytes, too many to be read"
        return await self._items.make(place, raw, cut=cut)

    async def _store(self, item: Inbound, look: _Look, value: str | None) -> None:
        cursor = (look.cursor, value) if value is not None else None
        try:
            new = await self._context.sink.put(item, cursor=cursor)
        except Retryable:
            raise
        except Exception as error:  # noqa: BLE001 - one mail that no store takes must not stop the others
            payload = item.payload
            place = Place(item.account, payload["uidvalidity"], payload["uid"], item.received_at)
            item = self._items.poison(place, payload["raw"], error)
            new = await self._context.sink.put(item, cursor=cursor)
        if not new:
            look.report.known += 1
        elif item.payload["quarantine"]:
            look.report.quarantined += 1
        else:
            look.report.new += 1

    async def _call(self, method_id: str, look: _Look, args: dict[str, Any]) -> IntegrationResult:
        result = await self._integration.call(
            IntegrationCall(
                trace_id=look.trace, method_id=method_id, args=args, timeout_ms=_TIMEOUT_MS, retry_policy=READS
            )
        )
        if result.error is not None:
            raise _CallFailedError(result.error)
        return result
