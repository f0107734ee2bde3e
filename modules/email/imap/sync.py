"""Brings the folders of a mailbox into the mirror, in batches that are each one transaction with the position.

A look compares what a folder holds with what is kept of it: new mails are fetched, newest first, those that are gone
are removed, and those that were read since are fetched again. It may be interrupted anywhere, and resumes. When the
server has renumbered a folder, everything kept of it is removed before its mails are kept under their new numbers, so
that none is there twice. Order and duplicates: `docs/decisions/0016-imap-mirror.md`.
"""

import asyncio
import uuid
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, TypeVar
from urllib.parse import quote

import structlog

from butler.contract.errors import IntegrationErrorCode, IntegrationFault, Retryable
from butler.contract.integration import READS, IntegrationError, IntegrationResult
from butler.contract.mirror import MirrorUpdate
from butler.contract.module import ModuleContext
from butler.contract.speech import say, say_number
from modules.email.config import UserServerSettings
from modules.email.imap.connection import INBOX
from modules.email.imap.folders import shown
from modules.email.imap.mapper import CHANNEL, FolderMapper
from modules.email.imap.methods import FETCH, FOLDERS, MOST_FETCHED, STATE, FetchedMail, FetchedMails, Folders, State
from modules.email.imap.position import FolderPosition, Held
from modules.email.imap.uids import Uids
from modules.email.integration_smtp_imap import SmtpImapIntegration
from modules.email.parsing.reader import MailReader, ReadMail
from modules.email.user_reports import hand_over, is_report

log = structlog.get_logger(__name__)

_TIMEOUT_MS = 240_000
_MOST_REMOVED = 1000
_PRUNE_EVERY = timedelta(days=1)
T = TypeVar("T")
Alive = Callable[[], None]


@dataclass(frozen=True, slots=True)
class _Fetched:
    """A batch of mails with their bytes; `answered` includes mails that are gone."""

    mails: list[FetchedMail]
    raws: list[bytes]
    answered: int


@dataclass(frozen=True, slots=True)
class _Read:
    fetched: _Fetched
    read: list[ReadMail]


@dataclass(slots=True)
class _Folder:
    name: str
    cursor: str
    mapper: FolderMapper
    held: Held
    news_from: int = 0
    """The first UID that arrived since the last look; 0 if unknown."""


class _CallFailedError(Exception):
    def __init__(self, error: IntegrationError) -> None:
        super().__init__(error.message)
        self.error = error


