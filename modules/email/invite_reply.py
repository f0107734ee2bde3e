# pyright: reportUnknownMemberType=false
# icalendar does not annotate the types of properties.
"""Builds the iTIP object (RFC 5546) that answers an invitation: who answers, and which event."""

from datetime import UTC, date, datetime

from modules.email.invite_args import AnswerInviteArgs, InviteResponse, moment
from modules.email.smtp.compose import mail_address

_PRODID = "-//Butler//Mail//EN"
_PARTSTAT = {
    InviteResponse.ACCEPT: "ACCEPTED",
    InviteResponse.TENTATIVE: "TENTATIVE",
    InviteResponse.DECLINE: "DECLINED",
}


def itip_reply(args: AnswerInviteArgs, at: datetime) -> bytes:
    """Return a REPLY by the invited address alone. `at` is aware: the time of writing.

    Raise an `IntegrationFault` for an address that no mail can have.
    """
    from icalendar import Calendar, Event, vCalAddress  # noqa: PLC0415 - few mails answer an invitation

    calendar, event = Calendar(), Event()
    for name, value in (("PRODID", _PRODID), ("VERSION", "2.0"), ("METHOD", "REPLY")):
        calendar.add(name, value)
    event.add("UID", args.uid)
    event.add("DTSTAMP", at.astimezone(UTC))
    event.add("SEQUENCE", args.sequence)
    event.add("ORGANIZER", vCalAddress(f"mailto:{mail_address(args.organizer[0].address)}"))
    answers = {"PARTSTAT": _PARTSTAT[args.response]}
    event.add("ATTENDEE", vCalAddress(f"mailto:{mail_address(args.attendee)}"), parameters=answers)
    for name, text in (("SUMMARY", args.summary), ("COMMENT", args.comment)):
        if text:
            event.add(name, text)
    for name, written in (("DTSTART", args.starts), ("DTEND", args.ends), ("RECURRENCE-ID", args.recurrence_id)):
        if (time := moment(written)) is not None:
            event.add(name, _in_utc(time))
    calendar.add_component(event)
    return calendar.to_ical()


def _in_utc(time: date) -> date:
    """Return a day or a local time, which have no time zone, as they are; other times in UTC."""
    return time.astimezone(UTC) if isinstance(time, datetime) and time.tzinfo is not None else time
