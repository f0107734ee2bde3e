"""A Gmail API v1 stand-in on a loopback socket: stateful, strict, with faults by order."""

from collections.abc import Callable, Collection
from datetime import datetime

from butler_demo.gmail.call_context import CallContext
from butler_demo.gmail.oauth import Authority
from butler_demo.gmail.operations import OPERATIONS
from butler_demo.gmail.post_office import USUAL_LABELS, OutgoingHook, PostOffice
from butler_demo.gmail.quota_rules import GMAIL_SINCE_MAY_2026
from butler_demo.gmail.records import Alias, Label, MailEvent, Message, MessageIdPolicy, SentMail, Watch
from butler_demo.google.call import Call
from butler_demo.google.description import load_description
from butler_demo.google.errors import GoogleError
from butler_demo.google.server import GoogleServer
from butler_demo.google.service import Service
from butler_demo.serving import utc_now

MODIFY_SCOPE = "https://www.googleapis.com/auth/gmail.modify"


class GmailServer(GoogleServer):
    """The stand-in. Its methods are called on the event loop that serves it."""

    def __init__(
        self,
        *,
        now: Callable[[], datetime] = utc_now,
        message_ids: MessageIdPolicy = MessageIdPolicy.KEEP_PLAUSIBLE,
        on_outgoing: OutgoingHook | None = None,
        authority: Authority | None = None,
    ) -> None:
        """Create a server without accounts.

        `now` returns aware times; tokens expire and mails are dated by it. `message_ids` says what sending
        does to Message-IDs. `on_outgoing(raw, sender, recipients)` gets mail to addresses without account.
        `authority` is that of another stand-in, for one consent to both.
        """
        self._listeners: list[Callable[[MailEvent], None]] = []
        self._post_office = PostOffice(message_ids, now, self._announce, on_outgoing)
        service = Service(
            load_description("gmail", "v1"),
            "gmail.googleapis.com",
            OPERATIONS,
            lambda address: self._post_office.account(address).address,
            self._context,
            names_status=True,
        )
        super().__init__(service, (MODIFY_SCOPE,), GMAIL_SINCE_MAY_2026, now, authority)

    def _context(self, call: Call) -> CallContext:
        if call.text("userId").lower() not in ("me", call.address):
            raise GoogleError(403, "forbidden", f"Delegation denied for {call.address}")
        return CallContext(
            **call.parts(), mailbox=self._post_office.account(call.address), post_office=self._post_office
        )

    # Accounts

    def add_account(self, address: str, name: str) -> None:
        """Open a mailbox for this address; `name` is the owner's display name."""
        self._post_office.open(address, name)

    def add_alias(self, address: str, email: str, name: str = "", *, verified: bool = True) -> None:
        """Let the account send as `email` too, once that is verified; mail to it comes to the account then."""
        self._post_office.add_alias(address, Alias(email.lower(), name, verified))

    def add_label(self, address: str, name: str) -> Label:
        """Create a label of the user's own."""
        return self._post_office.account(address).labels.create(name)

    def labels(self, address: str) -> tuple[Label, ...]:
        """Return every label of the account, Gmail's own first."""
        return tuple(self._post_office.account(address).labels.all())

    def rename_label(self, address: str, label: Label, name: str) -> None:
        """Give one of the user's labels another name, as the user does."""
        self._post_office.account(address).labels.rename(label, name)

    def delete_label(self, address: str, label: Label) -> None:
        """Delete one of the user's labels, as the user does: it comes off every mail."""
        self._post_office.account(address).delete_label(label)

    # Mails

    def deliver(
        self,
        to_address: str,
        raw_bytes: bytes,
        *,
        received: datetime | None = None,
        unread: bool = True,
        labels: Collection[str] = USUAL_LABELS,
    ) -> Message:
        """Put a mail into the mailbox of an address, now or as received at an earlier time.

        `labels` are ids: the inbox and the primary category where none are named.
        """
        return self._post_office.deliver(to_address, raw_bytes, received or self._now(), unread=unread, labels=labels)

    def mailbox(self, address: str) -> tuple[Message, ...]:
        """Return all mails of the account with their labels, newest first."""
        return tuple(self._post_office.mailbox(address).newest_first())

    def relabel(
        self, address: str, message_id: str, *, add: Collection[str] = (), remove: Collection[str] = ()
    ) -> Message:
        """Change a mail's labels, as the user does on the telephone. Raises KeyError for a mail that is not there."""
        mailbox = self._post_office.mailbox(address)
        message = mailbox.get(message_id)
        if message is None:
            raise KeyError(message_id)
        return mailbox.relabel(message, add, remove)

    def delete(self, address: str, message_id: str) -> None:
        """Delete a mail for good, as the user does by emptying the trash."""
        self._post_office.mailbox(address).delete(message_id)

    def sent_by(self, address: str) -> tuple[SentMail, ...]:
        """Return what the provider accepted from the account, oldest first, whatever became of it later."""
        sender = self._post_office.account(address).address
        return tuple(mail for mail in self._post_office.sent if mail.sender == sender)

    def forget_history(self, address: str) -> None:
        """Make every historyId handed out so far too old: `history.list` answers 404 to it.

        By themselves changes are forgotten after seven days.
        """
        self._post_office.account(address).history.forget()

    def watch_of(self, address: str) -> Watch | None:
        """Return where the account's changes are to be published to, None if nobody watches now."""
        watch = self._post_office.account(address).watch
        return watch if watch and watch.ends > self._now() else None

    def subscribe(self, callback: Callable[[MailEvent], None]) -> Callable[[], None]:
        """Call `callback` at every change in any mailbox; the returned function ends that."""
        self._listeners.append(callback)
        return lambda: self._listeners.remove(callback)

    def _announce(self, event: MailEvent) -> None:
        for listener in list(self._listeners):
            listener(event)
