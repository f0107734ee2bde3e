"""Mail in and out: finishing a mail as Gmail does on sending, delivering it, and the record of what was sent."""

import secrets
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass
from datetime import datetime
from email.utils import format_datetime, formataddr, parsedate_to_datetime
from typing import TypeAlias

from butler_demo.gmail.header_block import canonical, drop_field, set_field
from butler_demo.gmail.mailbox import Mailbox, message_ids
from butler_demo.gmail.mime import MailContent, read_mail
from butler_demo.gmail.records import Alias, MailEvent, Message, MessageIdPolicy, SentMail
from butler_demo.google.errors import invalid_argument
from butler_demo.google.service import registered

USUAL_LABELS = ("INBOX", "CATEGORY_PERSONAL")
OutgoingHook: TypeAlias = Callable[[bytes, str, tuple[str, ...]], Awaitable[None]]


@dataclass(frozen=True)
class OutgoingMail:
    """A mail that is accepted and finished, but not sent yet."""

    raw: bytes
    content: MailContent
    recipients: tuple[str, ...]


class PostOffice:
    """All mailboxes of the server and the ways between them."""

    def __init__(
        self,
        policy: MessageIdPolicy,
        now: Callable[[], datetime],
        announce: Callable[[MailEvent], None],
        on_outgoing: OutgoingHook | None,
    ) -> None:
        """`on_outgoing(raw, sender, recipients)` gets what goes to addresses without an account here."""
        self.sent: list[SentMail] = []
        self._policy = policy
        self._now = now
        self._announce = announce
        self._on_outgoing = on_outgoing
        self._mailboxes: dict[str, Mailbox] = {}
        self._accounts: dict[str, Mailbox] = {}
        self._ids = message_ids()

    def open(self, address: str, name: str) -> Mailbox:
        """Create the mailbox of a new account."""
        mailbox = Mailbox(address.lower(), name, self._ids, self._now, self._announce)
        self._mailboxes[mailbox.address] = mailbox
        self._accounts[mailbox.address] = mailbox
        return mailbox

    def add_alias(self, address: str, alias: Alias) -> None:
        """Give an account another address to send as, and to get mail at if it is verified."""
        mailbox = self.account(address)
        mailbox.aliases[alias.email] = alias
        if alias.verified:
            self._mailboxes[alias.email] = mailbox

    def account(self, address: str) -> Mailbox:
        """Return the mailbox of the account itself, not of an alias. Raises UnknownAccountError."""
        return self._accounts[registered(address, self._accounts)]

    def mailbox(self, address: str) -> Mailbox:
        """Return the mailbox that gets mail to this address. Raises UnknownAccountError."""
        return self._mailboxes[registered(address, self._mailboxes)]

    def deliver(
        self,
        address: str,
        raw: bytes,
        received: datetime,
        *,
        unread: bool = True,
        labels: Collection[str] = USUAL_LABELS,
    ) -> Message:
        """Put a mail into the mailbox of this address."""
        return self.mailbox(address).add(canonical(raw), [*labels, *(["UNREAD"] if unread else [])], received)

    def accept(self, mailbox: Mailbox, raw: bytes, now: datetime) -> OutgoingMail:
        """Finish a mail (From, Date, Message-ID). Raises GoogleError 400 without a usable recipient or sender."""
        raw = canonical(raw)
        content = read_mail(raw)
        recipients = content.addresses("To", "Cc", "Bcc")
        if not recipients:
            raise invalid_argument("Recipient address required")
        for address in recipients:
            local, _, domain = address.rpartition("@")
            if not local or not domain or " " in address:
                raise invalid_argument("Invalid To header")
        sender = _sender(mailbox, content)
        if sender is not None:
            raw = set_field(raw, "From", sender)
        if not _is_date(content.header("Date")):
            raw = set_field(raw, "Date", format_datetime(now))
        if self._policy is MessageIdPolicy.ALWAYS_REWRITE or not _is_plausible_id(content.message_id):
            raw = set_field(raw, "Message-ID", f"<CA+{secrets.token_urlsafe(24)}@mail.gmail.com>")
        return OutgoingMail(raw, read_mail(raw), recipients)

    async def dispatch(self, mailbox: Mailbox, mail: OutgoingMail, now: datetime, thread_id: str) -> Message:
        """Send an accepted mail: into Sent, onto the record, to the accounts here, the rest to the hook."""
        to_self = not set(mailbox.addresses).isdisjoint(mail.recipients)
        labels = ["UNREAD", "SENT", "INBOX"] if to_self else ["SENT"]
        message = mailbox.add(mail.raw, labels, now, thread_id)
        self.sent.append(SentMail(mailbox.address, mail.recipients, now, message))
        copy = drop_field(mail.raw, "Bcc")
        others = tuple(address for address in mail.recipients if address not in mailbox.addresses)
        for address in dict.fromkeys(self._mailboxes[other].address for other in others if other in self._mailboxes):
            self.deliver(address, copy, now)
        outside = tuple(address for address in others if address not in self._mailboxes)
        if self._on_outgoing and outside:
            await self._on_outgoing(copy, mailbox.address, outside)
        return message


def _sender(mailbox: Mailbox, content: MailContent) -> str | None:
    """Return the From line that replaces the mail's own, None where that may stay.

    A stranger's address becomes the account's own, as in Gmail. Raises GoogleError 400 for an alias not yet verified.
    """
    given = content.addresses("From")
    if given == (mailbox.address,):
        return None
    alias = mailbox.aliases.get(given[0]) if len(given) == 1 else None
    if alias is not None:
        if not alias.verified:
            raise invalid_argument(f"Invalid From header: {alias.email} is not verified as a send-as address")
        return None
    return formataddr((mailbox.name, mailbox.address))


def _is_date(value: str) -> bool:
    try:
        parsedate_to_datetime(value)
    except ValueError:
        return False
    return True


def _is_plausible_id(message_id: str) -> bool:
    local, at, domain = message_id.strip("<>").rpartition("@")
    return bool(local and at and "." in domain.strip("."))