class MailboxSync:
    """Syncs one account. Implements `Looker`."""

    def __init__(
        self,
        account: str,
        settings: UserServerSettings,
        integration: SmtpImapIntegration,
        reader: MailReader,
        context: ModuleContext,
    ) -> None:
        self._account = account
        self._settings = settings
        self._integration = integration
        self._reader = reader
        self._context = context
        self._folders: list[_Folder] = []
        self._pruned_at: float | None = None
        self._progress = ""

    @property
    def progress(self) -> str:
        """The progress, in a sentence for the owner; empty if there is nothing to say."""
        return self._progress

    async def look(self, alive: Alive) -> IntegrationError | None:
        """Look once and keep what has changed; call `alive` after each round trip. Return the error, if any."""
        try:
            await self._look(f"mirror-{uuid.uuid4().hex[:12]}", alive)
        except _CallFailedError as failure:
            error = failure.error
        except IntegrationFault as fault:
            error = IntegrationError(code=fault.code, message=fault.message)
        except Retryable as fault:
            error = IntegrationError(code=IntegrationErrorCode.UNAVAILABLE, message=str(fault))
        else:
            self._progress = ""
            return None
        self._progress = ""
        return error

    def forget(self) -> None:
        """Drop the folders: new credentials may open another mailbox with other folders."""
        self._folders = []

    async def _look(self, trace: str, alive: Alive) -> None:
        address = self._integration.address
        # The state in memory counts while looks succeed; after a failed one, the stored state is read again.
        folders, self._folders = self._folders, []
        if not folders or folders[0].held.standing.address != address:
            folders = await self._open(address, trace)
        for folder in folders:
            await self._look_into(folder, trace, alive)
        self._folders = folders
        await self._prune()

    async def _prune(self) -> None:
        """Once a day, remove mails older than `sync_days`; days are the server's, so one more day is kept."""
        ticks, days = self._context.clock.monotonic(), self._settings.sync_days
        if days and (self._pruned_at is None or ticks - self._pruned_at >= _PRUNE_EVERY.total_seconds()):
            before = self._context.clock.now() - timedelta(days=days + 1)
            pruned = await self._context.storage.mirror.prune(CHANNEL, self._account, before)
            log.info("mailbox_pruned", account=self._account, mails=pruned)
            self._pruned_at = ticks
            if pruned:
                # Pruning removed conversations, which the mappers still remember as kept.
                self._folders = []

    # Position

    async def _open(self, address: str, trace: str) -> list[_Folder]:
        sent = Folders.model_validate((await self._call(FOLDERS, {}, trace)).data).sent
        folders = [await self._folder(address, INBOX, outgoing=False)]
        if sent:
            folders.append(await self._folder(address, sent, outgoing=True))
        return folders

    async def _folder(self, address: str, name: str, *, outgoing: bool) -> _Folder:
        cursor = f"email.user.{self._account}.{quote(name, safe='')}"
        stored = await self._context.storage.cursors.get(cursor)
        standing = FolderPosition.model_validate_json(stored) if stored else None
        if standing is not None and standing.address != address:
            await self._forget_all()
            standing = None
        days = self._settings.sync_days
        standing = standing or FolderPosition(address=address, days=days)
        if standing.days != days:
            # Another period is configured, so all mails are compared even if nothing changed.
            standing = standing.model_copy(update={"days": days, "uidnext": 0})
        return _Folder(name, cursor, FolderMapper(self._account, name, outgoing=outgoing), Held(standing))

    async def _forget_all(self) -> None:
        """Remove everything kept: the account's name now stands for another mailbox."""
        chats = await self._context.storage.mirror.chats(CHANNEL, self._account)
        gone = sum([await self._context.storage.mirror.forget(CHANNEL, self._account, one.chat) for one in chats])
        log.warning("mailbox_is_another", account=self._account, forgotten=gone)

    # One look

    async def _look_into(self, folder: _Folder, trace: str, alive: Alive) -> None:
        now = State.model_validate((await self._call(STATE, self._known(folder), trace)).data)
        alive()
        held = folder.held
        folder.news_from = _news_from(held, now)
        if held.standing.uidvalidity != now.uidvalidity:
            await self._renumbered(folder, now.uidvalidity)
        wanted, gone = Uids(), Uids()
        if now.moved:
            recent = Uids.read(now.recent)
            # Mails older than `sync_days` are gone for the mirror, too.
            gone = held.kept - recent
            wanted = recent - held.kept
        if now.flagged:
            # Mails read or marked as unread since are fetched again with the new ones.
            wanted |= (held.unread ^ Uids.read(now.unseen)) & (held.kept - gone)
        await self._remove(folder, gone)
        await self._take(folder, [*wanted][::-1], trace, alive)
        before = held.standing.text()
        if (settled := held.settle(now)) != before:
            await self._keep(folder, MirrorUpdate(CHANNEL, self._account), settled)

    def _known(self, folder: _Folder) -> dict[str, Any]:
        standing, days = folder.held.standing, self._settings.sync_days
        since = (self._context.clock.now() - timedelta(days=days)).date() if days else None
        return {
            "folder": folder.name,
            "since": since,
            "uidvalidity": standing.uidvalidity,
            "uidnext": standing.uidnext,
            "exists": standing.exists,
            "modseq": standing.modseq,
        }

    async def _renumbered(self, folder: _Folder, uidvalidity: int) -> None:
        held = folder.held
        if held.standing.uidvalidity:
            log.warning("mailbox_renumbered", account=self._account, folder=folder.name, mails=len(held.kept))
        await self._remove(folder, held.kept)
        held.standing = held.standing.model_copy(update={"uidvalidity": uidvalidity})

    async def _remove(self, folder: _Folder, uids: Uids) -> None:
        held, left = folder.held, [*uids]
        for at in range(0, len(left), _MOST_REMOVED):
            portion = left[at : at + _MOST_REMOVED]
            batch = folder.mapper.removal(held.standing.uidvalidity, portion)
            await self._keep(folder, batch, held.drop(portion))

    async def _take(self, folder: _Folder, uids: Sequence[int], trace: str, alive: Alive) -> None:
        """Fetch, read and keep batches as a pipeline: each step works on the batch after the next step's."""
        uidvalidity, done = folder.held.standing.uidvalidity, 0
        whole = self._settings.keep == "whole"
        async with aclosing(_ahead(self._read(folder.name, uidvalidity, uids, trace))) as batches:
            async for batch in batches:
                now = self._context.clock.now()
                fetched = batch.fetched
                messages = [
                    folder.mapper.message(uidvalidity, mail, read, now, raw if whole else None)
                    for mail, raw, read in zip(fetched.mails, fetched.raws, batch.read, strict=True)
                ]
                unread = [mail.uid for mail in fetched.mails if "\\Seen" not in mail.flags]
                await self._hand_over(folder, batch, now)
                cursor = folder.held.keep((mail.uid for mail in fetched.mails), unread)
                await self._keep(folder, folder.mapper.batch(messages), cursor)
                done += fetched.answered
                alive()
                self._tell(folder, done, len(uids))

    async def _hand_over(self, folder: _Folder, batch: _Read, now: datetime) -> None:
        """Hand over the mail servers' reports among the new mails of the inbox."""
        if folder.name != INBOX or not folder.news_from:
            return
        for fetched, raw, read in zip(batch.fetched.mails, batch.fetched.raws, batch.read, strict=True):
            if fetched.uid >= folder.news_from and is_report(read.mail.media_type):
                at = fetched.received_at or now
                await hand_over(self._context.inbox.sink, self._reader, self._account, raw, at)

    def _tell(self, folder: _Folder, done: int, of: int) -> None:
        if of > MOST_FETCHED:
            self._progress = say(
                "bringing in your mails: {done} of {all} in {folder}",
                done=say_number(done),
                all=say_number(of),
                folder=shown(folder.name),
            )
            log.info("mailbox_batch", account=self._account, folder=folder.name, done=done, of=of)

    async def _fetch(self, folder: str, uidvalidity: int, uids: Sequence[int], trace: str) -> AsyncGenerator[_Fetched]:
        left = list(uids)
        while left:
            asked, left = left[:MOST_FETCHED], left[MOST_FETCHED:]
            args = {"folder": folder, "uidvalidity": uidvalidity, "uids": asked}
            result = await self._call(FETCH, args, trace)
            answer = FetchedMails.model_validate(result.data)
            mails = [mail for mail in answer.mails if mail.uid in result.raw]
            yield _Fetched(mails, [result.raw[mail.uid] for mail in mails], len(asked) - len(answer.left))
            left = sorted(answer.left, reverse=True) + left

    async def _read(self, folder: str, uidvalidity: int, uids: Sequence[int], trace: str) -> AsyncGenerator[_Read]:
        async with aclosing(_ahead(self._fetch(folder, uidvalidity, uids, trace))) as batches:
            async for fetched in batches:
                yield _Read(fetched, await self._reader.read_many(fetched.raws, files=False))

    async def _keep(self, folder: _Folder, batch: MirrorUpdate, cursor: str) -> None:
        await self._context.storage.mirror.keep(batch, cursor=(folder.cursor, cursor))

    async def _call(self, method_id: str, args: dict[str, Any], trace: str) -> IntegrationResult:
        result = await self._integration.request(trace, method_id, args, timeout_ms=_TIMEOUT_MS, retry_policy=READS)
        if result.error is not None:
            raise _CallFailedError(result.error)
        return result


def _news_from(held: Held, now: State) -> int:
    """Return the first UID that counts as new; 1 after a renumbering, where known mails are recognised elsewhere."""
    standing = held.standing
    if standing.uidvalidity and standing.uidvalidity != now.uidvalidity:
        return 1
    # Before the first complete look, or after the period changed, only the newest kept mail shows what is new.
    return standing.uidnext or max(held.kept, default=-1) + 1


async def _ahead(items: AsyncIterator[T]) -> AsyncGenerator[T]:
    """Yield the items, preparing each while the previous one is used."""
    end = object()
    following = asyncio.ensure_future(anext(items, end))
    try:
        while (item := await following) is not end:
            following = asyncio.ensure_future(anext(items, end))
            yield item  # pyright: ignore[reportReturnType] - it is not the end
    finally:
        following.cancel()
        await asyncio.gather(following, return_exceptions=True)
