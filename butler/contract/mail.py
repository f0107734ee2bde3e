"""A mail as it was parsed: whose words it holds, what kind of mail it is, and what it asks for.

A module fills it in when a mail comes in. Apart from `kind`, `answerable` and the reasons, all of it is what senders
wrote: data, never a reason to act.
"""

from enum import StrEnum
from typing import Annotated, Any

from pydantic import AwareDatetime, BeforeValidator

from butler.contract.attachment import Attachment
from butler.contract.calendar_events import EventStatus, standing_of
from butler.contract.reasons import Reason, load_reasons
from butler.contract.records import Record


class MailKind(StrEnum):
    """How a mail came to be, as its headers and its form tell."""

    PERSONAL = "personal"
    REPLY = "reply"
    FORWARD = "forward"
    INVITE = "invite"
    NEWSLETTER = "newsletter"
    LIST = "list"
    AUTOMATIC = "automatic"
    """An automatic reply or notification."""
    BOUNCE = "bounce"
    REPORT = "report"
    """A receipt, an abuse report or the like."""


class Topic(StrEnum):
    """What the mail at issue is about: the forwarded one, or the mail itself."""

    INVOICE = "invoice"
    INVITE = "invite"
    QUESTION = "question"
    NEWSLETTER = "newsletter"


class Person(Record):
    """An address in lower case, and what its owner calls themselves."""

    address: str
    name: str = ""


class InviteFacts(Record):
    """One event of a calendar part (RFC 5545, 5546). Times are ISO 8601: a date for whole days, else with an offset.

    A time without one is a time wherever somebody is, or in `unknown_zone`.
    """

    method: str
    uid: str
    sequence: int = 0
    status: str = ""
    """STATUS in upper case."""
    recurrence_id: str = ""
    following: bool = False
    """Whether it is about the one with `recurrence_id` and all later ones."""
    summary: str = ""
    location: str = ""
    starts: str = ""
    ends: str = ""
    unknown_zone: str = ""
    """The name of the zone that a time is in, where it is not known which zone that is."""
    rule: str = ""
    """The RRULE as it stands; empty for a single event."""
    organizer: Person | None = None
    attendees: tuple[Person, ...] = ()
    answer: str = ""
    """What the first of them answers (PARTSTAT), in a REPLY."""

    @property
    def standing(self) -> EventStatus:
        """Whether it takes place and asks for an answer, or is something else."""
        return standing_of(self.method, self.status)

    @property
    def can_be_answered(self) -> bool:
        """Whether it is an invitation with all that an answer needs."""
        known = bool(self.uid and self.starts and self.organizer) and not self.unknown_zone
        return self.standing is EventStatus.ASKS and known and not self.following


class ReportFacts(Record):
    """What a delivery report (RFC 3464) says of one recipient."""

    action: str
    """failed, delayed, delivered, relayed or expanded."""
    recipient: str
    status: str = ""
    """Such as 5.1.1."""
    diagnostic: str = ""
    message_id: str = ""
    """Of the mail that it reports on."""
    mark: str = ""
    """By which Butler knows that mail, where what came back of it still bears it."""


class ForwardedMail(Record):
    """The inner mail of a forward. Whoever forwards may have written any of it."""

    sender: Person | None = None
    to: tuple[Person, ...] = ()
    subject: str = ""
    date: str = ""
    """As it stands in the mail."""
    sent_at: AwareDatetime | None = None
    text: str = ""
    message_id: str = ""
    attached: bool = False
    """True for a mail that was forwarded whole, as a file; its attachments are its own."""
    attachments: tuple[Attachment, ...] = ()


class InvoiceFacts(Record):
    """What can be read of an invoice without understanding it; as written, each may be empty."""

    amount: str = ""
    due: str = ""
    """An ISO date."""
    number: str = ""


def _reason(stored: Any) -> Any:
    return load_reasons([stored])[0] if isinstance(stored, str) else stored


StoredReason = Annotated[Reason, BeforeValidator(_reason)]
"""A reason within a record; a plain string is a text without a code."""


class MailFacts(Record):
    """A mail to the butler, read."""

    kind: MailKind = MailKind.PERSONAL
    words: str = ""
    """What the sender wrote above anything quoted or forwarded."""
    command: str = ""
    """Those of the words that may command where the mail is proved: above all that may be somebody else's."""
    doubtful: str = ""
    """The words besides, of which nobody can tell whether they are the sender's."""
    quotes: bool = False
    forwarded: ForwardedMail | None = None
    topics: tuple[Topic, ...] = ()
    invite: InviteFacts | None = None
    invoice: InvoiceFacts | None = None
    reports: tuple[ReportFacts, ...] = ()
    can_unsubscribe: bool = False
    """Whether the mail at issue offers to be unsubscribed from by one click, under its signature (RFC 8058)."""
    answerable: bool = True
    """Whether an automatic answer may go to its sender at all."""
    why_not: StoredReason | None = None
    """Why it may not; the rest of a sentence that begins with the mail."""
    standing_answer: str = ""
    """What the owner's settings have the butler answer to this sender, who is proved; else empty."""
    protection: str = ""
    """`signed` or `encrypted` where the mail is (S/MIME, PGP); else empty."""
    problems: tuple[StoredReason, ...] = ()
    """What is missing of the mail at issue or in doubt, and why; each a sentence without its full stop."""
