"""Invitations to events, as the demo's people send them (RFC 5545, 5546)."""

from datetime import datetime, timedelta

from butler_demo.mails import Enclosure

_FORMAT = "%Y%m%dT%H%M%SZ"


def invitation(organizer: str, invited: str, summary: str, place: str, starts: datetime) -> Enclosure:
    """The file of an invitation to an event of two hours; `organizer` and `invited` are bare addresses."""
    lines = (
        "BEGIN:VCALENDAR",
        "PRODID:-//Demo//Calendar//EN",
        "VERSION:2.0",
        "METHOD:REQUEST",
        "BEGIN:VEVENT",
        f"UID:{starts:%Y%m%d}-{summary.replace(' ', '-').lower()}@{organizer.rpartition('@')[2]}",
        "SEQUENCE:0",
        f"DTSTAMP:{starts - timedelta(days=9):{_FORMAT}}",
        f"DTSTART:{starts:{_FORMAT}}",
        f"DTEND:{starts + timedelta(hours=2):{_FORMAT}}",
        f"SUMMARY:{summary}",
        f"LOCATION:{place}",
        f"ORGANIZER:mailto:{organizer}",
        f"ATTENDEE;PARTSTAT=NEEDS-ACTION;RSVP=TRUE:mailto:{invited}",
        "END:VEVENT",
        "END:VCALENDAR",
    )
    return Enclosure("invite.ics", "".join(f"{line}\r\n" for line in lines).encode())
