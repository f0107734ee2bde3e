"""A parsed mail: whose words it holds, what kind of mail it is, and what it asks for.

A module fills it in when a mail comes in. Apart from `kind`, `answerable` and the reasons, all of it comes from
senders: data, never a reason to act.
"""

from enum import StrEnum
from typing import Annotated, Any

from pydantic import AwareDatetime, BeforeValidator

from butler.contract.attachment import Attachment
from butler.contract.calendar_events import EventStatus, standing_of
from butler.contract.reasons import Reason, load_reasons
from butler.contract.records import Record


class MailKind(StrEnum):
    """The kind of a mail, by its headers and its form."""

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
    """The topic of a mail, or of the mail that it forwards."""

    INVOICE = "invoice"
    INVITE = "invite"
    QUESTION = "question"
    NEWSLETTER = "newsletter"


class Person(Record):
    """An address in lower case, and its owner's own name for themselves."""

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
    """Whether it is about the occurrence with `recurrence_id` and all later ones."""
    summary: str = ""
    location: str = ""
    starts: str = ""
    ends: str = ""
    unknown_zone: str = ""
    """The name of a time's zone, if it is not known which zone that is."""
    rule: str = ""
    """The RRULE as written; empty for a single event."""
    organizer: Person | None = None
    attendees: tuple[Person, ...] = ()
    answer: str = ""
    """The first attendee's answer (PARTSTAT) in a REPLY."""

    @property
    def standing(self) -> EventStatus:
        """The status: whether it takes place and asks for an answer, or is something else."""
        return standing_of(self.method, self.status)

    @property
    def can_be_answered(self) -> bool:
        """Whether it is an invitation with everything that an answer needs."""
        known = bool(self.uid and self.starts and self.organizer) and not self.unknown_zone
        return self.standing is EventStatus.ASKS and known and not self.following


class ReportFacts(Record):
    """What a delivery report (RFC 3464) says of one recipient."""

    action: str
    """`failed`, `delayed`, `delivered`, `relayed` or `expanded`."""
    recipient: str
    status: str = ""
    """The status code, such as 5.1.1."""
    diagnostic: str = ""
    message_id: str = ""
    """The Message-ID of the mail that it reports on."""
    mark: str = ""
    """Butler's mark of that mail, if the returned part still has it."""


class ForwardedMail(Record):
    """The inner mail of a forward. Whoever forwards may have written any of it."""

    sender: Person | None = None
    to: tuple[Person, ...] = ()
    subject: str = ""
    date: str = ""
    """The date as written in the mail."""
    sent_at: AwareDatetime | None = None
    text: str = ""
    message_id: str = ""
    attached: bool = False
    """Whether the mail was forwarded whole, as a file, so that its attachments are its own."""
    attachments: tuple[Attachment, ...] = ()


class InvoiceFacts(Record):
    """What can be read from an invoice without understanding it; as written, each may be empty."""

    amount: str = ""
    due: str = ""
    """The due date in ISO form."""
    number: str = ""


def _reason(stored: Any) -> Any:
    """Return a plain string as a text without a code, and None for an empty one."""
    return next(iter(load_reasons(stored)), None) if isinstance(stored, str) else stored


StoredReason = Annotated[Reason, BeforeValidator(_reason)]
"""A reason within a record; a plain string is loaded as a text without a code."""
MaybeReason = Annotated[Reason | None, BeforeValidator(_reason)]
"""The same; none for an empty string."""


class MailFacts(Record):
    """The parsed mail to the butler."""

    kind: MailKind = MailKind.PERSONAL
    words: str = ""
    """The sender's words above anything quoted or forwarded."""
    command: str = ""
    """The words that may command if the mail is proved: those above everything that may be somebody else's."""
    doubtful: str = ""
    """Further words of which nobody can tell whether they are the sender's."""
    quotes: bool = False
    forwarded: ForwardedMail | None = None
    topics: tuple[Topic, ...] = ()
    invite: InviteFacts | None = None
    invoice: InvoiceFacts | None = None
    reports: tuple[ReportFacts, ...] = ()
    can_unsubscribe: bool = False
    """Whether the mail, or the one it forwards, offers to unsubscribe by one click, under its signature (RFC 8058)."""
    answerable: bool = True
    """Whether its sender may get an automatic answer at all."""
    why_not: MaybeReason = None
    """Why its sender may get none; the rest of a sentence that begins with the mail."""
    standing_answer: str = ""
    """The butler's answer to this proved sender by the owner's settings; otherwise empty."""
    protection: str = ""
    """`signed` or `encrypted` (S/MIME, PGP); otherwise empty."""
    problems: tuple[StoredReason, ...] = ()
    """What is missing or doubtful in the mail, or in the one it forwards, and why; sentences without a full stop."""
