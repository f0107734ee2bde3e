"""Makes the inbox item of a mail's bytes: parsed, its files kept, its author judged. There always is one."""

import asyncio
from collections.abc import Callable
from dataclasses import asdict
from datetime import timedelta

import structlog

from butler.contract.errors import Retryable
from butler.contract.inbound import Inbound
from butler.contract.integration import Json
from butler.contract.module import ModuleContext
from modules.email.config import BotMailboxSettings
from modules.email.dns_txt import lookup_txt
from modules.email.inbound import Place, keep_files, mail_inbound
from modules.email.parsed import ParsedMail
from modules.email.reader import MailReader

log = structlog.get_logger(__name__)

_DNS_PATIENCE = timedelta(minutes=1)
"""How long the mailbox waits for DNS to say whether a mail is the owner's; after that it is not known to be."""


class MailItems:
    """Makes items of one mailbox."""

    def __init__(
        self,
        reader: MailReader,
        context: ModuleContext,
        settings: BotMailboxSettings,
        lookup: Callable[[str], bytes | None] = lookup_txt,
    ) -> None:
        self._reader, self._context, self._settings, self._lookup = reader, context, settings, lookup

    def lost(self, place: Place, why: str) -> Inbound:
        """The item of a mail whose bytes there are not."""
        return mail_inbound(ParsedMail(), place, raw="", quarantine=why)

    def poison(self, place: Place, digest: str, error: Exception) -> Inbound:
        """The item of a mail that nothing can be made of."""
        log.warning("mail_quarantined", account=place.account, uid=place.uid, kind=type(error).__name__)
        return mail_inbound(ParsedMail(), place, raw=digest, quarantine="the mail could not be read")

    async def make(self, place: Place, raw: bytes, *, cut: str = "") -> Inbound:
        """The item of a mail, its bytes stored first; `cut` says why they are not all of it.

        Raises `Retryable` while DNS may still say whether it is the owner's.
        """
        digest = await self._context.blobs.put(raw)
        try:
            read = await self._reader.read(raw)
            attachments = await keep_files(read, self._context.blobs)
            authority = await self._authority(raw, read.mail, place)
            return mail_inbound(
                read.mail,
                place,
                raw=digest,
                attachments=attachments,
                authserv_id=self._settings.authserv_id,
                authority=authority,
                quarantine=cut or read.unreadable,
            )
        except (ValueError, TypeError) as error:
            return self.poison(place, digest, error)

    async def _authority(self, raw: bytes, mail: ParsedMail, place: Place) -> Json:
        """Whether a mail from an address of the owner's may command."""
        author = mail.sender.address if mail.sender else ""
        if author not in self._context.owner.emails:
            return {}
        from modules.email.authority import Authority, Expected, judge  # noqa: PLC0415 - only few mails need it

        now = self._context.clock.now()
        expected = Expected(author, place.account, self._settings.authserv_id)
        try:
            found = await asyncio.to_thread(judge, raw, expected, now, self._lookup)
        except Retryable:
            if now - place.received_at < _DNS_PATIENCE:
                raise
            found = Authority(command=False, reason="its signature could not be checked: DNS did not answer")
        return asdict(found)
