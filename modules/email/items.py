"""Makes a mail's inbox item from any bytes: parses the mail, stores its files, and judges its author."""

import asyncio
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING

import structlog

from butler.contract.errors import Retryable
from butler.contract.inbound import Inbound
from butler.contract.module import ModuleContext
from butler.contract.reasons import Reason, ReasonCode, because, in_own_words
from butler.contract.speech import phrase
from butler.contract.tools import Attachment
from modules.email.answerable import why_of_no_person
from modules.email.authentication.dns_txt import lookup_txt
from modules.email.config import BotMailboxSettings
from modules.email.facts import facts_of
from modules.email.inbound import Place, keep_files, mail_inbound, same_mail
from modules.email.parsing.parsed import ParsedMail
from modules.email.parsing.reader import MailReader

if TYPE_CHECKING:
    from modules.email.authentication.authority import Authority

log = structlog.get_logger(__name__)

_DNS_PATIENCE = timedelta(minutes=1)
"""How long a mail waits for DNS to prove it the owner's; after that it counts as unproved."""


class MailItems:
    """Makes the items of one mailbox."""

    def __init__(
        self,
        reader: MailReader,
        context: ModuleContext,
        settings: BotMailboxSettings,
        lookup: Callable[[str], bytes | None] = lookup_txt,
    ) -> None:
        self._reader, self._context, self._settings, self._lookup = reader, context, settings, lookup
        self._sealers = frozenset(map(str.lower, settings.arc_sealers))
        self._answers = {answer.sender: answer.text for answer in settings.answers}

    def lost(self, place: Place, why: Reason) -> Inbound:
        """Return the item of a mail without bytes."""
        return self._unread(place, "", why)

    def poison(self, place: Place, digest: str, error: Exception) -> Inbound:
        """Return the item of an unparsable mail."""
        log.warning("mail_quarantined", account=place.account, uid=place.uid, kind=type(error).__name__)
        return self._unread(place, digest, in_own_words(phrase("the mail could not be read")))

    def _unread(self, place: Place, digest: str, why: Reason) -> Inbound:
        nothing = ParsedMail()
        return mail_inbound(
            nothing, place, facts_of(nothing, own=place.account, unread=why), raw=digest, quarantine=why
        )

    async def make(
        self, place: Place, raw: bytes, *, cut: Reason | None = None, unproved: Reason | None = None
    ) -> Inbound:
        """Return a mail's item after storing its bytes; `cut` says why they are incomplete.

        `unproved` says why it is no request and gets no standing answer, whoever wrote it.

        Raise `Retryable` while DNS may still prove it the owner's.
        """
        digest = await self._context.storage.blobs.put(raw)
        try:
            read = await self._reader.read(raw)
            attachments = await keep_files(read, self._context.storage.blobs)
            quarantine = cut or (in_own_words(read.unreadable) if read.unreadable else None)
            author = read.mail.sender.address if read.mail.sender else ""
            is_owner = author in self._context.owner.emails
            standing = "" if is_owner or unproved else self._answers.get(author, "")
            proved = None
            if is_owner or standing:
                proved = _never(unproved) if unproved else await self._judged(raw, read.mail, author, place)
            facts = facts_of(
                read.mail,
                own=place.account,
                inner_files=_inner_files(read.mail, attachments),
                unread=quarantine,
                standing_answer=standing if proved and proved.command else "",
            )
            return mail_inbound(
                read.mail,
                place,
                facts,
                raw=digest,
                identity=await asyncio.to_thread(same_mail, raw),
                attachments=attachments,
                authserv_id=self._settings.authserv_id,
                authority=proved.told() if proved and is_owner else None,
                quarantine=quarantine,
                cut=bool(cut),
            )
        except (ValueError, TypeError) as error:
            return self.poison(place, digest, error)

    async def _judged(self, raw: bytes, mail: ParsedMail, author: str, place: Place) -> "Authority":
        """Judge whether the mail is proved to be by its author, for the butler."""
        from modules.email.authentication.authority import Authority, Expected, judge  # noqa: PLC0415 - few mails

        if why := why_of_no_person(mail, place.account):
            # A program's mail in a person's name has their domain's signature, too.
            return Authority(command=False, reason=because(ReasonCode.NOT_OF_PERSON, why))
        now = self._context.clock.now()
        known = self._settings
        expected = Expected(
            author, place.account.lower(), known.authserv_id, self._sealers, long_keys=known.refuse_short_keys
        )
        try:
            return await asyncio.to_thread(judge, raw, expected, now, self._lookup)
        except Retryable:
            if now - place.received_at < _DNS_PATIENCE:
                raise
            silent = in_own_words(phrase("its signature could not be checked: DNS did not answer"))
            return Authority(command=False, reason=silent)


def _never(why: Reason) -> "Authority":
    from modules.email.authentication.authority import Authority  # noqa: PLC0415 - only few mails need it

    return Authority(command=False, reason=why)


def _inner_files(mail: ParsedMail, attachments: Sequence[Attachment]) -> tuple[Attachment, ...]:
    """Return the attachments of the first mail that was forwarded whole."""
    whole = next((file.name for file in mail.attachments if file.media_type == "message/rfc822"), "")
    pairs = zip(mail.attachments, attachments, strict=True)
    return tuple(stored for file, stored in pairs if file.within and file.within == whole)
