"""Converts a parsed mail to `MailFacts`, as the rest of Butler reads it."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime

from butler.contract.mail import (
    ForwardedMail,
    InviteFacts,
    InvoiceFacts,
    MailFacts,
    MailKind,
    Person,
    ReportFacts,
    Topic,
)
from butler.contract.reasons import Reason, in_own_words
from butler.contract.tools import Attachment
from modules.email.answerable import UNREAD, why_never_answered
from modules.email.parsing.parsed import Address, Event, Forwarded, ParsedMail


def facts_of(
    mail: ParsedMail,
    *,
    own: str,
    inner_files: Sequence[Attachment] = (),
    unread: Reason | None = None,
    standing_answer: str = "",
) -> MailFacts:
    """Return the facts of a mail to the butler.

    `own` is the butler's address; `inner_files` are those of a mail that was forwarded whole; `unread` says why the
    mail could not be read as a whole; such a mail is never answered.
    """
    why_not = UNREAD if unread else why_never_answered(mail, own)
    return MailFacts(
        kind=_kind(mail.kind),
        words=mail.words,
        command=_commands(mail),
        doubtful=mail.doubtful,
        quotes=mail.quotes,
        forwarded=_forwarded(mail.forwarded, inner_files) if mail.forwarded else None,
        topics=tuple(topic for topic in Topic if topic in mail.topics),
        invite=_invite(mail.event) if mail.event else None,
        invoice=InvoiceFacts(**asdict(mail.invoice)) if mail.invoice else None,
        reports=tuple(ReportFacts(**asdict(report)) for report in mail.reports),
        can_unsubscribe=_can_unsubscribe(mail),
        answerable=not why_not,
        why_not=why_not,
        standing_answer="" if why_not else standing_answer,
        protection=mail.protection,
        problems=tuple(problem for told, problem in problems_of(mail) if told not in mail.of_form),
    )


def problems_of(mail: ParsedMail) -> list[tuple[str, Reason]]:
    """Return the problems of a mail, each as it was told and as it is stored."""
    filled = {one.told: in_own_words(one.phrase, **one.values) for one in mail.filled}
    return [(told, filled.get(told) or in_own_words(told)) for told in mail.problems]


def _commands(mail: ParsedMail) -> str:
    """Return the mail's command; empty for a forward without a found start, which may be all another's words."""
    unfound = mail.kind == "forward" and mail.forwarded is None and not mail.quotes
    return "" if unfound else mail.command


def _can_unsubscribe(mail: ParsedMail) -> bool:
    """Return whether the mail at issue, one forwarded whole or else the mail itself, offers one-click unsubscribing."""
    if mail.forwarded is not None and mail.forwarded.attached:
        return mail.forwarded.one_click
    return mail.one_click and any(address.lower().startswith("https:") for address in mail.list_unsubscribe)


def _kind(found: str) -> MailKind:
    return next((kind for kind in MailKind if kind == found), MailKind.PERSONAL)


def _person(address: Address) -> Person:
    return Person(address=address.address, name=address.name)


def _forwarded(inner: Forwarded, files: Sequence[Attachment]) -> ForwardedMail:
    return ForwardedMail(
        sender=_person(inner.sender) if inner.sender else None,
        to=tuple(_person(one) for one in inner.to),
        subject=inner.subject,
        date=inner.date,
        sent_at=datetime.fromisoformat(inner.sent_at) if inner.sent_at else None,
        text=inner.text,
        message_id=inner.message_id,
        attached=inner.attached,
        attachments=tuple(files) if inner.attached else (),
    )


def _invite(event: Event) -> InviteFacts:
    return InviteFacts(
        method=event.method,
        uid=event.uid,
        sequence=event.sequence,
        status=event.status,
        recurrence_id=event.recurrence_id,
        following=event.following,
        summary=event.summary,
        location=event.location,
        starts=event.starts,
        ends=event.ends,
        unknown_zone=event.unknown_zone,
        rule=event.rule,
        organizer=_person(event.organizer) if event.organizer else None,
        attendees=tuple(_person(one) for one in event.attendees),
        answer=event.answer,
    )
