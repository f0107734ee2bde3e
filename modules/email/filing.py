"""Moves handled mails of the butler's mailbox to a folder, if the owner's settings name one.

A mail is moved only if its UID still holds the mail that was stored. The move is noted afterwards: a crash in between
leaves a mail that is no longer in the inbox, which is noted at the next look.
"""

import uuid
from collections.abc import Mapping, Sequence

import structlog

from butler.contract.errors import BlobDamagedError, IntegrationErrorCode, IntegrationFault
from butler.contract.inbound import Inbound
from butler.contract.integration import IntegrationError
from butler.contract.module import ModuleContext
from butler.contract.speech import say
from modules.email.imap.calls import CallFailedError, MailboxCalls
from modules.email.imap.folders import spelt
from modules.email.imap.methods import FETCH, MOVE, NEWS, SEARCH, FetchedMails, Found, Moved, News
from modules.email.integration_smtp_imap import SmtpImapIntegration

log = structlog.get_logger(__name__)

AT_ONCE = 50
_LATEST_UID = 2**32 - 2


class Filing:
    """Moves handled mails to one folder."""

    def __init__(self, integration: SmtpImapIntegration, folder: str, context: ModuleContext) -> None:
        """`folder` is the owner's name of the folder."""
        self._integration, self._folder, self._context = integration, folder, context

    async def file(self) -> IntegrationError | None:
        """Move all waiting mails; return the error, if any. Raise the store's errors."""
        calls = MailboxCalls(self._integration, f"file-{uuid.uuid4().hex[:12]}")
        try:
            account = self._integration.address
            while waiting := await self._context.inbox.records.handled(
                channel="email", identity="bot", account=account, limit=AT_ONCE
            ):
                await self._file(waiting, calls)
        except CallFailedError as failure:
            return failure.error
        except IntegrationFault as fault:
            return IntegrationError(code=fault.code, message=fault.message)
        return None

    async def _file(self, items: Sequence[Inbound], calls: MailboxCalls) -> None:
        """Move these mails and note it, also for mails that are gone or replaced by others."""
        uidvalidity = News.model_validate((await calls.ask(NEWS, {"after_uid": _LATEST_UID})).data).uidvalidity
        places = {item.inbound_id: await self._uids(item, uidvalidity, calls) for item in items}
        headers = await self._headers(sorted({uid for uids in places.values() for uid in uids}), uidvalidity, calls)
        to_move: list[int] = []
        for item in items:
            raw = await self._stored(item)
            found = [uid for uid in places[item.inbound_id] if _is_of(headers.get(uid), raw)]
            if not found and any(uid in headers for uid in places[item.inbound_id]):
                log.warning("mail_not_filed", inbound_id=item.inbound_id, why="another mail lies in its place")
            to_move += found
        if to_move:
            args = {"target": spelt(self._folder), "uidvalidity": uidvalidity, "uids": sorted(set(to_move))}
            moved = Moved.model_validate((await calls.ask(MOVE, args)).data)
            if left := set(to_move) - set(moved.gone):
                raise CallFailedError(_not_moved(len(left), self._folder))
            log.info("mails_filed", mails=len(moved.gone))
        await self._context.inbox.records.note_filed([item.inbound_id for item in items])

    async def _uids(self, item: Inbound, uidvalidity: int, calls: MailboxCalls) -> list[int]:
        """Return where the mail lies; several places if mails share its id."""
        if item.payload["uidvalidity"] == uidvalidity:
            return [item.payload["uid"]]
        message_id = item.payload["message_id"]
        if not message_id:
            return []
        # The mailbox was renumbered since the mail was stored.
        found = Found.model_validate((await calls.ask(SEARCH, {"message_id": message_id})).data)
        return found.uids if found.uidvalidity == uidvalidity else []

    async def _headers(self, uids: Sequence[int], uidvalidity: int, calls: MailboxCalls) -> Mapping[int, bytes]:
        headers: dict[int, bytes] = {}
        left = list(uids)
        while left:
            args = {"uidvalidity": uidvalidity, "uids": left[:AT_ONCE], "headers_only": True}
            result = await calls.ask(FETCH, args)
            headers |= dict(result.raw)
            left = sorted([*FetchedMails.model_validate(result.data).left, *left[AT_ONCE:]])
        return headers

    async def _stored(self, item: Inbound) -> bytes:
        """Return the mail as stored; empty if it cannot be read any more."""
        try:
            return await self._context.storage.blobs.get(item.payload["raw"])
        except (KeyError, BlobDamagedError):
            return b""


def _is_of(header: bytes | None, raw: bytes) -> bool:
    """Return whether this header is the stored mail's: every server on the way adds its own lines."""
    header = (header or b"").rstrip(b"\r\n")
    return bool(header) and raw.startswith(header)


def _not_moved(count: int, folder: str) -> IntegrationError:
    return IntegrationError(
        code=IntegrationErrorCode.REJECTED,
        message=say(
            "the mail server left {count} of the mails where they were that were to be moved to {folder}",
            count=count,
            folder=folder,
        ),
    )
